//! Reduces one session for the board: its state, and the exact events that opened and ended its requests.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use pilothouse_core::model::board::LARGEST_EVENT;
use pilothouse_core::model::entry::Entry;
use pilothouse_core::model::state;
use pilothouse_core::view_model::board_summary;
use pilothouse_core::{Session as Reduced, State};
use serde_json::{Map, Value};

/// How long a session is silent after its turn before it counts as idle.
const GRACE: Duration = Duration::from_millis(state::GRACE as u64);
/// How many ended requests are stored for viewers that have not been notified yet.
const MOST_ENDED: usize = 64;

/// A request that is over.
#[derive(Clone, Debug)]
pub struct EndedRequest {
    /// Its number among all that ended in this session, from 1.
    pub number: u64,
    /// Its id.
    pub request_id: String,
    /// The event that ended it, byte for byte; none if it is too large.
    pub event: Option<Arc<str>>,
}

/// How long a request waited for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// When it ended, by the event's time.
    pub ended: SystemTime,
    /// For how long it was open.
    pub waited: Duration,
}

/// A session as far as it has been reduced.
#[derive(Default)]
pub struct ReducedSession {
    core: Reduced,
    opened: HashMap<String, Option<Arc<str>>>,
    ended: VecDeque<EndedRequest>,
    ends: u64,
    /// Those of which nobody has asked yet.
    waits: VecDeque<Wait>,
    /// The requests that the newest stop has closed, with the events that opened them.
    stopped: HashMap<String, Option<Arc<str>>>,
    /// How many such stops the agent has been asked about.
    stops: u64,
    /// A session whose turn has ended and that does not say that it is idle: its newest record, and when that was first seen
    /// here.
    silent: Option<(u64, Instant)>,
}

impl std::fmt::Debug for ReducedSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Folded")
            .field("opened", &self.opened.len())
            .field("ends", &self.ends)
            .finish_non_exhaustive()
    }
}

impl ReducedSession {
    /// Takes one line of the journal.
    pub fn take(&mut self, raw: &Arc<str>) {
        let before = self.core.state().open_requests.clone();
        // As the page reads it.
        self.core.push_frame(raw);
        let state = self.core.state();
        if state.open_requests == before {
            return;
        }
        // This very line opened or ended the requests that differ.
        let event = || (raw.len() <= LARGEST_EVENT).then(|| Arc::clone(raw));
        let id = |place: &usize| state.entry(*place).map(|entry| entry.id.clone());
        for place in state.open_requests.iter().filter(|place| !before.contains(place)) {
            if let Some(id) = id(place) {
                self.opened.insert(id, event());
            }
        }
        if state.doubtful_ends > self.stops {
            self.stopped.clear();
        }
        for place in before.iter().filter(|place| !state.open_requests.contains(place)) {
            let Some(request_id) = id(place) else { continue };
            if let Some(opening) = self.opened.remove(&request_id)
                && state.doubtful_ends > self.stops
            {
                self.stopped.insert(request_id.clone(), opening);
            }
            if let (Some(asked), Some(ended)) =
                (state.entry(*place).and_then(|entry| entry.at), state.info.last_event_at)
            {
                let time = |millis: i64| Duration::from_millis(millis.max(0).unsigned_abs());
                self.waits.push_back(Wait { ended: UNIX_EPOCH + time(ended), waited: time(ended - asked) });
                if self.waits.len() > MOST_ENDED {
                    self.waits.pop_front();
                }
            }
            self.ends += 1;
            self.ended.push_back(EndedRequest { number: self.ends, request_id, event: event() });
            if self.ended.len() > MOST_ENDED {
                self.ended.pop_front();
            }
        }
    }

    /// Lets a session be idle that has been silent long enough after its turn. True if that changed it.
    pub fn become_idle_if_silent(&mut self, now: Instant) -> bool {
        let record = self.core.state().idle_after_grace();
        let since = self.silent.filter(|(silent, _)| Some(*silent) == record).map(|(_, since)| since);
        self.silent = record.map(|record| (record, since.unwrap_or(now)));
        match self.silent {
            Some((record, since)) if now.saturating_duration_since(since) >= GRACE => {
                self.core.grace_ended(record);
                true
            }
            _ => false,
        }
    }

    /// Whether a stop has closed requests since this was asked last. It does not say whether it left agents alone that ask.
    pub fn take_stop(&mut self) -> bool {
        let stops = self.core.state().doubtful_ends;
        std::mem::replace(&mut self.stops, stops) < stops
    }

