//! The Copilot platform's own events: confirmation, errors, references, chat chunks; and command handlers'
//! timeline entries. Refuses session events.

use serde_json::Value;

use super::entry::{Body, EntryState, Kind, Level, Notice};
use super::fields::Fields;
use super::language::words::notices;
use super::model_context::{Message, Role};
use super::reduce::{Meta, pretty};
use super::request::{By, Ending, Life, RequestKind};
use super::state::{Phase, Space, State};

impl State {
    /// Takes `copilot_confirmation`, `copilot_errors`, `copilot_references` or one that nobody listed; `nth` tells confirmations without an
    /// id of their own apart. `Err` says what is wrong with the data.
    pub(super) fn platform_event(&mut self, meta: Meta<'_>, data: &str, nth: u64) -> Result<(), String> {
        if !["copilot_confirmation", "copilot_errors", "copilot_references"].contains(&meta.kind) {
            self.platform_unknown(meta, data);
            return Ok(());
        }
        let value = serde_json::from_str(data)
            .or_else(|error| serde_json::from_str(&relaxed(data)).map_err(|_| error))
            .map_err(|error| format!("this is no JSON: {error}"))?;
        match (meta.kind, value) {
            ("copilot_confirmation", Value::Object(confirmation)) => {
                let own = confirmation.get("confirmation").and_then(|c| c.get("id"));
                let id = own
                    .map_or_else(|| nth.to_string(), |id| id.as_str().map_or(id.to_string(), str::to_owned));
                let id = format!("copilot_confirmation:{id}");
                // An agent that asks again after an answer means it: the old card stays answered, a new one opens.
                let answered =
                    self.request_place(&id).and_then(|p| self.entry(p)?.request().map(|r| !r.open()));
                let id = if answered == Some(true) { format!("{id}:{nth}") } else { id };
                self.open_request(meta, RequestKind::Confirmation, id, Value::Object(confirmation));
            }
            ("copilot_errors", Value::Array(errors)) => {
                for error in errors {
                    self.platform_error(meta, Fields::of(error));
                }
            }
            ("copilot_references", Value::Array(references)) => {
                self.platform_references(meta, references);
            }
            ("copilot_confirmation", _) => return Err("an object is expected".to_owned()),
            _ => return Err("an array is expected".to_owned()),
        }
        self.counted();
        Ok(())
    }

    /// Counted and shown as it came, like an event type that nobody listed.
    fn platform_unknown(&mut self, meta: Meta<'_>, data: &str) {
        self.counted();
        let count = self.counters.unknown.entry(meta.kind.to_owned()).or_insert(0);
        *count += 1;
        let id = format!("{}:{count}", meta.kind);
        let facts = serde_json::from_str(data).unwrap_or_else(|_| data.into());
        let place = self.add_entry(None, Kind::Generic, id, meta);
        self.update(place, |entry| entry.body = Body::Facts { event_type: meta.kind.to_owned(), facts });
        self.replace_text(place, meta.kind.to_owned());
    }

    fn platform_error(&mut self, meta: Meta<'_>, mut error: Fields) {
        let kind = error.filled("type").unwrap_or_else(|| "agent".to_owned());
        let text = error.filled("message").unwrap_or_else(|| notices::ERROR_SILENT.text().to_owned());
        let mut notice = Notice::new(Level::Error, &format!("copilot_errors.{kind}"));
        notice.detail = (!error.is_empty()).then(|| pretty(&error.rest()));
        self.say(meta, notice, text);
    }

