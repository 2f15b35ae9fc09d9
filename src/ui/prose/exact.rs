//! Shows a whole text that somebody is to approve: as markdown, with everything in it marked that would not be seen.

use web_sys::{Document, Element};

use super::buttons::Buttons;
use super::{extras, nodes};
use crate::core::markdown::{Markdown, unseen};
use crate::ui::lazy::Marked;

/// Puts the blocks of a text into an empty element.
pub fn exact(document: &Document, host: &Element, text: &str) -> Marked {
    let mut markdown = Markdown::new();
    let _ = markdown.update(text, true);
    for block in markdown.blocks() {
        let node = unseen::marked(&block.node);
        let Some(shown) = nodes::make_block(document, &node) else { continue };
        nodes::insert(host, Some(&shown), None);
        // A drawing would be made of the source as it came.
        if node == block.node && extras::wanted(&node) {
            extras::enrich(&shown);
        }
    }
    Marked { lost: unseen::is_lost(text, markdown.blocks()), buttons: Box::new(Buttons::listen(host)) }
}