    /// Takes the permissions that the agent lists as open.
    pub fn permissions_listed(&mut self, items: Vec<Value>) {
        self.core.permissions_listed(&[], items);
        let state = self.core.state();
        let open = state.open_requests.iter().filter_map(|place| state.entry(*place));
        for entry in open {
            if let Some(opening) = self.stopped.remove(&entry.id) {
                self.opened.insert(entry.id.clone(), opening);
            }
        }
    }

    /// The state so far.
    pub fn state(&self) -> &State {
        self.core.state()
    }

    /// Starts over, because the recording does. What has ended stays so.
    pub fn restart(&mut self) {
        self.core = Reduced::new();
        self.opened.clear();
        self.stopped.clear();
        self.stops = 0;
    }

    /// Requests that end from now on get higher numbers than this one.
    pub fn number_from(&mut self, ends: u64) {
        self.ends = self.ends.max(ends);
    }

    /// The fields of its row in the list, besides the session's facts.
    pub fn fields(&self) -> Map<String, Value> {
        board_summary::of(self.core.state())
    }

    /// How long requests waited that have ended since this was asked last.
    pub fn take_waits(&mut self) -> Vec<Wait> {
        self.waits.drain(..).collect()
    }

    /// The ids of the open requests that outlive the agent's process.
    pub fn surviving_requests(&self) -> Vec<String> {
        let state = self.core.state();
        let open = state.open_requests.iter().filter_map(|place| state.entry(*place));
        let survives = |entry: &&Entry| entry.request().is_some_and(|request| request.kind.survives_resume());
        open.filter(survives).map(|entry| entry.id.clone()).collect()
    }

    /// The event that opened a request; none if it is not open, or too large.
    pub fn opening(&self, request_id: &str) -> Option<Arc<str>> {
        self.opened.get(request_id).cloned().flatten()
    }

    /// How many requests have ended.
    pub fn ends(&self) -> u64 {
        self.ends
    }

    /// The ended requests with a number above this one.
    pub fn ended_after(&self, number: u64) -> Vec<EndedRequest> {
        self.ended.iter().filter(|ended| ended.number > number).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_whose_turn_has_ended_in_silence_is_idle_after_a_grace() {
        let mut folded = ReducedSession::default();
        let start = Instant::now();
        let take = |folded: &mut ReducedSession, line: &str| folded.take(&Arc::from(line));
        take(&mut folded, r#"{"type":"user.message","id":"1","data":{"content":"Hi","messageId":"u"}}"#);
        take(&mut folded, r#"{"type":"assistant.turn_start","id":"2","data":{"turnId":"0"}}"#);
        take(&mut folded, r#"{"type":"assistant.streaming_delta","id":"3","ephemeral":true,"data":{}}"#);
        assert!(!folded.become_idle_if_silent(start + 9 * GRACE), "a turn runs as long as it likes");
        take(&mut folded, r#"{"type":"assistant.turn_end","id":"4","data":{"turnId":"0"}}"#);
        assert!(!folded.become_idle_if_silent(start));
        assert!(!folded.become_idle_if_silent(start + GRACE / 2));
        take(
            &mut folded,
            r#"{"type":"session.title_changed","id":"5","ephemeral":true,"data":{"title":"Hi"}}"#,
        );
        assert!(!folded.become_idle_if_silent(start + GRACE), "it was not silent");
        assert_eq!(folded.fields()["status"], "running");
        assert!(folded.become_idle_if_silent(start + 2 * GRACE));
        assert_eq!(folded.fields()["status"], "idle");
        assert!(!folded.become_idle_if_silent(start + 3 * GRACE), "it is already");
    }

    #[test]
    fn a_request_that_ended_says_once_how_long_it_waited() {
        let mut folded = ReducedSession::default();
        let lines = [
            r#"{"type":"permission.requested","id":"1","timestamp":"2026-01-01T10:00:00.000Z","data":{"requestId":"r","permissionRequest":{"kind":"shell","fullCommandText":"ls"}}}"#,
            r#"{"type":"permission.completed","id":"2","timestamp":"2026-01-01T10:01:10.500Z","data":{"requestId":"r","result":{"kind":"approved"}}}"#,
        ];
        folded.take(&Arc::from(lines[0]));
        assert_eq!(folded.take_waits(), []);
        folded.take(&Arc::from(lines[1]));
        let waits = folded.take_waits();
        let [Wait { ended, waited }] = waits[..] else { panic!("{waits:?}") };
        assert_eq!(waited, Duration::from_millis(70_500));
        assert_eq!(ended, UNIX_EPOCH + Duration::from_millis(1_767_261_670_500));
        assert_eq!(folded.take_waits(), [], "once");
    }
}
