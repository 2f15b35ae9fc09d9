//! Facts 20 to 26: requests that need a person, and the queue.

use pilothouse::core::Kind;
use pilothouse::core::model::answer::Answer;
use pilothouse::core::model::request::{AnsweredBy, RequestStage};
use pilothouse::core::view_model::entry_words::{request_gone, request_outcome, text};
use pilothouse::core::view_model::tool_summary::sentence;
use serde_json::{Value, json};

use crate::play::{Play, state};

const LIMITS: (&str, &str) = ("session_limits_exhausted.requested", "session_limits_exhausted.completed");

fn asked(details: Value) -> Play {
    let mut play = Play::new();
    play.tell("permission.requested", json!({ "requestId": "p", "permissionRequest": details }));
    play
}

/// Ends the request `q`, in this way.
fn end(play: &mut Play, event: &str, how: &Value) {
    let mut data = json!({ "requestId": "q" });
    data.as_object_mut().unwrap().extend(how.as_object().unwrap().clone());
    play.live(event, data);
}

fn outcome(play: &Play, id: &str) -> String {
    match &play.entry(id).request().expect("a request").stage {
        RequestStage::Settled { ending, .. } => request_outcome(ending),
        RequestStage::Stale { why, .. } => format!("stale: {}", request_gone(*why)),
        open => format!("{open:?}"),
    }
}

#[test]
fn a_command_that_is_a_list_is_the_command() {
    let play =
        asked(json!({ "kind": "shell", "fullCommandText": ["bash", "-c", "rm -rf ~"], "commands": ["bash"],
        "possiblePaths": { "path": "~" }, "toolCallId": "t" }));
    let request = play.entry("p").request().expect("a request");
    let permission = request.permission().expect("a permission");
    assert_eq!(text(play.entry("p")), "bash -c 'rm -rf ~'");
    assert_eq!(permission["fullCommandText"], "bash -c 'rm -rf ~'");
    assert_eq!(permission["possiblePaths"], json!([{ "path": "~" }]));
}

#[test]
fn fact_20_a_permission_is_persisted_and_nothing_of_it_is_lost() {
    let whole = json!({ "kind": "shell", "fullCommandText": "rm -rf build && make", "possiblePaths": ["build"],
        "possibleUrls": [], "commandSegments": [{ "text": "rm -rf build" }], "hasWriteFileRedirection": false,
        "canOfferSessionApproval": false, "riskAssessment": { "level": "high" } });
    let play = asked(whole.clone());
    assert!(!play.entry("p").ephemeral());
    assert_eq!(play.entry("p").text, "rm -rf build && make");
    assert_eq!(play.entry("p").request().and_then(|request| request.permission()), Some(&whole));
}

#[test]
fn fact_21_every_decision_that_is_recorded_is_told_in_words() {
    for (word, told) in [
        ("approved", "Allowed once"),
        ("approved-for-session", "Allowed for this session"),
        ("approved-for-location", "Allowed in this folder"),
        ("denied-by-rules", "Denied by a rule"),
        ("denied-interactively-by-user", "Rejected"),
        ("denied-no-approval-rule-and-could-not-request-from-user", "Denied: nobody could be asked"),
        ("denied-by-content-exclusion-policy", "Denied by the content exclusion policy"),
        ("something-new", "Decided (something new)"),
    ] {
        let mut play = asked(json!({ "kind": "read", "path": "a" }));
        play.tell("permission.completed", json!({ "requestId": "p", "result": { "kind": word } }));
        assert_eq!(outcome(&play, "p"), told);
        assert!(play.pending().is_empty());
    }
}

#[test]
fn fact_22_an_open_permission_survives_a_resume_and_questions_do_not() {
    let mut play = asked(json!({ "kind": "read", "path": "a" }));
    play.live("user_input.requested", json!({ "requestId": "q", "question": "Tea?" }));
    play.live("elicitation.requested", json!({ "requestId": "f", "message": "Fill in" }));
    play.tell("session.resume", json!({}));
    assert_eq!(play.pending(), ["p"]);
    assert!(outcome(&play, "q").starts_with("stale: "));
    play.tell("permission.requested", json!({ "requestId": "p", "permissionRequest": { "kind": "read" } }));
    assert_eq!(play.pending(), ["p"], "asked again under the old id it is the same card");
}

