//! Splits the linked wasm with `wasm_split_cli_support` into the part that every visitor downloads and those that come later.
//!
//! The functions that `src/ui/lazy/fetched.rs` marks say where; what only they reach comes later.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use wasm_split_cli_support::{Options, transform};

use crate::bind::GLUE;
use crate::{pack, workspace};

/// Splits `linked`. The folder that is returned has the first part as `page.wasm`, and wasm-split's loader.
pub fn run(linked: &Path) -> Result<PathBuf> {
    let parts = workspace::target()?.join("split");
    if parts.exists() {
        fs::remove_dir_all(&parts)?;
    }
    let wasm = fs::read(linked)?;
    let (first, glue) = (parts.join("page.wasm"), format!("./{GLUE}"));
    let mut options = Options::new(&wasm);
    options.output_dir = &parts;
    options.main_out_path = &first;
    options.main_module = &glue;
    options.target.web();
    transform(options).map_err(|error| anyhow!("wasm-split failed: {error:#}"))?;
    Ok(parts)
}

/// Whether a file came from the split: a later part, or what fetches them.
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
