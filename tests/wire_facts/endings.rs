//! What an end closes: a test of each cell of the table in docs/design/endings.md, and what brings closed things back.

use pilothouse::core::model::entry::Body;
use pilothouse::core::model::request::{Ending, RequestStage};
use pilothouse::core::view_model::entry_words::text;
use serde_json::{Value, json};

use crate::play::Play;

/// The main agent and a sub-agent in the background, each with everything that can be open: a message (`m`), a reasoning
/// (`r`), a tool (`t`), a permission for another one (`p`), a question (`q`), and a compaction (`k`). The sub-agent's have a
/// `2` behind.
fn all_open() -> Play {
    let mut play = Play::new();
    play.tell("user.message", json!({ "content": "Go", "messageId": "u", "delivery": "idle" }));
    play.tell("assistant.turn_start", json!({ "turnId": "0" }));
    play.agent("a", "subagent.started", started());
    for (agent, mark) in [(None, ""), (Some("a"), "2")] {
        open_for(&mut play, agent, mark);
    }
    play
}

fn started() -> Value {
    json!({ "toolCallId": "task", "agentName": "g", "agentDisplayName": "g", "executionMode": "background" })
}

fn open_for(play: &mut Play, agent: Option<&str>, mark: &str) {
    let id = |name: &str| format!("{name}{mark}");
    let by = |agent: Option<&str>| agent.map_or(json!({}), |agent| json!({ "agentId": agent }));
    let mut tell = |kind: &str, data: Value| _ = play.event(kind, data, by(agent));
    tell("assistant.message_delta", json!({ "messageId": id("m"), "deltaContent": "Ha" }));
    tell("assistant.reasoning_delta", json!({ "reasoningId": id("r"), "deltaContent": "Hm" }));
    for tool in ["t", "asked"] {
        tell(
            "tool.execution_start",
            json!({ "toolCallId": id(tool), "toolName": "bash", "arguments": { "command": "ls" } }),
        );
    }
    tell("user_input.requested", json!({ "requestId": id("q"), "question": "Tea?" }));
    // As the runtime sends it: without an agent's id.
    play.tell(
        "permission.requested",
        json!({ "requestId": id("p"), "permissionRequest": { "kind": "shell", "fullCommandText": "ls", "toolCallId": id("asked") } }),
    );
    play.event("session.compaction_start", json!({}), {
        let mut more = by(agent);
        more["id"] = id("k").into();
        more
    });
}

/// What is open, in the order `m r t asked p q k`, first the main agent's, then the sub-agent's, then whether that runs.
fn open(play: &Play) -> String {
    let is_open = |id: &str| {
        let entry = play.entry(id);
        match &entry.body {
            Body::Request(request) => request.open(),
            _ => matches!(entry.state.word(), "streaming" | "running" | "pending"),
        }
    };
    let of = |mark: &str| {
        let names = ["m", "r", "t", "asked", "p", "q", "k"];
        let open: Vec<&str> = names.into_iter().filter(|name| is_open(&format!("{name}{mark}"))).collect();
        open.join(" ")
    };
    format!("{} | {} | {}", of(""), of("2"), if is_open("task") { "runs" } else { "over" })
}

const ALL: &str = "m r t asked p q k";

