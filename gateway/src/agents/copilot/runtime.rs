//! The driven runtime: the connection to it, where there is one, and its sessions, which it makes, resumes with their history,
//! and closes.
//!
//! A resume loses nothing and doubles nothing. From before it on, the recorder holds back what the runtime
//! sends. Then the runtime's event log is read from its beginning: events that the journal lacks (by event
//! id) are added, and after them what was held back. The log has all that happened while this gateway was
//! away; if the runtime went on running, also the events that history does not keep.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use pilothouse_core::protocol::{ErrorReason, EventKind};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use uuid::Uuid;

use super::connection::{Failure, RuntimeConnection};
use super::link::{RuntimeLink, SessionHandle, Stage};
use super::pending_work;
use super::receive::{Occasion, ask_for_queue};
use crate::agents::notice::{DueCommand, Notice};
use crate::agents::queue::Queue;
use crate::agents::recorder::{Recorder, RecorderCommand};
use crate::agents::secrets::Secrets;
use crate::health::Health;
use crate::journal::store::Store;
use crate::journal::{Facts, event_kind, files};
use crate::rpc::Fault;
use crate::sessions::Sessions;
use crate::sessions::session::Session;

/// How many calls to the runtime may be without an answer at a time.
const MOST_CALLS: usize = 256;
/// How long a call waits for a connection that is being made.
const PATIENCE: Duration = Duration::from_secs(10);
/// Events and questions that the runtime sends only if a client has registered interest in them.
const INTERESTS: [EventKind; 8] = [
    EventKind::CommandQueued,
    EventKind::McpOauthRequired,
    EventKind::SamplingRequested,
    EventKind::AutoModeSwitchRequested,
    EventKind::SessionLimitsExhaustedRequested,
    EventKind::UserInputRequested,
    EventKind::ElicitationRequested,
    EventKind::ExitPlanModeRequested,
];
/// The parameters that are kept on disk, to resume a session with (or to make it again) after the gateway was restarted. Those that
/// may hold secrets (providers, tokens, environments of servers) are kept in memory only.
const STORED_SETTINGS: [&str; 12] = [
    "workingDirectory",
    "model",
    "reasoningEffort",
    "mode",
    "tools",
    "commands",
    "availableTools",
    "excludedTools",
    "systemMessage",
    "agent",
    "skillDirectories",
    "disabledSkills",
];
/// Parameters that are not used for a resume: the session knows these better by then.
const ONLY_AT_FIRST: [&str; 3] = ["model", "reasoningEffort", "mode"];
const PAGE: usize = 1000;
/// How long a new session waits for the list of models, which the runtime gets from elsewhere.
const LONGEST_WAIT_FOR_MODELS: Duration = Duration::from_secs(5);

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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HistoryPage<'a> {
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
    cursor: String,
    #[serde(default)]
    has_more: bool,
}

/// Makes a session, whether or not the client stays. The result is the runtime's own, as JSON text.
pub async fn create(runtime: &Arc<Runtime>, params: &Value) -> Result<String, Fault> {
    let (runtime, params) = (Arc::clone(runtime), params.clone());
    let made = tokio::spawn(async move { create_now(&runtime, &params).await });
    made.await.unwrap_or_else(|_| Err(Failure::Ended.fault("session.create")))
}

async fn create_now(runtime: &Arc<Runtime>, params: &Value) -> Result<String, Fault> {
    let given = params.as_object().cloned().unwrap_or_default();
    let id = match given.get("sessionId") {
        None | Some(Value::Null) => Uuid::new_v4().to_string(),
        Some(Value::String(id)) if files::is_name(id) => id.clone(),
        Some(_) => {
            let rule = "sessionId must be up to 128 letters, digits, '-', '_' or '.'";
            return Err(Fault::new(ErrorReason::InvalidParams, rule));
        }
    };
    if runtime.sessions.find(Some(&id)).is_some() {
        return Err(Fault::new(ErrorReason::InvalidParams, format!("there is a session \"{id}\" already")));
    }
    let connection = runtime.connection().await?;
    check_model(&connection, &given).await?;
    let SessionHandle { link, session } = runtime.adopt(&id);
    runtime.recorder.join_cluster(&runtime.store, &session, true).await;
    let mut stage = link.stage.lock().await;
    let mut all = new_session_params(&id);
    runtime.secrets.add_all(params);
    all.extend(given.clone());
    all.insert("sessionId".to_owned(), id.as_str().into());
    match make(runtime, &connection, &mut stage, &id, all).await {
        Ok(result) => {
            remember(runtime, &link, &id, given);
            Ok(result)
        }
        Err(fault) => {
            runtime.remove(&id);
            Err(fault)
        }
    }
}

