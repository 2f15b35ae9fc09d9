//! The buttons and lines that several parts of the composer have.

use wasm_bindgen::JsCast;

use super::state::ComposerState;
use crate::core::i18n::Word;
use crate::core::i18n::words::composer as words;
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};

/// A button that is only an icon.
pub(super) fn icon_button(icon: Icon, name: &str) -> El {
    el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("part", "button")
        .attr("aria-label", name)
        .attr("title", name)
        .child(glyph(icon))
}

/// A button with a text.
pub(super) fn button(name: Word) -> El {
    el("button").attr("type", "button").class("btn").attr("part", "button").text(name.text())
}

/// A small one.
pub(super) fn small_button(name: Word) -> El {
    button(name).class("btn small")
}

/// The buttons at a dialog's end. The one that changes nothing comes first.
pub(super) fn answers(composer: ComposerState, act: El) -> El {
    let cancel = button(words::CANCEL).on("click", move |_| composer.close_dialog());
    div("composer-answers").child(cancel).child(act)
}

/// A line above the field: an icon and a text.
pub(super) fn note_line(level: &str, icon: Icon, text: &str) -> El {
    div("composer-note")
        .attr("data-level", level)
        .child(glyph(icon))
        .child(el("p").attr("dir", "auto").text(text))
}

/// An event's target as a certain type.
pub(super) fn target<T: JsCast>(event: &web_sys::Event) -> Option<T> {
    event.target().and_then(|target| target.dyn_into().ok())
}
