//! Shortens a failing history: takes steps out as long as it still fails.

use std::time::{Duration, Instant};

/// A history does not fail each time, so each shorter one gets this many chances.
const TRIES: usize = 3;

/// The shortest failing list of steps that was found within this time, and what is wrong in it. `verdict`: what is wrong in
/// the history of these steps.
pub async fn shrink<S: Clone>(
    steps: Vec<S>,
    wrong: Vec<String>,
    within: Duration,
    verdict: impl AsyncFn(&[S]) -> Vec<String>,
) -> (Vec<S>, Vec<String>) {
    let (mut best, mut why) = (steps, wrong);
    let began = Instant::now();
    let mut size = best.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        let mut shorter = false;
        while at < best.len() && began.elapsed() < within {
            let mut steps = best.clone();
            steps.drain(at..(at + size).min(steps.len()));
            match fails(&steps, &verdict).await {
                Some(wrong) => (best, why, shorter) = (steps, wrong, true),
                None => at += size,
            }
        }
        if size == 1 && !shorter {
            break;
        }
        size = if size == 1 { 1 } else { size / 2 };
        if began.elapsed() >= within {
            break;
        }
    }
    (best, why)
}

async fn fails<S>(steps: &[S], verdict: &impl AsyncFn(&[S]) -> Vec<String>) -> Option<Vec<String>> {
    for _ in 0..TRIES {
        let wrong = verdict(steps).await;
        if !wrong.is_empty() {
            return Some(wrong);
        }
    }
    None
}
