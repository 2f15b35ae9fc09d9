//! The first messages on a new WebSocket. Browsers can't set headers there, so the token goes into the params of these
//! requests (`pilothouse.sessions`, `pilothouse.subscribe`) as `token`, and never into the address.

use serde_json::{Map, Value};

use super::super::RequestError;
use super::calls::{Waiter, written};
use super::exchanges::session_of;
use super::{Connection, Effect, Open, Outcome, Report};
use crate::connection::Failure;

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
    /// This session was subscribed to, after the cursor or from the beginning.
    Subscribing { session: String, after: Option<u64> },
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
                self.subscribe(session, self.cursor.seq);
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
            Ok(session) => self.subscribe(session, self.cursor.seq),
            Err(failure) => self.failed(&failure),
        }
    }

    fn subscribe(&mut self, session: String, after: Option<u64>) {
        let mut params = self.params(Some(&session), after);
        if let Some(params) = params.as_object_mut() {
            params.insert("binary".to_owned(), true.into());
        }
        self.ask(Stage::Subscribing { session, after }, "pilothouse.subscribe", &params);
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
            Stage::Subscribing { session, after } => self.subscribed(session, after, &answer),
            Stage::Unsubscribing { session } => self.subscribe(session, None),
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
