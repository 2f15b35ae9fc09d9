//! The native side of Pilothouse: the gateway that serves the page, plays recordings and drives the runtime.
//! Events are reduced in `pilothouse_core`.
//!
//! Reading order: [`journal`] (the store of a session's events) → [`sessions`] (a session, its list, its row; the
//! port [`sessions::agent`], what carries out calls) → [`playback`] (recordings, and what an answer becomes) →
//! [`agents`] (a recording and the Copilot runtime behind that port) → [`access`] (who is let in, and in which
//! role) → [`telemetry`] (spans for a collector) → [`push`] (messages to people's phones) → [`http`] (routes, and the carriers [`http::socket`] and
//! [`http::stream`]) → [`gateway`], which puts these together. [`rpc`] has the calls as they are on the wire, [`inspect`] and [`schema`] are commands of their own.

#![forbid(unsafe_code)]

pub mod access;
pub mod agents;
pub mod gateway;
pub mod health;
pub mod http;
pub mod inspect;
pub mod journal;
pub mod languages;
pub mod metrics;
pub mod outgoing;
pub mod playback;
pub mod private_file;
pub mod push;
pub mod qr_code;
pub mod rpc;
pub mod schema;
pub mod sessions;
pub mod sign_in_links;
pub mod telemetry;
pub mod time;
