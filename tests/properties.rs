//! Properties that hold for every input: no bytes cause a panic, duplicates and splits change nothing, and a
//! mirror of the emitted changes equals the state (invariants 6 and 7 in ARCHITECTURE.md). Single rules are
//! tested in `wire_facts`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/events.rs"]
mod events;
#[path = "support/golden.rs"]
mod golden;
#[path = "support/mirror.rs"]
mod mirror;
#[path = "support/sse_standard.rs"]
mod sse_standard;

use std::cell::RefCell;
use std::collections::BTreeSet;

use arbitrary::Unstructured;
use events::Vocabulary;
use golden::{case_names, logs, read, reduced, sessions_folder, without_counters};
use mirror::Mirror;
use pilothouse::core::Session;
use pilothouse::core::export::{Format, document};
use pilothouse::core::model::entry::{Body, Kind};
use pilothouse::core::view_model::entry_words;
use pilothouse::core::wire::decoder::MAX_LINE;
use pilothouse::core::wire::sse::SseParser;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{RngSeed, TestRunner};
use serde_json::{Value, json};

/// Small logs, so that hundreds of splits of them are quick.
fn small_logs() -> Vec<(String, Vec<u8>)> {
    logs().into_iter().filter(|(_, log)| log.len() < 20_000).collect()
}

fn lines(log: &[u8]) -> impl Iterator<Item = &[u8]> {
    log.split_inclusive(|byte| *byte == b'\n')
}

/// Logs in which every line can be read as an event. Others would not be the same when fed twice: a bad line
/// is bad again, and a record without an id is new again.
fn event_logs() -> impl Iterator<Item = (String, Vec<u8>)> {
    logs()
        .into_iter()
        .filter(|(name, log)| !name.starts_with("platform-") && reduced(log).state().counters.malformed == 0)
}

fn pushed_in(log: &[u8], cuts: &[usize]) -> Session {
    let mut session = Session::new();
    let mut start = 0;
    for cut in cuts {
        session.push(&log[start..*cut]);
        start = *cut;
    }
    session.push(&log[start..]);
    session.end();
    session
}

#[test]
fn a_log_cut_at_every_byte_gives_the_same_state() {
    for (name, log) in small_logs() {
        let whole = reduced(&log).snapshot();
        let mut session = Session::new();
        for byte in &log {
            session.push(std::slice::from_ref(byte));
        }
        session.end();
        assert_eq!(session.snapshot(), whole, "{name}, byte by byte");
    }
}

#[test]
fn carriage_returns_and_a_byte_order_mark_change_nothing_wherever_they_are_cut() {
    for (name, log) in small_logs().into_iter().filter(|(name, _)| !name.starts_with("malformed")) {
        let whole = reduced(&log).snapshot();
        let mut windows = b"\xEF\xBB\xBF".to_vec();
        for line in lines(&log) {
            windows.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
            windows.extend_from_slice(b"\r\n");
        }
        for size in [1, 2, 3, 7, 4096] {
            let cuts: Vec<usize> = (1..windows.len() / size).map(|at| at * size).collect();
            assert_eq!(pushed_in(&windows, &cuts).snapshot(), whole, "{name}, {size} bytes at a time");
        }
    }
}

#[test]
fn an_event_that_comes_twice_changes_nothing() {
    for (name, log) in event_logs() {
        let once = reduced(&log);
        let mut session = Session::new();
        for line in lines(&log) {
            session.push(line);
            session.push(line);
        }
        session.push(&log);
        session.end();
        assert_eq!(without_counters(session.snapshot()), without_counters(once.snapshot()), "{name}");
        let (once, twice) = (&once.state().counters, &session.state().counters);
        assert_eq!(twice.duplicate - once.duplicate, 2 * once.total, "{name}");
    }
}

