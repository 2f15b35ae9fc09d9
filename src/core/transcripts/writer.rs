//! Writes the session events of a transcript, one a line: their ids, the conversation of each agent, and what has to be closed.
//!
//! The ids come from the file, else from the numbers of its lines, so that the same file gives the same events each time.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};

use super::outcome::Outcome;
use super::tools::{self, Tool};
use super::values::hash;
use crate::json_writer::{object, one_line};
use crate::protocol::EventKind;
use crate::wire::UNREADABLE_LINE;

/// The line that is being read.
#[derive(Debug, Default)]
struct Source {
    number: u64,
    id: String,
    at: Option<String>,
    events: u32,
}

/// The id of an event and its time, which are those of the line that it is from, although it is written later.
#[derive(Debug, Default)]
struct Stamp {
    id: String,
    at: Option<String>,
}

/// What the model says in one go: reasoning, text, calls.
#[derive(Debug)]
struct Answer {
    stamp: Stamp,
    reasoning: String,
    text: String,
    model: Option<String>,
    calls: Vec<RequestedCall>,
}

#[derive(Debug)]
struct RequestedCall {
    stamp: Stamp,
    id: String,
    name: String,
    input: Value,
}

impl Answer {
    fn is_empty(&self) -> bool {
        self.reasoning.is_empty() && self.text.is_empty() && self.calls.is_empty()
    }
}

#[derive(Debug)]
struct Call {
    id: String,
    agent: Option<String>,
    is_open: bool,
}

/// A sub-agent.
#[derive(Debug)]
struct Subagent {
    call_id: String,
    name: String,
    title: String,
    is_running: bool,
}

/// A call of the model.
#[derive(Debug)]
struct ModelCall {
    /// What the file calls it.
    key: Option<String>,
}

/// A turn of the conversation that has not been rewound.
#[derive(Debug)]
struct Turn {
    number: u64,
    first_event: String,
    persisted_before: u64,
}

/// Collects the events.
#[derive(Debug, Default)]
pub(super) struct Writer {
    out: Vec<u8>,
    source: Source,
    ids: HashSet<u64>,
    parent: Option<String>,
    persisted: u64,
    answers: BTreeMap<Option<String>, Answer>,
    calls: Vec<Call>,
    places: HashMap<String, usize>,
    open_calls: BTreeSet<usize>,
    subagents: BTreeMap<String, Subagent>,
    /// The sub-agents that a call has started.
    subagents_of: HashMap<String, Vec<String>>,
    turns: Vec<Turn>,
    turn: u64,
    in_turn: bool,
    /// The call of the model that has begun.
    model_call: Option<ModelCall>,
    model_calls: u64,
    is_compacting: bool,
    left_out: BTreeMap<String, u64>,
    /// The time of the newest event.
    written_at: Option<String>,
}

impl Writer {
    /// The events so far, and forgets them.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// A line begins. `id` is what the file calls it.
    pub(super) fn line(&mut self, number: u64, id: Option<&str>, at: Option<String>) {
        let mut id = id.filter(|id| !id.is_empty()).map_or_else(|| format!("line-{number}"), str::to_owned);
        if !self.ids.insert(hash(&id)) {
            id = format!("{id}@{number}");
            self.ids.insert(hash(&id));
        }
        self.source = Source { number, id, at: at.or_else(|| self.source.at.take()), events: 0 };
    }

    /// What the file calls the line.
    pub(super) fn line_id(&self) -> &str {
        &self.source.id
    }

    /// The number of the line.
    pub(super) fn line_number(&self) -> u64 {
        self.source.number
    }

    /// The time of the newest line that has one.
    pub(super) fn at(&self) -> Option<&str> {
        self.source.at.as_deref()
    }

    /// Another time for what comes of the same line.
    pub(super) fn set_time(&mut self, at: Option<String>) {
        if at.is_some() {
            self.source.at = at;
        }
    }

    /// Counts something that has no event of its own.
    pub(super) fn leave_out(&mut self, what: &str) {
        *self.left_out.entry(what.to_owned()).or_default() += 1;
    }

    /// What has no event of its own, with how often it was there.
    pub(super) fn left_out(&self) -> &BTreeMap<String, u64> {
        &self.left_out
    }

    /// The id that the next event will have.
    fn next_id(&self) -> String {
        match self.source.events {
            0 => self.source.id.clone(),
            nth => format!("{}#{}", self.source.id, nth + 1),
        }
    }

