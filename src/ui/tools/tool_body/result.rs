//! The result of a call, arranged for its kind of tool.

use serde_json::Value;

use super::parts::{facts, label, prose, text_or_tree};
use super::search_hits;
use super::{CallContext, blocks, excerpt};
use crate::core::i18n::words::tools;
use crate::core::model::tool_call::{CallStage, Outcome, ToolCall};
use crate::core::view_model::icon::Icon;
use crate::core::{Entry, State};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::tools::tool_summary::ToolFamily;

/// Shows the result once the call has succeeded.
pub(super) fn show(body: El, at: CallContext, family: ToolFamily) -> El {
    let stage = |entry: &Entry, call: &ToolCall| match &call.stage {
        CallStage::Succeeded(_) => format!("done {}", entry.text.len()),
        _ => String::new(),
    };
    at.stages(body, stage, move |entry, call, state| match &call.stage {
        CallStage::Succeeded(outcome) => result_views(entry, call, outcome, family, state),
        _ => Vec::new(),
    })
}

fn result_views(
    entry: &Entry,
    call: &ToolCall,
    outcome: &Outcome,
    family: ToolFamily,
    state: &State,
) -> Vec<El> {
    let content = entry.text.as_str();
    let words = outcome.detailed.as_deref().unwrap_or(content);
    let plain = outcome.contents.is_empty() && outcome.structured.is_none();
    let some = |parts: Vec<Option<El>>| parts.into_iter().flatten().collect();
    match family {
        ToolFamily::Read if plain => {
            let images = blocks::binaries(outcome, state);
            if images.is_empty() { vec![excerpt::excerpt(call, outcome, content).show()] } else { images }
        }
        ToolFamily::Search if plain => {
            vec![search_hits::show(call, outcome, content, state.info.cwd.as_deref())]
        }
        // A fetched page is shown unchanged; an answer about pages is prose.
        ToolFamily::Web if plain && call.argument("url").is_none() => {
            some(vec![prose(words), blocks::sources(outcome)])
        }
        ToolFamily::Agent if plain => {
            // In its text for people the runtime repeats the task, and in the one for the model it adds
            // advice.
            let has_prompt = call.argument("prompt").is_some();
            if has_prompt
                && content.starts_with("Agent ")
                && content.lines().next().is_some_and(|line| line.contains("background"))
            {
                return vec![el("p").class("hint").text(tools::AGENT_GOES_ON.text())];
            }
            let answer = || {
                prose(content)
                    .map(|answer| div("").child(label(tools::ANSWER)).child(div("quoted").child(answer)))
            };
            some(vec![if has_prompt { answer() } else { text_or_tree(tools::RESULT.text(), words) }])
        }
        ToolFamily::AskUser => {
            let answer = answer(content);
            let listed = choices(call, answer);
            let free = !is_listed(call, answer);
            let free_answer = free.then(|| facts(vec![(tools::ANSWER.text(), answer.to_owned())])).flatten();
            some(vec![listed, free_answer])
        }
        ToolFamily::List if plain => {
            // The text of the call is shown above already, as an argument.
            let arguments_shown =
                ["summary", "todos", "intent"].iter().filter_map(|name| call.argument(name));
            let repeated = arguments_shown
                .map(str::trim)
                .any(|arguments_shown| !arguments_shown.is_empty() && words.contains(arguments_shown));
            let query = call.argument("query").unwrap_or_default();
            let words =
                words.strip_prefix("SQL: ").and_then(|rest| rest.strip_prefix(query)).unwrap_or(words);
            some(vec![(!repeated).then(|| hint_or_box(words)).flatten()])
        }
        ToolFamily::Memory | ToolFamily::Skill if plain => some(vec![hint_or_box(words)]),
        _ => blocks::result(outcome, content, state),
    }
}

/// The runtime's sentence about what it did as a hint, or a longer text in a box.
fn hint_or_box(words: &str) -> Option<El> {
    let words = words.trim();
    let short = !words.is_empty() && words.len() <= 120 && !words.contains('\n');
    if short {
        Some(el("p").class("hint").attr("dir", "auto").text(words))
    } else {
        text_or_tree(tools::RESULT.text(), words)
    }
}

/// The answer without the runtime's prefix.
fn answer(content: &str) -> &str {
    let words = ["User selected: ", "User responded: ", "User answered: ", "User response: "];
    words.iter().find_map(|start| content.strip_prefix(start)).unwrap_or(content)
}

fn offered_choices(call: &ToolCall) -> impl Iterator<Item = &str> {
    let choices = call.arguments.as_ref().and_then(|arguments| arguments.get("choices")?.as_array());
    choices.into_iter().flatten().filter_map(Value::as_str)
}

fn is_listed(call: &ToolCall, answer: &str) -> bool {
    offered_choices(call).any(|choice| choice == answer)
}

/// The choices that were offered, with the chosen one marked.
fn choices(call: &ToolCall, answer: &str) -> Option<El> {
    let line = |choice: &str| {
        let chosen = answer == choice;
        let chosen_label = if chosen { tools::CHOSEN_FIRST.text() } else { "" };
        let words = el("span")
            .attr("dir", "auto")
            .child(el("span").class("sr").attr("dir", "auto").text(chosen_label))
            .text(choice);
        let mark = if chosen { glyph(Icon::Check) } else { el("span").class("i") };
        el("li").attr("data-state", if chosen { "chosen" } else { "" }).child(mark).child(words)
    };
    let lines: Vec<El> = offered_choices(call).map(line).collect();
    (!lines.is_empty()).then(|| el("ul").class("todo").child(lines))
}
