//! The sessions that the gateway shows: finds them, makes the list of them, and finds out which session a call is about and has
//! its agent carry the call out. Subscriptions are in `http::socket`.

pub mod agent;
pub mod board;
pub mod own_event;
pub mod session;
pub mod summary;
pub mod traffic;
pub mod watchers;

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use serde_json::Value;
use tokio::sync::watch;

use crate::health::Report;
use crate::metrics::Metrics;
use crate::rpc::{Call, Fault};
use agent::{Agent, Presence};
use pilothouse_core::protocol::ErrorReason;
use session::Session;

/// Methods that make, reopen and close sessions, or are about none.
const MANAGES: [&str; 8] = [
    "pilothouse.create",
    "session.create",
    "pilothouse.resume",
    "session.resume",
    "pilothouse.close",
    "session.detach",
    "session.destroy",
    "models.list",
];

/// All sessions: recordings in the order in which they were named, then the runtime's.
#[derive(Clone, Debug, Default)]
pub struct Sessions(Arc<SessionList>);

#[derive(Debug, Default)]
struct SessionList {
    list: RwLock<Vec<Arc<Session>>>,
    changes: watch::Sender<u64>,
    agent: OnceLock<Arc<dyn Agent>>,
    metrics: Metrics,
}

impl Sessions {
    /// A list of these sessions.
    pub fn new(sessions: Vec<Arc<Session>>) -> Self {
        Self(Arc::new(SessionList { list: RwLock::new(sessions), ..SessionList::default() }))
    }

    /// The session with this id; without an id the first one: stored ones come after all others.
    pub fn find(&self, id: Option<&str>) -> Option<Arc<Session>> {
        let Some(id) = id else {
            return self.all().into_iter().next();
        };
        let list = self.0.list.read().unwrap_or_else(PoisonError::into_inner);
        list.iter().find(|session| session.id == id).cloned()
    }

    /// All sessions: recordings, open ones, then stored ones, the newest first.
    pub fn all(&self) -> Vec<Arc<Session>> {
        let mut all = self.0.list.read().unwrap_or_else(PoisonError::into_inner).clone();
        all.sort_by_cached_key(|session| {
            let stored = session.agent.presence(&session.id) == Presence::Stored;
            let modified = stored.then(|| session.last_modified());
            (stored, std::cmp::Reverse(modified))
        });
        all
    }

    /// The session with this id. If there is none, one is made and added to the list.
    pub fn adopt(&self, id: &str, make: impl FnOnce() -> Session) -> Arc<Session> {
        let mut list = self.0.list.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = list.iter().find(|session| session.id == id) {
            return Arc::clone(session);
        }
        let session = Arc::new(make());
        list.push(Arc::clone(&session));
        drop(list);
        self.notify_changed();
        session
    }

    /// Removes it from the list.
    pub fn remove(&self, id: &str) {
        self.0.list.write().unwrap_or_else(PoisonError::into_inner).retain(|session| session.id != id);
        self.notify_changed();
    }

    /// Notifies that the list has changed.
    pub fn notify_changed(&self) {
        self.0.changes.send_modify(|count| *count += 1);
    }

    /// Notifies of changes of the list.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    /// Sets the agent that makes sessions.
    pub fn set_agent(&self, agent: Arc<dyn Agent>) {
        let _ = self.0.agent.set(agent); // a gateway has only one
    }

    /// The agent that makes sessions, where there is one.
    pub fn agent(&self) -> Option<&Arc<dyn Agent>> {
        self.0.agent.get()
    }

    /// The gateway's health; none without such an agent.
    pub fn health(&self) -> Option<watch::Receiver<Report>> {
        self.agent()?.health()
    }

    /// What the gateway counts.
    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Whether the page has to show more than one session.
    pub fn needs_board(&self) -> bool {
        self.agent().is_some() || self.0.list.read().unwrap_or_else(PoisonError::into_inner).len() > 1
    }

    /// What the board may offer besides watching and answering.
    pub fn capabilities(&self) -> &'static [&'static str] {
        if self.agent().is_some() { &["create", "resume", "close"] } else { &[] }
    }

    /// The list for `GET /api/sessions`. Reducing a long log takes its time, so it runs on a blocking thread.
    pub async fn summaries(&self) -> Value {
        let sessions = self.all();
        let reduced = sessions.clone();
        let all = move || reduced.iter().map(|session| session.summary()).collect::<Vec<_>>();
        let rows = tokio::task::spawn_blocking(all).await.unwrap_or_default();
        for session in sessions.into_iter().filter(|session| session.take_stop()) {
            tokio::spawn(session.list_permissions_after_stop());
        }
        Value::Array(rows)
    }

    /// Serves one call and gives its result, as JSON text.
    ///
    /// `here` is the session in the address (`POST /api/sessions/{id}/rpc`); without it the parameters must name
    /// the session.
    pub async fn call(&self, call: &Call, here: Option<&Arc<Session>>) -> Result<String, Fault> {
        let method = call.method.as_str();
        match (self.agent(), method) {
            (Some(agent), _) if MANAGES.contains(&method) => return Arc::clone(agent).manage(call).await,
            // A recording refuses the runtime's own names itself, with its own message.
            (None, _) if MANAGES.contains(&method) && !method.starts_with("session.") => {
                let message = format!("{method}: there is no runtime here; start the gateway with --copilot");
                return Err(Fault::new(ErrorReason::MethodNotFound, message));
            }
            (_, "pilothouse.ping") => return Ok("{}".to_owned()),
            (_, "pilothouse.sessions") => return Ok(self.summaries().await.to_string()),
            (
                _,
                "pilothouse.subscribe" | "pilothouse.unsubscribe" | "pilothouse.board" | "pilothouse.visible",
            ) => {
                return Err(Fault::new(
                    ErrorReason::MethodNotFound,
                    format!("{method} works over the WebSocket at /api/rpc only"),
                ));
            }
            _ if method.starts_with("session.") || method.starts_with("pilothouse.backlog") => {}
            _ => return Err(Fault::new(ErrorReason::MethodNotFound, format!("no method \"{method}\" here"))),
        }
        let session = self.session_of(call, here)?;
        Arc::clone(&session.agent).call(&session.id, call).await
    }

    /// The session that a call is about.
    pub fn session_of(&self, call: &Call, here: Option<&Arc<Session>>) -> Result<Arc<Session>, Fault> {
        let named = call.params["sessionId"].as_str();
        match (here, named) {
            (Some(here), None) => Ok(Arc::clone(here)),
            (Some(here), Some(named)) if here.id == named => Ok(Arc::clone(here)),
            (Some(here), Some(named)) => Err(Fault::new(
                ErrorReason::InvalidParams,
                format!("sessionId is \"{named}\", but this is the address of session \"{}\"", here.id),
            )),
            (None, Some(named)) => self.find(Some(named)).ok_or_else(|| Fault::unknown_session(named)),
            (None, None) => {
                Err(Fault::new(ErrorReason::InvalidParams, format!("{}: sessionId is missing", call.method)))
            }
        }
    }
}
