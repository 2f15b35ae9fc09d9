//! Owns the tests of the gateway with a runtime: a stand-in that listens on loopback says what it
//! is told to. It refuses the real runtime (`tests/runtime.rs`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answering;
#[cfg(unix)]
mod backlog;
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../gateway/client.rs"]
mod client;
mod flood;
mod health;
mod house;
#[cfg(unix)]
mod kept;
mod lists;
mod relayed;
mod stand_in;
