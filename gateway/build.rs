//! Lists the page's files that a release binary carries. They are in `page`: in a checkout a link to `../dist`, in a
//! package from crates.io a copy. Where the page is missing the list is empty, and the command serves a page that says
//! what to run.
//!
//! A debug binary carries no files and reads `dist` for each request (see `src/http/page.rs`). So a rebuilt page
//! shows without building the command again, and debug builds stay quick.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let linked = manifest_folder().join("page");
    // A checkout without links, as on Windows, has a plain file there.
    let dist = if linked.is_file() { manifest_folder().join("../dist") } else { linked };
    let mut table = String::new();
    let mut bytes = String::new();
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        // Cargo runs this again on every build while the path is missing, so a page built later is picked up.
        println!("cargo::rerun-if-changed={}", dist.display());
        let mut files = Vec::new();
        collect(&dist, &mut files);
        files.sort();
        // `dist/` and `dist/pkg/` share many files; the binary carries each content once.
        let mut known: Vec<Vec<u8>> = Vec::new();
        for file in files {
            let Ok(name) = file.strip_prefix(&dist) else {
                continue;
            };
            let name = name.to_string_lossy().replace('\\', "/");
            let content = fs::read(&file)?;
            let number = known.iter().position(|other| *other == content).unwrap_or(known.len());
            if number == known.len() {
                let whole = fs::canonicalize(&file)?;
                let whole = whole.to_string_lossy();
                let _ = writeln!(bytes, "    static FILE_{number}: &[u8] = include_bytes!({whole:?});");
                known.push(content);
            }
            let _ = writeln!(table, "        ({name:?}, FILE_{number}),");
        }
    }
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(out.join("page_files.rs"), format!("{{\n{bytes}    &[\n{table}    ]\n}}\n"))
}

fn manifest_folder() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default()
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, into);
        } else {
            into.push(path);
        }
    }
}
