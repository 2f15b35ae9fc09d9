//! Sessions that were made elsewhere, in a terminal or an editor, and sessions that go on there.

use serde_json::{Value, json};

use crate::client::{Socket, in_time};
use crate::scene::{Folder, Scene, call, open, stand_in, texts, with};

/// Three sessions of a terminal; the agent lists two in a page.
fn made_elsewhere(folder: &Folder) {
    let cwd = folder.0.to_string_lossy().into_owned();
    folder.change_sessions(|all| {
        for number in 1..=3 {
            let said = [format!("first of {number}"), format!("second of {number}")];
            let time = format!("2026-11-2{number}T08:00:00.000Z");
            all[format!("terminal-{number}")] =
                json!({"cwd": cwd, "title": format!("Session {number}"), "updatedAt": time, "said": said});
        }
    });
}

async fn rows(socket: &mut Socket) -> Vec<Value> {
    call(socket, "pilothouse.sessions", json!({})).await["result"].as_array().unwrap().clone()
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["sessionId"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn what_was_made_in_a_terminal_is_listed_once_the_agent_is_asked_and_opened_when_somebody_looks() {
    let folder = Folder::new();
    made_elsewhere(&folder);
    let agent = with(stand_in("mine", &folder), &[("ACP_CAN", "list")]);
    let gateway = open(vec![agent, stand_in("other", &folder)], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.board", json!({})).await;
    assert_eq!((rows(&mut socket).await.len(), folder.calls().len()), (0, 0), "looking starts nothing");

    let found = call(&mut socket, "pilothouse.discover", json!({})).await["result"]["agents"].clone();
    assert_eq!(found, json!([{"agent": "mine", "sessions": 3}, {"agent": "other", "sessions": null}]));
    let all = rows(&mut socket).await;
    assert_eq!(ids(&all), ["terminal-3", "terminal-2", "terminal-1"], "the newest first");
    let row = &all[0];
    assert_eq!(
        (&row["title"], &row["agent"], &row["stored"]),
        (&json!("Session 3"), &json!("mine"), &json!(true))
    );
    assert_eq!(row["cwd"], folder.0.to_string_lossy().as_ref());
    assert_eq!((&row["events"], &row["modifiedTime"]), (&json!(0), &json!("2026-11-23T08:00:00.000Z")));
    assert_eq!(folder.count("session/load"), 0, "none is opened for that");

    let mut scene = Scene::of(gateway, socket, "terminal-2".to_owned()).await;
    let events = scene.until("session.resume").await;
    assert_eq!(texts(&events, "user.message"), ["first of 2", "second of 2"]);
    assert_eq!(texts(&events, "assistant.message"), ["you said first of 2", "you said second of 2"]);
    scene.send("third").await;
    assert_eq!(texts(&scene.until("session.idle").await, "assistant.message"), ["you said third"]);
    assert_eq!(rows(&mut scene.socket).await.len(), 3);

    // Its log is the gateway's from now on, also after a restart.
    let Scene { gateway, id, .. } = scene;
    gateway.stop().await;
    let gateway = open(vec![with(stand_in("mine", &folder), &[("ACP_CAN", "list")])], &folder).await;
    let mut scene = {
        let socket = Socket::open(&gateway, None).await;
        Scene::of(gateway, socket, id).await
    };
    assert_eq!(
        ids(&rows(&mut scene.socket).await),
        ["terminal-2"],
        "the others are listed when the agent is asked"
    );
    scene.send("fourth").await;
    scene.until("session.idle").await;
    assert_eq!(texts(&scene.log().await, "user.message"), ["first of 2", "second of 2", "third", "fourth"]);
    // It runs now, and so it was asked.
    in_time("the list", async { while rows(&mut scene.socket).await.len() < 3 {} }).await;
}

#[tokio::test]
async fn what_is_gone_at_the_agent_is_gone_unless_there_is_a_log_of_it() {
    let folder = Folder::new();
    made_elsewhere(&folder);
    let gateway = open(vec![with(stand_in("mine", &folder), &[("ACP_CAN", "list delete")])], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.discover", json!({"agent": "mine"})).await;
    let mut scene = Scene::of(gateway, socket, "terminal-1".to_owned()).await;
    scene.until("session.resume").await;
    folder.change_sessions(|all| {
        all.as_object_mut().unwrap().remove("terminal-1");
        all.as_object_mut().unwrap().remove("terminal-2");
    });
    call(&mut scene.socket, "pilothouse.discover", json!({"agent": "mine"})).await;
    assert_eq!(ids(&rows(&mut scene.socket).await), ["terminal-1", "terminal-3"]);

    let deleted = call(&mut scene.socket, "pilothouse.delete", json!({"sessionId": "terminal-3"})).await;
    assert_eq!(deleted["result"]["success"], true, "{deleted}");
    assert_eq!(ids(&rows(&mut scene.socket).await), ["terminal-1"]);
    let left = call(&mut scene.socket, "pilothouse.discover", json!({"agent": "mine"})).await;
    assert_eq!(left["result"]["agents"][0]["sessions"], 0);

    // A session with a log is closed and deleted at the agent, and can be read.
    let deleted = call(&mut scene.socket, "pilothouse.delete", json!({"sessionId": "terminal-1"})).await;
    assert_eq!(deleted["result"]["success"], true, "{deleted}");
    let row = rows(&mut scene.socket).await[0].clone();
    assert_eq!((&row["sessionId"], &row["stored"]), (&json!("terminal-1"), &json!(true)));
    assert_eq!((folder.count("session/close"), folder.count("session/delete")), (1, 2));
    let sent = scene.send("are you there").await;
    assert!(sent["error"]["message"].as_str().unwrap().contains("no such session"), "{sent}");
    assert_eq!(texts(&scene.log().await, "user.message"), ["first of 1", "second of 1"]);
}

#[tokio::test]
async fn an_agent_that_deletes_nothing_says_so() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    let refused = scene.call("pilothouse.delete", json!({})).await;
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("this agent does not offer it"),
        "{refused}"
    );
    let none = call(&mut scene.socket, "pilothouse.discover", json!({"agent": "nobody"})).await;
    assert!(none["error"]["message"].as_str().unwrap().contains("there is no agent"), "{none}");
}

#[tokio::test]
async fn a_session_that_is_made_here_is_not_listed_a_second_time() {
    let folder = Folder::new();
    let gateway = open(vec![with(stand_in("mine", &folder), &[("ACP_CAN", "list")])], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    for _ in 0..3 {
        call(&mut socket, "pilothouse.create", json!({"agent": "mine"})).await;
    }
    let found = call(&mut socket, "pilothouse.discover", json!({"agent": "mine"})).await;
    assert_eq!(
        (found["result"]["agents"][0]["sessions"].as_u64(), rows(&mut socket).await.len()),
        (Some(3), 3)
    );
    assert!(rows(&mut socket).await.iter().all(|row| row["stored"] == false), "they are open");
}

#[tokio::test]
async fn what_was_said_in_another_program_comes_into_the_log_when_the_session_is_opened_again() {
    let folder = Folder::new();
    let mut scene = Scene::new(&folder).await;
    scene.send("yes").await;
    scene.until("session.idle").await;
    scene.call("pilothouse.close", json!({})).await;
    let id = scene.id.clone();
    // The same words once more are another message.
    let said = |more: &[&str]| {
        folder.change_sessions(|all| {
            all[&id]["said"].as_array_mut().unwrap().extend(more.iter().map(|text| json!(text)));
        });
    };
    said(&["yes", "from the terminal"]);
    scene.send("here again").await;
    scene.until("session.idle").await;
    assert_eq!(texts(&scene.log().await, "user.message"), ["yes", "yes", "from the terminal", "here again"]);
    let log = scene.log().await;
    let notices = log.iter().filter(|event| event["data"]["infoType"] == "elsewhere");
    assert_eq!(notices.count(), 1);

    // Nothing is new the next time, whatever was taken over.
    scene.call("pilothouse.close", json!({})).await;
    scene.send("once more").await;
    scene.until("session.idle").await;
    let all = ["yes", "yes", "from the terminal", "here again", "once more"];
    assert_eq!(texts(&scene.log().await, "user.message"), all);

    // What can't be told from what is old is not taken.
    scene.call("pilothouse.close", json!({})).await;
    folder.change_sessions(|all| all[&id]["said"] = json!(["yes", "something else"]));
    scene.send("last").await;
    scene.until("session.idle").await;
    let log = scene.log().await;
    assert_eq!(texts(&log, "user.message").len(), all.len() + 1);
    assert_eq!(log.iter().filter(|event| event["data"]["warningType"] == "elsewhere").count(), 1);
}
