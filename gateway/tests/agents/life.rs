//! Tests of what lives: processes, sessions, the queue, answers, and what survives.

use std::fs;
use std::path::Path;

use pilothouse_core::protocol::RequestKind;
use pilothouse_core::session::Session;
use pilothouse_gateway::access::methods;
use serde_json::{Value, json};

use crate::client::{Socket, in_time};
use crate::scene::{Folder, Scene, call, open, stand_in, texts};

const PERMISSION: &str = "session.permissions.handlePendingPermissionRequest";

#[tokio::test]
async fn a_prompt_is_answered_and_its_words_are_in_the_log() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    let sent = scene.send("hello").await;
    let events = scene.until("session.idle").await;
    assert_eq!(texts(&events, "user.message"), ["hello"]);
    assert_eq!(texts(&events, "assistant.message"), ["you said hello"]);
    let message = events.iter().find(|event| event["type"] == "user.message").unwrap();
    assert_eq!(message["data"]["messageId"], sent["result"]["messageId"]);
    assert!(
        events.iter().any(|event| event["type"] == "commands.changed"),
        "it came before the session's name"
    );
    let left = scene.call("pilothouse.backlog", json!({})).await;
    assert_eq!(left["result"]["messages"], json!([]), "it has begun");

    let greeting = &folder.calls()[0]["params"]["clientCapabilities"];
    assert_eq!((&greeting["terminal"], &greeting["fs"]["readTextFile"]), (&json!(false), &json!(false)));
    let board = call(&mut scene.socket, "pilothouse.board", json!({})).await;
    assert_eq!(board["result"]["agents"], json!(["mine"]));
    assert_eq!(board["result"]["sessions"][0]["agent"], "mine");
}

#[tokio::test]
async fn a_request_is_answered_once_with_the_option_that_was_chosen() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    scene.send("ask").await;
    let asked = scene.until("permission.requested").await.pop().unwrap();
    let request = asked["data"]["requestId"].clone();
    let answer = json!({"requestId": request, "result": {"kind": "approve-once"}});
    assert_eq!(scene.call(PERMISSION, answer.clone()).await["result"]["success"], true);
    assert_eq!(scene.call(PERMISSION, answer).await["result"]["success"], false, "it is answered");
    let events = scene.until("session.idle").await;
    assert_eq!(texts(&events, "assistant.message"), ["chosen: once"]);
}

#[tokio::test]
async fn an_answer_that_no_option_fits_is_an_error_and_the_request_waits_on() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    scene.send("ask").await;
    let asked = scene.until("permission.requested").await.pop().unwrap();
    let request = asked["data"]["requestId"].clone();
    let answer = |result: serde_json::Value| json!({"requestId": request, "result": result});
    for result in [
        json!({"kind": "approve-once", "optionId": "moonrise"}),
        json!({"kind": "reject", "optionId": "always"}),
        json!({"kind": "moonrise"}),
    ] {
        let refused = scene.call(PERMISSION, answer(result)).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let always = answer(json!({"kind": "approve-for-session", "optionId": "always"}));
    assert_eq!(scene.call(PERMISSION, always).await["result"]["success"], true);
    let events = scene.until("session.idle").await;
    assert_eq!(texts(&events, "assistant.message"), ["chosen: always"]);
    let ended = events.iter().find(|event| event["type"] == "permission.completed").unwrap();
    assert_eq!(ended["data"]["agentOption"], "Always touch");
}

#[tokio::test]
async fn a_stop_answers_what_is_open_before_it_cancels() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    scene.send("ask").await;
    scene.until("permission.requested").await;
    scene.call("session.abort", json!({})).await;
    let events = scene.until("session.idle").await;
    assert!(events.iter().any(|event| event["type"] == "permission.completed"), "{events:?}");
    let calls = folder.calls();
    let answered = calls.iter().position(|call| call["result"]["outcome"]["outcome"] == "cancelled").unwrap();
    let cancelled = calls.iter().position(|call| call["method"] == "session/cancel").unwrap();
    assert!(answered < cancelled);
}

