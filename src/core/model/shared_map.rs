//! A map of which copies are cheap: what was known when [`SharedMap::freeze`] was called is shared with every later copy, and
//! what is new lies on top. Time travel copies a state every few hundred records. A live session is never copied, so it
//! has one layer and pays one check for a miss.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hash};
use std::sync::Arc;

use pilothouse_scan::IdHasher;

type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// More frozen layers than this are joined, so that a miss stays cheap.
const MAX_LAYERS: usize = 24;
/// How many of the newest ones are joined then: the others' keys are shared with older copies.
const JOINED: usize = 16;

/// The map.
#[derive(Debug, Clone)]
pub struct SharedMap<K, V> {
    top: HashMap<K, V>,
    /// Shared with copies; the oldest first.
    frozen: Vec<Arc<Layer<K, V>>>,
}

#[derive(Debug)]
struct Layer<K, V> {
    known: HashMap<K, V>,
    /// Keys that lower layers have and that were removed.
    removed: HashSet<K>,
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        Self { top: HashMap::default(), frozen: Vec::new() }
    }
}

impl<K: Eq + Hash, V> SharedMap<K, V> {
    /// What a key stands for.
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let found = self.top.get(key);
        if found.is_some() || self.frozen.is_empty() { found } else { self.frozen_value(key) }
    }

    fn frozen_value<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        for layer in self.frozen.iter().rev() {
            let found = layer.known.get(key);
            if found.is_some() || layer.removed.contains(key) {
                return found;
            }
        }
        None
    }

    /// Maps a key to a value, in the place of any before.
    pub fn insert(&mut self, key: K, value: V) {
        self.top.insert(key, value);
    }
}

impl<K: Eq + Hash + Clone, V: Copy> SharedMap<K, V> {
    /// Takes a key out and tells what it stood for.
    pub fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let found = self.get(key).copied();
        self.top.remove(key);
        if self.frozen_value(key).is_some() {
            self.push(Layer { known: HashMap::default(), removed: HashSet::from([key.to_owned()]) });
        }
        found
    }

    /// From here on, copies share all that is in it now.
    pub fn freeze(&mut self) {
        if !self.top.is_empty() {
            let known = std::mem::take(&mut self.top);
            self.push(Layer { known, removed: HashSet::new() });
        }
    }

    fn push(&mut self, layer: Layer<K, V>) {
        self.frozen.push(Arc::new(layer));
        if self.frozen.len() > MAX_LAYERS {
            let mut joined = Layer { known: HashMap::default(), removed: HashSet::new() };
            for layer in self.frozen.drain(self.frozen.len() - JOINED..) {
                for key in &layer.removed {
                    joined.known.remove(key);
                    joined.removed.insert(key.clone());
                }
                joined.known.extend(layer.known.iter().map(|(key, value)| (key.clone(), *value)));
            }
            self.frozen.push(Arc::new(joined));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_map_however_often_it_is_frozen_and_copies_stay_as_they_were() {
        let mut plain: HashMap<u32, u32> = HashMap::default();
        let mut layers = SharedMap::default();
        let mut copies = Vec::new();
        for step in 0..2_000_u32 {
            let key = step.wrapping_mul(0x9E37_79B9) >> 24;
            if step % 5 == 4 {
                assert_eq!(layers.remove(&key), plain.remove(&key));
            } else {
                layers.insert(key, step);
                plain.insert(key, step);
            }
            if step % 17 == 0 {
                layers.freeze();
                copies.push((layers.clone(), plain.clone()));
            }
        }
        copies.push((layers, plain));
        for (layers, plain) in copies {
            assert!((0..256).all(|key| layers.get(&key) == plain.get(&key)));
        }
    }
}
