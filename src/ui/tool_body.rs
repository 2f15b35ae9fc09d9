//! What a tool call shows when it is open: terminal, diff, excerpt, arguments, result, error.
//! Refuses the summary line.

use leptos::html;
use leptos::prelude::*;
use serde_json::Value;
use web_sys::Element;

use super::diff_view::{self, DiffView};
use super::terminal::TerminalView;
use super::tool_card::pretty;
use super::tool_words::{Family, edit_of};
use crate::core::Entry;
use crate::core::tool_call::{Life, ToolCall};
use crate::store::{Row, Store};

/// Text longer than this is shown in part, until asked for.
const LONG_TEXT: usize = 64 * 1024;

/// The body of a tool card.
#[component]
pub fn ToolBody(
    /// Where the call is.
    store: Store,
    /// Its place.
    index: usize,
    /// Its signals.
    row: Row,
    /// Which body it has.
    family: Family,
) -> impl IntoView {
    let failure = move || {
        row.head.track();
        let failure = store.entry(index, |entry| match &entry.tool()?.life {
            Life::Failed(failure) => Some(("fail", failure.clone())),
            Life::Denied(failure) => Some(("fail denied", failure.clone())),
            _ => None,
        });
        failure.flatten().map(|(class, failure)| {
            view! {
                <div class=class dir="auto">
                    {failure.code.map(|code| view! { <span class="label">{code}</span> })}
                    {failure.message}
                </div>
            }
        })
    };
    let main = match family {
        Family::Shell => view! { <Terminal store index row/> }.into_any(),
        Family::Edit => view! { <Edit store index row/> }.into_any(),
        _ => view! { <Arguments store index row/><Result store index row/> }.into_any(),
    };
    view! { <div class="body">{main}{failure}</div> }
}

/// A shell's output, live.
#[component]
fn Terminal(store: Store, index: usize, row: Row) -> impl IntoView {
    let host = NodeRef::<html::Div>::new();
    let shown = StoredValue::new_local(None::<TerminalView>);
    let empty = Memo::new(move |_| {
        row.head.track();
        row.text.track();
        store.entry(index, |entry| terminal_text(entry).is_empty()).unwrap_or(true)
    });
    Effect::new(move |_| {
        row.head.track();
        row.text.track();
        let Some(element) = host.get() else { return };
        let element: Element = element.into();
        shown.update_value(|slot| {
            let view = slot.get_or_insert_with(|| TerminalView::new(&document(), &element));
            store.entry(index, |entry| view.update(&terminal_text(entry)));
        });
    });
    view! { <div node_ref=host hidden=move || empty.get()></div> }
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

/// An edit as a diff.
#[component]
fn Edit(store: Store, index: usize, row: Row) -> impl IntoView {
    let host = NodeRef::<html::Div>::new();
    let shown = StoredValue::new_local(None::<DiffView>);
    let diff = Memo::new(move |_| {
        row.head.track();
        store.entry(index, |entry| entry.tool().and_then(edit_of)).flatten()
    });
    Effect::new(move |_| {
        let Some(element) = host.get() else { return };
        let element: Element = element.into();
        if let Some(diff) = diff.get() {
            shown.set_value(Some(diff_view::render(&document(), &element, &diff)));
        }
    });
    view! {
        <div class="changes" tabindex="0" node_ref=host hidden=move || diff.get().is_none()></div>
        <Show when=move || diff.get().is_none()><Arguments store index row/><Result store index row/></Show>
    }
}

/// The arguments: a list of names and values, or whatever they are.
#[component]
fn Arguments(store: Store, index: usize, row: Row) -> impl IntoView {
    let arguments = Memo::new(move |_| {
        row.head.track();
        store.entry(index, |entry| entry.tool().map(listed)).flatten().unwrap_or_default()
    });
    view! {
        <Show when=move || !arguments.get().is_empty()>
            <dl class="args">
                {move || arguments.get().into_iter().map(|(name, value)| view! {
                    <dt>{name}</dt><dd dir="auto">{value}</dd>
                }).collect_view()}
            </dl>
        </Show>
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
#[component]
fn Result(store: Store, index: usize, row: Row) -> impl IntoView {
    let whole = RwSignal::new(false);
    let text = Memo::new(move |_| {
        row.head.track();
        row.text.track();
        store.entry(index, result_text).unwrap_or_default()
    });
    let shown = move || {
        let text = text.get();
        if whole.get() { text } else { cut(&text) }
    };
    let more =
        move || (!whole.get() && text.with(|text| text.len() > LONG_TEXT)).then(|| text.with(String::len));
    view! {
        <Show when=move || !text.with(String::is_empty)>
            <pre class="box wrap" tabindex="0" aria-label="Result" dir="auto">{shown}</pre>
            {move || more().map(|length| view! {
                <button class="btn small" on:click=move |_| whole.set(true)>
                    {format!("Show all {}", crate::core::words::bytes(i64::try_from(length).unwrap_or(i64::MAX)))}
                </button>
            })}
        </Show>
    }
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
