//! Owns: how a client finds out that the gateway lives.

use super::client::{Socket, play_text, rpc};
use serde_json::json;

#[tokio::test]
async fn a_ping_is_answered_whichever_way_it_comes() {
    let gateway = play_text(r#"{"type":"x","data":{},"id":"a"}"#).await;
    let mut socket = Socket::open(&gateway, None).await;
    let asked = socket.ask("pilothouse.ping", json!({})).await;
    assert_eq!(socket.response(asked).await["result"], json!({}));
    assert_eq!(rpc(&gateway, "text", "pilothouse.ping", json!({})).await["result"], json!({}));
}
