//! The connection to a session's server: it restores itself, and carries requests and their
//! answers. Events are read by the [`Sink`].

mod credentials;
mod fetch;
mod host;
mod pending;
mod platform_reply;
mod post_only;
mod replay;
mod server_sent_events;
mod supervisor;
mod text_frames;
mod websocket;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use serde_json::Value;

use crate::core::connection::{ConnectionState, Failure, Target, plain};
use crate::core::i18n::format::bytes;
use crate::core::i18n::words::connection;
use crate::core::protocol::ErrorReason;
pub use crate::core::wire::{Response, RpcError};
pub use host::{HostParts, HostTransport};

/// One whole piece of input: a WebSocket message or a server-sent event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A text or binary message, in UTF-8 unless the server is wrong.
    Bytes(&'a [u8]),
    /// A server-sent event.
    ServerSent {
        /// Its name, `message` if the stream gives none.
        event: &'a str,
        /// Its data.
        data: &'a str,
        /// Its id, where that is a position in the gateway's log.
        seq: Option<u64>,
    },
}

/// What the decoder found in one frame that the link needs to know.
#[derive(Debug, Default)]
pub struct Report {
    /// The newest `seq` in the frame, after which a reconnect continues.
    pub last_seq: Option<u64>,
    /// Answers to requests that were sent over the link.
    pub responses: Vec<Response>,
}

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
            Self::Http(status) => unknown(*status),
            Self::Refused { reason, .. } => *reason == ErrorReason::UnknownOutcome,
            Self::NotConnected | Self::Replaying | Self::NoWayBack | Self::TooLong { .. } => false,
        }
    }
}

