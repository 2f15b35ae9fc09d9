//! Runs the commands that people queued, when their turn comes: then the runtime asks a client to run them
//! (`command.queued`), and waits for the outcome.
//!
//! A command is run once, by the gateway, whoever watches. Before it is, the backlog on the disk says so. If this process
//! or the connection ends before the runtime has been told the outcome, nobody runs it again: the request is open for a
//! person once more. Commands that were not queued here are other clients' matter.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use pilothouse_core::protocol::{EventKind, command_notice};
use pilothouse_core::text::ansi;
use pilothouse_core::view_model::compose::command_result::CommandResult;
use pilothouse_core::view_model::compose::slash;
use pilothouse_core::wire::fields::Fields;

use super::backlog::Backlog;
use super::delivery::Kind;
use crate::agents::copilot::connection::{Failure, RuntimeConnection};
use crate::agents::copilot::open_session::fault;
use crate::agents::copilot::recorder::{Item, Notice};
use crate::agents::copilot::supervisor::Live;
use crate::rpc::{Call, KEPT, UNKNOWN_OUTCOME};
use crate::sessions::session::Session;

const INVOKE: &str = "session.commands.invoke";
const RESPOND: &str = "session.commands.respondToQueuedCommand";
const SET_MODE: &str = "session.mode.set";
const SWITCH_MODEL: &str = "session.model.switchTo";
/// What the runtime puts before the reason of a failed invocation.
const PREAMBLE: &str = "Request session.commands.invoke failed with message: ";

/// A queued command whose turn has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The session's id.
    pub session_id: String,
    /// The id of the runtime's request to run it.
    pub request_id: String,
    /// The command as it was queued.
    pub command: String,
}

/// Why a command has no outcome.
enum Trouble {
    /// It was not carried out, for this reason.
    Failed(String),
    /// The connection ended, so nobody knows.
    Unknown,
}

/// Runs what comes, until the gateway ends.
pub async fn serve(live: Live, mut commands: UnboundedReceiver<Due>) {
    while let Some(due) = commands.recv().await {
        let live = live.clone();
        tokio::spawn(async move { live.run(&due).await });
    }
}

impl Due {
    /// The commands of a session whose requests are not known to be over.
    pub fn unanswered(session: &Session) -> Vec<Self> {
        let requests = session.backlog().map(Backlog::unanswered).unwrap_or_default();
        let due = |(request_id, command)| Self { session_id: session.id.clone(), request_id, command };
        requests.into_iter().map(due).collect()
    }

    /// The notice that the gateway runs it.
    pub fn started(&self) -> Notice {
        let message = format!("The turn of {} has come: it is run", self.command.trim());
        self.notice(EventKind::SessionInfo, command_notice::STARTED, message, &[])
    }

    /// The notice that a person has to say what became of it.
    fn unsure(&self) -> Notice {
        let message = format!("It is unknown whether {} was run", self.command.trim());
        self.notice(EventKind::SessionInfo, command_notice::UNSURE, message, &[])
    }

    fn output(&self, text: &str) -> Notice {
        let text = ansi::printed(text);
        let name = self.command.split_whitespace().next().unwrap_or_default();
        let message = format!("{name}: {}", text.trim_end());
        self.notice(EventKind::SessionInfo, command_notice::OUTPUT, message, &[])
    }

    fn failed(&self, why: &str) -> Notice {
        let message = format!("{} was not run: {why}", self.command.trim());
        self.notice(EventKind::SessionWarning, command_notice::FAILED, message, &[("why", why)])
    }

