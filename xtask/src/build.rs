//! Owns `dist/`: the page by Trunk, the wasm made small, the JavaScript package in `dist/pkg/`.
//! Refuses to make a second wasm: page and package are the same bytes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::setup::{self, node, std_source};
use crate::wasm_toolchain::{Purpose, WasmToolchain};
use crate::{
    cut, extras, glue, minify, order, process, refuse_arguments, size, split, squeeze, texts, wasm_opt,
    workspace,
};

/// How much care is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Quick to make, slow to run, not measured.
    Dev,
    /// What people get.
    Release,
}

pub fn run(args: &[String]) -> Result<()> {
    match args {
        [flag, rest @ ..] if flag == "--dev" => {
            refuse_arguments("build", rest)?;
            page(Profile::Dev)
        }
        _ => {
            refuse_arguments("build", args)?;
            page(Profile::Release)
        }
    }
}

/// Makes `dist/`, set-up included. Fails when it is too large.
pub fn page(profile: Profile) -> Result<()> {
    match made(profile)? {
        Some(load) => load.check(),
        None => Ok(()),
    }
}

/// Makes `dist/`, set-up included, whatever it weighs: another compiler makes other bytes, and the page works. Tells what
/// the first load costs where that has a limit.
pub fn made(profile: Profile) -> Result<Option<size::FirstLoad>> {
    setup::ensure(&setup::PAGE)?;
    let toolchain = WasmToolchain::get()?;
    let purpose = purpose(toolchain, profile);
    toolchain.fetch(Purpose::Tests)?;
    toolchain.fetch(purpose)?;
    trunk(toolchain, profile, purpose)?;

    if profile == Profile::Dev {
        return package().map(|()| None);
    }
    let later = split::run(toolchain, &workspace::dist())?;
    glue::shorten(&workspace::dist())?;
    cut::keep(&workspace::dist(), &split::linked(toolchain)?)?;
    let small = node::is_there();
    if small {
        setup::ensure(&[&node::WASM_OPT])?;
        for file in &later {
            wasm_opt::run(file)?;
            order::run(file)?;
        }
    } else {
        println!(
            "wasm-opt and Terser are skipped: Node is not on PATH; the page works and is somewhat larger"
        );
        println!(
            "so are colours in code, formulas and diagrams, whose libraries npm brings: the page shows their source"
        );
    }
    let load = finish(&workspace::dist())?;
    println!("{WASM}: {}", size::measure(&workspace::dist().join(WASM))?);
    println!("first load with brotli, {load}");
    for file in std::iter::once(&workspace::dist().join(cut::LATER)).chain(&later) {
        println!("later, {}: {}", workspace::shown(file), size::measure(file)?);
    }
    extras::tell_sizes(&workspace::dist())?;
    Ok((small && purpose == Purpose::SmallPage).then_some(load))
}

/// The second cut, the first file and the package: what the profile changes. Tells what the first load costs.
pub fn finish(dist: &Path) -> Result<size::FirstLoad> {
    cut::cut(dist)?;
    if node::is_there() {
        for file in [WASM, cut::LATER] {
            wasm_opt::run(&dist.join(file))?;
        }
        minify::run(dist)?;
    }
    for file in [WASM, cut::LATER] {
        order::run(&dist.join(file))?;
    }
    package()?;
    squeeze::run(dist)?;
    size::FirstLoad::of(dist)
}

/// Trunk's names for the output of the binary target `page`.
pub const WASM: &str = "page_bg.wasm";
pub const GLUE: &str = "page.js";

/// Small needs the standard library's source; where it can't be had the page is larger, and works.
fn purpose(toolchain: WasmToolchain, profile: Profile) -> Purpose {
    if profile == Profile::Dev {
        return Purpose::Page;
    }
    let brought = setup::ensure(&[&std_source::STEP]);
    match brought {
        Ok(()) if toolchain.has_std_source() => Purpose::SmallPage,
        _ => {
            println!(
                "the page will be larger: there is no source of the standard library (rustup component add rust-src)"
            );
            Purpose::Page
        }
    }
}

fn trunk(toolchain: WasmToolchain, profile: Profile, purpose: Purpose) -> Result<()> {
    let mut trunk = toolchain.command("trunk", purpose)?;
    trunk.args(["build", "--offline", "--skip-version-check"]);
    // Trunk takes NO_COLOR for a flag and refuses the value that everybody else accepts.
    trunk.env_remove("NO_COLOR");
    if profile == Profile::Release {
        trunk.args(["--release", "--cargo-profile", "page", "--features", "split"]);
    }
    process::run(&mut trunk)
}

/// Everything that a page of somebody else imports, side by side, so that relative imports hold.
fn package() -> Result<()> {
    let dist = workspace::dist();
    let package = dist.join("pkg");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    fs::create_dir_all(&package)?;
    for file in [GLUE, WASM] {
        fs::copy(dist.join(file), package.join(file)).with_context(|| format!("Trunk left no {file}"))?;
    }
    for file in folder_entries(&dist)? {
        if let Some(name) = file.file_name().filter(|name| split::is_part(name) || *name == cut::LATER) {
            fs::copy(&file, package.join(name))?;
        }
    }
    // Where Rust binds to JavaScript files, the glue imports them from here.
    let snippets = dist.join("snippets");
    if snippets.is_dir() {
        copy_folder(&snippets, &package.join("snippets"))?;
    }
    copy_folder(&workspace::root().join("www"), &package)?;
    extras::bring(&dist)?;
    copy_folder(&dist.join(extras::FOLDER), &package.join(extras::FOLDER))?;
    for file in ["index.js", "index.d.ts"] {
        if !package.join(file).is_file() {
            bail!("the package has no {file}; www/{file} is missing");
        }
    }
    texts::run(&package)?;
    fs::write(package.join("package.json"), manifest()?)?;
    Ok(())
}

/// As text, because the order counts: the first condition that matches wins.
const MANIFEST: &str = r#"{
  "name": "pilothouse",
  "version": "VERSION",
  "description": "Watch and steer a coding agent: web components for its session events",
  "license": "MIT OR Apache-2.0",
  "type": "module",
  "main": "./index.js",
  "types": "./index.d.ts",
  "exports": {
    ".": { "types": "./index.d.ts", "default": "./index.js" },
    "./page_bg.wasm": "./page_bg.wasm",
    "./later_bg.wasm": "./later_bg.wasm",
    "./package.json": "./package.json"
  }
}
"#;

fn manifest() -> Result<String> {
    let version = workspace::locked_version("pilothouse")?;
    let version = version.context("Cargo.lock does not name pilothouse")?;
    Ok(MANIFEST.replace("VERSION", &version))
}

pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let entries: Vec<PathBuf> = folder_entries(from)?;
    fs::create_dir_all(to)?;
    for entry in entries {
        let Some(name) = entry.file_name() else {
            continue;
        };
        let target = to.join(name);
        if entry.is_dir() {
            copy_folder(&entry, &target)?;
        } else {
            fs::copy(&entry, &target)?;
        }
    }
    Ok(())
}

fn folder_entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("{} can't be read", workspace::shown(folder)))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}
