//! What an expanded tool call shows: its arguments, terminal output, changes and result, unshortened.

use serde_json::Value;

use super::tool_summary::EditSummary;
use crate::i18n::words::tools;
use crate::json_writer::pretty;
use crate::model::entry::Entry;
use crate::model::tool_call::{CallStage, ToolCall, is_without_output, shell_output};
use crate::text::diff;
use crate::text::diff::Diff;

/// The arguments as names and values. Arguments other than an object come as one value under a general name.
pub fn arguments(call: &ToolCall) -> Vec<(String, String)> {
    let spell = |value: &Value| value.as_str().map_or_else(|| pretty(value), str::to_owned);
    match call.arguments.as_deref() {
        Some(Value::Object(arguments)) => {
            arguments.iter().map(|(name, value)| (name.clone(), spell(value))).collect()
        }
        Some(Value::Null) | None if call.written.is_empty() => Vec::new(),
        Some(Value::Null) | None => vec![(tools::ARGUMENTS_NAME.text().to_owned(), call.written.clone())],
        Some(other) => vec![(tools::ARGUMENTS_NAME.text().to_owned(), spell(other))],
    }
}

/// A shell's output, followed by what it printed later in the background.
pub fn terminal(entry: &Entry) -> String {
    let Some(call) = entry.tool() else {
        return String::new();
    };
    let mut text = printed(entry, call).trim_end_matches('\n').to_owned();
    if !call.later_output.is_empty() {
        text.push('\n');
        text.push_str(&call.later_output);
    }
    text
}

/// A shell's output so far, or its result once that has arrived, without the last line that the runtime adds
/// for the model.
pub fn printed<'a>(entry: &'a Entry, call: &'a ToolCall) -> &'a str {
    match &call.stage {
        CallStage::Succeeded(outcome) => {
            let result = outcome.detailed.as_deref().unwrap_or(&entry.text);
            if is_without_output(result) { &call.output } else { shell_output(result).0 }
        }
        // The message of a failed shell is its output, and the error box already shows it.
        CallStage::Failed(failure) if failure.message == call.output => "",
        _ => &call.output,
    }
}

/// The result for people: JSON objects and arrays are indented. Empty if the call failed or was denied.
pub fn result(entry: &Entry) -> String {
    let Some(call) = entry.tool() else {
        return String::new();
    };
    match &call.stage {
        CallStage::Succeeded(outcome) => {
            let text = outcome.detailed.as_deref().unwrap_or(&entry.text);
            match serde_json::from_str::<Value>(text) {
                Ok(value @ (Value::Object(_) | Value::Array(_))) => pretty(&value),
                _ => text.to_owned(),
            }
        }
        CallStage::Running | CallStage::Interrupted => call.output.to_string(),
        _ => String::new(),
    }
}

/// A summary of what an edit changes: line counts and paths.
pub fn edit(call: &ToolCall) -> Option<EditSummary> {
    let diff = change(call)?;
    let paths = diff.files.iter().map(|file| file.path().unwrap_or_default().to_owned()).collect();
    Some(EditSummary { lines: diff.counts(), paths })
}

/// What an edit changes: the diff in the result, else the patch or the texts in the arguments.
pub fn change(call: &ToolCall) -> Option<Diff> {
    if let CallStage::Succeeded(outcome) = &call.stage
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

/// The command that a shell runs.
pub fn command(call: &ToolCall) -> Option<&str> {
    call.argument("command").or_else(|| call.argument("input"))
}
