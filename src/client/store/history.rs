//! Which session is shown, and from when: the live one, one from a file, or either as it was earlier. The
//! live session goes on being reduced meanwhile.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::*;

use super::{Inner, Store};
use crate::core::model::change::Change;
use crate::core::session::log::Log;
use crate::core::{Session, State};

/// A session that is shared with those who feed it.
pub type Shown = Rc<RefCell<Session>>;

/// The value of [`Store::place`] for a session that is shown as it is now.
pub const NOW: usize = usize::MAX;

/// Makes a log smaller; true if there is more to be done.
pub type Compact = fn(&mut Log) -> bool;

/// From this size on, in bytes, a log is made smaller while more of it is read.
const LARGE: usize = 96 << 20;

/// What is shown instead of the live session as it is.
pub(super) struct History {
    reading: RwSignal<bool>,
    /// Makes the log smaller, once the code for that has been loaded.
    compact: Cell<Option<Compact>>,
    file: RefCell<Option<Shown>>,
    past: RefCell<Option<Shown>>,
    archive: RefCell<Option<Rc<dyn Any>>>,
    epoch: RwSignal<u32>,
    base: RwSignal<u32>,
    heard: RwSignal<u32>,
    place: RwSignal<usize>,
    prepared: RwSignal<usize>,
    travelling: RwSignal<bool>,
    name: RwSignal<Option<(String, String)>>,
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            reading: RwSignal::new(false),
            compact: Cell::new(None),
            file: RefCell::default(),
            past: RefCell::default(),
            archive: RefCell::default(),
            epoch: RwSignal::new(0),
            base: RwSignal::new(0),
            heard: RwSignal::new(0),
            place: RwSignal::new(NOW),
            prepared: RwSignal::new(0),
            travelling: RwSignal::new(false),
            name: RwSignal::new(None),
        }
    }
}

impl Inner {
    /// Reads the state that is shown. None if a fault of the program has stopped the session in the middle of its work.
    pub(super) fn with_shown<R>(&self, read: impl FnOnce(&State) -> R) -> Option<R> {
        let (past, file) = (self.history.past.borrow(), self.history.file.borrow());
        let shown = past.as_ref().or(file.as_ref()).unwrap_or(&self.session);
        shown.try_borrow().ok().map(|shown| read(shown.state()))
    }
}

impl Store {
    pub(super) fn history<T>(&self, signal: impl FnOnce(&History) -> RwSignal<T>) -> RwSignal<T>
    where
        T: Send + Sync + Default + 'static,
    {
        self.inner(|inner| signal(&inner.history)).unwrap_or_default()
    }

    /// Input waits to be read. Nothing can be answered meanwhile, because that input may have settled it.
    pub fn reading(&self) -> RwSignal<bool> {
        self.history(|history| history.reading)
    }

    /// Sets how a log is made smaller while more of it is read.
    pub fn on_large_log(&self, compact: Compact) {
        self.inner(|inner| inner.history.compact.set(Some(compact)));
    }

    /// Called after more was read: makes a large log smaller, faster than it grows.
    pub fn keep_small(&self, session: &mut Session) {
        let compact = self.inner(|inner| inner.history.compact.get()).flatten();
        if let (Some(compact), Some(log)) = (compact, session.log_mut().filter(|log| log.bytes() > LARGE)) {
            let _ = compact(log);
        }
    }

    /// Changes when all rows must be rebuilt: they may be another session's, or further back than they were.
    pub fn epoch(&self) -> RwSignal<u32> {
        self.history(|history| history.epoch)
    }

    /// Changes when another session is shown.
    pub fn base(&self) -> RwSignal<u32> {
        self.history(|history| history.base)
    }

    /// Changes when input has arrived, shown or not.
    pub fn heard(&self) -> RwSignal<u32> {
        self.history(|history| history.heard)
    }

    /// The record of the log up to which the session is shown; [`NOW`] for all of it.
    pub fn place(&self) -> RwSignal<usize> {
        self.history(|history| history.place)
    }

    /// How many records of the log can be travelled to.
    pub fn prepared(&self) -> RwSignal<usize> {
        self.history(|history| history.prepared)
    }

    /// Whether the scrubber is shown. This is not in `ViewState`, because every view copies that.
    pub fn travelling(&self) -> RwSignal<bool> {
        self.history(|history| history.travelling)
    }

    /// The file that is shown instead of the live session: its name, and what went
    /// wrong with it (empty if nothing did).
    pub fn file(&self) -> RwSignal<Option<(String, String)>> {
        self.history(|history| history.name)
    }