async fn make(
    runtime: &Runtime,
    connection: &Arc<RuntimeConnection>,
    stage: &mut Stage,
    id: &str,
    params: Map<String, Value>,
) -> Result<String, Fault> {
    let made = connection.call("session.create", &Value::Object(params).to_string()).await;
    let result = made.map_err(|failure| failure.fault("session.create"))?;
    register_interests(connection, id).await;
    stage.open(connection, false);
    runtime.sessions.notify_changed();
    Ok(result)
}

/// Same as `open`, for somebody who sends a message. A session in which the agent has not spoken, and that the
/// runtime does not have, is made again with the same settings: the runtime ended before it wrote the session down.
pub async fn open_to_send(
    runtime: &Arc<Runtime>,
    handle: &SessionHandle,
) -> Result<Arc<RuntimeConnection>, Fault> {
    let refused = match open(runtime, handle).await {
        Err(fault) if fault.raw.is_some() && !has_spoken(&handle.session) => fault,
        opened => return opened,
    };
    let id = &handle.session.id;
    let connection = runtime.connection().await?;
    let mut stage = handle.link.stage.lock().await;
    if stage.is_open_over(&connection) {
        return Ok(connection); // somebody else has made it
    }
    if is_stored(&connection, id).await {
        return Err(refused);
    }
    let mut all = new_session_params(id);
    all.extend(runtime.recorder.load(id).await);
    all.extend(handle.link.settings());
    // What the runtime says about the resume is what people need to know.
    make(runtime, &connection, &mut stage, id, all).await.map_err(|_| refused)?;
    Ok(connection)
}

/// The connection over which this session is open. Resumes the session if it is not open.
pub async fn open(runtime: &Arc<Runtime>, handle: &SessionHandle) -> Result<Arc<RuntimeConnection>, Fault> {
    open_with(runtime, handle, Map::new()).await
}

/// Same as `open`, with parameters for the runtime's `session.resume`. What has begun is done whether or not the
/// client stays: the recorder would hold back the events of a session that is resumed by half.
pub async fn open_with(
    runtime: &Arc<Runtime>,
    handle: &SessionHandle,
    given: Map<String, Value>,
) -> Result<Arc<RuntimeConnection>, Fault> {
    let (runtime, handle) = (Arc::clone(runtime), handle.clone());
    let opened = tokio::spawn(async move { open_now(&runtime, &handle, given).await });
    opened.await.unwrap_or_else(|_| Err(Failure::Ended.fault("session.resume")))
}

async fn open_now(
    runtime: &Runtime,
    SessionHandle { session, link }: &SessionHandle,
    given: Map<String, Value>,
) -> Result<Arc<RuntimeConnection>, Fault> {
    let recorder = &runtime.recorder;
    let connection = runtime.connection().await?;
    let mut stage = link.stage.lock().await;
    if stage.is_open_over(&connection) && given.is_empty() {
        return Ok(connection);
    }
    let stored = recorder.load(&session.id).await;
    recorder.join_cluster(&runtime.store, session, false).await;
    let unanswered = if stage.is_open_over(&connection) { Vec::new() } else { link.backlog.unanswered() };
    let mut all = defaults(&session.id);
    // Before the first call: events that come meanwhile belong behind those that were missed.
    recorder.send(RecorderCommand::Hold(session.id.clone()));
    let restarted = !pending_work::is_in_memory(&connection, &session.id).await;
    // A runtime that has the session in its memory is working on it, and repeats nothing.
    let goes_on = !restarted || !pending_work::was_interrupted(&connection, recorder, session).await;
    all.insert("continuePendingWork".to_owned(), goes_on.into());
    let later = |(name, _): &(String, Value)| !ONLY_AT_FIRST.contains(&name.as_str());
    all.extend(stored.into_iter().chain(link.settings()).filter(later));
    runtime.secrets.add_all(&Value::Object(given.clone()));
    all.extend(given.clone());
    let resumed = connection.call("session.resume", &Value::Object(all).to_string()).await;
    if let Err(failure) = resumed {
        resume_without_history(recorder, &connection, &session.id);
        if matches!(failure, Failure::Refused(_)) {
            drop_queue(recorder, &session.id).await;
            if !has_spoken(session) && !is_stored(&connection, &session.id).await {
                link.backlog.offer_unwritten(session.journal.position().length);
                recorder.save_backlog(&session.id).await;
            }
        }
        let fault = failure.fault("session.resume");
        report_once(recorder, link, session, &fault);
        return Err(fault);
    }
    register_interests(&connection, &session.id).await;
    match history(&connection, &session.id).await {
        Some(events) => recorder.merge(&session.id, events).await,
        None => resume_without_history(recorder, &connection, &session.id),
    }
    remember(runtime, link, &session.id, given);
    ask_for_queue(&connection, recorder, &session.id, Occasion::resume(restarted)).await;
    if !restarted {
        mark_commands_unsure(recorder, &session.id, link, unanswered).await;
    }
    stage.open(&connection, restarted);
    runtime.sessions.notify_changed();
    Ok(connection)
}

