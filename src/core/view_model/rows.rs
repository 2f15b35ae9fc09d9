//! Which rows of the timeline are shown: combines folded lanes of sub-agents, groups of calls that are folded to one line,
//! event types that the reader has hidden, and filters.
//!
//! Requests that wait for a person are always shown.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::model::entry::{Body, Entry, EntryState, Kind};
use crate::model::request::Request;
use crate::model::state::{Change, State};
use crate::view_model::side_by_side::{
    permission, permission_of_call, side_by_side_but_for_calls, waits_together,
};

/// Says whether a row may be shown.
pub type RowFilter = Rc<dyn Fn(&State, usize) -> bool>;

/// What is to be hidden, and which rows are.
#[derive(Default)]
pub struct Rows {
    hidden: Vec<bool>,
    /// The row whose position was asked for last, and how many shown rows come before it.
    counted: Cell<(usize, usize)>,
    filter: Option<RowFilter>,
    /// Rows that the host's filter hides.
    filtered_by_host: HashSet<usize>,
    /// Event types not to be shown, each with the row that says so.
    types: HashMap<String, usize>,
    /// The first call of each group of parallel calls that the reader folded to one line.
    folded_calls: HashSet<usize>,
    /// What the reader opened (true) or folded (false).
    folds: HashMap<usize, bool>,
}

/// What a batch of changes means for the rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowsUpdate {
    /// A row was hidden or shown.
    pub flipped: bool,
    /// The first calls of groups whose calls have changed: the row of the first shows something of all of them.
    pub first_calls: Vec<usize>,
}

impl Rows {
    /// Has other rows, those of the state.
    pub fn reset(&mut self, state: &State, on_paper: bool) {
        self.folded_calls.clear();
        self.hidden = (0..state.entries.len()).map(|row| self.hides(state, row, on_paper)).collect();
        self.counted.take();
    }

    /// Hides and shows rows as a batch of changes wants it.
    pub fn follow(&mut self, state: &State, changes: &[Change], on_paper: bool) -> RowsUpdate {
        let (mut update, mut all) = (RowsUpdate::default(), false);
        for change in changes {
            let (Change::EntryAdded { index } | Change::EntryUpdated { index }) = *change else { continue };
            let Some(entry) = state.entry(index) else { continue };
            if matches!(change, Change::EntryAdded { .. }) {
                self.grow_to(index);
                self.update_row(state, index, on_paper);
            } else {
                update.flipped |= self.update_row(state, index, on_paper);
                let first = self.parallel_calls(state, index).and_then(|calls| calls.first().copied());
                update.first_calls.extend(first.filter(|first| *first != index));
            }
            // Whether a call has a row depends on whether its request waits, and on those that wait with it.
            for call in calls_of(state, index) {
                update.flipped |= self.update_row(state, call, on_paper);
            }
            // A sub-agent's own line shows the call that started it.
            all |= entry.kind == Kind::Subagent;
        }
        update.flipped |= all && self.update_all(state, on_paper);
        update
    }

    /// The rows that [`Rows::follow`] looks at.
    pub fn affected_rows(state: &State, changes: &[Change]) -> Vec<usize> {
        let mut rows = Vec::new();
        for change in changes {
            let (Change::EntryAdded { index } | Change::EntryUpdated { index }) = *change else { continue };
            match state.entry(index) {
                Some(entry) if entry.kind == Kind::Subagent => return (0..state.entries.len()).collect(),
                Some(_) => rows.extend(calls_of(state, index).into_iter().chain([index])),
                None => {}
            }
        }
        rows
    }

    /// Hides and shows every row as it has to be now; true if that changed anything.
    pub fn update_all(&mut self, state: &State, on_paper: bool) -> bool {
        let mut changed = false;
        for row in 0..self.hidden.len() {
            changed |= self.update_row(state, row, on_paper);
        }
        changed
    }

    fn update_row(&mut self, state: &State, row: usize, on_paper: bool) -> bool {
        self.set(row, self.hides(state, row, on_paper))
    }

