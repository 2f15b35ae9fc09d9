//! Drives one session on a page: it gives the client its inputs, carries out its effects, and commits what changed once
//! in an animation frame.

pub mod board;
mod input_chunk;
mod intake;
pub mod js_memory;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use gloo_timers::callback::Timeout;
use leptos::prelude::{Set, Update, untrack};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::page;
use super::pending::Pending;
use super::store::{CallOutcome, Store};
use super::transport::{HostParts, Link, Owner};
use crate::core::client::connection::{Frame, FrameResult, ReplyEnd, Report};
use crate::core::client::{Client, Effect, Input, Page, RequestError, Server, Timer, is_read};
use crate::core::connection::{ConnectionState, Protocol, Target};
use crate::core::i18n::words::requests;
use crate::core::model::answer::Prepared;
use crate::core::model::change::{Change, Section};
use crate::core::{Received, Session};
use board::BoardController;

/// Hidden tabs get no animation frames, so their state is committed at this interval, in milliseconds.
const HIDDEN_COMMIT: u32 = 250;

/// Callbacks to the element's host, which may also take over some of the steps.
pub trait Host {
    /// A batch of changes was committed.
    fn committed(&self, changes: &[Change]);
    /// A request waits for a person. Returns true if a program of the host takes it.
    fn request_opened(&self, request: &Value) -> bool;
    /// An answer is about to be sent. Returns true if the host sends it itself.
    fn answering(&self, method: &str, params: &Value) -> bool;
    /// A person is about to change something by a call other than an answer. Returns true if the host makes the
    /// call itself, or wants none.
    fn calling(&self, _method: &str, _params: &Value) -> bool {
        false
    }
    /// What became of such a call, or of an answer: the server's result, or why it failed.
    fn called(&self, _method: &str, _params: &Value, _outcome: Result<&Value, String>) {}
    /// The session's status word changed.
    fn status(&self, word: &str);
    /// The word for the connection's state changed.
    fn connection(&self, word: &str);
    /// The gateway's list of sessions, where none was named. True if the host shows something else.
    fn listed(&self, _sessions: &Value) -> bool {
        false
    }
    /// Whether the server lets this client only look.
    fn role(&self, viewer: bool);
    /// Whether input has arrived that has not been read yet.
    fn reading(&self, _reading: bool) {}
    /// An event for the host's own telemetry.
    fn telemetry(&self, event: &Value);
    /// An error that a developer should know about.
    fn error(&self, message: &str);
}

/// What carries a client's requests.
enum Carrier {
    Own(Link),
    /// The connection of a board.
    Board(Weak<BoardController>),
}

/// One session and its connection to the server.
pub struct Controller {
    session: Rc<RefCell<Session>>,
    client: RefCell<Client>,
    /// What the client wants done, in its order.
    effects: RefCell<VecDeque<Effect>>,
    /// The effects are being carried out.
    busy: Cell<bool>,
    store: Store,
    host: Box<dyn Host>,
    carrier: RefCell<Option<Carrier>>,
    pending: Pending,
    timers: RefCell<Vec<(Timer, Timeout)>>,
    frame: RefCell<Option<i32>>,
    timer: RefCell<Option<Timeout>>,
    /// The frame that was still pending when the timer fired.
    overdue: Cell<Option<i32>>,
    on_frame: RefCell<Option<Closure<dyn FnMut()>>>,
    /// Nobody sees what comes any more.
    closed: Cell<bool>,
    intake: intake::Intake,
}

