//! Facts 1 to 6: envelope, order, duplicates, sizes.

use pilothouse::core::Kind;
use serde_json::json;

use crate::play::Play;

#[test]
fn fact_01_keys_come_in_any_order_and_agent_id_says_whose_it_is() {
    let mut play = Play::new();
    play.line(r#"{"type":"assistant.message","data":{"content":"first","messageId":"a"},"id":"1"}"#);
    play.line(r#"{"id":"2","agentId":"helper","data":{"messageId":"b","content":"last"},"type":"assistant.message"}"#);
    assert_eq!(play.texts(Kind::Assistant), ["first", "last"]);
    assert_eq!(play.entry("a").agent_id, None);
    assert_eq!(play.entry("b").agent_id.as_deref(), Some("helper"));
}

#[test]
fn fact_02_order_is_no_total_order() {
    let mut play = Play::new();
    play.event(
        "tool.execution_start",
        json!({ "toolCallId": "t", "toolName": "bash" }),
        json!({ "timestamp": "2026-01-05T10:00:09.000Z", "parentId": "event-4" }),
    );
    play.event(
        "tool.execution_complete",
        json!({ "toolCallId": "t", "success": true, "result": { "content": "ok" } }),
        json!({ "timestamp": "2026-01-05T10:00:01.000Z" }),
    );
    // The decision comes before its request, and both come after the call that they allowed.
    play.tell("permission.completed", json!({ "requestId": "p", "result": { "kind": "approved" } }));
    play.tell(
        "permission.requested",
        json!({ "requestId": "p", "permissionRequest": { "toolCallId": "t" } }),
    );
    assert_eq!(play.timeline(), ["tool done: ok", "permission settled: "]);
    assert!(play.pending().is_empty());
}

#[test]
fn fact_02_a_request_may_come_before_its_tool_call() {
    let mut play = Play::new();
    play.tell(
        "permission.requested",
        json!({ "requestId": "p", "permissionRequest": { "toolCallId": "t" } }),
    );
    play.agent("helper", "tool.execution_start", json!({ "toolCallId": "t", "toolName": "bash" }));
    assert_eq!(play.entry("p").agent_id.as_deref(), Some("helper"));
    assert_eq!(play.status(), "waiting");
}

#[test]
fn fact_03_a_parent_that_is_not_in_the_file_is_no_error() {
    let mut play = Play::new();
    play.event(
        "user.message",
        json!({ "messageId": "m", "content": "Hi" }),
        json!({ "parentId": "elsewhere" }),
    );
    play.event("session.info", json!({ "message": "ok" }), json!({ "parentId": null }));
    assert_eq!(play.timeline(), ["user done: Hi", "notice done: ok"]);
    assert!(play.session.state().diagnostics.is_empty());
}

#[test]
fn fact_04_an_event_counts_once() {
    let mut play = Play::new();
    let delta = r#"{"type":"assistant.message_delta","data":{"messageId":"a","deltaContent":"ha"},"id":"x","ephemeral":true}"#;
    play.line(delta).line(delta);
    assert_eq!(play.texts(Kind::Assistant), ["ha"]);
    assert_eq!(play.session.state().counters.duplicate, 1);
}

#[test]
fn fact_05_what_no_schema_lists_is_counted_and_costs_no_neighbour() {
    let mut play = Play::new();
    play.tell("model.messages_snapshot", json!({ "messages": [1, 2, 3] }));
    play.tell("session.brand_new", json!({ "x": 1 }));
    play.tell(
        "user.message",
        json!({ "messageId": "m", "content": "Hi", "extra": { "a": 1 }, "attachments": null }),
    );
    play.tell("session.shutdown", json!({ "shutdownType": "destroy", "codeChanges": null }));
    assert_eq!(
        play.timeline(),
        ["generic done: session.brand_new", "user done: Hi", "notice done: Session ended"],
        "internals are not shown, unknown types are"
    );
    let mut unknown: Vec<&str> = play.session.state().counters.unknown.keys().map(String::as_str).collect();
    unknown.sort_unstable();
    assert_eq!(unknown, ["model.messages_snapshot", "session.brand_new"]);
}

#[test]
fn fact_06_the_byte_counter_is_no_entry_and_large_events_are_whole() {
    let mut play = Play::new();
    let large = "x".repeat(140_000);
    play.live("assistant.streaming_delta", json!({ "totalResponseSizeBytes": 4711 }));
    play.tell("user.message", json!({ "messageId": "m", "content": large }));
    assert_eq!(play.texts(Kind::User), [large]);
    assert_eq!(play.session.state().entries.len(), 1);
    assert_eq!(play.session.state().info.response_bytes, Some(4711));
}
