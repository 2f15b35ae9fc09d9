//! Tests that the log gives back what came in, and that travelling to a record shows the state of that time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/golden.rs"]
mod golden;

use golden::{logs, reduced, without_counters};
use pilothouse::core::Session;
use pilothouse::core::session::log::{Log, Logged};
use pilothouse::core::session::time_travel::TravelIndex;
use pilothouse::core::view_model::entry_words;
use pilothouse::core::view_model::outline;
use pilothouse::core::wire::fields::Fields;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;

/// A session that keeps its log.
fn kept(log: &[u8]) -> Session {
    let mut session = Session::new();
    session.keep_log();
    session.push(log);
    session.end();
    while session.log_mut().is_some_and(Log::compact) {}
    session
}

fn travelled(session: &Session) -> TravelIndex {
    let mut travel = TravelIndex::new();
    while travel.prepare(session.log().unwrap(), 1000) {}
    travel
}

/// Everything that can be seen of a session.
fn seen(session: &Session) -> String {
    format!("{}\n{}", session.snapshot(), outline::of(session.state()))
}

#[test]
fn the_log_gives_back_every_record_byte_for_byte() {
    // These have more or fewer records than lines.
    let others =
        ["platform-stream", "platform-guide", "platform-chat", "malformed", "dirty-input", "rpc-frames"];
    let records = |name: &str| !others.iter().any(|other| name.starts_with(other));
    for (name, bytes) in logs().into_iter().filter(|(name, _)| records(name)) {
        let session = kept(&bytes);
        let log = session.log().unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        assert_eq!(log.len(), lines.len(), "{name}");
        for (record, line) in lines.iter().enumerate() {
            let record = log.text(record).unwrap();
            let bare = !line.starts_with(r#"{"jsonrpc""#);
            assert!(
                if bare { record == *line } else { line.contains(&record) },
                "{name}: {record}\nof\n{line}"
            );
        }
    }
}

#[test]
fn keeping_a_log_changes_nothing() {
    for (name, bytes) in logs() {
        assert_eq!(kept(&bytes).snapshot(), reduced(&bytes).snapshot(), "{name}");
    }
}

#[test]
fn the_end_of_the_log_is_the_session() {
    for (name, bytes) in logs() {
        let session = kept(&bytes);
        let (log, travel) = (session.log().unwrap(), travelled(&session));
        let mut past = Session::new();
        travel.travel_to(log, &mut past, usize::MAX, log.len());
        assert_eq!(seen(&past), seen(&session), "{name}");
    }
}

#[test]
fn every_record_of_an_entry_is_found_and_names_it() {
    for (name, bytes) in logs() {
        let session = kept(&bytes);
        let (log, travel) = (session.log().unwrap(), travelled(&session));
        for (place, entry) in session.state().entries.iter().enumerate() {
            let records = travel.records_of(place);
            assert!(!records.is_empty(), "{name}: entry {place}, {}", entry.id);
            assert!(records.is_sorted(), "{name}: entry {place}");
        }
        for record in 0..log.len() {
            if let Some(entry) = travel.entry_of(record) {
                assert!(travel.records_of(entry).contains(&(record as u32)), "{name}: record {record}");
            }
        }
    }
}

#[test]
fn the_events_of_a_tool_call_are_exactly_those_that_carry_its_id() {
    let (_, bytes) = logs().into_iter().find(|(name, _)| name == "fix-failing-test/events.jsonl").unwrap();
    let session = kept(&bytes);
    let (log, travel) = (session.log().unwrap(), travelled(&session));
    let mut calls = 0;
    for (place, entry) in session.state().entries.iter().enumerate() {
        if entry.tool().is_none() {
            continue;
        }
        calls += 1;
        let naming: Vec<u32> = (0..log.len() as u32)
            .filter(|record| {
                let text = log.text(*record as usize).unwrap();
                let event: serde_json::Value = serde_json::from_str(&text).unwrap();
                let data = &event["data"];
                let asked = data["toolRequests"].as_array().into_iter().flatten();
                data["toolCallId"] == entry.id.as_str()
                    || asked.into_iter().any(|call| call["toolCallId"] == entry.id.as_str())
            })
            .collect();
        let found = travel.records_of(place);
        for record in &naming {
            assert!(found.contains(record), "{}: {}", entry.id, log.text(*record as usize).unwrap());
        }
    }
    assert!(calls > 3);
}

#[test]
fn what_named_an_entry_before_it_was_there_is_found() {
    let event = |kind: &str, id: u32, more: &str| {
        format!(r#"{{"type":"{kind}","data":{{"messageId":"m"{more}}},"id":"{id}"}}"#)
    };
    let lines = [
        event("assistant.message_start", 1, ""),
        event("assistant.message_delta", 2, r#","deltaContent":"a""#),
        event("assistant.message", 3, r#","content":"a""#),
        event("assistant.message", 4, r#","content":"a""#),
    ];
    let session = kept(lines.join("\n").as_bytes());
    assert_eq!(travelled(&session).records_of(0), [0, 1, 2, 3]);
}

#[test]
fn a_bad_event_is_part_of_the_log_and_of_the_way_back() {
    let text = "{\"type\":\"user.message\",\"data\":{\"content\":\"a\"},\"id\":\"1\"}\nno json\n{\"type\":\"user.message\",\"data\":{\"content\":\"b\"},\"id\":\"2\"}\n";
    let session = kept(text.as_bytes());
    let (log, travel) = (session.log().unwrap(), travelled(&session));
    let mut past = Session::new();
    let texts = |session: &Session| {
        session.state().entries.iter().map(|entry| entry_words::text(entry).into_owned()).collect::<Vec<_>>()
    };
    travel.travel_to(log, &mut past, usize::MAX, 3);
    assert_eq!(texts(&past).len(), 3);
    assert!(!travel.travel_to(log, &mut past, 3, 1), "back is not forward");
    assert_eq!(texts(&past), ["a"]);
    assert!(travel.travel_to(log, &mut past, 1, 2), "and forward again is");
    assert_eq!(past.state().counters.malformed, 1);
}

#[test]
fn a_growing_log_can_be_travelled_while_it_grows() {
    let (_, bytes) = logs().into_iter().find(|(name, _)| name == "fix-failing-test/events.jsonl").unwrap();
    let mut session = Session::new();
    session.keep_log();
    let mut travel = TravelIndex::new();
    let mut past = Session::new();
    let mut at = 0;
    for chunk in bytes.chunks(50_000) {
        session.push(chunk);
        let log = session.log().unwrap();
        while travel.prepare(log, 37) {}
        travel.travel_to(log, &mut past, at, log.len());
        at = log.len();
        assert_eq!(seen(&past), seen(&session));
    }
}

#[test]
fn a_recording_of_the_log_opens_as_the_same_session() {
    for (name, bytes) in logs() {
        let session = kept(&bytes);
        let log = session.log().unwrap();
        let recording: String = (0..log.len()).filter_map(|record| log.line(record)).collect();
        let again = kept(recording.as_bytes());
        let without = |session: &Session| {
            let mut snapshot = session.snapshot();
            // Diagnostics differ: they name lines of the stream, and replaced bytes are no longer wrong.
            snapshot.as_object_mut().unwrap().remove("diagnostics");
            snapshot
        };
        assert_eq!(without(&again), without(&session), "{name}");
    }
}

#[test]
fn what_the_host_said_is_on_the_way_back_and_in_no_recording() {
    let mut session = Session::new();
    session.keep_log();
    let say = |session: &mut Session, id: u32| {
        session.push_frame(&format!(r#"{{"type":"user.message","data":{{"content":"{id}"}},"id":"{id}"}}"#));
    };
    say(&mut session, 1);
    let note = Fields::parse(r#"{"message":"The disk is full","level":"warning"}"#).unwrap();
    session.notify(note, Some(1_795_000_000_000));
    say(&mut session, 2);
    let (log, travel) = (session.log().unwrap(), travelled(&session));
    let mut past = Session::new();
    for to in [3, 2, 1, 0, 3] {
        travel.travel_to(log, &mut past, usize::MAX, to);
        let texts = |session: &Session| {
            session
                .state()
                .entries
                .iter()
                .map(|entry| entry_words::text(entry).into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(&past), texts(&session)[..to]);
    }
    assert_eq!(log.line(1), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn the_state_at_a_record_is_that_of_a_session_fed_that_far(which in any::<Index>(), places in proptest::collection::vec(any::<Index>(), 1..4)) {
        let logs = logs();
        let (name, bytes) = which.get(&logs);
        let session = kept(bytes);
        let (log, travel) = (session.log().unwrap(), travelled(&session));
        let mut past = Session::new();
        let mut from = usize::MAX;
        for place in places {
            let to = place.index(log.len() + 1);
            travel.travel_to(log, &mut past, from, to);
            from = to;
            let mut fresh = Session::new();
            for record in 0..to {
                log.read(record, |logged| match logged {
                    Logged::Platform { name, data } => drop(fresh.push_server_sent(name, data, None)),
                    Logged::Event { raw, .. } | Logged::Other(raw) => drop(fresh.push_frame(raw)),
                    Logged::Malformed { text, .. } => drop(fresh.push_frame(text)),
                    Logged::NotUtf8(_) | Logged::Local { .. } => {}
                });
            }
            let without = |session: &Session| {
                let mut snapshot = without_counters(session.snapshot());
                // Diagnostics differ: lines are numbered in a stream and not in frames.
                snapshot.as_object_mut().unwrap().remove("diagnostics");
                snapshot
            };
            if !name.starts_with("malformed") {
                prop_assert_eq!(without(&past), without(&fresh), "{} at {}", name, to);
            }
        }
    }
}
