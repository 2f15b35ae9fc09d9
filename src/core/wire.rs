//! Text to records: which of the wire's record forms a JSON value is, without building a tree for it.
//! Refuses to interpret payloads; that is `reduce`'s work.
//!
//! A hand-written scanner borrows everything from the input, because three of four events on the wire are deltas
//! whose envelope nobody keeps. Payloads of other types are parsed by `serde_json` when somebody wants them.

use std::borrow::Cow;

use serde_json::Value;

/// One session event as it stands on the wire; every field borrows where it can.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    /// The event type, `assistant.message_delta` for instance.
    pub kind: Cow<'a, str>,
    /// Unique id, a UUID in practice; empty when the event has none.
    pub id: Cow<'a, str>,
    /// Milliseconds since 1970 (UTC), from the ISO 8601 `timestamp`.
    pub at: Option<i64>,
    /// True for events that are never persisted.
    pub ephemeral: bool,
    /// Set on everything that a sub-agent does.
    pub agent_id: Option<Cow<'a, str>>,
    /// Position in the gateway's replayable log, where a gateway sent it.
    pub seq: Option<u64>,
    /// The payload as JSON text; empty when it is missing.
    pub data: &'a str,
    /// The whole event as JSON text.
    pub raw: &'a str,
}

/// Everything that may stand where a record is expected.
#[derive(Debug, Clone)]
pub enum Record<'a> {
    /// A session event, bare or inside `session.event`.
    Event(Event<'a>),
    /// An answer to a JSON-RPC request of ours.
    Response(Response),
    /// A JSON-RPC notification or request other than `session.event`: counted, not understood.
    Notification(String),
    /// What a command handler returned for the timeline.
    TimelineEntry {
        /// The handler's entry type: `info`, `error`, `copilot`, …
        kind: String,
        /// What it says.
        text: String,
    },
    /// An OpenAI `chat.completion.chunk`, the Copilot platform's default event.
    ChatChunk(&'a str),
}

/// An answer to one of our requests, matched by `id`.
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
    /// What the server said.
    pub message: String,
}

/// Reads every JSON value in `text` (values follow each other, apart by white space or nothing; arrays are opened)
/// and hands each record on. A value that is no record is reported with the reason; reading goes on behind the next
/// line break, so one bad line never costs its neighbours.
pub fn records<'a>(text: &'a str, mut sink: impl FnMut(Result<Record<'a>, Malformed<'a>>)) {
    let mut scanner = Scanner { text, at: 0 };
    loop {
        scanner.skip_space();
        let Some(rest) = text.get(scanner.at..).filter(|rest| !rest.is_empty()) else { return };
        if rest.starts_with("[DONE]") {
            scanner.at += "[DONE]".len();
            continue;
        }
        if let Some(value) = scanner.value() {
            dispatch(value, &mut sink, 0);
        } else {
            let line_end = rest.find('\n').unwrap_or(rest.len());
            let line = rest.get(..line_end).unwrap_or(rest);
            sink(Err(Malformed::unreadable(line)));
            scanner.at += line_end;
        }
    }
}

/// Text that is no record, and why.
#[derive(Debug, Clone)]
pub struct Malformed<'a> {
    /// What is wrong, in words.
    pub reason: String,
    /// The text itself.
    pub text: &'a str,
}

impl<'a> Malformed<'a> {
    fn unreadable(text: &'a str) -> Self {
        let reason = match serde_json::from_str::<serde::de::IgnoredAny>(text) {
            Err(error) => format!("this is no JSON: {error}"),
            Ok(_) => "this is no JSON object".to_owned(),
        };
        Self { reason, text }
    }
}

/// Arrays may nest frames of frames; deeper than this nobody means it.
const MAX_NESTED_ARRAYS: u8 = 4;

fn dispatch<'a>(value: Token<'a>, sink: &mut impl FnMut(Result<Record<'a>, Malformed<'a>>), depth: u8) {
    match value {
        Token::Nested(text) if text.starts_with('[') && depth < MAX_NESTED_ARRAYS => {
            let mut scanner = Scanner { text, at: 1 };
            if scanner.elements(|element| dispatch(element, sink, depth + 1)).is_none() {
                sink(Err(Malformed::unreadable(text)));
            }
        }
        Token::Nested(text) if text.starts_with('{') => sink(record(text)),
        other => sink(Err(Malformed { reason: "a record is a JSON object".to_owned(), text: other.raw() })),
    }
}

