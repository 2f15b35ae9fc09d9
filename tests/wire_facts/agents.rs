//! What the events of sub-agents may change, when a session is idle without saying so, and whose clock stands.

use pilothouse::core::model::entry::Body;
use pilothouse::core::protocol::catalogue;
use pilothouse::core::{Kind, State};
use serde_json::{Value, json};

use crate::play::Play;

/// What only the main agent's events say. Time goes on with every event.
fn session_of(state: &State) -> impl PartialEq + std::fmt::Debug + use<> {
    let mut info = state.info.clone();
    info.last_event_at = None;
    let usage = &state.usage;
    let context = (
        usage.context_tokens,
        usage.context_limit,
        usage.system_tokens,
        usage.tool_tokens,
        usage.conversation_tokens,
        usage.premium_requests,
    );
    let queue = (state.queue.items.clone(), state.queue.steering.clone());
    (info, state.phase.clone(), context, queue, state.context.messages().len())
}

/// A field for everything that an event of any type may say about the session.
fn everything() -> Value {
    let context = json!({ "cwd": "/elsewhere", "gitRoot": "/elsewhere", "repository": "o/r", "branch": "b" });
    let mut facts = json!({
        "sessionId": "other", "title": "Other", "mode": "plan", "newMode": "plan", "previousMode": "interactive",
        "model": "other", "newModel": "other", "selectedModel": "other", "chosenModel": "other", "currentModel": "other",
        "reasoningEffort": "high", "cwd": "/elsewhere", "context": context, "branch": "b", "repository": "o/r",
        "currentTokens": 1, "tokenLimit": 2, "systemTokens": 3, "toolDefinitionsTokens": 4, "conversationTokens": 5,
        "totalPremiumRequests": 9, "totalNanoAiu": 9, "intent": "Other", "totalResponseSizeBytes": 9,
        "allowAllPermissions": true, "allowAllPermissionMode": "on", "agentMode": "plan", "initiator": "agent"
    });
    let ids = json!({
        "content": "x", "messageId": "m9", "toolCallId": "t9", "reasoningId": "r9", "requestId": "q9",
        "deltaContent": "x", "turnId": "0", "toolName": "bash", "message": "x", "reason": "x", "kind": "x",
        "phaseKind": "x", "status": "x", "sessionWasActive": false, "success": true, "errorType": "quota",
        "upToEventId": "event-1", "eventsRemoved": 1, "messagesRemoved": 1, "servers": [], "skills": [],
    });
    for (name, value) in ids.as_object().unwrap() {
        facts[name] = value.clone();
    }
    facts
}

fn begun() -> Play {
    let mut play = Play::new();
    play.tell(
        "session.start",
        json!({ "sessionId": "s", "selectedModel": "gpt-5.4", "context": { "cwd": "/boats" } }),
    );
    play.tell("user.message", json!({ "content": "Go", "messageId": "u" }));
    play.tell("assistant.turn_start", json!({ "turnId": "0" }));
    play.live("assistant.intent", json!({ "intent": "Mooring" }));
    play.live("assistant.streaming_delta", json!({ "totalResponseSizeBytes": 70 }));
    play.live("session.usage_info", json!({ "currentTokens": 90_000, "tokenLimit": 200_000 }));
    play.agent(
        "a",
        "subagent.started",
        json!({ "toolCallId": "task", "agentName": "g", "executionMode": "background" }),
    );
    play
}

#[test]
fn no_event_of_a_sub_agent_changes_what_the_session_is() {
    let idle: fn(&mut Play) = |play| _ = play.live("session.idle", json!({}));
    for (how, prepare) in [("running", (|_| ()) as fn(&mut Play)), ("idle", idle)] {
        for row in catalogue::all().filter(|row| row.is_session_event()) {
            let mut play = begun();
            prepare(&mut play);
            let before = format!("{:?}", session_of(play.session.state()));
            play.agent("a", row.name, everything());
            assert_eq!(format!("{:?}", session_of(play.session.state())), before, "{how}: {}", row.name);
        }
    }
}

#[test]
fn what_the_main_agent_says_does_change_it() {
    for name in ["session.usage_info", "session.mode_changed", "session.model_change", "assistant.intent"] {
        let mut play = begun();
        let before = format!("{:?}", session_of(play.session.state()));
        play.tell(name, everything());
        assert_ne!(format!("{:?}", session_of(play.session.state())), before, "{name}");
    }
}

