//! Where proposals stand while somebody types. They are made in `proposals.rs`, which comes with the chunk `composer_actions`.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::actions::{self, ACTIONS};
use super::state::ComposerState;
use crate::ui::elements::builder::{El, div};

/// The sign after which the session's files are proposed where the server proposes nothing.
pub(super) const FILES: &str = "@";

/// Tells screen readers that the proposals belong to the field, and which one is marked.
pub(super) fn describe_field(field: El, composer: ComposerState) -> El {
    field
        .attr("aria-controls", move || has_proposals(composer).then(|| "ph-proposals".to_owned()))
        .attr("aria-activedescendant", move || {
            has_proposals(composer).then(|| name(composer.proposals.with(|all| all.1)))
        })
}

/// Whether the server proposes files. Those that the session has touched are
/// proposed in any case. Subscribes.
pub(super) fn files_proposed(composer: ComposerState) -> bool {
    composer.signs.with(|signs| signs.iter().any(|sign| sign == FILES))
}

fn has_proposals(composer: ComposerState) -> bool {
    composer.proposals.with(|(all, _)| !all.is_empty())
}

/// The id of a proposal's row.
pub(super) fn name(at: usize) -> String {
    format!("ph-proposal-{at}")
}

/// The place of the list.
pub(super) fn proposals(composer: ComposerState) -> El {
    div("composer-over").child(move || {
        if !has_proposals(composer) {
            return None;
        }
        actions::view(|actions| (actions.proposals)(composer))
    })
}

/// Looks up what fits at the cursor.
pub(super) fn update(composer: ComposerState) {
    match untrack(|| ACTIONS.ready()) {
        Ok(actions) => (actions.propose)(composer),
        Err(_) => ACTIONS.with(move |actions| (actions.propose)(composer)),
    }
}

/// Handles a key for the list; false if it means nothing here.
pub(super) fn press(composer: ComposerState, event: &KeyboardEvent) -> bool {
    untrack(|| ACTIONS.ready()).is_ok_and(|actions| (actions.press)(composer, event))
}

/// Closes the list.
pub(super) fn close(composer: ComposerState) {
    if composer.proposals.with_untracked(|(all, _)| !all.is_empty()) {
        composer.proposals.set((Vec::new(), 0));
    }
}