#[test]
fn frames_give_the_same_state_as_the_stream() {
    for (name, log) in event_logs() {
        let whole = reduced(&log).snapshot();
        let mut by_line = Session::new();
        for line in lines(&log) {
            by_line.push_frame_bytes(line);
        }
        by_line.end();
        assert_eq!(by_line.snapshot(), whole, "{name}: a frame a line");
        let mut at_once = Session::new();
        at_once.push_frame_bytes(&log);
        at_once.end();
        assert_eq!(at_once.snapshot(), whole, "{name}: one frame of all lines");
        let events: Vec<&str> =
            std::str::from_utf8(&log).unwrap().lines().filter(|line| !line.is_empty()).collect();
        let mut array = Session::new();
        array.push_frame(&format!("[{}]", events.join(",\n")));
        array.end();
        assert_eq!(array.snapshot(), whole, "{name}: one JSON array");
    }
}

#[test]
fn a_prefix_and_an_overlapping_tail_equal_the_whole() {
    for (name, log) in event_logs() {
        let events: Vec<&[u8]> = lines(&log).collect();
        let whole = without_counters(reduced(&log).snapshot());
        for (prefix, tail) in
            [(1, 0), (events.len() / 3, events.len() / 4), (events.len() - 1, events.len() / 2)]
        {
            let mut session = Session::new();
            session.push(&events[..prefix].concat());
            let _ = session.snapshot();
            session.take_changes();
            session.push(&events[tail..].concat());
            session.end();
            let resumed = without_counters(session.snapshot());
            assert_eq!(resumed, whole, "{name}: {prefix} events, then all from event {tail}");
        }
    }
}

#[test]
fn every_change_is_announced() {
    for (name, log) in logs() {
        for every in [1, 2, 5, 23, usize::MAX] {
            let mut session = Session::new();
            let mut mirror = Mirror::default();
            for (at, line) in lines(&log).enumerate() {
                session.push(line);
                if at % every == every - 1 {
                    mirror.apply(&mut session);
                    mirror.assert_is(&session, &format!("{name}, after line {}", at + 1), every > 1);
                }
            }
            session.end();
            mirror.apply(&mut session);
            mirror.assert_is(&session, &format!("{name}, at its end, looked at every {every} lines"), true);
        }
    }
}

type Act = fn(&mut Session);

#[test]
fn what_a_person_does_is_announced_too() {
    use pilothouse::core::model::answer::Answer;
    let mut session = Session::new();
    let mut mirror = Mirror::default();
    session.push(&read("waiting", "events.jsonl"));
    mirror.apply(&mut session);
    let steps: [(&str, Act); 6] = [
        ("sending", |session| {
            session.answer_sending("p1", Answer::ApproveOnce.ending());
        }),
        ("unsent", |session| session.answer_unsent("p1")),
        ("refused", |session| session.answer_refused("u1")),
        ("reconciled", |session| session.permissions_listed(&[], Vec::new())),
        ("queue", |session| {
            session.set_queue(json!({ "items": [{ "id": "q" }], "steeringMessages": ["steer"] }));
            session.set_backlog(json!({ "messages": [{ "id": "b", "state": "dropped" }] }));
        }),
        ("confirmed", |session| {
            session.push_server_sent(
                "copilot_confirmation",
                r#"{"title":"Sure?","confirmation":{"id":"c"}}"#,
                None,
            );
            session.confirmation_answered("copilot_confirmation:c", true);
        }),
    ];
    for (step, act) in steps {
        act(&mut session);
        mirror.apply(&mut session);
        mirror.assert_is(&session, step, true);
    }
}

#[test]
fn a_mode_that_only_a_settled_request_tells_is_announced() {
    let mut session = Session::new();
    let mut mirror = Mirror::default();
    let request = json!({ "requestId": "r", "agentMode": "autopilot", "resolvedByHook": true,
        "permissionRequest": { "kind": "read", "path": "/a" } });
    session.push_frame(&json!({ "type": "permission.requested", "id": "1", "data": request }).to_string());
    mirror.apply(&mut session);
    mirror.assert_is(&session, "decided by a hook", true);
    assert_eq!(session.snapshot()["session"]["mode"], "autopilot");
}

