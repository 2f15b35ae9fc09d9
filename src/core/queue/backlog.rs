//! Owns the server's backlog as it tells it: messages that people sent and that nobody has begun. Refuses to send them.

use serde_json::Value;

use super::Queued;
use crate::fields::Fields;

/// The notification that says that it is worth asking again.
pub const BACKLOG_CHANGED: &str = "pilothouse.backlog.changed";

/// A message that the server keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BacklogItem {
    /// Names it.
    pub id: String,
    /// The id that its `user.message` would have had.
    pub message_id: Option<String>,
    /// Its text.
    pub text: String,
    /// The names of what goes along.
    pub attachments: Vec<String>,
    /// Nobody will begin it: a person decides.
    pub dropped: bool,
}

impl BacklogItem {
    /// Whether it is this message of the runtime's queue. Of one without an id only the words tell.
    pub fn is(&self, message: &Queued) -> bool {
        match &message.message_id {
            None => self.text.trim() == message.text.trim(),
            id => self.message_id == *id,
        }
    }
}

/// Reads an answer of `pilothouse.backlog`.
pub(super) fn read(answer: Value) -> Vec<BacklogItem> {
    let item = |item: Value| {
        let mut fields = Fields::of(item);
        Some(BacklogItem {
            id: fields.filled("id")?,
            message_id: fields.filled("messageId"),
            text: fields.text("text").unwrap_or_default(),
            attachments: fields.texts("attachments"),
            dropped: fields.filled("state").as_deref() == Some("dropped"),
        })
    };
    Fields::of(answer).list("messages").into_iter().filter_map(item).collect()
}