/// The schema says of `continuePendingWork: false`: pending work is interrupted, unless somebody else is at
/// work on it.
#[test]
fn fact_22_a_resume_that_gives_up_pending_work_ends_its_permissions() {
    for (resume, open) in [
        (json!({ "sessionWasActive": false, "continuePendingWork": false }), false),
        (json!({ "sessionWasActive": true, "continuePendingWork": false }), true),
        (json!({ "sessionWasActive": false, "continuePendingWork": true }), true),
        (json!({ "sessionWasActive": false }), true),
    ] {
        let mut play = asked(json!({ "kind": "shell", "fullCommandText": "ls", "toolCallId": "t" }));
        play.tell("session.resume", resume.clone());
        assert_eq!(play.pending().is_empty(), !open, "{resume}");
        play.session.permissions_listed(&["p".to_owned()], vec![listed("p", "t")]);
        assert_eq!(play.pending().is_empty(), !open, "{resume}: that the runtime lists it changes nothing");
    }
}

/// A session whose process ended while a call waited for a permission, and was started again.
fn killed_while_asking() -> Play {
    let mut play = Play::new();
    play.tell("user.message", json!({ "content": "Go", "messageId": "u" }));
    for id in ["other", "t"] {
        play.tell(
            "tool.execution_start",
            json!({ "toolCallId": id, "toolName": "bash", "arguments": { "command": "ls" } }),
        );
    }
    let whole = json!({ "kind": "shell", "fullCommandText": "ls", "toolCallId": "t" });
    play.tell("permission.requested", json!({ "requestId": "p", "permissionRequest": whole }));
    play.tell("session.resume", json!({ "sessionWasActive": false, "continuePendingWork": true }));
    play
}

fn sentence_of(play: &Play, id: &str) -> String {
    let call = play.entry(id).tool().expect("a tool call");
    let said = sentence(call, None, None);
    format!("{} · {}", said.words(), play.entry(id).state.word())
}

#[test]
fn fact_22_a_call_that_is_still_asked_for_waits_and_runs_when_it_is_allowed() {
    let mut play = killed_while_asking();
    assert_eq!(play.pending(), ["p"]);
    assert_eq!(sentence_of(&play, "t"), "Waiting to run ls · running");
    assert_eq!(sentence_of(&play, "other"), "Stopped: running ls · interrupted", "nothing is asked about it");
    play.tell("permission.completed", json!({ "requestId": "p", "result": { "kind": "approved" } }));
    play.tell(
        "tool.execution_start",
        json!({ "toolCallId": "t", "toolName": "bash", "arguments": { "command": "ls" } }),
    );
    assert_eq!(sentence_of(&play, "t"), "Running ls · running");
    play.tell(
        "tool.execution_complete",
        json!({ "toolCallId": "t", "success": true, "result": { "content": "a" } }),
    );
    assert_eq!(sentence_of(&play, "t"), "Ran ls · done");
    assert_eq!(
        play.session.snapshot()["timeline"][0]["turn"]["tools"],
        2,
        "two calls, however often they start"
    );
}

#[test]
fn fact_22_a_call_that_is_not_asked_for_any_more_after_a_resume_did_not_run() {
    let mut play = killed_while_asking();
    play.session.permissions_listed(&["p".to_owned()], Vec::new());
    assert_eq!(sentence_of(&play, "t"), "Did not run ls · interrupted");
    play.session.permissions_listed(&[], vec![listed("p", "t")]);
    assert_eq!(sentence_of(&play, "t"), "Waiting to run ls · running", "until it is asked for again");
}

