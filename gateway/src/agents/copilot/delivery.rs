//! Delivers people's messages and queued commands to the runtime: each is stored before it is sent, followed in the runtime's
//! queue, and sent a second time only if a person says so.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::{OwnedMutexGuard, oneshot};

use super::connection::{Failure, RuntimeConnection};
use super::link::SessionHandle;
use super::receive::{Occasion, PENDING, ask_for_queue};
use super::runtime::{Runtime, open, open_to_send};
use crate::agents::queue::Queue;
use crate::agents::recorder::RecorderCommand;
use crate::agents::recorder::backlog::BacklogCall;
use crate::rpc::{Call, Fault};
use pilothouse_core::protocol::ErrorReason;

/// Takes a message back that the agent does not have yet.
const WITHDRAW: &str = "session.queue.withdrawMessage";
/// Adds to a message for the running turn.
const APPEND: &str = "session.queue.appendSteering";

/// What a person sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentKind {
    /// A message to the agent.
    Message,
    /// A command for the queue.
    Command,
}

impl SentKind {
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

/// Serves the methods of the backlog.
pub async fn serve(runtime: &Arc<Runtime>, handle: &SessionHandle, call: &Call) -> Result<String, Fault> {
    let (id, backlog, recorder) = (&handle.session.id, &handle.link.backlog, &runtime.recorder);
    match recorder.serve_backlog(id, backlog, call).await? {
        BacklogCall::List => {
            recorder.load(id).await;
            if let Some(connection) = handle.link.connection() {
                ask_for_queue(&connection, recorder, id, Occasion::Rest).await;
            }
            Ok(backlog.json().to_string())
        }
        BacklogCall::Send(message) => send_again(runtime, handle, message, &call.params["mode"]).await,
        BacklogCall::Done(result) => Ok(result),
    }
}

/// A message that is about to be sent. If the client leaves before it is, the message counts as dropped.
struct SendGuard<'a> {
    runtime: &'a Runtime,
    handle: &'a SessionHandle,
    id: Option<&'a String>,
}

impl Drop for SendGuard<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.handle.link.backlog.offer_again(id);
            self.runtime
                .recorder
                .send(RecorderCommand::SaveBacklog(self.handle.session.id.clone(), oneshot::channel().0));
        }
    }
}

/// Sends a message. It is stored from before the runtime is asked for until an event shows it as begun, whether
/// or not the client stays. Where there is no runtime it is dropped, for a person to decide; so it is where the
/// runtime does not have the session and the client is gone.
pub async fn send(
    runtime: &Arc<Runtime>,
    handle: &SessionHandle,
    call: &Call,
    kind: SentKind,
    params: String,
) -> Result<String, Fault> {
    let SessionHandle { session, link } = handle;
    let id = link.backlog.add(&call.params, call.by.as_deref(), session.journal.position().length);
    let mut departure = SendGuard { runtime, handle, id: Some(&id) };
    let turn = Arc::clone(&link.sending).lock_owned().await;
    runtime.recorder.save_backlog(&session.id).await;
    departure.id = None;
    drop(departure);
    let (runtime, handle) = (Arc::clone(runtime), handle.clone());
    let (done, answer) = oneshot::channel();
    tokio::spawn(async move {
        let fault = match open_to_send(&runtime, &handle).await {
            Ok(connection) => {
                let _ = done.send(deliver(&runtime, &handle, connection, kind, id, params, Some(turn)).await);
                return;
            }
            Err(fault) => fault,
        };
        let backlog = &handle.link.backlog;
        if fault.reason == ErrorReason::RuntimeDown {
            backlog.offer_again(&id);
            runtime.recorder.save_backlog(&handle.session.id).await;
            let message = format!("{}. The message is kept here", fault.message);
            let _ = done.send(Err(Fault::new(ErrorReason::Kept, message))); // the client may be gone
        } else {
            if done.send(Err(fault)).is_ok() {
                backlog.remove_refused(&id);
            } else {
                backlog.offer_again(&id);
            }
            runtime.recorder.save_backlog(&handle.session.id).await;
        }
    });
    answer.await.unwrap_or_else(|_| Err(Failure::Ended.fault(kind.method())))
}

/// Sends a dropped message once more. A second caller gets the error that it is gone.
async fn send_again(
    runtime: &Arc<Runtime>,
    handle: &SessionHandle,
    id: &str,
    mode: &Value,
) -> Result<String, Fault> {
    let SessionHandle { session, link } = handle;
    let connection = open_to_send(runtime, handle).await?;
    let Some(mut params) = link.backlog.claim(id, session.journal.position().length) else {
        return Err(Fault::no_such_message());
    };
    params.insert("sessionId".to_owned(), session.id.as_str().into());
    let kind = if params.contains_key("command") { SentKind::Command } else { SentKind::Message };
    if kind == SentKind::Message {
        // The turn that it was meant to steer is over, so by default it is queued.
        params.insert("mode".to_owned(), if mode.is_string() { mode.clone() } else { "enqueue".into() });
    }
    let params = Value::Object(params).to_string();
    let (runtime, handle, id) = (Arc::clone(runtime), handle.clone(), id.to_owned());
    // The client may leave meanwhile, and nobody else can send what it has taken.
    let sent = tokio::spawn(async move {
        runtime.recorder.save_backlog(&handle.session.id).await;
        deliver(&runtime, &handle, connection, kind, id, params, None).await
    });
    sent.await.unwrap_or_else(|_| Err(Failure::Ended.fault(kind.method())))
}

