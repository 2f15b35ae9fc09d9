//! The pages of a history: cards that show the session, each with the page's own client (`pilothouse_core::client`), over
//! real connections (`network.rs`). A card's time stands still, but where a history lets it pass; only the wait before its
//! next attempt is always over at once.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use pilothouse_core::Session;
use pilothouse_core::client::connection::{self, CarrierNews, Credentials, HttpNews};
use pilothouse_core::client::{Client, Effect, Input, News, Page, Timer};
use pilothouse_core::connection::{Attributes, ClosedReason, ConnectionState};
use pilothouse_core::model::answer::{Answer, prepare};
use pilothouse_core::model::request::RequestStage;
use pilothouse_core::protocol::RequestKind;
use pilothouse_core::protocol::call::CallFailure;
use pilothouse_core::session::log::Logged;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

use super::checker::{Attempt, Outcome, Read};
use super::history::{Asked, Carrier, Who};
use super::network::{self, GATEWAY, Outgoing};
use super::runtime::{Bell, ring};

pub const OPERATOR: &str = "token-of-the-operator";
pub const VIEWER: &str = "token-of-the-viewer";

/// So many times faster than a page's clock is the one by which it waits for its next attempt.
const FASTER: u32 = 1_000;

/// The pages. Clones share one state.
#[derive(Clone)]
pub struct Pages {
    state: Arc<Mutex<State>>,
    bell: Bell,
}

/// A card, as it was when something began for it.
#[derive(Clone, Copy)]
pub struct CardId {
    card: usize,
    client: u32,
}

pub struct State {
    pub cards: Vec<Card>,
    /// Everything that people have sent.
    pub attempts: Vec<Attempt>,
    /// What a page must not do or see.
    pub wrong: Vec<String>,
    /// Where each gateway is, while there is one.
    gateways: Vec<Option<SocketAddr>>,
    session: &'static str,
    pages: Vec<Page>,
    /// What each tab stores, by name.
    stored: BTreeMap<(usize, String), String>,
    clients: u32,
}

/// Something on a page that shows the session: an element, or a card of a board.
pub struct Card {
    pub name: String,
    pub who: Who,
    /// It wants the history with what is superseded.
    pub wants_whole: bool,
    /// Its events, each with its position.
    pub read: Read,
    /// What it had read before it was loaded again.
    pub earlier: Vec<Read>,
    client: Client,
    session: Session,
    connection: ConnectionState,
    /// The page that it is on.
    page: usize,
    /// The gateway at which it finds the session.
    gateway: usize,
    begun: bool,
    /// Whether there is a network.
    online: bool,
    reading: watch::Sender<bool>,
    /// Its connection is cut as soon as it has sent the next request.
    cut_after_request: bool,
    socket: Option<(u32, mpsc::UnboundedSender<Outgoing>, AbortHandle)>,
    exchanges: Vec<(u32, AbortHandle)>,
    time: u64,
    timers: Vec<(Due, u64)>,
    /// How many records of the session's log are in `read`.
    records: usize,
}

/// A timer, of the client or of its connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    Client(Timer),
    Connection(connection::Timer),
}

impl Card {
    fn new(name: String, who: Who, page: usize) -> Self {
        let mut session = Session::new();
        session.keep_log();
        Self {
            name,
            who,
            wants_whole: false,
            read: Vec::new(),
            earlier: Vec::new(),
            client: Client::new(0),
            session,
            connection: ConnectionState::Connecting { attempt: 1 },
            page,
            gateway: 0,
            begun: false,
            online: true,
            reading: watch::Sender::new(true),
            cut_after_request: false,
            socket: None,
            exchanges: Vec::new(),
            time: 0,
            timers: Vec::new(),
            records: 0,
        }
    }

    pub fn is_reading(&self) -> bool {
        *self.reading.borrow()
    }

    /// Whether anything is open between it and the gateway.
    pub fn is_connected(&self) -> bool {
        self.socket.is_some() || !self.exchanges.is_empty()
    }

    /// Whether the gateway has accepted its subscription.
    pub fn is_open(&self) -> bool {
        self.connection == ConnectionState::Open
    }

    #[allow(dead_code, reason = "only the tests of a cluster have several gateways")]
    pub fn gateway(&self) -> usize {
        self.gateway
    }

