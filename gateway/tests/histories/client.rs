//! The clients of a history. Unlike those of the other tests they live through the end of any connection: they keep
//! what they have read, and note of each call what they know of its outcome.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;

use super::history::{Carrier, Who};
use super::runtime::{Bell, SESSION, ring};

pub const OPERATOR: &str = "token-of-the-operator";
pub const VIEWER: &str = "token-of-the-viewer";

/// Whoever waits longer than this waits for something that does not come.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// The events that a client has, each with its position.
pub type Read = Vec<(u64, String)>;

/// What a client knows of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Result(Value),
    Error(i64, String),
    /// The connection ended first.
    Unknown,
    /// There was no connection.
    NotSent,
}

/// A client. Clones share one state.
#[derive(Clone)]
pub struct Client {
    pub name: String,
    pub who: Who,
    gateway: watch::Receiver<SocketAddr>,
    inside: Arc<Mutex<Inside>>,
    reading: Arc<watch::Sender<bool>>,
    bell: Bell,
}

#[derive(Default)]
pub struct Inside {
    /// What it reads now.
    pub read: Read,
    /// Where it began to read.
    pub begin: Option<u64>,
    /// What it read before the log started over.
    pub earlier: Vec<Read>,
    /// What a client must not see.
    pub wrong: Vec<String>,
    /// Whether a log that is shorter than what was read of it is explained by a power cut.
    pub may_start_over: bool,
    link: Option<Link>,
    links: u64,
    pub unanswered: usize,
}

struct Link {
    number: u64,
    calls: mpsc::UnboundedSender<Outgoing>,
    cut: watch::Sender<bool>,
    subscribed: bool,
}

struct Outgoing {
    method: &'static str,
    params: Value,
    reply: oneshot::Sender<Outcome>,
    /// Ends the connection when the call was sent.
    cut: bool,
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(default)]
    id: Option<u64>,
    #[serde(default)]
    method: Option<&'a str>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(default)]
    result: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    event: &'a RawValue,
    seq: u64,
}

impl Client {
    pub fn new(name: String, who: Who, gateway: watch::Receiver<SocketAddr>, bell: Bell) -> Self {
        let reading = Arc::new(watch::Sender::new(true));
        Self { name, who, gateway, inside: Arc::default(), reading, bell }
    }

