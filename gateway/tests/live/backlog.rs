//! Tests that a message is kept until an event shows it as begun, whatever ends in between, and that it is
//! sent again only once and only if somebody says so.

use pilothouse_core::protocol::ErrorReason;
use std::os::unix::fs::PermissionsExt as _;

use super::client::{Socket, post};
use super::gateway::{Folder, call, open, settings, subscribe, watched};
use super::stand_in::{StandIn, event};
use pilothouse_gateway::gateway::Gateway;
use serde_json::{Value, json};

const ENQUEUE: &str = "session.commands.enqueue";
const PENDING: &str = "session.queue.pendingItems";
const PROCESSING: &str = "session.metadata.isProcessing";

/// A gateway with a session, a socket for calls, and one that only listens.
pub struct Scene {
    pub gateway: Gateway,
    pub socket: Socket,
    pub viewer: Socket,
}

impl Scene {
    pub async fn new(runtime: &StandIn, folder: Option<&Folder>) -> Self {
        let (gateway, socket) = watched(runtime, folder).await;
        Self::of(gateway, socket).await
    }

    pub async fn reopen(runtime: &StandIn, folder: &Folder) -> Self {
        let gateway = open(settings(runtime, Some(folder))).await;
        let socket = Socket::open(&gateway, None).await;
        Self::of(gateway, socket).await
    }

    async fn of(gateway: Gateway, socket: Socket) -> Self {
        let mut viewer = Socket::open(&gateway, None).await;
        subscribe(&mut viewer, "s", 0).await;
        Self { gateway, socket, viewer }
    }

    /// With a message that waits in the runtime's queue.
    pub async fn queued(runtime: &StandIn, folder: Option<&Folder>) -> Self {
        let mut scene = Self::new(runtime, folder).await;
        answers_with(runtime, "m1");
        lists(runtime, &[("m1", "later")]);
        let params = json!({"prompt": "later", "mode": "enqueue", "agentMode": "plan"});
        assert_eq!(scene.call("session.send", params).await["result"]["messageId"], "m1");
        assert_eq!(scene.backlog().await.0, one("later", "waiting"));
        scene
    }

    /// The same after the end of the runtime, which lost its queue. Returns the message's id in the backlog
    /// as well.
    async fn dropped(runtime: &StandIn) -> (Self, String) {
        let mut scene = Self::queued(runtime, None).await;
        lists(runtime, &[]);
        runtime.cut();
        let id = scene.becomes(&one("later", "dropped")).await.remove(0);
        (scene, id)
    }

    pub async fn call(&mut self, method: &str, mut params: Value) -> Value {
        params["sessionId"] = "s".into();
        call(&mut self.socket, method, params).await
    }

