//! Owns making one wasm module of several that share memory, table and globals. Refuses to change what they do: only
//! what one calls in another through the table it calls directly after.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, anyhow, bail};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, FunctionSection, ImportSection, Module,
    TypeSection,
};
use wasmparser::{FuncType, TypeRef};

use super::part::Part;

/// The modules as one. What one calls in another through the table it calls directly.
pub fn merge(parts: &[&Part<'_>]) -> Result<Vec<u8>> {
    let homes = Homes::of(parts)?;
    let mut types: Vec<&FuncType> = Vec::new();
    let mut known = HashMap::new();
    let mut imports: BTreeMap<(u8, &str, &str), TypeRef> = BTreeMap::new();
    let mut functions = FunctionSection::new();
    let mut code = CodeSection::new();
    let mut out_types = TypeSection::new();
    for (at, part) in parts.iter().enumerate() {
        for import in &part.imports {
            let key = (order(import.ty)?, import.module, import.name);
            if *imports.entry(key).or_insert(import.ty) != import.ty {
                bail!("{} is two things", import.name);
            }
        }
        let mut kinds = Vec::new();
        for kind in &part.types {
            let next = types.len() as u32;
            let index = *known.entry(kind).or_insert(next);
            if index == next {
                types.push(kind);
                out_types
                    .ty()
                    .func_type(&reencode::RoundtripReencoder.func_type(kind.clone()).map_err(told)?);
            }
            kinds.push(index);
        }
        let mut reader = Renumbered { at, homes: &homes, kinds };
        for (function, body) in part.bodies.iter().enumerate() {
            if homes.is_left_out(at, function) {
                continue;
            }
            let kind = part.functions.get(function).context("a body without a type")?;
            functions.function(reader.kind(*kind)?);
            reader.parse_function_body(&mut code, body.clone()).map_err(told)?;
        }
    }
    let mut seen = BTreeMap::new();
    let mut out_imports = ImportSection::new();
    for ((order, module, name), kind) in imports {
        if seen.insert(order, name).is_some() {
            bail!("two imports of a kind, {name} is one");
        }
        let kind = reencode::RoundtripReencoder.entity_type(kind).map_err(told)?;
        out_imports.import(module, name, kind);
    }

    let mut module = Module::new();
    module.section(&out_types).section(&out_imports).section(&functions);
    module.section(&homes.elements()).section(&code).section(&data(parts)?);
    Ok(module.finish())
}

/// Where every function of every part is among those of the whole.
struct Homes {
    /// By part: the place of each function.
    places: Vec<Vec<u32>>,
    left_out: Vec<Vec<bool>>,
    slots: BTreeMap<u32, u32>,
}

impl Homes {
    fn of(parts: &[&Part<'_>]) -> Result<Self> {
        let mut owners = BTreeMap::new();
        for (at, part) in parts.iter().enumerate() {
            for (slot, function) in &part.slots {
                if owners.insert(*slot, (at, *function as usize)).is_some() {
                    bail!("two functions in slot {slot}");
                }
            }
        }
        let mut forwards = Vec::new();
        let mut places = Vec::new();
        let mut next = 0;
        for part in parts {
            let mut here = Vec::new();
            let mut to = Vec::new();
            for function in 0..part.bodies.len() {
                let owner = part.forwards_to(function)?.and_then(|slot| owners.get(&slot).copied());
                here.push(next);
                next += u32::from(owner.is_none());
                to.push(owner);
            }
            places.push(here);
            forwards.push(to);
        }
        for (at, to) in forwards.iter().enumerate() {
            for (function, owner) in to.iter().enumerate() {
                let Some((part, wanted)) = *owner else { continue };
                let place = place(&places, part, wanted)?;
                if forwards.get(part).and_then(|to| to.get(wanted)).is_none_or(Option::is_some) {
                    bail!("a function that calls another's caller");
                }
                if let Some(here) = places.get_mut(at).and_then(|here| here.get_mut(function)) {
                    *here = place;
                }
            }
        }
        let left_out = forwards.iter().map(|to| to.iter().map(Option::is_some).collect()).collect();
        let slots =
            owners.into_iter().map(|(slot, (at, function))| Ok((slot, place(&places, at, function)?)));
        let slots = slots.collect::<Result<_>>()?;
        Ok(Self { places, left_out, slots })
    }

    fn is_left_out(&self, at: usize, function: usize) -> bool {
        self.left_out.get(at).and_then(|part| part.get(function)).copied().unwrap_or_default()
    }

    /// Runs of neighbouring slots.
    fn elements(&self) -> ElementSection {
        let mut section = ElementSection::new();
        let mut run: Option<(u32, Vec<u32>)> = None;
        let mut put = |run: Option<(u32, Vec<u32>)>| {
            if let Some((start, functions)) = run {
                let offset = ConstExpr::i32_const(start.cast_signed());
                section.active(None, &offset, Elements::Functions(functions.into()));
            }
        };
        for (slot, place) in &self.slots {
            match &mut run {
                Some((start, functions)) if *start + functions.len() as u32 == *slot => {
                    functions.push(*place);
                }
                _ => put(run.replace((*slot, vec![*place]))),
            }
        }
        put(run);
        section
    }
}

fn place(places: &[Vec<u32>], at: usize, function: usize) -> Result<u32> {
    places.get(at).and_then(|part| part.get(function)).copied().context("a function that is not there")
}

/// Neighbours in memory as one.
fn data(parts: &[&Part<'_>]) -> Result<DataSection> {
    let mut pieces: Vec<_> = parts.iter().flat_map(|part| part.data.iter().copied()).collect();
    pieces.sort_by_key(|(address, _)| *address);
    let mut joined: Vec<(u32, Vec<u8>)> = Vec::new();
    for (address, bytes) in pieces {
        match joined.last_mut() {
            Some((start, before)) if *start + before.len() as u32 == address => before.extend(bytes),
            Some((start, before)) if *start + before.len() as u32 > address => {
                bail!("two parts write to {address}")
            }
            _ => joined.push((address, bytes.to_vec())),
        }
    }
    let mut section = DataSection::new();
    for (address, bytes) in joined {
        section.active(0, &ConstExpr::i32_const(address.cast_signed()), bytes);
    }
    Ok(section)
}

/// Of each kind a part has at most one import, so all of a kind have the index 0.
fn order(kind: TypeRef) -> Result<u8> {
    match kind {
        TypeRef::Memory(_) => Ok(0),
        TypeRef::Table(_) => Ok(1),
        TypeRef::Global(_) => Ok(2),
        other => bail!("a part imports what it should not: {other:?}"),
    }
}

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn told<E: std::fmt::Display>(error: reencode::Error<E>) -> anyhow::Error {
    anyhow!("{error}")
}

/// One part's indices as those of the whole.
struct Renumbered<'a> {
    at: usize,
    homes: &'a Homes,
    kinds: Vec<u32>,
}

impl Renumbered<'_> {
    fn kind(&self, index: u32) -> Result<u32> {
        self.kinds.get(index as usize).copied().context("a type that is not there")
    }
}

impl Reencode for Renumbered<'_> {
    type Error = anyhow::Error;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error<Self::Error>> {
        place(&self.homes.places, self.at, function as usize).map_err(reencode::Error::UserError)
    }

    fn type_index(&mut self, kind: u32) -> Result<u32, reencode::Error<Self::Error>> {
        self.kind(kind).map_err(reencode::Error::UserError)
    }
}

