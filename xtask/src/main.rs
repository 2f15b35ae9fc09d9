//! The developers' command line: `cargo xtask COMMAND`. Every command is a module, and every tool that a
//! command needs is a step in `setup`.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command line has to print

use std::process::ExitCode;

use anyhow::{Result, bail};

mod bench;
mod book;
mod build;
mod catalogue;
mod doctor;
mod packed;
mod process;
mod prove;
mod release;
mod serve;
mod setup;
mod stages;
mod steps;
mod test;
mod wasm_toolchain;
mod workspace;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  serve [ARGS…]         build the page and the command, then run `pilothouse serve ARGS…`
  test [--only STAGE]…  everything that CI runs, or only the named stages (`--list` names them)
  build [--dev]         the page in dist/, the JavaScript package in dist/pkg/
  bench [ARGS…]         all benchmarks and the tables of docs/performance.md (`bench --help`)
  prove [--minutes N] [--only CHECK]…  the long checks of docs/reliability.md, for a night
  doctor                which tools are here, and what would bring the missing ones
  schema [PATH]         compare the catalogue with a published schema of the runtime; with --add VERSION,
                        list what it has in tests/support/schema/, for the tests
  docs [--serve]        write docs/events.md from the catalogue, and build the book in dist/docs/
  release [--out DIR]   the files of a release in target/release-files/; publishes nothing
  release --check       makes them twice from the last commit, and compares the bytes (slow)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<()> {
    let Some((command, rest)) = args.split_first() else {
        println!("{USAGE}");
        return Ok(());
    };
    match command.as_str() {
        "serve" => serve::run(rest),
        "test" => test::run(rest),
        "build" => build::run(rest),
        "bench" => bench::run(rest),
        "doctor" => doctor::run(rest),
        "prove" => prove::run(rest),
        "schema" => catalogue::schema(rest),
        "docs" => book::run(rest),
        "release" => release::run(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("there is no command `{other}`\n\n{USAGE}"),
    }
}

/// For commands that take no arguments: a mistyped flag must not be silently ignored.
fn refuse_arguments(command: &str, args: &[String]) -> Result<()> {
    match args.first() {
        None => Ok(()),
        Some(first) => bail!("`cargo xtask {command}` takes no `{first}`\n\n{USAGE}"),
    }
}
