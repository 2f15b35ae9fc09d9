//! The set of ids of the events that were already reduced, so that reducing is idempotent.

use std::collections::HashSet;

use pilothouse_scan::Uuids;

/// An event's id in a compact form; two spellings of the same UUID are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EventId {
    /// A UUID, as a number.
    Uuid(u128),
    /// Any other text.
    Other(Box<str>),
}

impl EventId {
    /// The compact form of an event's id.
    pub fn of(id: &str) -> Self {
        pilothouse_scan::uuid(id).map_or_else(|| Self::Other(id.into()), Self::Uuid)
    }
}

/// Ids seen so far: UUIDs as 16 bytes, anything else as text.
#[derive(Debug, Default, Clone)]
pub struct EventIds {
    uuids: Uuids,
    others: HashSet<Box<str>>,
}

impl EventIds {
    /// Adds an id; false if it was there already. Events without an id are always new.
    pub fn insert(&mut self, id: &str) -> bool {
        match pilothouse_scan::uuid(id) {
            Some(uuid) => self.uuids.insert(uuid),
            None if id.is_empty() => true,
            None if self.others.contains(id) => false,
            None => self.others.insert(id.into()),
        }
    }

    /// True if the id was added before.
    pub fn contains(&self, id: &str) -> bool {
        match pilothouse_scan::uuid(id) {
            Some(uuid) => self.uuids.contains(uuid),
            None => self.others.contains(id),
        }
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
            assert!(!ids.contains(id), "{id} was not there");
            assert!(ids.insert(id), "{id} is new");
            assert!(!ids.insert(id), "{id} was there");
            assert!(ids.contains(id), "{id} is there");
        }
        assert!(ids.insert("") && ids.insert(""), "no id is never a duplicate");
    }
}
