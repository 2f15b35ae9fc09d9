//! One connection to a runtime, in the runtime's protocol: calls with their answers, what is received otherwise, and its end.
//!
//! A frame (`Content-Length: N`, an empty line, N bytes) has one message. A message is read as slices, so that an event keeps the
//! exact bytes in which the runtime wrote it.
//!
//! The reader waits for nobody, and who receives what it reads must not either. So the runtime's pipe is emptied however slow a
//! viewer or a disk is.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};

use crate::rpc::Fault;
use pilothouse_core::protocol::ErrorReason;

/// Requests that the runtime also makes by an event with a `requestId`. They are answered by that id, so they
/// stay open here.
const ASKED_BY_EVENT: [&str; 3] = ["userInput.request", "exitPlanMode.request", "autoModeSwitch.request"];
const NO_SUCH_METHOD: i64 = -32601;
/// In bytes. No frame of the runtime comes near it, so a larger length is an error.
const LARGEST_FRAME: u64 = 1 << 30;
const LONGEST_HEADER: u64 = 64 << 10;

/// A connection to a runtime.
#[derive(Debug)]
pub struct RuntimeConnection {
    out: mpsc::UnboundedSender<String>,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<String, String>>>>,
    next_id: AtomicU64,
    ended: watch::Sender<Option<String>>,
    lists: watch::Sender<u64>,
}

/// Why a call has no result.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The runtime refused: its `error`, as it sent it.
    Refused(String),
    /// The connection ended first. Whether the call was carried out is unknown.
    Ended,
}

impl Failure {
    /// The error that a client gets for a call of this method.
    pub fn fault(self, method: &str) -> Fault {
        match self {
            Self::Refused(error) => Fault::relayed(error),
            Self::Ended => Fault::new(
                ErrorReason::UnknownOutcome,
                format!(
                    "{method}: the connection to the runtime ended before it answered; it is unknown whether this was carried out"
                ),
            ),
        }
    }
}

/// What a connection receives that no call waits for.
#[derive(Debug)]
pub enum Received<'a> {
    /// An event.
    Event {
        /// The session's id.
        session_id: &'a str,
        /// The event's bytes.
        event: &'a str,
    },
    /// A frame that holds no message.
    Unreadable(&'a str),
    /// A line that the program printed between the frames.
    Printed(&'a [u8]),
}

/// A call that was sent. It is removed from the waiting ones when its caller is gone.
#[derive(Debug)]
pub struct PendingCall<'a> {
    connection: &'a RuntimeConnection,
    id: u64,
    replied: oneshot::Receiver<Result<String, String>>,
}

impl PendingCall<'_> {
    /// The result, as JSON text.
    pub async fn answer(mut self) -> Result<String, Failure> {
        match (&mut self.replied).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(Failure::Refused(error)),
            Err(_) => Err(Failure::Ended),
        }
    }
}

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        self.connection.waiting().remove(&self.id);
    }
}

impl RuntimeConnection {
    /// Speaks over these two until one of them ends. `receive` must not wait for anything.
    pub fn open(
        from: impl AsyncBufRead + Unpin + Send + 'static,
        to: impl AsyncWrite + Unpin + Send + 'static,
        receive: impl FnMut(&Arc<Self>, &Received<'_>) + Send + 'static,
    ) -> Arc<Self> {
        let (out, outgoing) = mpsc::unbounded_channel();
        let connection = Arc::new(Self {
            out,
            waiting: Mutex::default(),
            next_id: AtomicU64::new(1),
            ended: watch::Sender::new(None),
            lists: watch::Sender::new(0),
        });
        tokio::spawn(Arc::clone(&connection).read(from, receive));
        tokio::spawn(Arc::clone(&connection).write(to, outgoing));
        connection
    }

    /// Calls a method; `params` and the result are JSON text.
    pub async fn call(&self, method: &str, params: &str) -> Result<String, Failure> {
        self.begin(method, params)?.answer().await
    }

    /// Sends a call. What is sent first arrives first, whenever the answers are awaited.
    pub fn begin(&self, method: &str, params: &str) -> Result<PendingCall<'_>, Failure> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (reply, replied) = oneshot::channel();
        self.waiting().insert(id, reply);
        let waiting = PendingCall { connection: self, id, replied };
        // `end` sets the reason first and then drops the waiting calls, so this can't be missed.
        if self.ended.borrow().is_some() {
            return Err(Failure::Ended);
        }
        let method = Value::from(method);
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#);
        self.out.send(text).map_err(|_| Failure::Ended)?;
        Ok(waiting)
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.ended.borrow().is_some()
    }

