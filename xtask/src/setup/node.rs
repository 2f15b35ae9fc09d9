//! What comes from npm: Binaryen, Terser, esbuild and the extras' libraries for the build, Playwright and axe for the end-to-end
//! tests, bundlers for those of the package, the real runtime for the live ones, peers for the benches. No install script runs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{State, Step};
use crate::{process, workspace};

pub const PAGE_TOOLS: Step = Step {
    name: "wasm-merge, wasm-opt and Terser",
    does: "npm brings wasm-merge, wasm-opt, Terser and the extras' libraries",
    find: || find(TOOLS),
    install: || install(TOOLS),
};

pub const END_TO_END: Step = Step {
    name: "playwright and axe",
    does: "npm brings what the end-to-end tests need",
    find: || find(TESTS),
    install: || install(TESTS),
};

pub const BUNDLERS: Step = Step {
    name: "bundlers and frameworks",
    does: "npm brings the bundlers and frameworks in which the npm package is tried (325 packages)",
    find: || find(PACKAGES),
    install: || install(PACKAGES),
};

pub const BENCHES: Step = Step {
    name: "the peers that the page is compared with",
    does: "npm brings the peers that the page is compared with (240 packages)",
    find: || find(PEERS),
    install: || install(PEERS),
};

pub const LIVE: Step = Step {
    name: "the real runtime",
    does: "npm brings the two versions of the runtime that the live tests drive (242 MB, Linux on x64 only)",
    find: find_live,
    install: || install(LIVE_TESTS),
};

const TOOLS: &str = "tools";
const TESTS: &str = "tests/e2e";
const PACKAGES: &str = "tests/packages";
const LIVE_TESTS: &str = "tests/e2e/live";
const PEERS: &str = "benches/page";
/// The packages of the runtime's versions.
const RUNTIMES: [&str; 2] = ["@github/copilot-sdk-linux-x64", "runtime-next"];

/// One of Binaryen's programs, which are scripts for Node: `wasm-merge`, `wasm-opt`.
pub fn binaryen(program: &str) -> PathBuf {
    workspace::root().join(TOOLS).join("node_modules/binaryen/bin").join(program)
}

/// The program that minifies JavaScript, a script for Node.
pub fn terser() -> PathBuf {
    workspace::root().join(TOOLS).join("node_modules/terser/bin/terser")
}

/// Where npm puts the libraries of the page's extras.
pub fn libraries() -> PathBuf {
    workspace::root().join(TOOLS).join("node_modules")
}

/// Whether Node is here at all.
pub fn is_installed() -> bool {
    process::on_path("node").is_some() && process::on_path("npm").is_some()
}

fn find(folder: &str) -> State {
    let folder_path = workspace::root().join(folder);
    let wanted = versions(&folder_path.join("package-lock.json")).unwrap_or_default();
    // npm writes this copy of the lock file last, when everything is unpacked.
    let present = versions(&folder_path.join("node_modules/.package-lock.json")).unwrap_or_default();
    if !is_installed() {
        State::Missing(format!("install Node 20.14 or newer (nodejs.org), then: {}", command_line(folder)))
    } else if !wanted.is_empty() && wanted.iter().all(|package| present.contains(package)) {
        State::Ready(wanted.join(", "))
    } else {
        State::Missing(command_line(folder))
    }
}

/// npm takes no offence at an optional package that it could not bring; the tests on its platform do.
fn find_live() -> State {
    let modules = workspace::root().join(LIVE_TESTS).join("node_modules");
    let program = |package| modules.join(package).join("prebuilds/linux-x64/copilot-runtime");
    let there = || RUNTIMES.iter().all(|package| program(package).is_file());
    match find(LIVE_TESTS) {
        State::Ready(_) if RUNS_HERE && !there() => State::Missing(command_line(LIVE_TESTS)),
        state => state,
    }
}

const RUNS_HERE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"));

fn install(folder: &str) -> Result<()> {
    if !is_installed() {
        bail!("Node and npm are not on PATH");
    }
    process::run(process::command("npm").args(arguments(folder)))
}

fn arguments(folder: &str) -> [&str; 6] {
    ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"]
}

fn command_line(folder: &str) -> String {
    format!("npm {}", arguments(folder).join(" "))
}

/// `name version` of every package in a lock file, except those of other platforms.
fn versions(lock_file: &Path) -> Result<Vec<String>> {
    let lock: Value = serde_json::from_str(&workspace::read(lock_file)?)?;
    let packages = lock.get("packages").and_then(Value::as_object).context("no `packages`")?;
    let installed = packages.iter().filter(|(path, package)| {
        !path.is_empty() && package.get("optional").and_then(Value::as_bool) != Some(true)
    });
    let named = installed.map(|(path, package)| {
        let name = path.rsplit("node_modules/").next().unwrap_or(path);
        let version = package.get("version").and_then(Value::as_str).unwrap_or_default();
        format!("{name} {version}")
    });
    Ok(named.collect())
}
