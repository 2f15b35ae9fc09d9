//! How often something is shown and whose work it was: turns, notices, custom notifications, sub-agents,
//! telemetry.

use std::borrow::Cow;

use pilothouse::core::model::entry::{Body, EntryState};
use pilothouse::core::model::work::Work;
use pilothouse::core::view_model::entry_words;
use pilothouse::core::wire::fields::Fields;
use serde_json::{Value, json};

use crate::play::{Play, state};

fn work(play: &Play, message: &str) -> Option<Work> {
    match &play.entry(message).body {
        Body::User(message) => message.work,
        _ => None,
    }
}

fn count(play: &Play, text: &str) -> Vec<u32> {
    let entries = play.session.state().entries.iter().filter(|entry| entry_words::text(entry) == text);
    entries
        .filter_map(|entry| match &entry.body {
            Body::Notice(notice) => Some(notice.count),
            Body::Custom(custom) => Some(custom.count),
            _ => None,
        })
        .collect()
}

fn user_message(play: &mut Play, id: &str, delivery: &str) {
    play.tell("user.message", json!({ "messageId": id, "content": id, "delivery": delivery }));
}

#[test]
fn a_message_that_steers_has_no_turn_and_one_that_was_queued_has() {
    let mut play = Play::new();
    user_message(&mut play, "first", "idle");
    play.tell("assistant.turn_start", json!({ "turnId": "0" }));
    user_message(&mut play, "steering", "steering");
    play.tell("assistant.turn_start", json!({ "turnId": "1" }));
    user_message(&mut play, "queued", "queued");
    play.tell("assistant.turn_start", json!({ "turnId": "0" }));
    assert_eq!(work(&play, "first").map(|work| work.model_calls), Some(2));
    assert_eq!(work(&play, "steering"), None);
    assert_eq!(work(&play, "queued").map(|work| work.model_calls), Some(1));
    assert!(!work(&play, "first").unwrap().is_working, "its turn is over");
    assert!(work(&play, "queued").unwrap().is_working);
    play.live("session.idle", json!({}));
    assert!(!work(&play, "queued").unwrap().is_working);
    user_message(&mut play, "late", "steering");
    assert!(work(&play, "late").is_some(), "with nothing to steer it starts a turn");
}

#[test]
fn a_sub_agents_work_counts_for_itself_and_for_the_message_it_serves() {
    let mut play = Play::new();
    user_message(&mut play, "first", "idle");
    let task = json!({ "toolCallId": "c", "toolName": "task", "arguments": {} });
    play.tell("tool.execution_start", task);
    play.agent(
        "a",
        "subagent.started",
        json!({ "toolCallId": "c", "agentName": "a", "agentDisplayName": "A" }),
    );
    play.live("session.idle", json!({}));
    user_message(&mut play, "second", "idle");
    play.agent("a", "assistant.turn_start", json!({ "turnId": "0" }));
    play.agent("a", "tool.execution_start", json!({ "toolCallId": "t", "toolName": "bash" }));
    let first = work(&play, "first").unwrap();
    assert_eq!((first.model_calls, first.tools), (1, 2), "whatever came between");
    assert_eq!(work(&play, "second").map(|work| work.model_calls), Some(0));
    let agents = &play.session.state().entries;
    let own = agents.iter().find_map(|entry| match &entry.body {
        Body::Subagent(agent) => Some(agent.work),
        _ => None,
    });
    assert_eq!(own.map(|work| (work.model_calls, work.tools)), Some((1, 1)));
}

#[test]
fn equal_notices_are_counted_until_the_next_message() {
    let mut play = Play::new();
    let slow = json!({ "warningType": "mcp", "message": "slow" });
    play.tell("session.warning", slow.clone())
        .tell("session.info", json!({ "infoType": "timing", "message": "x" }));
    play.tell("session.warning", slow.clone());
    assert_eq!(count(&play, "slow"), [2], "another source came between, which does not matter");
    play.live("session.warning", slow.clone());
    assert_eq!(count(&play, "slow"), [2, 1], "history must count what the live stream counts");
    play.tell("session.warning", json!({ "warningType": "mcp", "message": "lost" }));
    play.tell("session.warning", slow.clone());
    assert_eq!(count(&play, "slow"), [2, 1, 1], "the same source said something else between");
    user_message(&mut play, "m", "idle");
    play.tell("session.warning", slow);
    assert_eq!(count(&play, "slow"), [2, 1, 1, 1], "what is said after a message is news");
}

