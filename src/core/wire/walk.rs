//! Walks through JSON text by its grammar, and notes which objects in it look like records. It finds where a value ends or
//! where it stops being JSON, and never goes back.
//!
//! It differs from the grammar in one point: strings may have raw control characters, line breaks included. Whoever reads
//! the value escapes them first ([`escaped`]).

use crate::protocol::EventKind;
use crate::protocol::catalogue;

/// How deep values are nested at most. `serde_json` reads 128 levels; what is deeper is shown as text.
const MAX_DEPTH: usize = 1000;

/// What an object has that makes it a record.
mod sign {
    pub(super) const TYPE: u16 = 1;
    pub(super) const EVENT_TYPE: u16 = 1 << 1;
    pub(super) const DATA: u16 = 1 << 2;
    pub(super) const ID: u16 = 1 << 3;
    pub(super) const RPC: u16 = 1 << 4;
    pub(super) const SEQ: u16 = 1 << 5;
    pub(super) const INNER: u16 = 1 << 6;
    pub(super) const CHUNK: u16 = 1 << 7;
    pub(super) const ENTRY: u16 = 1 << 8;
    pub(super) const ENTRY_KIND: u16 = 1 << 9;
}

/// Whether an object with these signs is a record, wherever it stands. A part of an event may have a `type` too, such as a
/// block of a result, so that alone is not enough.
fn is_record(signs: u16) -> bool {
    use self::sign::{CHUNK, DATA, ENTRY, ENTRY_KIND, EVENT_TYPE, ID, INNER, RPC, SEQ, TYPE};
    let all = |wanted: u16| signs & wanted == wanted;
    (all(EVENT_TYPE) && signs & (DATA | ID) != 0)
        || all(TYPE | DATA | ID)
        || all(RPC)
        || all(SEQ | INNER)
        || all(CHUNK)
        || all(ENTRY | ENTRY_KIND)
}

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedToken {
    Value,
    /// A value, or the end of an empty array.
    FirstValue,
    Key,
    /// A key, or the end of an empty object.
    FirstKey,
    Colon,
    /// A comma, or the end of what is open.
    Comma,
}

/// An object or array that is not closed yet.
#[derive(Debug)]
struct OpenContainer {
    start: usize,
    is_object: bool,
    signs: u16,
    key: (usize, usize),
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// The value ends at this byte.
    Whole(usize),
    /// At this byte it is not JSON any more.
    Broken(usize),
    /// The text ends inside the value.
    Unfinished,
}

/// An object that looks like a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordSpan {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A walk from the beginning of one value. After [`WalkEnd::Unfinished`] it goes on when the text has become longer.
#[derive(Debug)]
pub(super) struct Walk {
    at: usize,
    next: ExpectedToken,
    open: Vec<OpenContainer>,
    /// Where the string began in which the text ended.
    string: Option<usize>,
    /// The outermost objects so far that look like records, in their order.
    pub(super) found: Vec<RecordSpan>,
}

impl Walk {
    /// A walk from the byte at which a value begins.
    pub(super) fn from(at: usize) -> Self {
        Self { at, next: ExpectedToken::Value, open: Vec::new(), string: None, found: Vec::new() }
    }

    /// The walk of the outermost object in this one that begins at this byte or after it and is still open, and its start.
    pub(super) fn inside_from(mut self, at: usize) -> Option<(usize, Self)> {
        let outermost = self.open.iter().position(|open| open.start >= at && open.is_object)?;
        self.open.drain(..outermost);
        let start = self.open.first()?.start;
        Some((start, self))
    }

    /// The same walk in a text that lacks the first bytes.
    pub(super) fn moved(mut self, by: usize) -> Self {
        let moved = |at: usize| at.saturating_sub(by);
        self.at = moved(self.at);
        self.string = self.string.map(moved);
        for open in &mut self.open {
            open.start = moved(open.start);
            open.key = (moved(open.key.0), moved(open.key.1));
        }
        self.found.clear();
        self
    }

    /// Walks to the end of the value, and calls `visit` with the start of every object and array on the way.
    pub(super) fn run(&mut self, text: &str, visit: &mut dyn FnMut(usize)) -> WalkEnd {
        self.run_to_end(text.as_bytes(), visit).unwrap_or_else(|| {
            let is_cut = self.at >= text.len() && !self.open.is_empty();
            if is_cut { WalkEnd::Unfinished } else { WalkEnd::Broken(self.at) }
        })
    }

