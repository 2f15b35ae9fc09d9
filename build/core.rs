//! Build script of the core: makes its words. The page's style sheets are made in `build/main.rs`.

#![allow(clippy::print_stdout, reason = "this is how cargo is told")]

#[path = "../src/core/i18n/placeholders.rs"]
mod placeholders;
mod words;

use std::path::{Path, PathBuf};
use std::{env, process};

/// The workspace, from the core's folder.
const ROOT: &str = "../..";

fn main() {
    for source in ["build", "src/core/i18n/placeholders.rs", "www/locales"] {
        println!("cargo::rerun-if-changed={ROOT}/{source}");
    }
    let place = env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| "cargo gave no OUT_DIR".to_owned());
    if let Err(why) = place.and_then(|place| words::make(Path::new(ROOT), &place)) {
        println!("cargo::error={why}");
        process::exit(1);
    }
}
