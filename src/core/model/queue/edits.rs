//! A person's edits of the queue that the server has not confirmed yet: how the queue looks meanwhile,
//! the requests, and what the answers mean.

use serde_json::{Value, json};

use super::{Queued, QueuedKind};

/// One change of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueEdit {
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

const REWRITE: &str = "session.queue.updateText";
const MOVE: &str = "session.queue.moveItem";
const REMOVE: &str = "session.queue.removeAt";
const SEND_NOW: &str = "session.queue.sendNow";
const CLEAR: &str = "session.queue.clear";

impl QueueEdit {
    /// The request for it: the method, and the params apart from the session's id.
    pub fn request(&self) -> (&'static str, Value) {
        match self {
            Self::Rewrite { id, text } => (REWRITE, json!({ "id": id, "prompt": text })),
            Self::Move { id, to } => (MOVE, json!({ "id": id, "toPosition": to })),
            Self::Remove { id } => (REMOVE, json!({ "id": id })),
            Self::SendNow { id } => (SEND_NOW, json!({ "id": id })),
            Self::Clear => (CLEAR, json!({})),
        }
    }

    /// The edit that a request makes; `None` for any other request.
    pub fn of_request(method: &str, params: &Value) -> Option<Self> {
        let text = |name: &str| params.get(name)?.as_str().map(str::to_owned);
        Some(match method {
            REWRITE => Self::Rewrite { id: text("id")?, text: text("prompt")? },
            MOVE => {
                let to = params.get("toPosition")?.as_u64()?;
                Self::Move { id: text("id")?, to: usize::try_from(to).unwrap_or(usize::MAX) }
            }
            REMOVE => Self::Remove { id: text("id")? },
            SEND_NOW => Self::SendNow { id: text("id")? },
            CLEAR => Self::Clear,
            _ => return None,
        })
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

    /// Whether it takes items out of the queue that the agent is not to get.
    pub(super) fn takes_out(&self) -> bool {
        matches!(self, Self::Remove { .. } | Self::Clear)
    }

    fn apply(&self, items: &mut Vec<ShownItem>) {
        let place = |items: &[ShownItem], id: &str| items.iter().position(|shown| shown.item.id == id);
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
pub struct ShownItem {
    /// The item, with all edits applied.
    pub item: Queued,
    /// The server has not confirmed an edit of it.
    pub changing: bool,
}

impl ShownItem {
    /// True if its text can be changed.
    pub fn editable(&self) -> bool {
        self.item.kind == QueuedKind::Message
    }
}

/// An edit that the server has not confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PendingEdit {
    number: u64,
    edit: QueueEdit,
    /// The server has answered it, but has not listed its queue since.
    answered: bool,
}

/// Edits that are not confirmed, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edits {
    last: u64,
    open: Vec<PendingEdit>,
}

impl Edits {
    /// Adds an edit that was sent, and returns its number.
    pub(crate) fn begin(&mut self, edit: QueueEdit) -> u64 {
        self.last += 1;
        self.open.push(PendingEdit { number: self.last, edit, answered: false });
        self.last
    }

    /// Notes that the server has answered an edit, or that no answer will come. Returns the edit.
    pub(crate) fn answered(&mut self, number: u64) -> Option<&QueueEdit> {
        let open = self.open.iter_mut().find(|open| open.number == number)?;
        open.answered = true;
        Some(&open.edit)
    }

    /// Drops the edits that were answered, as the server has listed its queue since. True if there were any.
    pub(crate) fn end(&mut self) -> bool {
        let before = self.open.len();
        self.open.retain(|open| !open.answered);
        self.open.len() < before
    }

    /// The queue as it will be when all edits are done.
    pub fn shown(&self, items: &[Queued]) -> Vec<ShownItem> {
        let mut shown: Vec<_> =
            items.iter().map(|item| ShownItem { item: item.clone(), changing: false }).collect();
        for open in &self.open {
            open.edit.apply(&mut shown);
        }
        shown
    }

    /// The edits as their requests.
    pub fn json(&self) -> Value {
        let requests = self.open.iter().map(|open| open.edit.request());
        requests.map(|(method, params)| json!({ "method": method, "params": params })).collect()
    }

    /// True if all edits are confirmed.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}
