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
mod waiting;
