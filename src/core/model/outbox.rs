//! Messages that were sent from this page and do not yet appear in the queue or the timeline.

use super::entry::Kind;
use super::queue::Queued;
use super::state::State;

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
    Away,
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
    /// Number of entries when it was sent; only later ones can be this message.
    from: usize,
    /// Ids of the items that were queued when it was sent.
    queued: Vec<String>,
}

impl Sent {
    /// Whether the state has it, as an entry or in the queue.
    fn seen(&self, state: &State) -> bool {
        let same = |text: &str| text.trim() == self.text.trim();
        let queue = &state.queue;
        match &self.stage {
            Stage::Sending | Stage::Away | Stage::Failed(_) => false,
            Stage::Taken(id) => {
                state.message_place(id).is_some()
                    || queue.unbegun().any(|item| item.message_id.as_ref() == Some(id))
                    || queue.items.iter().flatten().any(|item| item.message_id.as_ref() == Some(id))
                    || queue.dropped.iter().any(|item| match &item.message_id {
                        Some(dropped) => dropped == id,
                        None => same(&item.text),
                    })
                    || queue.steering.iter().any(|text| same(text))
            }
            Stage::Unsure => {
                let fresh = |item: &&Queued| !self.queued.contains(&item.id);
                let entries = state.entries.get(self.from..).unwrap_or_default();
                queue.unbegun().any(|item| same(&item.text))
                    || entries.iter().any(|entry| entry.kind == Kind::User && same(&entry.text))
                    || queue.items.iter().flatten().filter(fresh).any(|item| same(&item.text))
                    || queue.steering.iter().any(|text| same(text))
            }
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
    pub fn begin(&mut self, text: &str, state: &State) -> u64 {
        self.last += 1;
        let queued = state.queue.items.iter().flatten().map(|item| item.id.clone()).collect();
        let from = state.entries.len();
        let (number, text) = (self.last, text.to_owned());
        self.sent.push(Sent { number, text, stage: Stage::Sending, from, queued });
        number
    }

    /// Sets the delivery state of a message.
    pub fn stage(&mut self, number: u64, stage: Stage) {
        if let Some(sent) = self.sent.iter_mut().find(|sent| sent.number == number) {
            sent.stage = stage;
        }
    }

    /// Removes a message that a person dismissed.
    pub fn forget(&mut self, number: u64) {
        self.sent.retain(|sent| sent.number != number);
    }

    /// The connection is open again: removes an unsent message if its text is in the composer, where it can
    /// be sent again.
    pub fn connected(&mut self, field: &str) {
        self.sent.retain(|sent| sent.stage != Stage::Away || sent.text != field);
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

    fn said(session: &mut Session, id: &str, text: &str) {
        let event = json!({ "type": "user.message", "id": format!("e{id}"), "timestamp": "2026-11-21T20:47:20Z",
            "parentId": null, "data": { "content": text, "messageId": id } });
        session.push_frame(&event.to_string());
    }

    #[test]
    fn a_taken_message_is_joined_by_its_id_and_by_nothing_else() {
        let mut session = Session::new();
        let mut outbox = Outbox::default();
        let number = outbox.begin("hello", session.state());
        said(&mut session, "other", "hello");
        assert!(outbox.settle(session.state()).is_empty(), "the answer says which one it is");
        outbox.stage(number, Stage::Taken("mine".to_owned()));
        assert!(outbox.settle(session.state()).is_empty());
        said(&mut session, "mine", "hello");
        assert_eq!(outbox.settle(session.state()).len(), 1);
        assert!(outbox.sent().is_empty());
    }

    #[test]
    fn a_taken_message_is_settled_by_the_queue_too() {
        let mut session = Session::new();
        let mut outbox = Outbox::default();
        let number = outbox.begin("later", session.state());
        outbox.stage(number, Stage::Taken("m1".to_owned()));
        session.set_queue(json!({ "items": [{ "id": "1", "messageId": "m1", "displayText": "later" }] }));
        assert_eq!(outbox.settle(session.state()).len(), 1);
    }

    #[test]
    fn one_that_may_have_arrived_is_settled_by_its_text_if_that_is_new() {
        let mut session = Session::new();
        said(&mut session, "before", "again");
        session.set_queue(json!({ "items": [{ "id": "1", "displayText": "again" }] }));
        let mut outbox = Outbox::default();
        let number = outbox.begin("again\n", session.state());
        outbox.stage(number, Stage::Unsure);
        assert!(outbox.settle(session.state()).is_empty(), "both were there before");
        said(&mut session, "after", "again");
        assert_eq!(outbox.settle(session.state()).len(), 1);
    }

    #[test]
    fn what_the_server_keeps_to_be_decided_about_is_on_its_way_no_more() {
        let mut session = Session::new();
        let mut outbox = Outbox::default();
        for stage in [Stage::Taken("m1".to_owned()), Stage::Unsure] {
            let number = outbox.begin("later", session.state());
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
        let number = outbox.begin("lost", session.state());
        outbox.stage(number, Stage::Failed("no connection".to_owned()));
        said(&mut session, "x", "lost");
        assert!(outbox.settle(session.state()).is_empty());
        outbox.forget(number);
        assert!(outbox.sent().is_empty());
    }

    #[test]
    fn one_that_found_no_connection_is_told_until_it_can_be_sent_from_the_field() {
        let session = Session::new();
        let mut outbox = Outbox::default();
        for text in ["one", "two"] {
            let number = outbox.begin(text, session.state());
            outbox.stage(number, Stage::Away);
        }
        outbox.connected("one");
        assert_eq!(outbox.sent().iter().map(|sent| sent.text.as_str()).collect::<Vec<_>>(), ["two"]);
    }
}
