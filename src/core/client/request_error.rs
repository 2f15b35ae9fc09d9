//! Why a request that was sent to the server has no result.

use std::fmt;

use crate::connection::plain;
use crate::i18n::format::bytes;
use crate::i18n::words::connection;
use crate::protocol::ErrorReason;
use crate::protocol::call::CallFailure;
use crate::wire::RpcError;

/// Why a request has no result. Each prints as a plain sentence for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestError {
    /// There is no open connection; nothing was sent.
    NotConnected,
    /// The session is a recording or the host's own connection; nothing was sent.
    Replaying,
    /// Events come one way only and there is no answer address; nothing was sent.
    NoWayBack,
    /// The connection was lost while waiting: whether the request arrived is unknown.
    Lost,
    /// It is longer than the server takes, both in bytes; nothing was sent.
    TooLong {
        /// Its length.
        length: u64,
        /// The most that the server takes.
        limit: u64,
    },
    /// No answer in time: whether the request arrived is unknown.
    NoAnswer,
    /// The server refused it.
    Refused {
        /// Why.
        reason: ErrorReason,
        /// The server's message.
        message: String,
    },
    /// The answer address answered with this HTTP status.
    Http(u16),
    /// The answer is not JSON.
    NotUnderstood,
}

impl RequestError {
    /// True if the request may have been carried out all the same. It must not be sent again automatically.
    pub fn uncertain(&self) -> bool {
        match self {
            Self::Lost | Self::NoAnswer | Self::NotUnderstood => true,
            Self::Http(status) => leaves_unknown(*status),
            Self::Refused { reason, .. } => *reason == ErrorReason::UnknownOutcome,
            Self::NotConnected | Self::Replaying | Self::NoWayBack | Self::TooLong { .. } => false,
        }
    }

    /// The failure of a call, for views.
    pub fn failure(&self) -> CallFailure {
        let (reason, message) = match self {
            Self::Refused { reason, message } => (Some(*reason), message.clone()),
            _ => (None, String::new()),
        };
        let unsent = matches!(self, Self::NotConnected);
        CallFailure { words: self.to_string(), message, reason, uncertain: self.uncertain(), unsent }
    }
}

/// Whether a status leaves open if the request was carried out: from 500 on it can come from a proxy that
/// does not know what happened behind it.
pub(super) fn leaves_unknown(status: u16) -> bool {
    matches!(status, 408 | 500..)
}

impl fmt::Display for RequestError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::NotConnected => connection::NOT_SENT,
            Self::Replaying => connection::NOBODY_LISTENS,
            Self::NoWayBack => connection::ONE_WAY,
            Self::Lost => connection::LOST_BEFORE_ANSWER,
            Self::NoAnswer => connection::NOT_ANSWERED,
            Self::NotUnderstood => connection::NOT_UNDERSTOOD,
            Self::Refused { reason: ErrorReason::BeingAnswered, .. } => connection::BEING_ANSWERED,
            Self::Refused { reason: ErrorReason::UnknownOutcome, .. } => connection::ENDED_BEFORE_ANSWER,
            Self::Refused { reason: ErrorReason::MachineAway, .. } => connection::MACHINE_AWAY,
            Self::Refused { message, .. } => {
                let words = plain(message);
                return out.write_str(&connection::REQUEST_REFUSED.with(&[("said", (&words).into())]));
            }
            Self::TooLong { length, limit } => {
                let in_bytes = |number: u64| bytes(i64::try_from(number).unwrap_or(i64::MAX));
                let (length, limit) = (in_bytes(*length), in_bytes(*limit));
                let values = [("bytes", (&length).into()), ("limit", (&limit).into())];
                return out.write_str(&connection::TOO_LONG.with(&values));
            }
            Self::Http(status) => {
                let word = match *status {
                    413 => connection::TOO_LONG_THERE,
                    401 => connection::REQUEST_SIGN_IN,
                    status if leaves_unknown(status) => connection::FAILED_BEFORE_ANSWER,
                    _ => connection::NOT_TAKEN,
                };
                return out.write_str(&word.with(&[("status", (&status.to_string()).into())]));
            }
        };
        out.write_str(word.text())
    }
}

impl std::error::Error for RequestError {}

impl From<RpcError> for RequestError {
    fn from(error: RpcError) -> Self {
        let reason = ErrorReason::parse(error.code, &error.message);
        Self::Refused { reason, message: error.message }
    }
}
