//! Owns which functions move to the later file, and what either file must have of the other. Refuses to know why:
//! which ones are cold is told by the profile.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wasm_encoder::{RefType, TableType};

use super::module::Module;
use super::reach::Reach;

/// A body of so many bytes is not moved when something stays that calls it: what would stand in its place is as large.
const SMALL: usize = 24;

/// Where everything goes; functions are numbered as in the module.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The functions of the later file, in the order in which it has them.
    pub moved: Vec<u32>,
    /// Those of them that something in the first file refers to: a slot of the table between the files each.
    pub stubs: Vec<u32>,
    /// Functions of the first file that the later one refers to: the slots behind.
    pub needed: Vec<u32>,
    /// The same of those that stand in the first table anyway, with their slots there.
    pub placed: Vec<(u32, u32)>,
    /// Functions of JavaScript that the later one refers to.
    pub imports: Vec<u32>,
    /// Globals of the first file that the later one refers to.
    pub globals: Vec<u32>,
    /// Constants that only the later one refers to.
    pub data: Vec<Range<u32>>,
}

impl Plan {
    /// The table between the files.
    pub fn between(&self) -> TableType {
        let size = (self.stubs.len() + self.needed.len()) as u64;
        TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: size,
            maximum: Some(size),
            shared: false,
        }
    }

    /// What moves of a segment: addresses, and places in it.
    pub fn within(&self, address: u32, length: usize) -> impl Iterator<Item = (u32, Range<usize>)> {
        let end = address + length as u32;
        let inside = self.data.iter().map(move |range| range.start.max(address)..range.end.min(end));
        inside
            .filter(|range| range.start < range.end)
            .map(move |range| (range.start, (range.start - address) as usize..(range.end - address) as usize))
    }

    /// Whether a function is in the later file.
    pub fn moves(&self, function: u32) -> bool {
        self.moved.binary_search(&function).is_ok()
    }
}

/// Makes the plan for a module of which these functions are cold.
pub fn plan(module: &Module<'_>, cold: &BTreeSet<u32>, reach: &Reach<'_>) -> Plan {
    let needs = |function: u32| module.defined(function).and_then(|place| module.needs.get(place));
    let movable = |function: &u32| {
        Some(*function) != module.start && needs(*function).is_some_and(|needs| !needs.segments)
    };
    let mut moved: BTreeSet<u32> = cold.iter().copied().filter(movable).collect();
    let (stubs, reached) = loop {
        let reached = reach.without(&moved);
        let referred = referred(module, &moved, &reached.slots);
        let stubs: Vec<u32> = moved.intersection(&referred).copied().collect();
        let before = moved.len();
        for stub in &stubs {
            let body = module.defined(*stub).and_then(|place| module.bodies.get(place));
            if body.is_some_and(|body| body.as_bytes().len() <= SMALL) {
                moved.remove(stub);
            }
        }
        if moved.len() == before {
            break (stubs, reached);
        }
    };
    let all = || moved.iter().filter_map(|function| needs(*function));
    let called: BTreeSet<u32> = all().flat_map(|needs| &needs.functions).copied().collect();
    let globals: BTreeSet<u32> = all().flat_map(|needs| &needs.globals).copied().collect();
    let (imports, needed): (Vec<u32>, Vec<u32>) = called
        .into_iter()
        .filter(|function| !moved.contains(function))
        .partition(|function| *function < module.imported());
    let slots: BTreeMap<u32, u32> = module.slots().map(|(slot, function)| (function, slot)).collect();
    let (placed, needed): (Vec<u32>, Vec<u32>) =
        needed.into_iter().partition(|function| slots.contains_key(function));
    let placed = placed.into_iter().filter_map(|function| Some((function, *slots.get(&function)?))).collect();
    Plan {
        moved: moved.into_iter().collect(),
        stubs,
        needed,
        placed,
        imports,
        globals: globals.into_iter().collect(),
        data: reached.later,
    }
}

/// What is referred to by what stays.
fn referred(module: &Module<'_>, moved: &BTreeSet<u32>, slots: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut referred = module.kept.clone();
    let others = module.placed.iter().filter(|placed| placed.table != 0);
    referred.extend(others.flat_map(|placed| &placed.functions));
    let reached = |(slot, function): (u32, u32)| slots.contains(&slot).then_some(function);
    referred.extend(module.slots().filter_map(reached));
    let functions = |(_, kind, function): &(&str, wasmparser::ExternalKind, u32)| {
        matches!(kind, wasmparser::ExternalKind::Func).then_some(*function)
    };
    referred.extend(module.exports.iter().filter_map(functions));
    for (function, needs) in module.own().zip(&module.needs) {
        if !moved.contains(&function) {
            referred.extend(&needs.functions);
        }
    }
    referred
}
