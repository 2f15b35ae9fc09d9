//! Optimises wasm files with Binaryen's `wasm-opt`. The result is cached by its input: this takes longer than everything else
//! in a warm build.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::setup::node;
use crate::{process, workspace};

/// What rustc takes for granted and Binaryen wants to have named.
pub const FEATURES: [&str; 8] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

const ARGUMENTS: [&str; 6] = [
    "-O3",
    // A large function that is called once is as fast where it is, and compresses better.
    "--one-caller-inline-max-function-size=60",
    // As quick as with the usual 20, and a kilobyte less to fetch.
    "--flexible-inline-max-function-size=10",
    // The first kilobyte of memory is the far end of the stack: additions may go into the offsets of loads.
    "--low-memory-unused",
    "--strip-producers",
    "--strip-target-features",
];

/// Replaces the file by its optimised form.
pub fn run(wasm: &Path) -> Result<()> {
    let cache = workspace::target()?.join("wasm-opt").join(wasm.file_stem().unwrap_or_default());
    let (input, output, recipe) = (cache.join("in.wasm"), cache.join("out.wasm"), cache.join("recipe.txt"));
    let wanted = format!("{}\n{}", ARGUMENTS.join(" "), binaryen_lock()?);

    let fresh = fs::read(wasm).with_context(|| format!("there is no {}", workspace::relative_path(wasm)))?;
    let same_input = fs::read(&input).is_ok_and(|last| last == fresh);
    let same_recipe = fs::read_to_string(&recipe).is_ok_and(|last| last == wanted);
    if !(same_input && same_recipe && output.is_file()) {
        fs::create_dir_all(&cache)?;
        // The recipe goes first and comes last: an interrupted run must not look like a done one.
        let _ = fs::remove_file(&recipe);
        fs::write(&input, &fresh)?;
        let mut optimise = process::command("node");
        optimise
            .arg(node::binaryen("wasm-opt"))
            .args(FEATURES)
            .args(ARGUMENTS)
            .arg(&input)
            .arg("-o")
            .arg(&output);
        process::run(&mut optimise)?;
        fs::write(&recipe, &wanted)?;
    }
    fs::copy(&output, wasm)?;
    Ok(())
}

/// Another version of Binaryen gives other bytes.
fn binaryen_lock() -> Result<String> {
    workspace::read(&workspace::root().join("tools/package-lock.json"))
}
