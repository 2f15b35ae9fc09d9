//! Drives one session on a page: it gives the client its inputs, carries out its effects, and commits what changed once
//! in an animation frame.

pub mod board;
mod input_chunk;
mod intake;
pub mod js_memory;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use leptos::prelude::{Set, Update, untrack};
use serde_json::Value;

use super::drafts::Drafts;
use super::effect_queue::EffectQueue;
use super::next_frame::NextFrame;
use super::page;
use super::pending::Pending;
use super::storage::TAB;
use super::timers::Timers;
use super::transport::{HostParts, Transport, now, seed};
use crate::core::Session;
use crate::core::client::connection;
use crate::core::client::{Client, Effect, Input, Timer, is_read};
use crate::core::connection::Attributes;
use crate::core::i18n::words::requests;
use crate::core::model::answer::Prepared;
use crate::core::model::change::{Change, Section};
use crate::store::{CallOutcome, SessionActions, SessionUpdate, SharedSession, Store};

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
    intake: intake::Intake,
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
                        controller.commit();
                    }
                }),
                closed: Cell::new(false),
                intake: intake::Intake::default(),
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

    /// Passes everything that changed to the store and the host, in one batch.
    fn commit(self: &Rc<Self>) {
        if self.is_stopped() {
            return;
        }
        self.intake.frame_began();
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
        let reading = self.intake.is_busy();
        if !reading {
            self.set_reading(false);
        }
        self.update(Input::Committed { changes: &changes, reading });
    }

    /// Whether everything is read, and the client has not been notified of that.
    fn has_unhandled_changes(&self) -> bool {
        self.client.borrow().has_unhandled_changes() && !self.intake.is_busy()
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
            Effect::Health(report) => self.store.health.set(report),
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
}
