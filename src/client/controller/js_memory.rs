//! Keeps pieces of a log in JavaScript's memory, which is given back when they are
//! dropped. Wasm memory never shrinks.

use js_sys::{JsString, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};

use crate::core::session::log::HostBytes;

/// A piece, bytes or a text.
struct JsPiece(JsValue);

/// Moves a piece out of wasm memory.
pub fn move_to_host(bytes: &[u8]) -> Box<dyn HostBytes> {
    keep(Uint8Array::from(bytes).into())
}

/// Keeps a piece that JavaScript has already: bytes, or a text.
pub(super) fn keep(piece: JsValue) -> Box<dyn HostBytes> {
    Box::new(JsPiece(piece))
}

impl HostBytes for JsPiece {
    fn bytes(&self) -> Vec<u8> {
        bytes_of(&self.0)
    }
}

/// The bytes of a JavaScript value: a `Uint8Array`, or a text as UTF-8. Empty for others.
fn bytes_of(piece: &JsValue) -> Vec<u8> {
    match piece.dyn_ref::<Uint8Array>() {
        Some(bytes) => bytes.to_vec(),
        None => piece.dyn_ref::<JsString>().map(|text| String::from(text).into_bytes()).unwrap_or_default(),
    }
}

/// Same as [`bytes_of`], in a buffer that is reused.
pub(super) fn bytes_in<'a>(piece: &JsValue, room: &'a mut Vec<u8>) -> &'a [u8] {
    if let Some(bytes) = piece.dyn_ref::<Uint8Array>() {
        let length = bytes.length() as usize;
        if room.len() < length {
            room.resize(length, 0);
        }
        let place = room.get_mut(..length).unwrap_or_default();
        bytes.copy_to(place);
        place
    } else {
        *room = bytes_of(piece);
        room
    }
}
