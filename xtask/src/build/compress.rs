//! Compresses the page's files for the gateway, each into a `.br` file beside it, and tells how small they get. The same bytes
//! are compressed only once. The package is left out, because its hosts compress it in their own ways.

use std::cmp::Reverse;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Result;

use crate::build::all_files;
use crate::{process, workspace};

/// The kinds of files that compress well.
const TEXTS: [&str; 5] = ["html", "js", "css", "wasm", "json"];
/// In bytes. Smaller files fit into a packet anyway.
const MIN_SIZE: usize = 1024;
/// The folder of the package, a copy of files that are here.
const PACKAGE: &str = "pkg";

/// Writes `FILE.br` beside every file that is worth it.
pub fn run(folder: &Path) -> Result<()> {
    let package = folder.join(PACKAGE);
    let mut files = Vec::new();
    for path in all_files(folder)? {
        let compresses = path.extension().is_some_and(|kind| TEXTS.iter().any(|text| kind == *text));
        if compresses && !path.starts_with(&package) {
            files.push((fs::read(&path)?, path));
        }
    }
    files.retain(|(bytes, _)| bytes.len() >= MIN_SIZE);
    // The largest take so long that they can't come last.
    files.sort_by_key(|(bytes, _)| Reverse(bytes.len()));
    process::for_each(&files, |(bytes, path)| {
        let mut name = path.as_os_str().to_owned();
        name.push(".br");
        Ok(fs::write(PathBuf::from(name), brotli(bytes)?)?)
    })
}

/// Compresses bytes as a web server would at its best, or takes them from an earlier time.
pub fn brotli(mut bytes: &[u8]) -> Result<Vec<u8>> {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let cache = workspace::target()?.join("compressed");
    let known = cache.join(format!("{:016x}.br", hasher.finish()));
    if let Ok(small) = fs::read(&known) {
        return Ok(small);
    }
    let mut small = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    brotli::BrotliCompress(&mut bytes, &mut small, &parameters)?;
    // Whoever reads the file, in this thread or in another, finds all of it or none.
    let part = cache.join(format!("{}-{:?}", std::process::id(), thread::current().id()));
    fs::create_dir_all(&cache)?;
    fs::write(&part, &small)?;
    fs::rename(part, known)?;
    Ok(small)
}
