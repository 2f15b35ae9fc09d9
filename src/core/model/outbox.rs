//! Messages and commands that were sent from this page, until they are in the timeline or a person has decided about them.
//!
//! That the queue had a message proves nothing: a runtime may drop one without a word. So only its `user.message`, or a
//! person, ends a message. The page keeps them in the browser as well ([`Outbox::to_stored`]), so that a reload loses none.

use serde_json::{Value, json};

use super::entry::{Body, Entry, Kind};
use super::queue::{BacklogItem, Queued, QueuedKind};
use super::state::{Phase, State};
use crate::protocol::RequestKind;
use crate::wire::fields::Fields;

/// The delivery state of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryStage {
    /// The server has not answered.
    Sending,
    /// The server accepted it and gave it this id, if it has one; the timeline does not have it yet.
    Taken(Option<String>),
    /// The server accepted it, and the agent is at rest without it. It may still come. The id as above.
    Undelivered(Option<String>),
    /// There was no answer, so it may have arrived. It is not retried automatically.
    Unsure,
    /// It was not sent, because there was no connection.
    Unsent,
    /// It was not delivered, for this reason.
    Failed(String),
}

/// A message that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// Identifies the message.
    pub number: u64,
    /// What the person wrote.
    pub text: String,
    /// Its delivery state.
    pub stage: DeliveryStage,
    /// Names of its attachments.
    pub attachments: Vec<String>,
    /// How many entries were the same message when it was sent; it has arrived when there are more.
    before: usize,
    /// Ids of the items that were queued when it was sent.
    queued: Vec<String>,
    /// The queue has it, or it is offered among the dropped messages: it is shown there.
    pub listed: bool,
    /// It was in such a list, or the agent has worked since it was taken. Its end is then due when the agent rests.
    due: bool,
    /// Since when the agent rests without it, in milliseconds.
    missing_since: Option<u64>,
}

/// How long the agent rests before a message that it should have taken up counts as not delivered, in milliseconds:
/// its event may be on the way.
const REST_TIMEOUT_MS: u64 = 3_000;
/// The same, for a message that no list ever had and that should have begun a turn.
const BEGIN_TIMEOUT_MS: u64 = 15_000;

/// What became of messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutboxUpdate {
    /// These are no longer in the outbox.
    pub ended: Vec<SentMessage>,
    /// These may have arrived, and now it is known that they have.
    pub arrived: Vec<SentMessage>,
    /// Look again in so many milliseconds.
    pub again_ms: Option<u64>,
}

/// Whether an entry is a person's message with this text and these attachments, or the request to run a queued command
/// with this text.
fn is_message(entry: &Entry, text: &str, attachments: &[String]) -> bool {
    let same = match &entry.body {
        Body::User(message) => entry.kind == Kind::User && same_names(&message.attachments, attachments),
        Body::Request(request) => request.kind == RequestKind::QueuedCommand && attachments.is_empty(),
        _ => false,
    };
    same && entry.text.trim() == text.trim()
}

fn same_names(one: &[String], other: &[String]) -> bool {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names
    };
    one.len() == other.len() && sorted(one) == sorted(other)
}

fn messages(state: &State, text: &str, attachments: &[String]) -> usize {
    state.entries.iter().filter(|entry| is_message(entry, text, attachments)).count()
}

/// Whether its event has no id of a message, so that only what it says tells it from others.
fn is_anonymous(entry: &Entry) -> bool {
    matches!(&entry.body, Body::User(message) if message.anonymous)
}

impl SentMessage {
    /// Whether it has come to an end: it is in the timeline, the server offers it to everybody, or a person took it out
    /// of the queue here.
    fn ended(&self, state: &State) -> bool {
        match &self.stage {
            DeliveryStage::Sending | DeliveryStage::Unsent | DeliveryStage::Failed(_) => false,
            DeliveryStage::Taken(Some(id)) | DeliveryStage::Undelivered(Some(id)) => {
                let named = |message: &Option<String>| message.as_ref() == Some(id);
                let queue = &state.queue;
                let waits = || queue.items.iter().flatten().any(|item| named(&item.message_id));
                state.message_place(id).is_some()
                    || queue.unstarted().any(|item| named(&item.message_id))
                    || queue.removed.iter().any(|item| named(&item.message_id)) && !waits()
                    || self.anonymous(state) > self.before
            }
            DeliveryStage::Taken(None) | DeliveryStage::Undelivered(None) | DeliveryStage::Unsure => {
                let same = |item: &BacklogItem| {
                    self.has_text(&item.text) && same_names(&item.attachments, &self.attachments)
                };
                state.queue.unstarted().any(same)
                    || messages(state, &self.text, &self.attachments) > self.before
            }
        }
    }

