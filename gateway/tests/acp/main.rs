//! The pure part of ACP against what real agents sent: 134 recordings of OpenCode, Codex, Gemini CLI and Copilot CLI.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod histories;
mod outlines;
mod recording;
mod scenes;
