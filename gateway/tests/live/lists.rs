//! Tests that sessions come and go in the list, and that clients that asked for it are notified.

use super::client::{Socket, get};
use super::gateway::{Folder, call, open, settings, subscribe, watched};
use super::stand_in::{StandIn, event};
use pilothouse_core::protocol::ErrorReason;
use serde_json::{Value, json};

async fn list(socket: &mut Socket) -> Vec<Value> {
    call(socket, "pilothouse.sessions", json!({})).await["result"].as_array().unwrap().clone()
}

/// The list once it is as wanted. It is asked for again each time that the gateway reports a change.
pub async fn list_with(socket: &mut Socket, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    loop {
        let sessions = list(socket).await;
        if wanted(&sessions) {
            return sessions;
        }
        while !socket.next().await.contains("pilothouse.sessions.changed") {}
    }
}

#[tokio::test]
async fn without_a_session_there_is_none_to_subscribe_to_and_one_can_be_made() {
    let runtime = StandIn::start().await;
    let gateway = open(settings(&runtime, None)).await;
    let mut socket = Socket::open(&gateway, None).await;
    assert!(list(&mut socket).await.is_empty());
    let none = call(&mut socket, "pilothouse.subscribe", json!({})).await;
    assert_eq!(none["error"]["code"], ErrorReason::UnknownSession.code());

    let folder = "/somewhere";
    let made =
        call(&mut socket, "pilothouse.create", json!({"workingDirectory": folder, "model": "m"})).await;
    let id = made["result"]["sessionId"].as_str().unwrap().to_owned();
    let params: Value = serde_json::from_str(&runtime.calls("session.create", 1).await[0]).unwrap();
    let params = &params["params"];
    assert_eq!((&params["workingDirectory"], &params["model"]), (&json!(folder), &json!("m")));
    for wanted in
        ["requestPermission", "requestUserInput", "requestElicitation", "requestExitPlanMode", "streaming"]
    {
        assert_eq!(params[wanted], true, "{wanted}");
    }
    assert_eq!(runtime.count("session.eventLog.registerInterest"), 8);
    let sessions = list(&mut socket).await;
    assert_eq!((sessions.len(), &sessions[0]["live"]), (1, &json!(true)));
    assert_eq!((&sessions[0]["sessionId"], &sessions[0]["stored"]), (&json!(id), &json!(false)));
    subscribe(&mut socket, &id, 0).await;
    assert_eq!(socket.until("session.start").await.len(), 1);
    let again = call(&mut socket, "session.create", json!({"sessionId": id})).await;
    assert_eq!(again["error"]["code"], ErrorReason::InvalidParams.code());
    let path = call(&mut socket, "pilothouse.create", json!({"sessionId": "../../etc"})).await;
    assert_eq!(path["error"]["code"], ErrorReason::InvalidParams.code());
}

