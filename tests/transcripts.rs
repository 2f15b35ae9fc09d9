//! Transcripts of other agents, read as session events: an outline for each form, and what holds for any input.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pilothouse::core::transcripts::{LogReader, Report};
use pilothouse::core::view_model::outline;
use pilothouse::core::{EntryState, Kind, Session};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts")
}

/// The transcripts by name.
fn transcripts() -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl" || end == "json"))
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect();
    found.sort();
    found
}

fn events(bytes: &[u8]) -> (String, Option<Report>) {
    let (log, report) = LogReader::whole(bytes, Box::new(|_| None));
    (String::from_utf8(log.into_owned()).unwrap(), report)
}

fn session(log: &str) -> Session {
    let mut session = Session::new();
    session.push(log.as_bytes());
    session.end();
    session
}

#[test]
fn every_form_has_the_outline_that_was_accepted() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut failures = String::new();
    for (name, bytes) in transcripts() {
        let (log, report) = events(&bytes);
        let report = report.expect("it is a transcript");
        let mut outline = outline::of(session(&log).state());
        writeln!(outline, "\n{} ({}), {} lines", report.form.agent(), report.form.name(), report.lines)
            .unwrap();
        for (what, n) in &report.left_out {
            writeln!(outline, "left out: {n} {what}").unwrap();
        }
        let path = folder().join(format!("{name}.outline.txt"));
        if update {
            fs::write(&path, outline).unwrap();
        } else if fs::read_to_string(&path).unwrap_or_default() != outline {
            writeln!(failures, "{name}: the outline is another one now\n{outline}").unwrap();
        }
    }
    assert!(
        failures.is_empty(),
        "\n{failures}If the new outlines are right: UPDATE_GOLDEN=1 cargo test --no-default-features --test transcripts"
    );
}

/// The ids of the events of a log, and its texts, each as it is.
fn ids_and_texts(log: &str) -> (Vec<String>, HashSet<String>) {
    let (mut ids, mut found) = (Vec::new(), HashSet::new());
    for line in log.lines() {
        let event: Value = serde_json::from_str(line).expect("each line of the log is JSON");
        ids.extend(event["id"].as_str().map(str::to_owned));
        texts(&event, &mut |_, text| _ = found.insert(text.to_owned()));
    }
    (ids, found)
}

/// Calls `each` with the texts in a value, and the names that they have.
fn texts<'a>(value: &'a Value, each: &mut impl FnMut(&'a str, &'a str)) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| texts(value, each)),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    // What the programs have of a result for themselves is there once more.
                    _ if name == "toolUseResult" || name == "resultDisplay" => {}
                    Value::String(text) => each(name, text),
                    other => texts(other, each),
                }
            }
        }
        _ => {}
    }
}

/// What must hold of whatever was read.
fn assert_sound(name: &str, bytes: &[u8]) {
    let (log, report) = events(bytes);
    if report.is_none() {
        // Of half a line nobody knows what it is.
        return assert_eq!(log.as_bytes(), bytes, "{name}");
    }
    let (ids, _) = ids_and_texts(&log);
    let unique: HashSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "{name}: an id comes twice");
    let session = session(&log);
    let state = session.state();
    for entry in &state.entries {
        let is_open = matches!(entry.state, EntryState::Streaming | EntryState::Running);
        assert!(!is_open, "{name}: still open: {entry:?}");
    }
    assert_eq!(state.open_requests.len(), 0, "{name}: nobody can answer here");
    assert_eq!(state.counters.duplicate, 0, "{name}");
    assert!(state.entries.iter().all(|entry| entry.kind != Kind::Gap), "{name}: nothing is missing");
}

#[test]
fn a_file_that_is_cut_anywhere_is_read_as_far_as_it_goes() {
    for (name, bytes) in transcripts() {
        for end in (0..bytes.len()).step_by(61) {
            assert_sound(&format!("{name} up to {end}"), &bytes[..end]);
        }
        // A file from which the beginning was cut.
        for start in (0..bytes.len()).step_by(997) {
            assert_sound(&format!("{name} from {start}"), &bytes[start..]);
        }
    }
}

