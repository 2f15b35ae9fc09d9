//! Tests that only one answer to a request is on its way to the runtime at a time, whoever gives it, and that
//! its outcome makes room for another.

use super::client::{Socket, rpc as post};
use super::gateway::{call, watched};
use super::stand_in::StandIn;
use pilothouse_core::protocol::ErrorReason;
use serde_json::{Value, json};

const PERMISSION: &str = "session.permissions.handlePendingPermissionRequest";

fn answer(request: &str, kind: &str) -> Value {
    json!({"sessionId": "s", "requestId": request, "result": {"kind": kind}})
}

fn is_refused(answer: &Value) -> bool {
    let said = answer["error"]["message"].as_str().unwrap_or_default();
    answer["error"]["code"] == ErrorReason::BeingAnswered.code() && said.contains("already being answered")
}

#[tokio::test]
async fn a_second_answer_is_refused_while_the_first_is_on_its_way() {
    let runtime = StandIn::start().await;
    let (gateway, mut socket) = watched(&runtime, None).await;
    runtime.silent(PERMISSION);
    let first = socket.send_request(PERMISSION, answer("p", "approve-once")).await;
    let told = runtime.calls(PERMISSION, 1).await;

    let mut other = Socket::open(&gateway, None).await;
    for second in [
        call(&mut socket, PERMISSION, answer("p", "reject")).await,
        call(&mut other, PERMISSION, answer("p", "approve-once")).await,
        post(&gateway, "s", PERMISSION, json!({"requestId": "p", "result": {"kind": "reject"}})).await,
        call(&mut other, "session.ui.handlePendingUserInput", answer("p", "reject")).await,
    ] {
        assert!(is_refused(&second), "{second}");
    }
    other.send_request(PERMISSION, answer("q", "reject")).await;
    runtime.calls(PERMISSION, 2).await; // another request is answered meanwhile

    runtime.reply(&told[0], r#"{"success":true}"#);
    assert_eq!(socket.response(first).await["result"]["success"], true);
    assert_eq!(runtime.count("session.ui.handlePendingUserInput"), 0);
    // The runtime itself says that an answer is too late.
    let late = other.send_request(PERMISSION, answer("p", "reject")).await;
    let told = runtime.calls(PERMISSION, 3).await;
    runtime.reply(&told[2], r#"{"success":false}"#);
    assert_eq!(other.response(late).await["result"]["success"], false);
}

#[tokio::test]
async fn an_answer_that_the_runtime_refused_makes_room_for_another() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    runtime.error(PERMISSION, r#"{"code":-32603,"message":"no such kind"}"#);
    for count in 1..=2 {
        let refused = call(&mut socket, PERMISSION, answer("p", "approve-twice")).await;
        assert_eq!(refused["error"]["message"], "no such kind");
        assert_eq!(runtime.count(PERMISSION), count);
    }
}

#[tokio::test]
async fn an_answer_that_ended_with_its_runtime_makes_room_for_another() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    runtime.silent(PERMISSION);
    let first = socket.send_request(PERMISSION, answer("p", "approve-once")).await;
    runtime.calls(PERMISSION, 1).await;
    runtime.cut();
    assert_eq!(socket.response(first).await["error"]["code"], ErrorReason::UnknownOutcome.code());
    let second = socket.send_request(PERMISSION, answer("p", "reject")).await;
    let told = runtime.calls(PERMISSION, 2).await;
    runtime.reply(&told[1], r#"{"success":true}"#);
    assert_eq!(socket.response(second).await["result"]["success"], true);
}

#[tokio::test]
async fn an_answer_whose_client_is_gone_is_still_on_its_way() {
    let runtime = StandIn::start().await;
    let (gateway, mut socket) = watched(&runtime, None).await;
    runtime.silent(PERMISSION);
    let mut gone = Socket::open(&gateway, None).await;
    gone.send_request(PERMISSION, answer("p", "approve-once")).await;
    let told = runtime.calls(PERMISSION, 1).await;
    gone.close().await;
    let second = call(&mut socket, PERMISSION, answer("p", "reject")).await;
    assert!(is_refused(&second), "{second}");
    runtime.reply(&told[0], r#"{"success":true}"#);
    // Nobody is told the outcome of the first: a second one is tried until it is not refused any more.
    runtime.speak(PERMISSION);
    let mut second = second;
    while is_refused(&second) {
        second = call(&mut socket, PERMISSION, answer("p", "reject")).await;
    }
    assert_eq!(second["result"]["success"], true);
    assert_eq!(runtime.count(PERMISSION), 2);
}
