//! Random histories of a cluster, each checked. A seed always gives the same steps. `CLUSTER_HISTORIES` is how many are checked,
//! `SEED` the first seed. A failing history is printed, with its seed, as the shortest list of steps that was found to fail as
//! well.

use std::time::Duration;

use super::schedule::{self, Step};
use super::seeds::{self, say};
use super::{nats, run, shrink};

/// As many are checked with each change.
const USUAL: u64 = 10;
/// How many histories run at once: each has six processes, and waits most of the time.
const AT_ONCE: usize = 4;
/// How long shorter histories are tried; each takes its seconds.
const LONGEST_SHRINKING: Duration = Duration::from_mins(5);

/// What is wrong in the history of these steps; empty if it is as promised.
async fn verdict(steps: &[Step]) -> Vec<String> {
    let steps = steps.to_vec();
    seeds::in_a_thread(async move || run::run(&steps).await).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_history_of_a_cluster_is_as_promised() {
    if nats::program().is_none() {
        return;
    }
    let faults = |steps: &Vec<Step>| steps.iter().map(Step::fault).collect();
    let failed = seeds::check(
        "histories of a cluster",
        ("CLUSTER_HISTORIES", USUAL, AT_ONCE),
        schedule::steps,
        faults,
        async |steps| verdict(steps).await,
    )
    .await;
    if let Some((seed, steps, wrong)) = failed.first().cloned() {
        let before = steps.len();
        let (steps, wrong) = shrink::shrink(steps, wrong, LONGEST_SHRINKING, verdict).await;
        let written: Vec<_> = steps.iter().map(|step| format!("    {step:?},\n")).collect();
        say(&format!(
            "seed {seed}, shortened from {before} to {} steps:\n{}wrong:\n  {}",
            steps.len(),
            written.concat(),
            wrong.join("\n  ")
        ));
    }
    seeds::assert_none(&failed);
}