#[test]
fn a_sub_agents_servers_and_skills_do_not_replace_the_sessions() {
    for name in [
        "session.mcp_servers_loaded",
        "session.skills_loaded",
        "session.custom_agents_updated",
        "session.plan_changed",
    ] {
        let kept = |play: &Play| {
            play.session.state().panel_events.iter().map(|event| event.data.clone()).collect::<Vec<_>>()
        };
        let mut play = begun();
        play.live(name, json!({ "servers": [{ "name": "own" }], "skills": [{ "name": "own" }] }));
        let before = kept(&play);
        assert!(!before.is_empty(), "{name}");
        play.agent("a", name, everything());
        assert_eq!(kept(&play), before, "{name}");
    }
}

#[test]
fn a_permission_of_a_sub_agent_says_nothing_of_the_sessions_mode() {
    let mut play = begun();
    play.agent("a", "tool.execution_start", json!({ "toolCallId": "t", "toolName": "bash" }));
    let asks = json!({ "requestId": "p", "agentMode": "autopilot", "permissionRequest": { "kind": "read", "toolCallId": "t" } });
    play.tell("permission.requested", asks);
    assert_eq!(play.session.state().info.mode, None);
}

#[test]
fn a_sub_agents_rewind_takes_back_its_own_only() {
    let mut play = begun();
    play.event(
        "user.message",
        json!({ "content": "Sub", "messageId": "u2" }),
        json!({ "agentId": "a", "id": "there" }),
    );
    play.tell("assistant.message", json!({ "messageId": "m", "content": "Main" }));
    play.agent("a", "session.snapshot_rewind", json!({ "upToEventId": "there", "eventsRemoved": 1 }));
    assert_eq!((play.entry("m").rewound, play.entry("u2").rewound), (false, true));
}

/// A turn that has ended, live, without `session.idle`.
fn silent() -> Play {
    let mut play = Play::new();
    play.tell("user.message", json!({ "content": "Hi", "messageId": "u" }));
    play.tell("assistant.turn_start", json!({ "turnId": "0" }));
    play.deltas("m", &["Do"]);
    play.tell("assistant.message", json!({ "messageId": "m", "content": "Done.", "toolRequests": [] }));
    play.tell("assistant.turn_end", json!({ "turnId": "0" }));
    play
}

#[test]
fn a_turn_that_has_ended_with_nothing_open_is_idle_after_a_grace() {
    let mut play = silent();
    assert_eq!(play.status(), "running");
    assert!(play.session.state().is_busy(), "what is sent now may be queued");
    let since = play.session.state().idle_after_grace().expect("a grace");
    play.session.grace_ended(since);
    assert_eq!((play.status(), play.session.state().is_busy()), ("idle", false));
    play.tell("assistant.turn_start", json!({ "turnId": "1" }));
    assert_eq!(play.status(), "running", "it went on after all");
}

#[test]
fn an_event_within_the_grace_begins_it_anew() {
    let mut play = silent();
    let since = play.session.state().idle_after_grace().expect("a grace");
    play.live("session.title_changed", json!({ "title": "Hi" }));
    play.session.grace_ended(since);
    assert_eq!(play.status(), "running");
    assert!(play.session.state().idle_after_grace().is_some_and(|now| now > since));
}

#[test]
fn what_can_go_on_keeps_a_session_running() {
    let shell = "<command with shellId: 4 moved to background>";
    for (name, kind, data, more) in [
        ("a tool", "tool.execution_start", json!({ "toolCallId": "t", "toolName": "bash" }), json!({})),
        ("a sub-agent", "subagent.started", json!({ "toolCallId": "task" }), json!({ "agentId": "a" })),
        (
            "a request",
            "permission.requested",
            json!({ "requestId": "p", "permissionRequest": {} }),
            json!({}),
        ),
        ("a compaction", "session.compaction_start", json!({}), json!({})),
        ("a message", "assistant.message_delta", json!({ "messageId": "n", "deltaContent": "a" }), json!({})),
        ("the next turn", "assistant.turn_start", json!({ "turnId": "1" }), json!({})),
        ("a person's message", "user.message", json!({ "content": "On", "messageId": "v" }), json!({})),
        (
            "a shell in the background",
            "tool.execution_complete",
            json!({ "toolCallId": "t", "success": true, "result": { "content": shell } }),
            json!({}),
        ),
    ] {
        let mut play = silent();
        play.event(kind, data, more);
        assert_eq!(play.session.state().idle_after_grace(), None, "{name}");
    }
    let mut play = silent();
    play.live("mcp.oauth_required", json!({ "requestId": "o", "serverName": "docks" }));
    assert!(play.session.state().idle_after_grace().is_some(), "a sign-in holds nobody up");
}

