//! Runs one link: its current carrier, the cursor, the timers and the policy's steps. The policy decides what
//! happens; the carriers speak the protocols.

mod heartbeat;
mod reports;

use std::cell::{Cell, RefCell};
use std::future::ready;
use std::rc::Rc;

use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;
use web_sys::AbortController;

use super::credentials::Credentials;
use super::fetch::{list, post};
use super::host::{HostCarrier, HostParts, HostTransport};
use super::pending::{Pending, spawn};
use super::platform_reply::Reply;
use super::post_only::Posts;
use super::replay::Replay;
use super::server_sent_events::ServerSentEvents;
use super::websocket::WebSocket;
use super::{Answering, Connection, Listener, RequestError, Sink};
use crate::core::connection::{
    BACK_MS, Carrier, ClosedReason, ConnectionState, Failure, Policy, Pulse, Step, Target,
};
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::SIGN_IN_METHOD;

pub(super) use reports::CarrierReports;

/// How long opening may take, subscription included, in milliseconds.
const OPENING_LIMIT_MS: u64 = 20_000;

/// Where a reconnect continues.
#[derive(Clone, Default)]
pub(super) struct Cursor {
    /// The newest sequence number seen.
    pub(super) seq: Option<u64>,
    /// The newest server-sent id, or the sequence number as text; empty if none.
    pub(super) event_id: String,
}

pub(super) struct Supervisor {
    target: Target,
    credentials: Rc<Credentials>,
    transport: Option<HostTransport>,
    sink: Rc<dyn Sink>,
    policy: RefCell<Policy>,
    pending: Rc<Pending>,
    session: RefCell<Option<String>>,
    cursor: RefCell<Cursor>,
    carrier: RefCell<Option<Box<dyn Connection>>>,
    timer: RefCell<Option<Timeout>>,
    listeners: RefCell<Vec<EventListener>>,
    generation: Cell<u64>,
    opened_at: Cell<Option<f64>>,
    pulse: RefCell<Pulse>,
    beat: RefCell<Option<Timeout>>,
    attended: Cell<bool>,
    vital: Cell<bool>,
    trouble: RefCell<Option<String>>,
    /// The controllers that stop the replies still being read.
    replies: RefCell<Vec<AbortController>>,
}

impl Supervisor {
    pub(super) fn new(target: Target, parts: HostParts, sink: Rc<dyn Sink>) -> Rc<Self> {
        Rc::new(Self {
            policy: RefCell::new(Policy::new(target.carriers())),
            session: RefCell::new(target.session().map(str::to_owned)),
            credentials: Credentials::new(target.token(), parts.auth, Rc::clone(&sink)),
            transport: parts.transport,
            target,
            sink,
            pending: Rc::default(),
            cursor: RefCell::default(),
            carrier: RefCell::default(),
            timer: RefCell::default(),
            listeners: RefCell::default(),
            generation: Cell::new(0),
            opened_at: Cell::new(None),
            pulse: RefCell::default(),
            beat: RefCell::default(),
            attended: Cell::new(false),
            vital: Cell::new(false),
            trouble: RefCell::default(),
            replies: RefCell::default(),
        })
    }

