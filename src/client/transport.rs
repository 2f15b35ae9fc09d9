//! Carries out what a connection decides: sockets, HTTP exchanges, timers and the page's own transport. What they bring
//! becomes the connection's inputs.

mod credentials;
mod fetch;
mod host;
mod page_events;
mod socket;
mod text_frames;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;
use web_sys::AbortController;

use crate::core::client::connection::{
    CarrierNews, Connection, Credentials, Effect, Fetched, Frame, FrameResult, HttpNews, HttpRequest, Input,
    Receiver, ReplyEnd, Report, Timer,
};
use crate::core::connection::{Failure, Target};
use credentials::PageCredentials;
use host::HostCarrier;
pub use host::{HostParts, HostTransport};
use socket::Socket;

/// Takes the inputs of one connection.
type Inbox = Rc<dyn Fn(Input<'_>)>;

/// The owner of a connection.
pub trait Owner {
    /// Input is about to be read: older input comes first.
    fn before_input(&self) {}
    /// Takes one frame, and returns what in it concerns the connection.
    fn frame(&self, frame: Frame<'_>) -> FrameResult;
    /// A stream deviates from the standard's form, but was understood.
    fn read_loosely(&self) {}
    /// The server has accepted what was posted with this ticket, and its reply begins.
    fn reply_began(&self, _ticket: u64) {}
    /// The reply has ended. Comes only after `reply_began`.
    fn reply_ended(&self, _end: ReplyEnd) {}
    /// Takes a report. It may call the link's methods.
    fn report(&self, report: Report);
    /// A list of sessions was asked for, because none was named. Returns true if the page shows something else than one of
    /// them from now on.
    fn listed(&self, _sessions: &Value) -> bool {
        false
    }
    /// Input was read, and what came of it is done.
    fn after_input(&self) {}
}

enum Output {
    Effect(Effect),
    Report(Report),
}

enum Carrier {
    Socket(Socket),
    Host(HostCarrier),
}

struct Running {
    connection: RefCell<Connection>,
    owner: Rc<dyn Owner>,
    outputs: RefCell<VecDeque<Output>>,
    /// The outputs are being carried out.
    busy: Cell<bool>,
    /// Lives until what is under way has ended.
    kept: RefCell<Option<Rc<dyn Any>>>,
    credentials: PageCredentials,
    transport: Option<HostTransport>,
    carrier: RefCell<Option<Carrier>>,
    exchanges: RefCell<Vec<(u32, AbortController)>>,
    timers: RefCell<Vec<(Timer, u32, Timeout)>>,
    last_timer: Cell<u32>,
    listeners: RefCell<Vec<EventListener>>,
}

/// A connection to a target that restores itself from the last cursor. Dropping it closes it without a further report.
pub struct Link {
    running: Rc<Running>,
    /// The connection belongs to another `Link`: dropping this one closes nothing.
    shared: bool,
}

impl Link {
    /// Starts connecting. The first report comes right after the current task, never inside this
    /// call.
    pub fn connect(target: Target, parts: HostParts, owner: Rc<dyn Owner>) -> Self {
        let seed = (js_sys::Math::random() * (1_u64 << 53) as f64) as u64;
        let running = Rc::new(Running {
            connection: RefCell::new(Connection::new(target, seed)),
            owner,
            outputs: RefCell::default(),
            busy: Cell::new(false),
            kept: RefCell::default(),
            credentials: PageCredentials::new(parts.auth),
            transport: parts.transport,
            carrier: RefCell::default(),
            exchanges: RefCell::default(),
            timers: RefCell::default(),
            last_timer: Cell::new(0),
            listeners: RefCell::default(),
        });
        let weak = Rc::downgrade(&running);
        spawn_local(async move {
            if let Some(running) = weak.upgrade()
                && !running.connection.borrow().is_closed()
            {
                running.listeners.replace(page_events::listen(&running.inbox()));
                running.input(Input::Start { hidden: page_events::is_hidden() });
            }
        });
        Self { running, shared: false }
    }

    /// The same connection, for a caller that sends requests but does not end it.
    #[must_use]
    pub fn share(&self) -> Self {
        Self { running: Rc::clone(&self.running), shared: true }
    }

    /// Sends a JSON-RPC request, or refuses it. A report has what became of it, at most after a minute.
    pub fn request(&self, ticket: u64, method: &str, params: Value) {
        self.running.input(Input::Call { ticket, method, params });
    }

    /// Fetches something from a gateway over HTTP, for where its WebSocket is refused. A report has it.
    pub fn fetch(&self, what: Fetched) {
        self.running.input(Input::Fetch(what));
    }

    /// The token in use, for requests that carry it themselves.
    pub fn token(&self) -> Option<String> {
        self.running.connection.borrow().token().map(str::to_owned)
    }

    /// Posts `body` unchanged to the answer address, for agents of the Copilot platform, which do not use
    /// JSON-RPC. The response is the agent's reply. The owner gets its events, also those of a stream that
    /// continues after the outcome is known.
    pub fn converse(&self, ticket: u64, body: &Value) {
        self.running.input(Input::Converse { ticket, body: body.to_string() });
    }

    /// Lets something live until the posts are answered that are under way.
    pub fn keep(&self, owner: Rc<dyn Any>) {
        self.running.kept.replace(Some(owner));
    }

    /// Stops reading every reply that is still running.
    pub fn stop_replies(&self) {
        self.running.input(Input::StopReplies);
    }

    /// Sets whether somebody waits for the next event, because a turn runs or a person is asked. While they
    /// do, a quiet connection is checked now and then.
    pub fn attend(&self, on: bool) {
        self.running.input(Input::Attend(on));
    }

    /// Ends the connection because the server refused a request: the next try would be refused as well.
    pub fn refused(&self, failure: Failure) {
        self.running.input(Input::Refused(failure));
    }

    /// Tries at once instead of waiting, or again after a final failure.
    pub fn retry_now(&self) {
        self.running.input(Input::Retry);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if !self.shared {
            self.running.input(Input::Close);
            self.running.listeners.take();
        }
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Link").finish_non_exhaustive()
    }
}

impl Running {
    /// What is under way keeps the connection until it is closed, and posts keep it until they are answered.
    fn inbox(self: &Rc<Self>) -> Inbox {
        let this = Rc::clone(self);
        Rc::new(move |input| this.input(input))
    }

    /// Takes an input, and carries out what comes of it. Inputs that come meanwhile wait for their turn with what comes of
    /// them.
    fn input(self: &Rc<Self>, input: Input<'_>) {
        if input.brings_data() {
            self.owner.before_input();
        }
        let outputs = self.connection.borrow_mut().update(now(), input, &mut Received(self));
        {
            let mut waiting = self.outputs.borrow_mut();
            waiting.extend(outputs.effects.into_iter().map(Output::Effect));
            waiting.extend(outputs.reports.into_iter().map(Output::Report));
        }
        if self.busy.replace(true) {
            return;
        }
        loop {
            let next = self.outputs.borrow_mut().pop_front();
            match next {
                Some(Output::Effect(effect)) => self.carry_out(effect),
                Some(Output::Report(report)) => self.report(report),
                None => break,
            }
        }
        self.busy.set(false);
        self.owner.after_input();
    }

    fn report(self: &Rc<Self>, report: Report) {
        match report {
            Report::Listed(sessions) => {
                if !self.owner.listed(&sessions) {
                    self.input(Input::ShowFirst);
                }
            }
            report => self.owner.report(report),
        }
    }

    fn carry_out(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::OpenSocket(number, url) => {
                let opened = Socket::open(number, &url, &self.inbox());
                self.opened(number, opened.map(Carrier::Socket));
            }
            Effect::OpenHost(number, options) => {
                let opened = match &self.transport {
                    Some(transport) => HostCarrier::open(number, transport, options, &self.inbox()),
                    None => Err(Failure::Network),
                };
                self.opened(number, opened.map(Carrier::Host));
            }
            Effect::Send(id, text) => {
                let sent =
                    matches!(&*self.carrier.borrow(), Some(Carrier::Socket(socket)) if socket.send(&text));
                if !sent {
                    self.input(Input::Unsent(id));
                }
            }
            Effect::CallHost(id, method, params) => {
                if let Some(Carrier::Host(host)) = &*self.carrier.borrow() {
                    host.request(id, &method, &params);
                }
            }
            Effect::CloseCarrier { quietly } => {
                let carrier = self.carrier.take();
                match &carrier {
                    Some(Carrier::Socket(socket)) => socket.close(quietly),
                    Some(Carrier::Host(host)) => host.close(),
                    None => {}
                }
                // This may run inside one of the carrier's listeners, so they are dropped afterwards.
                spawn_local(async move { drop(carrier) });
            }
            Effect::Fetch(number, request) => self.fetch(number, &request),
            Effect::Abort(number) => {
                let mut exchanges = self.exchanges.borrow_mut();
                exchanges.retain(|(running, controller)| {
                    if *running == number {
                        controller.abort();
                    }
                    *running != number
                });
            }
            Effect::SetTimer(timer, delay_ms) => self.set_timer(timer, delay_ms),
            Effect::DropTimer(timer) => self.timers.borrow_mut().retain(|(set, ..)| *set != timer),
            Effect::AskCredentials { number, refused } => self.ask_credentials(number, refused),
        }
    }

    fn opened(self: &Rc<Self>, number: u32, opened: Result<Carrier, Failure>) {
        match opened {
            Ok(carrier) => _ = self.carrier.replace(Some(carrier)),
            Err(failure) => self.input(Input::Carrier(number, CarrierNews::Ended(failure))),
        }
    }

    fn fetch(self: &Rc<Self>, number: u32, request: &HttpRequest) {
        let Ok(controller) = AbortController::new() else {
            return self.input(Input::Http(number, HttpNews::Broken));
        };
        self.exchanges.borrow_mut().push((number, controller.clone()));
        let request = fetch::request_of(request, self.credentials.headers().as_ref(), &controller);
        let (this, inbox) = (Rc::clone(self), self.inbox());
        spawn_local(async move {
            fetch::exchange(number, request, controller.clone(), inbox).await;
            this.exchanges.borrow_mut().retain(|(_, running)| *running != controller);
        });
    }

    fn set_timer(self: &Rc<Self>, timer: Timer, delay_ms: u64) {
        let delay_ms = u32::try_from(delay_ms).unwrap_or(u32::MAX).min(i32::MAX as u32);
        let number = self.last_timer.get().wrapping_add(1);
        self.last_timer.set(number);
        let this = Rc::clone(self);
        let timeout = Timeout::new(delay_ms, move || {
            // Deferred, so that this timer is not dropped while it runs.
            spawn_local(async move {
                let mut timers = this.timers.borrow_mut();
                let before = timers.len();
                timers.retain(|(_, set, _)| *set != number);
                let is_set = timers.len() < before;
                drop(timers);
                if is_set {
                    this.input(Input::Timer(timer));
                }
            });
        });
        let mut timers = self.timers.borrow_mut();
        timers.retain(|(set, ..)| *set != timer);
        timers.push((timer, number, timeout));
    }

    fn ask_credentials(self: &Rc<Self>, number: u32, refused: bool) {
        let Some(callback) = self.credentials.callback() else {
            return self.input(Input::Credentials(number, Credentials::Absent));
        };
        let this = Rc::clone(self);
        spawn_local(async move {
            let given = this.credentials.ask(callback, refused).await;
            this.input(Input::Credentials(number, given));
        });
    }
}

/// Passes what the connection reads to its owner.
struct Received<'a>(&'a Rc<Running>);

impl Receiver for Received<'_> {
    fn frame(&mut self, frame: Frame<'_>) -> FrameResult {
        self.0.owner.frame(frame)
    }

    fn read_loosely(&mut self) {
        self.0.owner.read_loosely();
    }

    fn reply_began(&mut self, ticket: u64) {
        self.0.owner.reply_began(ticket);
    }

    fn reply_ended(&mut self, end: ReplyEnd) {
        self.0.owner.reply_ended(end);
    }
}

/// The wall clock in milliseconds, which goes on while the machine sleeps.
fn now() -> u64 {
    js_sys::Date::now().max(0.0) as u64
}
