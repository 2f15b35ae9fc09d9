//! Markdown that grows: any pieces end as the whole, the updates keep a mirror equal, and a long text can be cut.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse::core::text::markdown::unseen;
use pilothouse::core::text::markdown::{Markdown, Node, Update};
use pilothouse_fuzz::{cuts, text_pieces};

fn nodes(markdown: &Markdown) -> Vec<Node> {
    markdown.blocks().iter().map(|block| block.node.clone()).collect()
}

fn text_of(node: &mut Node) -> &mut String {
    let Node::Element(element) = node else { panic!("not code") };
    let Some(Node::Text(text)) = element.children.first_mut() else { panic!("no text") };
    text
}

/// Applies an update as a view does.
fn mirror(shown: &mut Vec<Node>, markdown: &Markdown, update: &Update) {
    match update {
        Update::Unchanged => {}
        Update::Grown { block, from } => {
            let mut now = markdown.blocks()[*block].node.clone();
            let old = text_of(&mut shown[*block]);
            assert_eq!(old.len(), *from);
            old.push_str(&text_of(&mut now)[*from..]);
        }
        Update::Replaced { first, old, new } => {
            let fresh = markdown.blocks()[*first..*first + *new].iter().map(|block| block.node.clone());
            let gone: Vec<Node> = shown.splice(*first..*first + old.len(), fresh).collect();
            assert!(gone.iter().eq(old.iter().map(|block| &block.node)), "what was replaced was shown");
        }
    }
    assert_eq!(*shown, nodes(markdown));
}

/// The same text in documents that are cut after few bytes, where that is possible.
fn cut_often(pieces: &[&str]) {
    let mut open = Markdown::new();
    let mut shown = Vec::new();
    for piece in pieces {
        let update = open.extend(piece);
        mirror(&mut shown, &open, &update);
        while let Some(cut) = open.cut(64) {
            assert!(cut.at > 0, "a cut closes something");
            let rest = open.source()[cut.at..].to_owned();
            let update = open.close(cut.at);
            mirror(&mut shown, &open, &update);
            open = Markdown::after(cut.lead);
            shown.clear();
            let update = open.extend(&rest);
            mirror(&mut shown, &open, &update);
        }
    }
    let update = open.finish();
    mirror(&mut shown, &open, &update);
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut whole = Markdown::new();
    whole.update(&text, true);
    for block in whole.blocks() {
        assert!(text.get(block.source.clone()).is_some(), "{:?} of {}", block.source, text.len());
        unseen::marked(&block.node);
    }
    unseen::is_lost(&text, whole.blocks());
    for cuts in cuts(text.as_bytes()) {
        let pieces = text_pieces(&text, &cuts);
        let mut markdown = Markdown::new();
        let mut shown = Vec::new();
        for piece in &pieces {
            let update = markdown.extend(piece);
            mirror(&mut shown, &markdown, &update);
        }
        let update = markdown.update(&text, true);
        mirror(&mut shown, &markdown, &update);
        assert_eq!(shown, nodes(&whole), "cut at {cuts:?}");
        cut_often(&pieces);
    }
});
