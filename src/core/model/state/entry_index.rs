//! Finds the entry that an id belongs to.

use pilothouse_scan::same;

use super::State;
use crate::model::entry::Kind;

/// Kinds of ids. An id is unique in its kind only: a tool call and its permission may share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Message,
    Reasoning,
    Tool,
    Request,
    Subagent,
    Named,
}

impl Space {
    pub(super) const COUNT: usize = Self::Named as usize + 1;
}

impl State {
    /// The place of a request by its id.
    pub fn request_place(&self, request_id: &str) -> Option<usize> {
        self.place(Space::Request, request_id)
    }

    /// The place of a message by its id.
    pub fn message_place(&self, message_id: &str) -> Option<usize> {
        self.place(Space::Message, message_id)
    }

    /// The place of a tool call by its id.
    pub fn tool_place(&self, tool_call_id: &str) -> Option<usize> {
        self.place(Space::Tool, tool_call_id)
    }

    /// The place of the sub-agent that a `task` call started.
    pub fn subagent_place(&self, tool_call_id: &str) -> Option<usize> {
        self.place(Space::Subagent, tool_call_id)
    }

    /// The place of a sub-agent's own entry, by its agent id.
    pub fn agent_place(&self, agent: &str) -> Option<usize> {
        self.place(Space::Named, &["agent ", agent].concat())
    }

    pub(crate) fn place(&self, space: Space, id: &str) -> Option<usize> {
        self.index.get(space as usize)?.get(id).copied()
    }

    /// From here on, an id refers to the entry at a place.
    pub(crate) fn index_entry(&mut self, space: Space, id: String, place: usize) {
        if let Some(index) = self.index.get_mut(space as usize) {
            index.insert(id, place);
        }
    }

    /// From here on, an id refers to no entry; returns the place of the one that it had.
    pub(crate) fn unindex(&mut self, space: Space, id: &str) -> Option<usize> {
        self.index.get_mut(space as usize)?.remove(id)
    }

    /// Like `place`, for the two streams that deltas append to: the newest one is nearly always meant, and
    /// comparing its id is cheaper than hashing.
    pub(crate) fn stream_place(&mut self, space: Space, id: &str) -> Option<usize> {
        let slot = usize::from(space == Space::Reasoning);
        let last = self.last_hit.get(slot).copied().unwrap_or(usize::MAX);
        let kind = if space == Space::Reasoning { Kind::Reasoning } else { Kind::Assistant };
        if self
            .entries
            .get(last)
            .is_some_and(|entry| entry.kind == kind && same(entry.id.as_bytes(), id.as_bytes()))
        {
            return Some(last);
        }
        let place = self.place(space, id)?;
        if let Some(hit) = self.last_hit.get_mut(slot) {
            *hit = place;
        }
        Some(place)
    }
}
