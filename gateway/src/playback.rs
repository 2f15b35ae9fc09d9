//! Recordings: read from a file, played as if they were live, and answered.

pub(crate) mod after_answer;
pub mod answer;
pub mod player;
pub mod recording;
mod request;
