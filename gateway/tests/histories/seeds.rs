//! Runs the histories of many seeds, says how many there were with which faults, and shows those that failed.

use std::collections::BTreeMap;
use std::io::Write as _;

use futures_util::{StreamExt as _, stream};

/// A history that failed: its seed, and what is wrong in it.
pub type Failed<H> = (u64, H, Vec<String>);

/// Prints a line; unlike with `println` it is shown for tests that pass.
pub fn say(line: &str) {
    // Best effort; failures are ignored.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// Checks `usual` histories, or as many as the variable `count_in` says, from `SEED` or 1 on; so many run at once. `what` names them,
/// `faults` gives the word of each step, if it is a fault. Returns those that failed, in the order of their seeds.
pub async fn check<H>(
    what: &str,
    (count_in, usual, at_once): (&str, u64, usize),
    of_seed: impl Fn(u64) -> H,
    faults: impl Fn(&H) -> Vec<Option<&'static str>>,
    verdict: impl AsyncFn(&H) -> Vec<String>,
) -> Vec<Failed<H>> {
    let (first, count) = (number("SEED", 1), number(count_in, usual));
    let verdict = &verdict;
    let one = |seed| {
        let history = of_seed(seed);
        async move {
            let wrong = verdict(&history).await;
            (seed, history, wrong)
        }
    };
    let mut done = stream::iter((first..first + count).map(one)).buffer_unordered(at_once);
    let (mut steps, mut by_kind, mut failed) = (0, BTreeMap::new(), Vec::new());
    while let Some((seed, history, wrong)) = done.next().await {
        let all = faults(&history);
        steps += all.len();
        for fault in all.into_iter().flatten() {
            *by_kind.entry(fault).or_insert(0_u64) += 1;
        }
        if !wrong.is_empty() {
            say(&format!("seed {seed} failed:\n  {}", wrong.join("\n  ")));
            failed.push((seed, history, wrong));
        }
    }
    let kinds: Vec<_> = by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let sum: u64 = by_kind.values().sum();
    say(&format!(
        "{what}: {count} checked, {steps} steps, {sum} faults ({}), seeds {first}..{}",
        kinds.join(", "),
        first + count - 1
    ));
    failed.sort_by_key(|(seed, ..)| *seed);
    failed
}

/// What is wrong in one history, which is carried out in a thread of its own, with all that it starts.
#[allow(dead_code, reason = "the histories of one gateway share their threads")]
pub async fn in_a_thread<F: Future<Output = Result<Vec<String>, String>>>(
    carry_out: impl FnOnce() -> F + Send + 'static,
) -> Vec<String> {
    let carried_out = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(carry_out())
    });
    match carried_out.await {
        Ok(Ok(wrong)) => wrong,
        Ok(Err(why)) => vec![why],
        Err(panic) => vec![format!("it could not be carried out: {panic}")],
    }
}

/// Fails if a history has.
pub fn assert_none<H>(failed: &[Failed<H>]) {
    let seeds: Vec<_> = failed.iter().map(|(seed, ..)| *seed).collect();
    assert!(seeds.is_empty(), "failing seeds: {seeds:?}");
}