/// The session is open over another connection, and the runtime has gone on. Of these commands nobody can say whether
/// they were run, so their requests are left to a person.
async fn mark_commands_unsure(
    recorder: &Recorder,
    id: &str,
    link: &RuntimeLink,
    commands: Vec<(String, String)>,
) {
    for (request_id, command) in commands {
        if link.backlog.mark_unsure(&request_id) {
            recorder.save_backlog(id).await;
            let due = DueCommand { session_id: id.to_owned(), request_id, command };
            recorder.send(RecorderCommand::OwnEvent(id.to_owned(), due.unsure().event()));
        }
    }
}

/// The history before the events that are held back can't be had: the runtime refuses, or the connection has ended.
fn resume_without_history(recorder: &Recorder, connection: &RuntimeConnection, id: &str) {
    let id = id.to_owned();
    recorder.send(if connection.is_over() {
        RecorderCommand::Discard(id)
    } else {
        RecorderCommand::Release(id)
    });
}

/// Ends a session in the runtime, which keeps it stored, whether or not the client stays.
pub async fn close(runtime: &Arc<Runtime>, handle: SessionHandle) -> Result<String, Fault> {
    let runtime = Arc::clone(runtime);
    let closed = tokio::spawn(async move { close_now(&runtime, &handle).await });
    closed.await.unwrap_or_else(|_| Err(Failure::Ended.fault("session.destroy")))
}

async fn close_now(
    runtime: &Runtime,
    SessionHandle { session, link }: &SessionHandle,
) -> Result<String, Fault> {
    let mut stage = link.stage.lock().await;
    let open = match stage.connection() {
        // A runtime that listens still has the session when a connection to it has ended, with its queue.
        Some(connection) if connection.is_over() => {
            let connection = runtime.connection().await?;
            pending_work::is_in_memory(&connection, &session.id).await.then_some(connection)
        }
        open => open,
    };
    let result = match open {
        Some(connection) => {
            let params = json!({"sessionId": session.id}).to_string();
            let closed = connection.call("session.destroy", &params).await;
            closed.map_err(|failure| failure.fault("session.destroy"))?
        }
        None => json!({"success": true}).to_string(),
    };
    stage.close();
    drop_queue(&runtime.recorder, &session.id).await;
    runtime.sessions.notify_changed();
    Ok(result)
}

/// The runtime has no queue for this session any more, so the messages that waited in it were dropped.
async fn drop_queue(recorder: &Recorder, id: &str) {
    let waiting = recorder.waiting_ids(id).await;
    recorder.compare_backlog(id, waiting, Queue::default()).await;
}

/// Returns when this session has something to show: its journal, or else its history. If there is a journal, the
/// session is resumed in the background.
pub async fn ready(runtime: &Arc<Runtime>, handle: SessionHandle) {
    runtime.recorder.load(&handle.session.id).await;
    runtime.recorder.join_cluster(&runtime.store, &handle.session, false).await;
    if handle.session.journal.position().length == 0 {
        open_for_reader(runtime, &handle).await;
    } else if !handle.link.is_open() {
        let runtime = Arc::clone(runtime);
        tokio::spawn(async move { open_for_reader(&runtime, &handle).await });
    }
}

/// Opens a session for somebody who only reads. If that fails, the session just has no new events; the
/// reason is reported when somebody gives an order. If the runtime is down, the session is opened once it
/// is up.
async fn open_for_reader(runtime: &Arc<Runtime>, handle: &SessionHandle) {
    if let Err(Fault { reason: ErrorReason::RuntimeDown, .. }) = open(runtime, handle).await {
        handle.link.want();
    }
}

fn remember(runtime: &Runtime, link: &RuntimeLink, id: &str, mut given: Map<String, Value>) {
    given.remove("sessionId");
    if given.is_empty() {
        return;
    }
    let settings = link.add_settings(given);
    let stored = settings.into_iter().filter(|(name, _)| STORED_SETTINGS.contains(&name.as_str()));
    runtime.recorder.send(RecorderCommand::Settings(id.to_owned(), stored.collect()));
}

