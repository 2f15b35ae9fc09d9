//! The history: what is left of the server's log once superseded events are out. Whoever begins, or has heard nothing for long,
//! reads it before the live stream, which goes on where it ends. Where there is none, the live stream brings everything.

use super::exchanges::{Exchange, Purpose};
use super::{Carrier, Connection, Effect, Frame, HttpRequest, Open, Receiver, Report, ResponseHead};
use crate::connection::Failure;
use crate::wire::decoder::MAX_LINE;

const LINES: &str = "application/jsonl, application/x-ndjson";
/// Who has heard nothing for so long, in milliseconds, may have missed much.
const FAR_BEHIND_MS: u64 = 60_000;

/// What is known of the server's history.
#[derive(Debug, Default)]
pub(super) struct History {
    reading: Option<Reading>,
    /// The server has none.
    absent: bool,
    /// One was begun, and since then no connection was open.
    unfinished: bool,
}

/// A history that is being read. The carrier waits for its end.
#[derive(Debug)]
struct Reading {
    exchange: u32,
    carrier: Carrier,
    session: String,
    /// What was asked for follows the event at this position.
    after: Option<u64>,
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

    /// Follows this session: reads its history if that may be much, then has the carrier bring what comes.
    pub(super) fn follow_session(&mut self, carrier: Carrier, session: String) {
        let after = self.cursor.seq;
        let far =
            after.is_none() || self.history.unfinished || self.pulse.silent_ms(self.now) > FAR_BEHIND_MS;
        let url = self.target.history_url(&session, after).filter(|_| far && !self.history.absent);
        let Some(url) = url else { return self.go_live(carrier, session) };
        let exchange = self.exchange(Purpose::History, self.get(url, LINES));
        self.history.reading = Some(Reading { exchange, carrier, session, after });
        self.history.unfinished = true;
        self.limit_opening();
    }

    /// The history begins, or there is none. Returns whether the exchange goes on.
    pub(super) fn history_head(&mut self, head: &ResponseHead, receiver: &mut dyn Receiver) -> bool {
        let Some(Reading { exchange, after, .. }) = self.history.reading else { return false };
        let is_lines = head.content_type.as_deref().is_some_and(|kind| kind.contains("json"));
        match (head.status, head.newest.filter(|_| is_lines)) {
            (200, Some(newest)) if after.is_none_or(|after| after <= newest) => {
                receiver.history_began(after);
                self.reports.push(Report::History { after, newest });
                self.history_came();
                return true;
            }
            // The server has started over, which the live stream tells.
            (200, Some(_)) => {}
            // The carrier would be refused as well, and a gateway counts wrong credentials.
            (status @ 401, _) => {
                self.failed(&Failure::Http { status, retry_after_ms: head.retry_after_ms });
                return false;
            }
            (status, _) => self.history.absent = !matches!(status, 408 | 425 | 429 | 500 | 502..=599),
        }
        self.effects.push(Effect::Abort(exchange));
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
        if let Some(Reading { carrier, session, .. }) = self.history.reading.take() {
            self.limit_opening();
            self.go_live(carrier, session);
        }
    }

    /// Nothing of the history comes any more. If nothing has come at all, the next attempt does without it.
    pub(super) fn history_is_late(&mut self) {
        let Some(reading) = &self.history.reading else { return };
        let came = self.cursor.seq != reading.after;
        self.history.absent |= !came && !self.policy.skips_waits();
    }

    /// The attempt is over.
    pub(super) fn abort_history(&mut self) {
        if let Some(reading) = self.history.reading.take() {
            self.abort(reading.exchange);
        }
    }

    /// A connection is open, which brings what is still missing.
    pub(super) fn history_is_here(&mut self) {
        self.history.unfinished = false;
    }

    /// Something of it has come, and the next part gets as much time.
    fn history_came(&mut self) {
        self.heard();
        self.limit_opening();
    }

    fn go_live(&mut self, carrier: Carrier, session: String) {
        match &self.carrier {
            Some(Open::Socket(_)) => self.subscribe(session, self.cursor.seq),
            Some(Open::Stream { .. }) => self.stream(session),
            _ => self.open_carrier(carrier),
        }
    }
}