impl Controller {
    /// Creates a driver without a connection.
    pub fn new(session: Rc<RefCell<Session>>, store: Store, host: Box<dyn Host>) -> Rc<Self> {
        let number = page::with(Page::join);
        let controller = Rc::new(Self {
            session,
            client: RefCell::new(Client::new(number)),
            effects: RefCell::default(),
            busy: Cell::new(false),
            store,
            host,
            carrier: RefCell::default(),
            pending: Pending::default(),
            timers: RefCell::default(),
            frame: RefCell::default(),
            timer: RefCell::default(),
            overdue: Cell::default(),
            on_frame: RefCell::default(),
            closed: Cell::new(false),
            intake: intake::Intake::default(),
        });
        page::enter(number, &controller);
        let weak = Rc::downgrade(&controller);
        let committing = weak.clone();
        let on_frame = Closure::<dyn FnMut()>::new(move || {
            if let Some(controller) = committing.upgrade() {
                controller.frame.replace(None);
                controller.commit();
            }
        });
        controller.on_frame.replace(Some(on_frame));
        let answering = weak.clone();
        store.on_answer(move |request, answer| {
            if let Some(controller) = answering.upgrade()
                && !untrack(|| controller.store.silent())
            {
                controller.update(Input::Answer { request, answer, of_host: false });
            }
        });
        let calling = weak.clone();
        store.on_call(move |method, params| {
            match calling.upgrade() {
                Some(controller) => controller.call(method, params),
                None => Some(Box::pin(std::future::pending())), // the element is gone, and so are its callers
            }
        });
        let updating = weak.clone();
        store.on_session_update(move |update| {
            if let Some(controller) = updating.upgrade() {
                controller.feed(update);
                controller.commit();
            }
        });
        store.on_retry(move || {
            if let Some(link) = weak.upgrade().and_then(|controller| controller.link()) {
                link.retry_now();
            }
        });
        controller
    }

    /// Connects to a target, with what the page brings, and replaces any earlier connection.
    pub fn connect(self: &Rc<Self>, target: Target, parts: HostParts) {
        self.carrier.replace(None);
        self.closed.set(false);
        self.store.server().set(target.server());
        self.store.host().set(target.protocol());
        if target.is_host() {
            // Such a host can't be asked whether it takes messages: only its `protocol` attribute says so.
            self.store.steering().set(target.protocol().is_some());
        }
        // On the platform nothing arrives before the user writes, so the session counts as begun.
        if target.protocol() == Some(Protocol::Platform) {
            self.store.begun.set(true);
        }
        self.update(Input::Connect(Server {
            address: target.server(),
            protocol: target.protocol(),
            is_host: target.is_host(),
            ..Server::default()
        }));
        let owner = Rc::new(LinkOwner(Rc::downgrade(self)));
        self.carrier.replace(Some(Carrier::Own(Link::connect(target, parts, owner))));
    }

    /// Sends answers and calls over the connection of a board, which feeds the open requests.
    pub fn attach(self: &Rc<Self>, board: Weak<BoardController>, session: &str, address: Option<String>) {
        self.carrier.replace(Some(Carrier::Board(board)));
        self.store.server().set(address.clone());
        let session = session.to_owned();
        self.update(Input::Connect(Server { address, session, requests_only: true, ..Server::default() }));
        self.update(Input::Connection(&ConnectionState::Open));
    }

    /// Shows why there can be no connection.
    pub fn cannot_connect(self: &Rc<Self>, state: ConnectionState, message: String) {
        self.connection_changed(state, Some(message));
    }

    /// Closes the connection for good. Answers that are under way by posts are waited for.
    pub fn close(self: &Rc<Self>) {
        self.forget_unread();
        self.update(Input::Close);
        self.closed.set(true);
        let carrier = self.carrier.take();
        if let Some(Carrier::Own(link)) = &carrier {
            link.keep(Rc::clone(self) as Rc<dyn std::any::Any>);
        }
        drop(carrier);
        self.timer.replace(None);
        if let (Some(frame), Some(window)) = (self.frame.take(), web_sys::window()) {
            // Fails only if the frame has run already, which does no harm.
            let _ = window.cancel_animation_frame(frame);
        }
    }

    /// Feeds input to the session and shows the result with the next frame.
    pub fn feed<R>(self: &Rc<Self>, take: impl FnOnce(&mut Session) -> R) -> R {
        self.read_all();
        let taken = take(&mut self.session.borrow_mut());
        self.schedule();
        taken
    }

    /// Whether there is something to render or to notify somebody about.
    fn due(&self) -> bool {
        self.session.borrow().changed() || self.intake.owes()
    }

    fn schedule(self: &Rc<Self>) {
        if self.frame.borrow().is_some() || self.closed.get() || !self.due() {
            return;
        }
        let Some(window) = web_sys::window() else {
            return;
        };
        if let Some(on_frame) = self.on_frame.borrow().as_ref() {
            self.frame.replace(window.request_animation_frame(on_frame.as_ref().unchecked_ref()).ok());
        }
        self.look_after_frames();
    }

