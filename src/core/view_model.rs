//! What views show, derived from the model without a browser: sentences about tool calls, risks, the lens, the panel, search,
//! snapshots.

pub mod compose;
pub mod risk;
pub mod lens;
pub mod outline;
pub mod search;
pub mod snapshot;
pub mod approval_size;
pub mod panel;
pub mod tool_details;
pub mod tool_summary;
pub mod notifications;
pub mod format;
