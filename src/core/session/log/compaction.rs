//! Compresses full pieces of the log with LZ4, a block at a time: a record may be megabytes long, and neither a frame nor a key
//! press must wait for it.

use lz4_flex::block;

use super::{Log, LogPiece};

/// Bytes of a piece that make a block. Blocks are compressed without each other.
const BLOCK: usize = 256 * 1024;
/// Bytes of the size that precedes a compressed block, little-endian.
const SIZE: usize = size_of::<u32>();

/// A compression in progress.
#[derive(Debug, Default)]
struct PieceCompressor {
    out: Vec<u8>,
    /// Up to here the input is in `out`.
    done: usize,
}

impl PieceCompressor {
    /// Compresses the next block. The input must be the same each time; true if there is more of it.
    fn compress_next(&mut self, bytes: &[u8]) -> bool {
        let left = bytes.get(self.done..).unwrap_or_default();
        let next = left.get(..BLOCK).unwrap_or(left);
        let block = block::compress(next);
        self.out.extend((block.len() as u32).to_le_bytes());
        self.out.extend(block);
        self.done += next.len();
        self.done < bytes.len()
    }

    /// The compressed bytes, once [`Self::compress_next`] has returned false.
    fn finish(self) -> Vec<u8> {
        self.out
    }
}

/// Restores `length` bytes that [`PieceCompressor`] has compressed; `None` if they are damaged.
pub(super) fn restore(compressed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut left = compressed;
    let mut out = vec![0; length];
    let mut done = 0;
    while done < length {
        let size = u32::from_le_bytes(*left.split_off(..SIZE)?.first_chunk()?);
        let block = left.split_off(..usize::try_from(size).ok()?)?;
        done += block::decompress_into(block, out.get_mut(done..)?).ok().filter(|restored| *restored > 0)?;
    }
    Some(out)
}

/// A piece that is being compressed.
#[derive(Debug)]
pub(super) struct Compaction {
    compressing: PieceCompressor,
    /// The piece's bytes, if they are stored outside of the log.
    fetched: Option<Vec<u8>>,
}

impl Compaction {
    fn of(piece: &LogPiece) -> Self {
        let fetched = piece.host.is_some().then(|| piece.stored().into_owned());
        Self { compressing: PieceCompressor::default(), fetched }
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
        if compaction.compressing.compress_next(bytes) {
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
            self.memory -= if here { piece.bytes.capacity() } else { before };
            self.memory += compressed.len();
            compressed.shrink_to_fit();
            piece.host = self.move_to_host.map(|move_to_host| move_to_host(&compressed));
            piece.bytes = if piece.host.is_some() { Vec::new() } else { compressed };
            piece.compressed = smaller;
        } else if here {
            self.memory -= piece.bytes.capacity();
            piece.bytes.shrink_to_fit();
            self.memory += piece.bytes.capacity();
        }
        self.compressed += 1;
        self.can_compact()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut compressing = PieceCompressor::default();
        while compressing.compress_next(bytes) {}
        compressing.finish()
    }

    #[test]
    fn whatever_is_compressed_comes_back() {
        let mut random = 1_u32;
        let noise = (0..600_000).map(|_| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 24) as u8
        });
        let noise: Vec<u8> = noise.collect();
        let words: Vec<u8> =
            b"test case ... ok\\nwarning: unused variable ".iter().copied().cycle().take(590_000).collect();
        let mixed: Vec<u8> = words.iter().zip(&noise).map(|(w, n)| if *n < 8 { *n } else { *w }).collect();
        for bytes in
            [&[][..], b"a", b"abcabcabcabcabc", &vec![7; BLOCK], &vec![7; BLOCK + 1], &noise, &words, &mixed]
        {
            assert_eq!(restore(&compressed(bytes), bytes.len()).as_deref(), Some(bytes));
        }
        assert!(compressed(&mixed).len() < mixed.len() / 2);
        assert!(compressed(&noise).len() < noise.len() / 100 * 101);
    }

    #[test]
    fn what_was_damaged_is_refused() {
        let good = compressed(b"abcabcabcabcabc");
        for bytes in
            [&b""[..], b"\x05ab", b"\x00\x00\x00\x00", b"\x02\x00\x00\x00\x10a", &good[..good.len() - 1]]
        {
            assert_eq!(restore(bytes, 15), None, "{bytes:?}");
        }
    }
}
