//! Reads unified and git diffs, also ones that are cut off. Text
//! without a hunk or a git header gives no files.

use super::{Change, Diff, DiffLine, File, Hunk, LineEnd, LineKind, split_end};

pub(super) fn parse(text: &str) -> Diff {
    let mut reader = UnifiedReader::default();
    let mut lines = text.split_inclusive('\n').map(split_end).peekable();
    while let Some((line, end)) = lines.next() {
        reader.take(line, end, lines.peek().map(|(line, _)| *line));
    }
    reader.finish()
}

#[derive(Default)]
struct UnifiedReader {
    diff: Diff,
    file: Option<File>,
    /// Lines that the hunk still has on the old and the new side; `None`
    /// outside of hunks, `u32::MAX` if unknown.
    left: Option<(u32, u32)>,
    old: Option<u32>,
    new: Option<u32>,
    /// Its headers end with CR LF: these line ends are the diff's own, not the file's.
    own_ends: bool,
}

impl UnifiedReader {
    fn take(&mut self, line: &str, end: LineEnd, next: Option<&str>) {
        if line.starts_with("diff --git ") {
            return self.git_header(line);
        }
        if line.starts_with("@@") && (self.file.is_some() || range(line).is_some()) {
            self.own_ends = end == LineEnd::CrLf;
            return self.hunk_header(line);
        }
        if self.in_hunk(line, end, next) {
            return;
        }
        self.left = None;
        self.header(line);
    }

    /// Takes a line of a hunk; `false` if the line is not part of one.
    fn in_hunk(&mut self, line: &str, end: LineEnd, next: Option<&str>) -> bool {
        let Some((old_left, new_left)) = self.left else {
            return false;
        };
        if line.starts_with('\\') {
            if let Some(last) = self.last_line() {
                last.end = LineEnd::Missing;
            }
            return true;
        }
        // The counts decide: `--- x` within a hunk is the removed line `-- x`. If the old side is used up or
        // has no count, a header pair ends the hunk.
        let spent = old_left == 0 && new_left == 0;
        let header = line.starts_with("--- ") && next.is_some_and(|next| next.starts_with("+++ "));
        if spent || (header && (old_left == u32::MAX || old_left == 0)) {
            return false;
        }
        let (kind, text) = match line.split_at_checked(1) {
            Some(("+", text)) => (LineKind::Added, text),
            Some(("-", text)) => (LineKind::Removed, text),
            Some((" ", text)) => (LineKind::Context, text),
            // Editors strip the space of an empty context line.
            None => (LineKind::Context, ""),
            Some(_) => return false,
        };
        self.push(kind, text, if end == LineEnd::CrLf && !self.own_ends { end } else { LineEnd::Lf });
        let after = |left: u32, counts: bool| {
            if counts && left != u32::MAX { left.saturating_sub(1) } else { left }
        };
        self.left =
            Some((after(old_left, kind != LineKind::Added), after(new_left, kind != LineKind::Removed)));
        true
    }

    fn push(&mut self, kind: LineKind, text: &str, end: LineEnd) {
        let old = if kind == LineKind::Added { None } else { self.old };
        let new = if kind == LineKind::Removed { None } else { self.new };
        if old.is_some() {
            self.old = self.old.map(|number| number.saturating_add(1));
        }
        if new.is_some() {
            self.new = self.new.map(|number| number.saturating_add(1));
        }
        let text = text.to_owned();
        if let Some(hunk) = self.file.as_mut().and_then(|file| file.hunks.last_mut()) {
            hunk.lines.push(DiffLine { kind, old, new, text, end });
        }
    }

    fn last_line(&mut self) -> Option<&mut DiffLine> {
        self.file.as_mut()?.hunks.last_mut()?.lines.last_mut()
    }

    fn hunk_header(&mut self, line: &str) {
        let file = self.file.get_or_insert_default();
        let heading =
            line.get(2..).and_then(|rest| rest.split_once("@@")).map_or("", |(_, heading)| heading.trim());
        file.hunks.push(Hunk { heading: heading.to_owned(), lines: Vec::new() });
        if let Some([(old, old_count), (new, new_count)]) = range(line) {
            (self.old, self.new) = (Some(old), Some(new));
            self.left = Some((old_count, new_count));
        } else {
            (self.old, self.new) = (None, None);
            self.left = Some((u32::MAX, u32::MAX));
        }
    }

