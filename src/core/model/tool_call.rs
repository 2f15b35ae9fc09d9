//! A tool call's state and data, and the merging of its partial output.

use std::sync::Arc;

use serde_json::Value;

use super::entry::EntryState;
use crate::wire::json::Json;
use crate::wire::text::{JsonText, Text};

/// The state of a tool call, with the data that only this state has.
#[derive(Debug, Clone, PartialEq)]
pub enum Life {
    /// The model is still writing the arguments.
    Writing,
    /// The model requested it; it has not started.
    Requested,
    /// It runs.
    Running,
    /// It succeeded.
    Succeeded(Outcome),
    /// It failed.
    Failed(Failure),
    /// A person or a rule did not allow it.
    Denied(Failure),
    /// It will never complete: the turn was aborted, the session ended.
    Interrupted,
}

/// The result of a successful call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// The text for people (a diff, for example), if it differs from the model's.
    pub detailed: Option<Text>,
    /// Content blocks: text, terminal, image, audio, resource.
    pub contents: Vec<Value>,
    /// Exit code, for shells.
    pub exit_code: Option<i64>,
    /// An MCP tool's structured content, unchanged.
    pub structured: Option<Value>,
    /// Images and other binaries for the model: inline, omitted, or referred to by an asset's id.
    pub binaries: Vec<Value>,
    /// Sources that the model may cite.
    pub sources: Vec<Value>,
    /// Address of a view that the MCP server provided.
    pub view: Option<String>,
}

/// Why a call has no result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Failure {
    /// The reason as text.
    pub message: Text,
    /// The runtime's code: `rejected`, `denied`, `failure`, …
    pub code: Option<String>,
    /// The runtime's word for what a person can do about it.
    pub remediation: Option<String>,
    /// Exit code, for shells.
    pub exit_code: Option<i64>,
    /// The runtime ended before the call did, so it is unknown what the call has done.
    pub interrupted: bool,
}

/// Information about a tool apart from its name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct About {
    /// What it does, in its server's words.
    pub description: Option<String>,
    /// Its server's hints: read-only, destructive, …
    pub annotations: Option<Value>,
    /// How its server is reached: `stdio`, `http`, …
    pub transport: Option<String>,
    /// Where its server's configuration came from.
    pub source: Option<String>,
}

/// A shell that keeps running after its call.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    /// The runtime's id for the shell.
    pub shell_id: String,
    /// It has ended.
    pub ended: bool,
    /// Its exit code, if known.
    pub exit_code: Option<i64>,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Its state.
    pub life: Life,
    /// The tool's name.
    pub name: String,
    /// A title for people, if the tool has one.
    pub title: Option<String>,
    /// The arguments, once they are complete.
    pub arguments: Option<Json>,
    /// The text of the arguments so far, while the model is writing them.
    pub written: String,
    /// Why the model calls it, in its words.
    pub intention: Option<String>,
    /// The MCP server and the tool's name on it.
    pub mcp: Option<(String, String)>,
    /// Information about the tool from the events of its start and end.
    pub about: About,
    /// The shell that keeps running after it.
    pub background: Option<Background>,
    /// Output while it was running, merged.
    pub output: Text,
    /// Output after the result, from a shell in the background.
    pub later_output: String,
    /// The last progress message.
    pub progress: Option<String>,
    /// The person requested it, not the model.
    pub by_user: bool,
    /// Its start event was received. That event comes before a person is asked for permission, and comes
    /// again if the runtime is restarted in between.
    pub has_started: bool,
    /// It waits for a permission, or was not allowed.
    pub waits: bool,
    /// Milliseconds in which it waited for a permission.
    pub waited: i64,
    /// When it began to wait, in milliseconds since 1970.
    pub waits_since: Option<i64>,
    /// The model that requested it.
    pub model: Option<String>,
    /// Indices of the entries of all calls in the same message, including this one; none if it is the only
    /// one.
    pub parallel: Option<Arc<[usize]>>,
}

