//! Tests that the player waits at a request until a person answers, over either carrier, and says so where
//! the recording went another way.

use super::client::{Socket, Sse, data, first_id, play, play_text, rpc};
use serde_json::{Value, json};

const PERMISSION: &str = "session.permissions.handlePendingPermissionRequest";

/// The first event of this type in a recording: its line and its data.
fn recorded(name: &str, event_type: &str) -> (String, Value) {
    let needle = format!(r#""type":"{event_type}""#);
    let line = data(name).into_iter().find(|line| line.contains(&needle)).unwrap();
    let event: Value = serde_json::from_str(&line).unwrap();
    (line, event["data"].clone())
}

/// The newest event in the session's log.
async fn newest(gateway: &pilothouse_gateway::gateway::Gateway, id: &str) -> Value {
    let read =
        rpc(gateway, id, "session.eventLog.read", json!({"max": 1000, "includeEphemeral": true})).await;
    read["result"]["events"].as_array().unwrap().last().unwrap().clone()
}

#[tokio::test]
async fn it_pauses_until_it_is_answered_by_post() {
    let gateway = play(&["permission"]).await;
    let id = first_id(&gateway).await;
    let mut sse = Sse::open(&gateway, &id, "", &[]).await;
    sse.until("permission.requested").await;
    let (line, asked) = recorded("permission", "permission.requested");
    let open = rpc(&gateway, &id, "session.permissions.pendingRequests", json!({})).await;
    let expected = json!({"items": [{"requestId": asked["requestId"], "request": asked["promptRequest"]}]});
    assert_eq!(open["result"], expected, "{line}");

    let (closing, _) = recorded("permission", "permission.completed");
    assert!(!newest(&gateway, &id).await.to_string().contains("permission.completed"));
    let answer =
        json!({"sessionId": id, "requestId": asked["requestId"], "result": {"kind": "approve-once"}});
    assert_eq!(rpc(&gateway, &id, PERMISSION, answer.clone()).await["result"], json!({"success": true}));
    assert_eq!(sse.until("permission.completed").await.last().unwrap().1, closing, "byte for byte");
    assert_eq!(rpc(&gateway, &id, PERMISSION, answer).await["result"], json!({"success": false}));

    let rest = sse.until(&data("permission").last().unwrap().clone()).await;
    assert!(
        !rest.iter().any(|(_, line)| line.contains("permission.completed")),
        "the recorded one is left out"
    );
    assert!(!rest.iter().any(|(_, line)| line.contains("This is a recording")));
    let open = rpc(&gateway, &id, "session.permissions.pendingRequests", json!({})).await;
    assert_eq!(open["result"], json!({"items": []}));
}

#[tokio::test]
async fn another_answer_is_shown_and_the_recording_goes_on() {
    let gateway = play(&["permission"]).await;
    let id = first_id(&gateway).await;
    let mut socket = Socket::open(&gateway, None).await;
    socket.send_request("pilothouse.subscribe", json!({"sessionId": id})).await;
    socket.until("permission.requested").await;
    let (_, asked) = recorded("permission", "permission.requested");
    let result = json!({"kind": "reject", "feedback": "not now"});
    socket
        .send_request(PERMISSION, json!({"sessionId": id, "requestId": asked["requestId"], "result": result}))
        .await;
    let events = socket.until("session.info").await;
    let closing = events.iter().position(|(_, line)| line.contains("permission.completed")).unwrap();
    let event: Value = serde_json::from_str(&events[closing].1).unwrap();
    assert_eq!(
        event["data"]["result"],
        json!({"kind": "denied-interactively-by-user", "feedback": "not now"})
    );
    let (original, _) = recorded("permission", "permission.completed");
    let original: Value = serde_json::from_str(&original).unwrap();
    for field in ["id", "timestamp", "parentId", "type"] {
        assert_eq!(event[field], original[field]);
    }
    assert_eq!(closing + 2, events.len(), "right after it");
    let notice: Value = serde_json::from_str(&events[closing + 1].1).unwrap();
    assert_eq!((&notice["ephemeral"], &notice["data"]["infoType"]), (&json!(true), &json!("notification")));
    let message = notice["data"]["message"].as_str().unwrap();
    assert!(message.contains("recording") && message.contains("allowed once"), "{message}");
    socket.until("session.idle").await;
}

#[tokio::test]
async fn the_other_viewer_sees_it_and_comes_too_late() {
    let gateway = play(&["permission"]).await;
    let id = first_id(&gateway).await;
    let (mut one, mut two) = (Socket::open(&gateway, None).await, Socket::open(&gateway, None).await);
    for socket in [&mut one, &mut two] {
        socket.send_request("pilothouse.subscribe", json!({"sessionId": id})).await;
        socket.until("permission.requested").await;
    }
    let (_, asked) = recorded("permission", "permission.requested");
    let answer =
        json!({"sessionId": id, "requestId": asked["requestId"], "result": {"kind": "approve-once"}});
    let first = one.send_request(PERMISSION, answer.clone()).await;
    assert_eq!(one.response(first).await["result"]["success"], true);
    two.until("permission.completed").await;
    let late = two.send_request(PERMISSION, answer).await;
    assert_eq!(two.response(late).await["result"]["success"], false);
}

#[tokio::test]
async fn parallel_requests_come_together_and_are_answered_in_any_order() {
    let gateway = play(&["parallel-tools"]).await;
    let id = first_id(&gateway).await;
    let mut sse = Sse::open(&gateway, &id, "", &[]).await;
    let mut permissions = Vec::new();
    while permissions.len() < 3 {
        let event: Value = serde_json::from_str(&sse.next().await.1).unwrap();
        if event["type"] == "permission.requested" {
            permissions.push(event["data"]["requestId"].clone());
        }
    }
    for request in permissions.iter().rev() {
        let answer = json!({"requestId": request, "result": {"kind": "approve-once"}});
        assert_eq!(rpc(&gateway, &id, PERMISSION, answer).await["result"]["success"], true);
    }
    let mut tools = Vec::new();
    while tools.len() < 3 {
        let event: Value = serde_json::from_str(&sse.next().await.1).unwrap();
        if event["type"] == "external_tool.requested" {
            tools.push(event["data"]["requestId"].clone());
        }
    }
    let method = "session.tools.handlePendingToolCall";
    for (request, params) in tools.iter().zip([
        json!({"result": "plain string result"}),
        json!({"result": {"textResultForLlm": "something else"}}),
        json!({"error": "boom"}),
    ]) {
        let mut params = params;
        params["requestId"] = request.clone();
        assert_eq!(rpc(&gateway, &id, method, params).await["result"]["success"], true);
    }
    let rest = sse.until(data("parallel-tools").last().unwrap()).await;
    let notices = rest.iter().filter(|(_, line)| line.contains("This is a recording")).count();
    assert_eq!(notices, 1, "one of the three results differs from the recorded one");
}

#[tokio::test]
async fn questions_forms_plans_and_commands_take_their_answers() {
    let cases = [
        (
            "question",
            "user_input",
            "session.ui.handlePendingUserInput",
            json!({"response": {"answer": "Red", "wasFreeform": true}}),
            json!({"answer": "Red", "wasFreeform": true}),
        ),
        (
            "forms",
            "elicitation",
            "session.ui.handlePendingElicitation",
            json!({"result": {"action": "decline"}}),
            json!({"action": "decline"}),
        ),
        (
            "plan",
            "exit_plan_mode",
            "session.ui.handlePendingExitPlanMode",
            json!({"response": {"approved": true, "selectedAction": "interactive"}}),
            json!({"approved": true, "selectedAction": "interactive"}),
        ),
    ];
    for (name, family, method, params, fields) in cases {
        let gateway = play(&[name]).await;
        let id = first_id(&gateway).await;
        let mut sse = Sse::open(&gateway, &id, "", &[]).await;
        sse.until(&format!("{family}.requested")).await;
        let (_, asked) = recorded(name, &format!("{family}.requested"));
        let mut params = params;
        params["requestId"] = asked["requestId"].clone();
        assert_eq!(rpc(&gateway, &id, method, params).await["result"]["success"], true, "{name}");
        let events = sse.until("This is a recording").await;
        let closing: Value = serde_json::from_str(&events[events.len() - 2].1).unwrap();
        let mut expected = fields;
        expected["requestId"] = asked["requestId"].clone();
        assert_eq!(closing["data"], expected, "{name}");
    }
    let gateway = play(&["commands"]).await;
    let id = first_id(&gateway).await;
    let mut sse = Sse::open(&gateway, &id, "", &[]).await;
    sse.until("command.queued").await;
    let (_, asked) = recorded("commands", "command.queued");
    let params = json!({"requestId": asked["requestId"], "result": {"handled": true}});
    let response = rpc(&gateway, &id, "session.commands.respondToQueuedCommand", params).await;
    assert_eq!(response["result"]["success"], true);
    sse.until("command.completed").await;
}

#[tokio::test]
async fn what_nobody_decided_does_not_wait() {
    let text = [
        r#"{"type":"permission.requested","data":{"requestId":"a"},"id":"1"}"#,
        r#"{"type":"permission.completed","data":{"requestId":"a","result":{"kind":"denied-by-rules"}},"id":"2"}"#,
        r#"{"type":"permission.requested","data":{"requestId":"b","permissionRequest":{"toolCallId":"c"}},"id":"3"}"#,
        r#"{"type":"last"}"#,
    ];
    let gateway = play_text(&text.join("\n")).await;
    let mut sse = Sse::open(&gateway, "text", "", &[]).await;
    let got: Vec<_> = sse.take(4).await.into_iter().map(|(_, line)| line).collect();
    assert_eq!(got, text);
    let answer = |request: &str| json!({"requestId": request, "result": {"kind": "approve-once"}});
    assert_eq!(rpc(&gateway, "text", PERMISSION, answer("a")).await["result"]["success"], false);
    assert_eq!(rpc(&gateway, "text", PERMISSION, answer("b")).await["result"]["success"], true);
    let closing: Value = serde_json::from_str(&sse.next().await.1).unwrap();
    assert_eq!(closing["data"], json!({"requestId": "b", "toolCallId": "c", "result": {"kind": "approved"}}));
    assert_eq!((&closing["type"], &closing["parentId"]), (&json!("permission.completed"), &Value::Null));
    assert!(sse.next().await.1.contains("nobody answered"));
}

#[tokio::test]
async fn a_rejection_that_no_person_gave_goes_by_itself() {
    let gateway = play(&["rejected-and-unavailable"]).await;
    let id = first_id(&gateway).await;
    let mut sse = Sse::open(&gateway, &id, "", &[]).await;
    sse.until("permission.requested").await;
    sse.until("permission.requested").await;
    let (_, asked) = recorded("rejected-and-unavailable", "permission.requested");
    let feedback = "Do not delete files; use git clean -n instead.";
    let answer = json!({"requestId": asked["requestId"], "result": {"kind": "reject", "feedback": feedback}});
    assert_eq!(rpc(&gateway, &id, PERMISSION, answer).await["result"]["success"], true);
    let events = sse.until("denied-no-approval-rule-and-could-not-request-from-user").await;
    assert!(!events.iter().any(|(_, line)| line.contains("This is a recording")));
}