    fn notice(
        &self,
        event_type: EventKind,
        kind: &'static str,
        message: String,
        more: &[(&'static str, &str)],
    ) -> Notice {
        let own = [("requestId", self.request_id.as_str()), ("command", self.command.trim())];
        let facts = own.iter().chain(more).map(|(name, value)| (*name, (*value).to_owned())).collect();
        Notice { event_type, kind, message, facts }
    }
}

impl Live {
    /// Runs a command and tells the runtime the outcome. If the connection ends before, what is next is decided when the
    /// session is open again.
    async fn run(&self, due: &Due) {
        let Some(session) = self.sessions().find(Some(&due.session_id)) else { return };
        let Some(runtime_link) = session.runtime_link() else { return };
        let Ok(connection) = self.open(&session).await else { return };
        if !runtime_link.backlog.is_running(&due.request_id) {
            return; // It was asked for over an earlier connection: a person decides.
        }
        let _pass = runtime_link.answering.begin(&due.request_id);
        let handled = match self.carry_out(&session, &connection, due).await {
            Ok(()) => true,
            Err(Trouble::Failed(why)) => {
                self.send_notice(due, due.failed(&why));
                false
            }
            Err(Trouble::Unknown) => return,
        };
        let params =
            json!({"sessionId": session.id, "requestId": due.request_id, "result": {"handled": handled}});
        // If the runtime refuses the outcome, the request is over.
        let _ = connection.call(RESPOND, &params.to_string()).await;
    }

    /// The session is open over another connection, and the runtime has gone on. Of these commands nobody can say whether
    /// they were run, so their requests are left to a person.
    pub async fn leave(&self, session: &Session, commands: Vec<Due>) {
        for due in commands {
            if session.backlog().is_some_and(|backlog| backlog.unsure(&due.request_id)) {
                self.recorder().keep(&session.id).await;
                self.send_notice(&due, due.unsure());
            }
        }
    }

    /// Carries a command out as the composer does for a session at rest. What it says becomes a notice that all see.
    async fn carry_out(
        &self,
        session: &Arc<Session>,
        connection: &RuntimeConnection,
        due: &Due,
    ) -> Result<(), Trouble> {
        let Some((name, input)) = slash(due.command.trim_start()) else {
            return Err(Trouble::Failed("this is no command".to_owned()));
        };
        let call = async |method: &str, mut params: Value| {
            params["sessionId"] = session.id.as_str().into();
            let answer = connection.call(method, &params.to_string()).await;
            let answer = answer.map_err(|failure| Trouble::of(method, failure))?;
            Ok::<Value, Trouble>(serde_json::from_str(&answer).unwrap_or_default())
        };
        let result = call(INVOKE, json!({"name": name, "input": input})).await?;
        let ran = || {
            if let Some(backlog) = session.backlog() {
                backlog.ran(&due.request_id);
            }
        };
        let tell = |text: Option<String>| {
            if let Some(text) = text {
                self.send_notice(due, due.output(&text));
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
                self.send_prompt(session, params).await?;
            }
            CommandResult::Subcommands { command, title, options } => {
                let option = |(name, tells): (String, String)| format!("/{command} {name}: {tells}");
                let lines = title.into_iter().chain(options.into_iter().map(option));
                tell(Some(lines.collect::<Vec<_>>().join("\n")));
            }
            CommandResult::Dialog => {
                let why = "it opens a dialog, for which somebody has to be there; type it again";
                return Err(Trouble::Failed(why.to_owned()));
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

    async fn send_prompt(&self, session: &Arc<Session>, mut params: Value) -> Result<(), Trouble> {
        let call =
            Call { id: None, method: Kind::Message.method().to_owned(), params: params.clone(), raw: None };
        params["sessionId"] = session.id.as_str().into();
        let sent = self.send(session, &call, Kind::Message, params.to_string()).await;
        sent.map(|_| ()).map_err(|fault| match fault.code {
            // It is in the backlog.
            KEPT | UNKNOWN_OUTCOME => Trouble::Unknown,
            _ => Trouble::Failed(fault.message),
        })
    }

    fn send_notice(&self, due: &Due, notice: Notice) {
        self.recorder().send(Item::Notice(due.session_id.clone(), notice));
    }
}

impl Trouble {
    fn of(method: &str, failure: Failure) -> Self {
        if failure == Failure::Ended {
            return Self::Unknown;
        }
        let message = fault(method, failure).message;
        Self::Failed(message.strip_prefix(PREAMBLE).unwrap_or(&message).to_owned())
    }
}
