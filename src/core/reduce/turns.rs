//! Whose work it is: a turn belongs to the message that started it, a sub-agent's to itself as well.
//! Refuses what was said and done: it counts.
//!
//! A person's message begins a turn, unless it steers one that goes on. Work that nobody's message started (a
//! notification, autopilot going on) belongs to the last turn: it is still about the same thing.

use super::Meta;
use crate::entry::{Body, Entry};
use crate::request::{Request, RequestKind};
use crate::state::State;
use crate::work::Work;

impl State {
    /// True while a turn is on: there is something to steer.
    pub(super) fn turn_goes_on(&self) -> bool {
        self.turn.and_then(|turn| self.work(turn)).is_some_and(|work| work.works)
    }

    /// A person's message begins a turn.
    pub(super) fn turn_begins(&mut self, place: usize, at: Option<i64>) {
        if self.turn != Some(place) {
            self.turn_clock(false);
            self.turn = Some(place);
            self.change_work(place, |work| work.begin(at));
        }
    }

    /// The session works or rests.
    pub(crate) fn turn_clock(&mut self, works: bool) {
        let now = self.info.last_event_at;
        if let Some(turn) = self.turn {
            self.change_work(turn, |work| if works { work.begin(now) } else { work.rest(now) });
        }
    }

    /// Something was done: for the turn, and by the sub-agent that did it. Where the envelope does not name that one,
    /// the `task` call that started it does.
    pub(super) fn worked(&mut self, meta: Meta<'_>, task: Option<&str>, change: impl Fn(&mut Work)) {
        let agent = meta.agent.and_then(|agent| self.agent_place(agent));
        let agent = agent.or_else(|| self.subagent_place(task?));
        let served = agent.and_then(|place| match &self.entry(place)?.body {
            Body::Subagent(agent) => agent.turn,
            _ => None,
        });
        if let Some(agent) = agent {
            self.change_work(agent, &change);
        }
        if let Some(turn) = served.or(self.turn) {
            self.change_work(turn, &change);
        }
    }

    /// A tool began to run; what a person ran is no work of the agent.
    pub(super) fn tool_worked(&mut self, meta: Meta<'_>, place: usize) {
        let Some(entry) = self.entry(place).filter(|entry| entry.tool().is_some_and(|call| !call.by_user))
        else {
            return;
        };
        let task = entry.parent_tool_call_id.clone();
        self.worked(meta, task.as_deref(), |work| work.tools += 1);
    }

    /// A permission opened or closed: its tool call waits as long as one is open.
    pub(super) fn tool_waits(&mut self, request: usize) {
        let permission = |place: usize| {
            let request = self.entry(place)?.request()?;
            (request.kind == RequestKind::Permission).then_some(request.tool_call_id.as_deref()).flatten()
        };
        let Some(tool) = permission(request) else {
            return;
        };
        // What was not allowed never runs, also if that is all that is ever heard of it.
        let refused = self.entry(request).and_then(Entry::request).is_some_and(Request::refused);
        let waits = refused || self.open_requests.iter().any(|open| permission(*open) == Some(tool));
        let Some(place) = self.tool_place(tool) else {
            return;
        };
        if self.entry(place).and_then(Entry::tool).is_some_and(|call| call.waits != waits) {
            self.update(place, |entry| {
                if let Body::Tool(call) = &mut entry.body {
                    call.waits = waits;
                }
            });
        }
    }

    fn work(&self, place: usize) -> Option<&Work> {
        match &self.entry(place)?.body {
            Body::User(message) => message.work.as_ref(),
            Body::Subagent(agent) => Some(&agent.work),
            _ => None,
        }
    }

    fn change_work(&mut self, place: usize, change: impl FnOnce(&mut Work)) {
        self.update(place, |entry| match &mut entry.body {
            Body::User(message) => change(message.work.get_or_insert_default()),
            Body::Subagent(agent) => change(&mut agent.work),
            _ => {}
        });
    }
}
