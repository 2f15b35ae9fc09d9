//! The set of event ids already reduced, so that reducing is idempotent. Refuses to keep anything but ids.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Ids seen so far: UUIDs as 16 bytes, anything else as text.
#[derive(Debug, Default, Clone)]
pub struct EventIds {
    uuids: HashSet<u128, BuildHasherDefault<UuidHasher>>,
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

fn parse_uuid(id: &str) -> Option<u128> {
    let bytes: &[u8; 36] = id.as_bytes().try_into().ok()?;
    let mut value = 0_u128;
    for (position, byte) in bytes.iter().enumerate() {
        let digit = match (position, byte) {
            (8 | 13 | 18 | 23, b'-') => continue,
            (_, b'0'..=b'9') => byte - b'0',
            (_, b'a'..=b'f') => byte - b'a' + 10,
            _ => return None,
        };
        value = value << 4 | u128::from(digit);
    }
    Some(value)
}

/// UUIDs are spread well already: folding their halves is hash enough.
#[derive(Debug, Default, Clone)]
pub struct UuidHasher(u64);

impl Hasher for UuidHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0_u8; 8];
            for (slot, byte) in word.iter_mut().zip(chunk) {
                *slot = *byte;
            }
            self.0 = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn write_u128(&mut self, value: u128) {
        self.0 = ((value >> 64) as u64 ^ value as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
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
}
