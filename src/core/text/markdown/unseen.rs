//! Marks in Markdown what a reader would not see, for texts that a person has to approve.

use std::collections::HashMap;

use super::{Block, Element, Node, Tag};
use crate::text::hidden;
use crate::text::hidden::Segment;
use crate::text::review_marks::{ReviewMark, TextKind, review};

/// A copy of the node, with a mark in place of everything in its texts that would not be seen.
pub fn marked(node: &Node) -> Node {
    let Node::Element(element) = node else {
        return node.clone();
    };
    Node::Element(mark_element(element))
}

fn mark_element(element: &Element) -> Element {
    let kind = match element.tag {
        Tag::CodeBlock { .. } | Tag::Code | Tag::Math { .. } | Tag::RawHtml => TextKind::Content,
        _ => TextKind::Prose,
    };
    let mut children = Vec::with_capacity(element.children.len());
    for child in &element.children {
        match child {
            Node::Text(text) => pieces(text, kind, &mut children),
            Node::Element(inner) => children.push(Node::Element(mark_element(inner))),
        }
    }
    Element { tag: element.tag.clone(), children }
}

fn pieces(text: &str, kind: TextKind, into: &mut Vec<Node>) {
    if !hidden::has_hidden(text) {
        into.push(Node::Text(text.to_owned()));
        return;
    }
    let mut plain = String::new();
    for mark in review(text, kind) {
        match mark {
            ReviewMark::Plain(run) | ReviewMark::RightToLeft(run) => plain.push_str(run),
            ReviewMark::Token(name) => {
                if !plain.is_empty() {
                    into.push(Node::Text(std::mem::take(&mut plain)));
                }
                into.push(Node::Element(Element { tag: Tag::Unseen, children: vec![Node::Text(name)] }));
            }
        }
    }
    if !plain.is_empty() {
        into.push(Node::Text(plain));
    }
}

/// True if the text has a hidden character that none of its blocks shows, for example in a link's target.
pub fn is_lost(text: &str, blocks: &[Block]) -> bool {
    if !hidden::has_hidden(text) {
        return false;
    }
    let mut left: HashMap<char, usize> = HashMap::new();
    for block in blocks {
        for_each_text(&block.node, &mut |text| {
            for ch in hidden_in(text) {
                *left.entry(ch).or_default() += 1;
            }
        });
    }
    hidden_in(text).any(|ch| match left.get_mut(&ch) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    })
}

fn hidden_in(text: &str) -> impl Iterator<Item = char> {
    hidden::segments(text).into_iter().filter_map(|segment| match segment {
        Segment::Hidden { ch, .. } => Some(ch),
        Segment::Plain(_) => None,
    })
}

fn for_each_text(node: &Node, see: &mut dyn FnMut(&str)) {
    match node {
        Node::Text(text) => see(text),
        Node::Element(element) => element.children.iter().for_each(|child| for_each_text(child, see)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::markdown::Markdown;

    fn parsed(text: &str) -> Markdown {
        let mut markdown = Markdown::new();
        let _ = markdown.update(text, true);
        markdown
    }

    /// What is shown, with the marks in angle brackets.
    fn shown(node: &Node, into: &mut String) {
        match node {
            Node::Text(text) => into.push_str(text),
            Node::Element(Element { tag: Tag::Unseen, children }) => {
                into.push('<');
                for child in children {
                    shown(child, into);
                }
                into.push('>');
            }
            Node::Element(element) => element.children.iter().for_each(|child| shown(child, into)),
        }
    }

    fn all_shown(text: &str) -> String {
        let mut all = String::new();
        for block in parsed(text).blocks() {
            shown(&marked(&block.node), &mut all);
            all.push('|');
        }
        all
    }

    #[test]
    fn what_would_not_be_seen_is_marked_where_it_stands() {
        for (text, expected) in [
            ("# A\u{202E}b", "A<right-to-left override>b|"),
            (
                "one\u{200B}\n\n- two\u{E0041}\u{E0042}",
                "one<zero-width space>|two<tag character><tag character>|",
            ),
            ("**bold\u{AD}**", "bold<soft hyphen>|"),
            ("`rm\u{2060}`", "rm<word joiner>|"),
            ("```sh\nls \u{1B}[2K\n```", "ls <ESC>[2K\n|"),
            ("| a |\n|---|\n| \u{3164} |", "a<Hangul filler>|"),
            ("> \u{61C}x", "<Arabic letter mark>x|"),
            ("a\u{2063}b\u{7}c\u{8}d\u{FEFF}", "a<U+2063>b<BEL>c<backspace>d<byte order mark>|"),
            ("&#x202E;x", "<right-to-left override>x|"),
            ("[a\u{200D}b](https://a.example/)", "a<zero-width joiner>b|"),
        ] {
            assert_eq!(all_shown(text), expected, "{text:?}");
        }
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        for text in
            ["# Plan\n\n1. `cargo test` and *wait*\n\n```mermaid\ngraph TD\n```", "עברית and 日本語 👩‍👩‍👧"]
        {
            for block in parsed(text).blocks() {
                assert_eq!(marked(&block.node), block.node);
            }
            assert!(!is_lost(text, parsed(text).blocks()));
        }
    }

    #[test]
    fn what_no_block_shows_is_missed() {
        for text in [
            "[a](https://a.example/\u{200B}b)",
            "[x]: https://a.example/\u{202E}\n\ntext",
            "```s\u{200B}h\nls\n```",
            "seen \u{200B}\n\n[a](/\u{200B})",
        ] {
            assert!(is_lost(text, parsed(text).blocks()), "{text:?}");
        }
        let seen = "a\u{200B}b `\u{202E}`";
        assert!(!is_lost(seen, parsed(seen).blocks()));
    }
}
