//! Drives a board on a page: connection, summaries, store. Each session's cards answer
//! through a [`Controller`] of their own.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::{Rc, Weak};

use gloo_timers::callback::Timeout;
use leptos::prelude::{GetUntracked, Set, StoredValue};
use serde_json::{Map, Value, json};

use super::{Controller, Host};
use crate::client::pending::Pending;
use crate::client::store::board::BoardStore;
use crate::client::store::{CallOutcome, Store};
use crate::client::transport::{HostParts, Inbox, Transport, now, seed};
use crate::core::Session;
use crate::core::client::connection;
use crate::core::client::connection::{Connection, Fetched, Frame, FrameResult, Outcome, Receiver, Report};
use crate::core::client::{Input, RequestError};
use crate::core::connection::{ClosedReason, ConnectionState, Failure, Target, Verdict};
use crate::core::i18n::format::one_line;
use crate::core::model::board::{OpenRequest, Settled, settled};
use crate::core::model::health;
use crate::core::protocol::{ErrorReason, EventKind};
use crate::core::wire::{self, Record};

/// The calls by which the board only reads. The host does not hear of them.
const READS: [&str; 1] = ["models.list"];

/// How often the list is polled where the WebSocket is refused, in milliseconds.
const LOOK: u32 = 5_000;

/// Callbacks to the board's host.
pub trait BoardHost {
    /// Creates a host for the cards of one session.
    fn session(&self, id: &str) -> Box<dyn Host>;
    /// A person is about to change something by a call other than an answer. Returns true if the host makes the
    /// call itself, or wants none.
    fn calling(&self, _method: &str, _params: &Value) -> bool {
        false
    }
    /// What became of such a call: the gateway's result, or why it failed.
    fn called(&self, _method: &str, _params: &Value, _outcome: Result<&Value, String>) {}
    /// The word for the connection's state changed.
    fn connection(&self, word: &str);
    /// An error that a developer should know about.
    fn error(&self, message: &str);
}

/// The open requests of one session, while their cards are on screen.
struct TileSession {
    controller: Rc<Controller>,
    session: Rc<RefCell<Session>>,
    shown: RefCell<HashSet<String>>,
}

impl Drop for TileSession {
    fn drop(&mut self) {
        self.controller.close();
    }
}

/// What a request that is under way is for.
enum Call {
    /// Everything that the board shows.
    Subscription,
    /// A view's call. The host hears of what became of it, if it changes something.
    View { caller: u64, changes: Option<(String, Value)> },
    /// A request of a session's cards, with the ticket that they know it by. It outlives the cards.
    Tile(Rc<Controller>, u64),
}

/// A board and its connection to the gateway.
pub struct BoardController {
    store: BoardStore,
    host: Box<dyn BoardHost>,
    connection: RefCell<Connection>,
    transport: Rc<Transport>,
    outputs: RefCell<VecDeque<Output>>,
    /// The outputs are being carried out.
    busy: Cell<bool>,
    tiles: RefCell<HashMap<String, Weak<TileSession>>>,
    calls: RefCell<Vec<(u64, Call)>>,
    last_ticket: Cell<u64>,
    pending: Pending,
    was_open: Cell<bool>,
    look: RefCell<Option<Timeout>>,
}

impl BoardController {
    /// Creates a driver without a connection.
    pub fn new(store: BoardStore, host: Box<dyn BoardHost>) -> Rc<Self> {
        let controller = Rc::new_cyclic(|weak: &Weak<Self>| Self {
            store,
            host,
            connection: RefCell::new(Connection::new(Target::nowhere(), seed())),
            transport: Transport::new(inbox(weak.clone())),
            outputs: RefCell::default(),
            busy: Cell::new(false),
            tiles: RefCell::default(),
            calls: RefCell::default(),
            last_ticket: Cell::new(0),
            pending: Pending::default(),
            was_open: Cell::new(false),
            look: RefCell::default(),
        });
        let weak = Rc::downgrade(&controller);
        let (opening, calling) = (weak.clone(), weak.clone());
        store.on_requests(move |id| opening.upgrade()?.open_tile(id));
        store.on_call(move |method, params| calling.upgrade()?.call_of_person(method, params));
        store.on_retry(move || {
            if let Some(controller) = weak.upgrade() {
                controller.input(connection::Input::Retry);
            }
        });
        controller
    }

