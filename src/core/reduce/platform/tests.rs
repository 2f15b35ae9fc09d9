//! Tests of the platform's events that outlines don't cover: ids, what an error is about, the request body.

use std::collections::HashSet;

use serde_json::json;

use crate::Session;
use crate::model::entry::{Body, EntryState};
use crate::model::reference::About;

fn chunk(id: &str, text: &str) -> String {
    json!({ "id": id, "object": "chat.completion.chunk", "choices": [{ "delta": { "content": text } }] })
        .to_string()
}

#[test]
fn the_end_of_a_chat_ends_its_own_answer_and_no_agents_message() {
    let mut session = Session::new();
    session.push_frame(
        r#"{"type":"assistant.message_delta","id":"e1","ephemeral":true,"data":{"messageId":"m","deltaContent":"I"}}"#,
    );
    session.push_frame(&chunk("c", "Hi"));
    session.push_frame("[DONE]");
    let states: Vec<_> =
        session.state().entries.iter().map(|entry| (entry.id.as_str(), entry.state)).collect();
    assert_eq!(states, [("m", EntryState::Streaming), ("c", EntryState::Done)]);
}

#[test]
fn ids_of_the_platforms_entries_are_never_empty_and_never_doubled() {
    for case in ["platform-chat", "platform-guide", "platform-stream"] {
        let path = format!("{}/../../tests/sessions/{case}/events.jsonl", env!("CARGO_MANIFEST_DIR"));
        let mut session = Session::new();
        session.push(&std::fs::read(path).unwrap());
        session.end();
        let mut ids = HashSet::new();
        for entry in &session.state().entries {
            assert!(!entry.id.is_empty(), "{case}: {entry:?}");
            assert!(ids.insert(entry.id.clone()), "{case}: {} is doubled", entry.id);
        }
        assert!(ids.len() >= 8, "{case}");
    }
}

#[test]
fn an_error_leads_to_what_it_is_about_whichever_came_first() {
    let mut session = Session::new();
    let error = r#"[{"type":"reference","message":"Stale","identifier":"snippet"}]"#;
    session.push_server_sent("copilot_errors", error, None);
    session.take_changes();
    let about = About { kind: "reference".to_owned(), identifier: "snippet".to_owned() };
    let Body::Notice(notice) = &session.state().entries[0].body else { panic!("a notice") };
    assert_eq!(notice.about.as_ref(), Some(&about));
    assert_eq!(session.state().place_about(&about), None);
    let references =
        r#"[{"id":"snippet","metadata":{"display_name":"a","display_icon":"b","display_url":"c"}}]"#;
    session.push_server_sent("copilot_references", references, None);
    assert_eq!(session.state().place_about(&about), Some(1));
    let shown_anew = crate::model::state::Change::EntryUpdated { index: 0 };
    assert!(session.take_changes().contains(&shown_anew), "the error is shown with the way to it");
    session.push_frame(
        r#"{"type":"tool.execution_start","id":"e","data":{"toolCallId":"t","toolName":"get_issue","arguments":{}}}"#,
    );
    let function = About { kind: "function".to_owned(), identifier: "get_issue".to_owned() };
    assert_eq!(session.state().place_about(&function), Some(2));
}

#[test]
fn the_body_of_a_message_has_the_conversation_so_far_with_its_references() {
    let mut session = Session::new();
    assert_eq!(
        session.platform_body("Hi"),
        json!({ "messages": [{ "role": "user", "content": "Hi", "copilot_references": [] }] })
    );
    let first = session.message_taken("Hi");
    session.reply_awaited();
    assert_eq!(session.state().status(), "running");
    let references = json!([{ "type": "story", "id": "s", "data": { "file": "story.go" } }]);
    session.push_server_sent("copilot_references", &references.to_string(), None);
    session.push_frame(&chunk("", "Ahoy"));
    session.push_frame("[DONE]");
    session.reply_ended();
    assert_eq!(session.state().status(), "idle");
    let second = session.message_taken("Hi");
    assert_ne!(first, second, "the same words are another message");
    session.push_frame(&chunk("", "Ahoy"));
    let broke = r#"{"jsonrpc":"2.0","method":"pilothouse.reply_broke"}"#;
    session.push_frame(broke);
    let message = |role: &str, content: &str, references: &serde_json::Value| json!({ "role": role, "content": content, "copilot_references": references });
    assert_eq!(
        session.platform_body("And?"),
        json!({ "messages": [
            message("user", "Hi", &json!([])),
            message("assistant", "Ahoy", &references),
            message("user", "Hi", &json!([])),
            message("assistant", "Ahoy", &json!([])),
            message("user", "And?", &json!([])),
        ] })
    );
    let heard = json!({ "messages": session.platform_body("And?")["messages"] }).to_string();
    let before = session.state().entries.len();
    session.push_server_sent("resp_message", &heard, None);
    session.push_server_sent("resp_message", &heard, None);
    assert_eq!(session.state().entries.len(), before + 1, "only the newest message is new");
}

