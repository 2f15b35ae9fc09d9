//! Short ways to feed events and to read the state, for tests that play a scene.

use pilothouse::core::model::entry::Entry;
use pilothouse::core::view_model::entry_words::text;
use pilothouse::core::{Kind, Session};
use serde_json::{Value, json};

/// A session, and the number of events that it was fed.
#[derive(Default)]
pub struct Play {
    pub session: Session,
    events: u64,
}

impl Play {
    pub fn new() -> Self {
        Self::default()
    }

    /// Feeds a persisted event of the main agent.
    pub fn tell(&mut self, kind: &str, data: Value) -> &mut Self {
        self.event(kind, data, json!({}))
    }

    /// Feeds a live event that no history has.
    pub fn live(&mut self, kind: &str, data: Value) -> &mut Self {
        self.event(kind, data, json!({ "ephemeral": true }))
    }

    /// Feeds a persisted event of a sub-agent.
    pub fn agent(&mut self, agent: &str, kind: &str, data: Value) -> &mut Self {
        self.event(kind, data, json!({ "agentId": agent }))
    }

    /// Feeds an event with more members in its envelope.
    pub fn event(&mut self, kind: &str, data: Value, more: Value) -> &mut Self {
        self.events += 1;
        let mut event = json!({ "type": kind, "data": data, "id": format!("event-{}", self.events) });
        for (name, value) in more.as_object().unwrap() {
            event[name] = value.clone();
        }
        self.line(&event.to_string())
    }

    /// Feeds a line as it is.
    pub fn line(&mut self, line: &str) -> &mut Self {
        self.session.push(line.as_bytes());
        self.session.push(b"\n");
        self
    }

    /// Feeds the deltas of one message.
    pub fn deltas(&mut self, message: &str, pieces: &[&str]) -> &mut Self {
        for piece in pieces {
            self.live("assistant.message_delta", json!({ "messageId": message, "deltaContent": piece }));
        }
        self
    }

    /// The visible timeline, an entry a line: kind, state, text.
    pub fn timeline(&self) -> Vec<String> {
        let entries = self.session.state().entries.iter().filter(|entry| entry.ui_visible);
        entries.map(|e| format!("{} {}: {}", e.kind.word(), e.state.word(), text(e))).collect()
    }

    /// The entry with this id.
    pub fn entry(&self, id: &str) -> &Entry {
        let found = self.session.state().entries.iter().find(|entry| entry.id == id);
        found.unwrap_or_else(|| panic!("no entry {id} in {:#?}", self.timeline()))
    }

    /// The texts of all entries of a kind.
    pub fn texts(&self, kind: Kind) -> Vec<String> {
        self.session.state().entries.iter().filter(|e| e.kind == kind).map(|e| text(e).into_owned()).collect()
    }

    /// The model's view, a message a line.
    pub fn model_sees(&self) -> Vec<String> {
        let messages = self.session.state().context.messages().iter();
        messages.map(|message| format!("{}: {}", message.role.word(), message.content)).collect()
    }

    pub fn status(&self) -> &'static str {
        self.session.state().status()
    }

    /// The ids of the open requests.
    pub fn pending(&self) -> Vec<String> {
        let snapshot = self.session.snapshot();
        snapshot["pending"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["requestId"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// The name of the entry's state.
pub fn state(entry: &Entry) -> &'static str {
    entry.state.word()
}
