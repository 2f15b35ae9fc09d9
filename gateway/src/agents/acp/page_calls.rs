//! An agent that speaks ACP behind the gateway's port: what a page calls, carried out as far as the protocol has it. What it does
//! not have is refused by name.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use pilothouse_core::model::agents;
use pilothouse_core::protocol::request::PENDING_PERMISSIONS;
use pilothouse_core::protocol::{ErrorReason, RequestKind};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::agent::{AcpAgent, models};
use super::connection::Failure;
use super::delivery;
use super::options::{OptionCall, Options};
use super::session::{AcpSession, Message};
use super::translation::{Input, Translation};
use crate::access::methods;
use crate::agents::recorder::RecorderCommand;
use crate::health::Report;
use crate::rpc::{Call, Fault};
use crate::sessions::agent::{Agent, CallFuture, Presence};

impl Agent for AcpAgent {
    fn call<'a>(self: Arc<Self>, session_id: &'a str, call: &'a Call) -> CallFuture<'a> {
        async move { serve(&self, session_id, call).await }.boxed()
    }

    fn manage(self: Arc<Self>, call: &Call) -> CallFuture<'_> {
        async move { manage(&self, call).await }.boxed()
    }

    fn add_own_event(&self, session_id: &str, event: String) {
        self.recorder.send(RecorderCommand::OwnEvent(session_id.to_owned(), event));
    }

    fn name(&self, _session_id: &str) -> Option<String> {
        Some(self.settings.name.clone())
    }

    fn presence(&self, session_id: &str) -> Presence {
        match self.link(session_id) {
            Some(link) if link.is_open() => Presence::Open,
            _ => Presence::Stored,
        }
    }

    fn ready(self: Arc<Self>, session_id: &str, _seen: u64) -> BoxFuture<'_, ()> {
        let id = session_id.to_owned();
        async move { AcpAgent::ready(&self, &id).await }.boxed()
    }

    fn backlog(&self, session_id: &str) -> Option<watch::Receiver<u64>> {
        self.link(session_id).map(|link| link.backlog.changes())
    }

    fn health(&self) -> Option<watch::Receiver<Report>> {
        Some(self.health.follow())
    }

    fn health_of(&self, _session_id: &str) -> Option<watch::Receiver<Report>> {
        Some(self.health_of_sessions.follow())
    }
}

async fn manage(agent: &Arc<AcpAgent>, call: &Call) -> Result<String, Fault> {
    let method = call.method.as_str();
    let id = call.params["sessionId"].as_str();
    let missing = || Fault::new(ErrorReason::InvalidParams, format!("{method}: sessionId is missing"));
    match method {
        "pilothouse.create" | "session.create" => {
            let id = agent.create(&call.params).await?;
            Ok(json!({"sessionId": id, "agent": agent.name()}).to_string())
        }
        "pilothouse.resume" | "session.resume" => {
            let id = id.ok_or_else(missing)?;
            agent.open(id).await?;
            Ok(json!({"sessionId": id}).to_string())
        }
        "pilothouse.close" | "session.detach" | "session.destroy" => {
            agent.close(id.ok_or_else(missing)?).await?;
            Ok(json!({"success": true}).to_string())
        }
        "pilothouse.delete" => {
            agent.delete(id.ok_or_else(missing)?).await?;
            Ok(json!({"success": true}).to_string())
        }
        "pilothouse.discover" => {
            let sessions = agent.discover().await?;
            Ok(json!({"agent": agent.name(), "sessions": sessions}).to_string())
        }
        "models.list" => Ok(agent.models().to_string()),
        _ => Err(not_offered(agent, method)),
    }
}

fn not_offered(agent: &AcpAgent, method: &str) -> Fault {
    let words = format!("this agent does not offer it: {} has nothing for {method}", agent.name());
    Fault::new(ErrorReason::MethodNotFound, words)
}

