//! The requests that wait for an answer over a socket or the host's transport, by id.

use serde_json::Value;

use super::{Connection, Effect, Outcome, Report, Timer};
use crate::i18n::format::one_line;

/// How long a request waits for its answer, in milliseconds.
pub(super) const ANSWER_LIMIT_MS: u64 = 60_000;

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

impl Connection {
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
}

/// A JSON-RPC request as it is sent.
#[inline(never)]
pub(super) fn written(id: u64, method: &str, params: Option<&Value>) -> String {
    let params = params.map_or_else(String::new, |params| [",\"params\":", &one_line(params)].concat());
    let method = one_line(&method.into());
    ["{\"jsonrpc\":\"2.0\",\"id\":", &id.to_string(), ",\"method\":", &method, &params, "}"].concat()
}