/// One JSON object to the record it is.
fn record(text: &str) -> Result<Record<'_>, Malformed<'_>> {
    let mut kind = None;
    let mut is_rpc = false;
    let mut timeline = None;
    let mut is_chunk = false;
    let scanned = members(text, |key, value| match key {
        "type" => kind = Some(value),
        "jsonrpc" => is_rpc = true,
        "kind" if value.str_is("add-timeline-entry") => timeline = Some(()),
        "object" if value.str_is("chat.completion.chunk") => is_chunk = true,
        "choices" => is_chunk |= matches!(value, Token::Nested(list) if list.starts_with('[')),
        _ => {}
    });
    if scanned.is_none() {
        return Err(Malformed::unreadable(text));
    }
    if is_rpc {
        return rpc(text);
    }
    match kind {
        Some(Token::Str { .. }) => event(text, None).ok_or_else(|| Malformed::unreadable(text)),
        Some(_) => Err(Malformed { reason: "`type` is not a string".to_owned(), text }),
        None if timeline.is_some() => timeline_entry(text),
        None if is_chunk => Ok(Record::ChatChunk(text)),
        None => Err(Malformed {
            reason: "an object without `type` (an event), `jsonrpc` (a message) or `kind` (a timeline entry)"
                .to_owned(),
            text,
        }),
    }
}

fn event(text: &str, seq: Option<u64>) -> Option<Record<'_>> {
    let mut event = Event {
        kind: Cow::Borrowed(""),
        id: Cow::Borrowed(""),
        at: None,
        ephemeral: false,
        agent_id: None,
        seq,
        data: "",
        raw: text,
    };
    members(text, |key, value| match key {
        "type" => event.kind = value.text().unwrap_or_default(),
        "id" => event.id = value.text().unwrap_or_default(),
        "timestamp" => event.at = value.text().and_then(|iso| super::time::parse_iso(&iso)),
        "ephemeral" => event.ephemeral = matches!(value, Token::Scalar("true")),
        "agentId" => event.agent_id = value.text().filter(|id| !id.is_empty()),
        "data" => event.data = value.raw(),
        _ => {}
    })?;
    Some(Record::Event(event))
}

fn rpc(text: &str) -> Result<Record<'_>, Malformed<'_>> {
    let mut method = None;
    let mut params = "";
    let scanned = members(text, |key, value| match key {
        "method" => method = value.text(),
        "params" => params = value.raw(),
        _ => {}
    });
    if scanned.is_none() {
        return Err(Malformed::unreadable(text));
    }
    match method.as_deref() {
        Some("session.event") => {
            let mut inner = None;
            let mut seq = None;
            let _ = members(params, |key, value| match key {
                "event" => inner = Some(value.raw()),
                "seq" => seq = value.raw().parse().ok(),
                _ => {}
            });
            let inner = inner.filter(|event| event.starts_with('{')).ok_or_else(|| Malformed {
                reason: "`session.event` without an event object in `params.event`".to_owned(),
                text,
            })?;
            let typed = has_type(inner);
            let seq_only = || Malformed { reason: "the event in `session.event` has no `type`".to_owned(), text };
            if typed { event(inner, seq).ok_or_else(|| Malformed::unreadable(text)) } else { Err(seq_only()) }
        }
        Some(other) => Ok(Record::Notification(other.to_owned())),
        None => response(text),
    }
}

fn has_type(text: &str) -> bool {
    let mut typed = false;
    let _ = members(text, |key, value| typed |= key == "type" && matches!(value, Token::Str { .. }));
    typed
}

fn response(text: &str) -> Result<Record<'_>, Malformed<'_>> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(text) else {
        return Err(Malformed::unreadable(text));
    };
    let Some(id) = fields.get("id").and_then(|id| id.as_u64().or_else(|| id.as_str()?.parse().ok())) else {
        return Ok(Record::Notification("a response to nobody".to_owned()));
    };
    let outcome = match fields.remove("error") {
        Some(Value::Object(error)) => Err(RpcError {
            code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
            message: error.get("message").and_then(Value::as_str).unwrap_or("an error without a message").to_owned(),
        }),
        Some(Value::Null) | None => Ok(fields.remove("result").unwrap_or(Value::Null)),
        Some(other) => Err(RpcError { code: 0, message: other.to_string() }),
    };
    Ok(Record::Response(Response { id, outcome }))
}

