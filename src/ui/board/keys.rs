//! The keys of the board: from tile to tile, to the next that waits, to the filter. No key answers a request.

use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event, HtmlElement, KeyboardEvent, Node, ScrollIntoViewOptions, ScrollLogicalPosition,
    ShadowRoot,
};

use super::BoardView;
use crate::core::i18n;
use crate::core::model::board::Status;
use crate::ui::elements::builder::El;

/// Selects what opens a tile's session; it has the focus when the tile does.
pub(super) const OPENER: &str = "[data-opener]";

/// Listens to keys, as long as the owner lives.
pub(super) fn listen(page: El, view: BoardView) -> El {
    page.on("keydown", move |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|event| !event.default_prevented()) else {
            return;
        };
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.is_composing() {
            return;
        }
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
            return;
        };
        // Keys in an open session or in a field are not the board's.
        if is_within(&target, "input, textarea, select, pilot-house, [contenteditable]") {
            return;
        }
        let key = event.key();
        let done = match key.as_str() {
            "r" => next_waiting(view, event),
            "/" => focus(root_of(&target).and_then(|root| find(&root, "[data-filter]"))),
            "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" | "Home" | "End" => {
                target.matches(OPENER).unwrap_or(false) && step(&target, &key)
            }
            _ => false,
        };
        if done {
            event.prevent_default();
        }
    })
}

fn is_within(element: &Element, selector: &str) -> bool {
    element.closest(selector).ok().flatten().is_some()
}

pub(super) fn root_of(element: &Element) -> Option<ShadowRoot> {
    let node: &Node = element;
    node.get_root_node().dyn_into().ok()
}

fn find(root: &ShadowRoot, selector: &str) -> Option<Element> {
    root.query_selector(selector).ok().flatten()
}

/// What opens the tiles' sessions, in document order.
fn open_controls(root: &ShadowRoot) -> Vec<Element> {
    let all = root.query_selector_all(OPENER).ok();
    let all = all.into_iter().flat_map(|all| (0..all.length()).filter_map(move |at| all.item(at)));
    all.filter_map(|node| node.dyn_into().ok()).collect()
}

/// What opens the session with this id.
pub(super) fn open_control(root: &ShadowRoot, id: &str) -> Option<Element> {
    let is = |opener: &Element| session_of(opener).as_deref() == Some(id);
    open_controls(root).into_iter().find(is)
}

/// The id of the session in whose tile an element is.
pub(super) fn session_of(inside: &Element) -> Option<String> {
    inside.closest("[data-session]").ok().flatten()?.get_attribute("data-session")
}

/// Gives an element the focus, and scrolls it into view. False if there is none.
pub(super) fn focus(element: Option<Element>) -> bool {
    let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) else {
        return false;
    };
    let into_sight = ScrollIntoViewOptions::new();
    into_sight.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&into_sight);
    // A focus that fails stays where it is.
    element.focus().is_ok()
}

/// Moves the focus to the tile in a direction.
fn step(from: &Element, key: &str) -> bool {
    let Some(root) = root_of(from) else { return false };
    let all = open_controls(&root);
    let Some(at) = all.iter().position(|one| one == from) else { return false };
    let back = i18n::current().is_some_and(|language| language.right_to_left);
    let to = match key {
        "Home" => all.first(),
        "End" => all.last(),
        "ArrowLeft" | "ArrowRight" if (key == "ArrowRight") != back => all.get(at + 1),
        "ArrowLeft" | "ArrowRight" => at.checked_sub(1).and_then(|at| all.get(at)),
        _ => above_or_below(&all, from, key == "ArrowDown"),
    };
    focus(to.cloned())
}

/// The nearest tile in the line of tiles below, or in the one above.
fn above_or_below<'a>(all: &'a [Element], from: &Element, down: bool) -> Option<&'a Element> {
    let tile = |opener: &Element| {
        opener.closest("[data-session]").ok().flatten().map(|t| t.get_bounding_client_rect())
    };
    let here = tile(from)?;
    let far = |there: &web_sys::DomRect| {
        let lines = if down { there.top() - here.bottom() } else { here.top() - there.bottom() };
        (lines >= -1.0).then(|| (lines.max(0.0).round(), (there.left() - here.left()).abs()))
    };
    let with_distance = all.iter().filter_map(|one| Some((far(&tile(one)?)?, one)));
    let order = |a: &(f64, f64), b: &(f64, f64)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
    with_distance.min_by(|(a, _), (b, _)| order(a, b)).map(|(_, one)| one)
}

/// Moves the focus to the next tile that waits, after the one with the focus; the first comes after the last.
pub(super) fn next_waiting(view: BoardView, event: &Event) -> bool {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
        return false;
    };
    let Some(root) = root_of(&target) else { return false };
    let waits = |opener: &Element| {
        let waiting = |id: String| view.store.session(&id, |session| session.status == Status::Waiting);
        session_of(opener).and_then(waiting) == Some(true)
    };
    let all = open_controls(&root);
    let here = session_of(&target);
    let at = here.and_then(|here| all.iter().position(|one| session_of(one).as_deref() == Some(&here)));
    let after = at.and_then(|at| all.iter().skip(at + 1).find(|one| waits(one)));
    focus(after.or_else(|| all.iter().find(|one| waits(one))).cloned())
}