#[tokio::test]
async fn the_gateway_queues_and_an_immediate_message_cancels_first() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    scene.send("wait").await;
    scene.until("assistant.message_delta").await;
    scene.send("second").await;
    scene.send("third").await;
    let waiting = scene.call("session.queue.pendingItems", json!({})).await;
    let items = waiting["result"]["items"].as_array().unwrap().clone();
    assert_eq!(items.iter().map(|item| item["displayText"].clone()).collect::<Vec<_>>(), ["second", "third"]);
    assert_eq!(folder.count("session/prompt"), 1, "never two at once");
    let removed = scene.call("session.queue.removeAt", json!({"id": items[0]["id"]})).await;
    assert_eq!(removed["result"]["removed"], true);
    let now = json!({"prompt": "now", "mode": "immediate"});
    scene.call("session.send", now).await;
    let mut said = Vec::new();
    for _ in 0..3 {
        said.extend(texts(&scene.until("session.idle").await, "assistant.message"));
    }
    assert_eq!(said, ["waiting", "you said now", "you said third"]);
    assert_eq!(scene.call("pilothouse.backlog", json!({})).await["result"]["messages"], json!([]));
}

#[tokio::test]
async fn a_command_is_a_message_that_goes_at_once_or_waits_once() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    let invoked =
        scene.call("session.commands.invoke", json!({"name": "compact", "input": "the tests"})).await;
    assert!(invoked["error"].is_null(), "{invoked}");
    let events = scene.until("session.idle").await;
    assert_eq!(texts(&events, "user.message"), ["/compact the tests"]);
    assert_eq!(texts(&events, "assistant.message"), ["you said /compact the tests"]);

    scene.send("wait").await;
    scene.until("assistant.message_delta").await;
    scene.call("session.commands.enqueue", json!({"command": "/compact"})).await;
    let kept = scene.call("pilothouse.backlog", json!({})).await["result"]["messages"].clone();
    assert_eq!(kept.as_array().map(Vec::len), Some(1), "{kept}");
    assert_eq!((&kept[0]["text"], &kept[0]["state"]), (&json!("/compact"), &json!("waiting")));
    let nothing = scene.call("session.commands.invoke", json!({"name": " "})).await;
    assert!(nothing["error"]["message"].as_str().unwrap().contains("the command is missing"), "{nothing}");
}

#[tokio::test]
async fn a_stop_offers_what_waits_unless_it_is_to_go_on() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    for (params, goes_on) in [(json!({}), false), (json!({"flushQueued": true}), true)] {
        scene.send("wait").await;
        scene.until("assistant.message_delta").await;
        scene.send("next").await;
        let stopped = scene.call("session.interruptMainTurn", params).await;
        assert_eq!(stopped["result"]["interrupted"], true, "{stopped}");
        scene.until("session.idle").await;
        if goes_on {
            assert_eq!(texts(&scene.until("session.idle").await, "assistant.message"), ["you said next"]);
        }
        let left = scene.call("pilothouse.backlog", json!({})).await["result"]["messages"].clone();
        assert_eq!(left[0]["state"] == "dropped", !goes_on, "{left}");
        scene.call("pilothouse.backlog.discard", json!({"id": left[0]["id"]})).await;
    }
}

