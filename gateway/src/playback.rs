//! Recordings: read from a file, played as if they were live, and answered.

pub mod answer;
pub mod files;
pub mod player;
pub mod recording;
mod requests;
