//! Owns the second cut of the page's program, by function and by profile: what a usual start does not run comes in a file
//! of its own, and a stub that is called before that loads it at once. Refuses to decide what is cold (`xtask/cold.txt`,
//! by `cargo xtask profile`), and to move what changes while the program runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::build::{GLUE, WASM};
use crate::pack::{self, part::Part};
use crate::workspace;
use cold::Cold;
use linked::Linked;
use module::Module;
use plan::Plan;
use reach::Reach;
use regions::{Finder, Region};

pub mod cold;
mod first;
pub mod instrument;
mod later;
mod linked;
pub mod module;
pub mod names;
mod outline;
mod plan;
mod reach;
mod regions;
mod shape;
pub mod spans;

/// What was cut out.
pub const LATER: &str = "later_bg.wasm";

/// Loads it; becomes a part of the glue.
const LOADER: &str = include_str!("cut/later.js");

/// The list of what is cold.
pub fn list() -> PathBuf {
    workspace::root().join("xtask/cold.txt")
}

/// Where the program and its glue are kept as they were before the cut, with the names of the functions.
pub fn whole() -> Result<PathBuf> {
    Ok(workspace::target()?.join("cut"))
}

/// What the linker left, as it is kept.
const LINKED: &str = "linked.wasm";

/// Keeps the program and its glue in `dist` for [`cut`] and the profile, with what the linker left of it.
pub fn keep(dist: &Path, linked: &Path) -> Result<()> {
    let whole = whole()?;
    fs::create_dir_all(&whole)?;
    let alone = pack::ALONE.map(pack::file);
    for file in [GLUE, WASM].into_iter().chain(alone.iter().map(String::as_str)) {
        fs::copy(dist.join(file), whole.join(file))?;
    }
    fs::copy(linked, whole.join(LINKED))?;
    Ok(())
}

/// What tells which constants are needed.
#[derive(Default)]
pub struct Known {
    linked: Option<Vec<u8>>,
    /// Parts that may come before the later file.
    alone: Vec<Vec<u8>>,
}

impl Known {
    /// Reads what was kept.
    pub fn read() -> Result<Self> {
        let whole = whole()?;
        let alone = pack::ALONE.map(|name| fs::read(whole.join(pack::file(name))));
        let alone = alone.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { linked: Some(fs::read(whole.join(LINKED))?), alone })
    }

    /// For a program, and for the same with parts of functions taken out, which changes names and nothing else.
    fn reach<'a>(&self, whole: &Module<'_>, module: &'a Module<'a>) -> Result<Reach<'a>> {
        let linked = self.linked.as_ref().map(|linked| Linked::read(linked, whole)).transpose()?;
        let parts: Vec<_> = self.alone.iter().map(|part| Part::read(part)).collect::<Result<_>>()?;
        Reach::of(module, linked, &parts)
    }
}

/// Writes both files and the glue into `dist`, from what was kept.
pub fn cut(dist: &Path) -> Result<()> {
    let whole = whole()?;
    let list = Cold::parse(&workspace::read(&list())?);
    let (first, later) = halves(&fs::read(whole.join(WASM))?, &list, &Known::read()?)?;
    fs::write(dist.join(WASM), first)?;
    fs::write(dist.join(LATER), later)?;
    fs::write(dist.join(GLUE), glue(&workspace::read(&whole.join(GLUE))?)?)?;
    Ok(())
}

/// The first file and the later one.
fn halves(bytes: &[u8], list: &Cold, known: &Known) -> Result<(Vec<u8>, Vec<u8>)> {
    let module = Module::read(bytes)?;
    let names = names::of(&module);
    let mut cold: BTreeSet<u32> =
        module.own().zip(&names).filter(|(_, name)| list.has(name)).map(|(function, _)| function).collect();
    let bytes = outline::outlined(&module, &parts(&module, &names, list)?)?;
    let (before, whole, module) = (module.own().end, module, Module::read(&bytes)?);
    let reach = known.reach(&whole, &module)?;
    cold.extend(before..module.own().end);
    let plan = plan::plan(&module, &cold, &reach);
    if plan.stubs.is_empty() {
        bail!("nothing could be cut out of {WASM}; try: cargo xtask profile");
    }
    println!(
        "{LATER}: {} of {} functions; {} stubs; {} bytes of constants",
        plan.moved.len(),
        module.bodies.len(),
        plan.stubs.len(),
        plan.data.iter().map(ExactSizeIterator::len).sum::<usize>()
    );
    Ok((first::file(&module, &plan)?, later::file(&module, &plan)?))
}

