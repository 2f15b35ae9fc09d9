//! Tests of what the panel shows of recorded sessions: servers, skills, todos, background work, cost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(dead_code, reason = "the helpers are shared with other tests")]
#![allow(clippy::needless_pass_by_value, reason = "`json!` is written in place")]

#[path = "support/golden.rs"]
mod golden;
#[path = "support/play.rs"]
mod play;

use golden::{read, reduced};
use pilothouse::core::model::state::Section;
use pilothouse::core::view_model::board_summary;
use pilothouse::core::view_model::entry_words::text;
use pilothouse::core::view_model::panel;
use pilothouse::core::view_model::panel::{Environment, WorkState};
use pilothouse::core::{Change, Session, State};
use play::Play;
use serde_json::{Value, json};

fn session(case: &str, file: &str) -> Session {
    reduced(&read(case, file))
}

fn of(case: &str) -> Environment {
    panel::of(session(case, "events.jsonl").state())
}

#[test]
fn servers_have_their_last_status_and_the_reason_why_they_failed() {
    let all = of("mcp-full");
    let said: Vec<_> = all.servers.iter().map(|s| (s.name.as_str(), s.status.as_str(), s.calls)).collect();
    assert_eq!(
        said,
        [("broken", "failed", 0), ("cap", "connected", 7), ("github-mcp-server", "connected", 0)],
        "{all:#?}"
    );
    assert!(all.servers[0].error.as_ref().unwrap().contains("No such file or directory"));
    assert_eq!(all.servers[2].source.as_deref(), Some("builtin"));
}

#[test]
fn a_server_that_nobody_asked_for_is_no_trouble() {
    use pilothouse::core::model::entry::Level;
    use pilothouse::core::view_model::notifications::facts;
    let shown = |source: &str, status: &str| {
        let mut play = Play::new();
        let list = json!({ "servers": [{ "name": "hub", "status": "pending", "source": source }] });
        play.live("session.mcp_servers_loaded", list);
        play.live("session.mcp_server_removed", json!({ "serverName": "hub" }));
        play.live("session.mcp_server_status_changed", json!({ "serverName": "hub", "status": status }));
        let text = json!({ "warningType": "mcp", "message": "Could not connect to hub" });
        play.live("session.warning", text);
        let state = play.session.state();
        let level = facts(state).first().unwrap().level;
        let notice = pilothouse::core::view_model::timeline_row::level(&state.entries[0]).unwrap();
        (panel::of(state).servers[0].shown_status().to_owned(), level, notice)
    };
    assert_eq!(shown("builtin", "failed"), ("unavailable".to_owned(), Level::Info, "info"));
    assert_eq!(shown("builtin", "needs-auth"), ("signed-out".to_owned(), Level::Info, "info"));
    assert_eq!(shown("builtin", "connected"), ("connected".to_owned(), Level::Info, "info"));
    assert_eq!(shown("user", "failed"), ("failed".to_owned(), Level::Error, "warning"));
    assert_eq!(shown("user", "needs-auth"), ("needs-auth".to_owned(), Level::Warning, "warning"));
}

#[test]
fn skills_are_listed_with_the_entry_of_their_last_use() {
    let session = session("skills-and-file-hooks", "events.jsonl");
    let all = panel::of(session.state());
    let [skill] = all.skills.as_slice() else { panic!("{all:#?}") };
    assert_eq!((skill.name.as_str(), skill.source.as_str(), skill.enabled), ("greet", "project", true));
    assert_eq!(text(session.state().entry(skill.row.unwrap()).unwrap()), "Using skill greet");
}

#[test]
fn a_schedule_that_was_cancelled_is_gone() {
    let all = of("misc-rpc-events");
    let [schedule] = all.schedules.as_slice() else { panic!("{all:#?}") };
    assert_eq!((schedule.prompt.as_str(), schedule.when.as_str()), ("cron tick", "*/5 * * * * (Etc/UTC)"));
    assert_eq!(all.own_files[0].path, "notes.md");
}

#[test]
fn a_person_pays_for_what_they_asked_and_the_runtime_counts_the_same() {
    let recorded = |path: &str| reduced(&std::fs::read(path).unwrap());
    for (path, requests, credits) in [
        // The requests are those of the runtime's own checkpoints in the whole recordings.
        ("tests/sessions/subagents/events.jsonl", 1.0, 0.0),
        ("tests/sessions/mcp-full/events.jsonl", 1.0, 0.0),
        ("tests/e2e/data/plan-then-build.jsonl", 5.0, 0.078_312_6),
    ] {
        let session = recorded(path);
        let usage = &session.state().usage;
        let (billed, paid) = (usage.premium_requests, usage.nano_credits / 1e9);
        assert!((billed - requests).abs() < 0.001, "{path}: {billed}");
        assert!((paid - credits).abs() < 1e-9, "{path}: {paid}");
    }
    let limit = of("session-limits").limit;
    assert_eq!((limit.credits, limit.used), (Some(1000.0), Some(180.0)));
}

