//! What each recording becomes, as outlines beside the recordings; and what holds for all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use pilothouse_core::protocol::catalogue::fields;
use pilothouse_core::session::Session;
use pilothouse_gateway::agents::acp::event::{Effect, Event};
use serde_json::Value;

use crate::recording::{Log, Played, Shell, all, folder, play};

/// Fields that the bridge adds to events of the published schema: `docs/design/acp.md` says why.
const OWN_FIELDS: [&str; 9] = [
    "assistant.turn_start spansPrompt",
    "session.mode_changed newName",
    "session.mode_changed previousName",
    "session.mode_changed setting",
    "exit_plan_mode.requested agentOptions",
    "permission.requested agentOptions",
    "permission.requested agentSaysNothing",
    "permission.completed agentOption",
    "session.usage_info agentCost",
];

/// A value in short.
fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 220 {
        return text;
    }
    let first: String = text.chars().take(180).collect();
    format!("{first}… ({} bytes)", text.len())
}

fn line(event: &Event) -> String {
    let agent = event.agent_id.as_deref().map(|id| format!(" [{id}]")).unwrap_or_default();
    let fields = event.data.as_object().unwrap();
    let fields = fields
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "messageId" | "reasoningId" | "turnId" | "spansPrompt"));
    let fields: Vec<String> = fields.map(|(name, value)| format!("{name}={}", short(value))).collect();
    format!("{}{agent} {}", event.event_type.name(), fields.join(" ")).trim_end().to_owned()
}

/// The outline of a session: an effect a line, deltas counted.
fn outline(played: &Played) -> String {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for (_, effect) in &played.effects {
        let line = match effect {
            Effect::Event(event) if event.data.get("deltaContent").is_some() => {
                event.event_type.name().to_owned()
            }
            Effect::Event(event) => line(event),
            Effect::Respond { rpc_id, response: Ok(result) } => format!("→ answer {rpc_id} {result}"),
            Effect::Respond { rpc_id, response: Err(error) } => {
                format!("→ answer {rpc_id} error {} {}", error.code, error.message)
            }
            Effect::Notify { method, params: _ } => format!("→ {method}"),
            Effect::Prompt { text } => format!("→ next prompt: {text}"),
            Effect::TurnOver => "· the turn is over".to_owned(),
            Effect::Answered(Ok(counts)) => format!("· the answer counts: {counts}"),
            Effect::Answered(Err(why)) => format!("· the answer is wrong: {why}"),
            Effect::LeftOut(why) => format!("· left out: {why}"),
        };
        match lines.last_mut() {
            Some((last, count)) if *last == line => *count += 1,
            _ => lines.push((line, 1)),
        }
    }
    let text = |(line, count): &(String, usize)| {
        if *count > 1 { format!("{line} ×{count}\n") } else { format!("{line}\n") }
    };
    lines.iter().map(text).collect()
}

fn whole_outline(shell: &Shell) -> String {
    let mut text = String::new();
    for (id, played) in &shell.sessions {
        let _ = write!(text, "# {id}\n{}", outline(played));
    }
    for (what, count) in &shell.without_session {
        let _ = writeln!(text, "# for the shell: {what} ×{count}");
    }
    text
}

/// With `UPDATE_GOLDENS=1` the outlines are written.
fn compare(name: &str, text: &str, wrong: &mut Vec<String>) {
    let file = folder().join(format!("{name}.outline"));
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        fs::write(file, text).unwrap();
    } else if fs::read_to_string(file).unwrap_or_default() != text {
        wrong.push(name.to_owned());
    }
}

fn loads(lines: &[crate::recording::Line]) -> bool {
    lines.iter().any(|line| line.message["method"] == "session/load")
}