fn timeline_entry(text: &str) -> Result<Record<'_>, Malformed<'_>> {
    let mut entry = None;
    let _ = members(text, |key, value| {
        if key == "entry" {
            entry = Some(value.raw());
        }
    });
    let mut kind = None;
    let mut said = None;
    let _ = members(entry.unwrap_or_default(), |key, value| match key {
        "type" => kind = value.text(),
        "text" => said = value.text(),
        _ => {}
    });
    match said {
        Some(said) => Ok(Record::TimelineEntry {
            kind: kind.as_deref().unwrap_or("info").to_owned(),
            text: said.into_owned(),
        }),
        None => Err(Malformed { reason: "`add-timeline-entry` without `entry.text`".to_owned(), text }),
    }
}

/// One JSON value, not looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// A string; `quoted` includes the quotation marks.
    Str {
        /// The text with its quotation marks.
        quoted: &'a str,
        /// True if there is a backslash in it.
        escaped: bool,
    },
    /// A number, `true`, `false` or `null`.
    Scalar(&'a str),
    /// An object or an array.
    Nested(&'a str),
}

impl<'a> Token<'a> {
    /// The JSON text of the value.
    pub fn raw(self) -> &'a str {
        match self {
            Self::Str { quoted, .. } => quoted,
            Self::Scalar(text) | Self::Nested(text) => text,
        }
    }

    /// The string, if it is one. Borrowed unless it has escapes.
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Str { quoted, escaped: false } => quoted.get(1..quoted.len() - 1).map(Cow::Borrowed),
            Self::Str { quoted, .. } => serde_json::from_str(quoted).ok().map(Cow::Owned),
            _ => None,
        }
    }

    fn str_is(self, expected: &str) -> bool {
        self.text().is_some_and(|text| text == expected)
    }
}

/// Calls `found` for every member of the JSON object `text`; `None` if it isn't one or has a broken structure.
pub fn members<'a>(text: &'a str, found: impl FnMut(&'a str, Token<'a>)) -> Option<()> {
    let mut scanner = Scanner { text, at: 0 };
    scanner.members(found)
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn value(&mut self) -> Option<Token<'a>> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' | b'[' => self.nested(),
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => self.scalar(),
            _ => None,
        }
    }

    fn string(&mut self) -> Option<Token<'a>> {
        let start = self.at;
        let mut escaped = false;
        self.at += 1;
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            let step = memchr::memchr2(b'"', b'\\', rest)?;
            self.at += step;
            if self.peek()? == b'"' {
                self.at += 1;
                return Some(Token::Str { quoted: self.text.get(start..self.at)?, escaped });
            }
            escaped = true;
            self.at += 2;
        }
    }

    fn scalar(&mut self) -> Option<Token<'a>> {
        let rest = self.text.get(self.at..)?;
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.')).count();
        let scalar = rest.get(..length)?;
        let known = matches!(scalar, "true" | "false" | "null");
        if !known && scalar.parse::<f64>().is_err() {
            return None;
        }
        self.at += length;
        Some(Token::Scalar(scalar))
    }

    /// Finds the matching bracket; the inside is checked by whoever opens it.
    fn nested(&mut self) -> Option<Token<'a>> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut depth = 0_u32;
        loop {
            match *bytes.get(self.at)? {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                b'"' => {
                    self.string()?;
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(Token::Nested(self.text.get(start..self.at)?));
            }
        }
    }

    fn members(&mut self, mut found: impl FnMut(&'a str, Token<'a>)) -> Option<()> {
        self.eat(b'{')?;
        self.skip_space();
        if self.eat(b'}').is_some() {
            return Some(());
        }
        loop {
            self.skip_space();
            let Token::Str { quoted, .. } = self.string_here()? else { return None };
            let key = quoted.get(1..quoted.len() - 1)?;
            self.skip_space();
            self.eat(b':')?;
            self.skip_space();
            let value = self.value()?;
            found(key, value);
            self.skip_space();
            if self.eat(b',').is_none() {
                return self.eat(b'}');
            }
        }
    }

    fn elements(&mut self, mut found: impl FnMut(Token<'a>)) -> Option<()> {
        self.skip_space();
        if self.eat(b']').is_some() {
            return Some(());
        }
        loop {
            self.skip_space();
            found(self.value()?);
            self.skip_space();
            if self.eat(b',').is_none() {
                return self.eat(b']');
            }
        }
    }

    fn string_here(&mut self) -> Option<Token<'a>> {
        (self.peek()? == b'"').then(|| self.string())?
    }
}
