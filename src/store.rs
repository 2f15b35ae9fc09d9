//! What views subscribe to: two signals for each entry on screen, and one for each section of the state.
//! Views read the state itself; nothing of it is copied.

pub mod board;
pub mod entry_handle;
mod history;
pub mod host_options;
pub mod lens_view;
pub mod printing;
mod rows;
pub mod scroll_sync;
pub mod view_state;

use std::cell::RefCell;
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;

use crate::core::client::card_drafts::CardDrafts;
use crate::core::client::connection::HttpNews;
use crate::core::connection::{ConnectionState, Protocol};
use crate::core::model::agents;
use crate::core::model::answer;
use crate::core::model::answer::{Answer, Prepared};
use crate::core::model::machines::AwayMachine;
use crate::core::model::state::{Change, Section};
use crate::core::model::watchers::Watcher;
use crate::core::protocol::call::CallFailure;
use crate::core::{Entry, Session, State};
use host_options::HostOptions;
use rows::RowsData;
use view_state::ViewState;

pub use entry_handle::EntryHandle;
pub use history::History;
pub use rows::TimelineRows;

/// A session that is shared with those who feed it.
pub type SharedSession = Rc<RefCell<Session>>;
/// The result of a call, or why there is none.
pub type CallResult = Result<Value, CallFailure>;
/// What becomes of a call.
pub type CallOutcome = Pin<Box<dyn Future<Output = CallResult>>>;
/// A change of the session by what a person did here.
pub type SessionUpdate = Box<dyn FnOnce(&mut Session)>;

/// Takes the news of an HTTP exchange.
pub type HttpReceiver = Box<dyn Fn(HttpNews<'_>)>;
/// The callback for every batch of changes.
type OnChanges = Rc<dyn Fn(&[Change])>;

/// What carries out what people do in a session.
pub trait SessionActions {
    /// Sends an answer: a new one, or for `None` the same as before.
    fn answer(&self, request_id: &str, answer: Option<Prepared>);
    /// Sends a call; `None` if the host's page makes it itself.
    fn call(&self, method: &str, params: Value) -> Option<CallOutcome>;
    /// Changes the session, and shows it.
    fn update_session(&self, update: SessionUpdate);
    /// Tries the connection again at once.
    fn retry(&self);
    /// Fetches every event of the server's log.
    fn fetch_whole_log(&self, take: HttpReceiver);
}

/// The signals of one entry on screen. The numbers only show that something changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowSignals {
    /// Changes when the text does.
    pub(crate) text: RwSignal<u32>,
    /// Changes when anything else of the entry does.
    pub(crate) head: RwSignal<u32>,
}

/// What the server takes. One for each store; views copy it.
#[derive(Debug, Clone, Copy, Default)]
pub struct ServerSignals {
    /// Its address; `None` if there is no network. Stores with the same server and session show the same thing.
    pub address: RwSignal<Option<String>>,
    /// Whether it takes messages and calls for the session.
    pub steering: RwSignal<bool>,
    /// In what form the host at `answer-url` takes messages; `None` where a server is asked what it takes.
    pub protocol: RwSignal<Option<Protocol>>,
    /// Who the session's agent is and what it offers, as the server answers (`model::agents`); none while that is not known.
    pub agent: RwSignal<Option<Value>>,
    /// It lets this client only look.
    pub viewer: RwSignal<bool>,
    /// A token was tried, and only the next connection can show whether it is right.
    pub tried: RwSignal<bool>,
}

impl ServerSignals {
    /// Whether the session's agent is known to lack a method. Subscribes.
    pub fn agent_lacks(self, method: &str) -> bool {
        self.agent.with(|about| about.as_ref().is_some_and(|about| !agents::offers(about, method)))
    }
}

#[derive(Default)]
struct StoreData {
    session: SharedSession,
    history: history::HistoryData,
    rows: RowsData,
    sections: [RwSignal<u32>; Section::ALL.len()],
    input: RwSignal<u32>,
    entries: RefCell<HashMap<usize, Vec<RowSignals>>>,
    drafts: RefCell<CardDrafts>,
    actions: RefCell<Option<Rc<dyn SessionActions>>>,
    on_change: RefCell<Option<OnChanges>>,
    server: ServerSignals,
    watchers: RwSignal<Vec<Watcher>>,
    away: RwSignal<Option<AwayMachine>>,
    rewinding: RwSignal<Option<usize>>,
    resending: RwSignal<Option<(usize, bool)>>,
    host_options: HostOptions,
}

/// A handle that views copy freely.
#[derive(Clone, Copy)]
pub struct Store {
    data: StoredValue<Rc<StoreData>, LocalStorage>,
    /// Number of entries.
    pub length: RwSignal<usize>,
    /// The connection's state, and what people should know about it.
    pub connection: RwSignal<(ConnectionState, Option<String>)>,
    /// The gateway's report about itself: what is wrong there, if anything is.
    pub health: RwSignal<Option<Value>>,
    /// Nothing can be answered here: the host wants it so, or the server takes nothing from a viewer.
    pub readonly: Memo<bool>,
    /// What went wrong with answers: request ids, each with a text.
    pub trouble: RwSignal<Vec<(String, String)>>,
    /// False until the first event. A session of the platform has begun at once: there a person speaks first.
    pub begun: RwSignal<bool>,
    /// Input waits to be read. Nothing can be answered meanwhile, because that input may have settled it.
    pub reading: RwSignal<bool>,
    /// What the reader has open beside the timeline.
    pub view_state: ViewState,
    /// The server's newest position, and the one reached, while catching up.
    pub progress: RwSignal<(u64, u64)>,
}

