//! The driven runtime: its sessions, their journals, and the connection to it where there is one.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::connection::RuntimeConnection;
use super::link::{RuntimeLink, SessionHandle};
use super::recorder::Recorder;
use super::secrets::Secrets;
use crate::health::Health;
use crate::journal::Facts;
use crate::journal::store::Store;
use crate::rpc::Fault;
use crate::sessions::Sessions;
use crate::sessions::session::Session;
use pilothouse_core::protocol::ErrorReason;

/// How many calls to the runtime may be without an answer at a time.
const MOST_CALLS: usize = 256;
/// How long a call waits for a connection that is being made.
const PATIENCE: Duration = Duration::from_secs(10);

/// The driven runtime.
pub struct Runtime {
    /// All sessions of the gateway, this runtime's among them.
    pub sessions: Sessions,
    /// Makes the journals.
    pub store: Arc<Store>,
    /// Writes the journals.
    pub recorder: Recorder,
    /// Limits the calls without an answer.
    pub calls: Arc<Semaphore>,
    /// The gateway's health.
    pub health: Health,
    /// The values to hide in what the runtime prints.
    pub secrets: Secrets,
    links: Mutex<HashMap<String, Arc<RuntimeLink>>>,
    state: watch::Sender<State>,
}

/// Whether it can be reached.
#[derive(Clone, Debug)]
pub enum State {
    /// The first connection is being made.
    Starting,
    /// There is a connection.
    Up(Arc<RuntimeConnection>),
    /// There is none.
    Down {
        /// Why.
        reason: String,
        /// Whether an attempt has failed since the last connection, if there ever was one.
        tried: bool,
    },
    /// The gateway ends.
    Ending,
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its sessions have it as their agent.
        f.debug_struct("Runtime").field("state", &*self.state.borrow()).finish_non_exhaustive()
    }
}

impl Runtime {
    /// A runtime that is being started.
    pub fn new(sessions: Sessions, store: Arc<Store>, recorder: Recorder, health: Health) -> Self {
        Self {
            sessions,
            store,
            recorder,
            calls: Arc::new(Semaphore::new(MOST_CALLS)),
            health,
            secrets: Secrets::of_environment(),
            links: Mutex::default(),
            state: watch::Sender::new(State::Starting),
        }
    }

    /// Its session with this id.
    pub fn find(&self, id: &str) -> Option<SessionHandle> {
        self.of(self.sessions.find(Some(id))?)
    }

    /// Its session with this id; the error where there is none.
    pub fn named(&self, id: &str) -> Result<SessionHandle, Fault> {
        self.find(id).ok_or_else(|| Fault::unknown_session(id))
    }

    /// All of its sessions.
    pub fn all(&self) -> Vec<SessionHandle> {
        self.sessions.all().into_iter().filter_map(|session| self.of(session)).collect()
    }

    /// The session with this id, which is added to the list if it is not there.
    pub fn adopt(self: &Arc<Self>, id: &str) -> SessionHandle {
        let session = self.sessions.adopt(id, || {
            self.links().insert(id.to_owned(), Arc::default());
            Session::new(id, Facts::default(), Arc::clone(self) as _, self.store.journal(id))
        });
        // A recording may have the same id. Nobody reaches the runtime's session by it then.
        let link = self.link(id).unwrap_or_default();
        SessionHandle { session, link }
    }

    /// Removes a session from the list.
    pub fn remove(&self, id: &str) {
        self.links().remove(id);
        self.sessions.remove(id);
    }

    /// What ties this session to the runtime; none if it is not one of its sessions.
    pub fn link(&self, id: &str) -> Option<Arc<RuntimeLink>> {
        self.links().get(id).cloned()
    }

    /// The connection; waits for one that is being made, but not once an attempt has failed.
    pub async fn connection(&self) -> Result<Arc<RuntimeConnection>, Fault> {
        let mut state = self.state.subscribe();
        let known = state.wait_for(|state| {
            matches!(state, State::Up(_) | State::Down { tried: true, .. } | State::Ending)
        });
        // After a timeout the caller gets the reason that is known by then.
        let _ = timeout(PATIENCE, known).await;
        let why = match &*self.state.borrow() {
            State::Up(connection) => return Ok(Arc::clone(connection)),
            State::Down { reason, .. } => reason.clone(),
            State::Starting => "it is being started".to_owned(),
            State::Ending => "the gateway ends".to_owned(),
        };
        Err(Fault::new(
            ErrorReason::RuntimeDown,
            format!("the runtime is not there ({why}); nothing was sent to it"),
        ))
    }

    /// Sets the state, unless the gateway is ending. Returns whether it goes on.
    pub fn move_to(&self, state: State) -> bool {
        self.state.send_if_modified(|now| {
            let goes_on = !matches!(now, State::Ending);
            if goes_on {
                *now = state;
            }
            goes_on
        })
    }

    /// The gateway ends. Returns the state before.
    pub fn end(&self) -> State {
        self.state.send_replace(State::Ending)
    }

    /// Whether the gateway ends.
    pub fn is_ending(&self) -> bool {
        matches!(*self.state.borrow(), State::Ending)
    }

    fn of(&self, session: Arc<Session>) -> Option<SessionHandle> {
        let link = self.link(&session.id)?;
        Some(SessionHandle { session, link })
    }

    fn links(&self) -> MutexGuard<'_, HashMap<String, Arc<RuntimeLink>>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
