//! Messages and commands that were sent from this page and do not yet appear in the queue or the timeline.
//!
//! The page keeps them in the browser as well ([`Outbox::kept`]), so that a reload loses none.

use serde_json::{Value, json};

use super::entry::{Body, Entry, Kind};
use super::queue::Queued;
use super::state::State;
use crate::protocol::RequestKind;
use crate::wire::fields::Fields;

/// The delivery state of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// The server has not answered.
    Sending,
    /// The server accepted it and gave it this id; neither queue nor timeline has it yet.
    Taken(String),
    /// No answer came, so it may have arrived. It is not retried automatically.
    Unsure,
    /// It was not sent, because there was no connection.
    Unsent,
    /// It was not delivered, for this reason.
    Failed(String),
}

/// A message that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Identifies the message.
    pub number: u64,
    /// What the person wrote.
    pub text: String,
    /// Its delivery state.
    pub stage: Stage,
    /// Names of its attachments.
    pub attachments: Vec<String>,
    /// How many entries were the same message when it was sent; it has arrived when there are more.
    before: usize,
    /// Ids of the items that were queued when it was sent.
    queued: Vec<String>,
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

impl Sent {
    /// Whether the state has it, as an entry or in the queue.
    fn seen(&self, state: &State) -> bool {
        let same = |text: &str| text.trim() == self.text.trim();
        let queue = &state.queue;
        match &self.stage {
            Stage::Sending | Stage::Unsent | Stage::Failed(_) => false,
            Stage::Taken(id) => {
                state.message_place(id).is_some()
                    || queue.unbegun().any(|item| item.message_id.as_ref() == Some(id))
                    || queue.items.iter().flatten().any(|item| item.message_id.as_ref() == Some(id))
                    || queue.dropped.iter().any(|item| match &item.message_id {
                        Some(dropped) => dropped == id,
                        None => same(&item.text),
                    })
                    || queue.steering.iter().any(|text| same(text))
                    || self.anonymous(state) > self.before
            }
            Stage::Unsure => {
                let fresh = |item: &&Queued| !self.queued.contains(&item.id);
                // The queue does not say what is attached to its items.
                let in_queue = || {
                    queue.items.iter().flatten().filter(fresh).any(|item| same(&item.text))
                        || queue.steering.iter().any(|text| same(text))
                };
                queue
                    .unbegun()
                    .any(|item| same(&item.text) && same_names(&item.attachments, &self.attachments))
                    || messages(state, &self.text, &self.attachments) > self.before
                    || self.attachments.is_empty() && in_queue()
            }
        }
    }

    /// How many entries without ids of their own are the same message.
    fn anonymous(&self, state: &State) -> usize {
        let same = |entry: &Entry| is_anonymous(entry) && is_message(entry, &self.text, &self.attachments);
        state.entries.iter().filter(|entry| same(entry)).count()
    }

    fn kept(&self) -> Option<Value> {
        let (stage, why) = match &self.stage {
            // The server has it, and tells about it.
            Stage::Taken(_) => return None,
            // Nobody waits for the answer any more when it is read again.
            Stage::Sending | Stage::Unsure => ("unsure", None),
            Stage::Unsent => ("unsent", None),
            Stage::Failed(why) => ("failed", Some(why)),
        };
        Some(json!({ "text": self.text, "stage": stage, "why": why, "attachments": self.attachments,
            "before": self.before, "queued": self.queued }))
    }

    fn restored(number: u64, kept: Value) -> Self {
        let mut fields = Fields::of(kept);
        let why = fields.text("why").unwrap_or_default();
        Self {
            number,
            text: fields.text("text").unwrap_or_default(),
            stage: match fields.text("stage").as_deref() {
                Some("unsent") => Stage::Unsent,
                Some("failed") => Stage::Failed(why),
                _ => Stage::Unsure,
            },
            attachments: fields.texts("attachments"),
            before: fields.integer("before").and_then(|count| usize::try_from(count).ok()).unwrap_or(0),
            queued: fields.texts("queued"),
        }
    }
}

/// All sent messages, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outbox {
    last: u64,
    sent: Vec<Sent>,
}

impl Outbox {
    /// Adds a message that is being sent, and returns its number.
    pub fn begin(&mut self, text: &str, attachments: Vec<String>, state: &State) -> u64 {
        self.last += 1;
        let queued = state.queue.items.iter().flatten().map(|item| item.id.clone()).collect();
        let before = messages(state, text, &attachments);
        let (number, text) = (self.last, text.to_owned());
        self.sent.push(Sent { number, text, stage: Stage::Sending, attachments, before, queued });
        number
    }

