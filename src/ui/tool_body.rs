//! What a tool call shows when it is open: terminal, diff, excerpt, arguments, result, error.
//! Refuses the summary line.

use std::cell::RefCell;

use leptos::prelude::*;
use serde_json::Value;
use web_sys::Element;

use super::built::{flag, words};
use super::diff_view::{self, DiffView};
use super::dom::{El, div, el, follow};
use super::terminal::TerminalView;
use super::tool_words::{Edit, Family};
use crate::core::Entry;
use crate::core::diff::{self, Diff};
use crate::core::tool_call::{Life, ToolCall};
use crate::core::words::bytes;
use crate::core::words::pretty;
use crate::store::{Row, Store};

/// Text longer than this is shown in part, until asked for.
const LONG_TEXT: usize = 64 * 1024;

/// The body of a tool card.
pub fn tool_body(store: Store, index: usize, row: Row, family: Family) -> El {
    // An edit that is shown as a diff needs no list of its arguments.
    let told = RwSignal::new(false);
    let body = div("body");
    let body = match family {
        Family::Shell => body.child(terminal(store, index, row)),
        Family::Edit => {
            let body = body.child(edit(store, index, row, told));
            result(arguments(body, store, index, row, told), store, index, row, told)
        }
        _ => result(arguments(body, store, index, row, told), store, index, row, told),
    };
    body.part_if(move || {
        row.head.track();
        let failure = store.entry(index, |entry| match &entry.tool()?.life {
            Life::Failed(failure) => Some(("fail", failure.clone())),
            Life::Denied(failure) => Some(("fail denied", failure.clone())),
            _ => None,
        });
        failure.flatten().map(|(class, failure)| {
            let code = failure.code.map(|code| el("span").class("label").text(&code));
            div(class).attr("dir", "auto").maybe(code).text(&failure.message)
        })
    })
}

/// A shell's output, live.
fn terminal(store: Store, index: usize, row: Row) -> El {
    let host = el("div");
    let element = host.element().clone();
    let shown = RefCell::new(TerminalView::new(&document(), &element));
    follow(Box::new(move || {
        row.head.track();
        row.text.track();
        let text = store.entry(index, terminal_text).unwrap_or_default();
        shown.borrow_mut().update(&text);
        hide(&element, text.is_empty());
    }));
    host
}

fn hide(element: &Element, hidden: bool) {
    // Fails for invalid names only.
    let _ = element.toggle_attribute_with_force("hidden", hidden);
}

/// What a shell printed: the result once it is there, without the runtime's own last line for the model.
fn terminal_text(entry: &Entry) -> String {
    let Some(call) = entry.tool() else {
        return String::new();
    };
    match &call.life {
        Life::Succeeded(outcome) => {
            let text = outcome.detailed.as_deref().unwrap_or(&entry.text);
            let text = text.trim_end();
            let shown = match text.rsplit_once('\n').unwrap_or(("", text)) {
                (before, last)
                    if last.starts_with("<shellId:") || last.starts_with("<exited with exit code") =>
                {
                    before
                }
                _ => text,
            };
            if call.later_output.is_empty() {
                shown.to_owned()
            } else {
                format!("{shown}\n{}", call.later_output)
            }
        }
        // The message of a failed shell is its output; the error box says it already.
        Life::Failed(failure) if failure.message == call.output => String::new(),
        _ => call.output.clone(),
    }
}

/// An edit as a diff; tells whether there is one.
fn edit(store: Store, index: usize, row: Row, told: RwSignal<bool>) -> El {
    let host = div("changes").attr("tabindex", "0");
    let element = host.element().clone();
    let shown = RefCell::new(None::<(Diff, DiffView)>);
    follow(Box::new(move || {
        row.head.track();
        let diff = store.entry(index, |entry| entry.tool().and_then(edit_of)).flatten();
        hide(&element, diff.is_none());
        if told.get_untracked() != diff.is_some() {
            told.set(diff.is_some());
        }
        let mut shown = shown.borrow_mut();
        if let Some(diff) = diff
            && shown.as_ref().is_none_or(|(before, _)| *before != diff)
        {
            let view = diff_view::render(&document(), &element, &diff);
            *shown = Some((diff, view));
        }
    }));
    host
}

/// The arguments: a list of names and values, or whatever they are.
fn arguments(body: El, store: Store, index: usize, row: Row, told: RwSignal<bool>) -> El {
    let list = el("dl").class("args");
    let place = list.clone();
    let some = RwSignal::new(false);
    let shown = RefCell::new(Vec::new());
    follow(Box::new(move || {
        row.head.track();
        if told.get() {
            return;
        }
        let arguments = store.entry(index, |entry| entry.tool().map(listed)).flatten().unwrap_or_default();
        list_in(&place, &mut shown.borrow_mut(), &arguments);
        if some.get_untracked() == arguments.is_empty() {
            some.set(!arguments.is_empty());
        }
    }));
    body.part_if(move || (some.get() && !told.get()).then(|| list.clone()))
}

