//! Finds where emphasis next to Chinese, Japanese and Korean begins and ends. `CommonMark` looks for
//! spaces there, and these scripts have none.

/// White space that texts don't use. It is put next to a `*` so that the
/// parser sees whether that opens or closes.
pub(super) const SEAM: char = '\u{2028}';

/// Where seams have to be inserted, as bytes of the source.
pub(super) fn find(source: &str) -> Vec<(usize, char)> {
    let mut seams = Vec::new();
    if source.is_ascii() || !source.contains('*') || source.contains(SEAM) {
        return seams;
    }
    let mut open = 0;
    let mut at = 0;
    while let Some(c) = char_at(source, at) {
        let next = at + c.len_utf8();
        at = match c {
            '\\' => next + char_at(source, next).map_or(0, char::len_utf8),
            '`' => behind_code(source, at),
            '\n' if source.get(next..).is_some_and(begins_blank) => {
                open = 0;
                next
            }
            '*' => {
                let end = at + run(source, at, '*');
                let before = source.get(..at).and_then(|before| before.chars().next_back());
                let after = char_at(source, end);
                if let (Some(before), Some(after)) = (before, after)
                    && (is_cjk(before) || is_cjk(after))
                {
                    if open > 0 && is_mark(before) && after.is_alphanumeric() {
                        seams.push((end, SEAM));
                    } else if open == 0 && before.is_alphanumeric() && is_mark(after) {
                        seams.push((at, SEAM));
                    }
                }
                if open > 0 {
                    open = if before.is_none_or(char::is_whitespace) { open } else { 0 };
                } else if after.is_some_and(|after| !after.is_whitespace()) {
                    open = end - at;
                }
                end
            }
            _ => next,
        };
    }
    seams
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

fn is_cjk(c: char) -> bool {
    matches!(c,
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
            for (at, _) in find(text).into_iter().rev() {
                shown.insert(at, '¦');
            }
            shown
        };
        assert_eq!(shown("**強調（注）**です"), "**強調（注）**¦です");
        assert_eq!(shown("私は**「強調」**です"), "私は¦**「強調」**¦です");
        assert_eq!(shown("**注意：**use it"), "**注意：**¦use it");
        assert_eq!(shown("终。**强调**（注）"), "终。**强调**（注）");
        assert_eq!(shown("`**（x）**的` **粗**"), "`**（x）**的` **粗**");
        assert_eq!(shown("é **b)**c"), "é **b)**c");
    }
}
