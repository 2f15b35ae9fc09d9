//! Tests of the gateway with a stand-in for the runtime, which listens on loopback and says what it is told
//! to. The real runtime is tested in `tests/runtime.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answering;
#[cfg(unix)]
mod backlog;
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../gateway/client.rs"]
mod client;
mod collector;
mod ending;
mod flood;
mod gateway;
mod health;
#[cfg(unix)]
mod kept;
mod lists;
#[cfg(unix)]
mod people;
#[cfg(unix)]
mod push;
#[cfg(unix)]
mod push_service;
#[cfg(unix)]
mod queued_commands;
mod relayed;
mod stand_in;
#[cfg(unix)]
mod taken_back;
mod traces;
