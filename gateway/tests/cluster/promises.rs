//! What several gateways over one log promise, one by one. Each test has servers, a runtime and gateways of its own.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use async_nats::jetstream;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::client::{Socket, in_time};
use super::gateways::Machine;
use super::nats::{self, Servers};
use super::pages::OPERATOR;
use super::stand_in::{StandIn, event};
use super::stream::{self, Message};
use super::waiting::poll;

const SUBJECT: &str = "pilothouse.log.a.s";

/// `a` drives a runtime that has the session `s`; `c` has none.
struct Two {
    servers: Servers,
    runtime: StandIn,
    a: Machine,
    c: Machine,
    at_a: SocketAddr,
    at_c: SocketAddr,
}

impl Two {
    async fn start(servers: usize) -> Option<Self> {
        nats::program()?;
        let servers = Servers::start(servers).await;
        let runtime = StandIn::start().await;
        let mut a = Machine::new("a", Some(runtime.address), &servers).await;
        let mut c = Machine::new("c", None, &servers).await;
        let at_a = a.start().await.unwrap();
        let at_c = c.start().await.unwrap();
        let made = call(at_a, "pilothouse.create", json!({"sessionId": "s"})).await;
        assert_eq!(made["result"]["sessionId"], "s", "{made}");
        let all = Self { servers, runtime, a, c, at_a, at_c };
        row(at_c, "the session's row", |row| row["machine"] == "a" && row["away"].is_null()).await;
        Some(all)
    }

    /// Emits an event with this id, and waits until it can be read there.
    async fn emit(&self, id: &str, read_at: &[SocketAddr]) {
        self.runtime.emit("s", &event("assistant.message", id));
        for at in read_at {
            history_with(*at, id).await;
        }
    }

    /// What the stream has of the session. Nothing may be wrong in it.
    async fn log(&self) -> stream::Log {
        let messages = self.servers.messages(SUBJECT).await;
        let messages: Vec<_> = messages.into_iter().map(Message::from).collect();
        let mut wrong = Vec::new();
        let log = stream::read(SUBJECT, &messages, &mut wrong);
        assert_eq!(wrong, Vec::<String>::new());
        log
    }
}

/// A request over HTTP/1.0, so that the body ends with the connection.
async fn exchange(at: SocketAddr, method: &str, path: &str, body: &str) -> String {
    let request = format!(
        "{method} {path} HTTP/1.0\r\nHost: {at}\r\nAuthorization: Bearer {OPERATOR}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    in_time(path, async {
        let mut stream = TcpStream::connect(at).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap()
    })
    .await
}

/// A socket that has signed in.
async fn socket(at: SocketAddr) -> Socket {
    let mut socket = Socket::open_at(at, None).await;
    let id = socket.send_request("pilothouse.sessions", json!({"token": OPERATOR})).await;
    let answer = socket.response(id).await;
    assert!(answer["result"].is_array(), "{answer}");
    socket
}

/// The answer to a call, whatever it is.
pub async fn call(at: SocketAddr, method: &str, params: Value) -> Value {
    let mut socket = socket(at).await;
    let id = socket.send_request(method, params).await;
    socket.response(id).await
}

async fn history(at: SocketAddr) -> String {
    exchange(at, "GET", "/api/sessions/s/history?whole=1", "").await
}