    /// Adds an event of the session; returns its id.
    pub(super) fn event(&mut self, kind: EventKind, data: Value) -> String {
        self.event_of(None, kind, data)
    }

    /// Adds an event of this sub-agent, or of the session.
    pub(super) fn event_of(&mut self, agent: Option<&str>, kind: EventKind, data: Value) -> String {
        let stamp = self.stamp();
        self.stamped(stamp, agent, kind, data)
    }

    fn stamped(&mut self, stamp: Stamp, agent: Option<&str>, kind: EventKind, data: Value) -> String {
        self.write(stamp, agent, kind.name(), kind.is_ephemeral(), data)
    }

    /// Adds events with the time of an earlier line.
    pub(super) fn at_time(&mut self, at: Option<String>, write: impl FnOnce(&mut Self)) {
        let now = std::mem::replace(&mut self.source.at, at);
        write(self);
        self.source.at = now;
    }

    fn stamp(&mut self) -> Stamp {
        let id = self.next_id();
        self.source.events += 1;
        Stamp { id, at: self.source.at.clone() }
    }

    /// Adds a line that nobody knows, as it is, so that people see it.
    pub(super) fn unknown(&mut self, name: &str, data: Value) {
        self.flush_all();
        let stamp = self.stamp();
        self.write(stamp, None, name, false, data);
    }

    fn write(
        &mut self,
        stamp: Stamp,
        agent: Option<&str>,
        name: &str,
        is_ephemeral: bool,
        data: Value,
    ) -> String {
        let Stamp { id, at } = stamp;
        let event = object([
            ("type", Some(name.into())),
            ("id", Some(id.as_str().into())),
            ("timestamp", at.as_deref().map(Into::into)),
            ("parentId", Some(self.parent.as_deref().into())),
            ("agentId", agent.map(Into::into)),
            ("ephemeral", is_ephemeral.then(|| true.into())),
            ("data", Some(data)),
        ]);
        self.out.extend_from_slice(one_line(&event).as_bytes());
        self.out.push(b'\n');
        self.written_at = at;
        if !is_ephemeral {
            self.parent = Some(id.clone());
            self.persisted += 1;
        }
        id
    }

    /// Adds a record of a line that can't be read.
    pub(super) fn unreadable(&mut self, line: u64, reason: &str, text: &str) {
        let params = json!({ "line": line, "reason": reason, "text": text });
        let record = json!({ "jsonrpc": "2.0", "method": UNREADABLE_LINE, "params": params });
        self.out.extend_from_slice(one_line(&record).as_bytes());
        self.out.push(b'\n');
    }

    /// Adds a notice: `session.info`, `session.warning` or `session.error`.
    pub(super) fn notice(&mut self, kind: EventKind, what: &str, message: &str) {
        self.flush_all();
        self.event(kind, json!({ kind.category_field(): what, "message": message }));
    }

    /// A text that the model reads and nobody wrote.
    pub(super) fn context(&mut self, agent: Option<&str>, content: &str, source: &str) {
        self.flush(agent);
        let data = json!({ "content": content, "source": source });
        self.event_of(agent, EventKind::SkillContextDelivered, data);
    }

    /// A person's message, or the task of a sub-agent.
    pub(super) fn prompt(&mut self, agent: Option<&str>, data: Value) {
        self.flush(agent);
        if agent.is_some() {
            self.event_of(agent, EventKind::UserMessage, data);
            return;
        }
        // The turn was over before the person wrote.
        self.at_time(self.written_at.clone(), Self::end_turn);
        self.turn += 1;
        let turn = Turn { number: self.turn, first_event: self.next_id(), persisted_before: self.persisted };
        self.turns.push(turn);
        self.in_turn = true;
        self.event(EventKind::UserMessage, data);
    }

    /// A person's message amid the work.
    pub(super) fn prompt_within(&mut self, data: Value) {
        if !self.in_turn {
            return self.prompt(None, data);
        }
        self.flush(None);
        self.event(EventKind::UserMessage, data);
    }

    /// The number of the turn that runs, or has run last.
    pub(super) fn turn_number(&self) -> u64 {
        self.turns.last().map_or(0, |turn| turn.number)
    }

