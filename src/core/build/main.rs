//! Build script of the core: makes its words, and the style sheet of exported documents.

#![allow(clippy::print_stdout, reason = "this is how cargo is told")]

#[path = "../i18n/compile.rs"]
mod compile;
#[path = "../i18n/placeholders.rs"]
mod placeholders;
mod words;

use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// The style sheets of exported documents: the page's own for what both show, and one of theirs.
const STYLES: [&str; 6] = ["tokens", "timeline", "contents", "tools", "prose_parts", "export"];

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
    let mut styles = String::new();
    for name in STYLES {
        let file = www.join("styles").join(name).with_extension("css");
        let sheet =
            fs::read_to_string(&file).map_err(|why| format!("can't read {}: {why}", file.display()))?;
        // The comment at the start of a sheet is left out.
        let rules = sheet.trim_start().strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
        styles += rules.map_or(sheet.as_str(), |(_, rules)| rules).trim_start();
    }
    fs::write(place.join("export.css"), styles).map_err(|why| format!("can't write export.css: {why}"))
}
