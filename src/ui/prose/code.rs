//! Owns code blocks: their text in pieces of whole lines; refuses one growing text node, whose layout cost is quadratic.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element as Shown, Node as DomNode, Text};

use crate::core::markdown::{Element, Node};

use super::buttons;
use super::nodes::{insert, remove};

/// A text node that is longer gets no more; the next line begins another.
const CHUNK: u32 = 4_096;

/// Puts buttons and code into an empty `<pre>`.
pub(super) fn fill(document: &Document, pre: &Shown, element: &Element) {
    if let Ok(acts) = document.create_element("span") {
        let _ = acts.set_attribute("class", "acts");
        insert(&acts, buttons::wrap(document).as_deref(), None);
        insert(&acts, buttons::copy(document).as_deref(), None);
        let _ = pre.append_child(&acts);
    }
    if let Ok(code) = document.create_element("code") {
        // Long lines scroll, and what scrolls has to be reachable by keyboard.
        let _ = code.set_attribute("tabindex", "0");
        append(document, &code, text_of(element));
        let _ = pre.append_child(&code);
    }
}

/// Shows the text of a code block that grew from byte `from` on.
pub(super) fn grow(document: &Document, pre: &DomNode, node: &Node, from: usize) {
    if let (Some(code), Node::Element(element)) = (pre.last_child(), node) {
        append(document, &code, text_of(element).get(from..).unwrap_or_default());
    }
}

/// Makes the code of `was` that of `is`.
pub(super) fn patch(document: &Document, pre: &DomNode, was: &Element, is: &Element) -> bool {
    let Some(code) = pre.last_child() else {
        return false;
    };
    if let Some(new) = text_of(is).strip_prefix(text_of(was)) {
        append(document, &code, new);
    } else {
        while let Some(child) = code.first_child() {
            remove(&child);
        }
        append(document, &code, text_of(is));
    }
    true
}

fn text_of(element: &Element) -> &str {
    match element.children.first() {
        Some(Node::Text(text)) => text,
        _ => "",
    }
}

fn append(document: &Document, code: &DomNode, mut text: &str) {
    while !text.is_empty() {
        let open = code
            .last_child()
            .and_then(|last| last.dyn_into::<Text>().ok())
            .filter(|last| last.length() < CHUNK || !last.data().ends_with('\n'));
        let room = open.as_ref().map_or(CHUNK, |open| CHUNK.saturating_sub(open.length())) as usize;
        let (piece, rest) = split(text, room);
        match open {
            Some(open) => {
                let _ = open.append_data(piece);
            }
            None => insert(code, Some(&document.create_text_node(piece)), None),
        }
        text = rest;
    }
}

/// Cuts behind the first line end that lies `room` bytes or more from the start.
fn split(text: &str, room: usize) -> (&str, &str) {
    let mut at = room.saturating_sub(1).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let newline = text.get(at..).and_then(|rest| rest.find('\n'));
    newline.and_then(|newline| text.split_at_checked(at + newline + 1)).unwrap_or((text, ""))
}