#[tokio::test]
async fn an_agent_that_dies_is_started_again_and_what_waited_is_offered() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    scene.send("ask").await;
    let asked = scene.until("permission.requested").await.pop().unwrap();
    scene.send("later").await;
    // A second session of the same process ends it.
    let other = call(&mut scene.socket, "pilothouse.create", json!({"agent": "mine"})).await;
    let other = other["result"]["sessionId"].clone();
    call(&mut scene.socket, "session.send", json!({"sessionId": other, "prompt": "die"})).await;
    let events = scene.until("session.idle").await;
    let error = events.iter().find(|event| event["type"] == "session.error").unwrap();
    assert!(error["data"]["message"].as_str().unwrap().contains("out of luck"), "{error}");
    assert!(events.iter().any(|event| event["type"] == "permission.completed"), "{events:?}");
    let late = json!({"requestId": asked["data"]["requestId"], "result": {"kind": "approve-once"}});
    assert_eq!(scene.call(PERMISSION, late).await["result"]["success"], false);
    let kept = in_time("the message to be offered", async {
        loop {
            let left = scene.call("pilothouse.backlog", json!({})).await["result"]["messages"].clone();
            if left[0]["state"] == "dropped" {
                return left;
            }
        }
    })
    .await;
    assert_eq!((kept.as_array().unwrap().len(), &kept[0]["text"]), (1, &json!("later")));

    scene.send("again").await;
    let events = scene.until("session.idle").await;
    assert_eq!(texts(&events, "assistant.message"), ["you said again"]);
    assert_eq!((folder.count("initialize"), folder.count("session/load")), (2, 1));
    assert_eq!(texts(&events, "user.message"), ["again"], "the log is the gateway's");
}

#[tokio::test]
async fn a_restarted_gateway_has_the_log_once_and_nothing_open() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    scene.send("first").await;
    scene.until("session.idle").await;
    scene.send("ask").await;
    scene.until("permission.requested").await;
    scene.send("queued").await;
    let Scene { gateway, id, .. } = scene;
    gateway.stop().await;

    let gateway = open(vec![stand_in("mine", &folder)], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    let rows = call(&mut socket, "pilothouse.sessions", json!({})).await;
    assert_eq!(rows["result"][0]["agent"], "mine");
    let mut scene = Scene::of(gateway, socket, id).await;
    let left = scene.call("pilothouse.backlog", json!({})).await["result"]["messages"].clone();
    assert_eq!((&left[0]["text"], &left[0]["state"]), (&json!("queued"), &json!("dropped")));
    assert_eq!(folder.count("initialize"), 1, "looking starts no agent");
    scene.send("second").await;
    scene.until("session.resume").await;
    scene.until("session.idle").await;
    let log = scene.log().await;
    assert_eq!(texts(&log, "user.message"), ["first", "ask", "second"]);
    let row = call(&mut scene.socket, "pilothouse.sessions", json!({})).await["result"][0].clone();
    assert_eq!((&row["openRequests"], &row["status"]), (&json!(0), &json!("idle")), "{row}");
}

/// Copies the logs as they lie on the disk, as a power cut leaves them.
fn cut_power(folder: &Folder) -> Folder {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let (entry, to) = (entry.as_ref().unwrap(), to.join(entry.as_ref().unwrap().file_name()));
            if entry.path().is_dir() {
                copy(&entry.path(), &to);
            } else {
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    let left = Folder::new();
    copy(&folder.0, &left.0);
    left
}

#[tokio::test]
async fn what_a_killed_gateway_left_open_is_ended_when_somebody_looks() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    scene.send("first").await;
    scene.until("session.idle").await;
    let rested = cut_power(&folder);
    scene.send("ask").await;
    scene.until("permission.requested").await;
    let asked = cut_power(&folder);
    scene.call("session.abort", json!({})).await;
    scene.until("session.idle").await;
    scene.send("wait").await;
    scene.until("assistant.message_delta").await;
    let talking = cut_power(&folder);
    let Scene { gateway, id, .. } = scene;
    gateway.stop().await;
    for (left, stops) in [(rested, 0), (asked, 1), (talking, 2)] {
        let gateway = open(vec![stand_in("mine", &left)], &left).await;
        let socket = Socket::open(&gateway, None).await;
        let mut scene = Scene::of(gateway, socket, id.clone()).await;
        for _ in 0..=stops {
            scene.until("session.idle").await;
        }
        let log = scene.log().await;
        assert_eq!(log.iter().filter(|event| event["type"] == "abort").count(), stops, "{log:?}");
        let view = view(&log);
        assert_eq!((&view["session"]["status"], &view["pending"]), (&json!("idle"), &json!([])));
        let timeline = view["timeline"].as_array().unwrap();
        let open =
            timeline.iter().filter(|entry| entry["state"] == "running" || entry["state"] == "streaming");
        assert_eq!(open.count(), 0, "{timeline:?}");
        let row = call(&mut scene.socket, "pilothouse.sessions", json!({})).await["result"][0].clone();
        assert_eq!((&row["openRequests"], &row["status"]), (&json!(0), &json!("idle")), "{row}");
        scene.gateway.stop().await;
    }
}

