//! Finds the end of long strings, 64 bytes at a time. For short strings the setup costs more than it saves.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::bytes::vector;
use crate::bytes::{end_of_short, escape, places_of};

/// Every other bit, from the second on.
const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;

/// Like [`crate::bytes::end_of_string`], for a string that does not end soon: 64 bytes at a time, without a
/// check of each backslash. No escape may be unfinished at `start`.
#[inline(never)]
pub(crate) fn end_of_long(bytes: &[u8], start: usize, escaped: bool) -> Option<(usize, bool)> {
    let (mut place, mut escaped) = (start, escaped);
    // The lowest bit is set if the first byte of the block belongs to a backslash in the block before.
    let mut carried = 0;
    while let Some(block) = bytes.get(place..)?.first_chunk::<64>() {
        let (quotes, backslashes) = (places(b'"', block), places(b'\\', block));
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
            unusual &= !places(b'n', block);
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
    let rows = ((begins << 1 | ODD).wrapping_sub(begins)) ^ ODD;
    (rows ^ (backslashes | carried), (rows & backslashes) >> 63)
}

/// A bit for each of 64 bytes that equals `byte`.
#[inline]
fn places(byte: u8, block: &[u8; 64]) -> u64 {
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
    let control = |chunk| crate::bytes::special(chunk) & !places_of(b'"', chunk) & !places_of(b'\\', chunk);
    let (chunks, _) = block.as_chunks::<16>();
    chunks.iter().rev().fold(0, |found, chunk| found << 16 | u64::from(control(chunk)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::end_of_string;

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
