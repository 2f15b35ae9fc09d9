//! The requests in a recording: whether a person has decided, and which event follows first from the answer. The player has to
//! wait there.
//!
//! The closing event is not always the first one: the runtime now and then writes the end of a tool call
//! before the decision that ended it. Played in that order, the page would end the request, and nobody could
//! answer it any more. So the lines go through the core, as on the page: its state shows which line opens a
//! request and which line ends it. Some events show an answer although the core leaves the request open: a
//! tool that runs was allowed, and a turn that is over waits for nobody.

use std::collections::HashMap;
use std::sync::Arc;

use pilothouse_core::Session;
use pilothouse_core::model::entry::Entry;
use pilothouse_core::model::request::{Request, RequestKind};
use pilothouse_core::protocol::EventKind;
use serde_json::Value;

/// The requests that no line has closed so far.
#[derive(Default)]
pub struct Requests {
    page: Session,
    open: HashMap<Arc<str>, RecordedRequest>,
}

/// An open request.
pub struct RecordedRequest {
    /// The line that opened it.
    pub line: usize,
    /// The data of its event.
    pub requested: Value,
    /// The first line that follows from its answer, where that is not the closing one.
    pub follows: Option<usize>,
}

impl Requests {
    /// Takes the next line of the recording, with its type and its envelope's `agentId` if it is an event.
    pub fn read(&mut self, line: usize, raw: &str, kind: EventKind, agent: Option<&str>) {
        if self.open.is_empty() {
            self.page.push_frame(raw);
            return;
        }
        let call = of_running_tool(kind).then(|| tool_call_of(raw)).flatten();
        let state = self.page.state();
        for (id, opening) in &mut self.open {
            let asked = state.request_place(id).and_then(|place| state.entry(place));
            if asked.is_some_and(|asked| shows_an_answer(asked, kind, agent, call.as_deref())) {
                opening.follows.get_or_insert(line);
            }
        }
        self.page.push_frame(raw);
        let page = &self.page;
        for (_, opening) in self.open.iter_mut().filter(|(id, _)| !is_open(page, id)) {
            opening.follows.get_or_insert(line);
        }
    }

    /// Notes the request that the line just read opens. False if it opens none: the event is a repetition, or
    /// the request was decided before.
    pub fn opened(&mut self, id: &Arc<str>, line: usize, requested: Value) -> bool {
        let new = !self.open.contains_key(id) && is_open(&self.page, id);
        if new {
            self.open.insert(Arc::clone(id), RecordedRequest { line, requested, follows: None });
        }
        new
    }

    /// Removes the request that a line closes, and returns it.
    pub fn closed(&mut self, id: &str) -> Option<RecordedRequest> {
        self.open.remove(id)
    }
}

fn is_open(page: &Session, id: &str) -> bool {
    let state = page.state();
    let entry = state.request_place(id).and_then(|place| state.entry(place));
    entry.and_then(Entry::request).is_some_and(Request::open)
}

fn of_running_tool(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::ToolExecutionPartialResult
            | EventKind::ToolExecutionProgress
            | EventKind::ExternalToolRequested
            | EventKind::SubagentStarted
    )
}

fn tool_call_of(raw: &str) -> Option<String> {
    let event: Value = serde_json::from_str(raw).ok()?;
    event["data"]["toolCallId"].as_str().map(str::to_owned)
}

/// Whether such an event shows that the request was answered, although the core leaves the request open.
fn shows_an_answer(asked: &Entry, kind: EventKind, agent: Option<&str>, call: Option<&str>) -> bool {
    let Some(request) = asked.request() else {
        return false;
    };
    if kind == EventKind::AssistantTurnEnd {
        return request.kind.belongs_to_turn() && asked.agent_id.as_deref() == agent;
    }
    request.kind == RequestKind::Permission && call.is_some() && request.tool_call_id.as_deref() == call
}

/// Whether the recorded decision was made by a person, so that the player must ask again.
///
/// Only the events decide this. A permission was not decided by a person where a hook, a rule, a policy
/// or an abort decided, or where the decision names another source. The other kinds carry the decision in
/// the first of their fields; where that is missing nobody decided (an abort).
pub fn decided_by_a_person(kind: RequestKind, requested: &Value, completed: &Value) -> bool {
    if kind != RequestKind::Permission {
        return kind.decision_fields().first().is_none_or(|field| !completed[*field].is_null());
    }
    let by_hook = requested["resolvedByHook"] == true || completed["resolvedByHook"] == true;
    let source = completed["decisionSource"].as_str();
    let word = completed["result"]["kind"].as_str().unwrap_or_default();
    // Of an agent's option whose kind is not known only the name is told.
    let by_option = word.is_empty() && completed["agentOption"].is_string();
    let interactive = by_option || word.starts_with("approved") || word == "denied-interactively-by-user";
    !by_hook && interactive && source.is_none_or(|source| source == "human_response")
}

#[cfg(test)]
mod tests {
    use super::{RequestKind, decided_by_a_person};
    use serde_json::json;

    #[test]
    fn only_a_persons_permission_is_asked_again() {
        let asked = json!({"requestId": "r"});
        let decided = |kind: &str| {
            decided_by_a_person(
                RequestKind::Permission,
                &asked,
                &json!({"requestId": "r", "result": {"kind": kind}}),
            )
        };
        for kind in
            ["approved", "approved-for-session", "approved-for-location", "denied-interactively-by-user"]
        {
            assert!(decided(kind), "{kind}");
        }
        for kind in [
            "denied-by-rules",
            "denied-by-content-exclusion-policy",
            "denied-by-permission-request-hook",
            "denied-no-approval-rule-and-could-not-request-from-user",
            "cancelled",
        ] {
            assert!(!decided(kind), "{kind}");
        }
    }

    #[test]
    fn hooks_and_other_sources_are_nobody() {
        let approved = json!({"result": {"kind": "approved"}});
        let carried =
            json!({"result": {"kind": "approved"}, "decisionSource": "authorization_carry_forward"});
        let human = json!({"result": {"kind": "approved"}, "decisionSource": "human_response"});
        assert!(!decided_by_a_person(RequestKind::Permission, &json!({"resolvedByHook": true}), &approved));
        assert!(!decided_by_a_person(RequestKind::Permission, &json!({}), &carried));
        assert!(decided_by_a_person(RequestKind::Permission, &json!({}), &human));
        let by_option = json!({"result": {}, "agentOption": "Ask my supervisor"});
        assert!(decided_by_a_person(RequestKind::Permission, &json!({}), &by_option));
        assert!(!decided_by_a_person(RequestKind::Permission, &json!({}), &json!({"result": {}})));
    }

    #[test]
    fn a_question_that_was_aborted_was_not_answered() {
        assert!(!decided_by_a_person(RequestKind::UserInput, &json!({}), &json!({"requestId": "r"})));
        assert!(decided_by_a_person(
            RequestKind::UserInput,
            &json!({}),
            &json!({"answer": "", "wasFreeform": true})
        ));
        assert!(decided_by_a_person(RequestKind::Command, &json!({}), &json!({"requestId": "r"})));
    }
}
