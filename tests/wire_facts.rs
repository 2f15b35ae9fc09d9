//! One test for every rule of the wire on which the core relies, named after its number. Each rule is shown
//! by the few events that would break it.
//!
//! Not here is what the core can't show: rule 26 (following what was sent from here: it is tested in `src/ui`
//! and end to end, and the core's part in `queue`), and of rule 27 which history is fetched, and from which
//! cursor (`src/core/connection` and `gateway/tests/gateway`).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::needless_pass_by_value, reason = "scenes are read, not run in a loop")]

#[path = "wire_facts/activity.rs"]
mod activity;
#[path = "wire_facts/agents.rs"]
mod agents;
#[path = "wire_facts/endings.rs"]
mod endings;
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
#[path = "wire_facts/restarts.rs"]
mod restarts;
#[path = "wire_facts/tools.rs"]
mod tools;
