//! Tests of agents that speak ACP, with a stand-in that is started as a process and does what a prompt says. Real agents are
//! driven by `tests/e2e/agents`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../gateway/client.rs"]
mod client;
#[cfg(target_os = "linux")]
mod histories;
mod life;
mod listing;
mod scene;
#[cfg(target_os = "linux")]
#[path = "../histories/seeds.rs"]
mod seeds;
#[cfg(target_os = "linux")]
#[path = "../histories/shrink.rs"]
mod shrink;
mod stand_in;
mod start;