    /// The conversation goes on after the turn of this number; what came later is undone. Does nothing if there is none.
    pub(super) fn rewind_to_turn(&mut self, number: u64) {
        let Some(keep) = self.turns.iter().position(|turn| turn.number > number) else { return };
        let is_known = number == 0
            || keep
                .checked_sub(1)
                .and_then(|at| self.turns.get(at))
                .is_some_and(|turn| turn.number == number);
        if is_known {
            self.rewind(keep);
        }
    }

    /// The newest turns are undone.
    pub(super) fn rewind_turns(&mut self, count: u64) {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.rewind(self.turns.len().saturating_sub(count));
    }

    fn rewind(&mut self, keep: usize) {
        if keep >= self.turns.len() {
            return;
        }
        self.flush_all();
        self.end_turn();
        let Some(first) = self.turns.drain(keep..).next() else { return };
        let removed = self.persisted.saturating_sub(first.persisted_before);
        let data = json!({ "upToEventId": first.first_event, "eventsRemoved": removed });
        self.event(EventKind::SessionSnapshotRewind, data);
    }

    /// The model speaks: a new call of the model begins if the key is another one, or if something came between.
    fn model_speaks(&mut self, agent: Option<&str>, key: Option<&str>) {
        if agent.is_some() || self.model_call.as_ref().is_some_and(|call| call.key.as_deref() == key) {
            return;
        }
        self.flush(agent);
        self.end_model_call();
        self.model_calls += 1;
        self.model_call = Some(ModelCall { key: key.map(str::to_owned) });
        self.in_turn = true;
        self.event(EventKind::AssistantTurnStart, json!({ "turnId": self.model_calls.to_string() }));
    }

    fn end_model_call(&mut self) {
        if self.model_call.take().is_some() {
            self.event(EventKind::AssistantTurnEnd, json!({ "turnId": self.model_calls.to_string() }));
        }
    }

    /// What the model thought.
    pub(super) fn reasoning(&mut self, agent: Option<&str>, key: Option<&str>, text: &str) {
        self.model_speaks(agent, key);
        self.flush_if(agent, |answer| !answer.calls.is_empty() || !answer.text.is_empty());
        let answer = self.answer(agent);
        if !answer.reasoning.is_empty() {
            answer.reasoning.push_str("\n\n");
        }
        answer.reasoning.push_str(text);
    }

    /// What the model says.
    pub(super) fn say(&mut self, agent: Option<&str>, key: Option<&str>, model: Option<&str>, text: &str) {
        self.model_speaks(agent, key);
        self.flush_if(agent, |answer| !answer.calls.is_empty() || !answer.text.is_empty());
        let answer = self.answer(agent);
        answer.text.push_str(text);
        answer.model = model.map(str::to_owned);
    }

    fn flush_if(&mut self, agent: Option<&str>, test: impl FnOnce(&Answer) -> bool) {
        if self.answers.get(&agent.map(str::to_owned)).is_some_and(test) {
            self.flush(agent);
        }
    }

    /// The text that the model is saying, to be replaced by a longer one.
    pub(super) fn said(&mut self, agent: Option<&str>) -> Option<&mut String> {
        self.answers.get_mut(&agent.map(str::to_owned)).map(|answer| &mut answer.text)
    }

    /// The model calls a tool. False if the call is known already.
    pub(super) fn call(
        &mut self,
        agent: Option<&str>,
        key: Option<&str>,
        file_id: &str,
        name: &str,
        input: Value,
    ) -> bool {
        if self.call_is_open(file_id) {
            return false;
        }
        self.model_speaks(agent, key);
        let place = self.add_call(agent, file_id);
        let id = self.calls.get(place).map(|call| call.id.clone()).unwrap_or_default();
        self.answer(agent);
        let stamp = self.stamp();
        let call = RequestedCall { stamp, id, name: name.to_owned(), input };
        self.answer(agent).calls.push(call);
        true
    }

    /// A person runs a tool.
    pub(super) fn user_call(&mut self, file_id: &str, tool: &Tool) {
        self.flush_all();
        let place = self.add_call(None, file_id);
        let id = self.calls.get(place).map(|call| call.id.clone()).unwrap_or_default();
        let data = json!({ "toolCallId": id, "toolName": tool.name, "arguments": tool.arguments });
        self.event(EventKind::ToolUserRequested, data);
    }

