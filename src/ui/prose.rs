//! Owns the DOM of one markdown text and keeps every node that did not change; refuses HTML strings, and to fetch what a
//! text names.

mod buttons;
mod code;
mod extras;
mod images;
mod nodes;

use web_sys::{Document, Element};

use super::lazy::Growing;
use crate::core::markdown::{Block, Markdown, Update};
use buttons::Buttons;

/// A markdown text on the page, one element a block, that grows without disturbing what a reader has selected.
pub struct Prose {
    document: Document,
    host: Element,
    markdown: Markdown,
    /// How many blocks have been given to the extras.
    enriched: usize,
    _buttons: Buttons,
}

impl Prose {
    /// Shows an empty text in `host`, whose children belong to this from now on.
    pub fn new(document: &Document, host: &Element) -> Self {
        host.set_text_content(None);
        Self {
            document: document.clone(),
            host: host.clone(),
            markdown: Markdown::new(),
            enriched: 0,
            _buttons: Buttons::listen(host),
        }
    }

    fn apply(&mut self, update: &Update) {
        self.enriched = update.first_changed().map_or(self.enriched, |first| self.enriched.min(first));
        self.show(update);
        let settled = self.markdown.settled();
        let fresh = self.markdown.blocks().get(self.enriched..settled).unwrap_or_default();
        for (index, block) in fresh.iter().enumerate() {
            if extras::wanted(&block.node)
                && let Some(shown) = self.block_at(self.enriched + index)
            {
                extras::enrich(&shown);
            }
        }
        self.enriched = settled;
    }

    fn show(&self, update: &Update) {
        match update {
            Update::Unchanged => {}
            Update::Grown { block, from } => {
                let shown = self.block_at(*block);
                let blocks = self.markdown.blocks();
                if let (Some(shown), Some(block)) = (shown, blocks.get(*block)) {
                    code::grow(&self.document, &shown, &block.node, *from);
                }
            }
            Update::Replaced { first, old, new } => {
                let fresh = self.markdown.blocks().get(*first..first + new).unwrap_or_default();
                self.replace(*first, old, fresh);
            }
        }
    }

    fn block_at(&self, index: usize) -> Option<web_sys::Node> {
        // From the end: the open block is nearly always the last, and a browser walks to an index.
        let last = self.markdown.blocks().len().checked_sub(1)?;
        if index == last {
            self.host.last_child()
        } else {
            self.host.child_nodes().item(u32::try_from(index).ok()?)
        }
    }

    fn replace(&self, first: usize, old: &[Block], new: &[Block]) {
        let children = self.host.child_nodes();
        let Ok(first) = u32::try_from(first) else {
            return;
        };
        let mut shown = children.item(first);
        for (was, is) in old.iter().zip(new) {
            let next = shown.as_ref().and_then(web_sys::Node::next_sibling);
            nodes::patch_block(&self.document, &self.host, shown.as_ref(), &was.node, &is.node);
            shown = next;
        }
        for _ in new.len()..old.len() {
            let Some(gone) = shown else { break };
            shown = gone.next_sibling();
            nodes::remove(&gone);
        }
        for block in new.iter().skip(old.len()) {
            let made = nodes::make_block(&self.document, &block.node);
            nodes::insert(&self.host, made.as_ref(), shown.as_ref());
        }
    }
}

impl Growing for Prose {
    fn update(&mut self, text: &str, done: bool) {
        let update = self.markdown.update(text, done);
        self.apply(&update);
    }

    fn append(&mut self, whole: &str) {
        let update = self.markdown.append(whole);
        self.apply(&update);
    }

    fn shown(&self) -> usize {
        self.markdown.source().len()
    }
}
