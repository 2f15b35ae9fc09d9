//! What carries out calls and emits events: one folder for each.

pub mod copilot;
