//! Finds the first event of a recording that follows from the answer to each request. The player has to wait
//! there.
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
    open: HashMap<Arc<str>, Opening>,
}

/// An open request.
pub struct Opening {
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
            self.open.insert(Arc::clone(id), Opening { line, requested, follows: None });
        }
        new
    }

    /// Removes the request that a line closes, and returns it.
    pub fn closed(&mut self, id: &str) -> Option<Opening> {
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