    /// The text and state of each message in the backlog, and their ids.
    pub async fn backlog(&mut self) -> (Vec<(String, String)>, Vec<String>) {
        let answer = self.call("pilothouse.backlog", json!({})).await;
        let messages = answer["result"]["messages"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let text = |message: &Value, name: &str| message[name].as_str().unwrap().to_owned();
        let shown = messages.iter().map(|message| (text(message, "text"), text(message, "state")));
        (shown.collect(), messages.iter().map(|message| text(message, "id")).collect())
    }

    /// Waits until these are in the backlog, asking again after each notification to viewers. Returns the
    /// ids.
    pub async fn becomes(&mut self, expected: &[(String, String)]) -> Vec<String> {
        loop {
            let (shown, ids) = self.backlog().await;
            if shown == expected {
                return ids;
            }
            let told = r#""pilothouse.backlog.changed","params":{"sessionId":"s"}"#;
            while !self.viewer.next().await.contains(told) {}
        }
    }

    /// Same as `becomes`, in any order, while the scene's own socket waits for an answer.
    async fn viewer_sees(&mut self, expected: &[(String, String)]) {
        let mut asking = Socket::open(&self.gateway, None).await;
        loop {
            let answer = call(&mut asking, "pilothouse.backlog", json!({"sessionId": "s"})).await;
            let messages = answer["result"]["messages"].as_array().cloned().unwrap_or_default();
            let text = |message: &Value, name: &str| message[name].as_str().unwrap().to_owned();
            let mut shown: Vec<_> =
                messages.iter().map(|message| (text(message, "text"), text(message, "state"))).collect();
            shown.sort();
            if shown == expected {
                return;
            }
            while !self.viewer.next().await.contains("pilothouse.backlog.changed") {}
        }
    }

    pub async fn stop(self) {
        drop((self.socket, self.viewer));
        self.gateway.stop().await;
    }
}

fn answers_with(runtime: &StandIn, message_id: &str) {
    runtime.result("session.send", &json!({"messageId": message_id}).to_string());
}

fn lists(runtime: &StandIn, items: &[(&str, &str)]) {
    let item = |(id, text): &(&str, &str)| json!({"id": id, "messageId": id, "kind": "message", "displayText": text});
    let items = items.iter().map(item).collect::<Vec<_>>();
    runtime.result(PENDING, &json!({"items": items, "steeringMessages": []}).to_string());
}

fn user_message(message_id: &str, text: &str) -> String {
    let data = json!({"messageId": message_id, "content": text});
    event("user.message", &format!("e-{message_id}")).replace("\"data\":{}", &format!("\"data\":{data}"))
}

/// Answers the call in this frame.
fn answer(runtime: &StandIn, frame: &str, result: &Value) {
    let id = serde_json::from_str::<Value>(frame).unwrap()["id"].clone();
    runtime.say(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
}

pub fn one(text: &str, state: &str) -> Vec<(String, String)> {
    vec![(text.to_owned(), state.to_owned())]
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_reach_the_runtime_in_the_order_in_which_they_were_sent() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let mut scene = Scene::new(&runtime, Some(&folder)).await;
    answers_with(&runtime, "m");
    let sent: Vec<String> = (0..100).map(|at| format!("message {at}")).collect();
    for prompt in &sent {
        scene
            .socket
            .send_request("session.send", json!({"sessionId": "s", "prompt": prompt, "mode": "enqueue"}))
            .await;
    }
    let frames = runtime.calls("session.send", sent.len()).await;
    let prompt = |frame: &String| serde_json::from_str::<Value>(frame).unwrap()["params"]["prompt"].clone();
    assert_eq!(frames.iter().map(prompt).collect::<Vec<_>>(), sent);
    scene.stop().await;
}

#[tokio::test]
async fn what_waited_in_a_runtime_that_ended_is_offered_and_sent_again_once() {
    let runtime = StandIn::start().await;
    let (mut scene, id) = Scene::dropped(&runtime).await;
    assert_eq!(runtime.count("session.send"), 1, "nobody sends it by itself");

    answers_with(&runtime, "m2");
    let mut other = Socket::open(&scene.gateway, None).await;
    let params = json!({"sessionId": "s", "id": id});
    let first = scene.socket.send_request("pilothouse.backlog.send", params.clone()).await;
    let second = other.send_request("pilothouse.backlog.send", params).await;
    let answers = [scene.socket.response(first).await, other.response(second).await];
    let (sent, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer["error"].is_null());
    assert_eq!((sent.len(), &sent[0]["result"]["messageId"]), (1, &json!("m2")));
    assert_eq!(refused[0]["error"]["code"], ErrorReason::NoSuchMessage.code());
    let frame: Value = serde_json::from_str(&runtime.calls("session.send", 2).await[1]).unwrap();
    let expected = json!({"prompt": "later", "mode": "enqueue", "agentMode": "plan", "sessionId": "s"});
    assert_eq!(frame["params"], expected);

    runtime.emit("s", &user_message("m2", "later"));
    scene.becomes(&[]).await;
    assert_eq!(runtime.count("session.send"), 2);
}

#[tokio::test]
async fn a_queue_that_outlives_the_connection_is_nothing_to_decide_about() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::queued(&runtime, None).await;
    let asked = runtime.count(PENDING);
    runtime.cut();
    runtime.calls(PENDING, asked + 1).await;
    assert_eq!(scene.backlog().await.0, one("later", "waiting"));
    runtime.emit("s", &user_message("m1", "later"));
    scene.becomes(&[]).await;
}

#[tokio::test]
async fn what_a_living_runtime_has_taken_up_is_not_dropped_with_the_connection() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::queued(&runtime, None).await;
    // Taken out of the queue, and not begun when the connection ends.
    lists(&runtime, &[]);
    runtime.result(PROCESSING, r#"{"processing":true}"#);
    runtime.cut();
    // Two calls: whether it has the session, and whether it works on it.
    runtime.calls(PROCESSING, 2).await;
    assert_eq!(scene.backlog().await.0, one("later", "waiting"));
    runtime.emit("s", &user_message("m1", "later"));
    scene.becomes(&[]).await;
}

#[tokio::test]
async fn what_was_in_a_runtime_that_ended_is_dropped_although_the_new_one_works() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::queued(&runtime, None).await;
    lists(&runtime, &[]);
    runtime.error(PROCESSING, r#"{"code":-32603,"message":"Session not found"}"#);
    runtime.cut();
    scene.becomes(&one("later", "dropped")).await;
}

#[tokio::test]
async fn a_gateway_that_is_started_again_has_what_was_kept() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    Scene::queued(&runtime, Some(&folder)).await.stop().await;
    let file = folder.log("s").with_extension("backlog");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    // The runtime has ended as well, and its queue is lost.
    lists(&runtime, &[]);
    let mut scene = Scene::reopen(&runtime, &folder).await;
    let ids = scene.becomes(&one("later", "dropped")).await;
    let read = scene.call("pilothouse.backlog.read", json!({"id": ids[0]})).await;
    let expected = json!({"prompt": "later", "mode": "enqueue", "agentMode": "plan"});
    assert_eq!(read["result"]["message"], expected);
    scene.stop().await;

