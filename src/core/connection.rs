//! The connection's policy as plain data: where to connect, which failures are temporary, how long to wait,
//! and what to tell people. `core::client::connection` uses it.

mod address;
mod backoff;
mod failure;
mod policy;
mod pulse;
mod target;

use std::cmp::Ordering;

use crate::i18n::words::connection::{NEWER_SERVER, OLDER_SERVER};
pub(crate) use address::encode_text;
pub use address::{Address, AddressError};
pub use backoff::{Backoff, doubled_delay};
pub use failure::{ClosedReason, Failure, Verdict, plain, retry_after_ms};
pub use policy::{Carrier, ConnectionStep, Policy};
pub use pulse::{BACK_MS, Pulse, PulseAction, QUIET_MS, UNANSWERED_MS, WakeSign};
pub use target::{Attributes, Endpoint, Protocol, Target, Transport, sendable};

/// The version of the protocol between page and gateway that this page speaks (docs/protocol.md). It rises when a page needs more than older gateways give, or the reverse.
pub const PROTOCOL: u64 = 1;

/// The message for people if the server has another version; `None` if it has ours, or did not report one.
pub fn difference(theirs: Option<u64>) -> Option<String> {
    let theirs = theirs?;
    let words = match theirs.cmp(&PROTOCOL) {
        Ordering::Equal => return None,
        Ordering::Greater => NEWER_SERVER,
        Ordering::Less => OLDER_SERVER,
    };
    let (theirs, ours) = (theirs.to_string(), PROTOCOL.to_string());
    Some(words.with(&[("theirs", (&theirs).into()), ("ours", (&ours).into())]))
}

/// The state of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// A connection is being opened.
    Connecting {
        /// 1 for the first try, then one more for every try since the last stable connection.
        attempt: u32,
    },
    /// Events are received and answers can be sent.
    Open,
    /// The connection failed temporarily; the next try is scheduled.
    Waiting {
        /// How many tries have failed in a row, at least 1.
        attempt: u32,
        /// Milliseconds from the moment of this report to the next try.
        delay_ms: u64,
    },
    /// No further try unless a person asks for one.
    Closed {
        /// Why.
        reason: ClosedReason,
    },
    /// There is no network: a recording or the host's own connection feeds the session.
    Replaying,
}

impl ConnectionState {
    /// The value of the attribute `data-connection`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Connecting { .. } => "connecting",
            Self::Open => "open",
            Self::Waiting { .. } => "waiting",
            Self::Closed { .. } => "closed",
            Self::Replaying => "replaying",
        }
    }

    /// Whether an answer can be sent: what is given otherwise is refused at once, and never sent later. `replies`: the server
    /// ends the stream after each reply, and takes calls without one.
    pub fn takes_answers(&self, replies: bool) -> bool {
        match self {
            Self::Open | Self::Replaying => true,
            Self::Closed { .. } => replies,
            Self::Connecting { .. } | Self::Waiting { .. } => false,
        }
    }

    /// Whether people should know that nothing can be answered now: a first connection takes a moment only.
    pub fn is_lost(&self) -> bool {
        match self {
            Self::Waiting { .. } | Self::Closed { .. } => true,
            Self::Connecting { attempt } => *attempt > 1,
            Self::Open | Self::Replaying => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_can_be_given_where_it_can_be_sent() {
        let waiting = ConnectionState::Waiting { attempt: 1, delay_ms: 1000 };
        let closed = ConnectionState::Closed { reason: ClosedReason::SignIn };
        let [first, again] = [1, 2].map(|attempt| ConnectionState::Connecting { attempt });
        for state in [ConnectionState::Open, ConnectionState::Replaying] {
            assert!(state.takes_answers(false) && !state.is_lost(), "{state:?}");
        }
        for state in [&waiting, &closed, &again] {
            assert!(!state.takes_answers(false) && state.is_lost(), "{state:?}");
        }
        assert!(!first.takes_answers(false) && !first.is_lost(), "nobody has lost anything");
        assert!(closed.takes_answers(true) && !waiting.takes_answers(true), "a platform's stream is over");
    }

    #[test]
    fn another_version_is_told_with_what_helps() {
        assert_eq!(difference(None), None, "another server than ours");
        assert_eq!(difference(Some(PROTOCOL)), None);
        let newer = difference(Some(PROTOCOL + 1)).unwrap_or_default();
        assert!(newer.contains("(2)") && newer.contains("(1)") && newer.contains("Reload"), "{newer}");
        let older = difference(Some(0)).unwrap_or_default();
        assert!(older.contains("(0)") && older.contains("Update"), "{older}");
    }
}
