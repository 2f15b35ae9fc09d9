//! Writes the generated pages of `docs/`. Their content comes from the catalogue.

use std::fs;

use anyhow::Result;

use crate::{process, refuse_arguments, workspace};

pub fn run(args: &[String]) -> Result<()> {
    refuse_arguments("docs", args)?;
    let mut catalogue = process::cargo();
    catalogue.args(["run", "--quiet", "--package", "pilothouse-gateway", "--", "catalogue"]);
    let text = process::read(&mut catalogue)?;
    let page = workspace::root().join("docs/events.md");
    fs::write(&page, text)?;
    println!("{} is written", workspace::shown(&page));
    Ok(())
}
