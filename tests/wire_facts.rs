//! Owns one test for every rule of the wire that the core lives by, named after its number.
//! Refuses recordings: each rule is shown by the few events that break it.
//!
//! Not here, because the core can't show them: 26 (tracking what was sent from here: `src/ui` and the end-to-end
//! tests, the part that the core has is in `queue`), 27 (which history is fetched, and from which cursor:
//! `src/core/connection` and `bridge/tests/gateway`).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::needless_pass_by_value, reason = "scenes are read, not run in a loop")]

#[path = "wire_facts/envelope.rs"]
mod envelope;
#[path = "wire_facts/history.rs"]
mod history;
#[path = "wire_facts/messages.rs"]
mod messages;
#[path = "support/play.rs"]
mod play;
#[path = "wire_facts/projections.rs"]
mod projections;
#[path = "wire_facts/requests.rs"]
mod requests;
#[path = "wire_facts/told.rs"]
mod told;
#[path = "wire_facts/tools.rs"]
mod tools;
