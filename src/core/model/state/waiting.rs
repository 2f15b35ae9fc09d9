//! Which agents wait for a person, and the clocks that stand meanwhile.

use super::State;
use crate::model::entry::{Body, Entry, EntryState, Kind};
use crate::model::request::Asker;
use crate::model::tool_call::ToolCall;
use crate::model::work::Work;

/// An agent that waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiter {
    Main,
    /// By the place of its entry.
    Subagent(usize),
}

impl State {
    /// True if the agent that made this request does not go on before the answer.
    pub(crate) fn blocks_agent(&self, request: usize) -> bool {
        self.entry(request).and_then(Entry::request).is_some_and(|request| request.kind.blocks_agent())
    }

    /// The requests whose end no event has reported. That an answer is on its way, or was taken, is known here only, and
    /// no clock may depend on it.
    pub(crate) fn unended_requests(&self) -> impl Iterator<Item = &usize> {
        self.open_requests.iter().chain(&self.taken_requests)
    }

    /// True if the main agent waits for a person.
    pub(crate) fn main_agent_waits(&self) -> bool {
        self.waiters().contains(&Waiter::Main)
    }

    /// The agents that wait for a person: those that ask, and those that wait for one that asks. Nobody waits for a
    /// sub-agent in the background.
    pub(crate) fn waiters(&self) -> Vec<Waiter> {
        let mut waiters = Vec::new();
        for request in self.unended_requests().filter(|place| self.blocks_agent(**place)) {
            let mut agent = self.entry(*request).and_then(|entry| self.agent_of(entry));
            loop {
                let waiter = agent.map_or(Waiter::Main, Waiter::Subagent);
                if !waiters.contains(&waiter) {
                    waiters.push(waiter);
                }
                let Some(place) = agent else { break };
                match self.entry(place).map(|entry| &entry.body) {
                    Some(Body::Subagent(subagent)) if !self.runs_independently(place) => {
                        // A chain of parents ends: each comes before its sub-agents.
                        agent = subagent.parent.filter(|parent| *parent < place);
                    }
                    _ => break,
                }
            }
        }
        // Between its turns the main agent waits for its sub-agents. If all of them wait for a person, so does it.
        if self.main_agent_is_idle && !waiters.is_empty() && !waiters.contains(&Waiter::Main) {
            let mut running = self
                .entries
                .iter()
                .enumerate()
                .filter(|(_, entry)| entry.kind == Kind::Subagent && entry.state == EntryState::Running);
            if running.all(|(place, _)| waiters.contains(&Waiter::Subagent(place))) {
                waiters.push(Waiter::Main);
            }
        }
        waiters
    }

    /// True if the agent that started this sub-agent goes on meanwhile: its call has ended, or it was started in the
    /// background.
    fn runs_independently(&self, subagent: usize) -> bool {
        let Some(entry) = self.entry(subagent) else { return true };
        let call = self.tool_place(&entry.id).and_then(|call| self.entry(call));
        let ended = call.is_some_and(|call| call.tool().is_some_and(ToolCall::ended));
        ended || matches!(&entry.body, Body::Subagent(agent) if agent.background)
    }

    /// The place of the sub-agent that an entry belongs to; none for the main agent's.
    pub fn agent_of(&self, entry: &Entry) -> Option<usize> {
        let by_id = entry.agent_id.as_deref().and_then(|agent| self.agent_place(agent));
        by_id.or_else(|| self.subagent_place(entry.parent_tool_call_id.as_deref()?))
    }

    /// The sub-agent that asks for what this request is about; none for the main agent.
    pub fn asker(&self, request: usize) -> Option<Asker> {
        let entry = self.entry(request)?;
        let agent = self.agent_of(entry).and_then(|place| match &self.entry(place)?.body {
            Body::Subagent(agent) => Some(agent),
            _ => None,
        });
        entry.agent_id.as_deref().or(entry.parent_tool_call_id.as_deref())?;
        // Before it has started, its call says something about it, and on a board its request does.
        let call =
            entry.parent_tool_call_id.as_deref().and_then(|id| self.entry(self.tool_place(id)?)?.tool());
        let argument = |name: &str| call.and_then(|call| call.argument(name));
        let asked = |name: &str| entry.request()?.details.get(name)?.as_str();
        let first = |words: [Option<&str>; 3]| {
            words.into_iter().flatten().find(|word| !word.trim().is_empty()).map(str::to_owned)
        };
        let name =
            first([agent.map(|agent| agent.title()), asked("agentDisplayName"), argument("agent_type")]);
        let task = first([agent.map(|agent| agent.description.as_str()), argument("description"), None]);
        let task = task.filter(|task| name.as_ref() != Some(task));
        Some(Asker { name, task })
    }

    /// Lets the clocks of agents stand that wait for a person, and go on for those that do not any longer.
    pub(crate) fn set_clocks(&mut self) {
        let now = self.info.last_event_at;
        let waiters = self.waiters();
        let before = std::mem::replace(&mut self.waiting, waiters.clone());
        match (before.contains(&Waiter::Main), waiters.contains(&Waiter::Main)) {
            (false, true) => self.info.waits_since = now,
            (true, false) => {
                let since = self.info.waits_since.take();
                let waited = since.zip(now).map_or(0, |(since, now)| now.saturating_sub(since).max(0));
                self.info.running_since = self.info.running_since.map(|start| start.saturating_add(waited));
            }
            _ => {}
        }
        for waiter in before.iter().filter(|waiter| !waiters.contains(waiter)) {
            self.change_clock(*waiter, |work| work.resume(now));
        }
        for waiter in waiters.iter().filter(|waiter| !before.contains(waiter)) {
            self.change_clock(*waiter, |work| work.pause(now));
        }
    }

    fn change_clock(&mut self, waiter: Waiter, change: impl Fn(&mut Work)) {
        let place = match waiter {
            Waiter::Main => self.turn,
            Waiter::Subagent(place) => Some(place),
        };
        let Some(place) = place else { return };
        self.update(place, |entry| match &mut entry.body {
            Body::User(message) => message.work.iter_mut().for_each(&change),
            Body::Subagent(agent) if entry.state == EntryState::Running => change(&mut agent.work),
            _ => {}
        });
    }
}
