//! Compresses full pieces of the log, a little at a time: a record may be megabytes
//! long, and a key press must not wait for it.

use super::compress::Squeezing;
use super::{Log, PIECE, Piece};

/// Bytes that are processed in one call: more than arrive between two calls.
const STEP: usize = 2 * PIECE;

/// A piece that is being compressed.
#[derive(Debug)]
pub(super) struct Tidying {
    squeezing: Squeezing,
    /// The piece's bytes, if they are kept outside of the log.
    fetched: Option<Vec<u8>>,
}

impl Tidying {
    fn of(piece: &Piece) -> Self {
        let fetched = piece.away.is_some().then(|| piece.kept().into_owned());
        Self { squeezing: Squeezing::new(piece.length), fetched }
    }
}

impl Log {
    /// True if there is work for [`Log::tidy`].
    pub fn untidy(&self) -> bool {
        let open = self.pieces.last().is_some_and(|piece| piece.lent.is_none());
        self.squeezed + usize::from(open) < self.pieces.len()
    }

    /// Continues to compress the first full piece that is not done yet, by at most 256 KiB; true if there is
    /// more to do. To be called when there is time.
    pub fn tidy(&mut self) -> bool {
        if !self.untidy() {
            return false;
        }
        let Some(piece) = self.pieces.get_mut(self.squeezed) else { return false };
        let mut tidying = self.tidying.take().unwrap_or_else(|| Tidying::of(piece));
        let bytes = tidying.fetched.as_deref().unwrap_or(&piece.bytes);
        if tidying.squeezing.go_on(bytes, STEP) {
            self.tidying = Some(tidying);
            return true;
        }
        let before = bytes.len();
        let mut squeezed = tidying.squeezing.finish(bytes);
        let (smaller, here) = (squeezed.len() < before / 8 * 7, piece.away.is_none());
        if smaller || piece.lent.is_some() {
            if !smaller {
                squeezed = tidying.fetched.unwrap_or_default();
            }
            self.held -= if here { piece.bytes.capacity() } else { before };
            self.held += squeezed.len();
            squeezed.shrink_to_fit();
            piece.away = self.put_away.map(|put_away| put_away(&squeezed));
            piece.bytes = if piece.away.is_some() { Vec::new() } else { squeezed };
            piece.squeezed = smaller;
        } else if here {
            self.held -= piece.bytes.capacity();
            piece.bytes.shrink_to_fit();
            self.held += piece.bytes.capacity();
        }
        self.squeezed += 1;
        self.untidy()
    }
}
