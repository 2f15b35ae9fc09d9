//! The sessions that the gateway shows: finds them, makes the list of them, and finds out which session a call is about and has
//! its agent carry the call out. Subscriptions are in `http::socket`.

pub mod agent;
pub mod board;
pub mod machines;
pub mod own_event;
pub mod session;
pub mod summary;
pub mod traffic;
pub mod watchers;

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::health::Report;
use crate::metrics::Metrics;
use crate::rpc::{Call, Fault};
use agent::{Agent, Presence};
use machines::Machines;
use pilothouse_core::protocol::ErrorReason;
use session::Session;

/// Methods that make, reopen and close sessions, or are about none.
const MANAGES: [&str; 10] = [
    "pilothouse.create",
    "session.create",
    "pilothouse.resume",
    "session.resume",
    "pilothouse.close",
    "pilothouse.delete",
    "pilothouse.discover",
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
    agents: RwLock<Vec<(String, Arc<dyn Agent>)>>,
    machines: OnceLock<Arc<dyn Machines>>,
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

    /// Adds an agent that makes sessions, under its name. The first one makes them where nobody says which.
    pub fn add_agent(&self, name: &str, agent: Arc<dyn Agent>) {
        self.0.agents.write().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), agent));
    }

    /// The first agent that makes sessions, where there is one.
    pub fn agent(&self) -> Option<Arc<dyn Agent>> {
        self.agent_named(None)
    }

    /// The names of the agents that make sessions, the first of them first.
    pub fn agent_names(&self) -> Vec<String> {
        let agents = self.0.agents.read().unwrap_or_else(PoisonError::into_inner);
        agents.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The agent of this name; the first one without a name.
    fn agent_named(&self, name: Option<&str>) -> Option<Arc<dyn Agent>> {
        let agents = self.0.agents.read().unwrap_or_else(PoisonError::into_inner);
        let found = agents.iter().find(|(own, _)| name.is_none_or(|name| name == own));
        found.map(|(_, agent)| Arc::clone(agent))
    }

    /// Sets the machines of the cluster.
    pub fn set_machines(&self, machines: Arc<dyn Machines>) {
        let _ = self.0.machines.set(machines); // a gateway is in one cluster
    }

    /// The machines of the cluster, if the gateway is in one.
    pub fn machines(&self) -> Option<&Arc<dyn Machines>> {
        self.0.machines.get()
    }

    /// The gateway's health; none without such an agent and without a cluster.
    pub fn health(&self) -> Option<watch::Receiver<Report>> {
        match self.agent() {
            Some(agent) => agent.health(),
            None => self.machines().map(|machines| machines.health()),
        }
    }

    /// What the gateway counts.
    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Whether the page has to show more than one session.
    pub fn needs_board(&self) -> bool {
        self.agent().is_some()
            || self.machines().is_some()
            || self.0.list.read().unwrap_or_else(PoisonError::into_inner).len() > 1
    }

    /// What the board may offer besides watching and answering.
    pub fn capabilities(&self) -> &'static [&'static str] {
        let others_create = || self.machines().is_some_and(|machines| !machines.creating().is_empty());
        if self.agent().is_some() || others_create() { &["create", "resume", "close"] } else { &[] }
    }

    /// The list for `GET /api/sessions`. Reducing a long log takes its time, so it runs on a blocking thread.
    pub async fn summaries(&self) -> Value {
        let sessions = self.all();
        let reduced = sessions.clone();
        let all = move || reduced.iter().map(|session| session.summary()).collect::<Vec<_>>();
        let mut rows = tokio::task::spawn_blocking(all).await.unwrap_or_default();
        if let Some(machines) = self.machines() {
            let own = rows.iter_mut().filter(|row| row.get("machine").is_none());
            own.for_each(|row| row["machine"] = machines.name().into());
        }
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
        if MANAGES.contains(&method)
            && let Some(machines) = self.machines()
        {
            let about = call.params["sessionId"].as_str().and_then(|id| self.find(Some(id)));
            if let Some(session) = about.filter(|session| session.is_remote()) {
                return Arc::clone(&session.agent).call(&session.id, call).await;
            }
            if let Some(machine) = self.machine_for(machines, call)? {
                return Arc::clone(machines).call(&machine, &without_machine(call)).await;
            }
        }
        let call = without_machine(call);
        if method == "pilothouse.discover" && call.params["agent"].is_null() && self.agent().is_some() {
            return Ok(self.discover(&call).await.to_string());
        }
        let (agent, call) = self.agent_for(&call)?;
        let call = &call;
        match (agent, method) {
            (Some(agent), "pilothouse.discover") => {
                let row = agent.manage(call).await?;
                return Ok(format!(r#"{{"agents":[{row}]}}"#));
            }
            (Some(agent), _) if MANAGES.contains(&method) => return agent.manage(call).await,
            // A recording refuses the runtime's own names itself, with its own message.
            (None, _) if MANAGES.contains(&method) && !method.starts_with("session.") => {
                let message =
                    format!("{method}: there is no runtime here; start the gateway with --copilot or --acp");
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
            (_, "pilothouse.agent") => {}
            _ if method.starts_with("session.") || method.starts_with("pilothouse.backlog") => {}
            _ => return Err(Fault::new(ErrorReason::MethodNotFound, format!("no method \"{method}\" here"))),
        }
        let session = self.session_of(call, here)?;
        Arc::clone(&session.agent).call(&session.id, call).await
    }

    /// Asks every agent for its sessions. One that can't answer does not keep the others from it.
    async fn discover(&self, call: &Call) -> Value {
        let agents = self.0.agents.read().unwrap_or_else(PoisonError::into_inner).clone();
        let asked = agents.into_iter().map(async |(name, agent)| match agent.manage(call).await {
            Ok(found) => serde_json::from_str(&found).unwrap_or_default(),
            Err(fault) => json!({"agent": name, "error": fault.message}),
        });
        json!({"agents": join_all(asked).await})
    }

    /// The agent that is to carry out a call which makes, reopens or closes sessions, and the call as it takes it: the one that is
    /// named, else the one whose session it is, else the first.
    fn agent_for(&self, call: &Call) -> Result<(Option<Arc<dyn Agent>>, Call), Fault> {
        let method = call.method.as_str();
        if !MANAGES.contains(&method) {
            return Ok((None, call.clone()));
        }
        let first = self.agent();
        if method.ends_with("create") || matches!(method, "models.list" | "pilothouse.discover") {
            // The runtime's own `session.create` has a parameter of the same name, for its custom agents.
            let Some(name) = call.params["agent"].as_str() else { return Ok((first, call.clone())) };
            if let Some(agent) = self.agent_named(Some(name)) {
                return Ok((Some(agent), without(call, "agent")));
            }
            let names = self.agent_names();
            if method == "session.create" || names.len() < 2 && names.iter().all(|name| name == "copilot") {
                return Ok((first, call.clone()));
            }
            let words =
                format!("{method}: there is no agent \"{name}\" here; there are {}", names.join(", "));
            return Err(Fault::new(ErrorReason::InvalidParams, words));
        }
        let own = call.params["sessionId"].as_str().and_then(|id| self.find(Some(id)));
        let own = own.filter(|session| session.agent.presence(&session.id) != Presence::Recording);
        Ok((own.map(|session| Arc::clone(&session.agent)).or(first), call.clone()))
    }

    /// The other machine that is to carry out a call which is about no session there is; none if this one is to.
    fn machine_for(&self, machines: &Arc<dyn Machines>, call: &Call) -> Result<Option<String>, Fault> {
        let Call { method, params, .. } = call;
        match params["machine"].as_str() {
            Some(name) if name == machines.name() => return Ok(None),
            Some(name) => return Ok(Some(name.to_owned())),
            None if self.agent().is_some()
                || params["sessionId"].is_string() && !method.ends_with("create") =>
            {
                return Ok(None);
            }
            None => {}
        }
        let others = machines.creating();
        match others.as_slice() {
            [only] => Ok(Some(only.clone())),
            [] => {
                let message = format!("{method}: no machine of the cluster drives an agent now");
                Err(Fault::new(ErrorReason::RuntimeDown, message))
            }
            _ => {
                let message = format!("{method}: say on which machine: {}", others.join(", "));
                Err(Fault::new(ErrorReason::InvalidParams, message))
            }
        }
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

/// The call without the machine that is to carry it out, which the agent there does not know.
fn without_machine(call: &Call) -> Call {
    if MANAGES.contains(&call.method.as_str()) { without(call, "machine") } else { call.clone() }
}

/// The call without this parameter.
fn without(call: &Call, name: &str) -> Call {
    let mut call = call.clone();
    if call.params.as_object_mut().is_some_and(|params| params.remove(name).is_some()) {
        call.raw = Some(call.params.to_string());
    }
    call
}
