//! Reading dirty input: whatever stands between the records of a log, every event whose own bytes are whole is read, once,
//! with its true content, as a stream in any pieces, as frames and as server-sent events.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::OnceLock;

#[path = "support/dirty.rs"]
mod dirty;
#[path = "support/golden.rs"]
mod golden;

use dirty::{Dirty, read_as_frame, read_as_server_sent, read_in_pieces, with_raw_controls};
use golden::logs;
use pilothouse::core::Session;
use pilothouse::core::model::entry::{EntryState, Kind};
use pilothouse::core::view_model::entry_words;
use serde_json::Value;

/// The events of the recorded sessions.
fn events() -> &'static [Value] {
    static EVENTS: OnceLock<Vec<Value>> = OnceLock::new();
    EVENTS.get_or_init(|| {
        let whole = |line: &[u8]| serde_json::from_slice::<Value>(line).ok();
        let logs = logs();
        let lines = logs.iter().flat_map(|(_, log)| log.split(|byte| *byte == b'\n'));
        let events =
            lines.filter_map(whole).filter(|event| event["type"].is_string() && event["data"].is_object());
        events
            .filter(|event| event["type"].as_str().unwrap().contains('.') && event.to_string().len() < 2000)
            .collect()
    })
}

/// Bytes that follow from a number.
fn bytes(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..24 {
        number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        bytes.extend((number ^ number >> 29).to_be_bytes());
    }
    bytes
}

#[test]
fn every_whole_event_is_read_once_whatever_is_around_it() {
    let mut accidents = 0;
    for case in 0..10_000 {
        let dirty = Dirty::new(events(), &bytes(case));
        accidents += dirty.assert_read(&read_in_pieces(&dirty), &format!("case {case} as a stream"));
        accidents += dirty.assert_read(&read_as_frame(&dirty), &format!("case {case} as a frame"));
        if case % 4 == 0 {
            let how = format!("case {case} as a server-sent event");
            accidents += dirty.assert_read(&read_as_server_sent(&dirty), &how);
        }
    }
    assert!(accidents < 30, "{accidents} events were made of junk");
}

fn session(log: &str) -> Session {
    let mut session = Session::new();
    session.push(log.as_bytes());
    session.end();
    session
}

fn texts(session: &Session) -> Vec<String> {
    session
        .state()
        .entries
        .iter()
        .filter(|entry| entry.kind == Kind::Assistant)
        .map(|entry| entry_words::text(entry).into())
        .collect()
}

fn message(id: &str, content: &str) -> String {
    format!(
        r#"{{"type":"assistant.message","data":{{"messageId":"{id}","content":"{content}","toolRequests":[]}},"id":"{id}","timestamp":"2026-09-14T08:00:00.000Z","parentId":null}}"#
    )
}

#[test]
fn only_the_piece_before_a_record_is_malformed() {
    let whole = message("m1", "The whole answer.");
    let torn = &whole[..75];
    for (before, malformed) in [
        ("", 0),
        ("\0\0\0", 0),
        ("\u{1e}", 0),
        ("\u{c}", 0),
        ("\u{feff}", 0),
        ("INFO wrote ", 1),
        ("{", 1),
        ("{{{", 1),
        (",", 1),
        ("[", 1),
        ("\"", 1),
        (torn, 1),
        (&torn.repeat(3), 1),
        (&[torn, " INFO ", torn, "\0"].concat(), 1),
        ("event: ", 1),
        (":true}", 1),
        ("[DONE] ", 1),
        (&[torn, "\n"].concat(), 1),
        (&[torn, "\nlog\n"].concat(), 2),
    ] {
        for after in ["", "\n", "\r\n", "\0", "\u{1e}", "\n\u{feff}\n"] {
            let log = [before, &whole, after].concat();
            let streamed = session(&log);
            assert_eq!(texts(&streamed), ["The whole answer."], "{log:?}");
            assert_eq!(streamed.state().counters.malformed, malformed, "{log:?}");
            if before != "event: " {
                let mut framed = Session::new();
                framed.push_frame(&log);
                assert_eq!(framed.snapshot()["entries"], streamed.snapshot()["entries"], "{log:?}");
            }
        }
    }
}

#[test]
fn a_string_may_go_on_in_the_next_lines() {
    let whole = message("m1", "one\n[DONE]\n\ndata: two\n: three");
    let raw = with_raw_controls(&whole, "\n");
    let text = ["one\n[DONE]\n\ndata: two\n: three"];
    for log in
        [raw.clone(), format!("{raw}\n"), raw.replace('\n', "\r\n") + "\r\n", format!("INFO {raw}{raw} end")]
    {
        let read = session(&log);
        assert_eq!(texts(&read), text, "{log:?}");
        assert_eq!(read.state().counters.malformed, if log.starts_with('I') { 2 } else { 0 }, "{log:?}");
    }
}

#[test]
fn a_record_may_be_printed_over_several_lines() {
    let indented = |text: &str| {
        let value: Value = serde_json::from_str(text).unwrap();
        serde_json::to_string_pretty(&value).unwrap()
    };
    let (one, two) = (message("a", "one {"), message("b", "two"));
    let frame = format!(r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"seq":7,"event":{two}}}}}"#);
    for (log, malformed) in [
        (format!("{}\n{}\n", indented(&one), indented(&two)), 0),
        (indented(&format!("[{one},{two}]")).replace('\n', "\r\n"), 0),
        (format!("{}\n{}", indented(&one), indented(&frame)), 0),
        (format!("[\n{one},\n{two}\n]\n"), 3),
    ] {
        let read = session(&log);
        assert_eq!(texts(&read), ["one {", "two"], "{log}");
        assert_eq!(read.state().counters.malformed, malformed, "{log}");
    }
}