    fn add_call(&mut self, agent: Option<&str>, file_id: &str) -> usize {
        let is_new = !file_id.is_empty() && !self.places.contains_key(file_id);
        let id = if is_new {
            file_id.to_owned()
        } else {
            format!("{file_id}@{}.{}", self.source.number, self.calls.len())
        };
        let place = self.calls.len();
        self.calls.push(Call { id, agent: agent.map(str::to_owned), is_open: true });
        self.places.insert(file_id.to_owned(), place);
        self.open_calls.insert(place);
        place
    }

    /// Whether a call was made.
    pub(super) fn has_call(&self, file_id: &str) -> bool {
        self.places.contains_key(file_id)
    }

    /// Whether a call was made that has not ended.
    pub(super) fn call_is_open(&self, file_id: &str) -> bool {
        self.places.get(file_id).and_then(|place| self.calls.get(*place)).is_some_and(|call| call.is_open)
    }

    /// A call has ended. False if it is not open.
    pub(super) fn complete(&mut self, file_id: &str, outcome: &Outcome) -> bool {
        let Some(place) = self.places.get(file_id).copied().filter(|_| self.call_is_open(file_id)) else {
            return false;
        };
        self.finish(place, outcome);
        // Without a key only the results tell one call of the model from the next.
        if self.model_call.as_ref().is_some_and(|call| call.key.is_none()) {
            self.end_model_call();
        }
        true
    }

    fn finish(&mut self, place: usize, outcome: &Outcome) {
        let Some(call) = self.calls.get_mut(place) else { return };
        call.is_open = false;
        let (id, agent) = (call.id.clone(), call.agent.clone());
        self.open_calls.remove(&place);
        self.flush(agent.as_deref());
        let ids = self.subagents_of.remove(&id).unwrap_or_default();
        for id in ids {
            self.subagent_ends(&id, None, false);
        }
        self.event_of(agent.as_deref(), EventKind::ToolExecutionComplete, outcome.data(&id));
    }

    fn answer(&mut self, agent: Option<&str>) -> &mut Answer {
        let stamp = if self.has_answer(agent) { Stamp::default() } else { self.stamp() };
        self.answers.entry(agent.map(str::to_owned)).or_insert_with(|| Answer {
            stamp,
            reasoning: String::new(),
            text: String::new(),
            model: None,
            calls: Vec::new(),
        })
    }

    fn has_answer(&self, agent: Option<&str>) -> bool {
        self.answers.contains_key(&agent.map(str::to_owned))
    }

    /// Writes what this agent's model has said.
    pub(super) fn flush(&mut self, agent: Option<&str>) {
        let answer = self.answers.remove(&agent.map(str::to_owned));
        let Some(answer) = answer.filter(|answer| !answer.is_empty()) else { return };
        let tool = |call: RequestedCall| (call.stamp, call.id, tools::tool(&call.name, call.input));
        let calls: Vec<(Stamp, String, Tool)> = answer.calls.into_iter().map(tool).collect();
        let request = |(_, id, tool): &(Stamp, String, Tool)| json!({ "toolCallId": id, "name": tool.name, "arguments": tool.arguments, "type": "function" });
        let requests: Vec<Value> = calls.iter().map(request).collect();
        let data = object([
            ("messageId", Some(answer.stamp.id.as_str().into())),
            ("content", Some(answer.text.into())),
            ("reasoningText", Some(answer.reasoning).filter(|text| !text.is_empty()).map(Into::into)),
            ("toolRequests", Some(requests).filter(|requests| !requests.is_empty()).map(Into::into)),
            ("model", answer.model.map(Into::into)),
        ]);
        self.stamped(answer.stamp, agent, EventKind::AssistantMessage, data);
        for (stamp, id, tool) in calls {
            let (server, mcp_tool) = tool.mcp.unzip();
            let data = object([
                ("toolCallId", Some(id.into())),
                ("toolName", Some(tool.name.into())),
                ("arguments", Some(tool.arguments)),
                ("mcpServerName", server.map(Into::into)),
                ("mcpToolName", mcp_tool.map(Into::into)),
            ]);
            self.stamped(stamp, agent, EventKind::ToolExecutionStart, data);
        }
    }

    /// Writes what all models have said.
    pub(super) fn flush_all(&mut self) {
        let agents: Vec<Option<String>> = self.answers.keys().cloned().collect();
        for agent in agents {
            self.flush(agent.as_deref());
        }
    }

