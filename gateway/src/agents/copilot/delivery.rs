//! Delivers people's messages and queued commands to the runtime: each is kept before it is sent, followed in the runtime's
//! queue, and sent a second time only if a person says so.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::{OwnedMutexGuard, oneshot};

use super::backlog::Backlog;
use super::link::RuntimeLink;
use super::queue::Queue;
use crate::agents::copilot::connection::{Failure, RuntimeConnection};
use crate::agents::copilot::open_session::fault;
use crate::agents::copilot::recorder::{Item, Recorder};
use crate::agents::copilot::supervisor::Live;
use crate::rpc::{Call, Fault, INVALID_PARAMS, KEPT, METHOD_NOT_FOUND, NO_SUCH_MESSAGE, RUNTIME_DOWN};
use crate::sessions::Sessions;
use crate::sessions::session::Session;
use pilothouse_core::protocol::EventKind;

const LIST: &str = "pilothouse.backlog";
const PENDING: &str = "session.queue.pendingItems";
const PROCESSING: &str = "session.metadata.isProcessing";
/// Takes a message back that the agent does not have yet.
const WITHDRAW: &str = "session.queue.withdrawMessage";
/// Adds to a message for the running turn.
const APPEND: &str = "session.queue.appendSteering";

/// Events after which the agent may be at work on nothing that was sent.
const RESTS: [EventKind; 4] =
    [EventKind::SessionIdle, EventKind::AssistantIdle, EventKind::Abort, EventKind::SessionShutdown];

/// What a person sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A message to the agent.
    Message,
    /// A command for the queue.
    Command,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Message, Self::Command];

    /// What this method sends; none for any other method.
    pub fn sent_by(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.method() == method)
    }

    /// The method that sends it.
    pub fn method(self) -> &'static str {
        match self {
            Self::Message => "session.send",
            Self::Command => "session.commands.enqueue",
        }
    }
}

/// The occasion on which the runtime is asked for its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The runtime was restarted: the queue of the one before is lost.
    Restart,
    /// The runtime is the same, and the agent may be at rest. While the agent works, a message that it has
    /// taken from the queue and not begun is in no list.
    Rest,
}

impl Occasion {
    /// The occasion of a session that was opened over a new connection.
    pub fn resume(restarted: bool) -> Self {
        if restarted { Self::Restart } else { Self::Rest }
    }
}

/// Whether the runtime has to be asked after an event of this type.
pub fn rests(kind: EventKind) -> bool {
    RESTS.contains(&kind)
}

/// Asks the runtime for its queue. A message that is not in it and has not begun was dropped.
pub async fn look(connection: &RuntimeConnection, recorder: &Recorder, session_id: &str, occasion: Occasion) {
    let asked = recorder.waiting(session_id).await;
    if asked.is_empty() {
        return;
    }
    let params = json!({"sessionId": session_id}).to_string();
    let queue = match connection.call(PENDING, &params).await {
        Ok(answer) => Queue::read(&answer),
        // The runtime does not know the session, or has no queue.
        Err(Failure::Refused(_)) => Queue::default(),
        Err(Failure::Ended) => return,
    };
    // This is asked after the list: a message that was taken out of it before is being worked on.
    if occasion == Occasion::Rest {
        let works = connection.call(PROCESSING, &params).await;
        if works.is_ok_and(|answer| read(&answer)["processing"] == true) || connection.is_over() {
            return;
        }
    }
    recorder.listed(session_id, asked, queue).await;
}

/// Serves the methods of the backlog. A recording's backlog is empty.
pub async fn serve(sessions: &Sessions, session: &Arc<Session>, call: &Call) -> Result<String, Fault> {
    let method = call.method.as_str();
    let (Some(live), Some(backlog)) = (sessions.live(), session.backlog()) else {
        return if method == LIST { Ok(Backlog::default().json().to_string()) } else { Err(gone()) };
    };
    if method == LIST {
        live.recorder().load(&session.id).await;
        if let Some(connection) = session.runtime_link().and_then(RuntimeLink::connection) {
            look(&connection, live.recorder(), &session.id, Occasion::Rest).await;
        }
        return Ok(backlog.json().to_string());
    }
    let id = call.params["id"].as_str();
    let id = id.ok_or_else(|| Fault::new(INVALID_PARAMS, format!("{method}: id is missing")))?;
    match method {
        "pilothouse.backlog.read" => {
            let message = backlog.read(id).ok_or_else(gone)?;
            Ok(json!({"message": message}).to_string())
        }
        "pilothouse.backlog.discard" => {
            let discarded = backlog.discard(id);
            live.recorder().keep(&session.id).await;
            Ok(json!({"discarded": discarded}).to_string())
        }
        "pilothouse.backlog.send" => live.send_again(session, id, &call.params["mode"]).await,
        _ => Err(Fault::new(METHOD_NOT_FOUND, format!("no method \"{method}\" here"))),
    }
}

