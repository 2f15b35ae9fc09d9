//! Tests of how a client and the gateway find out that the other side is alive.

use std::time::Duration;

use super::client::{Socket, play_text, rpc};
use serde_json::json;

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