/// Sends a message, and notes what became of it. `turn` is what a message holds that is sent for the first
/// time: the next one goes when this one has gone.
async fn deliver(
    runtime: &Arc<Runtime>,
    handle: &SessionHandle,
    connection: Arc<RuntimeConnection>,
    kind: SentKind,
    id: String,
    params: String,
    turn: Option<OwnedMutexGuard<()>>,
) -> Result<String, Fault> {
    let again = turn.is_none();
    let method = kind.method();
    let (runtime, handle) = (Arc::clone(runtime), handle.clone());
    // The client may be gone before the runtime answers; the answer is noted all the same.
    let delivered = tokio::spawn(async move {
        let begun = connection.begin(method, &params);
        drop(turn);
        let sent = match begun {
            Ok(waiting) => waiting.answer().await,
            Err(failure) => Err(failure),
        };
        let backlog = &handle.link.backlog;
        let answer = sent.as_ref().map(|answer| read(answer));
        match answer {
            Ok(answer) if answer["queued"] != false => backlog.accept(&id, answer["messageId"].as_str()),
            Ok(_) | Err(Failure::Refused(_)) if again => backlog.offer_again(&id),
            Ok(_) | Err(Failure::Refused(_)) => backlog.remove_refused(&id),
            Err(Failure::Ended) => backlog.accept(&id, None),
        }
        runtime.recorder.save_backlog(&handle.session.id).await;
        if sent == Err(Failure::Ended) {
            tokio::spawn(async move { check_outcome(&runtime, &handle).await });
        }
        sent
    });
    delivered.await.unwrap_or(Err(Failure::Ended)).map_err(|failure| failure.fault(method))
}

/// Asks what became of a message whose outcome is unknown. The session may have been resumed before the
/// message was noted as such, so that the look after the resume missed it.
async fn check_outcome(runtime: &Arc<Runtime>, handle: &SessionHandle) {
    if let Ok(connection) = open(runtime, handle).await {
        let occasion = Occasion::resume(handle.link.is_restarted());
        ask_for_queue(&connection, &runtime.recorder, &handle.session.id, occasion).await;
    }
}

/// Changes the runtime's queue as a person wants it, and the backlog with it, whether or not the client stays.
pub async fn change_queue(
    runtime: &Arc<Runtime>,
    handle: &SessionHandle,
    connection: Arc<RuntimeConnection>,
    call: &Call,
    params: String,
) -> Result<String, Failure> {
    let (runtime, handle, call) = (Arc::clone(runtime), handle.clone(), call.clone());
    let changed =
        tokio::spawn(async move { change_queue_now(&runtime, &handle, &connection, &call, &params).await });
    changed.await.unwrap_or(Err(Failure::Ended))
}

async fn change_queue_now(
    runtime: &Runtime,
    handle: &SessionHandle,
    connection: &RuntimeConnection,
    call: &Call,
    params: &str,
) -> Result<String, Failure> {
    let method = call.method.as_str();
    let (id, backlog) = (&handle.session.id, &handle.link.backlog);
    if backlog.is_empty() {
        return connection.call(method, params).await;
    }
    let asked = json!({"sessionId": id}).to_string();
    let queue = async || connection.call(PENDING, &asked).await.map(|answer| Queue::read(&answer));
    let before = queue().await?;
    let result = connection.call(method, params).await?;
    if method == "session.queue.updateText" {
        let message = call.params["id"].as_str().and_then(|id| before.message(id));
        if let Some(message) = message.filter(|_| read(&result)["updated"] != false) {
            backlog.rewrite(message, &call.params);
        }
    } else if let Some(message) = call.params["messageId"].as_str() {
        let answer = read(&result);
        if method == WITHDRAW && answer["removed"] == true {
            backlog.remove_withdrawn(message);
        }
        if method == APPEND && answer["updated"] == true {
            let part = |name: &str| call.params[name].as_str().unwrap_or_default();
            let prompt = format!("{}\n\n{}", part("expectedPrompt"), part("prompt"));
            backlog.rewrite(message, &json!({"prompt": prompt}));
        }
    } else if let Ok(after) = queue().await {
        backlog.remove_taken_out(&removed_by(method, &call.params, before), &after);
    }
    runtime.recorder.save_backlog(id).await;
    Ok(result)
}

/// The messages that a method was to take out of this queue. What else is missing afterwards was dropped by somebody's abort.
fn removed_by(method: &str, params: &Value, mut before: Queue) -> Queue {
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

fn read(answer: &str) -> Value {
    serde_json::from_str(answer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Queue, removed_by};

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
        let removed = removed_by("session.queue.removeAt", &json!({"id": "1"}), queue());
        assert_eq!(texts(&removed), ["A"]);
        assert_eq!(texts(&removed_by("session.queue.removeMostRecent", &json!({}), queue())), ["B", "C"]);
        assert_eq!(texts(&removed_by("session.queue.clear", &json!({}), queue())), ["A", "B", "C"]);
    }
}
