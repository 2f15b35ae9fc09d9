//! Sends the message of an interrupted turn again.

use leptos::prelude::*;

use super::state::ComposerState;
use crate::core::client::compose::{Input, Note, OutgoingMessage};
use crate::core::i18n::words::composer as words;
use crate::core::model::entry::Body;
use crate::ui::elements::reactive::render_effect;

/// Sends the message when somebody has pressed the button at the end of its turn.
pub(super) fn listen(composer: ComposerState) {
    let resending = composer.store.resending();
    render_effect(move || {
        if let Some((row, false)) = resending.get() {
            untrack(|| {
                resending.set(Some((row, true)));
                try_again(composer, row);
            });
        }
    });
}

fn try_again(composer: ComposerState, row: usize) {
    let message = composer.store.entry(row, |entry| {
        let Body::User(message) = &entry.body else { return None };
        Some((entry.text.to_string(), message.attachments.clone()))
    });
    let Some((text, attachments)) = message.flatten() else { return };
    composer.input(Input::Acts);
    if attachments.is_empty() {
        let message =
            OutgoingMessage { prompt: text, display: None, mode: None, files: Vec::new(), way: None };
        composer.input(Input::Send(message));
        return;
    }
    // The session has only the names of what was attached.
    composer.input(Input::BringBack(&text));
    let names = words::ATTACH_MISSING.with(&[("names", (&attachments.join(", ")).into())]);
    composer.set_note(Some(Note::info(&names)));
    composer.focus();
}
