//! The button that opens the list of waiting requests, shown if there are several.

use leptos::prelude::*;

use crate::core::i18n::words::page;
use crate::core::model::state::Section;
use crate::core::view_model::icon::Icon;
use crate::store::Store;
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::reactive::memo;

/// The text for `n` waiting requests; in read-only mode it says that others have to answer. Subscribes.
pub(super) fn requests_wait(store: Store, n: usize) -> String {
    let words = if store.readonly.get() { page::REQUESTS_WAIT_READ_ONLY } else { page::REQUESTS_WAIT };
    words.with(&[("n", n.into())])
}

/// Adds the button to the dock.
pub(super) fn list_of_requests(dock: El, store: Store) -> El {
    let several =
        memo(move || store.section(Section::Pending, |state| state.open_requests.len() > 1).unwrap_or(false));
    dock.child(move || {
        let open = move |_: &web_sys::Event| store.view_state.waiting.update(|open| *open = !*open);
        let button = || el("button").class("btn jump waits-list").attr("part", "jump").on("click", open);
        let count = move || {
            let open = store.section(Section::Pending, |state| state.open_requests.len()).unwrap_or(0);
            requests_wait(store, open)
        };
        several.get().then(|| {
            let title = move || (!store.readonly.get()).then(|| page::ALL_THAT_WAITS.text().to_owned());
            button().attr("title", title).child(glyph(Icon::List)).text(count)
        })
    })
}
