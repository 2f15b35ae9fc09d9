//! What waits in one session, answered in its tile: the very cards of the session's own page, each made of the event that
//! asked. Refuses to answer anything by itself.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::View;
use crate::core::change::Section;
use crate::core::request::Request;
use crate::store::{Row, Store};
use crate::ui::built::derived;
use crate::ui::dom::{El, div, follow};
use crate::ui::lazy;
use crate::ui::list::list;

/// How long what became of a request is shown before the tile folds, in milliseconds.
const LINGER: u32 = 4_000;

/// The cards of a tile; they answer in its session's name, as long as the owner lives.
pub(super) fn asks(view: View, id: &str) -> El {
    let place = div("tile-asks").attr("id", &format!("ph-asks-{id}"));
    let Some(store) = view.store.requests(id) else {
        return place;
    };
    follow(Box::new(move || store.readonly.set(view.store.readonly.get())));
    fold_when_done(view, store, id.to_owned());
    list(
        place,
        move || (0..store.length.get()).map(|index| (0, index)).collect(),
        move |(_, index)| ask(store, index),
    )
}

fn ask(store: Store, index: usize) -> El {
    let row = store.subscribe(index);
    let asks = store.entry(index, |entry| entry.request().is_some()).unwrap_or(false);
    let place = div(if asks { "tile-ask" } else { "tile-ask none" });
    if !asks {
        return place;
    }
    keep_height(&place, store, index, row);
    place.part(move || match lazy::cards() {
        Ok(cards) => (cards.request)(store, index, row),
        Err(coming) => vec![coming.view()],
    })
}

/// A card that settles becomes a line: the next card's buttons must not come to where its own were. It is measured
/// before the card itself, which listens later, is made anew.
fn keep_height(place: &El, store: Store, index: usize, row: Row) {
    let element = place.element().clone();
    follow(Box::new(move || {
        row.head.track();
        let over = store.entry(index, |entry| entry.request().is_some_and(|request| !request.open()));
        if let Some(element) = element.dyn_ref::<HtmlElement>().filter(|_| over == Some(true)) {
            let height = element.offset_height();
            // Fails for a style that can't be written, and this one can.
            let _ = element.style().set_property("min-block-size", &format!("{height}px"));
        }
    }));
}

/// Folds the tile a little after the last request is over: somebody reads what became of it. Not while the pointer is
/// over the tiles: what is below would move under it.
fn fold_when_done(view: View, store: Store, id: String) {
    let open = derived(move || {
        store.section(Section::Pending, |state| {
            let any = state.entries.iter().any(|entry| entry.request().is_some());
            let open = state.entries.iter().any(|entry| entry.request().is_some_and(Request::open));
            open || !any
        })
    });
    let timer = StoredValue::new_local(None::<Timeout>);
    follow(Box::new(move || {
        let fold = {
            let id = id.clone();
            move || {
                view.answering.try_update(|answering| answering.remove(&id));
            }
        };
        let over = open.get() == Some(false) && !view.pointed.get();
        timer.set_value(over.then(|| Timeout::new(LINGER, fold)));
    }));
}