    /// Returns when it has ended, with the reason.
    pub async fn ended(&self) -> String {
        let mut ended = self.ended.subscribe();
        match ended.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// Notifies each time the runtime says that its list of sessions has changed.
    pub fn lists(&self) -> watch::Receiver<u64> {
        self.lists.subscribe()
    }

    /// Ends it: nothing more is sent, and all waiting calls fail.
    pub fn end(&self, reason: &str) {
        self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            ended.get_or_insert_with(|| reason.to_owned());
            first
        });
        self.waiting().clear();
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, HashMap<u64, oneshot::Sender<Result<String, String>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read(
        self: Arc<Self>,
        mut from: impl AsyncBufRead + Unpin,
        mut receive: impl FnMut(&Arc<Self>, &Received<'_>) + Send,
    ) {
        let reason = loop {
            let mut print = |text: &[u8]| receive(&self, &Received::Printed(text));
            let frame = tokio::select! {
                frame = read_frame(&mut from, &mut print) => frame,
                _ = self.ended() => return,
            };
            match frame {
                Ok(Some(bytes)) => self.take(&String::from_utf8_lossy(&bytes), &mut receive),
                Ok(None) => break "it closed the connection".to_owned(),
                Err(error) => break error.to_string(),
            }
        };
        self.end(&reason);
    }

    fn take(self: &Arc<Self>, text: &str, receive: &mut impl FnMut(&Arc<Self>, &Received<'_>)) {
        match Message::read(text) {
            Message::Event { session_id, event } => {
                receive(self, &Received::Event { session_id: &session_id, event });
            }
            Message::Response { id, outcome } => {
                if let Some(reply) = self.waiting().remove(&id) {
                    // The caller may be gone by now.
                    let _ = reply.send(outcome.map(str::to_owned).map_err(str::to_owned));
                }
            }
            Message::Request { id, method } => self.refuse(id, &method),
            Message::Notification { method, params } => {
                // `session.updated` comes after nearly every event, and the events say what changed.
                if method == "session.lifecycle" && lifecycle_change(params) != "session.updated" {
                    self.lists.send_modify(|count| *count += 1);
                }
            }
            Message::Unreadable => receive(self, &Received::Unreadable(text)),
        }
    }

    /// Makes the runtime write its log now. By itself it does so a little later; if it were killed while a
    /// person thinks, it would have forgotten what it asked.
    pub fn save(&self, session_id: &str) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let session_id = Value::from(session_id);
        // Nobody waits for the answer, and an error means that the connection has ended.
        let _ = self.out.send(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"sessions.save","params":{{"sessionId":{session_id}}}}}"#
        ));
    }

    /// Answers with an error at once what only a host program could do, or the runtime would wait for ever.
    fn refuse(&self, id: &str, method: &str) {
        if ASKED_BY_EVENT.contains(&method) {
            return;
        }
        let message = Value::from(format!("the gateway does not serve {method}"));
        let error = format!(r#"{{"code":{NO_SUCH_METHOD},"message":{message}}}"#);
        // An error means that the connection has ended.
        let _ = self.out.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
    }

    async fn write(
        self: Arc<Self>,
        mut to: impl AsyncWrite + Unpin,
        mut outgoing: mpsc::UnboundedReceiver<String>,
    ) {
        loop {
            let outgoing = tokio::select! {
                text = outgoing.recv() => text,
                _ = self.ended() => None,
            };
            let Some(text) = outgoing else {
                return;
            };
            let written = async {
                to.write_all(&frame(&text)).await?;
                to.flush().await
            };
            if let Err(error) = written.await {
                return self.end(&error.to_string());
            }
        }
    }
}