    /// `None` if it is broken at `self.at`, or cut there.
    fn run_to_end(&mut self, bytes: &[u8], visit: &mut dyn FnMut(usize)) -> Option<WalkEnd> {
        if let Some(start) = self.string.take() {
            self.finish_string(bytes, start)?;
            if self.string.is_some() {
                return Some(WalkEnd::Unfinished);
            }
        }
        while self.next != ExpectedToken::Comma || !self.open.is_empty() {
            while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.at) {
                self.at += 1;
            }
            let byte = *bytes.get(self.at)?;
            match (self.next, byte) {
                (
                    ExpectedToken::Value
                    | ExpectedToken::FirstValue
                    | ExpectedToken::Key
                    | ExpectedToken::FirstKey,
                    b'"',
                ) => {
                    let start = self.at;
                    self.at += 1;
                    self.finish_string(bytes, start)?;
                    if self.string.is_some() {
                        return Some(WalkEnd::Unfinished);
                    }
                }
                (ExpectedToken::Value | ExpectedToken::FirstValue, b'{' | b'[') => {
                    if self.open.len() == MAX_DEPTH {
                        return None;
                    }
                    let (start, is_object) = (self.at, byte == b'{');
                    visit(start);
                    self.open.push(OpenContainer { start, is_object, signs: 0, key: (0, 0) });
                    self.next = if is_object { ExpectedToken::FirstKey } else { ExpectedToken::FirstValue };
                    self.at += 1;
                }
                (ExpectedToken::Comma | ExpectedToken::FirstKey, b'}') => self.close(bytes, true)?,
                (ExpectedToken::Comma | ExpectedToken::FirstValue, b']') => self.close(bytes, false)?,
                (ExpectedToken::Comma, b',') => {
                    self.next =
                        if self.open.last()?.is_object { ExpectedToken::Key } else { ExpectedToken::Value };
                    self.at += 1;
                }
                (ExpectedToken::Colon, b':') => {
                    self.next = ExpectedToken::Value;
                    self.at += 1;
                }
                (
                    ExpectedToken::Value | ExpectedToken::FirstValue,
                    b'-' | b'0'..=b'9' | b't' | b'f' | b'n',
                ) => {
                    let rest = bytes.get(self.at..)?;
                    let length = rest
                        .iter()
                        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.'))
                        .count();
                    let scalar = std::str::from_utf8(rest.get(..length)?).ok()?;
                    if !super::scanner::is_scalar(scalar) {
                        return None;
                    }
                    let start = self.at;
                    self.at += length;
                    self.value_ended(bytes, start);
                }
                _ => return None,
            }
        }
        Some(WalkEnd::Whole(self.at))
    }

    /// Goes to the end of the string that began at `start`, or of the text. `None` if an escape is broken.
    fn finish_string(&mut self, bytes: &[u8], start: usize) -> Option<()> {
        loop {
            let rest = bytes.get(self.at..)?;
            let Some(step) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else {
                self.at = bytes.len();
                self.string = Some(start);
                return Some(());
            };
            self.at += step;
            if rest.get(step) == Some(&b'"') {
                self.at += 1;
                break;
            }
            let length = match rest.get(step + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                Some(b'u')
                    if rest
                        .get(step + 2..step + 6)
                        .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) =>
                {
                    6
                }
                _ => return None,
            };
            self.at += length;
        }
        if matches!(self.next, ExpectedToken::Key | ExpectedToken::FirstKey) {
            self.open.last_mut()?.key = (start + 1, self.at - 1);
            self.next = ExpectedToken::Colon;
        } else {
            self.value_ended(bytes, start);
        }
        Some(())
    }

    /// A value of an object or array has ended at `self.at`.
    fn value_ended(&mut self, bytes: &[u8], start: usize) {
        self.next = ExpectedToken::Comma;
        let Some(open) = self.open.last_mut().filter(|open| open.is_object) else { return };
        let key = bytes.get(open.key.0..open.key.1).unwrap_or_default();
        let value = bytes.get(start..self.at).unwrap_or_default();
        open.signs |= match (key, value.first()) {
            (b"type", Some(b'"')) if is_event_type(value) => sign::TYPE | sign::EVENT_TYPE,
            (b"type", Some(b'"')) => sign::TYPE,
            (b"data", Some(b'{')) => sign::DATA,
            (b"id", Some(b'"')) => sign::ID,
            (b"jsonrpc", Some(b'"')) => sign::RPC,
            (b"seq", Some(b'0'..=b'9')) => sign::SEQ,
            (b"event", Some(b'{')) | (b"text", Some(b'"')) => sign::INNER,
            (b"object", _) if value == br#""chat.completion.chunk""# => sign::CHUNK,
            (b"kind", _) if value == br#""add-timeline-entry""# => sign::ENTRY_KIND,
            (b"entry", Some(b'{')) => sign::ENTRY,
            _ => 0,
        };
    }

    fn close(&mut self, bytes: &[u8], object: bool) -> Option<()> {
        if self.open.last()?.is_object != object {
            return None;
        }
        let closed = self.open.pop()?;
        self.at += 1;
        if object && is_record(closed.signs) {
            let inside = self.found.iter().rposition(|found| found.start < closed.start);
            self.found.truncate(inside.map_or(0, |last| last + 1));
            self.found.push(RecordSpan { start: closed.start, end: self.at });
        }
        self.value_ended(bytes, closed.start);
        Some(())
    }
}

/// Whether a string, with its quotation marks, is the type of an event.
fn is_event_type(quoted: &[u8]) -> bool {
    let name =
        quoted.get(1..quoted.len() - 1).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default();
    let dotted = name.contains('.') && !name.contains(char::is_whitespace);
    name.len() <= 128
        && (dotted || EventKind::parse(name).row().is_some() || catalogue::prefix_rule(name).is_some())
}

/// The JSON text with the raw control characters in its strings escaped. `crlf`: lines end with CR and LF here, so that both
/// together are one line break.
pub(super) fn escaped(json: &str, crlf: bool) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    let (mut in_string, mut escape) = (false, false);
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if in_string && crlf && characters.peek() == Some(&'\n') => {}
            '\n' if in_string => out.push_str("\\n"),
            '\r' if in_string => out.push_str("\\r"),
            '\t' if in_string => out.push_str("\\t"),
            control if in_string && control < ' ' => {
                out.push_str("\\u00");
                for digit in [u32::from(control) >> 4, u32::from(control) & 15] {
                    out.extend(char::from_digit(digit, 16));
                }
            }
            other => out.push(other),
        }
        in_string ^= character == '"' && !escape;
        escape = in_string && character == '\\' && !escape;
    }
    out
}
