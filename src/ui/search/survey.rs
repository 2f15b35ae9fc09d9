//! The search itself: a survey of the session, made in slices and kept up to date.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use web_sys::Element;

use super::offscreen_matches::Counts;
use crate::core::model::state::Change;
use crate::core::view_model::search::{Class, Classes, Needle, Survey, classes};
use crate::store::Store;
use crate::ui::elements::reactive::render_effect;

/// Milliseconds of work before the browser gets its turn.
const SLICE: f64 = 6.0;
/// Entries between two checks of the clock.
const STRIDE: u32 = 16;

/// The search, its results and the filter; views copy it. Lives as long as the owner that it was made under.
#[derive(Clone, Copy)]
pub struct Seek {
    state: StoredValue<Rc<SeekState>, LocalStorage>,
    /// Changes when the survey has other results.
    pub version: RwSignal<u32>,
    /// The survey is not finished.
    pub busy: RwSignal<bool>,
    /// The classes that are shown; all rows if it is empty.
    pub wanted: RwSignal<Classes>,
}

struct SeekState {
    store: Store,
    survey: RefCell<Survey>,
    /// Rows that changed since the survey read them.
    changed: RefCell<Vec<usize>>,
    /// A task is running.
    working: Cell<bool>,
    /// The bar has been closed.
    over: Cell<bool>,
}

impl Seek {
    /// Starts to survey all entries, for the counts.
    pub fn new(store: Store) -> Self {
        let state = SeekState {
            store,
            survey: RefCell::default(),
            changed: RefCell::default(),
            working: Cell::new(false),
            over: Cell::new(false),
        };
        let seek = Self {
            state: StoredValue::new_local(Rc::new(state)),
            version: RwSignal::new(0),
            busy: RwSignal::new(false),
            wanted: RwSignal::new(Classes::default()),
        };
        store.on_change(Some(Rc::new(move |changes| seek.note(changes))));
        let known = Cell::new(untrack(|| store.rows().epoch()));
        render_effect(move || {
            let epoch = store.rows().epoch();
            if known.replace(epoch) != epoch {
                seek.state(|state| state.survey.borrow_mut().begin_again());
                seek.notify();
                seek.work();
            }
        });
        on_cleanup(move || {
            seek.state(|state| state.over.set(true));
            store.on_change(None);
            store.rows().show_only(None);
        });
        seek.work();
        seek
    }

    /// Searches for another text.
    pub fn look_for(self, text: &str) {
        let needle = Needle::new(text);
        let same = self.needle() == needle;
        if !same {
            self.state(|state| state.survey.borrow_mut().look_for(needle));
            self.notify();
            self.work();
        }
    }

    /// The needle; `None` if nothing is searched for.
    pub fn needle(self) -> Option<Needle> {
        self.state(|state| state.survey.borrow().needle().cloned()).flatten()
    }

    /// The number of matches in a part of the row that is being counted; see [`Counts::of`].
    pub fn often(self, counts: &mut Counts, part: &Element, may_look: bool) -> Option<usize> {
        self.state(|state| state.store).and_then(|store| counts.of(store, part, may_look))
    }

    /// Rows that match and are shown, in rising order.
    pub fn hits(self) -> Vec<usize> {
        let hits = self.state(|state| state.survey.borrow().hits().to_vec()).unwrap_or_default();
        let wanted = self.wanted.get_untracked();
        if wanted.is_empty() {
            return hits;
        }
        let fits = |store: Store, row: usize| store.entry(row, |entry| classes(entry).meets(wanted));
        self.state(|state| hits.into_iter().filter(|row| fits(state.store, *row) == Some(true)).collect())
            .unwrap_or_default()
    }

    /// How many entries are of a class; subscribes.
    pub fn count(self, class: Class) -> usize {
        self.version.track();
        self.state(|state| state.survey.borrow().count(class)).unwrap_or(0)
    }

    /// How many entries the filter shows, and how many there are; subscribes.
    pub fn visible(self) -> (usize, usize) {
        self.version.track();
        let wanted = self.wanted.get();
        let (visible, all) = self.state(|state| state.survey.borrow().matching(wanted)).unwrap_or_default();
        // Open requests are always shown.
        let open = if wanted.has(Class::Request) {
            0
        } else {
            self.state(|state| state.store.read(|state| state.open_requests.len())).flatten().unwrap_or(0)
        };
        (visible + open, all)
    }

    /// Shows only rows of these classes; all rows if it is empty. Open requests are never hidden.
    pub fn show_only(self, wanted: Classes) {
        self.wanted.set(wanted);
        let Some(store) = self.state(|state| state.store) else { return };
        if wanted.is_empty() {
            store.rows().show_only(None);
        } else {
            store.rows().show_only(Some(Rc::new(move |state, row| {
                state.entry(row).is_some_and(|entry| classes(entry).meets(wanted))
            })));
        }
        self.notify();
    }

    fn state<R>(self, read: impl FnOnce(&SeekState) -> R) -> Option<R> {
        self.state.try_with_value(|state| read(state))
    }

    fn notify(self) {
        self.version.update(|n| *n = n.wrapping_add(1));
    }

    fn note(self, changes: &[Change]) {
        let mut some = false;
        self.state(|state| {
            let mut rows = state.changed.borrow_mut();
            for change in changes {
                match change {
                    Change::EntryAdded { .. } => some = true,
                    Change::TextAppended { index, .. }
                    | Change::TextReplaced { index }
                    | Change::EntryUpdated { index } => {
                        some = true;
                        rows.push(*index);
                    }
                    Change::Section(_) | Change::Renewed => {}
                }
            }
        });
        if some {
            self.work();
        }
    }

    /// Works in slices until the survey is finished; only one task runs at a time.
    fn work(self) {
        if self.state(|state| state.working.replace(true)) != Some(false) {
            return;
        }
        spawn_local(async move {
            while let Some(more) = self.slice() {
                if !more {
                    self.state(|state| state.working.set(false));
                    return;
                }
                TimeoutFuture::new(0).await;
            }
        });
    }

    /// A few milliseconds of work. Returns whether there is more; `None` if the bar has been closed.
    fn slice(self) -> Option<bool> {
        let search = self.state.try_with_value(Rc::clone).filter(|state| !state.over.get())?;
        let clock = window().performance();
        let now = || clock.as_ref().map_or(0.0, web_sys::Performance::now);
        let (from, mut visited) = (now(), 0_u32);
        let mut enough = move || {
            visited += 1;
            visited.is_multiple_of(STRIDE) && now() - from > SLICE
        };
        let (mut other, mut done) = (false, false);
        let hits = search.survey.borrow().hits().len();
        search.store.read(|state| {
            let mut survey = search.survey.borrow_mut();
            let mut rows = search.changed.borrow_mut();
            rows.sort_unstable();
            rows.dedup();
            while let Some(row) = rows.pop() {
                other |= survey.refresh(state, row);
                if enough() {
                    return;
                }
            }
            done = survey.go_on(state, enough);
        });
        if other || done || search.survey.borrow().hits().len() != hits {
            self.notify();
        }
        if self.busy.get_untracked() == done {
            self.busy.set(!done);
        }
        Some(!done)
    }
}
