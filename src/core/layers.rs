//! A map of which a copy can share what was known when it was made: that lies below, what is new lies on top.
//! Refuses to know what it maps. A live session is never copied and pays one check for a miss.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{BuildHasherDefault, Hash};
use std::sync::Arc;

use pilothouse_scan::IdHasher;

type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// More frozen layers than this are joined, so that a miss stays cheap.
const MOST: usize = 24;
/// How many of the newest ones stay when that happens: the others' keys are shared with older copies.
const JOINED: usize = 16;

/// The map.
#[derive(Debug, Clone)]
pub struct Layers<K, V> {
    top: HashMap<K, V>,
    /// A trait object: its code is needed, and downloaded, only where copies are made.
    below: Option<Shared<K, V>>,
}

type Shared<K, V> = Arc<dyn Below<K, V>>;

trait Below<K, V>: Debug + Send + Sync {
    fn find(&self, key: &K) -> Option<&V>;
    fn without(&self, key: &K) -> Shared<K, V>;
    fn with(&self, top: HashMap<K, V>) -> Shared<K, V>;
}

impl<K, V> Default for Layers<K, V> {
    fn default() -> Self {
        Self { top: HashMap::default(), below: None }
    }
}

impl<K: Eq + Hash, V> Layers<K, V> {
    /// What a key stands for.
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        match (self.top.get(key), &self.below) {
            (None, Some(below)) => below.find(&key.to_owned()),
            (found, _) => found,
        }
    }

    /// Maps a key to a value, in the place of any before.
    pub fn insert(&mut self, key: K, value: V) {
        self.top.insert(key, value);
    }
}

impl<K: Eq + Hash, V: Copy> Layers<K, V> {
    /// Takes a key out and tells what it stood for.
    pub fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let held = self.get(key).copied();
        self.top.remove(key);
        if let Some(below) = self.below.as_ref().filter(|_| held.is_some()) {
            self.below = Some(below.without(&key.to_owned()));
        }
        held
    }
}

impl<K, V> Layers<K, V>
where
    K: Eq + Hash + Clone + Debug + Send + Sync + 'static,
    V: Copy + Debug + Send + Sync + 'static,
{
    /// From here on, copies share all that is in it now.
    pub fn freeze(&mut self) {
        if self.top.is_empty() {
            return;
        }
        let top = std::mem::take(&mut self.top);
        self.below = Some(match &self.below {
            Some(below) => below.with(top),
            None => Frozen::<K, V>(Vec::new()).with(top),
        });
    }
}

/// Layers, the oldest first.
#[derive(Debug)]
struct Frozen<K, V>(Vec<Arc<Layer<K, V>>>);

#[derive(Debug)]
struct Layer<K, V> {
    held: HashMap<K, V>,
    /// Keys that lower layers hold and that are gone.
    gone: HashSet<K>,
}

impl<K, V> Below<K, V> for Frozen<K, V>
where
    K: Eq + Hash + Clone + Debug + Send + Sync + 'static,
    V: Copy + Debug + Send + Sync + 'static,
{
    fn find(&self, key: &K) -> Option<&V> {
        for layer in self.0.iter().rev() {
            let found = layer.held.get(key);
            if found.is_some() || layer.gone.contains(key) {
                return found;
            }
        }
        None
    }

    fn without(&self, key: &K) -> Shared<K, V> {
        self.on_top(Layer { held: HashMap::default(), gone: HashSet::from([key.clone()]) })
    }

    fn with(&self, held: HashMap<K, V>) -> Shared<K, V> {
        self.on_top(Layer { held, gone: HashSet::new() })
    }
}

impl<K, V> Frozen<K, V>
where
    K: Eq + Hash + Clone + Debug + Send + Sync + 'static,
    V: Copy + Debug + Send + Sync + 'static,
{
    fn on_top(&self, layer: Layer<K, V>) -> Shared<K, V> {
        let mut layers = self.0.clone();
        layers.push(Arc::new(layer));
        if layers.len() > MOST {
            let mut joined = Layer { held: HashMap::default(), gone: HashSet::new() };
            for layer in layers.drain(layers.len() - JOINED..) {
                for key in &layer.gone {
                    joined.held.remove(key);
                    joined.gone.insert(key.clone());
                }
                joined.held.extend(layer.held.iter().map(|(key, value)| (key.clone(), *value)));
            }
            layers.push(Arc::new(joined));
        }
        Arc::new(Self(layers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_map_however_often_it_is_frozen_and_copies_stay_as_they_were() {
        let mut plain: HashMap<u32, u32> = HashMap::default();
        let mut layers = Layers::default();
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
