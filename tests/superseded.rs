//! What is left of a log once superseded events are out gives the same state as the whole log, but for counts of events: for
//! every recording and for generated logs, at every place where somebody may join.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/events.rs"]
mod events;
#[path = "support/golden.rs"]
mod golden;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use arbitrary::Unstructured;
use events::Vocabulary;
use golden::{logs, sessions_folder};
use pilothouse::core::Session;
use pilothouse::core::protocol::catalogue::all;
use pilothouse::core::session::superseded::Superseded;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use serde_json::{Value, json};

/// The lines of a log, and after which line each is superseded.
struct Log<'a> {
    lines: Vec<&'a str>,
    gone: Vec<usize>,
}

impl<'a> Log<'a> {
    fn new(text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut gone = vec![usize::MAX; lines.len()];
        let mut superseded = Superseded::default();
        for (at, line) in lines.iter().enumerate() {
            for position in superseded.take(at as u64, line) {
                let gone = &mut gone[*position as usize];
                assert_eq!(*gone, usize::MAX, "line {position} is superseded twice");
                *gone = at;
            }
        }
        Self { lines, gone }
    }

    /// The lines in `range` that are left once `known` lines have come.
    fn left(&self, range: std::ops::Range<usize>, known: usize) -> impl Iterator<Item = &'a str> {
        range.filter(move |at| self.gone[*at] >= known).map(|at| self.lines[at])
    }
}

fn take<'a>(session: &mut Session, lines: impl IntoIterator<Item = &'a str>) {
    for line in lines {
        session.push(line.as_bytes());
        session.push(b"\n");
    }
}

fn reduced<'a>(lines: impl IntoIterator<Item = &'a str>) -> Session {
    let mut session = Session::new();
    take(&mut session, lines);
    session
}

/// All that the state says, but for counts of events. The numbers of events are replaced by their ranks.
fn facts(session: &mut Session) -> Vec<String> {
    session.take_changes();
    let state = session.state();
    let mut facts: Vec<String> = state.entries.iter().map(|entry| format!("{entry:?}")).collect();
    let mut queue = state.queue.clone();
    queue.changed = u64::from(queue.changed > 0);
    let notifications = state.notifications.iter().cloned().map(|mut notification| {
        notification.count = 1;
        notification
    });
    let mut assets: Vec<_> = state.assets.iter().collect();
    assets.sort_by_key(|(id, _)| *id);
    facts.push(format!("{:?} {:?}", state.info, state.phase));
    facts.push(format!("{:?} {} {}", state.open_requests, state.llm_calls, state.live));
    facts.push(format!("{queue:?}"));
    facts.push(format!("{:?}", state.usage));
    facts.push(format!("{:?}", state.panel_events));
    facts.extend(notifications.map(|notification| format!("{notification:?}")));
    facts.push(format!("{:?} {:?}", state.context, state.agent_contexts));
    facts.push(format!("{:?} {:?}", state.diagnostics, state.counters.malformed));
    facts.push(format!("{assets:?} {:?} {}", state.telemetry, state.doubtful_ends));
    let mut snapshot = session.snapshot();
    for counts in ["/events", "/queue/changed"] {
        *snapshot.pointer_mut(counts).unwrap() = Value::Null;
    }
    facts.push(snapshot.to_string());
    ranked(&facts)
}

const NUMBERS: [&str; 4] = ["number: ", "committed: Some(", "first_seen: ", "changed_at: "];

fn numbers(fact: &str) -> Vec<(usize, &str)> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in NUMBERS {
        // A word of a phrase has a number as well.
        let of_event = |at: &(usize, &str)| !fact[..at.0].ends_with("Word { ");
        for (at, _) in fact.match_indices(name).filter(of_event) {
            let digits = &fact[at + name.len()..];
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            found.push((at + name.len(), &digits[..end]));
        }
    }
    found.sort_unstable();
    found
}

fn ranked(facts: &[String]) -> Vec<String> {
    let all: BTreeSet<u64> =
        facts.iter().flat_map(|fact| numbers(fact)).filter_map(|(_, number)| number.parse().ok()).collect();
    let all: Vec<u64> = all.into_iter().collect();
    let ranked = |fact: &String| {
        let (mut text, mut from) = (String::new(), 0);
        for (at, number) in numbers(fact) {
            text.push_str(&fact[from..at]);
            if let Ok(number) = number.parse::<u64>() {
                write!(text, "#{}", all.binary_search(&number).unwrap()).unwrap();
            }
            from = at + number.len();
        }
        text + &fact[from..]
    };
    facts.iter().map(ranked).collect()
}

fn difference(left: &[String], whole: &[String]) -> Option<String> {
    if left == whole {
        return None;
    }
    let mut pairs = left.iter().zip(whole);
    Some(match pairs.find(|(left, whole)| left != whole) {
        Some((left, whole)) => format!("left:  {left}\nwhole: {whole}"),
        None => format!("{} facts instead of {}", left.len(), whole.len()),
    })
}

