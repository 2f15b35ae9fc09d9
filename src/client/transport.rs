//! Carries out what a connection wants of the browser: sockets, HTTP exchanges, timers and the page's own transport. What
//! they bring becomes the connection's inputs. Nothing is decided here.

mod credentials;
mod fetch;
mod host;
mod page_events;
mod socket;
mod text_frames;

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use gloo_events::EventListener;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::AbortController;

use crate::client::timers::Timers;
use crate::core::client::connection::{
    CarrierNews, Credentials, Effect, HttpNews, HttpRequest, Input, Timer,
};
use crate::core::connection::Failure;
use credentials::PageCredentials;
use host::HostCarrier;
pub use host::{HostParts, HostTransport};
use socket::Socket;

/// Takes the inputs of one connection.
pub type Inbox = Rc<dyn Fn(Input<'_>)>;

enum OpenCarrier {
    Socket(Socket),
    Host(HostCarrier),
}

/// What the browser has open for one connection.
pub struct Transport {
    inbox: Inbox,
    credentials: RefCell<Rc<PageCredentials>>,
    host: RefCell<Option<HostTransport>>,
    carrier: RefCell<Option<OpenCarrier>>,
    exchanges: RefCell<Vec<(u32, AbortController)>>,
    timers: Rc<Timers<Timer>>,
    listeners: RefCell<Vec<EventListener>>,
    /// Lives until the exchanges have ended that are under way.
    owner: RefCell<Option<Rc<dyn Any>>>,
}

impl Transport {
    /// Nothing is open yet.
    pub fn new(inbox: Inbox) -> Rc<Self> {
        Rc::new(Self {
            inbox,
            credentials: RefCell::default(),
            host: RefCell::default(),
            carrier: RefCell::default(),
            exchanges: RefCell::default(),
            timers: Timers::new(),
            listeners: RefCell::default(),
            owner: RefCell::default(),
        })
    }

    /// Whether the page brings another transport of its own than it did last.
    pub fn is_replaced(&self, parts: &HostParts) -> bool {
        parts.transport.as_ref().map(JsValue::from) != self.host.borrow().as_ref().map(JsValue::from)
    }

    /// Begins right after the current task, with what the page brings.
    pub fn start(self: &Rc<Self>, parts: HostParts) {
        self.credentials.replace(Rc::new(PageCredentials::new(parts.auth)));
        self.host.replace(parts.transport);
        self.listeners.replace(page_events::listen(&self.inbox));
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            if let Some(this) = weak.upgrade() {
                this.input(Input::Start { hidden: page_events::is_hidden() });
            }
        });
    }

    /// Listens to the page no longer. The owner lives until the posts are answered that are under way.
    pub fn stop(&self, owner: Rc<dyn Any>) {
        if !self.exchanges.borrow().is_empty() {
            self.owner.replace(Some(owner));
        }
        let listeners = self.listeners.take();
        // This may run inside one of them.
        spawn_local(async move { drop(listeners) });
    }

    /// Ends everything at once, for an owner that takes nothing any more.
    pub fn abandon(self: &Rc<Self>) {
        self.listeners.take();
        self.timers.clear();
        let numbers: Vec<u32> = self.exchanges.borrow().iter().map(|(number, _)| *number).collect();
        for number in numbers {
            self.carry_out(Effect::Abort(number));
        }
        self.carry_out(Effect::CloseCarrier { quietly: true });
    }

    fn input(&self, input: Input<'_>) {
        (self.inbox)(input);
    }

    /// Carries out an effect. What comes of it at once is an input before this returns.
    pub fn carry_out(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::OpenSocket(number, url) => {
                let opened = Socket::open(number, &url, &self.inbox);
                self.opened(number, opened.map(OpenCarrier::Socket));
            }
            Effect::OpenHost(number, options) => {
                let opened = match &*self.host.borrow() {
                    Some(transport) => HostCarrier::open(number, transport, options, &self.inbox),
                    None => Err(Failure::Network),
                };
                self.opened(number, opened.map(OpenCarrier::Host));
            }
            Effect::Send(id, text) => {
                let sent = matches!(&*self.carrier.borrow(), Some(OpenCarrier::Socket(socket)) if socket.send(&text));
                if !sent {
                    self.input(Input::Unsent(id));
                }
            }
            Effect::CallHost(id, method, params) => {
                if let Some(OpenCarrier::Host(host)) = &*self.carrier.borrow() {
                    host.request(id, &method, &params);
                }
            }
            Effect::CloseCarrier { quietly } => {
                let carrier = self.carrier.take();
                match &carrier {
                    Some(OpenCarrier::Socket(socket)) => socket.close(quietly),
                    Some(OpenCarrier::Host(host)) => host.close(),
                    None => {}
                }
                // This may run inside one of the carrier's listeners, so they are dropped afterwards.
                spawn_local(async move { drop(carrier) });
            }
            Effect::Fetch(number, request) => self.fetch(number, &request, Rc::clone(&self.inbox)),
            Effect::Abort(number) => {
                for (_, controller) in
                    self.exchanges.borrow().iter().filter(|(running, _)| *running == number)
                {
                    controller.abort();
                }
                self.exchanges.borrow_mut().retain(|(running, _)| *running != number);
                self.release();
            }
            Effect::SetTimer(timer, delay_ms) => self.set_timer(timer, delay_ms),
            Effect::DropTimer(timer) => self.timers.cancel(timer),
            Effect::AskCredentials { number, refused } => self.ask_credentials(number, refused),
        }
    }

    fn opened(self: &Rc<Self>, number: u32, opened: Result<OpenCarrier, Failure>) {
        match opened {
            Ok(carrier) => _ = self.carrier.replace(Some(carrier)),
            Err(failure) => self.input(Input::Carrier(number, CarrierNews::Ended(failure))),
        }
    }

    fn fetch(self: &Rc<Self>, number: u32, request: &HttpRequest, inbox: Inbox) {
        let Ok(controller) = AbortController::new() else {
            return inbox(Input::Http(number, HttpNews::Broken));
        };
        self.exchanges.borrow_mut().push((number, controller.clone()));
        let request = fetch::request_of(request, self.credentials.borrow().headers().as_ref(), &controller);
        let this = Rc::clone(self);
        spawn_local(async move {
            fetch::exchange(number, request, controller.clone(), inbox).await;
            this.exchanges.borrow_mut().retain(|(_, running)| *running != controller);
            this.release();
        });
    }

    /// Makes an exchange that is not the connection's own, and gives its news to `take`.
    pub fn fetch_apart(self: &Rc<Self>, request: &HttpRequest, take: Box<dyn Fn(HttpNews<'_>)>) {
        let inbox = Rc::new(move |input: Input<'_>| {
            if let Input::Http(_, news) = input {
                take(news);
            }
        });
        self.fetch(0, request, inbox);
    }

    /// Nothing is under way any more that an owner has to live for.
    fn release(&self) {
        if self.exchanges.borrow().is_empty() {
            let owner = self.owner.take();
            // This may run inside of it.
            spawn_local(async move { drop(owner) });
        }
    }

    fn set_timer(self: &Rc<Self>, timer: Timer, delay_ms: u64) {
        let this = Rc::clone(self);
        self.timers.set(timer, delay_ms, move || this.input(Input::Timer(timer)));
    }

    fn ask_credentials(self: &Rc<Self>, number: u32, refused: bool) {
        let credentials = Rc::clone(&self.credentials.borrow());
        let Some(callback) = credentials.callback() else {
            return self.input(Input::Credentials(number, Credentials::Absent));
        };
        let this = Rc::clone(self);
        spawn_local(async move {
            let given = credentials.ask(callback, refused).await;
            this.input(Input::Credentials(number, given));
        });
    }
}

/// The wall clock in milliseconds, which goes on while the machine sleeps.
pub fn now() -> u64 {
    js_sys::Date::now().max(0.0) as u64
}

/// A number that spreads the attempts of a restarted server's clients.
pub fn seed() -> u64 {
    (js_sys::Math::random() * (1_u64 << 53) as f64) as u64
}
