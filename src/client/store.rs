//! What views subscribe to: two signals for each entry on screen, and one for each section of the state.
//! Views read the state itself; nothing of it is copied.

pub mod board;
mod drafts;
pub mod entry_handle;
mod history;
pub mod host_options;
pub mod lens_view;
mod rows;
pub mod scroll_sync;
pub mod view_state;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;

use crate::client::printing;
use crate::core::connection::{ConnectionState, Protocol};
use crate::core::model::answer;
use crate::core::model::answer::{Answer, Prepared};
use crate::core::model::change::{Change, Section};
use crate::core::protocol::call::CallFailure;
use crate::core::view_model::rows::Rows;
use crate::core::{Entry, Session, State};
use drafts::Typed;
use host_options::HostOptions;
use view_state::ViewState;

pub use entry_handle::EntryHandle;
use history::History;
pub use history::{NOW, Shown};

/// The callback that sends answers.
type SendAnswer = Rc<dyn Fn(&str, Option<Prepared>)>;
/// The result of a call.
pub type CallOutcome = Pin<Box<dyn Future<Output = Result<Value, CallFailure>>>>;
/// The callback that sends calls.
type SendCall = Rc<dyn Fn(&str, Value) -> Option<CallOutcome>>;
/// A change of the session by what a person did here.
type SessionUpdate = Box<dyn FnOnce(&mut Session)>;
/// The callback that makes such a change and shows it.
type ApplyUpdate = Rc<dyn Fn(SessionUpdate)>;
/// The callback that retries the connection at once.
type RetryNow = Rc<dyn Fn()>;
/// The callback for every batch of changes.
type OnChanges = Rc<dyn Fn(&[Change])>;
/// Says whether a row may be shown, by the host's page, whose function may read the session.
type HostFilter = Rc<dyn Fn(usize) -> bool>;

/// The signals of one entry on screen. The numbers only show that something changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Changes when the text does.
    pub text: RwSignal<u32>,
    /// Changes when anything else of the entry does.
    pub head: RwSignal<u32>,
}

struct Inner {
    session: Shown,
    history: History,
    sections: [RwSignal<u32>; Section::ALL.len()],
    rows: RefCell<HashMap<usize, Vec<Row>>>,
    shown: RefCell<Rows>,
    host_filter: RefCell<Option<HostFilter>>,
    drafts: RefCell<Vec<Typed>>,
    /// A token was tried, and only the next connection can show whether it is right.
    tried: Cell<bool>,
    answering: RefCell<Option<SendAnswer>>,
    calling: RefCell<Option<SendCall>>,
    updating: RefCell<Option<ApplyUpdate>>,
    retrying: RefCell<Option<RetryNow>>,
    watching: RefCell<Option<OnChanges>>,
    unfolded: RwSignal<u32>,
    steering: RwSignal<bool>,
    server: RwSignal<Option<String>>,
    host: RwSignal<Option<Protocol>>,
    rewinding: RwSignal<Option<usize>>,
    host_options: HostOptions,
}

/// A handle that views copy freely.
#[derive(Clone, Copy)]
pub struct Store {
    inner: StoredValue<Rc<Inner>, LocalStorage>,
    /// Number of entries.
    pub length: RwSignal<usize>,
    /// Changes when rows are hidden or shown again; see [`Store::hidden`].
    pub hidden_rows: RwSignal<u32>,
    /// The connection's state, and what people should know about it.
    pub connection: RwSignal<(ConnectionState, Option<String>)>,
    /// The gateway's report about itself: what is wrong there, if anything is.
    pub health: RwSignal<Option<Value>>,
    /// Nothing can be answered here: the host wants it so, or the server takes nothing from a viewer.
    pub readonly: RwSignal<bool>,
    /// The server lets this client only look.
    pub viewer: RwSignal<bool>,
    /// What went wrong with answers: request ids, each with a text.
    pub trouble: RwSignal<Vec<(String, String)>>,
    /// False until the first event came.
    pub begun: RwSignal<bool>,
    /// What the reader has open beside the timeline.
    pub view_state: ViewState,
    /// Newest position the server has said it holds, and the one reached, while catching up.
    pub progress: RwSignal<(u64, u64)>,
}

