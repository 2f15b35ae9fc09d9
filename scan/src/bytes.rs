//! Eight bytes at a time: the next byte that matters, equality. Refuses to know JSON beyond what ends a string.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The place, from `at` on, of the next byte that a string can't simply hold: a quotation mark, a backslash, a
/// control character.
#[inline]
pub(crate) fn end_of_plain(bytes: &[u8], at: usize) -> Option<usize> {
    let mut rest = bytes.get(at..)?;
    let mut place = at;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    while let Some((chunk, more)) = rest.split_first_chunk::<16>() {
        let found = special_of_16(chunk);
        if found != 0 {
            return Some(place + found.trailing_zeros() as usize);
        }
        rest = more;
        place += 16;
    }
    while let Some((chunk, more)) = rest.split_first_chunk::<8>() {
        let found = special(u64::from_le_bytes(*chunk));
        if found != 0 {
            return Some(place + (found.trailing_zeros() / 8) as usize);
        }
        rest = more;
        place += 8;
    }
    rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).map(|found| place + found)
}

/// A bit for each special byte.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn special_of_16(chunk: &[u8; 16]) -> u16 {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u64x2, v128_or};
    let word = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let (low, high) = chunk.split_at(8);
    let bytes = u64x2(word(low), word(high));
    let ends = v128_or(u8x16_eq(bytes, u8x16_splat(b'"')), u8x16_eq(bytes, u8x16_splat(b'\\')));
    u8x16_bitmask(v128_or(ends, u8x16_lt(bytes, u8x16_splat(0x20))))
}

/// How many bytes at the beginning of eight a string can simply hold.
#[inline]
pub(crate) fn plain_of(chunk: [u8; 8]) -> usize {
    (special(u64::from_le_bytes(chunk)).trailing_zeros() / 8) as usize
}

/// The lowest bit that is set belongs to the first special byte; higher ones may lie, as borrows reach them.
#[inline]
fn special(word: u64) -> u64 {
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let quote = zero(word ^ (ONES * 0x22));
    let backslash = zero(word ^ (ONES * 0x5C));
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (quote | backslash | control) & HIGHS
}

/// Equality without a call: most keys and ids are shorter than what a call costs.
#[inline]
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let (mut one, mut other) = (one, other);
    while let (Some((left, more)), Some((right, others))) =
        (one.split_first_chunk::<8>(), other.split_first_chunk::<8>())
    {
        if u64::from_le_bytes(*left) != u64::from_le_bytes(*right) {
            return false;
        }
        (one, other) = (more, others);
    }
    one.iter().zip(other).all(|(left, right)| left == right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_special_byte_is_found_wherever_it_is() {
        for special in [b'"', b'\\', 0, 0x1F, b'\n'] {
            for place in 0..40 {
                for other in [b' ', 0x7F, 0x80, 0xFF, b'!', b'#', b'[', b']'] {
                    let mut bytes = [other; 40];
                    bytes[place] = special;
                    bytes[place..].iter_mut().skip(3).step_by(2).for_each(|byte| *byte = b'"');
                    assert_eq!(end_of_plain(&bytes, 0), Some(place));
                    assert_eq!(end_of_plain(&bytes, place), Some(place));
                }
            }
        }
        assert_eq!(end_of_plain("é→ plain \u{7F}".as_bytes(), 0), None);
    }

    #[test]
    fn equal_is_what_has_the_same_bytes() {
        let text = b"0123456789abcdefghij";
        for length in 0..20 {
            assert!(same(&text[..length], &text[..length]));
            assert!(!same(&text[..length], &text[..=length]));
            for place in 0..length {
                let mut other = text[..length].to_vec();
                other[place] = b'-';
                assert!(!same(&text[..length], &other), "{length} {place}");
            }
        }
    }
}
