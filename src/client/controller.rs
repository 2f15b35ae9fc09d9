//! Drives one session on a page: it gives the client its inputs, carries out its effects, and commits what changed once
//! in an animation frame. Input that the page hands over is read when the core's intake says; large input in slices, so that
//! the page stays responsive.

pub mod board;
mod input_chunk;
pub mod js_memory;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::{GetUntracked, Set, Update, untrack};
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::drafts::Drafts;
use super::effect_queue::EffectQueue;
use super::next_frame::NextFrame;
use super::page;
use super::pending::Pending;
use super::storage::TAB;
use super::timers::Timers;
use super::transport::{HostParts, Transport, now, seed};
use super::yield_to_browser;
use crate::core::Session;
use crate::core::client::connection::HttpNews;
use crate::core::client::intake::{Intake, Next};
use crate::core::client::{Client, Effect, Input, Timer, connection, is_read};
use crate::core::connection::Attributes;
use crate::core::i18n::words::requests;
use crate::core::model::answer::Prepared;
use crate::core::model::health;
use crate::core::model::state::{Change, Section};
use crate::store::{CallOutcome, HttpReceiver, SessionActions, SessionUpdate, SharedSession, Store};
use input_chunk::{InputChunk, Whole};

/// The buffer for pieces stays between calls only up to this size.
const LARGEST_REUSED_BUFFER: usize = 16 << 10;
/// Memory reserved before a slice: growing it by 64 KiB at a time, as the allocator does,
/// takes longer than the reading.
const RESERVED: usize = 4 << 20;

/// Callbacks to the element's host, which may also take over some of the steps.
pub trait Host {
    /// A batch of changes was committed.
    fn committed(&self, _changes: &[Change]) {}
    /// A request waits for a person. Returns true if a program of the host takes it.
    fn request_opened(&self, _request: &Value) -> bool {
        false
    }
    /// An answer is about to be sent. Returns true if the host sends it itself.
    fn answering(&self, _method: &str, _params: &Value) -> bool {
        false
    }
    /// A person is about to change something by a call other than an answer. Returns true if the host makes the
    /// call itself, or wants none.
    fn calling(&self, _method: &str, _params: &Value) -> bool {
        false
    }
    /// What became of such a call, or of an answer: the server's result, or why it failed.
    fn called(&self, _method: &str, _params: &Value, _outcome: Result<&Value, String>) {}
    /// The session's status word changed.
    fn status(&self, _word: &str) {}
    /// The word for the connection's state changed.
    fn connection(&self, _word: &str) {}
    /// The gateway's list of sessions, where none was named. True if the host shows something else.
    fn listed(&self, _sessions: &Value) -> bool {
        false
    }
    /// Whether the server lets this client only look.
    fn role(&self, _viewer: bool) {}
    /// Whether input has arrived that has not been read yet.
    fn reading(&self, _reading: bool) {}
    /// An event for the host's own telemetry.
    fn telemetry(&self, _event: &Value) {}
    /// An error that a developer should know about.
    fn error(&self, message: &str);
}

/// Has a board's connection carry a request of a controller: its ticket, its method and its parameters. What became of it is
/// an input.
pub type Relay = Rc<dyn Fn(&Rc<Controller>, u64, &str, Value)>;

/// One session and its connection to the server.
pub struct Controller {
    /// The number of its client on the page.
    number: u32,
    session: SharedSession,
    client: RefCell<Client>,
    effects: EffectQueue<Effect>,
    store: Store,
    host: Box<dyn Host>,
    transport: Rc<Transport>,
    /// What carries the requests where the session has no connection of its own.
    relay: RefCell<Option<Relay>>,
    pending: Pending,
    timers: Rc<Timers<Timer>>,
    next_frame: Rc<NextFrame>,
    /// Nobody sees what comes any more.
    closed: Cell<bool>,
    unread: UnreadInput,
}

/// Input that has arrived and waits to be read.
#[derive(Default)]
struct UnreadInput {
    policy: RefCell<Intake>,
    waiting: RefCell<VecDeque<InputChunk>>,
    /// The buffer for the piece being read. It is reused because it then stays in the processor's cache and
    /// leaves no holes between what is stored for long.
    buffer: RefCell<Vec<u8>>,
    running: Cell<bool>,
}

impl UnreadInput {
    /// True while input waits to be read.
    fn is_busy(&self) -> bool {
        self.policy.borrow().is_busy()
    }

    /// A new frame begins.
    fn frame_began(&self) {
        self.policy.borrow_mut().frame_began();
    }

    fn next(&self) -> Next {
        self.policy.borrow_mut().next(yield_to_browser::now())
    }

