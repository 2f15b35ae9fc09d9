//! Pieces of a log in JavaScript's memory: it gives back what is not needed any more, the wasm's never does. Refuses to
//! look into them.

use std::cell::RefCell;

use js_sys::Uint8Array;

use crate::core::log::Away;

thread_local! {
    /// The pieces, and which places are free.
    static PIECES: RefCell<(Vec<Option<Uint8Array>>, Vec<usize>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

#[derive(Debug)]
struct Piece(usize);

/// Takes a piece out of the wasm's memory.
pub(super) fn put_away(bytes: &[u8]) -> Box<dyn Away> {
    let piece = Uint8Array::from(bytes);
    let place = PIECES.with_borrow_mut(|(pieces, free)| {
        let place = free.pop().unwrap_or(pieces.len());
        match pieces.get_mut(place) {
            Some(slot) => *slot = Some(piece),
            None => pieces.push(Some(piece)),
        }
        place
    });
    Box::new(Piece(place))
}

impl Away for Piece {
    fn bytes(&self) -> Vec<u8> {
        let piece = PIECES.with_borrow(|(pieces, _)| pieces.get(self.0).cloned().flatten());
        piece.map(|piece| piece.to_vec()).unwrap_or_default()
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        PIECES.with_borrow_mut(|(pieces, free)| {
            if let Some(slot) = pieces.get_mut(self.0) {
                *slot = None;
                free.push(self.0);
            }
        });
    }
}
