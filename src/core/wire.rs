//! Splits text into records and finds out which kind of record each JSON value is, without building a tree
//! for it.
//!
//! Ordinary events are read by `pilothouse_scan` in one pass, everything else by the slower scanner here.
//! Both borrow from the input, because three of four events are deltas whose envelope is not stored.

use pilothouse_scan::{self as scan, Members};
use serde_json::Value;

use crate::protocol::catalogue;

pub mod decoder;
pub mod fields;
mod gateway_log;
pub mod half_characters;
pub mod json;
mod reader;
mod scanner;
pub mod sse;
pub mod text;
pub mod time;
pub mod utf16;
mod walk;

/// The method of the record that says that a line of a transcript could not be read.
pub const UNREADABLE_LINE: &str = "pilothouse.unreadable_line";

use crate::json_writer::one_line;
pub use pilothouse_scan::Event;
pub use reader::{JoinResult, Unfinished, line_breaks, records, records_of_lines};
use scanner::Scanner;
pub use scanner::{JsonToken, members};

/// A record of the input.
#[derive(Debug, Clone)]
pub enum Record<'a> {
    /// A session event, bare or inside `session.event`.
    Event(Event<'a>),
    /// The response to a JSON-RPC request of the viewer.
    Response(Response),
    /// A JSON-RPC notification or request other than `session.event`.
    Notification {
        /// Its method.
        method: String,
        /// The whole message as JSON text.
        raw: &'a str,
    },
    /// An entry that a command handler returned for the timeline.
    TimelineEntry {
        /// The handler's entry type: `info`, `error`, `copilot`, …
        kind: String,
        /// Its text.
        text: String,
        /// The whole record as JSON text.
        raw: &'a str,
    },
    /// An OpenAI `chat.completion.chunk`, the Copilot platform's default event.
    ChatChunk(&'a str),
    /// `[DONE]`: the Copilot platform's answer is complete.
    StreamEnd,
    /// One of the platform's named events that was sent without its name and was recognised by its shape.
    Platform {
        /// The name.
        name: &'static str,
        /// Its data.
        data: &'a str,
    },
}

/// The response to a request of the viewer, matched by `id`.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The id that the request carried.
    pub id: u64,
    /// The result, or the JSON-RPC error.
    pub outcome: Result<Value, RpcError>,
}

/// A JSON-RPC error object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// JSON-RPC error code.
    pub code: i64,
    /// The server's message.
    pub message: String,
}

/// Calls `each` with the events at the beginning of `text`, as long as they can be read in one pass. Returns
/// the byte offset at which something else begins.
pub fn plain_events(text: &str, mut each: impl FnMut(&Event<'_>)) -> usize {
    let mut at = 0;
    let mut members = Members::unknown();
    loop {
        let mut event = Event::EMPTY;
        let Some(end) = scan::read(text, at, &mut event, &mut members) else { break };
        event.members = Some(&members);
        each(&event);
        at = end;
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = text.as_bytes().get(at) {
            at += 1;
        }
        if at == text.len() {
            break;
        }
    }
    at
}

/// Text that is not a record, and the reason.
#[derive(Debug, Clone)]
pub struct Malformed<'a> {
    /// What is wrong.
    pub reason: String,
    /// The text itself.
    pub text: &'a str,
    /// How many line breaks are before it in the input.
    pub lines_before: u64,
}

impl<'a> Malformed<'a> {
    fn new(reason: &str, text: &'a str) -> Self {
        Self { reason: reason.to_owned(), text, lines_before: 0 }
    }

    fn unreadable(text: &'a str) -> Self {
        let reason = match serde_json::from_str::<Value>(text) {
            Err(error) => format!("this is not JSON: {error}"),
            Ok(_) => "this is not a JSON object".to_owned(),
        };
        Self { reason, text, lines_before: 0 }
    }
}

/// What records are given to. Not a generic, because every caller would get a reader of its own.
type Sink<'s> = dyn FnMut(Result<Record<'_>, Malformed<'_>>) + 's;

/// Maximum depth of nested arrays of records.
const MAX_NESTED_ARRAYS: u8 = 4;

