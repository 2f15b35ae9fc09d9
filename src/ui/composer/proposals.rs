//! The proposals: commands after a slash, files after `@`, what the host's page completes. Enter still sends a text that is
//! already complete.

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen_futures::spawn_local;
use web_sys::{KeyboardEvent, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::host_options;
use super::state::ComposerState;
use super::suggestions::{FILES, close, name};
use crate::client::announcer::announce_outcome;
use crate::core::i18n::words::composer as words;
use crate::core::view_model::compose::files::files_for;
use crate::core::view_model::compose::{Proposal, commands_for, completions, mention, splice};
use crate::ui::elements::builder::{El, el};
use crate::ui::elements::reactive::render_effect;

/// The list of those there are.
pub(super) fn list(composer: ComposerState) -> El {
    let (all, marked) = composer.proposals.get_untracked();
    let rows = all.iter().enumerate().map(|(at, proposal)| row(composer, at, proposal, at == marked));
    let list = el("ul")
        .class("proposals")
        .attr("id", "ph-proposals")
        .attr("role", "listbox")
        .attr("aria-label", words::PROPOSALS.text())
        .child(rows.collect::<Vec<_>>());
    let shown = list.element().clone();
    render_effect(move || {
        let shown = shown.clone();
        request_animation_frame(move || {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            if let Ok(Some(row)) = shown.query_selector("[aria-selected='true']") {
                row.scroll_into_view_with_scroll_into_view_options(&options);
            }
        });
    });
    list
}

fn row(composer: ComposerState, at: usize, proposal: &Proposal, marked: bool) -> El {
    let chosen = proposal.clone();
    el("li")
        .class("proposal")
        .attr("id", name(at))
        .attr("role", "option")
        .attr("aria-selected", if marked { "true" } else { "false" })
        // The field keeps the focus.
        .on("pointerdown", web_sys::Event::prevent_default)
        .on("click", move |_| take(composer, &chosen))
        .child(el("b").text(&proposal.label))
        .child((!proposal.tells.is_empty()).then(|| el("span").class("quiet").text(&proposal.tells)))
}

/// Looks up what fits at the cursor.
pub(super) fn update(composer: ComposerState) {
    let (text, cursor) = (composer.text.get_untracked(), composer.cursor());
    let number = composer.untracked.try_update_value(|untracked| {
        untracked.newest_request = untracked.newest_request.wrapping_add(1);
        untracked.newest_request
    });
    let found = composer.commands.with_untracked(|commands| commands_for(&text, cursor, commands));
    if !found.is_empty() {
        show(composer, found);
        return;
    }
    if let Some((function, start, typed)) = host_options::completion(composer, &text, cursor) {
        spawn_local(async move {
            let found = host_options::complete(composer, function, &typed, (start, cursor)).await;
            // Newer text has a request of its own.
            if is_newest(composer, number) {
                show(composer, found);
            }
        });
        return;
    }
    let signs = composer.signs.get_untracked();
    if let Some((start, _)) = mention(&text, cursor, &signs) {
        let asked = json!({ "text": text, "offset": cursor });
        composer.call("session.completions.request", asked, move |outcome| {
            // Newer text has a request of its own.
            if is_newest(composer, number) {
                show(composer, completions(outcome.unwrap_or_default(), start, cursor));
            }
        });
        return;
    }
    let files = mention(&text, cursor, &[FILES.to_owned()])
        .and_then(|(start, typed)| composer.store.read(|state| files_for(state, &typed, (start, cursor))));
    show(composer, files.unwrap_or_default());
}

fn is_newest(composer: ComposerState, number: Option<u32>) -> bool {
    composer.untracked.try_with_value(|untracked| Some(untracked.newest_request) == number) == Some(true)
}

fn show(composer: ComposerState, found: Vec<Proposal>) {
    let before = composer.proposals.with_untracked(|(all, _)| all.len());
    if found.len() != before && !found.is_empty() {
        announce_outcome(
            composer.store.view_state.announcement,
            &words::PROPOSALS_COUNT.with(&[("n", found.len().into())]),
        );
    }
    if before > 0 || !found.is_empty() {
        composer.proposals.set((found, 0));
    }
}

/// Handles a key for the list; false if it means nothing here.
pub(super) fn press(composer: ComposerState, event: &KeyboardEvent) -> bool {
    let (all, marked) = composer.proposals.get_untracked();
    let Some(proposal) = all.get(marked) else { return false };
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
        return false;
    }
    match event.key().as_str() {
        "ArrowDown" => select(composer, (marked + 1) % all.len()),
        "ArrowUp" => select(composer, (marked + all.len() - 1) % all.len()),
        "Escape" => close(composer),
        "Tab" => take(composer, proposal),
        "Enter" => {
            let text = composer.text.get_untracked();
            let (then, _) = splice(&text, proposal.range, &proposal.insert);
            if then.trim_end() == text.trim_end() {
                close(composer);
                return false;
            }
            take(composer, proposal);
        }
        _ => return false,
    }
    true
}

fn select(composer: ComposerState, at: usize) {
    composer.proposals.update(|(_, marked)| *marked = at);
}

fn take(composer: ComposerState, proposal: &Proposal) {
    let (text, cursor) = splice(&composer.text.get_untracked(), proposal.range, &proposal.insert);
    composer.write(&text, Some(cursor));
    close(composer);
    if !proposal.whole {
        update(composer);
    }
}
