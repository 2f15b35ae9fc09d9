//! Drives a board on a page: it gives the board's client its inputs and carries out its effects. Each session's cards answer
//! through a [`Controller`] of their own, whose requests go over the board's connection.

use std::any::Any;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

use leptos::prelude::{GetUntracked, Set, StoredValue};
use serde_json::Value;

use super::{Controller, Host};
use crate::client::effect_queue::EffectQueue;
use crate::client::pending::Pending;
use crate::client::timers::Timers;
use crate::client::transport::{HostParts, Transport, now, seed};
use crate::core::Session;
use crate::core::client::board::{BoardClient, CardInput, Effect, Input, is_read};
use crate::core::client::{self, RequestError, connection};
use crate::core::connection::Attributes;
use crate::core::model::board::Board;
use crate::store::board::{BoardActions, BoardStore};
use crate::store::{CallOutcome, Store};

/// Callbacks to the board's host.
pub trait BoardHost {
    /// Creates a host for the cards of one session.
    fn session(&self, id: &str) -> Box<dyn Host>;
    /// A person opens a session. Returns true if the host opens it elsewhere.
    fn opening(&self, _id: &str) -> bool {
        false
    }
    /// A person is about to change something by a call other than an answer. Returns true if the host makes the
    /// call itself, or wants none.
    fn calling(&self, _method: &str, _params: &Value) -> bool {
        false
    }
    /// What became of such a call: the gateway's result, or why it failed.
    fn called(&self, _method: &str, _params: &Value, _outcome: Result<&Value, String>) {}
    /// The word for the connection's state changed.
    fn connection(&self, _word: &str) {}
    /// An error that a developer should know about.
    fn error(&self, message: &str);
}

/// A board and its connection to the gateway.
pub struct BoardController {
    store: BoardStore,
    host: Box<dyn BoardHost>,
    board: Rc<RefCell<Board>>,
    client: RefCell<BoardClient>,
    transport: Rc<Transport>,
    effects: EffectQueue<Effect>,
    /// The cards that are on screen.
    cards: RefCell<Vec<(u32, Weak<Controller>)>>,
    /// Cards with a request under way, once for each. They live until it is answered.
    relaying: RefCell<Vec<(u32, Rc<Controller>)>>,
    pending: Pending,
    timers: Rc<Timers<()>>,
}

/// The cards of one session; dropping it means that they are gone.
struct OpenCards {
    board: Weak<BoardController>,
    controller: Rc<Controller>,
}

impl Drop for OpenCards {
    fn drop(&mut self) {
        self.controller.close();
        if let Some(board) = self.board.upgrade() {
            let number = self.controller.number();
            board.cards.borrow_mut().retain(|(other, _)| *other != number);
            board.update(Input::CardsClosed(number));
        }
    }
}

