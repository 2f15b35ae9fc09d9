//! What each stage of `cargo xtask test` runs.
//! Tests, the command under test and the browser tests are dev builds, so that nothing is built in two
//! profiles; only the page, whose size is checked, is a release build.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::setup::{
    self, Step, browser, components, mdbook, nats_server, node, trunk, wasm_bindgen, wasm_target,
};
use crate::wasm_toolchain::{Purpose, TARGET, WasmToolchain};
use crate::{book, build, packed, process, workspace};

/// One named part of the test run.
#[derive(Clone, Copy)]
pub struct Stage {
    /// Its name for `--only`.
    pub name: &'static str,
    /// What it proves.
    pub about: &'static str,
    /// The tools it needs.
    pub needs: &'static [&'static Step],
    pub run: fn() -> Result<()>,
    /// The stage behind this one, if both run at the same time, since this one leaves a core idle for the most part. Neither
    /// reads what the other writes.
    pub beside: Option<&'static str>,
}

impl Stage {
    const fn new(
        name: &'static str,
        about: &'static str,
        needs: &'static [&'static Step],
        run: fn() -> Result<()>,
    ) -> Self {
        Self { name, about, needs, run, beside: None }
    }

    const fn beside(self, next: &'static str) -> Self {
        Self { beside: Some(next), ..self }
    }
}

/// In the order of running: what fails often and fast comes first. The page is built before the command's own
/// tests, because the command embeds it.
pub const ALL: [Stage; 14] = [
    Stage::new("fmt", "the code is formatted", &[&components::STEP], fmt),
    Stage::new("clippy", "no lint has anything to say", &[&components::STEP], clippy),
    Stage::new("layers", "who may depend on whom", &[], layers),
    // The page is linked as one unit.
    Stage::new("build", "the page is built and small enough", &[&node::PAGE_TOOLS], page).beside("core"),
    Stage::new("core", "the core's tests, natively", &[], core),
    Stage::new("docs", "the book is built, and no link leads to nothing", &[&mdbook::STEP], book::build),
    Stage::new(
        "native",
        "the tests of the command and of xtask, and the examples in the documentation",
        &[&nats_server::STEP],
        native,
    ),
    Stage::new("crates", "the crates compile from what is packed", &[], packed::check),
    Stage::new("msrv", "the crates compile with the Rust that they state", &[], msrv),
    Stage::new("browser", "the components, in headless Chromium", BROWSER, browser_tests),
    Stage::new("e2e", "the built page against the real gateway", END_TO_END, end_to_end),
    // These wait for one another's slowest file.
    Stage::new("firefox", "the core of the end-to-end tests, in Firefox", &[&node::END_TO_END], in_firefox)
        .beside("packages"),
    Stage::new(
        "packages",
        "the npm package, packed, in bundlers and frameworks",
        &[&node::END_TO_END, &node::BUNDLERS, &browser::STEP],
        packages,
    ),
    Stage::new(
        "agents",
        "four real agents through the page; skipped unless PILOTHOUSE_AGENTS names the folder with them",
        &[&node::END_TO_END, &browser::STEP],
        || agents(RunLength::Quick),
    ),
];

/// The end-to-end tests in `tests/e2e` that run in Firefox as well: what depends on the browser. The others use Chromium's own
/// protocol, or test what browsers have in common; `prove` runs [`MORE_IN_FIREFOX`].
const IN_FIREFOX: [&str; 5] = [
    "connection/page-start",
    "connection/reconnect",
    "connection/streaming",
    "embedding/element-api",
    "timeline/rich-text",
];
/// What people read, answer and write.
const MORE_IN_FIREFOX: [&str; 9] = [
    "composer/composer",
    "composer/steering",
    "embedding/strict-policy",
    "requests/approval-layout",
    "requests/other-requests",
    "requests/presses",
    "views/board",
    "views/board-first-screen",
    "views/languages",
];
/// How often an end-to-end test may be tried. One that needs the second try is printed as flaky.
const MAX_TRIES: &str = "2";
/// The folder of the tests against the real runtime.
const LIVE: &str = "tests/e2e/live";
/// The folder of the tests with the real agents that speak ACP, which are a stage of their own.
const AGENTS: &str = "tests/e2e/agents";
/// The variable that names the folder in which npm has installed these agents.
const AGENTS_FOLDER: &str = "PILOTHOUSE_AGENTS";
/// The versions of the runtime that those tests drive, as `tests/e2e/live/support/runtime.mjs` names them.
const RUNTIMES: [&str; 2] = ["current", "next"];
/// The tests in [`LIVE`] of what a runtime itself does with calls, answers and restarts. Both versions run them; the page
/// and the gateway in front of it are the same for both, so the others run with the current one, and at night with both.
const OF_EACH_RUNTIME: [&str; 5] = ["queued-commands", "requests", "restarts", "scopes", "steering"];

