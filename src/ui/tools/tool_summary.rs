//! The sentence about a tool call, with details that only the chunk `cards` knows. The texts are in
//! `core::view_model::tool_summary`.

use crate::core::Entry;
use crate::core::model::tool_call::{CallStage, ToolCall};
use crate::core::view_model::tool_summary;
pub use crate::core::view_model::tool_summary::{EditSummary, Sentence, ToolFamily, family};
use crate::ui::lazy;

/// What an entry's call did, and what a search found.
pub fn summary(entry: &Entry, cwd: Option<&str>) -> Option<Sentence> {
    let call = entry.tool()?;
    let details = lazy::DETAILS.ready().ok();
    if matches!(call.stage, CallStage::Writing)
        && let Some(so_far) = details.and_then(|details| (details.written)(call))
    {
        return Some(sentence(&so_far, cwd));
    }
    let mut summary = sentence(call, cwd);
    if family(call) == ToolFamily::Search {
        summary.remark = details.and_then(|details| (details.found)(entry));
    }
    Some(summary)
}

/// What the call did, does, or did not do.
pub fn sentence(call: &ToolCall, cwd: Option<&str>) -> Sentence {
    let edit = (family(call) == ToolFamily::Edit)
        .then(|| lazy::EDITS.ready())
        .and_then(|edits| (edits.ok()?.summary)(call));
    tool_summary::sentence(call, cwd, edit)
}
