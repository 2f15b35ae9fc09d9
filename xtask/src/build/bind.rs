//! Makes the page's JavaScript glue and its final wasm with wasm-bindgen, as a library: nothing has to be installed.

use std::path::Path;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

/// The name of the page's glue.
pub const GLUE: &str = "page.js";
/// The name of the wasm with which the page starts.
pub const WASM: &str = "page_bg.wasm";

/// Writes both into `dist`. Names of functions stay in a dev build, for stack traces.
pub fn run(linked: &Path, dist: &Path, dev: bool) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.web(true)?;
    bindgen
        .input_path(linked)
        .out_name("page")
        .typescript(false)
        .remove_name_section(!dev)
        .remove_producers_section(!dev)
        // The later parts of the program share the table of functions, which the linker exports.
        .keep_lld_exports(!dev);
    bindgen.generate(dist).context("wasm-bindgen failed")
}