    // It had begun after all, which only the runtime's history shows.
    runtime.note("s", &user_message("m1", "later"));
    let mut scene = Scene::reopen(&runtime, &folder).await;
    scene.becomes(&[]).await;
    assert!(!file.exists());
    scene.stop().await;
}

#[tokio::test]
async fn a_message_that_went_out_as_the_runtime_ended_is_known_by_its_words() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::new(&runtime, None).await;
    runtime.silent("session.send");
    let mut other = Socket::open(&scene.gateway, None).await;
    let began = scene.socket.send_request("session.send", json!({"sessionId": "s", "prompt": "began"})).await;
    let did_not = other.send_request("session.send", json!({"sessionId": "s", "prompt": "did not"})).await;
    runtime.calls("session.send", 2).await;
    runtime.note("s", &user_message("m1", "began"));
    runtime.cut();
    for (socket, id) in [(&mut scene.socket, began), (&mut other, did_not)] {
        assert_eq!(socket.response(id).await["error"]["code"], ErrorReason::UnknownOutcome.code());
    }
    scene.becomes(&one("did not", "dropped")).await;
    assert_eq!(runtime.count("session.send"), 2);
}

#[tokio::test]
async fn what_the_agent_drops_is_offered_once_it_rests() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::queued(&runtime, None).await;
    lists(&runtime, &[]);
    // Taken out of the queue, and worked on.
    runtime.result(PROCESSING, r#"{"processing":true}"#);
    runtime.emit("s", &event("abort", "a1"));
    runtime.calls(PROCESSING, 1).await;
    assert_eq!(scene.backlog().await.0, one("later", "waiting"));
    runtime.result(PROCESSING, r#"{"processing":false}"#);
    runtime.emit("s", &event("session.idle", "i1"));
    let ids = scene.becomes(&one("later", "dropped")).await;
    for discarded in [true, false] {
        let answer = scene.call("pilothouse.backlog.discard", json!({"id": ids[0]})).await;
        assert_eq!(answer["result"]["discarded"], discarded);
    }
    assert_eq!(scene.backlog().await.0, []);
}

#[tokio::test]
async fn what_a_person_changes_in_the_queue_is_changed_here_too() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::queued(&runtime, None).await;
    runtime.result(PROCESSING, r#"{"processing":true}"#);
    scene.call("session.queue.updateText", json!({"id": "m1", "prompt": "sooner"})).await;
    assert_eq!(scene.backlog().await.0, one("sooner", "waiting"));
    runtime.silent("session.queue.removeAt");
    let removing =
        scene.socket.send_request("session.queue.removeAt", json!({"sessionId": "s", "id": "m1"})).await;
    let frame = runtime.calls("session.queue.removeAt", 1).await.remove(0);
    // The runtime is asked for its queue before and after.
    lists(&runtime, &[]);
    answer(&runtime, &frame, &json!({"removed": true}));
    assert_eq!(scene.socket.response(removing).await["result"]["removed"], true);
    assert_eq!(scene.backlog().await.0, []);
}

#[tokio::test]
async fn what_a_person_takes_out_of_the_queue_is_not_offered_although_the_person_is_gone() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::queued(&runtime, None).await;
    runtime.result(PROCESSING, r#"{"processing":true}"#);
    runtime.silent("session.queue.removeAt");
    let mut gone = Socket::open(&scene.gateway, None).await;
    gone.send_request("session.queue.removeAt", json!({"sessionId": "s", "id": "m1"})).await;
    let frame = runtime.calls("session.queue.removeAt", 1).await.remove(0);
    gone.close().await;
    lists(&runtime, &[]);
    answer(&runtime, &frame, &json!({"removed": true}));
    scene.becomes(&[]).await;
}

#[tokio::test]
async fn a_message_whose_sender_leaves_before_its_turn_is_offered() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::new(&runtime, None).await;
    runtime.silent("session.resume");
    runtime.cut();
    let resumes = runtime.calls("session.resume", 1).await;
    scene.socket.send_request("session.send", json!({"sessionId": "s", "prompt": "first"})).await;
    scene.viewer_sees(&one("first", "sending")).await;
    let mut gone = Socket::open(&scene.gateway, None).await;
    gone.send_request("session.send", json!({"sessionId": "s", "prompt": "gone"})).await;
    scene.viewer_sees(&[one("first", "sending"), one("gone", "sending")].concat()).await;
    gone.close().await;
    scene.viewer_sees(&[one("first", "sending"), one("gone", "dropped")].concat()).await;
    answers_with(&runtime, "m1");
    lists(&runtime, &[("m1", "first")]);
    answer(&runtime, &resumes[0], &json!({}));
    runtime.calls("session.send", 1).await;
    scene.viewer_sees(&[one("first", "waiting"), one("gone", "dropped")].concat()).await;
    assert_eq!(runtime.count("session.send"), 1);
}

