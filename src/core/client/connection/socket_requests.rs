//! The requests over a WebSocket or the host's transport, by id, and the first of them, which open a session. Browsers can't set
//! headers there, so the token goes into the params of the first ones (`pilothouse.sessions`, `pilothouse.subscribe`) as
//! `token`, and never into the address.

use serde_json::{Map, Value};

use super::super::RequestError;
use super::exchanges::session_of;
use super::{ANSWER_LIMIT_MS, Connection, Effect, Open, Outcome, Report, Timer};
use crate::connection::Failure;
use crate::json_writer::one_line;

/// Who waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiter {
    /// The owner, who knows the request by this ticket.
    Owner(u64),
    /// The connection itself, which opens a socket.
    Handshake,
    /// Nobody: the answer does not matter.
    Nobody,
}

/// Every request in flight. Ids never repeat, so an answer from an earlier connection can't meet a later request.
#[derive(Debug, Default)]
pub(super) struct Calls {
    last_id: u64,
    waiting: Vec<(u64, Waiter)>,
}

impl Calls {
    /// A new id.
    pub(super) fn next_id(&mut self) -> u64 {
        self.last_id = self.last_id.wrapping_add(1);
        self.last_id
    }

    /// True if no answer is awaited.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The ids of all that are awaited.
    pub(super) fn ids(&self) -> Vec<u64> {
        self.waiting.iter().map(|(id, _)| *id).collect()
    }
}

/// How far a socket has come.
#[derive(Debug, Default)]
pub(super) struct Handshake {
    stage: Stage,
    /// The longest message, in bytes, that the server takes, if it says so.
    limit: Option<u64>,
}

#[derive(Debug, Default)]
enum Stage {
    /// It is not open yet.
    #[default]
    Opening,
    /// The list of sessions was asked for.
    Listing,
    /// The list is here. The first session is shown, unless the list leads to something else.
    Listed(Value),
    /// This session was subscribed to, after the cursor or from the beginning. `history`: its history may be read first.
    Subscribing { session: String, after: Option<u64>, history: bool },
    /// The history is read first.
    Behind,
    /// The gateway has started over, so the subscription is ended and begun anew.
    Unsubscribing { session: String },
    /// Events come.
    Open,
}

impl Handshake {
    /// Whether the socket is not open yet.
    pub(super) fn is_opening(&self) -> bool {
        matches!(self.stage, Stage::Opening)
    }
}

impl Connection {
    /// The socket is open. A gateway sends nothing before somebody has subscribed. Another stream is open as it is: a
    /// named session is mentioned, since the server may know how to replay it, and its answer does not matter.
    pub(super) fn greet(&mut self) {
        let session = self.session.clone().unwrap_or_default();
        if self.target.socket_is_gateway() {
            return if session.is_empty() {
                self.ask(Stage::Listing, "pilothouse.sessions", &self.params(None, None));
            } else {
                self.subscribe(session, self.cursor.seq, self.takes_history());
            };
        }
        if !session.is_empty() {
            self.send(Waiter::Nobody, "pilothouse.subscribe", &self.params(Some(&session), self.cursor.seq));
        }
        self.set_stage(Stage::Open);
        self.opened(&session, None);
    }

    /// The list of sessions leads to nothing else.
    pub(super) fn subscribe_to_first(&mut self) {
        let Some(Open::Socket(socket)) = &self.carrier else { return };
        let Stage::Listed(sessions) = &socket.stage else { return };
        match session_of(sessions) {
            Ok(session) => self.subscribe(session, self.cursor.seq, self.takes_history()),
            Err(failure) => self.failed(&failure),
        }
    }

    /// Subscribes to the session. `history`: the server may name its history in place of the events.
    pub(super) fn subscribe(&mut self, session: String, after: Option<u64>, history: bool) {
        let mut params = self.params(Some(&session), after);
        if let Some(params) = params.as_object_mut() {
            for key in ["binary", "compact", "history"].into_iter().take(2 + usize::from(history)) {
                params.insert(key.to_owned(), true.into());
            }
        }
        self.ask(Stage::Subscribing { session, after, history }, "pilothouse.subscribe", &params);
    }

