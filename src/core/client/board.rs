//! What a page does about all sessions of a gateway, as data: it has one connection, subscribes to the summaries, and
//! polls them where the WebSocket is refused. The cards of a session have a [`Client`](super::Client) of their own, whose
//! requests go over the board's connection.

mod cards;
mod effect;

use std::collections::VecDeque;

use serde_json::{Map, Value};

use super::RequestError;
use super::connection::{self, Connection, Fetched, Frame, FrameResult, Outcome, Receiver, Report};
use crate::connection::{Attributes, ClosedReason, ConnectionState, Failure, Target, Verdict};
use crate::i18n::words::board;
use crate::model::board::{Board, EndedRequest, settled};
use crate::model::{health, machines};
use crate::protocol::ErrorReason;
use crate::wire::{self, Record};

use cards::Cards;
pub use cards::{CardNews, session_of};
pub use effect::{CardInput, Effect, Input};

const SUBSCRIBE: &str = "pilothouse.board";
const SUMMARY: &str = "pilothouse.summary";

/// The calls by which a board only reads. The host does not hear of them.
const READS: [&str; 2] = ["models.list", "pilothouse.visible"];

/// How often the list is polled where the WebSocket is refused, in milliseconds.
const POLL_MS: u32 = 5_000;

/// Whether a call of a board only reads. The host hears of the others, and may make them itself.
pub fn is_read(method: &str) -> bool {
    READS.contains(&method)
}

/// What a request that is under way is for.
#[derive(Debug, Clone)]
enum Purpose {
    /// The summaries of all sessions.
    Subscription,
    /// A view's call. The host hears of what became of it, if it changes something.
    View { caller: u64, of_person: Option<(String, Value)> },
    /// A request of the client of a session's cards, with the ticket that this client knows it by. It outlives the cards.
    Cards(u32, u64),
}

/// What a page knows of a gateway's sessions beyond their summaries.
#[derive(Debug)]
pub struct BoardClient {
    connection: Connection,
    /// The cards that are on screen.
    cards: Cards,
    /// What each request that is under way is for, by ticket.
    requests: Vec<(u64, Purpose)>,
    last_ticket: u64,
    /// The WebSocket of the present target has been open once.
    was_open: bool,
    /// The list is polled.
    polls: bool,
    /// The time of the present input, in milliseconds.
    now: u64,
    effects: Vec<Effect>,
    reports: VecDeque<Report>,
}

impl BoardClient {
    /// A client that is not connected. `seed` spreads the attempts of a restarted gateway's clients.
    pub fn new(seed: u64) -> Self {
        Self {
            connection: Connection::new(Target::without_network(), seed),
            cards: Cards::default(),
            requests: Vec::new(),
            last_ticket: 0,
            was_open: false,
            polls: false,
            now: 0,
            effects: Vec::new(),
            reports: VecDeque::new(),
        }
    }

    /// Takes an input. `now` is in milliseconds, of a clock that goes on while the machine sleeps. The summaries are in
    /// `board`.
    pub fn update(&mut self, now: u64, input: Input<'_>, board: &mut Board) -> Vec<Effect> {
        self.now = now;
        match input {
            Input::Connect(attributes) => self.connect(attributes, board),
            Input::Connection(input) => self.drive(input, board),
            Input::Call { caller, method, params } => {
                let of_person = (!is_read(method)).then(|| (method.to_owned(), params.clone()));
                self.request(Purpose::View { caller, of_person }, method, params, board);
            }
            Input::Relay { cards, ticket, method, params } => {
                self.request(Purpose::Cards(cards, ticket), method, params, board);
            }
            Input::CardsOpened { cards, session } => {
                let news = self.cards.open(cards, session, board);
                self.effects.push(Effect::Cards(cards, CardInput::News(news)));
            }
            Input::CardsClosed(cards) => self.cards.close(cards),
            Input::Poll => {
                if self.polls {
                    self.poll(board);
                }
            }
            Input::Close => self.close(board),
            Input::Gone => self.gone(board),
        }
        while let Some(report) = self.reports.pop_front() {
            self.report(report, board);
        }
        std::mem::take(&mut self.effects)
    }

    /// Connects to a gateway in place of the one before.
    fn connect(&mut self, attributes: &Attributes<'_>, board: &mut Board) {
        self.was_open = false;
        self.stop_polling();
        self.take_machines(&Value::Null, board);
        board.take_agents(&Value::Null);
        match Target::parse(attributes) {
            Ok(target) if target.sessions_url().is_some() => {
                let target = target.without_session();
                self.effects.push(Effect::Server(target.server()));
                self.drive(connection::Input::Retarget(Box::new(target)), board);
            }
            Ok(_) => self.cannot_connect(board::NO_GATEWAY.text().to_owned(), board),
            Err(error) => self.cannot_connect(error.to_string(), board),
        }
    }

