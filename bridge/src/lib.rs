//! Where to start in the native side of Pilothouse: the gateway that serves the page and plays
//! recordings. It refuses to reduce events itself (that is `pilothouse::core`) and to know the browser.
//!
//! Reading order: [`recording`] (a file, read once) → [`journal`] (what has been sent so far) →
//! [`player`] (one task a session, decides when) → [`request`] and [`answer`] (what a person is
//! asked, what their answer becomes) → [`live`] (the same for a real runtime) → [`session`] → [`rpc`] → [`gateway`]
//! with its carriers [`stream`] (server-sent events) and [`socket`] (WebSocket). All sessions at once: [`summary`]
//! (what is told of one) → [`board`]. Before all of them stands [`access`] with [`guard`]: who is let in, and as what.

#![forbid(unsafe_code)]

pub mod access;
pub mod answer;
pub mod board;
mod consequence;
pub mod gateway;
pub mod guard;
pub mod inspect;
pub mod journal;
pub mod live;
pub mod methods;
pub mod page;
pub mod player;
pub mod recording;
pub mod request;
pub mod rpc;
pub mod session;
pub mod socket;
pub mod stream;
pub mod summary;
pub mod time;

/// Says something on standard error, where the person who started the gateway sees it.
pub fn report(message: &str) {
    use std::io::Write as _;

    // Without a standard error there is nowhere left to say so.
    let _ = writeln!(std::io::stderr().lock(), "pilothouse: {message}");
}
