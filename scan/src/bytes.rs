//! Works on many bytes at a time: finds the end of a string (sixteen bytes at a time, 64 in a long one), finds a byte, compares.

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
const ONES: u64 = 0x0101_0101_0101_0101;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// The end of a string whose text begins at `start`, and whether there is a backslash in it. `None` if it
/// does not end, or if it has a control character, a wrong escape or the escape of a surrogate.
#[inline]
pub(crate) fn end_of_string(bytes: &[u8], start: usize) -> Option<(usize, bool)> {
    let mut place = start;
    let mut escaped = false;
    loop {
        if place - start >= SHORT_TEXT {
            return end_of_long(bytes, place, escaped);
        }
        let rest = bytes.get(place..)?;
        let (mut found, base) = if let Some(chunk) = rest.first_chunk::<16>() {
            (special(chunk), place)
        } else if let Some(chunk) = bytes.last_chunk::<16>() {
            let base = bytes.len() - 16;
            (special(chunk) & (u32::MAX << (place - base)), base)
        } else {
            return end_of_short(bytes, place, escaped);
        };
        place = base + 16;
        while found != 0 {
            let at = base + found.trailing_zeros() as usize;
            match bytes.get(at)? {
                b'"' => return Some((at, escaped)),
                b'\\' => {
                    escaped = true;
                    // Nearly all escapes have two bytes.
                    let short = bytes.get(at + 1).is_some_and(|byte| matches!(byte, b'n' | b'"'));
                    let next = at + if short { 2 } else { escape(bytes, at)? };
                    place = place.max(next);
                    found &= u32::MAX.checked_shl((next - base) as u32).unwrap_or(0);
                }
                _ => return None,
            }
        }
        if place > bytes.len() || rest.len() < 16 {
            return None;
        }
    }
}

/// Strings longer than this, in bytes, are read in blocks. Most strings are keys and ids, which are shorter.
const SHORT_TEXT: usize = 64;

#[cold]
fn end_of_short(bytes: &[u8], start: usize, escaped: bool) -> Option<(usize, bool)> {
    let (mut at, mut escaped) = (start, escaped);
    loop {
        match bytes.get(at)? {
            b'"' => return Some((at, escaped)),
            b'\\' => {
                escaped = true;
                at += escape(bytes, at)?;
            }
            0..0x20 => return None,
            _ => at += 1,
        }
    }
}

/// Every other bit, from the second on.
const ODD_BITS: u64 = 0xAAAA_AAAA_AAAA_AAAA;

/// Like [`end_of_string`], for a string that does not end soon: 64 bytes at a time, without a
/// check of each backslash. No escape may be unfinished at `start`.
#[inline(never)]
fn end_of_long(bytes: &[u8], start: usize, escaped: bool) -> Option<(usize, bool)> {
    let (mut place, mut escaped) = (start, escaped);
    // The lowest bit is set if the first byte of the block belongs to a backslash in the block before.
    let mut carried = 0;
    while let Some(block) = bytes.get(place..)?.first_chunk::<64>() {
        let (quotes, backslashes) = (match_mask(b'"', block), match_mask(b'\\', block));
        let mut second = carried;
        if backslashes == 0 {
            carried = 0;
        } else {
            (second, carried) = seconds(backslashes, carried);
        }
        let ends = quotes & !second;
        let inside = ends.wrapping_sub(1) & !ends;
        if controls(block) & inside != 0 {
            return None;
        }
        // Nearly all of them are line breaks, quotation marks and backslashes, which need no check.
        let mut unusual = second & inside & !(quotes | backslashes);
        if unusual != 0 {
            unusual &= !match_mask(b'n', block);
        }
        while unusual != 0 {
            let at = place + unusual.trailing_zeros() as usize;
            escape(bytes, at - 1)?;
            unusual &= unusual - 1;
        }
        escaped |= backslashes & inside != 0;
        if ends != 0 {
            return Some((place + ends.trailing_zeros() as usize, escaped));
        }
        place += 64;
    }
    end_of_short(bytes, place - carried as usize, escaped)
}

/// A bit for each byte that belongs to a backslash before it, and the carry for the next block.
#[inline]
fn seconds(backslashes: u64, carried: u64) -> (u64, u64) {
    // In a row of backslashes every other one begins an escape: a subtraction carries through the row.
    let begins = backslashes & !carried;
    let rows = ((begins << 1 | ODD_BITS).wrapping_sub(begins)) ^ ODD_BITS;
    (rows ^ (backslashes | carried), (rows & backslashes) >> 63)
}