#[tokio::test]
async fn what_the_runtime_refuses_is_not_kept_unless_it_was_kept_before() {
    let runtime = StandIn::start().await;
    let (mut scene, id) = Scene::dropped(&runtime).await;
    runtime.error("session.send", r#"{"code":-32603,"message":"no"}"#);
    let refused = scene.call("session.send", json!({"prompt": "new"})).await;
    assert_eq!(refused["error"]["message"], "no");
    let again = scene.call("pilothouse.backlog.send", json!({"id": id})).await;
    assert_eq!(again["error"]["message"], "no");
    assert_eq!(scene.backlog().await.0, one("later", "dropped"));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "pilothouse.backlog", "params": {}}).to_string();
    let reply = post(&scene.gateway, "/api/sessions/s/rpc", &body).await.json();
    assert_eq!(reply["result"]["messages"][0]["text"], "later");
}

#[tokio::test]
async fn the_first_message_after_a_restart_is_kept_with_those_from_before() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    Scene::queued(&runtime, Some(&folder)).await.stop().await;
    answers_with(&runtime, "m2");
    lists(&runtime, &[("m1", "later"), ("m2", "new")]);
    // Nobody has looked at the session, so its backlog is not read when the message comes.
    let gateway = open(settings(&runtime, Some(&folder))).await;
    let mut socket = Socket::open(&gateway, None).await;
    let sent = call(&mut socket, "session.send", json!({"sessionId": "s", "prompt": "new"})).await;
    assert_eq!(sent["result"]["messageId"], "m2", "{sent}");
    let mut scene = Scene::of(gateway, socket).await;
    assert_eq!(scene.backlog().await.0, [one("later", "waiting"), one("new", "waiting")].concat());
}

