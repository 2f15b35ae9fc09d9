//! Which rows of the timeline are shown, as signals for the views. What hides a row is in `core/view_model/rows.rs`.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;

use super::{Store, bump};
use crate::core::State;
use crate::core::model::state::Change;
use crate::core::view_model::rows::{Filter, Rows};
use crate::store::printing;
use crate::store::printing::is_printing;

/// Says whether a row may be shown, by the host's page, whose function may read the session.
type HostFilter = Rc<dyn Fn(usize) -> bool>;

#[derive(Default)]
pub(super) struct RowsData {
    rows: RefCell<Rows>,
    host_filter: RefCell<Option<HostFilter>>,
    /// Changes when rows are hidden or shown again.
    flags: RwSignal<u32>,
    /// Changes when an entry is opened from elsewhere than its own line.
    unfolded: RwSignal<u32>,
    /// Changes when all rows must be rebuilt.
    epoch: RwSignal<u32>,
}

/// Which rows of the timeline are shown, and what the reader opened and folded.
#[derive(Clone, Copy)]
pub struct TimelineRows<'a>(pub(super) &'a Store);

impl TimelineRows<'_> {
    fn read<R>(self, read: impl FnOnce(&RowsData) -> R) -> Option<R> {
        self.0.data(|data| read(&data.rows))
    }

    /// Reads what hides rows together with the state.
    fn with_state<R>(self, read: impl FnOnce(&Rows, &State) -> R) -> Option<R> {
        self.0.data(|data| data.with_shown(|state| read(&data.rows.rows.borrow(), state))).flatten()
    }

    fn update<R>(self, update: impl FnOnce(&mut Rows, &State) -> R) -> Option<R> {
        self.0.data(|data| data.with_shown(|state| update(&mut data.rows.rows.borrow_mut(), state))).flatten()
    }

    /// Subscribes to rows being hidden and shown again.
    pub fn track(self) {
        if let Some(flags) = self.read(|data| data.flags) {
            flags.track();
        }
    }

    /// A number that changes when all rows must be rebuilt: they may be another session's, or further back than they
    /// were. Subscribes.
    pub(crate) fn epoch(self) -> u32 {
        self.read(|data| data.epoch).map_or(0, |epoch| epoch.get())
    }

    /// True if a row is hidden. Only reads a flag.
    pub fn is_hidden(self, index: usize) -> bool {
        self.read(|data| data.rows.borrow().is_hidden(index)).unwrap_or(true)
    }

    /// The position of a row among those that are shown, from 1. Subscribes to what hides rows.
    pub fn position(self, index: usize) -> usize {
        self.track();
        self.read(|data| data.rows.borrow().shown_before(index)).unwrap_or(0) + 1
    }

    /// Shows only the rows that pass a filter; `None` shows all again.
    pub fn show_only(self, filter: Option<Filter>) {
        self.update(|rows, _| rows.show_only(filter));
        self.review();
    }

    /// Shows only the entries that pass the host's filter; `None` shows all again.
    pub fn set_host_filter(self, filter: Option<HostFilter>) {
        self.read(|data| data.host_filter.replace(filter));
        self.update(|rows, _| rows.forget_host_filter());
        self.review();
    }

    /// Hides events of a type except at one row, which says so. `None` shows them again.
    pub fn hide_type(self, event_type: &str, at: Option<usize>) {
        self.update(|rows, _| rows.hide_type(event_type, at));
        self.review();
    }

    /// True if the reader does not want to see events of a type. Subscribes.
    pub fn hides_type(self, event_type: &str) -> bool {
        self.track();
        self.read(|data| data.rows.borrow().hides_type(event_type)).unwrap_or(false)
    }

    /// Whether the reader folded (false) or opened (true) an entry; `None` if they never touched it. Subscribes to entries
    /// being opened from elsewhere than their own line.
    pub fn fold(self, index: usize) -> Option<bool> {
        self.read(|data| data.unfolded)?.track();
        self.read(|data| data.rows.borrow().fold(index)).flatten()
    }

    /// Remembers what the reader did with an entry, for when it is on screen again.
    pub fn set_fold(self, index: usize, open: bool) {
        self.update(|rows, _| rows.set_fold(index, open));
    }

    /// Opens an entry from elsewhere than its own line.
    pub fn unfold(self, index: usize) {
        if untrack(|| self.fold(index)) != Some(true) {
            self.set_fold(index, true);
            if let Some(unfolded) = self.read(|data| data.unfolded) {
                bump(unfolded);
            }
        }
    }

    /// Whether a sub-agent's lane is open: while it works, unless the reader chose otherwise, and on paper.
    /// Subscribes to the latter.
    pub fn lane_open(self, subagent: usize) -> bool {
        is_printing() || self.with_state(|rows, state| rows.lane_open(state, subagent)).unwrap_or(true)
    }

    /// Opens or folds a lane.
    pub fn set_lane(self, subagent: usize, open: bool) {
        self.set_fold(subagent, open);
        self.review();
    }

    /// Opens everything that folds a row away, because somebody wants to see it.
    pub fn reveal(self, index: usize) {
        let opened = self.update(|rows, state| rows.reveal(state, index));
        self.review();
        if opened == Some(true) {
            self.notify();
        }
    }

    /// The calls that one message asked for together with this one and that have rows of
    /// their own; `None` if it is the only one.
    pub fn parallel_calls(self, index: usize) -> Option<Vec<usize>> {
        self.with_state(|rows, state| rows.parallel_calls(state, index)).flatten()
    }

    /// Whether the group of calls that begins with this one is shown call by call, as it always is on paper.
    /// Subscribes to the latter.
    pub fn parallel_calls_open(self, first: usize) -> bool {
        is_printing() || self.read(|data| data.rows.borrow().parallel_calls_open(first)).unwrap_or(true)
    }

    /// Shows the group of calls that begins with this one call by call, or folds it to one line.
    pub fn set_parallel_calls_open(self, first: usize, open: bool) {
        if self.update(|rows, _| rows.set_parallel_calls_open(first, open)) == Some(true) {
            self.review();
            self.notify();
        }
    }

    /// True if a lane around a row was folded because its agent ended, not by the reader.
    pub fn folded_by_itself(self, index: usize) -> bool {
        !is_printing() && self.with_state(|rows, state| rows.folded_by_itself(state, index)).unwrap_or(false)
    }

    /// Sets whether the page is being printed: then nothing is folded away.
    pub fn set_printing(self, on: bool) {
        printing::set(on);
        self.review();
    }

    /// Hides and shows the rows that a batch of changes affects.
    pub(super) fn follow(self, changes: &[Change]) {
        self.ask_host_filter(|state| Rows::reviewed(state, changes));
        let on_paper = untrack(is_printing);
        let update = self.update(|rows, state| rows.follow(state, changes, on_paper)).unwrap_or_default();
        for first in update.first_calls {
            self.0.head_changed(first);
        }
        if update.flipped {
            self.notify();
        }
    }

    /// Sets all flags anew for other entries, and has the rows rebuilt.
    pub(super) fn renew(self) {
        if let Some(epoch) = self.read(|data| data.epoch) {
            bump(epoch);
        }
        self.update(|rows, _| rows.forget_host_filter());
        self.ask_host_filter(|state| (0..state.entries.len()).collect());
        let on_paper = untrack(is_printing);
        self.update(|rows, state| rows.renew(state, on_paper));
        self.notify();
    }

    /// Forgets what the reader opened and folded.
    pub(super) fn forget_folds(self) {
        self.read(|data| data.rows.borrow_mut().forget_folds());
    }

    /// Hides and shows every row as it has to be now.
    fn review(self) {
        self.ask_host_filter(|state| (0..state.entries.len()).collect());
        let on_paper = untrack(is_printing);
        if self.update(|rows, state| rows.review_all(state, on_paper)) == Some(true) {
            self.notify();
        }
    }

    fn notify(self) {
        if let Some(flags) = self.read(|data| data.flags) {
            bump(flags);
        }
    }

    /// Asks the host's filter about rows. Nothing is borrowed meanwhile, because the filter may use the element.
    fn ask_host_filter(self, rows: impl FnOnce(&State) -> Vec<usize>) {
        let Some(filter) = self.read(|data| data.host_filter.borrow().clone()).flatten() else { return };
        for row in self.0.read(rows).unwrap_or_default() {
            let hides = !filter(row);
            self.update(|rows, _| rows.filter_by_host(row, hides));
        }
    }
}
