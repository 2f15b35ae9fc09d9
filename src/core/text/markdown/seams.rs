//! Finds delimiters next to Chinese, Japanese, Korean and the scripts of South-East Asia that open or close. `CommonMark` looks for spaces there, and
//! these scripts have none.

use super::edits::{Edit, With};

/// A run of delimiters that is open.
struct Open {
    mark: char,
    count: usize,
}

/// What is open at most. More is noise.
const MOST_OPEN: usize = 32;

/// Where a blank helps the parser. Nothing is found in a source without these scripts.
pub(super) fn find(source: &str) -> Vec<Edit> {
    let mut seams = Vec::new();
    if source.is_ascii() || !source.contains(['*', '_', '~']) {
        return seams;
    }
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while let Some(c) = char_at(source, at) {
        let next = at + c.len_utf8();
        at = match c {
            '\\' => next + char_at(source, next).map_or(0, char::len_utf8),
            '`' => behind_code(source, at),
            '\n' if source.get(next..).is_some_and(begins_blank) => {
                open.clear();
                next
            }
            '*' | '_' | '~' => {
                let end = at + run(source, at, c);
                let before = source.get(..at).and_then(|before| before.chars().next_back());
                let with =
                    side(&mut open, Run { mark: c, count: end - at, before, after: char_at(source, end) });
                match with {
                    Some(With::BlankBefore) => seams.push(Edit::new(at..at, With::BlankBefore)),
                    Some(with) => seams.push(Edit::new(end..end, with)),
                    None => {}
                }
                end
            }
            _ => next,
        };
    }
    seams
}

#[derive(Clone, Copy)]
struct Run {
    mark: char,
    count: usize,
    before: Option<char>,
    after: Option<char>,
}

/// Opens or closes with a run, and says on which side of it the parser needs a blank for that.
fn side(open: &mut Vec<Open>, run: Run) -> Option<With> {
    let Run { mark, count, before, after } = run;
    let unspaced = before.is_some_and(is_unspaced) || after.is_some_and(is_unspaced);
    let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let alphanumeric = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (marks_before, marks_after) = (before.is_some_and(is_mark), after.is_some_and(is_mark));
    // As in CommonMark: a run faces what it is not separated from.
    let faces_after = !blank(after) && (!marks_after || blank(before) || marks_before);
    let faces_before = !blank(before) && (!marks_before || blank(after) || marks_after);
    let within_word = mark != '*' && alphanumeric(before) && alphanumeric(after);
    // `）*5` goes on with a product, `）**5` after words.
    let product = count == 1 && after.is_some_and(|c| c.is_ascii_alphanumeric());
    let seam = unspaced && !faces_before && marks_before && alphanumeric(after) && !product;
    let closed = if faces_before { closed_by(open, mark) } else { closed_exactly(open, mark, count) };
    if let Some(index) = closed.filter(|_| !within_word && (faces_before || seam)) {
        close(open, index, count);
        return seam.then_some(With::BlankBehind);
    }
    if blank(after) || within_word || open.len() >= MOST_OPEN {
        return None;
    }
    let digit = before.is_some_and(|c| c.is_ascii_digit());
    let letter = before.is_some_and(|c| c.is_ascii_alphabetic());
    let seam = unspaced && !faces_after && marks_after && alphanumeric(before);
    if seam && (digit || count == 1 && letter || count == 1 && mark != '*') {
        return None;
    }
    // A single mark behind a digit or a letter multiplies or raises, whatever stands behind it.
    if faces_after && count == 1 && (digit || letter) {
        return None;
    }
    if faces_after || seam {
        open.push(Open { mark, count });
    }
    seam.then_some(With::BlankBefore)
}

/// The last run of this mark.
fn closed_by(open: &[Open], mark: char) -> Option<usize> {
    open.iter().rposition(|open| open.mark == mark)
}

/// The runs that so many marks close together; the first of them.
fn closed_exactly(open: &[Open], mark: char, count: usize) -> Option<usize> {
    let mut sum = 0;
    for (index, run) in open.iter().enumerate().rev().filter(|(_, run)| run.mark == mark) {
        sum += run.count;
        if sum == count || sum == 3 && count < 3 {
            return Some(index);
        }
    }
    None
}

fn close(open: &mut Vec<Open>, index: usize, count: usize) {
    open.truncate(index + 1);
    match open.last_mut() {
        Some(last) if last.count > count => last.count -= count,
        _ => drop(open.pop()),
    }
}

fn char_at(source: &str, at: usize) -> Option<char> {
    source.get(at..)?.chars().next()
}

fn run(source: &str, at: usize, mark: char) -> usize {
    source.get(at..).map_or(0, |rest| rest.len() - rest.trim_start_matches(mark).len())
}

fn begins_blank(rest: &str) -> bool {
    rest.split('\n').next().is_some_and(|line| line.trim().is_empty())
}

/// The end of the code that begins here, or of its backticks if it is not closed.
fn behind_code(source: &str, at: usize) -> usize {
    let ticks = run(source, at, '`');
    let mut from = at + ticks;
    while let Some(found) = source.get(from..).and_then(|rest| rest.find('`')) {
        let length = run(source, from + found, '`');
        from += found + length;
        if length == ticks {
            return from;
        }
    }
    at + ticks
}

fn is_mark(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace()
}

fn is_unspaced(c: char) -> bool {
    matches!(c,
        // Thai, Lao, Tibetan, Burmese, Khmer
        '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' |
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{303f}' | '\u{3040}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_faces_no_blank_gets_a_seam() {
        let shown = |text: &str| {
            let mut shown = text.to_owned();
            for edit in find(text).into_iter().rev() {
                shown.insert(edit.at.start, '¦');
            }
            shown
        };
        for expected in [
            "**強調（注）**¦です",
            "私は¦**「強調」**¦です",
            "**注意：**¦use it",
            "**合计（元）**¦100",
            "终。**强调**（注）",
            "`**（x）**的` **粗**",
            "é **b)**c",
            "~~旧（5）。~~¦新",
            "旧¦~~「五」~~¦新",
            "__強調（注）__¦です",
            "_強調（注）_¦です",
            "**外（*内（注）*¦的）**¦的",
            "***全（部）***¦的",
            "**全 *部（分）***¦的",
            "3*4（米）*5",
            "ไทย¦**“เน้น”**¦ต่อ",
            "长3*（4）*5",
            "2**（3）**4",
            "报告_（终稿）_新版",
            "约3~（5）~米",
        ] {
            assert_eq!(shown(&expected.replace('¦', "")), expected);
        }
    }
}
