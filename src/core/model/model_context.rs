//! The model's context: an ordered list of messages by role, as far as the events reveal it.

use std::sync::Arc;

use serde_json::Value;

use crate::wire::json::Json;
use crate::wire::text::Text;

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The system prompt.
    System,
    /// The developer's prompt.
    Developer,
    /// A person, or the runtime in a person's place.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

impl Role {
    /// The value of the field `role`.
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    fn is_instruction(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}

/// One message in the model's context.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its role.
    pub role: Role,
    /// The text that the model reads.
    pub content: Text,
    /// Id of the event that added it.
    pub event_id: String,
    /// Name of a system or developer message. The next one of the same role and name replaces it.
    pub name: Option<String>,
    /// Tool calls of an assistant message, an array.
    pub tool_calls: Option<Json>,
    /// Id of the call that a tool message answers.
    pub tool_call_id: Option<String>,
    /// Index of its timeline entry. The calls of an assistant message have entries of their own.
    pub entry: Option<usize>,
    /// Tokens that the model spent on it, if the runtime says so.
    pub tokens: Option<i64>,
    /// A number that is unique in this context and never reused.
    pub serial: u64,
    /// Number of its event, for rewinding.
    pub(crate) number: u64,
    /// The person's own text without the runtime's additions; compaction quotes it.
    pub(crate) typed: Option<String>,
}

impl Message {
    /// A message with these fields only.
    pub(crate) fn new(role: Role, content: impl Into<Text>, event_id: &str, number: u64) -> Self {
        Self {
            role,
            content: content.into(),
            event_id: event_id.to_owned(),
            name: None,
            tool_calls: None,
            tool_call_id: None,
            entry: None,
            tokens: None,
            serial: 0,
            number,
            typed: None,
        }
    }

    /// Its tool calls.
    pub fn calls(&self) -> &[Value] {
        self.tool_calls.as_ref().and_then(|calls| calls.as_array()).map_or(&[], Vec::as_slice)
    }
}

/// Why messages were removed from the model's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A summary replaced them; with the numbers of tokens before and after, if known.
    Compacted(Option<(i64, i64)>),
    /// They were the oldest, and the context was full.
    Truncated,
    /// The session was rewound to a point before them.
    Rewound,
    /// The host cleared the conversation.
    Cleared,
}

/// Messages that were removed from the model's context together.
#[derive(Debug, Clone, PartialEq)]
pub struct Removal {
    /// Why they were removed.
    pub cause: Cause,
    /// Index of the timeline entry about it.
    pub entry: usize,
    /// The removed messages, in order.
    pub messages: Vec<Arc<Message>>,
    /// Number of the event that removed them.
    pub(crate) number: u64,
    /// A unique number, from the same sequence as those of messages.
    pub serial: u64,
}

/// The model's context.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelContext {
    messages: Vec<Arc<Message>>,
    removals: Vec<Removal>,
    rewrites: u64,
    serials: u64,
}

impl ModelContext {
    /// The messages in the order in which the model reads them.
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// The removals, oldest first.
    pub fn removals(&self) -> &[Removal] {
        &self.removals
    }

    /// Number of changes other than appending a message.
    pub fn rewrites(&self) -> u64 {
        self.rewrites
    }

    /// Index in [`ModelContext::messages`] before which a removal is shown.
    pub fn place_of(&self, removal: &Removal) -> usize {
        let instructions = self.instructions();
        let conversation = self.messages.iter().skip(instructions);
        instructions
            + match removal.cause {
                Cause::Rewound => conversation.take_while(|message| message.number < removal.number).count(),
                _ => 0,
            }
    }

    /// Adds a message at the end.
    pub(crate) fn push(&mut self, message: Message) {
        let message = self.numbered(message);
        self.messages.push(message);
    }

