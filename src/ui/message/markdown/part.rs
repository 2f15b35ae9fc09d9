//! The DOM of one part of a text: its blocks, in an element of their own. They are made from markdown nodes, and changed in place.
//! No attribute is set that makes a page act by itself.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element as DomElement, HtmlElement, Node as DomNode, Text};

use super::dom::{insert, remove};
use super::{AWAY, buttons, code_block, extras, images};
use crate::core::i18n::words::prose;
use crate::core::text::markdown::{Align, Block, Cut, Element, Lead, Markdown, Node, Tag, Update, links};

/// A part that grows.
pub(super) struct Part {
    host: DomElement,
    markdown: Markdown,
    /// Number of blocks that have been given to the extras.
    enriched: usize,
}

/// Appends an element for another part; if `far`, the browser may skip it while it is off screen.
pub(super) fn element(document: &Document, host: &DomElement, offscreen: bool) -> Option<DomElement> {
    let element = document.create_element("div").ok()?;
    element.set_class_name(if offscreen { "prose part offscreen" } else { "prose part" });
    host.append_child(&element).ok()?;
    Some(element)
}

/// Inserts an element for the first part, which has none of its own while it is in the document.
pub(super) fn before(document: &Document, host: &DomElement) -> Option<DomElement> {
    let element = document.create_element("div").ok()?;
    element.set_class_name("prose part");
    host.insert_before(&element, host.first_child().as_ref()).ok()?;
    Some(element)
}

/// Makes an empty element the placeholder for a part: its range in bytes, and its height in pixels.
pub(super) fn stand_in(element: &DomElement, range: std::ops::Range<usize>, height: f64) {
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
    pub(super) fn new(host: DomElement, lead: Lead) -> Self {
        Self { host, markdown: Markdown::after(lead), enriched: 0 }
    }

    pub(super) fn source(&self) -> &str {
        self.markdown.source()
    }

    pub(super) fn lead(&self) -> &Lead {
        self.markdown.lead()
    }

    pub(super) fn element(&self) -> &DomElement {
        &self.host
    }

    pub(super) fn cut(&self, part: usize) -> Option<Cut> {
        self.markdown.cut(part)
    }

    /// Removes its element from the text, unless that is the text's own.
    pub(super) fn remove(&self, text: &DomElement) {
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
            patch_block(document, &self.host, shown.as_ref(), &was.node, &is.node);
            shown = next;
        }
        for _ in new.len()..old.len() {
            let Some(gone) = shown else { break };
            shown = gone.next_sibling();
            remove(&gone);
        }
        for block in new.iter().skip(old.len()) {
            let made = make_block(document, &block.node);
            insert(&self.host, made.as_ref(), shown.as_ref());
        }
    }
}

/// Makes the DOM of a block; `None` only if the browser refuses.
pub(super) fn make_block(document: &Document, node: &Node) -> Option<DomNode> {
    let made = make(document, node)?;
    if let (Node::Element(element), Some(shown)) = (node, made.dyn_ref::<DomElement>())
        && !shown.has_attribute("dir")
        && element.tag != Tag::Rule
    {
        // The first words of a block decide the direction of all that is in it. Elements inside must not have
        // `dir` as well: a browser skips those when it looks for the first words.
        let _ = shown.set_attribute("dir", "auto");
    }
    Some(made)
}

/// Makes the DOM of a node; `None` only if the browser refuses.
fn make(document: &Document, node: &Node) -> Option<DomNode> {
    match node {
        Node::Text(text) => Some(document.create_text_node(text).into()),
        Node::Element(element) => make_element(document, element).map(Into::into),
    }
}

/// Changes what shows `was` into `is`, touching as little as possible. `shown` is `None` if something else
/// has changed the page (a translator, say); then the node is made again.
fn patch_block(document: &Document, parent: &DomNode, shown: Option<&DomNode>, was: &Node, is: &Node) {
    patch(document, parent, shown, was, is, make_block);
}

