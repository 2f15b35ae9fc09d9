//! Delivers people's messages to an agent: each is stored before anything else, waits in the session's queue until the agent is
//! free, and is sent a second time only if a person says so.

use std::sync::Arc;

use pilothouse_core::protocol::ErrorReason;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::agent::AcpAgent;
use super::session::{AcpSession, Message};
use crate::agents::recorder::backlog::BacklogCall;
use crate::rpc::{Call, Fault};

/// Serves the methods of the backlog.
pub async fn serve(agent: &Arc<AcpAgent>, link: &Arc<AcpSession>, call: &Call) -> Result<String, Fault> {
    let (id, backlog) = (&link.id, &link.backlog);
    match agent.recorder.serve_backlog(id, backlog, call).await? {
        BacklogCall::List => {
            agent.recorder.load(id).await;
            // What waited in the queue of an earlier process waits in none now.
            agent.compare_backlog(link).await;
            Ok(backlog.json().to_string())
        }
        BacklogCall::Send(message) => {
            agent.open(id).await?;
            let position = agent.find(id).map_or(0, |found| found.session.journal.position().length);
            let params = backlog.claim(message, position).ok_or_else(Fault::no_such_message)?;
            // The turn that it was meant to steer is over, so by default it is queued.
            let is_immediate = call.params["mode"] == "immediate";
            deliver(agent, link, message.to_owned(), &params, is_immediate).await
        }
        BacklogCall::Done(result) => Ok(result),
    }
}

/// Sends a message.
pub async fn send(agent: &Arc<AcpAgent>, link: &Arc<AcpSession>, call: &Call) -> Result<String, Fault> {
    send_params(agent, link, call.params.as_object().cloned().unwrap_or_default(), call.by.as_deref()).await
}

/// Sends a command, which is a message for such an agent: now, or when its turn comes.
pub async fn send_command(
    agent: &Arc<AcpAgent>,
    link: &Arc<AcpSession>,
    call: &Call,
) -> Result<String, Fault> {
    let text = |name: &str| call.params[name].as_str().map(str::trim).filter(|text| !text.is_empty());
    let invoked = |name: &str| match text("input") {
        Some(input) => format!("/{name} {input}"),
        None => format!("/{name}"),
    };
    let Some(prompt) = text("command").map(str::to_owned).or_else(|| text("name").map(invoked)) else {
        let words = format!("{}: the command is missing", call.method);
        return Err(Fault::new(ErrorReason::InvalidParams, words));
    };
    let params = Map::from_iter([("prompt".to_owned(), prompt.into())]);
    send_params(agent, link, params, call.by.as_deref()).await
}

/// Sends a message. It is stored from before the agent is needed for it until its event is there, whether or not the client
/// stays. Where the agent can't be started it is kept, for a person to decide.
async fn send_params(
    agent: &Arc<AcpAgent>,
    link: &Arc<AcpSession>,
    params: Map<String, Value>,
    by: Option<&str>,
) -> Result<String, Fault> {
    let found = agent.find(&link.id).ok_or_else(|| Fault::unknown_session(&link.id))?;
    let turn = Arc::clone(&link.sending).lock_owned().await;
    agent.recorder.load(&link.id).await;
    let position = found.session.journal.position().length;
    let id = link.backlog.add(&Value::Object(params.clone()), by, position);
    drop(found);
    let (agent, link) = (Arc::clone(agent), Arc::clone(link));
    let (done, answer) = oneshot::channel();
    tokio::spawn(async move {
        agent.recorder.save_backlog(&link.id).await;
        let _turn = turn;
        let Err(fault) = agent.open(&link.id).await else {
            let is_immediate = params.get("mode").is_some_and(|mode| mode == "immediate");
            let sent = deliver(&agent, &link, id, &params, is_immediate).await;
            let _ = done.send(sent); // the client may be gone
            return;
        };
        let (backlog, method) = (&link.backlog, fault.reason);
        if method == ErrorReason::RuntimeDown {
            backlog.offer_again(&id);
            agent.recorder.save_backlog(&link.id).await;
            let message = format!("{}. The message is kept here", fault.message.trim_end_matches('.'));
            let _ = done.send(Err(Fault::new(ErrorReason::Kept, message))); // as above
            return;
        }
        if done.send(Err(fault)).is_ok() {
            backlog.remove_refused(&id);
        } else {
            backlog.offer_again(&id);
        }
        agent.recorder.save_backlog(&link.id).await;
    });
    let ended = || Fault::new(ErrorReason::UnknownOutcome, "it is unknown what became of the message");
    answer.await.unwrap_or_else(|_| Err(ended()))
}

/// Gives a message to the session. Its id is known before its event can be.
async fn deliver(
    agent: &Arc<AcpAgent>,
    link: &Arc<AcpSession>,
    id: String,
    params: &Map<String, Value>,
    is_immediate: bool,
) -> Result<String, Fault> {
    let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
    let message_id = Uuid::new_v4().to_string();
    link.backlog.accept(&id, Some(&message_id));
    let attachments = params.get("attachments").and_then(Value::as_array).cloned().unwrap_or_default();
    let message = Message {
        id: message_id.clone(),
        text: text("prompt").unwrap_or_default(),
        attachments,
        mode: text("agentMode"),
    };
    let sent = link.send(message, is_immediate);
    if sent.is_err() {
        link.backlog.offer_again(&id);
    }
    agent.recorder.save_backlog(&link.id).await;
    if sent.is_err() {
        let words = format!("{} has just ended. The message is kept here", agent.name());
        return Err(Fault::new(ErrorReason::Kept, words));
    }
    Ok(json!({"messageId": message_id, "queued": true}).to_string())
}
