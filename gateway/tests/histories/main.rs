//! Random histories of answers, messages and faults, each checked, in the way of Jepsen. On several pages, each with the
//! page's own client, people watch, answer and write through a gateway; a stand-in for the runtime emits events and asks; between any two steps something can be
//! cut, killed, paused or torn. docs/reliability.md says what is promised and checked.
//!
//! A seed always gives the same steps. `HISTORIES` is how many are checked, `SEED` the first seed. A failing history is
//! printed, with its seed, as the shortest list of steps that was found to fail as well.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod cases;
mod checker;
mod folder;
mod history;
mod network;
mod pages;
mod run;
mod runtime;
mod seeds;
mod shrink;

use std::time::Duration;

use history::{History, Step};
use seeds::say;

/// As many take about ten seconds on two cores.
const USUAL: u64 = 60;
/// How many histories run at once: each waits most of the time.
const AT_ONCE: usize = 24;

/// How long shorter histories are tried.
const LONGEST_SHRINKING: Duration = Duration::from_secs(25);

/// What is wrong in a history; empty if it is as promised.
async fn verdict(history: &History) -> Vec<String> {
    let history = history.clone();
    let run = tokio::spawn(async move { run::run(&history).await });
    match run.await {
        Ok(Ok(facts)) => checker::check(&facts),
        Ok(Err(why)) => vec![why],
        Err(panic) => vec![format!("it could not be carried out: {panic}")],
    }
}

/// The history as it would be written down in `cases.rs`.
fn written(history: &History) -> String {
    let steps: Vec<_> = history.steps.iter().map(|step: &Step| format!("    {step:?},\n")).collect();
    let History { process, largest_log, cards, .. } = history;
    format!("process: {process}, largest_log: {largest_log:?}, cards: {cards:?}, steps:\n{}", steps.concat())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_history_that_failed_once_is_as_promised() {
    for (what, history) in cases::all() {
        let wrong = verdict(&history).await;
        assert!(wrong.is_empty(), "{what}:\n  {}", wrong.join("\n  "));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_history_is_as_promised() {
    let faults = |history: &History| history.steps.iter().map(Step::fault).collect();
    let failed = seeds::check("histories", ("HISTORIES", USUAL, AT_ONCE), History::of, faults, verdict).await;
    for (seed, history, wrong) in failed.iter().take(2) {
        let (before, steps) = (history.steps.len(), history.steps.clone());
        let of = |steps: &[Step]| History { steps: steps.to_vec(), ..history.clone() };
        let (steps, wrong) =
            shrink::shrink(steps, wrong.clone(), LONGEST_SHRINKING, async |steps| verdict(&of(steps)).await)
                .await;
        say(&format!(
            "seed {seed}, shortened from {before} to {} steps:\n{}wrong:\n  {}",
            steps.len(),
            written(&of(&steps)),
            wrong.join("\n  ")
        ));
    }
    seeds::assert_none(&failed);
}
