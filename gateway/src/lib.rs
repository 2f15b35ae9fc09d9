//! The native side of Pilothouse: the gateway that serves the page, plays recordings and drives the runtime.
//! Events are reduced in `pilothouse_core`.
//!
//! Reading order: [`recording`] (a file, read once) → [`journal`] (what has been sent so far) → [`player`]
//! (one task a session, sends each event in time) → [`request`] and [`answer`] (what a person is asked, what
//! their answer becomes) → [`live`] (the same for a real runtime) → [`session`] → [`rpc`] → [`gateway`] with
//! its carriers [`stream`] (server-sent events) and [`socket`] (WebSocket). All sessions at once: [`summary`]
//! (a row for each) → [`board`]. [`access`] and [`guard`] check every request first: who is let in, and in
//! which role.

#![forbid(unsafe_code)]

pub mod access;
pub mod agents;
pub mod facts;
pub mod gateway;
pub mod health;
pub mod http;
pub mod inspect;
pub mod journal;
pub mod playback;
pub mod rpc;
pub mod schema;
pub mod sessions;
pub mod time;
