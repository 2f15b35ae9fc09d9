//! The pure core: bytes in, state and changes out, without browser APIs, clocks, randomness or IO.
//!
//! Reading order: [`wire`] finds records in text, [`decoder`] finds text in bytes, [`session`] feeds both
//! into [`reduce`], which folds events into [`state`]; [`snapshot`], [`model_context`] and [`outline`]
//! project it.

pub mod ansi;
pub mod answer;
pub mod board;
pub mod catalogue;
pub mod change;
pub mod compose;
pub mod connection;
pub mod custom;
pub mod danger;
pub mod decoder;
pub mod diff;
pub mod early;
pub mod entry;
pub mod event_ids;
pub mod export;
pub mod fields;
pub mod form;
pub mod grant;
pub mod health;
pub mod hidden;
pub mod json;
pub mod language;
pub mod layers;
pub mod lens;
pub mod log;
pub mod markdown;
pub mod marks;
pub mod model_context;
pub mod order;
pub mod outbox;
pub mod outline;
pub mod partial_json;
pub mod platform;
pub mod queue;
pub mod reduce;
pub mod reference;
pub mod request;
pub mod search;
pub mod session;
pub mod snapshot;
pub mod sse;
pub mod stakes;
pub mod state;
pub mod surroundings;
pub mod telemetry;
pub mod text;
pub mod time;
pub mod tool_call;
pub mod tool_shown;
pub mod tool_words;
pub mod travel;
pub mod tray;
pub mod usage;
pub mod wire;
pub mod words;
pub mod work;

pub use change::Change;
pub use entry::{Entry, EntryState, Kind};
pub use session::{Received, Session};
pub use state::State;
