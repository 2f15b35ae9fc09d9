//! A small LZ77 compressor that works in steps, because it has to run between two frames.

/// Repetitions shorter than this, in bytes, cost more than they save.
const SHORTEST: usize = 5;
/// Size of the hash table of earlier positions, as a power of two.
const SLOTS: u32 = 14;

/// A compression in progress.
#[derive(Debug)]
pub(super) struct Squeezing {
    /// For each hash of four bytes: where they occurred last, plus one.
    seen: Vec<u32>,
    out: Vec<u8>,
    at: usize,
    /// Up to here the input is in `out`.
    told: usize,
}

impl Squeezing {
    /// For an input of `length` bytes.
    pub(super) fn new(length: usize) -> Self {
        Self { seen: vec![0; 1 << SLOTS], out: Vec::with_capacity(length / 2), at: 0, told: 0 }
    }

    /// Processes about `most` more bytes. The input must be the same each time; true if there is more of it.
    pub(super) fn go_on(&mut self, bytes: &[u8], most: usize) -> bool {
        let Self { seen, out, at: from, told } = self;
        let mut at = *from;
        let end = at.saturating_add(most);
        let more = loop {
            let Some(word) = bytes.get(at..at + SHORTEST).and_then(<[u8]>::first_chunk::<4>) else {
                break false;
            };
            if at >= end {
                break true;
            }
            let slot = u32::from_le_bytes(*word).wrapping_mul(0x9E37_79B9) as usize >> (32 - SLOTS);
            let before = seen.get_mut(slot).map_or(0, |last| std::mem::replace(last, at as u32 + 1)) as usize;
            let length = match before.checked_sub(1) {
                Some(before) => {
                    let old = bytes.get(before..).unwrap_or_default();
                    common_start(old, bytes.get(at..).unwrap_or_default())
                }
                _ => 0,
            };
            if length < SHORTEST {
                // The longer nothing repeats, the larger the steps become.
                at += 1 + ((at - *told) >> 6);
                continue;
            }
            push_number(out, (at - *told) as u64);
            out.extend_from_slice(bytes.get(*told..at).unwrap_or_default());
            push_number(out, (length - SHORTEST) as u64);
            push_number(out, (at + 1 - before) as u64);
            at += length;
            *told = at;
        };
        *from = at;
        more
    }

    /// The compressed bytes, once [`Self::go_on`] has returned false.
    pub(super) fn finish(mut self, bytes: &[u8]) -> Vec<u8> {
        push_number(&mut self.out, (bytes.len() - self.told) as u64);
        self.out.extend_from_slice(bytes.get(self.told..).unwrap_or_default());
        self.out.shrink_to_fit();
        self.out
    }
}

/// Restores `length` bytes that [`Squeezing`] has compressed; `None` if they are damaged.
pub(super) fn restore(squeezed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut left = squeezed;
    let size = |left: &mut &[u8]| number(left).and_then(|n| usize::try_from(n).ok());
    let mut out: Vec<u8> = Vec::with_capacity(length);
    loop {
        let plain = size(&mut left)?;
        out.extend_from_slice(left.split_off(..plain)?);
        if out.len() >= length {
            return Some(out);
        }
        let mut again = size(&mut left)?.checked_add(SHORTEST)?;
        let start = out.len().checked_sub(size(&mut left)?)?;
        while again > 0 {
            // A repetition may overlap with its own output.
            let step = again.min(out.len() - start);
            if step == 0 || out.len() + step > length {
                return None;
            }
            out.extend_from_within(start..start + step);
            again -= step;
        }
    }
}

/// Appends a number with seven bits in each byte, the lowest first.
pub(super) fn push_number(out: &mut Vec<u8>, number: u64) {
    let mut left = number;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

/// Takes such a number from the front; `None` if it is cut off or too large.
pub(super) fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn common_start(one: &[u8], other: &[u8]) -> usize {
    let words = one.chunks_exact(8).zip(other.chunks_exact(8)).take_while(|(a, b)| a == b).count() * 8;
    let rest = one.iter().zip(other).skip(words);
    words + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeeze(bytes: &[u8], most: usize) -> Vec<u8> {
        let mut squeezing = Squeezing::new(bytes.len());
        while squeezing.go_on(bytes, most) {}
        squeezing.finish(bytes)
    }

    #[test]
    fn whatever_is_squeezed_comes_back() {
        let mut random = 1_u32;
        let noise = (0..100_000).map(|_| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 24) as u8
        });
        let noise: Vec<u8> = noise.collect();
        let words: Vec<u8> =
            b"test case ... ok\\nwarning: unused variable ".iter().copied().cycle().take(90_000).collect();
        let mixed: Vec<u8> = words.iter().zip(&noise).map(|(w, n)| if *n < 8 { *n } else { *w }).collect();
        for bytes in [&[][..], b"a", b"abcabcabcabcabc", &[7; 1000], &noise, &words, &mixed] {
            let at_once = squeeze(bytes, usize::MAX);
            assert_eq!(restore(&at_once, bytes.len()).as_deref(), Some(bytes));
            for most in [1, 7, 1_000] {
                assert_eq!(squeeze(bytes, most), at_once, "{most} bytes at a time");
            }
        }
        assert!(squeeze(&mixed, usize::MAX).len() < mixed.len() / 2);
        assert!(squeeze(&noise, usize::MAX).len() < noise.len() + 100);
    }

    #[test]
    fn what_was_damaged_is_refused() {
        for bytes in [&b""[..], b"\x05ab", b"\x00\x00\x01", b"\x01a\x00\x09"] {
            assert_eq!(restore(bytes, 50), None);
        }
    }
}
