//! What views show, derived from the model without a browser: sentences about tool calls, risks, the lens, the panel, search,
//! snapshots.

pub mod compose;
pub mod danger;
pub mod lens;
pub mod outline;
pub mod search;
pub mod snapshot;
pub mod stakes;
pub mod surroundings;
pub mod tool_shown;
pub mod tool_words;
pub mod tray;
pub mod words;
