//! Compresses full pieces of the log, a little at a time: a record may be megabytes
//! long, and a key press must not wait for it.

use super::compress::Compressing;
use super::{Log, Piece};

/// A piece that is being compressed.
#[derive(Debug)]
pub(super) struct Compaction {
    compressing: Compressing,
    /// The piece's bytes, if they are kept outside of the log.
    fetched: Option<Vec<u8>>,
}

impl Compaction {
    fn of(piece: &Piece) -> Self {
        let fetched = piece.host.is_some().then(|| piece.kept().into_owned());
        Self { compressing: Compressing::default(), fetched }
    }
}

impl Log {
    /// True if there is work for [`Log::compact`].
    pub fn can_compact(&self) -> bool {
        let open = self.pieces.last().is_some_and(|piece| piece.lengths.is_none());
        self.compressed + usize::from(open) < self.pieces.len()
    }

    /// Continues to compress the first full piece that is not done yet, by at most 256 KiB; true if there is
    /// more to do. To be called when there is time.
    pub fn compact(&mut self) -> bool {
        if !self.can_compact() {
            return false;
        }
        let Some(piece) = self.pieces.get_mut(self.compressed) else { return false };
        let mut compaction = self.compaction.take().unwrap_or_else(|| Compaction::of(piece));
        let bytes = compaction.fetched.as_deref().unwrap_or(&piece.bytes);
        if compaction.compressing.go_on(bytes) {
            self.compaction = Some(compaction);
            return true;
        }
        let before = bytes.len();
        let mut compressed = compaction.compressing.finish();
        let (smaller, here) = (compressed.len() < before / 8 * 7, piece.host.is_none());
        if smaller || piece.lengths.is_some() {
            if !smaller {
                compressed = compaction.fetched.unwrap_or_default();
            }
            self.bytes_kept -= if here { piece.bytes.capacity() } else { before };
            self.bytes_kept += compressed.len();
            compressed.shrink_to_fit();
            piece.host = self.move_to_host.map(|move_to_host| move_to_host(&compressed));
            piece.bytes = if piece.host.is_some() { Vec::new() } else { compressed };
            piece.compressed = smaller;
        } else if here {
            self.bytes_kept -= piece.bytes.capacity();
            piece.bytes.shrink_to_fit();
            self.bytes_kept += piece.bytes.capacity();
        }
        self.compressed += 1;
        self.can_compact()
    }
}