    /// Sends a call that a view makes. If it changes something, the host hears of it before and after, and may make
    /// it itself: then this returns `None`.
    fn call_of_person(self: &Rc<Self>, method: &str, params: Value) -> Option<CallOutcome> {
        let changes = !READS.contains(&method);
        if changes && self.host.calling(method, &params) {
            return None;
        }
        let (caller, outcome) = self.pending.wait();
        let changes = changes.then(|| (method.to_owned(), params.clone()));
        self.request(Call::View { caller, changes }, method, params);
        Some(Box::pin(outcome))
    }

    fn request(self: &Rc<Self>, call: Call, method: &str, params: Value) {
        let ticket = self.last_ticket.get().wrapping_add(1);
        self.last_ticket.set(ticket);
        self.calls.borrow_mut().push((ticket, call));
        self.input(connection::Input::Call { ticket, method, params });
    }

    fn answered(self: &Rc<Self>, ticket: u64, outcome: Outcome) {
        let mut calls = self.calls.borrow_mut();
        let Some(place) = calls.iter().position(|(known, _)| *known == ticket) else { return };
        let (_, call) = calls.remove(place);
        drop(calls);
        match call {
            Call::Subscription => self.subscribed(outcome),
            Call::View { caller, changes } => {
                let outcome = outcome.map_err(|error| error.failure());
                if let Some((method, params)) = changes {
                    let result = outcome.as_ref().map_err(|failure| failure.words.clone());
                    self.host.called(&method, &params, result);
                }
                self.pending.resolve(caller, outcome);
            }
            Call::Tile(tile, ticket) => tile.update(Input::Answered(ticket, outcome)),
        }
    }

    /// Connects to a gateway, with what the page brings, and replaces any earlier connection.
    pub fn connect(self: &Rc<Self>, target: Target, parts: HostParts) {
        self.was_open.set(false);
        self.store.polled.set(false);
        let target = target.bare();
        self.store.server.set(target.server());
        self.input(connection::Input::Retarget(Box::new(target)));
        self.transport.start(parts);
    }

    /// Shows why there can be no connection.
    pub fn cannot_connect(self: &Rc<Self>, state: ConnectionState, message: String) {
        self.input(connection::Input::Close);
        self.host.connection(state.word());
        self.host.error(&message);
        self.store.connection.set((state, Some(message)));
    }

    /// Closes the connection for good.
    pub fn close(self: &Rc<Self>) {
        self.input(connection::Input::Close);
        self.transport.stop(Rc::clone(self) as Rc<dyn Any>);
        self.look.replace(None);
        self.tiles.borrow_mut().clear();
    }

