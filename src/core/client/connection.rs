//! The connection to a session's server, as data: it restores itself, keeps the cursor, and carries requests and
//! their answers. Inputs come in, effects and reports come out.

mod effect;
mod exchanges;
mod history;
mod pulse;
mod socket_requests;

use serde_json::Value;

use crate::connection::{
    Carrier, ClosedReason, ConnectionState, ConnectionStep, Failure, Policy, Pulse, Target, difference,
    sendable,
};
use crate::i18n::words::connection;
use crate::protocol::ErrorReason;
use crate::protocol::call::SIGN_IN_METHOD;

use super::RequestError;
use effect::Refusal;
pub use effect::{
    CarrierNews, Credentials, Effect, Fetched, Frame, FrameResult, HostOptions, HttpNews, HttpRequest, Input,
    Opened, Outcome, Receiver, ReplyEnd, Report, ResponseHead, Thrown, Timer,
};
use exchanges::Exchanges;
use history::History;
use socket_requests::{Calls, Handshake, Waiter};

/// How the token of a link begins that a gateway makes.
const LINK_TOKEN: &str = "share.";
/// How long a request waits for its answer, in milliseconds.
const ANSWER_LIMIT_MS: u64 = 60_000;

/// Where a reconnect continues.
#[derive(Debug, Clone, Default)]
struct Cursor {
    /// The newest sequence number seen.
    seq: Option<u64>,
    /// The newest server-sent id, or the sequence number as text; empty if none.
    event_id: String,
}

/// The carrier that is open, or being opened.
#[derive(Debug)]
enum Open {
    Socket(Handshake),
    /// An event stream, or the list of sessions before it.
    Stream {
        exchange: u32,
        session: String,
        /// The list is here. The first session is shown, unless the list leads to something else.
        listed: Option<Value>,
    },
    Posts,
    Host {
        asked: Option<String>,
        answers: bool,
        /// Messages before the connection was there; `None` after that.
        early: Option<Vec<(Vec<u8>, Option<u64>)>>,
    },
    Replay,
}

/// What signs requests. Headers are kept where requests are made.
#[derive(Debug, Default)]
struct Signature {
    token: Option<String>,
    /// A person has typed the token, so the page's callback is not asked until it is refused.
    typed: bool,
    /// The page has a callback that gives others.
    renewable: bool,
    /// Counts the times that the callback has given others.
    version: u32,
    /// The number of the newest question to the callback.
    number: u32,
    /// The question before the present attempt, and whether the last credentials were refused.
    for_attempt: Option<(u32, Carrier, bool)>,
    /// The question on behalf of posts that were refused.
    for_posts: Option<u32>,
}

/// A connection to a [`Target`] that restores itself from the last cursor.
#[derive(Debug)]
pub struct Connection {
    target: Target,
    policy: Policy,
    random: Random,
    session: Option<String>,
    cursor: Cursor,
    history: History,
    signature: Signature,
    /// It has begun.
    started: bool,
    carrier: Option<Open>,
    /// The number of the carrier; one that has ended never has it again.
    number: u32,
    calls: Calls,
    exchanges: Exchanges,
    opened_at: Option<u64>,
    pulse: Pulse,
    /// When the timer of the next look should run out, in milliseconds.
    beat_due: u64,
    /// Somebody waits for the next event.
    attended: bool,
    /// The server gives signs of life: it answers requests, or sends something now and then for that purpose.
    vital: bool,
    /// What went wrong with the last attempt.
    trouble: Option<String>,
    /// What is wrong with the open connection.
    warning: Option<String>,
    /// People see that the open connection is being checked.
    shows_checking: bool,
    /// Since when the page is hidden, in milliseconds.
    hidden_since: Option<u64>,
    /// The time of the present input, in milliseconds.
    now: u64,
    effects: Vec<Effect>,
    reports: Vec<Report>,
}