/// Compares at these numbers of lines; who joined there goes on with the lines that follow. Says what differs.
fn checked(text: &str, cuts: impl Iterator<Item = usize>) -> Result<(), String> {
    let log = Log::new(text);
    let count = log.lines.len();
    let mut whole = Session::new();
    let mut before = 0;
    let mut end = reduced(log.lines.iter().copied());
    let mut ended = reduced(log.lines.iter().copied());
    ended.end();
    let (end, ended) = (facts(&mut end), facts(&mut ended));
    let id = |line: &str| {
        serde_json::from_str::<Value>(line).ok().and_then(|event| Some(event["id"].as_str()?.to_owned()))
    };
    for cut in cuts {
        let mut left = reduced(log.left(0..cut, cut));
        take(&mut whole, log.lines[before..cut].iter().copied());
        before = cut;
        if let Some(difference) = difference(&facts(&mut left), &facts(&mut whole)) {
            return Err(format!("after {cut} of {count} lines\n{difference}"));
        }
        if !cut.is_multiple_of(5) {
            continue;
        }
        // A second copy of an event that was left out is not known as one.
        let known: HashSet<String> = log.lines[..cut].iter().filter_map(|line| id(line)).collect();
        let rest = log.lines[cut..].iter().filter(|line| id(line).is_none_or(|id| !known.contains(&id)));
        take(&mut left, rest.copied());
        if let Some(difference) = difference(&facts(&mut left), &end) {
            return Err(format!("joined after {cut} of {count} lines, at the end\n{difference}"));
        }
        left.end();
        if let Some(difference) = difference(&facts(&mut left), &ended) {
            return Err(format!("joined after {cut} of {count} lines, once it has ended\n{difference}"));
        }
        // Who knows the beginning gets what is left of the rest.
        let mut beginning = reduced(log.lines[..cut].iter().copied());
        take(&mut beginning, log.left(cut..count, count));
        if let Some(difference) = difference(&facts(&mut beginning), &end) {
            return Err(format!("what is left after {cut} of {count} lines\n{difference}"));
        }
    }
    Ok(())
}

/// Events about few messages, calls and agents, so that they meet in every order: interrupted, late, twice, with times that go
/// back or are missing.
fn event(from: &mut Unstructured<'_>, number: usize) -> arbitrary::Result<Value> {
    let (one, other) = (from.choose(&["a", "b"])?.to_string(), from.choose(&["a", "b"])?.to_string());
    let text = *from.choose(&["", "x", "xy", "xyz", "yz", "xyz\n"])?;
    let piece = json!({ "messageId": one, "deltaContent": text });
    let (kind, data) = match from.int_in_range(0..=49)? {
        0..=5 => ("assistant.message_delta", piece),
        6..=9 => ("assistant.reasoning_delta", json!({ "reasoningId": one, "deltaContent": text })),
        10..=11 => ("assistant.message", json!({ "messageId": one, "content": text })),
        12 => ("assistant.message", json!({ "messageId": one, "content": text, "reasoningText": "xyz" })),
        13 => {
            let call = json!({ "toolCallId": other, "name": "bash", "arguments": { "command": text } });
            ("assistant.message", json!({ "messageId": one, "content": "", "toolRequests": [call] }))
        }
        14..=15 => ("assistant.reasoning", json!({ "reasoningId": one, "content": text })),
        16 => ("assistant.turn_start", json!({ "turnId": "0" })),
        17 => ("assistant.turn_end", json!({ "turnId": "0" })),
        18..=19 => ("assistant.streaming_delta", json!({ "totalResponseSizeBytes": number })),
        20 => ("assistant.intent", json!({ "intent": text })),
        21 => ("session.usage_info", json!({ "currentTokens": number, "tokenLimit": 9 })),
        22 => ("session.usage_info", json!({ "systemTokens": number })),
        23 => ("pending_messages.modified", json!({})),
        24 => ("session.background_tasks_changed", json!({})),
        25 => ("abort", json!({ "reason": "user_abort" })),
        26 => ("session.idle", json!({})),
        27 => ("user.message", json!({ "messageId": one, "content": text })),
        28..=29 => {
            let name = *from.choose(&["bash", "bash", "", "view"])?;
            ("assistant.tool_call_delta", json!({ "toolCallId": one, "toolName": name, "inputDelta": text }))
        }
        30 => ("tool.execution_start", json!({ "toolCallId": one, "toolName": "bash", "arguments": {} })),
        31 => ("tool.execution_start", json!({ "toolCallId": one, "toolName": "bash" })),
        32..=34 => {
            let lines = ["10% of it", "20% of it", "20% of it\nall", text];
            let output = *from.choose(&lines)?;
            ("tool.execution_partial_result", json!({ "toolCallId": one, "partialOutput": output }))
        }
        35 => ("tool.execution_progress", json!({ "toolCallId": one, "progressMessage": text })),
        36 => {
            let result = json!({ "content": format!("{text}\n<exited with exit code 0>") });
            (
                "tool.execution_complete",
                json!({ "toolCallId": one, "success": text != "x", "result": result }),
            )
        }
        37 => ("ui.ephemeral_query", json!({ "requestId": one, "phase": "streaming", "chunk": text })),
        38 => ("ui.ephemeral_query", json!({ "requestId": one, "phase": "completed", "answer": text })),
        39..=40 => {
            let kinds = ["session.title_changed", "session.skills_loaded", "session.custom_agents_updated"];
            (*from.choose(&kinds)?, json!({ "title": text, "skills": [], "agents": [] }))
        }
        41..=42 => (*from.choose(&["session.memory_changed", "assistant.server_tool_progress"])?, json!({})),
        43..=44 => ("prompt_cache_break", json!({ "primaryReason": one, "shortfallTokens": number })),
        45..=47 => ("assistant.fusion_phase_activity", json!({ "totalResponseSizeBytes": number })),
        48 => (*from.choose(&["model.call_start", "model.call_finished"])?, json!({ "turnId": "0" })),
        _ => match *from.choose(&[
            "model.response",
            "session.resume",
            "session.start",
            "session.error",
            "bad",
        ])? {
            "bad" => ("assistant.turn_end", json!("no object")),
            "session.start" => ("session.start", json!({ "sessionId": "s" })),
            kind => (kind, json!({ "message": text })),
        },
    };
    let mut event = json!({ "type": kind, "data": data, "id": format!("event-{number}") });
    let is_kept =
        ["assistant.message", "assistant.turn_start", "assistant.turn_end", "user.message", "abort"];
    let is_kept = is_kept.contains(&kind) || kind.starts_with("tool.execution_s");
    if is_kept == from.ratio(1, 12)? {
        event["ephemeral"] = json!(true);
    }
    if from.ratio(1, 5)? {
        event["agentId"] = json!(other);
    }
    let back = if from.ratio(1, 8)? { from.int_in_range(1..=9)? } else { 0 };
    if !from.ratio(1, 30)? {
        event["timestamp"] = json!(format!("2026-01-05T10:01:{:02}.000Z", (number + 9 - back) / 2));
    }
    Ok(event)
}