    /// Uses one timer for many frames: setting and clearing one per frame costs more than
    /// reducing what comes in between.
    fn look_after_frames(self: &Rc<Self>) {
        if self.timer.borrow().is_some() {
            return;
        }
        let weak = Rc::downgrade(self);
        let timer = Timeout::new(HIDDEN_COMMIT, move || {
            let Some(controller) = weak.upgrade() else { return };
            controller.timer.replace(None);
            let waits = *controller.frame.borrow();
            let seen = !leptos::prelude::document().hidden();
            if waits.is_some() && seen && controller.overdue.replace(waits) != waits {
                controller.look_after_frames();
            } else if controller.due() {
                controller.commit();
            }
        });
        self.timer.replace(Some(timer));
    }

    /// Passes everything that changed to the store and the host, in one batch.
    fn commit(self: &Rc<Self>) {
        self.intake.frame();
        if let (Some(frame), Some(window)) = (self.frame.take(), web_sys::window()) {
            let _ = window.cancel_animation_frame(frame);
        }
        let changes = self.session.borrow_mut().take_changes();
        if !changes.is_empty() {
            self.store.commit(&changes);
            self.host.committed(&changes);
        } else if !self.intake.owes() {
            return;
        }
        let renewed = changes.contains(&Change::Renewed);
        let has = |section: Section| changes.contains(&Change::Section(section));
        let changed = self.read_up_to(has(Section::Pending), has(Section::Queue));
        self.update(Input::Committed { renewed, changed });
    }

    /// The connection, if it is this session's own. It is not borrowed, since what it reports may end or replace it.
    fn link(&self) -> Option<Link> {
        match &*self.carrier.borrow() {
            Some(Carrier::Own(link)) => Some(link.share()),
            _ => None,
        }
    }

    /// Takes the answer of a host's own program: the params of the request's method, without `sessionId` and
    /// `requestId`. Returns false if no request with this id is open, or `params` is no object.
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

    /// Sends a call that a view makes. If it changes something, the host hears of it before and after, and may make
    /// it itself: then this returns `None`.
    fn call(self: &Rc<Self>, method: &str, params: Value) -> Option<CallOutcome> {
        if !is_read(method) && self.host.calling(method, &params) {
            return None;
        }
        let (caller, outcome) = self.pending.wait();
        self.update(Input::Call { caller, method, params });
        Some(Box::pin(outcome))
    }

    /// Gives the client an input, and carries out what comes of it. Inputs that come meanwhile wait for their turn with
    /// what comes of them.
    pub(super) fn update(self: &Rc<Self>, input: Input<'_>) {
        if input.changes_session() {
            self.read_all();
        }
        let effects =
            page::with(|page| self.client.borrow_mut().update(input, &mut self.session.borrow_mut(), page));
        self.schedule();
        self.effects.borrow_mut().extend(effects);
        if self.busy.replace(true) {
            return;
        }
        loop {
            let Some(effect) = self.effects.borrow_mut().pop_front() else { break };
            self.carry_out(effect);
        }
        self.busy.set(false);
    }

