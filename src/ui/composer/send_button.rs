//! The buttons that send what is written, and beside them the one that stops the agent while it works.

use leptos::prelude::*;

use super::state::{ComposerState, use_composer};
use super::stop;
use crate::core::client::compose::DeliveryMode;
use crate::core::i18n::Word;
use crate::core::i18n::words::composer as words;
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::memo;
use crate::ui::session::use_session;

/// Sends what is written. While the agent works there are two buttons, for sending at once and for the queue, and one that
/// stops it; while a queued message is edited, one that saves it.
#[component(transparent)]
pub fn ComposerSend() -> Live {
    let composer = use_composer();
    use_session().framed_part(move || buttons(composer))
}

fn buttons(composer: ComposerState) -> El {
    let busy = memo(move || composer.is_busy());
    let edits = memo(move || composer.edits_queued());
    div("composer-ends").child(move || {
        if edits.get() {
            let cancel = labelled_button(words::CANCEL).attr("data-cancel", "").text(words::CANCEL.text());
            let cancel = cancel.on("click", move |_| _ = composer.cancel_edit());
            return vec![cancel, primary(composer, words::SAVE, Icon::Check, DeliveryMode::Queue)];
        }
        if !busy.get() {
            return vec![primary(composer, words::SEND, Icon::Send, DeliveryMode::Queue)];
        }
        if composer.replies() {
            return vec![stop::stop_menu(composer)];
        }
        let way = composer.usual.get();
        let (now, later) = ((words::SEND_NOW, Icon::Send), (words::QUEUE, Icon::Queue));
        let (first, second) = if way == DeliveryMode::Now { (now, later) } else { (later, now) };
        let other = way.other();
        let second = with_icon(labelled_button(second.0), second.1)
            .attr("data-send", if other == DeliveryMode::Now { "now" } else { "queue" })
            .attr("disabled", move || !ready(composer))
            .on("click", move |_| composer.submit(other));
        vec![stop::stop_menu(composer), second, primary(composer, first.0, first.1, way)]
    })
}

/// Whether there is something to send and it can be sent. Subscribes.
fn ready(composer: ComposerState) -> bool {
    let some =
        composer.text.with(|text| !text.trim().is_empty()) || composer.files.with(|files| !files.is_empty());
    some && composer.connected() && !composer.has_ended()
}

fn primary(composer: ComposerState, name: Word, icon: Icon, way: DeliveryMode) -> El {
    with_icon(labelled_button(name).class("btn primary"), icon)
        .attr("data-send", "usual")
        .attr("disabled", move || !ready(composer))
        .on("click", move |_| composer.submit(way))
}

fn labelled_button(name: Word) -> El {
    el("button")
        .attr("type", "button")
        .class("btn")
        .attr("part", "button")
        .attr("aria-label", name.text())
        .attr("title", name.text())
}

fn with_icon(button: El, icon: Icon) -> El {
    let name = button.element().get_attribute("aria-label").unwrap_or_default();
    button.child(glyph(icon)).child(el("span").text(&name))
}