#[test]
fn what_the_runtime_calls_interrupted_is_neither_failed_nor_undone() {
    let mut play = Play::new();
    let interrupted = json!({ "message": "The execution of this tool, or a previous tool was interrupted.", "code": "interrupted" });
    let ask = json!({ "toolCallId": "q", "toolName": "ask_user", "arguments": { "question": "Tea?" } });
    let run = json!({ "toolCallId": "r", "toolName": "bash", "arguments": { "command": "ls" } });
    for call in [&ask, &run] {
        play.tell("tool.execution_start", call.clone());
    }
    play.live("user_input.requested", json!({ "requestId": "i", "question": "Tea?", "toolCallId": "q" }));
    play.tell("session.resume", json!({ "sessionWasActive": false }));
    play.tell(
        "assistant.message",
        json!({ "messageId": "m", "content": "", "toolRequests": [
        { "toolCallId": "n", "name": "bash", "arguments": { "command": "ls" } },
    ] }),
    );
    for id in ["q", "r", "n"] {
        play.tell(
            "tool.execution_complete",
            json!({ "toolCallId": id, "success": false, "error": interrupted }),
        );
    }
    assert_eq!(sentence_of(&play, "q"), "Asked you: Tea? · interrupted");
    assert_eq!(sentence_of(&play, "r"), "Stopped: running ls · interrupted", "nobody knows how far it came");
    assert_eq!(sentence_of(&play, "n"), "Did not run ls · interrupted", "it had not begun");
}

/// Agents over ACP take a request back when another one was rejected, before or after they say that the call failed.
#[test]
fn a_call_whose_permission_was_taken_back_did_not_run() {
    let command = json!({ "kind": "shell", "toolCallId": "t", "fullCommandText": "touch two" });
    let start = json!({ "toolCallId": "t", "toolName": "bash", "arguments": { "command": "touch two" } });
    let taken_back = json!({ "requestId": "p", "toolCallId": "t", "result": { "kind": "cancelled" } });
    let taken_back = ("permission.completed", taken_back);
    let error = json!({ "message": "The user rejected permission to use this specific tool call." });
    let failed = ("tool.execution_complete", json!({ "toolCallId": "t", "success": false, "error": error }));
    for ends in [[taken_back.clone(), failed.clone()], [failed, taken_back]] {
        let mut play = Play::new();
        play.tell("tool.execution_start", start.clone());
        let asked = json!({ "requestId": "p", "permissionRequest": command, "agentOptions": [] });
        play.live("permission.requested", asked);
        assert_eq!(sentence_of(&play, "t"), "Waiting to run touch two · running");
        for (kind, data) in ends {
            play.tell(kind, data);
        }
        assert_eq!(sentence_of(&play, "t"), "Did not run touch two · denied");
    }
}

fn listed(id: &str, call: &str) -> Value {
    let request = json!({ "kind": "commands", "fullCommandText": "ls", "toolCallId": call,
        "commandIdentifiers": ["ls"], "canOfferSessionApproval": true });
    json!({ "requestId": id, "request": request })
}

#[test]
fn fact_22_what_the_runtime_does_not_list_any_more_is_stale_until_it_is_listed_again() {
    let mut play = asked(json!({ "kind": "read", "path": "a" }));
    let held = ["p".to_owned()];
    play.session.permissions_listed(&held, vec![listed("p", "t")]);
    assert_eq!(play.pending(), ["p"]);
    play.session.permissions_listed(&[], Vec::new());
    assert_eq!(play.pending(), ["p"], "it was not open when we asked");
    play.session.permissions_listed(&held, Vec::new());
    assert_eq!(outcome(&play, "p"), "stale: No longer asked");
    play.session.permissions_listed(&[], vec![listed("p", "t")]);
    assert_eq!(play.pending(), ["p"]);
    play.tell("permission.completed", json!({ "requestId": "p", "result": { "kind": "approved" } }));
    play.session.permissions_listed(&[], vec![listed("p", "t")]);
    assert!(play.pending().is_empty(), "what is settled stays so");
}

#[test]
fn fact_22_what_only_the_runtime_knows_is_opened_and_its_event_tells_the_rest() {
    let mut play = Play::new();
    play.tell("tool.execution_start", json!({ "toolCallId": "over", "toolName": "bash" }));
    play.tell("tool.execution_complete", json!({ "toolCallId": "over", "success": true }));
    play.session
        .permissions_listed(&[], vec![listed("n", "t"), listed("o", "over"), json!({ "requestId": "x" })]);
    assert_eq!(play.pending(), ["n"], "what ended, and what says nothing, is not asked");
    let known = play.entry("n").request().expect("a request").clone();
    assert!(known.is_summary());
    assert_eq!(play.entry("n").text, "ls");
    let whole = json!({ "kind": "shell", "fullCommandText": "ls && pwd", "toolCallId": "t" });
    play.tell("permission.requested", json!({ "requestId": "n", "permissionRequest": whole }));
    assert_eq!(play.pending(), ["n"]);
    assert!(!play.entry("n").request().expect("a request").is_summary());
    assert_eq!(play.entry("n").text, "ls && pwd");
}

