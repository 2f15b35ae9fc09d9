//! The pure core: bytes in, state and changes out, without browser APIs, clocks, randomness or IO.
//!
//! Reading order: [`wire`] finds text in bytes and records in text, [`session`] feeds them into [`reduce`],
//! which folds events into the [`model`]; [`view_model`] and [`export`] project it. [`protocol`] is the
//! vocabulary that all of them share.

pub mod client;
pub mod connection;
pub mod export;
pub mod i18n;
pub mod json_writer;
pub mod markup;
pub mod model;
pub mod protocol;
pub mod reduce;
pub mod session;
pub mod styles;
pub mod text;
pub mod transcripts;
pub mod view_model;
pub mod wire;

pub use model::entry::{Entry, EntryState, Kind};
pub use model::state::Change;
pub use model::state::State;
pub use session::{Received, Session};

/// Runs the sample in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;
