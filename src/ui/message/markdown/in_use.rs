//! Finds what keeps a part of a text in the document: a selection, the focus, or scrolled content within it.

use wasm_bindgen::JsCast;
use web_sys::{Element, Node, Selection, ShadowRoot};

use crate::ui::elements::selection::selection;

/// Selector for what can be scrolled sideways within a text.
const SCROLLS: &str = ".table, .code > code, .drawing";

/// The selection and the focus in a text.
pub(super) struct InUse {
    selection: Option<Selection>,
    focus: Option<Element>,
    /// The selection is not empty, and touches the text.
    selected: bool,
}

impl InUse {
    /// Reads the selection and the focus of the page that the text is in.
    pub(super) fn by(host: &Element) -> Self {
        let root = host.get_root_node();
        let focus = match root.dyn_ref::<ShadowRoot>() {
            Some(root) => root.active_element(),
            None => leptos::prelude::document().active_element(),
        };
        let focus = focus.filter(|focus| host.contains(Some(focus)));
        // Anything beyond the number of ranges forces a layout.
        let selection = selection(&root).filter(|selection| selection.range_count() > 0);
        let selection = selection.filter(|selection| touches(selection, host));
        let selected = selection.as_ref().is_some_and(|selection| !selection.is_collapsed());
        Self { selection, focus, selected }
    }

    /// Whether something in the text is selected.
    pub(super) fn some_selected(&self) -> bool {
        self.selected
    }

    /// Whether the selection contains a node or a part of it.
    pub(super) fn selects(&self, element: &Node) -> bool {
        self.selection.as_ref().is_some_and(|selection| touches(selection, element))
    }

    /// Whether a part is in use: selected, focused or scrolled.
    pub(super) fn part(&self, part: &Element) -> bool {
        self.selects(part)
            || self.focus.as_ref().is_some_and(|focus| part.contains(Some(focus)))
            || scrolled(part)
    }

    /// Whether something in `host` before the element `end` is in use.
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