#[test]
fn what_is_read_loosely_is_said_once() {
    let mut session = Session::new();
    let bare = r#"{"type":"action","title":"Sure?","message":"Really?","confirmation":{"id":"1"}}"#;
    session.push_frame(bare);
    session.push(
        b"event: copilot_errors\ndata: [{\n\"type\": \"agent\", // busy\n\"message\": \"Busy\",\n}]\n\n",
    );
    assert_eq!((session.state().entries.len(), session.state().counters.malformed), (2, 0));
    assert_eq!(session.state().diagnostics.len(), 1);
    // An unknown event still counts as one.
    session.push_frame(r#"{"type":"action.taken","id":"e","timestamp":"2026-11-21T20:47:20Z","data":{}}"#);
    assert_eq!(session.state().counters.unknown.len(), 1);
}

#[test]
fn what_is_no_event_of_the_platform_says_what_was_expected() {
    let mut session = Session::new();
    for (event, data, reason) in [
        ("copilot_confirmation", "[]", "an object is expected"),
        ("resp_message", "[]", "an object is expected"),
        ("resp_message", "{}", "an object with a list `messages` is expected"),
        ("copilot_errors", "{}", "an array is expected"),
        ("copilot_references", "{}", "an array is expected"),
        ("copilot_references", "[", "this is not JSON"),
    ] {
        session.push_server_sent(event, data, None);
        let diagnostic =
            session.state().diagnostics.last().map(|diagnostic| diagnostic.message.words().into_owned());
        assert!(
            diagnostic.as_ref().is_some_and(|diagnostic| diagnostic.contains(reason)),
            "{event} {data}: {diagnostic:?}"
        );
    }
}

#[test]
fn a_confirmation_is_known_by_its_id_or_else_by_its_number() {
    let mut session = Session::new();
    for own in
        [json!({ "id": "a" }), json!({ "id": 7 }), json!({ "id": null }), json!({ "id": "" }), json!({})]
    {
        let asks = json!({ "type": "action", "title": "Sure?", "message": "Really?", "confirmation": own });
        session.push_server_sent("copilot_confirmation", &asks.to_string(), None);
    }
    let ids: Vec<_> = session.state().entries.iter().map(|entry| entry.id.clone()).collect();
    assert_eq!(ids[..2], ["copilot_confirmation:a", "copilot_confirmation:7"]);
    let numbered = |id: &String| id.starts_with("copilot_confirmation#");
    assert!(ids.len() == 5 && ids[2..].iter().all(numbered), "{ids:?}");
}

#[test]
fn messages_of_every_role_are_told_once() {
    let mut session = Session::new();
    let roles = ["system", "developer", "user", "assistant", "tool", "invented"];
    let messages: Vec<_> = roles
        .iter()
        .map(|role| json!({ "id": format!("of-{role}"), "role": role, "content": role }))
        .collect();
    let heard = json!({ "messages": messages }).to_string();
    session.push_server_sent("resp_message", &heard, None);
    let read = |session: &Session| {
        let messages = session.state().context.messages().iter();
        messages.map(|message| (message.role.word(), message.content.to_string())).collect::<Vec<_>>()
    };
    let once = read(&session);
    assert_eq!(once, roles[..4].iter().map(|role| (*role, (*role).to_owned())).collect::<Vec<_>>());
    for message in &session.state().context.messages()[2..] {
        let entry = message.entry.map(|place| session.state().entries[place].id.as_str());
        assert_eq!(entry, Some(["of-", &message.content].concat().as_str()), "the entry that shows it");
    }
    // The platform's model reads no results of tools: what somebody sends as one is shown and no more.
    let shown = |session: &Session| {
        session.state().entries.iter().map(|entry| entry.text.to_string()).collect::<Vec<_>>()
    };
    let entries = shown(&session);
    assert!(entries.ends_with(&["tool".to_owned(), "invented".to_owned()]), "{entries:?}");
    session.push_server_sent("resp_message", &heard, None);
    let silent = json!({ "messages": [{ "id": "silent", "role": "invented", "content": "" }] }).to_string();
    session.push_server_sent("resp_message", &silent, None);
    assert_eq!((read(&session), shown(&session).len()), (once, entries.len()));
}

#[test]
fn an_error_is_about_what_its_kind_says_before_anything_else_of_that_name() {
    let mut session = Session::new();
    let references =
        r#"[{"id":"same","metadata":{"display_name":"a","display_icon":"b","display_url":"c"}}]"#;
    session.push_frame(
        r#"{"type":"tool.execution_start","id":"e","data":{"toolCallId":"same","toolName":"view","arguments":{}}}"#,
    );
    session.push_server_sent("copilot_references", references, None);
    session.push_frame(
        r#"{"type":"subagent.started","id":"f","data":{"toolCallId":"same","agentName":"helper"}}"#,
    );
    let place = |kind: &str, identifier: &str| {
        session.state().place_about(&About { kind: kind.to_owned(), identifier: identifier.to_owned() })
    };
    let kinds = ["function", "reference", "agent"].map(|kind| place(kind, "same"));
    assert_eq!(kinds, [Some(0), Some(1), Some(2)]);
    assert_eq!(place("agent", "helper"), Some(2));
    assert_eq!(place("agent", "view"), Some(0));
    assert_eq!(place("agent", "nobody"), None);
}

#[test]
fn comments_and_commas_inside_of_texts_are_no_loose_form() {
    let mut session = Session::new();
    let asks = r#"{ "type": "action", "title": "See https://a.example, ]", // why
        "message": "Say \"//\" }", "confirmation": { "id": "1", }, }"#;
    session.push_server_sent("copilot_confirmation", asks, None);
    let entry = &session.state().entries[0];
    let details = entry.request().map(|request| request.details.clone()).expect("a request");
    assert_eq!(
        (&details["title"], &details["message"]),
        (&json!("See https://a.example, ]"), &json!("Say \"//\" }"))
    );
}