/// A bit for each of 64 bytes that equals `byte`.
#[inline]
fn match_mask(byte: u8, block: &[u8; 64]) -> u64 {
    let (chunks, _) = block.as_chunks::<16>();
    chunks.iter().rev().fold(0, |found, chunk| found << 16 | u64::from(places_of(byte, chunk)))
}

/// A bit for each of 64 bytes that is a control character. There is hardly ever one.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn controls(block: &[u8; 64]) -> u64 {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_lt, u8x16_min, u8x16_splat, v128_any_true};
    let ([first, second, third, fourth], _) = block.as_chunks::<16>() else { return 0 };
    let lowest =
        u8x16_min(u8x16_min(vector(first), vector(second)), u8x16_min(vector(third), vector(fourth)));
    if !v128_any_true(u8x16_lt(lowest, u8x16_splat(0x20))) {
        return 0;
    }
    [fourth, third, second, first].iter().fold(0, |found, chunk| {
        found << 16 | u64::from(u8x16_bitmask(u8x16_lt(vector(chunk), u8x16_splat(0x20))))
    })
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
fn controls(block: &[u8; 64]) -> u64 {
    let control = |chunk| special(chunk) & !places_of(b'"', chunk) & !places_of(b'\\', chunk);
    let (chunks, _) = block.as_chunks::<16>();
    chunks.iter().rev().fold(0, |found, chunk| found << 16 | u64::from(control(chunk)))
}

/// The length of an escape by its second byte; 0 if there is no such escape.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut rest: &[u8] = b"\"\\/bfnrt";
    while let Some((byte, more)) = rest.split_first() {
        table[*byte as usize] = 2;
        rest = more;
    }
    table[b'u' as usize] = 6;
    table
};

/// The length of the escape that begins at a backslash; `None` if it is wrong, or a surrogate.
#[inline]
fn escape(bytes: &[u8], at: usize) -> Option<usize> {
    match ESCAPES.get(usize::from(*bytes.get(at + 1)?))? {
        2 => Some(2),
        6 => {
            let digits = bytes.get(at + 2..at + 6)?;
            // Surrogates may be valid in pairs; those are left to the general parser.
            let surrogate = matches!(digits, [b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..]);
            (!surrogate && digits.iter().all(u8::is_ascii_hexdigit)).then_some(6)
        }
        _ => None,
    }
}

/// A bit for each of sixteen bytes that ends plain text: a quotation mark, a backslash, a control character.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn special(chunk: &[u8; 16]) -> u32 {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, v128_or};
    let bytes = vector(chunk);
    let ends = v128_or(u8x16_eq(bytes, u8x16_splat(b'"')), u8x16_eq(bytes, u8x16_splat(b'\\')));
    u8x16_bitmask(v128_or(ends, u8x16_lt(bytes, u8x16_splat(0x20)))).into()
}