#[test]
fn a_session_id_that_only_a_notification_tells_is_announced() {
    let mut session = Session::new();
    let mut mirror = Mirror::default();
    let event = json!({ "type": "system.message", "id": "1", "data": { "content": "You help." } });
    let params = json!({ "sessionId": "s-1", "event": event });
    session.push_frame(&json!({ "jsonrpc": "2.0", "method": "session.event", "params": params }).to_string());
    mirror.apply(&mut session);
    mirror.assert_is(&session, "the first event", true);
    assert_eq!(session.snapshot()["session"]["id"], "s-1");
}

#[test]
fn a_title_that_an_answer_with_the_id_of_the_question_rewrites_is_announced() {
    let mut session = Session::new();
    let mut mirror = Mirror::default();
    for (id, kind, text) in [("1", "user.message", "Hello"), ("2", "assistant.message", "Done.")] {
        let data = json!({ "messageId": "m", "content": text });
        session.push_frame(&json!({ "type": kind, "id": id, "data": data }).to_string());
        mirror.apply(&mut session);
        mirror.assert_is(&session, kind, true);
    }
}

#[test]
fn a_cut_file_keeps_all_that_was_whole() {
    let others = |case: &String| case.starts_with("platform-") || case == "malformed-lines";
    for case in case_names().filter(|case| !others(case)) {
        let log = read(&case, "events.jsonl");
        let log = log.trim_ascii_end();
        let last_line = log.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let whole = reduced(&log[..last_line]);
        let cut = reduced(&log[..log.len() - 1]);
        assert_eq!(cut.state().counters.malformed, whole.state().counters.malformed + 1, "{case}");
        assert_eq!(cut.state().counters.total, whole.state().counters.total, "{case}");
    }
}

