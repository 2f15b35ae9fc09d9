//! Makes the page's JavaScript glue and its final wasm with wasm-bindgen, as a library: nothing has to be installed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::{Bindgen, Output};

use crate::workspace;

/// The name of the page's glue.
pub const GLUE: &str = "page.js";
/// The name of the wasm with which the page starts.
pub const WASM: &str = "page_bg.wasm";

/// Writes both into `dist`. Names stay in a dev build, for stack traces.
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
    let mut output = bindgen.generate_output().context("wasm-bindgen failed")?;
    let short = if dev { BTreeMap::new() } else { shorten(&mut output) };
    output.emit(dist).context("wasm-bindgen failed")?;
    let glue = dist.join(GLUE);
    Ok(fs::write(&glue, renamed(&workspace::read(&glue)?, &short))?)
}

/// Gives short names to what the wasm and the glue have from each other. The long ones are hashes for the most part, which
/// stand in both files and do not compress: 11 kB of the first files.
fn shorten(output: &mut Output) -> BTreeMap<String, String> {
    let mut short = BTreeMap::new();
    let module = output.wasm_mut();
    let imports = module.imports.iter_mut().map(|import| &mut import.name);
    for name in imports.chain(module.exports.iter_mut().map(|export| &mut export.name)) {
        if is_generated(name) {
            let number = short.len();
            name.clone_from(short.entry(name.clone()).or_insert_with(|| format!("_{number}")));
        }
    }
    short
}

/// Whether nobody but wasm-bindgen uses this name: it calls a closure, or ends with a hash.
fn is_generated(name: &str) -> bool {
    let hash = name.rsplit('_').next().unwrap_or_default();
    name.starts_with("wasm_bindgen_")
        || (hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A script with the short names in place of the long ones.
fn renamed(script: &str, short: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(script.len());
    let mut rest = script;
    while !rest.is_empty() {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        let begins = rest.find(is_name).unwrap_or(rest.len());
        let (between, word) = rest.split_at(begins);
        let (word, after) = word.split_at(word.find(|c| !is_name(c)).unwrap_or(word.len()));
        out.push_str(between);
        out.push_str(short.get(word).map_or(word, String::as_str));
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_nobody_writes_are_generated() {
        for name in
            ["__wbg_append_b4867f6a7e493960", "wasm_bindgen_2029a2165944347___convert__closures_____invoke"]
        {
            assert!(is_generated(name), "{name}");
        }
        for name in ["main", "memory", "element_push", "__wbindgen_malloc", "__wasm_split_load_details"] {
            assert!(!is_generated(name), "{name}");
        }
    }

    #[test]
    fn a_script_gets_short_names_where_the_whole_name_stands() {
        let short = BTreeMap::from([("__wbg_a_1".to_owned(), "_0".to_owned())]);
        let script = "const x = { __wbg_a_1: f, __wbg_a_12: g }; x.__wbg_a_1(\"é\")";
        assert_eq!(renamed(script, &short), "const x = { _0: f, __wbg_a_12: g }; x._0(\"é\")");
    }
}
