//! Removes from the style sheets what only people read: comments and spaces that mean nothing.

use std::fs;
use std::path::Path;

/// Writes every sheet of `www/styles` into a folder. An error says what is wrong, and where.
pub fn make(place: &Path) -> Result<(), String> {
    let trouble = |why: std::io::Error| format!("www/styles: {why}");
    for file in fs::read_dir("www/styles").map_err(trouble)? {
        let file = file.map_err(trouble)?.path();
        if let (Some(name), Some("css")) = (file.file_name(), file.extension().and_then(|e| e.to_str())) {
            let trouble = |why: std::io::Error| format!("{}: {why}", file.display());
            let css = fs::read_to_string(&file).map_err(trouble)?;
            fs::write(place.join(name), compact(&css)).map_err(trouble)?;
        }
    }
    Ok(())
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
