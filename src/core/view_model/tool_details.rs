//! What an expanded tool call shows: its arguments, terminal output, changes and result, unshortened.

use serde_json::Value;

use super::diff_parts::file_title;
use super::tool_summary::EditSummary;
use crate::i18n::Word;
use crate::i18n::format::relative;
use crate::i18n::words::tools;
use crate::json_writer::pretty;
use crate::model::entry::Entry;
use crate::model::request::{AnsweredBy, Request, RequestStage};
use crate::model::state::State;
use crate::model::tool_call::{CallStage, Failure, ToolCall, is_without_output, shell_output};
use crate::text::diff;
use crate::text::diff::Diff;
use crate::text::partial_json;

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

/// Entries before and after a call in which its permission request is looked for.
const PERMISSION_DISTANCE: usize = 64;

/// The permission request for a call, if it is nearby.
pub fn permission_of<'a>(state: &'a State, index: usize, call_id: &str) -> Option<&'a Request> {
    let near =
        index.saturating_sub(PERMISSION_DISTANCE)..state.entries.len().min(index + PERMISSION_DISTANCE);
    let requests = state.entries.get(near)?.iter().filter_map(|entry| entry.request());
    requests
        .filter(|request| request.permission().is_some())
        .find(|request| request.tool_call_id.as_deref() == Some(call_id))
}

/// Who or what denied a call.
pub fn who_denied(request: &Request) -> Option<Word> {
    let RequestStage::Settled { ending, by } = &request.stage else {
        return None;
    };
    Some(match ending.word.as_str() {
        "denied-by-rules" => tools::BY_RULE,
        "denied-by-content-exclusion-policy" => tools::BY_EXCLUSION,
        "denied-no-approval-rule-and-could-not-request-from-user" => tools::BY_NOBODY,
        _ if *by == AnsweredBy::Elsewhere => tools::BY_PERSON_ELSEWHERE,
        "denied-interactively-by-user" => tools::BY_PERSON,
        _ => return None,
    })
}

/// What a person can do, in our words: the runtime's are meant for every kind of client.
pub fn remedy(failure: &Failure) -> Option<Word> {
    Some(match failure.remediation.as_deref()? {
        "sign_in" => tools::SIGN_IN,
        "switch_account" => tools::SWITCH_ACCOUNT,
        "show_account" => tools::SHOW_ACCOUNT,
        "review_sandbox_policy" => tools::REVIEW_SANDBOX,
        "allow_sandbox_outbound" => tools::ALLOW_OUTBOUND,
        _ => return None,
    })
}

/// The longest diff that is known: the runtime cuts a long one in the result, but not in the permission
/// request.
pub fn whole_edit(state: &State, index: usize) -> Option<Diff> {
    let entry = state.entry(index)?;
    let call = entry.tool()?;
    let detailed = match &call.stage {
        CallStage::Writing => return None,
        CallStage::Succeeded(outcome) => outcome.detailed.as_deref().unwrap_or_default(),
        _ => "",
    };
    let asked = permission_of(state, index, &entry.id)
        .and_then(|request| request.permission()?.get("diff")?.as_str());
    let asked = asked.filter(|diff| !detailed.is_empty() && diff.len() > detailed.len());
    asked.map(diff::parse).filter(|diff| !diff.is_empty()).or_else(|| change(call))
}

/// The title of an edit's diff: the path within the session's folder, or how many files it changes.
pub fn edit_title(call: &ToolCall, diff: &Diff, cwd: Option<&str>) -> String {
    let path = match diff.files.as_slice() {
        [file] => file_title(file).map(|path| from_root(&path, cwd)),
        files => Some(tools::FILES.with(&[("n", files.len().into())])),
    };
    path.or_else(|| call.argument("path").map(str::to_owned)).unwrap_or_default()
}

/// Paths in the runtime's diffs are absolute, but without the leading slash.
fn from_root(path: &str, cwd: Option<&str>) -> String {
    let rooted = format!("/{path}");
    let inside = relative(&rooted, cwd);
    if inside == rooted { path.to_owned() } else { inside }
}

/// What a shell's command is for, how it runs and how it ended, in one line.
pub fn shell_line(call: &ToolCall) -> String {
    let why = call.argument("description").or(call.intention.as_deref()).map(str::to_owned);
    let mode = call.argument("mode").filter(|mode| *mode != "sync" && call.background.is_none());
    let background = call.background.as_ref().map(|shell| {
        let word = if shell.ended { tools::SHELL_ENDED } else { tools::SHELL_GOES_ON };
        word.with(&[("id", (&shell.shell_id).into())])
    });
    let exit = call.exit_code().map(|code| tools::WITH_EXIT_CODE.with(&[("code", code.into())]));
    let mode = mode.map(|mode| tools::SHELL_MODE.with(&[("mode", mode.into())]));
    [why, mode, background, exit].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Where a shell ran, if that is not the session's folder, and where its whole output is.
pub fn shell_facts(call: &ToolCall, session_cwd: Option<&str>) -> Vec<(&'static str, String)> {
    let block = exit_block(call);
    let text = |name: &str| block.and_then(|block| block.get(name)?.as_str()).unwrap_or_default();
    let cwd = if session_cwd == Some(text("cwd")) { "" } else { text("cwd") };
    vec![
        (tools::DIRECTORY.text(), cwd.to_owned()),
        (tools::WHOLE_OUTPUT.text(), text("outputFilePath").to_owned()),
    ]
}

/// The block with the runtime's facts about the end of a command.
fn exit_block(call: &ToolCall) -> Option<&Value> {
    let CallStage::Succeeded(outcome) = &call.stage else {
        return None;
    };
    outcome.contents.iter().find(|block| block.get("type").and_then(Value::as_str) == Some("shell_exit"))
}

/// Bytes of unfinished arguments that are read for the summary line: enough for a command or a path.
const WRITTEN: usize = 16 * 1024;

/// A call with its arguments as far as they are written, for the summary line.
pub fn partial_call(call: &ToolCall) -> Option<ToolCall> {
    let mut end = call.written.len().min(WRITTEN);
    while !call.written.is_char_boundary(end) {
        end -= 1;
    }
    let arguments = partial_json::read(call.written.get(..end)?)?;
    let mut so_far = ToolCall::new(call.name.clone(), CallStage::Writing);
    so_far.arguments = Some(arguments.into());
    so_far.title.clone_from(&call.title);
    so_far.mcp.clone_from(&call.mcp);
    Some(so_far)
}
