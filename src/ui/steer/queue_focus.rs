//! Where the focus goes when the queue's list is made anew.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlElement;

use super::Steer;
use crate::core::queue::edits::Edit;

/// The item that the focus is to stay with.
pub(super) fn focused(edit: &Edit) -> Option<String> {
    match edit {
        Edit::Move { id, .. } => Some(id.clone()),
        _ => None,
    }
}

/// The list is made anew: who moves an item by a button goes on with the same button, or with its neighbour where the
/// item can go no further. Who is elsewhere stays there.
pub(super) fn refocus(steer: Steer, item: Option<String>) {
    let mut root = None;
    steer.with_field(|field| root = field.get_root_node().dyn_into::<web_sys::ShadowRoot>().ok());
    let Some(root) = root else { return };
    let on = root.active_element();
    let act = on.as_ref().and_then(|on| on.get_attribute("data-act"));
    let Some(item) = item else {
        if on.is_none() {
            steer.focus();
        }
        return;
    };
    if on.is_some() && act.is_none() {
        return;
    }
    let act = act.unwrap_or_else(|| "up".to_owned());
    // Right behind the effects: no key that is pressed meanwhile may find the focus nowhere.
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
