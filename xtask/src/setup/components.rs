//! Makes sure that rustfmt and Clippy are installed. Their version is that of the compiler.

use anyhow::Result;

use super::{State, Step};
use crate::process;

pub const STEP: Step = Step {
    name: "rustfmt and clippy",
    does: "rustup adds rustfmt and clippy to the toolchain",
    find,
    install,
};

fn find() -> State {
    let there = |tool: &str| process::succeeds(process::cargo().args([tool, "--version"]));
    if there("fmt") && there("clippy") {
        State::Ready("installed".to_owned())
    } else {
        State::Missing("rustup component add rustfmt clippy".to_owned())
    }
}

fn install() -> Result<()> {
    process::run(process::command("rustup").args(["component", "add", "rustfmt", "clippy"]))
}