#[test]
fn an_end_closes_what_the_table_says() {
    let of = |agent: &'static str| json!({ "agentId": agent });
    let none = || json!({});
    let main = none;
    let cells: Vec<(&str, Value, Value, String)> = vec![
        ("assistant.turn_end", json!({}), main(), format!("t asked p q k | {ALL} | runs")),
        ("assistant.turn_end", json!({}), of("a"), format!("{ALL} | t asked p q k | runs")),
        ("assistant.turn_start", json!({}), main(), format!("t asked p q k | {ALL} | runs")),
        ("assistant.turn_start", json!({}), of("a"), format!("{ALL} | t asked p q k | runs")),
        ("assistant.turn_retry", json!({}), main(), format!("t asked p q k | {ALL} | runs")),
        ("assistant.idle", json!({}), main(), format!("{ALL} | {ALL} | runs")),
        ("session.idle", json!({}), main(), format!(" | {ALL} | runs")),
        ("session.idle", json!({}), of("a"), format!("{ALL} |  | runs")),
        ("session.context_cleared", json!({}), main(), format!("m r t asked p q | {ALL} | runs")),
        ("session.snapshot_rewind", json!({}), main(), format!("m r t asked p q | {ALL} | runs")),
        ("session.compaction_start", json!({}), main(), format!("m r t asked p q | {ALL} | runs")),
        ("session.compaction_start", json!({}), of("a"), format!("{ALL} | m r t asked p q | runs")),
        ("session.error", json!({ "message": "No" }), main(), format!("t asked p q | {ALL} | runs")),
        ("session.error", json!({ "message": "No" }), of("a"), format!("{ALL} | t asked p q | runs")),
        ("session.error", json!({ "errorType": "runtime_ended" }), main(), "asked p | asked p | over".into()),
        ("abort", json!({ "reason": "user_initiated" }), main(), " |  | over".into()),
        ("abort", json!({ "reason": "user_initiated" }), of("a"), format!("{ALL} |  | over")),
        ("subagent.completed", json!({ "toolCallId": "task" }), of("a"), format!("{ALL} |  | over")),
        ("subagent.failed", json!({ "toolCallId": "task" }), of("a"), format!("{ALL} |  | over")),
        ("subagent.completed", json!({ "toolCallId": "task" }), main(), format!("{ALL} |  | over")),
        ("subagent.completed", json!({ "toolCallId": "other" }), of("b"), format!("{ALL} | {ALL} | runs")),
        (
            "session.resume",
            json!({ "sessionWasActive": true }),
            main(),
            "m r t asked p k | m r t asked p k | runs".into(),
        ),
        ("session.resume", json!({ "sessionWasActive": false }), main(), "asked p | asked p | over".into()),
        (
            "session.resume",
            json!({ "sessionWasActive": false, "continuePendingWork": false }),
            main(),
            " |  | over".into(),
        ),
        ("session.shutdown", json!({}), main(), " |  | over".into()),
        ("session.shutdown", json!({}), of("a"), format!("{ALL} |  | runs")),
        ("session.info", json!({ "message": "Hi" }), main(), format!("{ALL} | {ALL} | runs")),
    ];
    for (kind, data, more, left) in cells {
        let mut play = all_open();
        assert_eq!(open(&play), format!("{ALL} | {ALL} | runs"));
        play.event(kind, data.clone(), more.clone());
        assert_eq!(open(&play), left, "{kind} {data} {more}");
    }
}

#[test]
fn a_second_sub_agent_keeps_its_own() {
    let mut play = all_open();
    play.agent(
        "b",
        "subagent.started",
        json!({ "toolCallId": "task3", "agentName": "h", "executionMode": "background" }),
    );
    open_for(&mut play, Some("b"), "3");
    play.agent("a", "subagent.completed", json!({ "toolCallId": "task" }));
    assert_eq!(play.pending(), ["q", "p", "q3", "p3"]);
    play.live("session.idle", json!({}));
    assert_eq!(play.pending(), ["q3", "p3"]);
    play.agent("b", "subagent.failed", json!({ "toolCallId": "task3" }));
    assert!(play.pending().is_empty());
}

#[test]
fn a_sub_agent_that_only_its_call_names_ends_with_what_is_its_own() {
    let mut play = Play::new();
    play.tell("subagent.started", json!({ "toolCallId": "task", "agentName": "g" }));
    let of_task = |id: &str| json!({ "toolCallId": id, "toolName": "bash", "parentToolCallId": "task" });
    play.tell("tool.execution_start", of_task("t"));
    play.tell(
        "permission.requested",
        json!({ "requestId": "p", "permissionRequest": { "kind": "read", "toolCallId": "t" } }),
    );
    play.live("session.idle", json!({}));
    assert_eq!(play.pending(), ["p"]);
    play.tell("subagent.completed", json!({ "toolCallId": "task" }));
    assert!(play.pending().is_empty());
    assert_eq!(play.entry("t").state.word(), "interrupted");
}

