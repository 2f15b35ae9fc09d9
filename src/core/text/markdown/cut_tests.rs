//! Tests of cutting long texts.

use super::tests::{mirror, whole};
use super::*;

/// Feeds a text to documents that are cut wherever they can be. Returns the nodes of each
/// part, and the length of the longest source.
fn parts(text: &str, mut step: impl FnMut() -> usize) -> (Vec<Vec<Node>>, usize) {
    let mut open = Markdown::new();
    let (mut nodes, mut closed, mut longest, mut end) = (Vec::new(), Vec::new(), 0, 0);
    while end < text.len() {
        let mut next = (end + step().max(1)).min(text.len());
        while !text.is_char_boundary(next) {
            next += 1;
        }
        let update = open.extend(&text[end..next]);
        mirror(&mut nodes, &open, &update);
        end = next;
        while let Some(cut) = open.cut(if closed.is_empty() { cut::PART } else { cut::NEXT }) {
            assert!(cut.at > 0, "a cut closes something");
            let rest = open.source()[cut.at..].to_owned();
            let update = open.close(cut.at);
            mirror(&mut nodes, &open, &update);
            longest = longest.max(open.source().len());
            closed.push(std::mem::take(&mut nodes));
            open = Markdown::after(cut.lead);
            let update = open.extend(&rest);
            mirror(&mut nodes, &open, &update);
        }
    }
    let update = open.finish();
    mirror(&mut nodes, &open, &update);
    longest = longest.max(open.source().len());
    closed.push(nodes);
    (closed, longest)
}

