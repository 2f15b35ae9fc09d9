//! Prepares the rows of a log in slices while its end is still shown, so that replacing the end takes the
//! same time however long the log is. `early` replaces it.

use std::cell::{Cell, RefCell};

use super::Store;
use super::rows::hides_in;
use crate::core::State;

/// Called with rows that will be shown, from an index on, and whether each is hidden. Calls come in order.
type Follows = Box<dyn Fn(&State, usize, &[bool])>;

/// Rows prepared between two looks at the clock.
const ROWS: usize = 256;

/// What is prepared.
#[derive(Default)]
pub(super) struct Ahead {
    hidden: RefCell<Vec<bool>>,
    /// How many events and entries the whole log had when this was prepared.
    of: RefCell<Option<(u64, usize)>>,
    follows: RefCell<Option<Follows>>,
    used: Cell<bool>,
}

impl Store {
    /// Sets the callback for rows as they are prepared.
    pub fn on_ahead(&self, follows: impl Fn(&State, usize, &[bool]) + 'static) {
        self.inner(|inner| inner.history.part.ahead.follows.replace(Some(Box::new(follows))));
    }

    /// Whether prepared rows were used when a whole log last replaced its end.
    pub fn was_ahead(&self) -> bool {
        self.inner(|inner| inner.history.part.ahead.used.get()).unwrap_or(false)
    }

    /// Prepares rows of the whole log while there is time; true if there are more.
    pub fn prepare_whole(&self, there_is_time: impl Fn() -> bool) -> bool {
        let more = self.inner(|inner| {
            let ahead = &inner.history.part.ahead;
            if inner.history.part.session.borrow().is_none() {
                ahead.hidden.take();
                return false;
            }
            // What the reader did with the end refers to the end's indices.
            // Then all rows are made at once, later.
            if !inner.folds.borrow().is_empty() || !inner.shown.borrow().untouched() {
                ahead.of.replace(None);
                return false;
            }
            inner.with_whole(|state| {
                let length = state.entries.len();
                let of = Some((state.counters.total, length));
                let mut hidden = ahead.hidden.borrow_mut();
                if ahead.of.replace(of) != of {
                    *hidden = Vec::with_capacity(length);
                }
                let follows = ahead.follows.borrow();
                while hidden.len() < length {
                    let from = hidden.len();
                    hidden.extend((from..length.min(from + ROWS)).map(|row| hides_in(inner, state, row)));
                    if let Some(follows) = follows.as_ref() {
                        follows(state, from, hidden.get(from..).unwrap_or_default());
                    }
                    if !there_is_time() {
                        break;
                    }
                }
                hidden.len() < length
            })
        });
        more.unwrap_or(false)
    }

    /// Takes what is prepared, if it belongs to the whole log as it is now.
    pub(super) fn take_ahead(&self) -> Option<Vec<bool>> {
        self.inner(|inner| {
            let ahead = &inner.history.part.ahead;
            let hidden = ahead.hidden.take();
            let now = inner.with_whole(|state| (state.counters.total, state.entries.len()));
            let touched = !inner.folds.borrow().is_empty() || !inner.shown.borrow().untouched();
            let used = ahead.of.take() == Some(now) && hidden.len() == now.1 && !touched;
            ahead.used.set(used);
            used.then_some(hidden)
        })
        .flatten()
    }
}
