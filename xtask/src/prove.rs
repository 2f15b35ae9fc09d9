//! `cargo xtask prove`: the long checks, for a night. Each continues where the quick ones of `cargo xtask test` stop. docs/reliability.md
//! says what they check and what they found.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process::{self, command};
use crate::setup::{self, nats_server, node};
use crate::stages::RunLength;
use crate::{stages, workspace};

/// A long check: its name, what it checks, and how it is run with this many minutes.
struct Check {
    name: &'static str,
    about: &'static str,
    run: fn(u64) -> Result<()>,
}

const ALL: [Check; 8] = [
    Check { name: "fuzz", about: "every fuzz target, for so many minutes each", run: fuzz },
    Check {
        name: "histories",
        about: "random histories of pages and a gateway, 200 a minute, and of a cluster, 17 a minute",
        run: histories,
    },
    Check {
        name: "runtime",
        about: "random histories against the real runtime, three a minute",
        run: real_runtime,
    },
    Check {
        name: "pages",
        about: "all end-to-end tests, costs, layouts and packages, with both runtimes and in Firefox",
        run: |_| stages::pages(),
    },
    Check {
        name: "agents",
        about: "four real agents through the page, if PILOTHOUSE_AGENTS names the folder with them",
        run: |_| stages::agents(RunLength::Nightly),
    },
    Check {
        name: "soak",
        about: "two million events through a page and a gateway, 10,000 idle connections",
        run: soak,
    },
    Check { name: "mutants", about: "which changes of the code no test notices (hours)", run: mutants },
    Check {
        name: "dependencies",
        about: "licences, sources and known faults of dependencies",
        run: dependencies,
    },
];

/// How many minutes a check gets by default.
const MINUTES: u64 = 30;

pub fn run(args: &[String]) -> Result<()> {
    let (minutes, chosen) = chosen_checks(args)?;
    for check in chosen {
        println!("\n── {}: {}", check.name, check.about);
        let begin = Instant::now();
        (check.run)(minutes).with_context(|| format!("again: cargo xtask prove --only {}", check.name))?;
        println!("── {} passed in {}", check.name, minutes_of(begin.elapsed()));
    }
    Ok(())
}

fn chosen_checks(args: &[String]) -> Result<(u64, Vec<Check>)> {
    let (mut minutes, mut names) = (MINUTES, Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--minutes" => {
                minutes = rest
                    .next()
                    .and_then(|number| number.parse().ok())
                    .context("--minutes wants a whole number")?;
            }
            "--only" => names.push(rest.next().context("--only wants the name of a check")?.as_str()),
            other => bail!("`cargo xtask prove` takes no `{other}`; only --minutes N and --only CHECK"),
        }
    }
    if let Some(unknown) = names.iter().find(|name| ALL.iter().all(|check| check.name != **name)) {
        let known = ALL.map(|check| check.name).join(", ");
        bail!("there is no check `{unknown}`; there are: {known}");
    }
    let wanted = |check: &Check| names.is_empty() || names.contains(&check.name);
    Ok((minutes, ALL.into_iter().filter(wanted).collect()))
}