/// The whole history, once it has the event with this id.
pub async fn history_with(at: SocketAddr, id: &str) -> String {
    let needle = format!(r#""id":"{id}""#);
    poll(&format!("{id} in a history"), async || {
        Some(history(at).await).filter(|text| text.contains(&needle))
    })
    .await
}

/// The session's row in the list there, once it fits.
pub async fn row(at: SocketAddr, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
    poll(what, async || {
        let rows: Value = serde_json::from_str(&exchange(at, "GET", "/api/sessions", "").await).ok()?;
        rows.as_array()?.iter().find(|row| row["sessionId"] == "s" && fits(row)).cloned()
    })
    .await
}

/// The gateway's own health, once it fits.
async fn health(at: SocketAddr, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
    poll(what, async || {
        let board = call(at, "pilothouse.board", json!({})).await;
        Some(board["result"]["health"].clone()).filter(&fits)
    })
    .await
}

pub fn permission(id: &str) -> String {
    let data = json!({"requestId": id, "toolCallId": "t",
        "permissionRequest": {"kind": "shell", "toolCallId": "t", "fullCommandText": "touch it"}});
    format!(
        r#"{{"type":"permission.requested","data":{data},"id":"event-of-{id}","timestamp":"2026-11-22T08:00:00.000Z","parentId":null}}"#
    )
}

const ANSWER: &str = "session.permissions.handlePendingPermissionRequest";

pub fn approval(id: &str) -> Value {
    json!({"sessionId": "s", "requestId": id, "result": {"kind": "approve-once"}})
}

#[tokio::test]
async fn events_are_read_on_another_gateway_byte_for_byte_under_the_same_positions() {
    let Some(two) = Two::start(1).await else { return };
    let odd = "{ \"data\" : {\"n\":1.50e3, \"t\":\"\\u00e9\\/\"},\"id\":\"odd\", \"type\":\"x.unknown\" }";
    two.runtime.emit("s", odd);
    // Longer than a message of the log may be.
    let long = format!(r#"{{"type":"x.long","data":{{"text":"{}"}},"id":"long"}}"#, "é".repeat(400_000));
    two.runtime.emit("s", &long);
    for number in 0..300 {
        two.runtime.emit("s", &event("assistant.message", &format!("e{number}")));
    }
    two.emit("last", &[two.at_a, two.at_c]).await;
    let (here, there) = (history(two.at_a).await, history(two.at_c).await);
    assert!(here.contains(odd) && here.contains(&long));
    assert!(here == there, "the histories differ");
    let stream = two.log().await;
    for line in here.lines() {
        let (seq, event) = line.strip_prefix(r#"{"seq":"#).unwrap().split_once(',').unwrap();
        let event = event.strip_prefix(r#""event":"#).unwrap().strip_suffix('}').unwrap();
        assert_eq!(stream.get(&seq.parse().unwrap()).map(String::as_str), Some(event));
    }
}

#[tokio::test]
async fn a_viewer_that_changes_the_gateway_in_the_middle_misses_nothing_and_sees_nothing_twice() {
    let Some(two) = Two::start(1).await else { return };
    let mut all: BTreeMap<u64, String> = BTreeMap::new();
    let mut after = 0;
    for round in 0..6 {
        let at = if round % 2 == 0 { two.at_a } else { two.at_c };
        let mut socket = socket(at).await;
        let id = socket.send_request("pilothouse.subscribe", json!({"sessionId": "s", "after": after})).await;
        for number in 0..20 {
            two.runtime.emit("s", &event("assistant.message", &format!("e{round}-{number}")));
        }
        // It leaves in the middle of what has come.
        for (seq, raw) in socket.until(&format!(r#""id":"e{round}-12""#)).await {
            assert!(seq > after, "{seq} came again after {after}");
            after = seq;
            all.insert(seq, raw);
        }
        assert!(id > 0);
    }
    let whole = history_with(two.at_c, "e5-19").await;
    let read = all.iter().map(|(seq, raw)| format!("{{\"seq\":{seq},\"event\":{raw}}}\n"));
    assert!(whole.starts_with(&read.collect::<String>()), "what was read is not the beginning of the log");
}

#[tokio::test]
async fn an_answer_that_is_given_at_another_gateway_reaches_the_runtime_once() {
    let Some(two) = Two::start(1).await else { return };
    two.runtime.emit("s", &permission("r"));
    history_with(two.at_c, "event-of-r").await;
    let answer = call(two.at_c, ANSWER, approval("r")).await;
    assert_eq!(answer["result"]["success"], true, "{answer}");
    let frames = two.runtime.calls(ANSWER, 1).await;
    assert!(frames[0].contains(r#""requestId":"r""#), "{frames:?}");

    // Of two at once, on two gateways, one is on its way.
    two.runtime.silent(ANSWER);
    two.runtime.emit("s", &permission("q"));
    history_with(two.at_c, "event-of-q").await;
    let mut first = socket(two.at_c).await;
    let id = first.send_request(ANSWER, approval("q")).await;
    let frames = two.runtime.calls(ANSWER, 2).await;
    let second = call(two.at_a, ANSWER, approval("q")).await;
    assert!(second["error"]["code"].is_i64(), "{second}");
    two.runtime.reply(&frames[1], r#"{"success":true}"#);
    assert_eq!(first.response(id).await["result"]["success"], true);
    assert_eq!(two.runtime.count(ANSWER), 2);
}

#[tokio::test]
async fn of_a_machine_that_is_gone_the_history_can_be_read_and_calls_fail_at_once_until_it_is_back() {
    let Some(mut two) = Two::start(1).await else { return };
    two.emit("before", &[two.at_c]).await;
    two.a.kill().await;
    let whole = history_with(two.at_c, "before").await;
    let answer = call(two.at_c, "session.send", json!({"sessionId": "s", "prompt": "hello"})).await;
    let message = answer["error"]["message"].as_str().unwrap_or_default().to_owned();
    assert!(message.contains("\"a\"") && message.contains("nothing was sent"), "{answer}");
    let away = row(two.at_c, "that the machine is away", |row| row["away"].is_string()).await;
    assert_eq!(away["machine"], "a", "{away}");
    assert_eq!(history(two.at_c).await, whole);
    assert_eq!(two.runtime.count("session.send"), 0);

    // What came meanwhile is there as well.
    two.runtime.note("s", &event("assistant.message", "meanwhile"));
    two.at_a = two.a.start().await.unwrap();
    row(two.at_c, "that the machine is back", |row| row["away"].is_null()).await;
    let sent = poll("a call that is carried out again", async || {
        let answer = call(two.at_c, "session.send", json!({"sessionId": "s", "prompt": "hello"})).await;
        (!answer["result"].is_null()).then_some(answer)
    });
    sent.await;
    two.emit("after", &[two.at_a, two.at_c]).await;
    let later = history(two.at_c).await;
    assert!(later.starts_with(&whole) && later.contains("meanwhile"), "positions did not go on");
    assert_eq!(later, history(two.at_a).await);
    two.log().await;
}

#[tokio::test]
async fn without_the_servers_the_owner_goes_on_and_others_say_so_and_catch_up() {
    let Some(two) = Two::start(1).await else { return };
    two.emit("before", &[two.at_c]).await;
    two.a.cut_off(true);
    two.c.cut_off(true);
    let problem = health(two.at_c, "that the servers are away", |health| !health["cluster"].is_null()).await;
    assert!(
        problem["cluster"]["problem"].is_string() && problem["cluster"]["since"].is_string(),
        "{problem}"
    );
    for number in 0..50 {
        two.runtime.emit("s", &event("assistant.message", &format!("m{number}")));
    }
    two.emit("alone", &[two.at_a]).await;
    assert!(!history(two.at_c).await.contains(r#""id":"alone""#));
    two.a.cut_off(false);
    two.c.cut_off(false);
    let whole = history_with(two.at_c, "alone").await;
    assert_eq!(whole, history(two.at_a).await);
    health(two.at_c, "that the servers are back", |health| health["cluster"].is_null()).await;
    two.log().await;
}

#[tokio::test]
async fn a_second_gateway_with_the_name_writes_nothing_and_says_so() {
    let Some(two) = Two::start(1).await else { return };
    two.emit("before", &[two.at_c]).await;
    let other = StandIn::start().await;
    let mut second = Machine::new("a", Some(other.address), &two.servers).await;
    let at = second.start().await.unwrap();
    let is_taken = |health: &Value| {
        let problem = health["cluster"]["problem"].as_str();
        problem.is_some_and(|problem| problem.contains(r#"another gateway is "a""#))
    };
    health(at, "that the name is taken", is_taken).await;
    let made = call(at, "pilothouse.create", json!({"sessionId": "s"})).await;
    assert!(made["error"].is_null(), "{made}");
    other.emit("s", &event("assistant.message", "of-the-second"));
    history_with(at, "of-the-second").await;
    two.emit("after", &[two.at_c]).await;
    assert!(!history(two.at_c).await.contains("of-the-second"));
    let log = two.log().await;
    assert!(log.values().all(|event| !event.contains("of-the-second")), "{log:?}");
}

#[tokio::test]
async fn a_call_that_is_forged_or_comes_again_is_not_carried_out() {
    let Some(two) = Two::start(1).await else { return };
    let client = two.servers.client(0).await;
    let mut heard = client.subscribe("pilothouse.calls.a").await.unwrap();
    client.flush().await.unwrap();
    two.runtime.emit("s", &permission("r"));
    history_with(two.at_c, "event-of-r").await;
    let answer = call(two.at_c, ANSWER, approval("r")).await;
    assert_eq!(answer["result"]["success"], true, "{answer}");
    let seen = in_time("the call between the gateways", heard.next()).await.unwrap();
    let headers = seen.headers.clone().expect("a signature");
    assert!(headers.get("Pilothouse-Signature").is_some(), "{headers:?}");

    let again = client.request_with_headers("pilothouse.calls.a", headers.clone(), seen.payload.clone());
    let again = in_time("what becomes of the same call once more", again).await.unwrap();
    let mut changed = seen.payload.to_vec();
    let at = changed.windows(3).position(|bytes| bytes == b"\"r\"").expect("the request's id");
    changed[at + 1] = b'x';
    let forged = client.request_with_headers("pilothouse.calls.a", headers, changed.into());
    let forged = in_time("what becomes of a changed call", forged).await.unwrap();
    let unsigned = client.request("pilothouse.calls.a", seen.payload.clone());
    let unsigned = in_time("what becomes of a call without a signature", unsigned).await.unwrap();
    for refused in [again, forged, unsigned] {
        let text = String::from_utf8_lossy(&refused.payload);
        assert!(!text.contains(r#""success":true"#), "{text}");
    }
    assert_eq!(two.runtime.count(ANSWER), 1);
}

#[tokio::test]
async fn one_of_three_servers_may_end_and_another_may_lead() {
    let Some(mut two) = Two::start(3).await else { return };
    two.emit("before", &[two.at_c]).await;
    two.servers.move_leader().await;
    two.emit("moved", &[two.at_c]).await;
    two.servers.kill(0);
    two.emit("killed", &[two.at_a, two.at_c]).await;
    two.servers.mend().await;
    two.emit("mended", &[two.at_a, two.at_c]).await;
    assert_eq!(history(two.at_a).await, history(two.at_c).await);
    two.log().await;
}

#[tokio::test]
async fn a_cluster_of_which_servers_are_missing_gets_no_log_of_one_copy() {
    if nats::program().is_none() {
        return;
    }
    let servers = Servers::start(2).await;
    let runtime = StandIn::start().await;
    let mut a = Machine::new("a", Some(runtime.address), &servers).await;
    let at = a.start().await.unwrap();
    let says_so = |health: &Value| {
        let problem = health["cluster"]["problem"].as_str();
        problem.is_some_and(|problem| problem.contains("there are fewer servers of NATS"))
    };
    health(at, "that servers are missing", says_so).await;
    let context = jetstream::new(servers.client(0).await);
    assert!(context.get_stream(nats::STREAM).await.is_err());
    // One that a person makes is used as it is.
    let config = jetstream::stream::Config {
        name: nats::STREAM.to_owned(),
        subjects: vec!["pilothouse.log.>".to_owned()],
        num_replicas: 2,
        allow_direct: true,
        ..jetstream::stream::Config::default()
    };
    context.create_stream(config).await.unwrap();
    health(at, "a part of the cluster", |health| health["cluster"].is_null()).await;
}

#[tokio::test]
async fn what_the_stream_let_go_of_is_said_and_its_writer_goes_on() {
    let Some(two) = Two::start(1).await else { return };
    for number in 0..5 {
        two.emit(&format!("e{number}"), &[two.at_a]).await;
    }
    poll("the events in the stream", async || {
        let log = two.log().await;
        log.values().any(|event| event.contains(r#""id":"e4""#)).then_some(())
    })
    .await;
    let context = jetstream::new(two.servers.client(0).await);
    context.get_stream(nats::STREAM).await.unwrap().purge().filter(SUBJECT).await.unwrap();
    two.emit("after", &[two.at_a, two.at_c]).await;
    let (here, there) = (history(two.at_a).await, history(two.at_c).await);
    assert!(there.lines().next().is_some_and(|line| line.contains("pilothouse.gap")), "{there}");
    assert!(!there.contains(r#""id":"e4""#) && here.contains(r#""id":"e4""#));
    // What is there has its own position.
    let last = |text: &str| text.lines().last().unwrap().to_owned();
    assert_eq!(last(&here), last(&there));
}

#[tokio::test]
async fn a_session_that_was_deleted_from_the_cluster_is_gone() {
    let Some(mut two) = Two::start(1).await else { return };
    two.emit("one", &[two.at_c]).await;
    two.a.kill().await;
    let context = jetstream::new(two.servers.client(0).await);
    context.get_stream(nats::STREAM).await.unwrap().purge().filter(SUBJECT).await.unwrap();
    context.get_key_value("pilothouse-sessions").await.unwrap().delete("a.s").await.unwrap();
    poll("the end of the row", async || {
        let rows: Value = serde_json::from_str(&exchange(two.at_c, "GET", "/api/sessions", "").await).ok()?;
        rows.as_array()?.iter().all(|row| row["sessionId"] != "s").then_some(())
    })
    .await;
}
