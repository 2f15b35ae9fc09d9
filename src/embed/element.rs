//! `<pilot-house>`: attributes in, events out, the view in its shadow root.

use std::rc::{Rc, Weak};

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, ShadowRoot};

use super::board::BoardElement;
use super::fault::FaultMark;
use super::host_options;
use super::js_session::{Session, SharedJsSession};
use super::js_values;
use crate::client::controller::Host;
use crate::client::js::from_js;
use crate::client::live_session::LiveSession;
use crate::client::transport::HostParts;
use crate::core::connection::Attributes;
use crate::core::i18n::words::connection::{COPY_REPORT, REPORT_COPIED, START_AGAIN, STOPPED};
use crate::core::model::board;
use crate::core::model::state::Change;
use crate::ui::chunks;
use crate::ui::elements::styles;
use crate::ui::renderers::{self, HostRenderer};
use crate::ui::shell::app::App;
use crate::ui::shell::side_views;

#[wasm_bindgen(module = "/www/element.js")]
extern "C" {
    /// Registers the element classes; `create` makes the program's side of a
    /// `<pilot-house>`, `board` that of a board. `words` and `version` are for an element that a fault has
    /// stopped.
    #[wasm_bindgen(js_name = define)]
    fn define(create: &JsValue, board: &JsValue, words: Vec<String>, version: &str);
}

/// Registers `<pilot-house>` and `<pilot-house-board>`. Doing it twice is harmless.
pub fn define_elements() {
    chunks::register();
    console_error_panic_hook::set_once();
    let create =
        Closure::<dyn Fn(HtmlElement, ShadowRoot) -> Element>::new(|host, root| Element::new(&host, &root));
    let board = Closure::<dyn Fn(HtmlElement, ShadowRoot) -> BoardElement>::new(BoardElement::new);
    let words = [STOPPED, START_AGAIN, COPY_REPORT, REPORT_COPIED].map(|word| word.text().to_owned());
    define(&create.into_js_value(), &board.into_js_value(), words.into(), env!("CARGO_PKG_VERSION"));
}

/// Registers a renderer of the host's page; `www/package/start.js` says how hosts call it. Returns a function that
/// removes it.
#[wasm_bindgen(js_name = addRenderer)]
pub fn add_renderer(kind: String, matches: js_sys::Function, render: js_sys::Function) -> JsValue {
    let number = renderers::register(HostRenderer { kind, matches, render });
    Closure::once_into_js(move || renderers::unregister(number))
}

/// The program's side of one `<pilot-house>`; `www/element.js` holds it.
#[wasm_bindgen]
pub struct Element {
    host: HtmlElement,
    shared: Rc<SharedJsSession>,
    live: LiveSession,
    owner: Owner,
    mark: FaultMark,
    _view: Box<dyn std::any::Any>,
}

#[wasm_bindgen]
impl Element {
    /// Whether a fault of the program has hit this element: it was at work for it, or has its session half changed.
    #[wasm_bindgen(js_name = isBroken)]
    pub fn is_broken(&self) -> bool {
        self.mark.is_current() || self.live.controller.is_stopped()
    }

    /// Feeds a part of a stream, for hosts with their own connection. Large input is read in slices.
    /// Returns the records accepted.
    pub fn push(&self, chunk: &JsValue) -> usize {
        self.live.controller.take(chunk, js_values::push_frame)
    }

    /// Adds a notification from the host. Returns the id of its entry; nothing without a message.
    pub fn notify(&self, note: &JsValue) -> Option<String> {
        self.live.controller.feed(|session| js_values::notify(session, note))
    }

    /// Answers an open request for a host's own program; false if it is not open.
    pub fn answer(&self, request_id: &str, params: &JsValue) -> bool {
        self.live.controller.answer_of_host(request_id, from_js(params))
    }

    /// The session that the element shows.
    pub fn session(&self) -> Session {
        Session::of(Rc::clone(&self.shared))
    }

    /// Sets a property by which a host adds to the views.
    pub fn customize(&self, name: &str, value: JsValue) {
        self.owner.with(|| host_options::set(self.live.store, name, value));
    }

    /// Puts a text into the field, before what is written there.
    pub fn compose(&self, text: String) {
        self.live.store.host_options().text.set(Some(text));
    }

    /// Puts files into the message that is being written.
    pub fn attach(&self, files: Vec<web_sys::File>) {
        self.live.store.host_options().files.update(|all| all.extend(files));
    }

    /// Tells a gateway whether somebody sees the session now. It forgets that with the connection.
    pub fn visible(&self, visible: bool) {
        // Other servers don't know it, which does no harm.
        let _ = self.live.store.call("pilothouse.visible", json!({ "visible": visible }));
    }

    /// An attribute changed.
    pub fn attribute(&self, name: &str) {
        self.owner.with(|| match name {
            "readonly" => self.live.store.host_options().readonly.set(self.host.has_attribute(name)),
            "src" | "session" | "transport" | "token" | "answer-url" | "protocol" => self.connect(),
            _ => {}
        });
    }

