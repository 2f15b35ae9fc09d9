//! What `pilothouse catalogue` prints: the page of event types, and how they differ from a runtime's schema.

use std::fs;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{process, workspace};

/// The runtime that the tests install.
const RUNTIME: &str = "tests/e2e/live/node_modules";

/// Writes docs/events.md.
pub fn page() -> Result<()> {
    let page = workspace::root().join("docs/events.md");
    fs::write(&page, process::read(&mut catalogue(&[]))?)?;
    println!("{} is written", workspace::shown(&page));
    Ok(())
}

/// `cargo xtask schema [PATH]`: PATH is a schema, or a folder somewhere above it.
pub fn schema(args: &[String]) -> Result<()> {
    match args {
        [] => process::run(&mut catalogue(&["--against", RUNTIME])),
        [path] => process::run(&mut catalogue(&["--against", path])),
        [_, more, ..] => bail!("`cargo xtask schema` takes one path; what is `{more}`?"),
    }
}

fn catalogue(options: &[&str]) -> Command {
    let mut command = process::cargo();
    command.args(["run", "--quiet", "--package", "pilothouse-gateway", "--", "catalogue"]).args(options);
    command
}
