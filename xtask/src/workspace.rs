//! Where things are: the workspace's root, its target folder, the versions in its lock file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process;

/// The folder of the top-level `Cargo.toml`.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// The folder for the built page and the package.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// Cargo's target folder for native builds.
pub fn target() -> Result<PathBuf> {
    static KNOWN: OnceLock<PathBuf> = OnceLock::new();
    // Cargo passes this variable on as it was written, relative to the user's working directory.
    if let Some(folder) = env::var_os("CARGO_TARGET_DIR") {
        return Ok(std::path::absolute(folder)?);
    }
    if let Some(known) = KNOWN.get() {
        return Ok(known.clone());
    }
    let mut metadata = process::cargo();
    metadata.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&process::read(&mut metadata)?)?;
    let folder = metadata.get("target_directory").and_then(Value::as_str);
    let folder = folder.context("cargo metadata names no target_directory")?;
    Ok(KNOWN.get_or_init(|| folder.into()).clone())
}

/// The version of a package in `Cargo.lock`; `None` when it is not a dependency (yet).
pub fn locked_version(package: &str) -> Result<Option<String>> {
    let file = root().join("Cargo.lock");
    if !file.exists() {
        process::run(process::cargo().arg("generate-lockfile"))?;
    }
    let lock = fs::read_to_string(&file).context("Cargo.lock can't be read; try: cargo generate-lockfile")?;
    Ok(version_in(&lock, package))
}

/// The oldest Rust with which the crates compile, as `Cargo.toml` states it.
pub fn minimum_rust_version() -> Result<String> {
    let manifest = read(&root().join("Cargo.toml"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    Ok(version.context("Cargo.toml states no rust-version")?.trim_matches('"').to_owned())
}

/// Whether the compiler in use is that one.
pub fn has_stated_rust() -> Result<bool> {
    let version = process::read(process::command("rustc").arg("--version"))?;
    Ok(version.starts_with(&format!("rustc {}.", minimum_rust_version()?)))
}

/// Reads a whole file as text; the error names the file.
pub fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} can't be read", relative_path(path)))
}

/// A path relative to the root, for people.
pub fn relative_path(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn version_in(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    let version = lines.find_map(|line| line.strip_prefix("version = "))?;
    Some(version.trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_belongs_to_exactly_that_package() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.1\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(version_in(lock, "wasm"), None);
    }
}