    pub fn word(&self) -> &'static str {
        self.connection.word()
    }

    /// The position of the last event that it has.
    pub fn position(&self) -> u64 {
        self.read.last().map_or(0, |(seq, _)| *seq)
    }

    pub fn has(&self, id: &str) -> bool {
        let id = format!(r#""id":"{id}""#);
        self.read.iter().rev().any(|(_, raw)| raw.contains(&id))
    }

    /// Whether it has an event of the runtime that is not older than that with this number. What lies before it can be
    /// missing in a log that is over its limit.
    pub fn has_reached(&self, number: usize) -> bool {
        let number_of = |raw: &str| {
            let (_, id) = raw.split_once(r#""id":"event-"#)?;
            id.split_once('"')?.0.parse::<usize>().ok()
        };
        self.read.iter().rev().find_map(|(_, raw)| number_of(raw)).is_some_and(|newest| newest >= number)
    }

    /// Whether the gateway still has to answer something, be it a person's call or a question of the page's own.
    pub fn waits(&self) -> bool {
        let is_call = |due: &Due| {
            matches!(due, Due::Connection(connection::Timer::Call(_) | connection::Timer::Exchange(_)))
        };
        self.timers.iter().any(|(due, _)| is_call(due))
    }

    /// The conversation as it is shown, a line an entry; of a request also what became of it, where every page knows that.
    pub fn shown(&self) -> Vec<String> {
        let snapshot = self.session.snapshot();
        let line = |entry: &Value| {
            let request = &entry["request"];
            let life = match request["life"].as_str() {
                // Whose answer this is, and whether it arrived, is known on the page where it was given.
                Some("sending" | "unsure" | "taken") => "waiting",
                life => life.unwrap_or_default(),
            };
            // Whether the turn of a queued command has come is also known from the queue, by those who saw it there.
            if entry["kind"] == "confirmation" {
                return entry["text"].to_string();
            }
            format!("{} {} {life} {}", entry["kind"], entry["text"], request["outcome"])
        };
        snapshot["timeline"].as_array().into_iter().flatten().map(line).collect()
    }

    fn take_read(&mut self) {
        let Some(log) = self.session.log() else { return };
        for record in self.records..log.len() {
            let event = log.read(record, |logged| match logged {
                Logged::Event { raw, seq, .. } => seq.map(|seq| (seq, raw.to_owned())),
                _ => None,
            });
            self.read.extend(event.flatten());
        }
        self.records = log.len();
    }

    fn life(&self, request: &str) -> Option<&RequestStage> {
        let state = self.session.state();
        Some(&state.entry(state.request_place(request)?)?.request()?.stage)
    }

    fn set_timer(&mut self, due: Due, delay_ms: u64) {
        self.drop_timer(due);
        self.timers.push((due, self.time + delay_ms));
    }

    fn drop_timer(&mut self, due: Due) {
        self.timers.retain(|(set, _)| *set != due);
    }

    /// When its next attempt is due, if it waits for that and could connect.
    fn next_attempt(&self) -> Option<u64> {
        let waits = matches!(self.connection, ConnectionState::Waiting { .. }) && self.online;
        let attempt = Due::Connection(connection::Timer::Attempt);
        let due = self.timers.iter().find(|(due, _)| *due == attempt).map(|(_, at)| *at);
        due.filter(|_| waits)
    }
}

impl Pages {
    /// Those who watch this session, at so many gateways.
    pub fn new(bell: &Bell, session: &'static str, gateways: usize) -> Self {
        let state = State {
            cards: Vec::new(),
            attempts: Vec::new(),
            wrong: Vec::new(),
            gateways: vec![None; gateways],
            session,
            pages: Vec::new(),
            stored: BTreeMap::new(),
            clients: 0,
        };
        Self { state: Arc::new(Mutex::new(state)), bell: Arc::clone(bell) }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn gateway(&self, number: usize) -> Option<SocketAddr> {
        self.state().gateways[number]
    }

    /// Where this one finds the session.
    pub fn gateway_of(&self, of: CardId) -> Option<SocketAddr> {
        let state = self.state();
        state.gateways[state.cards[of.card].gateway]
    }

    /// There is this gateway now, or not any more.
    pub fn set_gateway(&self, number: usize, address: Option<SocketAddr>) {
        let mut state = self.state();
        state.gateways[number] = address;
        for card in 0..state.cards.len() {
            self.pace(&state, card);
        }
    }

    /// Adds a card, which has not begun to connect. It is on the page of this other one, or on a page of its own.
    pub fn add(&self, name: String, who: Who, beside: Option<usize>) -> usize {
        let mut state = self.state();
        let page = beside.map_or(state.pages.len(), |other| state.cards[other].page);
        if page == state.pages.len() {
            state.pages.push(Page::default());
        }
        state.cards.push(Card::new(name, who, page));
        state.cards.len() - 1
    }

    /// Has a card read what comes, or not.
    pub fn set_reading(&self, card: usize, reading: bool) {
        self.state().cards[card].reading.send_replace(reading);
    }

    /// The card has a network again, and somebody presses 'Try again' if it does not connect by itself.
    pub fn connect(&self, card: usize) {
        let mut state = self.state();
        if !state.has_gateway(card) {
            return;
        }
        state.cards[card].online = true;
        if state.cards[card].begun {
            state.input(self, card, Input::Connection(connection::Input::Retry));
        } else {
            state.begin(self, card);
        }
    }

    /// The card's connections break, and it has no network. The gateway hears nothing of that.
    pub fn cut(&self, card: usize) {
        let mut state = self.state();
        state.cards[card].online = false;
        state.cards[card].cut_after_request = false;
        state.break_connections(self, card);
        drop(state);
        ring(&self.bell);
    }

    #[allow(dead_code, reason = "only the tests of a cluster have several gateways")]
    /// From now on the card finds the session at this gateway: what it has open breaks.
    pub fn move_to(&self, card: usize, gateway: usize) {
        let mut state = self.state();
        state.cards[card].gateway = gateway;
        state.break_connections(self, card);
        self.pace(&state, card);
        drop(state);
        ring(&self.bell);
    }

    /// Cuts the card's connections, if nothing has come in its place.
    pub fn cut_now(&self, of: CardId) {
        if self.state().is(of) {
            self.cut(of.card);
        }
    }

    /// The page is loaded again, and what it has read with it.
    pub fn reload(&self, card: usize) {
        let mut state = self.state();
        if !state.cards[card].begun {
            return;
        }
        state.leave(self, card);
        let of = &state.cards[card];
        let (name, who, page) = (of.name.clone(), of.who, of.page);
        let old = std::mem::replace(&mut state.cards[card], Card::new(name, who, page));
        let of = &mut state.cards[card];
        of.reading.send_replace(old.is_reading());
        (of.earlier, of.online, of.gateway) = (old.earlier, old.online, old.gateway);
        of.earlier.push(old.read);
        if of.online {
            state.begin(self, card);
        }
    }

    /// A person gives this request an answer on this card, if it can be given there; `cut`: and the connection is cut.
    /// Returns what identifies the answer.
    pub fn answer(&self, card: usize, request: &str, what: Asked, mark: &str, cut: bool) -> Option<String> {
        let mut state = self.state();
        let of = &state.cards[card];
        let shown = of.session.state();
        let shown = shown.entry(shown.request_place(request)?)?.request()?;
        let answer = match what {
            Asked::Permission if state.attempts.len().is_multiple_of(3) => Answer::Reject { feedback: None },
            Asked::Permission => Answer::ApproveOnce,
            Asked::Question => Answer::Reply { answer: mark.to_owned(), was_freeform: true },
            Asked::Form => Answer::Form { action: "accept", content: Some(json!({})) },
        };
        let mut answer = prepare(shown, &answer);
        answer.params.insert("mark".to_owned(), mark.into());
        // Where nothing shows whether an answer arrived, the card offers to give it again.
        let answer = (!matches!(shown.stage, RequestStage::Unsure(_))).then_some(answer);
        let before = state.attempts.len();
        state.cards[card].cut_after_request = cut;
        state.input(self, card, Input::Answer { request, answer, of_host: false });
        state.cards[card].cut_after_request = false;
        Some(state.attempts.get(before)?.mark.clone())
    }

    /// A view of this card calls for something; `cut`: and the connection is cut.
    pub fn call(&self, card: usize, method: &'static str, params: Value, mark: &str, cut: bool) {
        let mut state = self.state();
        let viewer = state.cards[card].who.viewer;
        let (mark, caller) = (mark.to_owned(), state.attempts.len());
        let sent = params.clone();
        state.attempts.push(Attempt { card, viewer, method, mark, params: sent, outcome: None });
        state.cards[card].cut_after_request = cut;
        let call = Input::Call { caller: caller as u64, method, params };
        state.input(self, card, call);
        state.cards[card].cut_after_request = false;
    }

    /// So much time passes for a card, in which nothing comes.
    pub fn wait(&self, card: usize, by_ms: u64) {
        let mut state = self.state();
        let end = state.cards[card].time + by_ms;
        while let Some((due, at)) = state.cards[card].timers.iter().copied().min_by_key(|(_, at)| *at)
            && at <= end
        {
            state.cards[card].time = at;
            state.run_out(self, card, due);
        }
        state.cards[card].time = end;
        drop(state);
        ring(&self.bell);
    }

    /// Each page asks what it would ask within so much time, as somebody sits before it.
    pub fn ask_again(&self, within_ms: u64) {
        let mut state = self.state();
        for card in 0..state.cards.len() {
            let end = state.cards[card].time + within_ms;
            let due = |(due, at): &(Due, u64)| matches!(due, Due::Client(_)) && *at <= end;
            let timers: Vec<_> = state.cards[card].timers.iter().copied().filter(due).collect();
            for (due, _) in timers {
                state.run_out(self, card, due);
            }
        }
    }

    /// Takes the newest card away.
    pub fn remove_last(&self) {
        let mut state = self.state();
        let last = state.cards.len() - 1;
        state.leave(self, last);
        state.cards.pop();
    }

    /// News of a card's connections.
    pub fn news(&self, of: CardId, news: connection::Input<'_>) {
        let mut state = self.state();
        if state.is(of) {
            match news {
                connection::Input::Carrier(number, CarrierNews::SocketClosed { .. }) => {
                    state.cards[of.card].socket.take_if(|(open, ..)| *open == number);
                }
                connection::Input::Http(number, HttpNews::End | HttpNews::Broken) => {
                    state.cards[of.card].exchanges.retain(|(open, _)| *open != number);
                }
                _ => {}
            }
            state.input(self, of.card, Input::Connection(news));
        }
        drop(state);
        ring(&self.bell);
    }

    /// Has the card's next attempt begin soon.
    fn pace(&self, state: &State, card: usize) {
        let of = &state.cards[card];
        let Some(due) = of.next_attempt().filter(|_| state.has_gateway(card)) else { return };
        let wait = Duration::from_millis(due.saturating_sub(of.time)) / FASTER;
        let (pages, of) = (self.clone(), CardId { card, client: of.client.number() });
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            let mut state = pages.state();
            if state.is(of) && state.has_gateway(card) && state.cards[card].next_attempt() == Some(due) {
                state.cards[card].time = due;
                state.run_out(&pages, card, Due::Connection(connection::Timer::Attempt));
            }
            drop(state);
            ring(&pages.bell);
        });
    }
}

