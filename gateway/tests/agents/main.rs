//! Tests of agents that speak ACP, with a stand-in that is started as a process and does what a prompt says. Real agents are
//! driven by `tests/e2e/agents`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../gateway/client.rs"]
mod client;
#[path = "../histories/folder.rs"]
#[allow(dead_code, reason = "the histories of one gateway do more with it")]
mod folder;
#[cfg(target_os = "linux")]
mod histories;
mod life;
#[cfg(target_os = "linux")]
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../cluster/link.rs"]
mod link;
mod listing;
#[cfg(target_os = "linux")]
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../cluster/nats.rs"]
mod nats;
mod scene;
#[cfg(target_os = "linux")]
#[path = "../histories/seeds.rs"]
mod seeds;
#[cfg(target_os = "linux")]
#[path = "../histories/shrink.rs"]
mod shrink;
mod stand_in;
mod start;
#[cfg(target_os = "linux")]
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../cluster/waiting.rs"]
mod waiting;