/// A bit for each of sixteen bytes that equals `byte`.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
pub(crate) fn places_of(byte: u8, chunk: &[u8; 16]) -> u32 {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_splat};
    u8x16_bitmask(u8x16_eq(vector(chunk), u8x16_splat(byte))).into()
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn vector(chunk: &[u8; 16]) -> core::arch::wasm32::v128 {
    let word = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let (low, high) = chunk.split_at(8);
    core::arch::wasm32::u64x2(word(low), word(high))
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
fn special(chunk: &[u8; 16]) -> u32 {
    bits(chunk, |word| {
        let control = !((word & (ONES * 0x7F)) + ONES * 0x60) & !word;
        zero_bytes(word ^ (ONES * 0x22)) | zero_bytes(word ^ (ONES * 0x5C)) | control
    })
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
pub(crate) fn places_of(byte: u8, chunk: &[u8; 16]) -> u32 {
    bits(chunk, |word| zero_bytes(word ^ (ONES * u64::from(byte))))
}

/// Sets the highest bit of every byte that is 0.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
fn zero_bytes(word: u64) -> u64 {
    !(((word & (ONES * 0x7F)) + ONES * 0x7F) | word)
}

/// Applies `of` to both halves, and collects the highest bits of the sixteen bytes.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
fn bits(chunk: &[u8; 16], of: impl Fn(u64) -> u64) -> u32 {
    let half = |bytes: &[u8]| {
        let word = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        (((of(word) & HIGH_BITS) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    };
    let (low, high) = chunk.split_at(8);
    half(low) | half(high) << 8
}

/// The first place of a byte; the length of the text if the byte is not in it.
#[inline]
pub(crate) fn find_byte(byte: u8, text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(chunk) = text.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        let found = places_of(byte, chunk);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += 16;
    }
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|other| *other == byte).unwrap_or(rest.len())
}

/// The length of the common beginning, in bytes.
#[inline(never)]
pub fn common(one: &[u8], other: &[u8]) -> usize {
    let mut at = 0;
    while let (Some(left), Some(right)) = (
        one.get(at..).and_then(<[u8]>::first_chunk::<16>),
        other.get(at..).and_then(<[u8]>::first_chunk::<16>),
    ) {
        let differs = u128::from_le_bytes(*left) ^ u128::from_le_bytes(*right);
        if differs != 0 {
            return at + differs.trailing_zeros() as usize / 8;
        }
        at += 16;
    }
    let rest = one.get(at..).unwrap_or_default().iter().zip(other.get(at..).unwrap_or_default());
    at + rest.take_while(|(left, right)| left == right).count()
}

/// Equality without a function call, which would cost more than comparing most keys and ids.
#[inline]
pub fn same(one: &[u8], other: &[u8]) -> bool {
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

    /// One byte at a time, as in the grammar.
    fn slowly(bytes: &[u8], start: usize) -> Option<(usize, bool)> {
        if bytes.len() < start { None } else { end_of_short(bytes, start, false) }
    }

    #[test]
    fn a_string_ends_where_it_does_wherever_it_stands() {
        let pieces: [&[u8]; 22] = [
            b"\"",
            b"\\",
            b"\\\\",
            b"\\\"",
            b"\\n",
            b"\\u00e9",
            b"\\u001b[33m",
            b"\\ud83d\\ude00",
            b"\\udfff",
            b"\\uD7FF",
            b"\\uD8",
            b"\\u12",
            b"\\x",
            b"\0",
            b"\x1F",
            b"\n",
            b" ",
            b"!",
            b"#",
            b"\x7F",
            "\u{e9}".as_bytes(),
            b"\xFF",
        ];
        for length in 0..40 {
            for place in 0..=length {
                for piece in pieces {
                    for other in [b'a', 0x80] {
                        let mut bytes = vec![other; length];
                        bytes.splice(place..place, piece.iter().copied());
                        for end in [&b""[..], b"\"", b"\\\"", b"\"}", b"\\\\\"xyz0123456789abcdef\""] {
                            let whole = [&bytes[..], end].concat();
                            for start in [0, 1, place, length] {
                                let found = end_of_string(&whole, start);
                                assert_eq!(found, slowly(&whole, start), "{whole:?} {start}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_byte_has_its_bit() {
        for byte in 0..=255_u8 {
            for place in 0..16 {
                for other in [b'a', 0xFF, 0x7F, b'\\', 0x1F] {
                    let mut chunk = [other; 16];
                    chunk[place] = byte;
                    let slowly = |wanted: fn(u8) -> bool| {
                        (0..16).filter(|place| wanted(chunk[*place])).fold(0, |bits, place| bits | 1 << place)
                    };
                    assert_eq!(special(&chunk), slowly(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)));
                    assert_eq!(places_of(b'\\', &chunk), slowly(|byte| byte == b'\\'));
                }
            }
        }
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

    #[test]
    fn a_long_string_ends_where_it_does_whatever_is_in_it() {
        let pieces: [&[u8]; 14] = [
            b"\\\\",
            b"\\\"",
            b"\\n",
            b"\\/",
            b"\\u001b",
            b"\\uD7ff",
            b"plain words",
            b" ",
            b"\\\\\\\\\\\\",
            b"n",
            b"\xC3\xA9",
            b"0123456789abcdefghijklmnopqrstuvwxyz",
            b"[33m",
            b"/",
        ];
        let wrong: [&[u8]; 7] = [b"\\x", b"\\ud83d", b"\\u12", b"\n", b"\x1F", b"\\", b"\\u00g0"];
        let mut random = 1_usize;
        let mut next = |below: usize| {
            random = (random.wrapping_mul(1_664_525)).wrapping_add(1_013_904_223) & 0xFFFF_FFFF;
            (random >> 8) % below
        };
        for round in 0..6_000 {
            let mut bytes = Vec::new();
            for _ in 0..next(40) {
                bytes.extend(pieces[next(pieces.len())]);
            }
            if round % 3 == 0 {
                bytes.extend(wrong[next(wrong.len())]);
                bytes.extend(pieces[next(pieces.len())]);
            }
            if round % 7 != 0 {
                bytes.push(b'"');
            }
            bytes.resize(bytes.len() + next(100), b'x');
            let found = end_of_short(&bytes, 0, false);
            assert_eq!(end_of_long(&bytes, 0, false), found, "{}", bytes.escape_ascii());
            assert_eq!(end_of_string(&bytes, 0), found, "{}", bytes.escape_ascii());
        }
    }
}
