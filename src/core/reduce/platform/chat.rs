//! A chat with an agent of the Copilot platform: its messages, answers that stream in chunks, and
//! the request body for a person's message.

use serde_json::{Value, json};

use super::{By, Meta, Reference, own_id};
use crate::i18n::words::notices;
use crate::model::entry::{Body, EntryState, Kind, Level, Notice, UserMessage};
use crate::model::model_context::{Message, Role};
use crate::model::platform_chat::{PlatformChat, PlatformMessage};
use crate::model::request::Life;
use crate::model::state::{Phase, Section, Space, State};
use crate::wire::fields::Fields;

impl PlatformChat {
    /// Notes that events came in a form that is not the standard's; true if that had been noted before.
    pub(super) fn noted_loose(&mut self) -> bool {
        std::mem::replace(&mut self.noted_loose, true)
    }

    pub(super) fn names_something(&mut self, error: usize) {
        if !self.naming.contains(&error) {
            self.naming.push(error);
        }
    }

    pub(super) fn naming_something(&self) -> Vec<usize> {
        self.naming.clone()
    }

    /// Adds references to the last message if it has this role, else to the next one.
    pub(super) fn add_references(&mut self, role: Role, references: Vec<Value>) {
        match self.messages.last_mut().filter(|message| message.role == role) {
            Some(message) => message.references.extend(references),
            None => self.messages.push(PlatformMessage { role, place: None, references }),
        }
    }

    fn add_message(&mut self, role: Role, place: usize) {
        match self.messages.last_mut().filter(|message| message.role == role && message.place.is_none()) {
            Some(message) => message.place = Some(place),
            None => self.messages.push(PlatformMessage { role, place: Some(place), references: Vec::new() }),
        }
    }
}

impl State {
    /// A piece of an answer in the platform's default form, an OpenAI
    /// `chat.completion.chunk`, or a whole answer.
    pub(crate) fn chat_chunk(&mut self, meta: Meta<'_>, text: &str) {
        self.count_record();
        let Ok(chunk) = serde_json::from_str::<Value>(text) else {
            return;
        };
        let id = chunk.get("id").and_then(Value::as_str).unwrap_or_default();
        let choice = chunk.pointer("/choices/0").unwrap_or(&Value::Null);
        let delta = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(&Value::Null);
        let piece = delta.get("content").and_then(Value::as_str).unwrap_or_default();
        let finish = choice.get("finish_reason").and_then(Value::as_str);
        let place = match self.open_answer(id) {
            Some(place) => place,
            // A last chunk that only has usage figures comes after the one that finished the answer.
            None if piece.is_empty() && delta.get("role").is_none() => return,
            None => self.answer_begins(meta, id, chunk.get("model").and_then(Value::as_str)),
        };
        self.append_text(place, piece);
        match finish {
            Some("stop" | "tool_calls" | "function_call") => {
                self.chat_finished(place, EntryState::Done, meta.number);
            }
            Some(_) => self.chat_finished(place, EntryState::Interrupted, meta.number),
            // The platform has no turns: its agent works while an answer streams.
            None if self.phase != Phase::Running => self.set_phase(Phase::Running),
            None => {}
        }
    }

    fn open_answer(&mut self, id: &str) -> Option<usize> {
        let (_, place) = *self.chat.open.iter().find(|(open, _)| open == id)?;
        let streams = self.entry(place).is_some_and(|entry| entry.state == EntryState::Streaming);
        if !streams {
            self.chat.open.retain(|(_, open)| *open != place);
        }
        streams.then_some(place)
    }

    /// Agents send no id, or reuse one: chunks that come after an answer's end begin another answer.
    fn answer_begins(&mut self, meta: Meta<'_>, chunk: &str, model: Option<&str>) -> usize {
        let id = if chunk.is_empty() {
            own_id(meta, 0)
        } else if self.message_place(chunk).is_some() {
            format!("{chunk}:{}", meta.number)
        } else {
            chunk.to_owned()
        };
        let place = self.add_entry(Some(Space::Message), Kind::Assistant, id, meta);
        let model = model.map(str::to_owned);
        self.update(place, |entry| {
            entry.state = EntryState::Streaming;
            entry.body = Body::Assistant { model, phase: None };
        });
        self.streaming.push(place);
        self.chat.open.push((chunk.to_owned(), place));
        self.chat.add_message(Role::Assistant, place);
        place
    }

