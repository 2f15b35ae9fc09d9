//! Owns the order of the functions in a finished file: what is alike stands together, because that compresses better by
//! one per cent. Refuses to change anything else. Binaryen puts first what is called most, so this comes behind it.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, FunctionSection};
use wasmparser::{CodeSectionReader, FunctionBody, FunctionSectionReader, Parser, Payload, TypeRef};

use crate::cut::names::hash;

/// So many instructions one after the other are compared.
const WINDOW: usize = 3;
/// What more functions than this have says nothing about them.
const COMMON: usize = 400;
/// So many functions back are looked at for what comes next: the compressor reaches further, but finds less there.
const BACK: usize = 4;

/// Puts the file's functions in order.
pub fn run(wasm: &Path) -> Result<()> {
    let bytes = fs::read(wasm)?;
    let ordered = ordered(&bytes).with_context(|| format!("{} can't be put in order", wasm.display()))?;
    fs::write(wasm, ordered)?;
    Ok(())
}

/// A module with the same functions in another order.
pub fn ordered(bytes: &[u8]) -> Result<Vec<u8>> {
    let (mut imported, mut bodies) = (0, Vec::new());
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(windows(&body, bytes)?),
            _ => {}
        }
    }
    let order = chained(&bodies);
    let mut numbers = vec![0; order.len()];
    for (number, place) in (imported..).zip(&order) {
        if let Some(slot) = numbers.get_mut(*place) {
            *slot = number;
        }
    }
    let mut out = wasm_encoder::Module::new();
    Ordered { imported, order, numbers }
        .parse_core_module(&mut out, Parser::new(0), bytes)
        .map_err(|error| anyhow!("{error}"))?;
    Ok(out.finish())
}

/// Hashes of instructions that follow each other in a body, each once.
fn windows(body: &FunctionBody<'_>, file: &[u8]) -> Result<Vec<u32>> {
    let mut reader = body.get_operators_reader()?;
    let mut operators = Vec::new();
    while !reader.eof() {
        let from = reader.original_position() as usize;
        reader.read()?;
        let operator = file.get(from..reader.original_position() as usize).unwrap_or_default();
        operators.push(hash(operator.iter().copied()));
    }
    let bytes = |window: &[u32]| hash(window.iter().flat_map(|operator| operator.to_le_bytes()));
    let mut windows: Vec<u32> = operators.windows(WINDOW).map(bytes).collect();
    windows.sort_unstable();
    windows.dedup();
    Ok(windows)
}

/// The places of the functions, the shortest one first, then what has most in common with the last few.
fn chained(bodies: &[Vec<u32>]) -> Vec<usize> {
    let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, windows) in bodies.iter().enumerate() {
        for window in windows {
            holders.entry(*window).or_default().push(place);
        }
    }
    holders.retain(|_, places| (2..=COMMON).contains(&places.len()));
    let holders: Vec<(f64, Vec<usize>)> = holders
        .into_values()
        .map(|places| ((bodies.len() as f64 / places.len() as f64).ln(), places))
        .collect();
    let mut shared: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
    for (window, (_, places)) in holders.iter().enumerate() {
        for place in places {
            if let Some(own) = shared.get_mut(*place) {
                own.push(window);
            }
        }
    }
    let mut shortest: Vec<usize> = (0..bodies.len()).collect();
    shortest.sort_by_key(|place| (bodies.get(*place).map(Vec::len), *place));
    let mut shortest = shortest.into_iter();

    let mut placed = vec![false; bodies.len()];
    let mut order: Vec<usize> = Vec::new();
    while order.len() < bodies.len() {
        let mut common: BTreeMap<usize, f64> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (age, place) in order.iter().rev().take(BACK).enumerate() {
            let own = shared.get(*place).map(Vec::as_slice).unwrap_or_default();
            for window in own.iter().filter(|window| seen.insert(**window)) {
                let Some((rarity, holding)) = holders.get(*window) else { continue };
                for other in holding.iter().filter(|other| placed.get(**other) == Some(&false)) {
                    *common.entry(*other).or_default() += rarity / (1.0 + age as f64 / 4.0);
                }
            }
        }
        let score = |(place, common): (usize, f64)| {
            let length = bodies.get(place).map_or(0, Vec::len);
            (common / (length as f64 + 3.0).sqrt(), place)
        };
        let best = common.into_iter().map(score).max_by(|one, other| one.0.total_cmp(&other.0));
        let next = best.map(|(_, place)| place);
        let Some(next) = next.or_else(|| shortest.find(|place| placed.get(*place) == Some(&false))) else {
            break;
        };
        if let Some(placed) = placed.get_mut(next) {
            *placed = true;
        }
        order.push(next);
    }
    order
}

struct Ordered {
    /// How many functions come from elsewhere; they keep their numbers.
    imported: u32,
    /// The places of the functions before.
    order: Vec<usize>,
    /// The new number of each, by its place before.
    numbers: Vec<u32>,
}

type Done = Result<(), Error<Infallible>>;

impl Reencode for Ordered {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<Infallible>> {
        let own = function.checked_sub(self.imported).and_then(|place| self.numbers.get(place as usize));
        Ok(own.copied().unwrap_or(function))
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Done {
        let types = section.into_iter().collect::<wasmparser::Result<Vec<u32>>>()?;
        for ty in self.order.iter().filter_map(|place| types.get(*place)) {
            functions.function(*ty);
        }
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, section: CodeSectionReader<'_>) -> Done {
        let bodies = section.into_iter().collect::<wasmparser::Result<Vec<_>>>()?;
        for place in self.order.clone() {
            if let Some(body) = bodies.get(place) {
                self.parse_function_body(code, body.clone())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_stands_together() {
        let bodies = [vec![1, 2, 3, 4], vec![7, 8], vec![1, 2, 3, 5], vec![7, 8, 9], vec![6]];
        let mut order = chained(&bodies);
        assert_eq!(order.len(), bodies.len());
        let distance = |one, other| {
            let at = |place| order.iter().position(|other| *other == place).unwrap_or(99);
            usize::abs_diff(at(one), at(other))
        };
        assert_eq!((distance(0, 2), distance(1, 3)), (1, 1), "{order:?}");
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4], "each once");
    }
}
