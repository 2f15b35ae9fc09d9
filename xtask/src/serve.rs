//! Owns the short way from a fresh clone to a session on the screen. Refuses to serve anything
//! itself: the `pilothouse` command does.

use anyhow::Result;

use crate::{build, process};

pub fn run(args: &[String]) -> Result<()> {
    build::made(build::Profile::Release)?;
    let mut serve = process::cargo();
    serve.args(["run", "--release", "--package", "pilothouse-bridge", "--bin", "pilothouse", "--", "serve"]);
    process::run(serve.args(args))
}