    /// Reserves memory and frees it at once: the allocator keeps it in one piece. Input that
    /// waits in small amounts needs none, since its own data would lie between two reservations
    /// and each would take new memory.
    fn make_room(&self) {
        if self.policy.borrow().waiting() as usize > RESERVED {
            let mut room = Vec::<u8>::new();
            // If there is no more memory, the code that needs it reports that.
            let _ = room.try_reserve_exact(RESERVED);
            std::hint::black_box(&room);
        }
    }
}

impl Controller {
    /// Creates a controller without a connection.
    pub fn new(session: SharedSession, store: Store, host: Box<dyn Host>) -> Rc<Self> {
        let controller = Rc::new_cyclic(|weak: &Weak<Self>| {
            let [member, connecting, committing] = std::array::from_fn(|_| Weak::clone(weak));
            let number = page::register(move |news| {
                if let Some(controller) = member.upgrade() {
                    controller.update(Input::News(news));
                }
            });
            Self {
                number,
                session,
                client: RefCell::new(Client::new(number)),
                effects: EffectQueue::new(),
                store,
                host,
                transport: Transport::new(Rc::new(move |input| {
                    if let Some(controller) = connecting.upgrade() {
                        controller.update(Input::Connection(input));
                    }
                })),
                relay: RefCell::default(),
                pending: Pending::default(),
                timers: Timers::new(),
                next_frame: NextFrame::new(move || {
                    if let Some(controller) = committing.upgrade().filter(|controller| controller.has_work())
                    {
                        controller.commit_in_frame();
                    }
                }),
                closed: Cell::new(false),
                unread: UnreadInput::default(),
            }
        });
        store.set_actions(Rc::new(Rc::downgrade(&controller)));
        controller
    }

    /// Connects as these attributes say, with what the page brings, and replaces any earlier connection. Another source or
    /// session begins anew.
    pub fn connect(self: &Rc<Self>, attributes: &Attributes<'_>, parts: HostParts) {
        if self.is_stopped() {
            return;
        }
        self.closed.set(false);
        let other_transport = self.transport.is_replaced(&parts);
        if self.client.borrow().begins_anew(attributes, other_transport) {
            self.forget_unread();
        }
        self.update(Input::Connect { attributes, other_transport, seed: seed() });
        self.transport.start(parts);
    }

    /// Sends answers and calls over the connection of a board, which feeds the open requests.
    pub fn attach(self: &Rc<Self>, relay: Relay, session: &str, address: Option<String>) {
        self.relay.replace(Some(relay));
        self.update(Input::Attach { address, session });
    }

    /// Closes the connection for good. Answers that are under way by posts are waited for.
    pub fn close(self: &Rc<Self>) {
        if self.is_stopped() {
            self.closed.set(true);
            return self.transport.abandon();
        }
        self.forget_unread();
        self.update(Input::Close);
        self.closed.set(true);
        self.transport.stop(Rc::clone(self) as Rc<dyn std::any::Any>);
        self.next_frame.stop();
    }

    /// Feeds input to the session and shows the result with the next frame.
    pub fn feed<R>(self: &Rc<Self>, take: impl FnOnce(&mut Session) -> R) -> R {
        self.read_all();
        let taken = take(&mut self.session.borrow_mut());
        self.schedule();
        taken
    }

    /// Whether there is something to render or to notify somebody about.
    fn has_work(&self) -> bool {
        !self.is_stopped() && (self.session.borrow().changed() || self.has_unhandled_changes())
    }

    fn schedule(&self) {
        if !self.closed.get() && self.has_work() {
            self.next_frame.request();
        }
    }

    fn commit_in_frame(self: &Rc<Self>) {
        let reads_history_at = self.client.borrow().reads_history().then(yield_to_browser::now);
        if self.unread.policy.borrow_mut().shows_in_frame(reads_history_at) {
            return self.commit();
        }
        // In a hidden tab this frame does not come.
        self.next_frame.cancel();
        self.next_frame.request();
    }

    /// Passes everything that changed to the store and the host, in one batch.
    fn commit(self: &Rc<Self>) {
        if self.is_stopped() {
            return;
        }
        self.unread.frame_began();
        self.next_frame.cancel();
        let changes = self.session.borrow_mut().take_changes();
        if !changes.is_empty() {
            self.store.commit(&changes);
            if changes.contains(&Change::Section(Section::Pending)) {
                Drafts(self.store).forget_old();
            }
            self.host.committed(&changes);
        } else if !self.has_unhandled_changes() {
            return;
        }
        let reading = self.unread.is_busy();
        if !reading {
            self.set_reading(false);
        }
        self.update(Input::Committed { changes: &changes, reading });
    }

    /// Whether everything is read, and the client has not been notified of that.
    fn has_unhandled_changes(&self) -> bool {
        self.client.borrow().has_unhandled_changes() && !self.unread.is_busy()
    }

