//! A session event read in one pass: bare, or inside the gateway's `session.event`.
//! Refuses every other record, and everything in an event that takes a second look.

use crate::Value;
use crate::bytes::same;
use crate::cursor::{Cursor, Next};

/// Payloads with more members are read by others.
const MOST: usize = 20;

/// An event's envelope; every field borrows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its type.
    pub kind: &'a str,
    /// Its id; empty when it has none.
    pub id: &'a str,
    /// When it happened, as it is written.
    pub timestamp: Option<&'a str>,
    /// The same in milliseconds since 1970 (UTC), if it is written as usual.
    pub at: Option<i64>,
    /// It is never persisted.
    pub ephemeral: bool,
    /// The sub-agent that it belongs to.
    pub agent_id: Option<&'a str>,
    /// Position in the gateway's log.
    pub seq: Option<u64>,
    /// The session's id, where the message around the event names it.
    pub session_id: Option<&'a str>,
    /// The payload as JSON text; empty when it is missing.
    pub data: &'a str,
    /// The whole event as JSON text.
    pub raw: &'a str,
}

/// The members of an object that was looked over; none if there are too many, or it is no object.
#[derive(Debug, Clone, Copy)]
pub struct Members<'a> {
    held: [(&'a str, Value<'a>); MOST],
    count: usize,
    known: bool,
}

/// The elements of a whole array that was looked over, as they are written; `None` if it is none.
#[inline(never)]
pub fn elements(text: &str) -> Option<Vec<&str>> {
    let mut cursor = Cursor::known(text);
    let mut found = Vec::new();
    if cursor.peek() != Some(b'[') {
        return None;
    }
    cursor.elements(0, Some(&mut found))?;
    (cursor.at == text.len()).then_some(found)
}

const NONE: (&str, Value<'_>) = ("", Value::Other(""));

impl<'a> Members<'a> {
    /// Nothing is known of them.
    pub const UNKNOWN: Self = Self { held: [NONE; MOST], count: 0, known: false };

    /// Those of a whole object that was looked over, as a [`Value`] is; `None` if it is not plain.
    pub fn of(text: &'a str) -> Option<Self> {
        let mut cursor = Cursor::known(text);
        let mut members = Self::UNKNOWN;
        members.read(&mut cursor)?;
        (members.known && cursor.at == text.len()).then_some(members)
    }

    /// In the order in which they came; `None` if they are not known.
    pub fn list(&self) -> Option<&[(&'a str, Value<'a>)]> {
        self.known.then(|| self.held.get(..self.count)).flatten()
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        if !cursor.eat(b'{') {
            return None;
        }
        (self.count, self.known) = (0, true);
        let mut first = true;
        while let Next::Member { key, escaped } = cursor.key(&mut first)? {
            let value = cursor.value(0)?;
            if escaped {
                return None;
            }
            self.note(key, value);
        }
        Some(())
    }

    /// The last of two with one name counts, in the place of the first.
    #[inline]
    fn note(&mut self, key: &'a str, value: Value<'a>) {
        let known = self.held.get_mut(..self.count).unwrap_or_default();
        if let Some(old) = known.iter_mut().find(|(name, _)| same(name.as_bytes(), key.as_bytes())) {
            old.1 = value;
        } else if let Some(slot) = self.held.get_mut(self.count) {
            *slot = (key, value);
            self.count += 1;
        } else {
            self.known = false;
        }
    }
}

/// What a delta belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// The model's words.
    Message,
    /// Its thoughts.
    Reasoning,
    /// A tool call's arguments.
    Call,
}

/// A piece of something that is still arriving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delta<'a> {
    /// Of what.
    pub stream: Stream,
    /// Of which one.
    pub id: &'a str,
    /// The piece as it is written, and whether there is a backslash in it.
    pub text: (&'a str, bool),
    /// The call that the speaker works for.
    pub parent: Option<&'a str>,
    /// The called tool.
    pub tool: Option<&'a str>,
}

pub(crate) const EMPTY: Event<'_> = Event {
    kind: "",
    id: "",
    timestamp: None,
    at: None,
    ephemeral: false,
    agent_id: None,
    seq: None,
    session_id: None,
    data: "",
    raw: "",
};

/// Reads the event that begins at a byte of the text; tells where it ends. `None` for everything that is not plain.
/// The members of its payload come beside it, as they take much more room.
#[inline(never)]
pub fn read<'a>(text: &'a str, at: usize, members: &mut Members<'a>) -> Option<(Event<'a>, usize)> {
    let mut cursor = Cursor::new(text, at);
    let mut event = EMPTY;
    members.known = false;
    // What begins with it can be nothing else; an event has a type, and then other members.
    if text.as_bytes().get(at..)?.starts_with(br#"{"jsonrpc""#) {
        rpc(&mut cursor, &mut event, members)?;
    } else {
        bare(&mut cursor, &mut event, members)?;
    }
    Some((event, cursor.at))
}

