//! Gives the focus of elements that are made anew to the element that takes the focused one's place.

use web_sys::Element;

use super::builder::focus;

/// Moves the focus from an element in `old` to the one in `fresh` that is the same to a person: it has the same name and
/// role, and of several such ones the same place.
pub(super) fn hand_over(focused: &Element, old: &[Element], fresh: &[Element]) {
    if fresh.contains(focused) || fresh.iter().any(|new| new.contains(Some(focused))) {
        return;
    }
    if !old.iter().any(|old| old.contains(Some(focused))) {
        return;
    }
    let before = alike(old, focused);
    let Some(nth) = before.iter().position(|one| one == focused) else { return };
    let after = alike(fresh, focused);
    if let Some(next) = after.get(nth).or(after.last()) {
        focus(next, false);
    }
}

/// The elements with the name and role of another one.
fn alike(roots: &[Element], like: &Element) -> Vec<Element> {
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