impl Store {
    /// A store over a session. Must be made inside a reactive owner.
    pub fn new(session: Rc<RefCell<Session>>) -> Self {
        let inner = Inner {
            session,
            history: History::new(),
            sections: std::array::from_fn(|_| RwSignal::new(0)),
            rows: RefCell::default(),
            shown: RefCell::default(),
            host_filter: RefCell::default(),
            drafts: RefCell::default(),
            tried: Cell::default(),
            answering: RefCell::default(),
            calling: RefCell::default(),
            updating: RefCell::default(),
            retrying: RefCell::default(),
            watching: RefCell::default(),
            unfolded: RwSignal::new(0),
            steering: RwSignal::new(false),
            server: RwSignal::new(None),
            host: RwSignal::new(None),
            rewinding: RwSignal::new(None),
            host_options: HostOptions::default(),
        };
        Self {
            inner: StoredValue::new_local(Rc::new(inner)),
            length: RwSignal::new(0),
            hidden_rows: RwSignal::new(0),
            connection: RwSignal::new((ConnectionState::Connecting { attempt: 1 }, None)),
            health: RwSignal::new(None),
            readonly: RwSignal::new(false),
            viewer: RwSignal::new(false),
            trouble: RwSignal::new(Vec::new()),
            begun: RwSignal::new(false),
            view_state: ViewState::new(),
            progress: RwSignal::new((0, 0)),
        }
    }

    fn inner<R>(&self, read: impl FnOnce(&Inner) -> R) -> Option<R> {
        self.inner.try_with_value(|inner| read(inner))
    }

    /// Reads the state without subscribing.
    pub fn read<R>(&self, read: impl FnOnce(&State) -> R) -> Option<R> {
        self.inner(|inner| inner.with_shown(read)).flatten()
    }

    /// Reads the state and subscribes to a section of it.
    pub fn section<R>(&self, section: Section, read: impl FnOnce(&State) -> R) -> Option<R> {
        if let Some(signal) = self.signal(section) {
            signal.track();
        }
        self.read(read)
    }

    fn signal(&self, section: Section) -> Option<RwSignal<u32>> {
        self.inner(|inner| inner.sections.get(section as usize).copied()).flatten()
    }

    /// Reads an entry without subscribing.
    pub fn entry<R>(&self, index: usize, read: impl FnOnce(&Entry) -> R) -> Option<R> {
        self.read(|state| state.entry(index).map(read)).flatten()
    }

    /// Subscribes the current owner to an entry, as long as that owner lives.
    pub fn subscribe(&self, index: usize) -> Row {
        let row = Row { text: RwSignal::new(0), head: RwSignal::new(0) };
        self.inner(|inner| inner.rows.borrow_mut().entry(index).or_default().push(row));
        let store = *self;
        on_cleanup(move || {
            store.inner(|inner| {
                let mut rows = inner.rows.borrow_mut();
                if let Some(shown) = rows.get_mut(&index) {
                    shown.retain(|other| *other != row);
                    if shown.is_empty() {
                        rows.remove(&index);
                    }
                }
            });
        });
        row
    }

    /// The signals of every view of an entry.
    fn rows_of(&self, index: usize) -> Vec<Row> {
        self.inner(|inner| inner.rows.borrow().get(&index).cloned()).flatten().unwrap_or_default()
    }

    /// Notifies the views of an entry that anything but its text has changed.
    fn head_changed(&self, index: usize) {
        for row in self.rows_of(index) {
            bump(row.head);
        }
    }

    /// Takes a batch of the live session's changes, and shows them if that session is shown.
    pub fn commit(&self, changes: &[Change]) {
        if changes.contains(&Change::Renewed) {
            self.begin_again();
        } else if !untrack(|| self.elsewhere()) {
            self.show(changes);
        }
        if changes.contains(&Change::Section(Section::Pending)) {
            self.forget_old_drafts();
        }
        self.hear();
    }

    /// Notifies the views of what a batch changed.
    fn show(&self, changes: &[Change]) {
        let mut added = false;
        self.follow_rows(changes);
        for change in changes {
            match change {
                Change::EntryAdded { .. } => added = true,
                Change::TextAppended { index, .. } | Change::TextReplaced { index } => {
                    for row in self.rows_of(*index) {
                        bump(row.text);
                    }
                }
                Change::EntryUpdated { index } => self.head_changed(*index),
                Change::Renewed => {}
                Change::Section(section) => {
                    if let Some(signal) = self.signal(*section) {
                        bump(signal);
                    }
                }
            }
        }
        if added {
            self.length.set(self.read(|state| state.entries.len()).unwrap_or(0));
        }
        if !changes.is_empty() && !self.begun.get_untracked() {
            self.begun.set(true);
        }
        let watching = self.inner(|inner| inner.watching.borrow().clone()).flatten();
        if let Some(watching) = watching {
            watching(changes);
        }
    }

    /// Sets the callback for every batch of changes.
    pub fn on_change(&self, watching: Option<OnChanges>) {
        self.inner(|inner| inner.watching.replace(watching));
    }

    /// Sets whether the page is being printed: then nothing is folded away.
    pub fn set_printing(&self, on: bool) {
        printing::set(on);
        self.review_rows();
    }

    /// Opens an entry from elsewhere than its own line.
    pub fn unfold(&self, index: usize) {
        if self.fold(index) != Some(true) {
            self.set_fold(index, true);
            if let Some(unfolded) = self.inner(|inner| inner.unfolded) {
                unfolded.update(|n| *n = n.wrapping_add(1));
            }
        }
    }