fn dispatch(value: JsonToken<'_>, sink: &mut Sink<'_>, depth: u8) {
    match value {
        JsonToken::Nested(text) if text.starts_with('[') && depth < MAX_NESTED_ARRAYS => {
            if let Some(name) = shape_of_list(text) {
                sink(Ok(Record::Platform { name, data: text }));
                return;
            }
            let mut scanner = Scanner::at(text, 1);
            if scanner.elements(&mut |element| dispatch(element, sink, depth + 1)).is_none() {
                sink(Err(Malformed::unreadable(text)));
            }
        }
        JsonToken::Nested(text) if text.starts_with('{') => {
            let (mut event, mut members) = (Event::EMPTY, Members::unknown());
            match scan::read(text, 0, &mut event, &mut members) {
                Some(end) if end == text.len() => {
                    event.members = Some(&members);
                    sink(Ok(Record::Event(event)));
                }
                _ if gateway_log::read(text, sink) => {}
                _ => record(text, sink),
            }
        }
        other => sink(Err(Malformed::new("a record is a JSON object", other.raw()))),
    }
}

/// Reads the record that a JSON object is.
fn record(text: &str, sink: &mut Sink<'_>) {
    let mut kind = None;
    let mut is_rpc = false;
    let mut timeline = None;
    let mut is_chunk = false;
    let mut is_chat = false;
    let scanned = members(text, |key, value| match key {
        "type" => kind = Some(value),
        "jsonrpc" => is_rpc = true,
        "kind" if value.str_is("add-timeline-entry") => timeline = Some(()),
        "object" if value.str_is("chat.completion.chunk") => is_chunk = true,
        "messages" => is_chat = matches!(value, JsonToken::Nested(list) if list.starts_with('[')),
        "choices" => is_chunk |= matches!(value, JsonToken::Nested(list) if list.starts_with('[')),
        _ => {}
    });
    if scanned.is_none() {
        return sink(Err(Malformed::unreadable(text)));
    }
    if is_rpc {
        return rpc(text, sink);
    }
    sink(match kind {
        Some(JsonToken::Str { .. }) => return event(text, None, None, sink),
        Some(_) => Err(Malformed::new("`type` is not a string", text)),
        None if timeline.is_some() => timeline_entry(text),
        None if is_chunk => Ok(Record::ChatChunk(text)),
        None if is_chat => Ok(Record::Platform { name: "resp_message", data: text }),
        None => Err(Malformed::new(
            "an object without `type` (an event), `jsonrpc` (a message) or `kind` (a timeline entry)",
            text,
        )),
    });
}

fn event(text: &str, seq: Option<u64>, session_id: Option<&str>, sink: &mut Sink<'_>) {
    let (mut kind, mut id, mut parent_id, mut agent_id) = (None, None, None, None);
    let mut event = Event { seq, session_id, raw: text, ..Event::EMPTY };
    let scanned = members(text, |key, value| match key {
        "type" => kind = value.text(),
        "id" => id = value.text(),
        "timestamp" => event.at = value.text().and_then(|iso| time::parse_iso(&iso)),
        "ephemeral" => event.ephemeral = matches!(value, JsonToken::Scalar("true")),
        "parentId" => parent_id = value.text().filter(|id| !id.is_empty()),
        "agentId" => agent_id = value.text().filter(|id| !id.is_empty()),
        "data" => event.data = value.raw(),
        _ => {}
    });
    if scanned.is_none() {
        return sink(Err(Malformed::unreadable(text)));
    }
    event.kind = kind.as_deref().unwrap_or_default();
    event.id = id.as_deref().unwrap_or_default();
    (event.parent_id, event.agent_id) = (parent_id.as_deref(), agent_id.as_deref());
    sink(Ok(Record::Event(event)));
}

fn rpc(text: &str, sink: &mut Sink<'_>) {
    let mut method = None;
    let mut params = "";
    let scanned = members(text, |key, value| match key {
        "method" => method = value.text(),
        "params" => params = value.raw(),
        _ => {}
    });
    if scanned.is_none() {
        return sink(Err(Malformed::unreadable(text)));
    }
    match method.as_deref() {
        Some("session.event") => {
            let mut inner = None;
            let mut seq = None;
            let mut session_id = None;
            let _ = members(params, |key, value| match key {
                "event" => inner = Some(value.raw()),
                "seq" => seq = value.raw().parse().ok(),
                "sessionId" => session_id = value.text().filter(|id| !id.is_empty()),
                _ => {}
            });
            match inner.filter(|event| event.starts_with('{')) {
                Some(inner) if has_type(inner) => event(inner, seq, session_id.as_deref(), sink),
                Some(_) => {
                    sink(Err(Malformed::new("the event in `session.event` has no `type`", text)));
                }
                None => {
                    let reason = "`session.event` without an event object in `params.event`";
                    sink(Err(Malformed::new(reason, text)));
                }
            }
        }
        Some(other) => sink(Ok(Record::Notification { method: other.to_owned(), raw: text })),
        None => sink(response(text)),
    }
}