    /// Gives the connection an input, and carries out what comes of it. Inputs that come meanwhile wait for their turn with
    /// what comes of them.
    fn input(self: &Rc<Self>, input: connection::Input<'_>) {
        let outputs = self.connection.borrow_mut().update(now(), input, &mut Reader(self));
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
                Some(Output::Effect(effect)) => self.transport.carry_out(effect),
                Some(Output::Report(report)) => self.report(report),
                None => break,
            }
        }
        self.busy.set(false);
    }

    /// Asks the gateway for everything, once the connection is open. It sends changes by itself from then on.
    fn subscribe(self: &Rc<Self>) {
        let mut params = Map::new();
        let token = self.connection.borrow().token().map(str::to_owned);
        if let Some(token) = token {
            params.insert("token".to_owned(), token.into());
        }
        self.request(Call::Subscription, "pilothouse.board", Value::Object(params));
    }

    fn subscribed(self: &Rc<Self>, answer: Outcome) {
        match answer {
            Ok(all) => {
                let word = |word: &Value| word.as_str().map(str::to_owned);
                let can = all.get("capabilities").and_then(Value::as_array);
                self.store.capabilities.set(can.into_iter().flatten().filter_map(word).collect());
                if all.get("role").and_then(Value::as_str) == Some("viewer") {
                    self.store.readonly.set(true);
                }
                self.store.health.set(all.get("health").cloned());
                self.take_list(all.get("sessions").unwrap_or(&Value::Null));
                for tile in self.tiles() {
                    tile.controller.update(Input::LookIntoAnswers);
                }
            }
            Err(RequestError::Refused { reason: reason @ ErrorReason::SignIn, message }) => {
                self.refused(Failure::Refused { reason, message });
            }
            // An older gateway does not know boards and has only its list.
            Err(RequestError::Refused { .. }) => self.look_up(),
            // The connection was lost; the next one asks again.
            Err(_) => {}
        }
    }

    /// The sessions whose cards are on screen.
    fn tiles(&self) -> Vec<Rc<TileSession>> {
        self.tiles.borrow().values().filter_map(Weak::upgrade).collect()
    }

    /// The gateway requires a sign-in, so nothing is retried before somebody has signed in.
    fn refused(self: &Rc<Self>, failure: Failure) {
        self.look.replace(None);
        self.store.polled.set(false);
        self.input(connection::Input::Refused(failure));
    }

    fn take_list(self: &Rc<Self>, list: &Value) {
        self.store.commit(|board| board.take_list(list));
        self.tiles.borrow_mut().retain(|_, tile| tile.strong_count() > 0);
        let open: Vec<String> = self.tiles.borrow().keys().cloned().collect();
        for id in open {
            self.refresh(&id, &[]);
        }
    }

    fn take(self: &Rc<Self>, news: &Value) {
        let over = settled(news);
        self.store.commit(|board| board.take(news).into_iter().collect());
        if let Some(id) = news.get("sessionId").and_then(Value::as_str) {
            self.refresh(id, &over);
        }
    }

    /// Polls the list over HTTP as long as there is no WebSocket.
    fn look_up(self: &Rc<Self>) {
        self.input(connection::Input::Fetch(Fetched::Sessions));
    }

    /// The list was polled. If it could not be, the connection's last message says why, and it keeps trying.
    fn looked_up(self: &Rc<Self>, list: Result<Value, Failure>) {
        match list {
            Ok(list) => {
                self.input(connection::Input::Fetch(Fetched::Health));
                self.store.polled.set(true);
                self.take_list(&list);
                let weak = Rc::downgrade(self);
                let again = Timeout::new(LOOK, move || {
                    if let Some(controller) = weak.upgrade()
                        && controller.store.polled.get_untracked()
                    {
                        controller.look_up();
                    }
                });
                self.look.replace(Some(again));
            }
            Err(failure) if failure.verdict() == Verdict::Final(ClosedReason::SignIn) => {
                self.refused(failure);
            }
            Err(_) => {}
        }
    }

    /// Creates a session that holds only the open requests of `id`, as long as the current owner lives.
    fn open_tile(self: &Rc<Self>, id: &str) -> Option<Store> {
        let cwd = self.store.session(id, |summary| summary.cwd.clone())?;
        let session = Rc::new(RefCell::new(Session::new()));
        let store = Store::new(Rc::clone(&session));
        store.readonly.set(self.store.readonly.get_untracked());
        store.connection.set((ConnectionState::Open, None));
        let controller = Controller::new(Rc::clone(&session), store, self.host.session(id));
        let weak = Rc::downgrade(self);
        let relay =
            Rc::new(move |tile: &Rc<Controller>, ticket, method: &str, params| match weak.upgrade() {
                Some(board) => board.request(Call::Tile(Rc::clone(tile), ticket), method, params),
                None => tile.update(Input::Answered(ticket, Err(RequestError::NotConnected))),
            });
        controller.attach(relay, id, self.store.server.get_untracked());
        let start = json!({
            "type": EventKind::SessionStart.name(), "id": "board", "data": { "sessionId": id, "context": { "cwd": cwd } },
        });
        controller.feed(|session| session.push_frame(&one_line(&start)));
        let tile = Rc::new(TileSession { controller, session, shown: RefCell::default() });
        self.tiles.borrow_mut().insert(id.to_owned(), Rc::downgrade(&tile));
        StoredValue::new_local(tile);
        self.refresh(id, &[]);
        Some(store)
    }

    /// Brings a session's cards in line with its summary; `over` says how requests ended.
    fn refresh(&self, id: &str, over: &[Settled]) {
        let Some(tile) = self.tiles.borrow().get(id).and_then(Weak::upgrade) else { return };
        let asked = self.store.session(id, |summary| summary.requests.clone()).unwrap_or_default();
        for asked in &asked {
            if let Some(event) = asked.event.as_deref()
                && tile.shown.borrow_mut().insert(asked.request_id.clone())
            {
                let event = with_agent(event, asked);
                tile.controller.feed(|session| session.push_frame(&event));
            }
        }
        for settled in over {
            if let Some(event) =
                settled.event.as_deref().filter(|_| tile.shown.borrow().contains(&settled.request_id))
            {
                tile.controller.feed(|session| session.push_frame(event));
            }
        }
        // Requests whose end was not reported, or reported without its event, are closed as well.
        let open: Vec<String> = {
            let session = tile.session.borrow();
            let state = session.state();
            let entries = state.open_requests.iter().filter_map(|place| state.entry(*place));
            entries.map(|entry| entry.id.clone()).collect()
        };
        for id in open.iter().filter(|id| !asked.iter().any(|asked| asked.request_id == **id)) {
            tile.controller.feed(|session| session.answer_refused(id));
        }
    }
}

