//! What ties a session to the runtime: the connection over which it is open, and the parameters to resume it
//! with. It is opened in `runtime`. Only one answer to a request is on its way to the runtime at a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::Mutex as Turn;

use super::connection::RuntimeConnection;
use crate::agents::answering::Answering;
use crate::agents::backlog::Backlog;
use crate::agents::recorder::RecordedSession;
use crate::sessions::session::Session;

/// A session of the runtime: what is shown of it, and what ties it to the runtime.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    /// The session.
    pub session: Arc<Session>,
    /// What ties it to the runtime.
    pub link: Arc<RuntimeLink>,
}

impl SessionHandle {
    /// What the recorder has to know of it.
    pub fn recorded(&self) -> RecordedSession {
        RecordedSession { session: Arc::clone(&self.session), backlog: Arc::clone(&self.link.backlog) }
    }
}

/// One session's tie to the runtime.
#[derive(Debug)]
pub struct RuntimeLink {
    /// Locked while the session is being opened or closed, so that only one task does so at a time.
    pub stage: Turn<Stage>,
    /// The requests that are being answered.
    pub answering: Answering,
    /// The messages that people sent and that have not begun.
    pub backlog: Arc<Backlog>,
    /// Locked from when a message comes until it has gone to the runtime, so that messages keep their order.
    pub sending: Arc<Turn<()>>,
    state: Arc<Mutex<LinkState>>,
}

/// Whoever has locked this may open and close the session.
#[derive(Debug)]
pub struct Stage(Arc<Mutex<LinkState>>);

#[derive(Debug, Default)]
struct LinkState {
    connection: Option<Arc<RuntimeConnection>>,
    restarted: bool,
    wanted: bool,
    settings: Map<String, Value>,
    last_message: Option<String>,
}

impl Default for RuntimeLink {
    fn default() -> Self {
        let state = Arc::<Mutex<LinkState>>::default();
        Self {
            stage: Turn::new(Stage(Arc::clone(&state))),
            answering: Answering::default(),
            backlog: Arc::default(),
            sending: Arc::default(),
            state,
        }
    }
}

impl RuntimeLink {
    /// Whether it is open, even if its connection has just ended.
    pub fn is_open(&self) -> bool {
        state(&self.state).connection.is_some()
    }

    /// Whether it has to be opened over this connection: it was open over another one, or somebody wanted to
    /// watch it while there was none.
    pub fn is_missing_over(&self, connection: &Arc<RuntimeConnection>) -> bool {
        let state = state(&self.state);
        state.connection.as_ref().map_or(state.wanted, |open| !Arc::ptr_eq(open, connection))
    }

    /// Somebody wants to watch it while there is no connection over which it could be opened.
    pub fn want(&self) {
        state(&self.state).wanted = true;
    }

    /// The connection over which it is open.
    pub fn connection(&self) -> Option<Arc<RuntimeConnection>> {
        state(&self.state).connection.clone()
    }

    /// Whether the runtime no longer had it in its memory when it was opened over its connection.
    pub fn is_restarted(&self) -> bool {
        state(&self.state).restarted
    }

    /// The parameters to resume it with.
    pub fn settings(&self) -> Map<String, Value> {
        state(&self.state).settings.clone()
    }

    /// Adds parameters to resume it with. Returns all of them.
    pub fn add_settings(&self, more: Map<String, Value>) -> Map<String, Value> {
        let mut state = state(&self.state);
        state.settings.extend(more);
        state.settings.clone()
    }

    /// Whether this differs from the last message about the session. It becomes the last one.
    pub fn is_news(&self, message: &str) -> bool {
        let before = state(&self.state).last_message.replace(message.to_owned());
        before.as_deref() != Some(message)
    }
}

impl Stage {
    /// The connection over which it is open.
    pub fn connection(&self) -> Option<Arc<RuntimeConnection>> {
        state(&self.0).connection.clone()
    }

    /// Whether it is open over this connection.
    pub fn is_open_over(&self, connection: &Arc<RuntimeConnection>) -> bool {
        state(&self.0).connection.as_ref().is_some_and(|open| Arc::ptr_eq(open, connection))
    }

    /// Marks it as open. `restarted`: the runtime did not have it in its memory before.
    pub fn open(&mut self, connection: &Arc<RuntimeConnection>, restarted: bool) {
        let mut state = state(&self.0);
        state.connection = Some(Arc::clone(connection));
        state.restarted = restarted;
        state.wanted = false;
        state.last_message = None;
    }

    /// Marks it as closed.
    pub fn close(&mut self) {
        let mut state = state(&self.0);
        (state.connection, state.wanted) = (None, false);
    }
}

fn state(of: &Mutex<LinkState>) -> MutexGuard<'_, LinkState> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
