//! Facts 27 to 29: resume, history, and events that rewrite the model's view.

use pilothouse::core::Kind;
use serde_json::json;

use crate::play::Play;

fn talk(play: &mut Play, number: u32) {
    play.tell(
        "user.message",
        json!({ "messageId": format!("m{number}"), "content": format!("question {number}") }),
    );
    play.tell(
        "assistant.message",
        json!({ "messageId": format!("a{number}"), "content": format!("answer {number}") }),
    );
}

#[test]
fn fact_27_a_stream_that_begins_with_a_resume_is_complete_once_history_came() {
    let history = [
        r#"{"type":"user.message","data":{"messageId":"m","content":"Hi"},"id":"1"}"#,
        r#"{"type":"assistant.message","data":{"messageId":"a","content":"Hello"},"id":"2"}"#,
        r#"{"type":"session.resume","data":{},"id":"3"}"#,
    ];
    let mut play = Play::new();
    for line in history.iter().chain(&history[2..]) {
        play.line(line);
    }
    assert_eq!(play.timeline(), ["user done: Hi", "assistant done: Hello", "notice done: Session resumed"]);
}

#[test]
fn fact_28_live_and_persisted_give_the_same_conversation() {
    let mut live = Play::new();
    live.tell("user.message", json!({ "messageId": "m", "content": "Hi" }));
    live.deltas("a", &["Hel", "lo"]).live("assistant.intent", json!({ "intent": "Greeting" }));
    live.tell("assistant.message", json!({ "messageId": "a", "content": "Hello" }))
        .live("session.idle", json!({}));
    let mut history = Play::new();
    history.tell("user.message", json!({ "messageId": "m", "content": "Hi" }));
    history.tell("assistant.message", json!({ "messageId": "a", "content": "Hello" }));
    assert_eq!(live.timeline(), history.timeline());
    assert_eq!(live.model_sees(), history.model_sees());
}

#[test]
fn fact_28_the_persisted_words_for_a_permission_mode_are_understood() {
    let mut live = Play::new();
    live.tell("session.permissions_changed", json!({ "previousMode": "manual", "mode": "allow-all" }));
    let mut history = Play::new();
    history.tell(
        "session.permissions_changed",
        json!({ "allowAllPermissions": true, "allowAllPermissionMode": "on" }),
    );
    assert_eq!(live.timeline(), history.timeline());
}

#[test]
fn fact_29_a_rewind_marks_the_timeline_and_rewrites_the_models_view() {
    let mut play = Play::new();
    talk(&mut play, 1);
    talk(&mut play, 2);
    play.live("session.snapshot_rewind", json!({ "upToEventId": "event-3", "eventsRemoved": 2 }));
    assert_eq!(play.model_sees(), ["user: question 1", "assistant: answer 1"]);
    assert_eq!(play.texts(Kind::Assistant), ["answer 1", "answer 2"], "what was said was said");
    assert!(play.timeline().last().unwrap().contains("Rewound"));
    let rewound = play.session.state().entries.iter().filter(|entry| entry.rewound);
    assert_eq!(rewound.map(|entry| &*entry.text).collect::<Vec<_>>(), ["question 2", "answer 2"]);
}

#[test]
fn fact_29_a_rewind_to_an_unknown_event_is_told_and_changes_nothing() {
    let mut play = Play::new();
    talk(&mut play, 1);
    play.live("session.snapshot_rewind", json!({ "upToEventId": "elsewhere", "eventsRemoved": 2 }));
    assert_eq!(play.model_sees().len(), 2);
    assert!(play.session.state().diagnostics[0].message.words().contains("elsewhere"));
}

#[test]
fn fact_29_truncation_takes_the_oldest_messages_and_keeps_instructions() {
    let mut play = Play::new();
    play.tell("system.message", json!({ "role": "system", "content": "Be kind." }));
    talk(&mut play, 1);
    talk(&mut play, 2);
    play.tell(
        "session.truncation",
        json!({ "messagesRemovedDuringTruncation": 2, "tokensRemovedDuringTruncation": 40 }),
    );
    assert_eq!(play.model_sees(), ["system: Be kind.", "user: question 2", "assistant: answer 2"]);
}

#[test]
fn fact_29_compaction_puts_a_summary_in_the_place_of_what_it_took() {
    let mut play = Play::new();
    play.tell("system.message", json!({ "role": "system", "content": "Be kind." }));
    talk(&mut play, 1);
    talk(&mut play, 2);
    play.tell("session.compaction_start", json!({}));
    let done =
        json!({ "success": true, "messagesRemoved": 3, "summaryContent": "Two questions, two answers." });
    play.tell("session.compaction_complete", done);
    let seen = play.model_sees();
    assert_eq!((seen.len(), seen[0].as_str()), (2, "system: Be kind."));
    assert!(seen[1].contains("Two questions, two answers.") && seen[1].contains("question 2"));
    assert_eq!(play.texts(Kind::Assistant), ["answer 1", "answer 2"]);
    assert_eq!(play.texts(Kind::Compaction), ["Compacted"]);
}

#[test]
fn fact_29_a_failed_compaction_leaves_the_models_view_alone() {
    let mut play = Play::new();
    talk(&mut play, 1);
    play.tell(
        "session.compaction_complete",
        json!({ "success": false, "error": "no model", "summaryContent": "x" }),
    );
    assert_eq!(play.model_sees().len(), 2);
    assert_eq!(play.texts(Kind::Compaction), ["Compaction failed: no model"]);
}

#[test]
fn fact_29_clearing_the_context_leaves_instructions_and_the_first_message() {
    let mut play = Play::new();
    play.tell("system.message", json!({ "role": "system", "content": "Be kind." }));
    talk(&mut play, 1);
    play.tell(
        "session.context_cleared",
        json!({ "messagesCleared": 2, "initialMessage": "Build the plan." }),
    );
    assert_eq!(play.model_sees(), ["system: Be kind.", "user: Build the plan."]);
    assert_eq!(play.texts(Kind::Assistant), ["answer 1"]);
}
