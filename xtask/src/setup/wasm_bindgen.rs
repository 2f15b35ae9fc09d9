//! Makes sure that the `wasm-bindgen` command is installed, in exactly the version of the library in
//! `Cargo.lock`: the two share a private format.

use anyhow::{Context, Result};

use super::{State, Step};
use crate::{process, workspace};

pub const STEP: Step =
    Step { name: "wasm-bindgen", does: "building wasm-bindgen-cli (about two minutes, once)", find, install };

fn find() -> State {
    let Ok(wanted) = required_version() else {
        return State::Missing("cargo generate-lockfile".to_owned());
    };
    let mut ask = process::command("wasm-bindgen");
    let printed = process::read(ask.arg("--version")).unwrap_or_default();
    // The same package installs the runner of the browser tests.
    let runner = process::on_path("wasm-bindgen-test-runner").is_some();
    if runner && printed.split_whitespace().nth(1) == Some(&wanted) {
        State::Ready(wanted)
    } else {
        State::Missing(format!("cargo install wasm-bindgen-cli --version {wanted} --force"))
    }
}

fn install() -> Result<()> {
    // Without --locked: its own lock file may name versions that are yanked by now.
    let version = required_version()?;
    process::run(process::cargo().args(["install", "wasm-bindgen-cli", "--version", &version, "--force"]))
}

fn required_version() -> Result<String> {
    let version = workspace::locked_version("wasm-bindgen")?;
    version.context("Cargo.lock has no wasm-bindgen; try: cargo update --workspace")
}
