//! A server that lists nothing, for a while or for ever, and one that takes answers without an event.

use serde_json::{Value, json};

use super::*;
use crate::Session;
use crate::model::request::Ending;

fn tell(session: &mut Session, kind: &str, data: &Value) {
    let event = json!({ "type": kind, "id": format!("{kind} {data}"), "data": data });
    session.push_frame(&event.to_string());
}

fn ask(session: &mut Session, id: &str, call: &str) {
    let whole = json!({ "kind": "shell", "fullCommandText": "ls", "toolCallId": call });
    tell(session, "permission.requested", &json!({ "requestId": id, "permissionRequest": whole }));
}

/// A turn in which two calls wait for a permission each.
fn two_wait() -> Session {
    let mut session = Session::new();
    tell(&mut session, "user.message", &json!({ "content": "Go", "messageId": "u" }));
    for (call, id) in [("t1", "p1"), ("t2", "p2")] {
        let start = json!({ "toolCallId": call, "toolName": "bash", "arguments": { "command": "ls" } });
        tell(&mut session, "tool.execution_start", &start);
        ask(&mut session, id, call);
    }
    session
}

fn open(session: &Session) -> Vec<String> {
    let state = session.state();
    let all = state.open_requests.iter().filter_map(|place| state.entry(*place));
    all.map(|entry| entry.id.clone()).collect()
}

/// Has the server list these permissions, and does what that means. Returns when it is asked again.
fn list(session: &mut Session, checks: &mut PermissionChecks, listed: &[&str]) -> Option<u32> {
    let asked = checks.ask(session.state());
    let listed: Vec<String> = listed.iter().map(|id| (*id).to_owned()).collect();
    let findings = checks.listed(session.state(), &asked, &listed);
    let items = listed.iter().map(|id| json!({ "requestId": id })).collect();
    session.permissions_listed(&findings.gone, items);
    for id in &findings.unheeded {
        session.answer_unsent(id);
    }
    findings.again_ms
}

fn answer(session: &mut Session, id: &str) {
    session.answer_sending(id, Ending::new("approved", "Allowed once"));
    session.answer_taken(id);
}

fn life(session: &Session, id: &str) -> Value {
    let snapshot = session.snapshot();
    let timeline = snapshot["timeline"].as_array().cloned().unwrap_or_default();
    let entry = timeline.into_iter().find(|entry| entry["id"] == id).unwrap_or_default();
    json!([entry["request"]["life"], entry["state"]])
}

#[test]
fn absence_closes_nothing_whose_call_is_open_and_the_server_is_asked_ever_more_rarely() {
    let (mut session, mut checks) = (two_wait(), PermissionChecks::default());
    let intervals: Vec<_> = (0..8).map(|_| list(&mut session, &mut checks, &[])).collect();
    let expected = [2, 4, 8, 16, 32, 60, 60, 60].map(|seconds| Some(seconds * 1_000));
    assert_eq!(intervals, expected);
    assert_eq!(open(&session), ["p1", "p2"]);
    assert_eq!(list(&mut session, &mut checks, &["p1", "p2"]), None, "nothing is in question any more");
    checks.begin();
    assert_eq!(list(&mut session, &mut checks, &["p2"]), Some(2_000), "a new connection");
    assert_eq!(open(&session), ["p1", "p2"]);
}

#[test]
fn a_call_that_has_ended_waits_for_nothing() {
    let (mut session, mut checks) = (two_wait(), PermissionChecks::default());
    tell(&mut session, "tool.execution_complete", &json!({ "toolCallId": "t1", "success": true }));
    list(&mut session, &mut checks, &[]);
    assert_eq!(open(&session), ["p2"], "its own event closes it");
    tell(&mut session, "session.idle", &json!({}));
    assert_eq!(open(&session), [""; 0]);
    assert_eq!(list(&mut session, &mut checks, &[]), None);
}

#[test]
fn what_a_dead_process_asked_is_gone_when_several_lists_lack_it() {
    let (mut session, mut checks) = (two_wait(), PermissionChecks::default());
    tell(&mut session, "session.resume", &json!({ "sessionWasActive": false, "continuePendingWork": true }));
    for seconds in [2, 4] {
        assert_eq!(list(&mut session, &mut checks, &[]), Some(seconds * 1_000));
        assert_eq!(open(&session), ["p1", "p2"], "a runtime that has just started lists nothing");
    }
    assert_eq!(list(&mut session, &mut checks, &["p2"]), Some(8_000));
    assert_eq!(open(&session), ["p2"]);
    let more: Vec<_> = (0..3).map(|_| list(&mut session, &mut checks, &["p2"])).collect();
    assert_eq!(more, [Some(16_000), Some(32_000), None], "it is looked for a few times more");
    list(&mut session, &mut checks, &["p1", "p2"]);
    assert_eq!(open(&session), ["p1", "p2"], "it is asked after all");
}

