//! Reads the records in the strings of another program's log, such as Docker's `{"log":"{…}\n","stream":"stdout"}`.

use std::ops::Range;

use super::reader::holds_record;
use super::scanner::Scanner;
use super::{Malformed, Record, Token, members, records};

/// How deep strings are looked for.
const DEEPEST: u8 = 6;

/// Reads the records in the members of a JSON object that is no record itself; false if there are none.
pub(super) fn read(line: &str, sink: &mut dyn FnMut(Result<Record<'_>, Malformed<'_>>)) -> bool {
    read_inside(line, sink, DEEPEST)
}

fn read_inside(text: &str, sink: &mut dyn FnMut(Result<Record<'_>, Malformed<'_>>), depth: u8) -> bool {
    let mut is_read = false;
    let mut each = |value: Token<'_>| match value {
        Token::Nested(inside) if holds_record(inside) => {
            records(inside, |found| sink(found));
            is_read = true;
        }
        Token::Nested(inside) if depth > 0 => is_read |= read_inside(inside, sink, depth - 1),
        other => is_read |= read_text(other, sink),
    };
    let _ = match text.starts_with('[') {
        true => Scanner::at(text, 1).elements(each),
        false => members(text, |_, value| each(value)),
    };
    is_read
}

/// The value in the rest of a line, behind the prefix of a log, in which a record is a string: an object with one, or the
/// string itself. The bytes from which to which it goes.
pub(super) fn behind_prefix(line: &str) -> Option<Range<usize>> {
    let escaped = line.find("{\\\"")?;
    let before = line.get(..escaped)?;
    let start = before.find("{\"").or_else(|| before.ends_with('"').then(|| escaped - 1))?;
    let value = Scanner::at(line, start).value()?;
    holds(value, DEEPEST).then(|| start..start + value.raw().len())
}

/// Whether a string in a value has a record. It reads none: what is read twice at each level would be read very often.
fn holds(value: Token<'_>, depth: u8) -> bool {
    match value {
        Token::Nested(inside) if depth > 0 && inside.starts_with('{') => {
            let mut holds_any = false;
            let _ = members(inside, |_, value| holds_any = holds_any || holds(value, depth - 1));
            holds_any
        }
        Token::Str { escaped: true, .. } => value.text().is_some_and(|text| holds_record(&text)),
        _ => false,
    }
}

/// Reads a string; false if it has no record.
pub(super) fn read_text(value: Token<'_>, sink: &mut dyn FnMut(Result<Record<'_>, Malformed<'_>>)) -> bool {
    // A record in a string has escaped quotation marks.
    let Token::Str { escaped: true, .. } = value else { return false };
    let Some(text) = value.text().filter(|text| holds_record(text)) else { return false };
    // By reference, so that a text within a text needs no new type of sink.
    records(&text, |found| sink(found));
    true
}

#[cfg(test)]
mod tests {
    use crate::Session;
    use crate::model::entry::Kind;
    use serde_json::{Value, json};

    const EVENT: &str = r#"{"type":"user.message","id":"1","data":{"content":"A \"b\"\nc","messageId":"m"}}"#;

    /// How many events were read, and how many records were malformed.
    fn read(log: &str) -> (u64, u64) {
        let mut session = Session::new();
        session.push(log.as_bytes());
        session.end();
        let text = session.state().entries.iter().find(|entry| entry.kind == Kind::User);
        let text = text.map(|entry| entry.text.as_str());
        let counters = &session.state().counters;
        if counters.total > 0 {
            assert_eq!(text, Some("A \"b\"\nc"), "{log}");
        }
        (counters.total, counters.malformed)
    }

    #[test]
    fn events_in_the_strings_of_logs_are_read() {
        let line = format!("{EVENT}\n");
        for log in [
            json!({ "log": line, "stream": "stdout", "time": "2026-09-14T08:00:00Z" }).to_string(),
            json!({ "attrs": { "tag": "a" }, "time": "2026-09-14T08:00:00Z", "log": line }).to_string(),
            json!({ "MESSAGE": EVENT, "__CURSOR": "s=1", "PRIORITY": "6" }).to_string(),
            json!({ "textPayload": EVENT, "insertId": "x", "labels": {} }).to_string(),
            json!([{ "timestamp": 1, "message": EVENT }]).to_string(),
            json!([{ "insertId": "x", "jsonPayload": serde_json::from_str::<Value>(EVENT).unwrap() }])
                .to_string(),
            json!({ "events": [{ "timestamp": 1, "message": EVENT }] }).to_string(),
            json!({ "jsonrpc": "2.0", "method": "session.event", "params": { "event": EVENT } }).to_string(),
            json!([EVENT]).to_string(),
            json!(EVENT).to_string(),
            json!({ "seq": 3, "text": json!({ "log": line }).to_string() }).to_string(),
        ] {
            assert_eq!(read(&log), (1, 0), "{log}");
            assert_eq!(read(&format!("{log}\r\n{log}\n")), (2, 0), "{log}");
        }
        let noted = json!({ "log": format!("12:00 {EVENT}"), "stream": "stdout" }).to_string();
        assert_eq!(read(&noted), (1, 1), "only what is before it is malformed");
        for log in [
            format!("2026-09-14T08:00:00Z\tdocker.app\t{}", json!({ "log": line })),
            format!("web-1 | {}", json!({ "MESSAGE": EVENT })),
            format!("level=info msg={}", json!(EVENT)),
        ] {
            assert_eq!(read(&log), (1, 1), "{log}");
            assert_eq!(read(&format!("{log}\n{log}\n")), (2, 2), "{log}");
        }
    }

    #[test]
    fn texts_in_texts_are_read_in_time_that_grows_with_them() {
        let mut text = format!("{EVENT}{}", "x".repeat(20_000));
        for _ in 0..10 {
            text = format!("{EVENT} x {}", json!({ "log": text }));
        }
        let mut session = Session::new();
        session.push(text.as_bytes());
        session.end();
        assert!(session.state().counters.total >= 10);
    }

    #[test]
    fn other_objects_and_strings_are_malformed_once() {
        for log in [
            r#"{"log":"starting \"server\"\n","stream":"stdout"}"#,
            r#"{"log":"{\"level\":\"info\"}","stream":"stdout"}"#,
            r#""{\"no\":\"record\"}""#,
            r#""words""#,
            r#"12:00 msg="{\"no\":\"record\"}""#,
            r#"12:00 {"log":"{\"no\":\"record\"}"}"#,
            r#"{"a":[{"b":{"c":"{\"no\":\"record\"}"}}]}"#,
            r#"{"log":"{\"type\":\"a.b\",\"id\":\"1\",\"data\":{"}"#,
        ] {
            assert_eq!(read(log), (0, 1), "{log}");
        }
        let called = r#"{"type":"user.message","id":"1","data":{"content":"A \"b\"\nc","more":"{\"type\":\"a.b\",\"id\":\"2\",\"data\":{}}"}}"#;
        assert_eq!(read(called), (1, 0), "a text inside an event is a text");
    }
}
