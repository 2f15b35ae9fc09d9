//! Drives one session on a page: link, decode, reduce, store, with one commit per
//! animation frame. Sends answers back.

mod answers;
pub mod board;
mod commands;
mod grace;
mod in_flight;
mod input_chunk;
mod intake;
pub mod js_memory;
mod platform;
mod reconcile;
mod taken_answers;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::{Rc, Weak};

use gloo_timers::callback::Timeout;
use leptos::prelude::{GetUntracked, Set, Update};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::store::Store;
use super::transport::{Frame, HostParts, Link, Opened, Report, Sink};
use crate::core::connection::{ConnectionState, Protocol, Target};
use crate::core::model::change::{Change, Section};
use crate::core::{Received, Session};

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

/// One session and its connection to the server.
pub struct Controller {
    session: Rc<RefCell<Session>>,
    store: Store,
    host: Box<dyn Host>,
    link: RefCell<Option<Link>>,
    linked_session: RefCell<String>,
    /// Answers are posted to an `answer-url`, which can't be asked afterwards what became of them.
    answers_to_host: Cell<bool>,
    /// The session here holds only open requests, not everything that happened.
    requests_only: Cell<bool>,
    frame: RefCell<Option<i32>>,
    timer: RefCell<Option<Timeout>>,
    /// The frame that was still pending when the timer fired.
    overdue: Cell<Option<i32>>,
    on_frame: RefCell<Option<Closure<dyn FnMut()>>>,
    told: RefCell<HashSet<String>>,
    status: Cell<&'static str>,
    telemetry: Cell<u64>,
    checks: reconcile::Checks,
    grace: grace::Grace,
    intake: intake::Intake,
}

