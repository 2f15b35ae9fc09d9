//! Shows the composer as one row where the page is narrow and nobody writes. The style
//! sheet decides where that is.

use gloo_events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, Node};

use super::ComposerState;
use crate::ui::elements::builder::El;

/// Tracks whether somebody writes. The composer opens when its field has the focus or a key led to one of its
/// buttons, and closes when the focus or a press goes elsewhere.
pub(super) fn watch(section: El, composer: ComposerState) -> El {
    let open = composer.open;
    let place = section.element().clone();
    let elsewhere = EventListener::new(&document(), "pointerdown", move |event| {
        if !event.composed_path().includes(&place, 0) {
            open.try_set(false);
        }
    });
    StoredValue::new_local(elsewhere);
    let inside = section.element().clone();
    section
        .on("focusin", move |event| {
            let on = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            // A button must not move between the pointer going down on it and going up.
            let writes =
                |on: &Element| on.local_name() == "textarea" || on.matches(":focus-visible").unwrap_or(false);
            if on.as_ref().is_some_and(writes) {
                open.set(true);
            }
        })
        .on("focusout", move |event| {
            let to = event.dyn_ref::<FocusEvent>().and_then(FocusEvent::related_target);
            let to = to.and_then(|to| to.dyn_into::<Node>().ok());
            // Without a target the focus may be back at once.
            if to.is_some_and(|to| !inside.contains(Some(&to))) {
                open.set(false);
            }
        })
}

/// Whether nobody writes and nothing in the composer needs more room. Subscribes.
pub(super) fn is_compact(composer: ComposerState) -> bool {
    !composer.open.get()
        && composer.files.with(Vec::is_empty)
        && composer.editing.with(Option::is_none)
        && composer.proposals.with(|(all, _)| all.is_empty())
}
