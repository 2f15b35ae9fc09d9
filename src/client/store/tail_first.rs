//! Shows the end of a log while the whole of it is read, and then replaces it without rebuilding what is on
//! screen. The driver reads the log, or the chunk `log` if it is a file.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;

use super::Store;
use super::row_preparation::Ahead;
use crate::core::session::log::Log;
use crate::core::session::tail_first;
use crate::core::session::tail_first::Early;
use crate::core::{Session, State};

/// The end of a log, which is shown.
pub(super) struct Part {
    pub(super) session: RefCell<Option<Session>>,
    /// How many entries are from the log's head, not from its end.
    head: Cell<usize>,
    partial: RwSignal<bool>,
    reading: RwSignal<bool>,
    joined: RwSignal<u32>,
    /// Makes the log smaller, once the code for that has been loaded.
    tidy: Cell<Option<Tidy>>,
    pub(super) ahead: Ahead,
}

/// Makes a log smaller; true if there is more to be done.
pub type Tidy = fn(&mut Log) -> bool;

/// From this size on, in bytes, a log is made smaller while more of it is read.
const LARGE: usize = 96 << 20;

impl Part {
    pub(super) fn new() -> Self {
        Self {
            session: RefCell::default(),
            head: Cell::default(),
            partial: RwSignal::new(false),
            reading: RwSignal::new(false),
            joined: RwSignal::new(0),
            tidy: Cell::new(None),
            ahead: Ahead::default(),
        }
    }
}

impl Store {
    /// Only the end of a log is shown, and nothing is known yet about the session as a whole.
    pub fn partial(&self) -> RwSignal<bool> {
        self.history(|history| history.part.partial)
    }

    /// Input waits to be read. Nothing can be answered meanwhile, because that input may have settled it.
    pub fn reading(&self) -> RwSignal<bool> {
        self.history(|history| history.part.reading)
    }

    /// Changes when the whole log has replaced its end.
    pub fn joined(&self) -> RwSignal<u32> {
        self.history(|history| history.part.joined)
    }

    /// Sets how a log is made smaller while more of it is read.
    pub fn on_large_log(&self, tidy: Tidy) {
        self.inner(|inner| inner.history.part.tidy.set(Some(tidy)));
    }

    /// Called after more was read: makes a large log smaller, faster than it grows.
    pub fn keep_small(&self, session: &mut Session) {
        let tidy = self.inner(|inner| inner.history.part.tidy.get()).flatten();
        if let (Some(tidy), Some(log)) = (tidy, session.log_mut().filter(|log| log.bytes() > LARGE)) {
            let _ = tidy(log);
        }
    }

    /// What early indices stand for in the session that is shown.
    pub fn early(&self) -> Early {
        self.read(|state| state.early).unwrap_or_default()
    }

    /// The final index for one that may have been handed out early.
    pub fn for_good(&self, place: usize) -> usize {
        self.early().place(place)
    }

    /// Shows the end of the log that is about to be read. `session` has read it,
    /// after `head` entries of the log's head.
    pub fn show_part(&self, mut session: Session, head: usize) {
        session.join(Early::ALL);
        let _ = session.take_changes();
        self.inner(|inner| {
            inner.history.part.head.set(head);
            inner.history.part.session.replace(Some(session));
        });
        self.partial().set(true);
        self.base().update(|number| *number = number.wrapping_add(1));
        self.renew();
    }

    /// True for a row of the end that must not be shown: one of the log's head, or one of a sub-agent that
    /// began before the end and may have finished.
    pub(super) fn lacks(&self, state: &State, row: usize) -> bool {
        let head = self.inner(|inner| inner.history.part.head.get()).unwrap_or(0);
        let lost = |agent: &str| state.agent_place(agent).is_none();
        row < head || state.entry(row).is_some_and(|entry| entry.agent_id.as_deref().is_some_and(lost))
    }

    /// Drops the end, because something else is shown now.
    pub(super) fn leave_part(&self) {
        self.inner(|inner| inner.history.part.session.replace(None));
        self.partial().set(false);
        self.reading().set(false);
    }

    /// Replaces the end with the whole log, which has been read. Rows that
    /// show the same entries stay as they are.
    pub(super) fn settle(&self) {
        let part = self.inner(|inner| inner.history.part.session.take()).flatten();
        let Some(part) = part else { return };
        let ahead = self.take_ahead();
        let mut shown: Vec<usize> =
            self.inner(|inner| inner.rows.borrow().keys().copied().collect()).unwrap_or_default();
        shown.sort_unstable_by(|one, other| other.cmp(one));
        let joined =
            self.inner(|inner| inner.with_whole(|whole| tail_first::joined(part.state(), whole, &shown)));
        let joined = joined.unwrap_or_default();
        if let Some(session) = self.session() {
            session.borrow_mut().join(joined);
        }
        self.move_rows(joined);
        let length = self.read(|state| state.entries.len()).unwrap_or(0);
        // The timeline places its rows first, because others ask where they are.
        self.joined().update(|times| *times = times.wrapping_add(1));
        self.partial().set(false);
        match ahead {
            Some(hidden) => self.set_flags(hidden),
            None => self.renew_flags(length),
        }
        self.length.set(length);
        let rows: Vec<_> =
            self.inner(|inner| inner.rows.borrow().values().flatten().copied().collect()).unwrap_or_default();
        for row in rows {
            row.head.update(|times| *times = times.wrapping_add(1));
            row.text.update(|times| *times = times.wrapping_add(1));
        }
        self.begun.set(true);
        self.renew_sections();
        self.hear();
    }

    /// Moves what is kept by early indices to the final ones.
    fn move_rows(&self, joined: Early) {
        let moved = |place: usize| joined.place(Early::ALL.handed(place));
        self.inner(|inner| {
            // Entries that do not exist any more are removed when their rows are.
            let rows = std::mem::take(&mut *inner.rows.borrow_mut());
            for (place, shown) in rows {
                inner.rows.borrow_mut().entry(moved(place)).or_default().extend(shown);
            }
            let folds = std::mem::take(&mut *inner.folds.borrow_mut());
            inner.folds.borrow_mut().extend(folds.into_iter().map(|(place, open)| (moved(place), open)));
        });
    }
}
