//! Which rows of the timeline are shown: combines folded lanes of sub-agents, event types
//! that the reader has hidden, and a filter.
//!
//! Requests that wait for a person are always shown.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use leptos::prelude::*;

use super::{Inner, Store};
use crate::client::printing::is_printing;
use crate::core::model::change::Change;
use crate::core::model::entry::Body;
use crate::core::model::request::RequestKind;
use crate::core::{Entry, EntryState, Kind, State};

/// Says whether a row may be shown.
type Filter = Rc<dyn Fn(&State, usize) -> bool>;
/// The same by the host's page, whose function may read the session.
type HostFilter = Rc<dyn Fn(usize) -> bool>;

/// What is known about each row, and what is to be hidden.
#[derive(Default)]
pub(super) struct Rows {
    hidden: Vec<bool>,
    /// The row whose position was asked for last, and how many shown rows come before it.
    counted: Cell<(usize, usize)>,
    filter: Option<Filter>,
    host_filter: Option<HostFilter>,
    /// Rows that the host's filter hides.
    filtered_by_host: HashSet<usize>,
    /// Event types not to be shown, each with the row that says so.
    types: HashMap<String, usize>,
    /// The first call of each group of parallel calls that the reader folded to one line.
    folded: HashSet<usize>,
}

impl Rows {
    /// Counts on from the last row asked for: callers ask about rows that are close together.
    fn shown_before(&self, place: usize) -> usize {
        let (from, count) = self.counted.get();
        let between = from.min(place)..from.max(place).min(self.hidden.len());
        let between = self.hidden.get(between).unwrap_or_default().iter().filter(|hidden| !**hidden).count();
        let count = if place >= from { count + between } else { count.saturating_sub(between) };
        self.counted.set((place.min(self.hidden.len()), count));
        count
    }
}

impl Store {
    /// True if a row is hidden. Only reads a flag; `hidden_rows` changes when flags do.
    pub fn hidden(&self, index: usize) -> bool {
        self.inner(|inner| inner.shown.borrow().hidden.get(index).copied()).flatten().unwrap_or(true)
    }

    /// The position of a row among those that are shown, from 1. Subscribes to what hides rows.
    pub fn position(&self, index: usize) -> usize {
        self.hidden_rows.track();
        self.inner(|inner| inner.shown.borrow().shown_before(index)).unwrap_or(0) + 1
    }

    /// Shows only the rows that pass a filter; `None` shows all again.
    pub fn show_only(&self, filter: Option<Filter>) {
        self.inner(|inner| inner.shown.borrow_mut().filter = filter);
        self.review_rows();
    }

    /// Shows only the entries that pass the host's filter; `None` shows all again.
    pub fn set_host_filter(&self, filter: Option<HostFilter>) {
        self.inner(|inner| {
            let mut shown = inner.shown.borrow_mut();
            shown.host_filter = filter;
            shown.filtered_by_host.clear();
        });
        self.review_rows();
    }

    /// Asks the host's filter about rows. Nothing is borrowed meanwhile, because the filter may use the element.
    fn ask_host_filter(&self, rows: Range<usize>) {
        let filter = self.inner(|inner| inner.shown.borrow().host_filter.clone()).flatten();
        let Some(filter) = filter else { return };
        for row in rows {
            let hides = !filter(row);
            self.inner(|inner| {
                let filtered = &mut inner.shown.borrow_mut().filtered_by_host;
                if hides { filtered.insert(row) } else { filtered.remove(&row) }
            });
        }
    }

    /// Hides events of a type except at one row, which says so. `None` shows them again.
    pub fn hide_type(&self, event_type: &str, at: Option<usize>) {
        self.inner(|inner| {
            let types = &mut inner.shown.borrow_mut().types;
            match at {
                Some(row) => types.insert(event_type.to_owned(), row),
                None => types.remove(event_type),
            }
        });
        self.review_rows();
    }

    /// True if the reader does not want to see events of a type.
    pub fn hides_type(&self, event_type: &str) -> bool {
        self.hidden_rows.track();
        self.inner(|inner| inner.shown.borrow().types.contains_key(event_type)).unwrap_or(false)
    }

    /// Whether a sub-agent's lane is open: while it works, unless the reader chose otherwise, and on paper.
    /// Subscribes to the latter.
    pub fn lane_open(&self, subagent: usize) -> bool {
        is_printing()
            || self.fold(subagent).unwrap_or_else(|| {
                self.entry(subagent, |entry| entry.state == EntryState::Running).unwrap_or(true)
            })
    }