/// What comes of an input. Effects are carried out first, in their order.
#[derive(Debug, Default)]
pub struct Outputs {
    /// For the browser.
    pub effects: Vec<Effect>,
    /// For the owner.
    pub reports: Vec<Report>,
}

impl Connection {
    /// A connection that has not begun. `seed` spreads the attempts of a restarted server's clients.
    pub fn new(target: Target, seed: u64) -> Self {
        Self {
            policy: Policy::new(target.carriers()),
            random: Random(seed | 1),
            session: target.session().map(str::to_owned),
            cursor: Cursor::default(),
            history: History::default(),
            signature: Signature { token: target.token().map(str::to_owned), ..Signature::default() },
            target,
            started: false,
            carrier: None,
            number: 0,
            calls: Calls::default(),
            exchanges: Exchanges::default(),
            opened_at: None,
            pulse: Pulse::default(),
            beat_due: 0,
            attended: false,
            vital: false,
            trouble: None,
            warning: None,
            shows_checking: false,
            hidden_since: None,
            now: 0,
            effects: Vec::new(),
            reports: Vec::new(),
        }
    }

    /// Whether the token in use is that of a link to one session.
    fn is_by_link(&self) -> bool {
        self.token().is_some_and(|token| token.starts_with(LINK_TOKEN))
    }

    /// The token in use, for requests that carry it themselves.
    pub fn token(&self) -> Option<&str> {
        self.signature.token.as_deref()
    }

    /// The state to show.
    pub fn state(&self) -> &ConnectionState {
        self.policy.state()
    }

    /// Takes an input. `now` is in milliseconds, of a clock that goes on while the machine sleeps. What the server
    /// sends goes to the `receiver`.
    pub fn update(&mut self, now: u64, input: Input<'_>, receiver: &mut dyn Receiver) -> Outputs {
        self.now = now;
        match input {
            Input::Retarget(target) => self.retarget(*target, receiver),
            Input::Start { hidden } => self.start(hidden),
            Input::Carrier(number, news) if number == self.number => self.carrier_news(news, receiver),
            Input::Carrier(..) => {}
            Input::Http(number, news) => self.http(number, news, receiver),
            Input::HostAnswered(id, outcome) => {
                let outcome = outcome.map_err(|thrown| self.host_refused(thrown));
                self.resolve(id, outcome);
            }
            Input::HostError(message) => self.reports.push(Report::Error(message)),
            Input::Unsent(id) => self.resolve(id, Err(RequestError::NotConnected)),
            Input::Credentials(number, given) => self.credentials(number, given),
            Input::ShowFirst => self.show_first(),
            Input::Timer(timer) => self.timer(timer),
            Input::Wake(wake) => self.wake(wake),
            Input::Hidden(hidden) => self.hidden(hidden),
            Input::Offline => self.failed(&Failure::Offline),
            Input::Attend(on) => self.attend(on),
            Input::Call { ticket, method, params } => self.call(ticket, method, params),
            Input::Converse { ticket, body } => self.converse(ticket, body),
            Input::StopReplies => self.stop_replies(receiver),
            Input::Fetch(what) => self.fetch(what),
            Input::Refused(failure) => self.refused(&failure),
            Input::Retry => self.retry(),
            Input::Close => self.close(receiver),
        }
        Outputs { effects: std::mem::take(&mut self.effects), reports: std::mem::take(&mut self.reports) }
    }

    /// Numbers, tickets and posts go on; everything else begins anew.
    fn retarget(&mut self, target: Target, receiver: &mut dyn Receiver) {
        self.close(receiver);
        let random = std::mem::take(&mut self.random);
        let Self { now, number, calls, exchanges, effects, reports, signature, .. } =
            std::mem::replace(self, Self::new(target, 0));
        (self.now, self.number, self.random) = (now, number, random);
        (self.signature.number, self.signature.for_posts) = (signature.number, signature.for_posts);
        (self.calls, self.exchanges, self.effects, self.reports) = (calls, exchanges, effects, reports);
    }

