//! Reads one event that begins like an earlier one: what differs, and the rest of
//! it. `None` if the rest has an unusual form.

use crate::bytes::end_of_string;
use crate::cursor::Cursor;
use crate::event::{Stream, usual_time};
use crate::ids::uuid;
use crate::same;
use crate::text::unescape_onto;

/// The bytes of an event up to the part that differs.
#[derive(Debug, Clone)]
pub(crate) struct Beginning {
    pub(crate) bytes: Box<[u8]>,
    /// Where the event begins in them, after what is around it.
    pub(crate) event: usize,
    /// The stream and the id of a delta; `None` for a counter.
    pub(crate) of: Option<(Stream, Box<str>)>,
}

/// The minute of the newest event and its time, because most events are in the same minute.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Minute {
    text: [u8; 17],
    at: i64,
}

impl Minute {
    /// Like [`usual_time`].
    #[inline]
    fn time(&mut self, text: &str) -> Option<i64> {
        let bytes: &[u8; 24] = text.as_bytes().try_into().ok()?;
        let (minute, rest) = bytes.split_first_chunk::<17>()?;
        if !same(minute, &self.text) {
            let at = usual_time(text)?;
            (self.text, self.at) = (*minute, at - within(rest)?);
            return Some(at);
        }
        Some(self.at + within(rest)?)
    }
}

/// The milliseconds of the end of a time, such as `23.139Z`.
#[inline]
fn within(rest: &[u8]) -> Option<i64> {
    let [s1, s2, b'.', f1, f2, f3, b'Z'] = *rest else { return None };
    let digits = [s1, s2, f1, f2, f3];
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}

/// An event that begins like an earlier one.
pub(crate) struct Step {
    pub(crate) raw: (usize, usize),
    pub(crate) end: usize,
    pub(crate) at: Option<i64>,
    pub(crate) uuid: u128,
    pub(crate) seq: Option<u64>,
    pub(crate) ephemeral: bool,
    pub(crate) of_agent: bool,
    pub(crate) counted: Option<i64>,
}

impl Beginning {
    #[inline]
    pub(crate) fn begins(&self, text: &str, at: usize) -> bool {
        text.as_bytes().get(at..at + self.bytes.len()).is_some_and(|bytes| same(bytes, &self.bytes))
    }

    pub(crate) fn step(&self, text: &str, at: usize, said: &mut String, minute: &mut Minute) -> Option<Step> {
        if !self.begins(text, at) {
            return None;
        }
        let mut cursor = Cursor::new(text, at + self.bytes.len());
        let mut counted = None;
        if self.of.is_some() {
            let (end, escaped) = end_of_string(text.as_bytes(), cursor.at)?;
            let piece = text.get(cursor.at..end)?;
            cursor.at = end + 1;
            if escaped {
                unescape_onto(piece, said)?;
            } else {
                said.push_str(piece);
            }
        } else {
            counted = i64::try_from(cursor.whole()?).ok();
        }
        if !cursor.eat(b'}') {
            return None;
        }
        let mut of_agent = false;
        if cursor.eat_all(b",\"agentId\":\"") {
            of_agent = !cursor.rest_of_string()?.is_empty();
        }
        let ephemeral = cursor.eat_all(b",\"ephemeral\":true");
        if !cursor.eat_all(b",\"id\":\"") {
            return None;
        }
        let uuid = uuid(cursor.take(36)?)?;
        if !cursor.eat_all(b"\",\"timestamp\":\"") {
            return None;
        }
        let time = minute.time(cursor.take(24)?)?;
        if !cursor.eat_all(b"\",\"parentId\":") {
            return None;
        }
        if cursor.eat(b'"') {
            cursor.rest_of_string()?;
        } else if !cursor.eat_all(b"null") {
            return None;
        }
        if !cursor.eat(b'}') {
            return None;
        }
        let raw = (at + self.event, cursor.at);
        let mut seq = None;
        if self.event > 0 {
            if !cursor.eat_all(b",\"seq\":") {
                return None;
            }
            seq = Some(cursor.whole()?);
            if !cursor.eat_all(b"}}") {
                return None;
            }
        }
        Some(Step { raw, end: cursor.at, at: Some(time), uuid, seq, ephemeral, of_agent, counted })
    }
}
