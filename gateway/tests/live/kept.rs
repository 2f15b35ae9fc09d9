//! Tests that a session's events keep their numbers and that none is lost or doubled, whatever ends in
//! between: the connection, the runtime or the gateway.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use super::client::{Socket, Sse, in_time};
use super::gateway::{Folder, call, open, settings, subscribe, watched};
use super::stand_in::{StandIn, event};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

fn ids(events: &[(u64, String)]) -> Vec<String> {
    let id =
        |event: &String| serde_json::from_str::<Value>(event).unwrap()["id"].as_str().unwrap().to_owned();
    events.iter().map(|(_, event)| id(event)).collect()
}

fn own(events: &[(u64, String)]) -> Vec<(u64, String)> {
    // Notices of the gateway itself are marked, and have another id each time.
    events.iter().filter(|(_, event)| !event.contains(r#""source":"pilothouse""#)).cloned().collect()
}

#[tokio::test]
async fn a_connection_that_ends_is_made_again_and_what_was_missed_is_fetched() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    runtime.emit("s", &event("x", "before"));
    socket.until("before").await;
    runtime.cut();
    for at in 0..7 {
        runtime.note("s", &event("x", &format!("missed-{at}")));
    }
    let told = socket.until("s-resume-1").await;
    runtime.emit("s", &event("x", "after"));
    let told: Vec<_> = told.into_iter().chain(socket.until("after").await).collect();
    let seqs: Vec<_> = told.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(seqs, (seqs[0]..=*seqs.last().unwrap()).collect::<Vec<_>>());
    let notice = told.iter().find(|(_, event)| event.contains("session.error")).unwrap();
    let notice: Value = serde_json::from_str(&notice.1).unwrap();
    assert_eq!((&notice["source"], &notice["ephemeral"]), (&json!("pilothouse"), &json!(true)));
    assert_eq!(
        ids(&own(&told)),
        [
            "missed-0",
            "missed-1",
            "missed-2",
            "missed-3",
            "missed-4",
            "missed-5",
            "missed-6",
            "s-resume-1",
            "after"
        ]
    );
    let resume: Value = serde_json::from_str(&runtime.calls("session.resume", 1).await[0]).unwrap();
    assert_eq!(resume["params"]["continuePendingWork"], true);
    assert_eq!(resume["params"]["requestPermission"], true);
}

#[tokio::test]
async fn a_resume_whose_history_does_not_come_shows_nothing_before_what_was_missed() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    runtime.silent("session.eventLog.read");
    runtime.cut();
    runtime.note("s", &event("x", "missed"));
    runtime.calls("session.eventLog.read", 1).await;
    runtime.speak("session.eventLog.read");
    runtime.cut();
    let told = socket.until("s-resume-2").await;
    assert_eq!(ids(&own(&told)), ["s-start", "missed", "s-resume-1", "s-resume-2"]);
}

#[tokio::test]
async fn what_was_allowed_and_cut_off_is_not_gone_on_with() {
    let allowed =
        r#"{"type":"permission.completed","data":{"toolCallId":"a","result":{"kind":"approved"}},"id":"p"}"#;
    let ended = r#"{"type":"tool.execution_complete","data":{"toolCallId":"a"},"id":"t"}"#;
    let cold = r#"{"code":-32603,"message":"Session not found"}"#;
    // Whether the runtime has the session in memory, what the gateway heard, what the runtime wrote down, and
    // whether work may go on.
    for (warm, heard, written, goes_on) in [
        (false, Some(allowed), "", false),
        (false, None, allowed, false),
        (false, Some(allowed), ended, true),
        (false, None, "", true),
        (true, Some(allowed), "", true),
    ] {
        let runtime = StandIn::start().await;
        let (_gateway, mut socket) = watched(&runtime, None).await;
        if let Some(heard) = heard {
            runtime.emit("s", heard);
        }
        runtime.emit("s", &event("x", "last"));
        socket.until("last").await;
        if !warm {
            runtime.error("session.metadata.isProcessing", cold);
        }
        let page = format!(r#"{{"events":[{written}],"cursor":"1","hasMore":false,"cursorStatus":"ok"}}"#);
        runtime.result("sessions.readPersistedEvents", &page);
        runtime.cut();
        let resume = runtime.calls("session.resume", 1).await.remove(0);
        let resume: Value = serde_json::from_str(&resume).unwrap();
        assert_eq!(resume["params"]["continuePendingWork"], goes_on, "{warm} {heard:?} {written}");
    }
}

#[tokio::test]
async fn after_a_restart_of_the_gateway_the_numbers_go_on() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let (gateway, mut socket) = watched(&runtime, Some(&folder)).await;
    for at in 0..5 {
        runtime.emit("s", &event("x", &format!("e{at}")));
    }
    let before = socket.until("e4").await;
    gateway.stop().await;
    for at in 0..4 {
        runtime.note("s", &event("x", &format!("away-{at}")));
    }
    assert_eq!(std::fs::metadata(folder.log("s")).unwrap().permissions().mode() & 0o777, 0o600);
    // A line that was being written when the power failed, and a damaged one before it.
    let mut log = std::fs::OpenOptions::new().append(true).open(folder.log("s")).unwrap();
    log.write_all(b"{\"seq\":oops}\n{\"seq\":7,\"event\":{\"type\":\"x\"").unwrap();
    drop(log);

    let gateway = open(settings(&runtime, Some(&folder))).await;
    let mut socket = Socket::open(&gateway, None).await;
    subscribe(&mut socket, "s", before.last().unwrap().0).await;
    let news = socket.until("s-resume-1").await;
    assert_eq!(ids(&own(&news)), ["away-0", "away-1", "away-2", "away-3", "s-resume-1"]);
    assert_eq!(news[0].0, before.last().unwrap().0 + 1);
    let whole = Sse::open(&gateway, "s", "", &[]).await.until("s-resume-1").await;
    assert_eq!(whole, before.iter().chain(&news).cloned().collect::<Vec<_>>());
    drop(socket);
    gateway.stop().await;
    let log = std::fs::read_to_string(folder.log("s")).unwrap();
    let good = log.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count();
    assert_eq!(good, log.lines().count() - 1, "the torn line is gone, the damaged one is passed over");
}