#[test]
fn a_record_that_is_never_closed_costs_no_neighbour() {
    let (one, two) = (message("a", "one"), message("b", "two"));
    for torn in
        [r#"{"type":"assistant.message","data":"#, r#"{"type":"x.y","list":["#, "{", r#"{"a":1,"#, "["]
    {
        for log in [
            format!("{torn}\n{one}\n{torn}\n\nwords\n{two}\n{torn}"),
            format!("{torn}\n{torn}\n{one}\n{two}\n"),
        ] {
            let read = session(&log);
            assert_eq!(texts(&read), ["one", "two"], "{log}");
            assert!(read.state().counters.malformed > 0, "{log}");
        }
    }
    // A whole event is not kept back by what is open around it.
    let mut live = Session::new();
    live.push(format!("[\n{one}\n").as_bytes());
    assert_eq!(texts(&live), ["one"]);
}

#[test]
fn a_string_that_is_never_closed_costs_no_neighbour() {
    let torn = r#"{"type":"assistant.message","data":{"messageId":"x","content":"torn"#;
    let log = [torn, "plain words", torn, &message("a", "one"), torn, &message("b", "two"), torn].join("\n");
    let read = session(&log);
    assert_eq!(texts(&read), ["one", "two"]);
    let lines: Vec<_> =
        read.state().diagnostics.iter().map(|told| told.message.words().to_string()).collect();
    assert_eq!(lines.len(), 5);
    for (line, told) in [1, 2, 3, 5, 7].into_iter().zip(&lines) {
        assert!(told.starts_with(&format!("line {line} ")), "{told}");
    }
}

#[test]
fn a_good_copy_is_no_duplicate_of_a_bad_one() {
    let good = message("m1", "good");
    let data = r#"{"messageId":"m1","content":"good","toolRequests":[]}"#;
    // Its data is not an object; it is made of two torn copies; it is broken in the middle.
    for bad in [
        good.replace(data, r#""gone""#),
        good.replace("good\"", "go\ngood\""),
        good.replace("good\",", "good\""),
        good.replace("good\"", "good\"\""),
    ] {
        let read = session(&format!("{bad}\n{good}\n{good}\n"));
        assert_eq!(texts(&read), ["good"], "{bad:?}");
        let again = session(&format!("{bad}\n{bad}\n{good}\n{bad}\n"));
        assert_eq!(texts(&again), ["good"], "{bad:?}");
    }
    let torn = r#"{"type":"assistant.message","data":["#;
    assert_eq!(session(&format!("{torn}\n{good}")).state().counters.duplicate, 0);
}

#[test]
fn done_ends_a_stream_only_alone_on_its_line() {
    let chunk = r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}"#;
    for (line, ends) in [
        ("[DONE]", true),
        (" [DONE]\r", true),
        ("\0[DONE]", true),
        ("[DONE] or not", false),
        ("x [DONE]", false),
    ] {
        let mut read = Session::new();
        read.push(format!("{chunk}\n{line}\n").as_bytes());
        let is_over = read.state().entries[0].state == EntryState::Done;
        assert_eq!((texts(&read), is_over), (vec!["Hi".to_owned()], ends), "{line:?}");
    }
}

/// The time is not measured: what is not linear does not end.
#[test]
fn events_of_a_captured_stream_stay_before_the_records_behind_them() {
    let (first, second, third) = (message("m1", "one"), message("m2", "two"), message("m3", "three"));
    for log in [
        format!("data: {first}\n{second}\n{third}\n"),
        format!("data: torn\ndata: {first}\npanicked: {{\n{second}\ndata: {third}\n\n"),
        format!("event: message\nGET / 200\ndata: {first}\n\n{second}\n: {third}\ndata: {third}"),
    ] {
        assert_eq!(texts(&session(&log)), ["one", "two", "three"], "{log}");
    }
    let log = format!("data: torn\n:\"t\"}} {first}\n{second}\n: note {third}\n: {{\"ping\": 1}}\n");
    assert_eq!(texts(&session(&log)), ["one", "two", "three"], "behind what looks like a comment: {log}");
    let log = format!("data: torn\n:\"t\"}} {}\n{second}\n", first.replace("one", "o\nne"));
    assert_eq!(texts(&session(&log)), ["o\nne", "two"], "and goes on in the next line: {log}");
    let broken = message("m1", "one\\ntwo").replace("\\\\n", "\n");
    let log = format!("data: torn }} {broken}\n{second}\n");
    assert_eq!(
        texts(&session(&log)),
        ["one\ntwo", "two"],
        "a record goes on in the line after its field: {log}"
    );
}

#[test]
fn the_search_for_records_is_linear() {
    let most = 256 << 10;
    for piece in [
        "{",
        "{\"",
        "{\"a\":",
        "[{\"a\":",
        "{\"{\":\"",
        "{\"a\":\"x\ny\",",
        "[1,\n",
        "{\"a\":1}x",
        "\\\"{",
        "{\n",
        "{ ",
    ] {
        let text = piece.repeat(most / piece.len());
        session(&text);
        Session::new().push_frame(&text);
    }
}