#[test]
fn a_log_that_ends_there_is_idle_at_its_end() {
    let mut play = silent();
    play.session.end();
    assert_eq!(play.status(), "idle");
    let mut play = silent();
    play.tell("tool.execution_start", json!({ "toolCallId": "t", "toolName": "bash" }));
    play.session.end();
    assert_eq!(play.status(), "running");
}

fn at(second: u32) -> Value {
    json!({ "timestamp": format!("2026-09-14T08:{:02}:{:02}.000Z", second / 60, second % 60) })
}

fn by(agent: &str, second: u32) -> Value {
    let mut more = at(second);
    more["agentId"] = agent.into();
    more
}

fn asks(id: &str, call: &str) -> Value {
    json!({ "requestId": id, "permissionRequest": { "kind": "shell", "fullCommandText": "make", "toolCallId": call } })
}

fn allowed(id: &str) -> Value {
    json!({ "requestId": id, "result": { "kind": "approved" } })
}

#[test]
fn no_duration_contains_the_time_that_a_person_took() {
    let mut play = Play::new();
    play.event("user.message", json!({ "content": "Go", "messageId": "u" }), at(0));
    play.event("assistant.turn_start", json!({ "turnId": "0" }), at(1));
    play.event("tool.execution_start", json!({ "toolCallId": "t", "toolName": "bash" }), at(2));
    play.event("permission.requested", asks("p", "t"), at(3));
    play.event("session.info", json!({ "message": "Still here" }), at(200));
    assert_eq!(play.session.state().info.running_for(), Some(3_000), "the clock stands");
    play.event("permission.completed", allowed("p"), at(301));
    play.event("tool.execution_complete", json!({ "toolCallId": "t", "success": true }), at(305));
    assert_eq!(play.session.state().info.running_for(), Some(7_000));
    assert_eq!(play.entry("t").took(), Some(5_000));
    play.event("user_input.requested", json!({ "requestId": "q", "question": "Tea?" }), at(306));
    play.event("user_input.completed", json!({ "requestId": "q", "answer": "Yes" }), at(400));
    play.event("session.idle", json!({}), at(401));
    assert_eq!(play.session.snapshot()["timeline"][0]["turn"]["spentMs"], 9_000);
}

#[test]
fn a_turn_waits_with_a_sub_agent_that_it_waits_for() {
    for (background, spent) in [(false, 7_000), (true, 107_000)] {
        let mut play = Play::new();
        let mode = if background { "background" } else { "sync" };
        play.event("user.message", json!({ "content": "Go", "messageId": "u" }), at(0));
        play.event("tool.execution_start", json!({ "toolCallId": "task", "toolName": "task" }), at(1));
        play.event(
            "subagent.started",
            json!({ "toolCallId": "task", "agentName": "g", "executionMode": mode }),
            by("a", 2),
        );
        play.event("tool.execution_start", json!({ "toolCallId": "t", "toolName": "bash" }), by("a", 3));
        play.event("permission.requested", asks("p", "t"), at(4));
        assert!(play.session.state().is_busy());
        play.event("permission.completed", allowed("p"), at(104));
        play.event(
            "subagent.completed",
            json!({ "toolCallId": "task", "durationMs": 103_000 }),
            by("a", 105),
        );
        play.event("session.idle", json!({}), at(107));
        let timeline = &play.session.snapshot()["timeline"];
        assert_eq!(timeline[0]["turn"]["spentMs"], spent, "{mode}");
        let pilothouse::core::model::entry::Body::Subagent(agent) = &play.session.state().entries[2].body
        else {
            panic!("a sub-agent")
        };
        assert_eq!(agent.duration_ms(), Some(3_000), "{mode}: its own clock stands in any case");
    }
}

#[test]
fn a_session_that_is_idle_takes_messages_while_a_sub_agent_in_the_background_asks() {
    let mut play = begun();
    play.agent("a", "tool.execution_start", json!({ "toolCallId": "t", "toolName": "bash" }));
    play.tell("permission.requested", asks("p", "t"));
    play.live("session.idle", json!({}));
    assert_eq!((play.status(), play.session.state().is_busy()), ("waiting", false));
}