#[tokio::test]
async fn a_gateway_that_is_killed_loses_no_event_that_anybody_saw() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let mut seen: Vec<(u64, String)> = Vec::new();
    for life in 0..3 {
        let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_pilothouse"))
            .args(["serve", &format!("--copilot={}", runtime.address), "--listen", "127.0.0.1:0", "--data"])
            .arg(&folder.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        in_time("the address", out.read_line(&mut line)).await.unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().parse().unwrap();
        let mut socket = Socket::open_at(address, None).await;
        if life == 0 {
            call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
        }
        let last = seen.last().map_or(0, |(seq, _)| *seq);
        subscribe(&mut socket, "s", last).await;
        let flooding = {
            let runtime = runtime.clone();
            tokio::spawn(async move {
                for at in 0..2000 {
                    runtime.emit("s", &event("x", &format!("life-{life}-{at}")));
                    tokio::task::yield_now().await;
                }
            })
        };
        seen.extend(socket.until(&format!("life-{life}-500")).await);
        child.kill().await.unwrap(); // in the middle of it
        flooding.await.unwrap();
    }
    let seqs: Vec<_> = seen.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(seqs, (1..=seen.len() as u64).collect::<Vec<_>>(), "no gap, none twice");
    let mut all = ids(&own(&seen));
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count, "no event twice");
    for life in 0..2 {
        let whole = (0..2000).all(|at| all.binary_search(&format!("life-{life}-{at}")).is_ok());
        assert!(whole, "all of life {life} was fetched in the next");
    }
}

