//! Virtual time: the pages with their clients, the network between, and the scripted gateway. Nothing here sleeps; time is
//! a number, and every timer is in a list.

use std::collections::{BTreeMap, VecDeque};

use pilothouse::core::Session;
use pilothouse::core::client::connection::{
    self, CarrierNews, Credentials, HttpNews, HttpRequest, ResponseHead,
};
use pilothouse::core::client::{Client, Effect, Input, News, Page, Timer};
use pilothouse::core::connection::{Attributes, ConnectionState, WakeSign};
use pilothouse::core::model::answer::{Answer, prepare};
use pilothouse::core::model::request::RequestStage;
use pilothouse::core::protocol::call::CallFailure;
use serde_json::{Value, json};

use super::server::{Reaction, SESSION, Server};

/// How often the gateway gives a sign of life on an event stream, in milliseconds.
const KEEP_ALIVE_MS: u64 = 15_000;

/// What the gateway sends down a pipe.
#[derive(Debug, Clone)]
pub enum Down {
    Opened,
    Message(Vec<u8>),
    Head(ResponseHead),
    Part(Vec<u8>),
    End,
    Closed(u16),
    Broken,
}

/// What the page knows a pipe by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Socket(u32),
    Http(u32),
}

/// A socket or an HTTP exchange.
#[derive(Debug)]
struct Pipe {
    card: usize,
    end: End,
    down: VecDeque<Down>,
    /// Requests that have not reached the gateway yet.
    up: VecDeque<String>,
    /// The position of the last event that was sent down; `None` without a subscription.
    sent: Option<u64>,
    streams: bool,
    /// Nothing gets through any more, and nobody says so.
    dead: bool,
    over: bool,
}

impl Pipe {
    fn is_socket(&self) -> bool {
        matches!(self.end, End::Socket(_))
    }
}

/// What was in the way, and what a network does. All of it can be taken back.
#[derive(Debug, Default)]
pub struct Network {
    /// New connections are refused.
    pub refuses: bool,
    /// The gateway's answers are held back; events get through.
    pub holds_answers: bool,
    /// A slow line: an HTTP body comes in pieces of so many bytes. 0 for whole ones.
    pub piece: usize,
    delayed: Vec<(usize, End, Vec<Down>)>,
    pipes: Vec<Pipe>,
}

/// Something on a page that shows the session: an element, or a card of a board.
pub struct Card {
    pub client: Client,
    pub session: Session,
    pub state: ConnectionState,
    /// The page that it is on.
    page: usize,
    timers: Vec<(Due, u64)>,
}

impl Card {
    fn new(page: usize) -> Self {
        Self {
            client: Client::new(0),
            session: Session::new(),
            state: ConnectionState::Connecting { attempt: 1 },
            page,
            timers: Vec::new(),
        }
    }
}

/// A timer, of the client or of its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    Client(Timer),
    Connection(connection::Timer),
}

pub struct World {
    pub server: Server,
    pub network: Network,
    pub cards: Vec<Card>,
    pages: Vec<Page>,
    /// What each tab keeps, by name.
    kept: BTreeMap<(usize, String), String>,
    transport: String,
    seed: u64,
    /// The number of the newest client.
    last_number: u32,
    /// All of them stand still.
    frozen: bool,
    pub calls: u64,
    /// What became of each call.
    pub outcomes: BTreeMap<u64, Vec<Result<Value, CallFailure>>>,
    /// The answers that people have given, by request.
    pub presses: BTreeMap<String, usize>,
    /// Milliseconds that have passed, which timers count.
    pub time: u64,
    /// How far the machine's clock is from it.
    pub clock: i64,
}

impl World {
    /// Cards on these pages, which have just begun to connect over `ws`, `sse` or `auto`.
    pub fn new(transport: &str, seed: u64, pages: &[usize]) -> Self {
        let mut server = Server::default();
        server.far_behind = (seed % 4).checked_sub(1);
        server.forget();
        let mut world = Self {
            server,
            network: Network::default(),
            cards: pages.iter().map(|page| Card::new(*page)).collect(),
            transport: transport.to_owned(),
            seed,
            last_number: 0,
            pages: vec![Page::default(); pages.iter().max().map_or(0, |most| most + 1)],
            frozen: false,
            kept: BTreeMap::new(),
            calls: 0,
            outcomes: BTreeMap::new(),
            presses: BTreeMap::new(),
            time: 0,
            clock: 1_700_000_000_000,
        };
        for card in 0..world.cards.len() {
            world.open(card);
        }
        world
    }

