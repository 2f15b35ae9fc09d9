//! The messages that wait for the agent, as the server lists them, and those that an abort dropped.
//!
//! No event carries the queue. The server is asked after each change, and removed items are found by
//! comparing two answers. The events around it tell why an item was removed: its own message, or an abort.

mod backlog;
pub mod edits;
mod offers;
pub mod steering;

use serde_json::{Map, Value};

use crate::wire::fields::Fields;

pub use backlog::{BACKLOG_CHANGED, BacklogItem};
use edits::{Edits, QueueEdit, ShownItem};
pub use offers::Offer;

/// An item that was removed at most this many records before an abort was dropped by it: the runtime sends
/// both together. Items that a person removed are longer ago.
const ABORT_DISTANCE: u64 = 4;
/// Maximum number of dropped messages that are stored.
const MAX_DROPPED: usize = 100;

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
    /// The server's id for it; empty for a steering message.
    pub id: String,
    /// The id that its `user.message` will have.
    pub message_id: Option<String>,
    /// Message or command.
    pub kind: QueuedKind,
    /// Its text.
    pub text: String,
    /// The agent mode it will run in.
    pub agent_mode: Option<String>,
}

impl Queued {
    fn of(value: Value) -> Self {
        let mut fields = Fields::of(value);
        Self {
            id: fields.non_empty_text("id").unwrap_or_default(),
            message_id: fields.non_empty_text("messageId"),
            kind: match fields.non_empty_text("kind").as_deref() {
                Some("command") => QueuedKind::Command,
                _ => QueuedKind::Message,
            },
            text: fields.text("displayText").unwrap_or_default(),
            agent_mode: fields.non_empty_text("agentMode"),
        }
    }

    fn steering(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// The item as the server's JSON.
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
    /// How many times the queue changed.
    pub changed: u64,
    /// The items in the server's last answer; unknown without a connection that can ask.
    pub items: Option<Vec<Queued>>,
    /// Edits by a person that the server has not confirmed. They lie over its list.
    pub edits: Edits,
    /// The queue was paused from here, or the server has reported that it is. There is no event when another client pauses it.
    pub paused: bool,
    /// Messages that steer the running turn, in the server's last answer.
    pub steering: Vec<String>,
    /// How many of the steering messages, from the first, the turn has already taken.
    pub in_flight: usize,
    /// Messages that the server keeps because no turn has begun with them; none if the server has no backlog.
    pub backlog: Option<Vec<BacklogItem>>,
    /// Messages dropped by the newest abort, or lost with a server that ended. A message leaves this list when a person
    /// decides about it, or when the server offers it.
    pub dropped: Vec<Queued>,
    /// Messages that the newest edit from here took out of the queue and that can be put back.
    pub removed: Vec<Queued>,
    /// That edit emptied the queue: the messages go back to where they were if they are sent again in their order.
    pub emptied: bool,
    /// Ids in the backlog of messages that somebody has decided about here, while the server has not confirmed it.
    pub decided: Vec<String>,
    /// Removed items of which it is not known whether they were dropped, each with the record of the last
    /// queue change.
    gone: Vec<(u64, Queued)>,
    /// The record of the newest change.
    changed_at: u64,
    aborted: bool,
    /// The session was resumed: items that the next answer lacks were lost with the previous server.
    resumed: bool,
}

impl Queue {
    /// Notes a change of the queue at this record.
    pub(crate) fn count_change(&mut self, record: u64) {
        self.changed += 1;
        self.changed_at = record;
    }

    /// The server's list with the edits that lie over it.
    pub fn shown(&self) -> Vec<ShownItem> {
        self.edits.shown(self.items.as_deref().unwrap_or_default())
    }

    /// Whether something waits, in the server's last answer.
    pub fn has_items(&self) -> bool {
        !self.steering.is_empty() || self.items.as_ref().is_some_and(|items| !items.is_empty())
    }

