//! What carries out calls and emits events: a file or folder for each agent.
//!
//! All that drive sessions here share the [`recorder`] (events become lines of journals, [`publishing`] has stored ones published),
//! the [`backlog`] (messages are there until an agent has begun with them) with the [`queue`], [`answering`] (one answer at a
//! time), the [`notice`] of the gateway itself, and the [`output`] with an agent's last lines, where [`secrets`] hides secret values.

pub mod acp;
pub mod answering;
pub mod backlog;
pub mod copilot;
pub mod machines;
pub mod notice;
pub mod output;
pub mod publishing;
pub mod queue;
pub mod recorder;
pub mod recording;
pub mod secrets;
