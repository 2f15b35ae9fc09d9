//! Tests of the events and sentences that answers become.
#![allow(clippy::unwrap_used)]

use super::{Decision, new_closing, notice};
use pilothouse_core::protocol::RequestKind;
use serde_json::{Value, json};

const RECORDED: &str = r#"{"type":"permission.completed","data":{"requestId":"r","toolCallId":"c","result":{"kind":"approved"}},"id":"e","timestamp":"t", "parentId":"p"}"#;

fn permission(result: &Value) -> Decision {
    Decision::read(RequestKind::Permission, &json!({"requestId": "r", "result": result})).unwrap()
}

fn data(line: &str) -> Value {
    serde_json::from_str::<Value>(line).unwrap()["data"].clone()
}

#[test]
fn the_recorded_answer_gives_the_recorded_bytes() {
    let decision = permission(&json!({"kind": "approve-once"}));
    assert_eq!(decision.write_into(RequestKind::Permission, RECORDED), RECORDED);
    assert_eq!(decision.recorded_difference(RequestKind::Permission, &data(RECORDED), None), None);
}

#[test]
fn another_answer_changes_the_result_and_nothing_else() {
    let decision = permission(&json!({"kind": "reject", "feedback": "no"}));
    let line = decision.write_into(RequestKind::Permission, RECORDED);
    assert!(line.starts_with(r#"{"type":"permission.completed","data":{"#), "{line}");
    assert!(line.ends_with(r#"},"id":"e","timestamp":"t", "parentId":"p"}"#), "{line}");
    let expected = json!({"requestId": "r", "toolCallId": "c",
        "result": {"kind": "denied-interactively-by-user", "feedback": "no"}});
    assert_eq!(data(&line), expected);
    let sentence = decision.recorded_difference(RequestKind::Permission, &data(RECORDED), None).unwrap();
    assert!(sentence.ends_with("where this request was allowed once."), "{sentence}");
}

#[test]
fn the_agents_option_in_the_closing_event_is_the_one_that_was_chosen() {
    let requested = json!({"data": {"requestId": "r", "agentOptions": [
        {"optionId": "once", "name": "Yes, proceed", "kind": "allow_once"},
        {"optionId": "always", "name": "Always", "kind": "allow_always"},
        {"optionId": "odd", "name": "Ask my supervisor", "kind": "_escalate"},
        {"optionId": "no", "name": "No", "kind": "reject_once"}]}});
    let recorded = r#"{"type":"permission.completed","data":{"requestId":"r","result":{"kind":"approved"},"agentOption":"Yes, proceed"},"id":"e"}"#;
    for (result, name) in [
        (json!({"kind": "approve-for-session", "optionId": "always"}), json!("Always")),
        (json!({"kind": "reject", "optionId": "no"}), json!("No")),
        (json!({"optionId": "odd"}), json!("Ask my supervisor")),
        (json!({"kind": "reject"}), json!("No")),
        (json!({"kind": "reject", "optionId": "gone"}), Value::Null),
    ] {
        let decision = permission(&result).with_option(&requested);
        assert_eq!(data(&decision.write_into(RequestKind::Permission, recorded))["agentOption"], name);
        let differs = decision.recorded_difference(RequestKind::Permission, &data(recorded), None).unwrap();
        assert!(differs.ends_with("was answered “Yes, proceed”."), "{differs}");
    }
    let same = permission(&json!({"kind": "approve-once"})).with_option(&requested);
    assert_eq!(same.write_into(RequestKind::Permission, recorded), recorded);
    assert_eq!(same.recorded_difference(RequestKind::Permission, &data(recorded), None), None);
}

#[test]
fn each_permission_kind_has_its_result() {
    let approval = json!({"kind": "commands", "commandIdentifiers": ["ls"]});
    let cases = [
        (
            json!({"kind": "approve-for-session", "approval": approval}),
            json!({"kind": "approved-for-session", "approval": approval}),
        ),
        (
            json!({"kind": "approve-for-location", "approval": approval, "locationKey": ""}),
            json!({"kind": "approved-for-location", "approval": approval, "locationKey": ""}),
        ),
        (json!({"kind": "reject"}), json!({"kind": "denied-interactively-by-user"})),
    ];
    for (sent, becomes) in cases {
        assert_eq!(data(&permission(&sent).write_into(RequestKind::Permission, RECORDED))["result"], becomes);
    }
}

#[test]
fn a_wrong_answer_says_what_is_wrong() {
    let cases = [
        (RequestKind::Permission, json!({"result": {"kind": "nonsense"}}), "approve-once"),
        (RequestKind::Permission, json!({}), "result.kind"),
        (RequestKind::UserInput, json!({"response": {}}), "response.answer"),
        (RequestKind::Elicitation, json!({"result": {"action": "yes"}}), "accept, decline, cancel"),
        (RequestKind::ExitPlanMode, json!({"response": {"approved": "yes"}}), "response.approved"),
        (RequestKind::AutoModeSwitch, json!({"response": "maybe"}), "yes_always"),
        (RequestKind::ExternalTool, json!({}), "textResultForLlm"),
        (RequestKind::QueuedCommand, json!({"result": {}}), "result.handled"),
    ];
    for (family, params, part) in cases {
        let error = Decision::read(family, &params).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn the_other_kinds_fill_in_their_own_fields() {
    let cases = [
        (
            RequestKind::UserInput,
            json!({"response": {"answer": "Red", "wasFreeform": true}}),
            json!({"answer": "Red", "wasFreeform": true}),
        ),
        (RequestKind::Elicitation, json!({"result": {"action": "decline"}}), json!({"action": "decline"})),
        (
            RequestKind::ExitPlanMode,
            json!({"response": {"approved": true, "selectedAction": "autopilot"}}),
            json!({"approved": true, "selectedAction": "autopilot"}),
        ),
        (RequestKind::AutoModeSwitch, json!({"response": "no"}), json!({"response": "no"})),
        (
            RequestKind::SessionLimits,
            json!({"response": {"action": "unset"}}),
            json!({"response": {"action": "unset"}}),
        ),
        (
            RequestKind::McpOauth,
            json!({"result": {"kind": "token", "accessToken": "secret"}}),
            json!({"outcome": "token"}),
        ),
    ];
    let old = r#"{"type":"x","data":{"requestId":"r","answer":"Blue","wasFreeform":false,"action":"accept","content":{"a":1},"approved":false,"feedback":"f","response":"yes","outcome":"cancelled"}}"#;
    for (family, params, fields) in cases {
        let decision = Decision::read(family, &params).unwrap();
        let now = data(&decision.write_into(family, old));
        for field in family.decision_fields() {
            assert_eq!(now[*field], fields[*field], "{family:?} {field}");
        }
        assert_eq!(now["requestId"], "r");
        assert!(decision.recorded_difference(family, &data(old), None).is_some(), "{family:?}");
    }
}

#[test]
fn a_tools_answer_is_compared_with_its_recorded_result() {
    let good =
        Decision::read(RequestKind::ExternalTool, &json!({"result": {"textResultForLlm": "7"}})).unwrap();
    let bad = Decision::read(RequestKind::ExternalTool, &json!({"error": "boom"})).unwrap();
    let recorded = json!({"success": true, "result": {"content": "7"}});
    assert_eq!(good.recorded_difference(RequestKind::ExternalTool, &json!({}), Some(&recorded)), None);
    assert!(bad.recorded_difference(RequestKind::ExternalTool, &json!({}), Some(&recorded)).is_some());
}

#[test]
fn made_events_have_ids_of_their_own_that_stay_the_same() {
    let requested = json!({"id": "q", "timestamp": "t", "data": {"requestId": "r", "permissionRequest": {"toolCallId": "c"}}});
    let closing = new_closing(
        RequestKind::Permission,
        &permission(&json!({"kind": "reject"})),
        &requested,
        &json!("p"),
    );
    let event: Value = serde_json::from_str(&closing).unwrap();
    assert_eq!(event["data"]["toolCallId"], "c");
    assert!(event["ephemeral"].is_null());
    let first: Value = serde_json::from_str(&notice(&closing, "words")).unwrap();
    assert_eq!(first, serde_json::from_str::<Value>(&notice(&closing, "words")).unwrap());
    assert_eq!(first["id"].as_str().map(str::len), Some(36));
    assert_ne!(first["id"], event["id"]);
    assert_eq!(first["parentId"], event["id"]);
    assert_eq!(first["timestamp"], "t");
}
