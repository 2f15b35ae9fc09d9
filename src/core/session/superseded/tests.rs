//! Tests of single rules. `tests/superseded.rs` holds all of them to their promise.

use serde_json::{Value, json};

use super::Superseded;

/// An event of the live stream; the time is its place in seconds, if it has none of its own.
fn live(kind: &str, data: &Value) -> Value {
    json!({ "type": kind, "data": data, "ephemeral": true })
}

fn kept(kind: &str, data: &Value) -> Value {
    json!({ "type": kind, "data": data })
}

/// The places of the events that are left.
fn left(events: Vec<Value>) -> Vec<usize> {
    let mut superseded = Superseded::default();
    let mut left: Vec<usize> = (0..events.len()).collect();
    for (place, mut event) in events.into_iter().enumerate() {
        if event.get("timestamp").is_none() {
            event["timestamp"] = json!(format!("2026-01-05T10:00:{place:02}Z"));
        }
        event["id"] = json!(format!("e{place}"));
        let gone = superseded.take(place as u64, &event.to_string()).to_vec();
        left.retain(|place| !gone.contains(&(*place as u64)));
    }
    left
}

fn first() -> Value {
    live("session.idle", &json!({}))
}

fn piece(text: &str) -> Value {
    live("assistant.message_delta", &json!({ "messageId": "m", "deltaContent": text }))
}

fn message() -> Value {
    kept("assistant.message", &json!({ "messageId": "m", "content": "all" }))
}

fn started() -> Value {
    kept("tool.execution_start", &json!({ "toolCallId": "t", "toolName": "bash", "arguments": {} }))
}

fn output(text: &str) -> Value {
    live("tool.execution_partial_result", &json!({ "toolCallId": "t", "partialOutput": text }))
}

fn ended(success: bool, content: &str) -> Value {
    let result = json!({ "content": content });
    kept("tool.execution_complete", &json!({ "toolCallId": "t", "success": success, "result": result }))
}

fn at(mut event: Value, second: u8) -> Value {
    event["timestamp"] = json!(format!("2026-01-05T10:00:{second:02}Z"));
    event
}

#[test]
fn of_a_message_that_is_whole_the_first_piece_stays() {
    assert_eq!(left(vec![first(), piece("a"), piece("l"), piece("l"), message()]), [0, 1, 4]);
    let other = kept("assistant.message", &json!({ "messageId": "n", "content": "all" }));
    assert_eq!(
        left(vec![first(), piece("a"), piece("l"), other]),
        [0, 1, 2, 3],
        "it may be all that there is"
    );
    let mut persisted = piece("l");
    persisted["ephemeral"] = Value::Null;
    assert_eq!(left(vec![first(), piece("a"), persisted, piece("l"), message()]), [0, 1, 2, 4]);
}

#[test]
fn a_time_that_is_needed_stays() {
    let thought =
        |text| live("assistant.reasoning_delta", &json!({ "reasoningId": "r", "deltaContent": text }));
    let whole = live("assistant.reasoning", &json!({ "reasoningId": "r", "content": "all" }));
    let events = vec![first(), thought("a"), thought("l"), thought("l"), whole];
    assert_eq!(left(events), [0, 1, 3, 4], "how long it took");
    assert_eq!(left(vec![first(), piece("a"), at(piece("l"), 50), piece("l"), message()]), [0, 1, 2, 4]);
    let counter = |second| at(live("assistant.streaming_delta", &json!({})), second);
    assert_eq!(left(vec![first(), counter(7), counter(8), counter(9)]), [0, 3]);
    assert_eq!(left(vec![first(), counter(7), counter(9), counter(8), counter(10)]), [0, 2, 4]);
    let sign = |second| at(live("model.call_start", &json!({})), second);
    assert_eq!(left(vec![first(), sign(3)]), [0, 1], "it has the newest time");
    assert_eq!(left(vec![first(), sign(3), counter(3)]), [0, 2]);
}

#[test]
fn of_growing_output_the_newest_stays_until_the_result() {
    let grows = || vec![first(), started(), output("a"), output("ab"), output("ab"), output("abc")];
    let with = |more: Vec<Value>| left(grows().into_iter().chain(more).collect());
    assert_eq!(with(vec![]), [0, 1, 5]);
    assert_eq!(with(vec![output("d")]), [0, 1, 5, 6], "the next piece");
    assert_eq!(with(vec![output("d"), output("abcde")]), [0, 1, 7]);
    assert_eq!(with(vec![output("d"), ended(true, "other")]), [0, 1, 7], "the result counts");
    assert_eq!(with(vec![ended(false, "abc")]), [0, 1, 5, 6]);
    let background = "<command started in background with shellId: 0>";
    assert_eq!(with(vec![ended(true, background)]), [0, 1, 5, 6], "the result has no output");
    assert_eq!(with(vec![ended(true, "x"), output("later"), output("later on")]), [0, 1, 6, 7, 8]);
    assert_eq!(left(vec![first(), output("a"), output("ab")]), [0, 1, 2], "it began before the log");
}

#[test]
fn output_that_replaces_other_output_needs_what_it_replaces() {
    let events = vec![first(), started(), output("10% of it"), output("20% of it"), output("20% of it\nall")];
    assert_eq!(left(events), [0, 1, 2, 3, 4]);
}

#[test]
fn a_figure_stays_until_the_next_event_has_it_too() {
    let figures = |figures: Value| live("session.usage_info", &figures);
    let both = || figures(json!({ "currentTokens": 1, "tokenLimit": 2 }));
    assert_eq!(left(vec![first(), both(), both()]), [0, 2]);
    assert_eq!(left(vec![first(), both(), figures(json!({ "currentTokens": 3 }))]), [0, 1, 2]);
}

#[test]
fn what_cant_be_read_alone_keeps_what_was_before_it() {
    let line = |event: Value| event.to_string();
    let mut superseded = Superseded::default();
    for (place, text) in [
        line(first()),
        line(piece("a")),
        line(piece("b")),
        format!("[{},{}]", piece("c"), piece("d")),
        line(message()),
        "nonsense".to_owned(),
    ]
    .iter()
    .enumerate()
    {
        assert!(superseded.take(place as u64, text).is_empty(), "{text}");
    }
}
