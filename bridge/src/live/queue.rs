//! Owns how the gateway reads the runtime's queue (`session.queue.pendingItems`). It refuses to keep it.

use serde_json::Value;

/// What waits in the runtime.
#[derive(Debug, Default)]
pub struct Queue {
    /// Behind the turn.
    pub items: Vec<Item>,
    /// The texts of messages for the turn that runs.
    pub steering: Vec<String>,
}

/// A message that waits; a command has no message id.
#[derive(Debug)]
pub struct Item {
    /// Names its place in the queue.
    pub id: String,
    /// Names the message.
    pub message_id: Option<String>,
    /// What people read.
    pub text: String,
}

impl Queue {
    /// The runtime's answer; one that can't be read says that nothing waits.
    pub fn read(answer: &str) -> Self {
        let answer: Value = serde_json::from_str(answer).unwrap_or_default();
        let list = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let item = |item: Value| Item {
            id: text(&item["id"]),
            message_id: item["messageId"].as_str().filter(|id| !id.is_empty()).map(str::to_owned),
            text: text(&item["displayText"]),
        };
        Self {
            items: list("items").into_iter().map(item).collect(),
            steering: list("steeringMessages").iter().map(text).collect(),
        }
    }

    /// The message of a queued item.
    pub fn message(&self, id: &str) -> Option<&str> {
        self.items.iter().find(|item| item.id == id)?.message_id.as_deref()
    }
}
