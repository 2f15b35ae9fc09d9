//! Tests of requests that are made to be misread: smuggled ones, paths out of the page's folder, headers in an
//! address, compressed bodies, names that lead to loopback.

use pilothouse_core::protocol::ErrorReason;
use pilothouse_gateway::gateway::Gateway;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{exchange, get, in_time, play_text, post};

const ONE: &str = r#"{"type":"last"}"#;
const PING: &str = r#"{"id":1,"method":"pilothouse.ping"}"#;

/// What comes back for these bytes, up to the end of the connection.
async fn raw(gateway: &Gateway, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = Vec::new();
    let _ = in_time("the end of the connection", stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn answers(text: &str) -> usize {
    text.matches("HTTP/1.1 ").count()
}

#[tokio::test]
async fn no_request_is_smuggled_behind_another() {
    let gateway = play_text(ONE).await;
    let host = gateway.address();
    let post = format!("POST /api/sessions/text/rpc HTTP/1.1\r\nHost: {host}\r\n");
    let hidden = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n");
    // Each could be read in two ways. Whichever was meant, what follows is not served as a request.
    for headers in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_owned(),
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n".to_owned(),
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_owned(),
        "Content-Length: 0\r\nContent-Length: 5\r\n\r\n".to_owned(),
        "Content-Length: 0, 5\r\n\r\n".to_owned(),
        "Content-Length: +0\r\n\r\n".to_owned(),
        "Content-Length: -1\r\n\r\n".to_owned(),
        "Content-Length: 0x0\r\n\r\n".to_owned(),
        "Content-Length: 99999999999999999999\r\n\r\n".to_owned(),
        "Content-Length : 0\r\n\r\n".to_owned(),
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n".to_owned(),
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n".to_owned(),
        "Transfer-Encoding: chunked\r\n\r\n0;\nx\r\n\r\n".to_owned(),
        "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n".to_owned(),
        "X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_owned(),
    ] {
        let answer = raw(&gateway, format!("{post}{headers}{hidden}").as_bytes()).await;
        assert!(answers(&answer) <= 1 && !answer.contains("ok\n"), "{headers:?}: {answer}");
    }
    // What can be read in one way only is served, one after the other.
    let plain = format!("{post}Content-Length: {}\r\n\r\n{PING}{hidden}", PING.len());
    let answer = raw(&gateway, plain.as_bytes()).await;
    assert!(answers(&answer) == 2 && answer.ends_with("ok\n"), "{answer}");
}

#[tokio::test]
async fn no_path_leads_out_of_the_pages_folder() {
    let gateway = play_text(ONE).await;
    let host = gateway.address();
    for path in [
        "/../Cargo.toml",
        "/pkg/../../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "/%252e%252e%252fCargo.toml",
        "/..%5cCargo.toml",
        "/..\\Cargo.toml",
        "/pkg\\..\\..\\Cargo.toml",
        "//etc/hostname",
        "/./../Cargo.toml",
        "/Cargo.toml%00.js",
        "/..%c0%afCargo.toml",
        "/file:///etc/hostname",
        "http://localhost/../Cargo.toml",
    ] {
        let answer = raw(&gateway, format!("GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n").as_bytes()).await;
        let status = answer.split(' ').nth(1).unwrap_or_default();
        assert!(matches!(status, "400" | "403" | "404"), "{path}: {answer}");
        assert!(!answer.contains("[package]") && !answer.contains("[workspace"), "{path}: {answer}");
    }
    let nul = raw(&gateway, format!("GET /\0 HTTP/1.0\r\nHost: {host}\r\n\r\n").as_bytes()).await;
    assert!(!nul.contains(" 200 "), "{nul}");
}

#[tokio::test]
async fn nothing_of_a_request_becomes_a_header_of_the_answer() {
    let gateway = play_text(ONE).await;
    for path in [
        "/no%0d%0aSet-Cookie:%20x=1",
        "/signin?code=%0d%0aSet-Cookie:%20x=1",
        "/api/sessions/a%0d%0aSet-Cookie:%20x=1/events",
        "/api/sessions/text/events?after=%0d%0aSet-Cookie:%20x=1",
    ] {
        let reply = get(&gateway, path, &[]).await;
        assert!(reply.header("set-cookie").is_none(), "{path}: {}", reply.head);
    }
    // A bare line break in a header is no header.
    let host = gateway.address();
    let broken = format!("GET /healthz HTTP/1.0\r\nHost: {host}\r\nX: a\rb\r\n\r\n");
    assert!(!raw(&gateway, broken.as_bytes()).await.contains("ok\n"));
}

#[tokio::test]
async fn names_that_are_not_the_gateway_s_are_refused_on_every_address() {
    let gateway = play_text(ONE).await;
    let port = gateway.address().port();
    for name in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "0.0.0.0",
        "[::ffff:1.2.3.4]",
        "",
        "localhost@evil.example",
        "evil.example#localhost",
    ] {
        let host = format!("{name}:{port}");
        for path in
            ["/", "/healthz", "/api/sessions", "/api/sessions/text/events", "/pkg/index.js", "/signin"]
        {
            assert_eq!(get(&gateway, path, &[("Host", &host)]).await.status, 403, "{host}{path}");
        }
    }
    // Two names, or none, are no name.
    let two = format!("GET /healthz HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n\r\n");
    let none = "GET /healthz HTTP/1.0\r\n\r\n".to_owned();
    let absolute = format!("GET http://evil.example/healthz HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    for request in [two, none, absolute] {
        let answer = raw(&gateway, request.as_bytes()).await;
        assert!(!answer.contains("ok\n"), "{request}: {answer}");
    }
}

