//! The set of event ids already reduced, so that reducing is idempotent. Refuses to keep anything but ids.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Ids seen so far: UUIDs as 16 bytes, anything else as text.
#[derive(Debug, Default, Clone)]
pub struct EventIds {
    uuids: HashSet<u128, BuildHasherDefault<IdHasher>>,
    others: HashSet<Box<str>>,
}

impl EventIds {
    /// Notes an id; false if it was there already. Events without an id are always new.
    pub fn insert(&mut self, id: &str) -> bool {
        if id.is_empty() {
            return true;
        }
        match parse_uuid(id) {
            Some(uuid) => self.uuids.insert(uuid),
            None if self.others.contains(id) => false,
            None => self.others.insert(id.into()),
        }
    }
}

/// An id as maps keep it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Id {
    /// A UUID in small letters.
    Uuid(u128),
    /// Anything else.
    Other(Box<str>),
}

impl Id {
    /// The id that is written so.
    pub fn of(id: &str) -> Self {
        parse_uuid(id).map_or_else(|| Self::Other(id.into()), Self::Uuid)
    }
}

fn parse_uuid(id: &str) -> Option<u128> {
    let bytes: &[u8; 36] = id.as_bytes().try_into().ok()?;
    let (first, rest) = bytes.split_first_chunk::<8>()?;
    let (b'-', rest) = rest.split_first()? else { return None };
    let (second, rest) = rest.split_first_chunk::<4>()?;
    let (b'-', rest) = rest.split_first()? else { return None };
    let (third, rest) = rest.split_first_chunk::<4>()?;
    let (b'-', rest) = rest.split_first()? else { return None };
    let (fourth, rest) = rest.split_first_chunk::<4>()?;
    let (b'-', rest) = rest.split_first()? else { return None };
    let (fifth, rest) = rest.split_first_chunk::<8>()?;
    let sixth: &[u8; 4] = rest.try_into().ok()?;
    let both = |one: &[u8; 4], other: &[u8; 4]| {
        u64::from(u32::from_le_bytes(*one)) | u64::from(u32::from_le_bytes(*other)) << 32
    };
    let high = u64::from(digits(u64::from_le_bytes(*first))?) << 32 | u64::from(digits(both(second, third))?);
    let low = u64::from(digits(both(fourth, sixth))?) << 32 | u64::from(digits(u64::from_le_bytes(*fifth))?);
    Some(u128::from(high) << 64 | u128::from(low))
}

/// Eight hexadecimal digits as the number that they are, in an order of its own.
#[inline]
fn digits(text: u64) -> Option<u32> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let letters = text >> 6 & ONES;
    let values = (text & (ONES * 0x0F)) + letters * 9;
    // Written again it must be what it was: only 0 to 9 and small a to f are.
    let written = values + ONES * 0x30 + (values + ONES * 0x76 >> 7 & ONES) * 0x27;
    if written != text || values & (ONES * 0xF0) != 0 {
        return None;
    }
    let bytes = (values | values >> 4) & 0x00FF_00FF_00FF_00FF;
    let halves = (bytes | bytes >> 8) & 0x0000_FFFF_0000_FFFF;
    Some((halves | halves >> 16) as u32)
}

/// Ids are spread well already: folding them is hash enough. Nobody gains by making his own session slow.
#[derive(Debug, Default, Clone)]
pub struct IdHasher(u64);

impl IdHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        // Tables look at the low half, where a product has mixed least.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((chunk, more)) = rest.split_first_chunk::<8>() {
            self.add(u64::from_le_bytes(*chunk));
            rest = more;
        }
        for byte in rest {
            self.add((*byte).into());
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.add(value.into());
    }

    fn write_isize(&mut self, value: isize) {
        self.add(value as u64);
    }

    fn write_u128(&mut self, value: u128) {
        self.add((value >> 64) as u64 ^ value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_counts_once_whatever_its_form() {
        let mut ids = EventIds::default();
        for id in
            ["6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6", "not-a-uuid", "6C7A53BA-5CE1-4C1E-9577-30BEB9E5FEF6"]
        {
            assert!(ids.insert(id), "{id} is new");
            assert!(!ids.insert(id), "{id} was there");
        }
        assert!(ids.insert("") && ids.insert(""), "no id is never a duplicate");
    }

    #[test]
    fn only_uuids_in_small_letters_become_numbers_and_every_digit_counts() {
        let id = "6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6";
        let number = parse_uuid(id).unwrap();
        for place in 0..36 {
            for byte in 0..=127_u8 {
                let mut other = id.as_bytes().to_vec();
                other[place] = byte;
                let other = String::from_utf8(other).unwrap();
                let dash = matches!(place, 8 | 13 | 18 | 23);
                let good = if dash { byte == b'-' } else { matches!(byte, b'0'..=b'9' | b'a'..=b'f') };
                assert_eq!(parse_uuid(&other).is_some(), good, "{other}");
                assert_eq!(parse_uuid(&other) == Some(number), other == id, "{other}");
            }
        }
    }
}
