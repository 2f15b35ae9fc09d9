//! The selection, and the announcement when it is copied.

use js_sys::{Function, Reflect};
use wasm_bindgen::JsCast;
use web_sys::{Element, Node, Selection};

use super::flash::flash;
use crate::core::i18n::words::cards;
use crate::core::text::hidden::has_hidden;

/// The selection inside a shadow tree, if the browser provides it; else the document's.
pub fn selection(root: &Node) -> Option<Selection> {
    let own = Reflect::get(root, &"getSelection".into()).ok().and_then(|ask| ask.dyn_into::<Function>().ok());
    match own.and_then(|ask| ask.call0(root).ok()) {
        Some(selection) => selection.dyn_into().ok(),
        None => web_sys::window()?.get_selection().ok().flatten(),
    }
}

/// Shows in a page, and announces by `say`, that a copied selection has hidden characters. Copy buttons say it themselves.
pub fn selection_copied(page: &Element, say: impl Fn(&str)) {
    let text = selection(&page.get_root_node()).map(|selection| String::from(selection.to_string()));
    if text.is_some_and(|text| has_hidden(&text)) {
        let words = cards::COPIED_HIDDEN.text();
        say(words);
        flash(page, words);
    }
}
