//! Code blocks: their text in nodes of whole lines, long code in boxes of several nodes.
//!
//! The layout cost of one growing text node is quadratic, and one box for everything would be laid out again
//! with every line.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element as Shown, Node as DomNode, Text};

use crate::core::text::markdown::{Element, Node};

use super::dom::{insert, remove};
use super::{buttons, long_line};

/// UTF-16 units after which a text node gets no more text; the next line begins another one.
const CHUNK: u32 = 4_096;
/// Text nodes per box. Shorter code has no box.
const PIECES: u32 = 4;
/// A line longer than this is cut: in bytes, and in UTF-16 units.
const LINE: usize = 16_384;
const LINE_UNITS: u32 = 16_384;

/// Fills an empty `<pre>` with buttons and code. `make` makes what has been marked in the code.
pub(super) fn fill(
    document: &Document,
    pre: &Shown,
    element: &Element,
    make: fn(&Document, &Node) -> Option<DomNode>,
) {
    if let Ok(acts) = document.create_element("span") {
        let _ = acts.set_attribute("class", "acts");
        insert(&acts, buttons::wrap(document).as_deref(), None);
        insert(&acts, buttons::copy(document).as_deref(), None);
        let _ = pre.append_child(&acts);
    }
    if let Ok(code) = document.create_element("code") {
        // Long lines scroll, and scrollable content must be reachable by keyboard.
        let _ = code.set_attribute("tabindex", "0");
        // With several children something has been marked that would not be visible; then nothing is ever
        // added.
        for child in &element.children {
            match child {
                Node::Text(text) => append(document, &code, text),
                Node::Element(_) => insert(&code, make(document, child).as_ref(), None),
            }
        }
        let _ = pre.append_child(&code);
    }
}

/// Appends the text of a code block from byte `from` on.
pub(super) fn grow(document: &Document, pre: &DomNode, node: &Node, from: usize) {
    if let (Some(code), Node::Element(element)) = (code_of(pre), node) {
        append(document, &code, text_of(element).get(from..).unwrap_or_default());
    }
}

/// Changes the code of `was` into that of `is`.
pub(super) fn patch(document: &Document, pre: &DomNode, was: &Element, is: &Element) -> bool {
    let Some(code) = code_of(pre) else {
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

fn code_of(pre: &DomNode) -> Option<Shown> {
    pre.last_child()?.dyn_into().ok()
}

fn text_of(element: &Element) -> &str {
    match element.children.first() {
        Some(Node::Text(text)) => text,
        _ => "",
    }
}

fn append(document: &Document, code: &Shown, mut text: &str) {
    while !text.is_empty() {
        if let Some(cut) = long_line::open(code) {
            text = long_line::grow(&cut, text);
            continue;
        }
        let last = code.last_child();
        let boxed =
            last.as_ref().and_then(|last| last.dyn_ref::<Shown>()).filter(|last| last.class_name() == "run");
        let place: DomNode = boxed.map_or_else(|| code.clone().into(), |boxed| boxed.clone().into());
        let open = place.last_child().and_then(|last| last.dyn_into::<Text>().ok());
        let open = open.filter(|last| last.length() < CHUNK || !long_line::ends_line(last));
        let (open, long): (Option<Text>, Option<Text>) = match open {
            Some(last) if last.length() >= LINE_UNITS => (None, Some(last)),
            open => (open, None),
        };
        if long.is_some_and(|long| long_line::cut(document, code, &long)) {
            continue;
        }
        let room = open.as_ref().map_or(CHUNK, |open| CHUNK.saturating_sub(open.length())) as usize;
        let (piece, rest) = split(text, room);
        if let Some(open) = open {
            let _ = open.append_data(piece);
        } else {
            let made = document.create_text_node(piece);
            let full = place.child_nodes().length() >= PIECES;
            if let Some(another) = document.create_element("span").ok().filter(|_| full) {
                another.set_class_name("run");
                insert(&another, Some(&made), None);
                insert(code, Some(&another), None);
            } else {
                insert(&place, Some(&made), None);
            }
        }
        text = rest;
    }
}

/// Splits after the first line end that is `room` bytes or more from the start, or where a line gets too
/// long.
fn split(text: &str, room: usize) -> (&str, &str) {
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let at = boundary(room.saturating_sub(1));
    let longest = boundary(at + LINE);
    let newline = text.get(at..longest).and_then(|rest| rest.find('\n'));
    let end = newline.map_or(longest, |newline| at + newline + 1);
    text.split_at_checked(end).unwrap_or((text, ""))
}
