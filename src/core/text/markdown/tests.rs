//! Tests of the incremental parse.

use super::*;

const RICH: &str = "# Tide *tables*\n\nSome **bold _and_ it**, `code`, ~~gone~~ and [a link](https://a.example/x_(y)) plus https://b.example/z, $x_1$ for $5, 私は**「強調」**です。\nSecond line\\\nhard\n\n- one\n- two **b\n  more**\n\n  para\n  ```rust\n  fn x() {}\n  ```\n- [ ] open\n- [x] done\n\n1. a\n2. b\n\n   c\n\n> quote\n> - in it\nlazy\n\n| a | b |\n|:--|--:|\n| 1 | `2` |\n| **x** | y |\n\n```rust\nfn main() {\n    let x = \"```\";\n}\n``\n```\n\nSetext\n===\n\nOther\n---\n\n---\n\n<div onclick=\"x\">\nhi <b>b</b>\n</div>\n\nA [ref] and a note[^1].\n\n![alt text](https://img.example/a.png)\n\n[ref]: https://ref.example\n\n[^1]: The note.\n\n    indented code\n\n~~~\nopen fence\n  ```\n";

pub(super) fn whole(text: &str) -> Vec<Node> {
    let mut markdown = Markdown::new();
    markdown.update(text, true);
    markdown.blocks().iter().map(|block| block.node.clone()).collect()
}

/// Applies an update to a mirror, as a view does.
pub(super) fn mirror(nodes: &mut Vec<Node>, markdown: &Markdown, update: &Update) {
    match update {
        Update::Unchanged => {}
        Update::Grown { block, from } => {
            let Node::Element(new) = &markdown.blocks()[*block].node else { panic!("not code") };
            let Node::Text(new) = &new.children[0] else { panic!("no text") };
            let Node::Element(old) = &mut nodes[*block] else { panic!("not code") };
            let Node::Text(old) = &mut old.children[0] else { panic!("no text") };
            assert_eq!(old.len(), *from);
            old.push_str(&new[*from..]);
        }
        Update::Replaced { first, old, new } => {
            let fresh: Vec<Node> =
                markdown.blocks()[*first..*first + *new].iter().map(|block| block.node.clone()).collect();
            let gone: Vec<Node> = nodes.splice(*first..*first + old.len(), fresh).collect();
            assert_eq!(gone, old.iter().map(|block| block.node.clone()).collect::<Vec<_>>());
        }
    }
    assert_eq!(nodes.len(), markdown.blocks().len());
    for (node, block) in nodes.iter().zip(markdown.blocks()) {
        assert_eq!(*node, block.node);
    }
}

fn stream(text: &str, mut step: impl FnMut() -> usize) -> Vec<Node> {
    let mut markdown = Markdown::new();
    let mut nodes = Vec::new();
    let mut end = 0;
    while end < text.len() {
        end = (end + step().max(1)).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let update = markdown.append(&text[..end]);
        mirror(&mut nodes, &markdown, &update);
    }
    let update = markdown.update(text, true);
    mirror(&mut nodes, &markdown, &update);
    nodes
}

#[test]
fn any_split_ends_as_if_parsed_at_once() {
    let mut seed = 7_u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let pieces = [
        "a",
        " ",
        "\n",
        "\n\n",
        "*",
        "**",
        "_",
        "`",
        "```",
        "```\n",
        "- ",
        "1. ",
        "> ",
        "# ",
        "[",
        "](",
        ")",
        "|",
        "|-|\n",
        "~",
        "<b>",
        "\\",
        "word ",
        "é",
        "---",
        "===",
        "    ",
        "\r\n",
        "[^1]",
        ": ",
        "https://x.y",
        "$",
        "$$",
        "（注）",
        "字",
        "\\(x^2\\)",
        "\\[",
        "\\]",
        "```md\n",
        "```sh\n",
        "~~",
        "a | b\n--|--\n",
        "| `",
        "\u{2028}",
    ];
    assert_eq!(stream(RICH, || 1), whole(RICH));
    assert_eq!(stream(&RICH.replace('\n', "\r\n"), || 1), whole(&RICH.replace('\n', "\r\n")));
    for _ in 0..300 {
        let text: String = (0..60).map(|_| pieces[(random() % pieces.len() as u64) as usize]).collect();
        let max = random() % 9 + 1;
        assert_eq!(stream(&text, || (random() % max) as usize), whole(&text), "{text:?}");
        assert_eq!(stream(RICH, || (random() % 40) as usize), whole(RICH));
    }
}