impl State {
    /// What a page must not do or see, or a call that nobody will hear of any more. What is posted does not need the stream.
    pub fn first_wrong(&self) -> Option<String> {
        let is_forgotten = |attempt: &&Attempt| {
            let of = &self.cards[attempt.card];
            attempt.outcome.is_none() && of.who.carrier == Carrier::WebSocket && !of.is_open()
        };
        let forgotten = self.attempts.iter().find(is_forgotten);
        let wrong =
            || forgotten.map(|attempt| format!("the connection is lost, and nobody says so of {attempt:?}"));
        self.wrong.first().cloned().or_else(wrong)
    }

    fn is(&self, of: CardId) -> bool {
        self.cards.get(of.card).is_some_and(|card| card.client.number() == of.client)
    }

    /// Whether there is a gateway where it looks for one.
    fn has_gateway(&self, card: usize) -> bool {
        self.gateways[self.cards[card].gateway].is_some()
    }

    fn begin(&mut self, pages: &Pages, card: usize) {
        self.clients += 1;
        let of = &mut self.cards[card];
        of.begun = true;
        of.client = Client::new(self.clients);
        let attributes = Attributes {
            src: Some(GATEWAY),
            session: Some(self.session),
            transport: Some(if of.who.carrier == Carrier::Sse { "sse" } else { "ws" }),
            token: Some(if of.who.viewer { VIEWER } else { OPERATOR }),
            page: "http://page/",
            ..Attributes::default()
        };
        let seed = self.clients.into();
        self.input(pages, card, Input::Connect { attributes: &attributes, other_transport: false, seed });
        self.input(pages, card, Input::Connection(connection::Input::Start { hidden: false }));
    }

