//! A session with its store and its connection: what an element and a host's own page both start from.

use std::rc::Rc;

use leptos::prelude::Set;

use super::controller::js_memory::move_to_host;
use super::controller::{Controller, Host};
use super::transport::HostParts;
use crate::core::connection::Attributes;
use crate::store::{SharedSession, Store};

/// A session, the store of its views, and the controller that connects it.
pub struct LiveSession {
    /// Feeds the session and sends answers.
    pub controller: Rc<Controller>,
    /// What views read.
    pub store: Store,
}

impl LiveSession {
    /// A session that is not connected. `host` hears of it. Must be called inside a reactive owner.
    pub fn new(session: SharedSession, host: Box<dyn Host>) -> Self {
        {
            let mut session = session.borrow_mut();
            session.keep_log();
            if let Some(log) = session.log_mut() {
                log.move_to_host(move_to_host);
            }
        }
        let store = Store::new(Rc::clone(&session));
        Self { controller: Controller::new(session, store, host), store }
    }

    /// A session for a page that lays out its parts itself. Must be called inside a reactive owner.
    pub fn of_page(readonly: bool) -> Self {
        let live = Self::new(Rc::default(), Box::new(PageHost));
        live.store.host_options().readonly.set(readonly);
        live
    }

    /// Reads a recorded log.
    pub fn read(&self, mut log: Vec<u8>) {
        log.push(b'\n'); // so that the last line is whole
        self.controller.take(&js_sys::Uint8Array::from(log.as_slice()).into(), |_, _| 0);
    }

    /// Connects as these attributes say. Another source or session begins anew.
    pub fn connect(&self, attributes: &Attributes<'_>) {
        self.controller.connect(attributes, HostParts::default());
    }

    /// Closes the connection for good.
    pub fn close(&self) {
        self.controller.close();
    }
}

/// A page that lays out components itself: what it has to hear of the session is in the store.
pub(super) struct PageHost;

impl Host for PageHost {
    fn error(&self, message: &str) {
        leptos::logging::warn!("Pilothouse: {message}");
    }
}
