//! What the list needs to know of a row: its index, its estimated and measured height, and its neighbours.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, ResizeObserverEntry, ResizeObserverSize};

use crate::core::model::tool_call::{Life, ToolCall};
use crate::core::view_model::approval::size::grants_little;
use crate::core::view_model::tool_summary::{Family, family};
use crate::core::wire::text::Text;
use crate::core::{Entry, Kind};

/// An estimate of a row's height in pixels, so that the scroll bar is about right before the row is measured,
/// and a jump renders only the rows in sight. It fits the rows of a log of 10,000 at the column's full width.
pub(super) fn estimate(entry: &Entry) -> f64 {
    // Whole pixels, like scroll positions.
    guess(entry).round()
}

fn guess(entry: &Entry) -> f64 {
    let size = entry.text.about() as f64;
    match entry.kind {
        Kind::User => 104.0 + (size / 90.0).ceil().max(1.0) * 23.0,
        Kind::Assistant => {
            // Most line ends are in lists, tables or code, or between two blocks.
            let ends = |text: &str| text.bytes().take(LOOKED_AT).filter(|byte| *byte == b'\n').count();
            let lines = entry.text.glance(ends);
            let lines = lines as f64 * (size / LOOKED_AT as f64).max(1.0);
            20.0 + (size / 80.0 * 25.0 + lines * 12.0).max(19.0)
        }
        Kind::Permission | Kind::Question | Kind::Form | Kind::Plan | Kind::Confirmation
            if entry.request().is_some_and(crate::core::model::request::Request::open) =>
        {
            let little = entry.request().is_some_and(grants_little);
            if little { 68.0 } else { 280.0 }
        }
        _ => entry.tool().map_or(32.0, |call| of_call(call, &entry.text)),
    }
}

/// Bytes of a message in which line ends are counted.
const LOOKED_AT: usize = 16 << 10;

/// Most calls are one line. A call that is open by default is as high as its content.
fn of_call(call: &ToolCall, said: &Text) -> f64 {
    // The first of several parallel calls has one line more, which is spread over all of them.
    let line = call.parallel.as_ref().map_or(33.0, |calls| 29.0 + 28.0 / calls.len().max(1) as f64);
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

/// The rest of a long change or error is only rendered on request.
const HIGHEST: f64 = 9_000.0;
/// A terminal scrolls on its own.
const TERMINAL: f64 = 424.0;

pub(super) fn height_of(entry: &ResizeObserverEntry) -> f64 {
    let size = entry.border_box_size().get(0);
    size.dyn_into::<ResizeObserverSize>()
        .map_or_else(|_| entry.content_rect().height(), |size| size.block_size())
}

pub(super) fn row_of(element: &Element) -> Option<usize> {
    element.get_attribute("data-row")?.parse().ok()
}

/// Page Up and Page Down move from article to article, as the ARIA feed pattern says.
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
                // If this fails, the focus stays where it is, which does no harm.
                let _ = element.focus();
            }
            return;
        }
        candidate = if next { element.next_element_sibling() } else { element.previous_element_sibling() };
    }
}

/// Marks the row whose actions are shown below it where there is no gutter. It is the last one that had the focus:
/// if a row folded its actions when it loses the focus, what the reader presses at this moment would move away. For
/// the same reason nothing opens below a request whose card is used.
pub(super) fn show_actions(event: &web_sys::Event) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let row = target.as_ref().and_then(|target| target.closest("article").ok().flatten());
    let Some(row) =
        row.filter(|row| target.as_ref() == Some(row) || !row.matches(".request").unwrap_or(false))
    else {
        return;
    };
    let before =
        row.parent_element().and_then(|list| list.query_selector(":scope > [data-acts]").ok().flatten());
    if before.as_ref() == Some(&row) {
        return;
    }
    // Both fail for invalid names only.
    let _ = before.map(|before| before.remove_attribute("data-acts"));
    let _ = row.set_attribute("data-acts", "");
}