    fn start(&mut self, hidden: bool) {
        if !self.is_closed() && !std::mem::replace(&mut self.started, true) {
            self.hidden_since = hidden.then_some(self.now);
            let step = self.policy.next_step();
            self.follow(step);
        }
    }

    fn carrier_news(&mut self, news: CarrierNews<'_>, receiver: &mut dyn Receiver) {
        match news {
            CarrierNews::SocketOpened => self.greet(),
            CarrierNews::HostOpened { session, newest, role, answers: takes } => {
                let Some(Open::Host { asked, answers, early }) = &mut self.carrier else { return };
                *answers = takes;
                let early = early.take().unwrap_or_default();
                let session = session.or_else(|| asked.clone()).unwrap_or_default();
                self.role(if takes { role.as_deref() } else { Some("viewer") });
                self.opened(&session, newest);
                for (bytes, seq) in early {
                    self.message(&bytes, seq, receiver);
                }
            }
            CarrierNews::Message(bytes, seq) => match &mut self.carrier {
                Some(Open::Host { early: Some(early), .. }) => early.push((bytes.to_vec(), seq)),
                _ => self.message(bytes, seq, receiver),
            },
            CarrierNews::SocketClosed { code, reason } => {
                let opened = !matches!(&self.carrier, Some(Open::Socket(socket)) if socket.is_opening());
                // A socket that was refused does not say why.
                self.failed(&if opened { Failure::Socket { code, reason } } else { Failure::NeverOpened });
            }
            CarrierNews::HostEnded(thrown) => self.host_ended(thrown),
            CarrierNews::Ended(failure) => self.failed(&failure),
        }
    }

    fn message(&mut self, bytes: &[u8], seq: Option<u64>, receiver: &mut dyn Receiver) {
        self.heard();
        let frame = match (seq, std::str::from_utf8(bytes)) {
            (Some(_), Ok(data)) => Frame::ServerSent { event: "message", data, seq },
            _ => Frame::Bytes(bytes),
        };
        let responses = self.frame(frame, receiver);
        if let Frame::ServerSent { seq: Some(seq), .. } = frame {
            self.passed(&seq.to_string());
        }
        // The host's transport answers requests itself.
        if !matches!(self.carrier, Some(Open::Host { .. })) {
            self.answered(responses);
        }
    }

    /// Passes a frame on and keeps its cursor. Returns the responses in it.
    fn frame(&mut self, frame: Frame<'_>, receiver: &mut dyn Receiver) -> Vec<crate::wire::Response> {
        let found = receiver.frame(frame);
        if let Some(seq) = found.last_seq.filter(|seq| self.cursor.seq != Some(*seq)) {
            self.cursor = Cursor { seq: Some(seq), event_id: seq.to_string() };
        }
        found.responses
    }

    fn answered(&mut self, responses: Vec<crate::wire::Response>) {
        if !responses.is_empty() {
            self.is_vital();
        }
        for response in responses {
            self.resolve(response.id, response.outcome.map_err(Into::into));
        }
    }

    /// The stream has passed this server-sent id, which becomes the cursor; an empty one is ignored.
    fn passed(&mut self, event_id: &str) {
        if !event_id.is_empty() && self.cursor.event_id != event_id {
            self.cursor = Cursor { seq: event_id.parse().ok(), event_id: event_id.to_owned() };
        }
    }

    /// The connection is open and events follow; `newest` is the newest position that the server has.
    fn opened(&mut self, session: &str, newest: Option<u64>) {
        let after = self.cursor.seq;
        let over = after.is_some_and(|after| newest.is_some_and(|newest| newest < after));
        if over {
            self.cursor = Cursor::default();
        }
        let from = Opened { after: after.filter(|_| !over), newest, over };
        self.effects.push(Effect::DropTimer(Timer::Attempt));
        self.opened_at = Some(self.now);
        self.session = Some(session.to_owned()).filter(|session| !session.is_empty());
        self.policy.opened();
        self.pulse.connection_opened(self.now);
        self.announce();
        self.reports.push(Report::Opened { session: session.to_owned(), from });
        self.check_if_awaited();
    }

