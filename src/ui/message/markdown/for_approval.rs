//! Renders a whole text that somebody is to approve: as markdown, with everything marked that would not be
//! visible.

use web_sys::{Document, Element};

use super::buttons::Buttons;
use super::part::make_block;
use super::{dom, extras};
use crate::core::text::markdown::{Markdown, unseen};
use crate::ui::lazy::Marked;

/// Renders the blocks of a text into an empty element.
pub fn exact(document: &Document, host: &Element, text: &str) -> Marked {
    let mut markdown = Markdown::new();
    let _ = markdown.update(text, true);
    for block in markdown.blocks() {
        let node = unseen::marked(&block.node);
        let Some(shown) = make_block(document, &node) else { continue };
        dom::insert(host, Some(&shown), None);
        // Not if something has been marked: a drawing would be made from the unmarked source.
        if node == block.node && extras::wanted(&node) {
            extras::enrich(&shown);
        }
    }
    Marked { lost: unseen::is_lost(text, markdown.blocks()), buttons: Box::new(Buttons::listen(host)) }
}
