//! Packs the crates that are published, and checks that they compile from what is packed.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use tar::Archive;

use crate::{build, process, workspace};

/// The crates that are published, each behind those that it depends on.
pub const CRATES: [&str; 4] = ["pilothouse-scan", "pilothouse-core", "pilothouse", "pilothouse-gateway"];

/// Packs them, and returns their files. The page is among what the gateway packs, so the tree is never what git has.
pub fn pack() -> Result<Vec<PathBuf>> {
    let target = workspace::target()?.join("crates");
    let mut cargo = process::cargo();
    cargo.args(["package", "--quiet", "--no-verify", "--allow-dirty", "--target-dir"]).arg(&target);
    process::execute(cargo.args(CRATES.iter().flat_map(|name| ["--package", name])))?;
    let version = workspace::locked_version("pilothouse")?.context("Cargo.lock does not name pilothouse")?;
    Ok(CRATES.iter().map(|name| target.join(format!("package/{name}-{version}.crate"))).collect())
}

/// Packs and unpacks them as a workspace in which they find each other, and has the compiler check that. `cargo package` would
/// build each by itself, so the core three times, and take ten times as long.
pub fn check() -> Result<()> {
    let target = workspace::target()?.join("crates");
    let unpacked = target.join("unpacked");
    let mut members = Vec::new();
    for (name, file) in CRATES.iter().zip(pack()?) {
        members.push((name, unpack(&file, &unpacked)?));
    }
    let folders: Vec<&String> = members.iter().map(|(_, folder)| folder).collect();
    let patches: Vec<_> =
        members.iter().map(|(name, folder)| format!("{name} = {{ path = {folder:?} }}")).collect();
    let manifest = unpacked.join("Cargo.toml");
    let workspace = format!("[workspace]\nmembers = {folders:?}\nresolver = \"3\"\n");
    fs::write(&manifest, format!("{workspace}\n[patch.crates-io]\n{}\n", patches.join("\n")))?;
    fs::copy(workspace::root().join("Cargo.lock"), unpacked.join("Cargo.lock"))?;
    let cargo = |what: &str| {
        let mut cargo = process::cargo();
        cargo.args([what, "--quiet", "--workspace", "--target-dir"]).arg(&target);
        cargo.arg("--manifest-path").arg(&manifest);
        cargo
    };
    // Build scripts leave files behind, which would stand for those that are not packed any more.
    let files =
        build::all_files(&unpacked)?.iter().map(|file| file.display().to_string()).collect::<Vec<_>>();
    let list = target.join("unpacked.txt");
    if fs::read_to_string(&list).ok() != Some(files.join("\n")) {
        process::execute(&mut cargo("clean"))?;
        fs::write(list, files.join("\n"))?;
    }
    process::run(&mut cargo("check"))
}

/// Unpacks a crate into a folder below this one, and returns its name. A file that is there already with these bytes stays as
/// it is, so that Cargo compiles only what has changed.
fn unpack(packed: &Path, into: &Path) -> Result<String> {
    let name = packed.file_stem().and_then(|name| name.to_str()).context("a crate without a name")?;
    let mut files = BTreeMap::new();
    let packed = fs::File::open(packed).with_context(|| format!("{} can't be read", packed.display()))?;
    for entry in Archive::new(GzDecoder::new(packed)).entries()? {
        let mut entry = entry?;
        let (file, mut bytes) = (into.join(entry.path()?), Vec::new());
        entry.read_to_end(&mut bytes)?;
        files.insert(file, bytes);
    }
    let folder = into.join(name);
    if folder.is_dir() && !build::all_files(&folder)?.iter().all(|file| files.contains_key(file)) {
        fs::remove_dir_all(&folder)?;
    }
    for (file, bytes) in files {
        if fs::read(&file).ok().as_ref() != Some(&bytes) {
            fs::create_dir_all(file.parent().context("a file without a folder")?)?;
            fs::write(&file, bytes)?;
        }
    }
    Ok(name.to_owned())
}
