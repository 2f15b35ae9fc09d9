//! The server's backlog: messages that people sent, and commands that they queued, that no turn has taken up.

use serde_json::{Value, json};

use super::Queued;
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

    /// The message as JSON, in the shape of the queue's items.
    pub(super) fn json(&self) -> Value {
        let mut out = json!({
            "id": self.id, "kind": if self.command { "command" } else { "message" }, "displayText": self.text,
        });
        if let Some(fields) = out.as_object_mut() {
            if let Some(id) = &self.message_id {
                fields.insert("messageId".to_owned(), id.as_str().into());
            }
            if !self.attachments.is_empty() {
                fields.insert("attachments".to_owned(), self.attachments.clone().into());
            }
        }
        out
    }
}

/// Reads the answer to `pilothouse.backlog`.
pub(super) fn read(answer: Value) -> Vec<BacklogItem> {
    let item = |item: Value| {
        let mut fields = Fields::of(item);
        Some(BacklogItem {
            id: fields.filled("id")?,
            message_id: fields.filled("messageId"),
            command: fields.filled("kind").as_deref() == Some("command"),
            text: fields.text("text").unwrap_or_default(),
            attachments: fields.texts("attachments"),
            dropped: fields.filled("state").as_deref() == Some("dropped"),
        })
    };
    Fields::of(answer).list("messages").into_iter().filter_map(item).collect()
}
