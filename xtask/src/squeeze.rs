//! Owns the page's files as a gateway sends them: compressed at best, beside those that are not. Refuses to do it twice
//! for the same bytes, and the package: who serves that has ways of their own.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::Result;

use crate::{size, workspace};

/// What compresses.
const TEXTS: [&str; 5] = ["html", "js", "css", "wasm", "json"];
/// Smaller files than this fit into a packet anyway.
const WORTH: usize = 1024;
/// A copy of files that are here.
const PACKAGE: &str = "pkg";

/// Leaves `FILE.br` beside every file that is worth it.
pub fn run(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != PACKAGE) {
                run(&path)?;
            }
        } else if path.extension().is_some_and(|kind| TEXTS.iter().any(|text| kind == *text)) {
            file(&path)?;
        }
    }
    Ok(())
}

fn file(path: &Path) -> Result<()> {
    let bytes = fs::read(path)?;
    if bytes.len() < WORTH {
        return Ok(());
    }
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let known = workspace::target()?.join("squeezed").join(format!("{:016x}.br", hasher.finish()));
    let small = if let Ok(small) = fs::read(&known) {
        small
    } else {
        let small = size::brotli(&bytes)?;
        fs::create_dir_all(known.parent().unwrap_or(path))?;
        fs::write(&known, &small)?;
        small
    };
    let mut name = path.as_os_str().to_owned();
    name.push(".br");
    fs::write(name, small)?;
    Ok(())
}
