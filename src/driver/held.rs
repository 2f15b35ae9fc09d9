//! A part of a stream as it came, bytes or a text, and how it is read piece by piece. Refuses to say when; `intake` does.

use js_sys::{JsString, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};

use super::intake::AT_ONCE;
use super::pieces;
use crate::core::Session;

/// Bytes between two looks at the clock; they are all that is in the wasm's memory at a time.
const PIECE: u32 = 128 << 10;

/// Who takes what is no stream: an object that is a record itself.
pub(super) type Whole = fn(&mut Session, &JsValue) -> usize;

/// A part of a stream, and how much of it was read. It stays where JavaScript has it.
pub(super) enum Held {
    Bytes(Uint8Array, u32),
    Text(JsString, u32),
    Whole(JsValue, Whole),
}

impl Held {
    pub(super) fn of(chunk: &JsValue, whole: Whole) -> Self {
        match chunk.dyn_ref::<Uint8Array>() {
            Some(bytes) => Self::Bytes(bytes.clone(), 0),
            None => match chunk.dyn_ref::<JsString>() {
                Some(text) => Self::Text(text.clone(), 0),
                None => Self::Whole(chunk.clone(), whole),
            },
        }
    }

    /// Bytes, or a text's units.
    pub(super) fn length(&self) -> u32 {
        match self {
            Self::Bytes(bytes, _) => bytes.length(),
            Self::Text(text, _) => text.length(),
            Self::Whole(..) => 0,
        }
    }

    /// What is between two places.
    fn between(&self, from: u32, to: u32) -> JsValue {
        match self {
            Self::Bytes(bytes, _) => bytes.subarray(from, to).into(),
            Self::Text(text, _) => text.slice(from, to).into(),
            Self::Whole(..) => JsValue::UNDEFINED,
        }
    }

    /// Bytes between two places.
    pub(super) fn part(&self, from: u32, to: u32) -> Vec<u8> {
        pieces::bytes_of(&self.between(from, to))
    }

    /// Feeds the next piece by way of `room`: how many units of it were looked at, and how many records; none where there
    /// is no more.
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
        let held = self.between(from, to);
        let (mut part, mut next) = (pieces::bytes_in(&held, room), to);
        let records = if length > AT_ONCE && session.log().is_some() {
            // Whole lines, where there are any: what lies in one part can stay where it is.
            if let Some(end) = part.iter().rposition(|byte| *byte == b'\n').filter(|_| to < length) {
                let (lines, rest) = part.split_at_checked(end + 1).unwrap_or((part, &[]));
                next -= self.units(rest);
                part = lines;
            }
            session.push_lent(part, pieces::keep(held))
        } else {
            session.push(part)
        };
        if let Self::Bytes(_, at) | Self::Text(_, at) = self {
            *at = next;
        }
        Some((to - from, records))
    }

    /// How many units bytes of it are.
    fn units(&self, bytes: &[u8]) -> u32 {
        match self {
            Self::Text(..) => String::from_utf8_lossy(bytes).encode_utf16().count() as u32,
            _ => bytes.len() as u32,
        }
    }

    /// Two units that are one character are not parted.
    fn whole_units(&self, to: u32) -> u32 {
        let high = |text: &JsString| (0xD800..0xDC00).contains(&(text.char_code_at(to - 1) as u32));
        match self {
            Self::Text(text, _) if to < text.length() && high(text) => to + 1,
            _ => to,
        }
    }
}
