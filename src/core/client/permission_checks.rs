//! Decides what the server's lists of open permissions mean for those that are open here, and when it is asked again.
//!
//! A list that lacks a permission proves little: a runtime that has just resumed its session lists nothing for a while,
//! and some never list what they wait for. So absence closes no permission that the agent is known to wait for.

use crate::connection::doubled_delay;
use crate::model::request::{Request, RequestKind, RequestStage, StaleReason};
use crate::model::state::State;

/// How long until the server is asked again, in milliseconds. Each interval is twice the one before, up to the longest.
const FIRST_MS: u64 = 2_000;
const LONGEST_MS: u64 = 60_000;
/// A permission of which nothing else is known is gone when so many lists in a row lack it.
const ABSENCES: u32 = 3;
/// An answer that was taken did not count if so many lists in a row still have its permission.
const PRESENCES: u32 = 2;
/// One that has gone is looked for in so many more lists.
const MORE_LISTS: u32 = 3;

/// The permissions that were open, or taken, when the server was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    open: Vec<String>,
    taken: Vec<String>,
    gone: Vec<String>,
}

impl Asked {
    /// Whether nothing is in question.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.taken.is_empty() && self.gone.is_empty()
    }

    /// Only those that were answered.
    #[must_use]
    pub fn without_open(self) -> Self {
        Self { taken: self.taken, ..Self::default() }
    }
}

/// What a list means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// These permissions are not asked any more.
    pub gone: Vec<String>,
    /// The server has taken an answer to these, and still waits for one.
    pub unheeded: Vec<String>,
    /// Ask again in so many milliseconds; none if nothing is in question.
    pub again_ms: Option<u32>,
}

/// What the lists so far have shown, for each permission that is in question.
#[derive(Debug, Clone, Default)]
pub struct PermissionChecks {
    /// How many lists in a row lacked a permission that waits, or had one that was answered.
    against: Vec<(String, u32)>,
    /// How many times in a row the server was asked again.
    repeats: u32,
}

impl PermissionChecks {
    /// There is a reason to ask anew: a connection, or an answer that was taken. The intervals begin with the shortest.
    pub fn begin(&mut self) {
        self.repeats = 0;
    }

    /// What to compare with the list that is requested now.
    pub fn ask(&self, state: &State) -> Asked {
        let of = |wanted: fn(&RequestStage) -> bool| {
            let entries = state.entries.iter();
            let all = entries.filter(|entry| entry.request().is_some_and(|request| is(request, wanted)));
            all.map(|entry| entry.id.clone()).collect()
        };
        Asked {
            open: of(|life| {
                matches!(life, RequestStage::Waiting | RequestStage::Sending(_) | RequestStage::Unsure(_))
            }),
            taken: of(|life| matches!(life, RequestStage::Taken(_))),
            gone: of(|life| matches!(life, RequestStage::Stale { why: StaleReason::Unlisted, .. })),
        }
    }

    /// The server has listed these permissions as open.
    pub fn listed(&mut self, state: &State, asked: &Asked, listed: &[String]) -> Findings {
        let mut findings = Findings::default();
        let before = std::mem::take(&mut self.against);
        let count =
            |id: &String| before.iter().find(|(other, _)| other == id).map_or(0, |(_, lists)| *lists) + 1;
        let mut in_question = false;
        for id in asked.open.iter().filter(|id| !listed.contains(id)) {
            let Some(place) = state.request_place(id) else { continue };
            if count(id) >= ABSENCES && !state.is_awaited(place) {
                findings.gone.push(id.clone());
            }
            in_question = true;
            self.against.push((id.clone(), count(id)));
        }
        for id in asked.taken.iter().filter(|id| listed.contains(id)) {
            if count(id) >= PRESENCES {
                findings.unheeded.push(id.clone());
            } else {
                in_question = true;
                self.against.push((id.clone(), count(id)));
            }
        }
        for id in asked.gone.iter().filter(|id| !listed.contains(id)) {
            in_question |= count(id) < ABSENCES + MORE_LISTS;
            self.against.push((id.clone(), count(id)));
        }
        findings.again_ms = in_question.then(|| self.interval());
        findings
    }

    /// The server has not said what is open. Returns when it is asked again, in milliseconds.
    pub fn unanswered(&mut self) -> u32 {
        self.interval()
    }

    /// The server has taken an answer. Returns when it is asked whether it still waits for one, in milliseconds.
    pub fn taken(&mut self) -> u32 {
        self.begin();
        self.interval()
    }

    fn interval(&mut self) -> u32 {
        let interval = doubled_delay(FIRST_MS, self.repeats, LONGEST_MS);
        self.repeats = self.repeats.saturating_add(1);
        interval as u32
    }
}

fn is(request: &Request, wanted: fn(&RequestStage) -> bool) -> bool {
    request.kind == RequestKind::Permission && wanted(&request.stage)
}

#[cfg(test)]
mod tests;
