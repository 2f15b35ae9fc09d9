//! The keys that work while the page has the focus and nobody types: one table, for the listener and the help sheet.
//! Refuses to answer requests: no key does.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use super::desk::Aside;
use crate::core::Kind;
use crate::store::Store;

/// One key and what it does.
pub struct Key {
    /// As the browser names it.
    pub key: &'static str,
    /// What it does, for the help sheet.
    pub does: &'static str,
    act: fn(Store),
}

/// All of them, in the order of the help sheet.
pub const KEYS: [Key; 4] = [
    Key { key: "r", does: "Go to the next request", act: next_request },
    Key { key: "a", does: "Go to the latest answer", act: latest_answer },
    Key { key: "p", does: "Panel", act: |store| store.desk.toggle_aside(Aside::Panel) },
    Key { key: "m", does: "What the model sees", act: |store| store.desk.lens.update(|on| *on = !*on) },
];

/// Does what a key means, if it means anything here.
pub fn press(store: Store, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() || types(event) {
        return;
    }
    let pressed = event.key();
    if let Some(key) = KEYS.iter().find(|key| key.key == pressed) {
        event.prevent_default();
        (key.act)(store);
    }
}

/// Whether somebody writes into a field, or chooses in one.
fn types(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| {
        target.closest("input, textarea, select, [contenteditable]").ok().flatten().is_some()
    })
}

/// The open request after the one that was gone to last; the first after the last.
fn next_request(store: Store) {
    let before = store.desk.goto.get_untracked().map(|(row, _)| row);
    let next = store.read(|state| {
        let open = &state.open_requests;
        open.iter().find(|row| before.is_some_and(|before| **row > before)).or(open.first()).copied()
    });
    if let Some(row) = next.flatten() {
        store.desk.go_to(row);
    }
}

fn latest_answer(store: Store) {
    let answer =
        |state: &crate::core::State| state.entries.iter().rposition(|entry| entry.kind == Kind::Assistant);
    if let Some(row) = store.read(answer).flatten() {
        store.desk.go_to(row);
    }
}
