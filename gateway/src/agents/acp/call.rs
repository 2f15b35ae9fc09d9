//! One tool call, with all that the agent has said of it so far.

use agent_client_protocol_schema::v1::{
    ContentBlock, Diff, ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolKind,
};
use pilothouse_core::model::tool_call::{OutputMerge, merge_output};
use serde_json::Value;

use super::known::Quirks;

/// Where a call is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// It does not say yet what it does.
    #[default]
    Held,
    /// It runs, as far as people are told.
    Started,
    /// It has ended.
    Ended,
}

/// A tool call.
#[derive(Debug, Default)]
pub struct Call {
    /// The id of its events.
    pub id: String,
    /// The sub-agent that makes it.
    pub agent: Option<String>,
    /// Where it is.
    pub stage: Stage,
    /// The tool's own name.
    pub name: Option<String>,
    /// What the agent says that it does.
    pub title: Option<String>,
    /// Its kind.
    pub kind: Option<ToolKind>,
    /// Its status.
    pub status: Option<ToolCallStatus>,
    /// What the tool gets. Members of several updates are gathered, the newest counts.
    pub input: Option<Value>,
    /// What the tool gives.
    pub output: Option<Value>,
    /// What the agent says of the call before it runs.
    pub about: String,
    /// The newest content that is not a diff.
    pub content: Vec<ToolCallContent>,
    /// The newest diffs.
    pub diffs: Vec<Diff>,
    /// The paths that it is about.
    pub paths: Vec<String>,
    /// Its output on a terminal so far, if it comes in pieces.
    pub terminal: String,
    /// What people see of its output so far.
    pub shown: String,
    /// The exit code of its command.
    pub exit_code: Option<i64>,
    /// Whether it is a tool of an MCP server.
    pub is_mcp: bool,
    /// Whether the agent has asked for it.
    pub is_asked: bool,
    /// Whether a person has stopped the work while it ran.
    pub is_stopped: bool,
    /// Whether a person has rejected it.
    pub is_rejected: bool,
}

impl Call {
    /// A call of which nothing is known.
    pub fn new(id: String) -> Self {
        Self { id, ..Self::default() }
    }

