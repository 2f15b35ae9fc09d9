//! What people call a sub-agent: its name, or 'Sub-agent' where that is not known. Its id says nothing to them.

use crate::i18n::words::page;
use crate::model::entry::{Body, Entry};
use crate::model::state::State;

/// A name as it is shown.
pub fn shown(name: &str) -> &str {
    if name.trim().is_empty() { page::SUB_AGENT.text() } else { name }
}

/// The name of the sub-agent with this id.
pub fn by_id<'a>(state: &'a State, agent: &str) -> &'a str {
    at(state, state.agent_place(agent).or_else(|| state.subagent_place(agent)))
}

/// The name of the sub-agent that an entry belongs to; none for the main agent's.
pub fn of_entry<'a>(state: &'a State, entry: &Entry) -> Option<&'a str> {
    entry.agent_id.as_deref().or(entry.parent_tool_call_id.as_deref())?;
    Some(at(state, state.agent_of(entry)))
}

fn at(state: &State, place: Option<usize>) -> &str {
    let agent = place.and_then(|place| match &state.entry(place)?.body {
        Body::Subagent(agent) => Some(agent.title()),
        _ => None,
    });
    shown(agent.unwrap_or_default())
}
