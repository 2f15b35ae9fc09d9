//! Tests of how a client and the gateway find out that the other side is alive, and how the gateway says that it ends.

use std::time::Duration;

use super::client::{Socket, Sse, ask, in_time, play_text, rpc};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

#[tokio::test]
async fn a_ping_is_answered_whichever_way_it_comes() {
    let gateway = play_text(r#"{"type":"x","data":{},"id":"a"}"#).await;
    let mut socket = Socket::open(&gateway, None).await;
    let asked = socket.send_request("pilothouse.ping", json!({})).await;
    assert_eq!(socket.response(asked).await["result"], json!({}));
    assert_eq!(rpc(&gateway, "text", "pilothouse.ping", json!({})).await["result"], json!({}));
}

async fn pass(seconds: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn who_says_nothing_for_five_minutes_is_gone_and_any_word_counts() {
    let gateway = play_text(r#"{"type":"x","data":{},"id":"a"}"#).await;
    let mut socket = Socket::open(&gateway, None).await;
    for _ in 0..3 {
        let asked = socket.send_request("pilothouse.ping", json!({})).await;
        assert_eq!(socket.response(asked).await["result"], json!({}));
        pass(200).await;
    }
    pass(301).await;
    socket.ended().await;
}

#[tokio::test]
async fn a_gateway_that_ends_says_so_on_every_stream() {
    let gateway = play_text(r#"{"type":"x","data":{},"id":"a"}"#).await;
    let address = gateway.address();
    let mut stream = Sse::open(&gateway, "text", "", &[]).await;
    stream.until("\"x\"").await;
    let mut sockets = [Socket::open(&gateway, None).await, Socket::open(&gateway, None).await];
    let watch = sockets[0].send_request("pilothouse.subscribe", json!({"sessionId": "text"})).await;
    sockets[0].response(watch).await;
    assert!(ask(address, "/readyz").await.ends_with("ready\n"));
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).await.unwrap();
    let mut reply = [0; 4096];
    let length = idle.read(&mut reply).await.unwrap();
    assert!(reply[..length].ends_with(b"ok\n"));
    let ending = tokio::spawn(gateway.stop());
    for socket in &mut sockets {
        assert_eq!(socket.goodbye().await, (1001, "the gateway ends; come again".to_owned()));
        socket.ended().await;
    }
    assert_eq!(in_time("the end", idle.read(&mut reply)).await.unwrap(), 0, "one that only waits is closed");
    let last = stream.rest().await;
    assert!(last.ends_with("retry: 1000\n\n"), "{last}");
    in_time("the end", ending).await.unwrap();
    assert_eq!(ask(address, "/healthz").await, "", "nobody listens any more");
}
