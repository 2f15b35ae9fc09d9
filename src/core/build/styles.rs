//! Makes a constant of each style sheet, without what only people read: comments and spaces that mean nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Writes a constant for every sheet of a folder: `side_views.css` is `SIDE_VIEWS`. An error says what is wrong, and where.
pub fn make(sheets: &Path, place: &Path) -> Result<(), String> {
    let trouble = |why: std::io::Error| format!("{}: {why}", sheets.display());
    let mut all = BTreeMap::new();
    for file in fs::read_dir(sheets).map_err(trouble)? {
        let file = file.map_err(trouble)?.path();
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        if let (Some(name), Some("css")) = (stem, file.extension().and_then(|e| e.to_str())) {
            let trouble = |why: std::io::Error| format!("{}: {why}", file.display());
            let css = fs::read_to_string(&file).map_err(trouble)?;
            all.insert(name.to_ascii_uppercase(), (name.to_owned(), compact(&css)));
        }
    }
    let mut constants = String::new();
    for (constant, (name, css)) in all {
        let _ = writeln!(constants, "/// `www/styles/{name}.css`.\npub const {constant}: &str = {css:?};");
    }
    fs::write(place.join("styles.rs"), constants).map_err(|why| format!("can't write styles.rs: {why}"))
}

/// A style sheet without comments and without spaces that mean nothing. Texts in quotes stay as they are.
fn compact(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(next) = rest.chars().next() {
        let mut length = next.len_utf8();
        if rest.starts_with("/*") {
            length = rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if next == '"' {
            length = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            out.push_str(&rest[..length]);
        } else if next.is_whitespace() {
            if !out.ends_with([' ', '{', '}', ';', ':', ',']) {
                out.push(' ');
            }
        } else {
            if matches!(next, '{' | '}' | ';') && out.ends_with(' ') {
                out.pop();
            }
            if next == '}' && out.ends_with(';') {
                out.pop();
            }
            out.push(next);
        }
        rest = &rest[length..];
    }
    out
}