impl Controller {
    /// Creates a driver without a connection.
    pub fn new(session: Rc<RefCell<Session>>, store: Store, host: Box<dyn Host>) -> Rc<Self> {
        let controller = Rc::new(Self {
            session,
            store,
            host,
            link: RefCell::default(),
            linked_session: RefCell::default(),
            answers_to_host: Cell::new(false),
            requests_only: Cell::new(false),
            frame: RefCell::default(),
            timer: RefCell::default(),
            overdue: Cell::default(),
            on_frame: RefCell::default(),
            told: RefCell::default(),
            status: Cell::new(""),
            telemetry: Cell::new(0),
            checks: reconcile::Checks::default(),
            grace: grace::Grace::default(),
            intake: intake::Intake::default(),
        });
        in_flight::register(&controller);
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
        store.on_answer(move |request_id, answer| {
            if let Some(controller) = answering.upgrade() {
                controller.answer(request_id, answer);
            }
        });
        let calling = weak.clone();
        store.on_call(move |method, params| {
            match calling.upgrade() {
                Some(controller) => controller.call_of_person(method, params),
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
            if let Some(controller) = weak.upgrade()
                && let Some(link) = controller.link.borrow().as_ref()
            {
                link.retry_now();
            }
        });
        controller
    }

    /// Connects to a target, with what the page brings, and replaces any earlier connection.
    pub fn connect(self: &Rc<Self>, target: Target, parts: HostParts) {
        self.link.replace(None);
        self.store.server().set(target.server());
        self.answers_to_host.set(target.is_host());
        self.store.host().set(target.protocol());
        if target.is_host() {
            // Such a host can't be asked whether it takes messages: only its `protocol` attribute says so.
            self.store.steering().set(target.protocol().is_some());
        }
        // On the platform nothing arrives before the user writes, so the session counts as begun.
        if target.protocol() == Some(Protocol::Platform) {
            self.store.begun.set(true);
        }
        let sink = Rc::new(ControllerSink(Rc::downgrade(self)));
        self.link.replace(Some(Link::connect(target, parts, sink)));
    }

    /// Sends answers and calls over a caller's connection to `server`. The caller feeds the open requests.
    pub fn attach(&self, link: Link, session: &str, server: Option<String>) {
        session.clone_into(&mut self.linked_session.borrow_mut());
        self.store.server().set(server);
        self.requests_only.set(true);
        self.link.replace(Some(link));
    }

    /// Shows why there can be no connection.
    pub fn cannot_connect(&self, state: ConnectionState, message: String) {
        self.host.connection(state.word());
        self.host.error(&message);
        self.store.connection.set((state, Some(message)));
    }

    /// Closes the connection for good.
    pub fn close(&self) {
        self.forget_unread();
        self.link.replace(None);
        self.timer.replace(None);
        self.stop_waiting_for_idle();
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
        if self.frame.borrow().is_some() || !self.due() {
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
        if changes.contains(&Change::Renewed) {
            self.told.borrow_mut().clear();
            in_flight::forget(&self.place());
        }
        if !changes.is_empty() {
            self.store.commit(&changes);
            self.host.committed(&changes);
        } else if !self.intake.owes() {
            return;
        }
        self.wait_for_idle();
        let status = self.session.borrow().state().status();
        if self.status.replace(status) != status {
            self.host.status(status);
            // A one-way stream does not say when the server's backlog changes, and a turn may end without a word about
            // messages that wait for it. So both are asked for here.
            if status != "running" && self.session.borrow().state().queue.waits() {
                self.ask_queue();
            } else if let Some(asked) = self.ask_backlog(|known| !known.is_empty()) {
                spawn_local(async move { _ = asked.await });
            }
        }
        let has = |section: Section| changes.contains(&Change::Section(section));
        let Some(before) = self.read_up_to(has(Section::Pending), has(Section::Queue)) else { return };
        self.attend();
        self.tell_telemetry();
        self.caught_up();
        if before.0 {
            self.share_requests();
            self.tell_requests();
            self.look_after_stop();
        }
        if before.1 {
            self.ask_queue();
        }
    }

    fn tell_telemetry(&self) {
        let news: Vec<Value> = {
            let session = self.session.borrow();
            let telemetry = &session.state().telemetry;
            let seen = self.telemetry.replace(telemetry.total());
            telemetry.after(seen).map(crate::core::model::telemetry::TelemetryEvent::json).collect()
        };
        for event in &news {
            self.host.telemetry(event);
        }
    }

    /// Listeners may push or answer at once, so nothing is borrowed while they run.
    fn tell_requests(&self) {
        let news: Vec<Value> = {
            let session = self.session.borrow();
            let state = session.state();
            let mut told = self.told.borrow_mut();
            let open = state.open_requests.iter().filter_map(|place| state.entry(*place));
            open.filter(|entry| told.insert(entry.id.clone()))
                .map(crate::core::view_model::snapshot::entry)
                .collect()
        };
        for request in &news {
            let id = request.get("id").and_then(Value::as_str);
            if let Some(id) = id.filter(|_| self.host.request_opened(request)) {
                self.store.view_state.taken.update(|taken| taken.push(id.to_owned()));
            }
        }
    }

    /// While a turn runs or a request waits, the link checks whether a quiet connection is still alive.
    fn attend(&self) {
        if let Some(link) = self.link.borrow().as_ref() {
            link.attend(matches!(self.status.get(), "running" | "waiting"));
        }
    }

    fn session_id(&self) -> String {
        let linked = self.linked_session.borrow().clone();
        if linked.is_empty() {
            self.session.borrow().state().info.id.clone().unwrap_or_default()
        } else {
            linked
        }
    }
}

struct ControllerSink(Weak<Controller>);

impl Sink for ControllerSink {
    fn frame(&self, frame: Frame<'_>) -> Report {
        let Some(controller) = self.0.upgrade() else {
            return Report::default();
        };
        let received: Received = controller.feed(|session| match frame {
            Frame::Bytes(bytes) => session.push_frame_bytes(bytes),
            Frame::ServerSent { event, data, seq } => session.push_server_sent(event, data, seq),
        });
        let (newest, reached) = controller.store.progress.get_untracked();
        let position = controller.session.borrow().position();
        if reached < newest && reached < position {
            controller.store.progress.set((newest, position));
            controller.caught_up();
        }
        if received.health.is_some() {
            controller.store.health.set(received.health);
        }
        Report { last_seq: received.last_seq, responses: received.responses }
    }

    fn state(&self, state: ConnectionState, message: Option<String>) {
        let Some(controller) = self.0.upgrade() else {
            return;
        };
        controller.host.connection(state.word());
        if let ConnectionState::Closed { .. } = state
            && let Some(message) = &message
        {
            controller.host.error(message);
        }
        controller.store.connection.set((state, message));
    }

    fn listed(&self, sessions: &Value) -> bool {
        self.0.upgrade().is_some_and(|controller| controller.host.listed(sessions))
    }

    fn role(&self, viewer: bool) {
        if let Some(controller) = self.0.upgrade() {
            controller.host.role(viewer);
        }
    }

    fn health(&self, report: Option<&Value>) {
        if let Some(controller) = self.0.upgrade() {
            controller.store.health.set(report.cloned());
        }
    }

    fn error(&self, message: &str) {
        if let Some(controller) = self.0.upgrade() {
            controller.host.error(message);
        }
    }

    fn read_loosely(&self) {
        if let Some(controller) = self.0.upgrade() {
            controller.feed(Session::read_loosely);
        }
    }

    fn opened(&self, session: &str, from: Opened) {
        let Some(controller) = self.0.upgrade() else {
            return;
        };
        session.clone_into(&mut controller.linked_session.borrow_mut());
        let reached = from.after.unwrap_or(0);
        controller.store.progress.set((from.newest.unwrap_or(0), reached));
        {
            let mut session = controller.session.borrow_mut();
            if from.over {
                session.started_over();
            } else if from.after.is_some() || from.newest.is_some() {
                session.follows(from.after);
            }
        }
        controller.attend();
        controller.reconcile_soon();
        controller.ask_queue();
    }
}
