//! Reads the records in the strings of another program's log, such as Docker's `{"log":"{…}\n","stream":"stdout"}`.

use super::reader::holds_record;
use super::{Malformed, Record, Token, members, records};

/// Reads the first member with a record of a JSON object that is no record itself; false if no member has one.
pub(super) fn read(line: &str, sink: &mut dyn FnMut(Result<Record<'_>, Malformed<'_>>)) -> bool {
    let mut is_read = false;
    let _ = members(line, |_, value| {
        is_read = is_read
            || match value {
                Token::Nested(inside) if holds_record(inside) => {
                    records(inside, |found| sink(found));
                    true
                }
                other => read_text(other, sink),
            };
    });
    is_read
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
            json!([EVENT]).to_string(),
            json!(EVENT).to_string(),
            json!({ "seq": 3, "text": json!({ "log": line }).to_string() }).to_string(),
        ] {
            assert_eq!(read(&log), (1, 0), "{log}");
            assert_eq!(read(&format!("{log}\r\n{log}\n")), (2, 0), "{log}");
        }
        let noted = json!({ "log": format!("12:00 {EVENT}"), "stream": "stdout" }).to_string();
        assert_eq!(read(&noted), (1, 1), "only what is before it is malformed");
    }

    #[test]
    fn other_objects_and_strings_are_malformed_once() {
        for log in [
            r#"{"log":"starting \"server\"\n","stream":"stdout"}"#,
            r#"{"log":"{\"level\":\"info\"}","stream":"stdout"}"#,
            r#""{\"no\":\"record\"}""#,
            r#""words""#,
            r#"{"log":"{\"type\":\"a.b\",\"id\":\"1\",\"data\":{"}"#,
        ] {
            assert_eq!(read(log), (0, 1), "{log}");
        }
        let called = r#"{"type":"user.message","id":"1","data":{"content":"A \"b\"\nc","more":"{\"type\":\"a.b\",\"id\":\"2\",\"data\":{}}"}}"#;
        assert_eq!(read(called), (1, 0), "a text inside an event is a text");
    }
}