fn fuzz(minutes: u64) -> Result<()> {
    require_program("cargo-fuzz", "cargo install cargo-fuzz && rustup toolchain install nightly")?;
    let mut targets: Vec<_> = fs::read_dir(workspace::root().join("fuzz/fuzz_targets"))?
        .filter_map(|file| Some(file.ok()?.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    targets.sort();
    for target in targets {
        process::run(command("fuzz/run.sh").arg(target).arg((minutes * 60).to_string()))?;
    }
    Ok(())
}

fn histories(minutes: u64) -> Result<()> {
    let count = (minutes * 200).to_string();
    let test =
        ["test", "--release", "--package", "pilothouse-gateway", "--test", "histories", "--", "--nocapture"];
    process::run(process::cargo().args(test).env("HISTORIES", count))?;
    // Those of a cluster, about as many as fit into the time.
    let has_servers = setup::try_optional(&nats_server::STEP, "histories of a cluster");
    // Those with an agent that speaks ACP, at one gateway and in a cluster.
    let test =
        ["test", "--release", "--package", "pilothouse-gateway", "--test", "agents", "histories", "--"];
    let in_cluster = if has_servers { minutes * 10 } else { 0 };
    let mut agents = process::cargo();
    agents.args(test).arg("--nocapture").env("ACP_HISTORIES", (minutes * 100).to_string());
    process::run(agents.env("ACP_CLUSTER_HISTORIES", in_cluster.to_string()))?;
    if has_servers {
        let test =
            ["test", "--release", "--package", "pilothouse-gateway", "--test", "cluster", "histories", "--"];
        let count = (minutes * 17).to_string();
        process::run(process::cargo().args(test).arg("--nocapture").env("CLUSTER_HISTORIES", count))?;
    }
    // Those of the page, in virtual time.
    let test = ["test", "--release", "--no-default-features", "--test", "client"];
    process::run(process::cargo().args(test).env("HISTORIES", (minutes * 20_000).to_string()))
}

fn real_runtime(minutes: u64) -> Result<()> {
    if !setup::try_optional(&node::LIVE, "histories with the real runtime") {
        return Ok(());
    }
    release_gateway()?;
    let mut histories = command("node");
    histories.arg("tests/e2e/live/histories.mjs").env("HISTORIES", (minutes * 3).to_string());
    process::run(histories.env("PILOTHOUSE_BIN", workspace::root().join("target/release/pilothouse")))
}

fn release_gateway() -> Result<()> {
    process::run(process::cargo().args(["build", "--release", "--package", "pilothouse-gateway"]))
}

fn soak(_: u64) -> Result<()> {
    release_gateway()?;
    for program in [
        "tests/soak/gateway.mjs",
        "tests/soak/connections.mjs",
        "tests/soak/page.mjs",
        "tests/soak/bounds.mjs",
    ] {
        process::run(command("node").arg(program))?;
    }
    Ok(())
}

/// Which files are changed is in `.cargo/mutants.toml`.
fn mutants(_: u64) -> Result<()> {
    require_program("cargo-mutants", "cargo install cargo-mutants --locked")?;
    let core =
        ["--package", "pilothouse-core", "--test-package", "pilothouse-core", "--test-package", "pilothouse"];
    let mutants = || {
        let mut mutants = process::cargo();
        mutants.args(["mutants", "--output", "target"]);
        mutants
    };
    process::run(mutants().args(core).args(["--", "--no-default-features"]))?;
    process::run(mutants().args(["--package", "pilothouse-gateway"]))
}

fn dependencies(_: u64) -> Result<()> {
    require_program("cargo-deny", "cargo install cargo-deny --locked")?;
    // The list of known faults is fetched; the rest needs no network.
    process::run(process::cargo().args(["deny", "check", "bans", "licenses", "sources"]))?;
    process::run(process::cargo().args(["deny", "check", "advisories"]))?;
    for folder in ["tests/e2e", "tests/packages", "tools"] {
        process::run(command("npm").args(["audit", "--prefix", folder]))?;
    }
    Ok(())
}

fn require_program(program: &str, brought_by: &str) -> Result<()> {
    match process::on_path(program) {
        Some(_) => Ok(()),
        None => bail!("{program} is missing; this brings it: {brought_by}"),
    }
}

fn minutes_of(time: Duration) -> String {
    format!("{:.1} min", time.as_secs_f64() / 60.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_is_not_there_runs_nothing() {
        let args = |args: &[&str]| args.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(chosen_checks(&args(&["--only", "fuz"])).is_err());
        assert!(chosen_checks(&args(&["--minutes", "soon"])).is_err());
        let (minutes, all) = chosen_checks(&args(&["--minutes", "5", "--only", "soak"])).unwrap();
        assert_eq!((minutes, all.len(), all[0].name), (5, 1, "soak"));
    }
}
