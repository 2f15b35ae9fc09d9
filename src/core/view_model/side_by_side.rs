//! Permissions that are asked for side by side: those of one kind and one asker with nothing shown between them. They share a
//! card as long as one of them waits.

use crate::model::request::{Request, RequestKind, RequestStage};
use crate::model::state::State;
use crate::view_model::approval::permission_kind;

/// How many of them are looked for before and after one. Each card in view looks at its own, with every change: thousands of
/// requests at once would stop the page.
const MAX_NEIGHBOURS: usize = 50;
/// How many rows are looked at for them: each may have the row of its call beside it.
const MAX_ROWS: usize = 2 * MAX_NEIGHBOURS;

/// The permission that a row asks for.
pub fn permission(state: &State, row: usize) -> Option<&Request> {
    state.entry(row)?.request().filter(|request| request.kind == RequestKind::Permission)
}

/// The permissions side by side with the one in this row, and itself, in their order. `is_hidden` says which rows do not part
/// them.
pub fn side_by_side(state: &State, row: usize, is_hidden: impl Fn(usize) -> bool) -> Vec<usize> {
    let kind = |row: usize| {
        let agent = state.entry(row)?.agent_id.as_deref();
        Some((permission_kind(permission(state, row)?)?, agent))
    };
    let Some(asked) = kind(row) else { return Vec::new() };
    let alike = |row: &usize| kind(*row) == Some(asked);
    let is_shown = |row: &usize| !is_hidden(*row);
    let before = (0..row).rev().take(MAX_ROWS).filter(is_shown).take_while(alike).take(MAX_NEIGHBOURS);
    let after = (row + 1..state.entries.len()).take(MAX_ROWS).filter(is_shown);
    let after = after.take_while(alike).take(MAX_NEIGHBOURS);
    let mut all: Vec<usize> = before.collect();
    all.reverse();
    all.push(row);
    all.extend(after);
    all
}

/// The same before it is known which rows are shown: the calls that they are about do not part them.
pub fn side_by_side_but_for_calls(state: &State, row: usize) -> Vec<usize> {
    let around = row.saturating_sub(MAX_ROWS)..state.entries.len().min(row + MAX_ROWS);
    let calls: Vec<&str> = around.filter_map(|row| permission(state, row)?.tool_call_id.as_deref()).collect();
    side_by_side(state, row, |row| {
        let Some(entry) = state.entry(row) else { return true };
        let id = entry.id.as_str();
        !entry.ui_visible
            || entry.tool().is_some() && (calls.contains(&id) || state.subagent_place(id).is_some())
    })
}

/// Whether a permission waits, or has waited together with one of these that still does. One that had ended before the others
/// were asked for is history.
pub fn waits_together(state: &State, row: usize, all: &[usize]) -> bool {
    let Some((entry, request)) = state.entry(row).zip(permission(state, row)) else { return false };
    // Of others it is not known when they ended.
    let ended = entry.ended_at.filter(|_| matches!(request.stage, RequestStage::Settled { .. }));
    let open = |row: &usize| permission(state, *row).is_some_and(Request::open);
    let was_there = |row: &usize| {
        let asked = state.entry(*row).and_then(|entry| entry.at);
        ended.zip(asked).is_none_or(|(ended, asked)| asked <= ended)
    };
    open(&row) || all.iter().any(|row| open(row) && was_there(row))
}

/// The row of the permission for a call that asks for one. It seldom stands before the call.
pub fn permission_of_call(state: &State, call: usize) -> Option<usize> {
    let id = state.entry(call)?.id.as_str();
    let asks =
        |row: &usize| permission(state, *row).is_some_and(|own| own.tool_call_id.as_deref() == Some(id));
    let near = call.saturating_sub(1)..state.entries.len().min(call + MAX_NEIGHBOURS);
    near.into_iter().find(asks)
}