fn patch(
    document: &Document,
    parent: &DomNode,
    shown: Option<&DomNode>,
    was: &Node,
    is: &Node,
    anew: fn(&Document, &Node) -> Option<DomNode>,
) {
    if was == is && shown.is_some() {
        return;
    }
    let patched = match (shown, was, is) {
        (Some(shown), Node::Text(was), Node::Text(is)) => patch_text(shown, was, is),
        (Some(shown), Node::Element(was), Node::Element(is)) => patch_element(document, shown, was, is),
        _ => false,
    };
    if patched {
        return;
    }
    let made = anew(document, is);
    insert(parent, made.as_ref(), shown);
    if let Some(shown) = shown {
        remove(shown);
    }
}

/// Changes only what differs, so that a selection before it survives.
fn patch_text(shown: &DomNode, was: &str, is: &str) -> bool {
    let Some(text) = shown.dyn_ref::<Text>() else {
        return false;
    };
    let same = common_prefix(was, is);
    let (Some(common), Some(new)) = (is.get(..same), is.get(same..)) else {
        return false;
    };
    if same == was.len() {
        return text.append_data(new).is_ok();
    }
    let at = utf16(common);
    let gone = utf16(was.get(same..).unwrap_or_default());
    text.replace_data(at, gone, new).is_ok()
}

fn common_prefix(a: &str, b: &str) -> usize {
    let mut same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(same) || !b.is_char_boundary(same) {
        same -= 1;
    }
    same
}