fn bare<'a>(cursor: &mut Cursor<'a>, event: &mut Event<'a>, members: &mut Members<'a>) -> Option<()> {
    let start = cursor.at;
    let mut first = true;
    let mut typed = false;
    if !cursor.eat(b'{') {
        return None;
    }
    while let Next::Member { key, escaped } = cursor.key(&mut first)? {
        if escaped {
            return None;
        }
        let key = key.as_bytes();
        if same(key, b"data") {
            let start = cursor.at;
            if cursor.peek() == Some(b'{') {
                members.read(cursor)?;
            } else {
                cursor.value(0)?;
                members.known = false;
            }
            event.data = cursor.since(start)?;
            continue;
        }
        let value = cursor.value(0)?;
        if same(key, b"type") {
            event.kind = plain(value)?;
            typed = matches!(value, Value::Str { .. });
        } else if same(key, b"id") {
            event.id = plain(value)?;
        } else if same(key, b"timestamp") {
            event.timestamp = Some(plain(value)?);
        } else if same(key, b"ephemeral") {
            event.ephemeral = value == Value::Other("true");
        } else if same(key, b"agentId") {
            event.agent_id = Some(plain(value)?).filter(|id| !id.is_empty());
        } else if same(key, b"jsonrpc") {
            return None;
        }
    }
    event.raw = cursor.since(start)?;
    event.at = event.timestamp.and_then(usual_time);
    typed.then_some(())
}

/// A string, or nothing for another value; `None` if it has escapes.
#[inline]
fn plain(value: Value<'_>) -> Option<&str> {
    match value {
        Value::Str { inner, escaped } => (!escaped).then_some(inner),
        Value::Other(_) => Some(""),
    }
}

/// `{"jsonrpc":"2.0","method":"session.event","params":{"event":{…},"seq":1}}`
fn rpc<'a>(cursor: &mut Cursor<'a>, event: &mut Event<'a>, members: &mut Members<'a>) -> Option<()> {
    let mut first = true;
    let (mut method, mut params) = (false, false);
    cursor.at += 1;
    while let Next::Member { key, escaped } = cursor.key(&mut first)? {
        if escaped {
            return None;
        }
        if same(key.as_bytes(), b"params") && !params {
            self::params(cursor, event, members)?;
            params = true;
        } else if same(key.as_bytes(), b"params") {
            return None;
        } else {
            let value = cursor.value(0)?;
            if same(key.as_bytes(), b"method") {
                method = same(plain(value)?.as_bytes(), b"session.event");
                if !method {
                    return None;
                }
            }
        }
    }
    (method && params).then_some(())
}

fn params<'a>(cursor: &mut Cursor<'a>, event: &mut Event<'a>, members: &mut Members<'a>) -> Option<()> {
    let mut first = true;
    let (mut found, mut seq, mut session_id) = (false, None, None);
    if !cursor.eat(b'{') {
        return None;
    }
    while let Next::Member { key, escaped } = cursor.key(&mut first)? {
        if escaped || (found && key == "event") {
            return None;
        }
        if same(key.as_bytes(), b"event") {
            bare(cursor, event, members)?;
            found = true;
        } else {
            let value = cursor.value(0)?;
            if same(key.as_bytes(), b"seq") {
                seq = match value {
                    Value::Other(number) => number.parse().ok(),
                    Value::Str { .. } => None,
                };
            } else if same(key.as_bytes(), b"sessionId") {
                session_id = Some(plain(value)?).filter(|id| !id.is_empty());
            }
        }
    }
    (event.seq, event.session_id) = (seq, session_id);
    found.then_some(())
}

/// What an event of the types says that make up most of a stream; `None` for another type, and for what is not plain.
#[inline(never)]
pub fn delta<'a>(kind: &str, members: &Members<'a>) -> Option<Delta<'a>> {
    let is = |name: &[u8]| same(kind.as_bytes(), name);
    let (stream, id_name, text_name): (_, &[u8], &[u8]) = match kind.len() {
        23 if is(b"assistant.message_delta") => (Stream::Message, b"messageId", b"deltaContent"),
        25 if is(b"assistant.reasoning_delta") => (Stream::Reasoning, b"reasoningId", b"deltaContent"),
        25 if is(b"assistant.tool_call_delta") => (Stream::Call, b"toolCallId", b"inputDelta"),
        _ => return None,
    };
    let mut delta = Delta { stream, id: "", text: ("", false), parent: None, tool: None };
    let mut said = false;
    for (key, value) in members.list()? {
        let (key, Value::Str { inner, escaped }) = (key.as_bytes(), *value) else {
            continue;
        };
        if same(key, text_name) {
            delta.text = (inner, escaped);
            said = true;
        } else if escaped {
            return None;
        } else if same(key, id_name) {
            delta.id = inner;
        } else if same(key, b"parentToolCallId") {
            delta.parent = Some(inner);
        } else if same(key, b"toolName") {
            delta.tool = Some(inner);
        }
    }
    (said && !delta.id.is_empty()).then_some(delta)
}

/// Milliseconds since 1970 of `2026-11-21T21:43:23.139Z`; `None` for every other form.
pub(crate) fn usual_time(text: &str) -> Option<i64> {
    let bytes: &[u8; 24] = text.as_bytes().try_into().ok()?;
    let [
        y1,
        y2,
        y3,
        y4,
        b'-',
        m1,
        m2,
        b'-',
        d1,
        d2,
        b'T',
        h1,
        h2,
        b':',
        n1,
        n2,
        b':',
        s1,
        s2,
        b'.',
        f1,
        f2,
        f3,
        b'Z',
    ] = *bytes
    else {
        return None;
    };
    let all = [y1, y2, y3, y4, m1, m2, d1, d2, h1, h2, n1, n2, s1, s2, f1, f2, f3];
    if !all.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let two = |tens: u8, ones: u8| i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
    let (year, month, day) = (two(y1, y2) * 100 + two(y3, y4), two(m1, m2), two(d1, d2));
    // Years begin with March here, so that the day that some have more is their last.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    let seconds = ((days * 24 + two(h1, h2)) * 60 + two(n1, n2)) * 60 + two(s1, s2);
    Some(seconds * 1000 + i64::from(f1 - b'0') * 100 + two(f2, f3))
}
