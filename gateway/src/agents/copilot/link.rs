//! What ties a session to the runtime: the connection over which it is open, and the parameters to resume it
//! with. It is opened in `open_session`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::Mutex as Turn;

use super::answering::Answering;
use super::backlog::Backlog;
use super::connection::RuntimeConnection;
use crate::sessions::session::Session;

/// A session of the runtime: what is shown of it, and what ties it to the runtime.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    /// The session.
    pub session: Arc<Session>,
    /// What ties it to the runtime.
    pub link: Arc<RuntimeLink>,
}

/// One session's tie to the runtime.
#[derive(Debug)]
pub struct RuntimeLink {
    /// Locked while the session is being opened or closed, so that only one task does so at a time.
    pub stage: Turn<Stage>,
    /// The requests that are being answered.
    pub answering: Answering,
    /// The messages that people sent and that have not begun.
    pub backlog: Backlog,
    /// Locked from when a message comes until it has gone to the runtime, so that messages keep their order.
    pub sending: Arc<Turn<()>>,
    facts: Arc<Mutex<Facts>>,
}

/// Whoever has locked this may open and close the session.
#[derive(Debug)]
pub struct Stage(Arc<Mutex<Facts>>);

#[derive(Debug, Default)]
struct Facts {
    connection: Option<Arc<RuntimeConnection>>,
    restarted: bool,
    wanted: bool,
    settings: Map<String, Value>,
    said: Option<String>,
}

impl Default for RuntimeLink {
    fn default() -> Self {
        let facts = Arc::<Mutex<Facts>>::default();
        Self {
            stage: Turn::new(Stage(Arc::clone(&facts))),
            answering: Answering::default(),
            backlog: Backlog::default(),
            sending: Arc::default(),
            facts,
        }
    }
}

impl RuntimeLink {
    /// Whether it is open, even if its connection has just ended.
    pub fn is_open(&self) -> bool {
        facts(&self.facts).connection.is_some()
    }

    /// Whether it has to be opened over this connection: it was open over another one, or somebody wanted to
    /// watch it while there was none.
    pub fn is_missing_over(&self, connection: &Arc<RuntimeConnection>) -> bool {
        let facts = facts(&self.facts);
        facts.connection.as_ref().map_or(facts.wanted, |open| !Arc::ptr_eq(open, connection))
    }

    /// Somebody wants to watch it while there is no connection over which it could be opened.
    pub fn want(&self) {
        facts(&self.facts).wanted = true;
    }

    /// The connection over which it is open.
    pub fn connection(&self) -> Option<Arc<RuntimeConnection>> {
        facts(&self.facts).connection.clone()
    }

    /// Whether the runtime no longer had it in its memory when it was opened over its connection.
    pub fn is_restarted(&self) -> bool {
        facts(&self.facts).restarted
    }

    /// The parameters to resume it with.
    pub fn settings(&self) -> Map<String, Value> {
        facts(&self.facts).settings.clone()
    }

    /// Adds parameters to resume it with. Returns all of them.
    pub fn keep(&self, more: Map<String, Value>) -> Map<String, Value> {
        let mut facts = facts(&self.facts);
        facts.settings.extend(more);
        facts.settings.clone()
    }

    /// Whether this differs from the last message about the session. It becomes the last one.
    pub fn is_news(&self, message: &str) -> bool {
        let before = facts(&self.facts).said.replace(message.to_owned());
        before.as_deref() != Some(message)
    }
}

impl Stage {
    /// The connection over which it is open.
    pub fn connection(&self) -> Option<Arc<RuntimeConnection>> {
        facts(&self.0).connection.clone()
    }

    /// Whether it is open over this connection.
    pub fn is_open_over(&self, connection: &Arc<RuntimeConnection>) -> bool {
        facts(&self.0).connection.as_ref().is_some_and(|open| Arc::ptr_eq(open, connection))
    }

    /// Marks it as open. `restarted`: the runtime did not have it in its memory before.
    pub fn open(&mut self, connection: &Arc<RuntimeConnection>, restarted: bool) {
        let mut facts = facts(&self.0);
        facts.connection = Some(Arc::clone(connection));
        facts.restarted = restarted;
        facts.wanted = false;
        facts.said = None;
    }

    /// Marks it as closed.
    pub fn close(&mut self) {
        let mut facts = facts(&self.0);
        (facts.connection, facts.wanted) = (None, false);
    }
}

fn facts(of: &Mutex<Facts>) -> MutexGuard<'_, Facts> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
