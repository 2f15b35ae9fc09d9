//! A button with a menu. A click or an arrow key opens it; Escape, or the focus going elsewhere, closes it. Its lines come with
//! the chunk `composer_actions`.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{FocusEvent, HtmlElement, KeyboardEvent, Node};

use super::actions::ACTIONS;
use super::state::{ComposerState, Menu};
use crate::ui::elements::builder::{El, div};

/// A button and its menu.
pub(super) fn menu(composer: ComposerState, button: El, menu: Menu, open: RwSignal<bool>) -> El {
    let opener: HtmlElement = button.element().clone().unchecked_into();
    let button = button
        .attr("aria-haspopup", "menu")
        .attr("aria-expanded", move || Some(open.get().to_string()))
        .on("click", move |_| open.update(|open| *open = !*open))
        .on("keydown", move |event| {
            let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key).unwrap_or_default();
            if matches!(key.as_str(), "ArrowUp" | "ArrowDown") {
                event.prevent_default();
                event.stop_propagation();
                open.set(true);
            }
        });
    let place = div("composer-menu").child(button);
    let frame = place.element().clone();
    place
        .on("focusout", move |event| {
            let to = event.dyn_ref::<FocusEvent>().and_then(FocusEvent::related_target);
            let to = to.and_then(|to| to.dyn_into::<Node>().ok());
            // Without a target the focus is nowhere, as after a click on nothing.
            if open.get_untracked() && !frame.contains(to.as_ref()) {
                open.set(false);
            }
        })
        .child(move || {
            open.get().then(|| match ACTIONS.ready() {
                Ok(actions) => untrack(|| (actions.menu)(composer, menu, open, opener.clone())),
                Err(coming) => div("menu-list").child(coming.view()),
            })
        })
}
