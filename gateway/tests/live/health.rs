//! Tests that trouble with the gateway itself is reported at once, to all clients and to those that come
//! later, until it is over.

use pilothouse_core::protocol::ErrorReason;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::client::{Socket, Sse, get, in_time};
use super::gateway::{Folder, call, open, settings, subscribe};
use super::stand_in::{StandIn, event};
use pilothouse_gateway::agents::copilot;
use pilothouse_gateway::agents::copilot::launch::RuntimePlace;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

/// The next health notification that fits.
async fn next_health(socket: &mut Socket, fits: impl Fn(&Value) -> bool) -> Value {
    loop {
        let line = serde_json::from_str::<Value>(&socket.next().await).unwrap_or_default();
        if line["method"] == "pilothouse.health" && fits(&line["params"]) {
            return line["params"].clone();
        }
    }
}

/// The first health that fits, in the answer or in a notification after it.
async fn board(socket: &mut Socket, fits: impl Fn(&Value) -> bool) -> Value {
    let health = call(socket, "pilothouse.board", json!({})).await["result"]["health"].clone();
    if fits(&health) { health } else { next_health(socket, fits).await }
}

fn is_down(health: &Value) -> bool {
    health["runtime"]["state"] == "waiting"
}

fn is_up(health: &Value) -> bool {
    health["runtime"]["state"] == "running"
}

#[cfg(unix)]
fn program(folder: &Folder, script: &str) -> copilot::Settings {
    copilot::Settings::new(RuntimePlace::Program { path: executable(folder, script), arguments: Vec::new() })
}

