//! One connection to a runtime: calls and their answers, what is received otherwise, and its end.
//!
//! The reader waits for nobody, and who receives what it reads must not either. So the runtime's pipe is emptied however slow a
//! viewer or a disk is.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};

use super::message::{self, Message};
use crate::rpc::Fault;
use pilothouse_core::protocol::ErrorReason;

/// Requests that the runtime also makes by an event with a `requestId`. They are answered by that id, so they
/// stay open here.
const ASKED_BY_EVENT: [&str; 3] = ["userInput.request", "exitPlanMode.request", "autoModeSwitch.request"];
const NO_SUCH_METHOD: i64 = -32601;

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
            Self::Refused(error) => Fault::from_runtime(error),
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
pub struct Waiting<'a> {
    line: &'a RuntimeConnection,
    id: u64,
    replied: oneshot::Receiver<Result<String, String>>,
}

impl Waiting<'_> {
    /// The result, as JSON text.
    pub async fn answer(mut self) -> Result<String, Failure> {
        match (&mut self.replied).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(Failure::Refused(error)),
            Err(_) => Err(Failure::Ended),
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.line.waiting().remove(&self.id);
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
        let line = Arc::new(Self {
            out,
            waiting: Mutex::default(),
            next_id: AtomicU64::new(1),
            ended: watch::Sender::new(None),
            lists: watch::Sender::new(0),
        });
        tokio::spawn(Arc::clone(&line).read(from, receive));
        tokio::spawn(Arc::clone(&line).write(to, outgoing));
        line
    }

    /// Calls a method; `params` and the result are JSON text.
    pub async fn call(&self, method: &str, params: &str) -> Result<String, Failure> {
        self.begin(method, params)?.answer().await
    }

    /// Sends a call. What is sent first arrives first, whenever the answers are awaited.
    pub fn begin(&self, method: &str, params: &str) -> Result<Waiting<'_>, Failure> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (reply, replied) = oneshot::channel();
        self.waiting().insert(id, reply);
        let waiting = Waiting { line: self, id, replied };
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
            let mut print = |line: &[u8]| receive(&self, &Received::Printed(line));
            let frame = tokio::select! {
                frame = message::read_frame(&mut from, &mut print) => frame,
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
        match message::read(text) {
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
                if method == "session.lifecycle" && message::lifecycle(params) != "session.updated" {
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
                to.write_all(&message::frame(&text)).await?;
                to.flush().await
            };
            if let Err(error) = written.await {
                return self.end(&error.to_string());
            }
        }
    }
}
