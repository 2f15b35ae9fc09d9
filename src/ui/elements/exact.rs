//! Texts of a session with names in place of the characters that nobody sees: commands, paths, lines of files.

use leptos::prelude::*;
use web_sys::{Document, Element, Node};

use super::builder::{El, el};
use super::reactive::memo;
use crate::core::text::hidden::{TextRun, has_hidden, runs};

/// The class of a name in place of a hidden character.
const TOKEN: &str = "hidden-char";

/// Adds a text.
pub fn exact(host: El, text: &str) -> El {
    runs(text).into_iter().fold(host, |host, run| match run {
        TextRun::Plain(text) => host.text(text),
        TextRun::Token(name) => host.child(token(&name)),
    })
}

/// A text that changes, in an element of its own. As long as nothing is hidden in it, one text node is written to.
pub fn live_exact(host: El, text: Memo<String>) -> El {
    let plain = memo(move || text.with(|text| !text.is_empty() && !has_hidden(text)));
    host.child(move || {
        if plain.get() {
            return Some(el("span").text(move || if plain.get() { text.get() } else { String::new() }));
        }
        text.with(|text| (!text.is_empty()).then(|| exact(el("span"), text)))
    })
}

/// A name in place of a hidden character.
pub fn token(name: &str) -> El {
    el("span").class(TOKEN).text(name)
}

/// The same without a builder: a node for a name.
pub fn token_node(document: &Document, name: &str) -> Option<Node> {
    let span = document.create_element("span").ok()?;
    span.set_class_name(TOKEN);
    span.set_text_content(Some(name));
    Some(span.into())
}

/// Appends a text to an element.
pub fn append_exact(document: &Document, host: &Element, text: &str) {
    for run in runs(text) {
        let node = match run {
            TextRun::Plain(text) => Some(document.create_text_node(text).into()),
            TextRun::Token(name) => token_node(document, &name),
        };
        if let Some(node) = node {
            // Fails only if the host can have no children.
            let _ = host.append_child(&node);
        }
    }
}
