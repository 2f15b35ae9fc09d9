//! What goes into a connection and what comes out: inputs, effects for the browser, and reports for the owner.

use serde_json::Value;

use super::super::RequestError;
use crate::connection::{ConnectionState, Failure, Target, WakeSign};
use crate::wire::{Response, RpcError};

/// What became of a request: its `result`, or why there is none.
pub type Outcome = Result<Value, RequestError>;

/// Everything that a connection hears of.
#[derive(Debug)]
pub enum Input<'a> {
    /// Close, and connect to another target, or to the same anew. What was posted is still waited for.
    Retarget(Box<Target>),
    /// Begin.
    Start {
        /// Whether nobody sees the page.
        hidden: bool,
    },
    /// News of the carrier with this number. News of an earlier one is ignored.
    Carrier(u32, CarrierNews<'a>),
    /// News of the HTTP exchange with this number.
    Http(u32, HttpNews<'a>),
    /// What the page's own connection made of the request with this id; `None` if it takes no requests.
    HostAnswered(u64, Result<Value, Option<Thrown>>),
    /// Code of the page has failed, which carries the connection; the text is its message.
    HostError(String),
    /// The request with this id could not be sent.
    Unsent(u64),
    /// What the page's callback has given when it was asked with this number.
    Credentials(u32, Credentials),
    /// The list of sessions that was reported led to nothing else: the first session is shown.
    ShowFirst,
    /// A timer has run out.
    Timer(Timer),
    /// Somebody is back at the page, or the network is.
    Wake(WakeSign),
    /// The page is hidden, or seen again.
    Hidden(bool),
    /// The device has no network any more.
    Offline,
    /// Whether somebody waits for the next event, because a turn runs or a person is asked. While they do, a quiet
    /// connection is checked now and then.
    Attend(bool),
    /// Send a request. The owner knows it by its ticket.
    Call {
        /// The owner's number for it.
        ticket: u64,
        /// Its method.
        method: &'a str,
        /// Its parameters.
        params: Value,
    },
    /// Post a body unchanged to the answer address, for agents of the Copilot platform, which do not use JSON-RPC. The
    /// response is the agent's reply.
    Converse {
        /// The owner's number for it.
        ticket: u64,
        /// The body.
        body: String,
    },
    /// Stop reading every reply that is still running.
    StopReplies,
    /// Fetch something from a gateway over HTTP, for where its WebSocket is refused.
    Fetch(Fetched),
    /// The server refused a request in a way that the next connection would be refused as well.
    Refused(Failure),
    /// Try at once instead of waiting, or again after a final failure.
    Retry,
    /// Close for good.
    Close,
}

impl Input<'_> {
    /// Whether a part of what the server sends comes with it.
    pub fn brings_data(&self) -> bool {
        matches!(
            self,
            Self::Carrier(_, CarrierNews::Message(..) | CarrierNews::HostOpened { .. })
                | Self::Http(_, HttpNews::Body(_) | HttpNews::End)
        )
    }
}

/// What a gateway tells over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fetched {
    /// Its list of sessions.
    Sessions,
    /// Its report about itself.
    Health,
}

/// News of a carrier.
#[derive(Debug)]
pub enum CarrierNews<'a> {
    /// The socket is open.
    SocketOpened,
    /// The host's connection is there. Messages may have come before it.
    HostOpened {
        /// The session that it names.
        session: Option<String>,
        /// The newest position that it has.
        newest: Option<u64>,
        /// What it lets this client do.
        role: Option<String>,
        /// Whether it takes requests.
        answers: bool,
    },
    /// A message, with its position if the host's transport gives it.
    Message(&'a [u8], Option<u64>),
    /// The socket has closed, or did not open.
    SocketClosed {
        /// The close code of RFC 6455; 1005 and 1006 if there was none.
        code: u16,
        /// The server's text, unchecked.
        reason: String,
    },
    /// The host's connection has ended, for a reason or without.
    HostEnded(Option<Thrown>),
    /// There is no carrier, for example because the browser rejects the socket's address.
    Ended(Failure),
}

/// What code of the page has thrown. A negative code is JSON-RPC's, one from 400 to 599 is HTTP's. Other codes, such as those of
/// a `DOMException`, say nothing of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Thrown {
    /// Its `code`, if that is a number.
    pub code: Option<f64>,
    /// Its message.
    pub message: String,
}

/// What a thrown value says of the server.
pub(super) enum Refusal {
    Rpc(RpcError),
    Http(u16),
    /// Nothing: the page's code has failed.
    OfPage(String),
}

impl Thrown {
    pub(super) fn refusal(self) -> Refusal {
        match self.code {
            Some(code) if code < 0.0 => Refusal::Rpc(RpcError { code: code as i64, message: self.message }),
            Some(code) if (400.0..600.0).contains(&code) => Refusal::Http(code as u16),
            _ => Refusal::OfPage(self.message),
        }
    }
}

/// News of an HTTP exchange.
#[derive(Debug)]
pub enum HttpNews<'a> {
    /// The response begins.
    Head(ResponseHead),
    /// The next part of its body.
    Body(&'a [u8]),
    /// Its body is complete.
    End,
    /// The browser rejects the address; the text is the browser's.
    BadAddress(String),
    /// There is no response, or it broke off.
    Broken,
}

