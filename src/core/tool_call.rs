//! A tool call's life and facts, and how its partial output is merged. Refuses to know any tool by name.

use serde_json::Value;

use super::entry::EntryState;

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
    pub detailed: Option<String>,
    /// Blocks: text, terminal, image, audio, resource.
    pub contents: Vec<Value>,
    /// Exit code, for shells.
    pub exit_code: Option<i64>,
}

/// Why a call gave nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Failure {
    /// In words.
    pub message: String,
    /// The runtime's code: `rejected`, `denied`, `failure`, …
    pub code: Option<String>,
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
    pub arguments: Option<Value>,
    /// The arguments as far as they were written.
    pub written: String,
    /// Why the model calls it, in its words.
    pub intention: Option<String>,
    /// MCP server and the tool's name there.
    pub mcp: Option<(String, String)>,
    /// Output while it runs, merged.
    pub output: String,
    /// Output that came after the result: a shell that went on in the background.
    pub later_output: String,
    /// The last progress message.
    pub progress: Option<String>,
    /// The person asked for it, not the model.
    pub by_user: bool,
    /// Model that asked for it.
    pub model: Option<String>,
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
            output: String::new(),
            later_output: String::new(),
            progress: None,
            by_user: false,
            model: None,
        }
    }

    /// The entry's state.
    pub fn state(&self) -> EntryState {
        match self.life {
            Life::Writing => EntryState::Streaming,
            Life::Requested => EntryState::Pending,
            Life::Running => EntryState::Running,
            Life::Succeeded(_) => EntryState::Done,
            Life::Failed(_) => EntryState::Failed,
            Life::Denied(_) => EntryState::Denied,
            Life::Interrupted => EntryState::Interrupted,
        }
    }

    /// True once nothing more is expected of it.
    pub fn ended(&self) -> bool {
        !matches!(self.life, Life::Writing | Life::Requested | Life::Running)
    }

    /// A text argument.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.as_ref()?.get(name)?.as_str()
    }

    /// How long it took or takes is between these two event times, in milliseconds.
    pub fn exit_code(&self) -> Option<i64> {
        match &self.life {
            Life::Succeeded(outcome) => outcome.exit_code,
            _ => None,
        }
    }
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
    let fresh = match partial.strip_prefix(output.as_str()) {
        Some(rest) => rest,
        None => partial.get(overlap(output, partial)..).unwrap_or(partial),
    };
    if fresh.is_empty() {
        return Merged::Unchanged;
    }
    output.push_str(fresh);
    Merged::Appended
}

/// Bytes of the longest end of `output` that is also a beginning of `partial`. White space alone is no evidence:
/// two chunks may well end and begin with a line break.
fn overlap(output: &str, partial: &str) -> usize {
    let pattern = partial.as_bytes();
    let tail_start = output.len().saturating_sub(pattern.len());
    let tail = output.as_bytes().get(tail_start..).unwrap_or_default();
    let failure = failure_table(pattern);
    let mut matched = 0;
    for (position, byte) in tail.iter().enumerate() {
        while matched > 0 && pattern.get(matched) != Some(byte) {
            matched = failure.get(matched - 1).copied().unwrap_or(0);
        }
        if pattern.get(matched) == Some(byte) {
            matched += 1;
        }
        if matched == pattern.len() && position + 1 < tail.len() {
            matched = failure.get(matched - 1).copied().unwrap_or(0);
        }
    }
    let evidence = partial.get(..matched).is_some_and(|text| text.trim().len() >= 2);
    if evidence { matched } else { 0 }
}

/// The Knuth–Morris–Pratt table: for every prefix, the length of its longest proper border.
fn failure_table(pattern: &[u8]) -> Vec<usize> {
    let mut table = vec![0; pattern.len()];
    let mut length = 0;
    for position in 1..pattern.len() {
        while length > 0 && pattern.get(length) != pattern.get(position) {
            length = table.get(length - 1).copied().unwrap_or(0);
        }
        if pattern.get(length) == pattern.get(position) {
            length += 1;
        }
        if let Some(slot) = table.get_mut(position) {
            *slot = length;
        }
    }
    table
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
