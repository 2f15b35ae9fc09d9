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
use wasm_bindgen::JsValue;
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
    Carrier, ClosedReason, ConnectionState, Failure, Policy, Pulse, Step, Target, Wake,
};
use crate::core::i18n::words::connection;
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::SIGN_IN_METHOD;

pub(super) use reports::CarrierReports;

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
    /// What is wrong with the open connection.
    warning: RefCell<Option<String>>,
    /// People were told that the open connection is being checked.
    told_checking: Cell<bool>,
    /// When the beat's timer should fire, in milliseconds.
    beat_due: Cell<u64>,
    /// Since when the page is hidden, in milliseconds.
    hidden_since: Cell<Option<u64>>,
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
            warning: RefCell::default(),
            told_checking: Cell::new(false),
            beat_due: Cell::new(0),
            hidden_since: Cell::new(None),
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
                    self.limit_opening();
                }
            }
            Err(failure) => line.failed(&failure),
        }
    }

    fn limit_opening(self: &Rc<Self>) {
        let limit_ms = self.policy.borrow().opening_ms();
        self.set_timer(limit_ms, |this| this.failed(&Failure::Silent));
    }

    /// Ends the current carrier; whatever it still reports is ignored.
    fn retire(&self) {
        self.generation.set(self.generation.get().wrapping_add(1));
        self.opened_at.set(None);
        self.beat.take();
        self.warning.take();
        self.told_checking.set(false);
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
            ConnectionState::Open if self.told_checking.get() => Some(connection::CHECKING.text().to_owned()),
            ConnectionState::Connecting { .. } if self.policy.borrow().is_hurried() => {
                Some(connection::CHECKING.text().to_owned())
            }
            ConnectionState::Open => self.warning.borrow().clone(),
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
        let listen = |target: &web_sys::EventTarget, name: &'static str, act: fn(&Rc<Self>, &JsValue)| {
            let weak = Rc::downgrade(self);
            EventListener::new(target, name, move |event| {
                let (weak, event) = (weak.clone(), JsValue::from(event));
                spawn_local(async move {
                    if let Some(this) = weak.upgrade() {
                        act(&this, &event);
                    }
                });
            })
        };
        let mut listeners = vec![
            listen(&window, "online", |this, _| this.wake(Wake::Online)),
            listen(&window, "offline", |this, _| this.failed(&Failure::Offline)),
            listen(&window, "focus", |this, _| this.wake(Wake::Focused)),
            listen(&window, "pageshow", |this, event| {
                let persisted = js_sys::Reflect::get(event, &"persisted".into());
                let restored = persisted.is_ok_and(|persisted| persisted.is_truthy());
                this.wake(if restored { Wake::Restored } else { Wake::Focused });
            }),
        ];
        if let Some(document) = window.document() {
            listeners.push(listen(&document, "visibilitychange", |this, _| {
                if is_hidden() {
                    return this.hidden_since.set(Some(now()));
                }
                let since = this.hidden_since.take().unwrap_or_else(now);
                this.wake(Wake::Shown { hidden_ms: now().saturating_sub(since) });
            }));
            listeners.push(listen(&document, "resume", |this, _| this.wake(Wake::Thawed)));
        }
        *self.listeners.borrow_mut() = listeners;
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
            if before == ConnectionState::Open && self.pulse.borrow().is_woken() {
                policy.hurry();
            }
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

fn is_hidden() -> bool {
    web_sys::window().and_then(|window| window.document()).is_some_and(|page| page.hidden())
}

/// The wall clock in milliseconds, which goes on while the machine sleeps.
fn now() -> u64 {
    js_sys::Date::now().max(0.0) as u64
}
