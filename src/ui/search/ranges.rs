//! Finds a needle in a row of the document, as ranges, and updates the browser's registry of highlights.
//!
//! Nothing in the document is changed.

use js_sys::{Array, Function, Reflect};
use leptos::prelude::document;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Node, Range, Text};

use crate::core::view_model::search::Needle;

/// The first `most` matches of a row, in their order. A match never spans two blocks.
pub fn find_ranges(row: &Element, needle: &Needle, most: usize) -> Vec<Range> {
    let mut gathered = RowText::default();
    gathered.add(row);
    needle
        .ranges(&gathered.whole)
        .take(most)
        .filter_map(|place| gathered.range(place.start, place.end))
        .collect()
}

/// All text of a row, and where in it each text node begins.
#[derive(Default)]
struct RowText {
    whole: String,
    nodes: Vec<(usize, Text)>,
}

impl RowText {
    fn add(&mut self, parent: &Node) {
        let mut next = parent.first_child();
        while let Some(child) = next {
            next = child.next_sibling();
            if let Some(text) = child.dyn_ref::<Text>() {
                self.nodes.push((self.whole.len(), text.clone()));
                self.whole.push_str(&text.data());
            } else if let Some(element) = child.dyn_ref::<Element>() {
                match element.local_name().as_str() {
                    // Text of the page, not of the session.
                    "button" | "svg" => {}
                    "a" | "b" | "code" | "del" | "em" | "i" | "ins" | "kbd" | "mark" | "span" | "strong"
                    | "sup" => {
                        self.add(element);
                    }
                    _ => {
                        self.whole.push('\n');
                        self.add(element);
                        self.whole.push('\n');
                    }
                }
            }
        }
    }

    fn range(&self, start: usize, end: usize) -> Option<Range> {
        let range = document().create_range().ok()?;
        let (from, offset) =
            self.text_position(self.nodes.partition_point(|(begin, _)| *begin <= start), start)?;
        range.set_start(from, offset).ok()?;
        let (to, offset) = self.text_position(self.nodes.partition_point(|(begin, _)| *begin < end), end)?;
        range.set_end(to, offset).ok()?;
        Some(range)
    }

    /// The node before index `after`, and the offset in it of a byte of the whole text; in UTF-16 units, as
    /// in the DOM.
    fn text_position(&self, after: usize, byte: usize) -> Option<(&Text, u32)> {
        let (begin, node) = self.nodes.get(after.checked_sub(1)?)?;
        let before = self.whole.get(*begin..byte)?;
        let units = if before.is_ascii() { before.len() } else { before.encode_utf16().count() };
        Some((node, u32::try_from(units).ok()?))
    }
}

/// Removes ranges from a named highlight of the document, and adds others. Several elements share a
/// highlight, so each removes only its own ranges. Does nothing if the browser has no highlights.
pub fn highlight(name: &str, priority: u32, old: &[Range], new: &[Range]) {
    if old.is_empty() && new.is_empty() {
        return;
    }
    let _ = change(name, priority, old, new);
}

fn change(name: &str, priority: u32, old: &[Range], new: &[Range]) -> Result<(), JsValue> {
    let global = js_sys::global();
    let registry = Reflect::get(&Reflect::get(&global, &"CSS".into())?, &"highlights".into())?;
    let name = JsValue::from(name);
    let known = call(&registry, "get", &[&name])?;
    let highlight = if known.is_undefined() {
        let class: Function = Reflect::get(&global, &"Highlight".into())?.dyn_into()?;
        let made = Reflect::construct(&class, &Array::new())?;
        Reflect::set(&made, &"priority".into(), &priority.into())?;
        call(&registry, "set", &[&name, &made])?;
        made
    } else {
        known
    };
    for range in old {
        call(&highlight, "delete", &[range])?;
    }
    for range in new {
        call(&highlight, "add", &[range])?;
    }
    Ok(())
}

fn call(object: &JsValue, method: &str, arguments: &[&JsValue]) -> Result<JsValue, JsValue> {
    let method: Function = Reflect::get(object, &method.into())?.dyn_into()?;
    let list = Array::new();
    for argument in arguments {
        list.push(argument);
    }
    method.apply(object, &list)
}
