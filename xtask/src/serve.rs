//! Leads from a fresh clone to a session on the screen: builds the page and the command, then runs `pilothouse serve`.

use anyhow::Result;

use crate::build::{self, Profile};
use crate::setup::{self, node};
use crate::steps::{self, step};
use crate::{process, workspace};

const PACKAGE: [&str; 4] = ["--package", "pilothouse-gateway", "--bin", "pilothouse"];

pub fn run(args: &[String]) -> Result<()> {
    let mut steps = Vec::new();
    if node::is_installed() {
        steps.push(step("fetch the libraries for colours, formulas and diagrams", || {
            setup::try_optional(&node::PAGE_TOOLS, "colours in code, formulas and diagrams");
            Ok(String::new())
        }));
    }
    steps.extend(build::page_steps(Profile::Local));
    // A dev build of the command is quick to make, and reads the page from `dist/`.
    steps.push(step("compile the command", || {
        process::execute(process::cargo().args(["build", "--quiet"]).args(PACKAGE))?;
        Ok(String::new())
    }));
    steps::run(steps)?;
    let command =
        workspace::target()?.join("debug").join(format!("pilothouse{}", std::env::consts::EXE_SUFFIX));
    process::execute(process::command(command).arg("serve").args(args))
}
