//! Tests the gateway with the real runtime, from its npm package, against a scripted model on loopback. Where
//! the package or a network namespace can't be had, it says so in a line and passes: nothing here may reach
//! for the network.
//!
//! The test runs itself again inside the namespace (`unshare`), because only a whole process can be in one.
//! An environment variable tells the second run that it is inside.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "gateway/client.rs"]
mod client;
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "live/gateway.rs"]
mod gateway;
#[path = "runtime/model.rs"]
mod model;
#[allow(dead_code, reason = "what a folder needs, not the runtime that is none")]
#[path = "live/stand_in.rs"]
mod stand_in;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use client::{Socket, in_time};
use gateway::{Folder, call, subscribe};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;

/// Says why a test did not run.
fn skipped(reason: &str) {
    // Best effort; failures are ignored.
    let _ = writeln!(std::io::stderr().lock(), "skipped: {reason}");
}

const INSIDE: &str = "PILOTHOUSE_TEST_INSIDE";

#[test]
fn a_permission_outlives_the_runtime_and_the_gateway() {
    let Some(program) = program() else {
        skipped("the runtime is not installed (PILOTHOUSE_RUNTIME, or its npm package in tests/e2e/live)");
        return;
    };
    if std::env::var_os(INSIDE).is_some() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        return runtime.block_on(scenario(&program));
    }
    let alone = ["-rn", "-n"].into_iter().find(|flags| {
        let tried = Command::new("unshare").args([flags, "ip", "link", "set", "lo", "up"]).output();
        tried.is_ok_and(|tried| tried.status.success())
    });
    let Some(flags) = alone else {
        skipped("this machine allows no network namespace, and the runtime must not reach the network");
        return;
    };
    let inside = r#"ip link set lo up && exec "$0" --exact a_permission_outlives_the_runtime_and_the_gateway --nocapture"#;
    let done = Command::new("unshare")
        .args([flags, "sh", "-c", inside])
        .arg(std::env::current_exe().unwrap())
        .env(INSIDE, "1")
        .status()
        .unwrap();
    assert!(done.success());
}

async fn scenario(program: &Path) {
    let folder = Folder::new();
    let model = model::start().await;
    std::fs::create_dir_all(folder.0.join("project")).unwrap();

    let (mut gateway, address) = serve(program, &folder.0, &model).await;
    let mut socket = Socket::open_at(address, None).await;
    let params = json!({"sessionId": "5f5c6bd6-6d4c-4d5e-9d5e-111111111111", "model": "claude-sonnet-4.5"});
    let made = call(&mut socket, "pilothouse.create", params).await;
    let id = made["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    let mut viewer = Socket::open_at(address, None).await;
    subscribe(&mut viewer, &id, 0).await;
    let sent = call(&mut socket, "session.send", json!({"sessionId": id, "prompt": "touch it"})).await;
    assert!(sent["result"]["messageId"].is_string(), "{sent}");
    let mut seen = viewer.until("permission.requested").await;
    let request: Value = serde_json::from_str(&seen.last().unwrap().1).unwrap();
    let request_id = request["data"]["requestId"].clone();
    // Once a later call is answered, the runtime has saved the request.
    let waiting = call(&mut socket, "session.permissions.pendingRequests", json!({"sessionId": id})).await;
    assert_eq!(waiting["result"]["items"][0]["requestId"], request_id);

    // A gateway with other logs over the same home would show the request too, and answer it a second time.
    let second = command(program, &folder.0, &model, "other").stderr(Stdio::piped()).spawn().unwrap();
    let refused = in_time("the end of the second gateway", second.wait_with_output()).await.unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains(&folder.0.display().to_string()) && said.contains("COPILOT_HOME=DIR"), "{said}");

    // The runtime is killed; the gateway starts it again.
    let processes = Command::new("pgrep").arg("-P").arg(gateway.id().unwrap().to_string()).output().unwrap();
    let runtime = String::from_utf8(processes.stdout).unwrap();
    assert!(Command::new("kill").args(["-9", runtime.trim()]).status().unwrap().success());
    seen.extend(viewer.until("session.resume").await);
    let waiting = call(&mut socket, "session.permissions.pendingRequests", json!({"sessionId": id})).await;
    assert_eq!(waiting["result"]["items"][0]["requestId"], request_id, "{waiting}");

    // The gateway is killed, and another one started.
    let last = seen.last().unwrap().0;
    gateway.kill().await.unwrap();
    let (mut gateway, address) = serve(program, &folder.0, &model).await;
    let mut socket = Socket::open_at(address, None).await;
    let mut viewer = Socket::open_at(address, None).await;
    subscribe(&mut viewer, &id, last).await;
    let answer = json!({"sessionId": id, "requestId": request_id, "result": {"kind": "approve-once"}});
    let answered = call(&mut socket, "session.permissions.handlePendingPermissionRequest", answer).await;
    assert_eq!(answered["result"]["success"], true, "{answered}");
    let after = viewer.until("session.idle").await;
    assert!(folder.0.join("project").join("made").exists(), "what was allowed was done");
    let seqs: Vec<_> = after.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(seqs, (last + 1..=*seqs.last().unwrap()).collect::<Vec<_>>());
    let text = after.iter().map(|(_, event)| event.as_str()).collect::<String>();
    assert!(text.contains("It is done."), "the model went on");
    let again = json!({"sessionId": id, "requestId": request_id, "result": {"kind": "approve-once"}});
    let again = call(&mut socket, "session.permissions.handlePendingPermissionRequest", again).await;
    assert_eq!(again["result"]["success"], false, "nothing is answered twice");

    let closed = call(&mut socket, "pilothouse.close", json!({"sessionId": id})).await;
    assert!(closed["error"].is_null(), "{closed}");
    viewer.until("session.shutdown").await;
    let pid = gateway.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(in_time("the end of the gateway", gateway.wait()).await.unwrap().success());
}

fn command(program: &Path, home: &Path, model: &str, data: &str) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_pilothouse"));
    command
        .args(["serve", "--copilot", "--listen", "127.0.0.1:0", "--runtime"])
        .arg(program)
        .arg("--data")
        .arg(home.join(data))
        .current_dir(home.join("project"))
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("SHELL", "/bin/sh")
        .env("COPILOT_DISABLE_KEYTAR", "1")
        .env("COPILOT_DISABLE_TELEMETRY", "1");
    for name in ["HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "GH_CONFIG_DIR"] {
        command.env(name, home);
    }
    for name in ["COPILOT_SDK_AUTH_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"] {
        command.env(name, "no-real-token");
    }
    for name in ["COPILOT_API_URL", "COPILOT_DEBUG_GITHUB_API_URL"] {
        command.env(name, model);
    }
    command
}

async fn serve(program: &Path, home: &Path, model: &str) -> (Child, std::net::SocketAddr) {
    let mut child = command(program, home, model, "data").spawn().unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    in_time("the address", out.read_line(&mut line)).await.unwrap();
    (child, line.trim().strip_prefix("http://").unwrap().parse().unwrap())
}

fn program() -> Option<PathBuf> {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join(
        "../tests/e2e/live/node_modules/@github/copilot-sdk-linux-x64/prebuilds/linux-x64/copilot-runtime",
    );
    let named = std::env::var_os("PILOTHOUSE_RUNTIME").map(PathBuf::from);
    named.or(Some(installed)).filter(|path| path.is_file())
}