#[test]
fn settled_blocks_are_what_a_whole_parse_gives() {
    // Without references, which may resolve late.
    let text = RICH.replace("[ref]", "ref").replace("[^1]", "note");
    let expected = whole(&text);
    let mut markdown = Markdown::new();
    for (end, _) in text.char_indices().skip(1) {
        markdown.append(&text[..end]);
        for (block, expected) in markdown.blocks()[..markdown.settled].iter().zip(&expected) {
            assert_eq!(block.node, *expected, "at {end}");
        }
    }
    assert!(markdown.settled > 10);
}

#[test]
fn words_never_vanish_and_raw_markers_never_show() {
    let text = "# Head\n\nSome **bold text** and *it* with `code` and ~~x~~ here. A [link](https://a.example) too.\n\n- one\n- two\n\n1. a\n2. b\n\n| a | b |\n|---|---|\n| 1 | **2** |\n\nPara\n- item\n\n```rust\ncode\n```\nend\n";
    let mut markdown = Markdown::new();
    let mut before = 0;
    for (end, _) in text.char_indices().skip(1) {
        markdown.append(&text[..end]);
        let shown: String = markdown.blocks().iter().map(|block| block.node.text()).collect();
        let words = shown.chars().filter(|c| c.is_alphanumeric()).count();
        assert!(words >= before, "at {:?}: {shown:?}", &text[..end]);
        before = words;
        assert!(
            !shown.contains(['*', '`', '#', '~', '[', ']', '|', '(', '-']),
            "at {:?}: {shown:?}",
            &text[..end]
        );
        let para = markdown
            .blocks()
            .iter()
            .any(|block| matches!(&block.node, Node::Element(Element { tag: Tag::Heading(2), .. })));
        assert!(!para, "a paragraph flashed as a heading at {:?}", &text[..end]);
    }
}

#[test]
fn an_open_fence_only_grows() {
    let mut text = String::from("Intro\n\n```rust\n");
    let mut markdown = Markdown::new();
    markdown.append(&text);
    for line in 0..1000 {
        text.push_str("let x = 1;\n");
        let update = markdown.append(&text);
        assert_eq!(update, Update::Grown { block: 1, from: line * 11 });
    }
    text.push_str("``");
    assert_eq!(markdown.append(&text), Update::Unchanged);
    text.push_str("`\nAfter");
    assert_eq!(markdown.append(&text).first_changed(), Some(2));
    assert_eq!(markdown.settled, 2);
}

#[test]
fn a_late_definition_changes_only_its_blocks() {
    let text = "One\n\nSee [here][r].\n\nThree\n\n[r]: https://r.example\n";
    let mut markdown = Markdown::new();
    markdown.append("One\n\nSee [here][r].\n\nThree\n\n");
    markdown.append(text);
    let Update::Replaced { first, old, new } = markdown.update(text, true) else { panic!("nothing changed") };
    assert_eq!((first, old.len(), new), (1, 1, 1));
}

#[test]
fn html_is_text_and_links_are_judged() {
    let nodes = whole(
        "<script>alert(1)</script>\n\na <img src=x onerror=y> [b](javascript:x) [c](src/lib.rs) [d](https://e.f) ![g](https://h.i/j)",
    );
    let tags: Vec<&Tag> = nodes
        .iter()
        .flat_map(|node| match node {
            Node::Element(element) => std::iter::once(&element.tag)
                .chain(element.children.iter().filter_map(|child| match child {
                    Node::Element(child) => Some(&child.tag),
                    Node::Text(_) => None,
                }))
                .collect::<Vec<_>>(),
            Node::Text(_) => Vec::new(),
        })
        .collect();
    assert!(
        matches!(tags.as_slice(), [Tag::RawHtml, Tag::Paragraph, Tag::DeadLink { .. }, Tag::LocalLink { .. }, Tag::Link { .. }, Tag::Image { host: Some(host), .. }] if host == "h.i"),
        "{tags:?}"
    );
    assert!(nodes[0].text().contains("<script>alert(1)</script>"));
    assert!(nodes[1].text().contains("<img src=x onerror=y>"));
}