    /// A sub-agent begins, unless it runs already.
    pub(super) fn subagent_starts(&mut self, id: &str, call_id: &str, name: &str, title: &str, about: &str) {
        if self.subagents.get(id).is_some_and(|subagent| subagent.is_running) {
            return;
        }
        self.flush_all();
        let call_id = self
            .places
            .get(call_id)
            .and_then(|place| self.calls.get(*place))
            .map_or(call_id, |call| &call.id);
        let data = json!({
            "toolCallId": call_id, "agentName": name, "agentDisplayName": title, "agentDescription": about,
        });
        let subagent = Subagent {
            call_id: call_id.to_owned(),
            name: name.to_owned(),
            title: title.to_owned(),
            is_running: true,
        };
        self.event_of(Some(id), EventKind::SubagentStarted, data);
        self.subagents_of.entry(subagent.call_id.clone()).or_default().push(id.to_owned());
        self.subagents.insert(id.to_owned(), subagent);
    }

    /// Whether a sub-agent was there.
    pub(super) fn has_subagent(&self, id: &str) -> bool {
        self.subagents.contains_key(id)
    }

    /// A sub-agent has ended.
    pub(super) fn subagent_ends(&mut self, id: &str, failure: Option<&str>, cancelled: bool) {
        let Some(subagent) = self.subagents.get_mut(id).filter(|subagent| subagent.is_running) else {
            return;
        };
        subagent.is_running = false;
        let (call_id, name, title) =
            (subagent.call_id.clone(), subagent.name.clone(), subagent.title.clone());
        self.flush(Some(id));
        let kind = if failure.is_some() { EventKind::SubagentFailed } else { EventKind::SubagentCompleted };
        let data = object([
            ("toolCallId", Some(call_id.into())),
            ("agentName", Some(name.into())),
            ("agentDisplayName", Some(title.into())),
            ("error", failure.map(Into::into)),
            ("cancelled", cancelled.then(|| true.into())),
        ]);
        self.event_of(Some(id), kind, data);
    }

    /// The context is being compacted.
    pub(super) fn compaction_starts(&mut self, trigger: Option<&str>) {
        self.compaction_ends(None, None);
        self.flush_all();
        self.is_compacting = true;
        self.event(EventKind::SessionCompactionStart, object([("trigger", trigger.map(Into::into))]));
    }

    /// The context has been compacted, if it was being compacted.
    pub(super) fn compaction_ends(&mut self, summary: Option<&str>, tokens_before: Option<u64>) {
        if !std::mem::take(&mut self.is_compacting) {
            return;
        }
        let data = object([
            ("success", Some(true.into())),
            ("preCompactionTokens", tokens_before.map(Into::into)),
            ("summaryContent", summary.map(Into::into)),
        ]);
        self.event(EventKind::SessionCompactionComplete, data);
    }

    /// Whether the context is being compacted.
    pub(super) fn is_compacting(&self) -> bool {
        self.is_compacting
    }

    /// A turn is over.
    pub(super) fn end_turn(&mut self) {
        self.flush(None);
        self.end_model_call();
        if std::mem::take(&mut self.in_turn) {
            self.event(EventKind::SessionIdle, json!({}));
        }
    }

    /// The work was stopped; `user_initiated` is the reason if a person did it.
    pub(super) fn abort(&mut self, reason: &str) {
        self.flush_all();
        self.end_calls();
        self.event(EventKind::Abort, json!({ "reason": reason }));
        self.end_model_call();
        if std::mem::take(&mut self.in_turn) {
            self.event(EventKind::SessionIdle, json!({ "aborted": true }));
        }
    }

    fn end_calls(&mut self) {
        let open: Vec<usize> = self.open_calls.iter().copied().collect();
        for place in open {
            self.finish(place, &Outcome::interrupted());
        }
        let running = self.subagents.iter().filter(|(_, subagent)| subagent.is_running);
        let running: Vec<String> = running.map(|(id, _)| id.clone()).collect();
        for id in running {
            self.subagent_ends(&id, None, true);
        }
    }

    /// The file has ended: nothing stays open.
    pub(super) fn end(&mut self, number: u64) {
        self.line(number, Some("end-of-transcript"), None);
        self.flush_all();
        self.compaction_ends(None, None);
        self.end_calls();
        self.end_turn();
    }
}
