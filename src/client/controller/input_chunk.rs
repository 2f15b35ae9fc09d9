//! One chunk of a stream, bytes or text, and how it is read piece by piece.

use js_sys::{JsString, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};

use super::js_memory;
use crate::core::Session;
use crate::core::client::intake::AT_ONCE;

/// Bytes read between two looks at the clock, and all that is copied into wasm memory at a time.
const PIECE: u32 = 128 << 10;

/// Feeds a chunk that is not a stream: an object that is itself a record. Returns the records accepted.
pub(super) type Whole = fn(&mut Session, &JsValue) -> usize;

/// A chunk of a stream and how much of it has been read. The data stays in JavaScript's memory.
pub(super) enum InputChunk {
    Bytes(Uint8Array, u32),
    Text(JsString, u32),
    Whole(JsValue, Whole),
}

impl InputChunk {
    pub(super) fn of(chunk: &JsValue, whole: Whole) -> Self {
        match chunk.dyn_ref::<Uint8Array>() {
            Some(bytes) => Self::Bytes(bytes.clone(), 0),
            None => match chunk.dyn_ref::<JsString>() {
                Some(text) => Self::Text(text.clone(), 0),
                None => Self::Whole(chunk.clone(), whole),
            },
        }
    }

    /// The length in bytes, or in UTF-16 units for a text.
    pub(super) fn length(&self) -> u32 {
        match self {
            Self::Bytes(bytes, _) => bytes.length(),
            Self::Text(text, _) => text.length(),
            Self::Whole(..) => 0,
        }
    }

    /// The part between two positions.
    fn between(&self, from: u32, to: u32) -> JsValue {
        match self {
            Self::Bytes(bytes, _) => bytes.subarray(from, to).into(),
            Self::Text(text, _) => text.slice(from, to).into(),
            Self::Whole(..) => JsValue::UNDEFINED,
        }
    }

    /// Feeds the next piece, copied into `room`. Returns how many units were looked at and the records
    /// accepted, or `None` at the end.
    pub(super) fn feed(&mut self, session: &mut Session, room: &mut Vec<u8>) -> Option<(u32, usize)> {
        let length = self.length();
        let (Self::Bytes(_, at) | Self::Text(_, at)) = self else {
            let Self::Whole(value, take) = self else { return None };
            let records = take(session, value);
            *self = Self::Text(JsString::from(""), 0);
            return Some((0, records));
        };
        let from = *at;
        if from >= length {
            return None;
        }
        let to = self.whole_units(from.saturating_add(PIECE).min(length));
        let piece = self.between(from, to);
        let (mut part, mut next) = (js_memory::bytes_in(&piece, room), to);
        let records = if length > AT_ONCE && session.log().is_some() {
            // Whole lines if possible: a record that lies within one piece can stay in JavaScript's memory.
            if let Some(end) = part.iter().rposition(|byte| *byte == b'\n').filter(|_| to < length) {
                let (lines, rest) = part.split_at_checked(end + 1).unwrap_or((part, &[]));
                next -= self.units(rest);
                part = lines;
            }
            session.push_host_input(part, js_memory::keep(piece))
        } else {
            session.push(part)
        };
        if let Self::Bytes(_, at) | Self::Text(_, at) = self {
            *at = next;
        }
        Some((to - from, records))
    }

    /// How many units of this chunk these bytes are.
    fn units(&self, bytes: &[u8]) -> u32 {
        match self {
            Self::Text(..) => String::from_utf8_lossy(bytes).encode_utf16().count() as u32,
            _ => bytes.len() as u32,
        }
    }

    /// Moves the end by one unit where it would split a surrogate pair.
    fn whole_units(&self, to: u32) -> u32 {
        let high = |text: &JsString| (0xD800..0xDC00).contains(&(text.char_code_at(to - 1) as u32));
        match self {
            Self::Text(text, _) if to < text.length() && high(text) => to + 1,
            _ => to,
        }
    }
}
