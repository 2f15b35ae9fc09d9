//! Attributes work: to the message that started the turn, and to the sub-agent that did it.
//!
//! A person's message begins a turn, unless it steers a running one. Work that no person's message started
//! (after a notification, or by autopilot) belongs to the last turn, as it is still about the same thing.

use super::Meta;
use crate::model::entry::Body;
use crate::model::state::State;
use crate::model::work::Work;

impl State {
    /// True while a turn is running, so that a message can steer it.
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

    /// The session begins to work, or to rest.
    pub(crate) fn turn_clock(&mut self, works: bool) {
        let now = self.info.last_event_at;
        if let Some(turn) = self.turn {
            self.change_work(turn, |work| if works { work.begin(now) } else { work.rest(now) });
        }
    }

    /// Counts work for the turn, and for the sub-agent that did it. If the envelope names no agent, it
    /// is the one that the call `task` started.
    pub(super) fn count_work(&mut self, meta: Meta<'_>, task: Option<&str>, change: impl Fn(&mut Work)) {
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

    /// A tool began to run. What a person ran is not the agent's work.
    pub(super) fn count_tool(&mut self, meta: Meta<'_>, place: usize) {
        let Some(entry) = self.entry(place).filter(|entry| entry.tool().is_some_and(|call| !call.by_user))
        else {
            return;
        };
        let task = entry.parent_tool_call_id.clone();
        self.count_work(meta, task.as_deref(), |work| work.tools += 1);
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