#[tokio::test]
async fn a_compressed_body_is_not_unpacked() {
    let gateway = play_text(ONE).await;
    for coding in ["gzip", "br", "deflate", "zstd"] {
        let headers = [("Content-Encoding", coding), ("Content-Type", "application/json")];
        let reply = exchange(&gateway, "POST", "/api/sessions/text/rpc", &headers, PING).await;
        assert_eq!(reply.status, 415, "{coding}: {}", reply.body);
    }
    assert_eq!(post(&gateway, "/api/sessions/text/rpc", PING).await.status, 200);
    // Nor are the frames of a WebSocket.
    let upgrade = format!(
        "GET /api/rpc HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
        gateway.address()
    );
    let answer = raw(&gateway, upgrade.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 101") && !answer.contains("permessage"), "{answer}");
}

#[tokio::test]
async fn deep_and_long_json_is_refused_or_answered_and_never_the_end() {
    let gateway = play_text(ONE).await;
    let deep = format!("{}{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
    let objects = format!(
        r#"{{"id":1,"method":"pilothouse.ping","params":{}1{}}}"#,
        r#"{"a":"#.repeat(1 << 18),
        "}".repeat(1 << 18)
    );
    let digits = format!(r#"{{"id":{},"method":"pilothouse.ping"}}"#, "9".repeat(1 << 20));
    let surrogate = r#"{"id":1,"method":"\ud800"}"#.to_owned();
    for body in [deep, objects, digits, surrogate, "nul\0l".to_owned()] {
        let reply = post(&gateway, "/api/sessions/text/rpc", &body).await;
        assert!(matches!(reply.status, 200 | 204), "{}: {}", reply.status, reply.body);
    }
    let many = format!("[{}1]", "1,".repeat(1 << 20));
    let reply = post(&gateway, "/api/sessions/text/rpc", &many).await;
    assert!(
        reply.body.len() < 1000 && reply.json()["error"]["code"] == ErrorReason::InvalidRequest.code(),
        "{}",
        reply.body
    );
    assert_eq!(post(&gateway, "/api/sessions/text/rpc", PING).await.json()["result"], serde_json::json!({}));
}
