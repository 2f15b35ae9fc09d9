//! Tool calls: their line in the timeline, and their bodies by the kind of tool.

pub mod diff_view;
pub mod terminal;
pub mod tool_body;
pub mod tool_card;
pub mod tool_summary;
