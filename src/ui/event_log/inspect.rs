//! Leads from an entry to its raw events: by the key `i`, and by one button that moves to the entry under
//! the pointer or with the focus.

use leptos::prelude::{Get, GetUntracked, Set, request_animation_frame};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent};

use crate::core::i18n::words::log;
use crate::core::view_model::icon::Icon;
use crate::store::Store;
use crate::store::view_state::SideViewKind;
use crate::ui::elements::builder::{El, append, el, glyph};
use crate::ui::elements::reactive::render_effect;
use crate::ui::lazy;

/// Adds the button and the key to the page.
pub fn add_inspect_button(page: &El, store: Store) {
    let button = el("button")
        .attr("type", "button")
        .class("btn bare inspect")
        .attr("aria-label", log::RAW_EVENTS.text())
        .attr("title", log::RAW_EVENTS_KEY.text())
        .on("click", move |event| inspect(store, event))
        .child(glyph(Icon::Braces));
    let goes_to = move |article: Element| {
        // In an entry that has actions the button is one of them.
        let place = article.query_selector(".actions").ok().flatten().unwrap_or(article);
        // While the button has the focus it is not moved: that would lose the focus.
        let busy = button.element().matches(":focus").unwrap_or(false);
        if !busy && button.element().parent_element().as_ref() != Some(&place) {
            append(&place, &button);
        }
    };
    let goes = goes_to.clone();
    let moves = move |event: &Event| {
        // While the reader scrolls past, the actions that the button belongs to do not exist yet.
        let fast = store.view_state.scrolls_fast.get_untracked();
        if let Some(article) = article_of(event).filter(|_| !fast) {
            goes(article);
        }
    };
    let focused = moves.clone();
    // An entry that had the pointer or the focus before this code was loaded, or before it got
    // actions, gets the button too.
    let rows = page.element().clone();
    render_effect(move || {
        if store.view_state.scrolls_fast.get() || lazy::DETAILS.ready().is_err() {
            return;
        }
        let (rows, goes) = (rows.clone(), goes_to.clone());
        // The actions are made in this turn, by an effect that runs after this one.
        request_animation_frame(move || {
            let there = rows.query_selector("article[data-row]:is(:hover, :focus-within)");
            if let Some(article) = there.ok().flatten() {
                goes(article);
            }
        });
    });
    let page = page.clone().on("pointerover", moves).on("focusin", focused);
    let _ = page.on("keydown", move |event| {
        let plain = event.dyn_ref::<KeyboardEvent>().is_some_and(|event| {
            event.key() == "i" && !(event.ctrl_key() || event.meta_key() || event.alt_key())
        });
        let types =
            target(event).is_some_and(|target| target.matches("input, textarea, select").unwrap_or(false));
        if plain && !types && article_of(event).is_some() {
            event.prevent_default();
            inspect(store, event);
        }
    });
}

fn target(event: &Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

fn article_of(event: &Event) -> Option<Element> {
    target(event)?.closest("article[data-row]").ok().flatten()
}

fn inspect(store: Store, event: &Event) {
    if let Some(row) = article_of(event).and_then(|article| article.get_attribute("data-row")?.parse().ok()) {
        store.view_state.side_view.set(Some(SideViewKind::Inspector(row)));
    }
}