    /// Opens everything that folds a row away; true if that opened a group of calls.
    pub fn reveal(&mut self, state: &State, row: usize) -> bool {
        for lane in state.entry(row).map(|entry| lanes(state, entry)).unwrap_or_default() {
            if !self.lane_open(state, lane) {
                self.set_fold(lane, true);
            }
        }
        let first = self.parallel_calls(state, row).and_then(|calls| calls.first().copied());
        first.is_some_and(|first| self.set_parallel_calls_open(first, true))
    }

    /// Forgets what the reader opened and folded.
    pub fn forget_folds(&mut self) {
        self.folds.clear();
    }

    /// Has a row with this index, and all before it.
    fn grow_to(&mut self, row: usize) {
        self.hidden.resize(row + 1, true);
    }

    /// Hides or shows a row; true if that changed anything.
    fn set(&mut self, row: usize, hides: bool) -> bool {
        let changed =
            self.hidden.get_mut(row).is_some_and(|hidden| std::mem::replace(hidden, hides) != hides);
        if changed && row < self.counted.get().0 {
            self.counted.take();
        }
        changed
    }

    /// True if a row is hidden, or not there.
    pub fn is_hidden(&self, row: usize) -> bool {
        self.hidden.get(row).copied().unwrap_or(true)
    }

    /// How many shown rows come before one. Counts on from the last row asked for: callers ask about rows that are
    /// close together.
    pub fn shown_before(&self, row: usize) -> usize {
        let (from, count) = self.counted.get();
        let between = from.min(row)..from.max(row).min(self.hidden.len());
        let between = self.hidden.get(between).unwrap_or_default().iter().filter(|hidden| !**hidden).count();
        let count = if row >= from { count + between } else { count.saturating_sub(between) };
        self.counted.set((row.min(self.hidden.len()), count));
        count
    }

    /// Shows only the rows that pass a filter; `None` shows all again.
    pub fn show_only(&mut self, filter: Option<RowFilter>) {
        self.filter = filter;
    }

    /// The host's filter hides no row any more.
    pub fn forget_host_filter(&mut self) {
        self.filtered_by_host.clear();
    }

    /// What the host's filter says about a row.
    pub fn filter_by_host(&mut self, row: usize, hides: bool) {
        if hides {
            self.filtered_by_host.insert(row);
        } else {
            self.filtered_by_host.remove(&row);
        }
    }

    /// Hides events of a type except at one row, which says so. `None` shows them again.
    pub fn hide_type(&mut self, event_type: &str, at: Option<usize>) {
        match at {
            Some(row) => self.types.insert(event_type.to_owned(), row),
            None => self.types.remove(event_type),
        };
    }

    /// True if the reader does not want to see events of a type.
    pub fn hides_type(&self, event_type: &str) -> bool {
        self.types.contains_key(event_type)
    }

    /// Whether the reader folded (false) or opened (true) a row; `None` if they never touched it.
    pub fn fold(&self, row: usize) -> Option<bool> {
        self.folds.get(&row).copied()
    }

    /// Remembers what the reader did with a row.
    pub fn set_fold(&mut self, row: usize, open: bool) {
        self.folds.insert(row, open);
    }

    /// Whether a sub-agent's lane is open: while it works, unless the reader chose otherwise.
    pub fn lane_open(&self, state: &State, subagent: usize) -> bool {
        let works = || state.entry(subagent).is_some_and(|agent| agent.state == EntryState::Running);
        self.fold(subagent).unwrap_or_else(works)
    }

    /// True if a lane around a row was folded because its agent ended, not by the reader.
    pub fn folded_automatically(&self, state: &State, row: usize) -> bool {
        let lanes = state.entry(row).map(|entry| lanes(state, entry)).unwrap_or_default();
        lanes.into_iter().any(|lane| self.fold(lane).is_none() && !self.lane_open(state, lane))
    }

    /// Whether the group of calls that begins with this one is shown call by call.
    pub fn parallel_calls_open(&self, first: usize) -> bool {
        !self.folded_calls.contains(&first)
    }

    /// Shows the group of calls that begins with this one call by call, or folds it to one line; true if that changed
    /// anything.
    pub fn set_parallel_calls_open(&mut self, first: usize, open: bool) -> bool {
        if open { self.folded_calls.remove(&first) } else { self.folded_calls.insert(first) }
    }

