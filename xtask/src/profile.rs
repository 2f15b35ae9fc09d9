//! Owns `cargo xtask profile`: it finds which functions a usual start runs, in a browser, and writes the list of the
//! others. Refuses to say what a usual start is: `tests/e2e/profile.mjs` does.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::build::{self, GLUE, Profile, WASM};
use crate::cut::{self, instrument, module::Module};
use crate::setup::{self, browser, node};
use crate::{process, refuse_arguments, workspace};

/// Runs it.
pub fn run(args: &[String]) -> Result<()> {
    refuse_arguments("profile", args)?;
    setup::ensure(&[&node::END_TO_END, &browser::STEP])?;
    // Whoever needs a new list may be over the limit without it.
    build::made(Profile::Release)?;
    let command = ["build", "--package", "pilothouse-bridge", "--bin", "pilothouse"];
    process::run(process::cargo().args(command))?;

    let whole = cut::whole()?;
    let bytes = fs::read(whole.join(WASM))?;
    let module = Module::read(&bytes)?;
    let noting = instrument::instrumented(&module)?;
    // A dev build of the gateway reads the page from here.
    let dist = workspace::dist();
    for folder in [dist.clone(), dist.join("pkg")] {
        fs::write(folder.join(WASM), &noting)?;
        fs::copy(whole.join(GLUE), folder.join(GLUE))?;
    }
    let notes = whole.join("notes");
    let ran = usual_starts(&notes);
    let list = ran.and_then(|ran| cut::profiled(&module, &ran, &cut::Known::read()?));
    if let Ok(list) = &list {
        fs::write(cut::list(), list.text())?;
    }
    // Also when it failed: what is in dist now is slow.
    build::finish(&dist)?;
    list.map(|_| println!("{} is written", workspace::shown(&cut::list())))
}

/// Runs the starts; gives the spans that ran in any.
fn usual_starts(notes: &Path) -> Result<BTreeSet<usize>> {
    if notes.exists() {
        fs::remove_dir_all(notes)?;
    }
    fs::create_dir_all(notes)?;
    let name = format!("pilothouse{}", std::env::consts::EXE_SUFFIX);
    let mut starts = process::command("node");
    starts.args(["--test", "--test-reporter=spec", "--test-force-exit", "tests/e2e/profile.mjs"]);
    starts
        .env("PILOTHOUSE_BIN", workspace::target()?.join("debug").join(name))
        .env("CHROMIUM", browser::chromium().context("no Chromium")?)
        .env("PROFILE_OUT", notes);
    process::run(&mut starts)?;
    let mut ran = BTreeSet::new();
    for entry in fs::read_dir(notes)? {
        let places: Vec<usize> = serde_json::from_slice(&fs::read(entry?.path())?)?;
        ran.extend(places);
    }
    if ran.is_empty() {
        bail!("no page noted anything");
    }
    Ok(ran)
}
