//! Tests of the tray's words, and of what is counted instead of repeated.

#![allow(clippy::needless_pass_by_value, reason = "`json!` is written in place")]

use serde_json::{Value, json};

use super::*;
use crate::Session;

fn facts_of(events: &[(&str, Value)]) -> Vec<Fact> {
    let mut session = Session::new();
    for (number, (kind, data)) in events.iter().enumerate() {
        let event = json!({ "type": kind, "data": data, "id": format!("e{number}"), "ephemeral": true,
            "timestamp": "2026-11-21T09:00:00.000Z", "parentId": null });
        session.push_frame(&event.to_string());
    }
    let facts = facts(session.state());
    let open = facts.iter().filter(|fact| fact.level == Level::Error && !fact.over);
    let mut open: Vec<u64> = open.map(|fact| fact.number).collect();
    open.sort_unstable();
    assert_eq!(failures(session.state()), open);
    facts
}

fn lines_of(facts: &[Fact]) -> Vec<String> {
    let line = |fact: &Fact| {
        format!("{} {}: {} ×{} ({})", fact.level.word(), fact.source, fact.text, fact.count, fact.more)
    };
    facts.iter().map(line).collect()
}

fn server(status: &str, error: Option<&str>) -> (&'static str, Value) {
    ("session.mcp_server_status_changed", json!({ "serverName": "buoys", "status": status, "error": error }))
}

#[test]
fn equal_ones_are_one_line_and_the_newest_stands_first() {
    let hook = |id: &str| {
        ("hook.start", json!({ "hookInvocationId": id, "hookType": "preToolUse", "input": { "id": id } }))
    };
    let facts = facts_of(&[hook("a"), server("connected", None), hook("b"), hook("c")]);
    assert_eq!(lines_of(&facts), ["info Hooks: pre tool use ran ×3 ()", "info buoys: connected ×1 ()"]);
    assert!(facts[0].at.is_some() && facts[0].number > facts[1].number);
}

#[test]
fn a_failure_that_was_mended_is_over() {
    let failed = server("failed", Some("The socket is closed"));
    let facts = facts_of(std::slice::from_ref(&failed));
    assert_eq!(lines_of(&facts), ["error buoys: failed ×1 (The socket is closed)"]);
    assert!(!facts[0].over);
    let facts = facts_of(&[failed, server("connected", None)]);
    assert!(facts[1].over && facts[1].level == Level::Error);
    let facts = facts_of(&[server("pending", None), server("connected", None)]);
    assert_eq!(lines_of(&facts), ["info buoys: connected ×1 ()"], "where it is, not how it came there");
}

#[test]
fn an_answer_names_the_server_of_its_question() {
    let asked = json!({ "requestId": "h", "serverName": "buoys", "serverUrl": "https://x.example", "reason": "ttl-expired" });
    let facts = facts_of(&[
        ("mcp.headers_refresh_required", asked),
        ("mcp.headers_refresh_completed", json!({ "requestId": "h", "outcome": "error" })),
    ]);
    assert_eq!(
        lines_of(&facts),
        [
            "error buoys: could not get new headers ×1 ()",
            "info buoys: asked the host for new headers ×1 (the old ones ran out)",
        ]
    );
}

#[test]
fn what_a_provider_says_is_read_out_of_its_envelope() {
    let failure = |id: &str| {
        let message = "{\"message\":\"The model is overloaded, please retry.\"}";
        let data = json!({ "model": "gpt-5.4", "statusCode": 503, "providerCallId": id, "source": "top_level", "errorMessage": message });
        ("model.call_failure", data)
    };
    assert_eq!(
        lines_of(&facts_of(&[failure("a"), failure("b")])),
        ["warning Model: a call of gpt-5.4 failed with 503 ×2 (The model is overloaded, please retry.)"]
    );
}

#[test]
fn every_type_that_is_collected_has_words_of_its_own() {
    for row in crate::protocol::catalogue::all()
        .filter(|row| row.surface == crate::protocol::catalogue::Surface::Notifications)
    {
        let facts = facts_of(&[(row.name, json!({}))]);
        assert_eq!(facts.len(), 1, "{}", row.name);
        assert_ne!(facts[0].text, crate::i18n::format::event_type(row.name), "{}", row.name);
    }
}

#[test]
fn a_flood_of_different_ones_pushes_the_oldest_out() {
    let events: Vec<_> =
        (0..150).map(|n| ("hook.start", json!({ "hookType": format!("hook{n}") }))).collect();
    let facts = facts_of(&events);
    assert_eq!((facts.len(), facts[0].text.as_str()), (100, "hook149 ran"));
}
