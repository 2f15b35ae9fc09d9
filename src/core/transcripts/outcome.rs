//! How a tool call ended, in the form of `tool.execution_complete`.

use serde_json::{Value, json};

use super::values::text;
use crate::json_writer::object;

/// How a call ended.
#[derive(Debug, Default, Clone)]
pub(super) struct Outcome {
    /// Whether it did what it should.
    pub(super) success: bool,
    /// What the model reads of it.
    pub(super) text: String,
    /// What people see instead: the change to files as a unified diff, or the output without what is for the model.
    pub(super) detailed: Option<String>,
    /// The exit code of a command.
    pub(super) exit_code: Option<i64>,
    /// Why it failed, in one word: `rejected` or `interrupted`.
    pub(super) code: Option<&'static str>,
    /// Pictures and the like.
    pub(super) contents: Vec<Value>,
}

impl Outcome {
    /// A call without a result.
    pub(super) fn interrupted() -> Self {
        Self {
            code: Some("interrupted"),
            text: "The transcript has no result.".to_owned(),
            ..Self::default()
        }
    }

    /// The `data` of the event.
    pub(super) fn data(&self, call_id: &str) -> Value {
        // A command that exits with another code than 0 has run, and has output.
        let has_run = self.success || (self.exit_code.is_some() && self.code.is_none());
        let result = has_run.then(|| {
            object([
                ("content", Some(self.text.as_str().into())),
                ("detailedContent", self.detailed.as_deref().map(Into::into)),
                ("contents", (!self.contents.is_empty()).then(|| self.contents.clone().into())),
            ])
        });
        let message = match &self.detailed {
            // Of a command that failed people read its output, as of any other.
            Some(output) if has_run => output,
            _ if self.text.is_empty() => "It failed; the transcript does not say why.",
            _ => &self.text,
        };
        let says_more = !has_run || (!self.success && self.detailed.is_some());
        let error = says_more
            .then(|| object([("message", Some(message.into())), ("code", self.code.map(Into::into))]));
        object([
            ("toolCallId", Some(call_id.into())),
            ("success", Some(self.success.into())),
            ("result", result),
            ("error", error),
            ("shellExecution", self.exit_code.map(|code| json!({ "exitCode": code }))),
        ])
    }
}

/// A diff with the headings of a file whose hunks are known. A file that is created or deleted has one path only.
pub(super) fn unified_diff(path: &str, new_path: &str, kind: DiffKind, hunks: &str) -> String {
    let from = if kind == DiffKind::Create { "/dev/null".to_owned() } else { format!("a/{path}") };
    let to = if kind == DiffKind::Delete { "/dev/null".to_owned() } else { format!("b/{new_path}") };
    let end = if hunks.ends_with('\n') { "" } else { "\n" };
    format!("--- {from}\n+++ {to}\n{hunks}{end}")
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiffKind {
    /// It is new.
    Create,
    /// It changes.
    Update,
    /// It is gone.
    Delete,
}

/// The hunk of a file that is created or deleted as a whole.
pub(super) fn whole_file(content: &str, kind: DiffKind) -> String {
    let lines = content.lines().count();
    let (head, mark) = match kind {
        DiffKind::Delete => (format!("@@ -1,{lines} +0,0 @@\n"), '-'),
        _ => (format!("@@ -0,0 +1,{lines} @@\n"), '+'),
    };
    content.lines().fold(head, |mut hunk, line| {
        hunk.push(mark);
        hunk.push_str(line);
        hunk.push('\n');
        hunk
    })
}

/// The exit code in a line that begins with one of these words, such as `Exit code: 1`.
pub(super) fn exit_code(output: &str, words: &[&str]) -> Option<i64> {
    let line = |line: &str| {
        let rest = words.iter().find_map(|word| line.trim_start().strip_prefix(word))?;
        let digits: String = rest
            .trim_start()
            .chars()
            .take_while(|letter| letter.is_ascii_digit() || *letter == '-')
            .collect();
        digits.parse().ok()
    };
    output.lines().find_map(line)
}

/// A picture that is a `data:` address, as a content block.
pub(super) fn picture(address: &str) -> Option<Value> {
    let (mime, data) = address.strip_prefix("data:")?.split_once(";base64,")?;
    Some(json!({ "type": "image", "mimeType": mime, "data": data }))
}

/// The texts of content blocks, and the pictures among them.
pub(super) fn blocks(content: &Value) -> (String, Vec<Value>) {
    match content {
        Value::String(text) => (text.clone(), Vec::new()),
        Value::Array(blocks) => {
            let texts: Vec<&str> =
                blocks.iter().filter_map(|block| block.as_str().or_else(|| text(block, "text"))).collect();
            (texts.join("\n"), blocks.iter().filter_map(block_picture).collect())
        }
        Value::Null => (String::new(), Vec::new()),
        other => (
            text(other, "text").map_or_else(|| crate::json_writer::one_line(other), str::to_owned),
            Vec::new(),
        ),
    }
}

/// The picture of a content block, in any of the forms of the three agents.
pub(super) fn block_picture(block: &Value) -> Option<Value> {
    if let Some(address) = text(block, "image_url") {
        return picture(address);
    }
    let inline = block.get("source").or_else(|| block.get("inlineData"));
    let from = inline.unwrap_or(block);
    let data = text(from, "data")?;
    let mime = ["media_type", "mimeType"].iter().find_map(|name| text(from, name))?;
    Some(json!({ "type": "image", "mimeType": mime, "data": data }))
}

/// The picture of a content block as an attachment of a message.
pub(super) fn attachment(block: &Value) -> Option<Value> {
    let mut picture = block_picture(block)?;
    if let Some(members) = picture.as_object_mut() {
        members.insert("type".to_owned(), "blob".into());
        members.insert("displayName".to_owned(), "image".into());
    }
    Some(picture)
}
