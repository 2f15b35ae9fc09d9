//! The guides' own rules: when a session is done, who sees what, how prominent a notice is.

use pilothouse::core::Kind;
use pilothouse::core::model::entry::{Body, Entry};
use pilothouse::core::view_model::entry_words::text;
use serde_json::{Value, json};

use crate::play::{Play, state};

#[test]
fn session_idle_is_the_reliable_done() {
    let mut play = Play::new();
    play.live("session.info", json!({ "message": "live" }));
    play.tell("assistant.turn_start", json!({ "turnId": "0" })).deltas("a", &["half"]);
    play.tell("session.task_complete", json!({ "summary": "Best effort" }));
    play.tell("assistant.turn_end", json!({ "turnId": "0" }));
    assert_eq!(play.status(), "running", "neither a summary nor the end of a turn is the end");
    play.live("session.idle", json!({}));
    assert_eq!(play.status(), "idle");
    assert_eq!(state(play.entry("a")), "interrupted");
}

#[test]
fn a_history_without_idle_is_not_running_for_ever() {
    let mut play = Play::new();
    play.tell("assistant.turn_start", json!({ "turnId": "0" }));
    play.tell("assistant.message", json!({ "messageId": "a", "content": "Done", "toolRequests": [] }));
    play.tell("assistant.turn_end", json!({ "turnId": "0" }));
    assert_eq!(play.status(), "idle");
}

#[test]
fn a_person_who_must_act_is_told_by_the_status() {
    let mut play = Play::new();
    play.tell("assistant.turn_start", json!({ "turnId": "0" }));
    play.live("user_input.requested", json!({ "requestId": "q", "question": "Tea?" }));
    assert_eq!(play.status(), "waiting");
    play.live("user_input.completed", json!({ "requestId": "q", "answer": "Tea" }));
    assert_eq!(play.status(), "running");
    play.tell("session.error", json!({ "errorType": "query", "message": "down" }));
    assert_eq!(play.status(), "error");
    play.tell("session.shutdown", json!({}));
    assert_eq!(play.status(), "ended");
}

#[test]
fn notices_say_how_loud_they_are() {
    let mut play = Play::new();
    play.tell("session.info", json!({ "infoType": "mcp", "message": "i", "url": "https://example.com" }));
    play.tell("session.warning", json!({ "warningType": "policy", "message": "w" }));
    play.tell("session.error", json!({ "errorType": "quota", "message": "e" }));
    play.tell("session.mode_changed", json!({ "previousMode": "interactive", "newMode": "plan" }));
    let levels: Vec<(&str, &str)> = play
        .session
        .state()
        .entries
        .iter()
        .map(|entry| match &entry.body {
            Body::Notice(notice) => (notice.level.word(), notice.category.as_str()),
            _ => ("none", ""),
        })
        .collect();
    assert_eq!(
        levels,
        [("info", "mcp"), ("warning", "policy"), ("error", "quota"), ("milestone", "mode_changed")]
    );
}

#[test]
fn a_logged_error_is_not_the_sessions_failure() {
    let mut play = Play::new();
    play.tell("session.error", json!({ "errorType": "notification", "message": "only told" }));
    assert_eq!(play.status(), "idle");
}

#[test]
fn an_instruction_that_was_discovered_is_for_people_only() {
    let mut play = Play::new();
    let found = json!({ "content": "<system_notification>Found AGENTS.md</system_notification>",
        "kind": { "type": "instruction_discovered" } });
    play.tell("system.notification", found);
    assert_eq!(play.timeline(), ["notice done: Found AGENTS.md"]);
    assert!(play.model_sees().is_empty());
    assert!(!play.session.state().entries[0].model_visible);
}

#[test]
fn system_messages_are_upserted_by_role_and_name() {
    let mut play = Play::new();
    let mut system = |role: &str, name: Value, content: &str| {
        play.tell("system.message", json!({ "role": role, "name": name, "content": content }));
    };
    system("system", Value::Null, "one");
    system("developer", json!("house"), "small commits");
    system("system", Value::Null, "two");
    system("developer", json!("language"), "German");
    system("developer", json!("house"), "tiny commits");
    play.tell("user.message", json!({ "messageId": "m", "content": "Hi" }));
    play.tell("system.message", json!({ "role": "system", "content": "three" }));
    let expected = ["system: three", "developer: tiny commits", "developer: German", "user: Hi"];
    assert_eq!(play.model_sees(), expected);
    assert_eq!(play.timeline(), ["user done: Hi"], "the model's instructions are not chat");
}