    /// The version of the protocol that the server speaks; `None` if it did not say.
    fn protocol(&mut self, version: Option<u64>) {
        if let Some(message) = difference(version) {
            self.warn(message);
        }
    }

    /// Something is wrong with the stream, and it goes on.
    fn warn(&mut self, message: String) {
        self.warning = Some(message);
        self.announce();
    }

    /// What the server lets this client do; `None` if it did not say, which means everything.
    fn role(&mut self, role: Option<&str>) {
        self.reports.push(Report::Role { viewer: role == Some("viewer") });
    }

    /// The first session is shown, as none was named.
    fn show_first(&mut self) {
        match &self.carrier {
            Some(Open::Socket(_)) => self.subscribe_to_first(),
            Some(Open::Stream { .. }) => self.stream_first(),
            _ => {}
        }
    }

    fn call(&mut self, ticket: u64, method: &str, params: Value) {
        if method == SIGN_IN_METHOD {
            return self.sign_in(ticket, params.get("token").and_then(Value::as_str).unwrap_or_default());
        }
        let ready = matches!(self.policy.state(), ConnectionState::Open | ConnectionState::Replaying);
        let refusal = match &self.carrier {
            Some(Open::Socket(_)) if ready => {
                self.send(Waiter::Owner(ticket), method, &params);
                None
            }
            Some(Open::Stream { .. } | Open::Posts) if ready => {
                // The carrier's session, which is the target's where there is no stream.
                let session = self.session.as_deref().unwrap_or_default();
                match self.target.request_url(session, method) {
                    Some(url) => {
                        let body = socket_requests::written(self.calls.next_id(), method, Some(&params));
                        self.post(ticket, url, body);
                        None
                    }
                    None => Some(RequestError::NoWayBack),
                }
            }
            Some(Open::Host { answers: true, .. }) if ready => {
                let id = self.wait(Waiter::Owner(ticket));
                self.effects.push(Effect::CallHost(id, method.to_owned(), params));
                None
            }
            Some(Open::Host { .. }) if ready => Some(RequestError::NoWayBack),
            Some(Open::Replay) if ready => Some(RequestError::Replaying),
            _ => Some(RequestError::NotConnected),
        };
        if let Some(error) = refusal {
            return self.reports.push(Report::Answered(ticket, Err(error)));
        }
        self.check_if_awaited();
    }

    /// Signs in. The token is kept in memory for later connections. A gateway also sets it as a
    /// cookie, so that the page can be reloaded.
    fn sign_in(&mut self, ticket: u64, token: &str) {
        let refusal = if sendable(token) {
            self.signature.token = Some(token.to_owned());
            self.signature.typed = true;
            match self.target.sign_in_url() {
                Some(url) => return self.post(ticket, url, "null".to_owned()),
                None => RequestError::NoWayBack,
            }
        } else {
            RequestError::Refused { reason: ErrorReason::SignIn, message: String::new() }
        };
        self.reports.push(Report::Answered(ticket, Err(refusal)));
    }

    fn timer(&mut self, timer: Timer) {
        match timer {
            Timer::Attempt => match self.policy.state() {
                ConnectionState::Waiting { .. } => {
                    let step = self.policy.next_step();
                    self.follow(step);
                }
                ConnectionState::Connecting { .. } => {
                    self.history_is_late();
                    self.failed(&Failure::Silent);
                }
                _ => {}
            },
            Timer::Beat => self.beat(),
            Timer::Call(id) => self.resolve(id, Err(RequestError::NoAnswer)),
            Timer::Exchange(number) => self.exchange_is_late(number),
        }
    }

    fn retry(&mut self) {
        if let Some(step) = self.policy.retry_now() {
            self.follow(step);
        }
    }

    fn refused(&mut self, failure: &Failure) {
        self.policy.set_renewable(self.signature.renewable);
        if let Some(step) = self.policy.refused(failure, self.open_for_ms()) {
            self.follow(step);
        }
    }

