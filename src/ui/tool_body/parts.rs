//! What the bodies of several kinds are made of: facts, long texts, prose, links. Refuses to know any tool.

use std::cell::RefCell;

use leptos::prelude::*;
use serde_json::Value;

use crate::core::ansi::for_terminal;
use crate::core::language::Word;
use crate::core::language::words::tools;
use crate::core::words::pretty;
use crate::ui::dom::{El, div, el, follow};
use crate::ui::long_text::long_text;
use crate::ui::requests::may_open;
use crate::ui::terminal::TerminalView;
use crate::ui::text::Written;
use crate::ui::tree::{tree, tree_of};

/// Text longer than this is shown in part, until asked for.
const LONG_TEXT: usize = 64 * 1024;
/// A fact that is longer is no fact any more.
const LONG_FACT: usize = 2_000;

/// Names and values; nothing if there are none.
pub(super) fn facts(facts: Vec<(&str, String)>) -> Option<El> {
    let list = el("dl").class("args");
    let facts: Vec<El> = facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .flat_map(|(name, value)| {
            [el("dt").text(name), el("dd").attr("dir", "auto").child(long_words("", &value))]
        })
        .collect();
    (!facts.is_empty()).then(|| list.children(facts))
}

/// Arguments, less those that are told already: a list where they are few and plain, else a tree.
pub(super) fn arguments(value: Option<&Value>, told: &[&str]) -> Option<El> {
    let value = value?;
    match value {
        Value::Null => None,
        Value::String(text) => Some(pre(tools::ARGUMENTS.text(), text)),
        Value::Object(members) => {
            let rest = || members.iter().filter(|(name, _)| !told.contains(&name.as_str()));
            if rest().all(|(_, value)| !value.is_object() && !value.is_array()) {
                let spell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                return facts(rest().map(|(name, value)| (name.as_str(), spell(value))).collect());
            }
            let rest = rest().map(|(name, value)| (name.clone(), value.clone())).collect();
            Some(tree(&Value::Object(rest)))
        }
        other => Some(tree(other)),
    }
}

/// A text of any length, in words or exact; a very long one can be asked for.
pub(super) fn long_words(class: &str, text: &str) -> El {
    long_text(el("span").class(class), text, LONG_FACT, usize::MAX)
}

/// An exact text in a box.
pub(super) fn pre(name: &str, text: &str) -> El {
    let host = el("pre").class("box wrap").attr("tabindex", "0").attr("aria-label", name).attr("dir", "auto");
    long_text(host, text, LONG_TEXT, usize::MAX)
}

/// What a terminal shows of a text that does not grow.
pub(super) fn terminal(text: &str) -> El {
    let host = el("div");
    let mut view = TerminalView::new(&document(), host.element());
    view.update(text);
    // It listens to its button as long as the card lives.
    StoredValue::new_local(view);
    host
}

/// What a tool says, in a box; in colour if it was made for a terminal.
pub(super) fn said(name: &str, text: &str) -> El {
    if for_terminal(text) { terminal(text) } else { pre(name, text) }
}

/// The same where it may be JSON: then it is a tree.
pub(super) fn text_or_tree(name: &str, text: &str) -> Option<El> {
    if text.trim().is_empty() {
        return None;
    }
    Some(match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => tree_of(value),
        _ => said(name, text),
    })
}

/// A text in markdown.
pub(super) fn prose(text: &str) -> Option<El> {
    if text.trim().is_empty() {
        return None;
    }
    let host = div("prose");
    let shown = RefCell::new(Written::new(&document(), host.element()));
    let text = text.to_owned();
    follow(Box::new(move || shown.borrow_mut().show(&text, true)));
    Some(host)
}

/// A heading of a part.
pub(super) fn label(words: Word) -> El {
    div("label").text(words.text())
}

/// An address that opens on a click, if it is one that may; else its text.
pub(super) fn link(address: &str, words: &str) -> El {
    let mail = address.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    let opens = may_open(address) || (mail && !address.contains(char::is_whitespace));
    if !opens {
        return if words == address {
            el("code").text(address)
        } else {
            el("span").text(&format!("{words} ({address})"))
        };
    }
    let link = el("a").attr("href", address).attr("target", "_blank");
    link.attr("rel", "noopener noreferrer nofollow").attr("title", address).attr("dir", "auto").text(words)
}

/// A text argument.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A value in one line or more.
pub(super) fn spelled(value: &Value) -> String {
    value.as_str().map_or_else(|| pretty(value), str::to_owned)
}
