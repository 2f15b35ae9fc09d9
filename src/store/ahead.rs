//! The rows of a log that has been read and whose end is still shown: made ready in slices, so that taking the place of
//! the end costs the same however long the log is. Refuses to show them; `early` does.

use std::cell::{Cell, RefCell};

use super::Store;
use super::rows::hides_in;
use crate::core::State;

/// Takes rows that will be there, from a place on, and whether each is hidden; those before them came before.
type Follows = Box<dyn Fn(&State, usize, &[bool])>;

/// Rows between two looks at the clock.
const ROWS: usize = 256;

/// What is ready.
#[derive(Default)]
pub(super) struct Ahead {
    hidden: RefCell<Vec<bool>>,
    /// Events and entries that the whole had.
    of: RefCell<Option<(u64, usize)>>,
    follows: RefCell<Option<Follows>>,
    used: Cell<bool>,
}

impl Store {
    /// Says who follows what is made ready.
    pub fn on_ahead(&self, follows: impl Fn(&State, usize, &[bool]) + 'static) {
        self.inner(|inner| inner.history.part.ahead.follows.replace(Some(Box::new(follows))));
    }

    /// What was made ready took the place of the end, the last time.
    pub fn was_ahead(&self) -> bool {
        self.inner(|inner| inner.history.part.ahead.used.get()).unwrap_or(false)
    }

    /// Makes rows of the whole log ready as long as there is time; true if there are more.
    pub fn prepare_whole(&self, there_is_time: impl Fn() -> bool) -> bool {
        let more = self.inner(|inner| {
            let ahead = &inner.history.part.ahead;
            if inner.history.part.session.borrow().is_none() {
                ahead.hidden.take();
                return false;
            }
            // What the reader did with the end goes by the end's places: then all of it is made at once.
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

    /// Hands out what is ready, if it is the whole as it is now.
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