impl ToolCall {
    /// A call with only a name.
    pub fn new(name: String, life: Life) -> Self {
        Self {
            life,
            name,
            title: None,
            arguments: None,
            written: String::new(),
            intention: None,
            mcp: None,
            about: About::default(),
            background: None,
            output: Text::default(),
            later_output: String::new(),
            progress: None,
            by_user: false,
            has_started: false,
            waits: false,
            waited: 0,
            waits_since: None,
            model: None,
            parallel: None,
        }
    }

    /// The state of its entry.
    pub fn state(&self) -> EntryState {
        match &self.life {
            Life::Writing => EntryState::Streaming,
            Life::Requested => EntryState::Pending,
            Life::Running => EntryState::Running,
            Life::Succeeded(_) => EntryState::Done,
            Life::Failed(failure) if !failure.interrupted => EntryState::Failed,
            Life::Denied(_) => EntryState::Denied,
            Life::Failed(_) | Life::Interrupted => EntryState::Interrupted,
        }
    }

    /// The text of its result, shared with the output if both are equal.
    pub(crate) fn shared_text(&mut self, said: JsonText<'_>) -> Text {
        if !self.output.is_empty() && said.says(&self.output) { self.output.share() } else { said.text() }
    }

    /// True if it may have had effects.
    pub fn may_have_run(&self) -> bool {
        self.has_started || self.by_user || !self.output.is_empty()
    }

    /// True once it has ended.
    pub fn ended(&self) -> bool {
        !matches!(self.life, Life::Writing | Life::Requested | Life::Running)
    }

    /// The argument of this name, if it is a string.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.as_ref()?.get(name)?.as_str()
    }

    /// The exit code of its command, also if that ended in the background.
    pub fn exit_code(&self) -> Option<i64> {
        match &self.life {
            Life::Succeeded(outcome) => {
                outcome.exit_code.or_else(|| self.background.as_ref().and_then(|shell| shell.exit_code))
            }
            Life::Failed(failure) => failure.exit_code,
            _ => None,
        }
    }

    /// Notes at what time it begins to wait, or goes on.
    pub(crate) fn set_waits(&mut self, waits: bool, now: Option<i64>) {
        if let Some(since) = self.waits_since.take().filter(|_| !waits) {
            self.waited = self.waited.saturating_add(now.map_or(0, |now| now.saturating_sub(since).max(0)));
        } else if waits {
            self.waits_since = now;
        }
        self.waits = waits;
    }

    /// True while its shell is running in the background.
    pub fn in_background(&self) -> bool {
        self.background.as_ref().is_some_and(|shell| !shell.ended)
    }
}

/// Beginnings of the lines that the runtime adds to a shell's output for the model.
const RUNTIME_LINES: [&str; 3] = ["<shellId:", "<command ", "<exited with exit code"];

/// Splits a shell's result into its output and the last line, if the runtime added that.
pub fn shell_output(text: &str) -> (&str, Option<&str>) {
    let text = text.trim_end();
    let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
    if last.ends_with('>') && RUNTIME_LINES.iter().any(|line| last.starts_with(line)) {
        (before, Some(last))
    } else {
        (text, None)
    }
}

/// The id of a shell that went to the background, from the runtime's line about it.
pub fn sent_to_background(line: &str) -> Option<&str> {
    let id = shell_id(line.strip_prefix("<command ").filter(|rest| rest.contains("background"))?)?;
    (!id.is_empty()).then_some(id)
}

/// How a shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShellEnd {
    /// The exit code, if known.
    pub exit_code: Option<i64>,
}

