//! Reads a session event in one pass, bare, inside the gateway's `session.event`, or in a line of its log. Other records, and
//! events that are written in an unusual way, give `None`.

use arrayvec::ArrayVec;

use crate::Value;
use crate::bytes::same;
use crate::cursor::{Cursor, Next};
use crate::time::parse_iso;

/// One session event as it was received.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// The event type, for example `assistant.message_delta`.
    pub kind: &'a str,
    /// Unique id, a UUID in practice; empty when the event has none.
    pub id: &'a str,
    /// Milliseconds since 1970 (UTC), from the ISO 8601 `timestamp`.
    pub at: Option<i64>,
    /// True for events that are never persisted.
    pub ephemeral: bool,
    /// Id of the persisted event before it, if the sender knows it.
    pub parent_id: Option<&'a str>,
    /// Id of the sub-agent that the event belongs to; none for the main agent.
    pub agent_id: Option<&'a str>,
    /// Position in the gateway's replayable log, if it is from a gateway.
    pub seq: Option<u64>,
    /// The session's id, if the message around the event has it.
    pub session_id: Option<&'a str>,
    /// The payload as JSON text; empty when it is missing.
    pub data: &'a str,
    /// The payload's members, if they were already scanned.
    pub members: Option<&'a Members<'a>>,
    /// The whole event as JSON text.
    pub raw: &'a str,
    /// Raw control characters in its strings were escaped, so that it could be read.
    pub mended: bool,
    /// `raw` has halves of characters, in place of which `data` has U+FFFD.
    pub has_halves: bool,
}

/// A member of an object that has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub value: Value<'a>,
    /// How many of the members after it in the list are inside of it;
    /// also 0 for an object that was not listed.
    pub inside: usize,
}

/// The place of the member with a name in a list of members. Those inside of other members don't count.
#[inline(never)]
pub fn index_of(members: &[Member<'_>], name: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let member = members.get(at)?;
        if same(member.name.as_bytes(), name.as_bytes()) {
            return Some(at);
        }
        at += 1 + member.inside;
    }
}

/// The string with a name in a list of members: its place, what is between the quotation marks, and whether
/// there is a backslash in it.
#[inline(never)]
pub fn string<'a>(members: &[Member<'a>], name: &str) -> Option<(usize, &'a str, bool)> {
    let place = index_of(members, name)?;
    match members.get(place)?.value {
        Value::Str { inner, escaped } => Some((place, inner, escaped)),
        Value::Other(_) => None,
    }
}

/// The members of an object that has been checked, and of the objects in it. They are unknown if
/// there are too many, or if it is not an object.
#[derive(Debug, Clone)]
pub struct Members<'a> {
    members: ArrayVec<Member<'a>, { Members::MOST }>,
    known: bool,
}

/// The elements of a whole array, as they are written; `None` if the text is not an array, or an unusual one.
#[inline(never)]
pub fn elements(text: &str) -> Option<Vec<&str>> {
    let mut cursor = Cursor::new(text, 0);
    let mut found = Vec::new();
    if cursor.peek() != Some(b'[') {
        return None;
    }
    cursor.elements(0, Some(&mut found))?;
    (cursor.at == text.len()).then_some(found)
}

impl<'a> Members<'a> {
    /// The most members, nested ones included. Payloads with more are left to the general parser.
    pub const MOST: usize = 40;

    /// Members that are not known yet.
    #[inline]
    pub fn unknown() -> Self {
        Self { members: ArrayVec::new(), known: false }
    }

    /// The members of a whole object that has been checked, as a [`Value`]
    /// has been; `None` if it is an unusual one.
    pub fn of(text: &'a str) -> Option<Self> {
        let mut cursor = Cursor::new(text, 0);
        let mut members = Self::unknown();
        members.read(&mut cursor)?;
        (members.known && cursor.at == text.len()).then_some(members)
    }

    /// The members in their order, each before those that are inside of it; `None` if they are unknown.
    pub fn list(&self) -> Option<&[Member<'a>]> {
        self.known.then_some(&self.members)
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        self.members.clear();
        self.known = cursor.peek() == Some(b'{');
        self.known.then(|| self.inside(cursor, 0))?
    }