    /// Takes the answer of a host's own program: the params of the request's method, without `sessionId` and
    /// `requestId`. Returns false if no request with this id is open, or `params` is not an object.
    pub fn answer_of_host(self: &Rc<Self>, request: &str, params: Value) -> bool {
        let Value::Object(params) = params else { return false };
        self.read_all();
        let answer = Prepared::plain(params, requests::BY_PROGRAM);
        let takes = page::with(|page| {
            self.client.borrow().takes_answer(request, &answer, &self.session.borrow(), page)
        });
        self.update(Input::Answer { request, answer: Some(answer), of_host: true });
        takes
    }

    /// Gives the client an input, and carries out what comes of it. Inputs that come meanwhile wait for their turn with
    /// what comes of them.
    pub(super) fn update(self: &Rc<Self>, input: Input<'_>) {
        if self.is_stopped() {
            return;
        }
        if input.changes_session() {
            self.read_all();
        }
        let effects = page::with(|page| {
            self.client.borrow_mut().update(now(), input, &mut self.session.borrow_mut(), page)
        });
        self.schedule();
        self.effects.carry_out(effects, |effect| self.carry_out(effect));
    }

    /// The number of its client on the page.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Whether a fault of the program has stopped it in the middle of its work: then it takes nothing any more.
    pub fn is_stopped(&self) -> bool {
        self.client.try_borrow_mut().is_err() || self.session.try_borrow_mut().is_err()
    }

    fn carry_out(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::Browser(effect) => self.transport.carry_out(effect),
            Effect::Relay { ticket, method, params } => {
                let relay = self.relay.borrow().clone();
                if let Some(relay) = relay {
                    relay(self, ticket, &method, params);
                }
            }
            Effect::SetTimer(timer, delay_ms) => self.set_timer(timer, delay_ms),
            Effect::DropTimer(timer) => self.timers.cancel(timer),
            Effect::Tell(number, news) => page::send_news(number, news),
            Effect::Resolve(caller, outcome) => self.pending.resolve(caller, outcome),
            Effect::Recall(name) => self.update(Input::Recalled(TAB.get(&name))),
            Effect::Keep(name, Some(text)) => TAB.set(&name, &text),
            Effect::Keep(name, None) => TAB.remove(&name),
            // The others are for views and the host.
            _ if self.closed.get() => {}
            Effect::Commit => self.commit(),
            Effect::Connection(state, message) => {
                self.host.connection(state.word());
                self.store.connection.set((state, message));
            }
            Effect::Listed(sessions) => {
                if !self.host.listed(&sessions) {
                    self.update(Input::Connection(connection::Input::ShowFirst));
                }
            }
            Effect::Server { address, protocol, steering } => {
                self.store.set_server(address, protocol, steering);
            }
            Effect::Role { viewer } => {
                self.store.server().viewer.set(viewer);
                self.host.role(viewer);
            }
            Effect::Health(report) => {
                self.store.away.set(report.as_ref().and_then(health::away));
                self.store.health.set(report);
            }
            Effect::Watchers(watchers) => self.store.watchers().set(watchers),
            Effect::Error(message) => self.host.error(&message),
            Effect::Progress(newest, reached) => self.store.progress.set((newest, reached)),
            Effect::Trouble(request, words) => self.store.trouble.update(|all| {
                all.retain(|(id, _)| *id != request);
                all.extend(words.map(|words| (request, words)));
            }),
            Effect::Status(word) => self.host.status(word),
            Effect::OfferRequest(id, request) => {
                if self.host.request_opened(&request) {
                    self.store.view_state.host_requests.update(|taken| taken.push(id));
                }
            }
            Effect::OfferAnswer { request, method, params } => {
                let is_taken_over = self.host.answering(method, &params);
                self.update(Input::HostTook(&request, is_taken_over));
            }
            Effect::Called { method, params, outcome } => {
                self.host.called(&method, &params, outcome.as_ref().map_err(Clone::clone));
            }
            Effect::Telemetry(event) => self.host.telemetry(&event),
        }
    }

    fn set_timer(self: &Rc<Self>, timer: Timer, delay_ms: u32) {
        let weak = Rc::downgrade(self);
        self.timers.set(timer, delay_ms.into(), move || {
            if let Some(controller) = weak.upgrade() {
                controller.update(Input::Timer(timer));
            }
        });
    }
}

