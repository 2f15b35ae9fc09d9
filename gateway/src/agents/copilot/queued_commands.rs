//! Runs the commands that people queued, when their turn comes: then the runtime asks a client to run them
//! (`command.queued`), and waits for the outcome.
//!
//! A command is run once, by the gateway, whoever watches. Before it is, the backlog on the disk says so. If this process
//! or the connection ends before the runtime knows the outcome, nobody runs it again: the request is open for a
//! person once more. Commands that were not queued here are other clients' matter.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use pilothouse_core::view_model::compose::command_result::CommandResult;
use pilothouse_core::view_model::compose::slash;
use pilothouse_core::wire::fields::Fields;

use super::connection::{Failure, RuntimeConnection};
use super::delivery::{self, SentKind};
use super::link::SessionHandle;
use super::runtime::{Runtime, open};
use crate::agents::notice::{DueCommand, Notice};
use crate::agents::recorder::RecorderCommand;
use crate::rpc::Call;
use pilothouse_core::protocol::ErrorReason;

const INVOKE: &str = "session.commands.invoke";
const RESPOND: &str = "session.commands.respondToQueuedCommand";
const SET_MODE: &str = "session.mode.set";
const SWITCH_MODEL: &str = "session.model.switchTo";
/// What the runtime puts before the reason of a failed invocation.
const PREAMBLE: &str = "Request session.commands.invoke failed with message: ";

/// Why a command has no outcome.
enum CommandFailure {
    /// It was not carried out, for this reason.
    Failed(String),
    /// The connection ended, so nobody knows.
    Unknown,
}

/// Runs what comes, until the gateway ends.
pub async fn serve(runtime: Arc<Runtime>, mut commands: UnboundedReceiver<DueCommand>) {
    while let Some(due) = commands.recv().await {
        let runtime = Arc::clone(&runtime);
        tokio::spawn(async move { run(&runtime, &due).await });
    }
}

/// Runs a command and tells the runtime the outcome. If the connection ends before, what is next is decided when the
/// session is open again.
async fn run(runtime: &Arc<Runtime>, due: &DueCommand) {
    let Some(handle) = runtime.find(&due.session_id) else { return };
    let Ok(connection) = open(runtime, &handle).await else { return };
    if !handle.link.backlog.is_running(&due.request_id) {
        return; // It was asked for over an earlier connection: a person decides.
    }
    let _permit = handle.link.answering.begin(&due.request_id);
    let handled = match carry_out(runtime, &handle, &connection, due).await {
        Ok(()) => true,
        Err(CommandFailure::Failed(why)) => {
            send_notice(runtime, due, &due.failed(&why));
            false
        }
        Err(CommandFailure::Unknown) => return,
    };
    let params =
        json!({"sessionId": due.session_id, "requestId": due.request_id, "result": {"handled": handled}});
    // If the runtime refuses the outcome, the request is over.
    let _ = connection.call(RESPOND, &params.to_string()).await;
}

/// Carries a command out as the composer does for a session at rest. What it says becomes a notice that all see.
async fn carry_out(
    runtime: &Arc<Runtime>,
    handle: &SessionHandle,
    connection: &RuntimeConnection,
    due: &DueCommand,
) -> Result<(), CommandFailure> {
    let Some((name, input)) = slash(due.command.trim_start()) else {
        return Err(CommandFailure::Failed("this is not a command".to_owned()));
    };
    let call = async |method: &str, mut params: Value| {
        params["sessionId"] = due.session_id.as_str().into();
        let answer = connection.call(method, &params.to_string()).await;
        let answer = answer.map_err(|failure| CommandFailure::of(method, failure))?;
        Ok::<Value, CommandFailure>(serde_json::from_str(&answer).unwrap_or_default())
    };
    let result = call(INVOKE, json!({"name": name, "input": input})).await?;
    let ran = || handle.link.backlog.mark_ran(&due.request_id);
    let tell = |text: Option<String>| {
        if let Some(text) = text {
            send_notice(runtime, due, &due.output(&text));
        }
    };
    let result = CommandResult::of(name, Fields::of(result));
    // A prompt for the agent has no effect before it is sent.
    if !matches!(result, CommandResult::AgentPrompt { prompt: Some(_), .. }) {
        ran();
    }
    if let CommandResult::AgentPrompt { mode: Some(mode), .. }
    | CommandResult::Completed { mode: Some(mode), .. } = &result
    {
        call(SET_MODE, json!({"mode": mode})).await?;
    }
    match result {
        CommandResult::Text(text)
        | CommandResult::Completed { message: text, .. }
        | CommandResult::TimelineEntry { text, .. }
        | CommandResult::Other(text) => tell(text),
        CommandResult::AgentPrompt { prompt, display, mode, notice } => {
            tell(notice);
            let Some(prompt) = prompt else { return Ok(()) };
            // The backlog has the prompt instead of the command from now on.
            ran();
            // Before what was queued after the command.
            let mut params = json!({"prompt": prompt, "mode": "enqueue", "prepend": true});
            for (name, value) in [("displayPrompt", display), ("agentMode", mode)] {
                if let Some(value) = value {
                    params[name] = value.into();
                }
            }
            send_prompt(runtime, handle, due, params).await?;
        }
        CommandResult::Subcommands { command, title, options } => {
            let option = |(name, tells): (String, String)| format!("/{command} {name}: {tells}");
            let lines = title.into_iter().chain(options.into_iter().map(option));
            tell(Some(lines.collect::<Vec<_>>().join("\n")));
        }
        CommandResult::Dialog => {
            let why = "it opens a dialog, for which somebody has to be there; type it again";
            return Err(CommandFailure::Failed(why.to_owned()));
        }
        CommandResult::Model { model, effort, warning } => {
            let mut params = json!({"modelId": model});
            if let Some(effort) = effort {
                params["reasoningEffort"] = effort.into();
            }
            call(SWITCH_MODEL, params).await?;
            tell(warning);
        }
    }
    Ok(())
}

async fn send_prompt(
    runtime: &Arc<Runtime>,
    handle: &SessionHandle,
    due: &DueCommand,
    mut params: Value,
) -> Result<(), CommandFailure> {
    // The prompt is by who queued the command.
    let by = handle.link.backlog.writer(&due.request_id);
    let method = SentKind::Message.method().to_owned();
    let call = Call { id: None, method, params: params.clone(), raw: None, by };
    params["sessionId"] = handle.session.id.as_str().into();
    let sent = delivery::send(runtime, handle, &call, SentKind::Message, params.to_string()).await;
    sent.map(|_| ()).map_err(|fault| match fault.reason {
        // It is in the backlog.
        ErrorReason::Kept | ErrorReason::UnknownOutcome => CommandFailure::Unknown,
        _ => CommandFailure::Failed(fault.message),
    })
}

fn send_notice(runtime: &Runtime, due: &DueCommand, notice: &Notice) {
    runtime.recorder.send(RecorderCommand::OwnEvent(due.session_id.clone(), notice.event()));
}

impl CommandFailure {
    fn of(method: &str, failure: Failure) -> Self {
        if failure == Failure::Ended {
            return Self::Unknown;
        }
        let message = failure.fault(method).message;
        Self::Failed(message.strip_prefix(PREAMBLE).unwrap_or(&message).to_owned())
    }
}
