//! Any JSON value as a tree that people can open. Children are built only when opened, and a page at a time.

use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;

use super::builder::{El, div, el};
use super::copy_button::copy_button;
use super::exact::exact;
use super::long_text::{beginning, long_text};
use crate::core::i18n::words::cards;
use crate::core::json_writer::{one_line, pretty};

/// Children that are built at once; as many more on request.
const PAGE: usize = 100;
/// The second level is open from the start if neither it nor the first has more children than this.
const MAX_OPEN_CHILDREN: usize = 12;
/// Bytes and lines after which a text is cut.
const MAX_TEXT_BYTES: usize = 400;
const LINES: usize = 8;
/// Bytes of a name that are shown.
const NAME: usize = 60;

/// The value, with a button that copies it.
pub fn tree(value: &Value) -> El {
    tree_of(value.clone())
}

/// Like [`tree`], but takes the value instead of a reference.
pub fn tree_of(value: Value) -> El {
    let root = Rc::new(value);
    let copied = root.clone();
    let copy = copy_button(cards::THE_VALUE, move || match copied.as_ref() {
        Value::String(text) => text.clone(),
        other => pretty(other),
    });
    let place = NodePath { root: root.clone(), path: Vec::new() };
    let inside = match root.as_ref() {
        Value::Object(_) | Value::Array(_) if size(&root) > 0 => children(&place, 0, 0),
        value => leaf(value),
    };
    div("tree").attr("translate", "no").child(copy).child(inside)
}

/// The path to a value. The value is looked up when it is shown, so that no part is copied.
#[derive(Clone)]
struct NodePath {
    root: Rc<Value>,
    path: Vec<usize>,
}

impl NodePath {
    fn value(&self) -> &Value {
        self.path
            .iter()
            .try_fold(self.root.as_ref(), |value, step| Some(child(value, *step)?.1))
            .unwrap_or(&Value::Null)
    }

    fn child(&self, index: usize) -> Self {
        let mut path = self.path.clone();
        path.push(index);
        Self { root: self.root.clone(), path }
    }
}

fn child(value: &Value, index: usize) -> Option<(String, &Value)> {
    match value {
        Value::Object(members) => members.iter().nth(index).map(|(name, value)| (name.clone(), value)),
        Value::Array(items) => items.get(index).map(|value| (index.to_string(), value)),
        _ => None,
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    }
}

/// The members or items of a value from index `from` on: a page of them, and a button for the next one.
fn children(place: &NodePath, from: usize, level: usize) -> El {
    let count = size(place.value());
    let to = count.min(from + PAGE);
    let list = el("ul").child((from..to).filter_map(|index| node(place, index, level)).collect::<Vec<_>>());
    if to == count {
        return list;
    }
    let (asked, rest) = (RwSignal::new(false), place.clone());
    div("").child(list).child(move || {
        Some(if asked.get() {
            children(&rest, to, level)
        } else {
            let button =
                el("button").class("d-more").attr("type", "button").on("click", move |_| asked.set(true));
            button.text(cards::MORE_OF.with(&[("n", PAGE.min(count - to).into()), ("all", count.into())]))
        })
    })
}

fn node(place: &NodePath, index: usize, level: usize) -> Option<El> {
    let parent = place.value();
    let (name, value) = child(parent, index)?;
    let name_span = el("span").class(if parent.is_array() { "k n" } else { "k" });
    let name = exact(name_span, &name);
    let line = el("li");
    let count = size(value);
    if count == 0 {
        return Some(line.child(name).text(" ").child(leaf(value)));
    }
    let kind = if value.is_array() { cards::ITEMS } else { cards::FIELDS };
    let kind = kind.with(&[("n", count.into())]);
    let opened = RwSignal::new(level == 0 && count <= MAX_OPEN_CHILDREN && size(parent) <= MAX_OPEN_CHILDREN);
    // The browser would toggle it by itself. The signal decides instead, so that both always agree.
    let summary = el("summary").child(name).text(" ").child(el("span").class("quiet").text(&kind));
    let summary =
        summary.child(name_of(value).map(|name| el("span").class("quiet").attr("dir", "auto").text(&name)));
    let summary = summary.on("click", move |event| {
        event.prevent_default();
        opened.update(|opened| *opened = !*opened);
    });
    let inside = place.child(index);
    let details = el("details").attr("open", move || opened.get()).child(summary);
    Some(line.child(details.child(move || opened.get().then(|| children(&inside, 0, level + 1)))))
}

/// The name that an object has in its fields, which distinguishes the items of a list.
fn name_of(value: &Value) -> Option<String> {
    let name = ["name", "title", "id", "path", "type"].iter().find_map(|name| value.get(name)?.as_str())?;
    let short = beginning(name, NAME, 1);
    Some(format!(" · {}{}", short.unwrap_or(name), short.map_or("", |_| "…")))
}

fn leaf(value: &Value) -> El {
    match value {
        Value::String(text) => string(text),
        Value::Object(_) => el("span").class("v").text("{}"),
        Value::Array(_) => el("span").class("v").text("[]"),
        other => el("span").class("v").text(one_line(other)),
    }
}

/// A text as it is; in quotes only if it could be mistaken for something else.
fn string(text: &str) -> El {
    let doubtful = text.trim() != text
        || text.is_empty()
        || serde_json::from_str::<Value>(text).is_ok_and(|value| size(&value) == 0);
    let shown = if doubtful { one_line(&text.into()) } else { text.to_owned() };
    let host = el("span").class(if text.contains('\n') { "s lines" } else { "s" }).attr("dir", "auto");
    long_text(host, &shown, MAX_TEXT_BYTES, LINES)
}
