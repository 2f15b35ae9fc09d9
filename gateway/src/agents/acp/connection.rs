//! One connection to an agent: JSON-RPC over its standard input and output, a JSON value a line. What can't be read is passed
//! over and shown with the agent's last lines.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pilothouse_core::wire::half_characters;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot, watch};

use super::event::RpcError;

/// The longest line that is read.
const LONGEST_LINE: u64 = 256 << 20;

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The agent answered with an error.
    Refused(RpcError),
    /// The connection ended before it answered.
    Ended,
}

/// What became of a call.
pub type Outcome = Result<Value, Failure>;

/// Takes what became of a call, in the order of the lines on the wire.
type Reply = Box<dyn FnOnce(Outcome) + Send>;

/// What the agent sends by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// Its params.
        params: Value,
    },
    /// A request.
    Request {
        /// Its id.
        rpc_id: Value,
        /// The method.
        method: String,
        /// Its params.
        params: Value,
    },
    /// A line that is not a message.
    Unreadable(Vec<u8>),
}

/// A connection.
pub struct Connection {
    out: Mutex<Option<mpsc::UnboundedSender<String>>>,
    waiting: Mutex<HashMap<u64, Reply>>,
    next_id: AtomicU64,
    ended: watch::Sender<bool>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("ended", &*self.ended.borrow()).finish_non_exhaustive()
    }
}

impl Connection {
    /// A connection over these streams. What the agent sends by itself goes to `receive`, which must not wait.
    pub fn open(
        from: impl AsyncBufRead + Unpin + Send + 'static,
        to: impl AsyncWrite + Unpin + Send + 'static,
        receive: impl FnMut(&Self, Incoming) + Send + 'static,
    ) -> Arc<Self> {
        let (out, outgoing) = mpsc::unbounded_channel();
        let connection = Arc::new(Self {
            out: Mutex::new(Some(out)),
            waiting: Mutex::default(),
            next_id: AtomicU64::new(1),
            ended: watch::Sender::new(false),
        });
        tokio::spawn(Arc::clone(&connection).read(from, receive));
        tokio::spawn(Arc::clone(&connection).write(to, outgoing));
        connection
    }

    /// Calls a method.
    pub async fn call(&self, method: &str, params: &Value) -> Outcome {
        let (done, reply) = oneshot::channel();
        self.begin(method, params, move |outcome| {
            let _ = done.send(outcome); // nobody waits for it any more
        });
        reply.await.unwrap_or(Err(Failure::Ended))
    }

    /// Calls a method. `reply` gets the outcome before any later line is read; if the connection has ended, at once.
    pub fn begin(&self, method: &str, params: &Value, reply: impl FnOnce(Outcome) + Send + 'static) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.waiting().insert(id, Box::new(reply));
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        // `end` says so first, and then takes the waiting calls.
        if self.is_over()
            && let Some(reply) = self.take_reply(id)
        {
            reply(Err(Failure::Ended));
        }
    }

    /// Notifies the agent.
    pub fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Answers a request of the agent.
    pub fn respond(&self, rpc_id: &Value, response: Result<Value, RpcError>) {
        self.send(&match response {
            Ok(result) => json!({"jsonrpc": "2.0", "id": rpc_id, "result": result}),
            Err(RpcError { code, message, data }) => {
                let mut error = json!({"code": code, "message": message});
                if let Some(data) = data {
                    error["data"] = data;
                }
                json!({"jsonrpc": "2.0", "id": rpc_id, "error": error})
            }
        });
    }

    /// Closes the agent's input, once what was sent has gone.
    pub fn close_input(&self) {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        *self.ended.borrow()
    }

    /// Returns when it has ended.
    pub async fn ended(&self) {
        let _ = self.ended.subscribe().wait_for(|ended| *ended).await; // the sender is `self`
    }

    /// Ends it: all waiting calls fail.
    pub fn end(&self) {
        self.ended.send_replace(true);
        self.close_input();
        let waiting = std::mem::take(&mut *self.waiting());
        for reply in waiting.into_values() {
            reply(Err(Failure::Ended));
        }
    }