    /// References without a name, an icon and an address are not shown, as the platform has it.
    fn platform_references(&mut self, meta: Meta<'_>, references: Vec<Value>) {
        let complete = |reference: &&Value| {
            ["display_name", "display_icon", "display_url"].iter().all(|name| {
                reference
                    .pointer(&format!("/metadata/{name}"))
                    .and_then(Value::as_str)
                    .is_some_and(|t| !t.is_empty())
            })
        };
        let part = |reference: &Value, name: &str| {
            reference.pointer(&format!("/metadata/{name}")).and_then(Value::as_str).map(str::to_owned)
        };
        let links: Vec<(String, String)> = references
            .iter()
            .filter(complete)
            .filter_map(|reference| Some((part(reference, "display_name")?, part(reference, "display_url")?)))
            .collect();
        let visible = !links.is_empty();
        let text = links.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" · ");
        let mut notice = Notice::new(Level::Info, "copilot_references");
        notice.detail = Some(pretty(&Value::Array(references)));
        notice.links = links;
        let place = self.notice_of(meta, notice, text);
        self.update(place, |entry| entry.ui_visible = visible);
    }

    /// A person answered a platform confirmation; nothing else will ever settle it.
    pub(super) fn confirmation_settled(&mut self, place: usize, accepted: bool) {
        self.update(place, |entry| {
            if let Body::Request(request) = &mut entry.body {
                let (outcome, word) = if accepted {
                    (notices::ACCEPTED, "accepted")
                } else {
                    (notices::DISMISSED, "dismissed")
                };
                request.life = Life::Settled { ending: Ending::new(word, outcome.text()), by: By::Here };
            }
            entry.state = EntryState::Settled;
        });
        self.open_requests.retain(|open| *open != place);
        self.touch(super::change::Section::Pending);
        self.touch(super::change::Section::Session);
    }

    /// What a command handler put into the timeline. Types that nobody listed are information.
    pub(super) fn timeline_entry(&mut self, meta: Meta<'_>, kind: &str, text: String) {
        self.counted();
        let id = format!("timeline-entry-{}", meta.number);
        let spoken = match kind {
            "copilot" | "assistant" => Some((Kind::Assistant, Body::Plain)),
            "reasoning" | "thinking" => Some((Kind::Reasoning, Body::Reasoning { duration: None })),
            "user" => Some((Kind::User, Body::User(Box::default()))),
            "compaction" => {
                Some((Kind::Compaction, Body::Notice(Box::new(Notice::new(Level::Milestone, kind)))))
            }
            _ => None,
        };
        if let Some((kind, body)) = spoken {
            let place = self.add_entry(None, kind, id, meta);
            self.update(place, |entry| {
                entry.model_visible = false;
                entry.body = body;
            });
            self.replace_text(place, text);
            return;
        }
        let level = match kind {
            "error" => Level::Error,
            "warning" | "warn" => Level::Warning,
            _ => Level::Info,
        };
        let place = self.notice(meta, level, kind, text);
        self.update(place, |entry| entry.id = id);
    }

    /// A piece of an answer in the platform's default form, an OpenAI `chat.completion.chunk`.
    pub(super) fn chat_chunk(&mut self, meta: Meta<'_>, text: &str) {
        self.counted();
        let Ok(chunk) = serde_json::from_str::<Value>(text) else {
            return;
        };
        let id = chunk.get("id").and_then(Value::as_str).unwrap_or("chat.completion.chunk").to_owned();
        let model = chunk.get("model").and_then(Value::as_str).map(str::to_owned);
        let choice = chunk.pointer("/choices/0").unwrap_or(&Value::Null);
        let piece = choice.pointer("/delta/content").and_then(Value::as_str).unwrap_or_default();
        let finish = choice.get("finish_reason").and_then(Value::as_str);
        let place = if let Some(place) = self.stream_place(Space::Message, &id) {
            place
        } else {
            self.find_at(Space::Named, chat(&id), self.entries.len());
            let place = self.add_entry(Some(Space::Message), Kind::Assistant, id, meta);
            self.update(place, |entry| {
                entry.state = EntryState::Streaming;
                entry.body = Body::Assistant { model, phase: None };
            });
            self.streaming.push(place);
            place
        };
        self.append_text(place, piece);
        // A last chunk with figures only comes after the one that finished the answer.
        match finish {
            Some("stop" | "tool_calls" | "function_call") => {
                self.chat_finished(place, EntryState::Done, meta.number);
            }
            Some(_) => self.chat_finished(place, EntryState::Interrupted, meta.number),
            // The platform has no turns: its agent works while an answer streams.
            None if self.phase != Phase::Running
                && self.entry(place).is_some_and(|entry| entry.state == EntryState::Streaming) =>
            {
                self.set_phase(Phase::Running);
            }
            None => {}
        }
    }

    /// `[DONE]`: an answer that named no reason to finish is complete. An agent's own messages end by themselves.
    pub(super) fn chat_ended(&mut self, number: u64) {
        let streaming = self.streaming.clone();
        for place in streaming {
            let own = |id: &str| self.place(Space::Named, &chat(id)) == Some(place);
            if self.entry(place).is_some_and(|entry| own(&entry.id)) {
                self.chat_finished(place, EntryState::Done, number);
            }
        }
    }

    fn chat_finished(&mut self, place: usize, end: EntryState, number: u64) {
        self.streaming.retain(|open| *open != place);
        let Some(entry) = self.entry(place).filter(|entry| entry.state == EntryState::Streaming) else {
            return;
        };
        let content = entry.text.clone();
        self.update(place, |entry| entry.state = end);
        self.set_phase(Phase::Idle);
        let message = Message::new(Role::Assistant, content, "", number);
        self.view_mut(None).push(Message { entry: Some(place), ..message });
    }
}

/// Under which name an answer that comes in chunks is found.
fn chat(id: &str) -> String {
    ["chat ", id].concat()
}

/// The platform's own documentation writes its samples with `//` comments and trailing commas; agents copied them.
fn relaxed(json: &str) -> String {
    let mut plain = String::with_capacity(json.len());
    let mut letters = json.chars().peekable();
    let mut in_string = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if in_string => {
                plain.push(letter);
                plain.extend(letters.next());
                continue;
            }
            '"' => in_string = !in_string,
            '/' if !in_string && letters.peek() == Some(&'/') => {
                while letters.next_if(|next| *next != '\n').is_some() {}
                continue;
            }
            '}' | ']' if !in_string => {
                let end = plain.trim_end().len();
                if plain.get(..end).is_some_and(|text| text.ends_with(',')) {
                    plain.truncate(end - 1);
                }
            }
            _ => {}
        }
        plain.push(letter);
    }
    plain
}

#[cfg(test)]
mod tests {
    use crate::Session;
    use crate::entry::EntryState;

    #[test]
    fn the_end_of_a_chat_ends_its_own_answer_and_no_agents_message() {
        let mut session = Session::new();
        session.push_frame(
            r#"{"type":"assistant.message_delta","id":"e1","ephemeral":true,"data":{"messageId":"m","deltaContent":"I"}}"#,
        );
        session.push_frame(
            r#"{"id":"c","object":"chat.completion.chunk","choices":[{"delta":{"content":"Hi"}}]}"#,
        );
        session.push_frame("[DONE]");
        let states: Vec<_> =
            session.state().entries.iter().map(|entry| (entry.id.as_str(), entry.state)).collect();
        assert_eq!(states, [("m", EntryState::Streaming), ("c", EntryState::Done)]);
    }
}
