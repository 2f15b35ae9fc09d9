//! Owns the messages that wait for the agent: as the server tells them, and what an abort dropped.
//! Refuses to ask the server, and to guess what waits where nobody told.
//!
//! No event carries the queue: the server is asked after each change, so what is gone is seen by comparing two
//! answers. Why it is gone is told by what comes with it: its own message, or an abort.

mod backlog;
pub mod edits;

use serde_json::{Map, Value};

use super::fields::Fields;

pub use backlog::{BACKLOG_CHANGED, BacklogItem};

/// What was lost this many records before an abort, or less, was lost by it: the runtime tells both in one go, and
/// what a person took out is longer ago.
const NEAR: u64 = 4;
/// More than this is not kept of what was dropped.
const MANY: usize = 100;

/// What a queued item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueuedKind {
    /// A message to the agent.
    #[default]
    Message,
    /// A slash command, or a change of the model.
    Command,
}

/// One item of the queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queued {
    /// The server's id of it; empty for a message that steers.
    pub id: String,
    /// The id that its `user.message` will have.
    pub message_id: Option<String>,
    /// What it is.
    pub kind: QueuedKind,
    /// Its text.
    pub text: String,
    /// The mode in which it will be worked on.
    pub agent_mode: Option<String>,
}

impl Queued {
    fn of(value: Value) -> Self {
        let mut fields = Fields::of(value);
        Self {
            id: fields.filled("id").unwrap_or_default(),
            message_id: fields.filled("messageId"),
            kind: match fields.filled("kind").as_deref() {
                Some("command") => QueuedKind::Command,
                _ => QueuedKind::Message,
            },
            text: fields.text("displayText").unwrap_or_default(),
            agent_mode: fields.filled("agentMode"),
        }
    }

    fn steering(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// As the server tells it.
    pub fn json(&self) -> Value {
        let mut out = Map::new();
        let mut put = |name: &str, text: &str| out.insert(name.to_owned(), text.into());
        put("id", &self.id);
        if let Some(id) = &self.message_id {
            put("messageId", id);
        }
        put("kind", if self.kind == QueuedKind::Command { "command" } else { "message" });
        put("displayText", &self.text);
        if let Some(mode) = &self.agent_mode {
            put("agentMode", mode);
        }
        Value::Object(out)
    }
}

/// Messages that wait to be sent to the agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Queue {
    /// How often the queue changed.
    pub changed: u64,
    /// The items, as the server last told; unknown without a back channel.
    pub items: Option<Vec<Queued>>,
    /// Messages that steer the running turn, as the server last told.
    pub steering: Vec<String>,
    /// How many of them, from the first, the turn has taken up already.
    pub in_flight: usize,
    /// What the server keeps because nobody has begun it; none where it keeps nothing.
    pub backlog: Option<Vec<BacklogItem>>,
    /// What the newest abort dropped, or the end of the server that had it.
    pub dropped: Vec<Queued>,
    /// How many aborts dropped something.
    pub drops: u64,
    /// What is gone since the last message, and the record after which that was seen.
    gone: Vec<(u64, Queued)>,
    /// The record of the newest change.
    changed_at: u64,
    aborted: bool,
    /// The session was taken up again: what its queue has lost since went with the server that had it.
    resumed: bool,
}

impl Queue {
    /// The queue changed, at this record.
    pub(super) fn modified(&mut self, record: u64) {
        self.changed += 1;
        self.changed_at = record;
    }

    /// Takes the answer of `session.queue.pendingItems`; false if it says nothing new.
    pub(super) fn told(&mut self, answer: Value) -> bool {
        let mut fields = Fields::of(answer);
        let items: Vec<Queued> = fields.list("items").into_iter().map(Queued::of).collect();
        let steering = fields.texts("steeringMessages");
        let in_flight = fields.integer("inFlightSteeringCount").and_then(|count| count.try_into().ok());
        let in_flight = in_flight.unwrap_or(0_usize);
        if self.items.as_ref() == Some(&items) && self.steering == steering && self.in_flight == in_flight {
            return false;
        }
        let listed = |item: &Queued| match item.id.as_str() {
            "" => steering.contains(&item.text),
            id => items.iter().any(|item| item.id == id) || steering.contains(&item.text),
        };
        let before = self.items.take().unwrap_or_default();
        let waited = self.steering.iter().skip(self.in_flight).map(|text| Queued::steering(text));
        let lost: Vec<_> = before.into_iter().chain(waited).filter(|item| !listed(item)).collect();
        // A queue that is kept when the turn is interrupted is still there afterwards.
        self.dropped.retain(|item| !listed(item));
        if std::mem::take(&mut self.resumed) || self.aborted {
            self.drop_all(lost);
        } else {
            self.gone.extend(lost.into_iter().map(|item| (self.changed_at, item)));
        }
        self.items = Some(items);
        self.steering = steering;
        self.in_flight = in_flight;
        true
    }

    /// The agent has got a message: it is neither gone nor dropped. True if that is news.
    pub(super) fn taken(&mut self, message_id: &str, text: &str) -> bool {
        let before = self.dropped.len();
        let taken = |item: &Queued| match item.message_id.as_deref() {
            Some(id) => id == message_id,
            None => item.kind == QueuedKind::Message && item.text == text,
        };
        self.gone.retain(|(_, item)| !taken(item));
        self.dropped.retain(|item| !taken(item));
        self.aborted = false;
        // It can be told before the list that lacks it.
        let named = |item: &Queued| item.message_id.as_deref() == Some(message_id);
        let listed = self.items.as_mut().is_some_and(|items| {
            let before = items.len();
            items.retain(|item| !named(item));
            items.len() < before
        });
        self.dropped.len() < before || listed
    }

    /// The turn was stopped, at this record: what is gone just now was dropped, and what goes next is. True if
    /// that is news.
    pub(super) fn stopped(&mut self, record: u64) -> bool {
        let before = self.dropped.len();
        self.aborted = true;
        self.dropped.clear();
        let gone = std::mem::take(&mut self.gone);
        let near = gone.into_iter().filter(|(at, _)| record.saturating_sub(*at) <= NEAR);
        self.drop_all(near.map(|(_, item)| item).collect());
        before > 0 || !self.dropped.is_empty()
    }

    /// The session was taken up again, perhaps by another server. True if its queue was known: it may be gone.
    pub(super) fn resumed(&mut self) -> bool {
        self.resumed = self.items.is_some();
        self.resumed
    }

    /// Takes the answer of `pilothouse.backlog`; false if it says nothing new.
    pub(super) fn told_backlog(&mut self, answer: Value) -> bool {
        let told = Some(backlog::read(answer));
        let news = self.backlog != told;
        self.backlog = told;
        news
    }

    /// What the server keeps and nobody will begin.
    pub fn unbegun(&self) -> impl Iterator<Item = &BacklogItem> {
        self.backlog.iter().flatten().filter(|item| item.dropped)
    }

    /// Whether the server keeps a message, too: it is not lost with this page.
    pub fn keeps(&self, message: &Queued) -> bool {
        self.backlog.iter().flatten().any(|item| item.is(message))
    }

    fn drop_all(&mut self, lost: Vec<Queued>) {
        // A command that was dropped is as easily given again as put back; a message took thought.
        let messages = lost.into_iter().filter(|item| item.kind == QueuedKind::Message);
        let room = MANY.saturating_sub(self.dropped.len());
        let before = self.dropped.len();
        self.dropped.extend(messages.filter(|item| !item.text.trim().is_empty()).take(room));
        self.drops += u64::from(self.dropped.len() > before);
    }
}

#[cfg(test)]
mod tests;
