//! A connection of a person, over which the session is watched and calls are made. It may end at any time.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt as _, StreamExt as _};
use pilothouse_core::protocol::ErrorReason;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

use crate::waiting::PATIENCE;

/// What became of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Result(Value),
    Refused(String),
    /// Nobody knows: the connection ended before an answer, or the answer says so.
    Unknown,
}

/// The events that were read, each with its position.
pub type Read = Vec<(u64, Value)>;

pub struct Person {
    out: mpsc::UnboundedSender<String>,
    waiting: Arc<Mutex<HashMap<u64, oneshot::Sender<Value>>>>,
    pub read: Arc<Mutex<Read>>,
    calls: u64,
}

impl Person {
    /// Connects.
    pub async fn open(gateway: SocketAddr) -> Result<Self, String> {
        let tcp = TcpStream::connect(gateway).await.map_err(|error| error.to_string())?;
        let opened = client_async(format!("ws://{gateway}/api/rpc"), tcp).await;
        let (mut to, mut from) = opened.map_err(|error| error.to_string())?.0.split();
        let (out, mut outgoing) = mpsc::unbounded_channel::<String>();
        tokio::spawn(async move {
            while let Some(text) = outgoing.recv().await {
                if to.send(Message::text(text)).await.is_err() {
                    return;
                }
            }
        });
        let waiting = Arc::<Mutex<HashMap<u64, oneshot::Sender<Value>>>>::default();
        let read = Arc::<Mutex<Read>>::default();
        let (calls, events) = (Arc::clone(&waiting), Arc::clone(&read));
        tokio::spawn(async move {
            while let Some(Ok(message)) = from.next().await {
                let Message::Text(text) = message else { continue };
                for line in text.lines() {
                    let mut value: Value = serde_json::from_str(line).unwrap();
                    if value["method"] == "session.event" {
                        let seq = value["params"]["seq"].as_u64().unwrap();
                        events.lock().unwrap().push((seq, value["params"]["event"].take()));
                    } else if let Some(done) =
                        value["id"].as_u64().and_then(|id| calls.lock().unwrap().remove(&id))
                    {
                        let _ = done.send(value); // nobody waits for it any more
                    }
                }
            }
            calls.lock().unwrap().clear();
        });
        Ok(Self { out, waiting, read, calls: 0 })
    }

    /// Calls a method.
    pub fn begin(&mut self, method: &str, params: &Value) -> oneshot::Receiver<Value> {
        self.calls += 1;
        let (done, answer) = oneshot::channel();
        self.waiting.lock().unwrap().insert(self.calls, done);
        let call = json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params});
        if self.out.send(call.to_string()).is_err() {
            self.waiting.lock().unwrap().clear();
        }
        answer
    }

    /// Calls a method and waits for what becomes of it.
    pub async fn call(&mut self, method: &str, params: &Value) -> Outcome {
        outcome(self.begin(method, params)).await
    }
}

/// What becomes of a call.
pub async fn outcome(answer: oneshot::Receiver<Value>) -> Outcome {
    match timeout(PATIENCE, answer).await.expect("a call was not answered for a minute") {
        Ok(answer) if answer["error"]["code"] == ErrorReason::UnknownOutcome.code() => Outcome::Unknown,
        Ok(mut answer) => match answer["error"]["message"].as_str() {
            Some(why) => Outcome::Refused(why.to_owned()),
            None => Outcome::Result(answer["result"].take()),
        },
        Err(_) => Outcome::Unknown,
    }
}
