//! Tests that calls and their results are relayed byte for byte, that methods that are not listed never reach
//! the runtime, and that nothing waits for ever.

use super::client::{Socket, post};
use super::gateway::{call, subscribe, watched};
use super::stand_in::{StandIn, event};
use pilothouse_core::protocol::ErrorReason;
use serde_json::{Value, json};

#[tokio::test]
async fn parameters_and_results_keep_their_bytes() {
    let runtime = StandIn::start().await;
    let (gateway, mut socket) = watched(&runtime, None).await;
    let result = r#"{ "messageId" : "m\u00e9", "n": 1.0e3, "big":12345678901234567890123 }"#;
    runtime.result("session.send", result);
    let params = r#"{"n":1.50, "prompt":"\u202e\/","sessionId":"s","big":12345678901234567890123}"#;
    socket
        .send(&format!(r#"{{"jsonrpc":"2.0","id":"x-1","method":"session.send","params":{params}}}"#))
        .await;
    let answer = loop {
        let line = socket.next().await;
        if line.contains("x-1") {
            break line;
        }
    };
    assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","id":"x-1","result":{result}}}"#));
    let frame = runtime.calls("session.send", 1).await.remove(0);
    assert!(frame.ends_with(&format!(r#""method":"session.send","params":{params}}}"#)), "{frame}");

    // Over HTTP the address names the session.
    let body = r#"{"jsonrpc":"2.0","id":7,"method":"session.send","params":{"prompt":"p","n":1.50}}"#;
    let reply = post(&gateway, "/api/sessions/s/rpc", body).await;
    assert_eq!(reply.body, format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#));
    let frame = runtime.calls("session.send", 2).await.remove(1);
    assert!(frame.contains(r#""params":{"sessionId":"s","prompt":"p","n":1.50}"#), "{frame}");
}

#[tokio::test]
async fn an_error_of_the_runtimes_comes_back_as_it_is() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    let error = r#"{"code":-32603,"message":"no","data":{"why":[1.0]}}"#;
    runtime.error("session.mode.set", error);
    let id = socket.send_request("session.mode.set", json!({"sessionId": "s", "mode": "x"})).await;
    loop {
        let line = socket.next().await;
        if line.contains(r#""error""#) {
            assert_eq!(line, format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
            break;
        }
    }
}

#[tokio::test]
async fn what_is_not_on_the_list_never_reaches_the_runtime() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    for method in ["session.shell.exec", "session.permissions.folderTrust.addTrusted", "session.new"] {
        let answer = call(&mut socket, method, json!({"sessionId": "s"})).await;
        assert_eq!(answer["error"]["code"], ErrorReason::MethodNotFound.code(), "{answer}");
        assert_eq!(runtime.count(method), 0);
    }
    for method in ["runtime.shutdown", "account.getCurrentAuth", "connect"] {
        let answer = call(&mut socket, method, json!({})).await;
        assert_eq!(answer["error"]["code"], ErrorReason::MethodNotFound.code(), "{answer}");
    }
    assert_eq!(runtime.count("connect"), 1, "the gateway's own");
}

#[tokio::test]
async fn reads_that_wait_leave_room_for_answers() {
    let runtime = StandIn::start().await;
    let (gateway, mut socket) = watched(&runtime, None).await;
    runtime.silent("session.eventLog.read");
    let read = json!({"sessionId": "s", "waitMs": 3_600_000});
    let before = runtime.count("session.eventLog.read");
    let mut waiting = Vec::new();
    for _ in 0..5 {
        let mut reader = Socket::open(&gateway, None).await;
        for _ in 0..60 {
            reader.send_request("session.eventLog.read", read.clone()).await;
        }
        waiting.push(reader);
    }
    runtime.calls("session.eventLog.read", before + 192).await;
    // All places are taken, whoever of the five has them, but for one in which the gateway itself may have read.
    let mut late = Socket::open(&gateway, None).await;
    for _ in 0..2 {
        late.send_request("session.eventLog.read", read.clone()).await;
    }
    while !late.next().await.contains(&ErrorReason::Busy.code().to_string()) {}
    let answer = json!({"sessionId": "s", "requestId": "p", "result": {"kind": "reject"}});
    let answered = call(&mut socket, "session.permissions.handlePendingPermissionRequest", answer).await;
    assert!(answered["result"].is_object(), "{answered}");
    assert!(call(&mut socket, "session.abort", json!({"sessionId": "s"})).await["result"].is_object());
}

#[tokio::test]
async fn what_the_runtime_asks_is_refused_at_once_unless_an_event_asks_it_too() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    runtime.say(r#"{"jsonrpc":"2.0","id":"q","method":"userInput.request","params":{"sessionId":"s"}}"#);
    runtime.say(r#"{"jsonrpc":"2.0","id":"h","method":"hooks.invoke","params":{"sessionId":"s"}}"#);
    let refused = runtime.answer("h").await;
    assert_eq!(refused["error"]["code"], ErrorReason::MethodNotFound.code());
    let params =
        json!({"sessionId": "s", "requestId": "r", "response": {"answer": "a", "wasFreeform": false}});
    assert_eq!(
        call(&mut socket, "session.ui.handlePendingUserInput", params).await["result"]["success"],
        true
    );
    let answers = |frame: &String| frame.contains(r#""id":"q""#);
    assert!(!runtime.calls("session.ui.handlePendingUserInput", 1).await.iter().any(answers));
}

#[tokio::test]
async fn a_call_that_was_under_way_when_the_runtime_ended_is_unknown_and_not_repeated() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    runtime.silent("session.send");
    let id = socket.send_request("session.send", json!({"sessionId": "s", "prompt": "p"})).await;
    runtime.calls("session.send", 1).await;
    runtime.cut();
    assert_eq!(socket.response(id).await["error"]["code"], ErrorReason::UnknownOutcome.code());
    // The runtime is there again, and the session is open again.
    let asked = call(&mut socket, "session.mode.get", json!({"sessionId": "s"})).await;
    assert_eq!(asked["result"]["success"], true);
    assert_eq!((runtime.count("session.send"), runtime.count("session.resume")), (1, 1));
}

#[tokio::test]
async fn too_many_calls_at_once_are_refused_and_none_waits_behind_them() {
    let runtime = StandIn::start().await;
    let (gateway, mut socket) = watched(&runtime, None).await;
    runtime.silent("session.history.compact");
    let mut sockets = Vec::new();
    for _ in 0..8 {
        let mut other = Socket::open(&gateway, None).await;
        for _ in 0..32 {
            other.send_request("session.history.compact", json!({"sessionId": "s"})).await;
        }
        sockets.push(other);
    }
    runtime.calls("session.history.compact", 256).await;
    let answer = call(&mut socket, "session.mode.get", json!({"sessionId": "s"})).await;
    assert_eq!(answer["error"]["code"], ErrorReason::Busy.code());
    drop(sockets); // a client that is gone waits for nothing
    let mut answer = answer;
    while answer["error"]["code"] == ErrorReason::Busy.code() {
        answer = call(&mut socket, "session.mode.get", json!({"sessionId": "s"})).await;
    }
    assert_eq!(answer["result"]["success"], true);
}

#[tokio::test]
async fn a_request_is_saved_by_the_runtime_while_a_person_thinks() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    runtime.emit("s", &event("assistant.message", "m"));
    runtime.emit("s", &event("permission.requested", "p"));
    socket.until("permission.requested").await;
    let saves = runtime.calls("sessions.save", 1).await;
    let save: Value = serde_json::from_str(&saves[0]).unwrap();
    assert_eq!((saves.len(), &save["params"]), (1, &json!({"sessionId": "s"})));
    subscribe(&mut socket, "s", 0).await;
}