#[test]
fn who_asks_is_said_with_its_task_also_on_the_board() {
    let mut play = Play::new();
    let task = json!({
        "toolCallId": "task", "agentName": "g", "agentDisplayName": "Tide watch", "agentDescription": "Read the tides",
    });
    play.agent("a", "subagent.started", task);
    play.agent("b", "subagent.started", json!({ "toolCallId": "other", "agentName": "scout" }));
    play.agent("a", "permission.requested", asks("by id", "t"));
    play.event("permission.requested", asks("by call", "t"), json!({ "agentId": "nobody" }));
    play.agent("b", "permission.requested", asks("without a task", "t"));
    let delegates = json!({ "agent_type": "pilot", "description": "Sound the channel" });
    play.tell(
        "tool.execution_start",
        json!({ "toolCallId": "call", "toolName": "task", "arguments": delegates }),
    );
    let looks =
        json!({ "toolCallId": "look", "toolName": "bash", "arguments": {}, "parentToolCallId": "call" });
    play.tell("tool.execution_start", looks);
    play.tell("permission.requested", asks("before it has started", "look"));
    play.tell("permission.requested", asks("main", "t"));
    let state = play.session.state();
    let asker = |id: &str| {
        let asker = state.asker(state.entries.iter().position(|entry| entry.id == id).unwrap());
        asker.map(|asker| (asker.name, asker.task))
    };
    let name = |name: &str, task: Option<&str>| Some((Some(name.to_owned()), task.map(str::to_owned)));
    assert_eq!(asker("by id"), name("Tide watch", Some("Read the tides")));
    assert_eq!(asker("by call"), Some((None, None)), "an agent that no event has named");
    assert_eq!(asker("before it has started"), name("pilot", Some("Sound the channel")));
    assert_eq!(asker("without a task"), name("scout", None));
    assert_eq!(asker("main"), None);
    let summary = pilothouse::core::view_model::board_summary::of(state);
    let on_board: Vec<&Value> =
        summary["requests"].as_array().unwrap().iter().map(|one| &one["agent"]).collect();
    assert_eq!(on_board, [&json!("Tide watch"), &json!(""), &json!("scout"), &json!("pilot"), &Value::Null]);
}

#[test]
fn a_rewind_takes_the_change_of_a_model_back() {
    let change = |to: &str, from: Option<&str>| json!({ "newModel": to, "previousModel": from, "reasoningEffort": "high" });
    let model = |play: &Play| {
        let info = &play.session.state().info;
        (info.model.clone().unwrap_or_default(), info.reasoning_effort.clone())
    };
    let mut play = Play::new();
    play.tell(
        "session.start",
        json!({ "sessionId": "s", "selectedModel": "first", "reasoningEffort": "low" }),
    );
    play.event("user.message", json!({ "content": "1", "messageId": "u1" }), json!({ "id": "one" }));
    play.tell("session.model_change", change("second", None));
    play.event("user.message", json!({ "content": "2", "messageId": "u2" }), json!({ "id": "two" }));
    play.tell("session.model_change", change("third", Some("second")));
    play.live("session.snapshot_rewind", json!({ "upToEventId": "two", "eventsRemoved": 2 }));
    assert_eq!(model(&play).0, "second");
    play.live("session.snapshot_rewind", json!({ "upToEventId": "one", "eventsRemoved": 3 }));
    assert_eq!(model(&play), ("first".into(), Some("low".into())));
    play.tell("session.model_change", change("fourth", Some("first")));
    play.event("user.message", json!({ "content": "3", "messageId": "u3" }), json!({ "id": "three" }));
    play.live("session.snapshot_rewind", json!({ "upToEventId": "three", "eventsRemoved": 1 }));
    assert_eq!(model(&play).0, "fourth", "the change came before");
}

#[test]
fn a_rewind_to_before_the_log_takes_back_what_it_removes() {
    let model = |removed: u32| {
        let mut play = Play::new();
        play.tell("session.model_change", json!({ "newModel": "second", "previousModel": "first" }));
        play.tell("user.message", json!({ "content": "2", "messageId": "u2" }));
        play.live("session.snapshot_rewind", json!({ "upToEventId": "before", "eventsRemoved": removed }));
        play.session.state().info.model.clone()
    };
    assert_eq!((model(13).as_deref(), model(1).as_deref()), (Some("first"), Some("second")));
}