/// What is carried out for any session, besides answers and the backlog. The rest depends on what the agent lets choose.
const OFFERED: [&str; 25] = [
    "session.abort",
    "session.commands.enqueue",
    "session.commands.invoke",
    "session.commands.list",
    "session.completions.getTriggerCharacters",
    "session.eventLog.read",
    "session.getMessages",
    "session.interruptMainTurn",
    "session.metadata.activity",
    "session.metadata.isProcessing",
    "session.mode.get",
    "session.model.getCurrent",
    "session.model.list",
    PENDING_PERMISSIONS,
    "session.permissions.notifyPromptShown",
    "session.plan.readSqlTodos",
    "session.queue.clear",
    "session.queue.moveItem",
    "session.queue.pendingItems",
    "session.queue.removeAt",
    "session.queue.removeMostRecent",
    "session.queue.sendNow",
    "session.queue.updateText",
    "session.queue.withdrawMessage",
    "session.send",
];
const SET_MODE: &str = "session.mode.set";
const SWITCH_MODEL: &str = "session.model.switchTo";
const SET_EFFORT: &str = "session.model.setReasoningEffort";

/// The answer to `pilothouse.agent`: who the agent of a session is, which of the session's methods it carries out, and its modes. What
/// a session can't be asked for, because it is not open, is as in the agent's newest session.
fn about(agent: &AcpAgent, link: &AcpSession) -> Value {
    let newest = agent.models();
    let own = link.read(|translation| models(translation.options(), "models", None));
    let choices = own.as_ref().unwrap_or(&newest);
    let has = |name: &str| choices[name].as_array().is_some_and(|all| !all.is_empty());
    let has_efforts = || {
        let models = choices["models"].as_array().into_iter().flatten();
        models.into_iter().any(|model| model["supportedReasoningEfforts"].is_array())
    };
    let chosen = [(SET_MODE, has("modes")), (SWITCH_MODEL, has("models")), (SET_EFFORT, has_efforts())];
    let offered = chosen.into_iter().filter(|(_, offered)| *offered).map(|(method, _)| method);
    let methods: Vec<_> = OFFERED.into_iter().chain(offered).collect();
    let mut modes = choices["modes"].clone();
    if own.is_none() {
        for mode in modes.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            mode.remove("current");
        }
    }
    json!({"agent": agent.name(), "name": agents::title(agent.name()), "methods": methods, "modes": modes})
}

async fn serve(agent: &Arc<AcpAgent>, id: &str, call: &Call) -> Result<String, Fault> {
    let link = agent.link(id).ok_or_else(|| Fault::unknown_session(id))?;
    let (method, params) = (call.method.as_str(), &call.params);
    if method.starts_with("pilothouse.backlog") {
        return delivery::serve(agent, &link, call).await;
    }
    if method == "pilothouse.agent" {
        return Ok(about(agent, &link).to_string());
    }
    if methods::right(method).is_none() {
        return Err(not_offered(agent, method));
    }
    if RequestKind::is_answer(method) {
        let Some(request_id) = params["requestId"].as_str().map(str::to_owned) else {
            let words = format!("{method}: requestId is missing");
            return Err(Fault::new(ErrorReason::InvalidParams, words));
        };
        let wrong = |why: &str| Fault::new(ErrorReason::InvalidParams, format!("{method}: {why}"));
        let success = link.answer(request_id, params.clone()).map_err(wrong)?;
        return Ok(json!({"success": success}).to_string());
    }
    if let Some(result) = read(agent, &link, call) {
        return Ok(result.to_string());
    }
    match method {
        "session.send" => delivery::send(agent, &link, call).await,
        "session.commands.enqueue" | "session.commands.invoke" => {
            delivery::send_command(agent, &link, call).await
        }
        "session.abort" | "session.interruptMainTurn" => {
            let is_busy = link.is_busy();
            if call.params["flushQueued"] != true {
                // What waits is offered to a person, and not sent into the silence after a stop.
                link.change_queue(Vec::clear);
            }
            if is_busy {
                link.take(Input::Cancel);
            }
            agent.compare_backlog(&link).await;
            Ok(json!({"success": is_busy, "interrupted": is_busy}).to_string())
        }
        SET_MODE => {
            let mode = text(call, "mode")?;
            set(agent, &link, method, |options, id| options.set_mode(id, mode)).await?;
            Ok(json!({"mode": mode}).to_string())
        }
        SET_EFFORT => {
            let effort = text(call, "reasoningEffort")?;
            set(agent, &link, method, |options, id| options.set_effort(id, effort)).await?;
            Ok(json!({"reasoningEffort": effort}).to_string())
        }
        SWITCH_MODEL => {
            let model = text(call, "modelId")?;
            let current = link.read(|translation| translation.options().model() == Some(model));
            if current != Some(true) {
                set(agent, &link, method, |options, id| options.set_model(id, model)).await?;
            }
            if let Some(effort) = params["reasoningEffort"].as_str() {
                set(agent, &link, method, |options, id| options.set_effort(id, effort)).await?;
            }
            Ok(json!({"modelId": model}).to_string())
        }
        _ if method.starts_with("session.queue.") => change_queue(agent, &link, call).await,
        _ => Err(not_offered(agent, method)),
    }
}