    /// What is shown is not the live session as it is now. Subscribes.
    pub fn elsewhere(&self) -> bool {
        let file = self.file().with(Option::is_some);
        self.place().get() != NOW || file
    }

    /// Nothing can be answered here: the session is read-only, or what is shown is not live. Subscribes.
    pub fn silent(&self) -> bool {
        let elsewhere = self.elsewhere();
        self.readonly.get() || elsewhere
    }

    /// Reads the live session's state, whatever is shown; subscribes to it.
    pub fn live<R>(&self, read: impl FnOnce(&State) -> R) -> Option<R> {
        self.heard().track();
        self.inner(|inner| read(inner.session.borrow().state()))
    }

    /// The record up to which the session is shown, if that is not all of it. Subscribes.
    pub fn at(&self) -> Option<usize> {
        Some(self.place().get()).filter(|place| *place != NOW)
    }

    /// The live session, whatever is shown.
    pub fn live_session(&self) -> Option<Shown> {
        self.inner(|inner| inner.session.clone())
    }

    /// The session whose log is looked at: the live one, or the file's. It may be ahead of what is shown.
    pub fn session(&self) -> Option<Shown> {
        self.inner(|inner| inner.history.file.borrow().as_ref().unwrap_or(&inner.session).clone())
    }

    /// Reads the log of [`Store::session`].
    pub fn log<R>(&self, read: impl FnOnce(&Log) -> R) -> Option<R> {
        Some(read(self.session()?.borrow().log()?))
    }

    /// Passes on the log as a recording that can be opened again: JSON, one line per record, as received.
    pub fn recording(&self, mut line: impl FnMut(&str)) {
        self.log(|log| {
            for record in (0..log.len()).filter_map(|record| log.line(record)) {
                line(&record);
            }
        });
    }

    /// What the chunk `event_log` keeps for the session of [`Store::session`].
    pub fn archive(&self, make: fn() -> Rc<dyn Any>) -> Option<Rc<dyn Any>> {
        self.inner(|inner| inner.history.archive.borrow_mut().get_or_insert_with(make).clone())
    }

    /// The earlier state of a session that is shown, if one is.
    pub fn past(&self) -> Option<Shown> {
        self.inner(|inner| inner.history.past.borrow().clone()).flatten()
    }

    /// Shows a session as it was after so many records; `None` returns to now.
    pub fn show_past(&self, past: Option<(Shown, usize)>) {
        let (past, at) = past.unzip();
        self.inner(|inner| inner.history.past.replace(past));
        self.place().set(at.unwrap_or(NOW));
        self.renew();
    }

    /// Moves the earlier state that is shown forward, to record `at`.
    pub fn show_later(&self, changes: &[Change], at: usize) {
        self.place().set(at);
        self.show(changes);
    }

    /// Shows a file's session instead of the live one; `None` returns to that.
    pub fn show_file(&self, file: Option<(Shown, String)>) {
        let (session, name) = file.unzip();
        self.inner(|inner| inner.history.file.replace(session));
        self.file().set(name.map(|name| (name, String::new())));
        self.other_session();
    }

    /// The live session has begun again, and is shown from its beginning. A file that is shown stays.
    pub(super) fn begin_again(&self) {
        if self.file().with_untracked(Option::is_none) {
            self.other_session();
        }
    }

    fn other_session(&self) {
        self.reading().set(false);
        self.inner(|inner| {
            inner.history.past.replace(None);
            inner.history.archive.replace(None);
            inner.shown.borrow_mut().forget_folds();
        });
        self.place().set(NOW);
        self.prepared().set(0);
        self.base().update(|number| *number = number.wrapping_add(1));
        self.renew();
    }

    /// Shows the changes that came from reading on in the file.
    pub fn loaded(&self, changes: &[Change]) {
        if self.place().get_untracked() == NOW {
            self.show(changes);
        }
        self.hear();
    }

    /// Notifies the subscribers of [`Store::heard`].
    pub(super) fn hear(&self) {
        self.heard().update(|number| *number = number.wrapping_add(1));
    }

    /// Shows everything anew, because all of it may be different.
    pub(super) fn renew(&self) {
        let (length, some) =
            self.read(|state| (state.entries.len(), state.counters.total > 0)).unwrap_or_default();
        self.epoch().update(|number| *number = number.wrapping_add(1));
        self.renew_rows(length);
        self.length.set(length);
        self.begun.set(some || length > 0);
        let sections = self.inner(|inner| inner.sections).unwrap_or_default();
        for section in sections {
            section.update(|number| *number = number.wrapping_add(1));
        }
        self.hear();
    }
}
