//! The arguments of a call, arranged for its kind of tool.

use serde_json::Value;

use super::CallContext;
use super::parts::{arguments, facts, label, link, pre, prose, text, value_text};
use crate::core::Entry;
use crate::core::i18n::words::tools;
use crate::core::json_writer::one_line;
use crate::core::model::tool_call::{CallStage, ToolCall};
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::tools::tool_summary::ToolFamily;

/// Shows the arguments once they are complete.
pub(super) fn show(body: El, at: CallContext, family: ToolFamily) -> El {
    let stage = |_: &Entry, call: &ToolCall| match (&call.stage, &call.arguments) {
        (CallStage::Writing, _) | (_, None) => String::new(),
        (CallStage::Requested, _) => "requested".to_owned(),
        _ => "started".to_owned(),
    };
    at.stages(body, stage, move |_, call, state| {
        let Some(value) = &call.arguments else {
            return Vec::new();
        };
        argument_views(call, value, family, state.info.cwd.as_deref().unwrap_or_default())
    })
}

fn argument_views(call: &ToolCall, value: &Value, family: ToolFamily, cwd: &str) -> Vec<El> {
    let rest = |shown_elsewhere: &[&str]| arguments(Some(value), shown_elsewhere);
    let some = |parts: Vec<Option<El>>| parts.into_iter().flatten().collect();
    match family {
        ToolFamily::Read => some(vec![rest(&["path", "view_range", "filePath", "file_path"])]),
        ToolFamily::Search => {
            // The path is shown only if it is not the session's own directory.
            let here = |name: &str| text(value, name).trim_end_matches('/') == cwd;
            let place = ["path", "paths"].map(|name| if here(name) { name } else { "" });
            let [path, paths] = place;
            some(vec![rest(&["pattern", "output_mode", "-n", "query", path, paths])])
        }
        ToolFamily::Web => {
            let address = text(value, "url");
            let line = || el("p").class("note").child(glyph(Icon::Globe)).child(link(address, address));
            some(vec![(!address.is_empty()).then(line), rest(&["url", "query"])])
        }
        ToolFamily::Agent => some(vec![
            facts(vec![
                (tools::AGENT.text(), text(value, "agent_type").to_owned()),
                (tools::NAME.text(), text(value, "name").to_owned()),
                (tools::MODE.text(), text(value, "mode").to_owned()),
                (tools::MODEL.text(), text(value, "model").to_owned()),
            ]),
            prose(text(value, "prompt"))
                .map(|task| div("").child(label(tools::TASK)).child(div("quoted").child(task))),
            rest(&["agent_type", "name", "mode", "model", "prompt", "description"]),
        ]),
        ToolFamily::AskUser => {
            let question = match text(value, "question") {
                "" => text(value, "message"),
                question => question,
            };
            // The summary line shows a short question; the choices are shown with the answer.
            let long = question.contains('\n') || question.len() > 160;
            let shown_elsewhere = ["question", "message", "choices", "allow_freeform", "allowFreeform"];
            some(vec![long.then(|| prose(question)).flatten(), rest(&shown_elsewhere)])
        }
        ToolFamily::List => list(value, &rest),
        ToolFamily::Memory => some(vec![rest(&["fact"])]),
        ToolFamily::Skill => some(vec![rest(&["skill", "name"])]),
        ToolFamily::Mcp => some(vec![about(call), rest(&[])]),
        _ => some(vec![call.about.description.as_deref().and_then(prose), rest(&[])]),
    }
}

/// The arguments of todos, plans, queries and reports.
fn list(value: &Value, rest: &dyn Fn(&[&str]) -> Option<El>) -> Vec<El> {
    let todos = value.get("todos").and_then(todos);
    let query = (!text(value, "query").is_empty()).then(|| pre(tools::QUERY.text(), text(value, "query")));
    // The actions of a plan are offered by its request.
    let mut shown_elsewhere =
        vec!["query", "summary", "plan", "description", "intent", "actions", "recommendedAction"];
    shown_elsewhere.extend(todos.is_some().then_some("todos"));
    let words = ["summary", "plan", "intent"].map(|name| prose(text(value, name)));
    todos.into_iter().chain(query).chain(words.into_iter().flatten()).chain(rest(&shown_elsewhere)).collect()
}

