//! A diff in the parts in which it is shown: heads, notes and runs of lines.

use crate::i18n::words::cards;
use crate::text::diff::{Change, Diff, DiffLine, File, LineKind, Note};

/// Number of lines shown at first; each press of the button shows as many more.
pub const FOLD: usize = 400;

/// A unit of rendering, in order.
pub enum DiffPart {
    /// The head of a file.
    File {
        /// Its path and what happens to it.
        path: String,
        /// Number of lines added.
        added: usize,
        /// Number of lines removed.
        removed: usize,
    },
    /// What else changes of a file.
    Note(String),
    /// The heading of a changed part.
    Hunk(String),
    /// Lines that stay.
    Same(Vec<DiffLine>),
    /// Lines that go, and those that come in their place.
    Changed {
        /// The old lines.
        removed: Vec<DiffLine>,
        /// The new lines.
        added: Vec<DiffLine>,
        /// Whether line ends other than `\n` are shown.
        with_ends: bool,
    },
}

impl DiffPart {
    /// How many lines it has.
    pub fn lines(&self) -> usize {
        match self {
            Self::Same(lines) => lines.len(),
            Self::Changed { removed, added, .. } => removed.len() + added.len(),
            Self::File { .. } | Self::Note(_) | Self::Hunk(_) => 0,
        }
    }
}

/// The parts of a diff. Long runs are cut, so that a fold can fall within them.
pub fn parts(diff: &Diff) -> Vec<DiffPart> {
    let mut parts = Vec::new();
    let several = diff.files.len() > 1;
    for file in &diff.files {
        // A file of which no line changes has nothing else to say.
        if (several || file.hunks.is_empty())
            && let Some(path) = file_title(file)
        {
            let (added, removed) = file.counts();
            parts.push(DiffPart::File { path, added, removed });
        }
        let notes = file.notes();
        let with_ends = notes.iter().any(|note| matches!(note, Note::ToLf | Note::ToCrLf));
        parts.extend(notes.into_iter().map(|note| DiffPart::Note(note.words())));
        for (index, hunk) in file.hunks.iter().enumerate() {
            if index > 0 || !hunk.heading.is_empty() {
                parts.push(DiffPart::Hunk(hunk.heading.clone()));
            }
            let mut runs = hunk.lines.chunk_by(|a, b| a.kind == b.kind).peekable();
            while let Some(run) = runs.next() {
                let kind = run.first().map_or(LineKind::Context, |line| line.kind);
                let added = match kind {
                    LineKind::Removed => {
                        runs.next_if(|next| next.first().is_some_and(|line| line.kind == LineKind::Added))
                    }
                    _ => None,
                };
                let added = added.unwrap_or_default();
                // Cut into pieces of at most `FOLD` lines, so that a fold can fall within a long run.
                match kind {
                    LineKind::Context => {
                        parts.extend(run.chunks(FOLD).map(|lines| DiffPart::Same(lines.to_vec())));
                    }
                    LineKind::Added => parts.extend(changes(&[], run, with_ends)),
                    LineKind::Removed => parts.extend(changes(run, added, with_ends)),
                }
            }
        }
    }
    parts
}

fn changes(removed: &[DiffLine], added: &[DiffLine], with_ends: bool) -> Vec<DiffPart> {
    let part = |removed: &[DiffLine], added: &[DiffLine]| DiffPart::Changed {
        removed: removed.to_vec(),
        added: added.to_vec(),
        with_ends,
    };
    if removed.len() + added.len() <= FOLD {
        return vec![part(removed, added)];
    }
    let removed_parts = removed.chunks(FOLD).map(|lines| part(lines, &[]));
    removed_parts.chain(added.chunks(FOLD).map(|lines| part(&[], lines))).collect()
}

/// A file's path and what happens to it. `None` for an edit given as two texts: its card names the file.
pub fn file_title(file: &File) -> Option<String> {
    let path = match (file.change, &file.old_path, &file.new_path) {
        (Change::Renamed, Some(old), Some(new)) => format!("{old} → {new}"),
        _ => file.path()?.to_owned(),
    };
    let word = match (file.binary, file.change) {
        (true, _) => cards::BINARY,
        (false, Change::Added) => cards::NEW_FILE,
        (false, Change::Deleted) => cards::DELETED,
        (false, Change::Renamed | Change::Modified) => return Some(path),
    };
    Some(word.with(&[("path", (&path).into())]))
}
