//! Owns the `wasm-split-cli` command, which cuts the page's wasm into files. Refuses another minor version than the
//! library's: the two speak a private format.

use anyhow::Result;

use super::{State, Step};
use crate::process;

const INSTALL: [&str; 7] =
    ["install", "wasm_split_cli_support", "--version", "0.2.4", "--locked", "--features", "build-binary"];

pub const STEP: Step =
    Step { name: "wasm-split", does: "building wasm-split-cli (about two minutes, once)", find, bring };

fn find() -> State {
    // The program itself does not tell its version; Cargo remembers it.
    let installed = process::read(process::cargo().args(["install", "--list"])).unwrap_or_default();
    match version_in(&installed) {
        Some(version) if process::on_path("wasm-split-cli").is_some() && version.starts_with("0.2.") => {
            State::Ready(version.to_owned())
        }
        _ => State::Missing(format!("cargo {} --force", INSTALL.join(" "))),
    }
}

fn version_in(installed: &str) -> Option<&str> {
    let line = installed.lines().find_map(|line| line.strip_prefix("wasm_split_cli_support v"))?;
    line.split([':', ' ']).next()
}

fn bring() -> Result<()> {
    process::run(process::cargo().args(INSTALL).arg("--force"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_s_list_tells_the_version() {
        let list = "trunk v0.21.14:\n    trunk\nwasm_split_cli_support v0.2.4:\n    wasm-split-cli\n";
        assert_eq!(version_in(list), Some("0.2.4"));
        assert_eq!(version_in("trunk v0.21.14:\n"), None);
    }
}
