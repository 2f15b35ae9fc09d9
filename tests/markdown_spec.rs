//! The examples of the `CommonMark` specification, and those of GFM for tables, task lists and strikethrough, against
//! the tree that views show. They stand in the sources of the parser, which are there wherever this is compiled.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::{env, fs};

use pilothouse::core::text::markdown::{Align, Element, Markdown, Node, Tag};

/// Examples with a bare address, which is a link here as in GFM, but not in `CommonMark`.
const BARE_ADDRESSES: [&str; 3] = ["spec_test_602", "spec_test_608", "spec_test_611"];

/// GFM drops the cells of a row that has more than the head. Here they go into the last column, so that no word is lost.
const SURPLUS_CELLS: [(&str, &str); 1] = [("gfm_table_test_7", "<td>baz | boo</td>")];

struct Example {
    name: String,
    source: String,
    html: String,
}

/// Where cargo keeps the sources of the parser's version that is used.
fn parser_sources() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lock = fs::read_to_string(root.join("Cargo.lock")).expect("the versions of the crates");
    let version = lock.split("name = \"pulldown-cmark\"\nversion = \"").nth(1).expect("the parser");
    let version = version.split('"').next().unwrap();
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo"))).expect("cargo's folder");
    let sources = fs::read_dir(home.join("registry/src")).expect("sources of crates");
    let folder = format!("pulldown-cmark-{version}/tests/suite");
    sources
        .map(|registry| registry.unwrap().path().join(&folder))
        .find(|path| path.exists())
        .expect("the examples")
}

/// Each is a function: `fn NAME() {`, then the source and the result as raw strings.
fn examples() -> Vec<Example> {
    let folder = parser_sources();
    let mut all = Vec::new();
    for file in ["spec.rs", "gfm_table.rs", "gfm_tasklist.rs", "gfm_strikethrough.rs"] {
        let text = fs::read_to_string(folder.join(file)).expect("the examples");
        for test in text.split("#[test]\nfn ").skip(1) {
            let name = test.split("()").next().unwrap().to_owned();
            let mut strings =
                test.split("r##\"").skip(1).map(|rest| rest.split("\"##;").next().unwrap().to_owned());
            let (source, html) = (strings.next().expect("a source"), strings.next().expect("a result"));
            all.push(Example { name, source, html });
        }
    }
    all
}

/// The tree as HTML without escapes, because HTML in the source stays text here.
fn html(nodes: &[Node]) -> String {
    nodes
        .iter()
        .map(|node| if let Node::Element(element) = node { of_element(element) } else { node.text() })
        .collect()
}

fn of_element(Element { tag, children }: &Element) -> String {
    let inner = html(children);
    let wrapped = |name: &str| format!("<{name}>{inner}</{name}>");
    match tag {
        Tag::Paragraph => wrapped("p"),
        Tag::Heading(level) => wrapped(&format!("h{level}")),
        Tag::BlockQuote => wrapped("blockquote"),
        Tag::List { start: None } => wrapped("ul"),
        Tag::List { start: Some(1) } => wrapped("ol"),
        Tag::List { start: Some(start) } => format!("<ol start=\"{start}\">{inner}</ol>"),
        Tag::Item => wrapped("li"),
        Tag::TaskMarker(false) => "<input disabled=\"\" type=\"checkbox\"/>".to_owned(),
        Tag::TaskMarker(true) => "<input disabled=\"\" type=\"checkbox\" checked=\"\"/>".to_owned(),
        Tag::CodeBlock { language: None } => format!("<pre><code>{inner}</code></pre>"),
        Tag::CodeBlock { language: Some(language) } => {
            format!("<pre><code class=\"language-{language}\">{inner}</code></pre>")
        }
        Tag::RawHtml => inner,
        Tag::Table => wrapped("table"),
        Tag::TableHead | Tag::TableRow => wrapped("tr"),
        Tag::TableCell { align, header } => {
            let name = if *header { "th" } else { "td" };
            let style = match align {
                Align::Natural => "",
                Align::Left => " style=\"text-align: left\"",
                Align::Center => " style=\"text-align: center\"",
                Align::Right => " style=\"text-align: right\"",
            };
            format!("<{name}{style}>{inner}</{name}>")
        }
        Tag::Rule => "<hr />".to_owned(),
        Tag::Emphasis => wrapped("em"),
        Tag::Strong => wrapped("strong"),
        Tag::Strikethrough => wrapped("del"),
        Tag::Code => wrapped("code"),
        Tag::Link { href } | Tag::LocalLink { href } | Tag::DeadLink { href } => {
            format!("<a href=\"{href}\">{inner}</a>")
        }
        Tag::Image { src, .. } => {
            let words: String = children.iter().map(Node::text).collect();
            format!("<img src=\"{src}\" alt=\"{words}\" />")
        }
        Tag::LineBreak => "<br />".to_owned(),
        Tag::Math { .. } | Tag::FootnoteReference { .. } | Tag::FootnoteDefinition { .. } | Tag::Unseen => {
            format!("<{tag:?}>{inner}")
        }
    }
}

