//! Random histories of messages, answers and faults with an agent that speaks ACP, each checked. A gateway of its own process
//! drives the stand-in; between any two steps the gateway or the agent can be killed, and another program can go on with the session.
//!
//! A seed always gives the same steps. `ACP_HISTORIES` is how many are checked, `SEED` the first seed. A failing history is printed as
//! the shortest list of steps that was found to fail as well.

mod check;
mod person;
mod run;
mod steps;

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::shrink::shrink;
use steps::{Step, of_seed};

/// As many take about ten seconds on two cores.
const USUAL: u64 = 24;
/// How many run at once: each waits most of the time.
const AT_ONCE: usize = 24;
/// How long shorter histories are tried.
const LONGEST_SHRINKING: Duration = Duration::from_secs(40);

/// What is wrong in a history; empty if it is as promised.
async fn verdict(steps: &[Step]) -> Vec<String> {
    let steps = steps.to_vec();
    match tokio::spawn(async move { run::run(&steps).await }).await {
        Ok(Ok(facts)) => check::check(&facts),
        Ok(Err(why)) => vec![why],
        Err(panic) => vec![format!("it could not be carried out: {panic}")],
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

fn say(line: &str) {
    // Best effort. Unlike `println`, this is shown for tests that pass.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Histories that failed once, shortened.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_history_that_failed_once_is_as_promised() {
    for steps in steps::failed_once() {
        let wrong = verdict(&steps).await;
        assert!(wrong.is_empty(), "{steps:?}:\n  {}", wrong.join("\n  "));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_history_is_as_promised() {
    let (first, count) = (number("SEED", 1), number("ACP_HISTORIES", USUAL));
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for seed in first..first + count {
        let place = Arc::clone(&places).acquire_owned().await.unwrap();
        running.spawn(async move {
            let steps = of_seed(seed);
            let wrong = verdict(&steps).await;
            drop(place);
            (seed, steps, wrong)
        });
    }
    let (mut steps, mut faults, mut failed) = (0, 0, Vec::new());
    while let Some(done) = running.join_next().await {
        let (seed, history, wrong) = done.unwrap();
        steps += history.len();
        faults += history.iter().filter(|step| step.is_fault()).count();
        if !wrong.is_empty() {
            failed.push((seed, history, wrong));
        }
    }
    say(&format!(
        "histories with an ACP agent: {count} checked, {steps} steps, {faults} faults, seeds {first}..{}",
        first + count - 1
    ));
    failed.sort_by_key(|(seed, ..)| *seed);
    let seeds: Vec<_> = failed.iter().map(|(seed, ..)| *seed).collect();
    for (seed, history, wrong) in failed.into_iter().take(2) {
        say(&format!("seed {seed} failed:\n  {}", wrong.join("\n  ")));
        let (shorter, wrong) =
            shrink(history, wrong, LONGEST_SHRINKING, async |steps| verdict(steps).await).await;
        say(&format!("seed {seed}, shortened: {shorter:?}\nwrong:\n  {}", wrong.join("\n  ")));
    }
    assert!(seeds.is_empty(), "failing seeds: {seeds:?}");
}
