//! A line of code that is longer than any screen: its beginning is in the document, and a button has the rest.
//!
//! The rest is in a `<template>` in the button, so that the browser lays out nothing of it and it can still grow.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element as Shown, HtmlTemplateElement, Node as DomNode, Text};

use super::dom::{insert, remove};
use crate::ui::elements::focus::focus;
use crate::ui::elements::long_text::{LONG_LINE, SLICE, beginning, more_label};

/// The class of the button.
pub(super) const MORE: &str = "d-more";
/// The attribute of the button with the length of what is in sight of the line.
const IN_SIGHT: &str = "data-in-sight";
/// Bytes per box of a line that was asked for.
const BOX: usize = 16 * 1024;

/// The button at the end of code whose last line is cut and goes on.
pub(super) fn open(code: &DomNode) -> Option<Shown> {
    let last = code.last_child()?.dyn_into::<Shown>().ok()?;
    let rest = rest(&last)?;
    (!ends_line(&rest)).then_some(last)
}

/// Whether a text ends with a line end. Its data may be long, and is not copied.
pub(super) fn ends_line(text: &Text) -> bool {
    text.substring_data(text.length().saturating_sub(1), 1).is_ok_and(|last| last == "\n")
}

/// Cuts the last line of code, which ends with this text: only its beginning stays. False if that can't be done.
pub(super) fn cut(document: &Document, code: &Shown, last: &Text) -> bool {
    let text = last.data();
    let line = text.rfind('\n').map_or(0, |end| end + 1);
    let (before, line) = text.split_at_checked(line).unwrap_or(("", &text));
    let Some(first) = beginning(line, LONG_LINE, usize::MAX) else { return false };
    let made = (document.create_element("button"), document.create_element("template"));
    let (Ok(button), Ok(template)) = made else { return false };
    let Some(content) = template.dyn_ref::<HtmlTemplateElement>().map(HtmlTemplateElement::content) else {
        return false;
    };
    let rest = document.create_text_node(line.get(first.len()..).unwrap_or_default());
    // Fails only if a node would contain itself, or for names that can't be written; here and below.
    let _ = content.append_child(&rest);
    let _ = button.set_attribute("type", "button");
    button.set_class_name(MORE);
    insert(&button, Some(&document.create_text_node("")), None);
    insert(&button, Some(&template), None);
    insert(code, Some(&button), None);
    last.set_data(&[before, first].concat());
    in_sight(&button, first.len());
    let _ = code.set_attribute("data-long", "");
    true
}

/// Adds what comes next to the rest of an open line. Returns what comes behind the line.
pub(super) fn grow<'a>(button: &Shown, text: &'a str) -> &'a str {
    let (line, behind) =
        text.split_at_checked(text.find('\n').map_or(text.len(), |end| end + 1)).unwrap_or((text, ""));
    if let Some(rest) = rest(button) {
        let _ = rest.append_data(line);
        in_sight(button, seen(button));
    }
    behind
}

/// Shows more of a line: the button was pressed.
pub(super) fn show_more(button: &Shown) {
    let (Some(rest), Some(code), Some(document)) =
        (rest(button), button.parent_element(), button.owner_document())
    else {
        return;
    };
    let text = rest.data();
    let slice = beginning(&text, SLICE, usize::MAX).unwrap_or(&text);
    let mut left = slice;
    while !left.is_empty() {
        let next = beginning(left, BOX, usize::MAX).unwrap_or(left);
        if let Ok(boxed) = document.create_element("span") {
            boxed.set_class_name("run");
            boxed.set_text_content(Some(next));
            insert(&code, Some(&boxed), Some(button));
        }
        left = left.get(next.len()..).unwrap_or_default();
    }
    if let Some(behind) = text.get(slice.len()..).filter(|behind| !behind.is_empty()) {
        rest.set_data(behind);
        in_sight(button, seen(button) + slice.len());
    } else {
        focus(&code, false);
        remove(button);
    }
}

/// The whole text of code, with what is in buttons.
pub(super) fn whole(code: &DomNode) -> String {
    let children = std::iter::successors(code.first_child(), DomNode::next_sibling);
    let text = |child: DomNode| match child.dyn_ref::<Shown>().and_then(rest) {
        Some(rest) => rest.data(),
        None => child.text_content().unwrap_or_default(),
    };
    children.map(text).collect()
}

fn rest(button: &Shown) -> Option<Text> {
    let template = button.last_child()?.dyn_into::<HtmlTemplateElement>().ok()?;
    template.content().first_child()?.dyn_into().ok()
}

fn seen(button: &Shown) -> usize {
    button.get_attribute(IN_SIGHT).and_then(|seen| seen.parse().ok()).unwrap_or_default()
}

/// Notes how much of the line is in sight, and says how much comes next.
fn in_sight(button: &Shown, seen: usize) {
    let left = rest(button).map_or(0, |rest| rest.length() as usize);
    let _ = button.set_attribute(IN_SIGHT, &seen.to_string());
    if let Some(label) = button.first_child() {
        label.set_node_value(Some(&more_label(left, left + seen)));
    }
}