    /// The messages that a page started anew has to show, as JSON; `None` if there are none. One whose answer
    /// has not come is kept as one that may have arrived.
    pub fn kept(&self) -> Option<Value> {
        let kept: Vec<Value> = self.sent.iter().filter_map(Sent::kept).collect();
        (!kept.is_empty()).then_some(Value::Array(kept))
    }

    /// The messages that [`Outbox::kept`] gave, in place of the present ones. Numbers are not used again.
    pub fn restore(&mut self, kept: Value) {
        self.sent.clear();
        let Value::Array(kept) = kept else { return };
        for sent in kept {
            self.last += 1;
            self.sent.push(Sent::restored(self.last, sent));
        }
    }

    /// Sets the delivery state of a message.
    pub fn stage(&mut self, number: u64, stage: Stage) {
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

    /// The connection is open again: removes an unsent message if its text is in the composer, where it can
    /// be sent again.
    pub fn connected(&mut self, field: &str) {
        self.sent.retain(|sent| sent.stage != Stage::Unsent || sent.text != field);
    }

    /// Removes and returns the messages that the state has by now.
    pub fn settle(&mut self, state: &State) -> Vec<Sent> {
        let (seen, rest) = std::mem::take(&mut self.sent).into_iter().partition(|sent| sent.seen(state));
        self.sent = rest;
        seen
    }

    /// The remaining messages, oldest first.
    pub fn sent(&self) -> &[Sent] {
        &self.sent
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Session;

    fn user_message(session: &mut Session, id: &str, text: &str) {
        let event = json!({ "type": "user.message", "id": format!("e{id}"), "timestamp": "2026-11-21T20:47:20Z",
            "parentId": null, "data": { "content": text, "messageId": id } });
        session.push_frame(&event.to_string());
    }

    #[test]
    fn a_taken_message_is_joined_by_its_id_and_by_nothing_else() {
        let mut session = Session::new();
        let mut outbox = Outbox::default();
        let number = outbox.begin("hello", Vec::new(), session.state());
        user_message(&mut session, "other", "hello");
        assert!(outbox.settle(session.state()).is_empty(), "the answer says which one it is");
        outbox.stage(number, Stage::Taken("mine".to_owned()));
        assert!(outbox.settle(session.state()).is_empty());
        user_message(&mut session, "mine", "hello");
        assert_eq!(outbox.settle(session.state()).len(), 1);
        assert!(outbox.sent().is_empty());
    }

    #[test]
    fn a_taken_message_is_joined_by_what_it_says_where_events_have_no_ids_of_messages() {
        let mut session = Session::new();
        let unnamed = |session: &mut Session, id: &str, text: &str| {
            let event = json!({ "type": "user.message", "id": id, "data": { "content": text } });
            session.push_frame(&event.to_string());
        };
        unnamed(&mut session, "e1", "hello");
        let mut outbox = Outbox::default();
        let number = outbox.begin("hello", Vec::new(), session.state());
        outbox.stage(number, Stage::Taken("mine".to_owned()));
        unnamed(&mut session, "e2", "something else");
        assert!(outbox.settle(session.state()).is_empty(), "the first was there before");
        unnamed(&mut session, "e3", "hello");
        assert_eq!(outbox.settle(session.state()).len(), 1);
    }

    #[test]
    fn a_taken_message_is_settled_by_the_queue_too() {
        let mut session = Session::new();
        let mut outbox = Outbox::default();
        let number = outbox.begin("later", Vec::new(), session.state());
        outbox.stage(number, Stage::Taken("m1".to_owned()));
        session.set_queue(json!({ "items": [{ "id": "1", "messageId": "m1", "displayText": "later" }] }));
        assert_eq!(outbox.settle(session.state()).len(), 1);
    }

    #[test]
    fn one_that_may_have_arrived_is_settled_by_its_text_if_that_is_new() {
        let mut session = Session::new();
        user_message(&mut session, "before", "again");
        session.set_queue(json!({ "items": [{ "id": "1", "displayText": "again" }] }));
        let mut outbox = Outbox::default();
        let number = outbox.begin("again\n", Vec::new(), session.state());
        outbox.stage(number, Stage::Unsure);
        assert!(outbox.settle(session.state()).is_empty(), "both were there before");
        user_message(&mut session, "after", "again");
        assert_eq!(outbox.settle(session.state()).len(), 1);
    }

    #[test]
    fn a_command_that_may_have_arrived_is_settled_by_the_request_to_run_it() {
        let mut session = Session::new();
        let mut outbox = Outbox::default();
        let number = outbox.begin("/dock now", Vec::new(), session.state());
        outbox.stage(number, Stage::Unsure);
        let event = json!({ "type": "command.queued", "id": "e", "timestamp": "2026-11-21T20:47:20Z",
            "data": { "requestId": "r", "command": "/dock now" } });
        session.push_frame(&event.to_string());
        assert_eq!(outbox.settle(session.state()).len(), 1);
    }

    #[test]
    fn somebody_elses_message_with_other_attachments_is_not_this_one() {
        let mut session = Session::new();
        let mut outbox = Outbox::default();
        let number = outbox.begin("look", vec!["boat.png".to_owned()], session.state());
        outbox.stage(number, Stage::Unsure);
        user_message(&mut session, "other", "look");
        session.set_queue(json!({ "items": [{ "id": "1", "displayText": "look" }] }));
        assert!(outbox.settle(session.state()).is_empty());
        let event = json!({ "type": "user.message", "id": "mine", "data": { "content": "look", "messageId": "m",
            "attachments": [{ "type": "blob", "displayName": "boat.png" }] } });
        session.push_frame(&event.to_string());
        assert_eq!(outbox.settle(session.state()).len(), 1);
    }

    #[test]
    fn a_page_that_is_started_anew_has_what_the_old_one_had_not_settled() {
        let mut session = Session::new();
        user_message(&mut session, "before", "twice");
        let mut outbox = Outbox::default();
        for text in ["twice", "taken", "failed", "unsent"] {
            outbox.begin(text, Vec::new(), session.state());
        }
        outbox.stage(2, Stage::Taken("m".to_owned()));
        outbox.stage(3, Stage::Failed("why".to_owned()));
        outbox.stage(4, Stage::Unsent);
        let mut again = Outbox::default();
        again.restore(outbox.kept().unwrap_or_default());
        let stages: Vec<_> =
            again.sent().iter().map(|sent| (sent.text.as_str(), sent.stage.clone())).collect();
        let failed = Stage::Failed("why".to_owned());
        assert_eq!(stages, [("twice", Stage::Unsure), ("failed", failed), ("unsent", Stage::Unsent)]);
        assert!(again.settle(session.state()).is_empty(), "the one in the session is an earlier one");
        user_message(&mut session, "after", "twice");
        assert_eq!(again.settle(session.state()).len(), 1);
        assert_eq!(Outbox::default().kept(), None);
    }

    #[test]
    fn what_the_server_keeps_to_be_decided_about_is_on_its_way_no_more() {
        let mut session = Session::new();
        let mut outbox = Outbox::default();
        for stage in [Stage::Taken("m1".to_owned()), Stage::Unsure] {
            let number = outbox.begin("later", Vec::new(), session.state());
            outbox.stage(number, stage);
        }
        let kept = |state: &str| json!({ "messages": [{ "id": "b", "messageId": "m1", "state": state, "text": "later" }] });
        session.set_backlog(kept("waiting"));
        assert!(outbox.settle(session.state()).is_empty(), "the queue has it, or will");
        session.set_backlog(kept("dropped"));
        assert_eq!(outbox.settle(session.state()).len(), 2);
    }

    #[test]
    fn one_that_did_not_arrive_stays_until_it_is_sent_away() {
        let mut session = Session::new();
        let mut outbox = Outbox::default();
        let number = outbox.begin("lost", Vec::new(), session.state());
        outbox.stage(number, Stage::Failed("no connection".to_owned()));
        user_message(&mut session, "x", "lost");
        assert!(outbox.settle(session.state()).is_empty());
        outbox.forget(number);
        assert!(outbox.sent().is_empty());
    }

    #[test]
    fn one_that_found_no_connection_is_told_until_it_can_be_sent_from_the_field() {
        let session = Session::new();
        let mut outbox = Outbox::default();
        for text in ["one", "two"] {
            let number = outbox.begin(text, Vec::new(), session.state());
            outbox.stage(number, Stage::Unsent);
        }
        outbox.connected("one");
        assert_eq!(outbox.sent().iter().map(|sent| sent.text.as_str()).collect::<Vec<_>>(), ["two"]);
    }
}