    /// Lists the members of the object that begins here. With a name that occurs twice they are unknown.
    fn inside(&mut self, cursor: &mut Cursor<'a>, depth: u8) -> Option<()> {
        let start = self.members.len();
        let mut first = true;
        cursor.at += 1;
        while let Next::Member { key, escaped } = cursor.key(&mut first)? {
            if escaped {
                return None;
            }
            let (place, begins) = (self.members.len(), cursor.at);
            self.known &= self::index_of(self.members.get(start..)?, key).is_none();
            if depth > 0 || cursor.peek() != Some(b'{') {
                let value = cursor.value(depth)?;
                self.note(key, value);
                continue;
            }
            self.note(key, Value::Other(""));
            self.inside(cursor, depth + 1)?;
            let (value, inside) =
                (Value::Other(cursor.since(begins)?), self.members.len().saturating_sub(place + 1));
            if let Some(member) = self.members.get_mut(place) {
                (member.value, member.inside) = (value, inside);
            }
        }
        Some(())
    }

    #[inline]
    fn note(&mut self, name: &'a str, value: Value<'a>) {
        if self.known {
            self.known = self.members.try_push(Member { name, value, inside: 0 }).is_ok();
        }
    }
}

impl Event<'_> {
    /// An event without any field.
    pub const EMPTY: Self = Self {
        kind: "",
        id: "",
        at: None,
        ephemeral: false,
        parent_id: None,
        agent_id: None,
        seq: None,
        session_id: None,
        data: "",
        members: None,
        raw: "",
        mended: false,
        has_halves: false,
    };
}

/// Reads the event that begins at a byte of the text into `event`, which is empty, and returns where it ends; `None`
/// if it is an unusual one. The members of its payload go into `members`; the event does not borrow them yet.
#[inline(never)]
pub fn read<'a: 'e, 'e>(
    text: &'a str,
    at: usize,
    event: &mut Event<'e>,
    members: &mut Members<'a>,
) -> Option<usize> {
    let mut cursor = Cursor::new(text, at);
    members.known = false;
    let rest = text.as_bytes().get(at..)?;
    // What begins like this can't be a bare event.
    if rest.starts_with(br#"{"jsonrpc""#) {
        rpc(&mut cursor, event, members)?;
        return Some(cursor.at);
    }
    let seq = if rest.starts_with(LOG_LINE) { Some(position(&mut cursor)?) } else { None };
    bare(&mut cursor, event, members)?;
    event.seq = seq;
    (seq.is_none() || cursor.eat(b'}')).then_some(cursor.at)
}

/// How a line of a gateway's log begins, `{"seq":1,"event":{…}}`.
const LOG_LINE: &[u8] = br#"{"seq":"#;

/// Reads such a line up to its event. Returns the position.
fn position(cursor: &mut Cursor<'_>) -> Option<u64> {
    cursor.at += LOG_LINE.len();
    let Value::Other(number) = cursor.value(0)? else { return None };
    let seq = number.parse().ok()?;
    br#","event":"#.iter().all(|byte| cursor.eat(*byte)).then_some(seq)
}

fn bare<'a: 'e, 'e>(cursor: &mut Cursor<'a>, event: &mut Event<'e>, members: &mut Members<'a>) -> Option<()> {
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
            event.at = parse_iso(plain(value)?);
        } else if same(key, b"ephemeral") {
            event.ephemeral = value == Value::Other("true");
        } else if same(key, b"agentId") {
            event.agent_id = non_empty(plain(value)?);
        } else if same(key, b"parentId") {
            event.parent_id = non_empty(plain(value)?);
        } else if same(key, b"jsonrpc") {
            return None;
        }
    }
    event.raw = cursor.since(start)?;
    typed.then_some(())
}

/// A string, or an empty one for another value; `None` if it has escapes.
#[inline]
fn plain(value: Value<'_>) -> Option<&str> {
    match value {
        Value::Str { inner, escaped } => (!escaped).then_some(inner),
        Value::Other(_) => Some(""),
    }
}

/// An id; none if it is empty.
#[inline]
fn non_empty(id: &str) -> Option<&str> {
    (!id.is_empty()).then_some(id)
}

/// `{"jsonrpc":"2.0","method":"session.event","params":{"event":{…},"seq":1}}`
fn rpc<'a: 'e, 'e>(cursor: &mut Cursor<'a>, event: &mut Event<'e>, members: &mut Members<'a>) -> Option<()> {
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

fn params<'a: 'e, 'e>(
    cursor: &mut Cursor<'a>,
    event: &mut Event<'e>,
    members: &mut Members<'a>,
) -> Option<()> {
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
                session_id = non_empty(plain(value)?);
            }
        }
    }
    (event.seq, event.session_id) = (seq, session_id);
    found.then_some(())
}