#[test]
fn a_line_without_an_end_is_told_and_costs_neither_memory_nor_neighbours() {
    const MIB: usize = 1 << 20;
    let before = br#"{"type":"user.message","data":{"messageId":"m","content":"before"},"id":"1"}"#;
    let after = br#"{"type":"user.message","data":{"messageId":"n","content":"after"},"id":"2"}"#;
    let mut log = before.to_vec();
    log.push(b'\n');
    log.extend_from_slice(br#"{"type":"user.message","data":{"content":""#);
    log.resize(log.len() + 100 * MIB, b'x');
    log.push(b'\n');
    log.extend_from_slice(after);
    let at_once = reduced(&log);
    let mut in_chunks = Session::new();
    for chunk in log.chunks(64 * 1024) {
        in_chunks.push(chunk);
    }
    in_chunks.end();
    assert_eq!(at_once.snapshot(), in_chunks.snapshot());
    let state = at_once.state();
    let texts: Vec<_> =
        state.entries.iter().map(|entry| pilothouse::core::view_model::entry_words::text(entry)).collect();
    assert_eq!(texts, ["before", "1 record could not be read; everything else is here", "after"]);
    assert_eq!(state.diagnostics.len(), 1);
    let told = state.diagnostics[0].message.words();
    assert!(told.starts_with("line 2 ") && told.contains(&format!("{} MiB", MAX_LINE / MIB)), "{told}");
}

#[test]
fn a_broken_line_in_a_frame_costs_no_neighbour() {
    let event = |id: u32| format!(r#"{{"type":"session.info","data":{{"message":"{id}"}},"id":"{id}"}}"#);
    for broken in
        ["{", "[", "{\"type\":\"x", "nonsense", "[1,", "{\"a\":[}", "\"", "}", "]", "\u{1}", "{\"type\":1}"]
    {
        let mut session = Session::new();
        session.push_frame(&format!("{}\n{broken}\n{}\n{}", event(1), event(2), event(3)));
        let infos = session.state().entries.iter().filter(|entry| entry.id != "malformed").count();
        assert_eq!(infos, 3, "neighbours of {broken:?}");
        assert!(session.state().counters.malformed > 0, "{broken:?}");
    }
}

#[test]
fn many_brackets_that_never_close_are_read_in_one_go() {
    let mut session = Session::new();
    session.push_frame(&"{\n".repeat(200_000));
    session.push_frame(&"[".repeat(200_000));
    session.push(&b"{\"type\":\"x\",\"data\":".repeat(20_000));
    session.end();
    // The last values of the last line might have gone on in the next, so they count by themselves.
    assert_eq!(session.state().counters.malformed, 200_003);
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        Just(json!([1, "a", null])),
        Just(json!({ "type": "a", "kind": "approved", "content": "c", "message": 1 })),
    ]
}

/// Replaces a member of the payload by anything: right name, wrong type.
fn damaged(event: &mut Value, at: usize, with: Value) {
    if let Some(data) = event.get_mut("data").and_then(Value::as_object_mut)
        && let Some(name) = data.keys().nth(at % data.len().max(1)).cloned()
    {
        data.insert(name, with);
    }
}

/// A program in JavaScript that shortens a text may cut a character in two.
#[test]
fn half_a_character_costs_no_event() {
    let event = r#"{"type":"permission.requested","id":"e","timestamp":"2026-11-21T09:00:00Z","data":{"requestId":"r","permissionRequest":{"kind":"shell","fullCommandText":"echo \ud83d"}}}"#;
    let bare = format!("{event}\n");
    let framed = format!(
        r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":"s","event":{event}}}}}"#
    );
    for input in [bare, framed + "\n"] {
        let mut session = Session::new();
        session.push(input.as_bytes());
        let state = session.state();
        assert_eq!((state.entries.len(), state.counters.malformed), (1, 0), "{input}");
        let request = state.entries.iter().find_map(|entry| entry.request()).expect("the request is there");
        assert_eq!(request.details["permissionRequest"]["fullCommandText"], "echo \u{fffd}");
    }
}

#[test]
fn data_that_can_t_be_read_is_shown_as_it_is_and_the_next_event_counts() {
    let deep = format!(r#"{{"toolName":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    for data in [deep.as_str(), r#"["no object"]"#] {
        let mut session = Session::new();
        let wrong = format!(r#"{{"type":"tool.execution_start","id":"e","data":{data}}}"#);
        let right = r#"{"type":"user.message","id":"f","data":{"content":"Go on"}}"#;
        session.push(format!("{wrong}\n{right}\n").as_bytes());
        let shown = &session.state().entries[0];
        assert!(entry_words::text(shown).starts_with("An event could not be read: `data` "), "{shown:?}");
        let Body::Facts { event_type, facts } = &shown.body else { panic!("{shown:?}") };
        let as_written = facts.as_str().map_or_else(|| facts.to_string(), str::to_owned);
        assert_eq!((event_type.as_str(), as_written.as_str()), ("tool.execution_start", data));
        assert_eq!(session.state().entries[1].kind, Kind::User);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_taken_without_a_panic(bytes in vec(any::<u8>(), 0..2000), cut in any::<Index>()) {
        let mut session = Session::new();
        let mut mirror = Mirror::default();
        let cut = cut.index(bytes.len() + 1);
        session.push(&bytes[..cut]);
        mirror.apply(&mut session);
        session.push(&bytes[cut..]);
        session.push_frame_bytes(&bytes);
        session.end();
        mirror.apply(&mut session);
        mirror.assert_is(&session, "random bytes", true);
    }

    #[test]
    fn almost_json_is_taken_without_a_panic(text in "([\\[\\]{}\":,\\\\ \n\r0-9a-e]|\"type\":|\"data\":|data: |true|\\PC){0,200}") {
        let whole = reduced(text.as_bytes()).snapshot();
        let bytewise: Vec<usize> = (1..text.len()).collect();
        prop_assert_eq!(pushed_in(text.as_bytes(), &bytewise).snapshot(), whole);
        Session::new().push_frame(&text);
    }

    #[test]
    fn any_split_gives_the_same_state(which in any::<Index>(), cuts in vec(any::<Index>(), 0..12)) {
        let logs = small_logs();
        let (name, log) = which.get(&logs);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(log.len() + 1)).collect();
        cuts.sort_unstable();
        prop_assert_eq!(pushed_in(log, &cuts).snapshot(), reduced(log).snapshot(), "{} cut at {:?}", name, cuts);
    }

    #[test]
    fn damaged_bytes_neither_panic_nor_go_unannounced(which in any::<Index>(), flips in vec((any::<Index>(), any::<u8>()), 1..20)) {
        let logs = small_logs();
        let mut log = which.get(&logs).1.clone();
        for (at, byte) in flips {
            let at = at.index(log.len());
            log[at] = byte;
        }
        let mut session = Session::new();
        let mut mirror = Mirror::default();
        for chunk in log.chunks(700) {
            session.push(chunk);
            mirror.apply(&mut session);
        }
        session.end();
        mirror.apply(&mut session);
        mirror.assert_is(&session, "damaged bytes", true);
    }

    #[test]
    fn wrong_types_neither_panic_nor_go_unannounced(which in any::<Index>(), damage in vec((any::<Index>(), any::<usize>(), any_scalar()), 1..30)) {
        let logs = small_logs();
        let log = &which.get(&logs).1;
        let mut events: Vec<Value> = lines(log).filter_map(|line| serde_json::from_slice(line).ok()).collect();
        prop_assume!(!events.is_empty());
        for (event, at, with) in damage {
            let event = event.index(events.len());
            damaged(&mut events[event], at, with);
        }
        let mut session = Session::new();
        let mut mirror = Mirror::default();
        for event in &events {
            session.push_frame(&event.to_string());
            mirror.apply(&mut session);
        }
        mirror.assert_is(&session, "wrong types", true);
    }

    #[test]
    fn any_order_is_taken_and_announced(which in any::<Index>(), swaps in vec((any::<Index>(), any::<Index>()), 1..40)) {
        let logs = small_logs();
        let log = &which.get(&logs).1;
        let mut shuffled: Vec<&[u8]> = lines(log).collect();
        for (one, other) in swaps {
            let (one, other) = (one.index(shuffled.len()), other.index(shuffled.len()));
            shuffled.swap(one, other);
        }
        let mut session = Session::new();
        let mut mirror = Mirror::default();
        for line in shuffled {
            session.push(line);
            mirror.apply(&mut session);
        }
        session.end();
        mirror.apply(&mut session);
        mirror.assert_is(&session, "another order", true);
    }
}

#[test]
fn events_of_all_types_give_one_state_are_announced_and_exported_without_their_markup() {
    let vocabulary = Vocabulary::of(&sessions_folder());
    let seen = RefCell::new(BTreeSet::new());
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    };
    let input = (vec(any::<u8>(), 200..3000), vec(any::<Index>(), 0..12));
    let checked = TestRunner::new(config).run(&input, |(bytes, cuts)| {
        let events = vocabulary.events(&mut Unstructured::new(&bytes)).expect("events of any bytes");
        let types = events.iter().filter_map(|event| event["type"].as_str());
        seen.borrow_mut().extend(types.map(str::to_owned));
        let lines: Vec<String> = events.iter().map(|event| format!("{event}\n")).collect();
        let log = lines.concat().into_bytes();
        let whole = reduced(&log);

        let (mut session, mut mirror) = (Session::new(), Mirror::default());
        for line in &lines {
            session.push_frame(line);
            mirror.apply(&mut session);
        }
        // At its end a log whose turn is over rests.
        session.end();
        mirror.apply(&mut session);
        mirror.assert_is(&session, "events of all types", true);
        prop_assert_eq!(session.snapshot(), whole.snapshot(), "as frames");

        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(log.len() + 1)).collect();
        cuts.sort_unstable();
        prop_assert_eq!(pushed_in(&log, &cuts).snapshot(), whole.snapshot(), "cut at {:?}", cuts);

        let twice = reduced(&[log.as_slice(), &log].concat());
        prop_assert_eq!(without_counters(twice.snapshot()), without_counters(whole.snapshot()), "twice");

        let html = document(whole.state(), Format::Html);
        for markup in ["<script", "<iframe", "<img", "href=\"javascript", " onmouseover=\"", " src=\""] {
            prop_assert!(!html.contains(markup), "{}", markup);
        }
        Ok(())
    });
    checked.unwrap();
    let missing: Vec<&str> = vocabulary.types().filter(|name| !seen.borrow().contains(*name)).collect();
    assert!(missing.is_empty(), "no event of the types {missing:?}");
}

