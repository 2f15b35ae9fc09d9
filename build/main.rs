//! Build script of the program: makes its words and style sheets, and sets how it is linked. Whatever needs
//! more than the sources is in `xtask`.

#![allow(clippy::print_stdout, reason = "this is how cargo is told")]

#[path = "../src/core/i18n/placeholders.rs"]
mod placeholders;
mod styles;
mod words;

use std::path::{Path, PathBuf};
use std::{env, process};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/core/i18n/placeholders.rs");
    println!("cargo::rerun-if-changed=www");
    if env::var_os("CARGO_FEATURE_SPLIT").is_some() {
        // The page's wasm is split into chunks, which needs the relocations: they tell which data names which
        // function.
        println!("cargo::rustc-link-arg-bin=page=--emit-relocs");
    }
    if let Err(why) = make() {
        println!("cargo::error={why}");
        process::exit(1);
    }
}

fn make() -> Result<(), String> {
    let place = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo gave no OUT_DIR")?);
    words::make(Path::new(""), &place)?;
    if env::var_os("CARGO_FEATURE_WEB").is_some() {
        styles::make(&place)?;
    }
    Ok(())
}