const BROWSER: &[&Step] = &[&wasm_target::STEP, &wasm_bindgen::STEP, &browser::STEP];
/// The page of somebody's own in `examples/leptos`.
const EXAMPLE: &str = "pilothouse-example-leptos";
/// Trunk and the tools that it builds with are for the tests of `trunk serve`.
const END_TO_END: &[&Step] =
    &[&node::END_TO_END, &browser::STEP, &trunk::STEP, &wasm_bindgen::STEP, &wasm_target::STEP];

/// The core, the packages that it is made of, and their tests that lie beside the page.
const CORE: [&str; 6] =
    ["--package", "pilothouse", "--package", "pilothouse-core", "--package", "pilothouse-scan"];

/// The command, what builds and tests it, and what measures it.
const COMMAND: [&str; 6] = ["--package", "pilothouse-gateway", "--package", "xtask", "--package", "fanout"];

fn fmt() -> Result<()> {
    process::run(process::cargo().args(["fmt", "--all", "--check"]))
}

/// Three runs, because the root package is two things: the pure core, and the page. web-sys compiles
/// natively, so Clippy needs no wasm target to read the page's code. rustdoc looks for links that lead nowhere.
fn clippy() -> Result<()> {
    page_folder()?;
    let deny = ["--", "-D", "warnings"];
    let core = ["--no-default-features", "--all-targets"];
    process::run(process::cargo().args(["clippy", "--quiet"]).args(CORE).args(core).args(deny))?;
    let native = ["clippy", "--quiet", "--all-targets"];
    process::run(process::cargo().args(native).args(COMMAND).args(deny))?;
    let documented = ["doc", "--quiet", "--no-deps", "--lib", "--package", "pilothouse-gateway"];
    let mut doc = process::cargo();
    doc.args(documented).args(CORE).args(["--features", "pilothouse/split"]);
    process::run(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    let page = ["clippy", "--quiet", "--package", "pilothouse", "--package", EXAMPLE, "--lib", "--bins"];
    let page = [&page[..], &["--features", "pilothouse/split"]].concat();
    let bans = workspace::root().join("clippy-wasm");
    process::run(process::cargo().args(page).args(deny).env("CLIPPY_CONF_DIR", bans))
}

fn layers() -> Result<()> {
    let page = ["--package", "pilothouse", "--features", "web", "--target", TARGET];
    let core = ["--package", "pilothouse-core"];
    let command = ["--package", "pilothouse-gateway"];
    absent("the page", &page, &["tokio", "axum", "hyper"])?;
    absent("the core", &core, &["leptos", "web-sys", "js-sys", "wasm-bindgen", "tokio", "rand", "chrono"])?;
    absent("the command", &command, &["leptos", "web-sys"])
}

/// Fails when one of the packages is among the normal dependencies.
fn absent(what: &str, of: &[&str], packages: &[&str]) -> Result<()> {
    let mut tree = process::cargo();
    tree.arg("tree").args(of).args(["--edges", "normal", "--prefix", "none", "--format", "{p}"]);
    let tree = process::read(&mut tree)?;
    let names: Vec<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    if let Some(found) = packages.iter().find(|package| names.contains(package)) {
        bail!("{what} depends on {found}; see: cargo tree {} --invert {found}", of.join(" "));
    }
    println!("{what}: none of {}", packages.join(", "));
    Ok(())
}

fn core() -> Result<()> {
    let package = [&CORE[..], &["--no-default-features"]].concat();
    tests(&package, process::cores())?;
    if has_nextest() {
        // nextest does not run the examples in the documentation.
        process::run(process::cargo().args(["test", "--quiet", "--doc"]).args(&package))?;
    }
    Ok(())
}

/// Where another compiler is in use, rustup brings the one that `Cargo.toml` states.
fn msrv() -> Result<()> {
    let stated = workspace::minimum_rust_version()?;
    if workspace::has_stated_rust()? {
        println!("the compiler in use is Rust {stated}: every stage checks that the crates compile with it");
        return Ok(());
    }
    let install = ["toolchain", "install", &stated, "--profile", "minimal", "--no-self-update"];
    if !process::succeeds(process::command("rustup").args(install)) {
        println!("skipped: Rust {stated} can't be had here; to have it: rustup {}", install.join(" "));
        return Ok(());
    }
    page_folder()?;
    let target = workspace::target()?.join("msrv");
    // Not the `cargo` that started us, which would use its own compiler.
    let mut check = process::command("rustup");
    check.args(["run", &stated, "cargo", "check", "--quiet", "--package", "pilothouse-gateway"]);
    check
        .args(["--package", "pilothouse", "--target-dir"])
        .arg(target)
        .env_remove("RUSTC")
        .env_remove("RUSTDOC");
    process::run(&mut check)
}

fn native() -> Result<()> {
    page_folder()?;
    // Three quarters of what they do is waiting.
    tests(&COMMAND, 4 * process::cores())?;
    // The examples in the documentation.
    process::run(process::cargo().args(["test", "--doc", "--quiet", "--package", "pilothouse"]))
}

/// Runs the tests of these packages, so many at a time.
fn tests(packages: &[&str], at_once: usize) -> Result<()> {
    let mut tests = process::cargo();
    for variable in ["NEXTEST_TEST_THREADS", "RUST_TEST_THREADS"] {
        tests.env(variable, at_once.to_string());
    }
    if has_nextest() {
        tests.args(["nextest", "run", "--no-fail-fast", "--status-level", "slow"]);
    } else {
        tests.args(["test", "--quiet", "--no-fail-fast"]);
    }
    process::run(tests.args(packages))
}

fn has_nextest() -> bool {
    process::on_path("cargo-nextest").is_some()
}

fn page() -> Result<()> {
    build::within_limit()
}

fn browser_tests() -> Result<()> {
    let toolchain = WasmToolchain::get()?;
    let runner = process::on_path("wasm-bindgen-test-runner");
    let driver = browser::chromedriver();
    let mut tests = toolchain.command("cargo", Purpose::Tests)?;
    tests.args(["test", "--target", TARGET, "--package", "pilothouse", "--lib", "--test", "browser"]);
    tests
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner.context("no wasm-bindgen-test-runner")?)
        .env("CHROMEDRIVER", driver.context("no chromedriver")?)
        .env("WASM_BINDGEN_TEST_TIMEOUT", "120"); // seconds; the default of 20 is short for two busy cores
    process::run(&mut tests)
}

