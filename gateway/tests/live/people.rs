//! Tests that everybody learns who wrote a message, whoever sends it and whatever ends in between.

use pilothouse_core::protocol::ErrorReason;
use pilothouse_gateway::access::Access;
use pilothouse_gateway::access::settings::Settings as AccessSettings;
use pilothouse_gateway::gateway::Gateway;
use pilothouse_gateway::push;
use serde_json::{Value, json};

use super::client::Socket;
use super::gateway::{Folder, call, open_with, settings, subscribe};
use super::stand_in::{StandIn, event};

const ANA: &str = "token-of-ana-0123";
const BEN: &str = "token-of-ben-0123";
const PENDING: &str = "session.queue.pendingItems";

async fn gateway(runtime: &StandIn, folder: &Folder) -> Gateway {
    let operator = Some(format!("Ana:{ANA}\nBen:{BEN}"));
    let access = Access::open(&AccessSettings { operator, ..AccessSettings::default() }).unwrap().0;
    open_with(settings(runtime, Some(folder)), push::Settings::default(), access).await
}

async fn socket(gateway: &Gateway, token: &str) -> Socket {
    let bearer = format!("Bearer {token}");
    Socket::try_open(gateway, None, &[("Authorization", bearer.as_str())]).await.unwrap()
}

async fn send(socket: &mut Socket, prompt: &str) -> Value {
    call(socket, "session.send", json!({"sessionId": "s", "prompt": prompt, "mode": "enqueue"})).await
}

/// What the next event says about who wrote a message.
async fn sent(viewer: &mut Socket) -> Value {
    let (_, event) = viewer.until("pilothouse.sent").await.pop().unwrap();
    let event: Value = serde_json::from_str(&event).unwrap();
    assert_eq!((&event["source"], &event["ephemeral"]), (&json!("pilothouse"), &json!(true)));
    event["data"].clone()
}

#[tokio::test]
async fn a_message_is_by_who_sent_it() {
    let (runtime, folder) = (StandIn::start().await, Folder::new());
    let gateway = gateway(&runtime, &folder).await;
    let (mut ana, mut ben) = (socket(&gateway, ANA).await, socket(&gateway, BEN).await);
    call(&mut ana, "pilothouse.create", json!({"sessionId": "s"})).await;
    subscribe(&mut ben, "s", 0).await;
    runtime.result("session.send", r#"{"messageId":"m1"}"#);
    assert_eq!(send(&mut ana, "Mind the tide").await["result"]["messageId"], "m1");
    assert_eq!(sent(&mut ben).await, json!({"messageId": "m1", "who": "Ana"}));
    // The event may be here before the runtime's answer has the message's id.
    runtime.silent("session.send");
    let asked = ana.send_request("session.send", json!({"sessionId": "s", "prompt": "And the wind"})).await;
    let frame = runtime.calls("session.send", 2).await.pop().unwrap();
    let begun = event("user.message", "u")
        .replace("\"data\":{}", r#""data":{"messageId":"m2","content":"And the wind"}"#);
    runtime.emit("s", &begun);
    ben.until(r#""m2""#).await;
    runtime.reply(&frame, r#"{"messageId":"m2"}"#);
    ana.response(asked).await;
    assert_eq!(sent(&mut ben).await, json!({"messageId": "m2", "who": "Ana"}));
    gateway.stop().await;
}

#[tokio::test]
async fn a_message_that_was_kept_and_is_sent_by_somebody_else_is_by_who_wrote_it() {
    let (runtime, folder) = (StandIn::start().await, Folder::new());
    let before = gateway(&runtime, &folder).await;
    let (mut ana, mut ben) = (socket(&before, ANA).await, socket(&before, BEN).await);
    call(&mut ana, "pilothouse.create", json!({"sessionId": "s"})).await;
    subscribe(&mut ben, "s", 0).await;
    runtime.result("session.send", r#"{"messageId":"m1"}"#);
    send(&mut ana, "later").await;
    assert_eq!(sent(&mut ben).await["messageId"], "m1");
    drop((ana, ben));
    before.stop().await;

    // The runtime has lost its queue meanwhile, and another gateway process has the backlog.
    runtime.result(PENDING, r#"{"items":[],"steeringMessages":[]}"#);
    let gateway = gateway(&runtime, &folder).await;
    let mut ben = socket(&gateway, BEN).await;
    let mut viewer = socket(&gateway, BEN).await;
    subscribe(&mut viewer, "s", 0).await;
    assert_eq!(sent(&mut viewer).await["messageId"], "m1", "it is in the log");
    let dropped = loop {
        let answer = call(&mut ben, "pilothouse.backlog", json!({"sessionId": "s"})).await;
        let message = answer["result"]["messages"][0].clone();
        assert_eq!(message["who"], "Ana", "{answer}");
        if message["state"] == "dropped" {
            break message;
        }
        while !viewer.next().await.contains("pilothouse.backlog.changed") {}
    };
    runtime.result("session.send", r#"{"messageId":"m2"}"#);
    let again =
        call(&mut ben, "pilothouse.backlog.send", json!({"sessionId": "s", "id": dropped["id"]})).await;
    assert_eq!(again["result"]["messageId"], "m2", "{again}");
    assert_eq!(sent(&mut viewer).await, json!({"messageId": "m2", "who": "Ana"}));
    let gone =
        call(&mut ben, "pilothouse.backlog.send", json!({"sessionId": "s", "id": dropped["id"]})).await;
    assert_eq!(gone["error"]["code"], ErrorReason::NoSuchMessage.code());
    gateway.stop().await;
}

#[tokio::test]
async fn where_nobody_has_a_name_nothing_is_said_of_writers() {
    let (runtime, folder) = (StandIn::start().await, Folder::new());
    let gateway = super::gateway::open(settings(&runtime, Some(&folder))).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    subscribe(&mut socket, "s", 0).await;
    runtime.result("session.send", r#"{"messageId":"m1"}"#);
    send(&mut socket, "hello").await;
    runtime.emit("s", &event("x", "after"));
    let events = socket.until("after").await;
    assert!(events.iter().all(|(_, event)| !event.contains("pilothouse.sent")), "{events:?}");
    gateway.stop().await;
}
