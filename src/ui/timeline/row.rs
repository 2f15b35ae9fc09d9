//! What a row is to the list: its place, its height, guessed and measured, and the next one. Refuses to scroll.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, ResizeObserverEntry, ResizeObserverSize};

use crate::core::stakes;
use crate::core::text::Text;
use crate::core::tool_call::{Life, ToolCall};
use crate::core::tool_words::{Family, family};
use crate::core::{Entry, Kind};

/// A first guess at a row's height, so that the scroll bar is about right before it is measured, and a jump makes the
/// rows that are in sight and no others. At the column's full width, by what the rows of a log of 10,000 measured.
pub(super) fn estimate(entry: &Entry) -> f64 {
    // Whole pixels, as those that the browser scrolls by.
    guess(entry).round()
}

fn guess(entry: &Entry) -> f64 {
    let size = entry.text.about() as f64;
    match entry.kind {
        Kind::User => 104.0 + (size / 90.0).ceil().max(1.0) * 23.0,
        Kind::Assistant => {
            // Each line end is one of a list, a table or code, or stands between two blocks.
            let ends = |text: &str| text.bytes().take(LOOKED_AT).filter(|byte| *byte == b'\n').count();
            let lines = entry.text.glance(ends);
            let lines = lines as f64 * (size / LOOKED_AT as f64).max(1.0);
            20.0 + (size / 80.0 * 25.0 + lines * 12.0).max(19.0)
        }
        Kind::Permission | Kind::Question | Kind::Form | Kind::Plan | Kind::Confirmation
            if entry.request().is_some_and(crate::core::request::Request::open) =>
        {
            let little = entry.request().is_some_and(stakes::grants_little);
            if little { 68.0 } else { 280.0 }
        }
        _ => entry.tool().map_or(32.0, |call| of_call(call, &entry.text)),
    }
}

/// Bytes of a message whose lines are counted.
const LOOKED_AT: usize = 16 << 10;

/// Most calls are a line; what is open by itself is as high as what it shows.
fn of_call(call: &ToolCall, said: &Text) -> f64 {
    // The first of several has a line more.
    let line = call.together.as_ref().map_or(33.0, |calls| 29.0 + 28.0 / calls.len().max(1) as f64);
    let open = match &call.life {
        Life::Failed(failure) if !failure.interrupted => {
            (60.0 + failure.message.about() as f64 * 0.55).min(HIGHEST)
        }
        Life::Succeeded(outcome) if family(call) == Family::Edit => {
            let shown = outcome.detailed.as_ref().unwrap_or(said);
            let highest = if shown.is_coloured() { TERMINAL } else { HIGHEST };
            (60.0 + shown.about() as f64 * 0.44).min(highest)
        }
        _ => 0.0,
    };
    line + open
}

/// Of a long change, or error, the rest comes when it is asked for.
const HIGHEST: f64 = 9_000.0;
/// A terminal scrolls by itself.
const TERMINAL: f64 = 424.0;

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
