//! Random histories of a cluster, each checked. A seed always gives the same steps. `CLUSTER_HISTORIES` is how many are checked,
//! `SEED` the first seed. A failing history is printed, with its seed, as the shortest list of steps that was found to fail as
//! well.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::schedule::{self, Step};
use super::{nats, run, say, shrink};

/// As many are checked with each change.
const USUAL: u64 = 10;
/// How many histories run at once: each has six processes, and waits most of the time.
const AT_ONCE: usize = 4;
/// How long shorter histories are tried; each takes its seconds.
const LONGEST_SHRINKING: Duration = Duration::from_mins(5);

/// What is wrong in the history of these steps; empty if it is as promised.
async fn verdict(steps: &[Step]) -> Vec<String> {
    let steps = steps.to_vec();
    // Each in a thread of its own, with all that it has started.
    let carried_out = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run::run(&steps))
    });
    match carried_out.await {
        Ok(Ok(wrong)) => wrong,
        Ok(Err(why)) => vec![why],
        Err(panic) => vec![format!("it could not be carried out: {panic}")],
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_history_of_a_cluster_is_as_promised() {
    if nats::program().is_none() {
        return;
    }
    let (first, count) = (number("SEED", 1), number("CLUSTER_HISTORIES", USUAL));
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for seed in first..first + count {
        let place = Arc::clone(&places).acquire_owned().await.unwrap();
        running.spawn(async move {
            let steps = schedule::steps(seed);
            let wrong = verdict(&steps).await;
            drop(place);
            (seed, steps, wrong)
        });
    }
    let (mut sum, mut faults, mut failed) = (0, BTreeMap::new(), Vec::new());
    while let Some(done) = running.join_next().await {
        let (seed, steps, wrong) = done.unwrap();
        sum += steps.len();
        for fault in steps.iter().filter_map(Step::fault) {
            *faults.entry(fault).or_insert(0_u64) += 1;
        }
        if !wrong.is_empty() {
            say(&format!("seed {seed} failed:\n  {}", wrong.join("\n  ")));
            failed.push((seed, steps, wrong));
        }
    }
    let by_kind: Vec<_> = faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let all: u64 = faults.values().sum();
    say(&format!(
        "histories of a cluster: {count} checked, {sum} steps, {all} faults ({}), seeds {first}..{}",
        by_kind.join(", "),
        first + count - 1
    ));
    failed.sort_by_key(|(seed, ..)| *seed);
    let seeds: Vec<_> = failed.iter().map(|(seed, ..)| *seed).collect();
    if let Some((seed, steps, wrong)) = failed.into_iter().next() {
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
    assert!(seeds.is_empty(), "failing seeds: {seeds:?}");
}
