//! Tests that whatever the runtime sends reaches every reader and the log byte for byte, and that a reader
//! that reads nothing holds up nobody.

use super::client::{Socket, Sse};
use super::gateway::{Folder, call, open, settings, subscribe, watched};
use super::lists::list_with;
use super::stand_in::{StandIn, event};
use serde_json::json;

const COUNT: usize = 100_000;

/// Events that a decoder and an encoder would not reproduce: odd key order, white space, escapes, numbers,
/// unknown fields, duplicate keys, and now and then a very long one.
fn odd(at: usize) -> String {
    let long = if at.is_multiple_of(20_000) { "é".repeat(400_000) } else { String::new() };
    match at % 5 {
        0 => format!(
            "{{ \"data\" :{{\"n\":1.0e3,\"big\":12345678901234567890123,\"t\":\"\\u00e9\\/{long}\"}} , \"id\":\"i{at}\",\"type\":\"x\"}}"
        ),
        1 => format!(
            r#"{{"id":"i{at}","ephemeral":true,"unknown":[null,{{}}],"type":"assistant.message_delta","data":{{"deltaContent":"{at}"}}}}"#
        ),
        2 => format!(r#"{{"type":"x","data":{{"a":1,"a":2}},"id":"i{at}","timestamp":"not a time"}}"#),
        3 => format!(
            "{{\"type\":\"y\",\t\"data\":{{\"text\":\"\u{202e}\u{2028} {at} \\ud800\"}},\"id\":\"i{at}\"}}"
        ),
        _ => format!(r#"{{"type":"x","data":null,"id":"i{at}","agentId":""}}"#),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_thousand_events_reach_all_who_read_as_they_were_sent() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let (gateway, mut socket) = watched(&runtime, Some(&folder)).await;
    // Two clients that subscribe and never read.
    let _stuck_sse = Sse::open(&gateway, "s", "", &[]).await;
    let mut stuck = Socket::open(&gateway, None).await;
    stuck.send_request("pilothouse.subscribe", json!({"sessionId": "s"})).await;

    let mut sent: Vec<_> = (0..COUNT).map(odd).collect();
    sent.push(event("last", "z"));
    for event in &sent {
        runtime.emit("s", event);
    }
    // The answer comes after all events on the runtime's own connection, so nothing held that up.
    let mut other = Socket::open(&gateway, None).await;
    assert_eq!(
        call(&mut other, "session.mode.get", json!({"sessionId": "s"})).await["result"]["success"],
        true
    );

    let got = socket.until(r#""type":"last""#).await;
    let start = got.iter().position(|(_, event)| *event == sent[0]).unwrap();
    assert_eq!(got.len() - start, sent.len());
    for ((seq, got), (at, sent)) in got.iter().skip(start).zip(sent.iter().enumerate()) {
        assert_eq!((*seq, got), ((start + at + 1) as u64, sent));
    }
    let mut late = Sse::open(&gateway, "s", "?after=99000", &[]).await;
    let tail = late.until(r#""type":"last""#).await;
    assert_eq!(tail.as_slice(), &got[tail[0].0 as usize - got[0].0 as usize..]);
    assert_eq!(tail[0].0, 99_001);

    gateway.stop().await;
    let log = std::fs::read_to_string(folder.log("s")).unwrap();
    let kept: Vec<_> = log.lines().filter(|line| line.starts_with(r#"{"seq":"#)).collect();
    assert_eq!(kept.len(), got.len());
    for ((seq, event), line) in got.iter().zip(kept) {
        assert_eq!(line, format!(r#"{{"seq":{seq},"event":{event}}}"#));
    }
}

#[tokio::test]
async fn line_breaks_between_tokens_and_events_without_a_type_come_through() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let (gateway, _socket) = watched(&runtime, Some(&folder)).await;
    let broken = "{\n  \"type\": \"x\",\n  \"id\": \"two lines\"\n}";
    runtime.emit("s", broken);
    runtime.emit("s", r#"{"no":"type"}"#);
    runtime.emit("s", &event("last", "z"));
    let live = Sse::open(&gateway, "s", "", &[]).await.until(r#""type":"last""#).await;
    gateway.stop().await;

    // From the log, after a restart of the gateway.
    let gateway = open(settings(&runtime, Some(&folder))).await;
    let mut sse = Sse::open(&gateway, "s", "", &[]).await;
    let kept = sse.until(r#""type":"last""#).await;
    assert_eq!(kept, live);
    let events: Vec<_> = kept.into_iter().map(|(_, event)| event).collect();
    assert_eq!(events.get(1..3).unwrap(), [broken, r#"{"no":"type"}"#]);
}

#[tokio::test]
async fn what_is_no_message_ends_nothing() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    runtime.say("this is no JSON");
    runtime.say(r#"{"jsonrpc":"2.0","method":"session.event","params":{"event":{}}}"#);
    runtime.say(r#"{"jsonrpc":"2.0","method":"something.new","params":{}}"#);
    runtime.emit("s", &event("last", "z"));
    assert!(!socket.until(r#""type":"last""#).await.is_empty());
    // An event of a session that nobody opened is kept as well.
    runtime.emit("other", &event("last", "of another"));
    list_with(&mut socket, |sessions| sessions.len() == 2).await;
    subscribe(&mut socket, "other", 0).await;
    assert!(!socket.until("of another").await.is_empty());
}