    fn has_text(&self, text: &str) -> bool {
        text.trim() == self.text.trim()
    }

    /// Whether a list shows it: the queue, the steering messages, what was dropped, or what the server keeps.
    fn is_listed(&self, state: &State) -> bool {
        let queue = &state.queue;
        let steers = || queue.steering.iter().any(|text| self.has_text(text));
        match &self.stage {
            DeliveryStage::Taken(Some(id)) | DeliveryStage::Undelivered(Some(id)) => {
                let named = |message: &Option<String>| message.as_ref() == Some(id);
                let dropped = |item: &Queued| match &item.message_id {
                    None => self.has_text(&item.text),
                    message => named(message),
                };
                queue.items.iter().flatten().any(|item| named(&item.message_id))
                    || queue.backlog.iter().flatten().any(|item| named(&item.message_id))
                    || queue.dropped.iter().any(dropped)
                    || steers()
            }
            // The queue does not say what is attached to its items.
            _ if !self.attachments.is_empty() => false,
            _ => {
                let dropped = |item: &Queued| item.message_id.is_none() && self.has_text(&item.text);
                self.new_queue_item(state).is_some() || queue.dropped.iter().any(dropped) || steers()
            }
        }
    }

    /// The item of the queue that says the same and was not there when it was sent.
    fn new_queue_item<'a>(&self, state: &'a State) -> Option<&'a Queued> {
        let mut items = state.queue.items.iter().flatten();
        items.find(|item| !self.queued.contains(&item.id) && self.has_text(&item.text))
    }

    /// Follows a message that has not ended. Returns when to look again, in milliseconds.
    fn follow(&mut self, state: &State, now: Option<u64>) -> Option<u64> {
        let (DeliveryStage::Taken(id) | DeliveryStage::Undelivered(id)) = &self.stage else { return None };
        let id = id.clone();
        // A session that is over has no queue, whatever it was last.
        self.listed = state.phase != Phase::Ended && self.is_listed(state);
        self.due |= self.listed || state.is_busy();
        if self.listed {
            self.stage = DeliveryStage::Taken(id);
        } else if !matches!(self.stage, DeliveryStage::Undelivered(_))
            && !state.is_busy()
            && let Some(now) = now
        {
            let since = *self.missing_since.get_or_insert(now);
            let grace = if self.due { REST_TIMEOUT_MS } else { BEGIN_TIMEOUT_MS };
            let left = grace.saturating_sub(now.saturating_sub(since));
            if left == 0 {
                self.stage = DeliveryStage::Undelivered(id);
            }
            return (left > 0).then_some(left);
        }
        self.missing_since = None;
        None
    }

    /// How many entries without ids of their own are the same message.
    fn anonymous(&self, state: &State) -> usize {
        let same = |entry: &Entry| is_anonymous(entry) && is_message(entry, &self.text, &self.attachments);
        state.entries.iter().filter(|entry| same(entry)).count()
    }

    fn to_stored(&self) -> Value {
        let (stage, why) = match &self.stage {
            DeliveryStage::Taken(_) | DeliveryStage::Undelivered(_) => ("taken", None),
            // Nobody waits for the answer any more when it is read again.
            DeliveryStage::Sending | DeliveryStage::Unsure => ("unsure", None),
            DeliveryStage::Unsent => ("unsent", None),
            DeliveryStage::Failed(why) => ("failed", Some(why)),
        };
        let id = match &self.stage {
            DeliveryStage::Taken(id) | DeliveryStage::Undelivered(id) => id.as_deref(),
            _ => None,
        };
        json!({ "text": self.text, "stage": stage, "why": why, "id": id, "attachments": self.attachments,
            "before": self.before, "queued": self.queued })
    }

    fn from_stored(number: u64, kept: Value) -> Self {
        let mut fields = Fields::of(kept);
        let why = fields.text("why").unwrap_or_default();
        let id = fields.non_empty_text("id");
        Self {
            number,
            text: fields.text("text").unwrap_or_default(),
            stage: match fields.text("stage").as_deref() {
                Some("taken") => DeliveryStage::Taken(id),
                Some("unsent") => DeliveryStage::Unsent,
                Some("failed") => DeliveryStage::Failed(why),
                _ => DeliveryStage::Unsure,
            },
            attachments: fields.texts("attachments"),
            before: fields.integer("before").and_then(|count| usize::try_from(count).ok()).unwrap_or(0),
            queued: fields.texts("queued"),
            listed: false,
            due: true,
            missing_since: None,
        }
    }
}

