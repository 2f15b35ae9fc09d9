//! Owns the second cut of the page's program, by function and by profile: what a usual start does not run comes in a file
//! of its own, and a stub that is called before that loads it at once. Refuses to decide what is cold (`xtask/cold.txt`,
//! by `cargo xtask profile`), and to move data.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::build::{GLUE, WASM};
use crate::workspace;
use cold::Cold;
use module::Module;
use plan::Plan;

pub mod cold;
mod first;
pub mod instrument;
mod later;
pub mod module;
pub mod names;
mod plan;

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

/// Keeps the program and its glue in `dist` for [`cut`] and the profile.
pub fn keep(dist: &Path) -> Result<()> {
    let whole = whole()?;
    fs::create_dir_all(&whole)?;
    for file in [GLUE, WASM] {
        fs::copy(dist.join(file), whole.join(file))?;
    }
    Ok(())
}

/// Writes both files and the glue into `dist`, from what was kept.
pub fn cut(dist: &Path) -> Result<()> {
    let whole = whole()?;
    let bytes = fs::read(whole.join(WASM))?;
    let module = Module::read(&bytes)?;
    let list = Cold::parse(&workspace::read(&list())?);
    let names = names::of(&module);
    let cold =
        module.own().zip(&names).filter(|(_, name)| list.has(name)).map(|(function, _)| function).collect();
    let plan = plan::plan(&module, &cold);
    if plan.stubs.is_empty() {
        bail!("nothing could be cut out of {WASM}; try: cargo xtask profile");
    }
    println!(
        "{LATER}: {} of {} functions; {} stubs",
        plan.moved.len(),
        module.bodies.len(),
        plan.stubs.len()
    );
    fs::write(dist.join(WASM), first::file(&module, &plan)?)?;
    fs::write(dist.join(LATER), later::file(&module, &plan)?)?;
    fs::write(dist.join(GLUE), glue(&workspace::read(&whole.join(GLUE))?)?)?;
    Ok(())
}

/// The list for a program of which the functions at these places ran.
pub fn profiled(module: &Module<'_>, ran: &BTreeSet<usize>) -> Cold {
    let names = names::of(module);
    let first = module.imported();
    let cold = (0..module.bodies.len())
        .filter(|place| !ran.contains(place))
        .map(|place| first + place as u32)
        .collect();
    let Plan { moved, .. } = plan::plan(module, &cold);
    let name = |place: usize| names.get(place).map(String::as_str);
    let moved = moved.iter().filter_map(|function| name((function - first) as usize)).collect();
    Cold::of(&moved, &ran.iter().filter_map(|place| name(*place)).collect())
}

/// The glue with the loader.
fn glue(script: &str) -> Result<String> {
    let lines = LOADER.lines().map(str::trim);
    let loader: Vec<&str> =
        lines.filter(|line| !["", "//", "/**"].iter().any(|start| is_comment(line, start))).collect();
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

fn is_comment(line: &str, start: &str) -> bool {
    if start.is_empty() { line.is_empty() } else { line.starts_with(start) }
}