/// A request's event with the id of the asking agent, which only the session's log knows.
fn with_agent(event: &str, request: &OpenRequest) -> String {
    let Some(agent) = &request.agent else { return event.to_owned() };
    let mut parsed = serde_json::from_str::<Value>(event).unwrap_or_default();
    match parsed.as_object_mut() {
        Some(fields) => {
            fields.insert("agentId".to_owned(), agent.as_str().into());
            one_line(&parsed)
        }
        None => event.to_owned(),
    }
}

impl Drop for BoardController {
    fn drop(&mut self) {
        let closed = self.connection.get_mut().update(now(), connection::Input::Close, &mut Nobody);
        for effect in closed.effects {
            self.transport.carry_out(effect);
        }
        for (_, call) in self.calls.take() {
            if let Call::Tile(tile, ticket) = call {
                tile.update(Input::Answered(ticket, Err(RequestError::Lost)));
            }
        }
    }
}

/// Nobody reads what comes any more.
struct Nobody;

impl Receiver for Nobody {
    fn frame(&mut self, _: Frame<'_>) -> FrameResult {
        FrameResult::default()
    }
}

/// Where the connection gets its inputs.
fn inbox(weak: Weak<BoardController>) -> Inbox {
    Rc::new(move |input| {
        if let Some(controller) = weak.upgrade() {
            controller.input(input);
        }
    })
}

enum Output {
    Effect(connection::Effect),
    Report(Report),
}

/// Reads what the connection brings.
struct Reader<'a>(&'a Rc<BoardController>);

impl Receiver for Reader<'_> {
    fn frame(&mut self, frame: Frame<'_>) -> FrameResult {
        let (mut result, controller) = (FrameResult::default(), self.0);
        let text = match frame {
            Frame::Bytes(bytes) => String::from_utf8_lossy(bytes),
            Frame::ServerSent { data, .. } => data.into(),
        };
        wire::records(&text, |record| match record {
            Ok(Record::Response(response)) => result.responses.push(response),
            Ok(Record::Notification { method, raw }) if method == "pilothouse.summary" => {
                let note = serde_json::from_str::<Value>(raw).unwrap_or_default();
                controller.take(note.get("params").unwrap_or(&Value::Null));
            }
            Ok(Record::Notification { method, raw }) if method == health::METHOD => {
                controller.store.health.set(health::report(raw));
            }
            _ => {}
        });
        result
    }
}

impl BoardController {
    fn report(self: &Rc<Self>, report: Report) {
        match report {
            Report::Answered(ticket, outcome) => self.answered(ticket, outcome),
            Report::State(state, message) => self.connection_changed(state, message),
            Report::Opened { .. } => self.opened(),
            Report::Error(message) => self.host.error(&message),
            Report::Fetched(Fetched::Sessions, list) => self.looked_up(list),
            Report::Fetched(Fetched::Health, health) => self.store.health.set(health.ok()),
            Report::Listed(_) | Report::Role { .. } | Report::Health(_) => {}
        }
    }

    fn connection_changed(self: &Rc<Self>, state: ConnectionState, message: Option<String>) {
        self.host.connection(state.word());
        match &state {
            // Something in between may refuse a WebSocket that never opened, so the list is polled over HTTP.
            ConnectionState::Waiting { .. } if !self.was_open.get() => self.look_up(),
            ConnectionState::Closed { .. } => {
                if let Some(message) = &message {
                    self.host.error(message);
                }
            }
            _ => {}
        }
        self.store.connection.set((state, message));
    }

    fn opened(self: &Rc<Self>) {
        self.was_open.set(true);
        self.store.polled.set(false);
        self.look.replace(None);
        // A board is there to be looked at, on a wall for example, where nobody comes back to the page.
        self.input(connection::Input::Attend(true));
        for tile in self.tiles() {
            tile.controller.update(Input::ConnectedAgain);
        }
        self.subscribe();
    }
}
