//! The connection's policy as plain data: where to connect, which failures are temporary, how long to wait,
//! and what to tell people. `core::client::connection` uses it.

mod address;
mod backoff;
mod failure;
mod policy;
mod pulse;
mod target;
mod version;
mod wake;

pub use address::{Address, AddressError};
pub use backoff::{Backoff, doubled};
pub use failure::{ClosedReason, Failure, Verdict, plain, retry_after_ms};
pub use policy::{Carrier, Policy, Step};
pub use pulse::{BACK_MS, Beat, Pulse, QUIET_MS, UNANSWERED_MS};
pub use target::{Attributes, Place, Protocol, Target, Transport, sendable};
pub use version::{PROTOCOL, difference};
pub use wake::Wake;

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
}