/// The cost of the session in the runtime's own words: its newest checkpoint, or else the end of the session.
fn own_figure(log: &[u8]) -> Option<f64> {
    let lines = log.split(|byte| *byte == b'\n').rev();
    let events: Vec<Value> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let newest = |kind: &str| events.iter().find(|event| event["type"] == kind);
    let told = newest("session.usage_checkpoint").or_else(|| newest("session.shutdown"))?;
    // A recording that was cut after a call has no figure that includes it.
    let calls_since =
        events.iter().take_while(|event| *event != told).any(|e| e["type"] == "assistant.usage");
    told["data"]["totalPremiumRequests"].as_f64().filter(|_| !calls_since)
}

#[test]
fn the_board_and_the_panel_say_the_cost_that_the_runtime_says() {
    let mut compared = 0;
    for (name, log) in golden::logs() {
        let Some(figure) = own_figure(&log) else { continue };
        let session = reduced(&log);
        let row = board_summary::of(session.state());
        assert_eq!(row["cost"], json!(figure), "{name}: the board");
        assert_eq!(session.snapshot()["usage"]["premiumRequests"], json!(figure), "{name}: the snapshot");
        compared += 1;
        // The calls alone give the same, unless earlier processes made some of them, or only history is here.
        let lines = log.split_inclusive(|byte| *byte == b'\n');
        let untold = lines.filter(|line| own_figure(line).is_none()).collect::<Vec<_>>().concat();
        let calls = reduced(&untold);
        if calls.state().usage.shares.is_empty() || name.starts_with("resume-pair-c2") {
            continue;
        }
        let added = calls.state().usage.premium_requests;
        assert!((added - figure).abs() < 1e-9, "{name}: {added} by its calls, {figure} by the runtime");
    }
    assert!(compared >= 30, "only {compared} recordings have a figure of the runtime's own");
}

#[test]
fn calls_of_sub_agents_are_told_apart() {
    let session = session("subagents", "events.jsonl");
    let state = session.state();
    let agents = state.usage.shares.iter().filter_map(|share| share.agent.as_deref());
    for agent in agents {
        assert!(state.subagent_place(agent).is_some(), "{agent} is a sub-agent of this session");
    }
    let calls: i64 = state.usage.shares.iter().filter(|s| s.agent.is_some()).map(|s| s.calls).sum();
    assert_eq!(calls, 8, "{:#?}", state.usage.shares);
    let works = panel::of(state).works;
    assert_eq!(works.len(), 5, "{works:#?}");
    assert!(works.iter().all(|work| work.state != WorkState::Running), "{works:#?}");
}

#[test]
fn a_shell_in_the_background_ends_when_it_is_said_to() {
    let works = of("large-output-and-async-shell").works;
    let [shell] = works.as_slice() else { panic!("{works:#?}") };
    assert_eq!((shell.name.as_str(), shell.state), ("Async", WorkState::Done));

    let mut play = Play::new();
    let arguments = json!({ "command": "make", "mode": "async", "shellId": "7" });
    play.tell(
        "tool.execution_start",
        json!({ "toolCallId": "c", "toolName": "bash", "arguments": arguments }),
    );
    play.tell(
        "tool.execution_complete",
        json!({ "toolCallId": "c", "success": true, "result": { "content": "" } }),
    );
    let work = |play: &Play| panel::of(play.session.state()).works[0].state;
    assert_eq!(work(&play), WorkState::Running);
    let kind = json!({ "type": "shell_completed", "shellId": "7", "exitCode": 2 });
    play.tell("system.notification", json!({ "content": "", "kind": kind }));
    assert_eq!(work(&play), WorkState::Failed);
}

#[test]
fn the_plan_is_the_one_that_was_told_last() {
    assert_eq!(of("plan-mode-exit").plan, None, "the recording ends with its deletion");

    let mut play = Play::new();
    let time = |seconds: u32| json!({ "timestamp": format!("2026-11-21T09:00:{seconds:02}.000Z") });
    play.event("session.plan_changed", json!({ "operation": "create" }), time(1));
    let told_now = |play: &Play| panel::of(play.session.state()).plan;
    assert_eq!(told_now(&play).map(|plan| plan.text), Some(None), "nobody said what is in it");
    let asked = json!({ "requestId": "r", "summary": "", "planContent": "# Plan", "actions": [] });
    play.event("exit_plan_mode.requested", asked, time(2));
    let told = told_now(&play).unwrap();
    assert_eq!((told.text.as_deref(), told.changed_since), (Some("# Plan"), false));
    play.event("session.plan_changed", json!({ "operation": "update" }), time(3));
    assert!(told_now(&play).unwrap().changed_since);
    play.event("session.plan_changed", json!({ "operation": "delete" }), time(4));
    assert_eq!(told_now(&play), None);
}

