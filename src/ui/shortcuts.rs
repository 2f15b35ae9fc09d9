//! The keys that work while the page has the focus and nobody types: one table for the listener and the help
//! sheet.
//!
//! Only plain letters and signs that every layout has without `AltGr`; `[` and `]` would be out of reach for
//! many. No key answers a request.

use gloo_events::{EventListener, EventListenerOptions};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, ShadowRoot};

use crate::core::i18n::Word;
use crate::core::i18n::words::{keys as words, page};
use crate::core::{Kind, State};
use crate::store::Store;
use crate::store::view_state::SideViewKind;
use crate::ui::elements::builder::El;
use crate::ui::elements::reactive::keep_with_owner;
use crate::ui::lazy;
use crate::ui::lazy::CopiedPart;

/// The context of a key press.
pub struct KeyPress<'a> {
    store: Store,
    /// The page's root element.
    page: &'a Element,
    /// The element with the focus.
    target: Option<Element>,
}

/// One key and what it does.
pub struct Shortcut {
    /// The value of `KeyboardEvent.key`.
    pub key: &'static str,
    /// Its heading in the help sheet.
    pub heading: Word,
    /// Its description in the help sheet.
    pub does: Word,
    act: fn(&KeyPress<'_>),
}

const fn key(key: &'static str, heading: Word, does: Word, act: fn(&KeyPress<'_>)) -> Shortcut {
    Shortcut { key, heading, does, act }
}

/// All keys, in the order of the help sheet.
pub const KEYS: [Shortcut; 15] = [
    key("r", words::GO, words::NEXT_REQUEST, |at| next_request(at.store)),
    key("a", words::GO, words::LATEST_ANSWER, |at| latest_answer(at.store)),
    key("s", words::GO, words::WRITE, |at| focus(at.page, "[data-compose]")),
    key("j", words::GO, words::NEXT_TURN, |at| go_to_turn(at, true)),
    key("k", words::GO, words::TURN_BEFORE, |at| go_to_turn(at, false)),
    key("w", words::OPEN, words::WAITING, |at| toggle(at.store.view_state.waiting)),
    key("/", words::OPEN, words::FIND, search),
    key("p", words::OPEN, page::PANEL, |at| at.store.view_state.toggle_aside(SideViewKind::Panel)),
    key("m", words::OPEN, page::LENS, |at| toggle(at.store.view_state.lens)),
    key("e", words::OPEN, page::LOG, |at| at.store.view_state.toggle_aside(SideViewKind::Log)),
    key("t", words::OPEN, page::TRAVEL, |at| toggle(at.store.history().travelling())),
    key("?", words::OPEN, words::HELP, |at| toggle(at.store.view_state.help)),
    key("c", words::ENTRY, words::COPY, copy),
    key("f", words::REQUESTS, words::FEEDBACK, feedback),
    // Handled by `event_log`, which listens nearer to the entry; listed here for the help sheet.
    key("i", words::ENTRY, words::EVENTS, |_| {}),
];

/// Listens for keys in the page until the owner is dropped. If the host element has `keys="page"`, keys also
/// work while nothing has the focus. What they do is in the chunk `details`.
pub fn listen(page: El, store: Store) -> El {
    let inside = page.element().clone();
    let outside = inside.clone();
    let run = move |page: &Element, event: &web_sys::Event| {
        if let Ok(details) = untrack(|| lazy::DETAILS.ready()) {
            (details.press)(store, page, event);
        }
    };
    let options = EventListenerOptions::enable_prevent_default();
    let nowhere = EventListener::new_with_options(&document(), "keydown", options, move |event| {
        let host = outside.get_root_node().dyn_into::<ShadowRoot>().ok().map(|root| root.host());
        let nobody = event.target().is_some_and(|target| target.is_instance_of::<web_sys::HtmlBodyElement>());
        if nobody && host.is_some_and(|host| host.get_attribute("keys").as_deref() == Some("page")) {
            run(&outside, event);
        }
    });
    keep_with_owner(nowhere);
    page.on("keydown", move |event| run(&inside, event))
}

/// Runs the action of a key, if it has one here.
pub fn press(store: Store, page: &Element, event: &web_sys::Event) {
    let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|event| !event.default_prevented()) else {
        return;
    };
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let at = KeyPress { store, page, target };
    let key = event.key();
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        // If the search bar is open already, Ctrl+F opens the browser's own search.
        let find = key == "f" && !event.alt_key() && !event.shift_key();
        if find && !store.view_state.finder.get_untracked() {
            event.prevent_default();
            search(&at);
        }
        return;
    }
    if at.is_typing() {
        return;
    }
    // While the search bar is being loaded, what is typed must not be taken for other keys.
    let coming = store.view_state.finder.get_untracked() && untrack(|| lazy::SEARCH.ready()).is_err();
    if let Some(known) = KEYS.iter().find(|known| known.key == key) {
        event.prevent_default();
        if !coming {
            (known.act)(&at);
        }
    }
}

