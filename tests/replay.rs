//! Replays every golden session (`tests/sessions/<case>`), and compares its outline with the accepted one and
//! its conversation with that of its persisted twin.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/golden.rs"]
mod golden;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use golden::{case_names, conversation, models_view, read, reduced, sessions_folder};
use pilothouse::core::Kind;
use pilothouse::core::view_model::outline;
use similar::{Algorithm, DiffTag, capture_diff_slices};

#[test]
fn every_golden_session_has_the_outline_that_was_accepted() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut failures = String::new();
    for case in case_names() {
        let path = sessions_folder().join(&case).join("outline.txt");
        let outline = outline::of(reduced(&read(&case, "events.jsonl")).state());
        if update {
            fs::write(&path, outline).unwrap();
            continue;
        }
        let accepted = fs::read_to_string(&path).unwrap_or_default();
        if accepted != outline {
            writeln!(failures, "{case}: the outline is another one now\n{}", diff(&accepted, &outline))
                .unwrap();
        }
    }
    assert!(
        failures.is_empty(),
        "\n{failures}If the new outlines are right: UPDATE_GOLDEN=1 cargo test --no-default-features --test replay"
    );
}

#[test]
fn history_tells_the_same_conversation_as_the_live_stream() {
    let mut compared = 0;
    let mut failures = String::new();
    for case in case_names().filter(|case| sessions_folder().join(case).join("persisted.jsonl").exists()) {
        compared += 1;
        let live = reduced(&read(&case, "events.jsonl"));
        let persisted = reduced(&read(&case, "persisted.jsonl"));
        for (what, live, persisted) in [
            ("timeline", conversation(&live), conversation(&persisted)),
            ("model's view", models_view(&live), models_view(&persisted)),
        ] {
            if live != persisted {
                let lines = diff(&live.join("\n"), &persisted.join("\n"));
                writeln!(
                    failures,
                    "{case}: the {what} of events.jsonl (-) is not that of persisted.jsonl (+)\n{lines}"
                )
                .unwrap();
            }
        }
    }
    assert!(compared >= 20, "only {compared} sessions have a persisted twin");
    assert!(failures.is_empty(), "\n{failures}Run: cargo test --no-default-features --test replay");
}

fn gaps(log: &[u8]) -> usize {
    reduced(log).state().entries.iter().filter(|entry| entry.kind == Kind::Gap).count()
}

#[test]
fn the_chain_of_events_has_a_hole_where_events_were_taken_out_and_nowhere_else() {
    let mut cut = 0;
    for (name, log) in golden::logs() {
        assert_eq!(gaps(&log), 0, "{name}: nothing is missing");
        let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
        let event = |line: &&[u8]| serde_json::from_slice::<serde_json::Value>(line).unwrap_or_default();
        let events: Vec<_> = lines.iter().map(event).collect();
        // A message of the model that later events have as their parent, in the middle of the log.
        let said =
            |event: &serde_json::Value| event["type"] == "assistant.message" && event["parentId"].is_string();
        let Some(from) = (lines.len() / 3..lines.len() * 2 / 3).find(|at| said(&events[*at])) else {
            continue;
        };
        let lost = &events[from]["id"];
        let twice = events.iter().filter(|event| event["id"] == *lost).count() > 1;
        if twice
            || !events[from..].iter().any(|event| event["parentId"] == *lost && event["ephemeral"] != true)
        {
            continue;
        }
        let rest = [&lines[..from], &lines[from + 1..]].concat().concat();
        assert_eq!(gaps(&rest), 1, "{name} without line {}", from + 1);
        cut += 1;
    }
    assert!(cut >= 25, "only {cut} logs were cut");
}

#[test]
fn every_case_is_whole_and_small_enough_to_read() {
    const LARGEST: u64 = 150_000;
    const SUM: u64 = 2_000_000;
    let mut sum = 0;
    for case in case_names() {
        let folder = sessions_folder().join(&case);
        assert!(folder.join("events.jsonl").exists(), "{case} has no events.jsonl");
        for file in fs::read_dir(&folder).unwrap() {
            let file = file.unwrap();
            let name = file.file_name().into_string().unwrap();
            let known = ["events.jsonl", "persisted.jsonl", "outline.txt"].contains(&name.as_str());
            assert!(known, "{case}/{name} is read by no test");
            let size = file.metadata().unwrap().len();
            assert!(size <= LARGEST, "{case}/{name} has {size} bytes: cut it");
            sum += size;
        }
    }
    assert!(sum <= SUM, "the golden sessions have {sum} bytes together: cut them");
}

/// The lines that differ, with their numbers.
fn diff(old: &str, new: &str) -> String {
    let mut out = String::new();
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    for change in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if change.tag() == DiffTag::Equal {
            continue;
        }
        for at in change.old_range() {
            writeln!(out, "  {:4} - {}", at + 1, old[at]).unwrap();
        }
        for at in change.new_range() {
            writeln!(out, "  {:4} + {}", at + 1, new[at]).unwrap();
        }
    }
    out
}

#[test]
fn a_missing_folder_would_be_noticed() {
    assert!(Path::new(&sessions_folder()).is_dir());
    assert!(case_names().count() >= 35, "golden sessions are missing");
}
