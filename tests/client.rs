//! The client in virtual time, against a scripted gateway: cut, half open, refused, restarted, frozen, offline, with late
//! answers and clocks that are set. The promises of docs/reliability.md are what is checked.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "client/board.rs"]
mod board;
#[path = "client/board_histories.rs"]
mod board_histories;
#[path = "client/cases.rs"]
mod cases;
#[path = "client/compose_histories.rs"]
mod compose_histories;
#[path = "client/cuts.rs"]
mod cuts;
#[allow(dead_code, reason = "the list of types is all that is needed here")]
#[path = "support/events.rs"]
mod events;
#[path = "client/histories.rs"]
mod histories;
#[path = "client/history.rs"]
mod history;
#[path = "client/server.rs"]
mod server;
#[path = "client/world.rs"]
mod world;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngAlgorithm;

/// How histories are made up: so many, from a generator of random numbers that takes half the time of the usual one without
/// optimisation.
fn config(cases: u32) -> ProptestConfig {
    let rng_algorithm = RngAlgorithm::XorShift;
    ProptestConfig { cases, failure_persistence: None, rng_algorithm, ..ProptestConfig::default() }
}
