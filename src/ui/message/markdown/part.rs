//! The DOM of one part of a text: its blocks, in an element of their own.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement, Node as DomNode};

use super::code_block;
use super::{AWAY, dom, extras, nodes};
use crate::core::text::markdown::{Block, Cut, Lead, Markdown, Update};

/// A part that grows.
pub(super) struct Part {
    host: Element,
    markdown: Markdown,
    /// Number of blocks that have been given to the extras.
    enriched: usize,
}

/// Appends an element for another part; if `far`, the browser may skip it while it is off screen.
pub(super) fn element(document: &Document, host: &Element, offscreen: bool) -> Option<Element> {
    let element = document.create_element("div").ok()?;
    element.set_class_name(if offscreen { "prose part offscreen" } else { "prose part" });
    host.append_child(&element).ok()?;
    Some(element)
}

/// Inserts an element for the first part, which has none of its own while it is in the document.
pub(super) fn before(document: &Document, host: &Element) -> Option<Element> {
    let element = document.create_element("div").ok()?;
    element.set_class_name("prose part");
    host.insert_before(&element, host.first_child().as_ref()).ok()?;
    Some(element)
}

/// Makes an empty element the placeholder for a part: its range in bytes, and its height in pixels.
pub(super) fn stand_in(element: &Element, range: std::ops::Range<usize>, height: f64) {
    let _ = element.set_attribute(AWAY, &format!("{}-{}", range.start, range.end));
    // The browser formats the number, so that the program need not contain the code for floats.
    let height = js_sys::Number::from(height).to_string_with_radix(10).unwrap_or_default();
    let height = height.concat(&"px".into());
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.style().set_property("block-size", &String::from(height));
    }
}

impl Part {
    /// An empty part in an element. `lead` says how it continues the part before.
    pub(super) fn new(host: Element, lead: Lead) -> Self {
        Self { host, markdown: Markdown::after(lead), enriched: 0 }
    }

    pub(super) fn source(&self) -> &str {
        self.markdown.source()
    }

    pub(super) fn lead(&self) -> &Lead {
        self.markdown.lead()
    }

    pub(super) fn element(&self) -> &Element {
        &self.host
    }

    pub(super) fn cut(&self, part: usize) -> Option<Cut> {
        self.markdown.cut(part)
    }

    /// Removes its element from the text, unless that is the text's own.
    pub(super) fn remove(&self, text: &Element) {
        if self.host != *text {
            self.host.remove();
        }
    }

    /// Replaces its text.
    pub(super) fn update(&mut self, document: &Document, text: &str) {
        let update = self.markdown.update(text, false);
        self.apply(document, &update);
    }

    /// Appends text.
    pub(super) fn extend(&mut self, document: &Document, more: &str) {
        let update = self.markdown.extend(more);
        self.apply(document, &update);
    }

    /// Completes its text.
    pub(super) fn finish(&mut self, document: &Document) {
        let update = self.markdown.finish();
        self.apply(document, &update);
    }

    /// Ends it at byte `at`.
    pub(super) fn close(&mut self, document: &Document, at: usize) {
        let update = self.markdown.close(at);
        self.apply(document, &update);
    }

    fn apply(&mut self, document: &Document, update: &Update) {
        self.enriched = update.first_changed().map_or(self.enriched, |first| self.enriched.min(first));
        self.show(document, update);
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

    fn show(&self, document: &Document, update: &Update) {
        match update {
            Update::Unchanged => {}
            Update::Grown { block, from } => {
                let shown = self.block_at(*block);
                let blocks = self.markdown.blocks();
                if let (Some(shown), Some(block)) = (shown, blocks.get(*block)) {
                    code_block::grow(document, &shown, &block.node, *from);
                }
            }
            Update::Replaced { first, old, new } => {
                let fresh = self.markdown.blocks().get(*first..first + new).unwrap_or_default();
                self.replace(document, *first, old, fresh);
            }
        }
    }

    fn block_at(&self, index: usize) -> Option<DomNode> {
        // From the end: the open block is nearly always the last one, and a browser walks through the list to
        // an index.
        let last = self.markdown.blocks().len().checked_sub(1)?;
        if index == last {
            self.host.last_child()
        } else {
            self.host.child_nodes().item(u32::try_from(index).ok()?)
        }
    }

    fn replace(&self, document: &Document, first: usize, old: &[Block], new: &[Block]) {
        let children = self.host.child_nodes();
        let Ok(first) = u32::try_from(first) else {
            return;
        };
        let mut shown = children.item(first);
        for (was, is) in old.iter().zip(new) {
            let next = shown.as_ref().and_then(DomNode::next_sibling);
            nodes::patch_block(document, &self.host, shown.as_ref(), &was.node, &is.node);
            shown = next;
        }
        for _ in new.len()..old.len() {
            let Some(gone) = shown else { break };
            shown = gone.next_sibling();
            dom::remove(&gone);
        }
        for block in new.iter().skip(old.len()) {
            let made = nodes::make_block(document, &block.node);
            dom::insert(&self.host, made.as_ref(), shown.as_ref());
        }
    }
}
