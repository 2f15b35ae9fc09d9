//! Waiting for what nobody tells, and signals to processes.

use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval};

/// Whoever waits longer than this waits for something that does not come.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// How often it is looked whether something that nobody tells has come.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Waits until this gives something.
pub async fn poll<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    try_poll(what, look).await.unwrap_or_else(|why| panic!("{why}"))
}

/// The same; an error if it waits too long.
pub async fn try_poll<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> Result<T, String> {
    let began = Instant::now();
    let mut looks = interval(BETWEEN_LOOKS);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while began.elapsed() < PATIENCE {
        looks.tick().await;
        if let Some(found) = look().await {
            return Ok(found);
        }
    }
    Err(format!("waited too long for {what}"))
}

/// Sends a process a signal.
pub fn signal(process: u32, name: &str) {
    let sent = std::process::Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(sent.unwrap().success(), "{name} can't be sent");
}