#[test]
fn fact_22_a_request_whose_tool_completed_or_whose_turn_was_aborted_is_stale() {
    let mut completed = asked(json!({ "kind": "shell", "toolCallId": "t" }));
    completed.tell("tool.execution_complete", json!({ "toolCallId": "t", "success": true }));
    assert_eq!(outcome(&completed, "p"), "stale: The tool call ended without an answer");

    let mut aborted = asked(json!({ "kind": "read", "path": "a" }));
    aborted.tell("abort", json!({ "reason": "user_initiated" }));
    assert_eq!(outcome(&aborted, "p"), "stale: The turn was stopped");
    assert_eq!(aborted.status(), "idle");
}

#[test]
fn what_a_sub_agent_asked_is_stale_when_that_agent_ended_or_was_stopped() {
    let cases = [
        ("subagent.completed", json!({ "toolCallId": "task" }), "stale: The turn ended without an answer"),
        (
            "subagent.failed",
            json!({ "toolCallId": "task", "error": "x" }),
            "stale: The turn ended without an answer",
        ),
        ("abort", json!({ "reason": "user_initiated" }), "stale: The turn was stopped"),
    ];
    for (ended, data, expected) in cases {
        let mut play = Play::new();
        play.tell("subagent.started", json!({ "toolCallId": "task" }));
        for (agent, call) in [("helper", "t"), ("other", "u")] {
            let data = json!({ "toolCallId": call, "toolName": "bash" });
            play.event("tool.execution_start", data, json!({ "agentId": agent }));
            let asked = json!({ "requestId": agent, "permissionRequest": { "toolCallId": call } });
            play.tell("permission.requested", asked);
        }
        play.event(ended, data, json!({ "agentId": "helper" }));
        assert_eq!(outcome(&play, "helper"), expected, "{ended}");
        assert_eq!(play.pending(), ["other"], "{ended}: the other agent still waits");
    }
}

#[test]
fn fact_22_a_reject_with_or_without_feedback_is_a_denial() {
    for code in ["rejected", "denied"] {
        let mut play = Play::new();
        play.tell("tool.execution_start", json!({ "toolCallId": "t", "toolName": "bash" }));
        let error = json!({ "message": "The user rejected this tool call.", "code": code });
        play.tell("tool.execution_complete", json!({ "toolCallId": "t", "success": false, "error": error }));
        assert_eq!(state(play.entry("t")), "denied", "{code}");
    }
}

#[test]
fn fact_23_another_viewers_answer_closes_the_card_and_ours_is_refused() {
    let mut play = asked(json!({ "kind": "read", "path": "a" }));
    play.session.answer_sending("p", Answer::Reject { feedback: None }.ending());
    assert_eq!(play.pending(), ["p"], "an answer in flight is not settled");
    play.tell("permission.completed", json!({ "requestId": "p", "result": { "kind": "approved" } }));
    play.session.answer_refused("p");
    assert_eq!(outcome(&play, "p"), "Allowed once");
    let request = &play.session.snapshot()["timeline"][0]["request"];
    assert_eq!(request["elsewhere"], true);
    assert!(play.pending().is_empty());
}