    /// Replaces the system or developer message of the same role and name, or adds it after the other
    /// instructions.
    pub(crate) fn upsert_instruction(&mut self, message: Message) {
        // Instructions come first, so the conversation need not be searched.
        let mut instructions = self.messages.iter().take_while(|old| old.role.is_instruction());
        let same = |old: &Arc<Message>| old.role == message.role && old.name == message.name;
        let place = instructions.position(same);
        let old = place.and_then(|place| self.messages.get_mut(place));
        match old {
            // The runtime sends the prompt again for every turn, nearly always unchanged.
            Some(old) if old.content == message.content => {
                let (serial, entry) = (old.serial, message.entry.or(old.entry));
                *old = Arc::new(Message { entry, serial, ..message });
            }
            _ => {
                let message = self.numbered(message);
                self.rewrites += 1;
                if let Some(old) = place.and_then(|place| self.messages.get_mut(place)) {
                    *old = message;
                } else {
                    self.messages.insert(self.instructions(), message);
                }
            }
        }
    }

    /// Compaction: the summary replaces the oldest `removed` messages, or all. Instructions stay.
    pub(crate) fn compact(
        &mut self,
        removed: Option<usize>,
        mut summary: Message,
        tokens: Option<(i64, i64)>,
        entry: usize,
    ) {
        let conversation = self.messages.len() - self.instructions();
        let removed = removed.unwrap_or(conversation).min(conversation);
        let removed_messages = self.take_oldest(removed);
        let mut quoted = String::new();
        for typed in removed_messages.iter().filter_map(|message| message.typed.as_ref()) {
            quoted.push_str("<user_message>\n");
            quoted.push_str(typed);
            quoted.push_str("\n</user_message>\n");
        }
        summary.content = format!(
            "The conversation history has been summarized to free up context.\n\nYou were originally given \
             instructions from a user over one or more turns. Here were the user messages:\n{quoted}\nHere is a \
             summary of the prior context:\n<summary>\n{}\n</summary>\n",
            summary.content
        )
        .into();
        summary.entry = Some(entry);
        let number = summary.number;
        let summary = self.numbered(summary);
        self.messages.insert(self.instructions(), summary);
        self.note_removal(Cause::Compacted(tokens), entry, number, removed_messages);
    }

    /// Truncation: removes the oldest `removed` messages. Instructions stay.
    pub(crate) fn truncate(&mut self, removed: usize, entry: usize, number: u64) {
        let removed_messages = self.take_oldest(removed);
        self.note_removal(Cause::Truncated, entry, number, removed_messages);
    }

    /// Rewind: removes everything but instructions and the messages of events that still count, by their numbers.
    /// Returns the indices of the entries whose removals were undone.
    pub(crate) fn rewind(&mut self, counts: impl Fn(u64) -> bool, entry: usize, number: u64) -> Vec<usize> {
        // Removals after that point are undone too: the messages of a compaction come back.
        let after = |last: &mut Removal| !counts(last.number) && last.cause != Cause::Rewound;
        let mut undone = Vec::new();
        while let Some(back) = self.removals.pop_if(after) {
            let place = self.instructions();
            self.messages.splice(place..place, back.messages);
            undone.push(back.entry);
        }
        let (left, gone) = std::mem::take(&mut self.messages)
            .into_iter()
            .partition(|message| message.role.is_instruction() || counts(message.number));
        self.messages = left;
        self.note_removal(Cause::Rewound, entry, number, gone);
        undone
    }

    /// The host cleared the conversation; a new one may begin with an initial message.
    pub(crate) fn clear(&mut self, entry: usize, number: u64) {
        let removed_messages = self.take_oldest(usize::MAX);
        self.note_removal(Cause::Cleared, entry, number, removed_messages);
    }

    fn instructions(&self) -> usize {
        self.messages.iter().take_while(|message| message.role.is_instruction()).count()
    }

    fn take_oldest(&mut self, number: usize) -> Vec<Arc<Message>> {
        let instructions = self.instructions();
        let end = instructions.saturating_add(number).min(self.messages.len());
        self.messages.drain(instructions..end).collect()
    }

    fn numbered(&mut self, message: Message) -> Arc<Message> {
        self.serials += 1;
        Arc::new(Message { serial: self.serials, ..message })
    }

    fn note_removal(&mut self, cause: Cause, entry: usize, number: u64, messages: Vec<Arc<Message>>) {
        self.rewrites += 1;
        self.serials += 1;
        let serial = self.serials;
        self.removals.push(Removal { cause, entry, messages, number, serial });
    }
}
