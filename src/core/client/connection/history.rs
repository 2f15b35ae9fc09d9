//! The history: what is left of the server's log once superseded events are out. A server that has one, and sees that somebody is far
//! behind, says so in place of the events. The history is read then, and the live stream goes on where it ends.

use super::exchanges::{Exchange, Purpose};
use super::{Connection, Effect, Frame, HttpRequest, Open, Receiver, Report, ResponseHead};
use crate::connection::Failure;
use crate::wire::decoder::MAX_LINE;

const LINES: &str = "application/jsonl, application/x-ndjson";

/// What is known of the server's history.
#[derive(Debug, Default)]
pub(super) struct History {
    reading: Option<Reading>,
    /// It did not come.
    failed: bool,
}

/// A history that is being read. The carrier waits for its end.
#[derive(Debug)]
struct Reading {
    /// `None` if it comes in place of the carrier's stream.
    exchange: Option<u32>,
    session: String,
    /// It follows the event at this position.
    after: Option<u64>,
}

impl ResponseHead {
    /// The newest position, if a history follows.
    pub(super) fn history(&self) -> Option<u64> {
        let is_lines = self.content_type.as_deref().is_some_and(|kind| kind.contains("json"));
        self.newest.filter(|_| self.status == 200 && is_lines)
    }
}

impl Connection {
    /// Whether the history is being read, before the connection is open.
    pub fn reads_history(&self) -> bool {
        self.history.reading.is_some()
    }

    /// The request for every event of the session's log; `None` without a gateway.
    pub fn whole_log_request(&self) -> Option<HttpRequest> {
        let url = self.target.history_url(self.session.as_deref()?, None)?;
        Some(self.get([&url, "?whole=1"].concat(), LINES))
    }

    /// Whether the server may name its history in place of the events.
    pub(super) fn takes_history(&self) -> bool {
        !self.history.failed && self.target.sessions_url().is_some()
    }

    /// The server says that its history is worth it.
    pub(super) fn fetch_history(&mut self, session: String) {
        let after = self.cursor.seq;
        let Some(url) = self.target.history_url(&session, after) else { return };
        let request = HttpRequest { kept: true, ..self.get(url, LINES) };
        let exchange = Some(self.exchange(Purpose::History, request));
        self.history.reading = Some(Reading { exchange, session, after });
        self.limit_opening();
    }

    /// The history comes in place of the carrier's stream. Returns whether the exchange goes on.
    pub(super) fn history_begins(
        &mut self,
        number: u32,
        head: &ResponseHead,
        receiver: &mut dyn Receiver,
    ) -> bool {
        let Some(Open::Stream { session, .. }) = &self.carrier else { return false };
        let session = session.clone();
        self.history.reading = Some(Reading { exchange: None, session, after: self.cursor.seq });
        self.history_head(number, head, receiver)
    }

    /// The history begins, or there is none. Returns whether the exchange goes on.
    pub(super) fn history_head(
        &mut self,
        number: u32,
        head: &ResponseHead,
        receiver: &mut dyn Receiver,
    ) -> bool {
        let Some(Reading { after, .. }) = self.history.reading else { return false };
        match (head.status, head.history()) {
            (_, Some(newest)) if after.is_none_or(|after| after <= newest) => {
                receiver.history_began(after);
                self.reports.push(Report::History { after, newest });
                self.history_came();
                return true;
            }
            // The server has started over, which the live stream tells.
            (_, Some(_)) => {}
            // The stream would be refused as well, and a gateway counts wrong credentials.
            (status @ 401, _) => {
                self.failed(&Failure::Http { status, retry_after_ms: head.retry_after_ms });
                return false;
            }
            (status, _) => self.history.failed = !matches!(status, 408 | 425 | 429 | 500 | 502..=599),
        }
        self.effects.push(Effect::Abort(number));
        self.leave_history();
        false
    }

    /// The next part of the history. Returns whether the exchange goes on.
    pub(super) fn history_part(
        &mut self,
        exchange: &mut Exchange,
        bytes: &[u8],
        receiver: &mut dyn Receiver,
    ) -> bool {
        self.history_came();
        let Some(end) = memchr::memrchr(b'\n', bytes) else {
            exchange.body.extend_from_slice(bytes);
            if exchange.body.len() > MAX_LINE {
                self.effects.push(Effect::Abort(exchange.number));
                self.leave_history();
            }
            return self.reads_history();
        };
        let (lines, rest) = bytes.split_at_checked(end + 1).unwrap_or((bytes, &[]));
        if exchange.body.is_empty() {
            self.frame(Frame::History(lines), receiver);
        } else {
            exchange.body.extend_from_slice(lines);
            self.frame(Frame::History(&std::mem::take(&mut exchange.body)), receiver);
        }
        exchange.body.extend_from_slice(rest);
        true
    }

    /// The history is here up to the position that the server has named.
    pub(super) fn history_ended(&mut self, newest: Option<u64>, rest: &[u8], receiver: &mut dyn Receiver) {
        if let Some(newest) = newest {
            if !rest.is_empty() {
                self.frame(Frame::History(rest), receiver);
            }
            // What came last may be superseded.
            receiver.history_ended(newest);
            self.passed(&newest.to_string());
        }
        self.leave_history();
    }

    /// Nothing more of the history comes: what has come stays, and the live stream goes on behind it.
    pub(super) fn leave_history(&mut self) {
        let Some(Reading { session, .. }) = self.history.reading.take() else { return };
        self.limit_opening();
        match &self.carrier {
            Some(Open::Socket(_)) => self.subscribe(session, self.cursor.seq, false),
            _ => self.stream(session, false),
        }
    }

    /// Nothing of the history comes any more. If nothing has come at all, the next attempt does without it.
    pub(super) fn history_is_late(&mut self) {
        let Some(reading) = &self.history.reading else { return };
        let came = self.cursor.seq != reading.after;
        self.history.failed |= !came && !self.policy.skips_waits();
    }

    /// The attempt is over.
    pub(super) fn abort_history(&mut self) {
        if let Some(exchange) = self.history.reading.take().and_then(|reading| reading.exchange) {
            self.abort(exchange);
        }
    }

    /// Something of it has come, and the next part gets as much time.
    fn history_came(&mut self) {
        self.heard();
        self.limit_opening();
    }
}
