//! Runs other programs: prints the command line, waits, and turns a failure into an error that names the
//! command line. There is no shell, so arguments are never parsed twice.

use std::env;
use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// A command that runs in the root of the workspace.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(workspace::root()).env("PATH", search_path());
    command
}

/// The `cargo` that started us, so that a toolchain chosen with `cargo +NAME` stays chosen.
pub fn cargo() -> Command {
    command("cargo")
}

/// Prints the command line, and runs it with the terminal's own input and output.
pub fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", line(command));
    execute(command)
}

/// Same as [`run`], without printing the command line.
pub fn execute(command: &mut Command) -> Result<()> {
    let line = line(command);
    let status = command.status().with_context(|| format!("`{line}` could not be started"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Runs silently and returns standard output; standard error becomes part of the error.
pub fn read(command: &mut Command) -> Result<String> {
    let line = line(command);
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("`{line}` could not be started"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("`{line}` failed ({}): {}", output.status, errors.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Does this for each item, for as many at a time as the machine has cores. After a failure it begins with no other.
pub fn for_each<T: Sync>(items: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item).inspect_err(|_| next.store(items.len(), Ordering::Relaxed))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores()).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a thread of xtask panicked")))
    })
}

pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Whether a command exists and succeeds; prints nothing.
pub fn succeeds(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The first file of this name on `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&search_path()).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// `PATH`, and after it the folder into which `cargo install` puts programs, because a distribution's Cargo
/// does not add it.
pub fn search_path() -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(cargo_home().map(|cargo| cargo.join("bin")));
    env::join_paths(folders).unwrap_or(path)
}

/// Where Cargo keeps programs and the sources of other crates.
pub fn cargo_home() -> Option<PathBuf> {
    let home = env::home_dir().map(|home| home.join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or(home)
}

/// The command as one would type it in a shell.
fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains(|c: char| c.is_whitespace() || "'\"$*".contains(c)) {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_typed_again() {
        let mut command = Command::new("cargo");
        command.args(["bench", "--", "two words", "it's"]);
        assert_eq!(line(&command), r"cargo bench -- 'two words' 'it'\''s'");
    }

    #[test]
    fn each_item_is_done_once_and_a_failure_is_told() {
        let done = std::sync::Mutex::new(Vec::new());
        for_each(&[1, 2, 3, 4, 5], |item| {
            done.lock().unwrap().push(*item);
            Ok(())
        })
        .unwrap();
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, [1, 2, 3, 4, 5]);
        assert!(for_each(&[1, 2], |item| if *item == 2 { bail!("two") } else { Ok(()) }).is_err());
    }

    #[test]
    fn a_failure_names_the_command_and_what_it_said() {
        let error = read(Command::new("cargo").arg("no-such-subcommand")).unwrap_err().to_string();
        assert!(error.contains("cargo no-such-subcommand"), "{error}");
    }
}
