//! Owns the connection's policy as plain data: where to connect, which failures pass, how long to
//! wait, and what to tell people. Refuses sockets, clocks and randomness: `link` brings those.

mod address;
mod backoff;
mod failure;
mod policy;
mod pulse;
mod target;

pub use address::{Address, AddressError};
pub use backoff::Backoff;
pub use failure::{ClosedReason, Failure, Verdict, plain, retry_after_ms};
pub use policy::{Carrier, Policy, Step};
pub use pulse::{ANSWER_MS, BACK_MS, Beat, Pulse, QUIET_MS, UNANSWERED_MS};
pub use target::{Attributes, Place, Protocol, Target, Transport};

/// A gateway's error code: nobody has signed in, or with a token that is none.
pub const SIGN_IN: i64 = -32010;
/// A gateway's error code: too many messages, or tries of a token.
pub const TOO_FAST: i64 = -32012;

/// A gateway's error code: the runtime ended before it answered, and nobody knows whether the call was carried out.
pub const UNKNOWN_OUTCOME: i64 = -32007;
/// A gateway's error code: another answer to the same request is on its way.
pub const BEING_ANSWERED: i64 = -32008;

/// Where the connection stands. Exactly one of these at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// A connection is being opened.
    Connecting {
        /// 1 for the first try, then one more for every try since the last stable connection.
        attempt: u32,
    },
    /// Events come in and answers go out.
    Open,
    /// The connection failed in a way that passes; the next try is set.
    Waiting {
        /// How many tries have failed in a row, at least 1.
        attempt: u32,
        /// Milliseconds from the moment of this report to the next try.
        delay_ms: u64,
    },
    /// There will be no further try unless a person asks for one.
    Closed {
        /// Why.
        reason: ClosedReason,
    },
    /// There is no network: a recording or the host's own connection feeds the session.
    Replaying,
}

impl ConnectionState {
    /// The word of the attribute `data-connection`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Connecting { .. } => "connecting",
            Self::Open => "open",
            Self::Waiting { .. } => "waiting",
            Self::Closed { .. } => "closed",
            Self::Replaying => "replaying",
        }
    }
}
