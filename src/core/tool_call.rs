//! A tool call's life and facts, and how its partial output is merged. Refuses to know any tool by name.

use std::sync::Arc;

use serde_json::Value;

use super::entry::EntryState;
use super::json::Json;
use super::text::{Said, Text};

/// Where a tool call is. Each state carries what only it can have.
#[derive(Debug, Clone, PartialEq)]
pub enum Life {
    /// The model is still writing the arguments.
    Writing,
    /// The model asked for it; it has not begun.
    Requested,
    /// It runs.
    Running,
    /// It succeeded.
    Succeeded(Outcome),
    /// It failed.
    Failed(Failure),
    /// Somebody or a rule did not allow it.
    Denied(Failure),
    /// It will never complete: the turn was aborted, the session ended.
    Interrupted,
}

/// What a successful call gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// What people see (a diff, say), where it differs from what the model sees.
    pub detailed: Option<Text>,
    /// Blocks: text, terminal, image, audio, resource.
    pub contents: Vec<Value>,
    /// Exit code, for shells.
    pub exit_code: Option<i64>,
    /// What an MCP tool gave beside its words, as it came.
    pub structured: Option<Value>,
    /// Images and other binaries for the model: inline, left out, or named by an asset's id.
    pub binaries: Vec<Value>,
    /// What the model may cite.
    pub sources: Vec<Value>,
    /// Address of the view that an MCP server sent along.
    pub view: Option<String>,
}

/// Why a call gave nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Failure {
    /// In words.
    pub message: Text,
    /// The runtime's code: `rejected`, `denied`, `failure`, …
    pub code: Option<String>,
    /// What a person can do about it, in the runtime's word.
    pub remediation: Option<String>,
    /// Exit code, for shells.
    pub exit_code: Option<i64>,
    /// The runtime ended before the call did, and nobody knows how far it had come.
    pub interrupted: bool,
}

/// What is known of a tool beside its name.
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

/// A shell that goes on after its call.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    /// The runtime's id of the shell.
    pub shell_id: String,
    /// It has ended too.
    pub ended: bool,
    /// How, if it was told.
    pub exit_code: Option<i64>,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Where it is.
    pub life: Life,
    /// The tool's name.
    pub name: String,
    /// A title for people, where the tool has one.
    pub title: Option<String>,
    /// The arguments, once they are whole.
    pub arguments: Option<Json>,
    /// The arguments as far as they were written.
    pub written: String,
    /// Why the model calls it, in its words.
    pub intention: Option<String>,
    /// MCP server and the tool's name there.
    pub mcp: Option<(String, String)>,
    /// What its start and its end told of the tool.
    pub about: About,
    /// The shell that goes on after it.
    pub background: Option<Background>,
    /// Output while it runs, merged.
    pub output: Text,
    /// Output that came after the result: a shell that went on in the background.
    pub later_output: String,
    /// The last progress message.
    pub progress: Option<String>,
    /// The person asked for it, not the model.
    pub by_user: bool,
    /// Its execution has started, as its event tells: before a person is asked whether it may run, and once more when the
    /// runtime was started anew in between.
    pub has_started: bool,
    /// It can't run before a person allows it, or was not allowed.
    pub waits: bool,
    /// Model that asked for it.
    pub model: Option<String>,
    /// Places of all calls that one message asked for, where there are several; this one's too.
    pub together: Option<Arc<[usize]>>,
}

impl ToolCall {
    /// A call of which only the name is known yet.
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
            model: None,
            together: None,
        }
    }

    /// The entry's state.
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

    /// What its end says, kept once if it had printed the same.
    pub(super) fn told(&mut self, said: Said<'_>) -> Text {
        if !self.output.is_empty() && said.says(&self.output) { self.output.share() } else { said.text() }
    }

    /// True if something of it may have been done.
    pub fn may_have_run(&self) -> bool {
        self.has_started || self.by_user || !self.output.is_empty()
    }

    /// True once nothing more is expected of it.
    pub fn ended(&self) -> bool {
        !matches!(self.life, Life::Writing | Life::Requested | Life::Running)
    }

    /// A text argument.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.as_ref()?.get(name)?.as_str()
    }

    /// How its command ended, in the background too.
    pub fn exit_code(&self) -> Option<i64> {
        match &self.life {
            Life::Succeeded(outcome) => {
                outcome.exit_code.or_else(|| self.background.as_ref().and_then(|shell| shell.exit_code))
            }
            Life::Failed(failure) => failure.exit_code,
            _ => None,
        }
    }

    /// True while its shell goes on without it.
    pub fn in_background(&self) -> bool {
        self.background.as_ref().is_some_and(|shell| !shell.ended)
    }
}

/// The runtime's own lines around a shell's output, which are for the model.
const RUNTIME_LINES: [&str; 3] = ["<shellId:", "<command ", "<exited with exit code"];

/// What a shell printed, without the runtime's own last line; and that line.
pub fn shell_output(text: &str) -> (&str, Option<&str>) {
    let text = text.trim_end();
    let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
    if last.ends_with('>') && RUNTIME_LINES.iter().any(|line| last.starts_with(line)) {
        (before, Some(last))
    } else {
        (text, None)
    }
}

/// The shell that went to the background, from the runtime's line about it.
pub fn sent_to_background(line: &str) -> Option<&str> {
    let id = shell_id(line.strip_prefix("<command ").filter(|rest| rest.contains("background"))?)?;
    (!id.is_empty()).then_some(id)
}

/// How a shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShellEnd {
    /// The exit code, if it was told.
    pub exit_code: Option<i64>,
}

/// A shell's end, if the runtime's line tells of one.
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

/// What merging a partial output did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merged {
    /// Nothing new in it.
    Unchanged,
    /// Text was added at the end.
    Appended,
}

/// A user-run shell keeps only the newest 80 KB and says so in a first line.
const DROPPED_NOTE: &str = "<output too long - dropped ";

/// Merges a `partialOutput` into what is there, whichever reading the runtime meant: the whole output so far
/// (the usual), a window on its end, or the next chunk. A longer text is never lost to a shorter one.
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

/// Bytes of the longest end of `output` that is also a beginning of `partial`. White space alone is no evidence:
/// two chunks may well end and begin with a line break.
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
