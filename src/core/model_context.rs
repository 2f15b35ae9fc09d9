//! What the model sees: an ordered list of messages by role, as far as the events tell.
//! Refuses everything that only people see.

use serde_json::Value;

/// Who speaks to or for the model.
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
    /// The field's word.
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
    /// Who speaks.
    pub role: Role,
    /// What the model reads.
    pub content: String,
    /// The event that put it there.
    pub event_id: String,
    /// Name of a system or developer message; it is replaced by the next of the same name.
    pub name: Option<String>,
    /// Tool calls that an assistant message makes.
    pub tool_calls: Vec<Value>,
    /// The call that a tool message answers.
    pub tool_call_id: Option<String>,
    /// Number of the event, for rewinding.
    pub(super) number: u64,
    /// What the person wrote, without what the runtime added: compaction quotes it.
    pub(super) said: Option<String>,
}

/// The model's view.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelContext {
    messages: Vec<Message>,
}

impl ModelContext {
    /// The messages in the order in which the model reads them.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds a message at the end.
    pub(super) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Puts a system or developer message in the place of its predecessor, or behind the other instructions.
    pub(super) fn upsert_instruction(&mut self, message: Message) {
        // Instructions stand first: the conversation, however long, is not searched.
        let mut instructions = self.messages.iter_mut().take_while(|old| old.role.is_instruction());
        if let Some(old) = instructions.find(|old| old.role == message.role && old.name == message.name) {
            *old = message;
            return;
        }
        let place = self.messages.iter().take_while(|m| m.role.is_instruction()).count();
        self.messages.insert(place, message);
    }

    /// Compaction: the oldest `removed` messages give way to the summary. Instructions stay.
    pub(super) fn compact(&mut self, removed: Option<usize>, summary: &str, event_id: &str, number: u64) {
        let instructions = self.messages.iter().filter(|m| m.role.is_instruction()).count();
        let conversation = self.messages.len() - instructions;
        let removed = removed.unwrap_or(conversation).min(conversation);
        let mut quoted = String::new();
        let mut left = removed;
        self.messages.retain(|message| {
            if message.role.is_instruction() || left == 0 {
                return true;
            }
            left -= 1;
            if let Some(said) = &message.said {
                quoted.push_str("<user_message>\n");
                quoted.push_str(said);
                quoted.push_str("\n</user_message>\n");
            }
            false
        });
        let place = self.messages.iter().take_while(|m| m.role.is_instruction()).count();
        let content = format!(
            "The conversation history has been summarized to free up context.\n\nYou were originally given \
             instructions from a user over one or more turns. Here were the user messages:\n{quoted}\nHere is a \
             summary of the prior context:\n<summary>\n{summary}\n</summary>\n"
        );
        let message = Message {
            role: Role::User,
            content,
            event_id: event_id.to_owned(),
            name: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            number,
            said: None,
        };
        self.messages.insert(place, message);
    }

    /// Truncation: the oldest `removed` messages are gone. Instructions stay.
    pub(super) fn truncate(&mut self, removed: usize) {
        let mut left = removed;
        self.messages.retain(|message| {
            if message.role.is_instruction() || left == 0 {
                return true;
            }
            left -= 1;
            false
        });
    }

    /// Rewind: everything from event number `from` on is gone. Instructions stay.
    pub(super) fn rewind(&mut self, from: u64) {
        self.messages.retain(|message| message.role.is_instruction() || message.number < from);
    }

    /// The host cleared the conversation; an initial message may start the next.
    pub(super) fn clear(&mut self) {
        self.messages.retain(|message| message.role.is_instruction());
    }
}
