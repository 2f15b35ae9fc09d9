//! Markdown as elements, as the page shows it. HTML in the source is shown as text, images are not fetched, and only `http`,
//! `https` and `mailto` links stay links.

use super::element::{El, div, el};
use crate::i18n::words::prose;
use crate::text::markdown::{Align, Block, Element, Markdown, Node, Tag, links, unseen};

/// Bytes of code after which a line is cut that is longer than any screen.
const LONG_LINE: usize = 16_384;

/// A Markdown text.
pub fn prose(text: &str) -> El {
    div("prose").child(blocks(text))
}

/// Its blocks.
pub fn blocks(text: &str) -> Vec<El> {
    parsed(text).blocks().iter().filter_map(|shown| block(&shown.node)).collect()
}

/// The last blocks whose sources have together at most so many bytes, the last one in any case, and whether that leaves out any.
pub fn last_blocks(text: &str, bytes: usize) -> (Vec<El>, bool) {
    let parsed = parsed(text);
    let all = parsed.blocks();
    let mut room = bytes;
    let fits = |block: &&Block| {
        let size = block.source.len();
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    };
    let count = all.iter().rev().take_while(fits).count().max(1).min(all.len());
    let shown = all.get(all.len() - count..).unwrap_or_default();
    (shown.iter().filter_map(|shown| block(&shown.node)).collect(), count < all.len())
}

/// A whole text that is to be approved, with everything marked that would not be seen; and whether its blocks don't show all.
pub fn for_approval(text: &str) -> (Vec<El>, bool) {
    let parsed = parsed(text);
    let blocks = parsed.blocks().iter().filter_map(|shown| block(&unseen::marked(&shown.node))).collect();
    (blocks, unseen::is_lost(text, parsed.blocks()))
}

fn parsed(text: &str) -> Markdown {
    let mut parsed = Markdown::new();
    let _ = parsed.update(text, true);
    parsed
}

/// The first words of a block decide the direction of all that is in it, so elements inside have no `dir` of their own.
fn block(node: &Node) -> Option<El> {
    match node {
        // Blocks are elements.
        Node::Text(text) => (!text.is_empty()).then(|| el("p").attr("dir", "auto").text(text)),
        Node::Element(element) => {
            let shown = self::element(element);
            let own = matches!(element.tag, Tag::CodeBlock { .. } | Tag::Code | Tag::Math { .. } | Tag::Rule);
            Some(if own { shown } else { shown.attr("dir", "auto") })
        }
    }
}

fn with_nodes(host: El, nodes: &[Node]) -> El {
    nodes.iter().fold(host, |host, node| match node {
        Node::Text(text) => host.text(text),
        Node::Element(element) => host.child(self::element(element)),
    })
}

fn element(element: &Element) -> El {
    let shown = with_attributes(el(element.tag.name()), element);
    match &element.tag {
        Tag::CodeBlock { .. } => code_block(shown, element),
        Tag::Table => shown.child(with_nodes(el("table"), &element.children)),
        Tag::Image { src, host } => image(shown, element, src, host.as_deref()),
        Tag::FootnoteReference { label } => {
            let name = prose::FOOTNOTE.with(&[("label", label.into())]);
            shown.child(button("reference").attr("aria-label", name).text(label))
        }
        Tag::FootnoteDefinition { .. } => {
            let back = button("back").attr("aria-label", prose::BACK.text()).text("↩");
            with_nodes(shown, &element.children).child(back)
        }
        _ => with_nodes(shown, &element.children),
    }
}

fn button(class: &str) -> El {
    el("button").attr("type", "button").class(class).attr("disabled", true)
}

