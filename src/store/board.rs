//! What the views of a board subscribe to: a signal for each session, and one for
//! their order. The core merges the summaries.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;

use super::{CallOutcome, Store, bump};
use crate::core::connection::ConnectionState;
use crate::core::model::board::{Board, SessionChange, Summary};

/// What carries out what people do on a board.
pub trait BoardActions {
    /// Sends a request to the gateway; `None` if the host makes the call itself.
    fn call(&self, method: &str, params: Value) -> Option<CallOutcome>;
    /// Tries the connection again at once.
    fn retry(&self);
    /// Makes a store of a session's open requests, as long as the current owner lives.
    fn open_cards(&self, session: &str) -> Option<Store>;
    /// A person opens a session. True if the host opens it elsewhere.
    fn opening(&self, session: &str) -> bool;
}

#[derive(Default)]
struct BoardData {
    board: Rc<RefCell<Board>>,
    /// The signals of the sessions on screen.
    sessions: RefCell<HashMap<String, RwSignal<u32>>>,
    /// Changes with every session, and when sessions come and go.
    all: RwSignal<u32>,
    actions: RefCell<Option<Rc<dyn BoardActions>>>,
}

/// A handle that views copy freely.
#[derive(Clone, Copy)]
pub struct BoardStore {
    data: StoredValue<Rc<BoardData>, LocalStorage>,
    /// The connection's state, and what people should know about it.
    pub connection: RwSignal<(ConnectionState, Option<String>)>,
    /// The gateway's address; `None` if there is no network.
    pub server: RwSignal<Option<String>>,
    /// The gateway's report about itself: what is wrong there, if anything is.
    pub health: RwSignal<Option<Value>>,
    /// A token was tried, and only the next connection can show whether it is right.
    pub tried: RwSignal<bool>,
    /// The list is polled, because the WebSocket is refused.
    pub polled: RwSignal<bool>,
    /// A list has arrived.
    pub begun: RwSignal<bool>,
    /// What the gateway can do with sessions: `create`, `resume`, `close`.
    pub capabilities: RwSignal<Vec<String>>,
    /// The host wants that nothing can be answered here.
    pub host_readonly: RwSignal<bool>,
    /// The gateway lets this client only look.
    pub viewer: RwSignal<bool>,
    /// Nothing can be answered here, for one of these reasons.
    pub readonly: Memo<bool>,
    /// The page's title may be changed.
    pub attention: RwSignal<bool>,
    /// The session that is open beside the board.
    pub open: RwSignal<Option<String>>,
}

impl BoardStore {
    /// A store over a board. Must be made inside a reactive owner.
    pub fn new(board: Rc<RefCell<Board>>) -> Self {
        let (host_readonly, viewer) = (RwSignal::new(false), RwSignal::new(false));
        Self {
            data: StoredValue::new_local(Rc::new(BoardData { board, ..BoardData::default() })),
            connection: RwSignal::new((ConnectionState::Connecting { attempt: 1 }, None)),
            server: RwSignal::new(None),
            health: RwSignal::new(None),
            tried: RwSignal::new(false),
            polled: RwSignal::new(false),
            begun: RwSignal::new(false),
            capabilities: RwSignal::new(Vec::new()),
            host_readonly,
            viewer,
            readonly: Memo::new(move |_| host_readonly.get() || viewer.get()),
            attention: RwSignal::new(false),
            open: RwSignal::new(None),
        }
    }

    fn data<R>(&self, read: impl FnOnce(&BoardData) -> R) -> Option<R> {
        self.data.try_with_value(|data| read(data))
    }

    /// Reads the board without subscribing.
    pub fn read<R>(&self, read: impl FnOnce(&Board) -> R) -> Option<R> {
        self.data(|data| read(&data.board.borrow()))
    }

    /// Reads the board and subscribes to anything that changes in it.
    pub fn all<R>(&self, read: impl FnOnce(&Board) -> R) -> Option<R> {
        if let Some(all) = self.data(|data| data.all) {
            all.track();
        }
        self.read(read)
    }

    /// Reads one session without subscribing.
    pub fn session<R>(&self, id: &str, read: impl FnOnce(&Summary) -> R) -> Option<R> {
        self.read(|board| board.get(id).map(read)).flatten()
    }

    /// Subscribes the current owner to a session, as long as that owner lives.
    pub(crate) fn subscribe(&self, id: &str) -> RwSignal<u32> {
        let signal = RwSignal::new(0);
        self.data(|data| data.sessions.borrow_mut().insert(id.to_owned(), signal));
        let (store, id) = (*self, id.to_owned());
        on_cleanup(move || {
            store.data(|data| {
                let mut sessions = data.sessions.borrow_mut();
                if sessions.get(&id) == Some(&signal) {
                    sessions.remove(&id);
                }
            });
        });
        signal
    }

    /// Notifies the views of what changed.
    pub(crate) fn notify_changed(&self, changes: &[SessionChange]) {
        for change in changes {
            if let SessionChange::Changed(id) | SessionChange::Removed(id) = change
                && let Some(signal) = self.data(|data| data.sessions.borrow().get(id).copied()).flatten()
            {
                bump(signal);
            }
        }
        if !self.begun.get_untracked() {
            self.begun.set(true);
        }
        if let Some(all) = self.data(|data| data.all).filter(|_| !changes.is_empty()) {
            bump(all);
        }
    }

    /// Notifies the views of another list of machines.
    pub(crate) fn notify_machines(&self) {
        if let Some(all) = self.data(|data| data.all) {
            bump(all);
        }
    }

    /// Sets what carries out what people do.
    pub(crate) fn set_actions(&self, actions: Rc<dyn BoardActions>) {
        self.data(|data| data.actions.replace(Some(actions)));
    }

    fn actions(&self) -> Option<Rc<dyn BoardActions>> {
        self.data(|data| data.actions.borrow().clone()).flatten()
    }

    /// A store of a session's open requests, as long as the current owner
    /// lives. Its cards answer for that session.
    pub fn requests(&self, id: &str) -> Option<Store> {
        self.session(id, |_| ())?;
        self.actions()?.open_cards(id)
    }

    /// Sends a request to the gateway; `None` if the host makes the call itself, or where nothing sends calls.
    pub fn call(&self, method: &str, params: Value) -> Option<CallOutcome> {
        self.actions()?.call(method, params)
    }

    /// Tries the connection again at once.
    pub fn retry(&self) {
        if let Some(actions) = self.actions() {
            actions.retry();
        }
    }

    /// Opens a session, unless the host does that elsewhere.
    pub fn open_session(&self, id: &str) {
        if !self.actions().is_some_and(|actions| actions.opening(id)) {
            self.open.set(Some(id.to_owned()));
        }
    }

    /// Whether something like `create` can be done here: the gateway can, and
    /// the board is not read-only. Subscribes.
    pub fn can(&self, what: &str) -> bool {
        !self.readonly.get() && self.capabilities.with(|all| all.iter().any(|known| known == what))
    }
}
