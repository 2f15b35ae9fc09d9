//! The sentence about a tool call, with details that only the chunk `cards` knows. The texts are in
//! `core::view_model::tool_summary`.

use crate::core::Entry;
use crate::core::model::tool_call::{Life, ToolCall};
use crate::core::view_model::tool_summary;
pub use crate::core::view_model::tool_summary::{Edit, Family, Sentence, family};
use crate::ui::elements::icons::Icon;
use crate::ui::lazy;

/// The family's icon.
pub fn icon(family: Family) -> Icon {
    match family {
        Family::Shell => Icon::Terminal,
        Family::Edit => Icon::Pencil,
        Family::Read => Icon::File,
        Family::Search => Icon::Search,
        Family::Web => Icon::Globe,
        Family::Mcp => Icon::Plug,
        Family::Agent => Icon::Agent,
        Family::List => Icon::List,
        Family::AskUser => Icon::Question,
        Family::Memory | Family::Skill => Icon::Skill,
        Family::Other => Icon::Braces,
    }
}

/// What an entry's call did, and what a search found.
pub fn summary(entry: &Entry, cwd: Option<&str>) -> Option<Sentence> {
    let call = entry.tool()?;
    let details = lazy::DETAILS.ready().ok();
    if matches!(call.life, Life::Writing)
        && let Some(so_far) = details.and_then(|details| (details.written)(call))
    {
        return Some(sentence(&so_far, cwd));
    }
    let mut said = sentence(call, cwd);
    if family(call) == Family::Search {
        said.remark = details.and_then(|details| (details.found)(entry));
    }
    Some(said)
}

/// What the call did, does, or did not do.
pub fn sentence(call: &ToolCall, cwd: Option<&str>) -> Sentence {
    let edit = (family(call) == Family::Edit)
        .then(|| lazy::EDITS.ready())
        .and_then(|edits| (edits.ok()?.summary)(call));
    tool_summary::sentence(call, cwd, edit)
}
