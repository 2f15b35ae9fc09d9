//! Virtual time: a page with its connection, the network between, and the scripted gateway. Nothing here sleeps; time is a
//! number, and every timer is in a list.

use std::collections::{BTreeMap, VecDeque};

use pilothouse::core::Session;
use pilothouse::core::client::RequestError;
use pilothouse::core::client::connection::{
    CarrierNews, Connection, Credentials, Effect, Frame, FrameResult, Head, HttpNews, HttpRequest, Input,
    Opened, Outcome, Receiver, Report, Timer,
};
use pilothouse::core::connection::{Attributes, ConnectionState, Target, Wake};
use serde_json::{Value, json};

use super::server::{Reaction, SESSION, Server};

/// What the gateway sends down a pipe.
#[derive(Debug, Clone)]
pub enum Down {
    Opened,
    Message(Vec<u8>),
    Head(Head),
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

/// What was in the way, and what a network does. All of it can be taken back.
#[derive(Debug, Default)]
pub struct Network {
    /// New connections are refused.
    pub refuses: bool,
    /// The gateway's answers are held back; events get through.
    pub holds_answers: bool,
    held: Vec<(End, Vec<Down>)>,
    pipes: Vec<Pipe>,
}

/// A page that shows one session.
pub struct Page {
    pub connection: Connection,
    pub session: Session,
    pub state: ConnectionState,
    /// What became of each call.
    pub outcomes: BTreeMap<u64, Vec<Outcome>>,
    pub calls: u64,
    timers: Vec<(Timer, u64)>,
    linked: bool,
    frozen: bool,
    /// Every state that was reported, for tests that look at one case.
    pub words: Vec<&'static str>,
}

pub struct World {
    pub server: Server,
    pub network: Network,
    pub page: Page,
    /// Milliseconds that have passed, which timers count.
    pub time: u64,
    /// How far the machine's clock is from it.
    pub clock: i64,
}

/// Takes what the connection brings.
struct Into<'a>(&'a mut Session);

impl Receiver for Into<'_> {
    fn frame(&mut self, frame: Frame<'_>) -> FrameResult {
        let received = match frame {
            Frame::Bytes(bytes) => self.0.push_frame_bytes(bytes),
            Frame::ServerSent { event, data, seq } => self.0.push_server_sent(event, data, seq),
        };
        FrameResult { last_seq: received.last_seq, responses: received.responses }
    }
}

impl World {
    /// A page that has just begun to connect over `ws`, `sse` or `auto`.
    pub fn new(transport: &str, seed: u64) -> Self {
        let attributes = Attributes {
            src: Some("http://gateway/"),
            transport: Some(transport),
            session: (!seed.is_multiple_of(3)).then_some(SESSION),
            page: "http://page/",
            ..Attributes::default()
        };
        let target = Target::parse(&attributes).unwrap();
        let mut server = Server::default();
        server.forget();
        let mut world = Self {
            server,
            network: Network::default(),
            page: Page {
                connection: Connection::new(target, seed),
                session: Session::new(),
                state: ConnectionState::Connecting { attempt: 1 },
                outcomes: BTreeMap::new(),
                calls: 0,
                timers: Vec::new(),
                linked: false,
                frozen: false,
                words: Vec::new(),
            },
            time: 0,
            clock: 1_700_000_000_000,
        };
        world.input(Input::Start { hidden: false });
        world
    }

    /// The page's clock.
    fn now(&self) -> u64 {
        self.time.saturating_add_signed(self.clock)
    }

    /// Gives the page an input, and carries out what comes of it.
    pub fn input(&mut self, input: Input<'_>) {
        let mut inputs = VecDeque::from([self.update(input)]);
        while let Some(outputs) = inputs.pop_front() {
            for effect in outputs.effects {
                if let Some(more) = self.carry_out(effect) {
                    inputs.push_back(self.update(more));
                }
            }
            for report in outputs.reports {
                if let Some(more) = self.report(report) {
                    inputs.push_back(self.update(more));
                }
            }
        }
    }

    fn update(&mut self, input: Input<'_>) -> pilothouse::core::client::connection::Outputs {
        let now = self.now();
        self.page.connection.update(now, input, &mut Into(&mut self.page.session))
    }