    /// A card begins to connect.
    fn open(&mut self, card: usize) {
        let transport = self.transport.clone();
        let attributes = Attributes {
            src: Some("http://gateway/"),
            transport: Some(&transport),
            session: (!self.seed.is_multiple_of(3)).then_some(SESSION),
            page: "http://page/",
            ..Attributes::default()
        };
        self.last_number += 1;
        self.cards[card].client = Client::new(self.last_number);
        let seed = self.seed + u64::from(self.last_number);
        self.input(card, Input::Connect { attributes: &attributes, other_transport: false, seed });
        self.connection(card, connection::Input::Start { hidden: false });
    }

    /// A card goes away, and another one comes in its place.
    pub fn reopen(&mut self, card: usize) {
        self.input(card, Input::Gone);
        let is_post = |timer: &Due| matches!(timer, Due::Connection(connection::Timer::Exchange(_)));
        let mut timers = self.cards[card].timers.iter();
        assert!(timers.all(|(timer, _)| is_post(timer)), "only posts run for who is gone");
        self.close(|pipe| pipe.card == card);
        // News of what was open before would be taken for news of what is opened now.
        self.network.delayed.retain(|(of, ..)| *of != card);
        self.cards[card] = Card::new(self.cards[card].page);
        self.open(card);
    }

    /// The page's clock.
    fn now(&self) -> u64 {
        self.time.saturating_add_signed(self.clock)
    }

    /// Gives every card's connection an input.
    pub fn everywhere(&mut self, input: impl Fn() -> connection::Input<'static>) {
        for card in 0..self.cards.len() {
            self.connection(card, input());
        }
    }

    fn connection(&mut self, card: usize, input: connection::Input<'_>) {
        self.input(card, Input::Connection(input));
    }

    /// Gives a client an input, and carries out what comes of it.
    pub fn input(&mut self, card: usize, input: Input<'_>) {
        let is_gone = matches!(input, Input::Gone);
        let mut effects: VecDeque<Effect> = self.update(card, input).into();
        loop {
            while let Some(effect) = effects.pop_front() {
                if let Some(input) = self.carry_out(card, effect) {
                    effects.extend(self.update(card, input));
                }
            }
            let changes = self.cards[card].session.take_changes();
            if changes.is_empty() && (is_gone || !self.cards[card].client.has_unhandled_changes()) {
                break;
            }
            effects.extend(self.update(card, Input::Committed { changes: &changes, reading: false }));
        }
    }

    fn update(&mut self, card: usize, input: Input<'_>) -> Vec<Effect> {
        let now = self.now();
        let Card { client, session, page, .. } = &mut self.cards[card];
        client.update(now, input, session, &mut self.pages[*page])
    }