fn has_type(text: &str) -> bool {
    let mut typed = false;
    let _ = members(text, |key, value| {
        typed |= key == "type" && matches!(value, JsonToken::Str { .. });
    });
    typed
}

fn response(text: &str) -> Result<Record<'_>, Malformed<'_>> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(text) else {
        return Err(Malformed::unreadable(text));
    };
    let Some(id) = fields.get("id").and_then(|id| id.as_u64().or_else(|| id.as_str()?.parse().ok())) else {
        return Ok(Record::Notification { method: "a response to nobody".to_owned(), raw: text });
    };
    let outcome = match fields.remove("error") {
        Some(Value::Object(error)) => Err(RpcError {
            code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
            message: error
                .get("message")
                .and_then(Value::as_str)
                .unwrap_or("an error without a message")
                .to_owned(),
        }),
        Some(Value::Null) | None => Ok(fields.remove("result").unwrap_or(Value::Null)),
        Some(other) => Err(RpcError { code: 0, message: one_line(&other) }),
    };
    Ok(Record::Response(Response { id, outcome }))
}

/// Removes a timeline entry from a command's answer, and returns it in the form of a separate record.
pub fn take_timeline_entry(answer: &mut Value) -> Option<Value> {
    const KIND: &str = "add-timeline-entry";
    if answer.get("kind")?.as_str()? != KIND {
        return None;
    }
    let entry = answer.as_object_mut()?.remove("entry")?;
    Some(serde_json::json!({ "kind": KIND, "entry": entry }))
}

fn timeline_entry(text: &str) -> Result<Record<'_>, Malformed<'_>> {
    let mut entry = None;
    let _ = members(text, |key, value| {
        if key == "entry" {
            entry = Some(value.raw());
        }
    });
    let mut kind = None;
    let mut content = None;
    let _ = members(entry.unwrap_or_default(), |key, value| match key {
        "type" => kind = value.text(),
        "text" => content = value.text(),
        _ => {}
    });
    match content {
        Some(content) => Ok(Record::TimelineEntry {
            kind: kind.as_deref().unwrap_or("info").to_owned(),
            text: content.into_owned(),
            raw: text,
        }),
        None => Err(Malformed::new("`add-timeline-entry` without `entry.text`", text)),
    }
}

/// The name of the platform's event that an object is; `None` if it is none. Events that are pasted from the platform's
/// documentation lack their names. Only objects without a time, and with a `type` that no event has, are looked at.
pub fn platform_shape(event: &Event<'_>) -> Option<&'static str> {
    if event.at.is_some() || event.seq.is_some() { None } else { shape_of_object(event.raw) }
}

/// The name of the event whose data is this list, by its first element; `None` if it is none.
fn shape_of_list(text: &str) -> Option<&'static str> {
    let inside = text.get(1..)?;
    let start = text.len() - inside.trim_ascii_start().len();
    let Some(JsonToken::Nested(first)) = Scanner::at(text, start).value() else { return None };
    shape_of_object(first).filter(|name| *name != CONFIRMATION)
}

const CONFIRMATION: &str = "copilot_confirmation";

fn shape_of_object(text: &str) -> Option<&'static str> {
    let (mut kind, mut id, mut title, mut is_message, mut code) = (None, false, false, false, false);
    let (mut about, mut metadata, mut other) = (false, false, false);
    members(text, |key, value| {
        let is_text = matches!(value, JsonToken::Str { .. });
        match key {
            "type" => kind = value.text(),
            "id" => id = is_text,
            "title" => title = is_text,
            "message" => is_message = is_text,
            "code" => code = is_text,
            "identifier" => about = is_text,
            "metadata" => metadata = matches!(value, JsonToken::Nested(text) if text.starts_with('{')),
            "is_implicit" => metadata = true,
            "timestamp" | "jsonrpc" | "parentId" | "ephemeral" => other = true,
            _ => {}
        }
    })?;
    let kind = kind.filter(|kind| !other && catalogue::find(kind).is_none())?;
    match &*kind {
        "action" if title && is_message => Some(CONFIRMATION),
        "reference" | "function" | "agent" if is_message && (code || about) => Some("copilot_errors"),
        _ if id && metadata => Some("copilot_references"),
        _ => None,
    }
}
