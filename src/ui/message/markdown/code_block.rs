//! Code blocks: their text in nodes of whole lines, long code in boxes of several nodes.
//!
//! The layout cost of one growing text node is quadratic, and one box for everything would be laid out again
//! with every line.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element as Shown, Node as DomNode, Text};

use crate::core::text::markdown::{Element, Node};

use super::buttons;
use super::nodes::{insert, make, remove};

/// UTF-16 units after which a text node gets no more text; the next line begins another one.
const CHUNK: u32 = 4_096;
/// Text nodes per box. Shorter code has no box.
const PIECES: u32 = 4;
/// A line longer than this continues in another text node: in bytes, and in UTF-16 units.
const LINE: usize = 16_384;
const LINE_UNITS: u32 = 16_384;

/// Fills an empty `<pre>` with buttons and code.
pub(super) fn fill(document: &Document, pre: &Shown, element: &Element) {
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
        if element.children.len() > 1 || !matches!(element.children.first(), None | Some(Node::Text(_))) {
            for child in &element.children {
                insert(&code, make(document, child).as_ref(), None);
            }
        } else {
            append(document, &code, text_of(element));
        }
        let _ = pre.append_child(&code);
    }
}

/// Appends the text of a code block from byte `from` on.
pub(super) fn grow(document: &Document, pre: &DomNode, node: &Node, from: usize) {
    if let (Some(code), Node::Element(element)) = (pre.last_child(), node) {
        append(document, &code, text_of(element).get(from..).unwrap_or_default());
    }
}

/// Changes the code of `was` into that of `is`.
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
        let last = code.last_child();
        let in_box = last.as_ref().is_some_and(|last| last.dyn_ref::<Shown>().is_some());
        let place = last.filter(|_| in_box).unwrap_or_else(|| code.clone());
        let open = place
            .last_child()
            .and_then(|last| last.dyn_into::<Text>().ok())
            .filter(|last| last.length() < CHUNK || (last.length() < LINE_UNITS && !ends_line(last)));
        let room = open.as_ref().map_or(CHUNK, |open| CHUNK.saturating_sub(open.length())) as usize;
        let (piece, rest) = split(text, room);
        // A line that is longer than any screen is wrapped, and its boxes off screen are not laid out.
        if !rest.is_empty()
            && !piece.ends_with('\n')
            && let Some(code) = code.dyn_ref::<Shown>()
        {
            let _ = code.set_attribute("data-long", "");
        }
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

fn ends_line(text: &Text) -> bool {
    text.substring_data(text.length().saturating_sub(1), 1).is_ok_and(|last| last == "\n")
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