fn text<'a>(call: &'a Call, name: &str) -> Result<&'a str, Fault> {
    let missing = || Fault::new(ErrorReason::InvalidParams, format!("{}: {name} is missing", call.method));
    call.params[name].as_str().ok_or_else(missing)
}

/// Sets an option of a session, which is opened for that.
async fn set(
    agent: &Arc<AcpAgent>,
    link: &Arc<AcpSession>,
    method: &str,
    make: impl FnOnce(&Options, &str) -> Option<OptionCall>,
) -> Result<(), Fault> {
    let link = agent.open(&link.id).await?;
    match link.set_option(make).await {
        Some(Ok(())) => Ok(()),
        Some(Err(Failure::Refused(error))) => Err(Fault::new(ErrorReason::Internal, error.words())),
        Some(Err(Failure::Ended)) => {
            let words = format!("{method}: {} ended before it answered", agent.name());
            Err(Fault::new(ErrorReason::UnknownOutcome, words))
        }
        None => {
            let words = format!("this agent does not offer it: {} has no such choice", agent.name());
            Err(Fault::new(ErrorReason::InvalidParams, words))
        }
    }
}

/// The answer to a call that only reads; none for any other call. It is known here: the agent is not asked.
fn read(agent: &AcpAgent, link: &AcpSession, call: &Call) -> Option<Value> {
    let of_translation =
        |read: &dyn Fn(&Translation) -> Value, without: Value| link.read(read).unwrap_or(without);
    Some(match call.method.as_str() {
        "session.queue.pendingItems" => link.pending_items(),
        PENDING_PERMISSIONS => {
            let items = link.is_open().then(|| link.read(Translation::open_permissions)).flatten();
            json!({"items": items.unwrap_or_default()})
        }
        "session.metadata.isProcessing" => json!({"processing": link.is_busy()}),
        "session.metadata.activity" => json!({"processing": link.is_busy(), "hasActiveWork": link.is_busy()}),
        "session.mode.get" => {
            let mode = |translation: &Translation| {
                translation.options().mode_word().map_or(Value::Null, Value::from)
            };
            json!({"mode": of_translation(&mode, Value::Null)})
        }
        "session.model.getCurrent" => {
            let current = |translation: &Translation| {
                let options = translation.options();
                json!({"modelId": options.model(), "reasoningEffort": options.effort()})
            };
            of_translation(&current, json!({}))
        }
        "session.model.list" => {
            // Of a session that is not open it is what the agent's newest one has.
            let newest = || json!({"list": agent.models()["models"]});
            let takes_images = link.takes_images();
            let own = |translation: &Translation| models(translation.options(), "list", takes_images);
            link.read(own).unwrap_or_else(newest)
        }
        "session.commands.list" => {
            let commands = |translation: &Translation| json!({"commands": translation.commands()});
            of_translation(&commands, json!({"commands": []}))
        }
        "session.plan.readSqlTodos" => of_translation(&Translation::todos, json!({"rows": []})),
        "session.completions.getTriggerCharacters" => json!({"triggerCharacters": []}),
        "session.permissions.notifyPromptShown" => json!({"success": true}),
        "session.getMessages" => {
            let session = agent.sessions.find(Some(&link.id))?;
            let events = session.journal.left_after(0);
            let events = events.iter().filter(|(_, entry)| entry.event && entry.persisted);
            let events = events.filter_map(|(_, entry)| serde_json::from_str::<Value>(&entry.raw).ok());
            json!({"events": events.collect::<Vec<_>>()})
        }
        "session.eventLog.read" => read_log(agent, link, &call.params)?,
        _ => return None,
    })
}