fn streams(from: &mut Unstructured<'_>) -> arbitrary::Result<Vec<Value>> {
    let mut events: Vec<Value> = Vec::new();
    while !from.is_empty() && events.len() < 60 {
        let again = if from.ratio(1, 15)? { Some(from.choose_index(events.len() + 1)?) } else { None };
        let again = again.and_then(|place| events.get(place)).cloned();
        let number = events.len();
        events.push(match again {
            Some(event) => event,
            None => event(from, number)?,
        });
    }
    Ok(events)
}

#[test]
fn what_is_left_of_a_recording_gives_the_same_state_wherever_one_joins() {
    let mut failed = Vec::new();
    for (name, log) in logs() {
        let Ok(text) = String::from_utf8(log) else { continue };
        let count = text.lines().count();
        let cuts = (1..=count).filter(|cut| cut % (count / 40 + 1) == 0 || *cut == count);
        if let Err(difference) = checked(&text, cuts) {
            failed.push(format!("{name}, {difference}"));
        }
    }
    assert!(failed.is_empty(), "{}\n{} failed", failed.join("\n\n"), failed.len());
}

/// Checks generated logs at each of their lines. Returns the types that were superseded in them.
fn generated(cases: u32, events: impl Fn(&mut Unstructured<'_>) -> Vec<Value>) -> BTreeSet<String> {
    let seen = RefCell::new(BTreeSet::new());
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    };
    let checked = TestRunner::new(config).run(&vec(any::<u8>(), 200..3000), |bytes| {
        let mut events = events(&mut Unstructured::new(&bytes));
        // Only persisted events are named as parents.
        let ephemeral = events.iter().filter(|event| event["ephemeral"] == true);
        let ephemeral: Vec<Value> = ephemeral.map(|event| event["id"].clone()).collect();
        for event in events.iter_mut().filter(|event| ephemeral.contains(&event["parentId"])) {
            event["parentId"] = Value::Null;
        }
        let lines: Vec<String> = events.iter().map(Value::to_string).collect();
        let text = lines.join("\n");
        let log = Log::new(&text);
        let gone = events.iter().zip(&log.gone).filter(|(_, gone)| **gone < usize::MAX);
        seen.borrow_mut()
            .extend(gone.map(|(event, _)| event["type"].as_str().unwrap_or_default().to_owned()));
        match checked(&text, 1..=lines.len()) {
            Ok(()) => Ok(()),
            Err(difference) => Err(TestCaseError::fail(format!("{difference}\n{text}"))),
        }
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
    seen.into_inner()
}

#[test]
fn what_is_left_of_events_of_all_types_gives_the_same_state_wherever_one_joins() {
    let vocabulary = Vocabulary::of(&sessions_folder());
    let superseded = generated(20, |from| vocabulary.events(from).expect("events of any bytes"));
    assert!(!superseded.is_empty());
}

#[test]
fn what_is_left_of_streams_that_meet_in_every_order_gives_the_same_state_wherever_one_joins() {
    let superseded = generated(100, |from| streams(from).expect("events of any bytes"));
    for row in all().filter(|row| row.superseded_by.is_some()) {
        assert!(superseded.contains(row.name), "{}", row.name);
    }
}
