//! What carries out calls and emits events: a file or folder for each agent.

pub mod acp;
pub mod copilot;
pub mod machines;
pub mod recording;
