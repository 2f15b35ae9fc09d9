//! Facts 7 to 15: messages of the model, of people and of the runtime.

use pilothouse::core::Kind;
use pilothouse::core::model::entry::Body;
use pilothouse::core::view_model::{entry_words, snapshot};
use serde_json::json;

use crate::play::{Play, state};

#[test]
fn fact_07_the_final_message_is_authoritative() {
    let mut play = Play::new();
    play.deltas("a", &["Helo ", "wrld"]);
    play.tell("assistant.message", json!({ "messageId": "a", "content": "Hello world" }));
    play.deltas("a", &[" and a late delta"]);
    assert_eq!(play.timeline(), ["assistant done: Hello world"]);
}

#[test]
fn fact_07_the_final_thought_beats_its_deltas() {
    let mut play = Play::new();
    play.live("assistant.reasoning_delta", json!({ "reasoningId": "r", "deltaContent": "  Hm.\n\n" }));
    play.live("assistant.reasoning", json!({ "reasoningId": "r", "content": "Hm." }));
    assert_eq!(play.timeline(), ["reasoning done: Hm."]);
}

#[test]
fn fact_08_an_orphan_keeps_its_text_and_says_that_it_was_interrupted() {
    let mut aborted = Play::new();
    aborted.live("assistant.message_start", json!({ "messageId": "a" })).deltas("a", &["Half a sen"]);
    aborted.tell("abort", json!({ "reason": "user_initiated" }));
    assert_eq!(aborted.timeline(), ["assistant interrupted: Half a sen", "notice done: Stopped by you"]);

    let mut retried = Play::new();
    retried.tell("assistant.turn_start", json!({ "turnId": "0" })).deltas("a", &["Half"]);
    retried.live("assistant.turn_retry", json!({})).deltas("b", &["Who"]);
    retried.tell("assistant.message", json!({ "messageId": "b", "content": "Whole" }));
    assert_eq!(retried.timeline(), ["assistant interrupted: Half", "assistant done: Whole"]);
}

#[test]
fn fact_09_a_final_message_needs_no_start_and_no_delta() {
    let mut play = Play::new();
    play.tell("assistant.message", json!({ "messageId": "a", "content": "All at once" }));
    play.tell("assistant.message", json!({ "messageId": "b", "content": "" }));
    assert_eq!(
        play.timeline(),
        ["assistant done: All at once", "assistant done: "],
        "an empty answer is told"
    );
}

#[test]
fn fact_10_a_message_is_committed_before_the_session_is_idle() {
    let mut play = Play::new();
    play.deltas("a", &["Do"]).tell("assistant.message", json!({ "messageId": "a", "content": "Done" }));
    assert_eq!(state(play.entry("a")), "done");
    assert!(!play.entry("a").ephemeral());
    play.tell("assistant.turn_end", json!({ "turnId": "0" }));
    play.live("session.idle", json!({}));
    assert_eq!(play.timeline(), ["assistant done: Done"]);
}

#[test]
fn fact_11_what_belongs_together_is_told_by_ids_not_by_nearness() {
    let mut play = Play::new();
    let mut delta = |agent: &str, message: &str, text: &str| {
        let data = json!({ "messageId": message, "deltaContent": text });
        play.event("assistant.message_delta", data, json!({ "agentId": agent, "ephemeral": true }));
    };
    delta("one", "a", "A1 ");
    delta("two", "b", "B1 ");
    delta("one", "a", "A2");
    delta("two", "b", "B2");
    play.live("tool.execution_partial_result", json!({ "toolCallId": "t", "partialOutput": "out" }));
    play.live(
        "assistant.reasoning_delta",
        json!({ "reasoningId": "a", "deltaContent": "same id, other family" }),
    );
    assert_eq!(play.texts(Kind::Assistant), ["A1 A2", "B1 B2"]);
    assert_eq!(play.texts(Kind::Reasoning), ["same id, other family"]);
    assert_eq!(play.entry("b").agent_id.as_deref(), Some("two"));
}

#[test]
fn fact_12_a_thought_is_told_once_live_and_once_in_history() {
    let thought = json!({ "messageId": "a", "content": "Four.", "reasoningText": "Two and two." });
    let mut live = Play::new();
    live.live("assistant.reasoning_delta", json!({ "reasoningId": "r", "deltaContent": "Two and" }));
    live.live("assistant.reasoning", json!({ "reasoningId": "r", "content": "Two and two." }));
    live.tell("assistant.message", thought.clone());
    let mut history = Play::new();
    history.tell("assistant.message", thought);
    let expected = ["reasoning done: Two and two.", "assistant done: Four."];
    assert_eq!(live.timeline(), expected);
    assert_eq!(history.timeline(), expected);
    assert_eq!(live.model_sees(), ["assistant: Four."], "thoughts are not sent back");
}

