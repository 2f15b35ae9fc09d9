//! The blocks of `result.contents`, and what a result has besides them, for any tool.

use serde_json::Value;

use super::media::{binary, resource_link};
use super::parts::{self, facts, label, link, pre, text, text_or_tree};
use crate::core::i18n::words::tools;
use crate::core::model::state::State;
use crate::core::model::tool_call::Outcome;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::json_tree::tree;

/// Everything in a result, once each.
pub(super) fn result(outcome: &Outcome, content: &str, state: &State) -> Vec<El> {
    let mut shown = Vec::new();
    let structured = outcome.structured.as_ref();
    let blocks: Vec<&Value> =
        outcome.contents.iter().filter(|block| text(block, "type") != "shell_exit").collect();
    let words = outcome.detailed.as_deref().unwrap_or(content);
    if blocks.is_empty() {
        shown.extend(text_or_tree(tools::RESULT.text(), without_copy(words, structured)));
    } else {
        // Beside blocks, a text for people is not a copy of them.
        shown.extend(outcome.detailed.as_deref().and_then(|words| text_or_tree(tools::RESULT.text(), words)));
        for block in &blocks {
            let again = structured.is_some() && read(text(block, "text")).as_ref() == structured;
            if !again {
                shown.extend(self::block(block, state));
            }
        }
    }
    shown.extend(binaries(outcome, state));
    if let Some(value) = structured {
        shown.push(div("").child(label(tools::STRUCTURED_CONTENT)).child(tree(value)));
    }
    shown.extend(sources(outcome));
    if let Some(view) = &outcome.view {
        shown.push(el("p").class("note").text(tools::INTERACTIVE_VIEW.with(&[("view", view.into())])));
    }
    shown
}

/// Binaries that are not in a block.
pub(super) fn binaries(outcome: &Outcome, state: &State) -> Vec<El> {
    let is_block =
        |data: &str| !data.is_empty() && outcome.contents.iter().any(|block| text(block, "data") == data);
    outcome
        .binaries
        .iter()
        .filter(|value| !is_block(text(value, "data")))
        .map(|value| binary(value, state))
        .collect()
}

/// The sources that the model may cite.
pub(super) fn sources(outcome: &Outcome) -> Option<El> {
    let source = |value: &Value| {
        let (title, address) = (text(value, "title"), text(value, "url"));
        let place = if address.is_empty() { text(value, "path") } else { address };
        let title = if title.is_empty() { place } else { title };
        let host = crate::core::text::review_marks::host(address)
            .map(|host| el("span").class("quiet").text(format!(" {host}")));
        let named = if address.is_empty() { el("span").text(title) } else { link(address, title) };
        el("li").child(named).child(host)
    };
    let list = || el("ol").class("sources").child(outcome.sources.iter().map(source).collect::<Vec<_>>());
    (!outcome.sources.is_empty()).then(|| div("").child(label(tools::SOURCES)).child(list()))
}

fn read(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// The text without the copy of the structured content that the runtime appends for the model.
fn without_copy<'a>(words: &'a str, structured: Option<&Value>) -> &'a str {
    let Some(structured) = structured else {
        return words;
    };
    if read(words).as_ref() == Some(structured) {
        return "";
    }
    match words.rsplit_once("\n\n") {
        Some((before, copy)) if read(copy).as_ref() == Some(structured) => before,
        _ => words,
    }
}

fn block(block: &Value, state: &State) -> Option<El> {
    match text(block, "type") {
        "text" => text_or_tree(tools::TEXT.text(), text(block, "text")),
        "terminal" => Some(terminal(block, text(block, "text"))),
        "image" | "audio" => Some(binary(block, state)),
        "resource_link" => Some(resource_link(block)),
        "resource" => Some(resource(block.get("resource").unwrap_or(block), state)),
        _ => Some(tree(block)),
    }
}

fn resource(resource: &Value, state: &State) -> El {
    let name = match text(resource, "mimeType") {
        "" => text(resource, "uri").to_owned(),
        kind => format!("{} · {kind}", text(resource, "uri")),
    };
    let inside = if resource.get("text").is_some() {
        let name = tools::RESOURCE.text();
        text_or_tree(name, text(resource, "text")).unwrap_or_else(|| pre(name, ""))
    } else {
        binary(resource, state)
    };
    div("").child(div("label").attr("dir", "auto").text(&name)).child(inside)
}

/// Output of a command that has ended.
fn terminal(block: &Value, output: &str) -> El {
    let exit = block.get("exitCode").and_then(Value::as_i64).map(|code| code.to_string()).unwrap_or_default();
    let list = facts(vec![
        (tools::DIRECTORY.text(), text(block, "cwd").to_owned()),
        (tools::EXIT_CODE.text(), exit),
    ]);
    div("stack").child(list).child(parts::terminal(output))
}
