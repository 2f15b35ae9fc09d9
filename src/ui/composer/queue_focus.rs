//! Where the focus goes when the queue's list is rebuilt.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlElement;

use super::ComposerState;
use crate::core::model::queue::edits::Edit;

/// The item that the focus stays with.
pub(super) fn focused(edit: &Edit) -> Option<String> {
    match edit {
        Edit::Move { id, .. } => Some(id.clone()),
        _ => None,
    }
}

/// Restores the focus after the list was rebuilt. It stays on the button that moved an item, or on its
/// neighbour where the item can go no further. A focus elsewhere is left alone.
pub(super) fn refocus(composer: ComposerState, item: Option<String>) {
    let mut root = None;
    composer.with_field(|field| root = field.get_root_node().dyn_into::<web_sys::ShadowRoot>().ok());
    let Some(root) = root else { return };
    let on = root.active_element();
    let act = on.as_ref().and_then(|on| on.get_attribute("data-act"));
    let Some(item) = item else {
        if on.is_none() {
            composer.focus();
        }
        return;
    };
    if on.is_some() && act.is_none() {
        return;
    }
    let act = act.unwrap_or_else(|| "up".to_owned());
    // Right after the effects, so that no key pressed meanwhile finds the focus nowhere.
    spawn_local(async move {
        if root.active_element().is_some() {
            return;
        }
        let rows = root.query_selector_all("[data-item]").ok();
        let rows =
            (0..rows.as_ref().map_or(0, web_sys::NodeList::length)).filter_map(|at| rows.as_ref()?.item(at));
        let mut rows = rows.filter_map(|row| row.dyn_into::<web_sys::Element>().ok());
        let Some(row) = rows.find(|row| row.get_attribute("data-item").as_ref() == Some(&item)) else {
            return;
        };
        for name in [act.as_str(), "up", "down"] {
            let button = row.query_selector(&format!("[data-act='{name}']:enabled")).ok().flatten();
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                // A focus that fails leaves the focus where it is, which is no harm.
                let _ = button.focus();
                return;
            }
        }
    });
}