    fn cannot_connect(&mut self, message: String, board: &mut Board) {
        self.drive(connection::Input::Close, board);
        let reason = ClosedReason::BadAddress(message.clone());
        self.reports.push_back(Report::State(ConnectionState::Closed { reason }, Some(message)));
    }

    fn close(&mut self, board: &mut Board) {
        self.stop_polling();
        self.cards = Cards::default();
        self.drive(connection::Input::Close, board);
    }

    /// Nobody gives it what became of its requests any more, so those of cards find out what became of theirs.
    fn gone(&mut self, board: &mut Board) {
        self.close(board);
        while let Some(report) = self.reports.pop_front() {
            self.report(report, board);
        }
        for (_, purpose) in std::mem::take(&mut self.requests) {
            if let Purpose::Cards(cards, ticket) = purpose {
                let lost = CardInput::Answered(ticket, Err(RequestError::Lost));
                self.effects.push(Effect::Cards(cards, lost));
            }
        }
    }

    /// Gives the connection an input.
    fn drive(&mut self, input: connection::Input<'_>, board: &mut Board) {
        let mut reader = Reader { board, cards: &mut self.cards, effects: &mut self.effects };
        let outputs = self.connection.update(self.now, input, &mut reader);
        self.effects.extend(outputs.effects.into_iter().map(Effect::Browser));
        self.reports.extend(outputs.reports);
    }

    fn request(&mut self, purpose: Purpose, method: &str, params: Value, board: &mut Board) {
        let ticket = self.last_ticket.wrapping_add(1);
        self.last_ticket = ticket;
        self.requests.push((ticket, purpose));
        self.drive(connection::Input::Call { ticket, method, params }, board);
    }

    fn report(&mut self, report: Report, board: &mut Board) {
        match report {
            Report::Answered(ticket, outcome) => self.answered(ticket, outcome, board),
            Report::State(state, message) => self.connection_changed(state, message, board),
            Report::Opened { .. } => self.opened(board),
            Report::Error(message) => self.effects.push(Effect::Error(message)),
            Report::Fetched(Fetched::Sessions, list) => self.polled(list, board),
            Report::Fetched(Fetched::Health, health) => self.effects.push(Effect::Health(health.ok())),
            Report::History { .. } | Report::Listed(_) | Report::Role { .. } | Report::Health(_) => {}
        }
    }

    fn answered(&mut self, ticket: u64, outcome: Outcome, board: &mut Board) {
        let Some(place) = self.requests.iter().position(|(known, _)| *known == ticket) else { return };
        match self.requests.remove(place).1 {
            Purpose::Subscription => self.subscribed(outcome, board),
            Purpose::View { caller, of_person } => {
                let outcome = outcome.map_err(|error| error.failure());
                if let Some((method, params)) = of_person {
                    let outcome = outcome.clone().map_err(|failure| failure.words);
                    self.effects.push(Effect::Called { method, params, outcome });
                }
                self.effects.push(Effect::Resolve(caller, outcome));
            }
            Purpose::Cards(cards, ticket) => {
                self.effects.push(Effect::Cards(cards, CardInput::Answered(ticket, outcome)));
            }
        }
    }

    fn connection_changed(&mut self, state: ConnectionState, message: Option<String>, board: &mut Board) {
        self.effects.push(Effect::Connection(state.clone(), message.clone()));
        match (state, message) {
            // Something in between may refuse a WebSocket that never opened, so the list is polled over HTTP.
            (ConnectionState::Waiting { .. }, _) if !self.was_open => self.poll(board),
            (ConnectionState::Closed { .. }, Some(message)) => self.effects.push(Effect::Error(message)),
            _ => {}
        }
    }

    /// The connection is open. The gateway is asked for everything, and sends changes by itself from then on.
    fn opened(&mut self, board: &mut Board) {
        self.was_open = true;
        self.stop_polling();
        // A board is there to be looked at, on a wall for example, where nobody comes back to the page.
        self.drive(connection::Input::Attend(true), board);
        self.for_all_cards(&CardInput::ConnectedAgain);
        let mut params = Map::new();
        if let Some(token) = self.connection.token() {
            params.insert("token".to_owned(), token.into());
        }
        self.request(Purpose::Subscription, SUBSCRIBE, Value::Object(params), board);
    }