    fn carry_out(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::Request { ticket, method, params } => self.request(ticket, &method, params),
            Effect::Converse { ticket, body } => match self.link() {
                Some(link) => link.converse(ticket, &body),
                None => self.unsent(ticket),
            },
            Effect::StopReplies => {
                if let Some(link) = self.link() {
                    link.stop_replies();
                }
            }
            Effect::Attend(on) => {
                if let Some(link) = self.link() {
                    link.attend(on);
                }
            }
            Effect::SetTimer(timer, delay_ms) => self.set_timer(timer, delay_ms),
            Effect::DropTimer(timer) => self.timers.borrow_mut().retain(|(set, _)| *set != timer),
            Effect::Tell(number, news) => page::tell(number, news),
            Effect::Resolve(caller, outcome) => self.pending.resolve(caller, outcome),
            effect if !self.closed.get() => self.show(effect),
            _ => {}
        }
    }

    /// Carries out an effect that views or the host see.
    fn show(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::Commit => self.commit(),
            Effect::Progress(newest, reached) => self.store.progress.set((newest, reached)),
            Effect::Trouble(request, words) => self.store.set_trouble(&request, words),
            Effect::Status(word) => self.host.status(word),
            Effect::OfferRequest(id, request) => {
                if self.host.request_opened(&request) {
                    self.store.view_state.taken.update(|taken| taken.push(id));
                }
            }
            Effect::OfferAnswer { request, method, params } => {
                let took = self.host.answering(method, &params);
                self.update(Input::HostTook(&request, took));
            }
            Effect::Called { method, params, outcome } => {
                self.host.called(&method, &params, outcome.as_ref().map_err(Clone::clone));
            }
            Effect::Telemetry(event) => self.host.telemetry(&event),
            _ => {}
        }
    }

    fn request(self: &Rc<Self>, ticket: u64, method: &str, params: Value) {
        let board = match &*self.carrier.borrow() {
            Some(Carrier::Board(board)) => board.upgrade(),
            _ => None,
        };
        match (self.link(), board) {
            (Some(link), _) => link.request(ticket, method, params),
            (None, Some(board)) => board.relay(self, ticket, method, params),
            (None, None) => self.unsent(ticket),
        }
    }

    fn unsent(self: &Rc<Self>, ticket: u64) {
        self.update(Input::Answered(ticket, Err(RequestError::NotConnected)));
    }

    fn set_timer(self: &Rc<Self>, timer: Timer, delay_ms: u32) {
        let weak = Rc::downgrade(self);
        let timeout = Timeout::new(delay_ms, move || {
            // Deferred, so that this timer is not dropped while it runs.
            spawn_local(async move {
                if let Some(controller) = weak.upgrade()
                    && controller.end_timer(timer)
                {
                    controller.update(Input::Timer(timer));
                }
            });
        });
        let mut timers = self.timers.borrow_mut();
        timers.retain(|(set, _)| *set != timer);
        timers.push((timer, timeout));
    }

    /// Forgets a timer that has run out. False if it is not set any more.
    fn end_timer(&self, timer: Timer) -> bool {
        let mut timers = self.timers.borrow_mut();
        let before = timers.len();
        timers.retain(|(set, _)| *set != timer);
        timers.len() < before
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        let client = self.client.get_mut();
        let effects = page::with(|page| client.update(Input::Gone, &mut self.session.borrow_mut(), page));
        for effect in effects {
            if let Effect::Tell(number, news) = effect {
                page::tell(number, news);
            }
        }
        page::leave(client.number());
    }
}

struct LinkOwner(Weak<Controller>);

impl Owner for LinkOwner {
    fn before_input(&self) {
        if let Some(controller) = self.0.upgrade() {
            controller.read_all();
        }
    }

    fn frame(&self, frame: Frame<'_>) -> FrameResult {
        let Some(controller) = self.0.upgrade() else {
            return FrameResult::default();
        };
        let received: Received = controller.feed(|session| match frame {
            Frame::Bytes(bytes) => session.push_frame_bytes(bytes),
            Frame::ServerSent { event, data, seq } => session.push_server_sent(event, data, seq),
        });
        if received.health.is_some() {
            controller.store.health.set(received.health);
        }
        FrameResult { last_seq: received.last_seq, responses: received.responses }
    }

    fn read_loosely(&self) {
        if let Some(controller) = self.0.upgrade() {
            controller.feed(Session::read_loosely);
        }
    }

    fn reply_began(&self, ticket: u64) {
        if let Some(controller) = self.0.upgrade() {
            controller.update(Input::ReplyBegan(ticket));
        }
    }

    fn reply_ended(&self, end: ReplyEnd) {
        if let Some(controller) = self.0.upgrade() {
            controller.update(Input::ReplyEnded(end));
        }
    }

    fn listed(&self, sessions: &Value) -> bool {
        self.0.upgrade().is_some_and(|controller| controller.host.listed(sessions))
    }

    fn report(&self, report: Report) {
        let Some(controller) = self.0.upgrade() else { return };
        match report {
            Report::Answered(ticket, outcome) => controller.update(Input::Answered(ticket, outcome)),
            Report::State(state, message) => controller.connection_changed(state, message),
            Report::Opened { session, from } => controller.update(Input::Opened(&session, from)),
            Report::Role { viewer } => controller.host.role(viewer),
            Report::Health(health) => controller.store.health.set(health),
            Report::Error(message) => controller.host.error(&message),
            Report::Listed(_) | Report::Fetched(..) => {}
        }
    }

    fn after_input(&self) {
        if let Some(controller) = self.0.upgrade() {
            controller.update(Input::Read);
        }
    }
}

impl Controller {
    fn connection_changed(self: &Rc<Self>, state: ConnectionState, message: Option<String>) {
        self.host.connection(state.word());
        if let ConnectionState::Closed { .. } = state
            && let Some(message) = &message
        {
            self.host.error(message);
        }
        self.store.connection.set((state.clone(), message));
        self.update(Input::Connection(&state));
    }
}
