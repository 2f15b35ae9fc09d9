//! The search bar: the search field, the number of matches, and the buttons to step through them. Searching
//! is in `seek`.

use leptos::html::Input;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent, ShadowRoot};

use super::export_menu::{ExportMenu, close_menu};
use super::filter::{Chips, Hiding};
use super::highlights::Highlighter;
use super::survey::Seek;
use crate::client::announcer::announce_outcome;
use crate::core::i18n::words::search;
use crate::core::view_model::icon::Icon;
use crate::store::Store;
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::icon_button::IconButton;
use crate::ui::elements::live_text::LiveText;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::shortcuts;

/// The state that the bar's parts share.
#[derive(Clone, Copy)]
struct SearchBarState {
    store: Store,
    seek: Seek,
    marker: Highlighter,
    /// The row that was stepped to last.
    here: RwSignal<Option<usize>>,
    /// The text was changed, and how many matches it has was not announced yet.
    asked: RwSignal<bool>,
    section: StoredValue<Element, LocalStorage>,
    /// The element that had the focus before.
    opener: StoredValue<Option<HtmlElement>, LocalStorage>,
}

/// The bar. It takes the focus when it opens. When it closes, the row that was found gets the focus, else the
/// element that had it before.
pub fn bar(store: Store) -> El {
    let section = el("section")
        .class("search-bar")
        .attr("role", "search")
        .attr("aria-label", search::SEARCH_SESSION.text());
    let seek = Seek::new(store);
    let here = RwSignal::new(None);
    let element = section.element().clone();
    let bar = SearchBarState {
        store,
        seek,
        marker: Highlighter::new(seek, here, element.clone()),
        here,
        asked: RwSignal::new(false),
        section: StoredValue::new_local(element),
        opener: StoredValue::new_local(None),
    };
    let field: NodeRef<Input> = NodeRef::new();
    bar.announce_matches();
    bar.restore_focus();
    spawn_local(async move { bar.take_focus(field) });
    let look_for = move |event: web_sys::Event| {
        bar.here.set(None);
        bar.seek.search_for(&event_target_value(&event));
        bar.asked.set(true);
    };
    let finds_nothing = memo(move || {
        seek.version.track();
        seek.hits().is_empty()
    });
    section.on("keydown", move |event| bar.press(event)).view(view! {
        <div class="search-line">
            <div class="field">
                {glyph(Icon::Search)}
                <input
                    type="search"
                    data-find=""
                    aria-label=search::SEARCH_SESSION.text()
                    placeholder=search::SEARCH_SESSION.text()
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    enterkeyhint="search"
                    node_ref=field
                    on:input=look_for
                />
                <span class="found">{LiveText::new(move || bar.position_text())}</span>
            </div>
            <IconButton
                icon=Icon::ArrowDown
                name=search::MATCH_BEFORE
                class="btn bare up"
                off=finds_nothing
                on_press=Callback::new(move |()| bar.step(false))
            />
            <IconButton
                icon=Icon::ArrowDown
                name=search::MATCH_NEXT
                off=finds_nothing
                on_press=Callback::new(move |()| bar.step(true))
            />
            <IconButton
                icon=Icon::User
                name=search::TURN_BEFORE
                class="btn bare turn up"
                on_press=Callback::new(move |()| bar.turn(false))
            />
            <IconButton
                icon=Icon::User
                name=search::TURN_NEXT
                class="btn bare turn"
                on_press=Callback::new(move |()| bar.turn(true))
            />
            <IconButton icon=Icon::Cross name=search::CLOSE on_press=Callback::new(move |()| bar.close())/>
        </div>
        <div class="picks">
            <Chips seek/>
            <ExportMenu store/>
        </div>
        <Hiding seek/>
    })
}

impl SearchBarState {
    /// Once for each searched text, when the number of matches is known.
    fn announce_matches(self) {
        render_effect(move || {
            if self.asked.get() && !self.seek.busy.get() {
                self.asked.set(false);
                announce_outcome(self.store.view_state.announcement, &untrack(|| self.position_text()));
            }
        });
    }

