//! Scrolls to a row, wherever it is, and focuses it if asked to.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::row::row_of;
use super::scroller::Scroll;
use crate::ui::elements::builder::{focus, focused_near, types_since};

/// Pixels above the row that are kept in view.
const ABOVE: f64 = 24.0;

/// Scrolls to where a row should be by the known heights, and in the next frame to where it is.
pub(super) fn reveal(
    scroll: StoredValue<Scroll, LocalStorage>,
    list: Element,
    place: usize,
    takes_focus: bool,
    choose: impl Fn(),
) {
    let target = scroll.try_update_value(|scroll| {
        scroll.following = false;
        scroll.last_top = (scroll.heights.before(place) - ABOVE).max(0.0);
        scroll.last_top
    });
    choose();
    list.set_scroll_top(target.unwrap_or(0.0) as i32);
    let before = focused_near(&list);
    // The heights above were estimates until now. Once the row is rendered, its element knows its position.
    request_animation_frame(move || {
        let Some(row) = list.query_selector(&format!("[data-row=\"{place}\"]")).ok().flatten() else {
            return;
        };
        row.scroll_into_view();
        take_heights(scroll, &list);
        if !takes_focus || types_since(&row, before.as_ref()) {
            return;
        }
        focus(&row, true);
        // The list may still move the row's element, and a moved element loses the focus.
        request_animation_frame(move || {
            if focused_near(&row).is_none() {
                focus(&row, true);
            }
        });
    });
}

/// Stores the heights of the rendered rows. They have been laid out for the new position, so nothing may move
/// any more when the observer reports them.
fn take_heights(scroll: StoredValue<Scroll, LocalStorage>, list: &Element) {
    let Ok(rows) = list.query_selector_all("[data-row]") else { return };
    scroll.try_update_value(|scroll| {
        for at in 0..rows.length() {
            if let Some(row) = rows.item(at).and_then(|row| row.dyn_into::<Element>().ok())
                && let Some(place) = row_of(&row)
            {
                scroll.heights.set(place, row.get_bounding_client_rect().height());
            }
        }
        scroll.last_top = f64::from(list.scroll_top());
    });
}