    fn carry_out(&mut self, effect: Effect) -> Option<Input<'static>> {
        match effect {
            Effect::OpenSocket(number, url) => {
                assert_eq!(url, "ws://gateway/api/rpc");
                assert!(!self.pipes_of_sockets().any(|pipe| !pipe.over), "one socket at a time");
                let down = if self.network.refuses { Down::Closed(1006) } else { Down::Opened };
                self.pipe(End::Socket(number), down);
            }
            Effect::OpenHost(..) | Effect::CallHost(..) => panic!("there is no transport of a host"),
            Effect::Send(id, text) => {
                let socket = self
                    .network
                    .pipes
                    .iter_mut()
                    .rev()
                    .find(|pipe| matches!(pipe.end, End::Socket(_)) && !pipe.over);
                match socket {
                    Some(pipe) => pipe.up.push_back(text),
                    None => return Some(Input::Unsent(id)),
                }
            }
            Effect::CloseCarrier { .. } => {
                for pipe in self.network.pipes.iter_mut().filter(|pipe| matches!(pipe.end, End::Socket(_))) {
                    // What was sent before may still arrive; nothing comes back.
                    pipe.over = true;
                    pipe.down.clear();
                }
            }
            Effect::Fetch(number, request) => self.fetch(number, &request),
            Effect::Abort(number) => {
                for pipe in self.network.pipes.iter_mut().filter(|pipe| pipe.end == End::Http(number)) {
                    pipe.over = true;
                    pipe.down.clear();
                }
            }
            Effect::SetTimer(timer, delay_ms) => {
                self.page.timers.retain(|(set, _)| *set != timer);
                self.page.timers.push((timer, self.time + delay_ms));
            }
            Effect::DropTimer(timer) => self.page.timers.retain(|(set, _)| *set != timer),
            Effect::AskCredentials { number, .. } => {
                return Some(Input::Credentials(number, Credentials::Absent));
            }
        }
        None
    }

    fn pipes_of_sockets(&self) -> impl Iterator<Item = &Pipe> {
        self.network.pipes.iter().filter(|pipe| matches!(pipe.end, End::Socket(_)))
    }

    fn pipe(&mut self, end: End, first: Down) {
        self.network.pipes.push(Pipe {
            end,
            down: VecDeque::from([first]),
            up: VecDeque::new(),
            sent: None,
            streams: false,
            dead: false,
            over: false,
        });
    }

    fn fetch(&mut self, number: u32, request: &HttpRequest) {
        let end = End::Http(number);
        if self.network.refuses {
            return self.pipe(end, Down::Broken);
        }
        self.pipe(end, Down::Head(Head { status: 200, ..Head::default() }));
        let Some(pipe) = self.network.pipes.last_mut() else { return };
        pipe.down.clear();
        pipe.up.push_back(json!({ "url": request.url, "body": request.body }).to_string());
    }

    fn report(&mut self, report: Report) -> Option<Input<'static>> {
        let page = &mut self.page;
        match report {
            Report::State(state, _) => {
                page.words.push(state.word());
                page.state = state;
            }
            Report::Opened { session, from } => {
                assert_eq!(session, SESSION);
                page.linked = true;
                open(&mut page.session, from);
            }
            Report::Listed(_) => return Some(Input::ShowFirst),
            Report::Answered(ticket, outcome) => page.outcomes.entry(ticket).or_default().push(outcome),
            Report::Role { viewer } => assert!(!viewer),
            Report::Health(_) | Report::Error(_) | Report::Fetched(..) => {}
        }
        None
    }

    /// Sends a call; returns its ticket.
    pub fn call(&mut self, method: &str, params: Value) -> u64 {
        self.page.calls += 1;
        let ticket = self.page.calls;
        self.input(Input::Call { ticket, method, params });
        ticket
    }

    /// What one end has sent reaches the other: so many messages of each pipe.
    pub fn deliver(&mut self, most: usize) {
        self.network.pipes.retain(|pipe| !(pipe.over && pipe.up.is_empty()));
        for place in 0..self.network.pipes.len() {
            for _ in 0..most {
                self.deliver_up(place);
                self.send_events(place);
                if !self.page.frozen {
                    self.deliver_down(place);
                }
            }
        }
    }

    fn deliver_up(&mut self, place: usize) {
        let Some(pipe) = self.network.pipes.get_mut(place) else { return };
        let Some(text) = pipe.up.pop_front().filter(|_| !pipe.dead) else { return };
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
        if self.network.holds_answers && is_call {
            self.network.held.push((end, down));
        } else {
            self.network.pipes[place].down.extend(down);
        }
    }

    fn http(&mut self, place: usize, request: &Value) -> Vec<Down> {
        let head = |kind: &str| Head { status: 200, content_type: Some(kind.to_owned()), ..Head::default() };
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
        let after = url.split_once("?after=").map_or(0, |(_, after)| after.parse().unwrap());
        let newest = self.server.newest();
        // A gateway that has less begins anew.
        let sent = if after > newest { 0 } else { after };
        let pipe = &mut self.network.pipes[place];
        (pipe.sent, pipe.streams) = (Some(sent), true);
        vec![Down::Head(Head { newest: Some(newest), protocol: Some(1), ..head("text/event-stream") })]
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

    fn deliver_down(&mut self, place: usize) {
        let pipe = &mut self.network.pipes[place];
        if pipe.dead || pipe.over {
            return;
        }
        let Some(news) = pipe.down.pop_front() else { return };
        if matches!(news, Down::Closed(_) | Down::Broken | Down::End) {
            pipe.over = true;
        }
        match pipe.end {
            End::Socket(number) => {
                let carrier = |news| Input::Carrier(number, news);
                match &news {
                    Down::Opened => self.input(carrier(CarrierNews::SocketOpened)),
                    Down::Message(bytes) => self.input(carrier(CarrierNews::Message(bytes, None))),
                    Down::Closed(code) => {
                        let reason = String::new();
                        self.input(carrier(CarrierNews::SocketClosed { code: *code, reason }));
                    }
                    _ => panic!("{news:?} on a socket"),
                }
            }
            End::Http(number) => {
                let http = |news| Input::Http(number, news);
                match &news {
                    Down::Head(head) => self.input(http(HttpNews::Head(head.clone()))),
                    Down::Part(bytes) => self.input(http(HttpNews::Body(bytes))),
                    Down::End => self.input(http(HttpNews::End)),
                    _ => self.input(http(HttpNews::Broken)),
                }
            }
        }
    }

    /// Every connection ends. `arrives`: what the page has sent reaches the gateway all the same.
    pub fn cut(&mut self, arrives: bool) {
        for place in 0..self.network.pipes.len() {
            while arrives && !self.network.pipes[place].up.is_empty() {
                self.deliver_up(place);
            }
            let pipe = &mut self.network.pipes[place];
            pipe.up.clear();
            pipe.down.clear();
            pipe.down.push_back(if matches!(pipe.end, End::Socket(_)) {
                Down::Closed(1006)
            } else {
                Down::Broken
            });
            pipe.sent = None;
        }
        self.network.held.clear();
        self.deliver(1);
    }

    /// Every connection is half open from now on.
    pub fn half_open(&mut self) {
        for pipe in &mut self.network.pipes {
            pipe.dead = true;
        }
    }

    /// The gateway ends and starts again, with its log or without.
    pub fn restart(&mut self, keeps_log: bool) {
        self.cut(false);
        if !keeps_log {
            self.server.forget();
        }
    }

    /// Answers are not held back any longer.
    pub fn release(&mut self) {
        self.network.holds_answers = false;
        for (end, down) in std::mem::take(&mut self.network.held) {
            if let Some(pipe) = self.network.pipes.iter_mut().find(|pipe| pipe.end == end && !pipe.over) {
                pipe.down.extend(down);
            }
        }
    }

    /// Time passes, and the timers run out that are due.
    pub fn advance(&mut self, by_ms: u64) {
        let end = self.time + by_ms;
        while !self.page.frozen {
            let due = self.page.timers.iter().map(|(_, at)| *at).min().filter(|at| *at <= end);
            let Some(at) = due else { break };
            self.time = self.time.max(at);
            let place = self.page.timers.iter().position(|(_, due)| *due == at).unwrap();
            let (timer, _) = self.page.timers.remove(place);
            self.input(Input::Timer(timer));
            self.deliver(50);
        }
        self.time = end;
    }

    /// The page stands still for so long, and goes on.
    pub fn freeze(&mut self, for_ms: u64) {
        self.page.frozen = true;
        self.deliver(50);
        self.advance(for_ms);
        self.page.frozen = false;
        self.input(Input::Wake(Wake::Thawed));
    }

    /// Nothing is in the way any more, and everything gets the time that it needs.
    pub fn heal(&mut self) {
        self.network.refuses = false;
        self.release();
        self.input(Input::Attend(true));
        self.input(Input::Wake(Wake::Online));
        for _ in 0..200 {
            self.deliver(50);
            self.release();
            self.deliver(50);
            self.advance(1_000);
        }
    }

    /// The timers that run.
    pub fn timers(&self) -> Vec<Timer> {
        self.page.timers.iter().map(|(timer, _)| *timer).collect()
    }

    /// The conversation of a page that nothing has disturbed.
    pub fn undisturbed(&self) -> Session {
        let mut session = Session::new();
        session.follows(None);
        for (number, event) in self.server.log.iter().enumerate() {
            session.push_server_sent("message", event, Some(number as u64 + 1));
        }
        session
    }
}

/// What the owner does when events begin to arrive.
pub fn open(session: &mut Session, from: Opened) {
    if from.over {
        session.started_over();
    } else if from.after.is_some() || from.newest.is_some() {
        session.follows(from.after);
    }
}

/// Whether nobody knows if the call was carried out.
pub fn is_uncertain(outcome: &Outcome) -> bool {
    outcome.as_ref().is_err_and(RequestError::uncertain)
}