impl Store {
    /// A store over a session. Must be made inside a reactive owner.
    pub fn new(session: SharedSession) -> Self {
        let data = StoreData { session, ..StoreData::default() };
        let (host, server) = (data.host_options, data.server);
        Self {
            data: StoredValue::new_local(Rc::new(data)),
            length: RwSignal::new(0),
            connection: RwSignal::new((ConnectionState::Connecting { attempt: 1 }, None)),
            health: RwSignal::new(None),
            readonly: Memo::new(move |_| host.readonly.get() || server.viewer.get()),
            trouble: RwSignal::new(Vec::new()),
            begun: RwSignal::new(false),
            reading: RwSignal::new(false),
            view_state: ViewState::default(),
            progress: RwSignal::new((0, 0)),
        }
    }

    fn data<R>(&self, read: impl FnOnce(&StoreData) -> R) -> Option<R> {
        self.data.try_with_value(|data| read(data))
    }

    /// Reads the state without subscribing.
    pub fn read<R>(&self, read: impl FnOnce(&State) -> R) -> Option<R> {
        self.data(|data| data.read_shown(read)).flatten()
    }

    /// Reads the state and subscribes to a section of it.
    pub fn section<R>(&self, section: Section, read: impl FnOnce(&State) -> R) -> Option<R> {
        if let Some(signal) = self.signal(section) {
            signal.track();
        }
        self.read(read)
    }

    fn signal(&self, section: Section) -> Option<RwSignal<u32>> {
        self.data(|data| data.sections.get(section as usize).copied()).flatten()
    }

    /// Reads an entry without subscribing.
    pub fn entry<R>(&self, index: usize, read: impl FnOnce(&Entry) -> R) -> Option<R> {
        self.read(|state| state.entry(index).map(read)).flatten()
    }

    /// Subscribes the current owner to an entry, as long as that owner lives.
    pub fn handle(&self, index: usize) -> EntryHandle {
        let row = RowSignals { text: RwSignal::new(0), head: RwSignal::new(0) };
        self.data(|data| data.entries.borrow_mut().entry(index).or_default().push(row));
        let store = *self;
        on_cleanup(move || {
            store.data(|data| {
                let mut entries = data.entries.borrow_mut();
                if let Some(rows) = entries.get_mut(&index) {
                    rows.retain(|other| *other != row);
                    if rows.is_empty() {
                        entries.remove(&index);
                    }
                }
            });
        });
        EntryHandle { store, index, row }
    }

    /// The ids of the requests that wait for a person, the oldest first. Subscribes.
    pub fn open_requests(&self) -> Vec<String> {
        let ids = |state: &State| {
            let open = state.open_requests.iter().filter_map(|place| state.entry(*place));
            open.map(|entry| entry.id.clone()).collect()
        };
        self.section(Section::Pending, ids).unwrap_or_default()
    }

    /// Reads the live session's state, whatever is shown; subscribes to it.
    pub fn live<R>(&self, read: impl FnOnce(&State) -> R) -> Option<R> {
        self.track_input();
        self.data(|data| read(data.session.borrow().state()))
    }

    /// The live session, whatever is shown.
    pub fn live_session(&self) -> Option<SharedSession> {
        self.data(|data| data.session.clone())
    }

    /// Subscribes to input that arrives, shown or not.
    pub fn track_input(&self) {
        if let Some(input) = self.data(|data| data.input) {
            input.track();
        }
    }

