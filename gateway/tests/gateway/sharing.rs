//! Tests of links with which anybody watches one session.

use pilothouse_core::protocol::ErrorReason;
use pilothouse_gateway::gateway::Gateway;
use serde_json::{Value, json};

use super::access::{OPERATOR, VIEWER, closed, first};
use super::client::{Socket, exchange, get, play, rpc};

const ANSWER: &str = "session.permissions.handlePendingPermissionRequest";

async fn call_as(gateway: &Gateway, token: &str, id: &str, method: &str, params: Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let bearer = format!("Bearer {token}");
    let path = format!("/api/sessions/{id}/rpc");
    exchange(gateway, "POST", &path, &[("Authorization", &bearer)], &body).await.json()
}

/// A link to the first session, its token and the session's id.
async fn shared(gateway: &Gateway) -> (String, String, String) {
    let id = first(gateway, OPERATOR).await;
    let made =
        call_as(gateway, OPERATOR, &id, "pilothouse.share", json!({"sessionId": id, "hours": 2})).await;
    let url = made["result"]["url"].as_str().unwrap().to_owned();
    assert!(url.starts_with(&format!("http://{}/?session=", gateway.address())), "{url}");
    let token = url.split_once("#share=").unwrap().1.to_owned();
    (url, token, id)
}

#[tokio::test]
async fn a_session_is_saved_as_one_file() {
    let (gateway, _) = closed(|_| ()).await;
    let id = first(&gateway, OPERATOR).await;
    let bearer = format!("Bearer {VIEWER}");
    let viewer = [("Authorization", bearer.as_str())];
    let mut socket = Socket::try_open(&gateway, None, &viewer).await.unwrap();
    socket.send_request("pilothouse.subscribe", json!({"sessionId": id})).await;
    socket.until("permission.requested").await;
    let get = async |query: &str| get(&gateway, &format!("/api/sessions/{id}/export{query}"), &viewer).await;
    let html = get("").await;
    assert_eq!((html.status, html.header("content-type")), (200, Some("text/html;charset=utf-8")));
    let named = html.header("content-disposition").unwrap();
    assert!(named.starts_with("attachment; filename*=UTF-8''") && named.ends_with("%2Ehtml"), "{named}");
    assert!(html.body.contains("<!doctype html>") && html.body.contains("Permission requested"));
    assert!(!html.body.contains("<script"));
    assert!(get("?format=md").await.body.contains("**Permission requested**"));
    assert_eq!(get("?format=pdf").await.status, 400);
    let (_, token, _) = shared(&gateway).await;
    let bearer = format!("Bearer {token}");
    let path = format!("/api/sessions/{id}/export");
    assert_eq!(
        super::client::get(&gateway, &path, &[("Authorization", &bearer)]).await.status,
        200,
        "by a link"
    );
}

#[tokio::test]
async fn a_link_shows_its_session_and_nothing_else() {
    let (gateway, _) = closed(|_| ()).await;
    let (_, token, id) = shared(&gateway).await;
    let bearer = format!("Bearer {token}");
    let guest = [("Authorization", bearer.as_str())];
    for (path, status) in [
        (format!("/api/sessions/{id}/history"), 200),
        (format!("/api/sessions/{id}/screen"), 200),
        ("/api/sessions/other/export".to_owned(), 401),
        ("/api/sessions".to_owned(), 401),
        ("/api/health".to_owned(), 401),
        ("/api/sessions/other/history".to_owned(), 401),
        (format!("/api/sessions/{id}%2f..%2fother/history"), 401),
    ] {
        assert_eq!(get(&gateway, &path, &guest).await.status, status, "{path}");
    }
    let mut socket = Socket::open(&gateway, None).await;
    let asked = socket.send_request("pilothouse.subscribe", json!({"sessionId": id, "token": token})).await;
    assert_eq!(socket.response(asked).await["result"]["role"], "viewer");
    for (method, params) in [
        ("pilothouse.sessions", json!({})),
        ("pilothouse.sessions", json!({"sessionId": id})),
        ("pilothouse.board", json!({"sessionId": id})),
        ("pilothouse.subscribe", json!({"sessionId": "other"})),
        ("session.getMessages", json!({"sessionId": "other"})),
        ("session.workspaces.readFile", json!({"sessionId": id, "path": "a"})),
        (ANSWER, json!({"sessionId": id, "requestId": "r", "result": {"kind": "approve-once"}})),
        ("session.send", json!({"sessionId": id, "prompt": "hello"})),
        ("pilothouse.share", json!({"sessionId": id})),
        ("pilothouse.shares", json!({"sessionId": id})),
    ] {
        let asked = socket.send_request(method, params).await;
        let code = socket.response(asked).await["error"]["code"].clone();
        assert_eq!(code, ErrorReason::NotAllowed.code(), "{method}");
    }
    assert_eq!(
        call_as(&gateway, &token, &id, ANSWER, json!({})).await["error"]["code"],
        ErrorReason::NotAllowed.code()
    );
    let read = socket.send_request("session.getMessages", json!({"sessionId": id})).await;
    assert!(socket.response(read).await["result"]["events"].is_array());
}

#[tokio::test]
async fn who_watches_by_a_link_that_is_taken_back_is_cut_off() {
    let (gateway, _) = closed(|_| ()).await;
    let (url, token, id) = shared(&gateway).await;
    let mut socket = Socket::open(&gateway, None).await;
    let asked = socket.send_request("pilothouse.subscribe", json!({"token": token})).await;
    assert_eq!(socket.response(asked).await["result"]["sessionId"], id.as_str());
    let listed = call_as(&gateway, OPERATOR, &id, "pilothouse.shares", json!({})).await;
    assert_eq!(listed["result"]["shares"][0]["url"], url.as_str());
    let unshare =
        async |url: &str| call_as(&gateway, OPERATOR, &id, "pilothouse.unshare", json!({"url": url})).await;
    assert_eq!(unshare("http://elsewhere/#share=share.x.y").await["result"]["success"], false);
    assert_eq!(unshare(&url).await["result"]["success"], true);
    socket.ended().await;
    let bearer = format!("Bearer {token}");
    let late = get(&gateway, &format!("/api/sessions/{id}/history"), &[("Authorization", &bearer)]).await;
    assert_eq!(late.status, 401);
    assert!(late.body.contains("does not work any more"), "{}", late.body);
}

#[tokio::test]
async fn who_only_watches_makes_no_links_and_where_nobody_signs_in_there_are_none() {
    let (gateway, _) = closed(|_| ()).await;
    let id = first(&gateway, OPERATOR).await;
    let refused = call_as(&gateway, VIEWER, &id, "pilothouse.share", json!({"sessionId": id})).await;
    assert_eq!(refused["error"]["code"], ErrorReason::NotAllowed.code());
    for hours in [json!(0), json!(-1), json!(721), json!("2")] {
        let refused = call_as(&gateway, OPERATOR, &id, "pilothouse.share", json!({"hours": hours})).await;
        assert_eq!(refused["error"]["code"], ErrorReason::InvalidParams.code(), "{hours}");
    }
    let open = play(&["permission"]).await;
    let id = super::client::first_id(&open).await;
    let refused = rpc(&open, &id, "pilothouse.share", json!({"sessionId": id})).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("--new-token"), "{refused}");
}