#[test]
fn deep_nesting_is_flattened() {
    let nodes = whole(&format!("{} deep", ">".repeat(5_000)));
    assert_eq!(nodes[0].text().trim(), "deep");
}

#[test]
fn source_ranges_cover_the_blocks() {
    let mut markdown = Markdown::new();
    markdown.append("One\n\nTwo **b");
    let sources: Vec<&str> =
        markdown.blocks().iter().map(|block| &markdown.source()[block.source.clone()]).collect();
    assert_eq!(sources, ["One\n", "Two **b"]);
}

/// The tags in a block, in reading order.
fn tags(node: &Node) -> Vec<Tag> {
    match node {
        Node::Text(_) => Vec::new(),
        Node::Element(element) => {
            std::iter::once(element.tag.clone()).chain(element.children.iter().flat_map(tags)).collect()
        }
    }
}

#[test]
fn formulas_keep_their_source() {
    let nodes = whole("a $x_1*y*$ b\n\n$$\n\\frac{a}{b}\n$$\n\n$`y`$ and $5 or $6");
    assert_eq!(tags(&nodes[0]), [Tag::Paragraph, Tag::Math { display: false }]);
    assert_eq!(nodes[0].text(), "a x_1*y* b");
    assert_eq!(tags(&nodes[1]), [Tag::Paragraph, Tag::Math { display: true }]);
    assert_eq!(nodes[1].text(), "\\frac{a}{b}");
    assert_eq!(tags(&nodes[2]), [Tag::Paragraph, Tag::Math { display: false }]);
    assert_eq!(nodes[2].text(), "y and $5 or $6");
}

#[test]
fn emphasis_beside_cjk_is_emphasis() {
    for (text, strong) in [
        ("これは**強調（注）**です", "強調（注）"),
        ("私は**「強調」**と言った", "「強調」"),
        ("**注意：**请看", "注意："),
        ("한국어 **강조(주)**입니다", "강조(주)"),
    ] {
        let nodes = whole(text);
        assert_eq!(tags(&nodes[0]), [Tag::Paragraph, Tag::Strong], "{text}");
        assert_eq!(nodes[0].text(), text.replace('*', ""));
        let Node::Element(paragraph) = &nodes[0] else { panic!("no paragraph") };
        assert!(paragraph.children.iter().any(|child| child.text() == strong), "{text}");
    }
}

#[test]
fn footnotes_have_their_blocks() {
    let nodes = whole("A[^a] and [^none].\n\n[^a]: One **b**.\n\n    Two.\n");
    let label = || "a".to_owned();
    assert_eq!(tags(&nodes[0]), [Tag::Paragraph, Tag::FootnoteReference { label: label() }]);
    assert!(nodes[0].text().contains("[^none]"));
    assert_eq!(tags(&nodes[1]), [Tag::FootnoteDefinition { label: label() }, Tag::Strong, Tag::Paragraph]);
}

#[test]
fn bare_addresses_and_images_say_where_they_lead() {
    let nodes = whole("www.a.example, 见https://b.example/文档。 ![x](HTTPS://c.example/i.png) ![y](i.png)");
    let links = |tag: &Tag| match tag {
        Tag::Link { href } => Some(href.clone()),
        Tag::Image { host, .. } => Some(host.clone().unwrap_or_default()),
        _ => None,
    };
    let found: Vec<String> = tags(&nodes[0]).iter().filter_map(links).collect();
    assert_eq!(found, ["http://www.a.example", "https://b.example/文档", "c.example", ""]);
}

