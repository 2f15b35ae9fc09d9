//! Markdown as HTML, with the same elements as on the page. HTML in the source is shown as text, images are
//! not fetched, and only `http`, `https` and `mailto` links stay links.

use super::page::Page;
use crate::i18n::words::export;
use crate::text::markdown::{Align, Element, Markdown, Node, Tag};

/// Writes a Markdown text.
pub(super) fn prose(page: &mut Page, text: &str) {
    let mut parsed = Markdown::new();
    let _ = parsed.update(text, true);
    page.open("div", &[("class", "prose")]);
    for block in parsed.blocks() {
        node(page, &block.node);
    }
    page.close("div");
}

fn node(page: &mut Page, node: &Node) {
    match node {
        Node::Text(text) => _ = page.text(text),
        Node::Element(element) => self::element(page, element),
    }
}

fn nodes(page: &mut Page, nodes: &[Node]) {
    for child in nodes {
        node(page, child);
    }
}

fn element(page: &mut Page, element: &Element) {
    let auto = ("dir", "auto");
    let mut wrap = |tag: &'static str, attributes: &[(&'static str, &str)]| {
        page.open(tag, attributes);
        nodes(page, &element.children);
        page.close(tag);
    };
    match &element.tag {
        Tag::Paragraph => wrap("p", &[auto]),
        Tag::RawHtml => wrap("p", &[auto, ("class", "raw-html")]),
        // A message's headings rank below the document's own, as on the page.
        Tag::Heading(1) => wrap("h3", &[auto]),
        Tag::Heading(2) => wrap("h4", &[auto]),
        Tag::Heading(3) => wrap("h5", &[auto]),
        Tag::Heading(_) => wrap("h6", &[auto]),
        Tag::BlockQuote => wrap("blockquote", &[auto]),
        Tag::List { start: None } => wrap("ul", &[auto]),
        Tag::List { start: Some(start) } => wrap("ol", &[auto, ("start", &start.to_string())]),
        Tag::Item => wrap("li", &[auto]),
        Tag::Emphasis => wrap("em", &[]),
        Tag::Strong => wrap("strong", &[]),
        Tag::Unseen => wrap("span", &[]),
        Tag::Strikethrough => wrap("del", &[]),
        // Formulas are not rendered; their source is shown.
        Tag::Math { display: false } | Tag::Code => wrap("code", &[]),
        Tag::TableHead => wrap("tr", &[("class", "head")]),
        Tag::TableRow => wrap("tr", &[]),
        Tag::TableCell { align, header } => {
            let align = match align {
                Align::Natural => "",
                Align::Left => "left",
                Align::Center => "center",
                Align::Right => "right",
            };
            wrap(if *header { "th" } else { "td" }, &[auto, ("data-align", align)]);
        }
        Tag::Link { href } => wrap("a", &[("href", href), ("rel", "noopener noreferrer nofollow")]),
        Tag::LocalLink { href } => wrap("span", &[("class", "local-link"), ("title", href)]),
        Tag::DeadLink { href } => wrap("span", &[("class", "dead-link"), ("title", href)]),
        Tag::Image { host, .. } => {
            wrap(
                "span",
                &[("class", "image"), ("data-host", host.as_deref().unwrap_or(export::THIS_TEXT.text()))],
            );
        }
        Tag::FootnoteReference { .. } => wrap("sup", &[("class", "footnote-reference")]),
        Tag::FootnoteDefinition { label } => {
            wrap("div", &[auto, ("class", "footnote"), ("data-label", label)]);
        }
        Tag::CodeBlock { language } => {
            let mut attributes = vec![("class", "code"), ("dir", "ltr")];
            attributes.extend(language.as_deref().map(|language| ("data-language", language)));
            page.open("pre", &attributes).open("code", &[]);
            nodes(page, &element.children);
            page.close("code").close("pre");
        }
        Tag::Math { display: true } => {
            wrap("pre", &[("class", "code"), ("dir", "ltr"), ("data-language", "TeX")]);
        }
        Tag::Table => {
            page.open(
                "div",
                &[
                    ("class", "table"),
                    ("role", "region"),
                    ("tabindex", "0"),
                    ("aria-label", export::TABLE.text()),
                ],
            );
            page.open("table", &[]);
            nodes(page, &element.children);
            page.close("table").close("div");
        }
        Tag::TaskMarker(ticked) => {
            let mut attributes = vec![("type", "checkbox"), ("disabled", "")];
            attributes
                .push(("aria-label", if *ticked { export::TASK_DONE } else { export::TASK_OPEN }.text()));
            attributes.extend(ticked.then_some(("checked", "")));
            page.leaf("input", &attributes);
        }
        Tag::Rule => _ = page.leaf("hr", &[]),
        Tag::LineBreak => _ = page.leaf("br", &[]),
    }
}