impl BoardController {
    /// A controller without a connection.
    pub fn new(store: BoardStore, board: Rc<RefCell<Board>>, host: Box<dyn BoardHost>) -> Rc<Self> {
        let controller = Rc::new_cyclic(|weak: &Weak<Self>| {
            let weak = Weak::clone(weak);
            let inbox = move |input: connection::Input<'_>| {
                if let Some(controller) = weak.upgrade() {
                    controller.update(Input::Connection(input));
                }
            };
            Self {
                store,
                host,
                board,
                client: RefCell::new(BoardClient::new(seed())),
                transport: Transport::new(Rc::new(inbox)),
                effects: EffectQueue::new(),
                cards: RefCell::default(),
                relaying: RefCell::default(),
                pending: Pending::default(),
                timers: Timers::new(),
            }
        });
        store.set_actions(Rc::new(Rc::downgrade(&controller)));
        controller
    }

    /// Connects as these attributes say, with what the page brings, and replaces any earlier connection.
    pub fn connect(self: &Rc<Self>, attributes: &Attributes<'_>, parts: HostParts) {
        self.update(Input::Connect(attributes));
        self.transport.start(parts);
    }

    /// Closes the connection for good.
    pub fn close(self: &Rc<Self>) {
        self.update(Input::Close);
        self.transport.stop(Rc::clone(self) as Rc<dyn Any>);
    }

    /// Gives the client an input, and carries out what comes of it. Inputs that come meanwhile wait for their turn with
    /// what comes of them.
    fn update(self: &Rc<Self>, input: Input<'_>) {
        let effects = self.client.borrow_mut().update(now(), input, &mut self.board.borrow_mut());
        self.effects.carry_out(effects, |effect| self.carry_out(effect));
    }

    fn carry_out(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::Browser(effect) => self.transport.carry_out(effect),
            Effect::SetTimer(delay_ms) => self.set_timer(delay_ms),
            Effect::DropTimer => self.timers.cancel(()),
            Effect::Connection(state, message) => {
                self.host.connection(state.word());
                self.store.connection.set((state, message));
            }
            Effect::Server(address) => self.store.server.set(address),
            Effect::Capabilities(all) => self.store.capabilities.set(all),
            Effect::Role { viewer } => self.store.viewer.set(viewer),
            Effect::Health(report) => self.store.health.set(report),
            Effect::Polled(on) => self.store.polled.set(on),
            Effect::Changed(changes) => self.store.notify_changed(&changes),
            Effect::Machines => self.store.notify_machines(),
            Effect::Cards(number, input) => self.pass_on(number, input),
            Effect::Called { method, params, outcome } => {
                self.host.called(&method, &params, outcome.as_ref().map_err(Clone::clone));
            }
            Effect::Resolve(caller, outcome) => self.pending.resolve(caller, outcome),
            Effect::Error(message) => self.host.error(&message),
        }
    }

    /// Passes an input on to the client of a session's cards.
    fn pass_on(&self, number: u32, input: CardInput) {
        let cards = if let CardInput::Answered(..) = input {
            let mut relaying = self.relaying.borrow_mut();
            let place = relaying.iter().position(|(other, _)| *other == number);
            place.map(|place| relaying.swap_remove(place).1)
        } else {
            let cards = self.cards.borrow();
            cards.iter().find(|(other, _)| *other == number).and_then(|(_, cards)| cards.upgrade())
        };
        let Some(cards) = cards else { return };
        match input {
            CardInput::Answered(ticket, outcome) => cards.update(client::Input::Answered(ticket, outcome)),
            CardInput::News(news) => cards.feed(|session| news.show(session)),
            CardInput::ConnectedAgain => cards.update(client::Input::ConnectedAgain),
            CardInput::LookIntoAnswers => cards.update(client::Input::LookIntoAnswers),
        }
    }

    fn set_timer(self: &Rc<Self>, delay_ms: u32) {
        let weak = Rc::downgrade(self);
        self.timers.set((), delay_ms.into(), move || {
            if let Some(controller) = weak.upgrade() {
                controller.update(Input::Poll);
            }
        });
    }

    /// Creates a session that holds only the open requests of `id`, as long as the current owner lives.
    fn open_cards(self: &Rc<Self>, id: &str) -> Store {
        let session = Rc::<RefCell<Session>>::default();
        let store = Store::new(Rc::clone(&session));
        store.host_options().readonly.set(self.store.readonly.get_untracked());
        let controller = Controller::new(session, store, self.host.session(id));
        let weak = Rc::downgrade(self);
        let relay =
            Rc::new(move |cards: &Rc<Controller>, ticket, method: &str, params| match weak.upgrade() {
                Some(board) => {
                    let number = cards.number();
                    board.relaying.borrow_mut().push((number, Rc::clone(cards)));
                    board.update(Input::Relay { cards: number, ticket, method, params });
                }
                None => cards.update(client::Input::Answered(ticket, Err(RequestError::NotConnected))),
            });
        controller.attach(relay, id, self.store.server.get_untracked());
        let number = controller.number();
        self.cards.borrow_mut().push((number, Rc::downgrade(&controller)));
        StoredValue::new_local(OpenCards { board: Rc::downgrade(self), controller });
        self.update(Input::CardsOpened { cards: number, session: id });
        store
    }
}

impl BoardActions for Weak<BoardController> {
    fn call(&self, method: &str, params: Value) -> Option<CallOutcome> {
        let controller = self.upgrade()?;
        if !is_read(method) && controller.host.calling(method, &params) {
            return None;
        }
        let (caller, outcome) = controller.pending.wait();
        controller.update(Input::Call { caller, method, params });
        Some(outcome)
    }

    fn retry(&self) {
        if let Some(controller) = self.upgrade() {
            controller.update(Input::Connection(connection::Input::Retry));
        }
    }

    fn open_cards(&self, session: &str) -> Option<Store> {
        Some(self.upgrade()?.open_cards(session))
    }

    fn opening(&self, session: &str) -> bool {
        self.upgrade().is_some_and(|controller| controller.host.opening(session))
    }
}

impl Drop for BoardController {
    fn drop(&mut self) {
        let effects = self.client.get_mut().update(now(), Input::Gone, &mut self.board.borrow_mut());
        for effect in effects {
            match effect {
                Effect::Browser(effect) => self.transport.carry_out(effect),
                Effect::Cards(number, input) => self.pass_on(number, input),
                _ => {}
            }
        }
    }
}