#[cfg(unix)]
fn executable(folder: &Folder, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;

    let path = folder.0.join("runtime");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

#[cfg(unix)]
#[tokio::test]
async fn a_runtime_that_dies_at_once_is_told_with_its_last_words_and_nothing_waits_for_it() {
    let folder = Folder::new();
    let script = r"printf 'no access for gho_0123456789abcdef\n\033[31mgiving up\033[0m\n' >&2; exit 3";
    let gateway = open(program(&folder, script)).await;
    let mut socket = Socket::open(&gateway, None).await;
    let first = board(&mut socket, is_down).await;
    let runtime = &first["runtime"];
    assert!(runtime["problem"].as_str().unwrap().contains("exit status: 3"), "{runtime}");
    assert_eq!(runtime["output"], json!(["no access for [hidden]", "\u{1b}[31mgiving up\u{1b}[0m"]));
    assert!(runtime["since"].is_string() && runtime["nextAttemptAt"].is_string(), "{runtime}");

    let ready = get(&gateway, "/readyz", &[]).await;
    assert_eq!((ready.status, ready.body.as_str()), (503, "runtime: not working\n"));
    let metrics = get(&gateway, "/metrics", &[]).await.body;
    assert!(metrics.contains("pilothouse_problem{part=\"runtime\"} 1"), "{metrics}");

    let started = std::time::Instant::now();
    let made = call(&mut socket, "pilothouse.create", json!({})).await;
    assert_eq!(made["error"]["code"], ErrorReason::RuntimeDown.code());
    assert!(made["error"]["message"].as_str().unwrap().contains("exit status: 3"), "{made}");
    // A call waits so long for a connection that is being made for the first time.
    assert!(
        started.elapsed() < std::time::Duration::from_secs(10),
        "nobody waits for what was tried in vain"
    );

    let attempts = runtime["attempts"].as_u64().unwrap();
    let later =
        next_health(&mut socket, |health| health["runtime"]["attempts"].as_u64() > Some(attempts)).await;
    assert_eq!(later["runtime"]["since"], runtime["since"], "it is wrong since then");
    let late = board(&mut Socket::open(&gateway, None).await, |_| true).await;
    assert_eq!(late["runtime"]["since"], runtime["since"]);
    let over_http = get(&gateway, "/api/health", &[]).await.json();
    assert_eq!(over_http["runtime"]["since"], runtime["since"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_runtime_that_talks_nonsense_and_then_nothing_is_told_with_what_it_printed() {
    let folder = Folder::new();
    let gateway = open(program(&folder, "echo 'Usage: something else'; exec sleep 60")).await;
    let mut socket = Socket::open(&gateway, None).await;
    let health = board(&mut socket, |health| health["runtime"]["problem"].is_string()).await;
    let runtime = &health["runtime"];
    assert_eq!((&runtime["state"], &runtime["attempts"]), (&json!("starting"), &json!(0)));
    assert!(runtime["problem"].as_str().unwrap().contains("not answered"), "{runtime}");
    assert_eq!(runtime["output"], json!(["Usage: something else"]));
}

#[tokio::test]
async fn a_runtime_that_comes_back_is_told_and_what_was_asked_for_meanwhile_is_opened() {
    let runtime = StandIn::start().await;
    runtime.note("old", &event("session.start", "o1"));
    let folder = Folder::new();
    std::fs::create_dir_all(folder.0.join("sessions")).unwrap();
    std::fs::write(folder.log("old"), "").unwrap();
    runtime.error("connect", r#"{"code":-1,"message":"not today"}"#);
    let gateway = open(settings(&runtime, Some(&folder))).await;
    let mut watching = Socket::open(&gateway, None).await;
    let health = board(&mut watching, is_down).await;
    assert!(health["runtime"]["problem"].as_str().unwrap().contains("not today"), "{health}");

    let mut socket = Socket::open(&gateway, None).await;
    let answer = call(&mut socket, "pilothouse.subscribe", json!({"sessionId": "old"})).await;
    assert!(is_down(&answer["result"]["health"]), "{answer}");
    let mut stream = Sse::open(&gateway, "old", "", &[]).await;
    let (id, note) = stream.next().await;
    assert!(id == 0 && note.contains("pilothouse.health") && note.contains("not today"), "{note}");

    runtime.mend("connect");
    next_health(&mut watching, is_up).await;
    assert_eq!(socket.until("old-resume-1").await.len(), 2, "its history came by itself");
    let notes = stream.until(r#""state":"running""#).await;
    assert!(notes.iter().any(|(_, data)| data.contains("pilothouse.health")));
    let fresh = board(&mut Socket::open(&gateway, None).await, |_| true).await;
    assert_eq!(fresh, json!({"runtime": {"state": "running"}, "logs": null}));
    let mut calm = Sse::open(&gateway, "old", "", &[]).await;
    assert!(calm.next().await.1.contains("session.start"), "where nothing is wrong nothing is said");
}

#[tokio::test]
async fn a_runtime_that_ends_is_told_until_it_is_there_again() {
    let runtime = StandIn::start().await;
    let gateway = open(settings(&runtime, None)).await;
    let mut socket = Socket::open(&gateway, None).await;
    board(&mut socket, is_up).await;
    runtime.cut();
    let down = next_health(&mut socket, is_down).await;
    assert_eq!(down["runtime"]["attempts"], 0, "it was there");
    next_health(&mut socket, is_up).await;
}

/// Limits how large the files of a process may become, as a full disk does; `None` lifts the limit.
#[cfg(target_os = "linux")]
fn limit(process: u32, bytes: Option<u64>) {
    let soft = bytes.map_or_else(|| "unlimited".to_owned(), |bytes| bytes.to_string());
    let limit = std::process::Command::new("prlimit")
        .args([&format!("--pid={process}"), &format!("--fsize={soft}:unlimited")])
        .status();
    assert!(limit.unwrap().success());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_log_that_can_t_be_written_is_told_until_it_is_written_again_and_then_lacks_nothing() {
    use super::client::in_time;
    use tokio::io::{AsyncBufReadExt as _, BufReader};

    let runtime = StandIn::start().await;
    let folder = Folder::new();
    // With the signal ignored, a file that grows over the limit is an error, as on a full disk. Standard error is there, too.
    std::fs::write(folder.0.join("errors"), "\n".repeat(1 << 16)).unwrap();
    let serve = format!(
        "trap '' XFSZ; exec \"$0\" serve --copilot={} --listen 127.0.0.1:0 --data \"$1\" 2>>\"$1/errors\"",
        runtime.address
    );
    let mut gateway = tokio::process::Command::new("sh")
        .args(["-c", &serve, env!("CARGO_BIN_EXE_pilothouse")])
        .arg(&folder.0)
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(gateway.stdout.take().unwrap());
    in_time("the address", out.read_line(&mut line)).await.unwrap();
    let address = line.trim().strip_prefix("http://").unwrap().parse().unwrap();
    let process = gateway.id().unwrap();

    let mut socket = Socket::open_at(address, None).await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    subscribe(&mut socket, "s", 0).await;
    runtime.emit("s", &event("x", "before"));
    socket.until("before").await;
    limit(process, Some(std::fs::metadata(folder.log("s")).unwrap().len() + 10));
    runtime.emit("s", &event("x", "meanwhile"));
    let health = next_health(&mut socket, |health| health["logs"]["sessions"] == 1).await;
    assert!(health["logs"]["problem"].as_str().unwrap().contains("too large"), "{health}");
    runtime.emit("s", &event("x", "and then"));
    socket.until("and then").await;
    let late = call(&mut Socket::open_at(address, None).await, "pilothouse.board", json!({})).await;
    assert_eq!(late["result"]["health"]["logs"]["since"], health["logs"]["since"], "{late}");

    limit(process, None);
    next_health(&mut socket, |health| health["logs"].is_null()).await;
    runtime.emit("s", &event("x", "after"));
    socket.until("after").await;
    gateway.kill().await.unwrap();
    let log = std::fs::read_to_string(folder.log("s")).unwrap();
    let seqs: Vec<_> = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect();
    let seqs: Vec<_> = seqs.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    for id in ["before", "meanwhile", "and then", "after"] {
        assert_eq!(log.matches(&format!(r#""id":"{id}""#)).count(), 1, "{id}");
    }
}

/// Runs a gateway that must end at once. Returns its standard error.
async fn refused(mut gateway: tokio::process::Command) -> String {
    let child = gateway.stderr(Stdio::piped()).spawn().unwrap();
    let out = in_time("the end of the second gateway", child.wait_with_output()).await.unwrap();
    assert_eq!(out.status.code(), Some(1));
    String::from_utf8(out.stderr).unwrap()
}

fn gateway(folder: &Path, home: &Path) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_pilothouse"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder);
    command.env("COPILOT_HOME", home).stdout(Stdio::piped()).kill_on_drop(true);
    command
}

#[tokio::test]
async fn a_second_gateway_on_a_folder_says_so_and_ends() {
    let runtime = StandIn::start().await;
    let folder = Folder::new();
    let first = open(settings(&runtime, Some(&folder))).await;
    let mut second = gateway(&folder.0, &folder.0);
    second.arg(format!("--copilot={}", runtime.address));
    let said = refused(second).await;
    assert!(said.contains("another gateway") && said.contains("--data"), "{said}");
    assert!(said.contains(&folder.0.display().to_string()), "{said}");
    first.stop().await;
    // The lock file that is left keeps nobody out.
    open(settings(&runtime, Some(&folder))).await.stop().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_second_gateway_on_a_runtimes_home_says_so_and_ends() {
    let (folder, other, home) = (Folder::new(), Folder::new(), Folder::new());
    let path = executable(&folder, "exec cat > /dev/null");
    let runtime = ["--copilot", "--runtime", path.to_str().unwrap()];
    let start = async || {
        let mut first = gateway(&folder.0, &home.0).args(runtime).spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(first.stdout.take().unwrap());
        in_time("the address", out.read_line(&mut line)).await.unwrap();
        (first, line)
    };
    let (mut first, line) = start().await;
    assert!(line.starts_with("http://"), "{line}");

    let said = async |home: &Path, arguments: &[&str]| {
        let mut second = gateway(&other.0, home);
        second.args(runtime).args(arguments);
        refused(second).await
    };
    // The runtime takes its home from its arguments before it takes it from the environment.
    let named = format!("--config-dir={}", home.0.display());
    for said in [said(&home.0, &[]).await, said(&other.0, &["--", &named]).await] {
        assert!(said.contains(&format!("process {}", first.id().unwrap())), "{said}");
        assert!(said.contains(&home.0.display().to_string()) && said.contains("COPILOT_HOME=DIR"), "{said}");
    }

    // The lock ends with its process, even if that is killed.
    first.kill().await.unwrap();
    let (_again, line) = start().await;
    assert!(line.starts_with("http://"), "{line}");
}
