//! Tests of what a client may hold open: heads and bodies that never end, connections that nobody uses. Clocks are
//! moved, not waited for. What readers that never read cost is measured in `tests/memory`.

use std::time::Duration;

use pilothouse_gateway::gateway::Gateway;
use pilothouse_gateway::http::server::{BODY_PAUSES, HEAD_TAKES, LARGEST_HEAD};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{Socket, Sse, get, in_time, play_text};

const ONE: &str = r#"{"type":"last"}"#;

/// Moves the clock, after everything that was sent so far has been read.
async fn pass(gateway: &Gateway, time: Duration) {
    assert_eq!(get(gateway, "/healthz", &[]).await.status, 200);
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

async fn connect_and_send(gateway: &Gateway, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// Everything up to the end of the connection.
async fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset is an end as well.
    let _ = in_time("the end of the connection", stream.read_to_end(&mut bytes)).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn a_request_that_never_ends_its_head_is_closed_after_ten_seconds() {
    let gateway = play_text(ONE).await;
    let host = gateway.address();
    let mut half = Vec::new();
    for number in 0..200 {
        let parts = ["", "GET", "GET /healthz HTTP/1.1\r\nHost: x\r\n", "GET /healthz HTTP/1.1\r\nX: "];
        half.push(connect_and_send(&gateway, parts[number % parts.len()]).await);
    }
    let mut late = connect_and_send(&gateway, "GET /healthz HTTP/1.1\r\n").await;
    pass(&gateway, HEAD_TAKES.mul_f32(0.9)).await;
    late.write_all(format!("Host: {host}\r\nConnection: close\r\n\r\n").as_bytes()).await.unwrap();
    assert!(rest(late).await.ends_with("ok\n"), "who is slow, but in time, is served");
    pass(&gateway, HEAD_TAKES.mul_f32(0.2)).await;
    for stream in half {
        let answer = rest(stream).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
}

#[tokio::test]
async fn a_connection_without_a_next_request_is_closed() {
    let gateway = play_text(ONE).await;
    let idle =
        connect_and_send(&gateway, &format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", gateway.address()))
            .await;
    idle.readable().await.unwrap();
    pass(&gateway, HEAD_TAKES.mul_f32(1.1)).await;
    assert!(rest(idle).await.ends_with("ok\n"));
}

#[tokio::test]
async fn a_body_may_be_slow_but_not_stand_still() {
    let gateway = play_text(ONE).await;
    let body = r#"{"id":1,"method":"pilothouse.ping"}"#;
    let head = format!(
        "POST /api/sessions/text/rpc HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        gateway.address(),
        body.len()
    );
    let (mut slow, still) =
        (connect_and_send(&gateway, &head).await, connect_and_send(&gateway, &format!("{head}{{")).await);
    for letter in body[..3].chars() {
        pass(&gateway, BODY_PAUSES.mul_f32(0.9)).await;
        slow.write_all(letter.to_string().as_bytes()).await.unwrap();
    }
    let answer = rest(still).await;
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("30 s"), "{answer}");
    slow.write_all(&body.as_bytes()[3..]).await.unwrap();
    let answer = rest(slow).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn streams_that_are_open_and_idle_are_not_cut() {
    let gateway = play_text(ONE).await;
    let mut sse = Sse::open(&gateway, "text", "", &[]).await;
    let mut socket = Socket::open(&gateway, None).await;
    sse.until("last").await;
    for _ in 0..4 {
        pass(&gateway, Duration::from_mins(1)).await;
    }
    let ping = socket.send_request("pilothouse.ping", json!({})).await;
    assert_eq!(socket.response(ping).await["result"], json!({}));
    assert!(sse.line().await.starts_with(": keep-alive"), "it goes on");
}

#[tokio::test]
async fn a_stream_without_news_begins_with_a_comment_at_once() {
    let gateway = play_text(ONE).await;
    let newest = Sse::open(&gateway, "text", "", &[]).await.until("last").await.last().unwrap().0;
    let mut idle = Sse::open(&gateway, "text", &format!("?after={newest}"), &[]).await;
    assert_eq!(idle.line().await, ": open\n", "Firefox waits for the first byte of the body");
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let gateway = play_text(ONE).await;
    let start = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", gateway.address());
    let large = "x".repeat(4 * LARGEST_HEAD);
    for head in [
        format!("{start}X-Large: {large}\r\n\r\n"),
        format!("GET /{large} HTTP/1.1\r\n\r\n"),
        format!("{start}{}\r\n", "X-Many: y\r\n".repeat(1000)),
    ] {
        let answer = rest(connect_and_send(&gateway, &head).await).await;
        // Where the rest of the head was not read any more, the reset may overtake the answer.
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
        assert!(!answer.contains("ok\n"), "{answer}");
    }
    assert!(
        rest(connect_and_send(&gateway, &format!("{start}X: {}\r\n\r\n", "x".repeat(8000))).await)
            .await
            .ends_with("ok\n")
    );
}
