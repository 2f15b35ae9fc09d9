//! Says in words what a change of a file does that its lines don't show: other line ends, a byte order mark, the
//! last line break, white space.

use similar::DiffOp;

use super::{Change, DiffLine, File, LineEnd, LineKind, compare};
use crate::i18n::words::cards;

/// The sign for the order of bytes at the start of a file, which nobody sees.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// A change that nobody sees in the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The file's mode changes, in octal.
    Mode {
        /// The old one.
        from: u32,
        /// The new one.
        to: u32,
    },
    /// Lines that end with CR alone will end with LF.
    FromCr,
    /// Lines that end with LF will end with CR alone.
    ToCr,
    /// Lines that end with CR LF will end with LF.
    ToLf,
    /// Lines that end with LF will end with CR LF.
    ToCrLf,
    /// A byte order mark is added.
    MarkAdded,
    /// A byte order mark is removed.
    MarkRemoved,
    /// The last line gets a line break.
    BreakAdded,
    /// The last line loses its line break.
    BreakRemoved,
    /// Some lines differ in white space only.
    WhiteSpace,
    /// The change does nothing but what the other notes say.
    NothingElse,
}

impl Note {
    /// The note in the reader's language.
    pub fn words(self) -> String {
        let ends = |from: &str, to: &str| cards::LINE_ENDS.with(&[("from", from.into()), ("to", to.into())]);
        let words = match self {
            Self::Mode { from, to } => {
                let [from, to] = [from, to].map(|mode| format!("{mode:o}"));
                return cards::MODE.with(&[("from", (&from).into()), ("to", (&to).into())]);
            }
            Self::FromCr => return ends("CR", "LF"),
            Self::ToCr => return ends("LF", "CR"),
            Self::ToLf => return ends("CRLF", "LF"),
            Self::ToCrLf => return ends("LF", "CRLF"),
            Self::MarkAdded => cards::MARK_ADDED,
            Self::MarkRemoved => cards::MARK_REMOVED,
            Self::BreakAdded => cards::BREAK_ADDED,
            Self::BreakRemoved => cards::BREAK_REMOVED,
            Self::WhiteSpace => cards::WHITE_SPACE,
            Self::NothingElse => cards::NOTHING_ELSE,
        };
        words.text().to_owned()
    }
}

impl File {
    /// What the change does that its lines don't show; empty for most.
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut add = |note: Note| {
            if !notes.contains(&note) {
                notes.push(note);
            }
        };
        if let Some((from, to)) = self.mode.filter(|(from, to)| from != to) {
            add(Note::Mode { from, to });
        }
        let (mut is_all, mut is_spaced) = (self.change == Change::Modified && !self.binary, false);
        for hunk in &self.hunks {
            for run in
                hunk.lines.chunk_by(|a, b| (a.kind == LineKind::Context) == (b.kind == LineKind::Context))
            {
                let of = |kind: LineKind| run.iter().filter(|line| line.kind == kind).collect::<Vec<_>>();
                let (old, new) = (of(LineKind::Removed), of(LineKind::Added));
                if let Some(note) = carriage_returns(&old, &new) {
                    add(note);
                    continue;
                }
                let paired = pairs(&old, &new);
                is_all &= paired.len() == old.len() && paired.len() == new.len();
                for (old, new) in paired {
                    match (old.text.starts_with(BYTE_ORDER_MARK), new.text.starts_with(BYTE_ORDER_MARK)) {
                        (true, false) => add(Note::MarkRemoved),
                        (false, true) => add(Note::MarkAdded),
                        _ => {}
                    }
                    match (old.end, new.end) {
                        (LineEnd::CrLf, LineEnd::Lf) => add(Note::ToLf),
                        (LineEnd::Lf, LineEnd::CrLf) => add(Note::ToCrLf),
                        (LineEnd::Missing | LineEnd::Open, LineEnd::Lf | LineEnd::CrLf) => {
                            add(Note::BreakAdded);
                        }
                        (LineEnd::Lf | LineEnd::CrLf, LineEnd::Missing | LineEnd::Open) => {
                            add(Note::BreakRemoved);
                        }
                        _ => {}
                    }
                    is_spaced |= without_byte_order_mark(old) != without_byte_order_mark(new);
                }
            }
        }
        // A new line may end as no line of the file did before.
        let ends = |is_new: bool, end: LineEnd| {
            let mut lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
            lines.any(|line| (line.kind == LineKind::Added) == is_new && line.end == end)
        };
        match (ends(false, LineEnd::Lf), ends(false, LineEnd::CrLf)) {
            (true, false) if ends(true, LineEnd::CrLf) => add(Note::ToCrLf),
            (false, true) if ends(true, LineEnd::Lf) => add(Note::ToLf),
            _ => {}
        }
        if is_spaced {
            add(Note::WhiteSpace);
        }
        if is_all && !notes.is_empty() {
            notes.push(Note::NothingElse);
        }
        notes
    }
}

/// A line's text without a byte order mark.
fn without_byte_order_mark(line: &DiffLine) -> &str {
    line.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line.text)
}

/// The note, if lines differ only in that some end with a carriage return alone.
fn carriage_returns(old: &[&DiffLine], new: &[&DiffLine]) -> Option<Note> {
    let [before, after] = [old, new].map(|lines| {
        let parts = lines.iter().flat_map(|line| line.text.split('\r'));
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>()
    });
    let is_same = old.len() != new.len() && !before.is_empty() && before == after;
    is_same.then_some(if old.len() < new.len() { Note::FromCr } else { Note::ToCr })
}

/// The removed and added lines that are the same to a reader, in order.
fn pairs<'a>(old: &[&'a DiffLine], new: &[&'a DiffLine]) -> Vec<(&'a DiffLine, &'a DiffLine)> {
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let seen = |lines: &[&DiffLine]| -> Vec<String> {
        let visible =
            |line: &&DiffLine| without_byte_order_mark(line).chars().filter(|c| !c.is_whitespace()).collect();
        lines.iter().map(visible).collect()
    };
    let (before, after) = (seen(old), seen(new));
    let [before, after] = [&before, &after].map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
    let equal = compare(&before, &after).into_iter().filter_map(|op| match op {
        DiffOp::Equal { old_index, new_index, len } => Some((old_index, new_index, len)),
        _ => None,
    });
    equal
        .flat_map(|(from, to, len)| old.iter().skip(from).take(len).zip(new.iter().skip(to)))
        .map(|(old, new)| (*old, *new))
        .collect()
}
