//! Messages that the agent has not begun and that a person can send again, put back into the field or discard: they were
//! dropped, or taken out of the queue here.

use serde_json::Value;

use super::edits::QueueEdit;
use super::{BacklogItem, Queue, Queued, QueuedKind};

/// A message that a person can decide about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// The server keeps it.
    OnServer(BacklogItem),
    /// Only this page knows it.
    OnPage(Queued),
}

impl Offer {
    /// Its text.
    pub fn text(&self) -> &str {
        match self {
            Self::OnServer(item) => &item.text,
            Self::OnPage(item) => &item.text,
        }
    }

    /// Its id in the server's backlog.
    pub fn backlog_id(&self) -> Option<&str> {
        match self {
            Self::OnServer(item) => Some(&item.id),
            Self::OnPage(_) => None,
        }
    }

    /// Whether it is this message of the runtime's queue.
    fn is(&self, message: &Queued) -> bool {
        match self {
            Self::OnServer(item) => item.is(message),
            Self::OnPage(item) => item == message,
        }
    }

    /// The message as JSON, in the shape of the queue's items.
    pub fn json(&self) -> Value {
        match self {
            Self::OnServer(item) => item.queued().json(),
            Self::OnPage(item) => item.json(),
        }
    }
}

impl Queue {
    /// The messages that were dropped and that nobody has decided about: those that the server keeps, then those that only
    /// this page knows.
    pub fn dropped_offers(&self) -> Vec<Offer> {
        let on_server = self.unstarted().filter(|item| !self.decided.contains(&item.id)).cloned();
        let here = self.dropped.iter().filter(|item| !self.is_in_backlog(item)).cloned();
        on_server.map(Offer::OnServer).chain(here.map(Offer::OnPage)).collect()
    }

    /// The messages that the newest edit from here took out of the queue and that nobody has decided about.
    pub fn removed_offers(&self) -> Vec<Offer> {
        self.removed.iter().cloned().map(Offer::OnPage).collect()
    }

    /// Whether there are any of both.
    pub fn has_offers(&self) -> bool {
        !self.removed.is_empty() || !self.dropped_offers().is_empty()
    }

    /// Notes which messages an edit takes out of the queue. Commands are left out: they are quickly typed again.
    pub(super) fn take_out(&mut self, edit: &QueueEdit) {
        let taken = |item: &&Queued| match edit {
            QueueEdit::Remove { id } => item.id == *id,
            _ => matches!(edit, QueueEdit::Clear),
        };
        if edit.takes_out() {
            let messages = self.items.iter().flatten().filter(|item| item.kind == QueuedKind::Message);
            self.removed = messages.filter(taken).cloned().collect();
            self.emptied = matches!(edit, QueueEdit::Clear);
        }
    }

    /// Notes that a person has decided about offers. Those that the server keeps are hidden until it has confirmed that.
    pub(crate) fn decide(&mut self, offers: &[Offer]) {
        let ids = offers.iter().filter_map(Offer::backlog_id);
        self.decided.extend(ids.map(str::to_owned));
        // What the server keeps may be known here too, from the queue.
        let is_open = |item: &Queued| !offers.iter().any(|offer| offer.is(item));
        self.dropped.retain(is_open);
        self.removed.retain(is_open);
    }

    /// Notes that the server has carried out decisions, or failed to: what it still keeps is offered again.
    pub(crate) fn decision_ended(&mut self, backlog_ids: &[String]) {
        self.decided.retain(|id| !backlog_ids.contains(id));
    }
}
