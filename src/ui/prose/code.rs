//! Owns code blocks: their text in pieces of whole lines and the copy buttons; refuses one growing text node, whose layout cost is quadratic.

use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use web_sys::{Document, Element as Shown, Event, Node as DomNode, Text};

use crate::core::markdown::{Element, Node};

use super::nodes::{insert, remove};

/// A text node that is longer gets no more; the next line begins another.
const CHUNK: u32 = 4_096;
const COPY: &str = "Copy";

/// Puts button and code into an empty `<pre>`.
pub(super) fn fill(document: &Document, pre: &Shown, element: &Element) {
    if let Ok(button) = document.create_element("button") {
        let _ = button.set_attribute("type", "button");
        let _ = button.set_attribute("class", "copy");
        button.set_text_content(Some(COPY));
        let _ = pre.append_child(&button);
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

/// The listeners for all copy buttons of one text: two, however many blocks there are.
pub(super) struct CopyButtons {
    _listeners: [EventListener; 2],
}

impl CopyButtons {
    /// Listens on the host of the blocks.
    pub(super) fn listen(host: &Shown) -> Self {
        let click = EventListener::new(host, "click", |event| {
            if let Some(button) = button_of(event) {
                copy(button);
            }
        });
        // The label goes back when the reader turns away; that needs no timer.
        let leave = EventListener::new(host, "pointerout", |event| {
            if let Some(button) = button_of(event) {
                button.set_text_content(Some(COPY));
            }
        });
        Self { _listeners: [click, leave] }
    }
}

fn button_of(event: &Event) -> Option<Shown> {
    let target = event.target()?.dyn_into::<Shown>().ok()?;
    (target.tag_name() == "BUTTON" && target.class_name() == "copy").then_some(target)
}

fn copy(button: Shown) {
    let Some(code) = button.next_sibling() else {
        return;
    };
    let text = code.text_content().unwrap_or_default();
    wasm_bindgen_futures::spawn_local(async move {
        let written = match clipboard() {
            Some(clipboard) => {
                wasm_bindgen_futures::JsFuture::from(clipboard.write_text(&text)).await.is_ok()
            }
            None => false,
        };
        if !written {
            select(&code);
        }
        button.set_text_content(Some(if written { "Copied" } else { "Selected: copy it with the keyboard" }));
    });
}

/// Missing on pages that are not served securely; the typed getter would hand out `undefined` as a clipboard.
fn clipboard() -> Option<web_sys::Clipboard> {
    let navigator = web_sys::window()?.navigator();
    let clipboard = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard")).ok()?;
    if clipboard.is_undefined() || clipboard.is_null() { None } else { Some(clipboard.unchecked_into()) }
}

fn select(code: &DomNode) {
    let selection = web_sys::window().and_then(|window| window.get_selection().ok().flatten());
    if let Some(selection) = selection {
        let _ = selection.select_all_children(code);
    }
}
