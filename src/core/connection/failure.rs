//! Decides which failures are temporary and which are final, and has the
//! message for each. `policy` acts on them.

use std::fmt;

use crate::i18n::Word;
use crate::i18n::words::connection;
use crate::protocol::ErrorReason;

/// How a connection, or the attempt to open one, ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// No answer: no network, no server, or the browser blocked it and doesn't say why.
    Network,
    /// The browser says that the device is offline.
    Offline,
    /// A connection was opened, but nothing was received in time.
    Silent,
    /// A WebSocket closed before it was open: the upgrade was refused, or there is no server.
    NeverOpened,
    /// An open WebSocket closed with this code and text.
    Socket {
        /// The close code of RFC 6455; 1005 and 1006 if there was none.
        code: u16,
        /// The server's text, unchecked.
        reason: String,
    },
    /// An HTTP response whose status says that it is not an event stream.
    Http {
        /// The status, 200 to 599.
        status: u16,
        /// `Retry-After` in milliseconds.
        retry_after_ms: Option<u64>,
    },
    /// An open event stream broke off.
    Broken,
    /// The server ended the stream without an error.
    Ended,
    /// The stream reported that it is complete (`[DONE]`, or status 204).
    Complete,
    /// The gateway has no session yet, and none was asked for by name.
    NoSessions,
    /// The gateway refused the subscription.
    Refused {
        /// Why.
        reason: ErrorReason,
        /// The gateway's words, unchecked.
        message: String,
    },
    /// What answered is neither a gateway nor an event stream; the text names what was received instead.
    NotAStream(String),
    /// The browser rejects the address; the text is the browser's.
    BadAddress(String),
    /// Code of the page failed, which makes the connection or gives its credentials; the text is its message.
    HostCode(String),
}

/// Why no further attempt is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClosedReason {
    /// The page closed the connection.
    ByPage,
    /// The server wants a (different) sign-in.
    SignIn,
    /// The link by which the page watches does not count, or not any more.
    LinkEnded,
    /// There is no such session.
    NoSuchSession,
    /// The session was there and is gone for good.
    Gone,
    /// The stream is complete.
    Complete,
    /// The server refuses; the text is its own words, or its status or code.
    Refused(String),
    /// What answered is neither a gateway nor an event stream.
    NotAStream(String),
    /// The address can't be used.
    BadAddress(String),
}

/// Whether to try again after a [`Failure`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is temporary: try again.
    Retry {
        /// The server's `Retry-After`, in milliseconds: no attempt before that.
        at_least_ms: Option<u64>,
    },
    /// Another attempt would end the same way.
    Final(ClosedReason),
}

impl Failure {
    /// Whether the server refused the credentials, so that others may help. A server that knows who asks and forbids
    /// it (403) does not count.
    pub fn refuses_credentials(&self) -> bool {
        matches!(
            self,
            Self::Http { status: 401, .. }
                | Self::Socket { code: 3000 | 4401, .. }
                | Self::Refused { reason: ErrorReason::SignIn, .. }
        )
    }

    /// Whether the server itself has ended an open connection in good order, as one does that restarts.
    pub fn is_announced(&self) -> bool {
        matches!(self, Self::Socket { code: 1001 | 1012, .. } | Self::Ended)
    }

    /// Whether the failure is temporary or final.
    pub fn verdict(&self) -> Verdict {
        let retry = Verdict::Retry { at_least_ms: None };
        match self {
            Self::Network
            | Self::Offline
            | Self::Silent
            | Self::NeverOpened
            | Self::Broken
            | Self::Ended
            | Self::NoSessions
            | Self::HostCode(_) => retry,
            Self::Socket { code, reason } => match code {
                3000 | 4401 => Verdict::Final(ClosedReason::SignIn),
                4404 => Verdict::Final(ClosedReason::NoSuchSession),
                4410 => Verdict::Final(ClosedReason::Gone),
                1002 | 1003 | 1007 | 1008 | 1010 | 3003 | 4000..=4999 => {
                    let words = plain(reason);
                    let words = if words.is_empty() {
                        message_with_code(connection::CLOSE_CODE, "code", &code.to_string())
                    } else {
                        words
                    };
                    Verdict::Final(ClosedReason::Refused(words))
                }
                _ => retry,
            },
            Self::Http { status, retry_after_ms } => match status {
                204 => Verdict::Final(ClosedReason::Complete),
                // 403 is not a question of who asks: the server does not take this page, or not from this person.
                401 => Verdict::Final(ClosedReason::SignIn),
                404 => Verdict::Final(ClosedReason::NoSuchSession),
                410 => Verdict::Final(ClosedReason::Gone),
                408 | 425 | 429 | 500..=599 => Verdict::Retry { at_least_ms: *retry_after_ms },
                _ => Verdict::Final(ClosedReason::Refused(message_with_code(
                    connection::HTTP_STATUS,
                    "status",
                    &status.to_string(),
                ))),
            },
            Self::Complete => Verdict::Final(ClosedReason::Complete),
            Self::Refused { reason: ErrorReason::SignIn, .. } => Verdict::Final(ClosedReason::SignIn),
            Self::Refused { reason: ErrorReason::UnknownSession, .. } => {
                Verdict::Final(ClosedReason::NoSuchSession)
            }
            Self::Refused { message, reason } => {
                let words = plain(message);
                let words = if words.is_empty() {
                    message_with_code(connection::ERROR_CODE, "code", &reason.code().to_string())
                } else {
                    words
                };
                Verdict::Final(ClosedReason::Refused(words))
            }
            Self::NotAStream(what) => Verdict::Final(ClosedReason::NotAStream(plain(what))),
            Self::BadAddress(why) => Verdict::Final(ClosedReason::BadAddress(plain(why))),
        }
    }
}

