//! Which rows of the timeline are shown, as signals for the views. What hides a row is in `core/view_model/rows.rs`.

use std::ops::Range;

use leptos::prelude::*;

use super::{HostFilter, Store};
use crate::client::printing::is_printing;
use crate::core::model::change::Change;
use crate::core::view_model::rows::{self, Filter, Rows};
use crate::core::{Kind, State};

impl Store {
    /// Reads what hides rows together with the state.
    fn rows<R>(&self, read: impl FnOnce(&Rows, &State) -> R) -> Option<R> {
        self.inner(|inner| inner.with_shown(|state| read(&inner.shown.borrow(), state))).flatten()
    }

    fn set_rows<R>(&self, set: impl FnOnce(&mut Rows) -> R) -> Option<R> {
        self.inner(|inner| set(&mut inner.shown.borrow_mut()))
    }

    /// True if a row is hidden. Only reads a flag; `hidden_rows` changes when flags do.
    pub fn hidden(&self, index: usize) -> bool {
        self.inner(|inner| inner.shown.borrow().is_hidden(index)).unwrap_or(true)
    }

    /// The position of a row among those that are shown, from 1. Subscribes to what hides rows.
    pub fn position(&self, index: usize) -> usize {
        self.hidden_rows.track();
        self.inner(|inner| inner.shown.borrow().shown_before(index)).unwrap_or(0) + 1
    }

    /// Shows only the rows that pass a filter; `None` shows all again.
    pub fn show_only(&self, filter: Option<Filter>) {
        self.set_rows(|rows| rows.show_only(filter));
        self.review_rows();
    }

    /// Shows only the entries that pass the host's filter; `None` shows all again.
    pub fn set_host_filter(&self, filter: Option<HostFilter>) {
        self.inner(|inner| inner.host_filter.replace(filter));
        self.set_rows(Rows::forget_host_filter);
        self.review_rows();
    }

    /// Asks the host's filter about rows. Nothing is borrowed meanwhile, because the filter may use the element.
    fn ask_host_filter(&self, rows: Range<usize>) {
        let filter = self.inner(|inner| inner.host_filter.borrow().clone()).flatten();
        let Some(filter) = filter else { return };
        for row in rows {
            let hides = !filter(row);
            self.set_rows(|rows| rows.filter_by_host(row, hides));
        }
    }

    /// Hides events of a type except at one row, which says so. `None` shows them again.
    pub fn hide_type(&self, event_type: &str, at: Option<usize>) {
        self.set_rows(|rows| rows.hide_type(event_type, at));
        self.review_rows();
    }

    /// True if the reader does not want to see events of a type.
    pub fn hides_type(&self, event_type: &str) -> bool {
        self.hidden_rows.track();
        self.inner(|inner| inner.shown.borrow().hides_type(event_type)).unwrap_or(false)
    }

    /// Whether the reader folded (false) or opened (true) an entry; `None` if they never touched it.
    pub fn fold(&self, index: usize) -> Option<bool> {
        self.inner(|inner| inner.shown.borrow().fold(index)).flatten()
    }

    /// Remembers what the reader did with an entry, for when it comes back on screen.
    pub fn set_fold(&self, index: usize, open: bool) {
        self.set_rows(|rows| rows.set_fold(index, open));
    }

    /// Whether a sub-agent's lane is open: while it works, unless the reader chose otherwise, and on paper.
    /// Subscribes to the latter.
    pub fn lane_open(&self, subagent: usize) -> bool {
        is_printing() || self.rows(|rows, state| rows.lane_open(state, subagent)).unwrap_or(true)
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
        self.rows(|rows, state| rows.parallel_calls(state, index)).flatten()
    }

    /// Whether the group of calls that begins with this one is shown call by call, as it always is on paper.
    /// Subscribes to the latter.
    pub fn parallel_calls_open(&self, first: usize) -> bool {
        is_printing() || self.inner(|inner| inner.shown.borrow().parallel_calls_open(first)).unwrap_or(true)
    }

    /// Shows the group of calls that begins with this one call by call, or folds it to one line.
    pub fn set_parallel_calls_open(&self, first: usize, open: bool) {
        if self.set_rows(|rows| rows.set_parallel_calls_open(first, open)) == Some(true) {
            self.review_rows();
            self.notify();
        }
    }

    /// True if a lane around a row was folded because its agent ended, not by the reader.
    pub fn folded_by_itself(&self, index: usize) -> bool {
        !is_printing() && self.rows(|rows, state| rows.folded_by_itself(state, index)).unwrap_or(false)
    }

    /// The sub-agents that a row is inside of, the nearest first.
    pub fn lanes(&self, index: usize) -> Vec<usize> {
        self.read(|state| state.entry(index).map(|entry| rows::lanes(state, entry)).unwrap_or_default())
            .unwrap_or_default()
    }

    /// Updates the flags of the rows that a batch of changes affects.
    pub(super) fn follow_rows(&self, changes: &[Change]) {
        let (mut all, mut flipped) = (false, false);
        for change in changes {
            match *change {
                Change::EntryAdded { index } => {
                    self.set_rows(|rows| rows.reach(index));
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
        self.set_rows(Rows::forget);
        self.ask_host_filter(0..length);
        let hidden = self.hides(length);
        self.set_rows(|rows| rows.renew(hidden));
        self.notify();
    }

    /// Which of the first rows are to be hidden.
    fn hides(&self, length: usize) -> Vec<bool> {
        let on_paper = untrack(is_printing);
        let hidden =
            self.rows(|rows, state| (0..length).map(|row| rows.hides(state, row, on_paper)).collect());
        hidden.unwrap_or_default()
    }

    /// Computes the flag of every row again.
    pub(super) fn review_rows(&self) {
        let length = self.inner(|inner| inner.shown.borrow().len()).unwrap_or(0);
        self.ask_host_filter(0..length);
        let hidden = self.hides(length);
        let changed = self.set_rows(|rows| {
            hidden.iter().enumerate().fold(false, |changed, (row, hides)| rows.set(row, *hides) || changed)
        });
        if changed == Some(true) {
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
        let on_paper = untrack(is_printing);
        let hides = self.rows(|rows, state| rows.hides(state, row, on_paper)).unwrap_or(false);
        self.set_rows(|rows| rows.set(row, hides)).unwrap_or(false)
    }
}