/// A message that is about to be sent. If the client leaves before it is, the message counts as dropped.
struct Left<'a> {
    live: &'a Live,
    session: &'a Session,
    id: Option<&'a String>,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        if let (Some(id), Some(backlog)) = (self.id, self.session.backlog()) {
            backlog.returned(id);
            self.live.recorder().send(Item::Keep(self.session.id.clone(), oneshot::channel().0));
        }
    }
}

impl Live {
    /// Sends a message. It is kept from before the runtime is asked for until an event shows it as begun, whether
    /// or not the client stays. Where there is no runtime it is dropped, for a person to decide; so it is where the
    /// runtime does not have the session and the client is gone.
    pub async fn send(
        &self,
        session: &Arc<Session>,
        call: &Call,
        kind: Kind,
        params: String,
    ) -> Result<String, Fault> {
        let Some(runtime_link) = session.runtime_link() else {
            return Err(Fault::unknown_session(&session.id));
        };
        let id = runtime_link.backlog.add(&call.params, session.journal.position().length);
        let mut left = Left { live: self, session, id: Some(&id) };
        let turn = Arc::clone(&runtime_link.sending).lock_owned().await;
        self.recorder().keep(&session.id).await;
        left.id = None;
        drop(left);
        let (runtime, session) = (self.clone(), Arc::clone(session));
        let (done, answer) = oneshot::channel();
        tokio::spawn(async move {
            let fault = match runtime.open_to_send(&session).await {
                Ok(connection) => {
                    let _ =
                        done.send(runtime.deliver(&session, connection, kind, id, params, Some(turn)).await);
                    return;
                }
                Err(fault) => fault,
            };
            let Some(runtime_link) = session.runtime_link() else { return };
            if fault.code == RUNTIME_DOWN {
                runtime_link.backlog.returned(&id);
                runtime.recorder().keep(&session.id).await;
                let message = format!("{}. The message is kept here", fault.message);
                let _ = done.send(Err(Fault::new(KEPT, message))); // the client may be gone
            } else {
                if done.send(Err(fault)).is_ok() {
                    runtime_link.backlog.refused(&id);
                } else {
                    runtime_link.backlog.returned(&id);
                }
                runtime.recorder().keep(&session.id).await;
            }
        });
        answer.await.unwrap_or_else(|_| Err(fault(kind.method(), Failure::Ended)))
    }

    /// Sends a dropped message once more. A second caller gets the error that it is gone.
    async fn send_again(&self, session: &Arc<Session>, id: &str, mode: &Value) -> Result<String, Fault> {
        let Some(runtime_link) = session.runtime_link() else {
            return Err(Fault::unknown_session(&session.id));
        };
        let connection = self.open_to_send(session).await?;
        let Some(mut params) = runtime_link.backlog.claim(id, session.journal.position().length) else {
            return Err(gone());
        };
        params.insert("sessionId".to_owned(), session.id.as_str().into());
        let kind = if params.contains_key("command") { Kind::Command } else { Kind::Message };
        if kind == Kind::Message {
            // The turn that it was meant to steer is over, so by default it is queued.
            params.insert("mode".to_owned(), if mode.is_string() { mode.clone() } else { "enqueue".into() });
        }
        let params = Value::Object(params).to_string();
        let (live, session, id) = (self.clone(), Arc::clone(session), id.to_owned());
        // The client may leave meanwhile, and nobody else can send what it has taken.
        let sent = tokio::spawn(async move {
            live.recorder().keep(&session.id).await;
            live.deliver(&session, connection, kind, id, params, None).await
        });
        sent.await.unwrap_or_else(|_| Err(fault(kind.method(), Failure::Ended)))
    }

    /// Sends a message, and notes what became of it. `turn` is what a message holds that is sent for the first
    /// time: the next one goes when this one has gone.
    async fn deliver(
        &self,
        session: &Arc<Session>,
        connection: Arc<RuntimeConnection>,
        kind: Kind,
        id: String,
        params: String,
        turn: Option<OwnedMutexGuard<()>>,
    ) -> Result<String, Fault> {
        let again = turn.is_none();
        let method = kind.method();
        let (runtime, session) = (self.clone(), Arc::clone(session));
        // The client may be gone before the runtime answers; the answer is noted all the same.
        let delivered = tokio::spawn(async move {
            let begun = connection.begin(method, &params);
            drop(turn);
            let sent = match begun {
                Ok(waiting) => waiting.answer().await,
                Err(failure) => Err(failure),
            };
            if let Some(runtime_link) = session.runtime_link() {
                let answer = sent.as_ref().map(|answer| read(answer));
                match answer {
                    Ok(answer) if answer["queued"] != false => {
                        runtime_link.backlog.taken(&id, answer["messageId"].as_str());
                    }
                    Ok(_) | Err(Failure::Refused(_)) if again => runtime_link.backlog.returned(&id),
                    Ok(_) | Err(Failure::Refused(_)) => runtime_link.backlog.refused(&id),
                    Err(Failure::Ended) => runtime_link.backlog.taken(&id, None),
                }
                runtime.recorder().keep(&session.id).await;
            }
            if sent == Err(Failure::Ended) {
                tokio::spawn(async move { runtime.find_out(&session).await });
            }
            sent
        });
        delivered.await.unwrap_or(Err(Failure::Ended)).map_err(|failure| fault(method, failure))
    }

