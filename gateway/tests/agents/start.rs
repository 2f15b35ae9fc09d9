//! How agents start and fail to, what people are told of it, and what of their settings reaches them.

use std::time::Duration;

use pilothouse_gateway::agents::acp::process::Process;
use pilothouse_gateway::agents::acp::settings::AgentSettings;
use pilothouse_gateway::agents::secrets::Secrets;
use serde_json::{Value, json};

use crate::client::{Socket, get};
use crate::scene::{Folder, Scene, call, open, stand_in, with};

/// What somebody is told who wants a session of this agent.
async fn told(agent: AgentSettings, folder: &Folder) -> (String, Value) {
    let name = agent.name.clone();
    let gateway = open(vec![agent], folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    let made = call(&mut socket, "pilothouse.create", json!({"agent": name})).await;
    let health = get(&gateway, "/api/health", &[]).await.json();
    gateway.stop().await;
    (
        made["error"]["message"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned(),
        health["agents"][0].clone(),
    )
}

#[tokio::test]
async fn an_agent_that_does_not_start_says_why() {
    for (how, why, printed) in [
        ("refuses", "it ended, exit status: 3", "no licence"),
        ("garbage", "exit status: 2; what it printed is not the protocol", "Usage: agent [--help]"),
        ("other version", "it speaks version 2 of the protocol, not 1", ""),
        ("no version", "it does not say which version of the protocol it speaks", ""),
        ("error", "it refused the start: its config can't be read", ""),
    ] {
        let folder = Folder::new();
        let (said, health) = told(with(stand_in("mine", &folder), &[("ACP_START", how)]), &folder).await;
        assert!(
            said.starts_with("mine could not start: ") && said.contains(why) && said.contains(printed),
            "{how}: {said}"
        );
        let problem = health["problem"].as_str().unwrap();
        assert!(problem.starts_with("it could not start: ") && problem.contains(why), "{how}: {health}");
        assert_eq!(
            how == "garbage" || how == "refuses",
            problem.contains("not the protocol"),
            "{how}: {problem}"
        );
        assert!(health["agent"] == "mine" && health["output"].to_string().contains(printed), "{health}");
    }
}

#[tokio::test]
async fn an_agent_whose_program_is_missing_says_what_to_do() {
    let folder = Folder::new();
    let (said, health) = told(AgentSettings::read("codex=/nowhere/codex-acp").unwrap(), &folder).await;
    assert_eq!(
        said,
        "codex could not start: there is no program /nowhere/codex-acp. Install it, or say where it is: --acp codex=COMMAND."
    );
    assert_eq!(health["problem"], "it could not start: there is no program /nowhere/codex-acp");
}

/// Time stands still but where nothing else happens, so a minute is over at once.
#[tokio::test(start_paused = true)]
async fn an_agent_that_says_nothing_is_not_waited_for_and_ends() {
    let folder = Folder::new();
    let agent = with(stand_in("mine", &folder), &[("ACP_START", "hangs")]);
    let failed = Process::start(&agent, "1".to_owned(), Secrets::default()).await.unwrap_err();
    assert!(failed.message.contains("did not answer for a minute"), "{failed:?}");
}

#[tokio::test]
async fn an_agent_that_fills_standard_error_works_all_the_same() {
    let folder = Folder::new();
    let gateway = open(vec![with(stand_in("mine", &folder), &[("ACP_START", "floods")])], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    let made = call(&mut socket, "pilothouse.create", json!({})).await;
    assert!(made["result"]["sessionId"].is_string(), "{made}");
}

#[tokio::test]
async fn an_agent_that_needs_a_sign_in_says_what_to_run_until_it_has_one() {
    let folder = Folder::new();
    let gateway =
        open(vec![with(stand_in("codex", &folder), &[("ACP_START", "needs a sign-in")])], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    let board = call(&mut socket, "pilothouse.board", json!({})).await;
    assert!(board["result"]["health"]["agents"].is_null(), "nothing is known to be wrong: {board}");
    assert_eq!(get(&gateway, "/readyz", &[]).await.status, 200);

    let made = call(&mut socket, "pilothouse.create", json!({})).await;
    let said = made["error"]["message"].as_str().unwrap();
    let expected = "codex needs a sign-in on its machine: Authentication required. Run: codex login.\n";
    assert!(said.starts_with(expected), "{said}");
    let health = get(&gateway, "/api/health", &[]).await.json();
    let agent = &health["agents"][0];
    assert_eq!(
        agent["problem"],
        "it needs a sign-in on its machine: Authentication required. Run: codex login."
    );
    assert!(agent["agent"] == "codex" && agent["output"].is_array(), "{agent}");
    let ready = get(&gateway, "/readyz", &[]).await;
    assert_eq!((ready.status, ready.body.as_str()), (503, "agents: not working\n"), "no agent can work");
    let metrics = get(&gateway, "/metrics", &[]).await.body;
    assert!(metrics.contains("pilothouse_problem{part=\"agents\"} 1"), "{metrics}");
    gateway.stop().await;

    let gateway = open(vec![stand_in("codex", &folder)], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({})).await;
    assert!(get(&gateway, "/api/health", &[]).await.json()["agents"].is_null());
}

#[tokio::test]
async fn a_gateway_is_ready_as_long_as_one_agent_can_work() {
    let folder = Folder::new();
    let broken = with(stand_in("broken", &folder), &[("ACP_START", "refuses")]);
    let gateway = open(vec![broken, stand_in("mine", &folder)], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({"agent": "broken"})).await;
    assert_eq!(get(&gateway, "/readyz", &[]).await.status, 200);
    assert!(get(&gateway, "/metrics", &[]).await.body.contains("pilothouse_problem{part=\"agents\"} 1"));
    // One that works does not take back what is wrong with the other.
    call(&mut socket, "pilothouse.create", json!({"agent": "mine"})).await;
    let health = get(&gateway, "/api/health", &[]).await.json();
    assert_eq!(health["agents"].as_array().unwrap().len(), 1, "{health}");
    assert_eq!(health["agents"][0]["agent"], "broken");
}

#[tokio::test]
async fn all_of_a_table_of_the_settings_file_reaches_the_agent() {
    let folder = Folder::new();
    let elsewhere = folder.0.join("project");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let own = stand_in("mine", &folder);
    let table = json!({
        "command": own.command,
        "environment": {"ACP_STAND_IN": own.environment["ACP_STAND_IN"], "MY_AGENT_HOME": "/srv/my agent"},
        "folder": elsewhere,
        "mode": "plan",
        "mcp": {"echo": {"command": "node", "args": ["echo.mjs"], "environment": {"KEY": "value"}},
                "far": {"url": "https://mcp.example", "headers": {"Authorization": "Bearer x"}}},
    });
    let gateway = open(vec![AgentSettings::of_table("mine", &table).unwrap()], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    let made = call(&mut socket, "pilothouse.create", json!({})).await;
    let id = made["result"]["sessionId"].as_str().unwrap().to_owned();
    let calls = folder.calls();
    let started = crate::stand_in::stored(&folder.0.join("started.json"));
    assert_eq!(started["folder"], elsewhere.to_string_lossy().as_ref());
    assert_eq!(started["environment"]["MY_AGENT_HOME"], "/srv/my agent");
    assert!(started["environment"]["PILOTHOUSE_TOKEN"].is_null());
    let of = |method: &str| calls.iter().find(|call| call["method"] == method).unwrap()["params"].clone();
    let new = of("session/new");
    assert_eq!(new["cwd"], elsewhere.to_string_lossy().as_ref());
    let servers = json!([
        {"name": "echo", "command": "node", "args": ["echo.mjs"], "env": [{"name": "KEY", "value": "value"}]},
        {"type": "http", "name": "far", "url": "https://mcp.example", "headers": [{"name": "Authorization", "value": "Bearer x"}]},
    ]);
    assert_eq!(new["mcpServers"], servers);
    let set = of("session/set_config_option");
    assert_eq!((&set["configId"], &set["value"]), (&json!("mode"), &json!("plan")));

    // The servers also reach a session that is opened again.
    let mut scene = Scene::of(gateway, socket, id).await;
    scene.call("pilothouse.close", json!({})).await;
    scene.send("hello").await;
    scene.until("session.idle").await;
    let calls = folder.calls();
    let load = calls.iter().find(|call| call["method"] == "session/load").unwrap();
    assert_eq!(load["params"]["mcpServers"], servers);
}

#[tokio::test]
async fn the_models_of_an_agent_are_known_before_its_next_session_also_after_a_restart() {
    let folder = Folder::new();
    let scene = Scene::new(&folder).await;
    let Scene { gateway, .. } = scene;
    gateway.stop().await;
    let gateway = open(vec![stand_in("mine", &folder), stand_in("other", &folder)], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    let models = call(&mut socket, "models.list", json!({"agent": "mine"})).await;
    assert_eq!(models["result"]["models"][1]["id"], "large", "{models}");
    let models = call(&mut socket, "models.list", json!({"agent": "other"})).await;
    assert_eq!(models["result"]["models"], json!([]), "each has its own");
    assert_eq!(folder.count("initialize"), 1, "asking starts nothing");
}

/// What an agent started ends with it, and so does what a wrapper leaves behind.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_that_an_agent_started_is_left_behind() {
    let folder = Folder::new();
    let script = "sleep 3600 & echo $! >child; exec \"$@\"";
    let mut agent = stand_in("mine", &folder);
    let words = ["sh", "-c", script, "sh"].map(str::to_owned);
    agent.command.splice(0..0, words);
    let gateway = open(vec![agent], &folder).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({})).await;
    let child = std::fs::read_to_string(folder.0.join("child")).unwrap();
    let alive = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        // One that nobody has waited for yet has ended all the same.
        !stat.is_empty() && !stat.contains(") Z ")
    };
    assert!(alive());
    gateway.stop().await;
    crate::client::in_time("its end", async {
        while alive() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}
