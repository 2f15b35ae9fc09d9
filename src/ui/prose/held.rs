//! Owns what keeps a part of a text in the document: a selection, the focus, something within that was scrolled. Refuses
//! to know where the reader is.

use js_sys::{Function, Reflect};
use wasm_bindgen::JsCast;
use web_sys::{Element, Node, Selection, ShadowRoot};

/// What can be scrolled within a text.
const SCROLLS: &str = ".table, .code > code, .drawing";

/// What somebody has hold of.
pub(super) struct Held {
    selection: Option<Selection>,
    focus: Option<Element>,
    /// The selection is of some length, and touches the text.
    selected: bool,
}

impl Held {
    /// Looks at the page that a text is in.
    pub(super) fn by(host: &Element) -> Self {
        let root = host.get_root_node();
        let focus = match root.dyn_ref::<ShadowRoot>() {
            Some(root) => root.active_element(),
            None => leptos::prelude::document().active_element(),
        };
        let focus = focus.filter(|focus| host.contains(Some(focus)));
        // To know more than that there is one, the browser lays out the page.
        let selection = selection(&root).filter(|selection| selection.range_count() > 0);
        let selection = selection.filter(|selection| touches(selection, host));
        let selected = selection.as_ref().is_some_and(|selection| !selection.is_collapsed());
        Self { selection, focus, selected }
    }

    /// Something in the text is selected.
    pub(super) fn some_selected(&self) -> bool {
        self.selected
    }

    /// An element is selected, or a part of it is.
    pub(super) fn selects(&self, element: &Node) -> bool {
        self.selection.as_ref().is_some_and(|selection| touches(selection, element))
    }

    /// Somebody has hold of what is in a part.
    pub(super) fn part(&self, part: &Element) -> bool {
        self.selects(part)
            || self.focus.as_ref().is_some_and(|focus| part.contains(Some(focus)))
            || scrolled(part)
    }

    /// Somebody has hold of what stands in an element before another one.
    pub(super) fn before(&self, host: &Element, end: Option<&Element>) -> bool {
        let mut next = host.first_element_child();
        while let Some(block) = next.filter(|block| Some(block) != end) {
            let scrolls = block.matches(SCROLLS).unwrap_or(false) && block.scroll_left() != 0;
            if scrolls || self.part(&block) {
                return true;
            }
            next = block.next_element_sibling();
        }
        false
    }
}

fn touches(selection: &Selection, node: &Node) -> bool {
    selection.contains_node_with_allow_partial_containment(node, true).unwrap_or(false)
}

fn scrolled(part: &Element) -> bool {
    let Ok(found) = part.query_selector_all(SCROLLS) else { return false };
    let mut all = (0..found.length()).filter_map(|index| found.item(index)?.dyn_into::<Element>().ok());
    all.any(|element| element.scroll_left() != 0)
}

/// The selection as a shadow tree has it, where the browser tells; else the document's.
fn selection(root: &Node) -> Option<Selection> {
    let own = Reflect::get(root, &"getSelection".into()).ok().and_then(|ask| ask.dyn_into::<Function>().ok());
    match own.and_then(|ask| ask.call0(root).ok()) {
        Some(selection) => selection.dyn_into().ok(),
        None => web_sys::window()?.get_selection().ok().flatten(),
    }
}
