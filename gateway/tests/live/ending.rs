//! Tests of the end of a gateway in the middle of work: what runs is finished, and nothing new begins.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use pilothouse_core::protocol::ErrorReason;
use serde_json::json;

use super::client::{Socket, Sse, ask, converse, in_time};
use super::gateway::watched;
use super::stand_in::StandIn;

const SLOW: &str = "session.getMessages";

/// Waits until the gateway says that it ends.
async fn begins_to_end(address: SocketAddr) {
    in_time("the gateway to end", async {
        while !ask(address, "/readyz").await.starts_with("HTTP/1.1 503") {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn calls_finish_and_whoever_comes_is_told_to_come_again() {
    let runtime = StandIn::start().await;
    let (gateway, mut socket) = watched(&runtime, None).await;
    let address = gateway.address();
    let mut stream = Sse::open(&gateway, "s", "", &[]).await;
    stream.until("session.start").await;
    runtime.silent(SLOW);
    let running = socket.send_request(SLOW, json!({"sessionId": "s"})).await;
    let mut other = Socket::open(&gateway, None).await;
    let calls = runtime.calls(SLOW, 1).await;
    let ending = tokio::spawn(gateway.stop());
    begins_to_end(address).await;
    let last = stream.rest().await;
    assert!(last.ends_with("retry: 1000\n\n"), "{last}");
    assert_eq!(other.goodbye().await.0, 1001, "nothing runs for it");
    for path in ["/", "/api/sessions", "/api/rpc", "/metrics"] {
        let late = ask(address, path).await;
        assert!(late.starts_with("HTTP/1.1 503") && late.contains("retry-after: 1\r\n"), "{path}: {late}");
    }
    assert!(ask(address, "/readyz").await.contains("the gateway ends"));
    assert!(ask(address, "/healthz").await.starts_with("HTTP/1.1 200"));
    let late = socket.send_request("session.send", json!({"sessionId": "s", "prompt": "hello"})).await;
    let refused = socket.response(late).await;
    assert_eq!(refused["error"]["code"], ErrorReason::RuntimeDown.code(), "{refused}");
    assert_eq!(runtime.count("session.send"), 0);
    runtime.reply(&calls[0], r#"{"events":["whole"]}"#);
    assert_eq!(socket.response(running).await["result"]["events"][0], "whole");
    assert_eq!(socket.goodbye().await, (1001, "the gateway ends; come again".to_owned()));
    drop((socket, other));
    in_time("the end", ending).await.unwrap();
    assert_eq!(ask(address, "/healthz").await, "");
}

#[tokio::test]
async fn a_post_that_runs_is_answered() {
    let runtime = StandIn::start().await;
    let (gateway, socket) = watched(&runtime, None).await;
    socket.close().await;
    let address = gateway.address();
    runtime.silent(SLOW);
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": SLOW, "params": {"sessionId": "s"}}).to_string();
    let request = format!(
        "POST /api/sessions/s/rpc HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let posted = tokio::spawn(converse(address, request));
    let calls = runtime.calls(SLOW, 1).await;
    let ending = tokio::spawn(gateway.stop());
    begins_to_end(address).await;
    runtime.reply(&calls[0], r#"{"events":["whole"]}"#);
    let reply = in_time("the reply", posted).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 200") && reply.ends_with(r#"{"events":["whole"]}}"#), "{reply}");
    in_time("the end", ending).await.unwrap();
}

#[tokio::test]
async fn neither_a_call_nor_a_client_that_reads_nothing_delays_the_end_for_long() {
    let runtime = StandIn::start().await;
    let (gateway, mut socket) = watched(&runtime, None).await;
    runtime.silent(SLOW);
    socket.send_request(SLOW, json!({"sessionId": "s"})).await;
    runtime.calls(SLOW, 1).await;
    let ending = Instant::now();
    gateway.stop().await;
    let took = ending.elapsed();
    assert!((Duration::from_secs(3)..Duration::from_secs(20)).contains(&took), "{took:?}");
    assert_eq!(socket.goodbye().await.0, 1001, "it is told, though it has no answer");
}
