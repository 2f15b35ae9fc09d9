//! A board with its store and its connection: what an element and a host's own page both start from.

use std::rc::Rc;

use leptos::prelude::{Callable, Callback, Set};

use super::controller::Host;
use super::controller::board::{BoardController, BoardHost};
use super::live_session::PageHost;
use super::transport::HostParts;
use crate::core::connection::Attributes;
use crate::store::board::BoardStore;

/// A board's store and the controller that connects it.
pub struct LiveBoard {
    /// Connects it.
    pub controller: Rc<BoardController>,
    /// What views read.
    pub store: BoardStore,
}

impl LiveBoard {
    /// A board that is not connected; `host` hears of it. Must be called inside a reactive owner.
    pub fn new(host: Box<dyn BoardHost>) -> Self {
        let board = Rc::default();
        let store = BoardStore::new(Rc::clone(&board));
        Self { controller: BoardController::new(store, board, host), store }
    }

    /// A board for a page that lays it out itself. `on_open` says whether the page shows a session elsewhere. Must be
    /// called inside a reactive owner.
    pub fn of_page(readonly: bool, on_open: Option<Callback<(String,), bool>>) -> Self {
        let live = Self::new(Box::new(BoardPageHost { on_open }));
        live.store.host_readonly.set(readonly);
        live
    }

    /// Connects as these attributes say.
    pub fn connect(&self, attributes: &Attributes<'_>) {
        self.controller.connect(attributes, HostParts::default());
    }

    /// Closes the connection for good.
    pub fn close(&self) {
        self.controller.close();
    }
}

/// A page that lays out a board itself.
struct BoardPageHost {
    on_open: Option<Callback<(String,), bool>>,
}

impl BoardHost for BoardPageHost {
    fn session(&self, _: &str) -> Box<dyn Host> {
        Box::new(PageHost)
    }

    fn opening(&self, id: &str) -> bool {
        self.on_open.is_some_and(|on_open| on_open.run((id.to_owned(),)))
    }

    fn error(&self, message: &str) {
        leptos::logging::warn!("Pilothouse: {message}");
    }
}
