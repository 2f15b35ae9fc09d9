//! Random histories of messages, answers and faults with an agent that speaks ACP, each checked. A gateway of its own process
//! drives the stand-in; between any two steps the gateway or the agent can be killed, and another program can go on with the session.
//! In a cluster people are at that gateway or at one without an agent, and servers and the ways to them fail as well.
//!
//! A seed always gives the same steps. `ACP_HISTORIES` and `ACP_CLUSTER_HISTORIES` are how many are checked, `SEED` the first seed, `STEPS`
//! prints each step. A failing history is printed as the shortest list of steps that was found to fail as well.

mod check;
mod cluster;
mod person;
mod run;
mod steps;

use std::time::Duration;

use crate::nats;
use crate::seeds::{self, say};
use crate::shrink::shrink;
use steps::{Step, of_seed, of_seed_in_cluster};

/// How many are checked with each change: they take about ten seconds on two cores, those in a cluster about thirty.
const USUAL: u64 = 24;
const USUAL_IN_CLUSTER: u64 = 6;
/// How many run at once: each waits most of the time.
const AT_ONCE: usize = 24;
/// How long shorter histories are tried.
const LONGEST_SHRINKING: Duration = Duration::from_secs(40);

/// What is wrong in a history; empty if it is as promised.
async fn verdict(steps: &[Step], in_cluster: bool) -> Vec<String> {
    let steps = steps.to_vec();
    seeds::in_a_thread(async move || Ok(check::check(&run::run(&steps, in_cluster).await?))).await
}

/// Checks the histories of many seeds. `count` is the variable that says how many, and how many there are without it.
async fn check(what: &str, count: (&str, u64), of_seed: fn(u64) -> Vec<Step>, in_cluster: bool) {
    let faults = |steps: &Vec<Step>| steps.iter().map(Step::fault).collect();
    let (name, usual) = count;
    let failed = seeds::check(what, (name, usual, AT_ONCE), of_seed, faults, async |steps| {
        verdict(steps, in_cluster).await
    })
    .await;
    for (seed, history, wrong) in failed.iter().take(2).cloned() {
        let (shorter, wrong) =
            shrink(history, wrong, LONGEST_SHRINKING, async |steps| verdict(steps, in_cluster).await).await;
        say(&format!("seed {seed}, shortened: {shorter:?}\nwrong:\n  {}", wrong.join("\n  ")));
    }
    seeds::assert_none(&failed);
}

/// Histories that failed once, shortened.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_history_that_failed_once_is_as_promised() {
    for steps in steps::failed_once() {
        let wrong = verdict(&steps, false).await;
        assert!(wrong.is_empty(), "{steps:?}:\n  {}", wrong.join("\n  "));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_history_is_as_promised() {
    check("histories with an ACP agent", ("ACP_HISTORIES", USUAL), of_seed, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_history_in_a_cluster_is_as_promised() {
    if nats::program().is_some() {
        let count = ("ACP_CLUSTER_HISTORIES", USUAL_IN_CLUSTER);
        check("histories with an ACP agent in a cluster", count, of_seed_in_cluster, true).await;
    }
}
