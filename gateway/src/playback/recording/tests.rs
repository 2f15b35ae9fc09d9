//! Tests of reading a recording.
#![allow(clippy::unwrap_used)]

use super::{LineRole, RecordedEnding, Recording, make_ids_unique};
use std::path::Path;
use std::time::Duration;

fn read(lines: &[&str]) -> Recording {
    Recording::from_bytes("case", lines.join("\n").as_bytes())
}

#[test]
fn the_demo_is_whole() {
    let demo = Recording::demo();
    assert!(demo.lines.len() > 3000);
    assert!(demo.lines.iter().all(|line| line.event));
    assert_eq!(demo.session_id.len(), 36);
    let asked = demo.lines.iter().filter(|line| matches!(line.role, LineRole::Opens { .. })).count();
    assert_eq!(asked, 7);
}

#[test]
fn gaps_are_never_negative_and_never_counted_twice() {
    let at = |seconds: u32| {
        format!(r#"{{"type":"x","data":{{}},"timestamp":"2026-01-01T00:00:{seconds:02}.000Z"}}"#)
    };
    let lines = [at(10), at(11), at(5), at(12), r#"{"type":"x","timestamp":7}"#.to_owned(), at(14)];
    let recording = read(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let gaps: Vec<_> = recording.lines.iter().map(|line| line.gap.as_secs()).collect();
    assert_eq!(gaps, [0, 1, 0, 1, 0, 2]);
    assert_eq!(recording.lines.first().unwrap().gap, Duration::ZERO);
}

#[test]
fn what_is_no_event_is_kept_as_it_is() {
    let recording = Recording::from_bytes(
        "x",
        b"\xef\xbb\xbf{\"type\":\"a\"}\r\n\n{broken\n[1]\n{\"kind\":\"b\"}\n\xff\n",
    );
    let lines: Vec<_> = recording.lines.iter().map(|line| (&*line.raw, line.event)).collect();
    let expected = [
        ("{\"type\":\"a\"}", true),
        ("{broken", false),
        ("[1]", false),
        ("{\"kind\":\"b\"}", false),
        ("\u{fffd}", false),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_request_knows_who_settles_it() {
    let recording = read(&[
        r#"{"type":"session.start","data":{"sessionId":"s","selectedModel":"m","context":{"cwd":"/w"}}}"#,
        r#"{"type":"permission.requested","data":{"requestId":"a"}}"#,
        r#"{"type":"permission.requested","data":{"requestId":"a"}}"#,
        r#"{"type":"permission.requested","data":{"requestId":"b"}}"#,
        r#"{"type":"external_tool.requested","data":{"requestId":"t","toolCallId":"c"}}"#,
        r#"{"type":"user_input.requested","data":{"requestId":"q"}}"#,
        r#"{"type":"permission.completed","data":{"requestId":"b","result":{"kind":"denied-by-rules"}}}"#,
        r#"{"type":"permission.completed","data":{"requestId":"a","result":{"kind":"approved"}}}"#,
        r#"{"type":"external_tool.completed","data":{"requestId":"t"}}"#,
        r#"{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true}}"#,
    ]);
    let settled: Vec<_> = recording
        .lines
        .iter()
        .filter_map(|line| match &line.role {
            LineRole::Opens { request_id, settled, .. } => Some((request_id.to_string(), *settled)),
            _ => None,
        })
        .collect();
    let expected = [
        ("a".to_owned(), RecordedEnding::ByPerson { line: 7, due: 7, outcome: None }),
        ("b".to_owned(), RecordedEnding::ByItself),
        ("t".to_owned(), RecordedEnding::ByPerson { line: 8, due: 8, outcome: Some(9) }),
        ("q".to_owned(), RecordedEnding::Never),
    ];
    assert_eq!(settled, expected);
    assert_eq!((recording.session_id.as_str(), recording.facts.cwd.as_deref()), ("s", Some("/w")));
}

#[test]
fn ids_are_unique_and_names_are_readable() {
    let mut two = [read(&["{}"]), read(&["{}"]), read(&["{}"])];
    make_ids_unique(&mut two);
    assert_eq!(two.map(|recording| recording.session_id), ["case", "case-2", "case-3"]);
    assert_eq!(super::name_of(Path::new("/x/plan-then-build/events.jsonl")), "plan-then-build");
    assert_eq!(super::name_of(Path::new("some log.jsonl")), "some log");
}

#[test]
fn a_missing_file_says_which_and_why() {
    let error = Recording::open(Path::new("no/such.jsonl")).unwrap_err().to_string();
    assert!(error.contains("no/such.jsonl") && error.contains("No such file"), "{error}");
}
