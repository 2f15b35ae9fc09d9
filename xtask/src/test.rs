//! Runs everything that CI runs, stage by stage until one fails, and reports how long each took. What a stage
//! does is in `stages`.

use std::env;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use crate::stages::{self, Stage};
use crate::{process, setup, steps, workspace};

pub fn run(args: &[String]) -> Result<()> {
    let Some(chosen) = chosen_stages(args)? else {
        for stage in stages::ALL {
            println!("{:8} {}", stage.name, stage.about);
        }
        return Ok(());
    };
    let start = Instant::now();
    // A single stage brings only the tools that it needs. A full run brings all of them first, so that a
    // missing tool shows in the first minute and not in the twentieth.
    if chosen.len() == stages::ALL.len() {
        println!("── set-up");
        steps::run(setup::numbered_steps(setup::PAGE.into_iter().chain(setup::TESTS)))?;
    }
    let mut report = vec![("set-up", start.elapsed())];
    let mut beside = None;
    for (index, stage) in chosen.iter().enumerate() {
        let begin = Instant::now();
        setup::ensure(stage.needs)?;
        let next = chosen.get(index + 1);
        if let Some(next) = next.filter(|next| stage.beside == Some(next.name)) {
            setup::ensure(next.needs)?;
            println!("\n── {}: beside {}", stage.name, next.name);
            beside = Some(Beside::start(stage.name)?);
            continue;
        }
        println!("\n── {}: {}", stage.name, stage.about);
        let result = (stage.run)()
            .map_err(|error| anyhow!("{error:#}\n  again: cargo xtask test --only {}", stage.name));
        if result.is_ok() {
            println!("── {} passed in {}", stage.name, seconds(begin.elapsed()));
        }
        report.push((stage.name, begin.elapsed()));
        // Whatever became of this one: nothing is left running.
        let other = beside.take().map(Beside::end).transpose();
        result?;
        report.extend(other?);
    }
    // Of one stage everything has been said.
    if report.len() > 2 {
        println!();
        for (name, took) in report {
            println!("{name:8} {:>8}", seconds(took));
        }
        println!("{:8} {:>8}  everything passed", "total", seconds(start.elapsed()));
    }
    Ok(())
}

/// A stage that runs while another one does, in a process of its own: what it says is printed when it is over.
struct Beside {
    name: &'static str,
    said: PathBuf,
    /// Waits for it, and returns whether it passed and how long it took.
    running: JoinHandle<Result<(bool, Duration)>>,
}

impl Beside {
    fn start(name: &'static str) -> Result<Self> {
        let said = workspace::target()?.join(format!("stage-{name}.txt"));
        let file = File::create(&said)?;
        let mut stage = process::command(env::current_exe()?);
        stage.args(["test", "--only", name]).stdin(Stdio::null()).stderr(file.try_clone()?).stdout(file);
        let (begin, mut stage) = (Instant::now(), stage.spawn()?);
        let running = thread::spawn(move || Ok((stage.wait()?.success(), begin.elapsed())));
        Ok(Self { name, said, running })
    }

    /// Returns its name and how long it took.
    fn end(self) -> Result<(&'static str, Duration)> {
        let (passed, took) = self.running.join().map_err(|_| anyhow!("a thread of xtask panicked"))??;
        print!("{}", String::from_utf8_lossy(&fs::read(&self.said)?));
        if passed { Ok((self.name, took)) } else { bail!("{} failed, as it says above", self.name) }
    }
}

/// The chosen stages; `None` if they are only to be listed.
fn chosen_stages(args: &[String]) -> Result<Option<Vec<Stage>>> {
    let mut names = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--list" => return Ok(None),
            "--only" => names.push(rest.next().context("--only wants the name of a stage")?.as_str()),
            other => bail!("`cargo xtask test` takes no `{other}`; only --only STAGE and --list"),
        }
    }
    if let Some(unknown) = names.iter().find(|name| stages::ALL.iter().all(|stage| stage.name != **name)) {
        bail!("there is no stage `{unknown}`; `cargo xtask test --list` names them");
    }
    let wanted = |stage: &Stage| names.is_empty() || names.contains(&stage.name);
    Ok(Some(stages::ALL.into_iter().filter(wanted).collect()))
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(args: &[&str]) -> Result<Vec<&'static str>> {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        Ok(chosen_stages(&args)?.unwrap_or_default().iter().map(|stage| stage.name).collect())
    }

    #[test]
    fn stages_keep_their_order_whatever_the_order_of_the_flags() {
        assert_eq!(names(&["--only", "e2e", "--only", "fmt"]).unwrap(), ["fmt", "e2e"]);
        assert_eq!(names(&[]).unwrap().len(), stages::ALL.len());
    }

    #[test]
    fn a_stage_runs_beside_one_that_comes_right_after_it() {
        for (stage, next) in stages::ALL.iter().zip(stages::ALL.iter().skip(1)) {
            assert!(stage.beside.is_none_or(|beside| beside == next.name), "{}", stage.name);
        }
    }

    #[test]
    fn a_mistyped_stage_runs_nothing() {
        assert!(names(&["--only", "fmtt"]).is_err());
        assert!(names(&["--only"]).is_err());
        assert!(names(&["e2e"]).is_err());
    }
}
