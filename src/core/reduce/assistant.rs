//! Handles the model's text and reasoning: turns, deltas, final messages,
//! intent, usage. Tool results are in `tools`.

use super::EventMeta;
use super::endings::{EndCause, EndScope};
use crate::model::entry::{Body, EntryState, Kind};
use crate::model::model_context::{Message, Role};
use crate::model::state::{Phase, Section, Space, State};
use crate::protocol::EventKind;
use crate::wire::fields::Fields;
use crate::wire::text::{JsonText, Text};

impl State {
    /// Appends a piece to a message, or to a reasoning, that is being written.
    pub(super) fn text_delta(&mut self, meta: EventMeta<'_>, space: Space, id_name: &str, mut data: Fields) {
        let id = data.string(id_name).filter(|id| !id.is_empty());
        let (Some(id), Some(text)) = (id, data.string("deltaContent")) else {
            return self.nothing_to_append(meta, id_name, "deltaContent");
        };
        let place = if let Some(place) = self.stream_place(space, &id) {
            place
        } else {
            let parent = data.string("parentToolCallId").map(Into::into);
            self.stream_begins(meta, space, id.into_owned(), parent)
        };
        let Some(entry) = self.entry_mut(place) else {
            return;
        };
        if meta.at > entry.ended_at {
            entry.ended_at = meta.at;
        }
        // A late delta after the final message has nothing to add: the final message is authoritative.
        match entry.state {
            EntryState::Done => return,
            EntryState::Interrupted => {
                self.update(place, |entry| {
                    entry.state = EntryState::Streaming;
                    entry.model_visible = entry.kind == Kind::Assistant;
                });
                self.streaming.push(place);
            }
            _ => {}
        }
        self.append_text(place, &text);
    }

    /// Adds the entry for a message, or a reasoning, when its first piece is received.
    fn stream_begins(
        &mut self,
        meta: EventMeta<'_>,
        space: Space,
        id: String,
        parent: Option<String>,
    ) -> usize {
        let kind = if space == Space::Reasoning { Kind::Reasoning } else { Kind::Assistant };
        let place = self.add_entry(Some(space), kind, id, meta);
        self.update(place, |entry| {
            entry.state = EntryState::Streaming;
            entry.model_visible = kind == Kind::Assistant;
            if parent.is_some() {
                entry.parent_tool_call_id = parent;
            }
            entry.body = match kind {
                Kind::Reasoning => Body::Reasoning { duration: None },
                _ => Body::Assistant { model: None, phase: None },
            };
        });
        self.streaming.push(place);
        if kind == Kind::Reasoning {
            self.live_thoughts.push(place);
        }
        place
    }

    /// The model's response has got longer.
    pub(super) fn response_grew(&mut self, mut data: Fields) {
        self.info.response_bytes = data.integer("totalResponseSizeBytes");
        self.touch(Section::Session);
    }

    /// Notes a delta without an id or a text.
    pub(super) fn nothing_to_append(&mut self, meta: EventMeta<'_>, id_name: &str, text_name: &str) {
        let message = format!("{} without `{id_name}` or `{text_name}`: nothing to append it to", meta.name);
        self.diagnose("warning", message, Some(meta.id.to_owned()));
    }

