//! The server's backlog: messages that people sent, and commands that they queued, that no turn has taken up.

use serde_json::Value;

use super::{Queued, QueuedKind};
use crate::wire::fields::Fields;

/// The notification that the backlog has changed and should be requested again.
pub const BACKLOG_CHANGED: &str = "pilothouse.backlog.changed";

/// A message that the server keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BacklogItem {
    /// Its id in the backlog.
    pub id: String,
    /// The id that its `user.message` would have had.
    pub message_id: Option<String>,
    /// Whether it is a command.
    pub command: bool,
    /// Its text.
    pub text: String,
    /// Names of its attachments.
    pub attachments: Vec<String>,
    /// It will not be taken up by itself: a person decides.
    pub dropped: bool,
}

impl BacklogItem {
    /// Whether it is this message of the runtime's queue. If that has no id, the texts are compared.
    pub fn is(&self, message: &Queued) -> bool {
        match &message.message_id {
            None => self.text.trim() == message.text.trim(),
            id => self.message_id == *id,
        }
    }

    /// It as a message of the queue, with its id in the backlog.
    pub(super) fn queued(&self) -> Queued {
        Queued {
            id: self.id.clone(),
            message_id: self.message_id.clone(),
            kind: if self.command { QueuedKind::Command } else { QueuedKind::Message },
            text: self.text.clone(),
            agent_mode: None,
        }
    }
}

/// Reads the answer to `pilothouse.backlog`.
pub(super) fn read(answer: Value) -> Vec<BacklogItem> {
    let item = |item: Value| {
        let mut fields = Fields::of(item);
        Some(BacklogItem {
            id: fields.non_empty_text("id")?,
            message_id: fields.non_empty_text("messageId"),
            command: fields.non_empty_text("kind").as_deref() == Some("command"),
            text: fields.text("text").unwrap_or_default(),
            attachments: fields.texts("attachments"),
            dropped: fields.non_empty_text("state").as_deref() == Some("dropped"),
        })
    };
    Fields::of(answer).list("messages").into_iter().filter_map(item).collect()
}
