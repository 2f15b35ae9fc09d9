//! Where a long string ends, 64 bytes at a time. Refuses short ones: their beginning costs more than they are.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::bytes::vector;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::bytes::{ESCAPES, places_of, special};
use crate::bytes::{end_of_short, escape};

/// Every other bit, from the second on.
const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;

/// Where a string ends that does not end soon, 64 bytes at a time, without a look at each backslash. `known`: it was
/// looked over before. No escape goes on at `start`.
#[inline(never)]
pub(crate) fn end_of_long(bytes: &[u8], start: usize, escaped: bool, known: bool) -> Option<(usize, bool)> {
    let (mut place, mut escaped) = (start, escaped);
    // A bit for the first byte of a block that belongs to a backslash before it.
    let mut carried = 0;
    while let Some(block) = bytes.get(place..)?.first_chunk::<64>() {
        let (quotes, backslashes, controls) = marks(block);
        let mut second = carried;
        if backslashes == 0 {
            carried = 0;
        } else {
            // Of a row of backslashes every other one begins an escape: a subtraction carries through the row.
            let begins = backslashes & !carried;
            let rows = ((begins << 1 | ODD).wrapping_sub(begins)) ^ ODD;
            second = rows ^ (backslashes | carried);
            carried = (rows & backslashes) >> 63;
        }
        let ends = quotes & !second;
        let inside = ends.wrapping_sub(1) & !ends;
        if !known {
            if controls & inside != 0 {
                return None;
            }
            let mut unusual = second & inside;
            if unusual != 0 {
                unusual &= !short_escapes(block);
            }
            while unusual != 0 {
                let at = place + unusual.trailing_zeros() as usize;
                escape(bytes, at - 1)?;
                unusual &= unusual - 1;
            }
        }
        escaped |= backslashes & inside != 0;
        if ends != 0 {
            return Some((place + ends.trailing_zeros() as usize, escaped));
        }
        place += 64;
    }
    end_of_short(bytes, place - carried as usize, escaped)
}

/// A bit for each of 64 bytes: quotation marks, backslashes, control characters.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn marks(block: &[u8; 64]) -> (u64, u64, u64) {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat};
    let (mut quotes, mut backslashes, mut controls) = (0, 0, 0);
    let (chunks, _) = block.as_chunks::<16>();
    for (index, chunk) in chunks.iter().enumerate() {
        let bytes = vector(chunk);
        quotes |= u64::from(u8x16_bitmask(u8x16_eq(bytes, u8x16_splat(b'"')))) << (index * 16);
        backslashes |= u64::from(u8x16_bitmask(u8x16_eq(bytes, u8x16_splat(b'\\')))) << (index * 16);
        controls |= u64::from(u8x16_bitmask(u8x16_lt(bytes, u8x16_splat(0x20)))) << (index * 16);
    }
    (quotes, backslashes, controls)
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
fn marks(block: &[u8; 64]) -> (u64, u64, u64) {
    let (mut quotes, mut backslashes, mut controls) = (0, 0, 0);
    let (chunks, _) = block.as_chunks::<16>();
    for (index, chunk) in chunks.iter().enumerate() {
        let (quote, backslash) = (places_of(b'"', chunk), places_of(b'\\', chunk));
        quotes |= u64::from(quote) << (index * 16);
        backslashes |= u64::from(backslash) << (index * 16);
        controls |= u64::from(special(chunk) & !quote & !backslash) << (index * 16);
    }
    (quotes, backslashes, controls)
}

/// A bit for each of 64 bytes that is all that follows a backslash: by its upper half, which bit of its lower half's
/// entry counts.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn short_escapes(block: &[u8; 64]) -> u64 {
    use core::arch::wasm32::{
        u8x16, u8x16_bitmask, u8x16_eq, u8x16_shr, u8x16_splat, u8x16_swizzle, v128_and, v128_not,
    };
    let lower = u8x16(0, 0, 1 | 4 | 8, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
    let upper = u8x16(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    let (chunks, _) = block.as_chunks::<16>();
    chunks.iter().enumerate().fold(0, |found, (index, chunk)| {
        let bytes = vector(chunk);
        let low = u8x16_swizzle(lower, v128_and(bytes, u8x16_splat(0x0F)));
        let high = u8x16_swizzle(upper, u8x16_shr(bytes, 4));
        let none = u8x16_eq(v128_and(low, high), u8x16_splat(0));
        found | u64::from(u8x16_bitmask(v128_not(none))) << (index * 16)
    })
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
fn short_escapes(block: &[u8; 64]) -> u64 {
    let short = |byte: &u8| ESCAPES.get(usize::from(*byte)) == Some(&2);
    block.iter().enumerate().fold(0, |found, (index, byte)| found | u64::from(short(byte)) << index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{end_of_known_string, end_of_string};

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
            assert_eq!(end_of_long(&bytes, 0, false, false), found, "{}", bytes.escape_ascii());
            assert_eq!(end_of_string(&bytes, 0), found, "{}", bytes.escape_ascii());
            if found.is_some() {
                assert_eq!(end_of_long(&bytes, 0, false, true), found, "{}", bytes.escape_ascii());
                assert_eq!(end_of_known_string(&bytes, 0), found, "{}", bytes.escape_ascii());
            }
        }
    }
}
