//! A board with its store and its connection: what an element and a host's own page both start from.

use std::rc::Rc;

use leptos::prelude::Set;

use super::controller::Host;
use super::controller::board::{BoardController, BoardHost};
use super::live_session::PageHost;
use super::store::board::BoardStore;
use super::transport::HostParts;
use crate::core::connection::{Attributes, ClosedReason, ConnectionState, Target};
use crate::core::i18n::words::board;

/// A board's store and the driver that connects it.
pub struct LiveBoard {
    controller: Rc<BoardController>,
    /// What views read.
    pub store: BoardStore,
}

impl LiveBoard {
    /// A board that is not connected; `host` hears of it. Must be called inside a reactive owner.
    pub fn new(host: Box<dyn BoardHost>) -> Self {
        let store = BoardStore::new();
        Self { controller: BoardController::new(store, host), store }
    }

    /// A board for a page that lays it out itself. Must be called inside a reactive owner.
    pub fn of_page(readonly: bool) -> Self {
        let live = Self::new(Box::new(BoardPageHost));
        live.store.readonly.set(readonly);
        live
    }

    /// Connects as these attributes say.
    pub fn connect(&self, attributes: &Attributes<'_>) {
        self.connect_with(attributes, HostParts::default());
    }

    /// The same with what a page in JavaScript brings.
    pub fn connect_with(&self, attributes: &Attributes<'_>, parts: HostParts) {
        let refuse = |message: String| {
            let reason = ClosedReason::BadAddress(message.clone());
            self.controller.cannot_connect(ConnectionState::Closed { reason }, message);
        };
        match Target::parse(attributes) {
            Ok(target) if target.sessions_url().is_some() => self.controller.connect(target, parts),
            Ok(_) => refuse(board::NO_GATEWAY.text().to_owned()),
            Err(error) => refuse(error.to_string()),
        }
    }

    /// Closes the connection for good.
    pub fn close(&self) {
        self.controller.close();
    }
}

/// A page that lays out a board itself.
struct BoardPageHost;

impl BoardHost for BoardPageHost {
    fn session(&self, _: &str) -> Box<dyn Host> {
        Box::new(PageHost { role: None })
    }

    fn connection(&self, _: &str) {}

    fn error(&self, message: &str) {
        leptos::logging::warn!("Pilothouse: {message}");
    }
}
