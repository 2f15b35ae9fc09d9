//! Builds the tree from `CommonMark` events. Raw HTML in the source stays text.

use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, LinkType, Tag as Mark, TagEnd};

use super::links::{self, Reach};
use super::node::{Align, Element, Node, Tag};
use super::read::Spanned;

/// Deeper nesting is flattened into its parent: a thousand `>` must become neither
/// a thousand elements nor a deep recursion.
const MAX_DEPTH: usize = 24;

/// The top-level blocks, each with its bytes in the source.
pub(super) fn build(events: Vec<Spanned<'_>>) -> Vec<(Range<usize>, Node)> {
    let mut builder = Builder::default();
    for (event, range) in events {
        builder.take(event, range);
    }
    builder.blocks
}

/// What was done with an opened mark, so that its end can undo it.
enum Opened {
    Element,
    /// Its children go straight into its parent.
    Unwrapped,
    /// Same as `Unwrapped`, because of the depth; a line break keeps its words apart from the next.
    Flattened,
}

#[derive(Default)]
struct Builder {
    blocks: Vec<(Range<usize>, Node)>,
    stack: Vec<Element>,
    opened: Vec<Opened>,
    range: Range<usize>,
    aligns: Vec<Align>,
    column: usize,
    in_head: bool,
    /// How many links and images are open: addresses in them don't become links again.
    in_link: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        if self.opened.is_empty() {
            self.range = range;
        }
        match event {
            Event::Start(mark) => self.start(mark),
            Event::End(end) => self.end(end),
            Event::Text(text) | Event::Html(text) => self.text(&text),
            Event::InlineHtml(html) => {
                let name = html.trim_start_matches('<').trim_end_matches(['>', '/', ' ']);
                if name.eq_ignore_ascii_case("br") {
                    self.leaf(Tag::LineBreak, None);
                } else {
                    self.text(&html);
                }
            }
            Event::Code(text) => self.leaf(Tag::Code, Some(&text)),
            Event::InlineMath(tex) => self.leaf(Tag::Math { display: false }, Some(tex.trim_matches('`'))),
            Event::DisplayMath(tex) => self.leaf(Tag::Math { display: true }, Some(tex.trim())),
            Event::FootnoteReference(label) => {
                self.leaf(Tag::FootnoteReference { label: label.to_string() }, Some(&label));
            }
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.leaf(Tag::LineBreak, None),
            Event::Rule => self.leaf(Tag::Rule, None),
            Event::TaskListMarker(ticked) => self.leaf(Tag::TaskMarker(ticked), None),
        }
    }

    fn start(&mut self, mark: Mark<'_>) {
        let Some(tag) = self.tag_of(mark) else {
            self.opened.push(Opened::Unwrapped);
            return;
        };
        if self.stack.len() >= MAX_DEPTH {
            self.opened.push(Opened::Flattened);
            return;
        }
        if is_link(&tag) {
            self.in_link += 1;
        }
        self.opened.push(Opened::Element);
        self.stack.push(Element { tag, children: Vec::new() });
    }

    /// The tag of a mark; `None` if it gets no element.
    fn tag_of(&mut self, mark: Mark<'_>) -> Option<Tag> {
        Some(match mark {
            Mark::Paragraph => {
                let is_marker =
                    |child: &Node| matches!(child, Node::Element(Element { tag: Tag::TaskMarker(_), .. }));
                let begins = |parent: &Element| {
                    matches!(parent.tag, Tag::Item | Tag::FootnoteDefinition { .. })
                        && parent.children.iter().all(is_marker)
                };
                if self.stack.last().is_some_and(begins) {
                    return None;
                }
                Tag::Paragraph
            }
            Mark::Heading { level, .. } => Tag::Heading(level as u8),
            Mark::BlockQuote(_) => Tag::BlockQuote,
            Mark::CodeBlock(kind) => Tag::CodeBlock { language: language(&kind) },
            Mark::HtmlBlock | Mark::MetadataBlock(_) => Tag::RawHtml,
            Mark::List(start) => Tag::List { start },
            Mark::Item => Tag::Item,
            Mark::FootnoteDefinition(label) => Tag::FootnoteDefinition { label: label.to_string() },
            Mark::Table(aligns) => {
                self.aligns = aligns.into_iter().map(align).collect();
                Tag::Table
            }
            Mark::TableHead => {
                self.column = 0;
                self.in_head = true;
                Tag::TableHead
            }
            Mark::TableRow => {
                self.column = 0;
                Tag::TableRow
            }
            Mark::TableCell => {
                let align = self.aligns.get(self.column).copied().unwrap_or_default();
                self.column += 1;
                Tag::TableCell { align, header: self.in_head }
            }
            Mark::Emphasis => Tag::Emphasis,
            Mark::Strong => Tag::Strong,
            Mark::Strikethrough => Tag::Strikethrough,
            Mark::Link { link_type: LinkType::Email, dest_url, .. } => link(&format!("mailto:{dest_url}")),
            Mark::Link { dest_url, .. } => link(&dest_url),
            Mark::Image { dest_url, .. } => {
                let host = links::host(&dest_url).filter(|_| links::reach(&dest_url) == Reach::External);
                Tag::Image { host: host.map(str::to_owned), src: dest_url.to_string() }
            }
            Mark::DefinitionList
            | Mark::DefinitionListTitle
            | Mark::DefinitionListDefinition
            | Mark::Superscript
            | Mark::Subscript => return None,
        })
    }

    fn end(&mut self, end: TagEnd) {
        if matches!(end, TagEnd::TableHead) {
            self.in_head = false;
        }
        match self.opened.pop() {
            Some(Opened::Element) => {}
            Some(Opened::Flattened) => return self.text("\n"),
            Some(Opened::Unwrapped) | None => return,
        }
        let Some(mut element) = self.stack.pop() else {
            return;
        };
        if is_link(&element.tag) {
            self.in_link = self.in_link.saturating_sub(1);
        } else if self.in_link == 0 && !matches!(element.tag, Tag::CodeBlock { .. } | Tag::RawHtml) {
            element.children = link_bare(element.children);
        }
        self.push(Node::Element(element));
    }

    fn leaf(&mut self, tag: Tag, text: Option<&str>) {
        let children = text.map(|text| Node::Text(text.to_owned())).into_iter().collect();
        self.push(Node::Element(Element { tag, children }));
    }

    /// Appends to a text before it: the parser cuts at every character that might have been markup.
    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(Node::Text(last)) = self.stack.last_mut().and_then(|parent| parent.children.last_mut()) {
            last.push_str(text);
        } else {
            self.push(Node::Text(text.to_owned()));
        }
    }

    fn push(&mut self, node: Node) {
        match self.stack.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.blocks.push((self.range.clone(), node)),
        }
    }
}

