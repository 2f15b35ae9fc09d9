//! Where the focus goes when the queue's list is rebuilt.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlElement, NodeList, ShadowRoot};

use super::state::ComposerState;

/// Keeps the focus while the list is rebuilt; call it right before. The focus stays on the button that it is
/// on, or goes to its neighbour where the item can go no further, or to the field where the item is gone. A
/// focus outside of the list is left alone.
pub(super) fn keep_focus(composer: ComposerState, queue: &Element) {
    let Ok(root) = queue.get_root_node().dyn_into::<ShadowRoot>() else { return };
    let Some(on) = root.active_element() else { return };
    if !matches!(on.closest(".composer-queue"), Ok(Some(_))) {
        return;
    }
    let item = on.closest("[data-item]").ok().flatten().and_then(|item| item.get_attribute("data-item"));
    let act = on.get_attribute("data-act").unwrap_or_default();
    // In the same task, right after the new list is in the document, so that no key finds the focus nowhere.
    spawn_local(async move {
        if root.active_element().is_some() {
            return;
        }
        match item.and_then(|item| button(&root, &item, &act)) {
            // A focus that fails leaves the focus where it is, which does no harm.
            Some(button) => drop(button.focus()),
            None => composer.focus(),
        }
    });
}

/// The button `act` of an item, or one that moves the item.
fn button(root: &ShadowRoot, item: &str, act: &str) -> Option<HtmlElement> {
    let rows = root.query_selector_all("[data-item]").ok();
    let mut rows = (0..rows.as_ref().map_or(0, NodeList::length))
        .filter_map(|at| rows.as_ref()?.item(at)?.dyn_into::<Element>().ok());
    let row = rows.find(|row| row.get_attribute("data-item").as_deref() == Some(item))?;
    [act, "up", "down"].into_iter().find_map(|name| {
        let button = row.query_selector(&format!("[data-act='{name}']:enabled")).ok()??;
        button.dyn_into().ok()
    })
}
