//! A session with its store and its connection: what an element and a host's own page both start from.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::Set;
use wasm_bindgen::JsValue;

use super::controller::js_memory::move_to_host;
use super::controller::{Controller, Host};
use super::store::Store;
use super::transport::HostParts;
use crate::core::Session;
use crate::core::connection::{Attributes, ClosedReason, ConnectionState, Target};
use crate::core::model::change::Change;

/// What a session comes from: the attributes `src` and `session`, and the page's own transport.
type Source = ([Option<String>; 2], Option<JsValue>);

/// A session, the store of its views, and the controller that connects it.
pub struct LiveSession {
    /// Feeds the session and sends answers.
    pub controller: Rc<Controller>,
    /// What views read.
    pub store: Store,
    /// Where the session came from at the last connect.
    source: RefCell<Option<Source>>,
}

impl LiveSession {
    /// A session that is not connected. `host` makes what hears of it. Must be called inside a reactive owner.
    pub fn new(session: &Rc<RefCell<Session>>, host: impl FnOnce(Store) -> Box<dyn Host>) -> Self {
        {
            let mut session = session.borrow_mut();
            session.keep_log();
            if let Some(log) = session.log_mut() {
                log.move_to_host(move_to_host);
            }
        }
        let store = Store::new(Rc::clone(session));
        let controller = Controller::new(Rc::clone(session), store, host(store));
        Self { controller, store, source: RefCell::default() }
    }

    /// A session for a page that lays out its parts itself. Must be called inside a reactive owner.
    pub fn of_page(readonly: bool) -> Self {
        let live = Self::new(&Rc::default(), |store| Box::new(PageHost { role: Some((store, readonly)) }));
        live.store.readonly.set(readonly);
        live
    }

    /// Reads a recorded log.
    pub fn read(&self, mut log: Vec<u8>) {
        log.push(b'\n'); // so that the last line is whole
        self.controller.take(&js_sys::Uint8Array::from(log.as_slice()).into(), |_, _| 0);
    }

    /// Closes the connection for good.
    pub fn close(&self) {
        self.controller.close();
    }

    /// Connects as these attributes say. Another source or session begins anew.
    pub fn connect(&self, attributes: &Attributes<'_>) {
        self.connect_with(attributes, HostParts::default());
    }

    /// The same with what a page in JavaScript brings. Another transport begins anew, too.
    pub fn connect_with(&self, attributes: &Attributes<'_>, parts: HostParts) {
        let named = [attributes.src.map(str::to_owned), attributes.session.map(str::to_owned)];
        let source = (named, parts.transport.clone().map(JsValue::from));
        if self.source.replace(Some(source.clone())).is_some_and(|before| before != source) {
            self.controller.forget_unread();
            self.controller.feed(Session::begin_again);
        }
        match Target::parse(attributes) {
            Ok(target) => self.controller.connect(target, parts),
            Err(error) => {
                let message = error.to_string();
                let reason = ClosedReason::BadAddress(message.clone());
                self.controller.cannot_connect(ConnectionState::Closed { reason }, message);
            }
        }
    }
}

/// A page that lays out components itself: what it has to hear of the session is in the store.
pub(super) struct PageHost {
    /// What hears of the role, and whether nothing may be answered whatever the role is. None for the cards of a board.
    pub(super) role: Option<(Store, bool)>,
}

impl Host for PageHost {
    fn committed(&self, _: &[Change]) {}

    fn request_opened(&self, _: &serde_json::Value) -> bool {
        false
    }

    fn answering(&self, _: &str, _: &serde_json::Value) -> bool {
        false
    }

    fn status(&self, _: &str) {}

    fn connection(&self, _: &str) {}

    fn role(&self, viewer: bool) {
        if let Some((store, readonly)) = self.role {
            store.viewer.set(viewer);
            store.readonly.set(viewer || readonly);
        }
    }

    fn telemetry(&self, _: &serde_json::Value) {}

    fn error(&self, message: &str) {
        leptos::logging::warn!("Pilothouse: {message}");
    }
}