#[test]
fn every_recording_becomes_its_outline() {
    let mut wrong = Vec::new();
    for (agent, scene, lines) in all() {
        compare(&format!("{agent}/{scene}"), &whole_outline(&play(&agent, &lines, Log::Kept)), &mut wrong);
        if loads(&lines) {
            let text = whole_outline(&play(&agent, &lines, Log::Lost));
            compare(&format!("{agent}/{scene}.replayed"), &text, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "other outlines (UPDATE_GOLDENS=1 writes them): {wrong:#?}");
}

#[test]
fn every_message_is_in_an_event_or_left_out_with_a_reason() {
    for (agent, scene, lines) in all() {
        let shell = play(&agent, &lines, Log::Kept);
        let mut effects: BTreeMap<usize, usize> = BTreeMap::new();
        for played in shell.sessions.values() {
            for (place, _) in &played.effects {
                *effects.entry(*place).or_default() += 1;
            }
        }
        // A chunk may wait for the next one, which shows what it is; then that one has the effects.
        let silent: Vec<&Value> = lines
            .iter()
            .enumerate()
            .filter(|(place, line)| line.is_agents && !effects.contains_key(&(place + 1)))
            .map(|(_, line)| &line.message)
            .filter(|message| message["method"] == "session/update")
            // A fork has a new session, which the recorded client did not use.
            .filter(|message| shell.owns(message["params"]["sessionId"].as_str().unwrap()))
            .collect();
        let waits = |message: &&&Value| {
            let update = &message["params"]["update"];
            let kind = update["sessionUpdate"].as_str().unwrap();
            kind.ends_with("_chunk") || kind == "tool_call" || kind == "tool_call_update"
        };
        let early = silent.iter().filter(|message| !waits(message)).count();
        // Commands that come before the response that names the session are handed out with it.
        let is_early = silent.iter().all(|message| {
            waits(&message) || message["params"]["update"]["sessionUpdate"] == "available_commands_update"
        });
        assert!(is_early && early <= 2, "{agent}/{scene}: {silent:#?}");
        let has_fork = lines.iter().any(|line| line.message["method"] == "session/fork");
        assert!(has_fork || shell.never_taken() == 0, "{agent}/{scene}");
    }
}

#[test]
fn no_word_of_the_agents_is_lost() {
    for (agent, scene, lines) in all() {
        let shell = play(&agent, &lines, Log::Kept);
        let said: String = shell
            .sessions
            .values()
            .flat_map(Played::events)
            .filter_map(|event| {
                let name = event.event_type.name();
                let field = match name {
                    "assistant.message" => "content",
                    "session.info" | "session.warning" | "session.error" => "message",
                    "assistant.message_delta" => "deltaContent",
                    _ => return None,
                };
                event.data[field].as_str().map(str::to_owned)
            })
            .collect();
        let mut is_load = false;
        for line in &lines {
            // A load says again what was said; a prompt after it does not.
            match line.message["method"].as_str() {
                Some("session/load") => is_load = true,
                Some("session/prompt") => is_load = false,
                _ => {}
            }
            let update = &line.message["params"]["update"];
            if is_load || update["sessionUpdate"] != "agent_message_chunk" {
                continue;
            }
            let text = update["content"]["text"].as_str().unwrap_or_default().trim();
            // A mode's id, an error's JSON, the path of a file that a call has made.
            let is_own = ["[MODE_UPDATE] ", "{", "Info: /"].iter().any(|start| text.starts_with(start));
            assert!(is_own || said.contains(text), "{agent}/{scene}: {text}");
        }
    }
}

#[test]
fn nothing_is_open_when_a_prompt_has_ended() {
    for (agent, scene, lines) in all() {
        for log in [Log::Kept, Log::Lost] {
            let shell = play(&agent, &lines, log);
            for played in shell.sessions.values() {
                assert!(!played.translation.is_open() && !played.translation.is_busy(), "{agent}/{scene}");
                check_closed(&format!("{agent}/{scene}"), played.events());
            }
        }
    }
}

/// Everything that begins ends before the turn does, and once.
pub fn check_closed<'a>(name: &str, events: impl Iterator<Item = &'a Event>) {
    let mut calls: BTreeMap<String, bool> = BTreeMap::new();
    let mut requests = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for event in events {
        let text = |field: &str| event.data[field].as_str().unwrap_or_default().to_owned();
        match event.event_type.name() {
            "tool.execution_start" => {
                assert!(calls.insert(text("toolCallId"), true).is_none(), "{name}: a call begins twice");
            }
            "tool.execution_complete" => {
                assert_eq!(calls.insert(text("toolCallId"), false), Some(true), "{name}: {}", event.data);
            }
            "tool.execution_partial_result" => {
                assert_eq!(calls.get(&text("toolCallId")), Some(&true), "{name}");
            }
            "assistant.message" => assert!(seen.insert(text("messageId")), "{name}: a message twice"),
            "assistant.message_delta" => {
                assert!(!seen.contains(&text("messageId")), "{name}: a delta after the end");
            }
            kind if kind.ends_with(".requested") => {
                assert!(requests.insert(text("requestId")), "{name}: a request twice");
            }
            "permission.completed" | "elicitation.completed" | "exit_plan_mode.completed" => {
                assert!(requests.remove(&text("requestId")), "{name}: a request ends twice");
            }
            "session.idle" => {
                assert!(requests.is_empty(), "{name}: {requests:?}");
                assert!(calls.values().all(|is_open| !is_open), "{name}: {calls:?}");
            }
            _ => {}
        }
    }
    assert!(requests.is_empty() && calls.values().all(|is_open| !is_open), "{name}");
}

#[test]
fn every_event_has_fields_of_the_schema() {
    let schema = include_str!("../../../tests/support/schema/1.0.15-preview.4/fields.txt");
    let known = fields::read(schema);
    for (agent, scene, lines) in all() {
        for log in [Log::Kept, Log::Lost] {
            for event in play(&agent, &lines, log).sessions.values().flat_map(Played::events) {
                let name = event.event_type.name();
                let listed =
                    known.get(name).unwrap_or_else(|| panic!("{agent}/{scene}: {name} is in no schema"));
                for field in event.data.as_object().unwrap().keys() {
                    let is_known = listed.iter().any(|known| known.path.split('.').next() == Some(field));
                    let is_own = OWN_FIELDS.contains(&format!("{name} {field}").as_str());
                    assert!(is_known || is_own, "{agent}/{scene}: {name} has no field {field}");
                }
            }
        }
    }
}

#[test]
fn what_the_core_makes_of_it_is_at_rest() {
    for (agent, scene, lines) in all() {
        for log in [Log::Kept, Log::Lost] {
            for played in play(&agent, &lines, log).sessions.values() {
                check_state(&format!("{agent}/{scene} {log:?}"), &played.log());
            }
        }
    }
}

/// The state that the core reduces from a log: nothing waits, runs or is being written, and nothing was wrong.
pub fn check_state(name: &str, log: &str) {
    let mut session = Session::new();
    session.push(log.as_bytes());
    session.end();
    let snapshot = session.snapshot();
    let pending = snapshot["pending"].as_array().map_or(0, Vec::len);
    assert_eq!(pending, 0, "{name}: {:#}", snapshot["pending"]);
    let entries = snapshot["timeline"].as_array().unwrap_or_else(|| panic!("{name}: {snapshot:#}"));
    for entry in entries {
        let state = entry["state"].as_str().unwrap_or_default();
        assert!(
            !matches!(state, "streaming" | "running" | "pending" | "open" | "waiting"),
            "{name}: {entry:#}"
        );
    }
    let wrong = snapshot["diagnostics"].as_array().cloned().unwrap_or_default();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    assert_eq!(snapshot["llmCalls"], 0, "{name}: no agent says how often it asks the model");
}