    /// `[DONE]`: answers that had no finish reason are complete.
    pub(crate) fn chat_ended(&mut self, number: u64) {
        self.end_answers(EntryState::Done, number);
    }

    /// A message was sent to the agent, and it has not answered yet.
    pub(crate) fn reply_awaited(&mut self) {
        if !matches!(self.phase, Phase::Ended | Phase::Running) {
            self.chat.awaited = true;
            self.set_phase(Phase::Running);
        }
    }

    /// The response with the agent's reply has ended.
    pub(crate) fn reply_ended(&mut self, end: EntryState, number: u64) {
        self.end_answers(end, number);
        if std::mem::take(&mut self.chat.awaited) && self.phase == Phase::Running {
            self.set_phase(Phase::Idle);
        }
    }

    /// The response with the agent's reply broke off. What has come stays.
    pub(crate) fn reply_broke(&mut self, meta: Meta<'_>) {
        self.reply_ended(EntryState::Interrupted, meta.number);
        let id = own_id(meta, 0);
        let notice = Notice::new(Level::Warning, "reply_broke");
        self.notice_of(Meta { id: &id, ..meta }, notice, notices::REPLY_BROKE.into());
    }

    fn end_answers(&mut self, end: EntryState, number: u64) {
        for (_, place) in std::mem::take(&mut self.chat.open) {
            self.chat_finished(place, end, number);
        }
    }

    fn chat_finished(&mut self, place: usize, end: EntryState, number: u64) {
        self.streaming.retain(|open| *open != place);
        self.chat.open.retain(|(_, open)| *open != place);
        let Some(entry) = self.entry(place).filter(|entry| entry.state == EntryState::Streaming) else {
            return;
        };
        let content = entry.text.clone();
        self.update(place, |entry| entry.state = end);
        self.set_phase(Phase::Idle);
        let message = Message::new(Role::Assistant, content, "", number);
        self.view_mut(None).push(Message { entry: Some(place), ..message });
    }

    /// Adds messages that are not here yet: the platform sends the conversation so far with every message.
    pub(super) fn platform_messages(&mut self, meta: Meta<'_>, messages: Vec<Value>) {
        let mut known = self.known_of(&messages);
        for (nth, message) in messages.into_iter().enumerate() {
            let role = role_of(&message);
            let speaks = matches!(role, Some(Role::User | Role::Assistant));
            if speaks && known > 0 {
                known -= 1;
                continue;
            }
            let id = message.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
            let id = id.map_or_else(|| own_id(meta, nth), str::to_owned);
            let shown = self.message_place(&id).or_else(|| self.place(Space::Named, &message_name(&id)));
            if shown.is_none() {
                self.platform_message(Meta { id: &id, ..meta }, role, message);
            }
        }
    }

    /// How many of these messages, from the first on, are here already: at the
    /// end of the conversation, or at its start.
    fn known_of(&self, messages: &[Value]) -> usize {
        if messages.iter().any(|message| message.get("id").is_some()) {
            return 0;
        }
        let new: Vec<(Role, String)> = messages
            .iter()
            .filter_map(|message| Some((role_of(message)?, content_of(message))))
            .filter(|(role, _)| matches!(role, Role::User | Role::Assistant))
            .collect();
        let words = |known: &PlatformMessage| Some((known.role, self.entry(known.place?)?.text.as_str()));
        let known: Vec<(Role, &str)> = self.chat.messages.iter().filter_map(words).collect();
        let same = |known: &[(Role, &str)], new: &[(Role, String)]| {
            known.iter().zip(new).all(|((role, text), (new_role, new))| role == new_role && text == new)
        };
        if new.len() > 1 && known.len() >= new.len() && same(&known, &new) {
            return new.len();
        }
        let longest = known.len().min(new.len());
        let ends = |length: &usize| known.get(known.len() - length..).is_some_and(|end| same(end, &new));
        (1..=longest).rev().find(ends).unwrap_or(0)
    }