    /// Same as [`Store::fold`], and subscribes to entries being opened from elsewhere than their own line.
    pub fn fold_seen(&self, index: usize) -> Option<bool> {
        self.inner(|inner| inner.unfolded).map(|unfolded| unfolded.get());
        self.fold(index)
    }

    /// Whether a token was tried, and only the next connection can show whether it is right.
    pub fn tried(&self) -> bool {
        self.inner(|inner| inner.tried.get()).unwrap_or(false)
    }

    /// Remembers whether such a token was tried.
    pub fn set_tried(&self, tried: bool) {
        self.inner(|inner| inner.tried.set(tried));
    }

    /// Passes a person's answer to the callback that sends it.
    pub fn answer(&self, request_id: &str, answer: &Answer) {
        let prepared = self.read(|state| {
            let request = state.entry(state.request_place(request_id)?)?.request()?;
            Some(answer::prepare(request, answer))
        });
        let answering = self.inner(|inner| inner.answering.borrow().clone()).flatten();
        if let (Some(answering), Some(prepared)) = (answering, prepared.flatten()) {
            answering(request_id, Some(prepared));
        }
    }

    /// Gives the same answer as before again, where nothing shows whether it arrived.
    pub fn answer_again(&self, request_id: &str) {
        if let Some(answering) = self.inner(|inner| inner.answering.borrow().clone()).flatten() {
            answering(request_id, None);
        }
    }

    /// Sets what is wrong with the answer to a request; `None` if nothing is.
    pub fn set_trouble(&self, request_id: &str, words: Option<String>) {
        self.trouble.update(|all| {
            all.retain(|(id, _)| id != request_id);
            all.extend(words.map(|words| (request_id.to_owned(), words)));
        });
    }

    /// The server's address; `None` if there is no network. Stores with the same server and session show the same thing.
    pub fn server(&self) -> RwSignal<Option<String>> {
        self.inner(|inner| inner.server).unwrap_or_default()
    }

    /// Whether the server takes messages and calls for the session.
    pub fn steering(&self) -> RwSignal<bool> {
        self.inner(|inner| inner.steering).unwrap_or_default()
    }

    /// In what form the host at `answer-url` takes messages; `None` where a server is asked what it takes.
    pub fn host(&self) -> RwSignal<Option<Protocol>> {
        self.inner(|inner| inner.host).unwrap_or_default()
    }

    /// The row of the message that the reader wants to rewind to.
    pub fn rewinding(&self) -> RwSignal<Option<usize>> {
        self.inner(|inner| inner.rewinding).unwrap_or_default()
    }

    /// What the host's page adds to the views.
    pub fn host_options(&self) -> HostOptions {
        self.inner(|inner| inner.host_options).unwrap_or_default()
    }

    /// Sets the callback that sends calls.
    pub fn on_call(&self, calling: impl Fn(&str, Value) -> Option<CallOutcome> + 'static) {
        self.inner(|inner| inner.calling.replace(Some(Rc::new(calling))));
    }

    /// Sends the server a request other than an answer: `method` is the runtime's, `params` come without the
    /// session's id. It is sent or refused before this returns. `None` where nothing sends calls, and where the
    /// host's page has said that it makes this call itself.
    pub fn call(&self, method: &str, params: Value) -> Option<CallOutcome> {
        let calling = self.inner(|inner| inner.calling.borrow().clone()).flatten()?;
        calling(method, params)
    }

    /// Sets the callback that sends answers: a new one, or for `None` the same as before.
    pub fn on_answer(&self, answering: impl Fn(&str, Option<Prepared>) + 'static) {
        self.inner(|inner| inner.answering.replace(Some(Rc::new(answering))));
    }

    /// Sets the callback that changes the session.
    pub fn on_session_update(&self, updating: impl Fn(SessionUpdate) + 'static) {
        self.inner(|inner| inner.updating.replace(Some(Rc::new(updating))));
    }

    /// Changes the session by what a person did here, and shows it at once.
    pub fn update_session(&self, update: impl FnOnce(&mut Session) + 'static) {
        let updating = self.inner(|inner| inner.updating.borrow().clone()).flatten();
        if let Some(updating) = updating {
            updating(Box::new(update));
        }
    }

    /// Tries the connection again at once.
    pub fn retry(&self) {
        let retrying = self.inner(|inner| inner.retrying.borrow().clone()).flatten();
        if let Some(retrying) = retrying {
            retrying();
        }
    }

    /// Sets the callback that retries the connection.
    pub fn on_retry(&self, retrying: impl Fn() + 'static) {
        self.inner(|inner| inner.retrying.replace(Some(Rc::new(retrying))));
    }
}

fn bump(signal: RwSignal<u32>) {
    signal.update(|n| *n = n.wrapping_add(1));
}
