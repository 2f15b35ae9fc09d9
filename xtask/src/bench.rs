//! Runs all benchmarks, the core's natively, the page's beside its peers in Chromium, and the gateway's with many viewers beside a
//! server in Node, and fills the tables of docs/performance.md. What a quick run found is never written there.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::build::bind;
use crate::setup::{self, browser, node};
use crate::{build, process, workspace};

mod criterion;
mod tables;

const USAGE: &str = "\
usage: cargo xtask bench [--only NAME]… [--quick] [--write]

  --only NAME  core, fanout (many viewers of a gateway), or one of the page's: size, network, late, memory, reduce, growth, kept, stream, paced, resume, flood, load, idle
  --quick      shorter inputs, one run each: to see that it works, not for figures
  --write      put the tables into docs/performance.md";

/// The part that Criterion measures.
const CORE: &str = "core";

/// The part that `benches/fanout` measures.
const FANOUT: &str = "fanout";

/// The parts that `benches/page/run.mjs` measures, in its order.
const PAGE: [&str; 13] = [
    "size", "network", "late", "memory", "reduce", "growth", "kept", "stream", "paced", "resume", "flood",
    "load", "idle",
];

pub fn run(args: &[String]) -> Result<()> {
    let Some(options) = Options::read(args)? else {
        println!("{USAGE}");
        return Ok(());
    };
    let mut made = Vec::new();
    if options.wants(CORE) {
        made.extend(criterion::run(options.quick)?);
    }
    if options.wants(FANOUT) {
        made.extend(fanout(options.quick)?);
    }
    if options.wants_page() {
        made.extend(page(&options)?);
    }
    if options.write {
        let file = workspace::root().join("docs/performance.md");
        let filled = tables::replace_tables(&workspace::read(&file)?, &made)?;
        fs::write(&file, filled)?;
        println!("\nwritten: {}", workspace::relative_path(&file));
    }
    Ok(())
}

/// The page's measurements; their results are stored in the target folder, so that a part can be run again.
fn page(options: &Options) -> Result<Vec<(String, String)>> {
    setup::ensure(&[&node::BENCHES, &browser::STEP])?;
    let dist = workspace::dist();
    if is_stale(&dist)? {
        println!("dist/ is not this source's release build; building it");
        build::release()?;
    }
    let gateway = gateway()?;
    let out = workspace::target()?.join("bench");
    let mut runner = process::command("node");
    runner.env("CHROMIUM", browser::chromium().context("no Chromium")?);
    runner.arg("benches/page/run.mjs").arg("--out").arg(&out).arg("--dist").arg(&dist);
    runner.arg("--gateway").arg(gateway);
    for name in options.only.iter().filter(|name| PAGE.contains(&name.as_str())) {
        runner.args(["--only", name]);
    }
    if options.quick {
        runner.arg("--quick");
    }
    process::run(&mut runner)?;
    tables::read(&out.join("tables.json"))
}

/// Many viewers of many sessions.
fn fanout(quick: bool) -> Result<Vec<(String, String)>> {
    let gateway = gateway()?;
    process::run(process::cargo().args(["build", "--release", "--package", "fanout"]))?;
    let out = workspace::target()?.join("fanout.json");
    let mut runner = process::command(release("fanout")?);
    runner.arg("--gateway").arg(gateway).args(["--node", "benches/fanout/node.mjs"]).arg("--out").arg(&out);
    if quick {
        runner.arg("--quick");
    }
    process::run(&mut runner)?;
    tables::read(&out)
}

/// Builds the gateway's release binary. Returns where it is.
fn gateway() -> Result<PathBuf> {
    let command = ["build", "--release", "--package", "pilothouse-gateway", "--bin", "pilothouse"];
    process::run(process::cargo().args(command))?;
    release("pilothouse")
}

/// Where a release binary is.
fn release(name: &str) -> Result<PathBuf> {
    Ok(workspace::target()?.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// Whether the page in `dist/` is a quick build, or older than what it is made of.
fn is_stale(dist: &Path) -> Result<bool> {
    let package = dist.join("pkg");
    let wasm = package.join(bind::WASM);
    // Only a release build is split.
    if !wasm.is_file() || !package.join("__wasm_split.js").is_file() {
        return Ok(true);
    }
    let built = fs::metadata(&wasm)?.modified()?;
    // xtask splits and joins what the compiler makes.
    let sources =
        ["src", "scan", "www", "build", "xtask", "Cargo.toml", "Cargo.lock", "index.html", "Trunk.toml"];
    for source in sources {
        if newest(&workspace::root().join(source))? > built {
            return Ok(true);
        }
    }
    Ok(false)
}

/// When the newest file in it was written.
fn newest(path: &Path) -> Result<SystemTime> {
    let about =
        fs::metadata(path).with_context(|| format!("{} is missing", workspace::relative_path(path)))?;
    let mut newest = SystemTime::UNIX_EPOCH;
    if about.is_dir() {
        for entry in fs::read_dir(path)? {
            newest = newest.max(self::newest(&entry?.path())?);
        }
    } else {
        newest = about.modified()?;
    }
    Ok(newest)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    /// Everything when empty.
    only: Vec<String>,
    quick: bool,
    write: bool,
}

impl Options {
    /// `None` when somebody asks how it is used.
    fn read(args: &[String]) -> Result<Option<Self>> {
        let mut options = Self::default();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quick" => options.quick = true,
                "--write" => options.write = true,
                "--only" => options.only.push(rest.next().context("--only wants a name")?.clone()),
                other => bail!("`cargo xtask bench` takes no `{other}`\n\n{USAGE}"),
            }
        }
        let known = |name: &String| [CORE, FANOUT].contains(&name.as_str()) || PAGE.contains(&name.as_str());
        if let Some(unknown) = options.only.iter().find(|name| !known(name)) {
            bail!("there is no benchmark `{unknown}`\n\n{USAGE}");
        }
        if options.quick && options.write {
            bail!("what --quick finds is not to be written down");
        }
        Ok(Some(options))
    }

    fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == part)
    }

    fn wants_page(&self) -> bool {
        PAGE.iter().any(|part| self.wants(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(args: &[&str]) -> Result<Option<Options>> {
        Options::read(&args.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn everything_runs_unless_something_is_named() {
        let all = options(&[]).unwrap().unwrap();
        assert!(all.wants(CORE) && all.wants(FANOUT) && all.wants_page());
        let core = options(&["--only", "core"]).unwrap().unwrap();
        assert!(core.wants(CORE) && !core.wants(FANOUT) && !core.wants_page());
        let page = options(&["--only", "stream", "--write"]).unwrap().unwrap();
        assert!(!page.wants(CORE) && !page.wants(FANOUT) && page.wants_page() && page.write);
    }

    #[test]
    fn a_quick_run_is_never_written_down() {
        assert!(options(&["--quick", "--write"]).is_err());
        assert!(options(&["--only"]).is_err());
        assert!(options(&["stream"]).is_err());
        assert!(options(&["--only", "streams"]).is_err());
    }

    #[test]
    fn the_names_are_those_of_the_runner() {
        let runner = workspace::read(&workspace::root().join("benches/page/run.mjs")).unwrap();
        let names = format!("const MEASURES = {{ {} }};", PAGE.join(", "));
        assert!(runner.contains(&names), "{names}");
        assert!(USAGE.contains(&PAGE.join(", ")));
    }
}