#[test]
fn fact_12_a_thought_that_comes_after_its_message_is_the_same_thought() {
    let mut play = Play::new();
    play.tell(
        "assistant.message",
        json!({ "messageId": "a", "content": "Four.", "reasoningText": "Two and two." }),
    );
    play.live("assistant.reasoning", json!({ "reasoningId": "r", "content": "Two and two." }));
    assert_eq!(play.texts(Kind::Reasoning), ["Two and two."]);
}

#[test]
fn fact_13_the_turn_id_is_no_key_and_model_calls_are_turn_starts() {
    let mut play = Play::new();
    for message in ["a", "b"] {
        play.tell("assistant.turn_start", json!({ "turnId": "0" }));
        play.tell("assistant.message", json!({ "messageId": message, "content": message }));
        play.tell("assistant.turn_end", json!({ "turnId": "0" }));
    }
    assert_eq!(play.texts(Kind::Assistant), ["a", "b"]);
    assert_eq!(play.session.state().llm_calls, 2);
}

#[test]
fn fact_14_people_see_what_they_wrote_and_the_model_sees_what_was_made_of_it() {
    let mut play = Play::new();
    let data = json!({ "messageId": "m", "content": "Fix it", "transformedContent": "<now>10:00</now>\nFix it",
        "delivery": "steering", "source": "user" });
    play.tell("user.message", data);
    assert_eq!(play.timeline(), ["user done: Fix it"]);
    assert_eq!(play.model_sees(), ["user: <now>10:00</now>\nFix it"]);
    let head = snapshot::head(play.entry("m"));
    assert_eq!(head["delivery"], "steering");
}

#[test]
fn fact_14_an_attachment_says_if_the_model_did_not_get_it() {
    let mut play = Play::new();
    let attached = |name: &str, reason: &str| json!({ "type": "blob", "mimeType": "image/png", "displayName": name, "omittedReason": reason });
    let attachments = [attached("boat.png", "unsupported_format"), attached("pier.png", "asset_unavailable")];
    play.tell("user.message", json!({ "messageId": "m", "content": "Look", "attachments": attachments }));
    let Body::User(message) = &play.entry("m").body else { panic!("a person's message") };
    assert_eq!(entry_words::attachment_labels(message), ["boat.png (not given to the model)", "pier.png"]);
    assert_eq!(message.attachments, ["boat.png", "pier.png"], "by which it is found again");
}

#[test]
fn fact_14_the_autopilot_nudge_is_not_the_persons_words() {
    let mut play = Play::new();
    let nudge = json!({ "messageId": "m", "content": "", "transformedContent": "Keep going.", "isAutopilotContinuation": true });
    play.tell("user.message", nudge);
    assert_eq!(play.timeline(), ["notice done: Autopilot goes on"]);
    assert_eq!(play.model_sees(), ["user: Keep going."]);
}

#[test]
fn fact_15_a_notification_starts_a_turn_and_people_see_no_tags() {
    let mut play = Play::new();
    let told = "<system_notification>\nTests are done.\n</system_notification>";
    play.tell("system.notification", json!({ "content": told, "kind": { "type": "shell_completed" } }));
    play.tell("assistant.turn_start", json!({ "turnId": "0" }));
    assert_eq!(play.timeline(), ["notice done: Tests are done."]);
    assert_eq!(play.model_sees(), [format!("user: {told}")]);
    assert_eq!(play.status(), "running");
}

#[test]
fn fact_8_what_was_never_completed_is_not_what_the_model_sees() {
    let mut play = Play::new();
    play.deltas("cut", &["Half of ", "it"]);
    assert!(play.entry("cut").model_visible, "it is being said");
    play.live(
        "assistant.tool_call_delta",
        json!({ "toolCallId": "t", "toolName": "bash", "inputDelta": "{" }),
    );
    play.tell("abort", json!({ "reason": "user_initiated" }));
    for (id, what) in [("cut", "a message"), ("t", "a call that no message asks for")] {
        assert_eq!(state(play.entry(id)), "interrupted", "{id}");
        assert!(!play.entry(id).model_visible, "{what} is in no history of the model's");
    }
    assert!(play.model_sees().is_empty());
    play.tell("assistant.message", json!({ "messageId": "cut", "content": "Half of it, and the rest" }));
    assert!(play.entry("cut").model_visible, "after all");
    assert_eq!(play.model_sees(), ["assistant: Half of it, and the rest"]);
}
