//! Makes sure that the compiler has the standard library for static Linux binaries.

use anyhow::Result;

use super::{State, Step};
use crate::process;
use crate::wasm_toolchain::target_is_installed;

/// Programs for it need no library of the system. Rust brings the C library and the linker.
pub const TARGET: &str = "x86_64-unknown-linux-musl";

pub const STEP: Step =
    Step { name: "musl target", does: "rustup adds the target for static Linux binaries", find, install };

fn find() -> State {
    if target_is_installed(TARGET) {
        State::Ready("the target is installed".to_owned())
    } else {
        State::Missing(format!("rustup target add {TARGET}"))
    }
}

fn install() -> Result<()> {
    process::run(process::command("rustup").args(["target", "add", TARGET]))
}