fn with_attributes(shown: El, element: &Element) -> El {
    match &element.tag {
        // Names and commands say nothing about the direction of the words around them.
        Tag::Code => shown.attr("dir", "ltr").attr("translate", "no"),
        Tag::RawHtml => shown.class("raw-html"),
        Tag::List { start } => {
            shown.attr("start", start.filter(|start| *start != 1).map(|start| start.to_string()))
        }
        Tag::TaskMarker(ticked) => shown
            .attr("type", "checkbox")
            .attr("disabled", true)
            .attr("aria-label", if *ticked { prose::DONE } else { prose::OPEN }.text())
            .attr("checked", *ticked),
        // Code reads from left to right in every language.
        Tag::CodeBlock { language } => shown
            .attr("dir", "ltr")
            .attr("translate", "no")
            .class("code")
            .attr("data-language", language.as_deref()),
        Tag::Table => shown
            .class("table")
            .attr("role", "region")
            .attr("tabindex", "0")
            .attr("aria-label", prose::TABLE.text()),
        Tag::TableCell { align, .. } => {
            let align = match align {
                Align::Natural => "",
                Align::Left => "left",
                Align::Center => "center",
                Align::Right => "right",
            };
            shown.attr("data-align", align)
        }
        Tag::Link { href } => {
            let text: String = element.children.iter().map(Node::text).collect();
            let host = links::host(href).filter(|_| text != *href);
            shown
                .attr("href", href)
                .attr("target", "_blank")
                .attr("rel", "noopener noreferrer nofollow")
                .attr("title", host)
        }
        Tag::LocalLink { href } => shown.class("local-link").attr("title", href),
        Tag::DeadLink { href } => {
            shown.class("dead-link").attr("title", prose::DEAD_LINK.with(&[("address", href.into())]))
        }
        Tag::Image { host, .. } => {
            shown.class("image").attr("data-host", host.as_deref().unwrap_or_default())
        }
        Tag::Math { display } => {
            let class = if *display { "math display" } else { "math" };
            shown.attr("dir", "ltr").attr("translate", "no").class(class)
        }
        Tag::FootnoteDefinition { label } => {
            shown.class("footnote").attr("data-label", label).attr("tabindex", "-1")
        }
        Tag::FootnoteReference { .. } => shown.class("footnote-reference"),
        Tag::Unseen => shown.class("hidden-char"),
        Tag::TableHead => shown.class("head"),
        Tag::TableRow
        | Tag::Rule
        | Tag::Emphasis
        | Tag::Strong
        | Tag::Strikethrough
        | Tag::LineBreak
        | Tag::Paragraph
        | Tag::Heading(_)
        | Tag::BlockQuote
        | Tag::Item => shown,
    }
}

/// Code with its buttons. The beginning of a line that is longer than any screen stands for it.
fn code_block(pre: El, element: &Element) -> El {
    let wrap = button("wrap").attr("aria-pressed", "false").text(prose::WRAP.text());
    let acts = el("span").class("acts").child(wrap).child(button("copy").text(prose::COPY.text()));
    let code = el("code").attr("translate", None::<&str>).attr("tabindex", "0");
    let cut = |code: El, text: &str| {
        text.split_inclusive('\n').fold(code, |code, line| match line.char_indices().nth(LONG_LINE) {
            Some((end, _)) => code.text(line.get(..end).unwrap_or_default()).text("…\n"),
            None => code.text(line),
        })
    };
    let code = element.children.iter().fold(code, |code, child| match child {
        Node::Text(text) => cut(code, text),
        Node::Element(element) => code.child(self::element(element)),
    });
    pre.child(acts).child(code)
}

/// The name of an image, with the button that would load it.
fn image(shown: El, element: &Element, src: &str, host: Option<&str>) -> El {
    let alt: String = element.children.iter().map(Node::text).collect();
    let words = if alt.trim().is_empty() {
        prose::IMAGE.text().to_owned()
    } else {
        prose::IMAGE_NAMED.with(&[("alt", (&alt).into())])
    };
    let shown = shown.text(words);
    let inside = ["png", "jpeg", "gif", "webp"].iter().any(|kind| {
        let rest = src.strip_prefix("data:image/").and_then(|rest| rest.strip_prefix(kind));
        rest.is_some_and(|rest| rest.starts_with([';', ',']))
    });
    if !inside && host.is_none() {
        return shown;
    }
    let does = match host.filter(|host| !host.is_empty()) {
        Some(host) => prose::LOAD_FROM.with(&[("host", host.into())]),
        None => prose::SHOW.text().to_owned(),
    };
    shown.child(button("load").text(does))
}
