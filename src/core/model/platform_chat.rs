//! A chat with an agent of the Copilot platform, as far as entries do not say it.

use serde_json::Value;

use super::model_context::Role;

/// What is known of the chat in addition to its entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlatformChat {
    pub(crate) messages: Vec<PlatformMessage>,
    /// Answers that are streaming: the id of the chunks, and the place of the entry.
    pub(crate) open: Vec<(String, usize)>,
    /// Places of the errors that name what they are about.
    pub(crate) naming: Vec<usize>,
    pub(crate) noted_loose: bool,
    /// The agent counts as working because a message was sent to it, and not because an answer streams.
    pub(crate) awaited: bool,
}

/// One message of the chat.
#[derive(Debug, Clone)]
pub(crate) struct PlatformMessage {
    pub(crate) role: Role,
    /// The place of the entry with its text; `None` if the message has references only.
    pub(crate) place: Option<usize>,
    /// In the platform's form, because the agent gets them back with the next message.
    pub(crate) references: Vec<Value>,
}