impl KeyPress<'_> {
    /// Whether the focus is in a form field or in editable text.
    fn is_typing(&self) -> bool {
        self.closest("input, textarea, select, [contenteditable]").is_some()
    }

    fn closest(&self, selector: &str) -> Option<Element> {
        self.target.as_ref()?.closest(selector).ok().flatten()
    }

    /// The row with the focus, or the first one in sight.
    fn row(&self) -> Option<usize> {
        let number = |row: &Element| row.get_attribute("data-row")?.parse().ok();
        if let Some(row) = self.closest("[data-row]") {
            return number(&row);
        }
        first_visible_row(self.page).and_then(|row| number(&row))
    }
}

/// The first row of a page that is in sight, or the one that fills it.
pub fn first_visible_row(page: &Element) -> Option<Element> {
    let scroller = page.query_selector("[data-scroller]").ok().flatten()?;
    let top = scroller.get_bounding_client_rect().top();
    let rows = scroller.query_selector_all("[data-row]").ok()?;
    let rows = (0..rows.length()).filter_map(|at| rows.item(at)?.dyn_into::<Element>().ok());
    // A row that was scrolled to can be up to a pixel below the edge; the row above it does not count then.
    rows.into_iter().find(|row| row.get_bounding_client_rect().bottom() > top + 1.0)
}

fn toggle(signal: RwSignal<bool>) {
    signal.update(|on| *on = !*on);
}

/// Opens the search bar, or focuses it if it is open.
fn search(at: &KeyPress<'_>) {
    at.store.view_state.finder.set(true);
    focus(at.page, "[data-find]");
}

fn focus(page: &Element, selector: &str) {
    let field = page.query_selector(selector).ok().flatten();
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
        // If this fails, the focus stays where it is, which does no harm.
        let _ = field.focus();
    }
}

fn copy(at: &KeyPress<'_>) {
    let store = at.store;
    let button = at
        .closest("[data-row]")
        .and_then(|row| row.query_selector(".actions > :nth-last-child(1 of :not(.inspect))").ok().flatten());
    if let (Some(button), Some(row)) = (button, at.row()) {
        lazy::SEARCH.with(move |search| (search.copy)(store, row, CopiedPart::Words, &button));
    }
}

/// Goes to the next turn, or to the previous one. A turn begins with a message from a person.
fn go_to_turn(at: &KeyPress<'_>, forward: bool) {
    let Some(row) = at.row() else { return };
    let store = at.store;
    if let Some(row) = next_turn(store, row, forward) {
        store.view_state.go_to(row);
    }
}

/// The row at which the next turn begins, or the previous one.
pub fn next_turn(store: Store, from: usize, forward: bool) -> Option<usize> {
    let begins = |state: &State, row: usize| {
        let entry = state.entry(row);
        entry.is_some_and(|entry| entry.kind == Kind::User && entry.agent_id.is_none() && entry.ui_visible)
            && !store.rows().is_hidden(row)
    };
    let find = |state: &State| {
        if forward {
            (from + 1..state.entries.len()).find(|row| begins(state, *row))
        } else {
            (0..from).rev().find(|row| begins(state, *row))
        }
    };
    store.read(find).flatten()
}

/// Goes to the open request after the row that was gone to last; after the last one, to the first.
fn next_request(store: Store) {
    let before = store.view_state.row_to_focus.get_untracked().map(|(row, _)| row);
    let next = store.read(|state| {
        let open = &state.open_requests;
        open.iter().find(|row| before.is_some_and(|before| **row > before)).or(open.first()).copied()
    });
    if let Some(row) = next.flatten() {
        store.view_state.go_to(row);
    }
}

/// Opens the feedback field of the request that has the focus, or of the first one that has such a field.
/// Only the person's key moves the focus there; it answers nothing.
fn feedback(at: &KeyPress<'_>) {
    const OPENER: &str = "[data-request-id] [data-feedback]";
    let own = at.closest("[data-row]").and_then(|row| row.query_selector(OPENER).ok().flatten());
    let opener = own.or_else(|| at.page.query_selector(OPENER).ok().flatten());
    if let Some(opener) = opener.and_then(|opener| opener.dyn_into::<HtmlElement>().ok()) {
        let is_open = opener.get_attribute("aria-expanded").as_deref() == Some("true");
        if is_open {
            focus(at.page, "[data-request-id] [data-field=feedback]");
        } else {
            opener.click();
        }
    }
}

fn latest_answer(store: Store) {
    let answer = |state: &State| {
        state.entries.iter().rposition(|entry| entry.kind == Kind::Assistant && entry.ui_visible)
    };
    if let Some(row) = store.read(answer).flatten() {
        store.view_state.go_to(row);
    }
}
