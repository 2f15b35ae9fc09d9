//! Tests of the history over HTTP: what is left of a log, and where the live stream goes on.

use std::fmt::Write as _;

use pilothouse_core::Session;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::client::{Reply, Socket, Sse, first_id, get, in_time, play, play_text};
use pilothouse_gateway::gateway::{FAR_BEHIND, Gateway};

/// A message that is streamed and ends, then one that goes on.
fn streamed() -> String {
    let mut text = String::new();
    let mut line = |kind: &str, ephemeral: bool, data: &str| {
        let at = text.lines().count();
        let ephemeral = if ephemeral { r#","ephemeral":true"# } else { "" };
        let _ = write!(
            text,
            r#"{{"type":"{kind}","id":"e{at}","timestamp":"2026-01-01T00:00:{:02}Z","parentId":null{ephemeral},"data":{data}}}"#,
            at % 60
        );
        text.push('\n');
    };
    line("user.message", false, r#"{"content":"Go","messageId":"u"}"#);
    line("assistant.message_start", true, r#"{"messageId":"m"}"#);
    for piece in ["One ", "two ", "three"] {
        line("assistant.message_delta", true, &format!(r#"{{"messageId":"m","deltaContent":"{piece}"}}"#));
    }
    line("assistant.message", false, r#"{"messageId":"m","content":"One two three"}"#);
    line("assistant.message_start", true, r#"{"messageId":"n"}"#);
    for piece in ["Four ", "five "] {
        line("assistant.message_delta", true, &format!(r#"{{"messageId":"n","deltaContent":"{piece}"}}"#));
    }
    line("session.title_changed", false, r#"{"title":"last"}"#);
    text
}

async fn played(text: &str) -> Gateway {
    let gateway = play_text(text).await;
    Sse::open(&gateway, "text", "", &[]).await.until(r#""title":"last""#).await;
    gateway
}

async fn history(gateway: &Gateway, query: &str) -> Reply {
    get(gateway, &format!("/api/sessions/text/history{query}"), &[]).await
}

/// The head of an answer in one of these codings, in small letters.
async fn get_head(gateway: &Gateway, path: &str, codings: &str) -> String {
    let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
    let host = gateway.address();
    let request = format!("GET {path} HTTP/1.0\r\nHost: {host}\r\nAccept-Encoding: {codings}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    in_time("the whole reply", stream.read_to_end(&mut bytes)).await.unwrap();
    let end = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap();
    String::from_utf8_lossy(bytes.split_at(end).0).to_lowercase()
}

fn seqs(body: &str) -> Vec<u64> {
    let seq = |line: &str| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap();
    body.lines().map(seq).collect()
}

/// The state but for the counts of events; positions with gaps are the client's matter.
fn state(parts: &[&str]) -> String {
    let mut session = Session::new();
    for line in parts.iter().flat_map(|part| part.lines()) {
        let (_, event) = line.split_once(r#""event":"#).unwrap();
        session.push(format!("{}\n", event.strip_suffix('}').unwrap()).as_bytes());
    }
    let mut snapshot = session.snapshot();
    snapshot["events"] = Value::Null;
    snapshot.to_string()
}

#[tokio::test]
async fn what_is_superseded_is_left_out_and_the_stream_goes_on_behind_it() {
    let text = streamed();
    let gateway = played(&text).await;
    let left = history(&gateway, "").await;
    assert_eq!((left.status, left.header("pilothouse-seq")), (200, Some("10")));
    assert_eq!(left.header("content-type"), Some("application/jsonl; charset=utf-8"));
    let kept = seqs(&left.body);
    assert!(kept.len() < 10 && !kept.contains(&4), "{kept:?}");
    assert!(kept.contains(&6) && kept.contains(&8) && kept.contains(&9), "{kept:?}");
    let left_out = 10 - kept.len();
    assert_eq!(left.header("pilothouse-left-out"), Some(left_out.to_string().as_str()));
    for line in left.body.lines() {
        let at: usize = serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap() as usize;
        assert!(line.ends_with(&format!("{}}}", text.lines().nth(at - 1).unwrap())), "byte for byte: {line}");
    }
    let whole = history(&gateway, "?whole=1").await;
    assert_eq!(seqs(&whole.body), (1..=10).collect::<Vec<_>>());
    assert_eq!(state(&[&left.body]), state(&[&whole.body]));
    // Whoever has a part of the log gets what is left of the rest.
    for after in 0..=10 {
        let rest = history(&gateway, &format!("?after={after}")).await;
        assert!(seqs(&rest.body).iter().all(|seq| *seq > after));
        let begun: Vec<&str> = whole.body.lines().take(after as usize).collect();
        let begun = begun.join("\n");
        assert_eq!(state(&[&begun, &rest.body]), state(&[&whole.body]), "after {after}");
    }
    assert_eq!(seqs(&history(&gateway, "?after=1000").await.body), kept, "of another life of the log");
}

/// A gateway with a log that is a little longer than what counts as far behind, the last 4 events of which are not much.
async fn long() -> Gateway {
    let piece = format!("{} ", "word".repeat(100));
    let text = streamed().replace("One two three", &"One two three ".repeat(FAR_BEHIND / 14));
    played(&text.replace("Four ", &piece)).await
}

#[tokio::test]
async fn over_a_websocket_who_is_far_behind_and_can_read_a_history_is_referred_to_it() {
    let gateway = long().await;
    let mut socket = Socket::open(&gateway, None).await;
    let subscribe = async |socket: &mut Socket, params: Value| {
        let id = socket.send_request("pilothouse.subscribe", params).await;
        socket.response(id).await["result"].clone()
    };
    let referred = subscribe(&mut socket, json!({ "sessionId": "text", "after": 2, "history": true })).await;
    assert_eq!((&referred["history"], &referred["seq"]), (&json!(true), &json!(10)));
    // Nothing follows: the next frame is the next answer.
    let ping = socket.send_request("pilothouse.ping", json!({})).await;
    assert_eq!(serde_json::from_str::<Value>(&socket.next().await).unwrap()["id"], ping);
    for (params, first) in [
        (json!({ "sessionId": "text", "after": 6, "history": true }), 7),
        (json!({ "sessionId": "text", "after": 10_000, "history": true }), 1),
        (json!({ "sessionId": "text", "after": 2 }), 3),
        (json!({ "sessionId": "text", "after": 2, "compact": true }), 3),
    ] {
        let answer = subscribe(&mut socket, params.clone()).await;
        assert_eq!(answer.get("history"), None, "{params}");
        let events = socket.until(r#""title":"last""#).await;
        assert_eq!(events.first().unwrap().0, first, "{params}");
        assert_eq!(events.len() as u64, 11 - first, "{params}");
    }
    // A reference takes the place of a subscription that has not sent all yet.
    let all = socket.send_request("pilothouse.subscribe", json!({ "sessionId": "text" })).await;
    let none =
        socket.send_request("pilothouse.subscribe", json!({ "sessionId": "text", "history": true })).await;
    socket.response(all).await;
    socket.response(none).await;
    let ping = socket.send_request("pilothouse.ping", json!({})).await;
    assert_eq!(serde_json::from_str::<Value>(&socket.next().await).unwrap()["id"], ping);
}

#[tokio::test]
async fn over_server_sent_events_the_history_comes_in_place_of_the_stream() {
    let gateway = long().await;
    let events = async |query: &str, headers: &[(&str, &str)]| {
        get(&gateway, &format!("/api/sessions/text/events?{query}"), headers).await
    };
    for (query, headers) in [("after=2&history=1", &[][..]), ("history=1", &[("Last-Event-ID", "2")][..])] {
        let referred = events(query, headers).await;
        let left = history(&gateway, "?after=2").await;
        assert_eq!(referred.header("content-type"), Some("application/jsonl; charset=utf-8"));
        assert_eq!(referred.header("pilothouse-seq"), Some("10"));
        assert_eq!(referred.body, left.body);
    }
    let compressed = get_head(&gateway, "/api/sessions/text/events?history=1", "gzip, br, zstd").await;
    assert!(compressed.contains("content-encoding: zstd"), "{compressed}");
    for query in ["?after=6&history=1", "?after=10000&history=1", "?after=2", "?after=2&history=0"] {
        let mut stream = Sse::open(&gateway, "text", query, &[]).await;
        assert_eq!(stream.line().await, ": open\n", "{query}");
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused() {
    let gateway = played(&streamed()).await;
    assert_eq!(history(&gateway, "?after=x").await.status, 400);
    assert_eq!(get(&gateway, "/api/sessions/none/history", &[]).await.status, 404);
}

#[tokio::test]
async fn an_answer_that_is_known_is_not_sent_again() {
    let gateway = played(&streamed()).await;
    let first = history(&gateway, "").await;
    let tag = first.header("etag").unwrap();
    let again = get(&gateway, "/api/sessions/text/history", &[("If-None-Match", tag)]).await;
    assert_eq!((again.status, again.body.as_str(), again.header("pilothouse-seq")), (304, "", Some("10")));
    let other = get(&gateway, "/api/sessions/text/history?whole=1", &[("If-None-Match", tag)]).await;
    assert_eq!(other.status, 200);
}

#[tokio::test]
async fn it_is_compressed_as_the_client_takes_it() {
    let mut text = streamed();
    text.insert_str(
        0,
        &r#"{"type":"session.info","id":"long","data":{"message":"Words and words. "}}"#
            .replace("Words", &"Words ".repeat(400)),
    );
    text.insert(text.find("}}").unwrap() + 2, '\n');
    let gateway = played(&text).await;
    let plain = history(&gateway, "").await.body.len();
    for coding in ["zstd", "br", "gzip"] {
        let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
        let request = format!(
            "GET /api/sessions/text/history HTTP/1.0\r\nHost: {}\r\nAccept-Encoding: {coding}\r\n\r\n",
            gateway.address()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        in_time("the whole reply", stream.read_to_end(&mut bytes)).await.unwrap();
        let head = String::from_utf8_lossy(&bytes).to_lowercase();
        assert!(head.contains(&format!("content-encoding: {coding}\r\n")), "{coding}");
        assert!(bytes.len() < plain / 2, "{coding}: {} of {plain}", bytes.len());
    }
}

#[tokio::test]
async fn a_compressed_stream_holds_nothing_back() {
    // The recording waits for an answer, so nothing follows its request that could push it out.
    let gateway = play(&["permission"]).await;
    let id = first_id(&gateway).await;
    let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
    let (host, path) = (gateway.address(), format!("/api/sessions/{id}/events"));
    let request = format!("GET {path} HTTP/1.0\r\nHost: {host}\r\nAccept-Encoding: gzip, br, zstd\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let text = in_time("the request", async {
        loop {
            assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "it ended");
            let Some(head) = bytes.windows(4).position(|end| end == b"\r\n\r\n") else { continue };
            let (head, body) = bytes.split_at(head + 4);
            assert!(String::from_utf8_lossy(head).to_lowercase().contains("content-encoding: gzip"));
            let mut text = Vec::new();
            // It fails at the end, which is not there yet.
            let _ = std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(body), &mut text);
            let text = String::from_utf8_lossy(&text).into_owned();
            if text.contains("permission.requested") && text.ends_with("\n\n") {
                return text;
            }
        }
    });
    assert!(text.await.starts_with(": open\n\n"));
}

#[tokio::test]
async fn on_a_connection_with_two_sessions_each_event_is_of_the_session_that_was_named_last() {
    let gateway = play(&["permission", "question"]).await;
    let list: Value = get(&gateway, "/api/sessions", &[]).await.json();
    let ids = [0, 1].map(|at| list[at]["sessionId"].as_str().unwrap().to_owned());
    let mut socket = Socket::open(&gateway, None).await;
    for id in &ids {
        socket.send_request("pilothouse.subscribe", json!({ "sessionId": id, "compact": true })).await;
    }
    let mut named = String::new();
    let mut lines = 0;
    let mut got = [(); 2].map(|()| Vec::new());
    let asks =
        |event: &Value| event["type"] == "permission.requested" || event["type"] == "user_input.requested";
    let ended = |got: &[Vec<Value>; 2]| got.iter().all(|events| events.iter().any(asks));
    while !ended(&got) {
        let line: Value = serde_json::from_str(&socket.next().await).unwrap();
        let event = if line["method"] == "session.event" {
            named = line["params"]["sessionId"].as_str().unwrap().to_owned();
            line["params"]["event"].clone()
        } else {
            lines += usize::from(line["event"].is_object());
            line["event"].clone()
        };
        let place = ids.iter().position(|id| *id == named);
        got[place.unwrap_or_default()].extend(event.is_object().then_some(event));
    }
    assert!(lines > 0);
    for (id, got) in ids.iter().zip(&got) {
        let whole = get(&gateway, &format!("/api/sessions/{id}/history?whole=1"), &[]).await.body;
        let log: Vec<Value> =
            whole.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone()).collect();
        assert_eq!(*got, log[..got.len()], "{id}");
    }
}
