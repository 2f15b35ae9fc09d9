//! Owns what a person did to the queue and the server has not confirmed: how it looks meanwhile, how it is asked for,
//! and what an answer means. Refuses to send it, and to repeat it.

use serde_json::{Value, json};

use super::{Queued, QueuedKind};

/// One thing that a person does to the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Another text for a message.
    Rewrite {
        /// The item.
        id: String,
        /// The text.
        text: String,
    },
    /// Another place.
    Move {
        /// The item.
        id: String,
        /// Its place from then on.
        to: usize,
    },
    /// Out of the queue.
    Remove {
        /// The item.
        id: String,
    },
    /// Into the turn that runs.
    SendNow {
        /// The item.
        id: String,
    },
    /// All of them out of the queue.
    Clear,
}

impl Edit {
    /// The request for it: method and params beside the session's id.
    pub fn order(&self) -> (&'static str, Value) {
        match self {
            Self::Rewrite { id, text } => ("session.queue.updateText", json!({ "id": id, "prompt": text })),
            Self::Move { id, to } => ("session.queue.moveItem", json!({ "id": id, "toPosition": to })),
            Self::Remove { id } => ("session.queue.removeAt", json!({ "id": id })),
            Self::SendNow { id } => ("session.queue.sendNow", json!({ "id": id })),
            Self::Clear => ("session.queue.clear", json!({})),
        }
    }

    /// Whether the answer says that it was not done: the item is gone, or there is no turn to steer.
    pub fn refused(&self, answer: &Value) -> bool {
        let word = match self {
            Self::Rewrite { .. } => "updated",
            Self::Remove { .. } => "removed",
            Self::SendNow { .. } => "steered",
            // A move to where it is already changes nothing, which is what was wanted.
            Self::Move { .. } | Self::Clear => return false,
        };
        answer.get(word).and_then(Value::as_bool) == Some(false)
    }

    fn apply(&self, items: &mut Vec<Shown>) {
        let place = |items: &[Shown], id: &str| items.iter().position(|shown| shown.item.id == id);
        match self {
            Self::Rewrite { id, text } => {
                if let Some(shown) = items.iter_mut().find(|shown| shown.item.id == *id) {
                    shown.item.text.clone_from(text);
                    shown.changing = true;
                }
            }
            Self::Move { id, to } => {
                if let Some(from) = place(items, id) {
                    let mut shown = items.remove(from);
                    shown.changing = true;
                    items.insert((*to).min(items.len()), shown);
                }
            }
            Self::Remove { id } | Self::SendNow { id } => items.retain(|shown| shown.item.id != *id),
            Self::Clear => items.clear(),
        }
    }
}

/// An item as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The item, as it will be.
    pub item: Queued,
    /// The server has not confirmed that.
    pub changing: bool,
}

impl Shown {
    /// Its text can be changed.
    pub fn editable(&self) -> bool {
        self.item.kind == QueuedKind::Message
    }
}

/// Edits that are on their way, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edits {
    last: u64,
    open: Vec<(u64, Edit)>,
}

impl Edits {
    /// Notes an edit that was sent; the number names it.
    pub fn begin(&mut self, edit: Edit) -> u64 {
        self.last += 1;
        self.open.push((self.last, edit));
        self.last
    }

    /// The server has answered, and has told the queue since: from here on it is as the server says.
    pub fn end(&mut self, number: u64) {
        self.open.retain(|(open, _)| *open != number);
    }

    /// The queue as it will be if everything that is on its way is done.
    pub fn shown(&self, items: &[Queued]) -> Vec<Shown> {
        let mut shown: Vec<_> =
            items.iter().map(|item| Shown { item: item.clone(), changing: false }).collect();
        for (_, edit) in &self.open {
            edit.apply(&mut shown);
        }
        shown
    }
}
