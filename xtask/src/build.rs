//! Makes `dist/`: the page, and the JavaScript package in `dist/pkg/`. Both are the same program.

pub mod bind;
pub mod compress;
pub mod extras;
mod html;
mod minify;
mod size;
mod split;
mod wasm_opt;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::bind::{GLUE, WASM};
use crate::setup::{self, node, std_source};
use crate::steps::{self, Step, step};
use crate::wasm_toolchain::{Purpose, TARGET, WasmToolchain};
use crate::{process, refuse_arguments, workspace};

/// How the page is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// A debug build in one file: quick to make, slow to run.
    Dev,
    /// Optimised, in one file: for the machine on which it was built. Needs nothing but Rust.
    Local,
    /// Optimised and split, for the network. Needs Node.
    Release,
}

pub fn run(args: &[String]) -> Result<()> {
    match args {
        [flag, rest @ ..] if flag == "--dev" => {
            refuse_arguments("build", rest)?;
            steps::run(page_steps(Profile::Dev))
        }
        _ => {
            refuse_arguments("build", args)?;
            within_limit()
        }
    }
}

/// Makes the page that people get, set-up included, prints what it costs, and fails where that is over a budget.
pub fn within_limit() -> Result<()> {
    let over = release()?;
    if over.is_empty() { Ok(()) } else { bail!("the page is too large\n{}", over.join("\n")) }
}

/// The same, returning what is over its budget. Without Node the page is one larger file, and works; it has no budget.
pub fn release() -> Result<Vec<String>> {
    if !node::is_installed() {
        eprintln!("Node is not on PATH: the page becomes one file, and a larger one");
        steps::run(page_steps(Profile::Local))?;
        return Ok(Vec::new());
    }
    let mut steps = vec![step("fetch wasm-merge, wasm-opt and Terser", || {
        setup::ensure(&[&node::PAGE_TOOLS]).map(|()| String::new())
    })];
    steps.extend(page_steps(Profile::Release));
    steps.push(step("make the page small", || shrink().map(|()| String::new())));
    steps::run(steps)?;
    let over = report()?;
    // A smaller standard library is part of what the budgets count on.
    Ok(if WasmToolchain::get()?.has_std_source() { over } else { Vec::new() })
}

/// The steps that lead to a page in `dist/` that works.
pub fn page_steps(profile: Profile) -> Vec<Step<'static>> {
    vec![
        step("find a compiler for WebAssembly", move || {
            setup::ensure(&setup::PAGE)?;
            if profile == Profile::Release {
                setup::try_optional(&std_source::STEP, "a smaller page");
            }
            Ok(WasmToolchain::get()?.name().to_owned())
        }),
        step("fetch the crates", move || {
            let (toolchain, purpose) = compiler(profile)?;
            toolchain.fetch(purpose).map(|()| String::new())
        }),
        step("compile the page", move || compile(profile).map(|()| String::new())),
        step("put the page together", move || assemble(profile).map(|()| String::new())),
    ]
}

/// The compiler, and what it is asked for: a smaller page needs the standard library's source. Without it the page is larger,
/// and works.
fn compiler(profile: Profile) -> Result<(WasmToolchain, Purpose)> {
    let toolchain = WasmToolchain::get()?;
    let small = profile == Profile::Release && toolchain.has_std_source();
    Ok((toolchain, if small { Purpose::SmallPage } else { Purpose::Page }))
}

/// Where the linker leaves the page.
fn linked(toolchain: WasmToolchain, profile: Profile) -> Result<PathBuf> {
    let folder = if profile == Profile::Dev { "debug" } else { "page" };
    Ok(toolchain.target()?.join(TARGET).join(folder).join("page.wasm"))
}