    pub fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap()
    }

    fn token(&self) -> &'static str {
        if self.who.viewer { VIEWER } else { OPERATOR }
    }

    pub fn reads(&self, reading: bool) {
        self.reading.send_replace(reading);
    }

    pub fn is_reading(&self) -> bool {
        *self.reading.borrow()
    }

    pub fn is_connected(&self) -> bool {
        self.inside().is_connected()
    }

    /// Whether the gateway has accepted its subscription.
    pub fn is_subscribed(&self) -> bool {
        self.inside().is_subscribed()
    }

    /// Whether all its calls have an outcome.
    pub fn is_answered(&self) -> bool {
        self.inside().unanswered == 0
    }

    pub fn has(&self, id: &str) -> bool {
        let id = format!(r#""id":"{id}""#);
        self.inside().read.iter().rev().any(|(_, raw)| raw.contains(&id))
    }

    /// Connects, unless it is connected. `newest` is how far the log reaches, as far as is known.
    pub fn connect(&self, from: usize) {
        let mut inside = self.inside();
        if inside.link.is_some() {
            return;
        }
        let begin = *inside.begin.get_or_insert(from as u64);
        let after = inside.read.last().map_or(begin, |(seq, _)| *seq);
        let (calls, outgoing) = mpsc::unbounded_channel();
        let cut = watch::Sender::new(false);
        let mut is_cut = cut.subscribe();
        inside.links += 1;
        let number = inside.links;
        inside.link = Some(Link { number, calls, cut, subscribed: false });
        drop(inside);
        let client = self.clone();
        tokio::spawn(async move {
            let serving = async {
                match client.who.carrier {
                    Carrier::WebSocket => client.web_socket(number, after, outgoing).await,
                    Carrier::Sse => client.server_sent_events(number, after, outgoing).await,
                }
            };
            tokio::select! {
                _ = serving => {}
                _ = is_cut.wait_for(|cut| *cut) => {}
            }
            let mut inside = client.inside();
            if inside.link.as_ref().is_some_and(|link| link.number == number) {
                inside.link = None;
            }
            drop(inside);
            ring(&client.bell);
        });
    }

    /// Cuts its connection, without a word to the gateway.
    pub fn cut(&self) {
        if let Some(link) = self.inside().link.take() {
            link.cut.send_replace(true);
        }
    }

    /// Calls a method. The call is under way when this returns; it connects first if it must.
    pub fn call(
        &self,
        method: &'static str,
        params: Value,
        cut: bool,
    ) -> impl Future<Output = Outcome> + Send + 'static {
        self.connect(0);
        let (reply, replied) = oneshot::channel();
        let mut inside = self.inside();
        inside.unanswered += 1;
        let sent = inside.link.as_ref().map(|link| link.calls.send(Outgoing { method, params, reply, cut }));
        let sent = matches!(sent, Some(Ok(())));
        drop(inside);
        let client = self.clone();
        async move {
            let outcome = if sent { replied.await.unwrap_or(Outcome::Unknown) } else { Outcome::NotSent };
            client.inside().unanswered -= 1;
            ring(&client.bell);
            outcome
        }
    }

    /// Takes an event; returns false if the log has started over.
    fn take(&self, number: u64, seq: u64, raw: &str) {
        let mut inside = self.inside();
        if inside.link.as_ref().is_none_or(|link| link.number != number) {
            return; // it was cut
        }
        let last = inside.read.last().map(|(seq, _)| *seq).or(inside.begin).unwrap_or_default();
        if seq <= last {
            let wrong = format!("{}: position {seq} came after {last}", self.name);
            inside.wrong.push(wrong);
        }
        inside.read.push((seq, raw.to_owned()));
        drop(inside);
        ring(&self.bell);
    }

    /// The gateway has accepted the subscription. Returns whether it has to be to the beginning, because the log is
    /// shorter than what this client has of it.
    fn subscribed(&self, number: u64, newest: u64) -> bool {
        let mut inside = self.inside();
        let last = inside.read.last().map(|(seq, _)| *seq).or(inside.begin).unwrap_or_default();
        let over = last > newest;
        if over {
            if !inside.may_start_over && !inside.read.is_empty() {
                let wrong = format!("{}: the log ends at {newest}, but position {last} was sent", self.name);
                inside.wrong.push(wrong);
            }
            inside.start_over();
        }
        if let Some(link) = inside.link.as_mut().filter(|link| link.number == number) {
            link.subscribed = !over;
        }
        drop(inside);
        ring(&self.bell);
        over
    }

    async fn web_socket(
        &self,
        number: u64,
        after: u64,
        mut outgoing: mpsc::UnboundedReceiver<Outgoing>,
    ) -> Option<()> {
        let address = *self.gateway.borrow();
        let tcp = TcpStream::connect(address).await.ok()?;
        let (stream, _) =
            tokio_tungstenite::client_async(format!("ws://{address}/api/rpc"), tcp).await.ok()?;
        let (mut to, mut from) = stream.split();
        let subscribe = |after: u64| {
            let params = json!({"sessionId": SESSION, "after": after, "token": self.token()});
            request(0, "pilothouse.subscribe", &params)
        };
        to.send(Message::text(subscribe(after))).await.ok()?;
        let mut waiting: HashMap<u64, oneshot::Sender<Outcome>> = HashMap::new();
        let mut next_id = 1;
        let mut reading = self.reading.subscribe();
        let mut accepted = false;
        loop {
            let frame = tokio::select! {
                call = outgoing.recv() => {
                    let Outgoing { method, params, reply, cut } = call?;
                    waiting.insert(next_id, reply);
                    let call = request(next_id, method, &params);
                    next_id += 1;
                    to.send(Message::text(call)).await.ok()?;
                    if cut {
                        return None;
                    }
                    continue;
                }
                frame = async { let _ = reading.wait_for(|reading| *reading).await; from.next().await } => frame,
            };
            let Message::Text(text) = frame?.ok()? else { continue };
            for frame in serde_json::Deserializer::from_str(&text).into_iter::<Frame<'_>>() {
                let Ok(frame) = frame else {
                    self.inside().wrong.push(format!("{}: an unreadable frame: {text}", self.name));
                    break;
                };
                match (frame.id, frame.method) {
                    (Some(0), None) => {
                        let result = frame.result.unwrap_or_default();
                        let Some(newest) = result["seq"].as_u64() else {
                            self.inside().wrong.push(format!("{}: no subscription: {text}", self.name));
                            return None;
                        };
                        accepted = !self.subscribed(number, newest);
                        if !accepted {
                            to.send(Message::text(subscribe(0))).await.ok()?;
                        }
                    }
                    (Some(id), None) => {
                        if let Some(reply) = waiting.remove(&id) {
                            let _ = reply.send(outcome(frame.result, frame.error.as_ref()));
                        }
                    }
                    (None, Some("session.event")) if accepted => {
                        let event =
                            frame.params.map(|params| serde_json::from_str::<Event<'_>>(params.get()));
                        if let Some(Ok(event)) = event {
                            self.take(number, event.seq, event.event.get());
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    async fn server_sent_events(
        &self,
        number: u64,
        mut after: u64,
        mut outgoing: mpsc::UnboundedReceiver<Outgoing>,
    ) -> Option<()> {
        let mut posts = JoinSet::new(); // they end with this
        let mut events = Box::pin(self.events(number, after));
        loop {
            tokio::select! {
                over = &mut events => match over {
                    Some(true) => {
                        after = 0;
                        events = Box::pin(self.events(number, after));
                    }
                    _ => return None,
                },
                Some(_) = posts.join_next(), if !posts.is_empty() => {}
                call = outgoing.recv() => {
                    let Outgoing { method, params, reply, cut } = call?;
                    let call = request(1, method, &params);
                    if cut {
                        let _ = self.send("POST", &format!("/api/sessions/{SESSION}/rpc"), "", &call).await;
                        return None;
                    }
                    let client = self.clone();
                    posts.spawn(async move {
                        let _ = reply.send(client.post(&call).await.unwrap_or(Outcome::Unknown));
                    });
                }
            }
        }
    }

    /// Reads events until the stream ends. Returns whether the log has started over.
    async fn events(&self, number: u64, after: u64) -> Option<bool> {
        let path = format!("/api/sessions/{SESSION}/events");
        let last = format!("Last-Event-ID: {after}\r\n");
        let mut from = BufReader::new(self.send("GET", &path, &last, "").await.ok()?);
        let mut line = String::new();
        let mut newest = 0;
        while line != "\r\n" {
            line.clear();
            from.read_line(&mut line).await.ok().filter(|length| *length > 0)?;
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("pilothouse-seq: ") {
                newest = value.trim().parse().ok()?;
            }
        }
        if self.subscribed(number, newest) {
            return Some(true);
        }
        let mut reading = self.reading.subscribe();
        let (mut seq, mut data) = (0, Vec::new());
        loop {
            let _ = reading.wait_for(|reading| *reading).await;
            line.clear();
            from.read_line(&mut line).await.ok().filter(|_| line.ends_with('\n'))?;
            let line = line.trim_end_matches('\n');
            if let Some(value) = line.strip_prefix("id: ") {
                seq = value.parse().ok()?;
            } else if let Some(value) = line.strip_prefix("data: ") {
                data.push(value.to_owned());
            } else if line.is_empty() {
                if seq > 0 {
                    self.take(number, seq, &data.join("\n"));
                }
                (seq, data) = (0, Vec::new());
            }
        }
    }

    /// Calls a method over a connection that is only for this. None if there is no answer.
    pub async fn once(&self, method: &str, mut params: Value) -> Option<Outcome> {
        let call = async {
            if self.who.carrier == Carrier::Sse {
                return self.post(&request(1, method, &params)).await;
            }
            params["token"] = self.token().into();
            let address = *self.gateway.borrow();
            let tcp = TcpStream::connect(address).await.ok()?;
            let url = format!("ws://{address}/api/rpc");
            let (mut stream, _) = tokio_tungstenite::client_async(url, tcp).await.ok()?;
            // A connection signs in with its first message.
            let signing_in = json!({"token": self.token()});
            stream.send(Message::text(request(1, "pilothouse.sessions", &signing_in))).await.ok()?;
            stream.send(Message::text(request(2, method, &params))).await.ok()?;
            loop {
                let Message::Text(text) = stream.next().await?.ok()? else { continue };
                let answer: Value = serde_json::from_str(&text).ok()?;
                if answer["id"] == 2 {
                    return Some(outcome(answer.get("result").cloned(), answer.get("error")));
                }
            }
        };
        tokio::time::timeout(PATIENCE, call).await.ok()?
    }

    async fn post(&self, call: &str) -> Option<Outcome> {
        let path = format!("/api/sessions/{SESSION}/rpc");
        let Ok(mut stream) = self.send("POST", &path, "", call).await else {
            return Some(Outcome::NotSent);
        };
        let mut text = String::new();
        stream.read_to_string(&mut text).await.ok()?;
        let (_, body) = text.split_once("\r\n\r\n")?;
        let answer: Value = serde_json::from_str(body).ok()?;
        Some(outcome(answer.get("result").cloned(), answer.get("error")))
    }

    /// Sends a request over HTTP/1.0, so that the body ends with the connection. An error means that nothing was sent.
    async fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> std::io::Result<TcpStream> {
        let address = *self.gateway.borrow();
        let mut stream = TcpStream::connect(address).await?;
        let head = format!(
            "{method} {path} HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n{headers}Content-Length: {}\r\n\r\n",
            self.token(),
            body.len()
        );
        // What can't be written is noticed when the answer is read.
        let _ = stream.write_all((head + body).as_bytes()).await;
        Ok(stream)
    }
}

impl Inside {
    pub fn is_connected(&self) -> bool {
        self.link.is_some()
    }

    pub fn is_subscribed(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.subscribed)
    }

    /// What was read is set aside, and the log is read from its beginning.
    pub fn start_over(&mut self) {
        let read = std::mem::take(&mut self.read);
        self.earlier.push(read);
        self.begin = Some(0);
    }
}

fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn outcome(result: Option<Value>, error: Option<&Value>) -> Outcome {
    match error.filter(|error| !error.is_null()) {
        Some(error) => {
            let message = error["message"].as_str().unwrap_or_default().to_owned();
            Outcome::Error(error["code"].as_i64().unwrap_or_default(), message)
        }
        None => Outcome::Result(result.unwrap_or_default()),
    }
}
