//! Which session is shown, and from when: the live one, one from a file, or either as it was earlier. The
//! live session goes on being reduced meanwhile.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;

use super::{SharedSession, Store, StoreData, bump};
use crate::core::State;
use crate::core::connection::Protocol;
use crate::core::model::state::Change;
use crate::core::session::log::Log;

/// What is shown instead of the live session as it is.
#[derive(Default)]
pub(super) struct HistoryData {
    file: RefCell<Option<SharedSession>>,
    past: RefCell<Option<SharedSession>>,
    archive: RefCell<Option<Rc<dyn Any>>>,
    /// Changes when another session is shown.
    base: RwSignal<u32>,
    /// Changes when the session that is shown has another log.
    log: RwSignal<u32>,
    at: RwSignal<Option<usize>>,
    prepared: RwSignal<usize>,
    travelling: RwSignal<bool>,
    name: RwSignal<Option<(String, String)>>,
}

impl StoreData {
    /// Reads the state that is shown. None if a fault of the program has stopped the session in the middle of its work.
    pub(super) fn read_shown<R>(&self, read: impl FnOnce(&State) -> R) -> Option<R> {
        let (past, file) = (self.history.past.borrow(), self.history.file.borrow());
        let shown = past.as_ref().or(file.as_ref()).unwrap_or(&self.session);
        shown.try_borrow().ok().map(|shown| read(shown.state()))
    }
}

/// Which session is shown, and from when.
#[derive(Clone, Copy)]
pub struct History<'a>(pub(super) &'a Store);

impl History<'_> {
    fn data<R>(self, read: impl FnOnce(&HistoryData) -> R) -> Option<R> {
        self.0.data(|data| read(&data.history))
    }

    /// The record of the log up to which the session is shown; `None` for all of it.
    pub fn at(self) -> RwSignal<Option<usize>> {
        self.data(|data| data.at).unwrap_or_default()
    }

    /// How many records of the log can be travelled to.
    pub fn prepared(self) -> RwSignal<usize> {
        self.data(|data| data.prepared).unwrap_or_default()
    }

    /// Whether the scrubber is shown. This is not in `ViewState`, because every view copies that.
    pub fn travelling(self) -> RwSignal<bool> {
        self.data(|data| data.travelling).unwrap_or_default()
    }

    /// The file that is shown instead of the live session: its name, and what went
    /// wrong with it (empty if nothing did).
    pub fn file(self) -> RwSignal<Option<(String, String)>> {
        self.data(|data| data.name).unwrap_or_default()
    }

    /// A number that changes when another session is shown. Subscribes.
    pub(crate) fn shown_session_number(self) -> u32 {
        self.data(|data| data.base).map_or(0, |base| base.get())
    }

    /// Numbers that change when another log is looked at. Subscribes.
    pub(crate) fn log_number(self) -> (u32, u32) {
        (self.shown_session_number(), self.data(|data| data.log).map_or(0, |log| log.get()))
    }

    /// What is shown is not the live session as it is now. Subscribes.
    pub fn is_not_live(self) -> bool {
        let file = self.file().with(Option::is_some);
        self.at().get().is_some() || file
    }

    /// The session whose log is looked at: the live one, or the file's. It may be ahead of what is shown.
    pub fn session(self) -> Option<SharedSession> {
        self.data(|data| data.file.borrow().clone())?.or_else(|| self.0.live_session())
    }

    /// Reads the log of [`History::session`].
    pub fn log<R>(self, read: impl FnOnce(&Log) -> R) -> Option<R> {
        Some(read(self.session()?.borrow().log()?))
    }

    /// What the chunk `event_log` keeps for the session of [`History::session`].
    pub fn archive(self, make: fn() -> Rc<dyn Any>) -> Option<Rc<dyn Any>> {
        self.data(|data| data.archive.borrow_mut().get_or_insert_with(make).clone())
    }

    /// The earlier state of a session that is shown, if one is.
    pub fn past_session(self) -> Option<SharedSession> {
        self.data(|data| data.past.borrow().clone()).flatten()
    }

    /// Shows a session as it was after so many records; `None` returns to now.
    pub fn show_past(self, past: Option<(SharedSession, usize)>) {
        let (past, at) = past.unzip();
        self.data(|data| data.past.replace(past));
        self.at().set(at);
        self.0.refresh_all();
    }

    /// Moves the earlier state that is shown forward, to record `at`.
    pub fn show_later(self, changes: &[Change], at: usize) {
        self.at().set(Some(at));
        self.0.show(changes);
    }

    /// Shows a file's session instead of the live one; `None` returns to that.
    pub fn show_file(self, file: Option<(SharedSession, String)>) {
        let (session, name) = file.unzip();
        self.0.reading.set(false);
        self.data(|data| data.file.replace(session));
        self.file().set(name.map(|name| (name, String::new())));
        self.0.other_session();
    }

    /// The session has another log. It is shown as it is now.
    pub fn log_replaced(self) {
        if self.at().get_untracked().is_some() {
            self.show_past(None);
        }
        self.data(|data| data.archive.replace(None));
        self.prepared().set(0);
        if let Some(log) = self.data(|data| data.log) {
            bump(log);
        }
    }

    /// Shows the changes made by reading on in the file.
    pub fn loaded(self, changes: &[Change]) {
        if self.at().get_untracked().is_none() {
            self.0.show(changes);
        }
        self.0.input_arrived();
    }
}

impl Store {
    /// The live session has begun again, and is shown from its beginning. A file that is shown stays.
    pub(super) fn restart(&self) {
        if self.history().file().with_untracked(Option::is_none) {
            self.other_session();
        }
    }

    fn other_session(&self) {
        self.data(|data| {
            data.history.past.replace(None);
            data.history.archive.replace(None);
        });
        self.rows().forget_folds();
        self.history().at().set(None);
        self.history().prepared().set(0);
        if let Some(base) = self.data(|data| data.history.base) {
            bump(base);
        }
        self.refresh_all();
    }

    /// Shows everything anew, because all of it may be different.
    fn refresh_all(&self) {
        let (length, some) =
            self.read(|state| (state.entries.len(), state.counters.total > 0)).unwrap_or_default();
        self.rows().reset();
        self.length.set(length);
        let of_platform = self.server().protocol.get_untracked() == Some(Protocol::Platform);
        self.begun.set(some || length > 0 || of_platform);
        for section in self.data(|data| data.sections).unwrap_or_default() {
            bump(section);
        }
        self.input_arrived();
    }
}