    fn leave(&mut self, pages: &Pages, card: usize) {
        self.input(pages, card, Input::Gone);
        self.break_connections(pages, card);
    }

    fn break_connections(&mut self, pages: &Pages, card: usize) {
        let of = &mut self.cards[card];
        let exchanges = std::mem::take(&mut of.exchanges);
        if let Some((number, _, task)) = of.socket.take() {
            task.abort();
            let closed = CarrierNews::SocketClosed { code: 1006, reason: String::new() };
            self.input(pages, card, Input::Connection(connection::Input::Carrier(number, closed)));
        }
        for (number, task) in exchanges {
            task.abort();
            let broken = connection::Input::Http(number, HttpNews::Broken);
            self.input(pages, card, Input::Connection(broken));
        }
    }

    fn run_out(&mut self, pages: &Pages, card: usize, due: Due) {
        self.cards[card].drop_timer(due);
        let input = match due {
            Due::Client(timer) => Input::Timer(timer),
            Due::Connection(timer) => Input::Connection(connection::Input::Timer(timer)),
        };
        self.input(pages, card, input);
    }

    /// Gives a client an input, and carries out what comes of it.
    fn input(&mut self, pages: &Pages, card: usize, input: Input<'_>) {
        let mut effects: VecDeque<Effect> = self.update(card, input).into();
        loop {
            while let Some(effect) = effects.pop_front() {
                if let Effect::OfferAnswer { request, method, params } = effect {
                    self.answer_begins(card, method, params);
                    effects.extend(self.update(card, Input::HostTook(&request, false)));
                } else if let Some(input) = self.carry_out(pages, card, effect) {
                    effects.extend(self.update(card, input));
                }
            }
            let changes = self.cards[card].session.take_changes();
            if changes.is_empty() {
                break;
            }
            effects.extend(self.update(card, Input::Committed { changes: &changes, reading: false }));
        }
        self.cards[card].take_read();
        pages.pace(self, card);
    }

