//! UUIDs as numbers, a set of them, and a hash for ids.

use std::hash::Hasher;

/// A set of UUIDs: a list in the order of arrival, and a hash table of places in it, with linear probing. The
/// table is small, so it stays in the processor's cache; the ids would not.
#[derive(Debug, Default, Clone)]
pub struct Uuids {
    uuids: Vec<u128>,
    /// Its length is 0 or a power of two. A slot is 0 if it is free. Else its low bits, as many as number all
    /// slots, are an id's place counted from 1, and the other bits are those of the id's hash.
    table: Vec<u32>,
}

impl Uuids {
    /// Adds one; false if it was there already.
    #[inline(never)]
    pub fn insert(&mut self, uuid: u128) -> bool {
        if self.uuids.len() * 4 >= self.table.len() * 3 {
            self.grow();
        }
        let (hash, mask) = (hash(uuid), self.table.len().wrapping_sub(1));
        let bits = mask as u32;
        let mut place = hash as usize & mask;
        // There is always a free place.
        while let Some(slot) = self.table.get_mut(place) {
            if *slot == 0 {
                self.uuids.push(uuid);
                *slot = hash & !bits | self.uuids.len() as u32;
                return true;
            }
            let there = (*slot & bits) as usize;
            if (*slot ^ hash) & !bits == 0 && self.uuids.get(there.wrapping_sub(1)) == Some(&uuid) {
                return false;
            }
            place = (place + 1) & mask;
        }
        false
    }

    /// True if it is in the set.
    pub fn contains(&self, uuid: u128) -> bool {
        let (hash, mask) = (hash(uuid), self.table.len().wrapping_sub(1));
        let bits = mask as u32;
        let mut place = hash as usize & mask;
        while let Some(slot) = self.table.get(place).filter(|slot| **slot != 0) {
            let there = (*slot & bits) as usize;
            if (*slot ^ hash) & !bits == 0 && self.uuids.get(there.wrapping_sub(1)) == Some(&uuid) {
                return true;
            }
            place = (place + 1) & mask;
        }
        false
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(64);
        let mask = size - 1;
        self.table = vec![0; size];
        for (number, uuid) in (1..).zip(&self.uuids) {
            let hash = hash(*uuid);
            let mut place = hash as usize & mask;
            while let Some(slot) = self.table.get_mut(place) {
                if *slot == 0 {
                    *slot = hash & !(mask as u32) | number;
                    break;
                }
                place = (place + 1) & mask;
            }
        }
    }
}

#[inline]
fn hash(uuid: u128) -> u32 {
    (mix_bits(mix_bits((uuid >> 64) as u64) ^ uuid as u64) >> 32) as u32
}

const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Every bit of the upper half depends on every bit, so that ids that
/// only count up in some digits don't cluster.
#[inline]
fn mix_bits(word: u64) -> u64 {
    let mixed = word.wrapping_mul(SPREAD);
    (mixed ^ mixed >> 32).wrapping_mul(SPREAD)
}

/// A lowercase UUID as a number that no other one has; `None` for every other text.
#[inline(never)]
pub fn uuid(id: &str) -> Option<u128> {
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

/// Eight lowercase hexadecimal digits as a number, with the digits in an
/// order of its own; `None` for other text.
#[inline]
fn digits(text: u64) -> Option<u32> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let letters = (text >> 6) & ONES;
    let values = (text & (ONES * 0x0F)) + letters * 9;
    // Written again it must be the same: that holds for 0 to 9 and lowercase a to f only.
    let written = values + ONES * 0x30 + (((values + ONES * 0x76) >> 7) & ONES) * 0x27;
    if written != text || values & (ONES * 0xF0) != 0 {
        return None;
    }
    let bytes = (values | values >> 4) & 0x00FF_00FF_00FF_00FF;
    let halves = (bytes | bytes >> 8) & 0x0000_FFFF_0000_FFFF;
    Some((halves | halves >> 16) as u32)
}

/// A simple hash, which is enough for ids, as they are spread well already. Collisions on purpose would only
/// slow down the session of whoever makes them.
#[derive(Debug, Default, Clone)]
pub struct IdHasher(u64);

impl IdHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(SPREAD);
    }
}

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        // Hash tables use the low half, where a product is mixed least.
        self.0 ^ self.0 >> 32
    }

    #[inline(never)]
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

    fn write_u128(&mut self, value: u128) {
        self.add((value >> 64) as u64);
        self.add(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.add(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_every_uuid_once() {
        let mut set = Uuids::default();
        let id = |number: u64| format!("{number:08x}-0000-4000-8000-{:012x}", number * 7);
        for round in 0..2 {
            for number in 0..10_000 {
                assert_eq!(set.insert(uuid(&id(number)).unwrap()), round == 0, "{number}");
            }
        }
        let zero = "00000000-0000-0000-0000-000000000000";
        let zero = uuid(zero).unwrap();
        assert_eq!((set.insert(zero), set.insert(zero), uuid("call_1")), (true, false, None));
    }

    #[test]
    fn ids_that_are_numbered_lie_where_they_belong() {
        let decimal = |n: u64| format!("00000000-0000-4000-8000-{n:012}");
        let hexadecimal = |n: u64| format!("{n:08x}-0000-4000-8000-000000000000");
        let by_time =
            |n: u64| format!("0199a8c4-{n:04x}-7000-8000-{:012x}", n.wrapping_mul(0x9E37_79B9) >> 3);
        for id in [&decimal as &dyn Fn(u64) -> String, &hexadecimal, &by_time] {
            let mut set = Uuids::default();
            // As full as the table gets.
            for number in 0..12_288 {
                assert!(set.insert(uuid(&id(number)).unwrap()), "{}", id(number));
            }
            let mask = set.table.len() - 1;
            let away = |(place, slot): (usize, &u32)| {
                let uuid = set.uuids[(*slot as usize & mask) - 1];
                place.wrapping_sub(hash(uuid) as usize) & mask
            };
            let slots = set.table.iter().enumerate().filter(|(_, slot)| **slot != 0);
            let far: usize = slots.map(away).sum();
            assert!(far < 4 * set.uuids.len(), "{far} places for ids like {}", id(7));
        }
    }

    #[test]
    fn only_uuids_in_small_letters_become_numbers_and_every_digit_counts() {
        let id = "6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6";
        let number = uuid(id).unwrap();
        for place in 0..36 {
            for byte in 0..=127_u8 {
                let mut other = id.as_bytes().to_vec();
                other[place] = byte;
                let other = String::from_utf8(other).unwrap();
                let dash = matches!(place, 8 | 13 | 18 | 23);
                let good = if dash { byte == b'-' } else { matches!(byte, b'0'..=b'9' | b'a'..=b'f') };
                assert_eq!(uuid(&other).is_some(), good, "{other}");
                assert_eq!(uuid(&other) == Some(number), other == id, "{other}");
            }
        }
    }
}
