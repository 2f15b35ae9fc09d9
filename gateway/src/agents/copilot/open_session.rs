//! Makes sessions of the runtime, resumes them with their history, and closes them.
//!
//! A resume loses nothing and doubles nothing. From before it on, the recorder holds back what the runtime
//! sends. Then the runtime's event log is read from its beginning: events that the journal lacks (by event
//! id) are added, and after them what was held back. The log has all that happened while this gateway was
//! away; if the runtime went on running, also the events that history does not keep.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use pilothouse_core::protocol::EventKind;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::delivery::{self, Occasion};
use super::link::{RuntimeLink, Stage};
use super::message;
use super::pending_work;
use super::queue::Queue;
use super::queued_commands::Due;
use crate::agents::copilot::connection::{Failure, RuntimeConnection};
use crate::agents::copilot::recorder::{Item, Notice};
use crate::agents::copilot::supervisor::Live;
use crate::journal::log;
use crate::rpc::{Fault, INVALID_PARAMS, RUNTIME_DOWN, RUNTIME_ERROR, UNKNOWN_OUTCOME};
use crate::sessions::session::Session;

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
const KEPT: [&str; 12] = [
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
const MODELS_TAKE: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
    cursor: String,
    #[serde(default)]
    has_more: bool,
}

impl Live {
    /// Makes a session, whether or not the client stays. The result is the runtime's own, as JSON text.
    pub async fn create(&self, params: &Value) -> Result<String, Fault> {
        let (live, params) = (self.clone(), params.clone());
        let made = tokio::spawn(async move { live.create_now(&params).await });
        made.await.unwrap_or_else(|_| Err(fault("session.create", Failure::Ended)))
    }

    async fn create_now(&self, params: &Value) -> Result<String, Fault> {
        let given = params.as_object().cloned().unwrap_or_default();
        let id = match given.get("sessionId") {
            None | Some(Value::Null) => super::fresh_id(),
            Some(Value::String(id)) if log::is_name(id) => id.clone(),
            Some(_) => {
                let rule = "sessionId must be up to 128 letters, digits, '-', '_' or '.'";
                return Err(Fault::new(INVALID_PARAMS, rule));
            }
        };
        if self.sessions().find(Some(&id)).is_some() {
            return Err(Fault::new(INVALID_PARAMS, format!("there is a session \"{id}\" already")));
        }
        let connection = self.connection().await?;
        known_model(&connection, &given).await?;
        let session = self.adopt(&id);
        let Some(runtime_link) = session.runtime_link() else {
            return Err(Fault::unknown_session(&id));
        };
        let mut stage = runtime_link.stage.lock().await;
        let mut all = new_session_params(&id);
        self.secrets().learn(params);
        all.extend(given.clone());
        all.insert("sessionId".to_owned(), id.as_str().into());
        match self.make(&connection, &mut stage, &id, all).await {
            Ok(result) => {
                self.remember(runtime_link, &id, given);
                Ok(result)
            }
            Err(fault) => {
                self.sessions().remove(&id);
                Err(fault)
            }
        }
    }

    async fn make(
        &self,
        connection: &Arc<RuntimeConnection>,
        stage: &mut Stage,
        id: &str,
        params: Map<String, Value>,
    ) -> Result<String, Fault> {
        let made = connection.call("session.create", &Value::Object(params).to_string()).await;
        let result = made.map_err(|failure| fault("session.create", failure))?;
        interests(connection, id).await;
        stage.open(connection, false);
        self.sessions().touch();
        Ok(result)
    }

    /// Same as `open`, for somebody who sends a message. A session in which the agent has not spoken, and that the
    /// runtime does not have, is made again with the same settings: the runtime ended before it wrote the session down.
    pub async fn open_to_send(&self, session: &Arc<Session>) -> Result<Arc<RuntimeConnection>, Fault> {
        let refused = match self.open(session).await {
            Err(fault) if fault.raw.is_some() && !has_spoken(session) => fault,
            opened => return opened,
        };
        let Some(runtime_link) = session.runtime_link() else { return Err(refused) };
        let connection = self.connection().await?;
        let mut stage = runtime_link.stage.lock().await;
        if stage.is_open_over(&connection) {
            return Ok(connection); // somebody else has made it
        }
        if is_stored(&connection, &session.id).await {
            return Err(refused);
        }
        let mut all = new_session_params(&session.id);
        all.extend(self.recorder().load(&session.id).await);
        all.extend(runtime_link.settings());
        // What the runtime says about the resume is what people need to know.
        self.make(&connection, &mut stage, &session.id, all).await.map_err(|_| refused)?;
        Ok(connection)
    }