    pub(super) fn assistant(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let main = meta.agent.is_none();
        if main {
            self.info.doing = None;
        }
        match meta.kind {
            EventKind::AssistantTurnStart => {
                // An agent behind another protocol says only when its prompt begins and ends, and not how often it asks the model.
                let spans_prompt = data.flag("spansPrompt") == Some(true);
                self.llm_calls += u64::from(!spans_prompt);
                self.usage.by_prompt = spans_prompt;
                self.touch(Section::Session);
                let parent = data.non_empty_text("parentToolCallId");
                let agent = self.speaker(meta, parent.as_deref());
                self.close(EndCause::ModelCall, EndScope::of(agent.as_deref()));
                match agent.as_deref() {
                    Some(agent) => self.agent_works(agent),
                    None => self.begin_work(meta),
                }
                self.errors_are_new();
                self.count_work(meta, parent.as_deref(), |work| {
                    work.model_calls += u32::from(!spans_prompt);
                    work.spans_prompt |= spans_prompt;
                });
            }
            EventKind::AssistantTurnEnd => {
                let agent = self.speaker(meta, data.non_empty_text("parentToolCallId").as_deref());
                self.close(EndCause::ModelCall, EndScope::of(agent.as_deref()));
                self.forget_thoughts(agent.as_deref());
                let main = agent.is_none();
                if main {
                    self.info.response_bytes = None;
                    self.turn_over = Some(meta.number);
                }
                // Histories have no `session.idle`; a turn without tool calls is the last of its loop.
                if !self.live && main && !self.last_turn_had_tools {
                    self.set_phase(Phase::Idle);
                }
                self.touch(Section::Session);
            }
            // A retry writes under a new messageId: what the failed attempt wrote will not be completed.
            EventKind::AssistantTurnRetry => {
                self.close(EndCause::ModelCall, EndScope::of(meta.agent));
                self.set_activity(meta, data);
            }
            EventKind::AssistantMessageStart => self.begin_work(meta),
            EventKind::AssistantMessage => self.final_message(meta, data),
            EventKind::AssistantReasoning => {
                let text = data.text("content").unwrap_or_default();
                match data.non_empty_text("reasoningId") {
                    Some(id) => self.final_reasoning(meta, &id, text),
                    None => self.final_reasoning(meta, meta.id, text),
                }
            }
            EventKind::AssistantIntent => {
                self.info.intent = data.non_empty_text("intent");
                self.touch(Section::Session);
            }
            EventKind::AssistantUsage => {
                let before = (self.usage.input_tokens, self.usage.output_tokens);
                let parent = data.get("parentToolCallId").and_then(|call| call.as_str().map(str::to_owned));
                let initiator = data.get("initiator").and_then(|who| who.as_str().map(str::to_owned));
                let main = meta.agent.is_none() && parent.is_none();
                if main && matches!(initiator.as_deref(), None | Some("user" | "agent")) {
                    let model = data.get("model").and_then(|model| model.as_str().map(str::to_owned));
                    self.info.infer_model(model.filter(|model| !model.is_empty()));
                    self.touch(Section::Session);
                }
                self.usage.add_call(&mut data);
                self.thinking_dropped(meta, &mut data);
                let read = self.usage.input_tokens.saturating_sub(before.0);
                let written = self.usage.output_tokens.saturating_sub(before.1);
                self.count_work(meta, parent.as_deref(), |work| {
                    work.input_tokens = work.input_tokens.saturating_add(read);
                    work.output_tokens = work.output_tokens.saturating_add(written);
                });
                self.touch(Section::Usage);
            }
            _ => {}
        }
    }

    /// The main agent works: the session runs.
    pub(super) fn begin_work(&mut self, meta: EventMeta<'_>) {
        if let Some(agent) = meta.agent {
            return self.agent_works(agent);
        }
        self.turn_over = None;
        self.main_works();
        if self.phase != Phase::Running {
            self.set_phase(Phase::Running);
            self.info.running_since = meta.at;
        }
    }

    fn main_works(&mut self) {
        if std::mem::take(&mut self.main_agent_is_idle) {
            self.set_clocks();
        }
    }

    /// Sets what the agent is doing, and clears what only holds while it works.
    pub(crate) fn set_phase(&mut self, phase: Phase) {
        if (phase == Phase::Running) != (self.phase == Phase::Running) {
            self.turn_clock(phase == Phase::Running);
        }
        self.turn_over = None;
        self.main_works();
        if phase == Phase::Running {
            self.failed = None;
        } else {
            self.info.running_since = None;
            self.info.response_bytes = None;
            self.info.intent = None;
            self.info.doing = None;
        }
        self.phase = phase;
        self.touch(Section::Session);
    }

    fn final_message(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let id = data.non_empty_text("messageId").unwrap_or_else(|| meta.id.to_owned());
        let known = self.stream_place(Space::Message, &id);
        let streamed = known.and_then(|place| self.entry_mut(place)).map(|entry| &mut entry.text);
        let content = match (data.json_text("content"), streamed) {
            (Some(whole), Some(text)) if !text.is_empty() && whole.equals(text) => text.share(),
            (whole, _) => whole.map(JsonText::text).unwrap_or_default(),
        };
        let (asked, requests) = data.objects("toolRequests").unzip();
        let requests: Vec<Fields<'_>> = requests.unwrap_or_default();
        let parent = data.non_empty_text("parentToolCallId");
        let main = meta.agent.is_none() && parent.is_none();
        if let Some(written) = data.integer("outputTokens") {
            self.count_work(meta, parent.as_deref(), |work| {
                work.written_tokens = work.written_tokens.saturating_add(written);
            });
        }
        if main {
            self.last_turn_had_tools = !requests.is_empty();
        }
        let mut message = Message::new(Role::Assistant, content.clone(), meta.id, meta.number);
        message.tool_calls = asked;
        message.tokens = data.integer("outputTokens");
        let reasoning = data.non_empty_text("reasoningText");
        let thought = reasoning.is_some();
        if let Some(text) = reasoning {
            self.thought_of_message(meta, &id, text);
        }
        // A message that only calls tools gets no entry; an empty answer gets one.
        if known.is_some() || !content.is_empty() || (requests.is_empty() && !thought) {
            let place = known
                .unwrap_or_else(|| self.add_entry(Some(Space::Message), Kind::Assistant, id.clone(), meta));
            let (model, phase) = (data.non_empty_text("model"), data.non_empty_text("phase"));
            self.commit(place, meta);
            self.update(place, |entry| {
                entry.state = EntryState::Done;
                entry.model_visible = true;
                entry.body = Body::Assistant { model, phase };
                if parent.is_some() {
                    entry.parent_tool_call_id.clone_from(&parent);
                }
            });
            self.streaming.retain(|open| *open != place);
            self.replace_text(place, content);
            message.entry = Some(place);
        }
        let speaker = self.speaker(meta, parent.as_deref());
        self.view_mut(speaker.as_deref()).push(message);
        let mut calls = Vec::new();
        for request in requests {
            if let Some(call) = self.tool_requested(meta, request, parent.as_deref()) {
                calls.push(call);
            }
        }
        self.link_parallel_calls(&calls);
    }

