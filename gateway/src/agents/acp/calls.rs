//! The tool calls of a session. A call is held until it says what it does; it is never dropped, never doubled, and never open
//! for ever.

use std::collections::{HashMap, HashSet};

use agent_client_protocol_schema::v1::{ToolCallStatus, ToolCallUpdate};
use pilothouse_core::json_writer::object;
use pilothouse_core::protocol::EventKind;
use serde_json::{Value, json};

use super::arguments;
use super::call::{Call, Stage};
use super::event::Out;
use super::known::Quirks;
use super::outcome::{self, Unfinished};

/// The calls of this prompt, in order, and which there were before.
#[derive(Debug, Default)]
pub struct Calls {
    list: Vec<Call>,
    /// Where the newest call of an agent's id is.
    places: HashMap<String, usize>,
    /// The calls of earlier prompts, by the agent's id. What comes of them now is too late.
    past: HashSet<String>,
}

/// What became of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is about this call, which runs or is held.
    Call(usize),
    /// It is about this call, which it has ended.
    Ended(usize),
    /// The call had ended before.
    TooLate,
}

impl Calls {
    /// Takes an update of a call. `announces` is whether it is the agent's first word about it, as far as the agent knows.
    pub fn update(
        &mut self,
        update: ToolCallUpdate,
        agent: Option<&str>,
        announces: bool,
        quirks: &Quirks,
        out: &mut Out<'_>,
    ) -> Taken {
        let Some(place) = self.place(&update, announces, out) else { return Taken::TooLate };
        let Some(call) = self.list.get_mut(place) else { return Taken::TooLate };
        if call.stage == Stage::Ended {
            return Taken::TooLate;
        }
        if call.agent.is_none() {
            call.agent = agent.map(str::to_owned);
        }
        let has_output = call.learn(update, false, quirks);
        if call.stage == Stage::Held && call.says_what_it_does() {
            start(call, quirks, out);
        }
        if let Some(success) = call.end() {
            let data = outcome::complete(call, success, quirks.diff_fragments);
            finish(call, data, quirks, out);
            return Taken::Ended(place);
        }
        if has_output
            && call.stage == Stage::Started
            && let Some(partial) = call.partial()
        {
            let data = json!({ "toolCallId": call.id, "partialOutput": partial });
            out.event_of(call.agent.as_deref(), EventKind::ToolExecutionPartialResult, data);
        }
        Taken::Call(place)
    }

    /// The agent asks for a call: whatever it has said of it, it is shown now. None if the call has ended.
    pub fn ask(
        &mut self,
        mut update: ToolCallUpdate,
        agent: Option<&str>,
        quirks: &Quirks,
        out: &mut Out<'_>,
    ) -> Option<usize> {
        let place = self.place(&update, true, out)?;
        let call = self.list.get_mut(place).filter(|call| call.stage != Stage::Ended)?;
        call.is_asked = true;
        if call.agent.is_none() {
            call.agent = agent.map(str::to_owned);
        }
        // A request says `pending` of a call that is in progress already.
        if update.fields.status == Some(ToolCallStatus::Pending) {
            update.fields.status = None;
        }
        let input = call.input.clone();
        call.learn(update, true, quirks);
        if call.stage == Stage::Held {
            start(call, quirks, out);
        } else {
            // What the request alone says is for the request.
            call.input = merged(input, call.input.take());
        }
        Some(place)
    }

    /// A call.
    pub fn get(&self, place: usize) -> Option<&Call> {
        self.list.get(place)
    }

    /// A person has rejected it.
    pub fn reject(&mut self, place: usize, quirks: &Quirks, out: &mut Out<'_>) {
        let Some(call) = self.list.get_mut(place).filter(|call| call.stage != Stage::Ended) else { return };
        call.is_rejected = true;
        if quirks.rejected_calls_stay {
            let data = outcome::unfinished(call, Unfinished::Rejected);
            finish(call, data, quirks, out);
        }
    }

    /// A person stops the work: what fails from now on was interrupted.
    pub fn stop(&mut self) {
        for call in self.list.iter_mut().filter(|call| call.stage != Stage::Ended) {
            call.is_stopped = true;
        }
    }

    /// Closes what the agent has not closed; nothing of this prompt can come any more.
    pub fn end_all(&mut self, why: Unfinished, quirks: &Quirks, out: &mut Out<'_>) {
        for call in &mut self.list {
            if call.stage != Stage::Ended {
                let data = outcome::unfinished(call, why);
                finish(call, data, quirks, out);
            }
        }
        self.list.clear();
        self.past.extend(self.places.drain().map(|(id, _)| id));
    }

    /// The call of this agent's id is one of an earlier prompt: its events are in the log.
    pub fn remember(&mut self, agents_id: &str) {
        self.past.insert(agents_id.to_owned());
    }

    /// Whether a call has not ended.
    pub fn is_open(&self) -> bool {
        self.list.iter().any(|call| call.stage != Stage::Ended)
    }

    /// The calls that run and have no sub-agent of their own, in order.
    pub fn running(&self) -> impl Iterator<Item = &Call> {
        self.list.iter().filter(|call| call.stage == Stage::Started && call.agent.is_none())
    }

    fn place(&mut self, update: &ToolCallUpdate, announces: bool, out: &mut Out<'_>) -> Option<usize> {
        let id = update.tool_call_id.0.as_ref();
        if let Some(place) = self.places.get(id) {
            return Some(*place);
        }
        let is_past = self.past.contains(id);
        let has_ended =
            matches!(update.fields.status, Some(ToolCallStatus::Completed | ToolCallStatus::Failed));
        if is_past && (!announces || has_ended) {
            return None;
        }
        // An agent that begins its numbers again gets another id for its events.
        let event_id = if is_past || id.is_empty() { out.new_id() } else { id.to_owned() };
        self.list.push(Call::new(event_id));
        let place = self.list.len() - 1;
        self.places.insert(id.to_owned(), place);
        Some(place)
    }
}

/// What is known of the input, and what a request adds.
fn merged(known: Option<Value>, all: Option<Value>) -> Option<Value> {
    match (known, all) {
        (Some(Value::Object(known)), Some(Value::Object(mut all))) => {
            all.extend(known);
            Some(Value::Object(all))
        }
        (known, all) => all.or(known),
    }
}

fn start(call: &mut Call, quirks: &Quirks, out: &mut Out<'_>) {
    call.stage = Stage::Started;
    let tool = arguments::tool(call, quirks);
    let (server, name) = tool.mcp.unzip();
    let data = object([
        ("toolCallId", Some(call.id.as_str().into())),
        ("toolName", Some(tool.name.into())),
        ("arguments", Some(tool.arguments)),
        ("mcpServerName", server.map(Into::into)),
        ("mcpToolName", name.map(Into::into)),
    ]);
    out.event_of(call.agent.as_deref(), EventKind::ToolExecutionStart, data);
}

fn finish(call: &mut Call, data: Value, quirks: &Quirks, out: &mut Out<'_>) {
    if call.stage == Stage::Held {
        start(call, quirks, out);
    }
    call.stage = Stage::Ended;
    out.event_of(call.agent.as_deref(), EventKind::ToolExecutionComplete, data);
}
