//! Sub-agents: who they are, and whose updates are theirs.

use std::collections::BTreeMap;

use agent_client_protocol_schema::v1::ToolKind;
use pilothouse_core::json_writer::object;
use pilothouse_core::protocol::EventKind;
use serde_json::{Value, json};

use super::call::Call;
use super::calls::Calls;
use super::event::Out;

/// The sub-agents of a session, by id.
#[derive(Debug, Default)]
pub struct Subagents {
    agents: BTreeMap<String, Subagent>,
    /// Ids that an agent gave to sub-agents that were known before by another.
    names: BTreeMap<String, String>,
}

#[derive(Debug)]
struct Subagent {
    call_id: String,
    name: String,
    title: String,
    is_running: bool,
}

impl Subagents {
    /// Whether it is known.
    pub fn has(&self, id: &str) -> bool {
        self.agents.contains_key(id)
    }

    /// The id of its events, by an id of the agent's.
    fn known(&self, id: &str) -> Option<&str> {
        let id = self.names.get(id).map_or(id, String::as_str);
        self.agents.get_key_value(id).map(|(id, _)| id.as_str())
    }

    /// The id of the one that has this at its end: some calls name a sub-agent by a part of its id.
    fn ending_with(&self, id: &str) -> Option<&str> {
        let is_it = |known: &&String| known.strip_suffix(id).is_some_and(|start| start.ends_with(':'));
        self.agents.keys().find(is_it).map(String::as_str)
    }

    /// The id of the one that this call started.
    pub fn of_call(&self, call_id: &str) -> Option<&str> {
        self.agents.iter().find(|(_, agent)| agent.call_id == call_id).map(|(id, _)| id.as_str())
    }

    /// The agent calls a sub-agent that is known so.
    fn name(&mut self, agents_id: &str, id: &str) {
        self.names.insert(agents_id.to_owned(), id.to_owned());
    }

    /// Whether one runs.
    pub fn is_running(&self) -> bool {
        self.agents.values().any(|agent| agent.is_running)
    }

    /// A sub-agent begins, or begins again.
    pub fn start(
        &mut self,
        id: &str,
        call_id: &str,
        name: &str,
        title: &str,
        about: &str,
        out: &mut Out<'_>,
    ) {
        let agent = Subagent {
            call_id: call_id.to_owned(),
            name: name.to_owned(),
            title: title.to_owned(),
            is_running: true,
        };
        let data = json!({
            "toolCallId": agent.call_id,
            "agentName": agent.name,
            "agentDisplayName": agent.title,
            // Some say the same twice.
            "agentDescription": if about == title { "" } else { about },
        });
        out.event_of(Some(id), EventKind::SubagentStarted, data);
        self.agents.insert(id.to_owned(), agent);
    }

    /// What the agent says of a sub-agent that has a session of its own.
    pub fn update(&mut self, update: &Value, out: &mut Out<'_>) {
        let text = |name: &str| update.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let Some(id) = text("sessionId") else { return out.leave_out("a sub-agent without an id") };
        if !self.has(id) {
            let title = text("title").or_else(|| text("description")).unwrap_or("Sub-agent");
            let about = text("description").unwrap_or_default();
            self.start(id, id, "subagent", title, about, out);
            return;
        }
        let state = update.pointer("/state/state").and_then(Value::as_str);
        let reason = update.pointer("/state/stopReason").and_then(Value::as_str);
        match state {
            Some("idle" | "completed") => self.end(id, None, reason == Some("cancelled"), out),
            Some("failed" | "error") => self.end(id, Some(reason.unwrap_or("It failed.")), false, out),
            _ => out.leave_out("a sub-agent's state that changes nothing"),
        }
    }

    /// The call that started sub-agents has ended.
    pub fn call_ended(&mut self, call_id: &str, out: &mut Out<'_>) {
        let of_call = |(_, agent): &(&String, &Subagent)| agent.call_id == call_id;
        let ids: Vec<String> = self.agents.iter().filter(of_call).map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.end(&id, None, false, out);
        }
    }

    /// None runs any more.
    pub fn end_all(&mut self, cancelled: bool, out: &mut Out<'_>) {
        let ids: Vec<String> = self.agents.keys().cloned().collect();
        for id in ids {
            self.end(&id, None, cancelled, out);
        }
    }

    /// Calls about sub-agents name them by a part of the id that their events have.
    pub fn name_receivers(&self, input: &mut Value) {
        let receivers = input.get_mut("receiverThreadIds").and_then(Value::as_array_mut);
        for id in receivers.into_iter().flatten() {
            if let Some(known) = id.as_str().and_then(|id| self.ending_with(id)) {
                *id = known.into();
            }
        }
    }

    /// The sub-agent whose words have no owner: the one that a call runs, since the main agent waits for that call. Of several
    /// it is not known which one speaks.
    pub fn speaking(&mut self, calls: &Calls, out: &mut Out<'_>) -> Option<String> {
        let mut starters = starters(calls);
        let (Some(call), None) = (starters.next(), starters.next()) else { return None };
        if let Some(id) = self.of_call(&call.id) {
            return Some(id.to_owned());
        }
        // Its first call will say its id.
        self.begin(&call.id, Some(call), out);
        Some(call.id.clone())
    }

    /// The sub-agent of this id of the agent's; it begins if it is new.
    pub fn named(&mut self, agents_id: &str, calls: &Calls, out: &mut Out<'_>) -> String {
        if let Some(id) = self.known(agents_id) {
            return id.to_owned();
        }
        // One whose words came before its first call, by which its id is known.
        if let Some(call) = starters(calls).find(|call| self.has(&call.id)) {
            self.name(agents_id, &call.id);
            return call.id.clone();
        }
        let without = starters(calls).find(|call| self.of_call(&call.id).is_none());
        self.begin(agents_id, without.or_else(|| starters(calls).last()), out);
        agents_id.to_owned()
    }

    /// A sub-agent begins, which this call has started.
    fn begin(&mut self, id: &str, parent: Option<&Call>, out: &mut Out<'_>) {
        let (call_id, name, title) = match parent {
            Some(call) => {
                let name = call.input_text(&STARTS).unwrap_or("subagent");
                (call.id.clone(), name.to_owned(), call.title.clone().unwrap_or_else(|| name.to_owned()))
            }
            None => (id.to_owned(), "subagent".to_owned(), "Sub-agent".to_owned()),
        };
        let about = parent.and_then(|call| call.input_text(&["description"])).unwrap_or_default().to_owned();
        self.start(id, &call_id, &name, &title, &about, out);
    }

    fn end(&mut self, id: &str, failure: Option<&str>, cancelled: bool, out: &mut Out<'_>) {
        let Some(agent) = self.agents.get_mut(id).filter(|agent| agent.is_running) else { return };
        agent.is_running = false;
        let kind = if failure.is_some() { EventKind::SubagentFailed } else { EventKind::SubagentCompleted };
        let data = object([
            ("toolCallId", Some(agent.call_id.as_str().into())),
            ("agentName", Some(agent.name.as_str().into())),
            ("agentDisplayName", Some(agent.title.as_str().into())),
            ("error", failure.map(Into::into)),
            ("cancelled", cancelled.then_some(true.into())),
        ]);
        out.event_of(Some(id), kind, data);
    }
}

/// What the input of a call has that starts a sub-agent.
const STARTS: [&str; 2] = ["agent_type", "subagent_type"];

/// The running calls that start sub-agents, in order.
fn starters(calls: &Calls) -> impl Iterator<Item = &Call> {
    calls.running().filter(|call| call.input_text(&STARTS).is_some() && call.kind != Some(ToolKind::Execute))
}