/// What a view shows: the text, and each element that is not a paragraph around its own.
fn outline(text: &str) -> String {
    fn of(node: &Node) -> String {
        let Node::Element(Element { tag, children }) = node else { return node.text() };
        let inner: String = children.iter().map(of).collect();
        match tag {
            Tag::Paragraph | Tag::Table => inner,
            Tag::Strong => format!("<b>{inner}</b>"),
            Tag::Emphasis => format!("<i>{inner}</i>"),
            Tag::Strikethrough => format!("<s>{inner}</s>"),
            Tag::Code => format!("<c>{inner}</c>"),
            Tag::Math { display } => format!("<{}>{inner}</>", if *display { "display" } else { "math" }),
            Tag::CodeBlock { language } => format!("<code {}>{inner}</>", language.as_deref().unwrap_or("")),
            Tag::TableCell { .. } => format!("[{inner}]"),
            Tag::TableRow | Tag::TableHead => format!("{inner}/"),
            Tag::BlockQuote => format!("<q>{inner}</q>"),
            Tag::List { .. } => format!("<l>{inner}</l>"),
            Tag::Item => format!("<li>{inner}</li>"),
            Tag::Link { .. } => format!("<a>{inner}</a>"),
            _ => format!("<?>{inner}</?>"),
        }
    }
    whole(text).iter().map(of).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_word_of_a_table_is_lost() {
    for (text, expected) in [
        (
            "| a | b |\n|---|---|\n| `x || y` | kept |\n| 1 | 2 | too |",
            "[a][b]/[<c>x || y</c>][kept]/[1][2 | too]/",
        ),
        ("| `a|b` | c |\n|---|---|\n| 1 | 2 |", "[<c>a|b</c>][c]/[1][2]/"),
        ("a | b\n--|--\n1 | **2** | `3|4` | 5", "[a][b]/[1][<b>2</b> | <c>3|4</c> | 5]/"),
        ("> | a | b |\n> |---|---|\n> | 1 | 2 | 3 |", "<q>[a][b]/[1][2 | 3]/</q>"),
        ("- | a | b |\n  |---|---|\n  | 1 | 2 | 3 |", "<l><li>[a][b]/[1][2 | 3]/</li></l>"),
        ("| a | b |\n|---|---|\n| $|x|$ | \\(|y|_2\\) |", "[a][b]/[<math>|x|</>][<math>|y|_2</>]/"),
        ("| a | b |\r\n|---|---|\r\n| 1 | 2 | 3 |\r\n", "[a][b]/[1][2 | 3]/"),
        ("| a |\n|---|\n| 1 | 2 | 3 |", "[a]/[1 | 2 | 3]/"),
        ("| a | b |\n|---|---|\n| x \\| y | ``p ` | q`` | r |", "[a][b]/[x | y][<c>p ` | q</c> | r]/"),
        ("```\n| a | b |\n|---|---|\n| 1 | 2 | 3 |\n```", "<code >| a | b |\n|---|---|\n| 1 | 2 | 3 |\n</>"),
    ] {
        assert_eq!(outline(text), expected, "{text:?}");
    }
}

#[test]
fn formulas_in_brackets_are_formulas_outside_of_code() {
    for (text, expected) in [
        (
            "With \\(x^{*}\\), \\(y^{*}\\) and \\[a \\\\ b\\]",
            "With <math>x^{*}</>, <math>y^{*}</> and <display>a \\\\ b</>",
        ),
        ("So\n\\[\n- a_1 * b_1\n+ c_2 * d\n\\]\nends", "So\n<display>- a_1 * b_1\n+ c_2 * d</>\nends"),
        ("`\\(x_1\\)` and\n```\n\\(x^2\\)\n```", "<c>\\(x_1\\)</c> and\n<code >\\(x^2\\)\n</>"),
        ("    \\(x^2\\)", "<code >\\(x^2\\)</>"),
        ("- a \\( x_1 \\)\n- b", "<l><li>a <math>x_1</></li><li>b</li></l>"),
        ("> \\[\n> x = 1\n> \\]", "<q><display>x = 1</></q>"),
        ("**so \\(a*b\\)** end", "<b>so <math>a*b</></b> end"),
        ("[a](b\\(c\\)) \\[not\\](x)", "<?>a</?> [not](x)"),
        ("\\(only an aside here\\) and \\[1\\]", "(only an aside here) and [1]"),
        ("<div>\\(x^2\\)</div>", "<?><div>\\(x^2\\)</div></?>"),
        ("| \\(a|b\\) | c |\n|---|---|", "[<math>a|b</>][c]/"),
        ("\\(x", "(x"),
        // A blank line ends a formula, as in TeX.
        ("\\[\na_1\n\nb_1\n\\]", "[\na_1\nb_1\n]"),
        ("$$\na_1\n\nb_1\n$$\n\nand $x^2$ so", "$$\na_1\nb_1\n$$\nand <math>x^2</> so"),
    ] {
        assert_eq!(outline(text), expected, "{text:?}");
    }
}

#[test]
fn fences_in_a_fence_of_markdown_are_levels() {
    for (text, expected) in [
        (
            "```markdown\n```bash\nx\n```\n```\n\nNow **you**.",
            "<code markdown>```bash\nx\n```\n</>\nNow <b>you</b>.",
        ),
        ("~~~md\n~~~js\ny\n~~~\n~~~\nend", "<code md>~~~js\ny\n~~~\n</>\nend"),
        ("- ```\n  ```js\n  y\n  ```\n  ```\n- end", "<l><li><code >```js\ny\n```\n</></li><li>end</li></l>"),
        // What is never closed with levels is as CommonMark has it.
        ("```\n```js\n```\n\nNow **you**.", "<code >```js\n</>\nNow <b>you</b>."),
        ("```js\n```bash\n```\nend", "<code js>```bash\n</>\nend"),
    ] {
        assert_eq!(outline(text), expected, "{text:?}");
    }
}

#[test]
fn delimiters_beside_full_width_signs_are_delimiters() {
    for (text, expected) in [
        ("~~旧（5）。~~新", "<s>旧（5）。</s>新"),
        ("**条款（一）**的\u{2028}内容", "<b>条款（一）</b>的\u{2028}内容"),
        ("3*4（米）*5", "3*4（米）*5"),
        ("**外（*内（注）*的）**的", "<b>外（<i>内（注）</i>的）</b>的"),
        ("__强调（注）__的 _强调（注）_的", "<b>强调（注）</b>的 <i>强调（注）</i>的"),
        ("报告_（终稿）_新版.docx", "报告_（终稿）_新版.docx"),
        ("\u{10_0000}\u{10_0008}**强（注）**的", "\u{10_0000}\u{10_0008}<b>强（注）</b>的"),
    ] {
        assert_eq!(outline(text), expected, "{text:?}");
    }
}

#[test]
fn what_is_written_shows_no_marks_and_no_half_address() {
    let text = "| a | b |\n|---|---|\n| **bold** | `x || y` |\n| *i* and ~~s~~ | \\(z^{*}\\) |\n\nSee https://a.example/path and <https://b.example/q>.\n\n```md\n```sh\nls\n```\n```\nend";
    let mut markdown = Markdown::new();
    for (end, _) in text.char_indices().skip(1) {
        markdown.append(&text[..end]);
        let shown: String = markdown.blocks().iter().map(|block| block.node.text()).collect();
        let words = shown.replace("x || y", "").replace("x ||", "").replace("x |", "").replace("z^{*}", "");
        let code = shown.find("```").is_some();
        assert!(code || !words.contains(['*', '`', '|', '~', '\\']), "at {:?}: {shown:?}", &text[..end]);
        for tag in markdown.blocks().iter().flat_map(|block| tags(&block.node)) {
            if let Tag::Link { href } = tag {
                assert!(
                    ["https://a.example/path", "https://b.example/q"].contains(&href.as_str()),
                    "{href} at {end}"
                );
            }
        }
    }
}
