//! Runs everything that CI runs, stage by stage until one fails, and reports how long each took. What a stage
//! does is in `stages`.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use crate::setup;
use crate::stages::{self, Stage};
use crate::steps;

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
    for stage in chosen {
        println!("\n── {}: {}", stage.name, stage.about);
        let begin = Instant::now();
        setup::ensure(stage.needs)?;
        (stage.run)()
            .map_err(|error| anyhow!("{error:#}\n  again: cargo xtask test --only {}", stage.name))?;
        println!("── {} passed in {}", stage.name, seconds(begin.elapsed()));
        report.push((stage.name, begin.elapsed()));
    }
    println!();
    for (name, took) in report {
        println!("{name:8} {:>8}", seconds(took));
    }
    println!("{:8} {:>8}  everything passed", "total", seconds(start.elapsed()));
    Ok(())
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
    fn a_mistyped_stage_runs_nothing() {
        assert!(names(&["--only", "fmtt"]).is_err());
        assert!(names(&["--only"]).is_err());
        assert!(names(&["e2e"]).is_err());
    }
}
