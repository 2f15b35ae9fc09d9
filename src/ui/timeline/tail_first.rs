//! Replaces the end of a log by the whole log, keeping measured heights and the reader's position.
//!
//! Which rows are the same is known to the store.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

use super::row::estimate;
use super::scroller::Scroll;
use super::window::Heights;
use crate::client::store::Store;
use crate::ui::shell::shortcuts::first_in_sight;

/// Prepares heights for the rows of the whole log, while only its end is shown.
pub(super) fn make_ready(store: Store, scroll: StoredValue<Scroll, LocalStorage>) {
    store.on_ahead(move |state, from, hidden| {
        scroll.try_update_value(|scroll| {
            for (row, hidden) in (from..).zip(hidden) {
                scroll.follow_ahead(row, state.entry(row).map_or(40.0, estimate), *hidden);
            }
        });
    });
}

impl Scroll {
    /// Switches to the rows of the whole log. Rows that were there before keep their heights.
    pub(super) fn join(&mut self, store: Store) {
        let early = store.early();
        let length = store.read(|state| state.entries.len()).unwrap_or(0);
        let ahead = std::mem::take(&mut self.ahead);
        let ready = store.was_ahead() && ahead.len() == length;
        let before = std::mem::replace(&mut self.heights, if ready { ahead } else { Heights::default() });
        let measured = |row: usize| early.before(row).and_then(|row| before.own(row));
        if ready {
            for row in (0..length).rev().take_while(|row| early.before(*row).is_some()) {
                if let Some(height) = measured(row) {
                    self.heights.set_own(row, height);
                }
            }
        }
        for row in self.heights.len()..length {
            let height = measured(row).or_else(|| store.entry(row, estimate)).unwrap_or(40.0);
            self.heights.push(height);
            self.heights.hide(row, store.hidden(row));
        }
        if !self.following {
            self.last_top += self.moved(&before, store);
        }
    }

    /// Adds a row of the whole log to those that are prepared.
    pub(super) fn follow_ahead(&mut self, row: usize, height: f64, hidden: bool) {
        if row == 0 {
            self.ahead = Heights::default();
        }
        self.ahead.push(height);
        self.ahead.hide(row, hidden);
    }

    /// By how many pixels the row at the scroll position has moved down.
    fn moved(&self, before: &Heights, store: Store) -> f64 {
        let early = store.early();
        let row = before.row_at(self.last_top);
        let same = (0..self.heights.len()).rev().find(|now| early.before(*now) == Some(row));
        same.map_or(0.0, |now| self.heights.before(now) - before.before(row))
    }
}

/// The reader's position, to be restored.
pub(super) struct Held {
    scroller: Element,
    /// A row in sight and its top, for a reader who is not at the end.
    row: Option<(Element, f64)>,
}

/// Stores the reader's position before the rows change.
pub(super) fn hold(scroller: Element) -> Held {
    let page = scroller.closest(".ph").ok().flatten();
    let row = page.and_then(|page| first_in_sight(&page));
    let row = row.map(|row| (row.clone(), row.get_bounding_client_rect().top()));
    Held { scroller, row }
}

/// Restores the position once the rows have changed, in the same frame.
pub(super) fn let_go(held: Held, scroll: StoredValue<Scroll, LocalStorage>, to_end: impl Fn() + 'static) {
    // Runs after the effects that put the rows into the document, which were scheduled earlier.
    spawn_local(async move {
        let following = scroll.try_with_value(|scroll| scroll.following);
        match (following, held.row) {
            (Some(true), _) => to_end(),
            (Some(false), Some((row, top))) if row.is_connected() => {
                let moved = row.get_bounding_client_rect().top() - top;
                let target = f64::from(held.scroller.scroll_top()) + moved;
                held.scroller.set_scroll_top(target.round() as i32);
                scroll.try_update_value(|scroll| scroll.last_top = target);
            }
            _ => {}
        }
    });
}
