//! Makes sure that the standard library's source is installed: a page that is made small builds its own
//! library. Without the source the page works and is larger.

use anyhow::Result;

use super::{State, Step};
use crate::process;
use crate::wasm_toolchain::WasmToolchain;

pub const STEP: Step =
    Step { name: "rust-src", does: "rustup adds the standard library's source", find, install };

fn find() -> State {
    match WasmToolchain::find() {
        Some(toolchain) if toolchain.has_std_source() => State::Ready("installed".to_owned()),
        _ => State::Missing("rustup component add rust-src".to_owned()),
    }
}

fn install() -> Result<()> {
    process::run(process::command("rustup").args(["component", "add", "rust-src"]))
}