/// The parts that the list names, by the places of their functions.
fn parts(module: &Module<'_>, names: &[String], list: &Cold) -> Result<BTreeMap<usize, Vec<Region>>> {
    let listed = |(place, name): (usize, &String)| list.parts.contains_key(name).then_some(place);
    let wanted = names.iter().enumerate().filter_map(listed).collect();
    let mut found = BTreeMap::new();
    shape::shapes(module, &wanted, |place, shape| {
        if let Some(keys) = names.get(place).and_then(|name| list.parts.get(name)) {
            found.insert(place, Finder::of(&shape, module, names).known(keys));
        }
        Ok(())
    })?;
    Ok(found)
}

/// The list for a program of which these spans ran.
pub fn profiled(module: &Module<'_>, ran: &BTreeSet<usize>, known: &Known) -> Result<Cold> {
    let names = names::of(module);
    let mut starts = vec![0];
    for body in &module.bodies {
        starts.push(starts.last().copied().unwrap_or(0) + spans::count(body)?);
    }
    let runs = |place: usize| starts.get(place).is_some_and(|start| ran.contains(start));
    let first = module.imported();
    let places = 0..module.bodies.len();
    let cold = places.clone().filter(|place| !runs(*place)).map(|place| first + place as u32).collect();
    let Plan { moved, .. } = plan::plan(module, &cold, &known.reach(module, module)?);
    let name = |place: usize| names.get(place).map(String::as_str);
    let moved = moved.iter().filter_map(|function| name((function - first) as usize)).collect();
    let hot: BTreeSet<&str> = places.clone().filter(|place| runs(*place)).filter_map(name).collect();
    let mut list = Cold::of(&moved, &hot);

    let alone = |place: &usize| names.iter().filter(|other| names.get(*place) == Some(other)).count() == 1;
    let whole = |place: &usize| name(*place).is_some_and(by_chance);
    let wanted = places.filter(|place| runs(*place) && alone(place) && !whole(place)).collect();
    shape::shapes(module, &wanted, |place, shape| {
        let mut span = starts.get(place).copied().unwrap_or(0);
        let cold = shape.operators.iter().map(|operator| {
            let cold = !ran.contains(&span);
            span += usize::from(spans::ends_span(operator));
            cold
        });
        let cold: Vec<bool> = cold.collect();
        if cold.iter().any(|cold| *cold) {
            let finder = Finder::of(&shape, module, &names);
            let keys: BTreeSet<_> =
                finder.cold(&cold).iter().map(|part| finder.key(part.from, part.to)).collect();
            if let Some(name) = name(place).filter(|_| !keys.is_empty()) {
                list.parts.insert(name.to_owned(), keys);
            }
        }
        Ok(())
    })?;
    Ok(list)
}

/// Whether it depends on what came when which parts of a function run: another start, on another machine, finds memory
/// and queues otherwise.
fn by_chance(name: &str) -> bool {
    ["<talc::", "<alloc::collections::vec_deque::"].iter().any(|beginning| name.starts_with(beginning))
}

/// The glue with the loader.
fn glue(script: &str) -> Result<String> {
    let comment = |line: &&str| line.is_empty() || ["//", "/**"].iter().any(|start| line.starts_with(start));
    let loader: Vec<&str> = LOADER.lines().map(str::trim).filter(|line| !comment(line)).collect();
    let mut script = format!("{script}{}\n", loader.join("\n"));
    for (place, more) in [
        ("\"./page_bg.js\": import0,", format!("{}: {{ {}: laterNow }},", first::LOAD.0, first::LOAD.1)),
        ("wasm = instance.exports;", "laterSoon();".to_owned()),
    ] {
        if script.matches(place).count() != 1 {
            bail!("{GLUE} has no `{place}`; wasm-bindgen writes it otherwise now");
        }
        script = script.replace(place, &format!("{place}\n{more}"));
    }
    Ok(script)
}

#[cfg(test)]
mod tests;