/// A page of the session's log.
fn read_log(agent: &AcpAgent, link: &AcpSession, params: &Value) -> Option<Value> {
    let session = agent.sessions.find(Some(&link.id))?;
    let after = params["cursor"].as_str().and_then(|cursor| cursor.parse::<u64>().ok()).unwrap_or_default();
    let most = params["max"].as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or(1000).max(1);
    let ephemeral = params["includeEphemeral"] != false;
    let entries = session.journal.all_after(after);
    let has_more = entries.len() > most;
    let cursor = entries.iter().take(most).next_back().map_or(after, |(seq, _)| *seq);
    let kept = entries.iter().take(most).filter(|(_, entry)| entry.event && (ephemeral || entry.persisted));
    let events = kept.filter_map(|(_, entry)| serde_json::from_str::<Value>(&entry.raw).ok());
    let events: Vec<_> = events.collect();
    Some(json!({"events": events, "cursor": cursor.to_string(), "hasMore": has_more, "cursorStatus": "ok"}))
}

/// Changes the queue as a person wants it, and the backlog with it.
async fn change_queue(agent: &Arc<AcpAgent>, link: &Arc<AcpSession>, call: &Call) -> Result<String, Fault> {
    let id = call.params["id"].as_str().or(call.params["messageId"].as_str()).unwrap_or_default();
    let place = |queue: &Vec<Message>| queue.iter().position(|message| message.id == id);
    let before = link.queue();
    let result = match call.method.as_str() {
        "session.queue.removeAt" | "session.queue.withdrawMessage" => {
            let removed = link.change_queue(|queue| place(queue).map(|at| queue.remove(at)).is_some());
            json!({"removed": removed})
        }
        "session.queue.removeMostRecent" => {
            json!({"removed": link.change_queue(|queue| queue.pop().is_some())})
        }
        "session.queue.clear" => {
            link.change_queue(Vec::clear);
            json!({})
        }
        "session.queue.moveItem" => {
            let to = call.params["toPosition"].as_u64().and_then(|to| usize::try_from(to).ok());
            let moved = link.change_queue(|queue| {
                let (Some(from), Some(to)) = (place(queue), to) else { return false };
                let message = queue.remove(from);
                queue.insert(to.min(queue.len()), message);
                true
            });
            json!({"moved": moved})
        }
        "session.queue.updateText" => {
            let prompt = text(call, "prompt")?;
            let updated = link.change_queue(|queue| {
                let at = place(queue);
                let message = at.and_then(|at| queue.get_mut(at));
                message.map(|message| prompt.clone_into(&mut message.text)).is_some()
            });
            if updated {
                link.backlog.rewrite(id, &call.params);
            }
            json!({"updated": updated})
        }
        "session.queue.sendNow" => {
            let taken = link.change_queue(|queue| place(queue).map(|at| queue.remove(at)));
            let sent = taken.is_some_and(|message| link.send(message, true).is_ok());
            json!({"sent": sent})
        }
        method => return Err(not_offered(agent, method)),
    };
    if call.method != "session.queue.sendNow" {
        link.backlog.remove_taken_out(&before, &link.queue());
    }
    agent.recorder.save_backlog(&link.id).await;
    Ok(result.to_string())
}
