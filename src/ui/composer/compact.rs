//! Shows the composer as one row where the page is narrow and nobody writes. The style
//! sheet decides where that is.

use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, Node, ShadowRoot};

use super::actions::ACTIONS;
use super::state::ComposerState;
use crate::ui::elements::builder::El;

/// Milliseconds after a press elsewhere within which its click comes. Without one, as after a swipe, the composer closes then.
const CLICK_MS: u32 = 400;

/// Tracks whether somebody writes. The composer opens when its field has the focus or a key led to one of its
/// buttons, and closes when the focus or a press goes elsewhere. What is pressed must not move before the press counts, so
/// a press closes it with its click.
pub(super) fn watch(section: El, composer: ComposerState) -> El {
    let open = composer.open;
    let pressed = StoredValue::new(false);
    let waiting = StoredValue::new_local(None::<Timeout>);
    let place = section.element().clone();
    let close = move || {
        if pressed.try_get_value() == Some(true) {
            pressed.set_value(false);
            waiting.set_value(None);
            open.try_set(false);
        }
    };
    let on = |name: &'static str, act: Box<dyn Fn(&web_sys::Event)>| {
        EventListener::new(&document(), name, move |event| act(event))
    };
    let down = move |event: &web_sys::Event| {
        if !event.composed_path().includes(&place, 0) {
            pressed.try_set_value(true);
        }
    };
    let up = move |_: &web_sys::Event| {
        if pressed.try_get_value() == Some(true) {
            waiting.set_value(Some(Timeout::new(CLICK_MS, close)));
        }
    };
    StoredValue::new_local([
        on("pointerdown", Box::new(down)),
        on("pointerup", Box::new(up)),
        on("pointercancel", Box::new(up)),
        on("click", Box::new(move |_| close())),
    ]);
    let inside = section.element().clone();
    section
        .on("focusin", move |event| {
            // Also where the field is in a shadow root of its own.
            let on = event.composed_path().get(0).dyn_into::<Element>().ok();
            // A button must not move between the pointer going down on it and going up.
            let writes =
                |on: &Element| on.local_name() == "textarea" || on.matches(":focus-visible").unwrap_or(false);
            if on.as_ref().is_some_and(writes) {
                open.set(true);
                // The chunk is needed soon, and comes if it is not here.
                _ = untrack(|| ACTIONS.ready());
            }
        })
        .on("focusout", move |event| {
            let to = event.dyn_ref::<FocusEvent>().and_then(FocusEvent::related_target);
            let to = to.and_then(|to| to.dyn_into::<Node>().ok());
            // Without a target the focus may be back at once.
            if !pressed.get_value() && to.is_some_and(|to| !contains_node(&inside, &to)) {
                open.set(false);
            }
        })
}

/// Whether a node is in the composer, or among what the host puts into its slots.
fn contains_node(composer: &Element, node: &Node) -> bool {
    let slotted = || {
        let host = composer.get_root_node().dyn_into::<ShadowRoot>().ok().map(|root| root.host());
        let child =
            node.dyn_ref::<Element>().and_then(|node| node.closest("[slot=composer-actions]").ok().flatten());
        child.is_some_and(|child| child.parent_element() == host)
    };
    composer.contains(Some(node)) || slotted()
}

/// Whether nobody writes and nothing is written: the composer is one line where the page is narrow. Subscribes.
pub(super) fn is_compact(composer: ComposerState) -> bool {
    !composer.open.get()
        && composer.text.with(String::is_empty)
        && composer.files.with(Vec::is_empty)
        && composer.editing.with(Option::is_none)
        && composer.proposals.with(|(all, _)| all.is_empty())
}