/// A failed test may leave its browser and its server open, which must not keep the run from ending.
const NODE_TEST: [&str; 3] = ["--test-reporter=spec", "--test-force-exit", "--test-timeout=300000"];

/// The quick run, which each change waits for, or the long one of `cargo xtask prove`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RunLength {
    /// Several files at a time, since a third of a test is waiting; in Chromium's headless shell.
    Quick,
    /// One file after the other, with the scenarios that are `nightly` and measure; in the whole Chromium.
    Nightly,
}

impl RunLength {
    /// Node with what all tests of it need. The quick run may have so many files at a time.
    fn node(self, mut node: Command, gateway: &Path, files_at_once: usize) -> Command {
        let files_at_once = if self == Self::Quick { files_at_once } else { 1 };
        node.args(["--test", &format!("--test-concurrency={files_at_once}")]).args(NODE_TEST);
        node.env("PILOTHOUSE_BIN", gateway).env("TEST_TRIES", MAX_TRIES);
        if self == Self::Nightly {
            node.env("NIGHTLY", "1");
        }
        node
    }

    /// With what [`RunLength::node`] gave.
    fn in_chromium(self, mut node: Command, files: Vec<PathBuf>) -> Result<()> {
        node.args(files).env("CHROMIUM", browser::chromium().context("no Chromium")?);
        node.env_remove("FIREFOX").env_remove("HEADLESS_SHELL");
        // A file that needs the whole browser says so.
        let left_out = "the headless shell, so that these tests take longer";
        if self == Self::Quick && setup::try_optional(&browser::HEADLESS_SHELL, left_out) {
            node.env("HEADLESS_SHELL", browser::headless_shell().context("no headless shell")?);
        }
        process::run(&mut node)
    }

    fn in_firefox(self, files: &[&str]) -> Result<()> {
        if !setup::try_optional(&browser::FIREFOX, "the end-to-end tests in Firefox") {
            return Ok(());
        }
        let folder = workspace::root().join("tests/e2e");
        let mut node = self.node(process::command("node"), &gateway_with_page()?, 2);
        node.args(files.iter().map(|name| folder.join(format!("{name}.test.mjs"))));
        node.env("FIREFOX", browser::firefox().context("no Firefox")?);
        process::run(&mut node)
    }