fn compile(profile: Profile) -> Result<()> {
    let (toolchain, purpose) = compiler(profile)?;
    let mut cargo = toolchain.command("cargo", purpose)?;
    cargo.args(["build", "--quiet", "--offline", "--target", TARGET]);
    cargo.args(["--package", "pilothouse", "--bin", "page"]);
    match profile {
        Profile::Dev => {}
        Profile::Local => _ = cargo.args(["--profile", "page"]),
        Profile::Release => _ = cargo.args(["--profile", "page", "--features", "split"]),
    }
    process::execute(&mut cargo)
}

/// Fills `dist/` with what the compiler left.
fn assemble(profile: Profile) -> Result<()> {
    let dist = workspace::dist();
    let linked = linked(compiler(profile)?.0, profile)?;
    clear(&dist)?;
    match profile {
        Profile::Dev | Profile::Local => bind::run(&linked, &dist, profile == Profile::Dev)?,
        Profile::Release => {
            let split = split::run(&linked)?;
            bind::run(&split.first(), &dist, false)?;
            split.join(&dist)?;
        }
    }
    html::run(&dist)?;
    package(&dist)
}

/// Runs wasm-opt, Terser and Brotli over the page.
fn shrink() -> Result<()> {
    let dist = workspace::dist();
    process::for_each(&programs(&dist)?, |file| wasm_opt::run(file))?;
    minify::run(&dist)?;
    package(&dist)?;
    inline(&dist)?;
    compress::run(&dist)
}

fn report() -> Result<Vec<String>> {
    let dist = workspace::dist();
    for file in programs(&dist)? {
        println!("{}: {}", workspace::relative_path(&file), size::measure(&file)?);
    }
    extras::print_sizes(&dist)?;
    size::over_budget(&dist)
}

/// The wasm files of the page, the first one first.
fn programs(dist: &Path) -> Result<Vec<PathBuf>> {
    let mut files = folder_entries(dist)?;
    files.retain(|file| file.extension().is_some_and(|kind| kind == "wasm"));
    files.sort_by_key(|file| (file.file_name().is_some_and(|name| name != WASM), file.clone()));
    Ok(files)
}

/// Takes away what an earlier build left.
fn clear(dist: &Path) -> Result<()> {
    if dist.exists() {
        fs::remove_dir_all(dist)?;
    }
    Ok(fs::create_dir_all(dist)?)
}

/// Everything that a page of somebody else imports, side by side, so that relative imports hold.
fn package(dist: &Path) -> Result<()> {
    let package = dist.join("pkg");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    copy_folder(&workspace::root().join("www/package"), &package)?;
    for file in folder_entries(dist)? {
        let Some(name) = file.file_name() else { continue };
        if name == GLUE || name == WASM || split::is_chunk(name) {
            fs::copy(&file, package.join(name))?;
        }
    }
    // Where Rust binds to JavaScript files, the glue imports them from here.
    let snippets = dist.join("snippets");
    if snippets.is_dir() {
        copy_folder(&snippets, &package.join("snippets"))?;
    }
    extras::build(dist)?;
    copy_folder(&dist.join(extras::FOLDER), &package.join(extras::FOLDER))?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(workspace::root().join(licence), package.join(licence))?;
    }
    let (manifest, version) = (package.join("package.json"), workspace::locked_version("pilothouse")?);
    let version = version.context("Cargo.lock does not name pilothouse")?;
    Ok(fs::write(&manifest, workspace::read(&manifest)?.replace(NO_VERSION, &version))?)
}

/// Makes the package's build in one file, for pages that can't fetch.
fn inline(dist: &Path) -> Result<()> {
    let script = workspace::root().join("tools/inline.mjs");
    process::run(process::command("node").arg(script).arg(dist.join("pkg")))
}

/// Stands for the version in `www/package/package.json`.
const NO_VERSION: &str = "0.0.0";

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

/// The files in a folder and in those inside it.
pub fn all_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in folder_entries(folder)? {
        if path.is_dir() { files.extend(all_files(&path)?) } else { files.push(path) }
    }
    Ok(files)
}

fn folder_entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)
        .with_context(|| format!("{} can't be read", workspace::relative_path(folder)))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}