#[tokio::test]
async fn the_first_message_after_a_restart_is_not_taken_for_an_older_one_with_its_words() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let mut scene = Scene::new(&runtime, Some(&folder)).await;
    runtime.emit("s", &user_message("m0", "again"));
    scene.viewer.until("e-m0").await;
    scene.stop().await;
    lists(&runtime, &[]);
    runtime.silent("session.send");
    let gateway = open(settings(&runtime, Some(&folder))).await;
    let mut socket = Socket::open(&gateway, None).await;
    let sent = socket.send_request("session.send", json!({"sessionId": "s", "prompt": "again"})).await;
    runtime.calls("session.send", 1).await;
    runtime.cut();
    assert_eq!(socket.response(sent).await["error"]["code"], ErrorReason::UnknownOutcome.code());
    let mut scene = Scene::of(gateway, socket).await;
    scene.becomes(&one("again", "dropped")).await;
}

#[tokio::test]
async fn what_waits_when_a_session_is_closed_is_kept() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::queued(&runtime, None).await;
    let closed = scene.call("pilothouse.close", json!({})).await;
    assert_eq!(closed["result"]["success"], true);
    assert_eq!(scene.backlog().await.0, one("later", "dropped"));
}

#[tokio::test]
async fn the_answer_counts_although_whoever_asked_is_gone() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::new(&runtime, None).await;
    runtime.silent("session.send");
    let mut other = Socket::open(&scene.gateway, None).await;
    other.send_request("session.send", json!({"sessionId": "s", "prompt": "later"})).await;
    let frame = runtime.calls("session.send", 1).await.remove(0);
    drop(other);
    lists(&runtime, &[("m1", "later")]);
    scene.becomes(&one("later", "sending")).await;
    answer(&runtime, &frame, &json!({"messageId": "m1"}));
    scene.becomes(&one("later", "waiting")).await;
    runtime.emit("s", &user_message("m1", "later"));
    scene.becomes(&[]).await;
}

#[tokio::test]
async fn a_message_for_which_there_is_no_runtime_is_kept_although_its_sender_is_gone() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::new(&runtime, None).await;
    runtime.silent("connect");
    runtime.cut();
    let mut other = Socket::open(&scene.gateway, None).await;
    other.send_request("session.send", json!({"sessionId": "s", "prompt": "gone"})).await;
    scene.viewer_sees(&one("gone", "sending")).await;
    drop(other);
    let sent = scene.socket.send_request("session.send", json!({"sessionId": "s", "prompt": "here"})).await;
    assert_eq!(scene.socket.response(sent).await["error"]["code"], ErrorReason::Kept.code());
    scene.viewer_sees(&[one("gone", "dropped"), one("here", "dropped")].concat()).await;
    assert_eq!(runtime.count("session.send"), 0);
}

pub fn queue_of_commands(runtime: &StandIn, commands: &[(&str, &str)]) {
    let item = |(id, text): &(&str, &str)| json!({"id": id, "kind": "command", "displayText": text});
    let items = commands.iter().map(item).collect::<Vec<_>>();
    runtime.result(PENDING, &json!({"items": items, "steeringMessages": []}).to_string());
}