    pub(super) fn start(self: &Rc<Self>) {
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            let Some(this) = weak.upgrade() else { return };
            if this.is_closed() {
                return;
            }
            this.watch_network();
            let step = this.policy.borrow_mut().wait_over();
            this.follow(step);
        });
    }

    pub(super) fn request(self: &Rc<Self>, method: &str, params: Value) -> Answering {
        if method == SIGN_IN_METHOD {
            return self.sign_in(params.get("token").and_then(Value::as_str).unwrap_or_default());
        }
        let ready_to_send =
            matches!(self.policy.borrow().state(), ConnectionState::Open | ConnectionState::Replaying);
        let sent = match &*self.carrier.borrow() {
            Some(carrier) if ready_to_send => carrier.request(method, params),
            _ => return Box::pin(ready(Err(RequestError::NotConnected))),
        };
        self.feel();
        sent
    }

    pub(super) fn converse(&self, body: &Value, listener: Box<dyn Listener>) -> Answering {
        let url = self.target.answer_url(self.session.borrow().as_deref().unwrap_or_default());
        let (Some(url), Ok(controller)) = (url, AbortController::new()) else {
            return Box::pin(ready(Err(RequestError::NoWayBack)));
        };
        let mut replies = self.replies.borrow_mut();
        replies.retain(|reply| !reply.signal().aborted());
        replies.push(controller.clone());
        let credentials = Rc::clone(&self.credentials);
        let reply = Reply { sink: Rc::clone(&self.sink), listener, controller };
        Box::pin(spawn(reply.exchange(url, credentials, body.to_string())))
    }

    pub(super) fn stop_replies(&self) {
        for reply in self.replies.take() {
            reply.abort();
        }
    }

    /// Signs in. The token is kept in memory for later connections. A gateway also sets it as a
    /// cookie, so that the page can be reloaded.
    fn sign_in(&self, token: &str) -> Answering {
        if !self.credentials.type_in(token) {
            return Box::pin(ready(Err(RequestError::Refused {
                reason: ErrorReason::SignIn,
                message: String::new(),
            })));
        }
        match self.target.sign_in_url() {
            Some(url) => Box::pin(spawn(post(url, Rc::clone(&self.credentials), Value::Null.to_string()))),
            None => Box::pin(ready(Err(RequestError::NoWayBack))),
        }
    }

    pub(super) fn retry_now(self: &Rc<Self>) {
        let step = self.policy.borrow_mut().retry_now();
        if let Some(step) = step {
            self.follow(step);
        }
    }

    pub(super) fn refused(self: &Rc<Self>, failure: &Failure) {
        let open_for_ms = self.open_for_ms();
        let step = {
            let mut policy = self.policy.borrow_mut();
            policy.set_renewable(self.credentials.renewable());
            policy.refused(failure, open_for_ms)
        };
        if let Some(step) = step {
            self.follow(step);
        }
    }

    pub(super) fn close(self: &Rc<Self>) {
        if !self.is_closed() {
            self.shut();
            self.announce();
        }
    }

    /// Closes without a report.
    pub(super) fn shut(&self) {
        self.policy.borrow_mut().close();
        self.stop_replies();
        self.timer.take();
        self.listeners.take();
        self.retire();
    }

    fn is_closed(&self) -> bool {
        let by_page = ConnectionState::Closed { reason: ClosedReason::ByPage };
        *self.policy.borrow().state() == by_page
    }

    fn follow(self: &Rc<Self>, step: Step) {
        self.timer.take();
        self.retire();
        let generation = self.generation.get();
        self.announce();
        // The sink may have closed the link, or asked for something else, while it was notified.
        if self.generation.get() != generation || self.is_closed() {
            return;
        }
        match step {
            Step::Connect(carrier) => self.prepare(carrier),
            Step::Wait { delay_ms } => self.set_timer(delay_ms, |this| {
                let step = this.policy.borrow_mut().wait_over();
                this.follow(step);
            }),
            Step::Stop => {}
        }
    }

    /// Opens a carrier, after the page was asked for credentials if it gives them. That may take any time.
    fn prepare(self: &Rc<Self>, carrier: Carrier) {
        let refused = self.policy.borrow_mut().take_refused();
        if carrier == Carrier::Replay || !self.credentials.come_from_page(refused) {
            return self.open(carrier);
        }
        let (weak, credentials) = (Rc::downgrade(self), Rc::clone(&self.credentials));
        let generation = self.generation.get();
        spawn_local(async move {
            let given = credentials.request(refused).await;
            let Some(this) = weak.upgrade().filter(|this| this.generation.get() == generation) else {
                return;
            };
            match given {
                Ok(others) if others || !refused => this.open(carrier),
                Err(message) if !refused => this.failed(&Failure::HostCode(message)),
                _ => {
                    let reason = ErrorReason::SignIn;
                    this.failed(&Failure::Refused { reason, message: String::new() });
                }
            }
        });
    }

    fn open(self: &Rc<Self>, carrier: Carrier) {
        let line = CarrierReports::of(self);
        let session = self.session.borrow().clone();
        let (cursor, pending) = (self.cursor.borrow().clone(), self.pending.clone());
        let opened: Result<Box<dyn Connection>, Failure> = match carrier {
            Carrier::WebSocket => {
                let token = self.credentials.token();
                WebSocket::open(&self.target, token, session, &cursor, &line, pending)
                    .map(|socket| Box::new(socket) as Box<dyn Connection>)
            }
            Carrier::ServerSentEvents => {
                let credentials = Rc::clone(&self.credentials);
                ServerSentEvents::open(&self.target, credentials, session, cursor, line.clone(), pending)
                    .map(|stream| Box::new(stream) as Box<dyn Connection>)
            }
            Carrier::Posts => {
                let credentials = Rc::clone(&self.credentials);
                Ok(Box::new(Posts::open(self.target.clone(), credentials, line.clone(), pending)))
            }
            Carrier::HostTransport => match &self.transport {
                Some(transport) => {
                    let token = self.credentials.token();
                    HostCarrier::open(transport, session, &cursor, token, line.clone(), pending)
                        .map(|carrier| Box::new(carrier) as Box<dyn Connection>)
                }
                None => Err(Failure::Network),
            },
            Carrier::Replay => Ok(Box::new(Replay)),
        };
        match opened {
            Ok(connection) => {
                *self.carrier.borrow_mut() = Some(connection);
                if carrier != Carrier::Replay {
                    self.set_timer(OPENING_LIMIT_MS, |this| this.failed(&Failure::Silent));
                }
            }
            Err(failure) => line.failed(&failure),
        }
    }

    /// Ends the current carrier; whatever it still reports is ignored.
    fn retire(&self) {
        self.generation.set(self.generation.get().wrapping_add(1));
        self.opened_at.set(None);
        self.beat.take();
        let carrier = self.carrier.take();
        if let Some(carrier) = carrier {
            if self.is_closed() {
                carrier.leave();
            } else {
                carrier.close();
            }
            // This may run inside one of the carrier's listeners, so they are dropped afterwards.
            spawn_local(async move { drop(carrier) });
            self.pending.lose_all();
        }
    }

    fn announce(&self) {
        let state = self.policy.borrow().state().clone();
        let message = match &state {
            ConnectionState::Waiting { .. } => self.trouble.borrow().clone(),
            ConnectionState::Closed { reason } => Some(reason.to_string()),
            _ => None,
        };
        self.sink.state(state, message);
    }

    fn set_timer(self: &Rc<Self>, delay_ms: u64, act: fn(&Rc<Self>)) {
        *self.timer.borrow_mut() = Some(self.later(delay_ms, act));
    }

    /// Calls `act` after so many milliseconds, unless another carrier is in use by then.
    fn later(self: &Rc<Self>, delay_ms: u64, act: fn(&Rc<Self>)) -> Timeout {
        let delay_ms = u32::try_from(delay_ms).unwrap_or(u32::MAX).min(i32::MAX as u32);
        let weak = Rc::downgrade(self);
        let generation = self.generation.get();
        Timeout::new(delay_ms, move || {
            // Deferred, so that this timer is not dropped while it runs.
            spawn_local(async move {
                if let Some(this) = weak.upgrade()
                    && this.generation.get() == generation
                {
                    act(&this);
                }
            });
        })
    }

    fn watch_network(self: &Rc<Self>) {
        let Some(window) = web_sys::window() else {
            return;
        };
        let listen = |target: &web_sys::EventTarget, name: &'static str, act: fn(&Rc<Self>)| {
            let weak = Rc::downgrade(self);
            EventListener::new(target, name, move |_| {
                let weak = weak.clone();
                spawn_local(async move {
                    if let Some(this) = weak.upgrade() {
                        act(&this);
                    }
                });
            })
        };
        let mut listeners = vec![
            listen(&window, "online", Self::back),
            listen(&window, "offline", |this| this.failed(&Failure::Offline)),
            listen(&window, "focus", Self::back),
            listen(&window, "pageshow", Self::back),
        ];
        if let Some(document) = window.document() {
            listeners.push(listen(&document, "visibilitychange", |this| {
                if !web_sys::window().and_then(|window| window.document()).is_some_and(|page| page.hidden()) {
                    this.back();
                }
            }));
            listeners.push(listen(&document, "resume", Self::back));
        }
        *self.listeners.borrow_mut() = listeners;
    }

    /// Somebody looks at the page again, or the network is back: a waiting
    /// connection is retried, an open one is checked.
    fn back(self: &Rc<Self>) {
        let state = self.policy.borrow().state().clone();
        match state {
            ConnectionState::Waiting { .. } => self.retry_now(),
            ConnectionState::Open => self.check(BACK_MS),
            _ => {}
        }
    }

    fn failed(self: &Rc<Self>, failure: &Failure) {
        let before = self.policy.borrow().state().clone();
        if !matches!(before, ConnectionState::Connecting { .. } | ConnectionState::Open) {
            return;
        }
        let open_for_ms = self.open_for_ms();
        *self.trouble.borrow_mut() = Some(failure.to_string());
        let step = {
            let mut policy = self.policy.borrow_mut();
            policy.set_renewable(self.credentials.renewable());
            policy.failed(failure, open_for_ms, js_sys::Math::random())
        };
        self.follow(step);
    }

    /// How long the connection has been open, in milliseconds.
    fn open_for_ms(&self) -> u64 {
        self.opened_at.get().map_or(0.0, |since| js_sys::Date::now() - since).max(0.0) as u64
    }

    /// Fetches JSON from a gateway, for where its WebSocket is refused.
    pub(super) async fn fetch(self: Rc<Self>, url: Option<String>) -> Result<Value, Failure> {
        let url = url.ok_or(Failure::Network)?;
        list(&url, &self.credentials, None).await
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    pub(super) fn token(&self) -> Option<String> {
        self.credentials.token()
    }
}

/// The wall clock in milliseconds, which goes on while the machine sleeps.
fn now() -> u64 {
    js_sys::Date::now().max(0.0) as u64
}
