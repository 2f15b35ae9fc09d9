//! Printing: puts all rows into the document while the page is printed. The style sheets say what that looks
//! like.

use gloo_events::EventListener;
use leptos::prelude::*;

use super::builder::{El, el};
use super::reactive::keep_with_owner;
use crate::core::i18n::words::cards;
use crate::store::Store;
use crate::store::printing::is_printing;

/// Most rows that are printed. Laying out more takes so long that the browser seems to hang.
const MAX_ROWS: usize = 3_000;

/// Calls `show` with the rows to put into the document before printing, and with `None` after it, until the
/// owner is dropped.
pub fn listen(store: Store, show: impl Fn(Option<(usize, usize)>) + Copy + 'static) {
    let print = move |on: bool| {
        let length = store.length.get_untracked();
        store.rows().set_printing(on);
        show(on.then(|| (length.saturating_sub(MAX_ROWS), length)));
    };
    for (event, on) in [("beforeprint", true), ("afterprint", false)] {
        keep_with_owner(EventListener::new(&window(), event, move |_| print(on)));
    }
}

/// Says how many rows are missing on paper, if any are.
pub fn note(store: Store) -> El {
    el("div").child(move || {
        let length = store.length.get();
        let cut = is_printing() && length > MAX_ROWS;
        let words = || cards::PRINTED_PART.with(&[("n", MAX_ROWS.into()), ("all", length.into())]);
        cut.then(|| el("p").class("hint").text(words()))
    })
}
