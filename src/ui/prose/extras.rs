//! Owns which blocks get colours, formulas and diagrams once they are settled; refuses to draw them: that is JavaScript,
//! which comes when the first block needs it (`www/extras.js`). Without it a block stays as it is.

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Node as DomNode;

use crate::core::markdown::{Node, Tag};

#[wasm_bindgen(module = "/www/extras.js")]
extern "C" {
    /// Colours or draws what is in a block, now or when the extras are here.
    #[wasm_bindgen(js_name = enrich)]
    pub(super) fn enrich(block: &DomNode);
}

/// Whether there is anything in it that an extra could show better.
pub(super) fn wanted(node: &Node) -> bool {
    let Node::Element(element) = node else {
        return false;
    };
    match element.tag {
        Tag::CodeBlock { ref language } => language.is_some(),
        Tag::Math { .. } => true,
        _ => element.children.iter().any(wanted),
    }
}
