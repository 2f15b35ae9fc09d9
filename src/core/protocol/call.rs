//! The failure of a call. A call is a request that the viewer sends, other than an answer to one of the
//! server's.

use super::error::ErrorReason;

/// The call to sign in with the parameter `token`. It never reaches the runtime: the link checks the token
/// and keeps it for later connections.
pub const SIGN_IN_METHOD: &str = "pilothouse.signIn";

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// What happened, as text for people.
    pub words: String,
    /// The message with which the server refused it, byte for byte; else empty.
    pub message: String,
    /// Why the server refused the call, if it did.
    pub reason: Option<ErrorReason>,
    /// The call may have been carried out all the same, so it must not be retried automatically.
    pub uncertain: bool,
    /// Nothing was sent, because there was no connection.
    pub unsent: bool,
}

impl CallFailure {
    /// Whether nobody can say if the call was carried out: no answer reached this page, or none reached its server.
    pub fn outcome_is_unknown(&self) -> bool {
        self.uncertain || self.reason == Some(ErrorReason::UnknownOutcome)
    }
}

#[cfg(test)]
mod tests {
    use super::{CallFailure, ErrorReason};

    #[test]
    fn an_outcome_is_unknown_if_no_answer_came_here_or_to_the_server() {
        let failure = |reason, uncertain| {
            CallFailure { words: String::new(), message: String::new(), reason, uncertain, unsent: false }
                .outcome_is_unknown()
        };
        assert!(failure(None, true));
        assert!(failure(Some(ErrorReason::UnknownOutcome), false));
        assert!(!failure(Some(ErrorReason::Busy), false));
        assert!(!failure(None, false));
    }
}