/// How a shell ended, if the runtime's line says that it did.
pub fn shell_end(line: &str) -> Option<ShellEnd> {
    let code = |words: &str| {
        let (_, after) = line.split_once(words)?;
        let code = after.trim_end_matches('>').split_whitespace().next()?;
        Some(ShellEnd { exit_code: code.parse().ok() })
    };
    let stopped = || line.contains(" stopped").then_some(ShellEnd { exit_code: None });
    code("completed with exit code ").or_else(|| code("<exited with exit code ")).or_else(stopped)
}

fn shell_id(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("shellId: ")?;
    after.split(|ch: char| ch.is_whitespace() || ch == '>').next()
}

/// The effect of merging a partial output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merged {
    /// It contained nothing new.
    Unchanged,
    /// Text was appended.
    Appended,
}

/// A shell that a person runs keeps only the newest 80 KB of output, and then begins it with this note.
const DROPPED_NOTE: &str = "<output too long - dropped ";

/// Merges a `partialOutput` into the output. It may be the whole output so far (the usual case), its last
/// part, or the next chunk. Text that is already there is never lost.
pub fn merge_output(output: &mut String, partial: &str) -> Merged {
    let partial = match partial.strip_prefix(DROPPED_NOTE) {
        Some(_) if !output.is_empty() => partial.split_once('\n').map_or("", |(_, window)| window),
        _ => partial,
    };
    let known = pilothouse_scan::common(output.as_bytes(), partial.as_bytes());
    let known = if known == output.len() { known } else { overlap(output, partial) };
    let fresh = partial.get(known..).unwrap_or(partial);
    if fresh.is_empty() {
        return Merged::Unchanged;
    }
    output.push_str(fresh);
    Merged::Appended
}

/// Length in bytes of the longest end of `output` that `partial` begins with. White space alone does not
/// count, as two chunks may well end and begin with a line break.
fn overlap(output: &str, partial: &str) -> usize {
    let matched = pilothouse_scan::overlap(output.as_bytes(), partial.as_bytes());
    let evidence = partial.get(..matched).is_some_and(|text| text.trim().len() >= 2);
    if evidence { matched } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(partials: &[&str]) -> String {
        let mut output = String::new();
        for partial in partials {
            merge_output(&mut output, partial);
        }
        output
    }

    #[test]
    fn the_runtimes_lines_around_a_shell_are_understood() {
        let (output, line) = shell_output("async-done\n<shellId: bg1 completed with exit code 3>");
        assert_eq!((output, line.and_then(shell_end)), ("async-done", Some(ShellEnd { exit_code: Some(3) })));
        assert_eq!(shell_output("a\n<b>"), ("a\n<b>", None));
        let started = "<command started in background with shellId: bg1>";
        assert_eq!(shell_output(started), ("", Some(started)));
        assert_eq!(sent_to_background(started), Some("bg1"));
        let moved =
            "<command with shellId: 0 moved to background by the user. You will be automatically notified.>";
        assert_eq!((sent_to_background(moved), shell_end(moved)), (Some("0"), None));
        assert_eq!(sent_to_background("<shellId: 0 completed with exit code 0>"), None);
    }

    #[test]
    fn a_whole_output_replaces_what_it_begins_with() {
        assert_eq!(merged(&["one\n", "one\ntwo\n", "one\ntwo\n"]), "one\ntwo\n");
    }

    #[test]
    fn a_window_on_the_end_is_merged() {
        assert_eq!(merged(&["abcdef", "defghi", "ghijkl"]), "abcdefghijkl");
        assert_eq!(merged(&["aabaab", "aabaabc"]), "aabaabc");
    }

    #[test]
    fn a_chunk_is_appended() {
        assert_eq!(merged(&["one\n", "two\n", "\nthree\n"]), "one\ntwo\n\nthree\n");
    }

    #[test]
    fn a_sliding_window_with_its_note_is_merged() {
        let note = "<output too long - dropped 3 lines from the start>\n";
        assert_eq!(
            merged(&["line 1\nline 2\n", &format!("{note}line 2\nline 3\n")]),
            "line 1\nline 2\nline 3\n"
        );
    }
}