fn words_of(parts: &[Vec<Node>]) -> String {
    let text: String = parts.iter().flatten().map(Node::text).collect();
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn a_long_text_is_cut_between_its_blocks_and_stays_what_it_is() {
    let text = numbered(2_000, |n| format!("## Part {n}\n\nSome **bold** words.\n\n- a\n- b\n\n"));
    let (parts, longest) = parts(&text, || 700);
    assert!(parts.len() > 2 && longest < 2 * cut::PART, "{} parts, {longest} bytes", parts.len());
    assert_eq!(parts.concat(), whole(&text));
}

#[test]
fn a_block_without_end_is_cut_between_sentences_rows_and_items() {
    let sentences = "Some *words* in a row. ".repeat(4_000);
    let lines = "A line of words, and another\n".repeat(4_000);
    let word = "x".repeat(100_000);
    let rows = numbered(4_000, |n| format!("| {n} | row **{n}** |\n"));
    let table = format!("| a | b |\n|---|---|\n{rows}");
    let items = numbered(3_999, |n| format!("{}. item of *words*\n", n + 1));
    let quote = "> Words that are quoted.\n".repeat(10_000);
    for (text, parts_at_least) in
        [(&sentences, 4), (&lines, 4), (&word, 4), (&table, 4), (&items, 4), (&quote, 1)]
    {
        for step in [if text.starts_with('>') { 5_000 } else { 500 }, 5_000] {
            let (parts, longest) = parts(text, || step);
            assert!(parts.len() >= parts_at_least, "{} parts of {:?}", parts.len(), &text[..20]);
            assert!(longest < 140 * 1024, "{longest} bytes of {:?}", &text[..20]);
            let tags: Vec<_> = parts.iter().map(|nodes| nodes.first().and_then(tag).cloned()).collect();
            let first = tags.first().unwrap();
            let same = |tag: &Option<Tag>| {
                std::mem::discriminant(tag.as_ref().unwrap())
                    == std::mem::discriminant(first.as_ref().unwrap())
            };
            assert!(parts.iter().all(|nodes| nodes.len() == 1) && tags.iter().all(same), "{tags:?}");
        }
    }
    let (parts, _) = parts(&sentences, || 300);
    assert_eq!(words_of(&parts), words_of(&[whole(&sentences)]));
    let starts = |parts: &[Vec<Node>]| -> Vec<u64> {
        let start = |nodes: &Vec<Node>| match nodes.first().and_then(tag) {
            Some(Tag::List { start }) => start.unwrap_or(0),
            _ => 0,
        };
        parts.iter().map(start).collect()
    };
    let (parts, _) = self::parts(&items, || 300);
    let counted: usize = parts.iter().map(|nodes| children(&nodes[0])).sum();
    assert_eq!(counted, 3_999);
    let mut number = 1;
    for (part, start) in parts.iter().zip(starts(&parts)) {
        assert_eq!(start, number);
        number += children(&part[0]) as u64;
    }
}

fn children(node: &Node) -> usize {
    match node {
        Node::Element(element) => element.children.len(),
        Node::Text(_) => 0,
    }
}

#[test]
fn long_code_stays_one_block_and_what_follows_is_read() {
    for newline in ["\n", "\r\n"] {
        let code = format!("let x = 1;{newline}").repeat(20_000);
        let text =
            format!("Before{newline}{newline}```rust{newline}{code}```{newline}{newline}After *it*{newline}");
        let (parts, _) = parts(&text, || 4_000);
        assert_eq!(parts.concat(), whole(&text));
        let open = format!("```rust{newline}{code}``");
        let (parts, _) = self::parts(&open, || 4_000);
        assert_eq!(parts.concat(), whole(&open));
    }
}

#[test]
fn code_in_a_list_that_is_cut_does_not_swallow_what_follows() {
    let text =
        format!("1. Code:\n\n   ```js\n{}   ```\n\nAfter.\n\n## Head\n", "   let x = 1;\n".repeat(20_000));
    let (parts, longest) = parts(&text, || 8_000);
    assert!(longest < 140 * 1024 + 8_000, "{longest}");
    let heads = |node: &Node| tag(node) == Some(&Tag::Heading(2));
    assert!(parts.last().unwrap().last().is_some_and(heads), "{:?}", parts.last());
}

#[test]
fn a_text_with_references_is_cut_later() {
    let text = format!("{}\n\n[a]: https://a.example\n", "A [link][a] and words.\n\n".repeat(5_000));
    let (parts, _) = parts(&text, || 3_000);
    assert_eq!(parts.concat(), whole(&text));
}

#[test]
fn brackets_in_code_refer_to_nothing() {
    let text = "Words and `a[0][1]`.\n\n```rust\nlet b: [u8; 2] = a[0][1];\n```\n\n~~~\nx[^1]\n~~~\n\n"
        .repeat(2_000);
    let (parts, longest) = parts(&text, || 3_000);
    assert!(longest < 2 * cut::PART && parts.len() > 10, "{} parts, {longest} bytes", parts.len());
    assert_eq!(parts.concat(), whole(&text));
}

#[test]
fn a_mark_of_code_without_another_hides_no_reference() {
    for words in
        ["With the ` key, a [link][a] and words.\n\n", "```\n```js\n```\n\nA [link][a] and words.\n\n"]
    {
        let text = format!("{}\n\n[a]: https://a.example\n", words.repeat(3_000));
        let (parts, _) = parts(&text, || 3_000);
        assert_eq!(parts.concat(), whole(&text), "{words}");
    }
}

fn tag(node: &Node) -> Option<&Tag> {
    match node {
        Node::Element(element) => Some(&element.tag),
        Node::Text(_) => None,
    }
}

#[test]
fn rows_of_a_table_stay_rows_however_many_come_at_once() {
    let text = format!("| a | b |\n|---|---|\n{}", "| one | two |\n".repeat(5_000));
    for step in [1_000, 8_192, 30_000, 70_000] {
        let (parts, _) = parts(&text, || step);
        let rows: usize = parts.iter().map(|nodes| children(&nodes[0]) - 1).sum();
        let shown: Vec<_> = parts.iter().map(|nodes| (tag(&nodes[0]), nodes.len())).collect();
        assert_eq!(rows, 5_000, "by {step}: {shown:?}");
    }
}