    /// Takes the answer to `session.queue.pendingItems`; false if nothing changed.
    pub(crate) fn set_items(&mut self, answer: Value) -> bool {
        let confirmed = self.edits.end();
        let mut fields = Fields::of(answer);
        let items: Vec<Queued> = fields.list("items").into_iter().map(Queued::of).collect();
        let steering = fields.texts("steeringMessages");
        let in_flight = fields.integer("inFlightSteeringCount").and_then(|count| count.try_into().ok());
        let in_flight = in_flight.unwrap_or(0_usize);
        if self.items.as_ref() == Some(&items) && self.steering == steering && self.in_flight == in_flight {
            return confirmed;
        }
        let listed = |item: &Queued| match item.id.as_str() {
            "" => steering.contains(&item.text),
            id => items.iter().any(|item| item.id == id) || steering.contains(&item.text),
        };
        let before = self.items.take().unwrap_or_default();
        let waited = self.steering.iter().skip(self.in_flight).map(|text| Queued::steering(text));
        let lost: Vec<_> = before.into_iter().chain(waited).filter(|item| !listed(item)).collect();
        // Items that survived the interruption of the turn are listed again.
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

    /// The agent received a message, so it was not dropped. True if a visible list changed.
    pub(crate) fn take_message(&mut self, message_id: &str, text: &str) -> bool {
        let before = self.dropped.len();
        let taken = |item: &Queued| match item.message_id.as_deref() {
            Some(id) => id == message_id,
            None => item.kind == QueuedKind::Message && item.text == text,
        };
        self.gone.retain(|(_, item)| !taken(item));
        self.dropped.retain(|item| !taken(item));
        self.aborted = false;
        // The message can arrive before the answer that no longer lists it.
        let named = |item: &Queued| item.message_id.as_deref() == Some(message_id);
        let listed = self.items.as_mut().is_some_and(|items| {
            let before = items.len();
            items.retain(|item| !named(item));
            items.len() < before
        });
        self.dropped.len() < before || listed
    }

    /// The turn was aborted at this record: items that were just removed, or are removed next, count as
    /// dropped. True if `dropped` changed.
    pub(crate) fn stop(&mut self, record: u64) -> bool {
        let before = self.dropped.len();
        self.aborted = true;
        self.dropped.clear();
        let removed_before = std::mem::take(&mut self.gone);
        let near = removed_before.into_iter().filter(|(at, _)| record.saturating_sub(*at) <= ABORT_DISTANCE);
        self.drop_all(near.map(|(_, item)| item).collect());
        before > 0 || !self.dropped.is_empty()
    }

    /// The session was resumed, perhaps by another server. True if its queue was known, as it may be lost.
    pub(crate) fn resume(&mut self) -> bool {
        self.resumed = self.items.is_some();
        self.resumed
    }

    /// Takes the answer to `pilothouse.backlog`; false if nothing changed.
    pub(crate) fn set_backlog(&mut self, answer: Value) -> bool {
        let backlog = Some(backlog::read(answer));
        let news = self.backlog != backlog;
        self.backlog = backlog;
        self.leave_to_server();
        news
    }

    /// Messages of the backlog that the server will not start on its own.
    pub fn unstarted(&self) -> impl Iterator<Item = &BacklogItem> {
        self.backlog.iter().flatten().filter(|item| item.dropped)
    }

    /// What the server offers is not offered from here as well.
    fn leave_to_server(&mut self) {
        let mut dropped = std::mem::take(&mut self.dropped);
        dropped.retain(|message| !self.unstarted().any(|item| item.is(message)));
        self.dropped = dropped;
    }

    /// Notes an edit that was sent, and returns its number.
    pub(crate) fn edit_sent(&mut self, edit: QueueEdit) -> u64 {
        // What is taken out can be put back.
        self.take_out(&edit);
        self.edits.begin(edit)
    }

    /// Notes that the server has answered an edit, or with `None` that no answer will come. True if messages that it
    /// was to take out are not offered any more, as they are still in the queue.
    pub(crate) fn edit_answered(&mut self, number: u64, answer: Option<&Value>) -> bool {
        let Some(edit) = self.edits.answered(number) else { return false };
        let failed = answer.is_none_or(|answer| edit.refused(answer));
        let undone = failed && edit.takes_out() && !self.removed.is_empty();
        if undone {
            self.removed.clear();
        }
        undone
    }

    /// Whether the server's backlog has the message too, so that it is not lost with this page.
    pub fn is_in_backlog(&self, message: &Queued) -> bool {
        self.backlog.iter().flatten().any(|item| item.is(message))
    }

    fn drop_all(&mut self, lost: Vec<Queued>) {
        // Commands are left out: they are quickly typed again, while a message takes thought.
        let messages = lost.into_iter().filter(|item| item.kind == QueuedKind::Message);
        let room = MAX_DROPPED.saturating_sub(self.dropped.len());
        self.dropped.extend(messages.filter(|item| !item.text.trim().is_empty()).take(room));
        self.leave_to_server();
    }
}

#[cfg(test)]
mod tests;