    fn git_header(&mut self, line: &str) {
        self.flush();
        self.left = None;
        let paths = line.strip_prefix("diff --git ").unwrap_or_default();
        // With spaces in P, only `a/P b/P` can be split reliably; `---`,
        // `+++` and `rename` lines are more precise.
        let middle = paths.len() / 2;
        let (old, new) = match (paths.get(..middle), paths.get(middle + 1..)) {
            (Some(old), Some(new)) if old.get(1..) == new.get(1..) => (old, new),
            _ => paths
                .split_once(" b/")
                .map_or((paths, ""), |(old, _)| (old, paths.get(old.len() + 1..).unwrap_or_default())),
        };
        self.file = Some(File { old_path: path(old), new_path: path(new), ..File::default() });
    }

    fn header(&mut self, line: &str) {
        if let Some(old) = line.strip_prefix("--- ") {
            // Without a git header, a file begins here.
            if self.file.as_ref().is_some_and(|file| !file.hunks.is_empty()) {
                self.flush();
            }
            let file = self.file.get_or_insert_default();
            file.old_path = path(old);
            if file.old_path.is_none() {
                file.change = Change::Added;
            }
            return;
        }
        let Some(file) = self.file.as_mut() else {
            return;
        };
        if let Some(new) = line.strip_prefix("+++ ") {
            file.new_path = path(new);
            if file.new_path.is_none() {
                file.change = Change::Deleted;
            }
        } else if line.starts_with("new file mode") || line.starts_with("create file mode") {
            (file.change, file.old_path) = (Change::Added, None);
        } else if line.starts_with("deleted file mode") || line.starts_with("delete file mode") {
            (file.change, file.new_path) = (Change::Deleted, None);
        } else if let Some(old) = line.strip_prefix("old mode ") {
            file.mode = octal(old).map(|old| (old, old));
        } else if let Some(new) = line.strip_prefix("new mode ") {
            file.mode = file.mode.and_then(|(old, _)| Some((old, octal(new)?)));
        } else if let Some(new) = line.strip_prefix("copy to ") {
            (file.change, file.old_path, file.new_path) = (Change::Added, None, Some(unquote(new)));
        } else if let Some(old) = line.strip_prefix("rename from ") {
            (file.change, file.old_path) = (Change::Renamed, Some(unquote(old)));
        } else if let Some(new) = line.strip_prefix("rename to ") {
            (file.change, file.new_path) = (Change::Renamed, Some(unquote(new)));
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            file.binary = true;
        }
    }

    fn flush(&mut self) {
        self.diff
            .files
            .extend(self.file.take().filter(|file| file.path().is_some() || !file.hunks.is_empty()));
    }

    fn finish(mut self) -> Diff {
        self.flush();
        self.diff
    }
}

fn octal(mode: &str) -> Option<u32> {
    u32::from_str_radix(mode.trim(), 8).ok()
}

/// Reads `@@ -1,2 +3,4 @@` as start and count of both sides.
fn range(line: &str) -> Option<[(u32, u32); 2]> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let side = |word: &str, sign: char| {
        let word = word.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some([side(words.next()?, '-')?, side(words.next()?, '+')?])
}

/// The path of a header line without its prefix and time; `None` for `/dev/null`.
fn path(raw: &str) -> Option<String> {
    let raw = raw.split('\t').next().unwrap_or(raw).trim_end();
    let path = unquote(raw);
    // The runtime writes `a/dev/null`.
    if matches!(path.as_str(), "/dev/null" | "a/dev/null" | "b/dev/null" | "") {
        return None;
    }
    let bare = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).map(str::to_owned);
    Some(bare.unwrap_or(path))
}

/// Removes the quotes and escapes that git puts around unusual paths:
/// as in C, with the bytes of UTF-8 in octal.
fn unquote(raw: &str) -> String {
    let Some(inner) = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) else {
        return raw.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(digit) = rest.next_if(|digit| matches!(digit, b'0'..=b'7')) else {
                        break;
                    };
                    value = value * 8 + u32::from(digit - b'0');
                }
                bytes.push((value & 0xFF) as u8);
            }
            Some(other) => bytes.push(other),
            None => bytes.push(b'\\'),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
