//! What `pilothouse catalogue` prints: the page of event types, and how they differ from a runtime's schema.

use std::fs;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{process, workspace};

/// The runtime that the tests install.
const RUNTIME: &str = "tests/e2e/live/node_modules";

/// The lists of each version that is known, in a folder named after it.
const VERSIONS: &str = "tests/support/schema";

/// Writes docs/events.md.
pub fn page() -> Result<()> {
    let page = workspace::root().join("docs/events.md");
    fs::write(&page, process::read(&mut catalogue(&[]))?)?;
    println!("{} is written", workspace::relative_path(&page));
    Ok(())
}

/// `cargo xtask schema [PATH [--add VERSION]]`: PATH is a schema, or a folder somewhere above it.
pub fn schema(args: &[String]) -> Result<()> {
    match args {
        [] => process::run(&mut catalogue(&["--against", RUNTIME])),
        [path] => process::run(&mut catalogue(&["--against", path])),
        [path, option, version] if option == "--add" => add(path, version),
        [_, more, ..] => bail!("`cargo xtask schema` takes a path and `--add VERSION`; what is `{more}`?"),
    }
}

/// Writes what a version has, for the tests that hold the catalogue and the gateway's methods against it.
fn add(path: &str, version: &str) -> Result<()> {
    let folder = workspace::root().join(VERSIONS).join(version);
    fs::create_dir_all(&folder)?;
    for list in ["fields", "methods"] {
        let file = folder.join(list).with_extension("txt");
        fs::write(&file, process::read(&mut catalogue(&[&format!("--{list}"), path]))?)?;
        println!("{} is written", workspace::relative_path(&file));
    }
    Ok(())
}

fn catalogue(options: &[&str]) -> Command {
    let mut command = process::cargo();
    command.args(["run", "--quiet", "--package", "pilothouse-gateway", "--", "catalogue"]).args(options);
    command
}