    fn update(&mut self, card: usize, input: Input<'_>) -> Vec<Effect> {
        let Card { client, session, page, time, .. } = &mut self.cards[card];
        client.update(*time, input, session, &mut self.pages[*page])
    }

    fn carry_out(&mut self, pages: &Pages, card: usize, effect: Effect) -> Option<Input<'static>> {
        match effect {
            Effect::Browser(effect) => return self.browser(pages, card, effect).map(Input::Connection),
            Effect::SetTimer(timer, delay_ms) => {
                self.cards[card].set_timer(Due::Client(timer), delay_ms.into());
            }
            Effect::DropTimer(timer) => self.cards[card].drop_timer(Due::Client(timer)),
            Effect::Tell(number, news) => self.tell(pages, number, news),
            Effect::Connection(state, _) => self.connection_changed(card, state),
            Effect::Listed(_) => return Some(Input::Connection(connection::Input::ShowFirst)),
            Effect::Role { viewer } => assert_eq!(viewer, self.cards[card].who.viewer),
            Effect::Called { method, params, outcome } if RequestKind::is_answer(&method) => {
                self.answered(card, &params, outcome);
            }
            Effect::Resolve(caller, outcome) => {
                let outcome = outcome.map_or_else(|failure| of_failure(&failure), Outcome::Result);
                self.attempts[usize::try_from(caller).unwrap()].ends(outcome, &mut self.wrong);
            }
            Effect::Relay { .. } => panic!("there is no board"),
            Effect::Recall(name) => {
                let stored = self.stored.get(&(self.cards[card].page, name)).cloned();
                return Some(Input::Recalled(stored));
            }
            Effect::Keep(name, text) => {
                let place = (self.cards[card].page, name);
                match text {
                    Some(text) => _ = self.stored.insert(place, text),
                    None => _ = self.stored.remove(&place),
                }
            }
            Effect::Error(message) => self.wrong.push(format!("{}: {message}", self.cards[card].name)),
            Effect::Server { .. }
            | Effect::Health(_)
            | Effect::Commit
            | Effect::Progress(..)
            | Effect::Trouble(..)
            | Effect::Status(_)
            | Effect::OfferRequest(..)
            | Effect::OfferAnswer { .. }
            | Effect::Called { .. }
            | Effect::Watchers(_)
            | Effect::Telemetry(_) => {}
        }
        None
    }

    fn connection_changed(&mut self, card: usize, state: ConnectionState) {
        let of = &mut self.cards[card];
        if let ConnectionState::Closed { reason } = &state
            && *reason != ClosedReason::ByPage
        {
            self.wrong.push(format!("{} connects no more: {reason}", of.name));
        }
        of.connection = state;
    }

    /// A person has given an answer, which is sent now.
    fn answer_begins(&mut self, card: usize, method: &'static str, params: Value) {
        let mark = params["mark"].as_str().unwrap_or_default().to_owned();
        let viewer = self.cards[card].who.viewer;
        self.attempts.push(Attempt { card, viewer, method, mark, params, outcome: None });
    }

    fn tell(&mut self, pages: &Pages, to: u32, news: News) {
        let to = self.cards.iter().position(|card| card.client.number() == to);
        self.input(pages, to.expect("nobody is there any more"), Input::News(news));
    }

    /// What became of an answer, as far as people see it.
    fn answered(&mut self, card: usize, params: &Value, outcome: Result<Value, String>) {
        let request = params["requestId"].as_str().unwrap_or_default();
        let outcome = match (outcome, self.cards[card].life(request)) {
            (Ok(result), _) => Outcome::Result(result),
            // The card can be answered again, and says why.
            (Err(why), Some(RequestStage::Waiting)) => Outcome::Refused(None, why),
            (Err(_), _) => Outcome::Unknown,
        };
        let mut open = self.attempts.iter_mut().filter(|one| one.card == card && one.outcome.is_none());
        match open.find(|attempt| attempt.params == *params) {
            Some(attempt) => attempt.ends(outcome, &mut self.wrong),
            None => self.wrong.push(format!("nobody waits for what became of {params}")),
        }
    }

    fn browser(
        &mut self,
        pages: &Pages,
        card: usize,
        effect: connection::Effect,
    ) -> Option<connection::Input<'static>> {
        use connection::Effect;
        let of = &mut self.cards[card];
        let id = CardId { card, client: of.client.number() };
        match effect {
            Effect::OpenSocket(number, _) => {
                assert!(of.socket.is_none(), "one socket at a time");
                let (to, outgoing) = mpsc::unbounded_channel();
                let socket = network::socket(pages.clone(), id, number, outgoing, of.reading.subscribe());
                of.socket = Some((number, to, tokio::spawn(socket).abort_handle()));
            }
            Effect::Send(id, text) => {
                let cut = std::mem::take(&mut of.cut_after_request);
                let sent =
                    of.socket.as_ref().is_some_and(|(_, to, _)| to.send(Outgoing { text, cut }).is_ok());
                if !sent {
                    return Some(connection::Input::Unsent(id));
                }
            }
            Effect::CloseCarrier { .. } => {
                if let Some((.., task)) = of.socket.take() {
                    task.abort();
                }
            }
            Effect::Fetch(number, mut request) => {
                if of.wants_whole && request.url.contains("/history") {
                    request.url += if request.url.contains('?') { "&whole=1" } else { "?whole=1" };
                } else if of.wants_whole {
                    request.url = request.url.replace("history=1", "");
                }
                let cut = request.body.is_some() && std::mem::take(&mut of.cut_after_request);
                let exchange =
                    network::exchange(pages.clone(), id, number, request, cut, of.reading.subscribe());
                of.exchanges.push((number, tokio::spawn(exchange).abort_handle()));
            }
            Effect::Abort(number) => {
                for (_, task) in of.exchanges.extract_if(.., |(open, _)| *open == number) {
                    task.abort();
                }
            }
            Effect::SetTimer(timer, delay_ms) => of.set_timer(Due::Connection(timer), delay_ms),
            Effect::DropTimer(timer) => of.drop_timer(Due::Connection(timer)),
            Effect::AskCredentials { number, .. } => {
                return Some(connection::Input::Credentials(number, Credentials::Absent));
            }
            Effect::OpenHost(..) | Effect::CallHost(..) => panic!("there is no transport of a host"),
        }
        None
    }
}

fn of_failure(failure: &CallFailure) -> Outcome {
    if failure.unsent {
        Outcome::NotSent
    } else if failure.outcome_is_unknown() {
        Outcome::Unknown
    } else {
        Outcome::Refused(failure.reason, failure.words.clone())
    }
}