impl Controller {
    /// Takes a chunk of a stream; `whole` feeds an object that is itself a record. Returns the records
    /// accepted, which are none yet for input that is read in slices.
    pub fn take(self: &Rc<Self>, chunk: &JsValue, whole: Whole) -> usize {
        let unread = &self.unread;
        let mut chunk = InputChunk::of(chunk, whole);
        let first = !unread.is_busy();
        if unread.policy.borrow_mut().takes_at_once(chunk.length()) {
            return self.feed(|session| {
                let mut records = 0;
                let mut buffer = unread.buffer.take();
                while let Some((_, more)) = chunk.feed(session, &mut buffer) {
                    records += more;
                }
                if buffer.len() <= LARGEST_REUSED_BUFFER {
                    unread.buffer.replace(buffer);
                }
                records
            });
        }
        unread.waiting.borrow_mut().push_back(chunk);
        if first {
            self.set_reading(true);
        }
        if !unread.running.replace(true) {
            unread.policy.borrow_mut().began(yield_to_browser::now());
            let weak = Rc::downgrade(self);
            spawn_local(async move {
                // The caller may have created the element just now, which is enough work for one task.
                TimeoutFuture::new(0).await;
                while weak.upgrade().is_some_and(|controller| controller.slice()) {
                    yield_to_browser::next().await;
                }
            });
        }
        0
    }

    /// Reads for one slice of time; true if there is more.
    fn slice(self: &Rc<Self>) -> bool {
        if self.is_stopped() {
            return false;
        }
        self.unread.policy.borrow_mut().slice_began(yield_to_browser::now());
        self.unread.make_room();
        loop {
            match self.unread.next() {
                Next::Piece => self.read_piece(),
                Next::Pause { show } => {
                    if show {
                        self.schedule();
                    }
                    return true;
                }
                Next::End => break,
            }
        }
        self.unread.running.set(false);
        self.unread.buffer.take();
        self.all_read();
        false
    }

    fn read_piece(&self) {
        let mut waiting = self.unread.waiting.borrow_mut();
        let mut session = self.session.borrow_mut();
        let fed = waiting
            .front_mut()
            .and_then(|first| first.feed(&mut session, &mut self.unread.buffer.borrow_mut()));
        if let Some(log) = session.log_mut() {
            log.compact_if_large();
        }
        let mut policy = self.unread.policy.borrow_mut();
        match fed {
            Some((length, _)) => policy.was_read(length),
            None => policy.chunk_ended(waiting.pop_front().map_or(0, |ended| ended.length())),
        }
    }

    /// Reads everything that waits, now: it is about to be looked at, or newer input must follow it.
    pub fn read_all(self: &Rc<Self>) {
        if self.unread.is_busy() {
            while self.unread.is_busy() {
                self.read_piece();
            }
            self.all_read();
        }
    }

    fn all_read(self: &Rc<Self>) {
        self.schedule();
        if !self.has_work() {
            self.set_reading(false);
        }
    }

    /// Drops the input that waits to be read.
    fn forget_unread(&self) {
        self.unread.waiting.borrow_mut().clear();
        self.unread.policy.borrow_mut().clear();
        self.set_reading(false);
    }

    fn set_reading(&self, reading: bool) {
        // The views may have gone before the controller.
        if reading || self.store.reading.try_get_untracked() == Some(true) {
            self.store.reading.set(reading);
            self.host.reading(reading);
        }
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        let client = self.client.get_mut();
        // A fault may have stopped the program while it worked on the session.
        let effects = self
            .session
            .try_borrow_mut()
            .map(|mut session| page::with(|page| client.update(now(), Input::Gone, &mut session, page)));
        for effect in effects.unwrap_or_default() {
            match effect {
                Effect::Tell(number, news) => page::send_news(number, news),
                Effect::Browser(effect) => self.transport.carry_out(effect),
                _ => {}
            }
        }
        page::unregister(self.number);
    }
}

impl SessionActions for Weak<Controller> {
    fn answer(&self, request: &str, answer: Option<Prepared>) {
        if let Some(controller) = self.upgrade()
            && !untrack(|| controller.store.cannot_answer())
        {
            controller.update(Input::Answer { request, answer, of_host: false });
        }
    }

    fn call(&self, method: &str, params: Value) -> Option<CallOutcome> {
        let Some(controller) = self.upgrade() else {
            return Some(Box::pin(std::future::pending())); // the element is gone, and so are its callers
        };
        if !is_read(method) && controller.host.calling(method, &params) {
            return None;
        }
        let (caller, outcome) = controller.pending.wait();
        controller.update(Input::Call { caller, method, params });
        Some(outcome)
    }

    fn update_session(&self, update: SessionUpdate) {
        if let Some(controller) = self.upgrade() {
            controller.feed(update);
            controller.commit();
        }
    }

    fn retry(&self) {
        if let Some(controller) = self.upgrade() {
            controller.update(Input::Connection(connection::Input::Retry));
        }
    }

    fn fetch_whole_log(&self, take: HttpReceiver) {
        let Some(controller) = self.upgrade() else { return };
        let request = controller.client.borrow().whole_log_request();
        match request {
            Some(request) => controller.transport.fetch_apart(&request, take),
            None => take(HttpNews::Broken),
        }
    }
}