#[test]
fn a_permission_that_comes_before_its_call_is_its_agents() {
    let mut play = Play::new();
    play.agent("a", "subagent.started", started());
    play.tell(
        "permission.requested",
        json!({ "requestId": "p", "permissionRequest": { "kind": "read", "toolCallId": "t" } }),
    );
    play.agent("a", "tool.execution_start", json!({ "toolCallId": "t", "toolName": "view" }));
    play.live("session.idle", json!({}));
    assert_eq!(play.pending(), ["p"]);
}

#[test]
fn what_was_closed_too_early_comes_back() {
    let mut play = all_open();
    play.tell("abort", json!({ "reason": "user_initiated" }));
    play.agent("a", "assistant.message_delta", json!({ "messageId": "m2", "deltaContent": "!" }));
    play.agent("a", "tool.execution_partial_result", json!({ "toolCallId": "t2", "partialOutput": "a" }));
    play.agent("a", "session.compaction_complete", json!({ "success": true }));
    let listed = json!({ "requestId": "p2", "request": { "kind": "commands", "toolCallId": "asked2" } });
    play.session.permissions_listed(&[], vec![listed]);
    assert_eq!(open(&play), " | m t asked p | runs");
    assert_eq!(text(play.entry("k2")), "Compacted");
}

#[test]
fn a_sub_agent_that_a_stop_has_interrupted_ends_as_its_own_end_says() {
    for (kind, data, ended) in [
        ("subagent.completed", json!({ "toolCallId": "task", "durationMs": 5 }), "done"),
        ("subagent.failed", json!({ "toolCallId": "task", "error": "No" }), "failed"),
        ("subagent.completed", json!({ "toolCallId": "task", "cancelled": true }), "interrupted"),
    ] {
        let mut play = all_open();
        play.tell("abort", json!({ "reason": "user_initiated" }));
        play.agent("a", kind, data);
        // It is reported again at shutdown, as cancelled.
        play.agent("a", "subagent.completed", json!({ "toolCallId": "task", "cancelled": true }));
        assert_eq!(play.entry("task").state.word(), ended, "{kind}");
    }
    for (kind, data) in [
        ("assistant.turn_start", json!({ "turnId": "1" })),
        ("tool.execution_start", json!({ "toolCallId": "next", "toolName": "bash" })),
    ] {
        let mut play = all_open();
        play.tell("abort", json!({ "reason": "user_initiated" }));
        play.agent("a", kind, data);
        assert_eq!(play.entry("task").state.word(), "running", "it was not stopped: {kind}");
    }
}

fn listed(id: &str) -> Value {
    json!({ "requestId": id, "request": { "kind": "commands", "fullCommandText": "ls", "toolCallId": "asked" } })
}

#[test]
fn what_the_runtime_lists_is_open_whatever_the_log_said() {
    for (kind, data) in [
        ("session.shutdown", json!({})),
        ("session.idle", json!({})),
        ("abort", json!({ "reason": "user_initiated" })),
        ("session.error", json!({ "errorType": "runtime_ended" })),
    ] {
        let mut play = all_open();
        play.event(kind, data, json!({}));
        play.session.permissions_listed(&[], vec![listed("p")]);
        assert!(play.pending().contains(&"p".to_owned()), "{kind}");
        assert_eq!(play.entry("asked").state.word(), "running", "{kind}");
        play.tell("session.resume", json!({ "sessionWasActive": false, "continuePendingWork": true }));
        assert_eq!(play.status(), "waiting", "{kind}");
    }
    let mut play = all_open();
    play.session.answer_sending("p", Ending::new("rejected", "Rejected"));
    play.session.answer_refused("p");
    play.session.permissions_listed(&[], vec![listed("p")]);
    assert!(play.pending().contains(&"p".to_owned()), "that was not the last word");
}

#[test]
fn what_is_known_better_than_the_list_stays() {
    let mut play = all_open();
    play.tell(
        "tool.execution_complete",
        json!({ "toolCallId": "asked", "success": true, "result": { "content": "" } }),
    );
    play.session.permissions_listed(&[], vec![listed("p")]);
    assert!(!play.pending().contains(&"p".to_owned()), "its call has ended");
    let mut play = all_open();
    play.tell("permission.completed", json!({ "requestId": "p", "result": { "kind": "approved" } }));
    play.session.permissions_listed(&[], vec![listed("p")]);
    assert!(!play.pending().contains(&"p".to_owned()), "it was answered");
}