    /// Opens or folds a lane.
    pub fn set_lane(&self, subagent: usize, open: bool) {
        self.set_fold(subagent, open);
        self.review_rows();
    }

    /// Opens everything that folds a row away, because somebody wants to see it.
    pub fn reveal(&self, index: usize) {
        for lane in self.lanes(index) {
            if !self.lane_open(lane) {
                self.set_fold(lane, true);
            }
        }
        if let Some(first) = self.parallel_calls(index).and_then(|calls| calls.first().copied()) {
            self.set_parallel_calls_open(first, true);
        }
        self.review_rows();
    }

    /// The calls that one message asked for together with this one and that have rows of
    /// their own; `None` if it is the only one.
    pub fn parallel_calls(&self, index: usize) -> Option<Vec<usize>> {
        self.inner(|inner| inner.with_shown(|state| parallel_calls(inner, state, index)).flatten()).flatten()
    }

    /// Whether the group of calls that begins with this one is shown call by call, as it always is on paper.
    /// Subscribes to the latter.
    pub fn parallel_calls_open(&self, first: usize) -> bool {
        is_printing() || self.inner(|inner| !inner.shown.borrow().folded.contains(&first)).unwrap_or(true)
    }

    /// Shows the group of calls that begins with this one call by call, or folds it to one line.
    pub fn set_parallel_calls_open(&self, first: usize, open: bool) {
        let changed = self.inner(|inner| {
            let folded = &mut inner.shown.borrow_mut().folded;
            if open { folded.remove(&first) } else { folded.insert(first) }
        });
        if changed == Some(true) {
            self.review_rows();
            self.notify();
        }
    }

    /// True if a lane around a row was folded because its agent ended, not by the reader.
    pub fn folded_by_itself(&self, index: usize) -> bool {
        self.lanes(index).into_iter().any(|lane| self.fold(lane).is_none() && !self.lane_open(lane))
    }

    /// The sub-agents that a row is inside of, the nearest first.
    pub fn lanes(&self, index: usize) -> Vec<usize> {
        self.read(|state| state.entry(index).map(|entry| lanes(state, entry)).unwrap_or_default())
            .unwrap_or_default()
    }

    /// Updates the flags of the rows that a batch of changes affects.
    pub(super) fn follow_rows(&self, changes: &[Change]) {
        let (mut all, mut flipped) = (false, false);
        for change in changes {
            match *change {
                Change::EntryAdded { index } => {
                    self.inner(|inner| inner.shown.borrow_mut().hidden.resize(index + 1, true));
                    self.review(index);
                    flipped |= self.review_before(index);
                    // From now on the sub-agent's own line shows the call that started it.
                    all |= self.entry(index, |entry| entry.kind == Kind::Subagent).unwrap_or(false);
                }
                Change::EntryUpdated { index } => {
                    flipped |= self.review(index);
                    flipped |= self.review_before(index);
                    self.tell_first(index);
                    all |= self.entry(index, |entry| entry.kind == Kind::Subagent).unwrap_or(false);
                }
                _ => {}
            }
        }
        if all {
            self.review_rows();
        }
        // Also beside the review of all, which does not see what was changed before it.
        if flipped {
            self.notify();
        }
    }

    /// Notifies the first call of a group, because its row shows something of all of them.
    fn tell_first(&self, index: usize) {
        let first = self
            .parallel_calls(index)
            .and_then(|calls| calls.first().copied())
            .filter(|first| *first != index);
        if let Some(first) = first {
            self.head_changed(first);
        }
    }

    /// Sets all flags anew for other entries, and notifies the views.
    pub(super) fn renew_rows(&self, length: usize) {
        self.inner(|inner| {
            let mut shown = inner.shown.borrow_mut();
            shown.folded.clear();
            shown.filtered_by_host.clear();
        });
        self.ask_host_filter(0..length);
        self.inner(|inner| {
            let hidden = inner
                .with_shown(|state| (0..length).map(|row| hides(inner, state, row)).collect())
                .unwrap_or_default();
            let mut shown = inner.shown.borrow_mut();
            shown.hidden = hidden;
            shown.counted.take();
        });
        self.notify();
    }