#[test]
fn one_list_that_has_it_begins_the_count_anew() {
    let (mut session, mut checks) = (two_wait(), PermissionChecks::default());
    tell(&mut session, "session.resume", &json!({ "sessionWasActive": false, "continuePendingWork": true }));
    for listed in [&[][..], &[], &["p1", "p2"], &[], &[]] {
        list(&mut session, &mut checks, listed);
        assert_eq!(open(&session), ["p1", "p2"]);
    }
    list(&mut session, &mut checks, &[]);
    assert_eq!(open(&session), [""; 0]);
}

#[test]
fn an_agent_that_works_waits_for_its_permission_whatever_the_main_agent_does() {
    let (mut session, mut checks) = (Session::new(), PermissionChecks::default());
    tell(&mut session, "user.message", &json!({ "content": "Go", "messageId": "u" }));
    tell(&mut session, "tool.execution_start", &json!({ "toolCallId": "task", "toolName": "task" }));
    let agent = json!({ "type": "subagent.started", "id": "s", "agentId": "a",
        "data": { "toolCallId": "task", "agentName": "docs" } });
    session.push_frame(&agent.to_string());
    let start = json!({ "type": "tool.execution_start", "id": "st", "agentId": "a",
        "data": { "toolCallId": "t", "toolName": "bash", "parentToolCallId": "task" } });
    session.push_frame(&start.to_string());
    ask(&mut session, "p", "t");
    for _ in 0..5 {
        assert!(list(&mut session, &mut checks, &[]).is_some());
    }
    assert_eq!(open(&session), ["p"]);
}

#[test]
fn an_answer_that_was_taken_needs_nobody_though_no_event_comes() {
    let (mut session, mut checks) = (two_wait(), PermissionChecks::default());
    answer(&mut session, "p1");
    assert_eq!(checks.taken(), 2_000);
    assert_eq!(life(&session, "p1"), json!(["taken", "settled"]));
    assert_eq!(open(&session), ["p2"]);
    assert_eq!(session.state().status(), "waiting", "for the other one");
    assert_eq!(list(&mut session, &mut checks, &["p2"]), None);
    assert_eq!(life(&session, "p1"), json!(["taken", "settled"]));
    tell(&mut session, "tool.execution_complete", &json!({ "toolCallId": "t1", "success": true }));
    assert_eq!(life(&session, "p1"), json!(["taken", "settled"]), "it ran, as it was allowed");
    answer(&mut session, "p2");
    assert_eq!(session.state().status(), "running");
}

#[test]
fn an_answer_that_was_taken_and_is_listed_again_and_again_did_not_count() {
    let (mut session, mut checks) = (two_wait(), PermissionChecks::default());
    answer(&mut session, "p1");
    assert_eq!(list(&mut session, &mut checks, &["p1", "p2"]), Some(2_000), "one list may be old");
    assert_eq!(open(&session), ["p2"]);
    list(&mut session, &mut checks, &["p1", "p2"]);
    assert_eq!(open(&session), ["p1", "p2"]);
    assert_eq!(life(&session, "p1"), json!(["waiting", "pending"]));
}

#[test]
fn the_event_says_what_came_of_an_answer_that_was_taken() {
    for (word, by) in [("approved", "here"), ("denied-interactively-by-user", "elsewhere")] {
        let mut session = two_wait();
        answer(&mut session, "p1");
        tell(&mut session, "permission.completed", &json!({ "requestId": "p1", "result": { "kind": word } }));
        let snapshot = session.snapshot();
        let request =
            snapshot["timeline"].as_array().and_then(|all| all.iter().find(|one| one["id"] == "p1"));
        let request = request.map(|one| one["request"].clone()).unwrap_or_default();
        assert_eq!(json!([request["life"], request["by"]]), json!(["settled", by]));
    }
    let mut session = two_wait();
    session.answer_sending("p1", Ending::new("approved", "Allowed once"));
    tell(
        &mut session,
        "permission.completed",
        &json!({ "requestId": "p1", "result": { "kind": "approved" } }),
    );
    session.answer_taken("p1");
    assert_eq!(life(&session, "p1")[0], "settled", "the event came before the receipt");
}

#[test]
fn a_server_that_does_not_say_is_asked_again_while_something_is_open() {
    let mut checks = PermissionChecks::default();
    assert_eq!([checks.unanswered(), checks.unanswered()], [2_000, 4_000]);
    assert!(!checks.ask(two_wait().state()).is_empty());
    assert!(checks.ask(Session::new().state()).is_empty());
}