#[test]
fn a_sub_agent_that_asks_after_a_restart_runs() {
    let mut play = all_open();
    play.tell("session.shutdown", json!({}));
    play.tell("session.resume", json!({ "sessionWasActive": false, "continuePendingWork": true }));
    assert_eq!(play.entry("task").state.word(), "interrupted");
    let listed = json!({ "requestId": "p2", "request": { "kind": "commands", "toolCallId": "asked2" } });
    play.session.permissions_listed(&[], vec![listed]);
    assert_eq!((play.entry("task").state.word(), play.pending()), ("running", vec!["p2".to_owned()]));
}

#[test]
fn a_compaction_says_in_words_that_it_was_interrupted() {
    let mut play = Play::new();
    for id in ["k1", "k2"] {
        play.event("session.compaction_start", json!({}), json!({ "id": id }));
    }
    assert_eq!(
        (text(play.entry("k1")), text(play.entry("k2"))),
        ("Compaction interrupted".into(), "Compacting the conversation".into())
    );
    let done = json!({ "success": true, "preCompactionTokens": 9, "postCompactionTokens": 2 });
    play.tell("session.compaction_complete", done.clone());
    assert_eq!(
        (text(play.entry("k2")), play.entry("k2").state.word()),
        ("Compacted: 9 → 2 tokens".into(), "done")
    );
    assert_eq!(play.entry("k1").state.word(), "interrupted");
    play.event("session.compaction_start", json!({}), json!({ "id": "k3" }));
    play.live("session.error", json!({ "message": "No" }));
    assert_eq!(text(play.entry("k3")), "Compaction interrupted");
    play.tell("session.compaction_complete", done);
    assert_eq!(text(play.entry("k3")), "Compacted: 9 → 2 tokens", "it went on after all");
    for end in ["session.idle", "session.context_cleared", "abort", "session.shutdown", "session.resume"] {
        play.event("session.compaction_start", json!({}), json!({ "id": end }));
        play.tell(end, json!({}));
        assert_eq!(text(play.entry(end)), "Compaction interrupted", "{end}");
    }
}

#[test]
fn an_answer_that_lost_says_that_another_one_counted() {
    let ended = |play: &mut Play, word: &str| {
        play.tell("permission.completed", json!({ "requestId": "p", "result": { "kind": word } }));
        match &play.entry("p").request().expect("a request").stage {
            RequestStage::Settled { by, .. } => by.word(),
            _ => "open",
        }
    };
    let reject = || Ending::new("denied-interactively-by-user", "Rejected");
    let refused: fn(&mut Play) = |play| play.session.answer_refused("p");
    let unsent: fn(&mut Play) = |play| play.session.answer_unsent("p");
    let unsure: fn(&mut Play) = |play| play.session.answer_unsure("p");
    for (how, fate) in [("refused", refused), ("unsent", unsent), ("unsure", unsure), ("on its way", |_| ())]
    {
        let mut play = all_open();
        play.session.answer_sending("p", reject());
        fate(&mut play);
        assert_eq!(ended(&mut play, "approved"), "elsewhere", "{how}");
    }
    let mut play = all_open();
    play.session.answer_sending("p", reject());
    play.session.answer_unsent("p");
    assert_eq!(ended(&mut play, "denied-by-rules"), "rule");
    let mut play = all_open();
    play.session.answer_sending("p", reject());
    let life = RequestStage::Settled {
        ending: Ending::new("approved", "Allowed once"),
        by: pilothouse::core::model::request::AnsweredBy::Unknown,
    };
    play.session.request_ended("p", life);
    assert_eq!(ended(&mut play, "approved"), "elsewhere", "as a view knows that gave no answer");
    let mut play = all_open();
    assert_eq!(ended(&mut play, "approved"), "unknown", "nobody answered here");
}
