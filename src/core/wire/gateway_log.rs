//! Reads the lines of the log that the gateway keeps of a session (`sessions/ID.jsonl`).
//!
//! `{"seq", "event"}` is an event with its position. `{"seq", "text"}` is an input that is not an event, or not on one
//! line. `{"settings"}` is what the session is resumed with, and not part of it.

use super::{Event, JsonToken, Record, Sink, event, has_type, members, platform_shape, records};

/// The name under which a line with a session's settings is noted.
const SETTINGS: &str = "pilothouse.settings";

/// Reads a JSON object that is such a line; false if it is another object.
pub(super) fn read(line: &str, sink: &mut Sink<'_>) -> bool {
    let (mut seq, mut inner, mut text, mut settings, mut others) = (None, None, None, false, false);
    let scanned = members(line, |key, value| match (key, value) {
        ("seq", JsonToken::Scalar(number)) => seq = number.parse().ok(),
        ("event", JsonToken::Nested(object)) if object.starts_with('{') => inner = Some(object),
        ("text", value @ JsonToken::Str { .. }) => text = value.text(),
        ("settings", JsonToken::Nested(object)) if object.starts_with('{') => settings = true,
        _ => others = true,
    });
    if scanned.is_none() || others {
        return false;
    }
    match (seq, inner, text, settings) {
        (Some(seq), Some(inner), None, false) if has_type(inner) => event(inner, Some(seq), None, sink),
        (Some(seq), None, Some(text), false) => records(&text, |found| match found {
            Ok(Record::Event(event)) if platform_shape(&event).is_none() => {
                sink(Ok(Record::Event(Event { seq: Some(seq), ..event })));
            }
            found => sink(found),
        }),
        (None, None, None, true) => {
            sink(Ok(Record::Notification { method: SETTINGS.to_owned(), raw: line }));
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::Session;
    use crate::wire::{Record, records};

    fn found(line: &str) -> Vec<String> {
        let mut found = Vec::new();
        records(line, |record| {
            found.push(match record {
                Ok(Record::Event(event)) => format!("{} at {:?}", event.kind, event.seq),
                Ok(Record::Notification { method, .. }) => method,
                Ok(_) => "another record".to_owned(),
                Err(malformed) => format!("malformed: {}", malformed.text),
            });
        });
        found
    }

    #[test]
    fn every_form_of_a_line_is_read() {
        for (line, expected) in [
            (r#"{"seq":7,"event":{ "data":{}, "type":"a", "id":"1" }}"#, "a at Some(7)"),
            (
                r#"{"seq":8,"event":{"type":"a.b","data":{},"id":"2","timestamp":"x","parentId":null}}"#,
                "a.b at Some(8)",
            ),
            ("{\"seq\":9,\"text\":\"{\\n\\\"type\\\":\\\"c\\\"}\"}", "c at Some(9)"),
            (r#"{"seq":10,"text":"{\"no type\":true}"}"#, r#"malformed: {"no type":true}"#),
            (r#"{"settings":{"agent":"x"}}"#, "pilothouse.settings"),
        ] {
            assert_eq!(found(line), [expected]);
        }
        assert!(found(r#"{"seq":1,"text":""}"#).is_empty());
    }

    #[test]
    fn what_only_looks_like_a_line_is_none() {
        for line in [
            r#"{"seq":1}"#,
            r#"{"seq":"1","event":{"type":"a"}}"#,
            r#"{"seq":1,"event":{"no":"type"}}"#,
            r#"{"seq":1,"event":[]}"#,
            r#"{"seq":1,"event":{"type":"a"},"more":2}"#,
            r#"{"event":{"type":"a"}}"#,
            r#"{"settings":1}"#,
        ] {
            assert_eq!(found(line), [format!("malformed: {line}")]);
        }
        assert_eq!(found(r#"{"type":"a","seq":1,"event":{"type":"b"}}"#), ["a at None"]);
    }

    #[test]
    fn a_log_gives_the_same_session_as_its_events() {
        let events = [
            r#"{"type":"user.message","id":"1","data":{"content":"Go","messageId":"m"}}"#,
            r#"{"type":"assistant.message","id":"2","data":{"content":"Gone","messageId":"n"}}"#,
        ];
        let (mut bare, mut logged) = (Session::new(), Session::new());
        bare.push(format!("{}\n", events.join("\n")).as_bytes());
        let lines: Vec<_> =
            (1..).zip(events).map(|(seq, event)| format!(r#"{{"seq":{seq},"event":{event}}}"#)).collect();
        let log = format!("{{\"settings\":{{}}}}\n{}\n", lines.join("\n"));
        for byte in log.as_bytes().chunks(3) {
            logged.push(byte);
        }
        assert_eq!(logged.snapshot(), bare.snapshot());
    }
}
