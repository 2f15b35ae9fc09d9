//! Converts text frames to bytes in one buffer that is reused. Passed as an argument, a text
//! would be copied one character at a time.

use std::cell::RefCell;

use js_sys::{JsString, Uint8Array, WebAssembly};
use wasm_bindgen::prelude::*;

/// A buffer of more bytes than this is freed after use.
const MOST_ROOM: usize = 4 << 20;

#[wasm_bindgen]
extern "C" {
    type TextEncoder;

    #[wasm_bindgen(constructor)]
    fn new() -> TextEncoder;

    #[wasm_bindgen(method, js_name = encodeInto)]
    fn encode_into(this: &TextEncoder, text: &JsString, room: &Uint8Array) -> Encoded;

    type Encoded;

    #[wasm_bindgen(method, getter)]
    fn written(this: &Encoded) -> usize;
}

/// The buffer of one connection.
pub(super) struct TextFrames {
    encoder: TextEncoder,
    room: RefCell<Vec<u8>>,
}

impl TextFrames {
    pub(super) fn new() -> Self {
        Self { encoder: TextEncoder::new(), room: RefCell::default() }
    }

    /// Passes a frame to `sink` as UTF-8.
    pub(super) fn read(&self, text: &JsString, sink: impl FnOnce(&[u8])) {
        let mut room = self.room.take();
        // No UTF-16 unit takes more than three bytes in UTF-8.
        let needed = text.length() as usize * 3;
        if room.len() < needed {
            room = vec![0; needed.next_power_of_two()];
        }
        // The view is made anew each time, because memory that has grown is another buffer.
        let memory = wasm_bindgen::memory().unchecked_into::<WebAssembly::Memory>().buffer();
        let (place, size) = (room.as_mut_ptr() as usize as u32, room.len() as u32);
        let view = Uint8Array::new_with_byte_offset_and_length(&memory, place, size);
        let written = self.encoder.encode_into(text, &view).written();
        sink(room.get(..written).unwrap_or_default());
        if room.len() <= MOST_ROOM {
            self.room.replace(room);
        }
    }
}
