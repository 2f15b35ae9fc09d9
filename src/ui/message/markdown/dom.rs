//! Inserts and removes nodes in a page that something else may have changed meanwhile, such as a translator.

use web_sys::Node as DomNode;

/// Inserts a node before another one, or at the end if the page has moved that one away.
pub(super) fn insert(parent: &DomNode, made: Option<&DomNode>, before: Option<&DomNode>) {
    let Some(made) = made else { return };
    if parent.insert_before(made, before).is_err() {
        let _ = parent.append_child(made);
    }
}

/// Takes a node out of the page.
pub(super) fn remove(node: &DomNode) {
    if let Some(parent) = node.parent_node() {
        let _ = parent.remove_child(node);
    }
}