    /// A request of the connection's own was answered.
    pub(super) fn handshake_answered(&mut self, outcome: Outcome) {
        let answer = match outcome {
            Ok(answer) => answer,
            Err(RequestError::Refused { reason, message }) => {
                return self.failed(&Failure::Refused { reason, message });
            }
            Err(RequestError::NoAnswer) => return self.failed(&Failure::Silent),
            // The socket is lost, of which there is other news.
            Err(_) => return,
        };
        match self.take_stage() {
            Stage::Listing => {
                self.set_stage(Stage::Listed(answer.clone()));
                self.reports.push(Report::Listed(answer));
            }
            Stage::Subscribing { session, history: true, .. }
                if answer.get("history").and_then(Value::as_bool) == Some(true) =>
            {
                self.set_stage(Stage::Behind);
                self.fetch_history(session);
            }
            Stage::Subscribing { session, after, .. } => self.subscribed(session, after, &answer),
            Stage::Unsubscribing { session } => self.subscribe(session, None, false),
            stage => self.set_stage(stage),
        }
    }

    fn subscribed(&mut self, session: String, after: Option<u64>, answer: &Value) {
        self.role(answer.get("role").and_then(Value::as_str));
        self.reports.push(Report::Health(answer.get("health").cloned()));
        if let Some(Open::Socket(socket)) = &mut self.carrier {
            socket.limit = answer.get("maxMessageBytes").and_then(Value::as_u64);
        }
        let newest = answer.get("seq").and_then(Value::as_u64);
        if after.is_some_and(|after| newest.is_some_and(|newest| newest < after)) {
            // The gateway has started over and counts from one again. What came before comes
            // once more and changes nothing.
            let params = self.params(Some(&session), None);
            return self.ask(Stage::Unsubscribing { session }, "pilothouse.unsubscribe", &params);
        }
        self.set_stage(Stage::Open);
        self.opened(&session, newest);
        self.protocol(answer.get("protocol").and_then(Value::as_u64));
    }

    fn ask(&mut self, stage: Stage, method: &str, params: &Value) {
        self.set_stage(stage);
        self.send(Waiter::Handshake, method, params);
    }

    /// Sends a request over the socket.
    pub(super) fn send(&mut self, waiter: Waiter, method: &str, params: &Value) {
        let limit = if let Some(Open::Socket(socket)) = &self.carrier { socket.limit } else { None };
        let id = self.wait(waiter);
        let message = written(id, method, Some(params));
        let length = message.len() as u64;
        // A server that gets more would end the connection, and with it what else is on its way.
        if let Some(limit) = limit.filter(|limit| length > *limit) {
            return self.resolve(id, Err(RequestError::TooLong { length, limit }));
        }
        self.effects.push(Effect::Send(id, message));
    }

    /// Waits for an answer; returns the request's id.
    pub(super) fn wait(&mut self, waiter: Waiter) -> u64 {
        let id = self.calls.next_id();
        self.calls.waiting.push((id, waiter));
        self.effects.push(Effect::SetTimer(Timer::Call(id), ANSWER_LIMIT_MS));
        id
    }

    /// Passes on what became of the request `id`; an unknown id is ignored.
    pub(super) fn resolve(&mut self, id: u64, outcome: Outcome) {
        let Some(place) = self.calls.waiting.iter().position(|(waiting, _)| *waiting == id) else { return };
        let (_, waiter) = self.calls.waiting.remove(place);
        self.effects.push(Effect::DropTimer(Timer::Call(id)));
        match waiter {
            Waiter::Owner(ticket) => self.reports.push(Report::Answered(ticket, outcome)),
            Waiter::Handshake => self.handshake_answered(outcome),
            Waiter::Nobody => {}
        }
    }

    fn set_stage(&mut self, stage: Stage) {
        if let Some(Open::Socket(socket)) = &mut self.carrier {
            socket.stage = stage;
        }
    }

    fn take_stage(&mut self) -> Stage {
        match &mut self.carrier {
            Some(Open::Socket(socket)) => std::mem::take(&mut socket.stage),
            _ => Stage::Opening,
        }
    }

    fn params(&self, session: Option<&str>, after: Option<u64>) -> Value {
        let mut params = Map::new();
        let entries = [
            ("sessionId", session.map(Value::from)),
            ("after", after.map(Value::from)),
            ("token", self.signature.token.as_deref().map(Value::from)),
        ];
        for (key, value) in entries {
            if let Some(value) = value {
                params.insert(key.to_owned(), value);
            }
        }
        Value::Object(params)
    }
}

/// A JSON-RPC request as it is sent.
#[inline(never)]
pub(super) fn written(id: u64, method: &str, params: Option<&Value>) -> String {
    let params = params.map_or_else(String::new, |params| [",\"params\":", &one_line(params)].concat());
    let method = one_line(&method.into());
    ["{\"jsonrpc\":\"2.0\",\"id\":", &id.to_string(), ",\"method\":", &method, &params, "}"].concat()
}