/// What streams of server-sent events are made of.
const SSE_PARTS: &[&str] = &[
    "data", "event", "id", "retry", ":", ": ", " ", "\n", "\n\n", "\r", "\r\n", "\0", "\u{feff}", "7", "é",
    "other",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn server_sent_events_are_read_as_the_standard_says(parts in vec(select(SSE_PARTS), 0..60), cut in any::<Index>()) {
        let stream = parts.concat().into_bytes();
        let expected = sse_standard::by_the_standard(&stream);
        let (one, other) = stream.split_at(cut.index(stream.len() + 1));
        prop_assert_eq!(sse_standard::parsed(SseParser::new(), &[one, other]), expected);
    }
}

/// The bytes of a piece: texts of a byte a character, and long runs as `[what, times]`.
fn bytes_of(piece: &Value) -> Vec<u8> {
    let latin = |text: &str| -> Vec<u8> { text.chars().map(|c| u8::try_from(c).unwrap()).collect() };
    let part = |part: &Value| match part {
        Value::Array(run) => latin(run[0].as_str().unwrap()).repeat(run[1].as_u64().unwrap() as usize),
        text => latin(text.as_str().unwrap()),
    };
    piece.as_array().unwrap().iter().flat_map(part).collect()
}

/// A long text of a message is told by its ends and its length. Such texts are ASCII here.
fn short(text: &str) -> String {
    if text.len() <= 1_000 || !text.is_ascii() {
        return text.to_owned();
    }
    format!("{}…{}…{}", &text[..20], text.len(), &text[text.len() - 20..])
}

