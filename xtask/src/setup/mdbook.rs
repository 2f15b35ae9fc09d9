//! Makes sure that `mdbook` is installed, in a version that understands our template.

use anyhow::Result;

use super::{State, Step};
use crate::process;

/// The arguments for Cargo. Search and the server of its own are left out: the gateway serves the book.
const INSTALL: [&str; 6] = ["install", "mdbook", "--version", "0.5.4", "--locked", "--no-default-features"];

pub const STEP: Step =
    Step { name: "mdbook", does: "building mdBook (about three minutes, once)", find, install };

fn find() -> State {
    let printed = process::read(process::command("mdbook").arg("--version")).unwrap_or_default();
    let version = printed.split_whitespace().nth(1).unwrap_or_default().trim_start_matches('v');
    if version.starts_with("0.5.") {
        State::Ready(version.to_owned())
    } else {
        State::Missing(format!("cargo {} --force", INSTALL.join(" ")))
    }
}

fn install() -> Result<()> {
    process::run(process::cargo().args(INSTALL).arg("--force"))
}
