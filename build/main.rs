//! Build script of the program: sets how it is linked. Whatever needs more than the sources is in `xtask`.

#![allow(clippy::print_stdout, reason = "this is how cargo is told")]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build");
    if env::var_os("CARGO_FEATURE_SPLIT").is_some() {
        // The page's wasm is split into chunks, which needs the relocations: they tell which data names which
        // function.
        println!("cargo::rustc-link-arg-bin=page=--emit-relocs");
    }
}
