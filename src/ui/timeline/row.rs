//! What a row is to the list: its place, its height, guessed and measured, and the next one. Refuses to scroll.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, ResizeObserverEntry, ResizeObserverSize};

use crate::core::{Entry, Kind};

/// A first guess at a row's height, so that the scroll bar is about right before it is measured.
pub(super) fn estimate(entry: &Entry) -> f64 {
    let lines = |width: f64, height: f64| (entry.text.len() as f64 / width).ceil().max(1.0) * height;
    match entry.kind {
        Kind::User => 60.0 + lines(80.0, 23.0),
        Kind::Assistant => 20.0 + lines(70.0, 25.0),
        Kind::Permission | Kind::Question | Kind::Form | Kind::Plan | Kind::Confirmation
            if entry.request().is_some_and(crate::core::request::Request::open) =>
        {
            320.0
        }
        _ => 36.0,
    }
}

pub(super) fn height_of(entry: &ResizeObserverEntry) -> f64 {
    let size = entry.border_box_size().get(0);
    size.dyn_into::<ResizeObserverSize>()
        .map_or_else(|_| entry.content_rect().height(), |size| size.block_size())
}

pub(super) fn row_of(element: &Element) -> Option<usize> {
    element.get_attribute("data-row")?.parse().ok()
}

/// Page Up and Page Down move from article to article, as the feed pattern has it.
pub(super) fn move_in_feed(event: &web_sys::Event) {
    let pressed = event.dyn_ref().map(web_sys::KeyboardEvent::key).unwrap_or_default();
    let next = match pressed.as_str() {
        "PageDown" => true,
        "PageUp" => false,
        _ => return,
    };
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(article) = target.and_then(|element| element.closest("article").ok().flatten()) else {
        return;
    };
    let mut candidate =
        if next { article.next_element_sibling() } else { article.previous_element_sibling() };
    while let Some(element) = candidate {
        if element.tag_name().eq_ignore_ascii_case("article") {
            if let Ok(element) = element.dyn_into::<HtmlElement>() {
                event.prevent_default();
                // A focus that fails leaves the focus where it is, which is no harm.
                let _ = element.focus();
            }
            return;
        }
        candidate = if next { element.next_element_sibling() } else { element.previous_element_sibling() };
    }
}