    /// Histories have the reasoning in the message only; live, the same was sent before under an id of its own.
    fn thought_of_message(&mut self, meta: EventMeta<'_>, message_id: &str, text: String) {
        let own =
            |place: &usize| self.entry(*place).is_some_and(|entry| entry.agent_id.as_deref() == meta.agent);
        let unbound = self.live_thoughts.iter().rposition(own);
        let place = if let Some(found) = unbound {
            self.live_thoughts.remove(found)
        } else {
            let place = self.add_entry(None, Kind::Reasoning, format!("{message_id}:reasoning"), meta);
            self.update(place, |entry| entry.body = Body::Reasoning { duration: None });
            self.message_thoughts.push(place);
            place
        };
        self.finish_reasoning(meta, place, text);
    }

    fn final_reasoning(&mut self, meta: EventMeta<'_>, id: &str, text: String) {
        let place = self.stream_place(Space::Reasoning, id).or_else(|| {
            // The message had it first: this is the same reasoning, now with its id.
            let found = self.message_thoughts.iter().rposition(|place| {
                self.entry(*place).is_some_and(|entry| {
                    entry.agent_id.as_deref() == meta.agent && entry.text.trim() == text.trim()
                })
            })?;
            let same = self.message_thoughts.remove(found);
            self.index_entry(Space::Reasoning, id.to_owned(), same);
            Some(same)
        });
        let place = place.unwrap_or_else(|| {
            let place = self.add_entry(Some(Space::Reasoning), Kind::Reasoning, id.to_owned(), meta);
            self.update(place, |entry| entry.body = Body::Reasoning { duration: None });
            self.live_thoughts.push(place);
            place
        });
        if self
            .entry(place)
            .is_some_and(|entry| entry.state != EntryState::Done || entry.text.trim() != text.trim())
        {
            self.finish_reasoning(meta, place, text);
        }
    }

    /// Reasoning belongs to the message of its own turn; later messages have their own.
    fn forget_thoughts(&mut self, agent: Option<&str>) {
        let entries = &self.entries;
        let others =
            |place: &usize| entries.get(*place).is_some_and(|entry| entry.agent_id.as_deref() != agent);
        self.live_thoughts.retain(others);
        self.message_thoughts.retain(others);
    }

    fn finish_reasoning(&mut self, meta: EventMeta<'_>, place: usize, text: String) {
        let streamed = self
            .entry(place)
            .and_then(|entry| Some(entry.ended_at?.saturating_sub(entry.at?)))
            .filter(|d| *d > 0);
        self.commit(place, meta);
        self.update(place, |entry| {
            entry.state = EntryState::Done;
            entry.model_visible = false;
            entry.body = Body::Reasoning { duration: streamed };
        });
        self.streaming.retain(|open| *open != place);
        self.replace_text(place, text);
    }

    /// Adds a tool's result to the model's view.
    pub(super) fn tool_message(
        &mut self,
        meta: EventMeta<'_>,
        place: usize,
        tool_call_id: &str,
        content: Text,
    ) {
        let agent = self.entry(place).and_then(|entry| {
            let task = || Some(self.agent_of_task(entry.parent_tool_call_id.as_deref()?));
            entry.agent_id.clone().or_else(task)
        });
        let agent = meta.agent.map(str::to_owned).or(agent);
        let message = Message::new(Role::Tool, content, meta.id, meta.number);
        let tool_call_id = Some(tool_call_id.to_owned());
        self.view_mut(agent.as_deref()).push(Message { tool_call_id, entry: Some(place), ..message });
    }

    /// The sub-agent that an event is of, which some logs name by its `task` call only; none for the main agent.
    fn speaker(&self, meta: EventMeta<'_>, task: Option<&str>) -> Option<String> {
        meta.agent.map(str::to_owned).or_else(|| Some(self.agent_of_task(task?)))
    }

    /// The id of the sub-agent that a `task` call started; the call's own id if no event has named the agent.
    fn agent_of_task(&self, task: &str) -> String {
        let named = self.subagent_place(task).and_then(|place| self.entry(place)?.agent_id.clone());
        named.unwrap_or_else(|| task.to_owned())
    }
}
