//! Random histories of messages, answers and faults with an agent that speaks ACP, each checked. A gateway of its own process
//! drives the stand-in; between any two steps the gateway or the agent can be killed, and another program can go on with the session.
//!
//! A seed always gives the same steps. `ACP_HISTORIES` is how many are checked, `SEED` the first seed. A failing history is printed as
//! the shortest list of steps that was found to fail as well.

mod check;
mod person;
mod run;
mod steps;

use std::time::Duration;

use crate::seeds::{self, say};
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
    let faults = |steps: &Vec<Step>| steps.iter().map(Step::fault).collect();
    let failed = seeds::check(
        "histories with an ACP agent",
        ("ACP_HISTORIES", USUAL, AT_ONCE),
        of_seed,
        faults,
        async |steps| verdict(steps).await,
    )
    .await;
    for (seed, history, wrong) in failed.iter().take(2).cloned() {
        let (shorter, wrong) =
            shrink(history, wrong, LONGEST_SHRINKING, async |steps| verdict(steps).await).await;
        say(&format!("seed {seed}, shortened: {shorter:?}\nwrong:\n  {}", wrong.join("\n  ")));
    }
    seeds::assert_none(&failed);
}
