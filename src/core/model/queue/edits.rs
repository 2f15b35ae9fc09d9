//! A person's edits of the queue that the server has not confirmed yet: how the queue looks meanwhile,
//! the requests, and what the answers mean.

use serde_json::{Value, json};

use super::{Queued, QueuedKind};

/// One change of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Replace the text of a message.
    Rewrite {
        /// The item's id.
        id: String,
        /// The new text.
        text: String,
    },
    /// Move an item.
    Move {
        /// The item's id.
        id: String,
        /// Its new place, counted from 0.
        to: usize,
    },
    /// Remove an item.
    Remove {
        /// The item's id.
        id: String,
    },
    /// Send an item into the running turn.
    SendNow {
        /// The item's id.
        id: String,
    },
    /// Remove all items.
    Clear,
}

impl Edit {
    /// The request for it: the method, and the params apart from the session's id.
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
            // A move to where the item is already changes nothing, which is what was wanted.
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
    /// The item, with all edits applied.
    pub item: Queued,
    /// The server has not confirmed an edit of it.
    pub changing: bool,
}

impl Shown {
    /// True if its text can be changed.
    pub fn editable(&self) -> bool {
        self.item.kind == QueuedKind::Message
    }
}

/// Edits that are not confirmed, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edits {
    last: u64,
    open: Vec<(u64, Edit)>,
}

impl Edits {
    /// Adds an edit that was sent, and returns its number.
    pub fn begin(&mut self, edit: Edit) -> u64 {
        self.last += 1;
        self.open.push((self.last, edit));
        self.last
    }

    /// Drops an edit: the server has answered it and has sent the queue since.
    pub fn end(&mut self, number: u64) {
        self.open.retain(|(open, _)| *open != number);
    }

    /// The queue as it will be when all edits are done.
    pub fn shown(&self, items: &[Queued]) -> Vec<Shown> {
        let mut shown: Vec<_> =
            items.iter().map(|item| Shown { item: item.clone(), changing: false }).collect();
        for (_, edit) in &self.open {
            edit.apply(&mut shown);
        }
        shown
    }
}
