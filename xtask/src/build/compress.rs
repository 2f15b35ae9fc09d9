//! Compresses the page's files for the gateway, each into a `.br` file beside it. The same bytes are
//! compressed only once. The package is left out, because its hosts compress it in their own ways.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::Result;

use crate::build::size;
use crate::workspace;

/// The kinds of files that compress well.
const TEXTS: [&str; 5] = ["html", "js", "css", "wasm", "json"];
/// In bytes. Smaller files fit into a packet anyway.
const MIN_SIZE: usize = 1024;
/// The folder of the package, a copy of files that are here.
const PACKAGE: &str = "pkg";

/// Writes `FILE.br` beside every file that is worth it.
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
    if bytes.len() < MIN_SIZE {
        return Ok(());
    }
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let known = workspace::target()?.join("compressed").join(format!("{:016x}.br", hasher.finish()));
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