    /// Computes the flag of every row again.
    pub(super) fn review_rows(&self) {
        let rows = self.inner(|inner| inner.shown.borrow().hidden.len()).unwrap_or(0);
        let mut changed = false;
        for row in 0..rows {
            changed |= self.review(row);
        }
        if changed {
            self.notify();
        }
    }

    fn notify(&self) {
        self.hidden_rows.update(|times| *times = times.wrapping_add(1));
    }

    /// Computes the flag of the call before a request again: it depends on whether the request waits.
    fn review_before(&self, row: usize) -> bool {
        let asks = self.entry(row, |entry| entry.request().is_some()).unwrap_or(false);
        asks && row.checked_sub(1).is_some_and(|before| self.review(before))
    }

    /// Computes a row's flag again; true if it changed.
    fn review(&self, row: usize) -> bool {
        self.ask_host_filter(row..row + 1);
        self.inner(|inner| {
            let hides = inner.with_shown(|state| hides(inner, state, row)).unwrap_or(false);
            let mut shown = inner.shown.borrow_mut();
            let changed = match shown.hidden.get_mut(row) {
                Some(hidden) => std::mem::replace(hidden, hides) != hides,
                None => false,
            };
            if changed && row < shown.counted.get().0 {
                shown.counted.take();
            }
            changed
        })
        .unwrap_or(false)
    }
}

/// True if a row is not to be shown.
fn hides(inner: &Inner, state: &State, row: usize) -> bool {
    let Some(entry) = state.entry(row) else {
        return true;
    };
    if entry.request().is_some_and(crate::core::model::request::Request::open) {
        return false;
    }
    if !entry.ui_visible || (entry.kind == Kind::Tool && state.subagent_place(&entry.id).is_some()) {
        return true;
    }
    if waits_between_requests(state, row) {
        return true;
    }
    let on_paper = untrack(is_printing);
    let folds = inner.folds.borrow();
    let open = |lane: &usize| {
        let works = || state.entry(*lane).is_some_and(|agent| agent.state == EntryState::Running);
        folds.get(lane).copied().unwrap_or_else(works)
    };
    let shown = inner.shown.borrow();
    let unwanted = || match &entry.body {
        Body::Facts { event_type, .. } if entry.kind == Kind::Generic => {
            shown.types.get(event_type).is_some_and(|teller| *teller != row)
        }
        _ => false,
    };
    let folded = || {
        // Few are ever folded, and finding the calls of a group takes longer than everything else here.
        let calls = if shown.folded.is_empty() { None } else { parallel_calls(inner, state, row) };
        calls
            .and_then(|calls| calls.first().copied())
            .is_some_and(|first| first != row && shown.folded.contains(&first))
    };
    unwanted()
        || !on_paper && (folded() || !lanes(state, entry).iter().all(open))
        || shown.filter.as_ref().is_some_and(|filter| !filter(state, row))
        || shown.filtered_by_host.contains(&row)
}

/// True for a call whose permission waits in the next row while another permission is in
/// the row before. Requests that wait together are shown without a gap, and the
/// permission says all that the call's row would.
fn waits_between_requests(state: &State, row: usize) -> bool {
    let Some(call) = state.entry(row).filter(|entry| entry.tool().is_some_and(|call| call.waits)) else {
        return false;
    };
    let asks = |place: Option<usize>| state.entry(place?)?.request();
    let next = asks(row.checked_add(1)).filter(|request| request.open());
    let is_asked = next.is_some_and(|request| request.tool_call_id.as_deref() == Some(call.id.as_str()));
    let before = asks(row.checked_sub(1)).is_some_and(|request| request.kind == RequestKind::Permission);
    is_asked && before
}

/// The calls of a group that have rows of their own; `None` under a filter, which shows rows one by one.
fn parallel_calls(inner: &Inner, state: &State, index: usize) -> Option<Vec<usize>> {
    let calls = state.entry(index)?.tool()?.parallel.as_ref()?;
    if inner.shown.borrow().filter.is_some() {
        return None;
    }
    let row = |place: &usize| {
        state.entry(*place).is_some_and(|entry| entry.ui_visible && state.subagent_place(&entry.id).is_none())
    };
    let calls: Vec<usize> = calls.iter().copied().filter(row).collect();
    (calls.len() > 1 && calls.contains(&index)).then_some(calls)
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
