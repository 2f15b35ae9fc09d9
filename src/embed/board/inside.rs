//! The program's side of `<pilot-house-board>`: attributes in, events out, the view in its shadow root.

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, ShadowRoot};

use crate::client::controller::Host;
use crate::client::controller::board::BoardHost;
use crate::client::live_board::LiveBoard;
use crate::client::transport::HostParts;
use crate::core::connection::Attributes;
use crate::core::model::board::Board as Sessions;
use crate::embed::js_values;
use crate::store::board::BoardStore;
use crate::ui::board::{self, Board, RULES};
use crate::ui::chunks;
use crate::ui::elements::page_area::fills_page;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::elements::styles;

struct OpenBoard {
    host: HtmlElement,
    live: LiveBoard,
    store: BoardStore,
    owner: Owner,
    _view: Box<dyn std::any::Any>,
}

/// Builds the view and connects.
pub(super) fn open(host: &HtmlElement, root: &ShadowRoot) -> Box<dyn super::BoardContent> {
    styles::adopt(root);
    styles::add(&[styles::CONTENTS, RULES]);
    let owner = Owner::new();
    let live = owner.with(|| LiveBoard::new(Box::new(ElementHost(host.clone()))));
    let store = live.store;
    let view = owner.with(|| {
        store.host_readonly.set(host.has_attribute("readonly"));
        let page = host.clone();
        board::provide(store, true, move |name| page.get_attribute(name));
        let parent: &HtmlElement = root.unchecked_ref();
        let history = host.has_attribute("history");
        let view: UnmountHandle<_> = mount_to(parent.clone(), move || view! { <Board history/> });
        store.attention.set(host.has_attribute("attention") || fills_page(host));
        report_counts(host.clone(), store);
        Box::new(view) as Box<dyn std::any::Any>
    });
    let inside = OpenBoard { host: host.clone(), live, store, owner, _view: view };
    inside.connect();
    // Somebody will answer, or open a session: the parts for that are fetched ahead.
    chunks::fetch_ahead();
    Box::new(inside)
}

/// Reports to the host how many sessions wait for a person, and how many there are.
fn report_counts(host: HtmlElement, store: BoardStore) {
    let waiting = memo(move || store.all(|board: &Sessions| (board.waiting(), board.sessions().len())));
    render_effect(move || {
        let (waiting, sessions) = waiting.get().unwrap_or_default();
        let element = ElementHost(host.clone());
        element.set("data-waiting", &waiting.to_string());
        element.dispatch("pilothouse-status", &json!({ "waiting": waiting, "sessions": sessions }));
    });
}

impl OpenBoard {
    fn connect(&self) {
        let attribute = |name: &str| self.host.get_attribute(name);
        let (src, token) = (attribute("src"), attribute("token"));
        let page = self.host.base_uri().ok().flatten().unwrap_or_default();
        let attributes =
            Attributes { src: src.as_deref(), token: token.as_deref(), page: &page, ..Attributes::default() };
        // A board needs a gateway, so a transport of the page's own does not count.
        let parts = HostParts { transport: None, ..HostParts::of(&self.host) };
        self.live.controller.connect(&attributes, parts);
    }
}

impl super::BoardContent for OpenBoard {
    fn attribute(&self, name: &str) {
        self.owner.with(|| match name {
            "readonly" => self.store.host_readonly.set(self.host.has_attribute("readonly")),
            "src" | "token" => self.connect(),
            _ => {}
        });
    }

    fn visible(&self, visible: bool) {
        // Other servers don't know it, which does no harm.
        let _ = self.store.call("pilothouse.visible", json!({ "board": true, "visible": visible }));
    }

    fn close(&self) {
        self.live.controller.close();
        self.owner.cleanup();
    }
}

/// The element as the drivers' host.
#[derive(Clone)]
struct ElementHost(HtmlElement);

impl ElementHost {
    fn dispatch(&self, name: &str, detail: &Value) -> bool {
        js_values::dispatch(&self.0, name, detail)
    }

    fn set(&self, name: &str, value: &str) {
        // Fails for invalid names only, and these are ours.
        let _ = self.0.set_attribute(name, value);
    }
}

impl BoardHost for ElementHost {
    fn session(&self, id: &str) -> Box<dyn Host> {
        Box::new(CardHost { element: self.clone(), session: id.to_owned() })
    }

    fn opening(&self, id: &str) -> bool {
        !self.dispatch("pilothouse-open", &json!({ "sessionId": id }))
    }

    fn calling(&self, method: &str, params: &Value) -> bool {
        !self.dispatch("pilothouse-call", &json!({ "method": method, "params": params }))
    }

    fn called(&self, method: &str, params: &Value, outcome: Result<&Value, String>) {
        self.dispatch("pilothouse-result", &js_values::result_detail(method, params, outcome));
    }

    fn connection(&self, word: &str) {
        self.set("data-connection", word);
        self.dispatch("pilothouse-status", &json!({ "connection": word }));
    }

    fn error(&self, message: &str) {
        self.dispatch("pilothouse-error", &json!({ "message": message }));
    }
}

/// The element as the host for one session's cards: it is offered requests and
/// answers. The tile handles the rest.
struct CardHost {
    element: ElementHost,
    session: String,
}

impl Host for CardHost {
    fn request_opened(&self, request: &Value) -> bool {
        let mut request = request.clone();
        if let Some(fields) = request.as_object_mut() {
            fields.insert("sessionId".to_owned(), self.session.as_str().into());
        }
        !self.element.dispatch("pilothouse-request", &request)
    }

    fn answering(&self, method: &str, params: &Value) -> bool {
        !self.element.dispatch("pilothouse-answer", &json!({ "method": method, "params": params }))
    }

    fn called(&self, method: &str, params: &Value, outcome: Result<&Value, String>) {
        BoardHost::called(&self.element, method, params, outcome);
    }

    fn error(&self, message: &str) {
        self.element.error(message);
    }
}
