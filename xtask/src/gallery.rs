//! Makes the pictures of the recordings (docs/gallery). The recordings come from a folder of the caller's.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::setup::{self, browser, node};
use crate::{build, process, workspace};

/// `cargo xtask gallery FOLDER`: `FOLDER` holds one folder for each recording, with an `events.jsonl` in it.
pub fn run(args: &[String]) -> Result<()> {
    let [folder] = args else {
        bail!("usage: cargo xtask gallery FOLDER");
    };
    setup::ensure(&[&node::END_TO_END, &browser::STEP])?;
    build::release()?;
    process::run(process::cargo().args(["build", "--package", "pilothouse-gateway", "--bin", "pilothouse"]))?;
    let root = workspace::root();
    let mut shoot = process::command("node");
    shoot.arg(root.join("tests/e2e/support/gallery.mjs")).arg(root.join("docs/gallery"));
    shoot.args(recordings(Path::new(folder))?);
    let name = format!("pilothouse{}", std::env::consts::EXE_SUFFIX);
    shoot
        .env("PILOTHOUSE_BIN", workspace::target()?.join("debug").join(name))
        .env("CHROMIUM", browser::chromium().context("no Chromium")?);
    process::run(&mut shoot)
}

/// `NAME=FILE` for each recording, sorted by name.
fn recordings(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} can't be read", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let file = entry.path().join("events.jsonl");
        if file.is_file() {
            found.push(format!("{}={}", entry.file_name().to_string_lossy(), file.display()));
        }
    }
    if found.is_empty() {
        bail!("{} has no */events.jsonl", folder.display());
    }
    found.sort();
    Ok(found)
}
