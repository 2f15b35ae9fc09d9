//! Reads a session event in one pass, bare or inside the gateway's `session.event`. Other records, and events
//! that are written in an unusual way, give `None`.

use arrayvec::ArrayVec;

use crate::Value;
use crate::bytes::same;
use crate::cursor::{Cursor, Next};

/// An event's envelope; every field borrows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its type.
    pub kind: &'a str,
    /// Its id; empty when it has none.
    pub id: &'a str,
    /// When it happened, as it is written.
    pub timestamp: Option<&'a str>,
    /// The same in milliseconds since 1970 (UTC), if it has the usual form.
    pub at: Option<i64>,
    /// It is never persisted.
    pub ephemeral: bool,
    /// The persisted event before it.
    pub parent_id: Option<&'a str>,
    /// The sub-agent that it belongs to.
    pub agent_id: Option<&'a str>,
    /// Position in the gateway's log.
    pub seq: Option<u64>,
    /// The session's id, if the message around the event names it.
    pub session_id: Option<&'a str>,
    /// The payload as JSON text; empty when it is missing.
    pub data: &'a str,
    /// The whole event as JSON text.
    pub raw: &'a str,
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
pub fn place(members: &[Member<'_>], name: &str) -> Option<usize> {
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
    let place = place(members, name)?;
    match members.get(place)?.value {
        Value::Str { inner, escaped } => Some((place, inner, escaped)),
        Value::Other(_) => None,
    }
}

/// The members of an object that has been checked, and of the objects in it. They are unknown if
/// there are too many, or if it is no object.
#[derive(Debug, Clone)]
pub struct Members<'a> {
    members: ArrayVec<Member<'a>, { Members::MOST }>,
    known: bool,
}

/// The elements of a whole array, as they are written; `None` if the text is no array, or an unusual one.
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
            self.known &= self::place(self.members.get(start..)?, key).is_none();
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

const EMPTY: Event<'_> = Event {
    kind: "",
    id: "",
    timestamp: None,
    at: None,
    ephemeral: false,
    parent_id: None,
    agent_id: None,
    seq: None,
    session_id: None,
    data: "",
    raw: "",
};

/// Reads the event that begins at a byte of the text, and returns where it ends; `None` if it is an unusual
/// one. The members of its payload go into `members`, as they take much more room than the event.
#[inline(never)]
pub fn read<'a>(text: &'a str, at: usize, members: &mut Members<'a>) -> Option<(Event<'a>, usize)> {
    let mut cursor = Cursor::new(text, at);
    let mut event = EMPTY;
    members.known = false;
    // What begins like this can't be a bare event.
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
        } else if same(key, b"parentId") {
            event.parent_id = Some(plain(value)?).filter(|id| !id.is_empty());
        } else if same(key, b"jsonrpc") {
            return None;
        }
    }
    event.raw = cursor.since(start)?;
    event.at = event.timestamp.and_then(usual_time);
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

/// Milliseconds since 1970 of `2026-11-21T21:43:23.139Z`; `None` for every other form.
fn usual_time(text: &str) -> Option<i64> {
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
    // All at once, without a branch for each.
    if all.iter().fold(0, |most, digit| most.max(digit.wrapping_sub(b'0'))) > 9 {
        return None;
    }
    let two = |tens: u8, ones: u8| i32::from(tens - b'0') * 10 + i32::from(ones - b'0');
    let (year, month, day) = (two(y1, y2) * 100 + two(y3, y4), two(m1, m2), two(d1, d2));
    let (hour, minute, second) = (two(h1, h2), two(n1, n2), two(s1, s2));
    let seconds = seconds_since_1970([year, month, day], [hour, minute, second])?;
    Some(seconds * 1000 + i64::from(i32::from(f1 - b'0') * 100 + two(f2, f3)))
}

/// The seconds from 1970 to a time in UTC, in the proleptic Gregorian calendar. `None` if there is no such time.
///
/// In 32 bits, because wasm divides those by a constant with a multiplication.
pub fn seconds_since_1970([year, month, day]: [i32; 3], [hour, minute, second]: [i32; 3]) -> Option<i64> {
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && (0..=9999).contains(&year);
    if !in_range || !(0..=24).contains(&hour) || !(0..60).contains(&minute) || !(0..=60).contains(&second) {
        return None;
    }
    // Years begin with March here, so that the leap day is their last day.
    let shifted = if month <= 2 { year - 1 } else { year };
    let leaps = shifted.div_euclid(4) - shifted.div_euclid(100) + shifted.div_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = shifted * 365 + leaps + day_of_year - 719_468;
    Some(i64::from(days) * 86_400 + i64::from((hour * 60 + minute) * 60 + second))
}
