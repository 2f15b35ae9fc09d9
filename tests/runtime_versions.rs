//! Tests of what one version of the runtime has and another has not: factories that became workflows, what autopilot does
//! without a permission, models that are withdrawn, the search index, rewinds that keep events.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(dead_code, reason = "the helpers are shared with other tests")]
#![allow(clippy::needless_pass_by_value, reason = "`json!` is written in place")]

#[path = "support/golden.rs"]
mod golden;
#[path = "support/play.rs"]
mod play;

use golden::{read, reduced};
use pilothouse::core::i18n::{self, Language, translations};
use pilothouse::core::model::entry::{Body, Level};
use pilothouse::core::view_model::entry_words::text;
use pilothouse::core::view_model::panel::WorkState;
use pilothouse::core::view_model::{notifications, panel, tool_summary};
use pilothouse::core::{Entry, EntryState, Kind, State};
use play::Play;
use serde_json::{Value, json};

/// A language, without its ways to write figures, which nothing here depends on.
const fn language(tag: &'static str, words: &'static [&'static str]) -> Language {
    Language {
        tag,
        right_to_left: false,
        words,
        plural: |_| "other".to_owned(),
        figure: |number, _| number.to_string(),
    }
}

static LANGUAGES: [Language; 3] = [
    language("ar", translations::ARABIC),
    language("de", translations::GERMAN),
    language("ja", translations::JAPANESE),
];

fn tray(state: &State) -> Vec<String> {
    let facts = notifications::facts(state).into_iter();
    facts
        .map(|fact| {
            format!("{}: {} ({}) ×{} {}", fact.source, fact.text, fact.more, fact.count, fact.level.word())
        })
        .collect()
}

fn detail(entry: &Entry) -> String {
    match &entry.body {
        Body::Notice(notice) => {
            notice.detail.as_ref().map(|detail| detail.words().into_owned()).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The lines about recovery, and about what blocks a task.
fn told(play: &Play) -> Vec<String> {
    let notices = play.timeline().into_iter();
    notices.filter(|line| line.starts_with("notice") || line.starts_with("summary")).collect()
}

fn attempt(ordinal: u32, kind: &str, disposition: &str, reason: &str) -> Value {
    json!({ "attemptId": format!("a{ordinal}"), "toolCallId": "c1", "permissionKind": kind, "requestFingerprint": "ff",
        "relation": if ordinal == 1 { "initial" } else { "alternative" }, "disposition": disposition, "reason": reason,
        "ordinal": ordinal })
}

fn snapshot(status: &str, reason: &str, attempts: Vec<Value>) -> Value {
    json!({ "episodeId": "e1", "status": status, "onBlocked": "ask", "reason": reason, "maxAttempts": 3,
        "attempts": attempts })
}

fn asks_to_remove() -> Play {
    let mut play = Play::new();
    play.tell(
        "tool.execution_start",
        json!({ "toolCallId": "c1", "toolName": "bash", "arguments": { "command": "rm -rf old" } }),
    );
    play
}

#[test]
fn each_status_of_an_episode_is_a_line_and_further_attempts_bring_it_up_to_date() {
    let mut play = asks_to_remove();
    let first = attempt(1, "shell", "deferred", "permission_required");
    play.tell(
        "session.permission_recovery",
        snapshot("recovering", "permission_required", vec![first.clone()]),
    );
    let second = attempt(2, "write", "deferred", "permission_required");
    play.tell(
        "session.permission_recovery",
        snapshot("recovering", "permission_required", vec![first.clone(), second]),
    );
    assert_eq!(
        told(&play),
        [
            "notice done: Autopilot is not allowed this, and looks for another way · writing: rm -rf old · attempt 2 of 3"
        ]
    );
    let third = attempt(3, "shell", "prompted", "repeated_attempt");
    play.tell(
        "session.permission_recovery",
        snapshot("awaiting_approval", "attempts_exhausted", vec![first, third.clone()]),
    );
    play.tell("session.permission_recovery", snapshot("recovering", "repeated_attempt", vec![third.clone()]));
    let works = attempt(4, "read", "succeeded", "equivalent_alternative_succeeded");
    play.tell(
        "session.permission_recovery",
        snapshot("resolved", "equivalent_alternative_succeeded", vec![third, works]),
    );
    assert_eq!(
        told(&play)[1..],
        [
            "notice done: Autopilot found no other way, and asks for permission · command: rm -rf old · its attempts are used up",
            "notice done: Autopilot is not allowed this, and looks for another way · command: rm -rf old · it asked for the \
             same again · attempt 1 of 3",
            "notice done: Autopilot goes on · command: rm -rf old · another way worked",
        ]
    );
    let Some(first) = play.session.state().entries.iter().find(|entry| entry.kind == Kind::Notice) else {
        panic!()
    };
    assert_eq!(
        detail(first),
        "1. first attempt · command: rm -rf old · refused without asking · a permission is required\n\
         2. another way · writing: rm -rf old · refused without asking · a permission is required\n\
         If no way is found, a person is asked"
    );
    let Body::Notice(notice) = &first.body else { panic!() };
    assert_eq!(notice.earlier.len(), 1, "what it said before is kept");
}

#[test]
fn episodes_and_agents_are_not_mixed() {
    let mut play = asks_to_remove();
    let attempts = || vec![attempt(1, "shell", "deferred", "permission_required")];
    play.tell("session.permission_recovery", snapshot("recovering", "permission_required", attempts()));
    let mut other = snapshot("recovering", "permission_required", attempts());
    other["episodeId"] = json!("e2");
    play.tell("session.permission_recovery", other);
    assert_eq!(told(&play).len(), 2);
}

#[test]
fn a_blocked_episode_warns_and_the_blocker_of_its_permission_says_the_same_once() {
    let denied = || vec![attempt(1, "shell", "denied", "permission_denied")];
    for (whole, attempts) in [(true, denied()), (true, Vec::new()), (false, Vec::new())] {
        let mut play = asks_to_remove();
        play.tell(
            "permission.requested",
            json!({ "requestId": "r1", "recoveryEpisodeId": "e1",
            "permissionRequest": { "kind": "shell", "toolCallId": "c1", "fullCommandText": "rm -rf old" } }),
        );
        let recovery = snapshot(
            "blocked",
            "permission_denied",
            vec![attempt(1, "shell", "denied", "permission_denied")],
        );
        let of_blocker = snapshot("blocked", "permission_denied", attempts);
        let blocker = json!({ "kind": "permission_recovery", "reason": "permission_denied", "resumable": true, "permissionRecovery": of_blocker });
        if whole {
            play.tell("session.permission_recovery", recovery.clone());
        }
        play.tell(
            "permission.completed",
            json!({ "requestId": "r1", "result": { "kind": "denied-interactively-by-user" },
            "recoveryEpisodeId": "e1", "blocker": blocker }),
        );
        if !whole {
            play.tell("session.permission_recovery", recovery);
        }
        assert_eq!(
            told(&play),
            ["notice done: Autopilot is blocked · command: rm -rf old · a person refused it"]
        );
        let notice = play.session.state().entries.iter().find(|entry| entry.kind == Kind::Notice).unwrap();
        assert!(matches!(&notice.body, Body::Notice(notice) if notice.level == Level::Warning));
        assert_eq!(play.entry("r1").state, EntryState::Settled);
        play.tell(
            "session.task_complete",
            json!({ "summary": "It stays.", "outcome": "blocked", "blocker": blocker }),
        );
        assert_eq!(
            told(&play)[1..],
            [
                "summary failed: It stays.",
                "notice done: Autopilot is blocked: it lacks a permission · a person refused it · An answer or a message lets it go on",
            ]
        );
    }
}

#[test]
fn a_task_that_something_blocks_is_not_complete_whatever_else_is_missing() {
    let blocked = |blocker: Value| {
        let mut play = Play::new();
        play.tell("session.task_complete", json!({ "blocker": blocker }));
        told(&play)
    };
    let failed = "summary failed: The task could not be completed";
    assert_eq!(
        blocked(
            json!({ "kind": "permission_recovery", "reason": "responder_unavailable", "resumable": false })
        ),
        [
            failed,
            "notice done: Autopilot is blocked: it lacks a permission · nobody was there to answer · It can’t be taken up again",
        ]
    );
    assert_eq!(
        blocked(json!({ "kind": "quota_gone", "permissionRecovery": { "reason": "moon_is_full" } })),
        [failed, "notice done: Blocked: quota gone · moon is full"]
    );
    for nothing in [json!(null), json!({}), json!([1]), json!(3)] {
        assert_eq!(blocked(nothing), ["summary done: Task complete"]);
    }
}

#[test]
fn odd_snapshots_are_no_harm_and_unknown_words_are_said() {
    let mut play = Play::new();
    for data in [
        json!({}),
        json!(null),
        json!({ "attempts": [1, null, {}, { "ordinal": "x" }] }),
        json!({ "attempts": {} }),
    ] {
        play.tell("session.permission_recovery", data);
    }
    let mut attempt = attempt(1, "time-travel", "put_off", "moon_is_full");
    attempt["relation"] = json!("sideways");
    let mut data = snapshot("day_dreaming", "moon_is_full", vec![attempt]);
    data["episodeId"] = json!("e9");
    play.tell("session.permission_recovery", data);
    let last = play.session.state().entries.last().unwrap();
    assert_eq!(text(last), "Autopilot without a permission: day dreaming · time travel · moon is full");
    assert_eq!(detail(last), "1. sideways · time travel · put off · moon is full");
}

#[test]
fn a_command_in_a_line_is_short_and_hides_nothing() {
    let mut play = Play::new();
    let command = format!("ok\u{202e}gpj.exe {}\nsecond line", "x".repeat(200));
    play.tell(
        "tool.execution_start",
        json!({ "toolCallId": "c1", "toolName": "bash", "arguments": { "command": command } }),
    );
    play.tell(
        "session.permission_recovery",
        snapshot(
            "recovering",
            "permission_required",
            vec![attempt(1, "shell", "deferred", "permission_required")],
        ),
    );
    let line = told(&play).remove(0);
    assert!(
        line.contains("command: ok[U+202E]gpj.exe xxx") && line.contains("x… · attempt 1 of 3"),
        "{line}"
    );
}

#[test]
fn every_word_that_the_schema_has_for_these_is_said_in_every_language() {
    let status = ["recovering", "awaiting_approval", "resolved", "blocked"];
    let reasons = [
        "permission_required",
        "repeated_attempt",
        "attempts_exhausted",
        "permission_approved",
        "permission_denied",
        "responder_unavailable",
        "equivalent_alternative_succeeded",
    ];
    let dispositions = ["deferred", "prompted", "approved", "denied", "blocked", "succeeded"];
    let mut play = Play::new();
    for (at, status) in status.iter().enumerate() {
        let attempts = reasons.iter().zip(dispositions.iter().cycle()).map(|(reason, became)| {
            let mut attempt = attempt(1, "shell", became, reason);
            attempt["relation"] = json!(["initial", "retry", "alternative"][at % 3]);
            attempt
        });
        for reason in reasons {
            let mut data = snapshot(status, reason, attempts.clone().collect());
            data["episodeId"] = json!(format!("{status} {reason}"));
            data["onBlocked"] = json!(["ask", "fail"][at % 2]);
            play.tell("session.permission_recovery", data);
            let blocker =
                json!({ "kind": "permission_recovery", "reason": reason, "resumable": at % 2 == 0 });
            play.tell("session.task_complete", json!({ "blocker": blocker }));
        }
    }
    play.tell("session.model_deselected", json!({ "previousModel": "m", "reason": "provider_withdrawn" }));
    let of_index = ["disabled", "starting", "enabled", "ready", "failed"];
    let outcomes = [
        "started",
        "skipped_below_threshold",
        "skipped_no_gitroot",
        "skipped_disabled",
        "reused_existing",
        "failed",
    ];
    let disabled = [
        "use_tgrep_false",
        "use_builtin_ripgrep_false",
        "organization",
        "organization_policy_auth_pending",
        "organization_policy_unknown",
        "virtual_filesystem",
        "cloud_sync_root",
        "cloud_sync_detection_failed",
        "workspace_not_local",
    ];
    let mut quiet = Vec::new();
    quiet.extend(of_index.map(|state| json!({ "kind": "status", "state": state })));
    quiet.extend(outcomes.map(|outcome| json!({ "kind": "startup", "outcome": outcome })));
    quiet.extend(
        disabled
            .map(|why| json!({ "kind": "startup", "outcome": "skipped_disabled", "disabledReason": why })),
    );
    quiet.extend(
        ["spawn_error", "unexpected_exit", "killed_by_signal"]
            .map(|why| json!({ "kind": "server_error", "errorType": why })),
    );
    quiet.extend(
        ["changes_detected", "updated"].map(|phase| json!({ "kind": "incremental", "phase": phase })),
    );
    for language in [None].into_iter().chain(LANGUAGES.iter().map(Some)) {
        i18n::set(language);
        // A word that is not translated stands in the text as the runtime wrote it. In English some are the same.
        let untold = |said: &str| {
            let words = [&status[..], &reasons, &dispositions, &of_index, &outcomes, &disabled].concat();
            let mut words = words.into_iter().filter(|word| language.is_some() || word.contains('_'));
            words.find(|word| said.contains(&word.replace('_', " ")))
        };
        for entry in &play.session.state().entries {
            let said = format!("{} {}", text(entry), detail(entry));
            assert_eq!(untold(&said), None, "{}: {said}", language.map_or("en", |language| language.tag));
            assert!(!said.contains('_'), "{said}");
        }
        for data in &quiet {
            let mut one = Play::new();
            one.live("session.indexed_search", data.clone());
            let said = tray(one.session.state()).remove(0);
            assert_eq!(untold(&said), None, "{}: {said}", language.map_or("en", |language| language.tag));
            assert!(!said.contains('_'), "{said}");
        }
    }
    i18n::set(None);
}

#[test]
fn a_model_that_is_withdrawn_is_not_the_sessions_any_more() {
    let mut play = Play::new();
    play.tell(
        "session.start",
        json!({ "sessionId": "s", "selectedModel": "acme/one", "reasoningEffort": "high" }),
    );
    play.tell(
        "session.model_deselected",
        json!({ "previousModel": "acme/one", "reason": "provider_withdrawn" }),
    );
    let info = &play.session.state().info;
    assert_eq!((info.model.as_deref(), info.reasoning_effort.as_deref()), (None, Some("high")));
    assert_eq!(
        play.timeline(),
        [
            "notice done: acme/one is no longer chosen: its provider has withdrawn it. A default model answers next"
        ]
    );
    play.live("assistant.usage", json!({ "model": "two" }));
    assert_eq!(
        play.session.state().info.model.as_deref(),
        Some("two"),
        "the next one is known when it answers"
    );
    play.agent(
        "a1",
        "session.model_deselected",
        json!({ "previousModel": "two", "reason": "provider_withdrawn" }),
    );
    assert_eq!(play.session.state().info.model.as_deref(), Some("two"), "that of a sub-agent is its own");
    play.tell("session.model_deselected", json!({ "previousModel": "two", "reason": "lost_at_sea" }));
    assert_eq!(
        play.timeline().last().unwrap(),
        "notice done: two is no longer chosen: lost at sea. A default model answers next"
    );
}

#[test]
fn runs_of_factories_and_of_workflows_are_background_work_alike() {
    for (kind, name) in [("factory", "factoryName"), ("workflow", "workflowName")] {
        let mut play = Play::new();
        let works = |play: &Play| {
            let works = panel::of(play.session.state()).works.into_iter();
            works.map(|work| (work.name, work.kind, work.state, work.duration_ms)).collect::<Vec<_>>()
        };
        play.live(&format!("{kind}.run_started"), json!({ "runId": "w1", name: "survey", "attempt": 1 }));
        play.live(&format!("{kind}.run_updated"), json!({ "runId": "w1", "revision": 2 }));
        assert_eq!(works(&play), [("survey".to_owned(), "run", WorkState::Running, None)]);
        assert!(tray(play.session.state())[0].contains("survey went on"), "{:?}", tray(play.session.state()));
        play.live(
            &format!("{kind}.run_settled"),
            json!({ "runId": "w1", "status": "paused", "elapsedMs": 10 }),
        );
        assert_eq!(works(&play), [("survey".to_owned(), "run", WorkState::Stopped, Some(10))]);
        play.live(&format!("{kind}.run_started"), json!({ "runId": "w1", name: "survey", "attempt": 2 }));
        assert_eq!(
            works(&play),
            [("survey".to_owned(), "run", WorkState::Running, None)],
            "it goes on after a pause"
        );
        for (status, state) in [
            ("completed", WorkState::Done),
            ("halted", WorkState::Stopped),
            ("cancelled", WorkState::Stopped),
            ("error", WorkState::Failed),
            ("blown_away", WorkState::Failed),
        ] {
            play.live(&format!("{kind}.run_settled"), json!({ "runId": "w1", "status": status }));
            assert_eq!(works(&play), [("survey".to_owned(), "run", state, None)], "{status}");
        }
        play.live(&format!("{kind}.run_settled"), json!({ "runId": "w1" }));
        assert_eq!(works(&play)[0].2, WorkState::Stopped, "it settled, nobody knows how");
    }
}

#[test]
fn the_search_index_is_two_lines_of_the_tray_however_often_the_session_resumes() {
    let session = reduced(&read("indexed-search", "events.jsonl"));
    assert_eq!(
        tray(session.state()),
        [
            "Search index: not in use () ×3 info",
            "Search index: not started: it is switched off (the organization’s rules could not be read) ×3 info",
        ]
    );
    assert!(session.state().counters.unknown.is_empty());
    let mut play = Play::new();
    for state in ["starting", "enabled", "failed", "ready"] {
        play.live("session.indexed_search", json!({ "kind": "status", "state": state }));
    }
    let lines = tray(play.session.state());
    assert_eq!(
        lines,
        ["Search index: ready () ×1 info", "Search index: failed () ×1 warning"],
        "what failed is not forgotten"
    );
    play.live(
        "session.indexed_search",
        json!({ "kind": "incremental", "phase": "updated", "changedFileCount": 2,
        "addedFileCount": 1, "deletedFileCount": 0, "totalDurationMs": 1_500 }),
    );
    play.live(
        "session.indexed_search",
        json!({ "kind": "server_error", "errorType": "unexpected_exit", "exitCode": 3,
        "errorMessage": "out of ropes" }),
    );
    play.live("session.indexed_search", json!({ "kind": "moon_phase" }));
    play.live("session.indexed_search", json!({}));
    let lines = tray(play.session.state());
    assert_eq!(
        lines[2],
        "Search index: its server ended unexpectedly (exit code 3 · out of ropes) ×1 warning"
    );
    assert_eq!(lines[3], "Search index: is up to date again (1 added, 2 changed, 0 deleted · 1.5 s) ×1 info");
    assert_eq!(lines[1], "Search index: moon phase () ×1 info");
}

#[test]
fn thoughts_that_a_provider_dropped_are_a_line_of_the_tray() {
    let mut play = Play::new();
    for (blocks, reasons) in
        [(2, json!(["signature_expired"])), (3, json!(["signature_expired"])), (0, json!([]))]
    {
        play.live("assistant.usage", json!({ "model": "m", "inputTokens": 10, "thinkingDroppedBlocks": blocks, "thinkingDroppedReasons": reasons }));
    }
    play.live("assistant.usage", json!({ "model": "m", "inputTokens": 10 }));
    assert_eq!(
        tray(play.session.state()),
        ["Model: the provider left out 3 earlier thoughts (signature expired) ×2 info"]
    );
    assert_eq!(play.session.state().usage.input_tokens, 40);
}

#[test]
fn what_a_fusion_changed_so_far_and_why_it_works_so_is_in_the_tray() {
    let mut play = Play::new();
    play.tell(
        "session.fusion_resolved",
        json!({ "primaryModel": "one", "pattern": "critique", "hint": "One writes, two read" }),
    );
    play.tell("session.fusion_change_checkpoint", json!({ "turnId": "0" }));
    let resolved = "Fusion: one on the turn (One writes, two read) ×1 info";
    assert_eq!(tray(play.session.state()), ["Fusion: the changes so far are noted () ×1 info", resolved]);
    let changes = json!({ "linesAdded": 3, "linesRemoved": 1, "filesModified": ["a.md", "b.md"] });
    play.tell("session.fusion_change_checkpoint", json!({ "codeChanges": changes }));
    let totals = "Fusion: +3 −1 in 2 files, discarded drafts included (a.md, b.md) ×2 info";
    assert_eq!(tray(play.session.state()), [totals, resolved], "each has the totals so far");
    assert!(play.timeline().is_empty());
}

#[test]
fn a_turn_of_a_sub_agent_is_its_own_also_where_only_its_call_is_named() {
    let mut play = Play::new();
    play.tell("user.message", json!({ "content": "Go", "messageId": "u1" }));
    play.tell("tool.execution_start", json!({ "toolCallId": "task", "toolName": "task", "arguments": {} }));
    play.tell("subagent.started", json!({ "toolCallId": "task", "agentName": "scout" }));
    play.live("assistant.message_delta", json!({ "messageId": "m1", "deltaContent": "The main agent wri" }));
    play.tell("assistant.turn_start", json!({ "turnId": "0", "parentToolCallId": "task" }));
    assert_eq!(play.entry("m1").state, EntryState::Streaming, "the turn is not the main agent's");
    play.tell("assistant.turn_end", json!({ "turnId": "0", "parentToolCallId": "task" }));
    assert_eq!(play.entry("m1").state, EntryState::Streaming);
    assert_eq!(play.session.state().status(), "running");
    let mut entries = play.session.state().entries.iter();
    let Some(Body::Subagent(agent)) =
        entries.find(|entry| entry.kind == Kind::Subagent).map(|lane| &lane.body)
    else {
        panic!()
    };
    assert_eq!(agent.work.model_calls, 1, "its lane counts it");
    // The main agent's own turn still ends what it left.
    play.tell("assistant.turn_start", json!({ "turnId": "1" }));
    assert_eq!(play.entry("m1").state, EntryState::Interrupted);
}

#[test]
fn the_title_of_a_tool_is_in_its_line_if_nothing_better_is_known() {
    let sentence = |start: Value| {
        let mut play = Play::new();
        play.tell("tool.execution_start", start);
        play.tell(
            "tool.execution_complete",
            json!({ "toolCallId": "c1", "success": true, "result": { "content": "" } }),
        );
        let call = play.entry("c1").tool().unwrap().clone();
        let said = tool_summary::sentence(&call, None, None);
        format!("{}{}{}", said.before, said.object.unwrap_or_default(), said.after)
    };
    let titled = |name: &str, arguments: Value| json!({ "toolCallId": "c1", "toolName": name, "toolTitle": "Moor a boat", "arguments": arguments });
    assert_eq!(sentence(titled("bash", json!({ "command": "ls" }))), "Ran ls");
    assert!(sentence(titled("run_dynamic_workflow", json!({}))).contains("Moor a boat"));
    let mut mcp = titled("harbour-moor", json!({}));
    mcp["mcpServerName"] = json!("harbour");
    mcp["mcpToolName"] = json!("moor");
    assert!(sentence(mcp).contains("Moor a boat"));
}

#[test]
fn a_rewind_that_lists_what_it_removed_keeps_the_rest() {
    let scene = || {
        let mut play = Play::new();
        play.tell("user.message", json!({ "content": "One", "messageId": "u1" }));
        play.tell("user.message", json!({ "content": "Two", "messageId": "u2" }));
        play.agent("bg", "assistant.message", json!({ "messageId": "kept", "content": "In the background" }));
        play.tell("assistant.message", json!({ "messageId": "gone", "content": "Withdrawn" }));
        play.tell("user.message", json!({ "content": "Three", "messageId": "u3" }));
        play
    };
    let rewound = |data: Value| {
        let mut play = scene();
        play.live("session.snapshot_rewind", data);
        let gone =
            play.session.state().entries.iter().filter(|entry| entry.rewound).map(|entry| entry.id.clone());
        (gone.collect::<Vec<_>>(), play.model_sees())
    };
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    let (gone, seen) =
        rewound(json!({ "upToEventId": "event-2", "eventsRemoved": 2, "eventIds": ["event-2", "event-4"] }));
    assert_eq!((gone, seen), (ids(&["u2", "gone"]), ids(&["user: One", "user: Three"])));
    let (gone, seen) = rewound(json!({ "upToEventId": "event-2", "eventsRemoved": 4 }));
    assert_eq!(
        (gone, seen),
        (ids(&["u2", "kept", "gone", "u3"]), ids(&["user: One"])),
        "an old runtime lists nothing"
    );
    let (gone, _) = rewound(
        json!({ "upToEventId": "elsewhere", "eventsRemoved": 2, "eventIds": ["elsewhere", "event-4"] }),
    );
    assert_eq!(gone, ids(&["gone"]), "what is known of the list counts");
}

/// An agent with modes of its own says what it calls them: 'Interactive' is a word that it does not know.
#[test]
fn a_change_of_an_agents_own_mode_is_told_by_its_names() {
    let mut play = Play::new();
    for data in [
        json!({ "previousMode": "interactive", "newMode": "plan" }),
        json!({ "previousMode": "interactive", "newMode": "plan", "previousName": "build", "newName": "plan" }),
        json!({ "previousMode": "Read-only", "newMode": "plan", "setting": "Collaboration mode",
            "previousName": "Default", "newName": "Plan" }),
    ] {
        play.tell("session.mode_changed", data);
    }
    assert_eq!(
        play.texts(Kind::Notice),
        ["Mode: Interactive → Plan", "Mode: build → plan", "Collaboration mode: Default → Plan"]
    );
}