    fn subscribed(&mut self, answer: Outcome, board: &mut Board) {
        match answer {
            Ok(all) => {
                let word = |word: &Value| word.as_str().map(str::to_owned);
                let can = all.get("capabilities").and_then(Value::as_array);
                let can = can.into_iter().flatten().filter_map(word).collect();
                self.effects.push(Effect::Capabilities(can));
                let viewer = all.get("role").and_then(Value::as_str) == Some("viewer");
                self.effects.push(Effect::Role { viewer });
                self.effects.push(Effect::Health(all.get("health").cloned()));
                if board.take_agents(&all["agents"]) {
                    self.effects.push(Effect::Machines);
                }
                self.take_machines(&all["machines"], board);
                self.take_list(all.get("sessions").unwrap_or(&Value::Null), board);
                self.for_all_cards(&CardInput::LookIntoAnswers);
            }
            Err(RequestError::Refused { reason: reason @ ErrorReason::SignIn, message }) => {
                self.refused(Failure::Refused { reason, message }, board);
            }
            // An older gateway does not know boards and has only its list.
            Err(RequestError::Refused { .. }) => self.poll(board),
            // The connection was lost; the next one asks again.
            Err(_) => {}
        }
    }

    fn for_all_cards(&mut self, input: &CardInput) {
        let numbers = self.cards.numbers();
        self.effects.extend(numbers.into_iter().map(|number| Effect::Cards(number, input.clone())));
    }

    /// The gateway requires a sign-in, so nothing is tried again before somebody has signed in.
    fn refused(&mut self, failure: Failure, board: &mut Board) {
        self.stop_polling();
        self.drive(connection::Input::Refused(failure), board);
    }

    fn take_list(&mut self, list: &Value, board: &mut Board) {
        self.effects.push(Effect::Changed(board.merge_list(list)));
        for (number, news) in self.cards.follow_all(board) {
            self.effects.push(Effect::Cards(number, CardInput::News(news)));
        }
    }

    fn take_machines(&mut self, list: &Value, board: &mut Board) {
        if board.take_machines(list) {
            self.effects.push(Effect::Machines);
        }
    }

    /// Asks for the list over HTTP.
    fn poll(&mut self, board: &mut Board) {
        self.drive(connection::Input::Fetch(Fetched::Sessions), board);
    }

    /// The list was asked for. If it can't be had, the connection's last message says why, and it keeps trying.
    fn polled(&mut self, list: Result<Value, Failure>, board: &mut Board) {
        match list {
            Ok(list) => {
                self.drive(connection::Input::Fetch(Fetched::Health), board);
                self.polls = true;
                self.effects.extend([Effect::Polled(true), Effect::SetTimer(POLL_MS)]);
                self.take_list(&list, board);
            }
            Err(failure) if failure.verdict() == Verdict::Final(ClosedReason::SignIn) => {
                self.refused(failure, board);
            }
            Err(_) => {}
        }
    }

    fn stop_polling(&mut self) {
        self.polls = false;
        self.effects.extend([Effect::Polled(false), Effect::DropTimer]);
    }
}

/// Reads what the connection brings.
struct Reader<'a> {
    board: &'a mut Board,
    cards: &'a mut Cards,
    effects: &'a mut Vec<Effect>,
}

impl Reader<'_> {
    /// Takes the news of one session.
    fn take(&mut self, news: &Value) {
        let ended: Vec<EndedRequest> = settled(news);
        self.effects.push(Effect::Changed(self.board.merge(news).into_iter().collect()));
        let Some(session) = news.get("sessionId").and_then(Value::as_str) else { return };
        for (number, news) in self.cards.follow(session, &ended, self.board) {
            self.effects.push(Effect::Cards(number, CardInput::News(news)));
        }
    }
}

impl Receiver for Reader<'_> {
    fn frame(&mut self, frame: Frame<'_>) -> FrameResult {
        let mut result = FrameResult::default();
        let text = match frame {
            Frame::Bytes(bytes) | Frame::History(bytes) => String::from_utf8_lossy(bytes),
            Frame::ServerSent { data, .. } => data.into(),
        };
        wire::records(&text, |record| match record {
            Ok(Record::Response(response)) => result.responses.push(response),
            Ok(Record::Notification { method, raw }) if method == SUMMARY => {
                let note = serde_json::from_str::<Value>(raw).unwrap_or_default();
                self.take(note.get("params").unwrap_or(&Value::Null));
            }
            Ok(Record::Notification { method, raw }) if method == machines::METHOD => {
                let note = serde_json::from_str::<Value>(raw).unwrap_or_default();
                if self.board.take_machines(&note["params"]["machines"]) {
                    self.effects.push(Effect::Machines);
                }
            }
            Ok(Record::Notification { method, raw }) if method == health::METHOD => {
                self.effects.push(Effect::Health(health::report(raw)));
            }
            _ => {}
        });
        result
    }
}