    /// The connection over which this session is open. Resumes the session if it is not open.
    pub async fn open(&self, session: &Arc<Session>) -> Result<Arc<RuntimeConnection>, Fault> {
        self.open_with(session, Map::new()).await
    }

    /// Same as `open`, with parameters for the runtime's `session.resume`. What has begun is done whether or not the
    /// client stays: the recorder would hold back the events of a session that is resumed by half.
    pub async fn open_with(
        &self,
        session: &Arc<Session>,
        given: Map<String, Value>,
    ) -> Result<Arc<RuntimeConnection>, Fault> {
        let (live, session) = (self.clone(), Arc::clone(session));
        let opened = tokio::spawn(async move { live.open_now(&session, given).await });
        opened.await.unwrap_or_else(|_| Err(fault("session.resume", Failure::Ended)))
    }

    async fn open_now(
        &self,
        session: &Session,
        given: Map<String, Value>,
    ) -> Result<Arc<RuntimeConnection>, Fault> {
        let Some(runtime_link) = session.runtime_link() else {
            return Err(Fault::unknown_session(&session.id));
        };
        let connection = self.connection().await?;
        let mut stage = runtime_link.stage.lock().await;
        if stage.is_open_over(&connection) && given.is_empty() {
            return Ok(connection);
        }
        let kept = self.recorder().load(&session.id).await;
        let unanswered = if stage.is_open_over(&connection) { Vec::new() } else { Due::unanswered(session) };
        let mut all = defaults(&session.id);
        // Before the first call: events that come meanwhile belong behind those that were missed.
        self.recorder().send(Item::Hold(session.id.clone()));
        let restarted = !pending_work::is_in_memory(&connection, &session.id).await;
        // A runtime that has the session in its memory is working on it, and repeats nothing.
        let goes_on = !restarted || !pending_work::was_cut_off(&connection, self.recorder(), session).await;
        all.insert("continuePendingWork".to_owned(), goes_on.into());
        let later = |(name, _): &(String, Value)| !ONLY_AT_FIRST.contains(&name.as_str());
        all.extend(kept.into_iter().chain(runtime_link.settings()).filter(later));
        self.secrets().learn(&Value::Object(given.clone()));
        all.extend(given.clone());
        let resumed = connection.call("session.resume", &Value::Object(all).to_string()).await;
        if let Err(failure) = resumed {
            self.recorder().send(Item::Release(session.id.clone()));
            if matches!(failure, Failure::Refused(_)) {
                self.queue_is_gone(&session.id).await;
                if !has_spoken(session) && !is_stored(&connection, &session.id).await {
                    runtime_link.backlog.unwritten(session.journal.position().length);
                    self.recorder().keep(&session.id).await;
                }
            }
            let fault = fault("session.resume", failure);
            self.say_once(runtime_link, session, &fault);
            return Err(fault);
        }
        interests(&connection, &session.id).await;
        match history(&connection, &session.id).await {
            Some(events) => self.recorder().merge(&session.id, events).await,
            None => self.recorder().send(Item::Release(session.id.clone())),
        }
        self.remember(runtime_link, &session.id, given);
        delivery::look(&connection, self.recorder(), &session.id, Occasion::resume(restarted)).await;
        if !restarted {
            self.leave(session, unanswered).await;
        }
        stage.open(&connection, restarted);
        self.sessions().touch();
        Ok(connection)
    }

    /// Ends a session in the runtime, which keeps it stored, whether or not the client stays.
    pub async fn close(&self, session: &Arc<Session>) -> Result<String, Fault> {
        let (live, session) = (self.clone(), Arc::clone(session));
        let closed = tokio::spawn(async move { live.close_now(&session).await });
        closed.await.unwrap_or_else(|_| Err(fault("session.destroy", Failure::Ended)))
    }

    async fn close_now(&self, session: &Session) -> Result<String, Fault> {
        let Some(runtime_link) = session.runtime_link() else {
            return Err(Fault::unknown_session(&session.id));
        };
        let mut stage = runtime_link.stage.lock().await;
        let open = match stage.connection() {
            // A runtime that listens still has the session when a connection to it has ended, with its queue.
            Some(connection) if connection.is_over() => {
                let connection = self.connection().await?;
                pending_work::is_in_memory(&connection, &session.id).await.then_some(connection)
            }
            open => open,
        };
        let result = match open {
            Some(connection) => {
                let params = json!({"sessionId": session.id}).to_string();
                connection
                    .call("session.destroy", &params)
                    .await
                    .map_err(|failure| fault("session.destroy", failure))?
            }
            None => json!({"success": true}).to_string(),
        };
        stage.close();
        self.queue_is_gone(&session.id).await;
        self.sessions().touch();
        Ok(result)
    }