    fn send(&self, message: &Value) {
        let out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a receiver the connection has ended.
        let _ = out.as_ref().map(|out| out.send(message.to_string()));
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, Reply>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_reply(&self, id: u64) -> Option<Reply> {
        self.waiting().remove(&id)
    }

    async fn read(
        self: Arc<Self>,
        mut from: impl AsyncBufRead + Unpin,
        mut receive: impl FnMut(&Self, Incoming) + Send,
    ) {
        let mut line = Vec::new();
        // An error is an end as well.
        while let Ok(true) = read_line(&mut from, &mut line).await {
            self.take(&line, &mut receive);
        }
        self.end();
    }

    fn take(&self, line: &[u8], receive: &mut impl FnMut(&Self, Incoming)) {
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(line);
        let whole = half_characters::replaced(&text);
        match serde_json::from_str::<Value>(whole.as_deref().unwrap_or(&text)) {
            Ok(Value::Array(batch)) => {
                for message in batch {
                    self.take_message(message, line, receive);
                }
            }
            Ok(message) => self.take_message(message, line, receive),
            Err(_) => receive(self, Incoming::Unreadable(line.to_owned())),
        }
    }

    fn take_message(&self, mut message: Value, line: &[u8], receive: &mut impl FnMut(&Self, Incoming)) {
        let mut part = |name: &str| message.get_mut(name).map(Value::take);
        let id = part("id").filter(|id| !id.is_null());
        let method = part("method").and_then(|method| method.as_str().map(str::to_owned));
        let params = part("params").unwrap_or_default();
        match (method, id) {
            (Some(method), Some(rpc_id)) => receive(self, Incoming::Request { rpc_id, method, params }),
            (Some(method), None) => receive(self, Incoming::Notification { method, params }),
            (None, Some(id)) => {
                let own = id.as_u64().or_else(|| id.as_str()?.parse().ok());
                let Some(reply) = own.and_then(|id| self.take_reply(id)) else { return };
                reply(match part("error").filter(|error| !error.is_null()) {
                    Some(error) => Err(Failure::Refused(rpc_error(error))),
                    None => Ok(part("result").unwrap_or_default()),
                });
            }
            (None, None) => receive(self, Incoming::Unreadable(line.to_owned())),
        }
    }

    async fn write(
        self: Arc<Self>,
        mut to: impl AsyncWrite + Unpin,
        mut outgoing: mpsc::UnboundedReceiver<String>,
    ) {
        // The end of the channel closes the agent's input.
        while let Some(mut text) = outgoing.recv().await {
            text.push('\n');
            let written = async {
                to.write_all(text.as_bytes()).await?;
                to.flush().await
            };
            if written.await.is_err() {
                return self.end();
            }
        }
    }
}

/// Reads the next line; false at the end.
async fn read_line(from: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let length = from.take(LONGEST_LINE).read_until(b'\n', line).await?;
    Ok(length > 0)
}

fn rpc_error(mut error: Value) -> RpcError {
    let code = error["code"].as_i64().unwrap_or_default();
    let message = error["message"].as_str().map_or_else(|| error.to_string(), str::to_owned);
    RpcError { code, message, data: error.get_mut("data").map(Value::take).filter(|data| !data.is_null()) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex, split};
    use tokio::sync::mpsc;

    use super::{Connection, Failure, Incoming};

    #[tokio::test]
    async fn lines_are_read_however_odd_and_open_calls_fail_at_the_end() {
        let (ours, theirs) = duplex(1 << 16);
        let (from, to) = split(ours);
        let (received, mut receiving) = mpsc::unbounded_channel();
        let connection = Connection::open(BufReader::new(from), to, move |_, incoming| {
            let _ = received.send(incoming);
        });
        let (from, mut to) = split(theirs);
        let mut sent = BufReader::new(from).lines();
        to.write_all(b"banner\n\n{\"method\":\"a\"}\r\n{\"id\":\"x\",\"method\":\"b\",\"params\":{\"k\":\"\\ud83d\"}}\n")
            .await
            .unwrap();
        assert_eq!(receiving.recv().await, Some(Incoming::Unreadable(b"banner".to_vec())));
        let (method, params) = ("a".to_owned(), json!(null));
        assert_eq!(receiving.recv().await, Some(Incoming::Notification { method, params }));
        let asked = receiving.recv().await;
        assert!(matches!(&asked, Some(Incoming::Request { rpc_id, .. }) if rpc_id == "x"), "{asked:?}");

        let calling = Arc::clone(&connection);
        let call = tokio::spawn(async move { calling.call("c", &json!({})).await });
        assert!(sent.next_line().await.unwrap().unwrap().contains("\"method\":\"c\""));
        to.write_all(b"{\"id\":9,\"result\":1}\n{\"id\":1,\"error\":{\"code\":-1,\"message\":\"no\"}}\n")
            .await
            .unwrap();
        assert!(matches!(call.await.unwrap(), Err(Failure::Refused(error)) if error.message == "no"));

        let calling = Arc::clone(&connection);
        let call = tokio::spawn(async move { calling.call("d", &json!({})).await });
        sent.next_line().await.unwrap();
        drop((to, sent));
        assert_eq!(call.await.unwrap(), Err(Failure::Ended));
        assert_eq!(connection.call("e", &json!({})).await, Err(Failure::Ended), "it has ended");
    }
}