#[tokio::test]
async fn a_session_that_cannot_be_made_is_not_listed() {
    let runtime = StandIn::start().await;
    let gateway = open(settings(&runtime, None)).await;
    let mut socket = Socket::open(&gateway, None).await;
    runtime.error("session.create", r#"{"code":-32603,"message":"Directory does not exist"}"#);
    let made = call(&mut socket, "pilothouse.create", json!({"workingDirectory": "/nowhere"})).await;
    assert_eq!(made["error"]["message"], "Directory does not exist");
    assert!(list(&mut socket).await.is_empty());
}

#[tokio::test]
async fn a_model_that_the_runtime_does_not_list_is_refused_and_nothing_is_made() {
    let runtime = StandIn::start().await;
    let gateway = open(settings(&runtime, None)).await;
    let mut socket = Socket::open(&gateway, None).await;
    runtime.result("models.list", r#"{"models":[{"id":"gpt-4.1"},{"id":"gpt-5.4"}]}"#);
    let made = call(&mut socket, "pilothouse.create", json!({"model": "nonsense-9"})).await;
    assert_eq!(made["error"]["code"], ErrorReason::InvalidParams.code());
    let words = made["error"]["message"].as_str().unwrap();
    assert!(["nonsense-9", "gpt-4.1", "gpt-5.4"].iter().all(|name| words.contains(name)), "{words}");
    assert_eq!((runtime.count("session.create"), list(&mut socket).await.len()), (0, 0));
    for params in [
        json!({"model": "gpt-5.4"}),
        json!({"model": "auto"}),
        json!({}),
        json!({"model": "mine", "provider": {"type": "openai", "baseUrl": "http://127.0.0.1:1"}}),
    ] {
        let made = call(&mut socket, "pilothouse.create", params.clone()).await;
        assert!(made["error"].is_null(), "{params}: {made}");
    }
    runtime.error("models.list", r#"{"code":-32603,"message":"not signed in"}"#);
    let made = call(&mut socket, "pilothouse.create", json!({"model": "of a list that can't be had"})).await;
    assert!(made["error"].is_null(), "{made}");
}

#[tokio::test]
async fn what_the_runtime_has_stored_is_listed_and_opens_when_somebody_looks() {
    let runtime = StandIn::start().await;
    runtime.note("old", &event("session.start", "o1"));
    runtime.note("old", &event("x", "o2"));
    let gateway = open(settings(&runtime, None)).await;
    let mut socket = Socket::open(&gateway, None).await;
    let sessions = list_with(&mut socket, |sessions| sessions.len() == 1).await;
    assert_eq!((&sessions[0]["stored"], &sessions[0]["title"]), (&json!(true), &json!("Session old")));
    assert_eq!(runtime.count("session.resume"), 0);

    // A socket skips events while it waits for an answer, so the events have a socket of their own.
    let mut viewer = Socket::open(&gateway, None).await;
    subscribe(&mut viewer, "old", 0).await;
    let events = viewer.until("old-resume-1").await;
    assert_eq!(events.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [1, 2, 3]);
    let sessions = list_with(&mut socket, |sessions| sessions[0]["stored"] == false).await;
    assert_eq!(sessions[0]["sessionId"], "old");

    let closed = call(&mut socket, "pilothouse.close", json!({"sessionId": "old"})).await;
    assert_eq!(closed["result"]["success"], true);
    viewer.until("session.shutdown").await;
    assert_eq!(list(&mut socket).await[0]["stored"], true);

    // A call opens it again.
    let asked = call(&mut socket, "session.mode.get", json!({"sessionId": "old"})).await;
    assert_eq!(asked["result"]["success"], true);
    assert_eq!(runtime.count("session.resume"), 2);
}

#[tokio::test]
async fn a_session_that_comes_while_the_list_is_made_is_told_after_the_answer() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    list_with(&mut socket, |sessions| sessions.len() == 1).await;
    // A lot to reduce makes the list slow.
    for at in 0..20_000 {
        runtime.emit("s", &event("assistant.message_delta", &format!("d{at}")));
    }
    runtime.emit("s", &event("last", "z"));
    socket.until(r#""type":"last""#).await;
    let asked = socket.send_request("pilothouse.sessions", json!({})).await;
    call(&mut socket, "pilothouse.ping", json!({})).await; // its answer shows that the list was begun
    runtime.emit("other", &event("session.start", "o"));
    let sessions = socket.response(asked).await["result"].as_array().unwrap().len();
    while sessions == 1 && !socket.next().await.contains("pilothouse.sessions.changed") {}
    assert_eq!(list(&mut socket).await.len(), 2);
}

#[tokio::test]
async fn a_session_made_elsewhere_appears() {
    let runtime = StandIn::start().await;
    let (gateway, mut socket) = watched(&runtime, None).await;
    assert_eq!(list(&mut socket).await.len(), 1);
    runtime.note("elsewhere", &event("session.start", "e1"));
    runtime.say(r#"{"jsonrpc":"2.0","method":"session.lifecycle","params":{"type":"session.created"}}"#);
    let sessions = list_with(&mut socket, |sessions| sessions.len() == 2).await;
    assert_eq!(sessions[1]["sessionId"], "elsewhere");
    assert_eq!(get(&gateway, "/api/sessions", &[]).await.json(), json!(sessions));
}

#[tokio::test]
async fn a_session_that_cannot_be_resumed_says_why() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let (gateway, _socket) = watched(&runtime, Some(&folder)).await;
    gateway.stop().await;
    let error = r#"{"code":-32603,"message":"Session not found: s"}"#;
    runtime.error("session.resume", error);
    let gateway = open(settings(&runtime, Some(&folder))).await;
    let mut socket = Socket::open(&gateway, None).await;
    subscribe(&mut socket, "s", 0).await;
    let told = socket.until("Session not found").await;
    assert!(told[0].1.contains("session.start"), "its log is shown all the same");
    let asked = call(&mut socket, "session.send", json!({"sessionId": "s", "prompt": "p"})).await;
    assert_eq!(asked["error"]["message"], "Session not found: s");
    assert_eq!(runtime.count("session.send"), 0);
    let unknown = call(&mut socket, "pilothouse.resume", json!({"sessionId": "nobody's"})).await;
    assert_eq!(unknown["error"]["code"], -32603);
    assert_eq!(list(&mut socket).await.len(), 1);
}

#[tokio::test]
async fn without_a_runtime_calls_say_that_nothing_was_sent() {
    let runtime = StandIn::start().await;
    runtime.silent("connect");
    let gateway = open(settings(&runtime, None)).await;
    let mut socket = Socket::open(&gateway, None).await;
    let made = call(&mut socket, "pilothouse.create", json!({})).await;
    assert_eq!(made["error"]["code"], ErrorReason::RuntimeDown.code());
}

#[tokio::test]
async fn what_a_session_was_made_with_is_there_when_it_is_resumed() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let gateway = open(settings(&runtime, Some(&folder))).await;
    let mut socket = Socket::open(&gateway, None).await;
    let tools = json!([{"name": "lookup", "description": "d", "parameters": {}}]);
    let params = json!({"sessionId": "s", "tools": tools, "model": "m", "gitHubToken": "secret"});
    call(&mut socket, "pilothouse.create", params).await;
    runtime.cut();
    let frame: Value = serde_json::from_str(&runtime.calls("session.resume", 1).await[0]).unwrap();
    assert_eq!((&frame["params"]["tools"], &frame["params"]["gitHubToken"]), (&tools, &json!("secret")));
    assert!(frame["params"]["model"].is_null(), "the session knows that better by now");
    drop(socket);
    gateway.stop().await;
    assert!(!std::fs::read_to_string(folder.log("s")).unwrap().contains("secret"));

    let gateway = open(settings(&runtime, Some(&folder))).await;
    let mut socket = Socket::open(&gateway, None).await;
    subscribe(&mut socket, "s", 0).await;
    let frame: Value = serde_json::from_str(&runtime.calls("session.resume", 2).await[1]).unwrap();
    assert_eq!(frame["params"]["tools"], tools);
    assert!(frame["params"]["gitHubToken"].is_null(), "no secret is kept on disk");
}
