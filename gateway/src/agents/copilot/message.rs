//! The runtime's protocol: frames (`Content-Length: N`, an empty line, N bytes), each with one message. A message is read as
//! slices, so that an event keeps the exact bytes in which the runtime wrote it.

use std::borrow::Cow;
use std::io;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

use super::backlog::Sign;
use pilothouse_core::protocol::EventKind;
use pilothouse_core::wire::half_characters;

/// In bytes. No frame of the runtime comes near it, so a larger length is an error.
const LARGEST_FRAME: u64 = 1 << 30;
const LONGEST_HEADER: u64 = 64 << 10;

/// One message of the runtime.
#[derive(Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// A `session.event` notification.
    Event {
        /// The session's id.
        session_id: Cow<'a, str>,
        /// The event's bytes.
        event: &'a str,
    },
    /// An answer to a call of ours.
    Response {
        /// The call's id.
        id: u64,
        /// The bytes of its `result`, or of its `error`.
        outcome: Result<&'a str, &'a str>,
    },
    /// A request of the runtime.
    Request {
        /// Its id as JSON text, as it must be sent back.
        id: &'a str,
        /// The method.
        method: Cow<'a, str>,
    },
    /// Any other notification.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// The bytes of its parameters.
        params: &'a str,
    },
    /// None of these.
    Unreadable,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct EventParams<'a> {
    #[serde(borrow, rename = "sessionId")]
    session_id: Cow<'a, str>,
    #[serde(borrow)]
    event: &'a RawValue,
}

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(borrow, rename = "type")]
    event_type: Cow<'a, str>,
}

/// Reads the bytes of the next frame; `None` at the end. A line that is not a header was printed by the program:
/// it is skipped and handed to `printed`.
pub async fn read_frame(
    from: &mut (impl AsyncBufRead + Unpin),
    printed: &mut (impl FnMut(&[u8]) + Send),
) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if (&mut *from).take(LONGEST_HEADER).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        match (line.trim_ascii(), length) {
            ([], Some(_)) => break,
            (header, _) => {
                if !is_header(header) {
                    printed(header);
                }
                length = content_length(header)?.or(length);
            }
        }
    }
    let length = length.unwrap_or_default();
    let mut bytes = Vec::new();
    if (&mut *from).take(length).read_to_end(&mut bytes).await? as u64 == length {
        return Ok(Some(bytes));
    }
    Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ended in the middle of a message"))
}