/// All sent messages, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outbox {
    last: u64,
    sent: Vec<SentMessage>,
}

impl Outbox {
    /// Adds a message that is being sent, and returns its number.
    pub fn begin(&mut self, text: &str, attachments: Vec<String>, state: &State) -> u64 {
        self.last += 1;
        let queued = state.queue.items.iter().flatten().map(|item| item.id.clone()).collect();
        let before = messages(state, text, &attachments);
        let (number, text) = (self.last, text.to_owned());
        self.sent.push(SentMessage {
            number,
            text,
            stage: DeliveryStage::Sending,
            attachments,
            before,
            queued,
            listed: false,
            due: false,
            missing_since: None,
        });
        number
    }

    /// The messages that a page started anew has to show, as JSON; `None` if there are none. One whose answer
    /// has not come is kept as one that may have arrived.
    pub fn to_stored(&self) -> Option<Value> {
        let kept: Vec<Value> = self.sent.iter().map(SentMessage::to_stored).collect();
        (!kept.is_empty()).then_some(Value::Array(kept))
    }

    /// The messages that [`Outbox::to_stored`] gave, in place of the present ones. Numbers are not used again.
    pub fn restore(&mut self, kept: Value) {
        self.sent.clear();
        let Value::Array(kept) = kept else { return };
        for sent in kept {
            self.last += 1;
            self.sent.push(SentMessage::from_stored(self.last, sent));
        }
    }

    /// Sets the delivery state of a message.
    pub fn stage(&mut self, number: u64, stage: DeliveryStage) {
        if let Some(sent) = self.sent.iter_mut().find(|sent| sent.number == number) {
            sent.stage = stage;
        }
    }

    /// Whether it has this message.
    pub fn has(&self, number: u64) -> bool {
        self.sent.iter().any(|sent| sent.number == number)
    }

    /// Removes a message that a person dismissed.
    pub fn forget(&mut self, number: u64) {
        self.sent.retain(|sent| sent.number != number);
    }

    /// A person took a message back from the runtime into the field.
    pub fn remove_withdrawn(&mut self, message_id: &str) {
        self.sent.retain(|sent| match &sent.stage {
            DeliveryStage::Taken(Some(own)) | DeliveryStage::Undelivered(Some(own)) => own != message_id,
            _ => true,
        });
    }

    /// The connection is open again: removes an unsent message if its text is in the composer, where it can
    /// be sent again.
    pub fn remove_unsent_in_field(&mut self, field: &str) {
        self.sent.retain(|sent| sent.stage != DeliveryStage::Unsent || sent.text != field);
    }

    /// A person has decided about a message of the queue elsewhere, so that it is not offered from here as well.
    pub fn remove_decided(&mut self, message: &Queued) {
        self.sent.retain(|sent| match (&sent.stage, &message.message_id) {
            (DeliveryStage::Taken(Some(own)) | DeliveryStage::Undelivered(Some(own)), Some(id)) => own != id,
            (DeliveryStage::Taken(_) | DeliveryStage::Undelivered(_), None) => {
                !(sent.listed && sent.has_text(&message.text))
            }
            _ => true,
        });
    }

    /// Follows the messages in the state. `now` is in milliseconds; none while the state may lack what the server has,
    /// because there is no connection or the history is still being read.
    pub fn settle(&mut self, state: &State, now: Option<u64>) -> OutboxUpdate {
        let mut settled = OutboxUpdate::default();
        for mut sent in std::mem::take(&mut self.sent) {
            if sent.ended(state) {
                settled.ended.push(sent);
                continue;
            }
            if sent.stage == DeliveryStage::Unsure && sent.is_listed(state) {
                let item = sent.new_queue_item(state);
                // A command has no message that could end it.
                if item.is_some_and(|item| item.kind == QueuedKind::Command) {
                    settled.ended.push(sent);
                    continue;
                }
                let id = item.and_then(|item| item.message_id.clone());
                settled.arrived.push(sent.clone());
                sent.stage = DeliveryStage::Taken(id);
            }
            let again = sent.follow(state, now);
            settled.again_ms = settled.again_ms.into_iter().chain(again).min();
            self.sent.push(sent);
        }
        settled
    }

    /// The remaining messages, oldest first.
    pub fn sent(&self) -> &[SentMessage] {
        &self.sent
    }
}

#[cfg(test)]
mod tests;
