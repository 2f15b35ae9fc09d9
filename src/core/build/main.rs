//! Build script of the core: makes its words, and constants of the style sheets.

#![allow(clippy::print_stdout, reason = "this is how cargo is told")]

#[path = "../i18n/compile.rs"]
mod compile;
#[path = "../i18n/placeholders.rs"]
mod placeholders;
mod styles;
mod words;

use std::path::{Path, PathBuf};
use std::{env, process};

fn main() {
    let www = www();
    for source in ["build", "i18n/compile.rs", "i18n/placeholders.rs"] {
        println!("cargo::rerun-if-changed={source}");
    }
    for folder in ["locales", "styles"] {
        println!("cargo::rerun-if-changed={}", www.join(folder).display());
    }
    if let Err(why) = make(&www) {
        println!("cargo::error={why}");
        process::exit(1);
    }
}

/// The folder `www` of the workspace. `src/core/www` is a link to it, so that a package has a copy of what is needed.
/// A checkout without links, as on Windows, has a plain file there.
fn www() -> PathBuf {
    let linked = Path::new("www");
    if linked.is_dir() { linked.to_owned() } else { Path::new("../../www").to_owned() }
}

fn make(www: &Path) -> Result<(), String> {
    let place = env::var_os("OUT_DIR").map(PathBuf::from).ok_or("cargo gave no OUT_DIR")?;
    words::make(&www.join("locales"), &place)?;
    styles::make(&www.join("styles"), &place)
}
