//! Printing: all rows are in the document while the page is printed, for paper has no window. Refuses how it looks;
//! the sheets say that.

use gloo_events::EventListener;
use leptos::prelude::*;

use super::dom::{El, el};
use crate::core::language::words::cards;
use crate::store::Store;

/// Most rows that are printed: so many a browser lays out before the reader thinks that it hangs.
const MOST: usize = 3_000;

/// Calls back with the rows that are to be in the document, and with none when the page is as before. Lasts as long as
/// the owner.
pub fn listen(store: Store, show: impl Fn(Option<(usize, usize)>) + Copy + 'static) {
    let print = move |on: bool| {
        let length = store.length.get_untracked();
        store.set_printing(on);
        show(on.then(|| (length.saturating_sub(MOST), length)));
    };
    for (event, on) in [("beforeprint", true), ("afterprint", false)] {
        StoredValue::new_local(EventListener::new(&window(), event, move |_| print(on)));
    }
}

/// Says what is missing on paper, if anything is.
pub fn note(store: Store) -> El {
    el("div").part_if(move || {
        let length = store.length.get();
        let cut = store.printing() && length > MOST;
        let words = || cards::PRINTED_PART.with(&[("n", MOST.into()), ("all", length.into())]);
        cut.then(|| el("p").class("hint").text(&words()))
    })
}
