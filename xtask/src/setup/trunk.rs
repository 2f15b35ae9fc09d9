//! Makes sure that `trunk` is installed, in a version that understands our `Trunk.toml`.

use anyhow::Result;

use super::{State, Step};
use crate::process;

/// The arguments for Cargo: a compatible 0.21, without its own updater, with a TLS that needs no system
/// library.
const INSTALL: [&str; 8] =
    ["install", "trunk", "--version", "0.21.14", "--locked", "--no-default-features", "--features", "rustls"];

pub const STEP: Step =
    Step { name: "trunk", does: "building trunk (five to ten minutes, once)", find, install };

fn find() -> State {
    let printed = process::read(process::command("trunk").arg("--version")).unwrap_or_default();
    let version = printed.split_whitespace().nth(1).unwrap_or_default();
    if version.starts_with("0.21.") {
        State::Ready(version.to_owned())
    } else {
        State::Missing(format!("cargo {} --force", INSTALL.join(" ")))
    }
}

fn install() -> Result<()> {
    process::run(process::cargo().args(INSTALL).arg("--force"))
}