#[test]
fn canvases_are_listed_as_long_as_they_are_there() {
    let mut play = Play::new();
    let lists = |play: &Play| {
        let said = panel::of(play.session.state()).canvases.into_iter();
        said.map(|c| format!("{} {} {}", c.title, c.instance.is_some(), c.available)).collect::<Vec<_>>()
    };
    let told = |id: &str, title: &str| json!({ "instanceId": id, "extensionId": "x", "canvasId": "c", "title": title });
    let offered = json!({ "canvases": [{ "extensionId": "x", "canvasId": "c", "displayName": "Map", "description": "" }] });
    play.live("session.canvas.registry_changed", offered.clone())
        .live("session.canvas.opened", told("1", "Here"));
    play.tell("session.canvas.recorded", json!({ "instanceId": "1", "extensionId": "x", "canvasId": "c" }));
    assert_eq!(lists(&play), ["Here true true", "Map false true"]);
    play.live("session.canvas.unavailable", told("1", "")).live("session.canvas.registry_changed", offered);
    assert_eq!(lists(&play), ["Here true false", "Map false true"]);
    play.live("session.canvas.opened", told("1", "Again")).tell("session.canvas.recorded", told("2", "Log"));
    assert_eq!(lists(&play), ["Again true true", "Log true true", "Map false true"]);
    play.live("session.canvas.closed", told("1", "")).tell("session.canvas.removed", told("2", ""));
    assert_eq!(lists(&play), ["Map false true"]);
    play.live("session.canvas.opened", told("1", "Back"));
    assert_eq!(lists(&play), ["Back true true", "Map false true"]);
}

#[test]
fn plan_and_todos_follow_the_agents_own_tools() {
    let recording = std::fs::read_to_string("tests/e2e/data/plan-then-build.jsonl").unwrap();
    let mut session = Session::new();
    session.push(recording.as_bytes());
    let all = panel::of(session.state());
    assert!(all.plan.unwrap().text.unwrap().starts_with("# Plan: `garden frost`"));
    let todos: Vec<_> = all.todos.items.iter().map(|t| (t.title.as_str(), t.status.as_str())).collect();
    let done = |title| (title, "done");
    assert_eq!(
        todos,
        ["Check how days are parsed", "Write src/frost.js", "Add the command", "Test the limit"].map(done)
    );
    assert!(!all.todos.uncertain);
    let quota = &session.state().usage.quotas[0];
    assert_eq!((quota.name.as_str(), quota.used, quota.granted), ("premium_interactions", 44, 300));
}

#[test]
fn whoever_looks_is_told_when_to_look_again() {
    for case in ["mcp-full", "subagents", "skills-and-file-hooks", "misc-rpc-events", "plan-mode-exit"] {
        let mut session = Session::new();
        let mut seen = panel::of(&State::default());
        for line in read(case, "events.jsonl").split_inclusive(|byte| *byte == b'\n') {
            session.push(line);
            let told = session.take_changes().contains(&Change::Section(Section::Environment));
            let now = panel::of(session.state());
            assert!(told || now == seen, "{case}: {}", String::from_utf8_lossy(line));
            seen = now;
        }
    }
}

#[test]
fn odd_payloads_are_no_harm() {
    let mut play = Play::new();
    for kind in [
        "session.mcp_servers_loaded",
        "session.mcp_server_status_changed",
        "session.skills_loaded",
        "session.schedule_created",
        "session.session_limits_changed",
        "session.workspace_file_changed",
        "session.canvas.registry_changed",
        "session.canvas.opened",
        "factory.run_started",
        "assistant.usage",
    ] {
        let lists = json!({ "servers": [1, null], "skills": {}, "id": [], "sessionLimits": 3, "quotaSnapshots": [1] });
        for data in [json!({}), json!(null), json!([]), lists] {
            play.tell(kind, data);
        }
    }
    let all = panel::of(play.session.state());
    assert_eq!(all.servers.len(), 0, "{all:#?}");
}

#[test]
fn the_figures_of_calls_are_added_up_and_the_runtime_s_own_count_of_the_cost_counts() {
    let mut play = Play::new();
    for _ in 0..2 {
        let call = json!({ "model": "gpt-5.4", "inputTokens": 100, "outputTokens": 50, "cacheReadTokens": 10,
            "cacheWriteTokens": 40, "reasoningTokens": 20, "duration": 1_200 });
        play.live("assistant.usage", call);
    }
    let usage = &play.session.state().usage;
    assert_eq!((usage.cache_write_tokens, usage.reasoning_tokens, usage.model_time), (80, 40, 2_400));
    for requests in [1, 4] {
        let count = json!({ "totalNanoAiu": 59_125_200, "totalPremiumRequests": requests });
        play.tell("session.usage_checkpoint", count);
    }
    let usage = &play.session.state().usage;
    assert!((usage.premium_requests - 4.0).abs() < f64::EPSILON);
    assert!((usage.nano_credits - 59_125_200.0).abs() < 1.0);
}