    /// The page's own connection has ended.
    fn host_ended(&mut self, thrown: Option<Thrown>) {
        let failure = match thrown.map(Thrown::refusal) {
            None => Failure::Ended,
            Some(Refusal::Rpc(error)) => Failure::Refused {
                reason: ErrorReason::parse(error.code, &error.message),
                message: error.message,
            },
            Some(Refusal::Http(status)) => Failure::Http { status, retry_after_ms: None },
            Some(Refusal::OfPage(message)) => {
                self.reports.push(Report::Error(message.clone()));
                Failure::HostCode(message)
            }
        };
        self.failed(&failure);
    }

    /// Why the page's own connection gave no result. Where its code has failed nobody knows whether the request was carried out.
    fn host_refused(&mut self, thrown: Option<Thrown>) -> RequestError {
        match thrown.map(Thrown::refusal) {
            None => RequestError::NoWayBack,
            Some(Refusal::Rpc(error)) => error.into(),
            Some(Refusal::Http(status)) => RequestError::Http(status),
            Some(Refusal::OfPage(message)) => {
                self.reports.push(Report::Error(message));
                RequestError::Lost
            }
        }
    }

    fn close(&mut self, receiver: &mut dyn Receiver) {
        self.policy.close();
        self.stop_replies(receiver);
        self.effects.push(Effect::DropTimer(Timer::Attempt));
        self.retire();
    }

    /// Whether the page has closed it.
    pub fn is_closed(&self) -> bool {
        *self.policy.state() == ConnectionState::Closed { reason: ClosedReason::ByPage }
    }

    fn follow(&mut self, step: ConnectionStep) {
        self.effects.push(Effect::DropTimer(Timer::Attempt));
        self.retire();
        self.announce();
        match step {
            ConnectionStep::Connect(carrier) => self.prepare(carrier),
            ConnectionStep::Wait { delay_ms } => {
                self.effects.push(Effect::SetTimer(Timer::Attempt, delay_ms));
            }
            ConnectionStep::Stop => {}
        }
    }

    /// Opens a carrier, after the page was asked for credentials if it gives them. That may take any time.
    fn prepare(&mut self, carrier: Carrier) {
        let refused = self.policy.take_credentials_refused();
        if refused {
            self.signature.typed = false;
        }
        if carrier == Carrier::Replay || self.signature.typed {
            return self.open(carrier);
        }
        let number = self.ask_credentials(refused);
        self.signature.for_attempt = Some((number, carrier, refused));
    }

    fn ask_credentials(&mut self, refused: bool) -> u32 {
        let number = self.signature.number.wrapping_add(1);
        self.signature.number = number;
        self.effects.push(Effect::AskCredentials { number, refused });
        number
    }

    fn credentials(&mut self, number: u32, given: Credentials) {
        self.signature.renewable = given != Credentials::Absent;
        let others = match &given {
            Credentials::Given(token) => {
                if token.is_some() {
                    self.signature.token.clone_from(token);
                }
                self.signature.version = self.signature.version.wrapping_add(1);
                true
            }
            _ => false,
        };
        if let Credentials::Failed(message) = &given {
            self.reports.push(Report::Error(message.clone()));
        }
        if self.signature.for_posts == Some(number) {
            self.signature.for_posts = None;
            return self.post_again(others);
        }
        let asked = self.signature.for_attempt.take_if(|(asked, ..)| *asked == number);
        let Some((_, carrier, refused)) = asked else { return };
        match given {
            Credentials::Failed(message) if !refused => self.failed(&Failure::HostCode(message)),
            _ if others || !refused || given == Credentials::Absent => self.open(carrier),
            _ => {
                let reason = ErrorReason::SignIn;
                self.failed(&Failure::Refused { reason, message: String::new() });
            }
        }
    }