    fn carry_out(&mut self, card: usize, effect: Effect) -> Option<Input<'static>> {
        match effect {
            Effect::Browser(effect) => return self.browser(card, effect).map(Input::Connection),
            Effect::SetTimer(timer, delay_ms) => self.set_timer(card, Due::Client(timer), delay_ms.into()),
            Effect::DropTimer(timer) => self.drop_timer(card, Due::Client(timer)),
            Effect::Tell(number, news) => self.tell(card, number, news),
            Effect::Connection(state, _) => self.cards[card].state = state,
            Effect::Listed(_) => return Some(Input::Connection(connection::Input::ShowFirst)),
            Effect::Role { viewer } => assert!(!viewer),
            Effect::OfferAnswer { request, .. } => {
                let effects = self.update(card, Input::HostTook(&request, false));
                for effect in effects {
                    assert!(self.carry_out(card, effect).is_none());
                }
            }
            Effect::Resolve(caller, outcome) => {
                self.outcomes.entry(caller).or_default().push(outcome);
            }
            Effect::Relay { .. } => panic!("there is no board"),
            Effect::Recall(name) => {
                let kept = self.kept.get(&(self.cards[card].page, name)).cloned();
                return Some(Input::Recalled(kept));
            }
            Effect::Keep(name, text) => {
                let place = (self.cards[card].page, name);
                match text {
                    Some(text) => _ = self.kept.insert(place, text),
                    None => _ = self.kept.remove(&place),
                }
            }
            Effect::Server { .. }
            | Effect::Health(_)
            | Effect::Watchers(_)
            | Effect::Error(_)
            | Effect::Commit
            | Effect::Progress(..)
            | Effect::Trouble(..)
            | Effect::Status(_)
            | Effect::OfferRequest(..)
            | Effect::Called { .. }
            | Effect::Telemetry(_) => {}
        }
        None
    }

    fn tell(&mut self, from: usize, to: u32, news: News) {
        let Some(to) = self.cards.iter().position(|card| card.client.number() == to) else {
            panic!("nobody is there any more")
        };
        assert_eq!(self.cards[from].page, self.cards[to].page, "pages know nothing of each other");
        assert_ne!(from, to);
        self.input(to, Input::News(news));
    }

    fn set_timer(&mut self, card: usize, timer: Due, delay_ms: u64) {
        self.drop_timer(card, timer);
        self.cards[card].timers.push((timer, self.time + delay_ms));
    }

    fn drop_timer(&mut self, card: usize, timer: Due) {
        self.cards[card].timers.retain(|(set, _)| *set != timer);
    }

    fn browser(&mut self, card: usize, effect: connection::Effect) -> Option<connection::Input<'static>> {
        use connection::Effect;
        match effect {
            Effect::OpenSocket(number, url) => {
                assert_eq!(url, "ws://gateway/api/rpc");
                let open = |pipe: &Pipe| pipe.card == card && pipe.is_socket() && !pipe.over;
                assert!(!self.network.pipes.iter().any(open), "one socket at a time");
                let down = if self.network.refuses { Down::Closed(1006) } else { Down::Opened };
                self.pipe(card, End::Socket(number), down);
            }
            Effect::OpenHost(..) | Effect::CallHost(..) => panic!("there is no transport of a host"),
            Effect::Send(id, text) => {
                let mut pipes = self.network.pipes.iter_mut().rev();
                match pipes.find(|pipe| pipe.card == card && pipe.is_socket() && !pipe.over) {
                    Some(pipe) => pipe.up.push_back(text),
                    None => return Some(connection::Input::Unsent(id)),
                }
            }
            Effect::CloseCarrier { .. } => self.close(|pipe| pipe.card == card && pipe.is_socket()),
            Effect::Fetch(number, request) => self.fetch(card, number, &request),
            Effect::Abort(number) => {
                self.close(|pipe| pipe.card == card && pipe.end == End::Http(number));
            }
            Effect::SetTimer(timer, delay_ms) => self.set_timer(card, Due::Connection(timer), delay_ms),
            Effect::DropTimer(timer) => self.drop_timer(card, Due::Connection(timer)),
            Effect::AskCredentials { number, .. } => {
                return Some(connection::Input::Credentials(number, Credentials::Absent));
            }
        }
        None
    }

    /// The page ends pipes. What was sent before may still arrive; nothing comes back.
    fn close(&mut self, which: impl Fn(&Pipe) -> bool) {
        for pipe in self.network.pipes.iter_mut().filter(|pipe| which(pipe)) {
            pipe.over = true;
            pipe.down.clear();
        }
    }

    fn pipe(&mut self, card: usize, end: End, first: Down) {
        self.network.pipes.push(Pipe {
            card,
            end,
            down: VecDeque::from([first]),
            up: VecDeque::new(),
            sent: None,
            streams: false,
            dead: false,
            over: false,
        });
    }

    fn fetch(&mut self, card: usize, number: u32, request: &HttpRequest) {
        let end = End::Http(number);
        self.pipe(card, end, Down::Broken);
        if self.network.refuses {
            return;
        }
        let Some(pipe) = self.network.pipes.last_mut() else { return };
        pipe.down.clear();
        pipe.up.push_back(json!({ "url": request.url, "body": request.body }).to_string());
    }

    /// Sends a call from a card.
    pub fn call(&mut self, card: usize) {
        self.calls += 1;
        let params = json!({ "mark": self.calls });
        self.input(card, Input::Call { caller: self.calls, method: "session.mark", params });
    }

    /// A person allows the first request on a card that can be answered, if there is one.
    pub fn press(&mut self, card: usize) {
        let state = self.cards[card].session.state();
        let mut open = state.open_requests.iter().filter_map(|place| state.entry(*place));
        let Some((id, prepared, life)) = open.find_map(|entry| {
            let request = entry.request()?;
            let prepared = prepare(request, &Answer::ApproveOnce);
            (!request.is_sending()).then(|| (entry.id.clone(), prepared, request.stage.clone()))
        }) else {
            return;
        };
        // Where nothing shows whether an answer arrived, the card offers to give it again.
        let answer = (!matches!(life, RequestStage::Unsure(_))).then_some(prepared);
        self.input(card, Input::Answer { request: &id, answer, of_host: false });
        *self.presses.entry(id).or_default() += 1;
    }

    /// A page is loaded again: what it shared is gone, but for what its tab keeps.
    pub fn reload(&mut self, page: usize) {
        for card in 0..self.cards.len() {
            if self.cards[card].page == page {
                self.reopen(card);
            }
        }
        self.pages[page] = Page::default();
        for card in 0..self.cards.len() {
            if self.cards[card].page == page {
                self.reopen(card);
            }
        }
    }

    /// Whether no tab keeps anything.
    pub fn is_nothing_kept(&self) -> bool {
        self.kept.is_empty()
    }

    /// What one end has sent reaches the other: so many messages of each pipe.
    pub fn deliver(&mut self, most: usize) {
        self.network.pipes.retain(|pipe| !(pipe.over && pipe.up.is_empty()));
        for _ in 0..most {
            let mut moved = false;
            for place in 0..self.network.pipes.len() {
                moved |= self.deliver_up(place);
                self.send_events(place);
                moved |= !self.frozen && self.deliver_down(place);
            }
            if !moved {
                return;
            }
        }
    }

    /// The next request reaches the gateway. False if there is none.
    fn deliver_up(&mut self, place: usize) -> bool {
        let pipe = &mut self.network.pipes[place];
        let Some(text) = pipe.up.pop_front().filter(|_| !pipe.dead) else { return false };
        let request: Value = serde_json::from_str(&text).unwrap();
        let end = pipe.end;
        let down = match end {
            End::Socket(_) => {
                let (id, method) = (&request["id"], request["method"].as_str().unwrap());
                let answer = match self.server.request(method, &request["params"]) {
                    Reaction::Answer(Ok(result)) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    Reaction::Answer(Err((code, message))) => {
                        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
                    }
                    Reaction::Subscribed(after, result) => {
                        self.network.pipes[place].sent = Some(after);
                        json!({ "jsonrpc": "2.0", "id": id, "result": result })
                    }
                    Reaction::Unsubscribed => {
                        self.network.pipes[place].sent = None;
                        json!({ "jsonrpc": "2.0", "id": id, "result": {} })
                    }
                };
                vec![Down::Message(answer.to_string().into_bytes())]
            }
            End::Http(_) => self.http(place, &request),
        };
        // The answers of the handshake are what opens a connection.
        let is_call = request["method"].as_str().is_some_and(|method| !method.starts_with("pilothouse."))
            || request["body"].is_string();
        // Nobody waits at an end that is closed, and its number may be that of another one by then.
        if self.network.holds_answers && is_call && !self.network.pipes[place].over {
            self.network.delayed.push((self.network.pipes[place].card, end, down));
        } else {
            self.network.pipes[place].down.extend(down);
        }
        true
    }

    fn http(&mut self, place: usize, request: &Value) -> Vec<Down> {
        let head = |kind: &str| ResponseHead {
            status: 200,
            content_type: Some(kind.to_owned()),
            ..ResponseHead::default()
        };
        let url = request["url"].as_str().unwrap();
        if let Some(body) = request["body"].as_str() {
            let call: Value = serde_json::from_str(body).unwrap();
            let answer = match self.server.request(call["method"].as_str().unwrap(), &call["params"]) {
                Reaction::Answer(Ok(result)) => {
                    json!({ "jsonrpc": "2.0", "id": call["id"], "result": result })
                }
                Reaction::Answer(Err((code, message))) => {
                    json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": code, "message": message } })
                }
                _ => Value::Null,
            };
            let body = answer.to_string().into_bytes();
            return vec![Down::Head(head("application/json")), Down::Part(body), Down::End];
        }
        if url.ends_with("api/sessions") {
            let list = json!([{ "sessionId": SESSION }]).to_string().into_bytes();
            return vec![Down::Head(head("application/json")), Down::Part(list), Down::End];
        }
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        let after = query.split('&').find_map(|part| part.strip_prefix("after="));
        let after = after.map_or(0, |after| after.parse().unwrap());
        let newest = self.server.newest();
        let asks = query.ends_with("history=1") && self.server.names_history(after);
        if asks || address.ends_with("/history") {
            assert!(self.server.far_behind.is_some(), "a server that knows no history is not asked for it");
            let head = ResponseHead { newest: Some(newest), ..head("application/jsonl; charset=utf-8") };
            let lines = self.server.history(if after > newest { 0 } else { after }).into_bytes();
            return vec![Down::Head(head), Down::Part(lines), Down::End];
        }
        // A gateway that has less begins anew.
        let sent = if after > newest { 0 } else { after };
        let pipe = &mut self.network.pipes[place];
        (pipe.sent, pipe.streams) = (Some(sent), true);
        vec![Down::Head(ResponseHead {
            newest: Some(newest),
            protocol: Some(1),
            ..head("text/event-stream")
        })]
    }

    fn send_events(&mut self, place: usize) {
        let pipe = &mut self.network.pipes[place];
        let Some(sent) = pipe.sent.filter(|_| !pipe.over) else { return };
        for (number, event) in self.server.log.iter().enumerate().skip(sent as usize) {
            let seq = number as u64 + 1;
            pipe.sent = Some(seq);
            pipe.down.push_back(if pipe.streams {
                Down::Part(format!("id: {seq}\ndata: {event}\n\n").into_bytes())
            } else {
                let params = format!(r#"{{"sessionId":"{SESSION}","event":{event},"seq":{seq}}}"#);
                Down::Message(
                    format!(r#"{{"jsonrpc":"2.0","method":"session.event","params":{params}}}"#).into_bytes(),
                )
            });
        }
    }

    /// What comes next reaches the page. False if nothing does.
    fn deliver_down(&mut self, place: usize) -> bool {
        let pipe = &mut self.network.pipes[place];
        if pipe.dead || pipe.over {
            return false;
        }
        let Some(mut news) = pipe.down.pop_front() else { return false };
        if let Down::Part(part) = &mut news
            && (1..part.len()).contains(&self.network.piece)
        {
            let rest = part.split_off(self.network.piece);
            pipe.down.push_front(Down::Part(rest));
        }
        if matches!(news, Down::Closed(_) | Down::Broken | Down::End) {
            pipe.over = true;
        }
        let card = pipe.card;
        let input = match (pipe.end, &news) {
            (End::Socket(number), Down::Opened) => {
                connection::Input::Carrier(number, CarrierNews::SocketOpened)
            }
            (End::Socket(number), Down::Message(bytes)) => {
                connection::Input::Carrier(number, CarrierNews::Message(bytes, None))
            }
            (End::Socket(number), Down::Closed(code)) => {
                let closed = CarrierNews::SocketClosed { code: *code, reason: String::new() };
                connection::Input::Carrier(number, closed)
            }
            (End::Http(number), Down::Head(head)) => {
                connection::Input::Http(number, HttpNews::Head(head.clone()))
            }
            (End::Http(number), Down::Part(bytes)) => connection::Input::Http(number, HttpNews::Body(bytes)),
            (End::Http(number), Down::End) => connection::Input::Http(number, HttpNews::End),
            (End::Http(number), Down::Broken) => connection::Input::Http(number, HttpNews::Broken),
            (end, news) => panic!("{news:?} on {end:?}"),
        };
        self.connection(card, input);
        true
    }

    /// Every connection ends. `arrives`: what the page has sent reaches the gateway all the same. `torn`: so many bytes of the
    /// next part of an HTTP body still reach the page. Of a WebSocket's message a browser gives nobody a part.
    pub fn cut(&mut self, arrives: bool, torn: usize) {
        for place in 0..self.network.pipes.len() {
            while arrives && !self.network.pipes[place].up.is_empty() {
                self.deliver_up(place);
            }
            self.send_events(place);
            let pipe = &mut self.network.pipes[place];
            pipe.up.clear();
            let next = pipe.down.drain(..).next();
            if let Some(Down::Part(mut part)) = next.filter(|_| torn > 0) {
                part.truncate(torn);
                pipe.down.push_back(Down::Part(part));
            }
            pipe.down.push_back(if pipe.is_socket() { Down::Closed(1006) } else { Down::Broken });
            pipe.sent = None;
        }
        self.network.delayed.clear();
        self.network.piece = 0;
        // What had come of a body is read before the page hears that its socket is closed.
        let (sockets, bodies): (Vec<_>, Vec<_>) =
            (0..self.network.pipes.len()).partition(|place| self.network.pipes[*place].is_socket());
        for place in bodies.into_iter().chain(sockets) {
            while !self.frozen && self.deliver_down(place) {}
        }
    }

    /// Every connection is half open from now on.
    pub fn half_open(&mut self) {
        for pipe in &mut self.network.pipes {
            pipe.dead = true;
        }
    }

    /// The gateway ends and starts again, with its log or without.
    pub fn restart(&mut self, keeps_log: bool) {
        self.cut(false, 0);
        if !keeps_log {
            self.server.forget();
        }
    }

    /// Answers are not held back any longer.
    pub fn release(&mut self) {
        self.network.holds_answers = false;
        for (card, end, down) in std::mem::take(&mut self.network.delayed) {
            let mut pipes = self.network.pipes.iter_mut();
            if let Some(pipe) = pipes.find(|pipe| pipe.card == card && pipe.end == end && !pipe.over) {
                pipe.down.extend(down);
            }
        }
    }

    /// Time passes, and the timers run out that are due.
    pub fn advance(&mut self, by_ms: u64) {
        let end = self.time + by_ms;
        if self.frozen {
            self.time = end;
        }
        while self.time < end {
            let sign_of_life = (self.time / KEEP_ALIVE_MS + 1) * KEEP_ALIVE_MS;
            self.run_timers(end.min(sign_of_life));
            if self.time == sign_of_life {
                let streams =
                    self.network.pipes.iter_mut().filter(|pipe| pipe.streams && pipe.sent.is_some());
                for pipe in streams {
                    pipe.down.push_back(Down::Part(b":\n\n".to_vec()));
                }
                self.deliver(50);
            }
        }
    }

    fn run_timers(&mut self, end: u64) {
        loop {
            let timers = self.cards.iter().enumerate();
            let all =
                timers.flat_map(|(card, of)| of.timers.iter().map(move |(timer, at)| (*at, card, *timer)));
            let Some((at, card, timer)) = all.min_by_key(|(at, ..)| *at).filter(|(at, ..)| *at <= end) else {
                break;
            };
            self.time = self.time.max(at);
            self.drop_timer(card, timer);
            match timer {
                Due::Client(timer) => self.input(card, Input::Timer(timer)),
                Due::Connection(timer) => self.connection(card, connection::Input::Timer(timer)),
            }
            self.deliver(50);
        }
        self.time = end;
    }

    /// The pages stand still for so long, and go on.
    pub fn freeze(&mut self, for_ms: u64) {
        self.frozen = true;
        self.deliver(50);
        self.advance(for_ms);
        self.frozen = false;
        self.everywhere(|| connection::Input::Wake(WakeSign::Thawed));
    }

    /// Nothing is in the way any more, and everything gets the time that it needs.
    pub fn heal(&mut self) {
        self.network.refuses = false;
        self.network.piece = 0;
        self.release();
        self.everywhere(|| connection::Input::Wake(WakeSign::Online));
        for _ in 0..40 {
            self.deliver(50);
            self.advance(5_000);
        }
    }

    /// The timers that run.
    pub fn timers(&self) -> Vec<Due> {
        self.cards.iter().flat_map(|card| card.timers.iter().map(|(timer, _)| *timer)).collect()
    }

    /// The session of a page that nothing has disturbed.
    pub fn undisturbed(&self) -> Session {
        let mut session = Session::new();
        session.follow_from(None);
        for (number, event) in self.server.log.iter().enumerate() {
            session.push_server_sent("message", event, Some(number as u64 + 1));
        }
        session
    }
}