    /// The calls that one message asked for together with this one and that have rows of their own; `None` if it is the
    /// only one, and under a filter, which shows rows one by one.
    pub fn parallel_calls(&self, state: &State, row: usize) -> Option<Vec<usize>> {
        let calls = state.entry(row)?.tool()?.parallel.as_ref()?;
        if self.filter.is_some() {
            return None;
        }
        let has_row = |call: &usize| {
            let entry = state.entry(*call);
            entry.is_some_and(|entry| entry.ui_visible && state.subagent_place(&entry.id).is_none())
        };
        let calls: Vec<usize> = calls.iter().copied().filter(has_row).collect();
        (calls.len() > 1 && calls.contains(&row)).then_some(calls)
    }

    /// True if a row is not to be shown. On paper nothing is folded.
    pub fn hides(&self, state: &State, row: usize, on_paper: bool) -> bool {
        let Some(entry) = state.entry(row) else {
            return true;
        };
        if entry.request().is_some_and(Request::open) {
            return false;
        }
        if !entry.ui_visible || (entry.kind == Kind::Tool && state.subagent_place(&entry.id).is_some()) {
            return true;
        }
        // The first row of a folded group stands for all of its calls.
        if has_a_card(state, row) && !self.folded_calls.contains(&row) {
            return true;
        }
        let unwanted = || match &entry.body {
            Body::Facts { event_type, .. } if entry.kind == Kind::Generic => {
                self.types.get(event_type).is_some_and(|teller| *teller != row)
            }
            _ => false,
        };
        unwanted()
            || !on_paper && (self.folds_call(state, row) || self.folds_lane(state, entry))
            || self.filter.as_ref().is_some_and(|filter| !filter(state, row))
            || self.filtered_by_host.contains(&row)
    }

    fn folds_call(&self, state: &State, row: usize) -> bool {
        // Few are ever folded, and finding the calls of a group takes longer than everything else here.
        let calls = if self.folded_calls.is_empty() { None } else { self.parallel_calls(state, row) };
        calls
            .and_then(|calls| calls.first().copied())
            .is_some_and(|first| first != row && self.folded_calls.contains(&first))
    }

    fn folds_lane(&self, state: &State, entry: &Entry) -> bool {
        !lanes(state, entry).iter().all(|lane| self.lane_open(state, *lane))
    }
}

/// The rows of the calls whose rows depend on a request.
fn calls_of(state: &State, row: usize) -> Vec<usize> {
    let call = |row: usize| state.tool_place(permission(state, row)?.tool_call_id.as_deref()?);
    side_by_side_but_for_calls(state, row).into_iter().filter_map(call).collect()
}

/// True for a call whose permission waits for a person: the request's card says all that the call's row would. The call has its
/// row again once nothing waits that was asked for side by side with it, so that what is in the same card keeps its place.
fn has_a_card(state: &State, row: usize) -> bool {
    let Some(call) = state.entry(row).filter(|entry| entry.tool().is_some()) else { return false };
    let id = call.id.as_str();
    let asks =
        |row: &usize| permission(state, *row).is_some_and(|own| own.tool_call_id.as_deref() == Some(id));
    if state.open_requests.is_empty() {
        return false;
    }
    let waits = |own| waits_together(state, own, &side_by_side_but_for_calls(state, own));
    state.open_requests.iter().any(asks) || permission_of_call(state, row).is_some_and(waits)
}

/// The sub-agents that an entry is inside of, the nearest first.
pub fn lanes(state: &State, entry: &Entry) -> Vec<usize> {
    let mut lanes = Vec::new();
    let mut next = lane(state, entry);
    while let Some(place) = next {
        // Parents come before their children, so this ends; a loop in what was sent must not hang the page.
        if lanes.last().is_some_and(|last| *last <= place) {
            break;
        }
        lanes.push(place);
        next = state.entry(place).and_then(|entry| lane(state, entry));
    }
    lanes
}

