//! Tests of the gateway over real connections, on loopback, on a free port each. The command line is tested
//! in `tests/command.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod access;
mod answers;
mod audit;
mod board;
mod carriers;
mod client;
mod connections;
mod history;
mod hostile;
mod life;
mod methods;
mod metrics;
mod oidc;
mod phone;
mod playback;
mod provider;
mod refusals;
mod screen;
mod sharing;
mod tls;
mod watching;
