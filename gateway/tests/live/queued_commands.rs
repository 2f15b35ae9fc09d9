//! Tests that a queued command is run once when its turn comes, by the gateway, and only if it was queued here.

use pilothouse_core::protocol::ErrorReason;
use serde_json::{Value, json};

use super::backlog::{Scene, command_completed, command_queued, one, queue_of_commands};
use super::gateway::Folder;
use super::stand_in::StandIn;

const ENQUEUE: &str = "session.commands.enqueue";
const INVOKE: &str = "session.commands.invoke";
const RESPOND: &str = "session.commands.respondToQueuedCommand";
const PROCESSING: &str = "session.metadata.isProcessing";

fn params(frame: &str) -> Value {
    serde_json::from_str::<Value>(frame).unwrap()["params"].take()
}

/// A session that works, with this command in its queue.
async fn queued(runtime: &StandIn, folder: Option<&Folder>, command: &str) -> Scene {
    let mut scene = Scene::new(runtime, folder).await;
    runtime.result(ENQUEUE, r#"{"queued":true}"#);
    runtime.result(PROCESSING, r#"{"processing":true}"#);
    queue_of_commands(runtime, &[("1", command)]);
    scene.call(ENQUEUE, json!({"command": command})).await;
    scene
}

/// Its turn comes.
fn turn(runtime: &StandIn, command: &str) {
    queue_of_commands(runtime, &[]);
    runtime.emit("s", &command_queued("r", command));
}

/// What the runtime was told of the outcome.
async fn outcome(runtime: &StandIn) -> Value {
    params(&runtime.calls(RESPOND, 1).await[0])
}

#[tokio::test]
async fn a_queued_command_is_run_once_and_every_viewer_reads_what_it_answers() {
    let runtime = StandIn::start().await;
    let mut scene = queued(&runtime, None, "/cwd  ../sea ").await;
    runtime.silent(INVOKE);
    turn(&runtime, "/cwd  ../sea ");
    let invoked = runtime.calls(INVOKE, 1).await;
    assert_eq!(params(&invoked[0]), json!({"sessionId": "s", "name": "cwd", "input": "../sea"}));
    // The gateway says that it runs it before anybody sees the request.
    let seen = scene.viewer.until(r#""type":"command.queued""#).await;
    let before = seen
        .iter()
        .any(|(_, event)| event.contains("command_started") && event.contains(r#""requestId":"r""#));
    assert!(before, "{seen:?}");
    // The same event once more, and an answer of somebody who thinks that nobody runs it.
    runtime.emit("s", &command_queued("r", "/cwd  ../sea "));
    let early = scene.call(RESPOND, json!({"requestId": "r", "result": {"handled": true}})).await;
    assert_eq!(early["error"]["code"], ErrorReason::BeingAnswered.code());
    assert_eq!(scene.backlog().await.0, one("/cwd  ../sea ", "running"));

    runtime.reply(&invoked[0], r#"{"kind":"text","text":"\u001b[1mThe sea\u001b[0m\n"}"#);
    scene.viewer.until(r#""message":"/cwd: The sea""#).await;
    assert_eq!(
        outcome(&runtime).await,
        json!({"sessionId": "s", "requestId": "r", "result": {"handled": true}})
    );
    runtime.emit("s", &command_completed("r"));
    scene.becomes(&[]).await;
    assert_eq!((runtime.count(INVOKE), runtime.count(RESPOND)), (1, 1));
    scene.stop().await;
}

#[tokio::test]
async fn what_a_command_says_to_the_agent_goes_before_what_was_queued_after_it() {
    let runtime = StandIn::start().await;
    let mut scene = queued(&runtime, None, "/plan the boats").await;
    let result = json!({"kind": "agent-prompt", "prompt": "[[PLAN]] the boats", "displayPrompt": "the boats",
        "mode": "plan", "notice": "Planning"});
    runtime.result(INVOKE, &result.to_string());
    runtime.result("session.send", r#"{"messageId":"m"}"#);
    turn(&runtime, "/plan the boats");
    scene.viewer.until("/plan: Planning").await;
    let sent = params(&runtime.calls("session.send", 1).await[0]);
    let expected = json!({"sessionId": "s", "prompt": "[[PLAN]] the boats", "displayPrompt": "the boats",
        "agentMode": "plan", "mode": "enqueue", "prepend": true});
    assert_eq!(sent, expected);
    assert_eq!(params(&runtime.calls("session.mode.set", 1).await[0])["mode"], "plan");
    assert_eq!(outcome(&runtime).await["result"]["handled"], true);
    runtime.emit("s", &command_completed("r"));
    // It is followed like what a person sends.
    scene.becomes(&one("the boats", "waiting")).await;
    scene.stop().await;
}

#[tokio::test]
async fn a_command_that_can_t_be_run_is_not_handled_and_every_viewer_reads_why() {
    let runtime = StandIn::start().await;
    let mut scene = queued(&runtime, None, "/nope").await;
    let why = "Request session.commands.invoke failed with message: Unknown slash command: /nope";
    runtime.error(INVOKE, &json!({"code": -32603, "message": why}).to_string());
    turn(&runtime, "/nope");
    let (_, seen) = scene.viewer.until("command_failed").await.pop().unwrap();
    assert!(seen.contains(r#""why":"Unknown slash command: /nope""#), "{seen}");
    assert!(seen.contains(r#""type":"session.warning""#), "{seen}");
    assert_eq!(outcome(&runtime).await["result"]["handled"], false);
    scene.stop().await;
}

#[tokio::test]
async fn a_command_that_another_client_queued_is_that_client_s_matter() {
    let runtime = StandIn::start().await;
    let mut scene = queued(&runtime, None, "/compact").await;
    runtime.emit("s", &command_queued("other", "/dock now"));
    turn(&runtime, "/compact");
    outcome(&runtime).await;
    assert_eq!(params(&runtime.calls(INVOKE, 1).await[0])["name"], "compact");
    assert_eq!(runtime.count(INVOKE), 1);
    let answered = scene.call(RESPOND, json!({"requestId": "other", "result": {"handled": true}})).await;
    assert_eq!(answered["result"]["success"], true, "a person can answer it");
    scene.stop().await;
}

#[tokio::test]
async fn a_command_is_not_run_again_when_the_gateway_was_killed_meanwhile() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let mut scene = queued(&runtime, Some(&folder), "/compact").await;
    runtime.silent(INVOKE);
    turn(&runtime, "/compact");
    runtime.calls(INVOKE, 1).await;
    scene.viewer.until("command_started").await;
    scene.stop().await;
    // The runtime has gone on, and its queue waits for the outcome.
    let mut scene = Scene::reopen(&runtime, &folder).await;
    scene.viewer.until("command_unsure").await;
    scene.becomes(&one("/compact", "waiting")).await;
    let answered = scene.call(RESPOND, json!({"requestId": "r", "result": {"handled": true}})).await;
    assert_eq!(answered["result"]["success"], true, "a person says what became of it");
    runtime.emit("s", &command_completed("r"));
    scene.becomes(&[]).await;
    assert_eq!(runtime.count(INVOKE), 1);
    scene.stop().await;
}

#[tokio::test]
async fn a_command_is_not_run_again_when_the_connection_ended_meanwhile() {
    let runtime = StandIn::start().await;
    let mut scene = queued(&runtime, None, "/compact").await;
    runtime.silent(INVOKE);
    turn(&runtime, "/compact");
    runtime.calls(INVOKE, 1).await;
    runtime.cut();
    scene.viewer.until("command_unsure").await;
    let answered = scene.call(RESPOND, json!({"requestId": "r", "result": {"handled": false}})).await;
    assert_eq!(answered["result"]["success"], true, "a person says what became of it");
    assert_eq!((runtime.count(INVOKE), runtime.count(RESPOND)), (1, 1));
    scene.stop().await;
}

#[tokio::test]
async fn what_a_command_says_to_the_agent_is_not_lost_with_a_connection_that_ended_before_it_was_sent() {
    let runtime = StandIn::start().await;
    let mut scene = queued(&runtime, None, "/plan the boats").await;
    let result = json!({"kind": "agent-prompt", "prompt": "[[PLAN]] the boats", "mode": "plan"});
    runtime.result(INVOKE, &result.to_string());
    runtime.silent("session.mode.set");
    turn(&runtime, "/plan the boats");
    runtime.calls("session.mode.set", 1).await;
    runtime.cut();
    scene.viewer.until("command_unsure").await;
    scene.becomes(&one("/plan the boats", "waiting")).await;
    assert_eq!((runtime.count(INVOKE), runtime.count("session.send")), (1, 0));
    scene.stop().await;
}

#[tokio::test]
async fn a_turn_that_came_while_the_connection_was_down_is_taken() {
    let runtime = StandIn::start().await;
    let mut scene = queued(&runtime, None, "/compact").await;
    runtime.cut();
    runtime.note("s", &command_queued("over", "/compact"));
    runtime.note("s", &command_completed("over"));
    runtime.note("s", &command_queued("r", "/compact"));
    scene.viewer.until("command_started").await;
    assert_eq!(outcome(&runtime).await["requestId"], "r", "not the one that is over");
    assert_eq!(runtime.count(INVOKE), 1);
    scene.stop().await;
}