    /// The position among the matching rows: '3 of 41', and in a row with several matches '3 of 41 · 2/5'.
    fn position_text(self) -> String {
        self.seek.version.track();
        self.seek.wanted.track();
        if self.seek.needle().is_none() {
            return String::new();
        }
        let hits = self.seek.hits();
        let place = self.here.get().and_then(|row| hits.binary_search(&row).ok());
        match (hits.len(), place) {
            (0, _) if self.seek.busy.get() => search::SEARCHING.text().to_owned(),
            (0, _) => search::NO_MATCH.text().to_owned(),
            (all, Some(place)) => {
                let place = search::PLACE.with(&[("at", (place + 1).into()), ("all", all.into())]);
                match self.marker.within.get() {
                    (at, of) if of > 1 => search::PLACE_WITHIN.with(&[
                        ("place", (&place).into()),
                        ("at", at.into()),
                        ("of", of.into()),
                    ]),
                    _ => place,
                }
            }
            (all, None) => search::ENTRIES.with(&[("n", all.into())]),
        }
    }

    /// Steps to the next match, or to the previous one: within the row first, then in another row, wrapping
    /// around.
    fn step(self, forward: bool) {
        if self.here.get_untracked().is_none() || !self.marker.step(forward) {
            let hits = self.seek.hits();
            let from = self.here.get_untracked();
            let next = if forward {
                let least = from.map_or_else(|| self.first_visible_row(), |row| row + 1);
                hits.iter().find(|row| **row >= least).or(hits.first())
            } else {
                let limit = from.unwrap_or_else(|| self.first_visible_row());
                hits.iter().rev().find(|row| **row < limit).or(hits.last())
            };
            let Some(next) = next.copied() else { return };
            self.here.set(Some(next));
            self.store.rows().reveal(next);
            self.store.rows().unfold(next);
            self.marker.step_when_found(forward);
            self.store.view_state.scroll_to(next);
        }
        announce_outcome(self.store.view_state.announcement, &untrack(|| self.position_text()));
    }

    fn turn(self, forward: bool) {
        let from = self.here.get_untracked().unwrap_or_else(|| self.first_visible_row());
        if let Some(row) = shortcuts::next_turn(self.store, from, forward) {
            self.here.set(Some(row));
            self.store.view_state.scroll_to(row);
        }
    }

    /// The first row in sight; 0 if there is none.
    fn first_visible_row(self) -> usize {
        let page = self.section.try_with_value(|section| section.closest(".ph").ok().flatten()).flatten();
        let row = page.and_then(|page| shortcuts::first_visible_row(&page));
        row.and_then(|row| row.get_attribute("data-row")?.parse().ok()).unwrap_or(0)
    }

    fn press(self, event: &web_sys::Event) {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
        let field = event.target().is_some_and(|target| target.is_instance_of::<HtmlInputElement>());
        match event.key().as_str() {
            "Enter" if field && !event.is_composing() => {
                event.prevent_default();
                self.step(!event.shift_key());
            }
            "Escape" if !event.is_composing() => {
                event.prevent_default();
                if !self.section.try_with_value(close_menu).unwrap_or(false) {
                    self.close();
                }
            }
            _ => {}
        }
    }

    fn close(self) {
        self.store.view_state.finder.set(false);
    }

    /// Called once the bar is in the document.
    fn take_focus(self, field: NodeRef<Input>) {
        let Some(input) = field.get_untracked() else { return };
        let active = root_of(&input).and_then(|root| root.active_element());
        self.opener.try_update_value(|opener| *opener = active.and_then(|active| active.dyn_into().ok()));
        focus(&input);
    }

    fn restore_focus(self) {
        on_cleanup(move || {
            let Some(root) = self.section.try_with_value(root_of).flatten() else {
                return;
            };
            let inside =
                |active: Element| self.section.try_with_value(|section| section.contains(Some(&active)));
            // Only if the focus would be lost with the bar.
            if root.active_element().and_then(inside) != Some(true) {
                return;
            }
            let opener = self.opener.try_with_value(Clone::clone).flatten();
            let number = |element: &HtmlElement| element.get_attribute("data-row")?.parse().ok();
            let row = self.here.try_get_untracked().flatten().or_else(|| opener.as_ref().and_then(number));
            match (row, opener) {
                // The row may have been hidden by a filter until now.
                (Some(row), _) => self.store.view_state.go_to(row),
                (None, Some(opener)) if opener.is_connected() => focus(&opener),
                _ => {}
            }
        });
    }
}

fn root_of(element: &Element) -> Option<ShadowRoot> {
    element.get_root_node().dyn_into().ok()
}

fn focus(element: &HtmlElement) {
    // If this fails, the focus stays where it is, which does no harm.
    let _ = element.focus();
}
