//! The pure part of ACP against what real agents sent: 136 recordings of `OpenCode`, Codex, Gemini CLI and Copilot CLI.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]
#![allow(clippy::needless_pass_by_value, reason = "JSON that is written in place")]

mod histories;
mod outlines;
mod recording;
mod scenes;