/// What is read of a response's head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseHead {
    /// The status, 200 to 599.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `Retry-After`, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// `Pilothouse-Seq`, the newest position of a gateway's log.
    pub newest: Option<u64>,
    /// `Pilothouse-Protocol`, the version of the protocol that the server speaks.
    pub protocol: Option<u64>,
    /// `Pilothouse-Role`, what the server lets this client do.
    pub role: Option<String>,
}

/// What the page's callback for credentials has given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// There is no callback.
    Absent,
    /// It has none to give.
    Unchanged,
    /// Others, with a token or without. Headers are kept where requests are made.
    Given(Option<String>),
    /// It has failed; the text is its message.
    Failed(String),
}

/// A timer. Setting one that runs sets it anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Timer {
    /// The wait before the next attempt, or the time that opening may take.
    Attempt,
    /// The next look at a quiet connection.
    Beat,
    /// How long the request with this id may take.
    Call(u64),
    /// How long this HTTP exchange may take.
    Exchange(u32),
}

/// What the browser has to do for a connection.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Open a WebSocket. It is the carrier with this number.
    OpenSocket(u32, String),
    /// Call the host's transport. Its connection is the carrier with this number.
    OpenHost(u32, HostOptions),
    /// Send the request with this id over the socket.
    Send(u64, String),
    /// Have the host's connection carry out the request with this id.
    CallHost(u64, String, Value),
    /// Close the socket or the host's connection, without news of it.
    CloseCarrier {
        /// The page leaves, so a socket that is not open yet may take its time to close quietly.
        quietly: bool,
    },
    /// Begin an HTTP exchange.
    Fetch(u32, HttpRequest),
    /// End an HTTP exchange, without news of it.
    Abort(u32),
    /// Set a timer, in milliseconds.
    SetTimer(Timer, u64),
    /// Drop a timer.
    DropTimer(Timer),
    /// Ask the page for credentials, with this number.
    AskCredentials {
        /// It comes back with the answer.
        number: u32,
        /// Those that were used have been refused.
        refused: bool,
    },
}

/// What the host's transport is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostOptions {
    /// The session that is wanted.
    pub session: Option<String>,
    /// The newest position that was received.
    pub after: Option<u64>,
    /// The token.
    pub token: Option<String>,
}

/// One HTTP request; `None` and `""` leave the header or the body out. `Debug` is for tests: it shows the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The address.
    pub url: String,
    /// `Accept`.
    pub accept: &'static str,
    /// The token for `Authorization`.
    pub token: Option<String>,
    /// `Last-Event-ID`.
    pub last_event_id: String,
    /// The browser may keep the answer, and asks with its `ETag` whether it still holds.
    pub kept: bool,
    /// Posted as JSON; without one it is a GET.
    pub body: Option<String>,
}

/// What a connection reports to its owner.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// It has changed. The message is for people: what happened, what is still true, what to do. An `Open` with a
    /// message is a warning about the stream.
    State(ConnectionState, Option<String>),
    /// From here on the events of `session` arrive. It is empty if a full address was given without one.
    Opened {
        /// Its id.
        session: String,
        /// Where its events begin.
        from: Opened,
    },
    /// The events up to this position come as history, before the connection is open.
    History {
        /// They follow the one at this position; `None`: they come from the beginning.
        after: Option<u64>,
        /// The newest position that the server has.
        newest: u64,
    },
    /// The gateway's list of sessions, which was asked for because none was named. The owner answers with
    /// [`Input::ShowFirst`], unless it shows something else from now on.
    Listed(Value),
    /// What the server lets this client do: a viewer's answers and calls would be refused.
    Role {
        /// Whether it may only look.
        viewer: bool,
    },
    /// What is wrong with the gateway itself; `None` if it did not say.
    Health(Option<Value>),
    /// Code of the page has failed, which makes the connection or gives its credentials.
    Error(String),
    /// What became of a call.
    Answered(u64, Outcome),
    /// What was fetched.
    Fetched(Fetched, Result<Value, Failure>),
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

/// One whole piece of input: a WebSocket message or a server-sent event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A text or binary message, in UTF-8 unless the server is wrong.
    Bytes(&'a [u8]),
    /// Whole lines of a history.
    History(&'a [u8]),
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

/// What a frame has for the connection.
#[derive(Debug, Default)]
pub struct FrameResult {
    /// The newest `seq` in the frame, after which a reconnect continues.
    pub last_seq: Option<u64>,
    /// Answers to requests that were sent over the connection.
    pub responses: Vec<Response>,
}

/// Takes what a connection brings, in its order.
pub trait Receiver {
    /// Takes one frame, and returns what in it concerns the connection.
    fn frame(&mut self, frame: Frame<'_>) -> FrameResult;
    /// What is left of the server's log after this position follows.
    fn history_began(&mut self, _after: Option<u64>) {}
    /// The history goes up to this position.
    fn history_ended(&mut self, _newest: u64) {}
    /// A stream deviates from the standard's form, but was understood.
    fn read_loosely(&mut self) {}
    /// The server has accepted what was posted with this ticket, and its reply begins.
    fn reply_began(&mut self, _ticket: u64) {}
    /// The reply has ended. Comes only after `reply_began`.
    fn reply_ended(&mut self, _end: ReplyEnd) {}
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