#[test]
fn an_error_of_a_process_that_is_gone_is_over_with_the_resume() {
    for (error, resume, standing) in [
        (json!({ "errorType": "runtime_ended" }), json!({ "sessionWasActive": false }), "idle"),
        (json!({ "errorType": "runtime_ended" }), json!({ "sessionWasActive": true }), "running"),
        (json!({ "errorType": "quota" }), json!({ "sessionWasActive": false }), "idle"),
        (json!({ "errorType": "quota" }), json!({ "sessionWasActive": true }), "error"),
    ] {
        let mut play = begun();
        play.live("session.error", error.clone());
        assert_eq!(play.session.state().shown_status(), "error");
        play.tell("session.resume", resume.clone());
        assert_eq!(play.session.state().shown_status(), standing, "{error} {resume}");
    }
    let mut play = Play::new();
    play.live("session.error", json!({ "errorType": "runtime_ended" }));
    play.tell("session.resume", json!({ "sessionWasActive": true }));
    assert_eq!(play.session.state().shown_status(), "idle", "nothing ran");
    let mut play = begun();
    play.tell("session.shutdown", json!({ "shutdownType": "error", "errorReason": "It crashed" }));
    play.tell("session.resume", json!({}));
    assert_eq!(play.session.state().shown_status(), "idle");
}

#[test]
fn what_an_agent_answered_is_read_by_its_name_and_said_once() {
    use pilothouse::core::view_model::tool_summary::sentence;
    let shown = |name: &str, agent: &str| {
        let mut play = Play::new();
        play.event(
            "subagent.started",
            json!({ "toolCallId": "t", "agentName": "x", "agentDisplayName": "quay" }),
            json!({ "agentId": "a1" }),
        );
        play.tell(
            "system.notification",
            json!({ "content": "<system_notification>Use read_agent</system_notification>",
                "kind": { "type": "agent_idle", "agentId": "a1", "agentType": "explore", "displayName": "quay" } }),
        );
        play.tell(
            "tool.execution_start",
            json!({ "toolCallId": "r", "toolName": name, "arguments": { "agent_id": agent } }),
        );
        let state = play.session.state();
        let notice = state.entries.iter().any(|entry| entry.kind == Kind::Notice && entry.ui_visible);
        let call = state.entries.iter().find_map(|entry| entry.tool()).unwrap();
        (sentence(call, None, None).words(), notice)
    };
    assert_eq!(shown("read_agent", "a1"), ("Reading the answer of quay".to_owned(), false));
    assert_eq!(shown("write_agent", "a1"), ("Writing to quay".to_owned(), true), "it is another thing");
    assert_eq!(shown("read_agent", "a2"), ("Reading the answer of an agent".to_owned(), true), "another one");
    assert_eq!(shown("other", "a1"), ("Calling other".to_owned(), true));
}

#[test]
fn what_the_runtime_tells_the_model_is_said_in_words() {
    for (kind, expected) in [
        (
            json!({ "type": "agent_completed", "agentId": "a", "agentType": "explore", "status": "failed" }),
            "The agent explore failed",
        ),
        (
            json!({ "type": "agent_completed", "agentId": "a", "description": "Look" }),
            "The agent Look has finished",
        ),
        (json!({ "type": "agent_idle", "agentId": "a" }), "Use read_agent"),
        (
            json!({ "type": "shell_completed", "shellId": "0", "exitCode": 2, "description": "Wait" }),
            "The command in the background has ended with exit code 2: Wait",
        ),
        (
            json!({ "type": "shell_detached_completed", "shellId": "7" }),
            "The command in the background has ended: shell 7",
        ),
        (
            json!({ "type": "workflow_completed", "workflowName": "w", "status": "cancelled" }),
            "The workflow w did not finish",
        ),
        (
            json!({ "type": "instruction_discovered", "sourcePath": "AGENTS.md" }),
            "Found instructions in AGENTS.md",
        ),
        (json!({ "type": "new_moon" }), "Use read_agent"),
        (json!("x"), "Use read_agent"),
    ] {
        let mut play = Play::new();
        let content = "<system_notification>Use read_agent</system_notification>";
        play.tell("system.notification", json!({ "content": content, "kind": kind }));
        assert_eq!(play.timeline(), [format!("notice done: {expected}")], "{kind}");
        let entry = &play.session.state().entries[0];
        let detail = match &entry.body {
            Body::Notice(notice) => notice.detail.as_ref().unwrap().words().into_owned(),
            _ => panic!("no notice"),
        };
        assert!(expected == "Use read_agent" || detail.starts_with("Use read_agent"), "{detail}");
    }
}
