//! The end of a log, shown while the whole of it is read: how it comes, and how the whole takes its place so that
//! nothing on screen is made anew. Refuses to read either; the driver does, and the chunk `log` for files.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;

use super::Store;
use super::ahead::Ahead;
use crate::core::early::{self, Early};
use crate::core::log::Log;
use crate::core::{Session, State};

/// The end that is shown.
pub(super) struct Part {
    pub(super) session: RefCell<Option<Session>>,
    /// So many entries are from the log's head, not from its end.
    head: Cell<usize>,
    partial: RwSignal<bool>,
    reading: RwSignal<bool>,
    joined: RwSignal<u32>,
    /// Makes the log smaller, once that part of the program is here.
    tidy: Cell<Option<Tidy>>,
    pub(super) ahead: Ahead,
}

/// Makes a log smaller; true if there is more to be done.
pub type Tidy = fn(&mut Log) -> bool;

/// Bytes of a log from which it is made smaller while more of it is read.
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
    /// Only the end of a log is shown; what is known of the session as a whole is nothing yet.
    pub fn partial(&self) -> RwSignal<bool> {
        self.history(|history| history.part.partial)
    }

    /// More of a log has come than was read. Nothing is answered meanwhile: what follows may have settled it.
    pub fn reading(&self) -> RwSignal<bool> {
        self.history(|history| history.part.reading)
    }

    /// Changes when the whole log has taken the place of its end.
    pub fn joined(&self) -> RwSignal<u32> {
        self.history(|history| history.part.joined)
    }

    /// Says how a log is made smaller while more of it is read.
    pub fn on_large_log(&self, tidy: Tidy) {
        self.inner(|inner| inner.history.part.tidy.set(Some(tidy)));
    }

    /// More was read: faster than it comes a large log is made smaller.
    pub fn keep_small(&self, session: &mut Session) {
        let tidy = self.inner(|inner| inner.history.part.tidy.get()).flatten();
        if let (Some(tidy), Some(log)) = (tidy, session.log_mut().filter(|log| log.bytes() > LARGE)) {
            let _ = tidy(log);
        }
    }

    /// What early places stand for in what is shown.
    pub fn early(&self) -> Early {
        self.read(|state| state.early).unwrap_or_default()
    }

    /// The place for good of one that may have been handed out early.
    pub fn for_good(&self, place: usize) -> usize {
        self.early().place(place)
    }

    /// Shows the end of the log that is about to be read: a session that has read it, after so many entries of the
    /// log's head.
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

    /// True for a row of the end that is not to be shown: of the log's head, or of a sub-agent that began before it
    /// and may have ended.
    pub(super) fn lacks(&self, state: &State, row: usize) -> bool {
        let head = self.inner(|inner| inner.history.part.head.get()).unwrap_or(0);
        let lost = |agent: &str| state.agent_place(agent).is_none();
        row < head || state.entry(row).is_some_and(|entry| entry.agent_id.as_deref().is_some_and(lost))
    }

    /// Something else is shown now.
    pub(super) fn leave_part(&self) {
        self.inner(|inner| inner.history.part.session.replace(None));
        self.partial().set(false);
        self.reading().set(false);
    }

    /// The whole log has been read, and takes the place of its end: rows that show the same entries stay as they are.
    pub(super) fn settle(&self) {
        let part = self.inner(|inner| inner.history.part.session.take()).flatten();
        let Some(part) = part else { return };
        let ahead = self.take_ahead();
        let mut shown: Vec<usize> =
            self.inner(|inner| inner.rows.borrow().keys().copied().collect()).unwrap_or_default();
        shown.sort_unstable_by(|one, other| other.cmp(one));
        let joined = self.inner(|inner| inner.with_whole(|whole| early::joined(part.state(), whole, &shown)));
        let joined = joined.unwrap_or_default();
        if let Some(session) = self.session() {
            session.borrow_mut().join(joined);
        }
        self.move_rows(joined);
        let length = self.read(|state| state.entries.len()).unwrap_or(0);
        // Whoever places the rows comes first: others ask where they are.
        self.joined().update(|times| *times = times.wrapping_add(1));
        self.partial().set(false);
        match ahead {
            Some(hidden) => self.set_flags(hidden),
            None => self.renew_flags(length),
        }
        self.length.set(length);
        let rows: Vec<_> =
            self.inner(|inner| inner.rows.borrow().values().copied().collect()).unwrap_or_default();
        for row in rows {
            row.head.update(|times| *times = times.wrapping_add(1));
            row.text.update(|times| *times = times.wrapping_add(1));
        }
        self.begun.set(true);
        self.renew_sections();
        self.hear();
    }

    /// What is kept by places is kept by those for good.
    fn move_rows(&self, joined: Early) {
        let moved = |place: usize| joined.place(Early::ALL.handed(place));
        self.inner(|inner| {
            // What is not there any more goes with its rows.
            let rows = std::mem::take(&mut *inner.rows.borrow_mut());
            inner.rows.borrow_mut().extend(rows.into_iter().map(|(place, row)| (moved(place), row)));
            let folds = std::mem::take(&mut *inner.folds.borrow_mut());
            inner.folds.borrow_mut().extend(folds.into_iter().map(|(place, open)| (moved(place), open)));
        });
    }
}
