//! Tests that a recording plays to its end if everything is answered that the page shows as open, in whatever
//! order its events were written.
//!
//! The tests read as a person does: they look only when the player rests. Tokio's clock is paused, so a sleep
//! ends when nothing else is left to do.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pilothouse_core::Session as Page;
use pilothouse_core::protocol::{EventKind, RequestKind};
use pilothouse_gateway::agents::recording;
use pilothouse_gateway::journal::Cursor;
use pilothouse_gateway::playback::answer::Decision;
use pilothouse_gateway::playback::player::{Pace, PlayerHandle};
use pilothouse_gateway::playback::recording::Recording;
use pilothouse_gateway::sessions::session::{Session, Viewer};
use serde_json::{Value, json};

/// Longer than any recording takes.
const UNTIL_IT_RESTS: Duration = Duration::from_hours(1000);

/// A person in front of a page, and the player behind it.
struct Playback {
    /// A recording starts with its first viewer.
    _viewer: Viewer,
    asks: PlayerHandle,
    session: std::sync::Arc<Session>,
    page: Page,
    cursor: Cursor,
    /// The keys of the recorded lines that have not been played yet.
    missing: HashSet<String>,
    refused: HashSet<String>,
}

impl Playback {
    fn begin(recording: Recording, pace: Pace) -> Self {
        let missing = recording.lines.iter().map(|line| key(&line.raw)).collect();
        let (session, player, asks) = recording::open(recording, pace, false);
        tokio::spawn(player.run());
        let (viewer, cursor) = (session.watch(None), Cursor { epoch: 0, seq: 0 });
        Self { _viewer: viewer, session, asks, page: Page::new(), cursor, missing, refused: HashSet::new() }
    }

    /// Waits until the player rests, and reads what it has played. Returns the newest line.
    async fn look(&mut self) -> String {
        tokio::time::sleep(UNTIL_IT_RESTS).await;
        let mut newest = String::new();
        for (_, entry) in self.session.journal.read(&mut self.cursor, usize::MAX).entries {
            self.page.push(entry.raw.as_bytes());
            self.page.push(b"\n");
            self.missing.remove(&key(&entry.raw));
            newest = entry.raw.to_string();
        }
        newest
    }

    /// Answers the oldest request that the page shows as open; false if there is none.
    async fn answer(&mut self) -> bool {
        loop {
            let state = self.page.state();
            let mut open = state.open_requests.iter().filter_map(|place| state.entry(*place));
            let Some(entry) = open.find(|entry| !self.refused.contains(&entry.id)) else {
                return false;
            };
            let (id, kind) = (entry.id.clone(), entry.request().unwrap().kind);
            let params = answer_to(kind);
            let decision = Decision::read(kind, &params).unwrap();
            if self.asks.answer(kind, id.clone(), decision).await {
                return true;
            }
            self.refused.insert(id);
        }
    }
}

/// An event's id, or the whole line if it has none.
fn key(raw: &str) -> String {
    let event: Value = serde_json::from_str(raw).unwrap_or_default();
    event["id"].as_str().unwrap_or(raw).to_owned()
}

fn answer_to(kind: RequestKind) -> Value {
    match kind {
        RequestKind::Permission => json!({"result": {"kind": "approve-once"}}),
        RequestKind::UserInput => {
            json!({"response": {"answer": "Red", "wasFreeform": true}})
        }
        RequestKind::Elicitation => json!({"result": {"action": "decline"}}),
        RequestKind::ExitPlanMode => json!({"response": {"approved": true}}),
        RequestKind::ExternalTool => json!({"result": "done"}),
        RequestKind::QueuedCommand => json!({"result": {"handled": true}}),
        RequestKind::Command => json!({}),
        RequestKind::AutoModeSwitch => json!({"response": "no"}),
        RequestKind::SessionLimits => json!({"response": {"action": "cancel"}}),
        RequestKind::McpOauth => json!({"result": {"kind": "cancelled"}}),
        RequestKind::Sampling => json!({"response": {}}),
        RequestKind::Confirmation => panic!("no recording holds one that the gateway could answer"),
    }
}