    /// Takes what an update says, or a request. True if it has output that people may not have seen.
    pub fn learn(&mut self, update: ToolCallUpdate, is_request: bool, quirks: &Quirks) -> bool {
        let fields = update.fields;
        if self.name.is_none() {
            self.name = fields.name.clone().or_else(|| {
                let (name, _) = update.tool_call_id.0.split_once(quirks.tool_in_id?)?;
                (!name.is_empty()).then(|| name.to_owned())
            });
        }
        if let Some(title) = fields.title.filter(|title| !title.trim().is_empty()) {
            if self.name.is_none() && self.title.is_none() && quirks.title_is_tool && is_name(&title) {
                self.name = Some(title.clone());
            }
            self.title = Some(title);
        }
        // A kind that is not known reads as `Other`, and says nothing new.
        if let Some(kind) = fields.kind.filter(|kind| *kind != ToolKind::Other || self.kind.is_none()) {
            self.kind = Some(kind);
        }
        if let Some(status) = fields.status {
            self.status = Some(status);
        }
        if let Some(input) = fields.raw_input {
            gather(&mut self.input, input);
            let is_other = self.name.is_none() && self.kind.unwrap_or_default() == ToolKind::Other;
            let has = |member: &str| self.input.as_ref().is_some_and(|input| input.get(member).is_some());
            let named = quirks.tools_by_input.iter().find(|(member, _)| is_other && has(member));
            if let Some((_, name)) = named {
                self.name = Some((*name).to_owned());
            }
        }
        if fields.raw_output.is_some() {
            self.output = fields.raw_output;
        }
        for location in fields.locations.into_iter().flatten() {
            let path = location.path.to_string_lossy().into_owned();
            if !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
        let mut has_output = false;
        if let Some(content) = fields.content {
            let (diffs, others): (Vec<_>, Vec<_>) =
                content.into_iter().partition(|content| matches!(content, ToolCallContent::Diff(_)));
            if !diffs.is_empty() {
                let diff =
                    |content| if let ToolCallContent::Diff(diff) = content { Some(diff) } else { None };
                self.diffs = diffs.into_iter().filter_map(diff).collect();
            }
            let is_about = is_request || (quirks.describes_in_content && self.end().is_none());
            if is_about && !others.is_empty() {
                self.about = without_process_folder(texts(&others), quirks);
            } else if !is_about {
                has_output = others.iter().any(|content| text_of(content).is_some());
                self.content = others;
            }
        }
        let Some(meta) = update.meta else { return has_output };
        self.is_mcp |= meta.get("is_mcp_tool_call").and_then(Value::as_bool).unwrap_or(false);
        let data = |name: &str| Some(meta.get(name)?.get("data")?.as_str()?.to_owned());
        // The key says whether it is a piece: whoever can show notices gets the other name with the same pieces.
        if let Some(piece) = data("terminal_output_delta").or_else(|| data("terminal_output")) {
            self.terminal.push_str(&piece);
            has_output = true;
        }
        if let Some(code) = meta.get("terminal_exit").and_then(|exit| exit.get("exit_code")?.as_i64()) {
            self.exit_code = Some(code);
        }
        has_output
    }

    /// Whether it is said what the call does: its input is there, it runs, or the agent asks for it.
    pub fn says_what_it_does(&self) -> bool {
        let has_input = match &self.input {
            Some(Value::Object(input)) => input.keys().any(|name| name != "cwd"),
            Some(Value::Null) | None => false,
            Some(_) => true,
        };
        let is_pending = matches!(self.status, None | Some(ToolCallStatus::Pending));
        has_input || !is_pending || self.is_asked || !self.diffs.is_empty()
    }

    /// Whether the agent says that it has ended; true if it was successful.
    pub fn end(&self) -> Option<bool> {
        match self.status? {
            ToolCallStatus::Completed => Some(true),
            ToolCallStatus::Failed => Some(false),
            _ => None,
        }
    }

    /// A text of its input, by the first of these names that is there.
    pub fn input_text(&self, names: &[&str]) -> Option<&str> {
        names
            .iter()
            .find_map(|name| self.input.as_ref()?.get(*name)?.as_str())
            .filter(|text| !text.is_empty())
    }

    /// The text of its content.
    pub fn text(&self) -> String {
        texts(&self.content)
    }

    /// What a partial result has to be, so that people see the output so far. Output that replaces comes as a whole; output that
    /// is a piece comes as a piece wherever that can't be read in another way.
    pub fn partial(&mut self) -> Option<String> {
        if self.terminal.is_empty() {
            let whole = self.text();
            let is_new = whole != self.shown && !whole.is_empty();
            self.shown.clone_from(&whole);
            return is_new.then_some(whole);
        }
        let piece = self.terminal.get(self.shown.len()..)?.to_owned();
        if piece.is_empty() {
            return None;
        }
        let appends = merge_output(&mut self.shown, &piece) == OutputMerge::Appended;
        let is_right = appends && self.shown.len() == self.terminal.len();
        if !is_right {
            self.shown.clone_from(&self.terminal);
        }
        Some(if is_right { piece } else { self.terminal.clone() })
    }
}

fn texts(content: &[ToolCallContent]) -> String {
    content.iter().filter_map(text_of).collect::<Vec<_>>().join("\n")
}

/// Text about a call without the folder of the agent's process. What is left stands in brackets.
fn without_process_folder(text: String, quirks: &Quirks) -> String {
    let Some(rest) = quirks.process_folder.and_then(|start| text.strip_prefix(start)) else { return text };
    let described = rest.split_once("] (").and_then(|(_, rest)| rest.strip_suffix(')'));
    described.unwrap_or_default().to_owned()
}

/// The text of a piece of content.
pub fn text_of(content: &ToolCallContent) -> Option<&str> {
    match content {
        ToolCallContent::Content(content) => match &content.content {
            ContentBlock::Text(text) if !text.text.is_empty() => Some(&text.text),
            _ => None,
        },
        _ => None,
    }
}

/// Adds what an update says of the input to what is known.
fn gather(known: &mut Option<Value>, input: Value) {
    match (known.as_mut(), input) {
        (Some(Value::Object(known)), Value::Object(input)) => {
            for (name, value) in input {
                known.insert(name, value);
            }
        }
        (_, Value::Null) => {}
        (_, input) => *known = Some(input),
    }
}

fn is_name(title: &str) -> bool {
    title.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'))
}