#[test]
fn an_error_after_another_model_call_is_another_error() {
    let mut play = Play::new();
    let error = json!({ "errorType": "rate_limit", "message": "too many" });
    play.tell("session.error", error.clone()).tell("session.error", error.clone());
    play.tell("assistant.turn_start", json!({ "turnId": "1" })).tell("session.error", error);
    assert_eq!(count(&play, "too many"), [2, 1]);
}

#[test]
fn a_call_waits_while_its_permission_does() {
    let mut play = Play::new();
    let request = json!({ "requestId": "p", "permissionRequest": { "kind": "shell", "toolCallId": "t" } });
    let waits = |play: &Play| play.entry("t").tool().unwrap().is_waiting;
    play.tell("permission.requested", request);
    play.tell("tool.execution_start", json!({ "toolCallId": "t", "toolName": "bash" }));
    assert!(waits(&play), "the request may come first");
    play.tell("permission.completed", json!({ "requestId": "p", "result": { "kind": "approved" } }));
    assert!(!waits(&play));
}

#[test]
fn custom_notifications_about_one_subject_are_one_entry_with_its_history() {
    let mut play = Play::new();
    let mut build = |number: &str, title: &str| {
        let data = json!({ "source": "ci", "name": title, "subject": { "build": number }, "payload": { "title": title } });
        play.live("session.custom_notification", data);
    };
    build("7", "queued");
    build("8", "queued too");
    build("7", "runs");
    build("7", "failed");
    assert_eq!(play.timeline(), ["custom done: failed", "custom done: queued too"]);
    let earlier = match &play.session.state().entries[0].body {
        Body::Custom(custom) => {
            custom.earlier.iter().map(|one| one.text.words().into_owned()).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    };
    assert_eq!(earlier, ["queued", "runs"]);
}

#[test]
fn sub_agents_know_who_started_them() {
    let mut play = Play::new();
    let started = |call: &str| json!({ "toolCallId": call, "agentName": call, "agentDisplayName": call });
    play.agent("outer", "subagent.started", started("c1"));
    play.agent("outer", "tool.execution_start", json!({ "toolCallId": "c2", "toolName": "task" }));
    play.agent("inner", "subagent.started", started("c2"));
    play.agent("third", "subagent.started", json!({ "toolCallId": "c3", "parentId": "inner" }));
    play.agent("own", "subagent.started", json!({ "toolCallId": "c4", "parentId": "own" }));
    let place = |call: &str| play.session.state().subagent_place(call);
    let parent = |call: &str| match &play.session.state().entries[place(call).unwrap()].body {
        Body::Subagent(agent) => agent.parent,
        _ => None,
    };
    assert_eq!((parent("c1"), parent("c2"), parent("c3")), (None, place("c1"), place("c2")));
    assert_eq!(parent("c4"), None, "nobody is inside of itself");
}

#[test]
fn what_a_host_says_is_told_like_the_runtimes_own_and_marked() {
    let mut play = Play::new();
    let mut notify = |note: Value| play.session.notify(Fields::of(note), Some(5));
    assert_eq!(notify(json!({ "message": "hello" })).as_deref(), Some("local-1"));
    notify(
        json!({ "level": "warning", "message": "careful", "url": "https://example.com", "ephemeral": true }),
    );
    notify(json!({ "level": "error", "message": "broken" }));
    assert_eq!(notify(json!({ "level": "error" })), None, "there is nothing to say");
    assert_eq!(play.timeline(), ["notice done: hello", "notice done: careful", "notice done: broken"]);
    let snapshot = play.session.snapshot();
    let part = |name: &str| -> Vec<Value> {
        snapshot["timeline"].as_array().unwrap().iter().map(|entry| entry[name].clone()).collect()
    };
    assert_eq!(part("level"), ["info", "warning", "error"]);
    assert_eq!(part("category"), ["notification", "notification", "notification"]);
    assert_eq!(part("ephemeral"), [false, true, false]);
    assert_eq!(part("local"), [true, true, true]);
    assert_eq!(play.status(), "idle", "a host's error is not the session's failure");
    assert!(play.model_sees().is_empty());
}

#[test]
fn system_notifications_are_offered_to_telemetry() {
    let mut play = Play::new();
    let done = json!({ "content": "<system_notification>Done</system_notification>",
        "kind": { "type": "agent_completed", "agentId": "a", "agentType": "explore", "status": "failed" } });
    play.tell("system.notification", done);
    let telemetry = &play.session.snapshot()["telemetry"];
    let name = "github.copilot.system.notification";
    assert_eq!(telemetry[0]["name"], name);
    assert_eq!(
        telemetry[0]["attributes"],
        json!({ name: "Done", format!("{name}.type"): "agent_completed", format!("{name}.agent_id"): "a",
            format!("{name}.agent_type"): "explore", format!("{name}.status"): "failed" })
    );
    play.tell("session.info", json!({ "message": "not one of them" }));
    assert_eq!(play.session.snapshot()["telemetry"].as_array().unwrap().len(), 1);
}

#[test]
fn what_the_catalogue_keeps_out_of_the_timeline_makes_no_row() {
    use pilothouse::core::protocol::catalogue::{Surface, all};
    let data = json!({ "message": "m", "content": "c", "serverName": "s", "summary": "s", "text": "t" });
    for row in all().filter(|row| row.is_session_event()) {
        let mut play = Play::new();
        play.live(row.name, data.clone());
        let shown = play.timeline();
        let kept_out = !matches!(row.surface, Surface::Timeline | Surface::Request);
        assert!(!kept_out || shown.is_empty(), "{} is shown in the timeline: {shown:?}", row.name);
        assert!(play.session.state().entries.iter().all(|entry| state(entry) != "failed" || !kept_out));
    }
}

fn details(play: &Play, category: &str) -> String {
    let entries = play.session.state().entries.iter();
    let mut found = entries.filter_map(|entry| match &entry.body {
        Body::Notice(notice) if notice.category == category => {
            notice.detail.as_ref().map(|detail| detail.words().into_owned())
        }
        _ => None,
    });
    found.next_back().unwrap_or_default()
}

#[test]
fn what_has_no_room_in_a_notices_line_stands_in_its_details() {
    let mut play = Play::new();
    play.tell(
        "skill.invoked",
        json!({ "name": "greet", "path": "/skills/greet/SKILL.md", "content": "# Greet", "source": "project",
            "allowedTools": ["bash", "view"], "trigger": "agent-invoked" }),
    );
    let skill = "---\npath: /skills/greet/SKILL.md\nallowed-tools: bash, view\nsource: project\n\
                 trigger: agent-invoked\n---\n\n# Greet";
    assert_eq!(details(&play, "skill"), skill);
    play.tell(
        "system.notification",
        json!({ "content": "Discovered instruction: src/AGENTS.md", "kind": { "type": "instruction_discovered",
            "sourcePath": "src/AGENTS.md", "triggerFile": "src/pier.rs", "triggerTool": "view" } }),
    );
    let trigger = details(&play, "instruction_discovered");
    assert!(trigger.contains("src/pier.rs") && trigger.contains("\"view\""), "{trigger}");
    play.tell(
        "session.model_change",
        json!({ "previousModel": "gpt-5", "newModel": "gpt-5.4", "verbosity": "low", "source": "picker" }),
    );
    assert!(details(&play, "model_change").contains("picker"));
    play.tell(
        "session.permissions_changed",
        json!({ "mode": "assisted", "assistedApprovalModel": "gpt-5.4-mini" }),
    );
    assert!(details(&play, "permissions_changed").contains("gpt-5.4-mini"));
    play.tell("session.resume", json!({ "eventCount": 25, "eventsFileSizeBytes": 4096 }));
    assert!(details(&play, "resume").contains("4096"));
}

#[test]
fn the_model_that_a_session_begins_with_has_no_row_and_each_change_has_one() {
    let rows = |play: &Play| {
        let snapshot = play.session.snapshot();
        let rows = snapshot["timeline"].as_array().cloned().unwrap_or_default();
        rows.iter().filter(|row| row["text"].as_str().is_some_and(|text| text.contains("gpt"))).count()
    };
    let mut play = Play::new();
    play.tell("session.start", json!({ "sessionId": "s", "selectedModel": "gpt-5.4" }));
    play.tell("session.model_change", json!({ "newModel": "gpt-5.4" }));
    assert_eq!((rows(&play), &header(&play)["model"]), (0, &json!("gpt-5.4")), "the header has it");
    play.tell("session.model_change", json!({ "newModel": "gpt-5.4-mini" }));
    play.tell("session.model_change", json!({ "previousModel": "gpt-5.4-mini", "newModel": "gpt-5.4" }));
    assert_eq!(rows(&play), 2, "somebody has changed it");
    for start in [
        json!({ "newModel": "gpt-5.4", "cause": "refusal_fallback" }),
        json!({ "previousModel": "o", "newModel": "gpt-5.4" }),
    ] {
        let mut play = Play::new();
        play.tell("session.model_change", start.clone());
        assert_eq!(rows(&play), 1, "{start}");
    }
    let mut play = Play::new();
    play.tell("session.start", json!({ "sessionId": "s", "selectedModel": "o" }));
    play.tell("session.model_change", json!({ "newModel": "gpt-5.4" }));
    assert_eq!(rows(&play), 1, "another one was selected");
}

fn header(play: &Play) -> Value {
    play.session.snapshot()["session"].clone()
}

#[test]
fn another_directory_takes_the_old_repository_and_branch_with_it() {
    let mut play = Play::new();
    let boats = json!({ "cwd": "/workspace/boats", "gitRoot": "/workspace/boats", "repository": "acme/boats", "branch": "tides" });
    play.tell("session.start", json!({ "sessionId": "s", "context": boats }));
    assert_eq!(header(&play)["gitRoot"], "/workspace/boats");
    play.tell("session.context_changed", json!({ "cwd": "/workspace/charts", "pendingGitContext": true }));
    let moved = header(&play);
    assert_eq!(
        (&moved["cwd"], &moved["branch"]),
        (&json!("/workspace/charts"), &Value::Null),
        "not known yet"
    );
    assert_eq!(moved["pendingGitContext"], true);
    let charts = json!({ "cwd": "/workspace/charts", "gitRoot": "/workspace/charts", "repository": "acme/charts", "branch": "main" });
    play.tell("session.context_changed", charts);
    let settled = header(&play);
    assert_eq!((&settled["repository"], &settled["branch"]), (&json!("acme/charts"), &json!("main")));
    assert_eq!(settled["pendingGitContext"], false);
    play.tell("session.context_changed", json!({ "cwd": "/tmp" }));
    let outside = header(&play);
    for fact in ["repository", "branch", "gitRoot"] {
        assert_eq!(outside[fact], Value::Null, "{fact}: no repository is there");
    }
    assert_eq!(outside["cwd"], "/tmp");
    play.tell("session.resume", json!({ "eventCount": 4 }));
    assert_eq!(header(&play)["cwd"], "/tmp", "who says nothing of it changes nothing");
}

#[test]
fn the_header_has_the_model_and_the_mode_that_were_seen_until_an_event_tells_them() {
    let mut play = Play::new();
    play.tell("user.message", json!({ "content": "Hi", "agentMode": "plan" }));
    play.live("assistant.usage", json!({ "model": "small", "parentToolCallId": "task" }));
    play.live("assistant.usage", json!({ "model": "sampler", "initiator": "mcp-sampling" }));
    assert_eq!(header(&play)["model"], Value::Null, "another agent's model is not the session's");
    play.live("assistant.usage", json!({ "model": "large", "initiator": "user" }));
    assert_eq!((&header(&play)["model"], &header(&play)["mode"]), (&json!("large"), &json!("plan")));
    play.tell("user.message", json!({ "content": "ls", "agentMode": "shell" }));
    assert_eq!(header(&play)["mode"], "plan", "a command for the shell changes no mode");
    play.tell("user.message", json!({ "content": "On", "agentMode": "autopilot" }));
    play.live("assistant.usage", json!({ "model": "larger", "initiator": "agent" }));
    assert_eq!((&header(&play)["model"], &header(&play)["mode"]), (&json!("larger"), &json!("autopilot")));
    play.tell("session.mode_changed", json!({ "previousMode": "autopilot", "newMode": "interactive" }));
    play.tell("session.model_change", json!({ "newModel": "auto" }));
    play.tell("user.message", json!({ "content": "Again", "agentMode": "plan" }));
    play.live("assistant.usage", json!({ "model": "large", "initiator": "user" }));
    assert_eq!((&header(&play)["model"], &header(&play)["mode"]), (&json!("auto"), &json!("interactive")));
    let mut stored = Play::new();
    stored.tell("session.shutdown", json!({ "shutdownType": "routine", "currentModel": "large" }));
    assert_eq!(header(&stored)["model"], "large");
}

#[test]
fn an_agent_that_only_its_call_names_has_its_figures() {
    let mut play = Play::new();
    user_message(&mut play, "go", "idle");
    play.tell("subagent.started", json!({ "toolCallId": "task", "agentName": "explore" }));
    play.live(
        "assistant.usage",
        json!({ "model": "m", "inputTokens": 90, "outputTokens": 10, "parentToolCallId": "task" }),
    );
    let message =
        json!({ "messageId": "w", "content": "looking", "outputTokens": 7, "parentToolCallId": "task" });
    play.tell("assistant.message", message);
    play.tell(
        "tool.execution_start",
        json!({ "toolCallId": "t", "toolName": "grep", "parentToolCallId": "task" }),
    );
    let Body::Subagent(agent) = &play.entry("task").body else { panic!("an agent") };
    let done =
        (agent.work.tools, agent.work.input_tokens, agent.work.output_tokens, agent.work.written_tokens);
    assert_eq!(done, (1, 90, 10, 7));
    let turn = work(&play, "go").expect("a turn");
    assert_eq!((turn.tools, turn.input_tokens), (1, 90), "it counts for the turn as well");
}

fn task(payload: Value) -> Value {
    json!({ "source": "mcp", "name": "task_status", "payload": payload })
}

#[test]
fn an_mcp_task_without_a_subject_is_one_by_its_id_and_ends_with_the_session() {
    let mut play = Play::new();
    play.live("session.custom_notification", task(json!({ "taskId": "t1", "status": "working" })));
    play.live("session.custom_notification", task(json!({ "taskId": "t2", "status": "working" })));
    play.live("session.custom_notification", task(json!({ "taskId": "t1", "status": "completed" })));
    play.live("session.custom_notification", task(json!({ "taskId": 3, "status": "input_required" })));
    assert_eq!(
        play.timeline(),
        [
            "custom done: MCP: task t1 is done",
            "custom running: MCP: task t2 is working",
            "custom pending: MCP: task needs input"
        ]
    );
    play.tell("session.shutdown", json!({ "shutdownType": "routine" }));
    assert_eq!(
        play.timeline()[..3],
        [
            "custom done: MCP: task t1 is done",
            "custom interrupted: MCP: task t2 ended with the session",
            "custom interrupted: MCP: task ended with the session"
        ]
    );
    play.live("session.custom_notification", task(json!({ "taskId": "t2", "status": "completed" })));
    assert_eq!(play.timeline()[1], "custom done: MCP: task t2 is done", "what comes after all counts");
}

#[test]
fn a_subject_that_is_a_string_counts_and_is_shown() {
    let mut play = Play::new();
    let about = |subject: &str, title: &str| json!({ "source": "ci", "name": "build", "subject": subject, "payload": { "title": title } });
    play.live("session.custom_notification", about("web", "queued"));
    play.live("session.custom_notification", about("docs", "queued"));
    play.live("session.custom_notification", about("web", "built"));
    assert_eq!(play.timeline(), ["custom done: built", "custom done: queued"]);
    let Body::Custom(custom) = &play.session.state().entries[0].body else { panic!("a notification") };
    assert_eq!((custom.about().as_str(), custom.count), ("web", 2));
}

#[test]
fn a_task_says_whether_it_succeeded() {
    for (data, expected) in [
        (json!({ "summary": "x", "success": true }), EntryState::Done),
        (json!({ "summary": "x", "success": false }), EntryState::Failed),
        (json!({ "summary": "x", "success": true, "outcome": "blocked" }), EntryState::Failed),
        (json!({ "summary": "x", "success": true, "outcome": "continue" }), EntryState::Interrupted),
    ] {
        let mut play = Play::new();
        play.tell("session.task_complete", data.clone());
        assert_eq!(play.session.state().entries.last().unwrap().state, expected, "{data}");
    }
}

#[test]
fn the_header_says_why_a_call_of_the_model_is_tried_again() {
    let mut play = Play::new();
    play.tell("assistant.turn_retry", json!({ "turnId": "0", "reason": "rate_limited" }));
    let doing = play.session.state().info.doing.as_ref().map(|phrase| phrase.words().into_owned());
    assert_eq!(doing.as_deref(), Some("Trying again: rate limited"));
}

#[test]
fn a_sub_agent_has_its_model_from_the_start() {
    let mut play = Play::new();
    play.tell("subagent.started", json!({ "toolCallId": "t", "agentName": "explore", "model": "gpt-5.4" }));
    let Body::Subagent(agent) = &play.entry("t").body else { panic!("a sub-agent") };
    assert_eq!(agent.model.as_deref(), Some("gpt-5.4"));
}

#[test]
fn what_else_the_agent_does_is_told_until_the_next_event_about_it() {
    let doing = |play: &Play| entry_words::current_activity(play.session.state()).map(Cow::into_owned);
    let mut play = Play::new();
    play.live("session.fusion_route_started", json!({}));
    let choosing = doing(&play);
    assert!(choosing.is_some());
    play.live("assistant.fusion_phase_activity", json!({ "totalResponseSizeBytes": 2048 }));
    assert_eq!(doing(&play), choosing, "how much has come changes no words");
    assert_eq!(play.session.state().info.response_bytes, Some(2048));
    play.live("assistant.fusion_phase_activity", json!({}));
    assert_eq!(
        play.session.state().info.response_bytes,
        Some(2048),
        "an event without a size keeps the last"
    );
    play.live("assistant.server_tool_progress", json!({ "kind": "web_search", "status": "searching" }));
    assert_eq!(doing(&play).as_deref(), Some("Web search: searching"));
    play.live("session.auto_mode_resolved", json!({ "chosenModel": "gpt-5" }));
    assert_eq!(
        doing(&play).as_deref(),
        Some("Web search: searching"),
        "which model answers changes no words"
    );
    assert_eq!(play.session.state().info.auto_model.as_deref(), Some("gpt-5"));
    play.live("assistant.turn_retry", json!({ "reason": "rate_limited" }));
    assert_eq!(doing(&play).as_deref(), Some("Trying again: rate limited"));
    play.live("assistant.idle", json!({}));
    assert_eq!(doing(&play).as_deref(), Some("Background work goes on"));
    play.live("assistant.server_tool_progress", json!({}));
    assert_eq!(doing(&play), None, "an event without words says nothing");
    play.live("assistant.intent", json!({ "intent": "Reading the tests" }));
    assert_eq!(doing(&play).as_deref(), Some("Reading the tests"));
}

#[test]
fn a_message_that_is_only_a_path_is_put_into_words() {
    let mut play = Play::new();
    play.tell("session.start", json!({ "sessionId": "s", "context": { "cwd": "/workspace" } }));
    for (category, message, told) in [
        ("file_created", "/workspace/src/a.rs", "Created file src/a.rs"),
        ("file_updated", "/workspace/src/b.rs", "Changed file src/b.rs"),
        ("file_deleted", "/workspace/src/c.rs", "Deleted file src/c.rs"),
        ("file_deleted", "C:\\code\\c.rs", "Deleted file C:\\code\\c.rs"),
        ("file_created", "/home/me/.copilot/session-state/s/plan.md", "Created file plan.md of this session"),
        ("file_created", "Created two files", "Created two files"),
        ("file_created", "/workspace/a\n/workspace/b", "/workspace/a\n/workspace/b"),
        ("other", "/workspace/src/a.rs", "/workspace/src/a.rs"),
    ] {
        play.tell("session.info", json!({ "infoType": category, "message": message }));
        let entry = play.session.state().entries.last().unwrap();
        assert_eq!(entry_words::text(entry), told, "{category}");
    }
}

#[test]
fn what_starts_or_ends_a_sub_agent_says_of_it_is_kept() {
    let agent = |play: &Play, id: &str| match &play.entry(id).body {
        Body::Subagent(agent) => (agent.name.clone(), agent.display_name.clone(), agent.background),
        other => panic!("{other:?}"),
    };
    let mut play = Play::new();
    let names =
        |id: &str| json!({ "toolCallId": id, "agentName": "explore", "agentDisplayName": "Explorer" });
    let mut behind = names("behind");
    behind["executionMode"] = "background".into();
    play.tell("subagent.started", behind);
    play.tell("subagent.started", names("ahead"));
    play.tell("subagent.completed", names("late"));
    let known = |background| ("explore".to_owned(), "Explorer".to_owned(), background);
    assert_eq!(agent(&play, "behind"), known(true));
    assert_eq!(agent(&play, "ahead"), known(false));
    assert_eq!(agent(&play, "late"), known(false), "its start was not seen");
}

#[test]
fn a_question_on_the_side_ends_as_it_says() {
    let mut play = Play::new();
    for (phase, ends) in
        [("completed", "done"), ("failed", "failed"), ("aborted", "interrupted"), ("other", "streaming")]
    {
        play.live("ui.ephemeral_query", json!({ "requestId": phase, "phase": "chunk", "chunk": "So" }));
        play.live("ui.ephemeral_query", json!({ "requestId": phase, "phase": phase, "chunk": " far" }));
        assert_eq!((state(play.entry(phase)), play.entry(phase).text.as_str()), (ends, "So far"), "{phase}");
    }
}

#[test]
fn of_a_subject_s_history_the_newest_twenty_are_kept() {
    let mut play = Play::new();
    for number in 0..25 {
        let title = format!("step {number}");
        let data =
            json!({ "source": "ci", "name": "b", "subject": { "build": 7 }, "payload": { "title": title } });
        play.live("session.custom_notification", data);
    }
    let Body::Custom(custom) = &play.session.state().entries[0].body else { panic!("a notification") };
    let earlier: Vec<_> = custom.earlier.iter().map(|one| one.text.words().into_owned()).collect();
    assert_eq!(earlier, (4..24).map(|number| format!("step {number}")).collect::<Vec<_>>());
    assert_eq!(custom.count, 25);
}

#[test]
fn reasoning_says_how_long_it_took_if_it_took_any_time() {
    let mut play = Play::new();
    let at = |play: &mut Play, time: &str, kind: &str, data: Value| {
        play.event(kind, data, json!({ "timestamp": format!("2026-01-01T00:00:{time}Z") }));
    };
    for (id, begins, ends) in [("slow", "01.000", "03.500"), ("quick", "04.000", "04.000")] {
        let delta = json!({ "reasoningId": id, "deltaContent": "Let me see" });
        at(&mut play, begins, "assistant.reasoning_delta", delta.clone());
        at(&mut play, ends, "assistant.reasoning_delta", delta);
        let whole = json!({ "reasoningId": id, "content": "Let me see" });
        at(&mut play, ends, "assistant.reasoning", whole);
    }
    let took = |id: &str| match &play.entry(id).body {
        Body::Reasoning { duration } => *duration,
        other => panic!("{other:?}"),
    };
    assert_eq!((took("slow"), took("quick")), (Some(2500), None));
}

#[test]
fn an_unknown_event_is_counted_each_time_and_the_end_of_the_newest_is_known() {
    let mut play = Play::new();
    let time = |second: u8| json!({ "ephemeral": true, "timestamp": format!("2026-01-01T00:00:0{second}Z") });
    for second in [1, 3, 2] {
        play.event("session.invented", json!({}), time(second));
    }
    let state = play.session.state();
    assert_eq!(state.counters.unknown.get("session.invented"), Some(&3));
    assert_eq!(state.counters.ephemeral, 3);
    assert_eq!(
        state.info.last_event_at.map(|at| at % 60_000),
        Some(3000),
        "a late event does not set it back"
    );
}

#[test]
fn the_end_of_a_session_tells_only_the_figures_that_it_has() {
    let told = |data: Value| {
        let mut play = Play::new();
        play.event("session.shutdown", data, json!({ "timestamp": "2026-01-01T00:01:00Z" }));
        entry_words::text(play.session.state().entries.last().unwrap()).into_owned()
    };
    let began = 1_767_225_600_000_i64;
    assert_eq!(told(json!({})), "Session ended");
    assert_eq!(told(json!({ "sessionStartTime": began })), "Session ended · 1 min");
    assert_eq!(told(json!({ "sessionStartTime": began + 60_000 })), "Session ended", "no time has passed");
    assert_eq!(told(json!({ "sessionStartTime": 0, "totalApiDurationMs": 0 })), "Session ended");
    assert_eq!(
        told(json!({ "shutdownType": "error", "errorReason": "Out of memory" })),
        "Session crashed: Out of memory"
    );
    let changed = |added: u8, removed: u8| {
        told(
            json!({ "codeChanges": { "linesAdded": added, "linesRemoved": removed, "filesModified": ["a"] } }),
        )
    };
    assert_eq!(changed(0, 0), "Session ended");
    assert_eq!(changed(2, 0), "Session ended · +2 −0 in 1 file");
    assert_eq!(changed(0, 3), "Session ended · +0 −3 in 1 file");
}

#[test]
fn a_skill_that_is_delivered_again_is_read_again_by_the_model() {
    let mut play = Play::new();
    let invoked = json!({ "name": "brew", "content": "Brew it slowly. And pour." });
    play.tell("skill.invoked", invoked);
    let first = play.model_sees();
    let delivered = |prefix: &str, suffix: &str| json!({ "prefix": prefix, "suffix": suffix });
    play.tell(
        "skill.context_delivered_ref",
        delivered("<skill-context name=\"brew\">", "And pour.\n</skill-context>"),
    );
    assert_eq!(play.model_sees(), first, "nothing has invoked it again");
    play.tell("skill.invoked_ref", json!({ "name": "brew" }));
    play.tell(
        "skill.context_delivered_ref",
        delivered("<skill-context name=\"brew\">", "And drink.\n</skill-context>"),
    );
    assert_eq!(play.model_sees(), first, "it is another text");
    play.tell("skill.invoked_ref", json!({ "name": "brew" }));
    play.tell(
        "skill.context_delivered_ref",
        delivered("<skill-context name=\"brew\">", "And pour.\n</skill-context>"),
    );
    let again = play.model_sees();
    assert_eq!(again.len(), first.len() + 1);
    assert_eq!(again.last(), first.last());
}

#[test]
fn a_sub_agent_says_with_which_model_and_effort_it_works() {
    let mut play = Play::new();
    play.agent(
        "helper",
        "subagent.started",
        json!({ "toolCallId": "c", "agentName": "explore", "model": "small" }),
    );
    let works = |play: &Play| match &play.entry("c").body {
        Body::Subagent(agent) => (agent.model.clone(), agent.effort.clone()),
        other => panic!("{other:?}"),
    };
    play.agent("helper", "subagent.configured", json!({ "reasoningEffort": "high" }));
    assert_eq!(works(&play), (Some("small".to_owned()), Some("high".to_owned())), "the model stays");
    play.agent("helper", "subagent.configured", json!({ "model": "large" }));
    assert_eq!(works(&play), (Some("large".to_owned()), None));
}

#[test]
fn notices_are_one_if_everything_that_they_say_is_the_same() {
    let mut play = Play::new();
    let mut warn = |more: Value| {
        let mut data = json!({ "warningType": "quota", "message": "Nearly used up" });
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        play.tell("session.warning", data);
    };
    warn(json!({}));
    warn(json!({}));
    warn(json!({ "url": "https://example.com/quota" }));
    warn(json!({ "url": "https://example.com/quota" }));
    warn(json!({ "message": "Used up" }));
    assert_eq!(count(&play, "Nearly used up"), [2, 2]);
    assert_eq!(count(&play, "Used up"), [1]);
}

#[test]
fn which_agent_is_selected_is_news_of_the_session_alone() {
    let mut play = Play::new();
    play.tell("subagent.selected", json!({ "agentName": "explore", "agentDisplayName": "Explorer" }));
    play.tell("subagent.deselected", json!({}));
    let told = play.timeline();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("Explorer"), "{told:?}");
    play.agent("helper", "subagent.selected", json!({ "agentName": "explore" }));
    play.agent("helper", "subagent.deselected", json!({}));
    assert_eq!(play.timeline(), told, "a sub-agent's own definition is selected inside of it");
}

#[test]
fn a_draft_that_the_runtime_keeps_is_in_the_models_history() {
    let mut play = Play::new();
    play.live("session.fusion_route_started", json!({}));
    let ended = |mode: &str| json!({ "projectionMode": mode, "projectionMessage": { "content": "Ahoy" } });
    play.tell("assistant.fusion_phase_completed", ended("drop"));
    assert_eq!((play.model_sees(), play.session.state().info.doing.is_none()), (Vec::new(), true));
    play.tell("assistant.fusion_phase_completed", ended("append"));
    assert_eq!(play.model_sees(), ["assistant: Ahoy"]);
}
