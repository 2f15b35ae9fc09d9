//! The client's own connection: what comes over it, and what is sent. A client without one has its requests carried by
//! another.

use serde_json::Value;

use super::calls::Purpose;
use super::connection::{self, Connection, Frame, FrameResult, Receiver, ReplyEnd, Report};
use super::{Client, Effect, RequestError, Server, With, calls, platform};
use crate::Session;
use crate::connection::{ConnectionState, Target};
use crate::i18n::format::one_line;

impl Client {
    /// Connects to a target, or anew, in place of the connection before. `seed` spreads the attempts of a restarted
    /// server's clients.
    pub(super) fn connect(&mut self, target: Target, seed: u64, with: &mut With<'_>) {
        self.closed = false;
        self.server = Server {
            address: target.server(),
            session: std::mem::take(&mut self.server.session),
            protocol: target.protocol(),
            is_host: target.is_host(),
            requests_only: false,
        };
        self.sync(with);
        match &mut self.connection {
            Some(_) => self.drive(connection::Input::Retarget(Box::new(target)), with),
            None => self.connection = Some(Connection::new(target, seed)),
        }
    }

    /// Has a board's connection carry the requests of a session.
    pub(super) fn attach(&mut self, address: Option<String>, session: &str, with: &mut With<'_>) {
        self.server =
            Server { address, session: session.to_owned(), requests_only: true, ..Server::default() };
        self.me.connected = true;
        self.sync(with);
    }

    /// Gives the connection an input.
    pub(super) fn drive(&mut self, input: connection::Input<'_>, with: &mut With<'_>) {
        let Some(connection) = &mut self.connection else { return };
        let mut reader =
            Reader { session: with.session, requests: &mut self.requests, effects: &mut self.effects };
        let outputs = connection.update(self.now, input, &mut reader);
        self.effects.extend(outputs.effects.into_iter().map(Effect::Browser));
        self.reports.extend(outputs.reports);
    }

    /// Handles what the connection reports, until there is nothing more.
    pub(super) fn handle_reports(&mut self, with: &mut With<'_>) {
        while let Some(report) = self.reports.pop_front() {
            match report {
                Report::State(state, message) => {
                    self.me.connected = state == ConnectionState::Open;
                    self.sync(with);
                    self.effects.push(Effect::Connection(state, message));
                }
                Report::Opened { session, from } => self.opened(&session, from, with),
                Report::Listed(sessions) => self.effects.push(Effect::Listed(sessions)),
                Report::Role { viewer } => self.effects.push(Effect::Role { viewer }),
                Report::Health(report) => self.effects.push(Effect::Health(report)),
                Report::Error(message) => self.effects.push(Effect::Error(message)),
                Report::Answered(ticket, outcome) => self.answered(ticket, outcome, with),
                Report::Fetched(..) => {}
            }
        }
    }

    /// Sends a request over the connection, or has it carried.
    pub(super) fn send(&mut self, purpose: Purpose, method: &str, params: Value, with: &mut With<'_>) {
        let ticket = self.ticket(purpose);
        if self.server.requests_only {
            self.effects.push(Effect::Relay { ticket, method: method.to_owned(), params });
        } else if self.connection.is_some() {
            self.drive(connection::Input::Call { ticket, method, params }, with);
        } else {
            self.reports.push_back(Report::Answered(ticket, Err(RequestError::NotConnected)));
        }
    }

    /// Posts a message to an agent of the platform.
    pub(super) fn converse(&mut self, purpose: Purpose, body: &Value, with: &mut With<'_>) {
        let ticket = self.ticket(purpose);
        if self.connection.is_some() {
            self.drive(connection::Input::Converse { ticket, body: one_line(body) }, with);
        } else {
            self.reports.push_back(Report::Answered(ticket, Err(RequestError::NotConnected)));
        }
    }
}

/// Reads what the connection brings into the session.
struct Reader<'a> {
    session: &'a mut Session,
    requests: &'a mut calls::Requests,
    effects: &'a mut Vec<Effect>,
}

impl Receiver for Reader<'_> {
    fn frame(&mut self, frame: Frame<'_>) -> FrameResult {
        let received = match frame {
            Frame::Bytes(bytes) => self.session.push_frame_bytes(bytes),
            Frame::ServerSent { event, data, seq } => self.session.push_server_sent(event, data, seq),
        };
        if received.health.is_some() {
            self.effects.push(Effect::Health(received.health));
        }
        FrameResult { last_seq: received.last_seq, responses: received.responses }
    }

    fn read_loosely(&mut self) {
        self.session.read_loosely();
    }

    fn reply_began(&mut self, ticket: u64) {
        platform::reply_began(self.requests, ticket, self.session);
    }

    fn reply_ended(&mut self, end: ReplyEnd) {
        platform::reply_ended(end, self.session);
    }
}