    /// Which rows of the timeline are shown.
    pub fn rows(&self) -> TimelineRows<'_> {
        TimelineRows(self)
    }

    /// Which session is shown, and from when.
    pub fn history(&self) -> History<'_> {
        History(self)
    }

    /// Works with what people type into the cards of requests, and the live session's id and state.
    pub(crate) fn with_card_drafts<R>(
        &self,
        work: impl FnOnce(&mut CardDrafts, &str, &State) -> R,
    ) -> Option<R> {
        self.data(|data| {
            let live = data.session.borrow();
            let session = live.state().info.id.as_deref().unwrap_or_default();
            work(&mut data.drafts.borrow_mut(), session, live.state())
        })
    }

    /// What the server takes.
    pub fn server(&self) -> ServerSignals {
        self.data(|data| data.server).unwrap_or_default()
    }

    /// Who else watches the session now.
    pub fn watchers(&self) -> RwSignal<Vec<Watcher>> {
        self.data(|data| data.watchers).unwrap_or_default()
    }

    /// The session's machine, if it can't be reached.
    pub fn away(&self) -> RwSignal<Option<AwayMachine>> {
        self.data(|data| data.away).unwrap_or_default()
    }

    /// Another server.
    pub(crate) fn set_server(
        &self,
        address: Option<String>,
        protocol: Option<Protocol>,
        steering: Option<bool>,
    ) {
        let server = self.server();
        server.address.set(address);
        server.protocol.set(protocol);
        if let Some(steering) = steering {
            server.steering.set(steering);
        }
        if protocol == Some(Protocol::Platform) {
            self.begun.set(true);
        }
    }

    /// What the host's page adds to the views.
    pub fn host_options(&self) -> HostOptions {
        self.data(|data| data.host_options).unwrap_or_default()
    }

    /// The row of the message that the reader wants to rewind to.
    pub fn rewinding(&self) -> RwSignal<Option<usize>> {
        self.data(|data| data.rewinding).unwrap_or_default()
    }

    /// The row of the message that the reader sends again, and whether the composer has taken it.
    pub fn resending(&self) -> RwSignal<Option<(usize, bool)>> {
        self.data(|data| data.resending).unwrap_or_default()
    }

    /// Nothing can be answered here: the session is read-only, or what is shown is not live. Subscribes.
    pub fn cannot_answer(&self) -> bool {
        let elsewhere = self.history().is_not_live();
        self.readonly.get() || elsewhere
    }

    /// Whether nothing would take an answer: there is no connection, or the session's machine is away. Subscribes.
    pub fn is_cut_off(&self) -> bool {
        self.is_disconnected() || self.away().with(Option::is_some)
    }

    /// Whether there is no connection that would take an answer; subscribes.
    pub fn is_disconnected(&self) -> bool {
        let replies = self.server().protocol.get() == Some(Protocol::Platform);
        self.connection.with(|(state, _)| !state.takes_answers(replies))
    }

    /// Sends a person's answer.
    pub fn answer(&self, request_id: &str, answer: &Answer) {
        let prepared = self.read(|state| {
            let request = state.entry(state.request_place(request_id)?)?.request()?;
            Some(answer::prepare(request, answer))
        });
        if let (Some(actions), Some(prepared)) = (self.actions(), prepared.flatten()) {
            actions.answer(request_id, Some(prepared));
        }
    }

    /// Gives the same answer as before again, where nothing shows whether it arrived.
    pub fn answer_again(&self, request_id: &str) {
        if let Some(actions) = self.actions() {
            actions.answer(request_id, None);
        }
    }

    /// Sends the server a request other than an answer: `method` is the runtime's, `params` come without the
    /// session's id. It is sent or refused before this returns. `None` where nothing sends calls, and where the
    /// host's page makes this call itself.
    pub fn call(&self, method: &str, params: Value) -> Option<CallOutcome> {
        self.actions()?.call(method, params)
    }

    /// Changes the session by what a person did here, and shows it at once.
    pub fn update_session(&self, update: impl FnOnce(&mut Session) + 'static) {
        if let Some(actions) = self.actions() {
            actions.update_session(Box::new(update));
        }
    }

    /// Tries the connection again at once.
    pub fn retry(&self) {
        if let Some(actions) = self.actions() {
            actions.retry();
        }
    }

    /// Fetches every event of the server's log.
    pub(crate) fn fetch_whole_log(&self, take: impl Fn(HttpNews<'_>) + 'static) {
        if let Some(actions) = self.actions() {
            actions.fetch_whole_log(Box::new(take));
        }
    }

    fn actions(&self) -> Option<Rc<dyn SessionActions>> {
        self.data(|data| data.actions.borrow().clone()).flatten()
    }

    /// Sets what carries out what people do.
    pub(crate) fn set_actions(&self, actions: Rc<dyn SessionActions>) {
        self.data(|data| data.actions.replace(Some(actions)));
    }

    /// Sets the callback for every batch of changes.
    pub fn on_change(&self, on_change: Option<OnChanges>) {
        self.data(|data| data.on_change.replace(on_change));
    }

    /// Takes a batch of the live session's changes, and shows them if that session is shown.
    pub(crate) fn commit(&self, changes: &[Change]) {
        if changes.contains(&Change::Renewed) {
            self.restart();
        } else if !untrack(|| self.history().is_not_live()) {
            self.show(changes);
        }
        self.input_arrived();
    }

    fn input_arrived(&self) {
        if let Some(input) = self.data(|data| data.input) {
            bump(input);
        }
    }

    /// The signals of every view of an entry.
    fn rows_of(&self, index: usize) -> Vec<RowSignals> {
        self.data(|data| data.entries.borrow().get(&index).cloned()).flatten().unwrap_or_default()
    }

    /// Notifies the views of an entry that anything but its text has changed.
    fn head_changed(&self, index: usize) {
        for row in self.rows_of(index) {
            bump(row.head);
        }
    }

    /// Notifies the views of what a batch changed.
    fn show(&self, changes: &[Change]) {
        let mut added = false;
        self.rows().follow(changes);
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
        let on_change = self.data(|data| data.on_change.borrow().clone()).flatten();
        if let Some(on_change) = on_change {
            on_change(changes);
        }
    }
}

fn bump(signal: RwSignal<u32>) {
    signal.update(|n| *n = n.wrapping_add(1));
}
