//! The open requests of one session, answered in its tile. The cards are those of the session's own page,
//! each made from the request's event.

use crate::ui::board::BoardView;
use std::cell::Cell;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::core::model::board::Summary;
use crate::core::model::request::Request;
use crate::core::model::state::Section;
use crate::store::{RowSignals, Store};
use crate::ui::elements::builder::{El, div};
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::lazy;

/// How long the outcome of a request is shown before the tile folds, in milliseconds.
const COLLAPSE_DELAY_MS: u32 = 4_000;

/// The cards of a tile, as long as the owner lives. Their answers go to the tile's session. `fold` takes them away.
pub(super) fn request_cards(view: BoardView, id: &str, fold: impl Fn() + Copy + 'static) -> El {
    let place = div("tile-asks").attr("id", format!("ph-asks-{id}"));
    let Some(store) = view.store.requests(id) else {
        return place;
    };
    render_effect(move || store.host_options().readonly.set(view.store.readonly.get()));
    // Their answers go over the board's connection, to the session's machine.
    let own = id.to_owned();
    let away = memo(move || view.store.all(|board| board.get(&own).and_then(Summary::away)).flatten());
    render_effect(move || store.away.set(away.get()));
    render_effect(move || store.connection.set(view.store.connection.get()));
    fold_when_done(view, store, fold);
    place.for_each(
        move || (0..store.length.get()).map(|index| (0, index)).collect(),
        move |(_, index)| request_card(view, store, index),
    )
}

fn request_card(view: BoardView, store: Store, index: usize) -> El {
    let row = store.handle(index).row;
    let asks = store.entry(index, |entry| entry.request().is_some()).unwrap_or(false);
    let place = div(if asks { "tile-request" } else { "tile-request none" });
    if !asks {
        return place;
    }
    let place = place.attr("data-row", index.to_string()).attr("tabindex", "-1");
    keep_height(&place, view, store, index, row);
    place.child(move || match lazy::REQUESTS.ready() {
        Ok(requests) => (requests.request)(store, index, row),
        Err(coming) => vec![coming.view()],
    })
}

/// Keeps the height of a card that has become a line, while another one waits in the tile and somebody is
/// near: the other one's buttons must not move to where the card's own were. The card is measured before it
/// is made anew, because that effect runs after this one.
fn keep_height(place: &El, view: BoardView, store: Store, index: usize, row: RowSignals) {
    let element = place.element().clone();
    let measured = Cell::new(None);
    let waits = has_waiting_request(store);
    render_effect(move || {
        row.head.track();
        let over = store.entry(index, |entry| entry.request().is_some_and(|request| !request.open()));
        let keeps = waits.get() == Some(true) && (view.pointed.get() || view.near.get());
        let Some(element) = element.dyn_ref::<HtmlElement>().filter(|_| over == Some(true)) else { return };
        let height = measured.get().unwrap_or_else(|| element.get_bounding_client_rect().height());
        measured.set(Some(height));
        let size = if keeps { format!("{height}px") } else { String::new() };
        // Fails only for a property that can't be written.
        let _ = element.style().set_property("min-block-size", &size);
    });
}

/// Whether a request waits; `None` as long as there was none at all.
fn has_waiting_request(store: Store) -> Memo<Option<bool>> {
    memo(move || {
        let waits = store.section(Section::Pending, |state| {
            let mut requests = state.entries.iter().filter_map(|entry| entry.request()).peekable();
            requests.peek().is_some().then(|| requests.any(Request::open))
        });
        waits.flatten()
    })
}

/// Folds the tile a little after the last request is over, so that its outcome can be read. While somebody is
/// near the tile stays open, since what is below would move, until they have the board sorted.
fn fold_when_done(view: BoardView, store: Store, fold: impl Fn() + Copy + 'static) {
    let waits = has_waiting_request(store);
    let timer = StoredValue::new_local(None::<Timeout>);
    let asked = StoredValue::new(view.sort.get_untracked());
    render_effect(move || {
        let over = waits.get() == Some(false);
        let sort = view.sort.get();
        let by_person = sort != asked.get_value();
        asked.set_value(sort);
        if over && by_person {
            timer.set_value(None);
            // Not inside of an effect that follows the tile's own signals.
            request_animation_frame(fold);
            return;
        }
        let alone = over && !view.pointed.get() && !view.near.get();
        timer.set_value(alone.then(|| Timeout::new(COLLAPSE_DELAY_MS, fold)));
    });
}