#[test]
fn fact_23_whose_answer_counted_does_not_hang_on_words() {
    let by = |play: &Play| match &play.entry("q").request().expect("a request").stage {
        RequestStage::Settled { by, .. } => *by,
        open => panic!("{open:?}"),
    };
    for (theirs, whose) in [("Tea: green", AnsweredBy::Here), ("Tea", AnsweredBy::Elsewhere)] {
        let mut play = Play::new();
        play.live("user_input.requested", json!({ "requestId": "q", "question": "Tea?" }));
        let answer = Answer::Reply { answer: "Tea: green".to_owned(), was_freeform: true };
        play.session.answer_sending("q", answer.ending());
        play.live("user_input.completed", json!({ "requestId": "q", "answer": theirs }));
        assert_eq!(by(&play), whose, "{theirs}");
    }
    let mut refused = Play::new();
    refused.live("user_input.requested", json!({ "requestId": "q", "question": "Tea?" }));
    let answer = Answer::Reply { answer: "Tea".to_owned(), was_freeform: true };
    refused.session.answer_sending("q", answer.ending());
    refused.session.answer_refused("q");
    assert_eq!(outcome(&refused, "q"), "stale: Answered elsewhere, or no longer asked");
    refused.live("user_input.completed", json!({ "requestId": "q", "answer": "Tea" }));
    assert_eq!(by(&refused), AnsweredBy::Elsewhere);
    let mut ruled = Play::new();
    ruled.tell("permission.requested", json!({ "requestId": "q", "permissionRequest": { "kind": "read" } }));
    ruled.tell("permission.completed", json!({ "requestId": "q", "result": { "kind": "denied-by-rules" } }));
    assert_eq!(by(&ruled), AnsweredBy::Rule);
}

#[test]
fn what_a_hook_decided_is_asked_of_nobody() {
    let mut play = Play::new();
    let details = json!({ "kind": "read", "path": "a" });
    let request = |hook: bool, id: &str| json!({ "requestId": id, "permissionRequest": details, "resolvedByHook": hook });
    play.tell("permission.requested", request(true, "hooked"));
    play.tell("permission.requested", request(false, "open"));
    assert_eq!(play.pending(), ["open"]);
    assert_eq!(outcome(&play, "hooked"), "Decided by a hook");
}

#[test]
fn every_end_of_the_other_requests_is_told_in_words() {
    let credits = |action: &str, more: Value| {
        let mut response = json!({ "action": action });
        response.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "response": response })
    };
    for (asks, ends, how, told) in [
        ("elicitation.requested", "elicitation.completed", json!({ "action": "accept" }), "Filled in"),
        ("elicitation.requested", "elicitation.completed", json!({ "action": "decline" }), "Declined"),
        ("elicitation.requested", "elicitation.completed", json!({ "action": "cancel" }), "Cancelled"),
        ("elicitation.requested", "elicitation.completed", json!({ "action": "later" }), "Decided (later)"),
        (
            "auto_mode_switch.requested",
            "auto_mode_switch.completed",
            json!({ "response": "yes" }),
            "Switched to auto mode",
        ),
        (
            "auto_mode_switch.requested",
            "auto_mode_switch.completed",
            json!({ "response": "yes_always" }),
            "Switched to auto mode for good",
        ),
        (LIMITS.0, LIMITS.1, credits("add", json!({ "additionalAiCredits": 5 })), "Limit raised by: 5"),
        (LIMITS.0, LIMITS.1, credits("add", json!({})), "Limit raised"),
        (LIMITS.0, LIMITS.1, credits("set", json!({ "maxAiCredits": 50 })), "Limit set to: 50"),
        (LIMITS.0, LIMITS.1, credits("set", json!({})), "Limit set"),
        (LIMITS.0, LIMITS.1, credits("unset", json!({})), "Limit removed"),
        (LIMITS.0, LIMITS.1, credits("cancel", json!({})), "Stopped at the limit"),
        (LIMITS.0, LIMITS.1, credits("later", json!({})), "Decided (later)"),
        ("mcp.oauth_required", "mcp.oauth_completed", json!({ "outcome": "token" }), "Signed in"),
        ("mcp.oauth_required", "mcp.oauth_completed", json!({ "outcome": "cancelled" }), "Sign-in cancelled"),
        ("mcp.oauth_required", "mcp.oauth_completed", json!({ "outcome": "later" }), "Decided (later)"),
    ] {
        let mut play = Play::new();
        play.live(asks, json!({ "requestId": "q" }));
        end(&mut play, ends, &how);
        assert_eq!(outcome(&play, "q"), told, "{ends} {how}");
        assert!(play.pending().is_empty(), "{ends} {how}");
    }
}

