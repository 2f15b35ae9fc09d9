//! Owns which parts of a function that runs can be taken out of it because they don't, and what such a part is called
//! from build to build: by its instructions, not by where it stands. Refuses to take what would not pay.

use std::collections::BTreeSet;

use wasmparser::Operator;

use super::module::Module;
use super::names::hash;
use super::shape::{Shape, is_live};

/// Where control goes when a part is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Out of so many frames around the part.
    Branch(u32),
    /// Out of the function.
    Return,
}

/// Statements of one frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The first instruction.
    pub from: usize,
    /// The one behind.
    pub to: usize,
    /// Where it goes, beside on.
    pub exits: Vec<Exit>,
    /// Whether it can go on behind itself.
    pub falls: bool,
    /// The locals that it takes.
    pub takes: Vec<u32>,
    /// The locals that it gives.
    pub gives: Vec<u32>,
    /// All locals in it.
    pub locals: BTreeSet<u32>,
}

/// What a part has to be larger than what stands in its place, in bytes.
const GAIN: u64 = 16;

/// A part's name: how many instructions, and a hash of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(pub usize, pub u32);

/// Looks for regions in one function.
pub struct Finder<'s, 'a> {
    shape: &'s Shape<'a>,
    live: Vec<Vec<u64>>,
    words: Vec<u32>,
}

impl<'s, 'a> Finder<'s, 'a> {
    /// For a function; `names` are those of all functions, by number.
    pub fn of(shape: &'s Shape<'a>, module: &Module<'_>, names: &[String]) -> Self {
        let words = shape.operators.iter().map(|operator| word(operator, module, names)).collect();
        Self { shape, live: shape.live(), words }
    }

    /// The largest parts of which no instruction runs.
    pub fn cold(&self, cold: &[bool]) -> Vec<Region> {
        let mut found = Vec::new();
        let mut from = 0;
        while from < self.shape.operators.len() {
            let end = cold.iter().skip(from).position(|cold| !cold).map_or(cold.len(), |more| from + more);
            let region = self.ends(from, end).rev().take(20).find_map(|to| self.region(from, to));
            from = region.as_ref().map_or(from + 1, |region| region.to);
            found.extend(region);
        }
        // What looks the same and runs would be taken out as well.
        found.retain(|region| {
            let key = self.key(region.from, region.to);
            self.matches(key)
                .all(|(from, to)| cold.get(from..to).is_some_and(|part| part.iter().all(|cold| *cold)))
        });
        found
    }

    /// The parts of these names.
    pub fn known(&self, keys: &BTreeSet<Key>) -> Vec<Region> {
        let mut found: Vec<Region> = Vec::new();
        for key in keys.iter().rev() {
            for (from, to) in self.matches(*key) {
                if found.iter().all(|other| to <= other.from || other.to <= from) {
                    found.extend(self.region(from, to));
                }
            }
        }
        found.sort_by_key(|region| region.from);
        found
    }

    /// What a part is called.
    pub fn key(&self, from: usize, to: usize) -> Key {
        Key(
            to - from,
            hash(self.words.get(from..to).into_iter().flatten().flat_map(|word| word.to_le_bytes())),
        )
    }

    fn matches(&self, key: Key) -> impl Iterator<Item = (usize, usize)> {
        let places = 0..=self.shape.operators.len().saturating_sub(key.0);
        let parts = places.map(move |from| (from, from + key.0));
        parts.filter(move |(from, to)| self.same_frame(*from, *to) && self.key(*from, *to) == key)
    }

    fn same_frame(&self, from: usize, to: usize) -> bool {
        let boundary = |at: usize| self.shape.boundaries.get(at).copied().flatten();
        match (boundary(from), boundary(to)) {
            (Some(from), Some(to)) => from.reachable && from.frame == to.frame,
            _ => false,
        }
    }

    fn ends(&self, from: usize, end: usize) -> impl DoubleEndedIterator<Item = usize> {
        (from + 1..=end).filter(move |to| self.same_frame(from, *to))
    }

    /// The part, if it can be taken out and pays.
    fn region(&self, from: usize, to: usize) -> Option<Region> {
        let shape = self.shape;
        let size = shape.offsets.get(to)? - shape.offsets.get(from)?;
        if size < GAIN {
            return None;
        }
        let falls = shape.boundaries.get(to).copied().flatten()?.reachable;
        let (mut exits, mut targets) = (Vec::new(), Vec::new());
        let (mut locals, mut written) = (BTreeSet::new(), BTreeSet::new());
        let mut depth = 0_u32;
        for (at, operator) in shape.operators.iter().enumerate().take(to).skip(from) {
            let mut branches = Vec::new();
            match operator {
                Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => depth += 1,
                Operator::End => depth = depth.checked_sub(1)?,
                Operator::Else if depth == 0 => return None,
                Operator::LocalGet { local_index } => _ = locals.insert(*local_index),
                Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                    locals.insert(*local_index);
                    written.insert(*local_index);
                }
                Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
                    branches.push(*relative_depth);
                }
                Operator::BrTable { targets } => {
                    branches.push(targets.default());
                    branches.extend(targets.targets().filter_map(Result::ok));
                }
                Operator::Return if shape.results.len() > 1 => return None,
                Operator::Return if !exits.contains(&Exit::Return) => exits.push(Exit::Return),
                _ => {}
            }
            for out in branches.into_iter().filter_map(|branch| branch.checked_sub(depth)) {
                let frame = shape.frames.get(shape.label(at, out + depth))?;
                // Values that a branch carries would have to be carried on.
                if frame.carried > 0 {
                    return None;
                }
                if !exits.contains(&Exit::Branch(out)) {
                    exits.push(Exit::Branch(out));
                    targets.push(frame.target);
                }
            }
        }
        if falls {
            targets.push(to);
        }
        let needed = |local: &u32| {
            targets.iter().any(|at| self.live.get(*at).is_some_and(|live| is_live(live, *local)))
        };
        let gives: Vec<u32> = written.into_iter().filter(needed).collect();
        let before = self.live.get(from)?;
        let takes: Vec<u32> = locals.iter().copied().filter(|local| is_live(before, *local)).collect();
        let cost = 4 * takes.len() as u64 + 3 * gives.len() as u64 + 7 * exits.len() as u64 + 20;
        (size > cost + GAIN).then_some(Region { from, to, exits, falls, takes, gives, locals })
    }
}

/// An instruction without what another build would write otherwise: numbers of locals, addresses.
fn word(operator: &Operator<'_>, module: &Module<'_>, names: &[String]) -> u32 {
    let text = match operator {
        Operator::Call { function_index } => {
            let own = module.defined(*function_index).and_then(|place| names.get(place));
            format!("call {}", own.map_or("", String::as_str))
        }
        Operator::Br { relative_depth } => format!("br {relative_depth}"),
        Operator::BrIf { relative_depth } => format!("br_if {relative_depth}"),
        other => {
            let text = format!("{other:?}");
            text.split([' ', '{', '(']).next().unwrap_or_default().to_owned()
        }
    };
    hash(text.bytes())
}
