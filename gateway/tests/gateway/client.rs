//! A gateway in this process and plain clients for it. Nothing sleeps: everything waits for what must come,
//! and fails after a timeout.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use pilothouse_gateway::gateway::{Gateway, Settings};
use pilothouse_gateway::playback::player::Pace;
use pilothouse_gateway::playback::recording::Recording;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

const PATIENCE: Duration = Duration::from_secs(30);

/// The lines of a recording under `tests/data`.
pub fn data(name: &str) -> Vec<String> {
    let path = format!("{}/tests/data/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

pub async fn play(names: &[&str]) -> Gateway {
    let recordings = names.iter().map(|name| Recording::from_bytes(name, data(name).join("\n").as_bytes()));
    start(recordings.collect(), false).await
}

pub async fn play_text(text: &str) -> Gateway {
    start(vec![Recording::from_bytes("text", text.as_bytes())], false).await
}

pub async fn start(recordings: Vec<Recording>, looped: bool) -> Gateway {
    let settings = Settings { pace: Pace::Max, looped, ..Settings::default() };
    Gateway::start(settings, recordings).await.unwrap()
}

pub async fn in_time<T>(what: &str, future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("waited too long for {what}"))
}

/// The id of the first session.
pub async fn first_id(gateway: &Gateway) -> String {
    let list: Value = serde_json::from_str(&get(gateway, "/api/sessions", &[]).await.body).unwrap();
    list[0]["sessionId"].as_str().unwrap().to_owned()
}

pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

pub async fn get(gateway: &Gateway, path: &str, headers: &[(&str, &str)]) -> Reply {
    exchange(gateway, "GET", path, headers, "").await
}

pub async fn post(gateway: &Gateway, path: &str, body: &str) -> Reply {
    exchange(gateway, "POST", path, &[], body).await
}

/// Sends a request over HTTP/1.0, so that the body is not chunked and ends with the connection.
pub async fn exchange(
    gateway: &Gateway,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    let mut stream = send(gateway, method, path, headers, body).await;
    let mut text = String::new();
    in_time("the whole reply", stream.read_to_string(&mut text)).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Reply { status, head: head.to_owned(), body: body.to_owned() }
}

/// A request to a gateway in whatever state it is. Returns the whole reply, empty where there is none.
pub async fn ask(address: SocketAddr, path: &str) -> String {
    converse(address, format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")).await
}

/// Sends a request. Returns all that comes before the connection ends.
pub async fn converse(address: SocketAddr, request: String) -> String {
    let mut reply = String::new();
    if let Ok(mut stream) = TcpStream::connect(address).await {
        let _ = stream.write_all(request.as_bytes()).await; // it may just end
        let _ = in_time("a reply", stream.read_to_string(&mut reply)).await;
    }
    reply
}

async fn send(
    gateway: &Gateway,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> TcpStream {
    let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
    let mut request = format!("{method} {path} HTTP/1.0\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "Host") {
        write!(request, "Host: {}\r\n", gateway.address()).unwrap();
    }
    for (name, value) in headers {
        write!(request, "{name}: {value}\r\n").unwrap();
    }
    request += "\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    stream
}

/// Sends one JSON-RPC request by POST. Returns the whole response.
pub async fn rpc(gateway: &Gateway, id: &str, method: &str, params: Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    post(gateway, &format!("/api/sessions/{id}/rpc"), &body).await.json()
}

/// Server-sent events.
pub struct Sse(BufReader<TcpStream>);

impl Sse {
    pub async fn open(gateway: &Gateway, id: &str, query: &str, headers: &[(&str, &str)]) -> Self {
        let stream = send(gateway, "GET", &format!("/api/sessions/{id}/events{query}"), headers, "").await;
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        in_time("the head of the stream", reader.read_line(&mut line)).await.unwrap();
        assert!(line.contains(" 200 "), "{line}");
        while line != "\r\n" {
            line.clear();
            in_time("the head of the stream", reader.read_line(&mut line)).await.unwrap();
        }
        Self(reader)
    }

    /// The next message: its id and its data, lines joined as a browser does.
    pub async fn next(&mut self) -> (u64, String) {
        let (mut id, mut data) = (0, Vec::new());
        loop {
            let mut line = String::new();
            let length = in_time("a message of the stream", self.0.read_line(&mut line)).await.unwrap();
            assert!(length > 0, "the stream ended");
            let line = line.trim_end_matches('\n');
            if let Some(value) = line.strip_prefix("id: ") {
                id = value.parse().unwrap();
            } else if let Some(value) = line.strip_prefix("data: ") {
                data.push(value.to_owned());
            } else if line.is_empty() && !data.is_empty() {
                return (id, data.join("\n"));
            }
        }
    }

    /// The next line, of a message or a comment.
    #[allow(dead_code, reason = "the tests with a runtime share this file")]
    pub async fn line(&mut self) -> String {
        let mut line = String::new();
        in_time("a line of the stream", self.0.read_line(&mut line)).await.unwrap();
        line
    }

    /// All that comes before the other side ends the stream.
    pub async fn rest(&mut self) -> String {
        let mut rest = String::new();
        in_time("the end of the stream", self.0.read_to_string(&mut rest)).await.unwrap();
        rest
    }

    pub async fn take(&mut self, count: usize) -> Vec<(u64, String)> {
        let mut all = Vec::new();
        while all.len() < count {
            all.push(self.next().await);
        }
        all
    }

    /// All messages up to the first one that holds `needle`.
    pub async fn until(&mut self, needle: &str) -> Vec<(u64, String)> {
        let mut all = Vec::new();
        while !all.last().is_some_and(|(_, data): &(u64, String)| data.contains(needle)) {
            all.push(self.next().await);
        }
        all
    }
}

/// A WebSocket.
pub struct Socket {
    stream: WebSocketStream<TcpStream>,
    lines: std::collections::VecDeque<String>,
    pub protocol: Option<String>,
    pub binary_frames: usize,
    next_id: u64,
}

impl Socket {
    pub async fn open(gateway: &Gateway, protocol: Option<&str>) -> Self {
        Self::try_open(gateway, protocol, &[]).await.unwrap()
    }

    /// Same as `open`, for a gateway in another process.
    #[allow(dead_code, reason = "the tests with a runtime use it")]
    pub async fn open_at(address: SocketAddr, protocol: Option<&str>) -> Self {
        Self::try_open_at(address, protocol, &[]).await.unwrap()
    }

    /// `Err` holds the HTTP status that refused the upgrade.
    pub async fn try_open(
        gateway: &Gateway,
        protocol: Option<&str>,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, u16> {
        Self::try_open_at(gateway.address(), protocol, headers).await
    }

    async fn try_open_at(
        address: SocketAddr,
        protocol: Option<&str>,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, u16> {
        let mut request = format!("ws://{address}/api/rpc").into_client_request().unwrap();
        if let Some(protocol) = protocol {
            request.headers_mut().insert("Sec-WebSocket-Protocol", protocol.parse().unwrap());
        }
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let tcp = TcpStream::connect(address).await.unwrap();
        let (stream, response) = match tokio_tungstenite::client_async(request, tcp).await {
            Ok(opened) => opened,
            Err(tokio_tungstenite::tungstenite::Error::Http(response)) => {
                return Err(response.status().as_u16());
            }
            Err(error) => panic!("{error}"),
        };
        let protocol =
            response.headers().get("Sec-WebSocket-Protocol").map(|value| value.to_str().unwrap().to_owned());
        Ok(Self { stream, lines: std::collections::VecDeque::new(), protocol, binary_frames: 0, next_id: 1 })
    }

    pub async fn send(&mut self, text: &str) {
        self.stream.send(Message::text(text)).await.unwrap();
    }

    /// Sends something that the other side may cut off, so errors are ignored.
    pub async fn try_send(&mut self, text: &str) {
        let _ = in_time("a frame to be sent", self.stream.send(Message::text(text))).await;
    }

    /// Returns when the other side has ended the connection.
    pub async fn ended(&mut self) {
        in_time("the end of the connection", async { while let Some(Ok(_)) = self.stream.next().await {} })
            .await;
    }

    /// The code and the reason with which the other side ends the connection. What comes before is skipped.
    pub async fn goodbye(&mut self) -> (u16, String) {
        in_time("the end of the connection", async {
            loop {
                if let Message::Close(frame) =
                    self.stream.next().await.expect("it ended without a word").unwrap()
                {
                    let frame = frame.expect("a reason");
                    return (frame.code.into(), frame.reason.to_string());
                }
            }
        })
        .await
    }

    /// Ends the connection; the other side has noticed when this returns.
    #[allow(dead_code, reason = "the tests with a runtime use it")]
    pub async fn close(mut self) {
        self.stream.close(None).await.unwrap();
        self.ended().await;
    }

    /// Sends a request and returns its id; the response is read with `next`.
    pub async fn send_request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
        id
    }

    /// The next line of a frame, whatever it is. Pings are skipped and do not extend the timeout.
    pub async fn next(&mut self) -> String {
        in_time("a frame", self.line()).await
    }

    async fn line(&mut self) -> String {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return line;
            }
            match self.stream.next().await.expect("the socket ended").unwrap() {
                Message::Text(text) => self.lines.extend(text.lines().map(str::to_owned)),
                Message::Binary(bytes) => {
                    self.binary_frames += 1;
                    self.lines.extend(std::str::from_utf8(&bytes).unwrap().lines().map(str::to_owned));
                }
                _ => {}
            }
        }
    }

    /// The response to `id`; notifications before it are skipped.
    pub async fn response(&mut self, id: u64) -> Value {
        loop {
            if let Ok(value) = serde_json::from_str::<Value>(&self.next().await)
                && value["id"] == id
                && value["method"].is_null()
            {
                return value;
            }
        }
    }

    /// The events up to the first one that holds `needle`: `seq` and the exact bytes.
    pub async fn until(&mut self, needle: &str) -> Vec<(u64, String)> {
        let mut all: Vec<(u64, String)> = Vec::new();
        while !all.last().is_some_and(|(_, data)| data.contains(needle)) {
            let line = self.next().await;
            if let Some(rest) = line.strip_prefix(r#"{"seq":"#) {
                let (seq, event) = rest.split_once(r#","event":"#).unwrap();
                all.push((seq.parse().unwrap(), event.strip_suffix('}').unwrap().to_owned()));
            } else if let Some((_, rest)) = line.split_once(r#","event":"#) {
                let (event, seq) = rest.rsplit_once(r#","seq":"#).unwrap();
                all.push((seq.trim_end_matches('}').parse().unwrap(), event.to_owned()));
            }
        }
        all
    }
}