/// A list of todos: Markdown checkboxes, or objects with a status.
fn todos(value: &Value) -> Option<El> {
    let items: Vec<(String, &'static str)> = match value {
        Value::String(markdown) => {
            let boxed = |line: &str| {
                let line = line.trim().trim_start_matches(['-', '*', '+']).trim_start();
                let (mark, words) = line.strip_prefix('[')?.split_once(']')?;
                let state = match mark.trim() {
                    "" => "",
                    "x" | "X" => "done",
                    _ => "running",
                };
                Some((words.trim().to_owned(), state))
            };
            markdown.lines().filter_map(boxed).collect()
        }
        Value::Array(items) => items.iter().map(item).collect(),
        _ => Vec::new(),
    };
    let line = |(words, state): &(String, &'static str)| {
        let (icon, label) = match *state {
            "done" => (Icon::Check, tools::DONE_FIRST),
            "running" => (Icon::Clock, tools::NOW_FIRST),
            // Looks like an empty checkbox.
            _ => (Icon::Stop, tools::TO_DO_FIRST),
        };
        let words = el("span")
            .attr("dir", "auto")
            .child(el("span").class("sr").attr("dir", "auto").text(label.text()))
            .text(words);
        el("li").attr("data-state", *state).child(glyph(icon)).child(words)
    };
    (!items.is_empty()).then(|| el("ul").class("todo").child(items.iter().map(line).collect::<Vec<_>>()))
}

fn item(value: &Value) -> (String, &'static str) {
    let words = ["content", "title", "text", "description"].iter().map(|name| text(value, name));
    let words =
        words.into_iter().find(|words| !words.is_empty()).map_or_else(|| value_text(value), str::to_owned);
    let state = match text(value, "status") {
        "done" | "completed" => "done",
        "in_progress" | "running" => "running",
        _ => "",
    };
    (words, state)
}

/// The MCP server, and what it says about its tool.
fn about(call: &ToolCall) -> Option<El> {
    let (server, tool) = call.mcp.as_ref()?;
    let hints = call.about.annotations.as_ref().and_then(Value::as_object);
    let hints =
        hints.map(|hints| hints.iter().filter_map(|(name, value)| hint(name, value)).collect::<Vec<_>>());
    let about = &call.about;
    let parts = [
        call.title.as_ref().filter(|title| *title != tool).map(|_| tool.clone()),
        about
            .transport
            .as_ref()
            .map(|transport| tools::OVER.with(&[("server", server.into()), ("transport", transport.into())])),
        about.source.as_ref().map(|source| tools::CONFIGURED_BY.with(&[("source", source.into())])),
    ];
    let line: Vec<String> = parts.into_iter().flatten().chain(hints.unwrap_or_default()).collect();
    let line = (!line.is_empty()).then(|| el("p").class("hint").text(line.join(" · ")));
    let description = about.description.as_deref().and_then(prose);
    (line.is_some() || description.is_some()).then(|| div("stack").child(line).child(description))
}

fn hint(name: &str, value: &Value) -> Option<String> {
    let word = match (name, value.as_bool()) {
        ("title", _) => return None,
        ("readOnlyHint", Some(true)) => tools::ONLY_READS,
        ("readOnlyHint", Some(false)) => tools::CHANGES_THINGS,
        ("destructiveHint", Some(true)) => tools::MAY_DESTROY,
        ("destructiveHint", Some(false)) => tools::DESTROYS_NOTHING,
        ("idempotentHint", Some(true)) => tools::REPEATS_SAFELY,
        ("idempotentHint", Some(false)) => tools::REPEATING_MATTERS,
        ("openWorldHint", Some(true)) => tools::REACHES_BEYOND,
        ("openWorldHint", Some(false)) => tools::STAYS_WITHIN,
        _ => return Some(format!("{name}: {}", one_line(value))),
    };
    Some(word.text().to_owned())
}
