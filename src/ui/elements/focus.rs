//! The focus: what has it, what gets it, and which element takes the place of the focused one.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, FocusOptions, HtmlBodyElement, HtmlElement, ShadowRoot};

/// The focused element, if it is inside this element.
pub fn focused_in(element: &Element) -> Option<Element> {
    focused_near(element).filter(|focused| element.contains(Some(focused)))
}

/// The focused element of the document or shadow tree that this element is in; none if that is the whole document.
pub fn focused_near(element: &Element) -> Option<Element> {
    match element.get_root_node().dyn_into::<ShadowRoot>() {
        Ok(root) => root.active_element(),
        Err(root) => {
            let focused = root.dyn_into::<Document>().ok()?.active_element();
            focused.filter(|focused| !focused.is_instance_of::<HtmlBodyElement>())
        }
    }
}

/// Whether the focus has gone to a text field since it was at `before`. What takes the focus later than it was
/// asked to, in the next frame, must not take it from somebody who types by now.
pub fn types_since(near: &Element, before: Option<&Element>) -> bool {
    let now = focused_near(near).filter(|now| Some(now) != before);
    now.is_some_and(|now| now.matches("input, textarea, select").unwrap_or(false))
}

/// Focuses an element, and scrolls to it if `see` is true.
///
/// Move the focus away from an element before removing it: Chromium does a layout in the middle of the
/// removal of a focused element, and adjusts the scroll position for the content missing at that moment.
pub fn focus(element: &Element, see: bool) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(!see);
    // If this fails, the focus stays where it is, which does no harm.
    let _ = element.unchecked_ref::<HtmlElement>().focus_with_options(&options);
}

/// Moves the focus from an element in `old` to the one in `fresh` that is the same to a person: it has the same name and
/// role, and of several such ones the same place.
pub(super) fn transfer_focus(focused: &Element, old: &[Element], fresh: &[Element]) {
    if fresh.contains(focused) || fresh.iter().any(|new| new.contains(Some(focused))) {
        return;
    }
    if !old.iter().any(|old| old.contains(Some(focused))) {
        return;
    }
    let before = similar_elements(old, focused);
    let Some(nth) = before.iter().position(|one| one == focused) else { return };
    let after = similar_elements(fresh, focused);
    if let Some(next) = after.get(nth).or(after.last()) {
        focus(next, false);
    }
}

/// The elements with the name and role of another one.
fn similar_elements(roots: &[Element], like: &Element) -> Vec<Element> {
    let wanted = identity(like);
    let mut found = Vec::new();
    for root in roots {
        if identity(root) == wanted {
            found.push(root.clone());
        }
        let inside = root.get_elements_by_tag_name(&like.tag_name());
        let inside = (0..inside.length()).filter_map(|at| inside.item(at));
        found.extend(inside.filter(|element| identity(element) == wanted));
    }
    found
}

/// What tells a control from its neighbours: its kind, its id, and its name.
fn identity(element: &Element) -> (String, String, Option<String>, Option<String>) {
    let name = element.get_attribute("aria-label").or_else(|| element.text_content());
    (element.tag_name(), element.id(), element.get_attribute("role"), name)
}