#[test]
fn lines_may_come_in_any_order_twice_or_be_of_no_known_kind() {
    for (name, bytes) in transcripts()
        .into_iter()
        .filter(|(name, _)| Path::new(name).extension().is_some_and(|end| end == "jsonl"))
    {
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut seed = 7_u64;
        for round in 0..40 {
            let mut shuffled = lines.clone();
            for at in (1..shuffled.len()).rev() {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                shuffled.swap(at, usize::try_from(seed >> 33).unwrap() % (at + 1));
            }
            let odd = [
                "{broken",
                "[1]",
                "42",
                r#"{"type":"nobody","uuid":"n","payload":{}}"#,
                r#"{"silly":"this"}"#,
                "",
            ];
            shuffled.insert(round % shuffled.len(), odd[round % odd.len()]);
            shuffled.extend_from_within(..round % lines.len());
            assert_sound(&format!("{name}, round {round}"), shuffled.join("\n").as_bytes());
        }
    }
}

#[test]
fn lines_that_come_twice_change_nothing_where_they_have_ids() {
    for name in ["claude-code.jsonl", "claude-code-2025.jsonl", "gemini.jsonl"] {
        let text = fs::read_to_string(folder().join(name)).unwrap();
        let twice: String = text.lines().flat_map(|line| [line, "\n", line, "\n"]).collect();
        let conversation = |text: &str| {
            let outline = outline::of(session(&events(text.as_bytes()).0).state());
            outline
                .lines()
                .filter(|line| !line.contains("Transcript of") && !line.contains("$rewind"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(conversation(&text), conversation(&twice), "{name}");
    }
}

#[test]
fn the_pieces_in_which_a_file_comes_and_its_encoding_change_nothing() {
    for (name, bytes) in transcripts() {
        let (whole, report) = events(&bytes);
        for size in [1, 7, 4096] {
            let mut reader = LogReader::default();
            let mut log: Vec<u8> =
                bytes.chunks(size).flat_map(|piece| reader.push(piece).into_owned()).collect();
            log.extend(reader.end());
            assert_eq!(String::from_utf8(log).unwrap(), whole, "{name} in pieces of {size}");
            assert_eq!(reader.report(), report, "{name}");
        }
        let text = String::from_utf8(bytes).unwrap();
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(events(windows.as_bytes()).0, whole, "{name} with a mark and CRLF");
        let utf16: Vec<u8> = windows.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(events(&utf16).0, whole, "{name} as UTF-16");
    }
}

#[test]
fn every_text_of_the_conversation_is_in_an_event() {
    for (name, bytes) in transcripts() {
        let (_, found) = ids_and_texts(&events(&bytes).0);
        let said: Vec<&String> = found.iter().collect();
        let text = String::from_utf8(bytes).unwrap();
        let values: Vec<Value> = match serde_json::from_str(&text) {
            Ok(document) => vec![document],
            Err(_) => text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        };
        let names = [
            "text",
            "thinking",
            "content",
            "message",
            "summary",
            "aiTitle",
            "description",
            "subject",
            "thread_name",
            "prompt",
            "command",
            "query",
        ];
        // A milestone has words of its own, and the title of another session is none of this one.
        let left_out = [
            "Conversation compacted",
            "Something else",
            "[Request interrupted by user for tool use]",
            "Request cancelled.",
        ];
        for value in &values {
            texts(value, &mut |member, text| {
                let words = text.trim();
                if names.contains(&member) && words.contains(' ') && !left_out.contains(&words) {
                    // What the program adds for the model, or in which it wraps an output, may be gone.
                    let words = words.strip_prefix("<local-command-stdout>").unwrap_or(words);
                    let words = words.strip_suffix("</local-command-stdout>").unwrap_or(words);
                    assert!(
                        said.iter().any(|said| said.contains(words)),
                        "{name}: {member} is nowhere: {words}"
                    );
                }
            });
        }
    }
}

#[test]
fn a_broken_line_is_said_with_its_number_and_the_rest_is_read() {
    let text = fs::read_to_string(folder().join("claude-code.jsonl")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[9].truncate(40);
    let last = lines.pop().unwrap();
    lines.push(last[..last.len() / 2].to_owned());
    let (log, report) = events(lines.join("\n").as_bytes());
    assert_eq!(report.unwrap().unreadable, 2);
    let session = session(&log);
    assert_eq!(session.state().counters.malformed, 2);
    let snapshot = session.snapshot().to_string();
    assert!(snapshot.contains("line 10"), "{snapshot}");
    assert!(snapshot.contains(&format!("line {}", lines.len())), "{snapshot}");
    assert!(snapshot.contains("What is in this picture?"), "{snapshot}");
}

#[test]
fn a_session_whose_first_line_is_broken_is_found_all_the_same() {
    for name in ["claude-code.jsonl", "codex.jsonl", "codex-2025.jsonl", "gemini.jsonl"] {
        let text = fs::read_to_string(folder().join(name)).unwrap();
        let form = events(text.as_bytes()).1.unwrap().form;
        let broken = format!(
            "{{\"sess{}",
            text.split_once('\n').unwrap().1.split_once('\n').map_or("", |_| &text[20..])
        );
        let report = events(broken.as_bytes()).1.expect(name);
        assert_eq!((report.form, report.unreadable), (form, 1), "{name}");
    }
}

#[test]
fn a_log_of_session_events_goes_through_as_it_is() {
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let mut logs = 0;
    for case in fs::read_dir(sessions).unwrap() {
        let Ok(bytes) = fs::read(case.unwrap().path().join("events.jsonl")) else { continue };
        logs += 1;
        for size in [13, bytes.len().max(1)] {
            let mut reader = LogReader::default();
            let mut log: Vec<u8> =
                bytes.chunks(size).flat_map(|piece| reader.push(piece).into_owned()).collect();
            log.extend(reader.end());
            assert!(log == bytes && reader.report().is_none());
        }
    }
    assert!(logs > 40, "{logs}");
    for other in [
        "",
        "\n",
        "[]",
        "data: {\"type\":\"x\"}\n\n",
        "{\"type\":\"user\"}",
        "no log at all",
        "{\n\"a\":1\n}",
    ] {
        let (log, report) = events(other.as_bytes());
        assert_eq!((log.as_str(), report), (other, None));
    }
}

#[test]
fn usage_is_counted_once_for_each_call_of_the_model() {
    let used = |name: &str| {
        let (log, _) = events(&fs::read(folder().join(name)).unwrap());
        let snapshot = session(&log).snapshot();
        let usage = &snapshot["usage"];
        (usage["inputTokens"].as_u64(), usage["outputTokens"].as_u64())
    };
    // Nine messages of the main agent and two of the sub-agent, each on several lines; of the first the last line has all.
    let input = 904 + 1106 + 1156 + 1326 + 1426 + 1516 * 4 + 30;
    let output = 120 + 40 + 60 + 25 + 30 + 10 * 4 + 17;
    assert_eq!(used("claude-code.jsonl"), (Some(input), Some(output)));
    assert_eq!(used("codex.jsonl"), (Some(1000), Some(50)), "the same count came twice");
    assert_eq!(
        used("gemini.jsonl"),
        (Some(1900), Some(140)),
        "the message came four times, and once more in a list"
    );
}

#[test]
fn the_transcript_of_a_sub_agent_comes_where_its_call_ends() {
    let text = fs::read_to_string(folder().join("claude-code.jsonl")).unwrap();
    let of_main = |line: &&str| !line.contains("\"isSidechain\":true");
    let main: String = text.split_inclusive('\n').filter(of_main).collect();
    let own = fs::read(folder().join("claude-code-subagent.jsonl")).unwrap();
    let siblings = move |id: &str| (id == "a1b2c3").then(|| own.clone());
    let (log, _) = LogReader::whole(main.as_bytes(), Box::new(siblings));
    let log = String::from_utf8(log.into_owned()).unwrap();
    let merged = outline::of(session(&log).state());
    let whole = outline::of(session(&events(text.as_bytes()).0).state());
    let timeline = |outline: &str| {
        let lines = outline
            .lines()
            .skip_while(|line| *line != "timeline")
            .filter(|line| !line.contains("Transcript of"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(timeline(&merged), timeline(&whole));
}