#[test]
fn what_is_for_people_only_never_enters_the_models_view() {
    let mut play = Play::new();
    for kind in ["session.info", "session.warning", "session.error"] {
        play.tell(kind, json!({ "message": "for people" }));
    }
    play.live("pending_messages.modified", json!({}));
    play.live(
        "session.custom_notification",
        json!({ "source": "bot", "name": "n", "payload": { "message": "for people" } }),
    );
    play.line(r#"{"kind":"add-timeline-entry","entry":{"type":"copilot","text":"for people"}}"#);
    assert_eq!(play.timeline().len(), 5);
    assert!(play.model_sees().is_empty());
    assert!(play.session.state().entries.iter().all(|entry| !entry.model_visible));
}

#[test]
fn a_platform_agent_runs_while_its_answer_streams() {
    let mut session = pilothouse::core::Session::new();
    let chunk = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\
             \"delta\":{{\"content\":\"{delta}\"}},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    session.push(chunk("Half", "null").as_bytes());
    assert_eq!(session.state().status(), "running");
    session.push(chunk(" and whole", "\"stop\"").as_bytes());
    assert_eq!(session.state().status(), "idle");
}

#[test]
fn what_a_command_returns_for_the_timeline_stands_there_with_its_types_looks() {
    let mut play = Play::new();
    let answer = |id: u32, kind: Value| {
        json!({ "jsonrpc": "2.0", "id": id,
            "result": { "kind": "add-timeline-entry", "entry": { "type": kind, "text": format!("entry {id}") } } })
    };
    let kinds = [
        ("info", "notice info/info"),
        ("warning", "notice warning/warning"),
        ("error", "notice error/error"),
        ("copilot", "assistant"),
        ("user", "user"),
        ("reasoning", "reasoning"),
        ("compaction", "compaction"),
        ("system_notification", "notice info/system_notification"),
        ("banner", "notice info/banner"),
    ];
    for (id, (kind, _)) in (1..).zip(&kinds) {
        play.line(&answer(id, json!(kind)).to_string());
    }
    play.line(&answer(10, Value::Null).to_string());
    let looks = |entry: &Entry| match &entry.body {
        Body::Notice(notice) if entry.kind == Kind::Notice => {
            format!("notice {}/{}", notice.level.word(), notice.category)
        }
        _ => entry.kind.word().to_owned(),
    };
    let entries = play.session.state().entries.iter();
    let shown: Vec<String> = entries.map(|entry| format!("{}: {}", looks(entry), text(entry))).collect();
    let looks = kinds.iter().map(|(_, looks)| *looks).chain(["notice info/info"]);
    let expected: Vec<String> = (1..).zip(looks).map(|(id, looks)| format!("{looks}: entry {id}")).collect();
    assert_eq!(shown, expected);
    assert!(play.model_sees().is_empty());
    assert!(play.session.state().diagnostics.is_empty());
}

#[test]
fn who_asked_gets_the_rest_of_a_commands_answer_and_the_entry_is_taken_once() {
    let mut session = pilothouse::core::Session::new();
    let answer = json!({ "kind": "add-timeline-entry", "entry": { "type": "error", "text": "No such server" },
        "prefillInput": "/mcp add " });
    let frame = json!({ "jsonrpc": "2.0", "id": 7, "result": answer }).to_string();
    let mut received = session.push_frame(&frame);
    let mut left = received.responses.remove(0).outcome.expect("an answer");
    assert_eq!(left, json!({ "kind": "add-timeline-entry", "prefillInput": "/mcp add " }));
    session.take_timeline_entry(&mut left);
    assert_eq!(session.state().entries.len(), 1);
    // An answer that did not come over the stream, such as one to a POST.
    let mut posted = answer;
    session.take_timeline_entry(&mut posted);
    assert_eq!(session.state().entries.len(), 2);
    assert!(posted.get("entry").is_none());
}