/// HTML as far as the tree has it: without groups of rows, percent signs in addresses, line ends beside tags,
/// and the paragraph that begins an item.
fn plain(html: &str) -> String {
    let mut html = html.trim().replace("\n<", "<").replace(">\n", ">");
    for group in ["<thead>", "</thead>", "<tbody>", "</tbody>"] {
        html = html.replace(group, "");
    }
    while let Some((before, rest)) = html.split_once("<li><p>") {
        let (paragraph, after) = rest.split_once("</p>").unwrap();
        html = format!("{before}<li>{paragraph}{after}");
    }
    for attribute in [" href=\"", " src=\""] {
        let mut parts = html.split(attribute);
        let first = parts.next().unwrap().to_owned();
        html = parts.fold(first, |before, part| {
            let (address, rest) = part.split_once('"').unwrap_or((part, ""));
            format!("{before}{attribute}{}\"{rest}", decoded(address))
        });
    }
    html
}

/// The tree has no titles.
fn without_titles(html: &str) -> String {
    let mut html = html.to_owned();
    while let Some((before, rest)) = html.split_once(" title=\"") {
        html = format!("{before}{}", rest.split_once('"').map_or("", |(_, after)| after));
    }
    html
}

fn without_escapes(html: &str) -> String {
    html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// An address without its percent signs, where they make up a text.
fn decoded(address: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = address.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|two| std::str::from_utf8(two).ok());
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| address.to_owned())
}

fn nodes(markdown: &Markdown) -> Vec<Node> {
    markdown.blocks().iter().map(|block| block.node.clone()).collect()
}

#[test]
fn the_examples_of_the_specification_give_their_html() {
    let all = examples();
    assert!(all.len() > 650, "{}", all.len());
    for Example { name, source, html: expected } in &all {
        let mut markdown = Markdown::new();
        markdown.update(source, true);
        let shown = plain(&without_titles(&html(&nodes(&markdown))));
        let expected = plain(&without_escapes(&without_titles(expected)));
        if BARE_ADDRESSES.contains(&name.as_str()) {
            assert!(shown.contains("<a href=") && shown != expected, "{name}: {shown}");
        } else if let Some((_, cell)) = SURPLUS_CELLS.iter().find(|(other, _)| other == name) {
            assert!(shown.contains(cell), "{name}: {shown}");
        } else {
            assert_eq!(shown, expected, "{name}: {source}");
        }
    }
}

#[test]
fn the_examples_in_pieces_are_the_same_as_whole() {
    for Example { name, source, .. } in examples() {
        let mut whole = Markdown::new();
        whole.update(&source, true);
        for size in 1..=5 {
            let mut growing = Markdown::new();
            for (at, c) in source.char_indices() {
                let end = at + c.len_utf8();
                if end % size == 0 || end == source.len() {
                    growing.append(&source[..end]);
                }
            }
            growing.finish();
            assert_eq!(nodes(&growing), nodes(&whole), "{name} in pieces of {size} bytes");
        }
    }
}