/// For people, while waiting: what happened, and what comes next.
impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Network | Self::NeverOpened => connection::UNREACHABLE,
            Self::Offline => connection::OFFLINE,
            Self::Silent => connection::SILENT,
            Self::Socket { code: 1012 | 1001, .. } => connection::RESTARTING,
            Self::Socket { code: 1013, .. } | Self::Http { status: 429 | 503, .. } => connection::BUSY,
            Self::Socket { .. } | Self::Broken => connection::BROKEN,
            Self::Http { status, .. } => {
                return out.write_str(&message_with_code(
                    connection::SERVER_FAILED,
                    "status",
                    &status.to_string(),
                ));
            }
            Self::Ended => connection::ENDED,
            Self::NoSessions => connection::NO_SESSIONS,
            Self::HostCode(words) => {
                return out.write_str(&connection::HOST_CODE.with(&[("said", (&plain(words)).into())]));
            }
            Self::Complete | Self::Refused { .. } | Self::NotAStream(_) | Self::BadAddress(_) => {
                match self.verdict() {
                    Verdict::Final(reason) => return reason.fmt(out),
                    Verdict::Retry { .. } => connection::BROKEN,
                }
            }
        };
        out.write_str(word.text())
    }
}

/// For people: what happened, and what to do.
impl fmt::Display for ClosedReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::ByPage => connection::BY_PAGE,
            Self::SignIn => connection::SIGN_IN,
            Self::LinkEnded => connection::LINK_ENDED_WHY,
            Self::NoSuchSession => connection::NO_SUCH_SESSION,
            Self::Gone => connection::GONE,
            Self::Complete => connection::COMPLETE,
            Self::Refused(words) => {
                return out.write_str(&connection::REFUSED.with(&[("said", words.into())]));
            }
            Self::NotAStream(what) => {
                return out.write_str(&connection::NOT_A_STREAM.with(&[("what", what.into())]));
            }
            Self::BadAddress(why) => {
                return out.write_str(&connection::BAD_ADDRESS.with(&[("why", why.into())]));
            }
        };
        out.write_str(word.text())
    }
}

/// A message with a code, which goes in as text: as a number it would get digit separators.
fn message_with_code(word: Word, name: &str, code: &str) -> String {
    word.with(&[(name, code.into())])
}

/// Reads a `Retry-After` in seconds, as milliseconds. A date gives
/// `None`: it needs a clock, which `link` has.
pub fn retry_after_ms(header: &str) -> Option<u64> {
    let seconds: u64 = header.trim().parse().ok()?;
    seconds.checked_mul(1000)
}

/// The words of a server as one short line without control or direction-changing characters.
pub fn plain(text: &str) -> String {
    let text = without_preamble(text);
    let invisible = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let text: String = text
        .chars()
        .map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c })
        .filter(|c| !invisible(*c))
        .take(200)
        .collect();
    text.trim().to_owned()
}

