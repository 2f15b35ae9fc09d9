//! Owns cutting the page's wasm into the part that every visitor downloads and those that come later
//! (`src/ui/lazy.rs`). Refuses to decide what goes where: the marked functions and who calls what do.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::build::{GLUE, WASM};
use crate::wasm_toolchain::{TARGET, WasmToolchain};
use crate::{pack, process, workspace};

/// Puts the first part and its glue in the place of what Trunk left in `dist`, and the later ones beside them.
/// Tells the names of the later ones.
pub fn run(toolchain: WasmToolchain, dist: &Path) -> Result<Vec<PathBuf>> {
    let linked = linked(toolchain)?;
    let parts = workspace::target()?.join("split");
    if parts.exists() {
        fs::remove_dir_all(&parts)?;
    }
    let mut split = process::command("wasm-split-cli");
    split.arg(&linked).arg(&parts).args(["--target", "web", "--out-name", "page"]);
    process::run(&mut split)?;

    let mut bind = process::command("wasm-bindgen");
    bind.args(["--target", "web", "--no-typescript", "--keep-lld-exports"]);
    // The names are for the second cut, which takes them away.
    bind.arg("--remove-producers-section");
    bind.arg("--out-dir").arg(dist).arg(parts.join("page.wasm"));
    process::run(&mut bind)?;
    for file in [GLUE, WASM] {
        dist.join(file).try_exists().with_context(|| format!("wasm-bindgen left no {file}"))?;
    }

    pack::run(&parts, dist)
}

/// What the linker left, with its relocations.
pub fn linked(toolchain: WasmToolchain) -> Result<PathBuf> {
    Ok(toolchain.target()?.join(TARGET).join("page/page.wasm"))
}

/// Whether a file came from the cut: a later part, or what fetches them.
pub fn is_part(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name == pack::LOADER || name.starts_with(pack::PART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_known_by_their_names() {
        for part in ["__wasm_split.js", "split_cards.wasm"] {
            assert!(is_part(OsStr::new(part)), "{part}");
        }
        for other in ["page_bg.wasm", "page.js", "index.html"] {
            assert!(!is_part(OsStr::new(other)), "{other}");
        }
    }
}