fn report_once(recorder: &Recorder, link: &RuntimeLink, session: &Session, fault: &Fault) {
    let message = format!("This session can't be resumed: {}", fault.message);
    if link.is_news(&message) && session.journal.position().length > 0 {
        let notice =
            Notice { event_type: EventKind::SessionError, kind: "resume_failed", message, facts: Vec::new() };
        recorder.send(RecorderCommand::OwnEvent(session.id.clone(), notice.event()));
    }
}

/// Whether the agent has said anything in this session, as far as is known here.
fn has_spoken(session: &Session) -> bool {
    let entries = session.journal.left_after(0);
    let is_message = |raw: &str| {
        let kind = EventKind::AssistantMessage;
        raw.contains(kind.name()) && event_kind(raw) == kind
    };
    entries.iter().any(|(_, entry)| is_message(&entry.raw))
}

fn defaults(id: &str) -> Map<String, Value> {
    let all = json!({
        "sessionId": id,
        "clientName": "pilothouse",
        "streaming": true,
        "includeSubAgentStreamingEvents": true,
        "requestPermission": true,
        "requestUserInput": true,
        "requestElicitation": true,
        "requestExitPlanMode": true,
        "requestAutoModeSwitch": true,
        "envValueMode": "direct",
        // Without it rewinding takes back what was said, but never what was done to files.
        "enableFileChangeTracking": true,
    });
    if let Value::Object(all) = all { all } else { Map::new() }
}

/// The parameters that every new session has.
fn new_session_params(id: &str) -> Map<String, Value> {
    let mut all = defaults(id);
    if let Ok(here) = std::env::current_dir() {
        all.insert("workingDirectory".to_owned(), here.to_string_lossy().into());
    }
    all
}

/// Whether the runtime has written this session down. One that can't say counts as having it.
async fn is_stored(connection: &RuntimeConnection, id: &str) -> bool {
    let list = connection.call("session.list", "{}").await.ok();
    let list = list.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let sessions = list.as_ref().and_then(|list| list["sessions"].as_array());
    sessions.is_none_or(|sessions| sessions.iter().any(|session| session["sessionId"] == id))
}

/// Rejects a model that the runtime's own list lacks: the runtime accepts any name, shows it, and answers
/// with another model. Nothing is checked if there is no list, or if the caller brings a provider.
async fn check_model(connection: &RuntimeConnection, given: &Map<String, Value>) -> Result<(), Fault> {
    let Some(model) = given.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) else {
        return Ok(());
    };
    if model == "auto" || ["provider", "providers"].iter().any(|own| given.contains_key(*own)) {
        return Ok(());
    }
    // The session may use another account, which has other models.
    let params = given.get("gitHubToken").map_or_else(|| json!({}), |token| json!({"gitHubToken": token}));
    let params = params.to_string();
    let answer = timeout(LONGEST_WAIT_FOR_MODELS, connection.call("models.list", &params)).await;
    let list = answer.ok().and_then(Result::ok).and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let models = list.as_ref().and_then(|list| list["models"].as_array());
    let ids: Vec<&str> = models.into_iter().flatten().filter_map(|model| model["id"].as_str()).collect();
    if ids.is_empty() || ids.contains(&model) {
        return Ok(());
    }
    let words = format!("there is no model \"{model}\" here; there are {}", ids.join(", "));
    Err(Fault::new(ErrorReason::InvalidParams, words))
}

/// Registers interest in all of `INTERESTS`. An older runtime knows fewer of them, so errors are ignored.
async fn register_interests(connection: &RuntimeConnection, id: &str) {
    let params = INTERESTS.map(|kind| json!({"sessionId": id, "eventType": kind.name()}).to_string());
    join_all(params.iter().map(|params| connection.call("session.eventLog.registerInterest", params))).await;
}

/// The runtime's log of this session, from its beginning, each event as it came; none if a read fails.
async fn history(connection: &RuntimeConnection, id: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut params = json!({"sessionId": id, "max": PAGE, "waitMs": 0, "includeEphemeral": true});
        if !cursor.is_null() {
            params["cursor"] = cursor.clone();
        }
        let result = connection.call("session.eventLog.read", &params.to_string()).await.ok()?;
        let page = serde_json::from_str::<HistoryPage<'_>>(&result).ok()?;
        all.extend(page.events.iter().map(|event| event.get().to_owned()));
        let next = Value::from(page.cursor);
        if !page.has_more || next == cursor {
            return Some(all);
        }
        cursor = next;
    }
}
