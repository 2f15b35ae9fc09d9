//! Build script of the program: makes its style sheets, and sets how it is linked. Whatever needs
//! more than the sources is in `xtask`.

#![allow(clippy::print_stdout, reason = "this is how cargo is told")]

mod styles;

use std::path::PathBuf;
use std::{env, process};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=www/styles");
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
    if env::var_os("CARGO_FEATURE_WEB").is_some() {
        styles::make(&place)?;
    }
    Ok(())
}