    /// Asks what became of a message whose outcome is unknown. The session may have been resumed before the
    /// message was noted as such, so that the look after the resume missed it.
    async fn find_out(&self, session: &Arc<Session>) {
        if let (Ok(connection), Some(runtime_link)) = (self.open(session).await, session.runtime_link()) {
            look(&connection, self.recorder(), &session.id, Occasion::resume(runtime_link.is_restarted()))
                .await;
        }
    }

    /// Changes the runtime's queue as a person wants it, and the backlog with it, whether or not the client stays.
    pub async fn change_queue(
        &self,
        session: &Arc<Session>,
        connection: Arc<RuntimeConnection>,
        call: &Call,
        params: String,
    ) -> Result<String, Failure> {
        let (live, session, call) = (self.clone(), Arc::clone(session), call.clone());
        let changed =
            tokio::spawn(async move { live.change_queue_now(&session, &connection, &call, &params).await });
        changed.await.unwrap_or(Err(Failure::Ended))
    }

    async fn change_queue_now(
        &self,
        session: &Session,
        connection: &RuntimeConnection,
        call: &Call,
        params: &str,
    ) -> Result<String, Failure> {
        let method = call.method.as_str();
        let Some(runtime_link) =
            session.runtime_link().filter(|runtime_link| !runtime_link.backlog.is_empty())
        else {
            return connection.call(method, params).await;
        };
        let own = json!({"sessionId": session.id}).to_string();
        let queue = async || connection.call(PENDING, &own).await.map(|answer| Queue::read(&answer));
        let before = queue().await?;
        let result = connection.call(method, params).await?;
        if method == "session.queue.updateText" {
            let message = call.params["id"].as_str().and_then(|id| before.message(id));
            if let Some(message) = message.filter(|_| read(&result)["updated"] != false) {
                runtime_link.backlog.rewrite(message, &call.params);
            }
        } else if let Some(message) = call.params["messageId"].as_str() {
            let answer = read(&result);
            if method == WITHDRAW && answer["removed"] == true {
                runtime_link.backlog.withdrawn(message);
            }
            if method == APPEND && answer["updated"] == true {
                let part = |name: &str| call.params[name].as_str().unwrap_or_default();
                let prompt = format!("{}\n\n{}", part("expectedPrompt"), part("prompt"));
                runtime_link.backlog.rewrite(message, &json!({"prompt": prompt}));
            }
        } else if let Ok(after) = queue().await {
            runtime_link.backlog.taken_out(&meant(method, &call.params, before), &after);
        }
        self.recorder().keep(&session.id).await;
        Ok(result)
    }
}

/// The messages that a method was to take out of this queue. What else is missing afterwards was dropped by somebody's abort.
fn meant(method: &str, params: &Value, mut before: Queue) -> Queue {
    match method {
        "session.queue.removeAt" => {
            before.items.retain(|item| params["id"].as_str() == Some(&item.id));
            before.steering.clear();
        }
        "session.queue.removeMostRecent" => {
            before.items.drain(..before.items.len().saturating_sub(1));
            before.steering.drain(..before.steering.len().saturating_sub(1));
        }
        _ => {}
    }
    before
}

/// Whether a method takes messages out of the runtime's queue, or changes them there, for a person.
pub fn changes_queue(method: &str) -> bool {
    let methods = ["updateText", "removeAt", "removeMostRecent", "clear"];
    let is_change = |name: &str| methods.contains(&name);
    [WITHDRAW, APPEND].contains(&method) || method.strip_prefix("session.queue.").is_some_and(is_change)
}

fn gone() -> Fault {
    Fault::new(NO_SUCH_MESSAGE, "this message waits here no more: it was sent, taken or discarded meanwhile")
}

fn read(answer: &str) -> Value {
    serde_json::from_str(answer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Queue, meant};

    fn queue() -> Queue {
        Queue::read(
            r#"{"items":[{"id":"1","messageId":"a","displayText":"A"},{"id":"2","messageId":"b","displayText":"B"}],
                "steeringMessages":["C"]}"#,
        )
    }

    fn texts(queue: &Queue) -> Vec<&str> {
        queue
            .items
            .iter()
            .map(|item| item.text.as_str())
            .chain(queue.steering.iter().map(String::as_str))
            .collect()
    }

    #[test]
    fn only_what_was_to_be_removed_counts_as_removed() {
        let removed = meant("session.queue.removeAt", &json!({"id": "1"}), queue());
        assert_eq!(texts(&removed), ["A"]);
        assert_eq!(texts(&meant("session.queue.removeMostRecent", &json!({}), queue())), ["B", "C"]);
        assert_eq!(texts(&meant("session.queue.clear", &json!({}), queue())), ["A", "B", "C"]);
    }
}