#[cfg(test)]
mod tests {
    use wasmparser::Operator;

    use super::*;

    const SHARED: &str = r#"(import "m" "memory" (memory 1)) (import "m" "table" (table 9 funcref))"#;

    fn wasm(inside: &str) -> Vec<u8> {
        wat::parse_str(format!("(module (type (func (param i64))) {SHARED} {inside})")).unwrap()
    }

    /// Calls slot 3 through the table, as wasm-split does, and itself.
    const CALLER: &str = r#"
        (type $kind (func (param i32) (result i32)))
        (import "m" "stack" (global (mut i32)))
        (func $away (param i32) (result i32) local.get 0 i32.const 3 call_indirect (type $kind))
        (func $other (param i32) (result i32) local.get 0 i32.const 4 call_indirect (type $kind))
        (func $here (param i32) (result i32) local.get 0 call $away call $other)
        (elem (i32.const 7) $here)
        (@custom "producers" "x")
        (data $.rodata (i32.const 64) "ab") (data $.bss (i32.const 80) "\00\00")"#;
    const CALLED: &str = r#"
        (func $seven (result i32) i32.const 7)
        (func $twice (param i32) (result i32) local.get 0 call $seven i32.add)
        (elem (i32.const 3) $twice)
        (data $.rodata (i32.const 66) "c") (data $.rodata_2 (i32.const 70) "d")"#;

    #[test]
    fn parts_become_one_that_calls_itself_directly() {
        let (one, two) = (wasm(CALLER), wasm(CALLED));
        let parts = [Part::read(&one).unwrap(), Part::read(&two).unwrap()];
        assert!(parts.iter().all(Part::is_constant));
        let merged = merge(&parts.iter().collect::<Vec<_>>()).unwrap();
        wasmparser::validate(&merged).unwrap();
        let whole = Part::read(&merged).unwrap();
        // `away` is gone: `other`, `here`, `seven`, `twice`.
        assert_eq!((whole.bodies.len(), whole.imports.len(), whole.types.len()), (4, 3, 3));
        assert_eq!(whole.slots, BTreeMap::from([(3, 3), (7, 1)]));
        assert_eq!(whole.data, [(64, &b"abc"[..]), (70, b"d")]);
        let mut here = whole.bodies[1].get_operators_reader().unwrap();
        here.read().unwrap();
        assert!(matches!(here.read().unwrap(), Operator::Call { function_index: 3 }));
        assert!(matches!(here.read().unwrap(), Operator::Call { function_index: 0 }));
    }

    #[test]
    fn modules_with_a_life_of_their_own_are_refused() {
        for inside in [r#"(func (export "f"))"#, "(func $s) (start $s)", r#"(import "a" "f" (func))"#] {
            let wasm = wasm(inside);
            let refused = Part::read(&wasm).and_then(|part| merge(&[&part]));
            assert!(refused.is_err(), "{inside}");
        }
        let both = [wasm(CALLED), wasm(CALLED)];
        let both: Vec<_> = both.iter().map(|wasm| Part::read(wasm).unwrap()).collect();
        assert!(merge(&both.iter().collect::<Vec<_>>()).is_err(), "the same slot twice");
    }
}
