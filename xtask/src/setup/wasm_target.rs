//! Makes sure that a compiler for wasm is installed: rustup's target, else Debian's compiler. Debian's
//! packages are installed only as root.

use anyhow::{Result, bail};

use super::{State, Step};
use crate::process;
use crate::wasm_toolchain::{DEBIAN_PACKAGES, TARGET, WasmToolchain, is_debian};

pub const STEP: Step =
    Step { name: "wasm target", does: "adding the wasm32 target to the compiler", find, install };

fn find() -> State {
    match WasmToolchain::find() {
        Some(toolchain) => State::Ready(toolchain.name().to_owned()),
        None if process::on_path("rustup").is_some() => State::Missing(format!("rustup target add {TARGET}")),
        None if is_debian() => {
            let packages = DEBIAN_PACKAGES.join(" ");
            State::Missing(format!("sudo apt-get install --no-install-recommends {packages}"))
        }
        None => State::Missing(format!("install rustup (see rustup.rs), then: rustup target add {TARGET}")),
    }
}

fn install() -> Result<()> {
    let mut add = process::command("rustup");
    add.args(["target", "add", TARGET]);
    let usual = process::run(&mut add);
    if WasmToolchain::find().is_some() {
        return Ok(());
    }
    if super::apt::is_usable() {
        println!("set-up: rustup can't bring the target; Debian's compiler can make wasm as well");
        return super::apt::install(&DEBIAN_PACKAGES);
    }
    match usual {
        Err(error) => Err(error),
        Ok(()) => bail!("rustup added the target, but to another toolchain than the one in use"),
    }
}
