//! The row that has the focus: how keys lead to its neighbours, and where its actions are shown.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

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