/// The sub-agent whose lane an entry is in.
fn lane(state: &State, entry: &Entry) -> Option<usize> {
    if let Body::Subagent(agent) = &entry.body {
        return agent.parent;
    }
    if entry.kind == Kind::Subagent {
        return None;
    }
    let task = entry.parent_tool_call_id.as_deref().and_then(|task| state.subagent_place(task));
    task.or_else(|| state.agent_place(entry.agent_id.as_deref()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    const TASK: &str = r#"{"type":"tool.execution_start","id":"t","data":{"toolCallId":"task","toolName":"task","arguments":{}}}{"type":"subagent.started","id":"a","data":{"toolCallId":"task","agentName":"x","agentDisplayName":"Explorer"}}"#;
    const IN_LANE: &str = r#"{"type":"assistant.message","id":"m","data":{"messageId":"m","content":"Found","parentToolCallId":"task"}}"#;
    const LANE_ENDS: &str =
        r#"{"type":"subagent.completed","id":"c","data":{"toolCallId":"task","agentName":"x"}}"#;

    fn session(events: &[&str]) -> Session {
        let mut session = Session::new();
        session.push_frame(&events.concat());
        session
    }

    /// The ids of the rows that are shown.
    fn shown(rows: &Rows, session: &Session, on_paper: bool) -> String {
        let state = session.state();
        let shown = (0..state.entries.len()).filter(|row| !rows.hides(state, *row, on_paper));
        shown.map(|row| state.entries[row].id.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn row_of(session: &Session, id: &str) -> usize {
        session.state().entries.iter().position(|entry| entry.id == id).unwrap()
    }

    #[test]
    fn a_lane_is_open_while_its_agent_works_unless_the_reader_wants_it_otherwise() {
        let works = session(&[TASK, IN_LANE]);
        let agent = session(&[TASK]).state().entries.len() - 1;
        let mut rows = Rows::default();
        assert_eq!(shown(&rows, &works, false), "task m", "the line of the agent stands for its call");
        let ended = session(&[TASK, IN_LANE, LANE_ENDS]);
        assert_eq!(shown(&rows, &ended, false), "task");
        assert_eq!(shown(&rows, &ended, true), "task m", "on paper nothing is folded");
        assert!(rows.folded_automatically(ended.state(), row_of(&ended, "m")));
        rows.set_fold(agent, true);
        assert_eq!(shown(&rows, &ended, false), "task m");
        rows.set_fold(agent, false);
        assert_eq!(shown(&rows, &works, false), "task");
        assert!(!rows.folded_automatically(works.state(), row_of(&works, "m")), "the reader did it");
    }

    /// Following changes hides the same rows as looking at all of them, whatever comes in whatever pieces; and a filter of
    /// the host is asked about every row whose flag may change.
    #[test]
    fn rows_that_follow_changes_are_those_of_the_whole_state() {
        let look = r#"{"type":"tool.execution_start","id":"l","data":{"toolCallId":"look","toolName":"bash","arguments":{"command":"ls"}}}"#;
        let ask = |id: &str, call: &str| {
            format!(
                r#"{{"type":"permission.requested","id":"p{id}","data":{{"requestId":"{id}","permissionRequest":{{"kind":"shell","toolCallId":"{call}","fullCommandText":"ls"}}}}}}"#
            )
        };
        let allowed = r#"{"type":"permission.completed","id":"q","data":{"requestId":"s","result":{"kind":"approved"}}}"#;
        let (first, second) = (ask("r", "x"), ask("s", "look"));
        let events = [TASK, IN_LANE, &first, look, &second, allowed, LANE_ENDS];
        for pieces in 1..=events.len() {
            let (mut session, mut rows) = (Session::new(), Rows::default());
            for piece in events.chunks(pieces) {
                session.push_frame(&piece.concat());
                let changes = session.take_changes();
                let state = session.state();
                let before = rows.hidden.clone();
                let update = rows.follow(state, &changes, false);
                let expected: Vec<bool> =
                    (0..state.entries.len()).map(|row| rows.hides(state, row, false)).collect();
                assert_eq!(rows.hidden, expected, "in pieces of {pieces}: {changes:?}");
                let differs = before.iter().zip(&rows.hidden).any(|(before, now)| before != now);
                assert_eq!(update.flipped, differs, "in pieces of {pieces}: {changes:?}");
                let reviewed = Rows::affected_rows(state, &changes);
                for row in 0..rows.hidden.len() {
                    let same = before.get(row) == rows.hidden.get(row);
                    assert!(same || reviewed.contains(&row), "row {row} of {changes:?}");
                }
            }
            assert_eq!(shown(&rows, &session, false), "task r s", "the other one in the card waits");
        }
    }

    #[test]
    fn what_folds_a_row_away_opens_when_somebody_wants_to_see_it() {
        let session = session(&[TASK, IN_LANE, LANE_ENDS]);
        let (state, mut rows) = (session.state(), Rows::default());
        rows.reset(state, false);
        let row = row_of(&session, "m");
        assert!(rows.is_hidden(row));
        assert!(!rows.reveal(state, row), "there is no group");
        assert!(rows.update_all(state, false) && !rows.is_hidden(row) && !rows.update_all(state, false));
    }

    #[test]
    fn filters_and_hidden_types_leave_requests_that_wait_and_the_row_that_tells() {
        let ask = r#"{"type":"permission.requested","id":"p","data":{"requestId":"r","permissionRequest":{"kind":"shell","fullCommandText":"make"}}}"#;
        let rose = |nth: usize| format!(r#"{{"type":"moon.rose","id":"x{nth}","data":{{"at":{nth}}}}}"#);
        let session = session(&[&rose(0), &rose(1), &rose(2), ask]);
        let all = shown(&Rows::default(), &session, false);
        assert_eq!(all.split(' ').count(), 4, "{all}");
        let mut rows = Rows::default();
        rows.hide_type("moon.rose", Some(1));
        assert_eq!(shown(&rows, &session, false).split(' ').count(), 2);
        assert!(rows.hides_type("moon.rose"));
        rows.hide_type("moon.rose", None);
        assert_eq!(shown(&rows, &session, false), all);
        rows.show_only(Some(Rc::new(|_, row| row == 2)));
        assert_eq!(shown(&rows, &session, true).split(' ').count(), 2, "on paper too");
        rows.show_only(None);
        for row in 0..4 {
            rows.filter_by_host(row, true);
        }
        assert_eq!(shown(&rows, &session, false).split(' ').count(), 1);
        rows.filter_by_host(1, false);
        assert_eq!(shown(&rows, &session, false).split(' ').count(), 2);
        rows.forget_host_filter();
        assert_eq!(shown(&rows, &session, false), all);
    }

    #[test]
    fn calls_of_one_message_fold_to_its_first_but_not_under_a_filter() {
        let message = r#"{"type":"assistant.message","id":"m","data":{"messageId":"m","content":"","toolRequests":[{"toolCallId":"a","name":"view"},{"toolCallId":"b","name":"grep"},{"toolCallId":"c","name":"grep"}]}}"#;
        let start = |id: &str| {
            format!(
                r#"{{"type":"tool.execution_start","id":"s{id}","data":{{"toolCallId":"{id}","toolName":"grep","arguments":{{}}}}}}"#
            )
        };
        let session = session(&[message, &start("a"), &start("b"), &start("c")]);
        let mut rows = Rows::default();
        let first = row_of(&session, "a");
        let calls = rows.parallel_calls(session.state(), row_of(&session, "c"));
        assert_eq!(calls.as_deref(), Some(&[first, first + 1, first + 2][..]));
        assert!(rows.set_parallel_calls_open(first, false) && !rows.set_parallel_calls_open(first, false));
        assert!(shown(&rows, &session, false).ends_with('a'), "{}", shown(&rows, &session, false));
        assert!(shown(&rows, &session, true).ends_with("a b c"));
        rows.show_only(Some(Rc::new(|_, _| true)));
        assert!(shown(&rows, &session, false).ends_with("a b c"), "a filter shows rows one by one");
    }

    #[test]
    fn what_waits_for_a_person_is_shown_although_its_lane_is_folded() {
        let look = r#"{"type":"tool.execution_start","id":"l","data":{"toolCallId":"look","toolName":"bash","parentToolCallId":"task","arguments":{"command":"ls"}}}"#;
        let ask = r#"{"type":"permission.requested","id":"p","data":{"requestId":"r","permissionRequest":{"kind":"shell","toolCallId":"look","fullCommandText":"ls"}}}"#;
        let allowed = r#"{"type":"permission.completed","id":"q","data":{"requestId":"r","result":{"kind":"approved"}}}"#;
        let waits = session(&[TASK, IN_LANE, look, ask]);
        let mut rows = Rows::default();
        assert_eq!(shown(&rows, &waits, false), "task m r");
        rows.set_fold(row_of(&waits, "task"), false);
        rows.set_fold(waits.state().subagent_place("task").unwrap(), false);
        assert_eq!(shown(&rows, &waits, false), "task r");
        assert_eq!(shown(&rows, &session(&[TASK, IN_LANE, look, ask, allowed]), false), "task");
    }

    #[test]
    fn a_call_has_no_row_of_its_own_while_its_permission_waits() {
        let look = r#"{"type":"tool.execution_start","id":"l","data":{"toolCallId":"look","toolName":"bash","arguments":{"command":"ls"}}}"#;
        let other = r#"{"type":"session.warning","id":"w","data":{"warningType":"x","message":"Look"}}"#;
        let ask = r#"{"type":"permission.requested","id":"p","data":{"requestId":"r","permissionRequest":{"kind":"shell","toolCallId":"look","fullCommandText":"ls"}}}"#;
        let mut session = session(&[look]);
        let mut rows = Rows::default();
        let changes = session.take_changes();
        rows.follow(session.state(), &changes, false);
        assert!(!rows.is_hidden(0));
        session.push_frame(&[other, ask].concat());
        let changes = session.take_changes();
        rows.follow(session.state(), &changes, false);
        assert!(rows.is_hidden(0) && !rows.is_hidden(1) && !rows.is_hidden(2));
        for result in ["approved", "denied-interactively-by-user"] {
            let ended = format!(
                r#"{{"type":"permission.completed","id":"{result}","data":{{"requestId":"r","result":{{"kind":"{result}"}}}}}}"#
            );
            session.push_frame(&ended);
            let changes = session.take_changes();
            rows.follow(session.state(), &changes, false);
            assert!(!rows.is_hidden(0), "{result}");
        }
    }

    /// Events of calls that ask for permission, at their second.
    fn start(second: u8, id: &str) -> String {
        format!(
            r#"{{"type":"tool.execution_start","timestamp":"2026-11-27T09:00:{second:02}Z","id":"s{id}","data":{{"toolCallId":"{id}","toolName":"tool","arguments":{{}}}}}}"#
        )
    }

    fn ask(second: u8, id: &str, permission: &str) -> String {
        format!(
            r#"{{"type":"permission.requested","timestamp":"2026-11-27T09:00:{second:02}Z","id":"p{id}","data":{{"requestId":"r{id}","permissionRequest":{{"toolCallId":"{id}",{permission}}}}}}}"#
        )
    }

    fn answer(second: u8, id: &str) -> String {
        format!(
            r#"{{"type":"permission.completed","timestamp":"2026-11-27T09:00:{second:02}Z","id":"e{id}","data":{{"requestId":"r{id}","result":{{"kind":"approved"}}}}}}"#
        )
    }

    /// Which of these calls have no row after each frame.
    fn without_row(frames: &[String], calls: &[&str]) -> Vec<String> {
        let (mut session, mut rows) = (Session::new(), Rows::default());
        let mut after = |frame: &String| {
            session.push_frame(frame);
            let changes = session.take_changes();
            rows.follow(session.state(), &changes, false);
            let state = session.state();
            for row in 0..state.entries.len() {
                assert_eq!(rows.is_hidden(row), rows.hides(state, row, false), "row {row} after {frame}");
            }
            let hidden = |id: &&&str| state.tool_place(id).is_some_and(|row| rows.is_hidden(row));
            calls.iter().filter(hidden).copied().collect::<String>()
        };
        frames.iter().map(&mut after).collect()
    }

    #[test]
    fn calls_in_one_card_have_their_rows_again_once_nothing_in_it_waits() {
        for permission in [
            r#""kind":"shell","fullCommandText":"ls""#,
            r#""kind":"read","path":"/a""#,
            r#""kind":"write","fileName":"/a","diff":"+a""#,
            r#""kind":"mcp","serverName":"pier","toolName":"moor""#,
            r#""kind":"url","url":"https://boats.example""#,
        ] {
            let ask = |second, id| ask(second, id, permission);
            let calls_first =
                [start(0, "a"), start(0, "b"), start(0, "c"), ask(1, "a"), ask(1, "b"), ask(2, "c")].concat();
            let in_turn =
                [start(0, "a"), ask(0, "a"), start(1, "b"), ask(1, "b"), start(2, "c"), ask(2, "c")].concat();
            let calls_last =
                [ask(0, "a"), start(0, "a"), ask(1, "b"), start(1, "b"), ask(2, "c"), start(2, "c")].concat();
            for begin in [calls_first, in_turn, calls_last] {
                let frames = [begin, answer(9, "b"), answer(10, "a"), answer(11, "c")];
                assert_eq!(
                    without_row(&frames, &["a", "b", "c"]),
                    ["abc", "abc", "abc", ""],
                    "{}",
                    frames[0]
                );
            }
        }
    }

    #[test]
    fn what_was_answered_before_the_next_was_asked_keeps_its_row() {
        let shell = r#""kind":"shell","fullCommandText":"ls""#;
        let one_after_the_other =
            [start(0, "a") + &ask(1, "a", shell), answer(5, "a"), start(6, "b") + &ask(7, "b", shell)];
        assert_eq!(without_row(&one_after_the_other, &["a", "b"]), ["a", "", "b"]);
        // The third came while the second waited, so it is the first alone that is history.
        let then_two = [
            &one_after_the_other[..],
            &[start(8, "c") + &ask(8, "c", shell), answer(9, "b"), answer(10, "c")],
        ]
        .concat();
        assert_eq!(without_row(&then_two, &["a", "b", "c"]), ["a", "", "b", "bc", "bc", ""]);
    }

    #[test]
    fn what_stands_between_parts_cards() {
        let shell = r#""kind":"shell","fullCommandText":"ls""#;
        let read = r#""kind":"read","path":"/a""#;
        let said = r#"{"type":"assistant.message","id":"m","data":{"messageId":"m","content":"And now"}}"#;
        for between in [said.to_owned(), start(2, "c") + &ask(2, "c", read), start(2, "d")] {
            let begin = start(0, "a") + &ask(1, "a", shell) + &between + &start(3, "b") + &ask(3, "b", shell);
            assert_eq!(without_row(&[begin, answer(9, "a")], &["a", "b"]), ["ab", "b"], "{between}");
        }
    }

    #[test]
    fn a_call_that_is_alone_or_stands_in_a_sub_agents_line_is_no_group() {
        let message = |id: &str, calls: &str| {
            format!(
                r#"{{"type":"assistant.message","id":"{id}","data":{{"messageId":"{id}","content":"","toolRequests":[{calls}]}}}}"#
            )
        };
        let start = |id: &str| {
            format!(
                r#"{{"type":"tool.execution_start","id":"s{id}","data":{{"toolCallId":"{id}","toolName":"grep","arguments":{{}}}}}}"#
            )
        };
        let alone = message("m", r#"{"toolCallId":"a","name":"grep"}"#) + &start("a");
        let beside = message("n", r#"{"toolCallId":"task","name":"task"},{"toolCallId":"b","name":"grep"}"#);
        let session = session(&[&alone, &beside, TASK, &start("b")]);
        let state = session.state();
        for (row, entry) in state.entries.iter().enumerate() {
            assert_eq!(Rows::default().parallel_calls(state, row), None, "{}", entry.id);
        }
    }

    #[test]
    fn positions_are_counted_among_the_shown_from_wherever_was_asked_last() {
        let mut rows = Rows { hidden: (0..100).map(|row| row % 3 == 0).collect(), ..Rows::default() };
        let plain = |rows: &Rows, row: usize| (0..row).filter(|row| !rows.is_hidden(*row)).count();
        for row in [50, 51, 3, 0, 99, 100, 98] {
            assert_eq!(rows.shown_before(row), plain(&rows, row), "row {row}");
            rows.set(row / 2, row % 2 == 0);
        }
        rows.grow_to(120);
        assert!(rows.is_hidden(120) && rows.is_hidden(999));
        assert_eq!(rows.hidden.len(), 121);
    }
}