    fn platform_message(&mut self, meta: Meta<'_>, role: Option<Role>, mut message: Value) {
        let list = |message: &mut Value, name: &str| match message.get_mut(name).map(Value::take) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        let references = list(&mut message, "copilot_references");
        let confirmations = list(&mut message, "copilot_confirmations");
        let errors = list(&mut message, "copilot_errors");
        let content = content_of(&message);
        match role {
            Some(Role::User) if !content.is_empty() || !references.is_empty() => {
                self.add_user_message(meta, content, references);
            }
            Some(Role::Assistant) => {
                if !content.is_empty() {
                    self.add_agent_message(meta, content);
                }
                if !references.is_empty() {
                    self.platform_references(meta, references);
                }
            }
            Some(Role::System | Role::Developer) => {
                let instruction = json!({ "role": message.get("role"), "content": content });
                self.system_message(meta, Fields::of(instruction));
            }
            _ if content.is_empty() => {}
            _ => {
                let place = self.notice(meta, Level::Info, meta.name, content.into());
                self.index_entry(Space::Named, message_name(meta.id), place);
            }
        }
        if !errors.is_empty() {
            self.platform_errors(meta, errors);
        }
        for confirmation in confirmations {
            self.confirmed_elsewhere(&confirmation);
        }
    }

    fn add_user_message(&mut self, meta: Meta<'_>, content: String, references: Vec<Value>) {
        self.repeatable.clear();
        let place = self.add_entry(Some(Space::Message), Kind::User, meta.id.to_owned(), meta);
        let shown = references.iter().filter_map(Reference::of).collect();
        let message = UserMessage { references: shown, ..UserMessage::default() };
        self.update(place, |entry| entry.body = Body::User(Box::new(message)));
        self.replace_text(place, content.clone());
        self.show_references(place, &references);
        self.chat.add_message(Role::User, place);
        self.chat.add_references(Role::User, references);
        let typed = Some(content.clone());
        let message = Message::new(Role::User, content, meta.id, meta.number);
        self.view_mut(None).push(Message { entry: Some(place), typed, ..message });
        // The first message is used as the title.
        self.touch(Section::Session);
    }

    fn add_agent_message(&mut self, meta: Meta<'_>, content: String) {
        let place = self.add_entry(Some(Space::Message), Kind::Assistant, meta.id.to_owned(), meta);
        self.update(place, |entry| entry.body = Body::Assistant { model: None, phase: None });
        self.replace_text(place, content.clone());
        self.chat.add_message(Role::Assistant, place);
        let message = Message::new(Role::Assistant, content, meta.id, meta.number);
        self.view_mut(None).push(Message { entry: Some(place), ..message });
    }

    /// Settles the open confirmation that this answer belongs to.
    fn confirmed_elsewhere(&mut self, answer: &Value) {
        let about = answer.get("confirmation").unwrap_or(&Value::Null);
        let accepted = answer.get("state").and_then(Value::as_str) == Some("accepted");
        let open = self.open_requests.iter().copied().find_map(|place| {
            let request = self.entry(place)?.request()?;
            let same = request.details.get("confirmation").unwrap_or(&Value::Null) == about;
            same.then_some((place, matches!(request.life, Life::Sending(_) | Life::Unsure(_))))
        });
        if let Some((place, ours)) = open {
            self.confirmation_settled(place, accepted, if ours { By::Here } else { By::Elsewhere });
        }
    }

    /// The platform's request body for a person's message: the conversation so far, and the message.
    pub(crate) fn platform_body(&self, text: &str) -> Value {
        let mut messages = Vec::new();
        for message in &self.chat.messages {
            let content = message.place.and_then(|place| self.entry(place)).map_or("", |entry| &entry.text);
            if !content.is_empty() || !message.references.is_empty() {
                messages.push(json!({
                    "role": message.role.word(), "content": content, "copilot_references": message.references,
                }));
            }
        }
        messages.push(json!({ "role": "user", "content": text, "copilot_references": [] }));
        json!({ "messages": messages })
    }
}

/// The name under which a message of a tool or of an unknown role is found. It is shown, and no part of the conversation.
fn message_name(id: &str) -> String {
    ["message ", id].concat()
}

fn role_of(message: &Value) -> Option<Role> {
    Some(match message.get("role")?.as_str()? {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        "developer" => Role::Developer,
        "tool" => Role::Tool,
        _ => return None,
    })
}

/// The content of a message as text; several parts become lines.
fn content_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