    fn end_to_end(self) -> Result<()> {
        let gateway = gateway_with_page()?;
        let toolchain = WasmToolchain::get()?;
        // For the tests with Trunk, which build the page and the example in the dev profile. Here the build uses up
        // no test's time.
        let mut page = toolchain.command("cargo", Purpose::Page)?;
        page.args(["build", "--quiet", "--target", TARGET, "--package", "pilothouse", "--bin", "page"]);
        page.args(["--package", EXAMPLE, "--bin", EXAMPLE]);
        process::run(&mut page)?;
        let mut files = Vec::new();
        for entry in fs::read_dir(workspace::root().join("tests/e2e"))? {
            let folder = entry?.path();
            if folder.is_dir() && ![LIVE, AGENTS].map(|own| workspace::root().join(own)).contains(&folder) {
                files.extend(test_files(&folder)?);
            }
        }
        files.sort();
        let mut live = Vec::new();
        if setup::try_optional(&node::LIVE, "the tests against the real runtime") {
            live = test_files(&workspace::root().join(LIVE))?;
        }
        // One run for all that there is once: at the end of a run cores wait for its last file.
        let once = live.iter().chain(&files).cloned().collect();
        let [current, next] = RUNTIMES;
        let mut node = self.node(toolchain.command("node", Purpose::Page)?, &gateway, 3);
        node.env("RUNTIME", current);
        self.in_chromium(node, once)?;
        live.retain(|file| self == Self::Nightly || is_one_of(file, &OF_EACH_RUNTIME));
        if !live.is_empty() {
            println!("the {next} runtime:");
            let mut node = self.node(process::command("node"), &gateway, 3);
            node.env("RUNTIME", next);
            self.in_chromium(node, live)?;
        }
        Ok(())
    }

    fn packages(self) -> Result<()> {
        let files = test_files(&workspace::root().join("tests/packages"))?;
        self.in_chromium(self.node(process::command("node"), &gateway_with_page()?, 2), files)
    }
}

/// The real agents that speak ACP, which are 1 GB and are brought by hand.
pub fn agents(length: RunLength) -> Result<()> {
    if env::var_os(AGENTS_FOLDER).is_none() {
        println!(
            "skipped: {AGENTS_FOLDER} names no folder with the agents. To have them, in an empty FOLDER: cp {AGENTS}/package*.json FOLDER && \
             npm ci --prefix FOLDER --ignore-scripts --omit=optional"
        );
        return Ok(());
    }
    let mut node = length.node(process::command("node"), &gateway_with_page()?, 2);
    // For a whole file as well: some agents take seconds to start.
    node.arg("--test-timeout=900000");
    length.in_chromium(node, test_files(&workspace::root().join(AGENTS))?)
}

/// Whether a test file has one of these names, without `.test.mjs`.
fn is_one_of(file: &Path, names: &[&str]) -> bool {
    let name =
        file.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".test.mjs"));
    name.is_some_and(|name| names.contains(&name))
}

fn end_to_end() -> Result<()> {
    RunLength::Quick.end_to_end()
}

fn packages() -> Result<()> {
    RunLength::Quick.packages()
}

fn in_firefox() -> Result<()> {
    RunLength::Quick.in_firefox(&IN_FIREFOX)
}

/// Every test that needs a browser and the built page, those that the quick run leaves out included.
pub fn pages() -> Result<()> {
    setup::ensure(END_TO_END)?;
    setup::ensure(&[&node::BUNDLERS])?;
    RunLength::Nightly.end_to_end()?;
    RunLength::Nightly.packages()?;
    RunLength::Nightly.in_firefox(&[&IN_FIREFOX[..], &MORE_IN_FIREFOX[..]].concat())
}

/// Builds the gateway, which reads the whole page from `dist/`. Returns its path.
fn gateway_with_page() -> Result<PathBuf> {
    // `trunk serve` leaves a page without the package, and `cargo xtask serve` one that is not compressed.
    if !["pkg/index.js", "page.js.br"].iter().all(|file| workspace::dist().join(file).is_file()) {
        bail!("dist/ is not complete; try: cargo xtask build");
    }
    if !workspace::dist().join("docs/index.html").is_file() {
        bail!("dist/ has no book; try: cargo xtask docs");
    }
    // As the stage `native` builds it: with other features of what it depends on it would be compiled once more.
    process::run(process::cargo().args(["test", "--quiet", "--no-run"]).args(COMMAND))?;
    let name = format!("pilothouse{}", env::consts::EXE_SUFFIX);
    Ok(workspace::target()?.join("debug").join(name))
}

/// The tests in a folder, sorted by name.
fn test_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The command embeds `dist/` when it is compiled; before the first build an empty folder has to do.
fn page_folder() -> Result<()> {
    fs::create_dir_all(workspace::dist()).context("dist/ can't be made")
}
