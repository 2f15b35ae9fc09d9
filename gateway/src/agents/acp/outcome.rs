//! How a call ended, in the form of `tool.execution_complete`.

use agent_client_protocol_schema::v1::{ContentBlock, ToolCallContent, ToolKind};
use pilothouse_core::json_writer::object;
use serde_json::{Map, Value, json};

use super::call::{Call, text_of};
use super::unified_diff::{tidy, unified_diff};

/// No result is longer, in bytes; the rest is left out in the middle.
const LONGEST: usize = 256 * 1024;

/// Why a call ended that the agent never ended itself, or that failed for a known reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// A person stopped the work, or the agent has gone.
    Interrupted,
    /// A person rejected it.
    Rejected,
    /// The prompt ended without a word about it.
    Forgotten,
}

/// What people read for a call that the agent never ended.
impl Unfinished {
    const fn message(self) -> &'static str {
        match self {
            Self::Interrupted => "It was interrupted.",
            Self::Rejected => "The request was rejected.",
            Self::Forgotten => "The agent does not say how it ended.",
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            _ => "interrupted",
        }
    }
}

/// The `data` for a call that the agent has ended.
pub fn complete(call: &Call, success: bool, has_fragments: bool) -> Value {
    let exit_code = exit_code(call);
    // A command that was stopped is completed, say some agents; one that ends by itself has a code.
    let is_stopped = call.is_stopped && call.kind == Some(ToolKind::Execute) && exit_code.is_none();
    if success && is_stopped {
        return unfinished(call, Unfinished::Interrupted);
    }
    let text = text(call);
    let diff = detailed(call, has_fragments);
    let contents = contents(call);
    // A command that exits with another code than 0 has run, and has output.
    let has_run = success || exit_code.is_some();
    let message = || {
        let said = call.output.as_ref().and_then(|output| {
            ["error", "message"].iter().find_map(|name| output.get(*name)?.as_str().map(str::to_owned))
        });
        let message = if text.is_empty() { said.unwrap_or_default() } else { text.clone() };
        match (message.is_empty(), call.is_stopped) {
            (false, _) => message,
            (true, true) => Unfinished::Interrupted.message().to_owned(),
            (true, false) => "It failed; the agent does not say why.".to_owned(),
        }
    };
    let code = call.output.as_ref().and_then(|output| output.get("code")?.as_str());
    let code = code.or_else(|| call.is_rejected.then_some("rejected"));
    let code = code.or_else(|| call.is_stopped.then_some("interrupted"));
    let error =
        (!has_run).then(|| object([("message", Some(message().into())), ("code", code.map(Into::into))]));
    let result = has_run.then(|| {
        let contents = (!contents.is_empty()).then(|| Value::Array(contents));
        object([
            ("content", Some(text.clone().into())),
            ("detailedContent", diff.map(Into::into)),
            ("contents", contents),
        ])
    });
    object([
        ("toolCallId", Some(call.id.as_str().into())),
        ("success", Some(success.into())),
        ("result", result),
        ("error", error),
        ("shellExecution", exit_code.map(|code| json!({ "exitCode": code }))),
    ])
}

/// The `data` for a call that the agent never ended.
pub fn unfinished(call: &Call, why: Unfinished) -> Value {
    let why = if call.is_rejected { Unfinished::Rejected } else { why };
    let text = text(call);
    let result = (!text.is_empty()).then(|| json!({ "content": text }));
    object([
        ("toolCallId", Some(call.id.as_str().into())),
        ("success", Some(false.into())),
        ("result", result),
        ("error", Some(json!({ "message": why.message(), "code": why.code() }))),
    ])
}

/// The exit code of a command, wherever the agent puts it.
fn exit_code(call: &Call) -> Option<i64> {
    let output = call.output.as_ref();
    let of_contents = || {
        let contents = output?.get("contents")?.as_array()?;
        contents.iter().find_map(|content| content.get("exitCode")?.as_i64())
    };
    let named = || output?.pointer("/metadata/exit").or_else(|| output?.get("exit_code"))?.as_i64();
    call.exit_code.or_else(of_contents).or_else(named)
}