#[test]
fn fact_23_an_event_that_does_not_say_what_was_decided_claims_nothing() {
    let ended = |asks: &str, ends: &str, how: Value, answer: Option<Answer>| {
        let mut play = Play::new();
        play.live(asks, json!({ "requestId": "q", "planContent": "Paint it" }));
        if let Some(answer) = answer {
            play.session.answer_sending("q", answer.ending());
        }
        end(&mut play, ends, &how);
        let RequestStage::Settled { ending, by } = &play.entry("q").request().expect("a request").stage
        else {
            panic!("it is over");
        };
        (request_outcome(ending), *by)
    };
    let plan = ("exit_plan_mode.requested", "exit_plan_mode.completed");
    let approve = |approved| Answer::Plan {
        approved,
        selected_action: None,
        auto_approve_edits: false,
        feedback: None,
    };
    assert_eq!(ended(plan.0, plan.1, json!({}), None), ("Decided".to_owned(), AnsweredBy::Unknown));
    assert_eq!(
        ended(plan.0, plan.1, json!({}), Some(approve(true))),
        ("Approved".to_owned(), AnsweredBy::Here),
        "what was pressed here is all that is known"
    );
    assert_eq!(
        ended(plan.0, plan.1, json!({}), Some(approve(false))),
        ("Not approved".to_owned(), AnsweredBy::Here)
    );
    assert_eq!(
        ended(plan.0, plan.1, json!({ "approved": false }), Some(approve(true))),
        ("Not approved".to_owned(), AnsweredBy::Elsewhere)
    );
    for (asks, ends, how, told) in [
        ("auto_mode_switch.requested", "auto_mode_switch.completed", json!({}), "Decided"),
        (
            "auto_mode_switch.requested",
            "auto_mode_switch.completed",
            json!({ "response": "no" }),
            "Stayed with the model",
        ),
        (
            "auto_mode_switch.requested",
            "auto_mode_switch.completed",
            json!({ "response": "later" }),
            "Decided (later)",
        ),
        ("session_limits_exhausted.requested", "session_limits_exhausted.completed", json!({}), "Decided"),
        ("mcp.oauth_required", "mcp.oauth_completed", json!({}), "Closed"),
        ("permission.requested", "permission.completed", json!({}), "Decided"),
        ("elicitation.requested", "elicitation.completed", json!({}), "Closed"),
    ] {
        assert_eq!(ended(asks, ends, how, None).0, told, "{ends}");
    }
    let reply = Answer::Reply { answer: "Green".to_owned(), was_freeform: false };
    assert_eq!(
        ended("user_input.requested", "user_input.completed", json!({}), Some(reply)),
        ("Answered: Green".to_owned(), AnsweredBy::Here)
    );
}

#[test]
fn fact_24_the_queue_event_counts_changes_and_the_server_tells_the_items() {
    let mut play = Play::new();
    play.live("pending_messages.modified", json!({})).live("pending_messages.modified", json!({}));
    assert_eq!(play.session.state().queue.changed, 2);
    assert_eq!(play.session.state().queue.items, None, "no event carries the queue");
    play.session.set_queue(json!({ "items": [{ "id": "1", "displayText": "next" }] }));
    assert_eq!(play.session.snapshot()["queue"]["items"][0]["displayText"], "next");
}

#[test]
fn fact_25_queued_and_steering_messages_keep_their_id_and_say_how_they_came() {
    let mut play = Play::new();
    play.live("pending_messages.modified", json!({}));
    play.tell("user.message", json!({ "messageId": "m1", "content": "later", "delivery": "queued" }));
    play.tell("assistant.turn_start", json!({ "turnId": "1" }));
    play.tell("user.message", json!({ "messageId": "m2", "content": "now", "delivery": "steering" }));
    assert_eq!(play.texts(Kind::User), ["later", "now"]);
    let snapshot = play.session.snapshot();
    assert_eq!(snapshot["timeline"][0]["delivery"], "queued");
    assert_eq!(snapshot["timeline"][1]["id"], "m2");
}

#[test]
fn fact_26_without_a_back_channel_the_change_of_the_queue_is_still_known() {
    let mut play = Play::new();
    play.live("pending_messages.modified", json!({}));
    let queue = &play.session.snapshot()["queue"];
    assert_eq!((queue["changed"].as_u64(), queue["items"].as_array().map(Vec::len)), (Some(1), Some(0)));
}

