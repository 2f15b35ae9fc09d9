//! The page's files: embedded in a release binary, read from `dist` by a debug binary.

use std::borrow::Cow;

static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The type of a file, by its name.
pub fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" | "htm" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "jsonl" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" => "image/jpeg",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        "md" | "txt" | "ts" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// A file of the page, by its path in `dist`.
pub fn file(name: &str) -> Option<Cow<'static, [u8]>> {
    let embedded = FILES.iter().find(|(known, _)| *known == name);
    embedded.map(|(_, bytes)| Cow::Borrowed(*bytes)).or_else(|| from_dist(name))
}

/// The paths of all files of the page, in a fixed order.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
    #[cfg(debug_assertions)]
    if names.is_empty() {
        collect(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist"), "", &mut names);
    }
    names.sort();
    names
}

/// Adds the files in a folder and in those inside it, with their paths from where it began.
#[cfg(debug_assertions)]
fn collect(folder: &std::path::Path, path: &str, names: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = format!("{path}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), names);
        } else {
            names.push(name);
        }
    }
}

#[cfg(debug_assertions)]
fn from_dist(name: &str) -> Option<Cow<'static, [u8]>> {
    use std::path::{Component, Path};

    let path = Path::new(name);
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let dist = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../dist"));
    let changed = |name: &str| std::fs::metadata(dist.join(name)).and_then(|file| file.modified()).ok();
    if name.strip_suffix(".br").is_some_and(|whole| inside && changed(whole) > changed(name)) {
        return None; // it belongs to another build
    }
    let bytes = inside.then(|| std::fs::read(dist.join(path)).ok())?;
    bytes.map(Cow::Owned)
}

#[cfg(not(debug_assertions))]
fn from_dist(_: &str) -> Option<Cow<'static, [u8]>> {
    None
}

#[cfg(test)]
mod tests {
    use super::{content_type, file};

    #[test]
    fn nothing_outside_the_folder_is_served() {
        for name in ["../Cargo.toml", "/etc/hostname", "..\\Cargo.toml", "pkg/../../Cargo.toml", "."] {
            assert!(file(name).is_none(), "{name}");
        }
    }

    #[test]
    fn modules_and_wasm_have_the_types_that_browsers_insist_on() {
        assert_eq!(content_type("pkg/index.js"), "text/javascript; charset=utf-8");
        assert_eq!(content_type("a.b.wasm"), "application/wasm");
        assert_eq!(content_type("index.html"), "text/html; charset=utf-8");
        assert_eq!(content_type("LICENSE"), "application/octet-stream");
    }
}