fn is_link(tag: &Tag) -> bool {
    matches!(tag, Tag::Link { .. } | Tag::LocalLink { .. } | Tag::DeadLink { .. } | Tag::Image { .. })
}

fn link(target: &str) -> Tag {
    let href = target.to_owned();
    match links::reach(target) {
        Reach::External => Tag::Link { href },
        Reach::Local => Tag::LocalLink { href },
        Reach::Refused => Tag::DeadLink { href },
    }
}

fn language(kind: &CodeBlockKind<'_>) -> Option<String> {
    let CodeBlockKind::Fenced(info) = kind else {
        return None;
    };
    let word = info.split([' ', '\t', ',', '{']).next()?;
    (!word.is_empty()).then(|| word.to_owned())
}

fn align(alignment: Alignment) -> Align {
    match alignment {
        Alignment::None => Align::Natural,
        Alignment::Left => Align::Left,
        Alignment::Center => Align::Center,
        Alignment::Right => Align::Right,
    }
}

/// Turns the bare addresses in these texts into links.
fn link_bare(children: Vec<Node>) -> Vec<Node> {
    let has_bare = |node: &Node| matches!(node, Node::Text(text) if links::find_bare(text).is_some());
    if !children.iter().any(has_bare) {
        return children;
    }
    let mut linked = Vec::with_capacity(children.len() + 2);
    for child in children {
        let Node::Text(text) = child else {
            linked.push(child);
            continue;
        };
        let mut rest = text.as_str();
        while let Some(found) = links::find_bare(rest) {
            let (Some(before), Some(url), Some(after)) =
                (rest.get(..found.start), rest.get(found.clone()), rest.get(found.end..))
            else {
                break;
            };
            if !before.is_empty() {
                linked.push(Node::Text(before.to_owned()));
            }
            linked.push(Node::Element(Element {
                tag: Tag::Link { href: links::address(url) },
                children: vec![Node::Text(url.to_owned())],
            }));
            rest = after;
        }
        if !rest.is_empty() {
            linked.push(Node::Text(rest.to_owned()));
        }
    }
    linked
}