fn text(call: &Call) -> String {
    let terminal = call.terminal.as_str();
    let of_content = call.text();
    let of_output = || {
        let output = call.output.as_ref()?;
        let text = output.as_str().or_else(|| output.get("content")?.as_str());
        let texts = || {
            let blocks = output.pointer("/result/content")?.as_array()?;
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            Some(texts.join("\n"))
        };
        text.map(str::to_owned).or_else(texts)
    };
    let text = match (terminal.is_empty(), of_content.is_empty()) {
        (false, _) => terminal.to_owned(),
        (true, false) => of_content,
        (true, true) => of_output().unwrap_or_else(|| said_by_subagents(call)),
    };
    limited(text)
}

/// What the sub-agents have said that a call waited for.
fn said_by_subagents(call: &Call) -> String {
    let states = call.input.as_ref().and_then(|input| input.get("agentsStates")?.as_object());
    let said = states.into_iter().flat_map(|states| states.values());
    let said: Vec<&str> = said.filter_map(|state| state.get("message")?.as_str()).collect();
    said.join("\n\n")
}

/// Leaves out the middle of a text that is too long.
fn limited(text: String) -> String {
    if text.len() <= LONGEST {
        return text;
    }
    let end = (0..=LONGEST / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start =
        (text.len() - LONGEST / 2..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let left_out = start - end;
    let (first, last) = (text.get(..end).unwrap_or_default(), text.get(start..).unwrap_or_default());
    format!("{first}\n… {left_out} bytes are left out …\n{last}")
}

/// The change as a unified diff: the agent's own, which has line numbers, or one made from the texts.
fn detailed(call: &Call, has_fragments: bool) -> Option<String> {
    if call.diffs.is_empty() {
        return None;
    }
    let output = call.output.as_ref();
    let own = output.and_then(|output| {
        output.pointer("/metadata/diff").or_else(|| output.get("detailedContent"))?.as_str()
    });
    if let Some(own) = own.filter(|own| own.contains("\n@@")) {
        return Some(tidy(own));
    }
    let diff = call.diffs.iter().map(|diff| {
        unified_diff(&diff.path.to_string_lossy(), diff.old_text.as_deref(), &diff.new_text, has_fragments)
    });
    Some(diff.collect())
}

/// Pictures, sounds and resources.
fn contents(call: &Call) -> Vec<Value> {
    let blocks = call.content.iter().filter(|content| text_of(content).is_none());
    let block = |content: &ToolCallContent| match content {
        ToolCallContent::Content(content) => serde_json::to_value(&content.content).ok(),
        _ => None,
    };
    let mut contents: Vec<Value> = blocks.filter_map(block).filter_map(|block| known(&block)).collect();
    let of_output = call.output.as_ref().and_then(|output| output.pointer("/result/content")?.as_array());
    let of_output = of_output.into_iter().flatten().filter(|block| block.get("text").is_none());
    contents.extend(of_output.filter_map(known));
    contents
}

/// A content block with the members that the session events have.
fn known(block: &Value) -> Option<Value> {
    // Whatever it is, it is read as ACP reads it first.
    serde_json::from_value::<ContentBlock>(block.clone()).ok()?;
    let names: &[&str] = match block.get("type")?.as_str()? {
        "image" | "audio" => &["type", "data", "mimeType"],
        "resource" => &["type", "resource"],
        "resource_link" => &["type", "name", "title", "uri", "description", "mimeType", "size"],
        _ => return None,
    };
    let member =
        |name: &&str| Some(((*name).to_owned(), block.get(*name).filter(|value| !value.is_null())?.clone()));
    Some(Value::Object(names.iter().filter_map(member).collect::<Map<_, _>>()))
}
