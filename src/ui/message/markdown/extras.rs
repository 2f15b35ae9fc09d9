//! Decides which blocks get colours, formulas and diagrams once they are complete.
//!
//! They are drawn by `www/extras.js`, which is loaded when the first block needs it. Without it a block stays
//! as it is.

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Node as DomNode;

use crate::core::i18n::words::prose;
use crate::core::text::markdown::{Node, Tag};
use crate::ui::renderers;

#[wasm_bindgen(module = "/www/extras.js")]
extern "C" {
    /// Colours or draws what is in a block, now or when the extras have been loaded. `words` has their
    /// messages, one per line; `renderers` are pairs of predicates and renderers of the host's.
    #[wasm_bindgen(js_name = enrich)]
    fn enrich_saying(block: &DomNode, words: &str, renderers: &js_sys::Array);
}

/// Colours or draws what is in a block.
pub(super) fn enrich(block: &DomNode) {
    // In the order in which `www/extras.js` reads them; placeholders such as `{name}` are left in.
    let words = [
        prose::SOURCE,
        prose::NOT_DRAWN,
        prose::DIAGRAM,
        prose::NO_DRAWINGS,
        prose::NO_FORMULA,
        prose::EMPTY_DRAWING,
        prose::UNREADABLE,
    ];
    enrich_saying(block, &words.map(|word| word.with(&[])).join("\n"), &renderers::of_code());
}

/// Whether a block contains anything that the extras can colour or draw.
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