/// One message of the runtime.
#[derive(Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// A `session.event` notification.
    Event {
        /// The session's id.
        session_id: Cow<'a, str>,
        /// The event's bytes.
        event: &'a str,
    },
    /// An answer to a call of ours.
    Response {
        /// The call's id.
        id: u64,
        /// The bytes of its `result`, or of its `error`.
        outcome: Result<&'a str, &'a str>,
    },
    /// A request of the runtime.
    Request {
        /// Its id as JSON text, as it must be sent back.
        id: &'a str,
        /// The method.
        method: Cow<'a, str>,
    },
    /// Any other notification.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// The bytes of its parameters.
        params: &'a str,
    },
    /// None of these.
    Unreadable,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct EventParams<'a> {
    #[serde(borrow, rename = "sessionId")]
    session_id: Cow<'a, str>,
    #[serde(borrow)]
    event: &'a RawValue,
}

impl<'a> Message<'a> {
    /// The message in a frame.
    pub fn read(text: &'a str) -> Self {
        let Ok(envelope) = serde_json::from_str::<Envelope<'a>>(text) else {
            return Self::Unreadable;
        };
        match (envelope.method, envelope.id) {
            (Some(method), None) if method == "session.event" => {
                let params =
                    envelope.params.map(|params| serde_json::from_str::<EventParams<'a>>(params.get()));
                match params {
                    Some(Ok(params)) => {
                        Self::Event { session_id: params.session_id, event: params.event.get() }
                    }
                    _ => Self::Unreadable,
                }
            }
            (Some(method), None) => {
                Self::Notification { method, params: envelope.params.map_or("null", RawValue::get) }
            }
            (Some(method), Some(id)) => Self::Request { id: id.get(), method },
            (None, Some(id)) => match id.get().parse() {
                // A `null` result is deserialised as `None`.
                Ok(id) => Self::Response {
                    id,
                    outcome: match envelope.error {
                        Some(error) => Err(error.get()),
                        None => Ok(envelope.result.map_or("null", RawValue::get)),
                    },
                },
                Err(_) => Self::Unreadable,
            },
            (None, None) => Self::Unreadable,
        }
    }
}

/// The type of change in the parameters of a `session.lifecycle`.
pub fn lifecycle_change(params: &str) -> String {
    let params = serde_json::from_str::<Value>(params).unwrap_or_default();
    params["type"].as_str().unwrap_or_default().to_owned()
}

/// Reads the bytes of the next frame; `None` at the end. A line that is not a header was printed by the program:
/// it is skipped and handed to `printed`.
pub async fn read_frame(
    from: &mut (impl AsyncBufRead + Unpin),
    printed: &mut (impl FnMut(&[u8]) + Send),
) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if (&mut *from).take(LONGEST_HEADER).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        match (line.trim_ascii(), length) {
            ([], Some(_)) => break,
            (header, _) => {
                if !is_header(header) {
                    printed(header);
                }
                length = content_length(header)?.or(length);
            }
        }
    }
    let length = length.unwrap_or_default();
    let mut bytes = Vec::new();
    if (&mut *from).take(length).read_to_end(&mut bytes).await? as u64 == length {
        return Ok(Some(bytes));
    }
    Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ended in the middle of a message"))
}

