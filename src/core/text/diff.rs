//! Changes to files as lines, read from any of the formats in which they arrive or computed from two texts.

mod notes;
mod patch;
mod unified;
mod words;

pub use notes::Note;
pub use words::changed_words;

use similar::algorithms::{Capture, Replace, myers};
use similar::{ChangeTag, DiffOp};

/// Lines of context around a change that is computed here.
const CONTEXT: usize = 3;
/// With more pairs of lines than this the comparison could take seconds, so all old lines are shown before
/// all new ones.
const MAX_PAIRS: usize = 16_000_000;

/// A change of any number of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The files in the order of the source.
    pub files: Vec<File>,
}

/// What happens to a file as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// Its content changes.
    #[default]
    Modified,
    /// It is created.
    Added,
    /// It is deleted.
    Deleted,
    /// It gets another path, perhaps with changes.
    Renamed,
}

/// The change of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its old path, if it had one and it is known.
    pub old_path: Option<String>,
    /// Its new path.
    pub new_path: Option<String>,
    /// What happens to it as a whole.
    pub change: Change,
    /// Its old and its new mode, as git writes them in octal, if that changes.
    pub mode: Option<(u32, u32)>,
    /// Its content is not text and is not shown.
    pub binary: bool,
    /// The changed parts.
    pub hunks: Vec<Hunk>,
}

/// A changed part with the lines around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The text after the second `@@`, usually the function.
    pub heading: String,
    /// The lines in order.
    pub lines: Vec<DiffLine>,
}

/// Which side a line is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// Only in the old text.
    Removed,
    /// Only in the new text.
    Added,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// Which side it is on.
    pub kind: LineKind,
    /// Its number in the old text, counted from 1; `None` if it is not there or not known.
    pub old: Option<u32>,
    /// Its number in the new text, likewise.
    pub new: Option<u32>,
    /// Its text without the end of line.
    pub text: String,
    /// How it ends.
    pub end: LineEnd,
}

/// How a line ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineEnd {
    /// With a line feed.
    #[default]
    Lf,
    /// With a carriage return and a line feed.
    CrLf,
    /// Not at all: it is the last one of its file.
    Missing,
    /// Not at all: the text of an edit ends here, and the other one ends with a line.
    Open,
}

impl Diff {
    /// Numbers of added and removed lines of all files.
    pub fn counts(&self) -> (usize, usize) {
        self.files.iter().map(File::counts).fold((0, 0), |sum, file| (sum.0 + file.0, sum.1 + file.1))
    }

    /// True if no file changes.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl File {
    /// Numbers of added and removed lines.
    pub fn counts(&self) -> (usize, usize) {
        let count =
            |kind| self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count();
        (count(LineKind::Added), count(LineKind::Removed))
    }

    /// The path to show: the new one, or the old one of a deleted file.
    pub fn path(&self) -> Option<&str> {
        self.new_path.as_deref().or(self.old_path.as_deref())
    }
}

/// Reads a unified diff, a git diff or an `apply_patch` text, even if it was truncated. Any other text gives
/// no files.
pub fn parse(text: &str) -> Diff {
    if text.trim_start().starts_with("*** ") && patch::looks_like(text) {
        patch::parse(text)
    } else {
        unified::parse(text)
    }
}

/// Compares two texts, for example `old_str` and `new_str` of an edit. Line numbers count from the start of
/// each text.
pub fn between(old: &str, new: &str) -> Diff {
    let (before, after) = (lines(old), lines(new));
    if before == after {
        return Diff::default();
    }
    let hunks = similar::group_diff_ops(compare(&before, &after), CONTEXT);
    let hunks = hunks.iter().map(|ops| hunk(ops, &before, &after)).collect();
    let change = match (old.is_empty(), new.is_empty()) {
        (true, false) => Change::Added,
        _ => Change::Modified,
    };
    Diff { files: vec![File { change, hunks, ..File::default() }] }
}

/// The lines with their line breaks, so that a last line with a newline differs from one without.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A line without its end, and that.
fn split_end(line: &str) -> (&str, LineEnd) {
    match line.strip_suffix('\n') {
        None => (line, LineEnd::Missing),
        Some(text) => match text.strip_suffix('\r') {
            None => (text, LineEnd::Lf),
            Some(text) => (text, LineEnd::CrLf),
        },
    }
}

fn compare(before: &[&str], after: &[&str]) -> Vec<DiffOp> {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - same;
    let tail = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (old_len, new_len) = (before.len() - same - tail, after.len() - same - tail);
    if old_len.saturating_mul(new_len) <= MAX_PAIRS {
        // Calling `myers` directly keeps the crate's other algorithms out of the binary;
        // `capture_diff_slices` links them all.
        let mut ops = Replace::new(Capture::new());
        let Ok(()) = myers::diff(&mut ops, before, 0..before.len(), after, 0..after.len());
        return ops.into_inner().into_ops();
    }
    let mut ops = Vec::new();
    if same > 0 {
        ops.push(DiffOp::Equal { old_index: 0, new_index: 0, len: same });
    }
    ops.push(DiffOp::Replace { old_index: same, old_len, new_index: same, new_len });
    if tail > 0 {
        ops.push(DiffOp::Equal { old_index: same + old_len, new_index: same + new_len, len: tail });
    }
    ops
}

fn hunk(ops: &[DiffOp], before: &[&str], after: &[&str]) -> Hunk {
    let number = |index: Option<usize>| index.and_then(|index| u32::try_from(index + 1).ok());
    let ends = |lines: &[&str]| lines.last().is_none_or(|line| line.ends_with('\n'));
    let ends_differ = ends(before) != ends(after);
    let changes = ops.iter().flat_map(|op| op.iter_changes(before, after));
    let lines = changes.map(|change| {
        let (text, end) = match split_end(change.value()) {
            // Parts of a file need not end with a line, and where both sides don't, nothing changes.
            (text, LineEnd::Missing) => (text, if ends_differ { LineEnd::Open } else { LineEnd::Lf }),
            ended => ended,
        };
        DiffLine {
            kind: match change.tag() {
                ChangeTag::Equal => LineKind::Context,
                ChangeTag::Delete => LineKind::Removed,
                ChangeTag::Insert => LineKind::Added,
            },
            old: number(change.old_index()),
            new: number(change.new_index()),
            text: text.to_owned(),
            end,
        }
    });
    Hunk { heading: String::new(), lines: lines.collect() }
}

#[cfg(test)]
#[path = "diff/tests.rs"]
mod tests;