    /// The runtime has no queue for this session any more, so the messages that waited in it were dropped.
    async fn queue_is_gone(&self, id: &str) {
        let waiting = self.recorder().waiting(id).await;
        self.recorder().listed(id, waiting, Queue::default()).await;
    }

    /// Returns when this session has something to show: its log, or else its history. If there is a log, the
    /// session is resumed in the background.
    pub async fn ready(&self, session: &Arc<Session>) {
        self.recorder().load(&session.id).await;
        if session.journal.position().length == 0 {
            self.open_for_reader(session).await;
        } else if !session.is_live_and_open() {
            let (live, session) = (self.clone(), Arc::clone(session));
            tokio::spawn(async move { live.open_for_reader(&session).await });
        }
    }

    /// Opens a session for somebody who only reads. If that fails, the session just has no new events; the
    /// reason is reported when somebody gives an order. If the runtime is down, the session is opened once it
    /// is up.
    async fn open_for_reader(&self, session: &Arc<Session>) {
        if let Err(Fault { code: RUNTIME_DOWN, .. }) = self.open(session).await
            && let Some(runtime_link) = session.runtime_link()
        {
            runtime_link.want();
        }
    }

    fn remember(&self, runtime_link: &RuntimeLink, id: &str, mut given: Map<String, Value>) {
        given.remove("sessionId");
        if given.is_empty() {
            return;
        }
        let settings = runtime_link.keep(given);
        let kept = settings.into_iter().filter(|(name, _)| KEPT.contains(&name.as_str()));
        self.recorder().send(Item::Settings(id.to_owned(), kept.collect()));
    }

    fn say_once(&self, runtime_link: &RuntimeLink, session: &Session, fault: &Fault) {
        let message = format!("This session can't be resumed: {}", fault.message);
        if runtime_link.is_news(&message) && session.journal.position().length > 0 {
            let notice = Notice {
                event_type: EventKind::SessionError,
                kind: "resume_failed",
                message,
                facts: Vec::new(),
            };
            self.recorder().send(Item::Notice(session.id.clone(), notice));
        }
    }
}

/// Whether the agent has said anything in this session, as far as is known here.
fn has_spoken(session: &Session) -> bool {
    let entries = session.journal.all_after(0);
    let said = |raw: &str| {
        let kind = EventKind::AssistantMessage;
        raw.contains(kind.name()) && message::kind(raw) == kind
    };
    entries.iter().any(|(_, entry)| said(&entry.raw))
}

/// The error that a client gets for a failed call.
pub fn fault(method: &str, failure: Failure) -> Fault {
    match failure {
        Failure::Refused(error) => Fault::relayed(RUNTIME_ERROR, error),
        Failure::Ended => Fault::new(
            UNKNOWN_OUTCOME,
            format!(
                "{method}: the connection to the runtime ended before it answered; it is unknown whether this was carried out"
            ),
        ),
    }
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
async fn known_model(connection: &RuntimeConnection, given: &Map<String, Value>) -> Result<(), Fault> {
    let Some(model) = given.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) else {
        return Ok(());
    };
    if model == "auto" || ["provider", "providers"].iter().any(|own| given.contains_key(*own)) {
        return Ok(());
    }
    // The session may use another account, which has other models.
    let params = given.get("gitHubToken").map_or_else(|| json!({}), |token| json!({"gitHubToken": token}));
    let params = params.to_string();
    let answer = timeout(MODELS_TAKE, connection.call("models.list", &params)).await;
    let list = answer.ok().and_then(Result::ok).and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let models = list.as_ref().and_then(|list| list["models"].as_array());
    let ids: Vec<&str> = models.into_iter().flatten().filter_map(|model| model["id"].as_str()).collect();
    if ids.is_empty() || ids.contains(&model) {
        return Ok(());
    }
    let words = format!("there is no model \"{model}\" here; there are {}", ids.join(", "));
    Err(Fault::new(INVALID_PARAMS, words))
}

/// Registers interest in all of `INTERESTS`. An older runtime knows fewer of them, so errors are ignored.
async fn interests(connection: &RuntimeConnection, id: &str) {
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
        let page = serde_json::from_str::<Page<'_>>(&result).ok()?;
        all.extend(page.events.iter().map(|event| event.get().to_owned()));
        let next = Value::from(page.cursor);
        if !page.has_more || next == cursor {
            return Some(all);
        }
        cursor = next;
    }
}