/// Values that changed change their text; other names make another list.
fn list_in(place: &El, shown: &mut Vec<(String, String, El)>, arguments: &[(String, String)]) {
    let same = shown.iter().map(|(name, ..)| name).eq(arguments.iter().map(|(name, _)| name));
    if !same {
        place.element().set_text_content(None);
        shown.clear();
        for (name, value) in arguments {
            let told = el("dd").attr("dir", "auto").text(value);
            let _ = place.clone().child(el("dt").text(name)).child(told.clone());
            shown.push((name.clone(), value.clone(), told));
        }
        return;
    }
    for ((_, before, told), (_, value)) in shown.iter_mut().zip(arguments) {
        if before != value {
            told.element().set_text_content(Some(value));
            before.clone_from(value);
        }
    }
}

/// The intent is told in the summary; nobody needs it twice.
fn listed(call: &ToolCall) -> Vec<(String, String)> {
    let spell = |value: &Value| value.as_str().map_or_else(|| pretty(value), str::to_owned);
    match &call.arguments {
        Some(Value::Object(arguments)) => {
            arguments.iter().map(|(name, value)| (name.clone(), cut(&spell(value)))).collect()
        }
        Some(Value::Null) | None if call.written.is_empty() => Vec::new(),
        Some(Value::Null) | None => vec![("arguments".to_owned(), call.written.clone())],
        Some(other) => vec![("arguments".to_owned(), cut(&spell(other)))],
    }
}

/// The result, as people see it.
fn result(body: El, store: Store, index: usize, row: Row, told: RwSignal<bool>) -> El {
    let whole = RwSignal::new(false);
    let text = words(move || {
        row.head.track();
        row.text.track();
        if told.get() {
            return String::new();
        }
        store.entry(index, result_text).unwrap_or_default()
    });
    let some = flag(move || !text.with(String::is_empty));
    let long = flag(move || !whole.get() && text.with(String::len) > LONG_TEXT);
    let shown = el("pre").class("box wrap").attr("tabindex", "0").attr("aria-label", "Result");
    let shown = shown.attr("dir", "auto").live_text(move || {
        let text = text.get();
        if whole.get() { text } else { cut(&text) }
    });
    let more = move || {
        let length = move || i64::try_from(text.with(String::len)).unwrap_or(i64::MAX);
        let button = el("button").class("btn small").on("click", move |_| whole.set(true));
        button.live_text(move || format!("Show all {}", bytes(length())))
    };
    body.part_if(move || some.get().then(|| shown.clone())).part_if(move || long.get().then(more))
}

fn result_text(entry: &Entry) -> String {
    let Some(call) = entry.tool() else {
        return String::new();
    };
    match &call.life {
        Life::Succeeded(outcome) => {
            let text = outcome.detailed.as_deref().unwrap_or(&entry.text);
            match serde_json::from_str::<Value>(text) {
                Ok(value @ (Value::Object(_) | Value::Array(_))) => pretty(&value),
                _ => text.to_owned(),
            }
        }
        Life::Running | Life::Interrupted => call.output.clone(),
        _ => String::new(),
    }
}

fn cut(text: &str) -> String {
    if text.len() <= LONG_TEXT {
        return text.to_owned();
    }
    let mut end = LONG_TEXT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text).to_owned()
}

/// What an edit changes, in short.
pub fn edit_in_short(call: &ToolCall) -> Option<Edit> {
    let diff = edit_of(call)?;
    let paths = diff.files.iter().map(|file| file.path().unwrap_or_default().to_owned()).collect();
    Some(Edit { lines: diff.counts(), paths })
}

/// What an edit changes: the result's diff, the patch, or the difference of its arguments.
fn edit_of(call: &ToolCall) -> Option<Diff> {
    if let Life::Succeeded(outcome) = &call.life
        && let Some(detailed) = &outcome.detailed
    {
        let parsed = diff::parse(detailed);
        if !parsed.is_empty() {
            return Some(parsed);
        }
    }
    let arguments = call.arguments.as_ref()?;
    if let Some(patch) = arguments.as_str().or_else(|| arguments.get("patch")?.as_str()) {
        return Some(diff::parse(patch)).filter(|diff| !diff.is_empty());
    }
    let text = |name: &str| arguments.get(name).and_then(serde_json::Value::as_str);
    let new = text("new_str").or_else(|| text("file_text")).or_else(|| text("content"))?;
    Some(diff::between(text("old_str").unwrap_or_default(), new)).filter(|diff| !diff.is_empty())
}