async fn reaches_its_end(recording: Recording, pace: Pace) {
    let (name, total) = (recording.name.clone(), recording.lines.len());
    let mut playback = Playback::begin(recording, pace);
    loop {
        let newest = playback.look().await;
        let left = playback.missing.len();
        if left == 0 {
            return;
        }
        assert!(
            playback.answer().await,
            "{name} stands still with {left} of {total} lines left, and nothing can be answered; the newest is {newest}"
        );
    }
}

/// All recordings (`.jsonl`) of this repository.
fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["tests/sessions", "tests/e2e/data", "gateway/tests/data", "gateway/demo"]
            .map(|at| root.join(at))
            .into();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[tokio::test(start_paused = true)]
async fn every_recording_of_the_repository_reaches_its_end_at_any_speed() {
    let all = recordings();
    assert!(all.len() > 60, "{} recordings", all.len());
    for path in &all {
        for pace in [Pace::Max, Pace::Times(1.0)] {
            reaches_its_end(Recording::open(path).unwrap(), pace).await;
        }
    }
}

/// The beginning of a session in which something is asked in the agent's or a sub-agent's turn.
fn before(kind: &str) -> Vec<Value> {
    let own = json!({"toolCallId": "call"});
    let by_agent = kind == "agent's permission";
    let mut events = vec![
        json!({"type": "session.start", "data": {"sessionId": "made"}}),
        json!({"type": "user.message", "data": {"content": "Go on", "messageId": "m"}}),
        json!({"type": "assistant.turn_start", "data": {"turnId": "0"}}),
    ];
    let tool = |id: &str, name: &str| json!({"type": "tool.execution_start", "data": {"toolCallId": id, "toolName": name}});
    if by_agent {
        events.push(tool("task", "task"));
        events.push(json!({"type": "subagent.started", "agentId": "a", "data": {"toolCallId": "task"}}));
        events.push(json!({"type": "assistant.turn_start", "agentId": "a", "data": {"turnId": "0"}}));
    }
    let mut start = tool("call", "bash");
    if by_agent {
        start["agentId"] = "a".into();
        start["data"]["parentToolCallId"] = "task".into();
    }
    events.push(start);
    events.push(json!({"type": opened_by(kind), "data": {"requestId": "asked", "permissionRequest": own, "toolCallId": "call"}}));
    events
}

fn opened_by(kind: &str) -> &str {
    kind.strip_prefix("agent's ").map_or(kind, |_| "permission.requested")
}

fn closed(kind: &str) -> Value {
    let data = match opened_by(kind) {
        "permission.requested" => json!({"result": {"kind": "approved"}}),
        "user_input.requested" => json!({"answer": "Blue", "wasFreeform": true}),
        "elicitation.requested" => json!({"action": "accept", "content": {}}),
        "exit_plan_mode.requested" => json!({"approved": true}),
        "auto_mode_switch.requested" => json!({"response": "yes"}),
        "session_limits_exhausted.requested" => json!({"response": {"action": "unset"}}),
        "mcp.oauth_required" => json!({"outcome": "token"}),
        _ => json!({}),
    };
    let ending = RequestKind::opened_by(EventKind::parse(opened_by(kind))).and_then(RequestKind::closed_by);
    let mut closed = json!({"type": ending.unwrap().name(), "data": data});
    closed["data"]["requestId"] = "asked".into();
    closed
}

fn lines(events: Vec<Value>) -> String {
    let numbered = events.into_iter().enumerate().map(|(number, mut event)| {
        event["id"] = format!("event-{number}").into();
        event.to_string()
    });
    numbered.collect::<Vec<_>>().join("\n")
}

const KINDS: [&str; 12] = [
    "permission.requested",
    "agent's permission",
    "user_input.requested",
    "elicitation.requested",
    "exit_plan_mode.requested",
    "external_tool.requested",
    "auto_mode_switch.requested",
    "session_limits_exhausted.requested",
    "sampling.requested",
    "command.queued",
    "command.execute",
    "mcp.oauth_required",
];

