//! Tests of how much memory clients can take up. They measure this process, so no other tests are in it, and they run one
//! after the other.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../gateway/client.rs"]
mod client;

use client::{Socket, Sse, exchange, get, play_text};
use pilothouse_core::protocol::ErrorReason;
use pilothouse_gateway::access::Access;
use pilothouse_gateway::access::limits::{LARGEST_OF_GUEST, MOST_UNREAD};
use pilothouse_gateway::access::settings::Settings as AccessSettings;
use pilothouse_gateway::gateway::{Gateway, Settings};
use pilothouse_gateway::playback::player::Pace;
use pilothouse_gateway::playback::recording::Recording;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Mutex;

const OPERATOR: &str = "token-of-the-operator";
const VIEWER: &str = "token-of-the-viewer";
const BEARER: &str = "Bearer token-of-the-viewer";
static TURN: Mutex<()> = Mutex::const_new(());

/// The bytes of memory that this process has in use.
fn memory() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// A gateway with a log of 4 MiB, for viewers and an operator.
async fn for_viewers() -> Gateway {
    let settings = AccessSettings {
        operator: Some(OPERATOR.to_owned()),
        viewer: Some(VIEWER.to_owned()),
        ..AccessSettings::default()
    };
    let access = Access::open(&settings).unwrap().0;
    let settings = Settings { pace: Pace::Max, access, ..Settings::default() };
    let log = format!(r#"{{"type":"last","data":{{"text":"{}"}},"id":"z"}}"#, "y".repeat(4 << 20));
    let gateway =
        Gateway::start(settings, vec![Recording::from_bytes("text", log.as_bytes())]).await.unwrap();
    Sse::open(&gateway, "text", "", &[("Authorization", BEARER)]).await.until("last").await;
    gateway
}

#[tokio::test]
async fn a_viewer_s_short_calls_for_long_answers_cost_no_more_than_the_limit() {
    let _turn = TURN.lock().await;
    let gateway = for_viewers().await;
    let call =
        |id: usize| json!({"id": id, "method": "session.getMessages", "params": {"sessionId": "text"}});
    let batch = Value::from((0..200).map(call).collect::<Vec<_>>()).to_string();
    let before = memory();
    let bearer = [("Authorization", BEARER)];
    let reply = exchange(&gateway, "POST", "/api/sessions/text/rpc", &bearer, &batch).await;
    let code = ErrorReason::TooMany.code();
    let refused = reply.body.matches(&format!(r#""code":{code}"#)).count();
    assert!(refused > 100, "{refused}; 200 are as many as a batch may have, and would be 800 MiB");
    drop(reply);

    let mut stuck = Vec::new();
    for _ in 0..12 {
        let mut socket = Socket::try_open(&gateway, None, &bearer).await.unwrap();
        for id in 0..100 {
            socket.send(&call(id).to_string()).await;
        }
        stuck.push(socket);
    }
    // These are read, so they wait for the calls before them only.
    assert_eq!(get(&gateway, "/healthz", &[]).await.status, 200);
    let grown = memory().saturating_sub(before);
    assert!(grown < 3 * MOST_UNREAD, "{grown} bytes");
    drop(stuck);
    loop {
        let one = exchange(&gateway, "POST", "/api/sessions/text/rpc", &bearer, &call(0).to_string()).await;
        if one.json()["result"].is_object() {
            break; // what the others left is gone with them
        }
    }
}

#[tokio::test]
async fn the_ids_of_sessions_that_are_not_there_are_not_kept() {
    let _turn = TURN.lock().await;
    let gateway = for_viewers().await;
    let operator = format!("Bearer {OPERATOR}");
    let mut socket = Socket::try_open(&gateway, None, &[("Authorization", &operator)]).await.unwrap();
    let before = memory();
    for number in 0..24 {
        let id = format!("{number}{}", "x".repeat(8 << 20));
        let id = socket.send_request("pilothouse.subscribe", json!({"sessionId": id})).await;
        assert!(socket.response(id).await["error"].is_object());
    }
    let grown = memory().saturating_sub(before);
    assert!(grown < 128 << 20, "{grown} bytes after 192 MiB");
}

/// A frame as a client sends it, whose payload is `part`, but is said to have `length` bytes.
fn frame(opcode: u8, length: usize, part: &[u8]) -> Vec<u8> {
    let head = [&[opcode, 0x80 | 127][..], &(length as u64).to_be_bytes(), &[0; 4]];
    [head.concat().as_slice(), part].concat()
}

/// Opens a WebSocket with these lines in its head, and sends frames that have no end.
async fn flood(gateway: &Gateway, lines: &str, frames: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
    let request = format!(
        "GET /api/rpc HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{lines}\r\n",
        gateway.address()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(head.starts_with(b"HTTP/1.1 101"));
    // The connection may end while this is being written.
    let _ = stream.write_all(frames).await;
    stream
}

const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;
const PING: u8 = 0x89;
const PART: u8 = 0;

#[tokio::test]
async fn who_has_not_signed_in_costs_no_memory_of_its_message_s_size() {
    let _turn = TURN.lock().await;
    let gateway = for_viewers().await;
    let unfinished = frame(BINARY, 31 << 20, &vec![0; 30 << 20]);
    let before = memory();
    let mut stuck = Vec::new();
    for _ in 0..20 {
        stuck.push(flood(&gateway, "", &unfinished).await);
    }
    let grown = memory().saturating_sub(before);
    assert!(grown < 200 << 20, "{grown} bytes for 20 connections");
}

#[tokio::test]
async fn a_viewer_costs_no_memory_of_its_message_s_size_either() {
    let _turn = TURN.lock().await;
    let gateway = for_viewers().await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "pilothouse.ping", "params": {"token": VIEWER}})
        .to_string();
    let signed_in_by_a_message = frame(TEXT, call.len(), call.as_bytes());
    let in_one_frame = frame(BINARY, 31 << 20, &vec![0; 30 << 20]);
    let mut in_parts = frame(TEXT & 0x0f, 1, b"{");
    for _ in 0..60 {
        in_parts.extend(frame(PART, 512 << 10, &vec![b' '; 512 << 10]));
        in_parts.extend([PING, 0x80, 0, 0, 0, 0]);
    }
    let bearer = format!("Authorization: {BEARER}\r\n");
    let before = memory();
    let mut stuck = Vec::new();
    for _ in 0..10 {
        stuck.push(flood(&gateway, &bearer, &in_one_frame).await);
        stuck.push(flood(&gateway, &bearer, &in_parts).await);
        stuck.push(flood(&gateway, "", &[signed_in_by_a_message.as_slice(), &in_parts].concat()).await);
    }
    let grown = memory().saturating_sub(before);
    assert!(grown < 200 << 20, "{grown} bytes for 30 connections");

    let mut socket = Socket::try_open(&gateway, None, &[("Authorization", BEARER)]).await.unwrap();
    let subscribed = socket.send_request("pilothouse.subscribe", json!({"sessionId": "text"})).await;
    assert_eq!(socket.response(subscribed).await["result"]["maxMessageBytes"], LARGEST_OF_GUEST);
    for _ in 0..40 {
        let long =
            socket.send_request("pilothouse.ping", json!({"text": "x".repeat(LARGEST_OF_GUEST)})).await;
        assert_eq!(socket.response(long).await["error"]["code"], ErrorReason::TooLong.code());
    }
    let body = "x".repeat(LARGEST_OF_GUEST + 1);
    let bearer = [("Authorization", BEARER)];
    assert_eq!(exchange(&gateway, "POST", "/api/sessions/text/rpc", &bearer, &body).await.status, 413);
}

#[tokio::test]
async fn readers_that_never_read_cost_no_memory_of_the_log_s_size() {
    const LINES: usize = 600;
    const READERS: usize = 12;
    let _turn = TURN.lock().await;
    let line =
        |at: usize| format!(r#"{{"type":"x","data":{{"text":"{}"}},"id":"i{at}"}}"#, "y".repeat(8000)) + "\n";
    let log = (0..LINES).map(line).collect::<String>() + r#"{"type":"last","id":"z"}"#;
    let gateway = play_text(&log).await;
    // The first reader is there to see the whole log played.
    Sse::open(&gateway, "text", "", &[]).await.until("\"last\"").await;
    let before = memory();
    let mut stuck = Vec::new();
    for _ in 0..READERS {
        let sse = Sse::open(&gateway, "text", "", &[]).await;
        let mut socket = Socket::open(&gateway, None).await;
        socket.send_request("pilothouse.subscribe", json!({"sessionId": "text"})).await;
        stuck.push((sse, socket));
    }
    // While these are read to the end, the others have had as much time.
    let mut socket = Socket::open(&gateway, None).await;
    socket.send_request("pilothouse.subscribe", json!({"sessionId": "text"})).await;
    socket.until("\"last\"").await;
    Sse::open(&gateway, "text", "", &[]).await.until("\"last\"").await;
    let grown = memory().saturating_sub(before);
    let all = 2 * READERS * log.len();
    assert!(grown < all / 4, "{grown} bytes for {READERS} readers each; the log has {}", log.len());
}