/// Chromium takes a `retry` without a time for its own default. The standard ignores such a field, as we do.
const CHROMIUM_FORGETS: &str = "a time to reconnect, then none";

/// Chromium overlooks a line break that comes right after a byte order mark, so that the next line is unknown.
fn chromium_overlooks(stream: &[u8]) -> bool {
    stream
        .strip_prefix(b"\xef\xbb\xbf")
        .is_some_and(|rest| rest.starts_with(b"\n") || rest.starts_with(b"\r"))
}

#[test]
fn server_sent_events_are_read_as_chromium_reads_them() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("support/event-source.json")).unwrap();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let pieces: Vec<Vec<u8>> = case["pieces"].as_array().unwrap().iter().map(bytes_of).collect();
        let whole = pieces.concat();
        let splits: [Vec<&[u8]>; 3] =
            [pieces.iter().map(Vec::as_slice).collect(), vec![&whole], whole.chunks(1).collect()];
        for pieces in splits {
            let outcome = sse_standard::parsed(SseParser::new(), &pieces);
            assert_eq!(outcome, sse_standard::by_the_standard(&whole), "{name}");
            if chromium_overlooks(&whole) {
                continue;
            }
            let (messages, retry, id, _) = outcome;
            let messages = messages.iter().map(|(event, data, id)| json!([event, short(data), short(id)]));
            assert_eq!(json!(messages.collect::<Vec<_>>()), case["messages"], "{name}");
            // A header keeps no blanks at its ends.
            assert_eq!(json!(short(id.trim())), case["id"], "{name}");
            let early = retry.is_some_and(|time| time < 1_000);
            assert_eq!(early, name == CHROMIUM_FORGETS || case["early"] == true, "{name}");
        }
    }
}