/// Events that follow from the answer although they may come before the closing event.
fn consequences(kind: &str) -> Vec<Value> {
    let agent = kind.starts_with("agent's").then_some("a");
    let of_call = |event_type: &str| json!({"type": event_type, "data": {"toolCallId": "call"}});
    let mut all = vec![
        json!({"type": "session.shutdown", "data": {"shutdownType": "routine"}}),
        json!({"type": "tool.execution_complete", "data": {"toolCallId": "call", "success": true}}),
    ];
    let of_turn = !["command.queued", "command.execute", "mcp.oauth_required"].contains(&kind);
    if of_turn {
        all.push(json!({"type": "abort", "data": {"reason": "user_initiated"}}));
        // A sub-agent in the background asks on while the main agent rests.
        if agent.is_none() {
            all.push(json!({"type": "session.idle", "data": {}}));
        }
        all.push(json!({"type": "assistant.turn_end", "agentId": agent, "data": {"turnId": "0"}}));
    }
    match opened_by(kind) {
        "permission.requested" => {
            let running = [
                "tool.execution_partial_result",
                "tool.execution_progress",
                "external_tool.requested",
                "subagent.started",
            ];
            all.extend(running.map(of_call));
        }
        _ => all.push(json!({"type": "session.resume", "data": {"sessionWasActive": true}})),
    }
    if agent.is_some() {
        let ended = json!({"type": "subagent.completed", "agentId": "a", "data": {"toolCallId": "task"}});
        all.push(json!({"type": "subagent.failed", "data": {"toolCallId": "task", "error": "x"}}));
        all.push(ended);
        all.push(json!({"type": "abort", "agentId": "a", "data": {"reason": "user_initiated"}}));
    }
    all
}

#[tokio::test(start_paused = true)]
async fn it_waits_in_front_of_the_first_event_that_follows_from_the_answer() {
    for kind in KINDS {
        for consequence in consequences(kind) {
            let mut events = before(kind);
            let asked = events.len();
            // This does not follow from the answer, so it is not held up.
            events.push(json!({"type": "session.info", "data": {"infoType": "x", "message": "Meanwhile"}}));
            events.push(consequence.clone());
            events.push(closed(kind));
            events.push(json!({"type": "session.info", "data": {"infoType": "x", "message": "Last"}}));
            let recording = || Recording::from_bytes("made", lines(events.clone()).as_bytes());
            let mut playback = Playback::begin(recording(), Pace::Max);
            let newest = playback.look().await;
            assert!(newest.contains("Meanwhile"), "{kind}, {consequence}: it went on to {newest}");
            assert_eq!(playback.missing.len(), events.len() - asked - 1);
            for pace in [Pace::Max, Pace::Times(4.0)] {
                reaches_its_end(recording(), pace).await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_another_agent_does_is_not_held_up() {
    let mut events = before("agent's permission");
    let others = [
        json!({"type": "assistant.turn_end", "data": {"turnId": "0"}}),
        json!({"type": "session.idle", "data": {}}),
        json!({"type": "tool.execution_partial_result", "data": {"toolCallId": "other", "partialOutput": "x"}}),
        json!({"type": "subagent.completed", "agentId": "b", "data": {"toolCallId": "other task"}}),
        json!({"type": "tool.execution_complete", "data": {"toolCallId": "other", "success": true}}),
    ];
    events.extend(others);
    let played = events.len();
    events.push(closed("agent's permission"));
    let mut playback = Playback::begin(Recording::from_bytes("made", lines(events).as_bytes()), Pace::Max);
    playback.look().await;
    assert_eq!(playback.missing.len(), 1, "of {}", played + 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_and_answered_once_more_under_the_same_ids_asks_nobody() {
    let mut events = before("permission.requested");
    events.push(closed("permission.requested"));
    let text = lines(events);
    let twice: Vec<&str> =
        text.lines().chain(text.lines().rev().take(2).collect::<Vec<_>>().into_iter().rev()).collect();
    let recording = Recording::from_bytes("made", twice.join("\n").as_bytes());
    reaches_its_end(recording, Pace::Max).await;
}