    /// Connects as the attributes say.
    pub fn connect(&self) {
        let attribute = |name: &str| self.host.get_attribute(name);
        let parts = HostParts::of(&self.host);
        let host_transport = parts.transport.is_some();
        self.live.controller.connect(
            &Attributes {
                src: attribute("src").as_deref(),
                session: attribute("session").as_deref(),
                transport: attribute("transport").as_deref(),
                token: attribute("token").as_deref(),
                answer_url: attribute("answer-url").as_deref(),
                protocol: attribute("protocol").as_deref(),
                host_transport,
                page: &self.host.base_uri().ok().flatten().unwrap_or_default(),
            },
            parts,
        );
    }

    /// The element left the document for good.
    pub fn close(&self) {
        self.live.controller.close();
        self.shared.on_input(None);
    }
}

impl Element {
    fn new(host: &HtmlElement, root: &ShadowRoot) -> Self {
        styles::adopt(root);
        let shared = Rc::<SharedJsSession>::default();
        let owner = Owner::new();
        let mark = FaultMark::within(&owner);
        let side = HostElement { element: host.clone(), shared: Rc::downgrade(&shared) };
        let live = owner.with(|| LiveSession::new(Rc::clone(&shared.session), Box::new(side)));
        let (controller, store) = (&live.controller, live.store);
        let weak = Rc::downgrade(controller);
        shared.on_input(Some(Rc::new(move || {
            if let Some(controller) = weak.upgrade() {
                controller.feed(|_| ());
            }
        })));
        let weak = Rc::downgrade(controller);
        shared.before_reading(Rc::new(move || {
            if let Some(controller) = weak.upgrade() {
                controller.read_all();
            }
        }));
        let view = owner.with(|| {
            store.host_options().readonly.set(host.has_attribute("readonly"));
            let parent: &HtmlElement = root.unchecked_ref();
            let view: UnmountHandle<_> = mount_to(parent.clone(), move || view! { <App store/> });
            side_views::measure(host, store);
            Box::new(view) as Box<dyn std::any::Any>
        });
        let element = Self { host: host.clone(), shared, live, owner, mark, _view: view };
        set_attribute(host, "data-connection", "connecting");
        element.owner.with(|| element.connect());
        chunks::fetch_ahead();
        element
    }
}

fn set_attribute(element: &web_sys::Element, name: &str, value: &str) {
    // Fails for invalid names only, and these are ours.
    let _ = element.set_attribute(name, value);
}

/// The element as the controller's host.
struct HostElement {
    element: HtmlElement,
    shared: Weak<SharedJsSession>,
}

impl HostElement {
    fn dispatch(&self, name: &str, detail: &Value) -> bool {
        js_values::dispatch(&self.element, name, detail)
    }
}

impl Host for HostElement {
    fn committed(&self, changes: &[Change]) {
        if let Some(shared) = self.shared.upgrade() {
            shared.deliver(changes);
        }
    }

    fn request_opened(&self, request: &Value) -> bool {
        !self.dispatch("pilothouse-request", request)
    }

    fn answering(&self, method: &str, params: &Value) -> bool {
        !self.dispatch("pilothouse-answer", &json!({ "method": method, "params": params }))
    }

    fn calling(&self, method: &str, params: &Value) -> bool {
        !self.dispatch("pilothouse-call", &json!({ "method": method, "params": params }))
    }

    fn called(&self, method: &str, params: &Value, outcome: Result<&Value, String>) {
        self.dispatch("pilothouse-result", &js_values::result_detail(method, params, outcome));
    }

    fn status(&self, word: &str) {
        set_attribute(&self.element, "data-status", word);
        self.dispatch("pilothouse-status", &json!({ "status": word }));
    }

    fn connection(&self, word: &str) {
        set_attribute(&self.element, "data-connection", word);
        self.dispatch("pilothouse-status", &json!({ "connection": word }));
    }

    /// A server that does not know how many sessions there are serves its page with
    /// `board="auto"`: if there are several, a board replaces this element. A gateway that knows
    /// serves the page with the board at once.
    fn listed(&self, sessions: &Value) -> bool {
        let auto = self.element.get_attribute("board").is_some_and(|board| board == "auto");
        if !auto || !board::is_needed(sessions) {
            return false;
        }
        let page = self.element.owner_document();
        let Some(board) = page.and_then(|page| page.create_element("pilot-house-board").ok()) else {
            return false;
        };
        for name in ["src", "token", "theme", "lang", "allow", "readonly"] {
            if let Some(value) = self.element.get_attribute(name) {
                set_attribute(&board, name, &value);
            }
        }
        set_attribute(&board, "history", "");
        if let Ok(auth) = js_sys::Reflect::get(&self.element, &"auth".into()) {
            // A property of the board's class.
            let _ = js_sys::Reflect::set(&board, &"auth".into(), &auth);
        }
        self.element.replace_with_with_node_1(&board).is_ok()
    }

    fn role(&self, viewer: bool) {
        set_attribute(&self.element, "data-role", if viewer { "viewer" } else { "operator" });
    }

    fn reading(&self, reading: bool) {
        // Fails for invalid names only, and this is ours.
        let _ = self.element.toggle_attribute_with_force("data-reading", reading);
    }

    fn telemetry(&self, event: &Value) {
        self.dispatch("pilothouse-telemetry", event);
    }

    fn error(&self, message: &str) {
        self.dispatch("pilothouse-error", &json!({ "message": message }));
    }
}
