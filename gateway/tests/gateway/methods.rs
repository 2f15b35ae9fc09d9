//! Tests of the methods of history, the list of sessions, and JSON-RPC itself.

use super::client::{Socket, Sse, exchange, first_id, get, play, play_text, post, rpc};
use serde_json::{Value, json};

const THREE: &str = "{\"type\":\"a\",\"id\":\"1\"}\n{\"type\":\"b\",\"id\":\"2\",\"ephemeral\":true}\n{\"type\":\"last\",\"id\":\"3\"}";

#[tokio::test]
async fn history_is_what_was_sent_so_far() {
    let gateway = play_text(THREE).await;
    let before = rpc(&gateway, "text", "session.getMessages", json!({})).await;
    assert_eq!(before["result"], json!({"events": []}), "it waits for its first viewer");
    Sse::open(&gateway, "text", "", &[]).await.take(3).await;
    let kept = rpc(&gateway, "text", "session.getMessages", json!({})).await;
    assert_eq!(kept["result"], json!({"events": [{"type": "a", "id": "1"}, {"type": "last", "id": "3"}]}));
}

#[tokio::test]
async fn the_log_is_read_by_cursor() {
    let gateway = play_text(THREE).await;
    Sse::open(&gateway, "text", "", &[]).await.take(3).await;
    let read =
        async |params: Value| rpc(&gateway, "text", "session.eventLog.read", params).await["result"].clone();
    let first = read(json!({"max": 2, "includeEphemeral": true})).await;
    assert_eq!((first["events"].as_array().unwrap().len(), &first["hasMore"]), (2, &json!(true)));
    let rest = read(json!({"max": 2, "includeEphemeral": true, "cursor": first["cursor"]})).await;
    assert_eq!(rest["events"], json!([{"type": "last", "id": "3"}]));
    assert_eq!((&rest["hasMore"], &rest["cursorStatus"]), (&json!(false), &json!("ok")));
    let end = read(json!({"cursor": rest["cursor"], "waitMs": 1})).await;
    assert_eq!((&end["events"], &end["cursor"]), (&json!([]), &rest["cursor"]));
    let persisted = read(json!({"max": 1000})).await;
    assert_eq!(persisted["events"].as_array().unwrap().len(), 2);
    assert_eq!(read(json!({"cursor": "gone"})).await["cursorStatus"], "expired");
    let wrong = rpc(&gateway, "text", "session.eventLog.read", json!({"max": "x"})).await;
    assert_eq!(wrong["error"]["code"], -32602);
}

#[tokio::test]
async fn a_read_of_the_log_waits_for_what_comes() {
    let gateway = play_text(THREE).await;
    let mut socket = Socket::open(&gateway, None).await;
    let id =
        socket.send_request("session.eventLog.read", json!({"sessionId": "text", "waitMs": 30_000})).await;
    Sse::open(&gateway, "text", "", &[]).await.take(3).await;
    let read = socket.response(id).await;
    assert_eq!(read["result"]["events"][0]["id"], "1");
}

#[tokio::test]
async fn a_call_that_waits_holds_up_no_other() {
    let gateway = play_text(THREE).await;
    let mut socket = Socket::open(&gateway, None).await;
    let params = json!({"sessionId": "text", "waitMs": 30_000});
    let waiting = socket.send_request("session.eventLog.read", params).await;
    let quick = socket.send_request("session.getMessages", json!({"sessionId": "text"})).await;
    let first: Value = serde_json::from_str(&socket.next().await).unwrap();
    assert_eq!(first["id"], quick);
    Sse::open(&gateway, "text", "", &[]).await.take(3).await;
    assert!(socket.response(waiting).await["result"]["events"].is_array());
}

#[tokio::test]
async fn the_list_tells_what_is_known() {
    let gateway = play(&["permission"]).await;
    let id = first_id(&gateway).await;
    Sse::open(&gateway, &id, "", &[]).await.until("permission.requested").await;
    let row = get(&gateway, "/api/sessions", &[]).await.json()[0].clone();
    assert_eq!(row["sessionId"], id);
    assert!(row["title"].as_str().is_some_and(|title| !title.is_empty()));
    assert!(row["startTime"].is_string() && row["cwd"].is_string() && row["model"].is_string());
    assert!(row["events"].as_u64().unwrap() > 5);
    assert_eq!((&row["status"], &row["openRequests"]), (&json!("waiting"), &json!(1)));
    let by_rpc = rpc(&gateway, &id, "pilothouse.sessions", json!({})).await;
    assert_eq!(by_rpc["result"][0], row);
}

#[tokio::test]
async fn a_recording_says_what_it_cannot_do() {
    let gateway = play_text(THREE).await;
    for method in ["session.send", "session.abort", "session.queue.clear", "session.mode.set"] {
        let error = rpc(&gateway, "text", method, json!({"prompt": "hello"})).await["error"].clone();
        assert_eq!(error["code"], -32004, "{method}");
        assert!(error["message"].as_str().unwrap().contains("this is a recording"));
    }
    let queue = rpc(&gateway, "text", "session.queue.pendingItems", json!({})).await;
    assert_eq!(queue["result"], json!({"items": [], "steeringMessages": [], "inFlightSteeringCount": 0}));
}

#[tokio::test]
async fn wrong_messages_get_json_rpc_errors() {
    let gateway = play_text(THREE).await;
    let code = async |body: &str| {
        post(&gateway, "/api/sessions/text/rpc", body).await.json()["error"]["code"].clone()
    };
    assert_eq!(code("{broken").await, -32700);
    assert_eq!(code("7").await, -32600);
    assert_eq!(code("[]").await, -32600);
    assert_eq!(code(r#"{"id":1,"method":"session.getMessages","params":[1]}"#).await, -32602);
    assert_eq!(code(r#"{"id":1,"method":"no.such"}"#).await, -32601);
    assert_eq!(code(r#"{"id":1,"method":"pilothouse.subscribe"}"#).await, -32601);
    let answer = "session.permissions.handlePendingPermissionRequest";
    assert_eq!(code(&format!(r#"{{"id":1,"method":"{answer}","params":{{}}}}"#)).await, -32602);
    let other = r#"{"id":1,"method":"session.getMessages","params":{"sessionId":"other"}}"#;
    assert_eq!(code(other).await, -32602);

    let mut socket = Socket::open(&gateway, None).await;
    socket.send("{broken").await;
    let error: Value = serde_json::from_str(&socket.next().await).unwrap();
    assert_eq!((&error["error"]["code"], &error["id"]), (&json!(-32700), &Value::Null));
    let id = socket.send_request("session.getMessages", json!({})).await;
    assert_eq!(socket.response(id).await["error"]["code"], -32602, "without a session");
}

#[tokio::test]
async fn batches_and_notifications_follow_json_rpc() {
    let gateway = play_text(THREE).await;
    let batch = r#"[{"id":1,"method":"session.getMessages"},{"method":"session.getMessages"},{"id":"b","method":"no.such"}]"#;
    let answers = post(&gateway, "/api/sessions/text/rpc", batch).await.json();
    assert_eq!(answers.as_array().unwrap().len(), 2);
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(1), &json!("b")));
    let silent =
        exchange(&gateway, "POST", "/api/sessions/text/rpc", &[], r#"{"method":"session.getMessages"}"#)
            .await;
    assert_eq!((silent.status, silent.body.as_str()), (204, ""));
}