/// The length of a text in UTF-16 units, as the DOM counts.
fn utf16(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

fn patch_element(document: &Document, shown: &DomNode, was: &Element, is: &Element) -> bool {
    let Some(element) = shown.dyn_ref::<DomElement>() else {
        return false;
    };
    // Colours, formulas and images do not follow the source letter by letter.
    if element.has_attribute("data-drawn") || matches!(is.tag, Tag::Image { .. }) {
        return false;
    }
    if was.tag != is.tag {
        match (&was.tag, &is.tag) {
            (Tag::Link { .. }, Tag::Link { .. })
            | (Tag::LocalLink { .. }, Tag::LocalLink { .. })
            | (Tag::DeadLink { .. }, Tag::DeadLink { .. })
            | (Tag::CodeBlock { .. }, Tag::CodeBlock { .. })
            | (Tag::TaskMarker(_), Tag::TaskMarker(_))
            | (Tag::TableCell { header: true, .. }, Tag::TableCell { header: true, .. })
            | (Tag::TableCell { header: false, .. }, Tag::TableCell { header: false, .. }) => {}
            _ => return false,
        }
    }
    // The title of a link depends on its text, too.
    let depends_on_text = matches!(is.tag, Tag::Link { .. });
    if depends_on_text || was.tag != is.tag {
        set_attributes(element, is);
    }
    if let Tag::CodeBlock { .. } = is.tag {
        return code_block::patch(document, shown, was, is);
    }
    let host = if is.tag == Tag::Table { element.first_child() } else { Some(shown.clone()) };
    let Some(host) = host else { return false };
    let mut child = host.first_child();
    for (was, is) in was.children.iter().zip(&is.children) {
        let next = child.as_ref().and_then(DomNode::next_sibling);
        patch(document, &host, child.as_ref(), was, is, make);
        child = next;
    }
    for _ in is.children.len()..was.children.len() {
        let Some(gone) = child else { break };
        child = gone.next_sibling();
        remove(&gone);
    }
    for new in is.children.iter().skip(was.children.len()) {
        insert(&host, make(document, new).as_ref(), child.as_ref());
    }
    true
}

fn make_element(document: &Document, element: &Element) -> Option<DomElement> {
    let shown = document.create_element(element.tag.name()).ok()?;
    set_attributes(&shown, element);
    match element.tag {
        Tag::CodeBlock { .. } => {
            code_block::fill(document, &shown, element, make);
            return Some(shown);
        }
        Tag::Table => {
            let table = document.create_element("table").ok()?;
            fill(document, &table, element);
            shown.append_child(&table).ok()?;
        }
        Tag::Image { ref src, ref host } => images::fill(document, &shown, element, src, host.as_deref()),
        Tag::FootnoteReference { ref label } => {
            insert(&shown, buttons::reference(document, label).as_deref(), None);
        }
        Tag::FootnoteDefinition { .. } => {
            fill(document, &shown, element);
            insert(&shown, buttons::back(document).as_deref(), None);
        }
        _ => fill(document, &shown, element),
    }
    Some(shown)
}

fn fill(document: &Document, host: &DomElement, element: &Element) {
    for child in &element.children {
        insert(host, make(document, child).as_ref(), None);
    }
}

/// Sets the attributes that the tag asks for.
fn set_attributes(shown: &DomElement, element: &Element) {
    let set = |name: &str, value: &str| {
        let _ = shown.set_attribute(name, value);
    };
    match &element.tag {
        // Names and commands say nothing about the direction of the words around them.
        Tag::Code => {
            set("dir", "ltr");
            set("translate", "no");
        }
        Tag::RawHtml => set("class", "raw-html"),
        Tag::List { start } => {
            if let Some(start) = start.filter(|start| *start != 1) {
                set("start", &start.to_string());
            }
        }
        Tag::TaskMarker(ticked) => {
            set("type", "checkbox");
            set("disabled", "");
            set("aria-label", if *ticked { prose::DONE } else { prose::OPEN }.text());
            if *ticked {
                set("checked", "");
            } else {
                let _ = shown.remove_attribute("checked");
            }
        }
        Tag::CodeBlock { language } => {
            // Code reads from left to right in every language.
            set("dir", "ltr");
            set("translate", "no");
            set("class", "code");
            if let Some(language) = language {
                set("data-language", language);
            }
        }
        Tag::Table => {
            set("class", "table");
            set("role", "region");
            set("tabindex", "0");
            set("aria-label", prose::TABLE.text());
        }
        Tag::TableCell { align, .. } => {
            set(
                "data-align",
                match align {
                    Align::Natural => "",
                    Align::Left => "left",
                    Align::Center => "center",
                    Align::Right => "right",
                },
            );
        }
        Tag::Link { href } => {
            set("href", href);
            set("target", "_blank");
            set("rel", "noopener noreferrer nofollow");
            let text: String = element.children.iter().map(Node::text).collect();
            match links::host(href) {
                Some(host) if text != *href => set("title", host),
                _ => {
                    let _ = shown.remove_attribute("title");
                }
            }
        }
        Tag::LocalLink { href } => {
            set("class", "local-link");
            set("title", href);
        }
        Tag::DeadLink { href } => {
            set("class", "dead-link");
            set("title", &prose::DEAD_LINK.with(&[("address", href.into())]));
        }
        Tag::Image { src, host } => {
            set("class", "image");
            set("data-host", host.as_deref().unwrap_or_default());
            // A data URL can be megabytes long.
            set("title", &src.chars().take(300).collect::<String>());
        }
        Tag::Math { display } => {
            set("dir", "ltr");
            set("translate", "no");
            set("class", if *display { "math display" } else { "math" });
        }
        Tag::FootnoteDefinition { label } => {
            set("class", "footnote");
            set("data-label", label);
            set("tabindex", "-1");
        }
        Tag::FootnoteReference { .. } => set("class", "footnote-reference"),
        Tag::Unseen => set("class", "hidden-char"),
        Tag::TableHead => set("class", "head"),
        Tag::TableRow
        | Tag::Rule
        | Tag::Emphasis
        | Tag::Strong
        | Tag::Strikethrough
        | Tag::LineBreak
        | Tag::Paragraph
        | Tag::Heading(_)
        | Tag::BlockQuote
        | Tag::Item => {}
    }
}