    fn open(&mut self, carrier: Carrier) {
        let session = self.session.clone();
        match carrier {
            Carrier::WebSocket => match self.target.socket_url() {
                Some(url) => {
                    self.carrier = Some(Open::Socket(Handshake::default()));
                    self.effects.push(Effect::OpenSocket(self.number, url));
                }
                None => {
                    return self.failed(&Failure::BadAddress(connection::NO_SOCKET_THERE.text().into()));
                }
            },
            Carrier::ServerSentEvents => self.open_stream(),
            Carrier::Posts => {
                self.carrier = Some(Open::Posts);
                return self.opened(&session.unwrap_or_default(), None);
            }
            Carrier::HostTransport => {
                self.carrier =
                    Some(Open::Host { asked: session.clone(), answers: false, early: Some(Vec::new()) });
                let (after, token) = (self.cursor.seq, self.signature.token.clone());
                self.effects.push(Effect::OpenHost(self.number, HostOptions { session, after, token }));
            }
            Carrier::Replay => {
                self.carrier = Some(Open::Replay);
                return;
            }
        }
        if self.carrier.is_some() {
            self.limit_opening();
        }
    }

    fn limit_opening(&mut self) {
        self.effects.push(Effect::SetTimer(Timer::Attempt, self.policy.opening_ms()));
    }

    /// Ends the current carrier; whatever it still reports is ignored.
    fn retire(&mut self) {
        self.number = self.number.wrapping_add(1);
        self.opened_at = None;
        self.effects.push(Effect::DropTimer(Timer::Beat));
        self.warning = None;
        self.shows_checking = false;
        self.signature.for_attempt = None;
        self.abort_history();
        match self.carrier.take() {
            None => return,
            Some(Open::Socket(_) | Open::Host { .. }) => {
                let quietly = self.is_closed();
                self.effects.push(Effect::CloseCarrier { quietly });
            }
            Some(Open::Stream { exchange, .. }) => self.abort(exchange),
            Some(Open::Posts | Open::Replay) => {}
        }
        for id in self.calls.ids() {
            self.resolve(id, Err(RequestError::Lost));
        }
    }

    fn announce(&mut self) {
        let state = match self.policy.state() {
            // Who watches by a link has nothing else to sign in with.
            ConnectionState::Closed { reason: ClosedReason::SignIn } if self.is_by_link() => {
                ConnectionState::Closed { reason: ClosedReason::LinkEnded }
            }
            // A restart is over before anybody needs to know.
            ConnectionState::Waiting { attempt, .. } if self.policy.is_quiet() => {
                ConnectionState::Connecting { attempt: *attempt }
            }
            state => state.clone(),
        };
        let message = match &state {
            ConnectionState::Open if self.shows_checking => Some(connection::CHECKING.text().to_owned()),
            ConnectionState::Connecting { .. } if self.policy.skips_waits() => {
                Some(connection::CHECKING.text().to_owned())
            }
            ConnectionState::Open => self.warning.clone(),
            ConnectionState::Waiting { .. } => self.trouble.clone(),
            ConnectionState::Closed { reason } => Some(reason.to_string()),
            _ => None,
        };
        self.reports.push(Report::State(state, message));
    }

    fn failed(&mut self, failure: &Failure) {
        let was_open = *self.policy.state() == ConnectionState::Open;
        if !was_open && !matches!(self.policy.state(), ConnectionState::Connecting { .. }) {
            return;
        }
        self.trouble = Some(failure.to_string());
        self.policy.set_renewable(self.signature.renewable);
        if was_open && self.pulse.is_wake_check() {
            self.policy.skip_waits();
        }
        let step = self.policy.failed(failure, self.open_for_ms(), self.random.next());
        self.follow(step);
    }

    /// How long the connection has been open, in milliseconds.
    fn open_for_ms(&self) -> u64 {
        self.opened_at.map_or(0, |since| self.now.saturating_sub(since))
    }
}

/// Numbers that spread attempts; nothing secret depends on them.
#[derive(Debug, Default)]
struct Random(u64);

impl Random {
    /// The next one, in 0..1 (xorshift).
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
