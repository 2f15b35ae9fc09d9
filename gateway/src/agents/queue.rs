//! Reads the runtime's queue (`session.queue.pendingItems`).

use serde_json::Value;

/// The messages that wait in the runtime.
#[derive(Debug, Default)]
pub struct Queue {
    /// Those that wait for the end of the running turn.
    pub items: Vec<QueueItem>,
    /// The texts of messages for the running turn.
    pub steering: Vec<String>,
}

/// A waiting message or command; a command has no message id.
#[derive(Debug)]
pub struct QueueItem {
    /// The id of its place in the queue.
    pub id: String,
    /// The message's id.
    pub message_id: Option<String>,
    /// Whether it is a command.
    pub command: bool,
    /// The text that people see.
    pub text: String,
}

impl Queue {
    /// Reads the runtime's answer; one that can't be read counts as an empty queue.
    pub fn read(answer: &str) -> Self {
        let answer: Value = serde_json::from_str(answer).unwrap_or_default();
        let list = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let item = |item: Value| QueueItem {
            id: text(&item["id"]),
            message_id: item["messageId"].as_str().filter(|id| !id.is_empty()).map(str::to_owned),
            command: item["kind"] == "command",
            text: text(&item["displayText"]),
        };
        Self {
            items: list("items").into_iter().map(item).collect(),
            steering: list("steeringMessages").iter().map(text).collect(),
        }
    }

    /// The commands among the items.
    pub fn commands(&self) -> impl Iterator<Item = &QueueItem> {
        self.items.iter().filter(|item| item.command)
    }

    /// The id of the message in a queued item.
    pub fn message(&self, id: &str) -> Option<&str> {
        self.items.iter().find(|item| item.id == id)?.message_id.as_deref()
    }
}