/// What the runtime's library for calls puts before the reason of a failed one: `Request session.create failed with
/// message: `, once for each call on the way.
fn without_preamble(mut text: &str) -> &str {
    while let Some((method, rest)) =
        text.trim_start().strip_prefix("Request ").and_then(|text| text.split_once(" failed with message: "))
        && !method.contains(char::is_whitespace)
        && !rest.trim().is_empty()
    {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn http(status: u16) -> Verdict {
        Failure::Http { status, retry_after_ms: Some(9) }.verdict()
    }

    fn socket(code: u16) -> Verdict {
        Failure::Socket { code, reason: "no\u{202e} \n entry".into() }.verdict()
    }

    #[test]
    fn what_a_library_puts_before_a_reason_is_not_shown() {
        for (said, expected) in [
            ("Request session.create failed with message: No model is there", "No model is there"),
            ("Request a.b failed with message: Request c failed with message: No", "No"),
            ("Request session.create failed with message: ", "Request session.create failed with message:"),
            ("Request to you failed with message: No", "Request to you failed with message: No"),
            ("No model is there", "No model is there"),
        ] {
            assert_eq!(plain(said), expected);
        }
    }

    #[test]
    fn what_passes_is_tried_again() {
        for status in [408, 425, 429, 500, 502, 503, 504, 599] {
            assert_eq!(http(status), Verdict::Retry { at_least_ms: Some(9) }, "{status}");
        }
        for code in [1000, 1001, 1005, 1006, 1011, 1012, 1013, 1014] {
            assert_eq!(socket(code), Verdict::Retry { at_least_ms: None }, "{code}");
        }
        for failure in
            [Failure::Network, Failure::Offline, Failure::Broken, Failure::Ended, Failure::NoSessions]
        {
            assert!(matches!(failure.verdict(), Verdict::Retry { .. }));
        }
    }

    #[test]
    fn what_would_end_the_same_way_is_final() {
        assert_eq!(http(401), Verdict::Final(ClosedReason::SignIn));
        assert_eq!(http(404), Verdict::Final(ClosedReason::NoSuchSession));
        assert_eq!(http(410), Verdict::Final(ClosedReason::Gone));
        assert_eq!(http(204), Verdict::Final(ClosedReason::Complete));
        for status in [400, 403, 405, 422, 451, 301] {
            assert!(matches!(http(status), Verdict::Final(ClosedReason::Refused(_))), "{status}");
        }
        for code in [1008, 3003, 4000, 4403, 4999] {
            assert_eq!(socket(code), Verdict::Final(ClosedReason::Refused("no   entry".into())), "{code}");
        }
        assert_eq!(socket(4401), Verdict::Final(ClosedReason::SignIn));
        let refused = |reason| Failure::Refused { reason, message: "no".into() }.verdict();
        assert_eq!(refused(ErrorReason::SignIn), Verdict::Final(ClosedReason::SignIn));
        assert_eq!(refused(ErrorReason::Recording), Verdict::Final(ClosedReason::Refused("no".into())));
        let unknown =
            Failure::Refused { reason: ErrorReason::UnknownSession, message: "no session \"x\" here".into() };
        assert_eq!(unknown.verdict(), Verdict::Final(ClosedReason::NoSuchSession), "as over HTTP");
    }

    #[test]
    fn no_message_says_that_something_is_shown() {
        // A page that has started without a connection shows nothing, and has the same messages.
        for failure in [
            Failure::Network,
            Failure::Ended,
            Failure::Complete,
            Failure::BadAddress("x".into()),
            Failure::HostCode("x".into()),
        ] {
            assert!(!failure.to_string().contains("still"), "{failure}");
        }
        for reason in [ClosedReason::SignIn, ClosedReason::Gone, ClosedReason::Refused("x".into())] {
            assert!(!reason.to_string().contains("still"), "{reason}");
        }
        assert!(Failure::Offline.to_string().contains("by itself"), "what comes next");
    }

    #[test]
    fn other_credentials_help_only_where_these_were_refused() {
        let refused = |reason| Failure::Refused { reason, message: String::new() };
        let socket = |code| Failure::Socket { code, reason: String::new() };
        let http = |status| Failure::Http { status, retry_after_ms: None };
        for failure in [http(401), socket(3000), socket(4401), refused(ErrorReason::SignIn)] {
            assert!(failure.refuses_credentials(), "{failure:?}");
            assert_eq!(failure.verdict(), Verdict::Final(ClosedReason::SignIn));
        }
        for failure in [http(403), http(500), socket(4403), refused(ErrorReason::Recording), Failure::Network]
        {
            assert!(!failure.refuses_credentials(), "{failure:?}");
        }
    }

    #[test]
    fn retry_after_is_seconds() {
        assert_eq!(retry_after_ms(" 3 "), Some(3000));
        assert_eq!(retry_after_ms("Wed, 21 Oct 2026 07:28:00 GMT"), None);
        assert_eq!(retry_after_ms("18446744073709551615"), None);
    }
}
