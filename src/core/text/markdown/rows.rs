//! The bars in the rows of a table: which are borders of cells, and which are text.

use std::ops::Range;

use super::edits::{Edit, With};
use super::fences::list_marker;
use super::tex;

/// A `|` of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bar {
    pub(super) at: usize,
    /// False in code and in formulas.
    pub(super) border: bool,
}

/// The bars of a line that are not escaped, and not in a formula in brackets, which is one edit by itself. Code that is still open at the end goes on to there if `open`.
pub(super) fn bars(line: &str, open: bool) -> Vec<Bar> {
    let bytes = line.as_bytes();
    let mut bars = Vec::new();
    let mut at = 0;
    // The end of the code or formula that the current byte is in.
    let mut verbatim = 0;
    // From here on no run of backticks of this length is closed.
    let mut unclosed = Vec::new();
    while let Some(byte) = bytes.get(at) {
        match byte {
            // Everywhere in a table, also in code.
            b'\\' if at >= verbatim => match tex::read(line, at) {
                tex::Bracket::Formula { end, .. } => at = end - 1,
                tex::Bracket::Open if open => break,
                _ => at += 1,
            },
            b'\\' if bytes.get(at + 1) == Some(&b'|') => at += 1,
            b'|' => bars.push(Bar { at, border: at >= verbatim }),
            b'`' if at >= verbatim => {
                let ticks = run(bytes, at, b'`');
                let closing =
                    if unclosed.contains(&ticks) { None } else { closing_run(bytes, at + ticks, ticks) };
                match closing {
                    Some(end) => verbatim = end,
                    None if open => verbatim = bytes.len(),
                    None => unclosed.push(ticks),
                }
                at += ticks - 1;
            }
            b'$' if at >= verbatim => verbatim = formula_end(line, at).unwrap_or(verbatim),
            _ => {}
        }
        at += 1;
    }
    bars
}

fn run(bytes: &[u8], at: usize, mark: u8) -> usize {
    bytes.get(at..).map_or(0, |rest| rest.iter().take_while(|byte| **byte == mark).count())
}

fn closing_run(bytes: &[u8], mut at: usize, ticks: usize) -> Option<usize> {
    while at < bytes.len() {
        let length = run(bytes, at, b'`');
        if length == ticks {
            return Some(at + length);
        }
        at += length.max(1);
    }
    None
}

/// The end of a formula in dollars that stands within one cell but for its bars.
fn formula_end(line: &str, at: usize) -> Option<usize> {
    let dollars = run(line.as_bytes(), at, b'$').min(2);
    let from = at + dollars;
    let rest = line.get(from..)?;
    let length = rest.find(if dollars == 2 { "$$" } else { "$" })?;
    let tex = rest.get(..length)?;
    let end = from + length + dollars;
    let outside = [line.get(..at)?.chars().next_back(), line.get(end..)?.chars().next()];
    let touches = outside.iter().flatten().any(char::is_ascii_alphanumeric);
    (!touches && !tex.is_empty() && tex.trim() == tex && !tex.ends_with('|') && !tex.starts_with('|')
        || !touches && is_norm(tex))
    .then_some(end)
}

/// `|x|` in dollars is a formula, and `|` alone a border between two amounts of money.
fn is_norm(tex: &str) -> bool {
    tex.len() > 2 && tex.starts_with('|') && tex.ends_with('|') && !tex.contains(' ')
}

/// Where the last cell of a line begins that is still being written.
pub(super) fn last_cell(line: &str) -> usize {
    bars(line, true).iter().rev().find(|bar| bar.border).map_or(0, |bar| bar.at + 1)
}

/// A line of a table as its borders.
struct Row {
    bars: Vec<Bar>,
    /// The borders between two cells.
    borders: Vec<usize>,
    /// Where the text of the last cell ends.
    end: usize,
}

impl Row {
    /// Every bar that is not escaped is a border if `all`, as in GFM.
    fn read(line: &str, all: bool) -> Self {
        let lead = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
        let lead = lead + list_marker(line.get(lead..).unwrap_or_default());
        let text = line.get(lead..).unwrap_or_default().trim_end();
        let first = lead + (text.len() - text.trim_start().len());
        let mut end = lead + text.len();
        let bars = bars(line, false);
        let mut borders: Vec<usize> = bars.iter().filter(|bar| all || bar.border).map(|bar| bar.at).collect();
        if borders.first() == Some(&first) {
            borders.remove(0);
        }
        if borders.last().is_some_and(|last| last + 1 == end) {
            borders.pop();
            end -= 1;
        }
        Self { bars, borders, end }
    }

    fn columns(&self) -> usize {
        self.borders.len() + 1
    }
}

