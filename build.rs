//! Keeps relocations in the page's wasm where it is to be cut into chunks: they tell which data names which function.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_SPLIT").is_some() {
        println!("cargo::rustc-link-arg-bin=page=--emit-relocs");
    }
}