/// The event with which the runtime asks for a queued command to be run.
pub fn command_queued(request_id: &str, command: &str) -> String {
    let data = json!({"requestId": request_id, "command": command});
    event("command.queued", &format!("q-{request_id}")).replace("\"data\":{}", &format!("\"data\":{data}"))
}

pub fn command_completed(request_id: &str) -> String {
    let data = json!({"requestId": request_id});
    event("command.completed", &format!("c-{request_id}")).replace("\"data\":{}", &format!("\"data\":{data}"))
}

#[tokio::test]
async fn a_queued_command_is_kept_until_its_request_is_over_and_offered_as_it_was_typed() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let mut scene = Scene::new(&runtime, Some(&folder)).await;
    runtime.result(ENQUEUE, r#"{"queued":true}"#);
    runtime.result(PROCESSING, r#"{"processing":true}"#);
    let (fleet, research) = ("/fleet paint the boats ", "/research the sea");
    queue_of_commands(&runtime, &[("1", fleet), ("2", research)]);
    runtime.silent("session.commands.invoke");
    for command in [fleet, research] {
        assert_eq!(scene.call(ENQUEUE, json!({"command": command})).await["result"]["queued"], true);
    }
    assert_eq!(scene.backlog().await.0, [one(fleet, "waiting"), one(research, "waiting")].concat());

    // It is not over as long as it is being run.
    runtime.emit("s", &command_queued("r1", fleet));
    queue_of_commands(&runtime, &[("2", research)]);
    scene.viewer.until("command.queued").await;
    assert_eq!(scene.backlog().await.0, [one(fleet, "running"), one(research, "waiting")].concat());
    runtime.emit("s", &command_completed("r1"));
    scene.becomes(&one(research, "waiting")).await;

    // Another life of both: the runtime has lost what it asked for, and it may have been run.
    runtime.emit("s", &command_queued("r2", research));
    scene.viewer.until(r#""r2""#).await;
    scene.stop().await;
    queue_of_commands(&runtime, &[]);
    runtime.error(PROCESSING, r#"{"code":-32603,"message":"Session not found"}"#);
    let mut scene = Scene::reopen(&runtime, &folder).await;
    let ids = scene.becomes(&one(research, "dropped")).await;
    let read = scene.call("pilothouse.backlog.read", json!({"id": ids[0]})).await;
    assert_eq!(read["result"]["message"], json!({"command": research}));
    assert_eq!(runtime.count(ENQUEUE), 2, "nobody runs it by itself");
    let again = scene.call("pilothouse.backlog.send", json!({"id": ids[0], "mode": "immediate"})).await;
    assert_eq!(again["result"]["queued"], true);
    let frame: Value = serde_json::from_str(&runtime.calls(ENQUEUE, 3).await[2]).unwrap();
    assert_eq!(frame["params"], json!({"command": research, "sessionId": "s"}));
    runtime.emit("s", &command_queued("r3", research));
    runtime.emit("s", &command_completed("r3"));
    scene.becomes(&[]).await;
    scene.stop().await;
}

#[tokio::test]
async fn a_queued_command_that_somebody_takes_out_is_gone_and_one_that_is_refused_too() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::new(&runtime, None).await;
    runtime.result(ENQUEUE, r#"{"queued":true}"#);
    runtime.result(PROCESSING, r#"{"processing":true}"#);
    let both = [("1", "/compact"), ("2", "/compact")];
    queue_of_commands(&runtime, &both);
    for _ in both {
        scene.call(ENQUEUE, json!({"command": "/compact"})).await;
    }
    runtime.silent("session.queue.removeAt");
    let removing =
        scene.socket.send_request("session.queue.removeAt", json!({"sessionId": "s", "id": "1"})).await;
    let frame = runtime.calls("session.queue.removeAt", 1).await.remove(0);
    queue_of_commands(&runtime, &both[1..]);
    answer(&runtime, &frame, &json!({"removed": true}));
    scene.socket.response(removing).await;
    assert_eq!(scene.backlog().await.0, one("/compact", "waiting"));

    runtime.result(ENQUEUE, r#"{"queued":false}"#);
    assert_eq!(scene.call(ENQUEUE, json!({"command": "/nothing"})).await["result"]["queued"], false);
    assert_eq!(scene.backlog().await.0, one("/compact", "waiting"));
}

/// A session, made with these parameters, that the runtime has never written down: it ended before. Its first
/// message is dropped, whether or not it had begun.
async fn unwritten(runtime: &StandIn, folder: &Folder, params: Value, begun: bool) -> (Scene, String) {
    let gateway = open(settings(runtime, Some(folder))).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", params).await;
    let mut scene = Scene::of(gateway, socket).await;
    answers_with(runtime, "m1");
    lists(runtime, &[]);
    runtime.result(PROCESSING, r#"{"processing":true}"#);
    scene.call("session.send", json!({"prompt": "first"})).await;
    if begun {
        runtime.emit("s", &user_message("m1", "first"));
        scene.becomes(&[]).await;
    }
    let cold = r#"{"code":-32603,"message":"Session not found"}"#;
    runtime.error(PROCESSING, cold);
    runtime.error("session.resume", cold);
    runtime.result("session.list", r#"{"sessions":[]}"#);
    runtime.cut();
    let id = scene.becomes(&one("first", "dropped")).await.remove(0);
    (scene, id)
}

#[tokio::test]
async fn a_session_that_the_runtime_never_wrote_down_is_made_again_when_somebody_sends() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let made = json!({"sessionId": "s", "workingDirectory": "/boats", "model": "m", "reasoningEffort": "high",
        "agent": "a", "provider": {"apiKey": "secret"}});
    let (mut scene, id) = unwritten(&runtime, &folder, made, true).await;
    assert_eq!(runtime.count("session.create"), 1, "nobody makes it by itself");
    answers_with(&runtime, "m2");
    let sent = scene.call("pilothouse.backlog.send", json!({"id": id})).await;
    assert_eq!(sent["result"]["messageId"], "m2", "{sent}");
    let creates = runtime.calls("session.create", 2).await;
    let params = |frame: &String| serde_json::from_str::<Value>(frame).unwrap()["params"].clone();
    assert_eq!(params(&creates[1]), params(&creates[0]), "with the same settings");
    runtime.emit("s", &user_message("m2", "first"));
    scene.becomes(&[]).await;
    scene.stop().await;

    // Another gateway knows the settings that may be on the disk.
    let mut scene = Scene::reopen(&runtime, &folder).await;
    let sent = scene.call("session.send", json!({"prompt": "second"})).await;
    assert_eq!(sent["result"]["messageId"], "m2", "{sent}");
    let third = params(&runtime.calls("session.create", 3).await[2]);
    assert_eq!(
        json!([third["workingDirectory"], third["model"], third["reasoningEffort"], third["agent"]]),
        json!(["/boats", "m", "high", "a"])
    );
    assert!(third["provider"].is_null());
    scene.stop().await;
}

#[tokio::test]
async fn a_session_that_is_stored_or_in_which_the_agent_has_spoken_is_not_made_again() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let (mut scene, id) = unwritten(&runtime, &folder, json!({"sessionId": "s"}), false).await;
    runtime.result("session.list", r#"{"sessions":[{"sessionId":"s"}]}"#);
    let refused = scene.call("pilothouse.backlog.send", json!({"id": id})).await;
    assert_eq!(refused["error"]["message"], "Session not found");
    runtime.result("session.list", r#"{"sessions":[]}"#);
    // The runtime has lost what the page shows, so a new session would not know what was said.
    runtime.emit("s", &event("assistant.message", "a1"));
    scene.viewer.until("assistant.message").await;
    let refused = scene.call("pilothouse.backlog.send", json!({"id": id})).await;
    assert_eq!(refused["error"]["message"], "Session not found");
    assert_eq!((scene.backlog().await.0, runtime.count("session.create")), (one("first", "dropped"), 1));
    scene.stop().await;
}