/// The number of columns of a delimiter row; `None` if the line is not one.
pub(super) fn columns(line: &str) -> Option<usize> {
    let text = line.trim_matches([' ', '\t', '>', '\r']);
    if !text.contains('|') || !text.contains('-') {
        return None;
    }
    let text = text.strip_prefix('|').unwrap_or(text);
    let text = text.strip_suffix('|').unwrap_or(text);
    let mut columns = 0;
    for cell in text.split('|') {
        let dashes = cell.trim();
        let dashes = dashes.strip_prefix(':').unwrap_or(dashes);
        let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
        if dashes.is_empty() || dashes.bytes().any(|byte| byte != b'-') {
            return None;
        }
        columns += 1;
    }
    Some(columns)
}

/// The edits for the tables in some lines that no blank line parts: bars in code and formulas are text, and so are those
/// behind the last column, whose cells go into the last one.
pub(super) fn find(source: &str, lines: &[Range<usize>], edits: &mut Vec<Edit>) {
    let text = |index: usize| lines.get(index).and_then(|range| source.get(range.clone()));
    let mut index = 1;
    while let Some((head, delimiters)) = text(index - 1).zip(text(index)) {
        let columns = columns(delimiters).filter(|_| head.contains('|'));
        index += 1;
        let Some(columns) = columns else { continue };
        let head_row = Row::read(head, false);
        let start = lines.get(index - 2).map_or(0, |range| range.start);
        if head_row.columns() == columns {
            edits.extend(head_row.bars.iter().filter(|bar| !bar.border).map(|bar| edit(start + bar.at)));
        } else if Row::read(head, true).columns() != columns {
            continue;
        }
        while let Some(line) = text(index) {
            let start = lines.get(index).map_or(0, |range| range.start);
            index += 1;
            let row = Row::read(line, false);
            edits.extend(row.bars.iter().filter(|bar| !bar.border).map(|bar| edit(start + bar.at)));
            let surplus = row.borders.get(columns.saturating_sub(1)..).unwrap_or_default();
            let words = surplus.first().and_then(|first| line.get(first + 1..row.end)).unwrap_or_default();
            if words.bytes().any(|byte| !matches!(byte, b'|' | b' ' | b'\t' | b'\r')) {
                edits.extend(surplus.iter().map(|at| edit(start + at)));
            }
        }
        index += 1;
    }
}

fn edit(at: usize) -> Edit {
    Edit::new(at..at + 1, With::Plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line with `¦` for each bar that is text.
    fn shown(lines: &str) -> String {
        let mut ranges = Vec::new();
        let mut from = 0;
        for line in lines.split_inclusive('\n') {
            ranges.push(from..from + line.trim_end_matches('\n').len());
            from += line.len();
        }
        let mut edits = Vec::new();
        find(lines, &ranges, &mut edits);
        let mut shown = lines.to_owned();
        edits.sort_by_key(|edit| edit.at.start);
        for edit in edits.into_iter().rev() {
            shown.replace_range(edit.at, "¦");
        }
        shown
    }

    #[test]
    fn bars_in_code_and_behind_the_last_column_are_text() {
        for (row, expected) in [
            ("| `x || y` | lost |", "| `x ¦¦ y` | lost |"),
            ("| 1 | 2 | lost too |", "| 1 | 2 ¦ lost too |"),
            ("1 | 2 | 3 | 4", "1 | 2 ¦ 3 ¦ 4"),
            ("| 1 | 2 |  |", "| 1 | 2 |  |"),
            ("| $|x|$ | 2 |", "| $¦x¦$ | 2 |"),
            ("| $5 | $6 |", "| $5 | $6 |"),
            ("|$5|$6|", "|$5|$6|"),
            ("| a \\| b | c |", "| a \\| b | c |"),
            ("| ``a ` | b`` | c |", "| ``a ` ¦ b`` | c |"),
            ("| ` | b |", "| ` | b |"),
            ("| \\(|x|\\) | c | d |", "| \\(|x|\\) | c ¦ d |"),
            ("| \\(a | b |", "| \\(a | b |"),
        ] {
            let head = "| a | b |\n|---|---|\n";
            assert_eq!(shown(&format!("{head}{row}")), format!("{head}{expected}"));
            let quoted = format!("> a | b\n> --|--\n> {row}");
            assert_eq!(shown(&quoted), format!("> a | b\n> --|--\n> {expected}"));
        }
        assert_eq!(shown("| `a|b` | c |\n|---|---|\n"), "| `a¦b` | c |\n|---|---|\n");
        assert_eq!(shown("`a|b`\nwords"), "`a|b`\nwords");
    }

    #[test]
    fn a_cell_that_is_written_goes_on_while_its_code_is_open() {
        for (line, cell) in
            [("| a | `x || y", " `x || y"), ("| **bo", " **bo"), ("| `a|b` | c", " c"), ("a", "a")]
        {
            assert_eq!(line.get(last_cell(line)..), Some(cell));
        }
    }
}
