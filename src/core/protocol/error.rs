//! Why a server refused a request: the codes of JSON-RPC errors, and the reasons that only their texts tell.

/// The reason of a JSON-RPC error. What is done about an error depends on this, never on its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorReason {
    /// The message is not JSON.
    ParseError,
    /// The message is JSON, but not a request.
    InvalidRequest,
    /// No such method.
    MethodNotFound,
    /// The method's parameters are wrong.
    InvalidParams,
    /// An error inside the runtime.
    Internal,
    /// No such session.
    UnknownSession,
    /// A recording can't do that.
    Recording,
    /// Too many calls wait for the runtime; this one was not sent.
    Busy,
    /// The runtime is not there; the call was not sent.
    RuntimeDown,
    /// The runtime ended before it answered: the call may or may not have been carried out.
    UnknownOutcome,
    /// Another answer to the same request is on its way to the runtime; this one was not sent.
    BeingAnswered,
    /// The message is no longer in the backlog: somebody else sent, took or discarded it.
    NoSuchMessage,
    /// Nobody has signed in, or the token is not valid.
    SignIn,
    /// A viewer may not do that.
    NotAllowed,
    /// Too many messages, or too many attempts to sign in.
    TooFast,
    /// Too many subscriptions or open streams.
    TooMany,
    /// The message is longer than the gateway takes; nothing of it was carried out.
    TooLong,
    /// The message was not sent, because there is no runtime; it is in the backlog.
    Kept,
    /// The session's machine can't be reached; nothing was sent to it.
    MachineAway,
    /// Somebody else has paused the queue already. The runtime has no code for this.
    QueueAlreadyPaused,
    /// Any other reason, with its code.
    Other(i64),
}

/// The reasons that have a code of their own.
const CODED: [ErrorReason; 19] = [
    ErrorReason::ParseError,
    ErrorReason::InvalidRequest,
    ErrorReason::MethodNotFound,
    ErrorReason::InvalidParams,
    ErrorReason::Internal,
    ErrorReason::UnknownSession,
    ErrorReason::Recording,
    ErrorReason::Busy,
    ErrorReason::RuntimeDown,
    ErrorReason::UnknownOutcome,
    ErrorReason::BeingAnswered,
    ErrorReason::NoSuchMessage,
    ErrorReason::SignIn,
    ErrorReason::NotAllowed,
    ErrorReason::TooFast,
    ErrorReason::TooMany,
    ErrorReason::TooLong,
    ErrorReason::Kept,
    ErrorReason::MachineAway,
];

/// The word in the text of the runtime's error for a queue that is paused already.
const ALREADY_PAUSED: &str = "queue_already_paused";

impl ErrorReason {
    /// The reason of an error with this code and text.
    pub fn parse(code: i64, message: &str) -> Self {
        if message.contains(ALREADY_PAUSED) {
            return Self::QueueAlreadyPaused;
        }
        CODED.into_iter().find(|reason| reason.code() == code).unwrap_or(Self::Other(code))
    }

    /// The error's code: those of JSON-RPC, then the gateway's own. A reason without a code has that of an internal
    /// error.
    pub const fn code(self) -> i64 {
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::UnknownSession => -32001,
            Self::Recording => -32004,
            Self::Busy => -32005,
            Self::RuntimeDown => -32006,
            Self::UnknownOutcome => -32007,
            Self::BeingAnswered => -32008,
            Self::NoSuchMessage => -32009,
            Self::SignIn => -32010,
            Self::NotAllowed => -32011,
            Self::TooFast => -32012,
            Self::TooMany => -32013,
            Self::TooLong => -32014,
            Self::Kept => -32015,
            Self::MachineAway => -32016,
            Self::Internal | Self::QueueAlreadyPaused => -32603,
            Self::Other(code) => code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CODED, ErrorReason};

    #[test]
    fn a_code_has_one_reason() {
        for reason in CODED {
            assert_eq!(ErrorReason::parse(reason.code(), "no"), reason);
        }
        assert_eq!(ErrorReason::parse(-1, "no"), ErrorReason::Other(-1));
        // The codes are a promise to other programs (docs/protocol.md).
        let codes = CODED.map(ErrorReason::code);
        assert_eq!(codes[..4], [-32700, -32600, -32601, -32602]);
        assert!(
            codes[4..].iter().all(|code| (-32016..=-32001).contains(code) || *code == -32603),
            "{codes:?}"
        );
        let paused = "Request failed: queue_already_paused";
        assert_eq!(ErrorReason::parse(-32603, paused), ErrorReason::QueueAlreadyPaused);
    }
}
