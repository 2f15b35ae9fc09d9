//! Several gateways over one log in NATS, with real servers and gateways in processes of their own. `promises` has what is
//! promised, one by one; `histories` has random histories with faults, each checked.
//!
//! Skipped, with a line that says so, where there is no `nats-server`.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../histories/checker.rs"]
mod checker;
#[path = "../gateway/client.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod client;
mod fence;
#[path = "../histories/folder.rs"]
#[allow(dead_code, reason = "the histories of one gateway do more with it")]
mod folder;
mod gateways;
mod histories;
#[path = "../histories/history.rs"]
#[allow(dead_code, reason = "the histories of one gateway have other steps")]
mod history;
mod link;
mod nats;
#[path = "../histories/network.rs"]
mod network;
#[path = "../histories/pages.rs"]
#[allow(dead_code, reason = "the histories of one gateway do more with them")]
mod pages;
mod permissions;
mod promises;
mod run;
#[path = "../histories/runtime.rs"]
#[allow(dead_code, reason = "the histories of one gateway do more with it")]
mod runtime;
mod schedule;
#[path = "../histories/seeds.rs"]
mod seeds;
#[path = "../histories/shrink.rs"]
mod shrink;
#[path = "../live/stand_in.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod stand_in;
mod stream;

use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval};

/// How often it is looked whether something that nobody tells has come.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Waits until this gives something.
async fn poll<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    try_poll(what, look).await.unwrap_or_else(|why| panic!("{why}"))
}

async fn try_poll<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> Result<T, String> {
    let began = Instant::now();
    let mut looks = interval(BETWEEN_LOOKS);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while began.elapsed() < network::PATIENCE {
        looks.tick().await;
        if let Some(found) = look().await {
            return Ok(found);
        }
    }
    Err(format!("waited too long for {what}"))
}

/// Sends a process a signal.
fn signal(process: u32, name: &str) {
    let sent = std::process::Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(sent.unwrap().success(), "{name} can't be sent");
}
