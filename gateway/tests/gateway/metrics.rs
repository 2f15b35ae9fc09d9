//! Tests of `/metrics` and `/readyz`.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::access::{OPERATOR, VIEWER, closed, first};
use super::client::{Socket, exchange, get};
use pilothouse_gateway::gateway::{Gateway, Settings};
use pilothouse_gateway::playback::recording::Recording;

const ANSWER: &str = "session.permissions.handlePendingPermissionRequest";

/// The value of a line; none if it is not there.
fn value(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

async fn plain(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: anything\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    reply
}

#[tokio::test]
async fn operators_get_metrics_and_what_happens_is_counted() {
    let (gateway, _) = closed(|_| ()).await;
    let bearer = |token: &str| format!("Bearer {token}");
    let (operator, viewer) = (bearer(OPERATOR), bearer(VIEWER));
    assert_eq!(get(&gateway, "/metrics", &[]).await.status, 401);
    assert_eq!(get(&gateway, "/metrics", &[("Authorization", "Bearer not-a-token-of-it")]).await.status, 401);
    assert_eq!(get(&gateway, "/metrics", &[("Authorization", &viewer)]).await.status, 403);
    let ready = get(&gateway, "/readyz", &[]).await;
    assert_eq!((ready.status, ready.body.as_str()), (200, "ready\n"));

    let id = first(&gateway, OPERATOR).await;
    let mut socket = Socket::try_open(&gateway, None, &[("Authorization", &operator)]).await.unwrap();
    let watch = socket.send_request("pilothouse.subscribe", json!({"sessionId": id})).await;
    socket.response(watch).await;
    let asked: Value =
        serde_json::from_str(&socket.until("permission.requested").await.last().unwrap().1).unwrap();
    let read = async || get(&gateway, "/metrics", &[("Authorization", &operator)]).await;
    let before = read().await;
    assert!(before.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    let before = before.body;
    assert!(before.ends_with("# EOF\n"), "{before}");
    for (name, number) in [
        ("pilothouse_sessions{state=\"waiting\"}", 1),
        ("pilothouse_requests_open{kind=\"permission\"}", 1),
        ("pilothouse_viewers", 1),
        ("pilothouse_streams", 1),
        ("pilothouse_streams_limit", 1024),
        ("pilothouse_call_seconds_count{method=\"pilothouse.sessions\",outcome=\"done\"}", 0),
        ("pilothouse_request_wait_seconds_count", 0),
    ] {
        assert_eq!(value(&before, name).unwrap_or_default(), number, "{name}\n{before}");
    }
    assert!(value(&before, "pilothouse_request_oldest_seconds").unwrap() > 0);
    let (received, delivered) = ("pilothouse_received_events_total", "pilothouse_delivered_events_total");
    assert_eq!(value(&before, received), value(&before, delivered));

    let answer = json!({"jsonrpc": "2.0", "id": 1, "method": ANSWER, "params":
        {"sessionId": id, "requestId": asked["data"]["requestId"], "result": {"kind": "approve-once"}}});
    let path = format!("/api/sessions/{id}/rpc");
    for body in [answer.to_string(), json!({"jsonrpc": "2.0", "id": 2, "method": "made.up"}).to_string()] {
        exchange(&gateway, "POST", &path, &[("Authorization", &operator)], &body).await;
    }
    socket.until("permission.completed").await;
    let after = read().await.body;
    for (name, number) in [
        (format!("pilothouse_call_seconds_count{{method=\"{ANSWER}\",outcome=\"done\"}}"), 1),
        // The recording has the times of another day.
        ("pilothouse_request_wait_seconds_count".to_owned(), 0),
        ("pilothouse_requests_open{kind=\"permission\"}".to_owned(), 0),
    ] {
        assert_eq!(value(&after, &name).unwrap_or_default(), number, "{name}\n{after}");
    }
    assert!(value(&after, received) > value(&before, received));
    assert!(!after.contains("made.up"), "nobody makes series by inventing names");
    assert!(!after.contains(&id), "{after}");
}

#[tokio::test]
async fn an_address_of_its_own_serves_metrics_and_nothing_else() {
    let settings = Settings { metrics: Some(([127, 0, 0, 1], 0).into()), ..Settings::default() };
    let gateway = Gateway::start(settings, vec![Recording::demo()]).await.unwrap();
    let address = gateway.metrics_address().unwrap();
    let metrics = plain(address, "/metrics").await;
    assert!(
        metrics.starts_with("HTTP/1.1 200") && metrics.contains("pilothouse_streams_limit 1024"),
        "{metrics}"
    );
    assert!(plain(address, "/readyz").await.ends_with("ready\n"));
    for path in ["/", "/api/sessions", "/api/rpc"] {
        assert!(plain(address, path).await.starts_with("HTTP/1.1 404"), "{path}");
    }
    gateway.stop().await;
    assert!(TcpStream::connect(address).await.is_err(), "it ends with the gateway");
}

#[tokio::test]
async fn dashboard_alerts_and_docs_name_only_what_there_is() {
    let folder = std::env::temp_dir().join(format!("pilothouse-metrics-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let audit = folder.join("audit.jsonl");
    let (gateway, _) = closed(|access| access.audit = Some(audit)).await;
    let bearer = format!("Bearer {OPERATOR}");
    let operator = [("Authorization", bearer.as_str())];
    // One call, so that there are calls.
    let path = format!("/api/sessions/{}/rpc", first(&gateway, OPERATOR).await);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "pilothouse.ping"}).to_string();
    exchange(&gateway, "POST", &path, &operator, &ping).await;
    let metrics = get(&gateway, "/metrics", &operator).await.body;
    std::fs::remove_dir_all(&folder).unwrap();
    let types = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let known: Vec<_> = types.filter_map(|line| line.split_once(' ')).map(|(name, _)| name).collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    for file in ["monitoring/grafana.json", "monitoring/alerts.yml", "../docs/gateway.md"] {
        let text = std::fs::read_to_string(format!("{folder}{file}")).unwrap();
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let mut named = 0;
        for word in words.filter(|word| word.starts_with("pilothouse_") && *word != "pilothouse_gateway") {
            let endings = ["_total", "_bucket", "_count", "_sum", ""];
            let is_known =
                |ending: &&str| word.strip_suffix(*ending).is_some_and(|name| known.contains(&name));
            assert!(endings.iter().any(is_known), "{file}: {word}");
            named += 1;
        }
        assert!(named > 5, "{file}");
    }
}
