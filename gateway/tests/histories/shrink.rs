//! Shortens a failing history: takes steps out as long as it still fails.

use std::time::{Duration, Instant};

use super::history::{History, Step};
use super::verdict;

/// A history does not fail each time, so each shorter one gets this many chances.
const TRIES: usize = 3;
const LONGEST: Duration = Duration::from_secs(25);

/// The shortest failing history that was found, and what is wrong in it.
pub async fn shrink(history: History, wrong: Vec<String>) -> (History, Vec<String>) {
    let (mut best, mut why) = (history, wrong);
    let began = Instant::now();
    let mut size = best.steps.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        let mut shorter = false;
        while at < best.steps.len() && began.elapsed() < LONGEST {
            let mut steps = best.steps.clone();
            steps.drain(at..(at + size).min(steps.len()));
            let tried = History { steps, ..best.clone() };
            match fails(&tried).await {
                Some(wrong) => (best, why, shorter) = (tried, wrong, true),
                None => at += size,
            }
        }
        if size == 1 && !shorter {
            break;
        }
        size = if size == 1 { 1 } else { size / 2 };
        if began.elapsed() >= LONGEST {
            break;
        }
    }
    (best, why)
}

async fn fails(history: &History) -> Option<Vec<String>> {
    for _ in 0..TRIES {
        let wrong = verdict(history).await;
        if !wrong.is_empty() {
            return Some(wrong);
        }
    }
    None
}

/// The steps as they would be written down in `cases.rs`.
pub fn written(history: &History) -> String {
    let steps: Vec<_> = history.steps.iter().map(|step: &Step| format!("    {step:?},\n")).collect();
    let History { process, largest_log, cards, .. } = history;
    format!("process: {process}, largest_log: {largest_log:?}, cards: {cards:?}, steps:\n{}", steps.concat())
}
