//! The line above parallel calls of one message: how many, in which states, and how long they took. The calls
//! are rows of their own.

use leptos::prelude::*;

use crate::core::view_model::icon::Icon;
use crate::core::view_model::summary_line;
use crate::store::{RowSignals, Store};
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::press_guard;
use crate::ui::elements::reactive::memo;
use crate::ui::message::live_pieces;

/// A line that shows the calls that began with this one, or folds them.
pub fn parallel_calls(store: Store, index: usize, row: RowSignals) -> El {
    let open = memo(move || {
        store.rows().track();
        store.rows().parallel_calls_open(index)
    });
    let what = Box::new(move || {
        row.head.track();
        let calls = store.rows().parallel_calls(index).unwrap_or_default();
        store.read(|state| summary_line::parallel(state, &calls, open.get())).unwrap_or_default()
    });
    let end = Box::new(move || {
        row.head.track();
        let calls = store.rows().parallel_calls(index).unwrap_or_default();
        store.read(|state| summary_line::parallel_end(state, &calls)).unwrap_or_default()
    });
    let line = el("button")
        .class("row parallel")
        .attr("type", "button")
        .attr("aria-expanded", move || Some(open.get().to_string()))
        .child(glyph(Icon::List))
        .child(live_pieces(el("span").class("what"), what))
        .child(live_pieces(el("span").class("end"), end));
    press_guard::toggle(line.element(), open, move |_, open| {
        store.rows().set_parallel_calls_open(index, open);
    });
    line
}
