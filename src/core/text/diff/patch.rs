//! Reads `apply_patch` texts, a format without line numbers.

use super::{Change, Diff, DiffLine, File, Hunk, LineEnd, LineKind, split_end};

const HEADERS: [(&str, Change); 3] = [
    ("*** Update File: ", Change::Modified),
    ("*** Add File: ", Change::Added),
    ("*** Delete File: ", Change::Deleted),
];

/// Checks for whole header lines, because context diffs begin with `*** ` too.
pub(super) fn looks_like(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    first.starts_with("*** Begin Patch") || HEADERS.iter().any(|(prefix, _)| first.starts_with(prefix))
}

pub(super) fn parse(text: &str) -> Diff {
    let mut files: Vec<File> = Vec::new();
    // In a patch whose own lines end with CR LF, those of the file do as well or not: nobody can tell.
    let own_ends =
        text.trim_start().split_inclusive('\n').next().is_some_and(|first| first.ends_with("\r\n"));
    for (line, end) in text.split_inclusive('\n').map(split_end) {
        if let Some((path, change)) = header(line) {
            let path = Some(path.to_owned());
            files.push(match change {
                Change::Added => File { new_path: path, change, ..File::default() },
                Change::Deleted => File { old_path: path, change, ..File::default() },
                Change::Modified | Change::Renamed => {
                    File { old_path: path.clone(), new_path: path, change, ..File::default() }
                }
            });
            continue;
        }
        let Some(file) = files.last_mut() else {
            continue;
        };
        if let Some(path) = line.strip_prefix("*** Move to: ") {
            (file.change, file.new_path) = (Change::Renamed, Some(path.trim().to_owned()));
        } else if let Some(heading) = line.strip_prefix("@@") {
            file.hunks.push(Hunk { heading: heading.trim().to_owned(), lines: Vec::new() });
        } else if !line.starts_with("*** ") {
            take(file, line, if own_ends || end == LineEnd::Missing { LineEnd::Lf } else { end });
        }
    }
    for file in &mut files {
        file.hunks.retain(|hunk| !hunk.lines.is_empty());
    }
    Diff { files }
}

fn header(line: &str) -> Option<(&str, Change)> {
    HEADERS.iter().find_map(|(prefix, change)| Some((line.strip_prefix(prefix)?.trim(), *change)))
}

fn take(file: &mut File, line: &str, end: LineEnd) {
    let (kind, text) = match line.split_at_checked(1) {
        Some(("+", text)) => (LineKind::Added, text),
        Some(("-", text)) => (LineKind::Removed, text),
        Some((" ", text)) => (LineKind::Context, text),
        // Models sometimes forget the space before a context line.
        _ => (LineKind::Context, line),
    };
    if file.hunks.is_empty() {
        file.hunks.push(Hunk::default());
    }
    if let Some(hunk) = file.hunks.last_mut() {
        hunk.lines.push(DiffLine { kind, old: None, new: None, text: text.to_owned(), end });
    }
}