/// Whether a status leaves open if the request was carried out: from 500 on it can come from a proxy that
/// does not know what happened behind it.
fn unknown(status: u16) -> bool {
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
            Self::Refused { message, .. } => {
                let said = plain(message);
                return out.write_str(&connection::REQUEST_REFUSED.with(&[("said", (&said).into())]));
            }
            Self::TooLong { length, limit } => {
                let said = |number: u64| bytes(i64::try_from(number).unwrap_or(i64::MAX));
                let (length, limit) = (said(*length), said(*limit));
                let said = [("bytes", (&length).into()), ("limit", (&limit).into())];
                return out.write_str(&connection::TOO_LONG.with(&said));
            }
            Self::Http(status) => {
                let word = match *status {
                    413 => connection::TOO_LONG_THERE,
                    401 => connection::REQUEST_SIGN_IN,
                    status if unknown(status) => connection::FAILED_BEFORE_ANSWER,
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

/// A JSON-RPC request as it is sent.
#[inline(never)]
fn written(id: u64, method: &str, params: Option<&Value>) -> String {
    let params = params.map_or_else(String::new, |params| [",\"params\":", &params.to_string()].concat());
    let method = Value::from(method).to_string();
    ["{\"jsonrpc\":\"2.0\",\"id\":", &id.to_string(), ",\"method\":", &method, &params, "}"].concat()
}

/// Where the events of a new connection begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Opened {
    /// They follow the one at this position. `None`: they come from the
    /// beginning, or the position is unknown.
    pub after: Option<u64>,
    /// The newest position that the server has, if it said so.
    pub newest: Option<u64>,
    /// The server has less than was received before, so it has started over.
    pub over: bool,
}

/// Receives what the link reports. It may call the link's methods from inside any of these.
pub trait Sink {
    /// Takes one frame and returns what in it concerns the link.
    fn frame(&self, frame: Frame<'_>) -> Report;
    /// The connection has changed. `message` is for people: what happened, what is still true,
    /// what to do. An `Open` with a message is a warning about the stream.
    fn state(&self, state: ConnectionState, message: Option<String>);
    /// From here on the events of `session` arrive. It is empty if a full address was given without one.
    fn opened(&self, session: &str, from: Opened);
    /// The gateway's list of sessions, which was asked for because none was named. Returns true if the page
    /// shows something else than one of them from now on.
    fn listed(&self, _sessions: &Value) -> bool {
        false
    }
    /// The server has said who this client is: a viewer's answers and calls would be refused.
    fn role(&self, _viewer: bool) {}
    /// Reports what is wrong with the gateway itself; `None` if it did not say.
    fn health(&self, _report: Option<&Value>) {}
    /// A stream deviates from the standard's form, but was understood.
    fn read_loosely(&self) {}
    /// Code of the page has failed, which makes the connection or gives its credentials.
    fn error(&self, _message: &str) {}
}

/// Receives the progress of one reply.
pub trait Listener {
    /// The server has accepted the post, and its reply begins. Called before the reply's first event.
    fn taken(&self);
    /// The reply has ended. Called only after `taken`.
    fn over(&self, end: ReplyEnd);
}

/// How a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyEnd {
    /// It is complete.
    Whole,
    /// The page stopped it.
    Stopped,
    /// It broke off.
    Broken,
}

type Outcome = Result<Value, RequestError>;
type Answering = Pin<Box<dyn Future<Output = Outcome>>>;

/// One open carrier. Dropping it closes it; only a socket that was left while
/// it was opening outlives the drop.
trait Connection {
    /// Sends one JSON-RPC request.
    fn request(&self, method: &str, params: Value) -> Answering;
    /// True if the server can be asked for a sign of life, and not only listened to.
    fn speaks(&self) -> bool {
        false
    }
    /// Asks for a sign of life. Whatever comes next counts as one.
    fn ping(&self) {}
    /// Closes at once, without a report.
    fn close(&self);
    /// Same as `close`, when the whole link ends: the carrier may take its time to close quietly.
    fn leave(&self) {
        self.close();
    }
}

/// A connection to `target` that restores itself from the last cursor. Dropping it closes it
/// without a further report to the sink.
pub struct Link {
    supervisor: Rc<supervisor::Supervisor>,
    /// The connection belongs to another `Link`: dropping this one closes nothing.
    shared: bool,
}

impl Link {
    /// Starts connecting. The first report comes right after the current task, never inside this
    /// call.
    pub fn connect(target: Target, parts: HostParts, sink: Rc<dyn Sink>) -> Self {
        let supervisor = supervisor::Supervisor::new(target, parts, sink);
        supervisor.start();
        Self { supervisor, shared: false }
    }

    /// The same connection, for a caller that sends requests but does not end it.
    #[must_use]
    pub fn share(&self) -> Self {
        Self { supervisor: Rc::clone(&self.supervisor), shared: true }
    }

    /// Sends a JSON-RPC request and gives its `result`. It is sent (or refused) before this
    /// returns, whether the future is polled or not; waiting ends after a minute.
    pub fn request(
        &self,
        method: &str,
        params: Value,
    ) -> impl Future<Output = Result<Value, RequestError>> + 'static + use<> {
        self.supervisor.request(method, params)
    }

    /// Fetches a gateway's list of sessions over HTTP, for where its WebSocket is refused.
    pub fn sessions(&self) -> impl Future<Output = Result<Value, Failure>> + 'static + use<> {
        Rc::clone(&self.supervisor).fetch(self.supervisor.target().sessions_url())
    }

    /// Fetches a gateway's report about itself, for the same case.
    pub fn health(&self) -> impl Future<Output = Result<Value, Failure>> + 'static + use<> {
        Rc::clone(&self.supervisor).fetch(self.supervisor.target().health_url())
    }

    /// The token in use, for requests that carry it themselves.
    pub fn token(&self) -> Option<String> {
        self.supervisor.token()
    }

    /// Posts `body` unchanged to the answer address, for agents of the Copilot platform, which do not use
    /// JSON-RPC. The response is the agent's reply. The sink gets its events, also those of a stream that
    /// continues after the outcome is known.
    pub fn converse(
        &self,
        body: &Value,
        listener: Box<dyn Listener>,
    ) -> impl Future<Output = Result<Value, RequestError>> + 'static + use<> {
        self.supervisor.converse(body, listener)
    }

    /// Stops reading every reply that is still running; their listeners are notified.
    pub fn stop_replies(&self) {
        self.supervisor.stop_replies();
    }

    /// Sets whether somebody waits for the next event, because a turn runs or a person is asked. While they
    /// do, a quiet connection is checked now and then.
    pub fn attend(&self, on: bool) {
        self.supervisor.attend(on);
    }

    /// Ends the connection because the server refused a request: the next try would be refused as well.
    pub fn refused(&self, failure: &Failure) {
        self.supervisor.refused(failure);
    }

    /// Tries at once instead of waiting, or again after a final failure.
    pub fn retry_now(&self) {
        self.supervisor.retry_now();
    }

    /// Closes for good and reports `Closed`.
    pub fn close(&self) {
        self.supervisor.close();
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if !self.shared {
            self.supervisor.shut();
        }
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Link").finish_non_exhaustive()
    }
}
