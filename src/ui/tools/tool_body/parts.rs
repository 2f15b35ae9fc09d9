//! Building blocks for the bodies: facts, long texts, prose, links.

use std::cell::RefCell;

use leptos::prelude::*;
use serde_json::Value;

use crate::core::i18n::Word;
use crate::core::i18n::format::{one_line, pretty};
use crate::core::i18n::words::tools;
use crate::core::text::ansi::for_terminal;
use crate::core::text::review_marks::may_open;
use crate::store::printing::is_printing;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::exact::exact;
use crate::ui::elements::json_tree::{tree, tree_of};
use crate::ui::elements::long_text::long_text;
use crate::ui::elements::reactive::render_effect;
use crate::ui::message::markdown::GrowingText;
use crate::ui::tools::terminal::TerminalView;

/// Bytes of an exact text that are shown at first.
const LONG_TEXT: usize = 64 * 1024;
/// Bytes of a fact that are shown at first.
const LONG_FACT: usize = 2_000;

/// Names and values, without empty values; `None` if there are none.
pub(super) fn facts(facts: Vec<(&str, String)>) -> Option<El> {
    let list = el("dl").class("args");
    let facts: Vec<El> = facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .flat_map(|(name, value)| {
            [el("dt").text(name), el("dd").attr("dir", "auto").child(long_words("", &value))]
        })
        .collect();
    (!facts.is_empty()).then(|| list.child(facts))
}

/// The arguments except those in `told`: a list if none of them is an object or array, else a tree.
pub(super) fn arguments(value: Option<&Value>, told: &[&str]) -> Option<El> {
    let value = value?;
    match value {
        Value::Null => None,
        Value::String(text) => Some(pre(tools::ARGUMENTS.text(), text)),
        Value::Object(members) => {
            let rest = || members.iter().filter(|(name, _)| !told.contains(&name.as_str()));
            if rest().all(|(_, value)| !value.is_object() && !value.is_array()) {
                let spell = |value: &Value| value.as_str().map_or_else(|| one_line(value), str::to_owned);
                return facts(rest().map(|(name, value)| (name.as_str(), spell(value))).collect());
            }
            let rest = rest().map(|(name, value)| (name.clone(), value.clone())).collect();
            Some(tree(&Value::Object(rest)))
        }
        other => Some(tree(other)),
    }
}

/// A text of any length; a long one is cut, with a button for the rest.
pub(super) fn long_words(class: &str, text: &str) -> El {
    long_text(el("span").class(class), text, LONG_FACT, usize::MAX)
}

/// An exact text in a box.
pub(super) fn pre(name: &str, text: &str) -> El {
    let host = el("pre").class("box wrap").attr("tabindex", "0").attr("translate", "no");
    let host = host.attr("aria-label", name).attr("dir", "auto");
    long_text(host, text, LONG_TEXT, usize::MAX)
}

/// A text that does not grow, as terminal output.
pub(super) fn terminal(text: &str) -> El {
    let host = el("div");
    let mut view = TerminalView::new(&document(), host.element());
    view.update(text);
    // Kept as long as the card lives, for its button's listener too.
    let view = RefCell::new(view);
    render_effect(move || view.borrow_mut().print(is_printing()));
    host
}

/// A tool's text output in a box; in colour if it was made for a terminal.
pub(super) fn text_output(name: &str, text: &str) -> El {
    if for_terminal(text) { terminal(text) } else { pre(name, text) }
}

/// Same as `text_output`, but a JSON object or array is shown as a tree; `None` for blank text.
pub(super) fn text_or_tree(name: &str, text: &str) -> Option<El> {
    if text.trim().is_empty() {
        return None;
    }
    Some(match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => tree_of(value),
        _ => text_output(name, text),
    })
}

/// A markdown text; `None` if it is blank.
pub(super) fn prose(text: &str) -> Option<El> {
    if text.trim().is_empty() {
        return None;
    }
    let host = div("prose");
    let shown = RefCell::new(GrowingText::new(&document(), host.element()));
    let text = text.to_owned();
    render_effect(move || shown.borrow_mut().show(&text, true));
    Some(host)
}

/// A heading of a part.
pub(super) fn label(words: Word) -> El {
    div("label").text(words.text())
}

/// A link, if the address may be opened; otherwise its text.
pub(super) fn link(address: &str, words: &str) -> El {
    let mail = address.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    let opens = may_open(address) || (mail && !address.contains(char::is_whitespace));
    if !opens {
        return if words == address {
            exact(el("code"), address)
        } else {
            exact(el("span"), &format!("{words} ({address})"))
        };
    }
    let link = el("a").attr("href", address).attr("target", "_blank");
    let link = link.attr("rel", "noopener noreferrer nofollow").attr("title", address).attr("dir", "auto");
    exact(link, words)
}

/// A text field of an object; empty if it is missing.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A value as text: a string as it is, others as formatted JSON.
pub(super) fn spelled(value: &Value) -> String {
    value.as_str().map_or_else(|| pretty(value), str::to_owned)
}