#[test]
fn what_the_runtime_only_calls_over_ended_as_we_answered() {
    let asked = |sent: bool| {
        let mut play = Play::new();
        let details = json!({ "requestId": "x", "toolName": "ext", "toolCallId": "t", "arguments": {} });
        play.live("external_tool.requested", details);
        if sent {
            play.session.answer_sending(
                "x",
                Answer::Other { params: serde_json::Map::new(), words: "Failed: no".into() }.ending(),
            );
        }
        play.live("external_tool.completed", json!({ "requestId": "x" }));
        let RequestStage::Settled { ending, by } = &play.entry("x").request().expect("a request").stage
        else {
            panic!("it is over");
        };
        (request_outcome(ending), *by)
    };
    assert_eq!(asked(false), ("Handled".to_owned(), AnsweredBy::Unknown));
    assert_eq!(asked(true), ("Failed: no".to_owned(), AnsweredBy::Here));
}

/// A queued command that was queued over the gateway is run by it, and it says so before the request.
#[test]
fn a_command_that_the_gateway_runs_is_asked_of_nobody_until_the_gateway_is_unsure() {
    let mut play = Play::new();
    let about = |kind: &str| json!({ "infoType": kind, "message": "m", "requestId": "c", "command": "/cwd" });
    play.live("session.info", about("command_started"));
    play.live("command.queued", json!({ "requestId": "c", "command": "/cwd" }));
    assert!(play.pending().is_empty());
    assert_eq!(outcome(&play, "c"), "Its turn came");
    play.live("session.info", about("command_unsure"));
    assert_eq!(play.pending(), ["c"]);
    play.live("command.completed", json!({ "requestId": "c" }));
    assert!(play.pending().is_empty());
    assert_eq!(outcome(&play, "c"), "Handled");
    play.live("session.info", about("command_unsure"));
    assert!(play.pending().is_empty(), "it is over");
    let visible = play.session.state().entries.iter().filter(|entry| entry.ui_visible).count();
    assert_eq!(visible, 1, "the request alone");
}

#[test]
fn what_a_command_says_and_why_it_was_not_run_is_a_notice_for_people() {
    let mut play = Play::new();
    play.live(
        "session.info",
        json!({ "infoType": "command_output", "message": "/cwd: Here", "requestId": "c" }),
    );
    let failed = json!({ "warningType": "command_failed", "message": "/nope was not run: unknown", "requestId": "d",
        "command": "/nope", "why": "unknown" });
    play.live("session.warning", failed);
    let visible = play.session.state().entries.iter().filter(|entry| entry.ui_visible);
    let texts: Vec<_> = visible.map(|entry| text(entry).into_owned()).collect();
    assert_eq!(texts, ["/cwd: Here", "/nope was not run: unknown"]);
}

#[test]
fn a_sign_in_that_waits_holds_nobody_up_and_other_requests_do() {
    let mut play = Play::new();
    play.live("mcp.oauth_required", json!({ "requestId": "s", "serverName": "sea" }));
    let state = play.session.state();
    assert_eq!((state.status(), state.is_busy()), ("waiting", false));
    play.live("command.queued", json!({ "requestId": "c", "command": "/dock" }));
    assert!(play.session.state().is_busy(), "the queue waits for it");
    play.live("command.completed", json!({ "requestId": "c" }));
    assert!(!play.session.state().is_busy());
    play.live("assistant.turn_start", json!({ "turnId": "0" }));
    assert!(play.session.state().is_busy());
}

#[test]
fn what_a_turn_did_not_ask_for_stays_open_when_it_is_stopped() {
    let mut play = Play::new();
    for (asks, id) in [
        ("permission.requested", "permission"),
        ("user_input.requested", "question"),
        ("exit_plan_mode.requested", "plan"),
        ("command.execute", "command"),
        ("mcp.oauth_required", "sign-in"),
    ] {
        play.live(
            asks,
            json!({ "requestId": id, "command": "/tea", "permissionRequest": { "kind": "read" } }),
        );
    }
    assert_eq!(play.pending().len(), 5);
    play.tell("abort", json!({ "reason": "user_initiated" }));
    assert_eq!(play.pending(), ["command", "sign-in"]);
}
