//! Tests of `pilothouse.board`: what it sends at once, what later, and what it leaves out.

use serde_json::{Value, json};

use super::client::{Socket, first_id, get, play, play_text, rpc};

/// The next notification about a session.
async fn news(socket: &mut Socket) -> Value {
    loop {
        let line: Value = serde_json::from_str(&socket.next().await).unwrap();
        if line["method"] == "pilothouse.summary" {
            return line["params"].clone();
        }
    }
}

async fn news_with(socket: &mut Socket, has: impl Fn(&Value) -> bool) -> Value {
    loop {
        let told = news(socket).await;
        if has(&told) {
            return told;
        }
    }
}

#[tokio::test]
async fn a_board_starts_recordings_and_tells_what_waits_with_the_very_event() {
    let gateway = play(&["permission", "question"]).await;
    let id = first_id(&gateway).await;
    let mut socket = Socket::open(&gateway, None).await;
    let asked = socket.send_request("pilothouse.board", json!({})).await;
    let all = socket.response(asked).await["result"].clone();
    assert_eq!(all["sessions"].as_array().unwrap().len(), 2);
    assert_eq!(all["capabilities"], json!([]), "a player can't make sessions");

    let waits = news_with(&mut socket, |told| told["sessionId"] == id && told["status"] == "waiting").await;
    let request = &waits["requests"][0];
    assert_eq!(
        (&request["kind"], &request["event"]["type"]),
        (&json!("permission"), &json!("permission.requested"))
    );
    assert_eq!(request["event"]["data"]["requestId"], request["requestId"]);
    assert!(request["since"].is_i64() && waits["lastEventAt"].is_i64());

    let row = get(&gateway, "/api/sessions", &[]).await.json()[0].clone();
    assert_eq!(row["requests"][0]["requestId"], request["requestId"]);
    assert!(row["requests"][0].get("event").is_none(), "the list stays small");
}

#[tokio::test]
async fn an_answer_is_told_with_the_event_that_ended_the_request() {
    let gateway = play(&["permission"]).await;
    let id = first_id(&gateway).await;
    let mut socket = Socket::open(&gateway, None).await;
    socket.send_request("pilothouse.board", json!({})).await;
    let waits = news_with(&mut socket, |told| told["status"] == "waiting").await;
    let request = waits["requests"][0]["requestId"].clone();
    let params = json!({"requestId": request, "result": {"kind": "approve-once"}});
    let answer = rpc(&gateway, &id, "session.permissions.handlePendingPermissionRequest", params).await;
    assert_eq!(answer["result"]["success"], true);
    let settled = news_with(&mut socket, |told| told.get("settled").is_some()).await;
    assert_eq!(settled["settled"][0]["requestId"], request);
    let event = &settled["settled"][0]["event"];
    assert_eq!(
        (&event["type"], &event["data"]["result"]["kind"]),
        (&json!("permission.completed"), &json!("approved"))
    );
    assert!(settled.get("title").is_none() && settled.get("cwd").is_none(), "only what changed: {settled}");
}

#[tokio::test]
async fn a_second_board_of_a_connection_begins_anew() {
    let gateway = play(&["permission"]).await;
    let mut socket = Socket::open(&gateway, None).await;
    socket.send_request("pilothouse.board", json!({})).await;
    news_with(&mut socket, |told| told["status"] == "waiting").await;
    let again = socket.send_request("pilothouse.board", json!({})).await;
    let all = socket.response(again).await["result"].clone();
    assert!(all["sessions"][0]["requests"][0]["event"].is_object(), "the event is told again");
}

#[tokio::test]
async fn a_request_that_is_too_large_is_only_named() {
    let command = "x".repeat(300 << 10);
    let asked = json!({"type": "permission.requested", "id": "1", "data": {
        "requestId": "r", "permissionRequest": {"kind": "shell", "fullCommandText": command},
    }});
    let gateway = play_text(&asked.to_string()).await;
    let mut socket = Socket::open(&gateway, None).await;
    socket.send_request("pilothouse.board", json!({})).await;
    let waits = news_with(&mut socket, |told| told["status"] == "waiting").await;
    assert_eq!(waits["requests"][0]["requestId"], "r");
    assert!(waits["requests"][0].get("event").is_none());
    assert!(waits["requests"][0]["text"].as_str().unwrap().chars().count() < 300);
}

#[tokio::test]
async fn the_board_is_for_the_websocket() {
    let gateway = play(&["permission"]).await;
    let id = first_id(&gateway).await;
    let refused = rpc(&gateway, &id, "pilothouse.board", json!({})).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("WebSocket"));
}
