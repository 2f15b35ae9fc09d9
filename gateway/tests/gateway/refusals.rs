//! Tests of requests that are refused, and of the static routes.

use pilothouse_core::protocol::ErrorReason;
use pilothouse_gateway::access::limits::LARGEST_MESSAGE;

use super::client::{Socket, Sse, exchange, get, in_time, play_text, post};
use serde_json::json;

const ONE: &str = r#"{"type":"last"}"#;

#[tokio::test]
async fn an_unknown_session_is_named() {
    let gateway = play_text(ONE).await;
    for reply in [
        get(&gateway, "/api/sessions/nobody/events", &[]).await,
        post(&gateway, "/api/sessions/nobody/rpc", r#"{"id":1,"method":"session.getMessages"}"#).await,
    ] {
        assert_eq!((reply.status, reply.header("content-type")), (404, Some("application/json")));
        assert!(reply.json()["error"]["message"].as_str().unwrap().contains("nobody"));
    }
    let mut socket = Socket::open(&gateway, None).await;
    for method in ["pilothouse.subscribe", "pilothouse.unsubscribe", "session.getMessages"] {
        let id = socket.send_request(method, json!({"sessionId": "nobody"})).await;
        let error = socket.response(id).await["error"].clone();
        assert_eq!(error["code"], -32001);
        assert!(error["message"].as_str().unwrap().contains("nobody"));
    }
    assert_eq!(get(&gateway, "/api/sessions/text/events?after=x", &[]).await.status, 400);
}

#[tokio::test]
async fn other_hosts_and_origins_are_refused() {
    let gateway = play_text(ONE).await;
    let port = gateway.address().port();
    let evil = format!("evil.example:{port}");
    let path = "/api/sessions/text/rpc";
    let body = r#"{"id":1,"method":"session.getMessages"}"#;
    for headers in [[("Host", evil.as_str())], [("Origin", "https://evil.example")], [("Origin", "null")]] {
        assert_eq!(exchange(&gateway, "POST", path, &headers, body).await.status, 403, "{headers:?}");
        assert_eq!(get(&gateway, "/api/sessions", &headers).await.status, 403, "{headers:?}");
        let [(name, value)] = headers;
        assert_eq!(Socket::try_open(&gateway, None, &[(name, value)]).await.err(), Some(403), "{headers:?}");
    }
    let own = format!("http://localhost:{port}");
    let reply = exchange(&gateway, "POST", path, &[("Origin", &own)], body).await;
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, None));
    assert!(Socket::try_open(&gateway, None, &[("Origin", "http://127.0.0.1:8080")]).await.is_ok());
}

#[tokio::test]
async fn the_static_addresses_answer() {
    let gateway = play_text(ONE).await;
    assert_eq!(get(&gateway, "/healthz", &[]).await.status, 200);
    let page = get(&gateway, "/", &[]).await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert_eq!(get(&gateway, "/no/such.js", &[]).await.status, 404);
    assert_eq!(get(&gateway, "/../Cargo.toml", &[]).await.status, 404);
    assert_eq!(post(&gateway, "/", "").await.status, 405);
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    let gateway = play_text(ONE).await;
    // One byte too many: of a longer body the gateway leaves some unread, which resets the connection.
    let body = "x".repeat(LARGEST_MESSAGE + 1);
    assert_eq!(post(&gateway, "/api/sessions/text/rpc", &body).await.status, 413);
}

#[tokio::test]
async fn it_ends_although_viewers_are_connected() {
    let gateway = play_text(ONE).await;
    let mut sse = Sse::open(&gateway, "text", "", &[]).await;
    let mut socket = Socket::open(&gateway, None).await;
    socket.send_request("pilothouse.subscribe", json!({})).await;
    socket.until("last").await;
    sse.until("last").await;
    in_time("the end", gateway.stop()).await;
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused_and_the_connection_goes_on() {
    let gateway = play_text(ONE).await;
    let mut socket = Socket::open(&gateway, None).await;
    let told = socket.send_request("pilothouse.subscribe", json!({"sessionId": "text"})).await;
    assert_eq!(socket.response(told).await["result"]["maxMessageBytes"], LARGEST_MESSAGE);
    let prompt = "x".repeat(LARGEST_MESSAGE);
    let long = socket.send_request("session.send", json!({"sessionId": "text", "prompt": prompt})).await;
    let after = socket.send_request("pilothouse.ping", json!({})).await;
    let error = socket.response(long).await["error"].clone();
    assert_eq!(error["code"], ErrorReason::TooLong.code(), "{error}");
    assert!(error["message"].as_str().unwrap().contains(&LARGEST_MESSAGE.to_string()), "{error}");
    assert!(socket.response(after).await["error"].is_null());
}

#[tokio::test]
async fn the_book_is_served_under_the_page_s_policy() {
    // `cargo xtask docs` builds it.
    if !std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../dist/docs/index.html")).is_file() {
        return;
    }
    let gateway = play_text(ONE).await;
    let folder = get(&gateway, "/docs", &[]).await;
    assert_eq!((folder.status, folder.header("location")), (308, Some("/docs/")));
    for path in ["/docs/", "/docs/index.html", "/docs/design/connection.html", "/docs/themes/"] {
        let page = get(&gateway, path, &[]).await;
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, Some("text/html; charset=utf-8")),
            "{path}"
        );
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("script-src 'self' 'wasm-unsafe-eval';"), "{path}: {policy}");
        assert!(policy.contains("trusted-types pilothouse-worker"), "{path}: {policy}");
    }
    assert_eq!(get(&gateway, "/docs/nothing", &[]).await.status, 404);
    assert_eq!(get(&gateway, "/docs/../../Cargo.toml", &[]).await.status, 404);
}