/// The frame of this text.
pub fn frame(text: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

/// Whether a line has the form of a header, known or not.
fn is_header(line: &[u8]) -> bool {
    line.is_empty() || line.get(..8).is_some_and(|begin| begin.eq_ignore_ascii_case(b"content-"))
}

fn content_length(header: &[u8]) -> io::Result<Option<u64>> {
    let Some((name, value)) = std::str::from_utf8(header).ok().and_then(|header| header.split_once(':'))
    else {
        return Ok(None);
    };
    if !name.eq_ignore_ascii_case("content-length") {
        return Ok(None);
    }
    match value.trim().parse() {
        Ok(length) if length <= LARGEST_FRAME => Ok(Some(length)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {} bytes", value.trim()))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Message, frame, read_frame};
    use crate::journal::Entry;

    #[test]
    fn an_event_keeps_its_bytes() {
        let event = "{ \"data\" : {\"n\":1.0e3,\"t\":\"\\u00e9\\/\"},\"id\":\"i\",  \"type\":\"x\",\"ephemeral\":true }";
        let text = format!(
            "{{\"params\":{{\"extra\":[1],\"event\": {event} ,\"sessionId\":\"a\\u0062\"}},\"method\":\"session.event\",\"jsonrpc\":\"2.0\"}}"
        );
        assert_eq!(Message::read(&text), Message::Event { session_id: "ab".into(), event });
        let entry = Entry::read(event);
        assert_eq!((&*entry.raw, entry.event, entry.persisted), (event, true, false));
        assert_eq!(entry.id().as_deref(), Some("i"));
    }

    #[test]
    fn answers_requests_and_notices_are_distinguished() {
        let result = r#"{"jsonrpc":"2.0","id":7,"result": {"a": 1.50}}"#;
        assert_eq!(Message::read(result), Message::Response { id: 7, outcome: Ok(r#"{"a": 1.50}"#) });
        let nothing = r#"{"jsonrpc":"2.0","id":7,"result":null}"#;
        assert_eq!(Message::read(nothing), Message::Response { id: 7, outcome: Ok("null") });
        let error = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1}}"#;
        assert_eq!(Message::read(error), Message::Response { id: 7, outcome: Err(r#"{"code":-1}"#) });
        let asks = r#"{"id":"x-1","method":"hooks.invoke","params":{}}"#;
        assert_eq!(Message::read(asks), Message::Request { id: "\"x-1\"", method: "hooks.invoke".into() });
        let notification = r#"{"method":"session.lifecycle","params":{}}"#;
        assert_eq!(
            Message::read(notification),
            Message::Notification { method: "session.lifecycle".into(), params: "{}" }
        );
        for wrong in ["", "{", "[]", "1", r#"{"method":"session.event","params":{"sessionId":1,"event":{}}}"#]
        {
            assert_eq!(Message::read(wrong), Message::Unreadable, "{wrong}");
        }
    }

    async fn all(mut bytes: &[u8]) -> Vec<String> {
        let mut frames = Vec::new();
        while let Some(frame) = read_frame(&mut bytes, &mut |_: &[u8]| {}).await.unwrap() {
            frames.push(String::from_utf8(frame).unwrap());
        }
        frames
    }

    #[tokio::test]
    async fn what_is_written_is_read_whatever_else_is_printed() {
        let mut bytes = frame("{\"a\": \"é\\r\\n\"}");
        bytes.extend(b"warning: a line of somebody's\n");
        bytes.extend(b"content-length:2\r\nContent-Type: application/json\r\n\r\n{}");
        bytes.extend(frame(""));
        assert_eq!(all(&bytes).await, ["{\"a\": \"é\\r\\n\"}", "{}", ""]);
    }

    #[tokio::test]
    async fn a_torn_frame_is_an_error_and_no_frame() {
        let whole = frame("{\"a\":1}");
        let mut torn = whole.get(..whole.len() - 1).unwrap();
        let mut printed = Vec::new();
        let mut print = |line: &[u8]| printed.push(line.to_vec());
        assert!(read_frame(&mut torn, &mut print).await.is_err());
        let mut endless: &[u8] = b"Content-Length: 99999999999999999999\r\n\r\n";
        assert!(read_frame(&mut endless, &mut print).await.is_err());
        let mut spoken: &[u8] = b"Usage: runtime [options]\ncontent-type: x\nContent-Length: 2\r\n\r\n{}";
        assert!(read_frame(&mut spoken, &mut print).await.is_ok());
        assert_eq!(printed, [b"Usage: runtime [options]"]);
    }
}