#[tokio::test]
async fn a_log_that_grows_too_long_keeps_what_history_keeps() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let mut small = settings(&runtime, Some(&folder));
    small.largest_log = 40_000;
    let gateway = open(small.clone()).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    subscribe(&mut socket, "s", 0).await;
    for at in 0..1000 {
        let passing = event("delta", &format!("d{at}")).replacen('{', r#"{"ephemeral":true,"#, 1);
        let kept = event("x", &format!("k{at}"));
        runtime.emit("s", if at % 10 == 0 { &kept } else { &passing });
    }
    runtime.emit("s", &event("x", "last"));
    let all = socket.until(r#""last""#).await;
    let kept = |events: &[(u64, String)]| {
        events.iter().filter(|(_, event)| !event.contains("ephemeral")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(kept(&all).len(), 102);
    gateway.stop().await;
    assert!(std::fs::metadata(folder.log("s")).unwrap().len() < 60_000);

    let gateway = open(small).await;
    let left = Sse::open(&gateway, "s", "", &[]).await.until(r#""last""#).await;
    assert_eq!(kept(&left), kept(&all), "with the numbers that they had");
}

#[tokio::test]
async fn a_session_is_closed_in_a_runtime_to_which_the_connection_has_just_ended() {
    let runtime = StandIn::start().await;
    let (_gateway, mut socket) = watched(&runtime, None).await;
    runtime.cut();
    socket.until("runtime_ended").await;
    let closed = call(&mut socket, "pilothouse.close", json!({"sessionId": "s"})).await;
    assert_eq!(closed["result"]["success"], true, "{closed}");
    assert_eq!(runtime.count("session.destroy"), 1);
}

#[tokio::test]
async fn what_a_log_over_its_limit_has_dropped_is_not_taken_for_missed() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let mut small = settings(&runtime, Some(&folder));
    small.largest_log = 10_000;
    let gateway = open(small.clone()).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    subscribe(&mut socket, "s", 0).await;
    for at in 0..400 {
        runtime.emit("s", &event("x", &format!("e{at}")));
    }
    socket.until("e399").await;
    runtime.cut();
    runtime.note("s", &event("x", "missed"));
    let news = socket.until("s-resume-1").await;
    assert_eq!(ids(&own(&news)), ["missed", "s-resume-1"]);
    gateway.stop().await;

    runtime.note("s", &event("x", "away"));
    let gateway = open(small).await;
    let left = Sse::open(&gateway, "s", "", &[]).await.until("s-resume-2").await;
    let left = ids(&own(&left));
    assert_eq!(left[left.len() - 5..], ["e399", "missed", "s-resume-1", "away", "s-resume-2"]);
    assert!(!left.contains(&"e0".to_owned()), "{left:?}");
}

#[tokio::test]
async fn a_position_that_a_log_over_its_limit_has_dropped_is_not_given_again() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let mut small = settings(&runtime, Some(&folder));
    small.largest_log = 10_000;
    let gateway = open(small.clone()).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    subscribe(&mut socket, "s", 0).await;
    let mut bytes = event("session.start", "s-start").len();
    for at in 0.. {
        let kept = event("x", &format!("e{at}"));
        if bytes + kept.len() > 9_900 {
            break;
        }
        bytes += kept.len();
        runtime.emit("s", &kept);
    }
    let long = format!(r#"{{"ephemeral":true,"text":"{}","#, "x".repeat(200));
    runtime.emit("s", &event("delta", "passing").replacen('{', &long, 1));
    let seen = socket.until("passing").await.last().unwrap().0;
    gateway.stop().await;
    runtime.note("s", &event("x", "away"));
    let gateway = open(small).await;
    let mut socket = Socket::open(&gateway, None).await;
    subscribe(&mut socket, "s", seen).await;
    let news = socket.until("s-resume-1").await;
    assert_eq!((ids(&own(&news)), news[0].0), (vec!["away".to_owned(), "s-resume-1".to_owned()], seen + 1));
}

#[tokio::test]
async fn what_the_gateway_keeps_is_read_by_its_own_inspector() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let (gateway, socket) = watched(&runtime, Some(&folder)).await;
    runtime.emit(
        "s",
        "{\n  \"type\": \"user.message\",\n  \"id\": \"u\",\n  \"data\": {\"content\": \"Where is it?\"}\n}",
    );
    runtime.emit("s", &event("assistant.turn_start", "t"));
    runtime.emit("s", &event("x", "last"));
    Sse::open(&gateway, "s", "", &[]).await.until(r#""last""#).await;
    drop(socket);
    gateway.stop().await;
    let log = folder.log("s").display().to_string();
    let run = |arguments: &[&str]| {
        let out =
            std::process::Command::new(env!("CARGO_BIN_EXE_pilothouse")).args(arguments).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let view: Value = serde_json::from_str(&run(&["inspect", &log])).unwrap();
    assert_eq!((&view["events"]["total"], &view["events"]["malformed"]), (&json!(4), &json!(0)));
    assert_eq!(view["diagnostics"], json!([]));
    assert_eq!((&view["llmCalls"], &view["timeline"][0]["text"]), (&json!(1), &json!("Where is it?")));
    assert!(run(&["export", &log, "--format", "md"]).contains("Where is it?"));
}

#[tokio::test]
async fn a_client_that_leaves_during_a_resume_holds_back_no_event() {
    let runtime = StandIn::start().await;
    let (gateway, mut viewer) = watched(&runtime, None).await;
    runtime.silent("session.resume");
    let mut gone = Socket::open(&gateway, None).await;
    gone.send_request("pilothouse.resume", json!({"sessionId": "s", "reasoningEffort": "low"})).await;
    let told = runtime.calls("session.resume", 1).await;
    gone.close().await;
    runtime.speak("session.resume");
    runtime.reply(&told[0], "{}");
    runtime.emit("s", &event("x", "after"));
    viewer.until("after").await;
}

#[tokio::test]
async fn a_session_whose_client_leaves_while_it_is_closed_is_closed() {
    let runtime = StandIn::start().await;
    let (gateway, mut socket) = watched(&runtime, None).await;
    runtime.silent("session.destroy");
    let mut gone = Socket::open(&gateway, None).await;
    gone.send_request("pilothouse.close", json!({"sessionId": "s"})).await;
    let told = runtime.calls("session.destroy", 1).await;
    gone.close().await;
    runtime.reply(&told[0], r#"{"success":true}"#);
    // The next call finds no open session, so it is resumed first.
    call(&mut socket, "session.mode.get", json!({"sessionId": "s"})).await;
    assert_eq!(runtime.count("session.resume"), 1);
}
