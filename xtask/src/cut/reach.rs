//! Owns what of the program's constants and of its table is reached by the functions of the first file, so that the rest can
//! come with the later one. Refuses to guess: what nobody tells of is reached.
//!
//! Instructions have addresses as numbers. A number that could be one counts as one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Result;

use super::linked::{Held, Linked, Symbol};
use super::module::{Module, numbers};
use crate::pack::part::Part;

/// Finds it, for one program.
pub struct Reach<'a> {
    module: &'a Module<'a>,
    linked: Option<Linked>,
    /// Slots that instructions have as numbers.
    taken: BTreeSet<u32>,
    /// What parts refer to that do not wait for the later file.
    symbols: BTreeSet<usize>,
    slots: BTreeSet<u32>,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Reached {
    /// Slots of the first table.
    pub slots: BTreeSet<u32>,
    /// Constants that only the later file needs, in order.
    pub later: Vec<Range<u32>>,
}

impl<'a> Reach<'a> {
    /// For a program of which the linker has told, and parts that may come before the later file. Without the linker's
    /// word everything is reached.
    pub fn of(module: &'a Module<'a>, linked: Option<Linked>, alone: &[Part<'_>]) -> Result<Self> {
        let mut reach = Self {
            module,
            linked: None,
            taken: BTreeSet::new(),
            symbols: BTreeSet::new(),
            slots: BTreeSet::new(),
        };
        let Some(linked) = linked else { return Ok(reach) };
        let names: BTreeMap<u32, &str> = module.names.iter().copied().collect();
        for (slot, function) in module.slots() {
            let name = names.get(&function).copied().unwrap_or_default();
            let name = name.strip_suffix(SHIM).unwrap_or(name);
            if linked.taken.contains(name) || !linked.named.contains(name) {
                reach.taken.insert(slot);
            }
        }
        for part in alone {
            for body in &part.bodies {
                for number in numbers(body)? {
                    reach.symbols.extend(linked.meant.get(&number).into_iter().flatten());
                    reach.word(number, &linked);
                }
            }
            for (_, bytes) in &part.data {
                // They are placed at multiples of four or hold no numbers.
                for word in bytes.chunks_exact(4).filter_map(|word| word.try_into().ok()) {
                    reach.word(u32::from_le_bytes(word), &linked);
                }
            }
        }
        reach.unknown(&linked);
        reach.linked = Some(linked);
        Ok(reach)
    }

    /// Of data that nobody tells of every word may be an address or a slot.
    fn unknown(&mut self, linked: &Linked) {
        let known = linked.symbols.iter().map(|symbol| symbol.from..symbol.to).collect();
        let all = self.module.data.iter().map(|(from, bytes)| *from..*from + bytes.len() as u32).collect();
        for range in apart(all, known) {
            for word in range.filter(|at| at % 4 == 0).filter_map(|at| self.module.word(at)) {
                self.word(word, linked);
            }
        }
    }

    /// A number that may be an address or a slot.
    fn word(&mut self, word: u32, linked: &Linked) {
        self.slots.insert(word);
        let inside = |symbol: &Symbol| (symbol.from..=symbol.to).contains(&word);
        let found = (0..).zip(&linked.symbols).filter(|(_, symbol)| inside(symbol));
        self.symbols.extend(found.map(|(symbol, _)| symbol));
    }

    /// What is reached when these functions move.
    pub fn without(&self, moved: &BTreeSet<u32>) -> Reached {
        let Some(linked) = &self.linked else {
            return Reached { slots: self.module.slots().map(|(slot, _)| slot).collect(), later: Vec::new() };
        };
        let mut slots = self.slots.clone();
        let mut found = self.symbols.clone();
        found.extend((0..).zip(&linked.symbols).filter(|(_, symbol)| !symbol.constant).map(|(at, _)| at));
        for (function, needs) in self.module.own().zip(&self.module.needs) {
            if !moved.contains(&function) {
                for number in &needs.numbers {
                    found.extend(linked.meant.get(number).into_iter().flatten());
                    slots.extend(self.taken.get(number));
                }
            }
        }
        let mut open: Vec<usize> = found.iter().copied().collect();
        while let Some(symbol) = open.pop().and_then(|symbol| linked.symbols.get(symbol)) {
            for (at, held) in linked.held.range(symbol.from..symbol.to) {
                match held {
                    Held::Symbol(other) => {
                        if found.insert(*other) {
                            open.push(*other);
                        }
                    }
                    Held::Slot => slots.extend(self.module.word(*at)),
                }
            }
        }
        let of = |wanted: bool| {
            let symbols = (0..).zip(&linked.symbols);
            let symbols = symbols.filter(move |(at, _)| found.contains(at) == wanted);
            symbols.map(|(_, symbol)| symbol.from..symbol.to).collect::<Vec<_>>()
        };
        Reached { slots, later: apart(of.clone()(false), of(true)) }
    }
}

/// What wasm-bindgen puts behind the name of a function that it wraps.
const SHIM: &str = " local_shim";

/// The first ranges without the second ones, joined.
fn apart(mut of: Vec<Range<u32>>, mut without: Vec<Range<u32>>) -> Vec<Range<u32>> {
    of.sort_by_key(|range| range.start);
    without.sort_by_key(|range| range.start);
    let mut out: Vec<Range<u32>> = Vec::new();
    let mut end = 0;
    let mut others = without.into_iter().peekable();
    for range in of {
        let mut start = range.start.max(end);
        end = end.max(range.end);
        while start < range.end {
            // Ends of what comes first count as well: one may lie within another.
            while others.peek().is_some_and(|other| other.end <= start) {
                others.next();
            }
            let stop = others.peek().map_or(range.end, |other| other.start.clamp(start, range.end));
            if start < stop {
                match out.last_mut() {
                    Some(last) if last.end == start => last.end = stop,
                    _ => out.push(start..stop),
                }
            }
            start = others.peek().map_or(range.end, |other| other.end.min(range.end).max(stop));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_cut_out_of_what_is_not() {
        let ranges = |all: &[(u32, u32)]| all.iter().map(|(from, to)| *from..*to).collect::<Vec<_>>();
        let cut = |of: &[(u32, u32)], without: &[(u32, u32)]| apart(ranges(of), ranges(without));
        assert_eq!(cut(&[(0, 4), (4, 9)], &[]), ranges(&[(0, 9)]));
        assert_eq!(cut(&[(0, 9), (20, 30)], &[(3, 5), (25, 40)]), ranges(&[(0, 3), (5, 9), (20, 25)]));
        assert_eq!(cut(&[(2, 6)], &[(0, 20), (3, 4)]), []);
        assert_eq!(cut(&[(0, 9)], &[(2, 8), (3, 4)]), ranges(&[(0, 2), (8, 9)]));
        assert_eq!(cut(&[(4, 9), (5, 6), (8, 12)], &[(10, 11)]), ranges(&[(4, 10), (11, 12)]));
    }
}