/// The frame of this text.
pub fn frame(text: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

/// Whether a line has the form of a header, known or not.
fn is_header(line: &[u8]) -> bool {
    line.is_empty() || line.get(..8).is_some_and(|begin| begin.eq_ignore_ascii_case(b"content-"))
}

fn content_length(header: &[u8]) -> io::Result<Option<u64>> {
    let Some((name, value)) = std::str::from_utf8(header).ok().and_then(|header| header.split_once(':'))
    else {
        return Ok(None);
    };
    if !name.eq_ignore_ascii_case("content-length") {
        return Ok(None);
    }
    match value.trim().parse() {
        Ok(length) if length <= LARGEST_FRAME => Ok(Some(length)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {} bytes", value.trim()))),
    }
}

/// Reads the message in a frame.
pub fn read(text: &str) -> Message<'_> {
    let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(text) else {
        return Message::Unreadable;
    };
    match (envelope.method, envelope.id) {
        (Some(method), None) if method == "session.event" => {
            let params = envelope.params.map(|params| serde_json::from_str::<EventParams<'_>>(params.get()));
            match params {
                Some(Ok(params)) => {
                    Message::Event { session_id: params.session_id, event: params.event.get() }
                }
                _ => Message::Unreadable,
            }
        }
        (Some(method), None) => {
            Message::Notification { method, params: envelope.params.map_or("null", RawValue::get) }
        }
        (Some(method), Some(id)) => Message::Request { id: id.get(), method },
        (None, Some(id)) => match id.get().parse() {
            // A `null` result is deserialised as `None`.
            Ok(id) => Message::Response {
                id,
                outcome: match envelope.error {
                    Some(error) => Err(error.get()),
                    None => Ok(envelope.result.map_or("null", RawValue::get)),
                },
            },
            Err(_) => Message::Unreadable,
        },
        (None, None) => Message::Unreadable,
    }
}

/// The type of change that the parameters of a `session.lifecycle` tell.
pub fn lifecycle(params: &str) -> String {
    let params = serde_json::from_str::<Value>(params).unwrap_or_default();
    params["type"].as_str().unwrap_or_default().to_owned()
}

/// An event's type.
pub fn kind(event: &str) -> EventKind {
    let event = serde_json::from_str::<Typed<'_>>(event);
    event.map_or(EventKind::Unknown, |event| EventKind::parse(&event.event_type))
}

/// What this event shows of something that a person sent; none for any other event.
pub fn sign(event: &str) -> Option<Sign> {
    const KINDS: [EventKind; 3] =
        [EventKind::UserMessage, EventKind::CommandQueued, EventKind::CommandCompleted];
    // Most events are none of these, so they are not parsed.
    if !KINDS.iter().any(|kind| event.contains(kind.name())) {
        return None;
    }
    let event = value(event)?;
    let text = |name: &str| event["data"][name].as_str().map(str::to_owned);
    match EventKind::of(&event) {
        EventKind::UserMessage => {
            Some(Sign::Begun { message_id: text("messageId")?, text: text("content").unwrap_or_default() })
        }
        EventKind::CommandQueued => {
            Some(Sign::CommandRequested { request_id: text("requestId")?, command: text("command")? })
        }
        EventKind::CommandCompleted => Some(Sign::Ended { request_id: text("requestId")? }),
        _ => None,
    }
}

/// The id of the message that begins with this event, and the parameters with which a person sent it; none for any
/// other event.
pub fn sent(event: &str) -> Option<(String, Map<String, Value>)> {
    if !event.contains(EventKind::UserMessage.name()) {
        return None;
    }
    let mut event = value(event).filter(|event| EventKind::of(event) == EventKind::UserMessage)?;
    let by_program = |event: &Value| {
        let data = &event["data"];
        let names = ["source", "parentToolCallId"].map(|name| &data[name]);
        event["agentId"].is_string()
            || data["isAutopilotContinuation"] == true
            || names.iter().any(|name| name.as_str().is_some_and(|name| !name.is_empty() && name != "user"))
    };
    if by_program(&event) {
        return None;
    }
    let data = &mut event["data"];
    let mut params = Map::new();
    for (name, own) in [("prompt", "content"), ("attachments", "attachments"), ("agentMode", "agentMode")] {
        let value = data[own].take();
        if !value.is_null() {
            params.insert(name.to_owned(), value);
        }
    }
    params.get("prompt")?;
    Some((data["messageId"].as_str()?.to_owned(), params))
}

/// An event as a value, with U+FFFD in place of halves of characters.
fn value(event: &str) -> Option<Value> {
    serde_json::from_str(half_characters::replaced(event).as_deref().unwrap_or(event)).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Message, frame, read, read_frame};
    use crate::journal::Entry;

    #[test]
    fn an_event_keeps_its_bytes() {
        let event = "{ \"data\" : {\"n\":1.0e3,\"t\":\"\\u00e9\\/\"},\"id\":\"i\",  \"type\":\"x\",\"ephemeral\":true }";
        let text = format!(
            "{{\"params\":{{\"extra\":[1],\"event\": {event} ,\"sessionId\":\"a\\u0062\"}},\"method\":\"session.event\",\"jsonrpc\":\"2.0\"}}"
        );
        assert_eq!(read(&text), Message::Event { session_id: "ab".into(), event });
        let entry = Entry::read(event);
        assert_eq!((&*entry.raw, entry.event, entry.persisted), (event, true, false));
        assert_eq!(entry.id().as_deref(), Some("i"));
    }

    #[test]
    fn answers_requests_and_notices_are_told_apart() {
        let result = r#"{"jsonrpc":"2.0","id":7,"result": {"a": 1.50}}"#;
        assert_eq!(read(result), Message::Response { id: 7, outcome: Ok(r#"{"a": 1.50}"#) });
        let nothing = r#"{"jsonrpc":"2.0","id":7,"result":null}"#;
        assert_eq!(read(nothing), Message::Response { id: 7, outcome: Ok("null") });
        let error = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1}}"#;
        assert_eq!(read(error), Message::Response { id: 7, outcome: Err(r#"{"code":-1}"#) });
        let asks = r#"{"id":"x-1","method":"hooks.invoke","params":{}}"#;
        assert_eq!(read(asks), Message::Request { id: "\"x-1\"", method: "hooks.invoke".into() });
        let notification = r#"{"method":"session.lifecycle","params":{}}"#;
        assert_eq!(
            read(notification),
            Message::Notification { method: "session.lifecycle".into(), params: "{}" }
        );
        for wrong in ["", "{", "[]", "1", r#"{"method":"session.event","params":{"sessionId":1,"event":{}}}"#]
        {
            assert_eq!(read(wrong), Message::Unreadable, "{wrong}");
        }
    }

    async fn all(mut bytes: &[u8]) -> Vec<String> {
        let mut frames = Vec::new();
        while let Some(frame) = read_frame(&mut bytes, &mut |_: &[u8]| {}).await.unwrap() {
            frames.push(String::from_utf8(frame).unwrap());
        }
        frames
    }

    #[tokio::test]
    async fn what_is_written_is_read_whatever_else_is_printed() {
        let mut bytes = frame("{\"a\": \"é\\r\\n\"}");
        bytes.extend(b"warning: a line of somebody's\n");
        bytes.extend(b"content-length:2\r\nContent-Type: application/json\r\n\r\n{}");
        bytes.extend(frame(""));
        assert_eq!(all(&bytes).await, ["{\"a\": \"é\\r\\n\"}", "{}", ""]);
    }

    #[tokio::test]
    async fn a_torn_frame_is_an_error_and_no_frame() {
        let whole = frame("{\"a\":1}");
        let mut torn = whole.get(..whole.len() - 1).unwrap();
        let mut printed = Vec::new();
        let mut print = |line: &[u8]| printed.push(line.to_vec());
        assert!(read_frame(&mut torn, &mut print).await.is_err());
        let mut endless: &[u8] = b"Content-Length: 99999999999999999999\r\n\r\n";
        assert!(read_frame(&mut endless, &mut print).await.is_err());
        let mut spoken: &[u8] = b"Usage: runtime [options]\ncontent-type: x\nContent-Length: 2\r\n\r\n{}";
        assert!(read_frame(&mut spoken, &mut print).await.is_ok());
        assert_eq!(printed, [b"Usage: runtime [options]"]);
    }
}