/// What a page makes of a log.
fn view(log: &[Value]) -> Value {
    let mut session = Session::new();
    for event in log {
        session.push(format!("{event}\n").as_bytes());
    }
    session.end();
    session.snapshot()
}

#[tokio::test]
async fn two_sessions_share_a_process_and_do_not_mix() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    let other = call(&mut scene.socket, "pilothouse.create", json!({"agent": "mine"})).await;
    let other = other["result"]["sessionId"].as_str().unwrap().to_owned();
    scene.send("wait").await;
    call(&mut scene.socket, "session.send", json!({"sessionId": other, "prompt": "there"})).await;
    let mut viewer = Socket::open(&scene.gateway, None).await;
    call(&mut viewer, "pilothouse.subscribe", json!({"sessionId": other, "after": 0})).await;
    let events = scene.until("assistant.message_delta").await;
    assert_eq!(events.last().unwrap()["data"]["deltaContent"], "waiting");
    scene.viewer = viewer;
    assert_eq!(texts(&scene.until("session.idle").await, "assistant.message"), ["you said there"]);
    assert_eq!(folder.count("initialize"), 1);
}

#[tokio::test]
async fn options_are_set_and_what_an_agent_lacks_is_refused_by_name() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    assert_eq!(scene.call("session.mode.set", json!({"mode": "plan"})).await["result"]["mode"], "plan");
    assert_eq!(scene.call("session.mode.get", json!({})).await["result"]["mode"], "plan");
    let switched = scene.call("session.model.switchTo", json!({"modelId": "large"})).await;
    assert_eq!(switched["result"]["modelId"], "large");
    let list = scene.call("session.model.list", json!({})).await;
    assert_eq!(list["result"]["list"][1]["id"], "large");
    let models = call(&mut scene.socket, "models.list", json!({"agent": "mine"})).await;
    assert_eq!(models["result"]["models"][0]["id"], "small");
    for (method, params) in
        [("session.mode.set", json!({"mode": "autopilot"})), ("session.plan.read", json!({}))]
    {
        let refused = scene.call(method, params).await;
        let why = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(why.contains("this agent does not offer it"), "{refused}");
    }
    let unknown = call(&mut scene.socket, "pilothouse.create", json!({"agent": "other"})).await;
    assert!(unknown["error"]["message"].as_str().unwrap().contains("there are mine"), "{unknown}");
    // What the agent asks for and is not offered gets an answer.
    scene.send("read").await;
    scene.until("session.idle").await;
    in_time("the refusal", async {
        while !folder.calls().iter().any(|call| call["id"] == "r" && call["error"]["code"] == -32601) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn what_an_agent_says_that_it_offers_is_what_it_carries_out() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    let about = scene.call("pilothouse.agent", json!({})).await["result"].clone();
    assert_eq!((&about["agent"], &about["name"]), (&json!("mine"), &json!("mine")));
    assert_eq!(
        about["modes"],
        json!([{"id": "build", "name": "BUILD", "current": true}, {"id": "plan", "name": "PLAN"}])
    );
    let offered = about["methods"].as_array().unwrap().clone();
    let offers = |method: &str| offered.iter().any(|known| known == method);
    assert!(offers("session.mode.set") && offers("session.model.switchTo"));
    assert!(!offers("session.model.setReasoningEffort"), "it has no efforts");
    for method in methods::relayed().filter(|method| method.starts_with("session.")) {
        let is_of_gateway =
            ["session.create", "session.resume", "session.detach", "session.destroy"].contains(&method);
        if is_of_gateway || RequestKind::is_answer(method) || method.ends_with("setReasoningEffort") {
            continue;
        }
        let answer = scene.call(method, json!({})).await;
        let is_refused = answer["error"]["code"] == -32601;
        assert_eq!(!is_refused, offers(method), "{method}: {answer}");
    }
}

#[tokio::test]
async fn what_can_be_chosen_is_known_from_an_earlier_session() {
    let folder = Folder::new();
    let gateway = open(vec![stand_in("mine", &folder)], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    let models = call(&mut socket, "models.list", json!({"agent": "mine"})).await;
    assert_eq!(models["result"], json!({"models": [], "modes": []}), "nobody has been asked");
    let made = call(&mut socket, "pilothouse.create", json!({"agent": "mine"})).await;
    assert_eq!(made["result"]["agent"], "mine");
    drop(socket);
    gateway.stop().await;
    let gateway = open(vec![stand_in("mine", &folder)], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    let models = call(&mut socket, "models.list", json!({"agent": "mine"})).await;
    assert_eq!(models["result"]["models"][1]["id"], "large");
    assert_eq!(models["result"]["modes"][1]["name"], "PLAN");
    // A session that is not open can be what the agent's newest is, but nobody knows what it is now.
    let id = made["result"]["sessionId"].as_str().unwrap().to_owned();
    let mut scene = Scene::of(gateway, socket, id).await;
    let about = scene.call("pilothouse.agent", json!({})).await["result"].clone();
    let offers = about["methods"].as_array().unwrap().contains(&json!("session.mode.set"));
    assert!(
        offers && about["modes"].as_array().unwrap().iter().all(|mode| mode["current"].is_null()),
        "{about}"
    );
}

#[tokio::test]
async fn an_agent_that_can_not_start_says_why_and_the_message_is_kept() {
    let folder = Folder::new();
    let scene = Scene::new(&folder).await;
    let Scene { gateway, id, .. } = scene;
    gateway.stop().await;
    let mut broken = stand_in("mine", &folder);
    broken.environment.insert("ACP_START".to_owned(), "refuses".to_owned());
    let gateway = open(vec![broken], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    let made = call(&mut socket, "pilothouse.create", json!({"agent": "mine"})).await;
    let why = made["error"]["message"].as_str().unwrap();
    assert!(why.contains("mine could not start") && why.contains("no licence"), "{why}");
    let mut scene = Scene::of(gateway, socket, id).await;
    let sent = scene.send("hello").await;
    assert!(sent["error"]["message"].as_str().unwrap().contains("kept here"), "{sent}");
    let left = scene.call("pilothouse.backlog", json!({})).await["result"]["messages"].clone();
    assert_eq!((&left[0]["text"], &left[0]["state"]), (&json!("hello"), &json!("dropped")));
}

#[tokio::test]
async fn a_closed_session_stays_in_the_list_and_is_opened_again() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    scene.send("wait").await;
    scene.until("assistant.message_delta").await;
    assert_eq!(scene.call("pilothouse.close", json!({})).await["result"]["success"], true);
    let row = call(&mut scene.socket, "pilothouse.sessions", json!({})).await["result"][0].clone();
    assert_eq!((&row["stored"], &row["status"]), (&json!(true), &json!("idle")), "{row}");
    scene.until("session.idle").await;
    scene.send("back").await;
    let events = scene.until("session.idle").await;
    assert_eq!(texts(&events, "assistant.message"), ["you said back"]);
    assert_eq!((folder.count("session/close"), folder.count("session/load")), (1, 1));
}
