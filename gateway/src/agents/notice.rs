//! What the gateway itself says in a session: notices, which become events.

use pilothouse_core::protocol::{EventKind, command_notice};
use pilothouse_core::text::ansi;
use serde_json::json;

use crate::sessions::own_event::own_event;

/// A notice of the gateway itself in a session.
#[derive(Debug)]
pub struct Notice {
    /// `session.info`, `session.warning` or `session.error`.
    pub event_type: EventKind,
    /// Its kind, which becomes the `infoType`, `warningType` or `errorType`.
    pub kind: &'static str,
    /// The message for people.
    pub message: String,
    /// More fields of its `data`.
    pub facts: Vec<(&'static str, String)>,
}

/// A queued command whose turn has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueCommand {
    /// The session's id.
    pub session_id: String,
    /// The id of the runtime's request to run it.
    pub request_id: String,
    /// The command as it was queued.
    pub command: String,
}

impl Notice {
    /// The notice as an event of the gateway.
    pub fn event(&self) -> String {
        let mut data = json!({self.event_type.category_field(): self.kind, "message": self.message});
        for (name, value) in &self.facts {
            data[name] = value.as_str().into();
        }
        own_event(self.event_type, &data)
    }
}

impl DueCommand {
    /// The notice that the gateway runs it.
    pub fn started(&self) -> Notice {
        let message = format!("The turn of {} has come: it is run", self.command.trim());
        self.notice(EventKind::SessionInfo, command_notice::STARTED, message, &[])
    }

    /// The notice that a person has to say what became of it.
    pub fn unsure(&self) -> Notice {
        let message = format!("It is unknown whether {} was run", self.command.trim());
        self.notice(EventKind::SessionInfo, command_notice::UNSURE, message, &[])
    }

    /// The notice with what the command says.
    pub fn output(&self, text: &str) -> Notice {
        let text = ansi::printed_text(text);
        let name = self.command.split_whitespace().next().unwrap_or_default();
        let message = format!("{name}: {}", text.trim_end());
        self.notice(EventKind::SessionInfo, command_notice::OUTPUT, message, &[])
    }

    /// The notice that it was not run.
    pub fn failed(&self, why: &str) -> Notice {
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
