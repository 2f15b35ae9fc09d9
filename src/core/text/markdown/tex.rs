//! Formulas in `\(…\)` and `\[…\]`, which models write, and which `CommonMark` reads as escaped brackets.

use std::ops::Range;

/// The longest formula, in bytes. A bracket that is open for longer is text.
const LONGEST: usize = 4 * 1024;
/// So many words without any sign of TeX are prose.
const PROSE: usize = 3;

/// What begins at an escaped bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    /// A formula, up to this byte.
    Formula { end: usize, display: bool },
    /// Its end is not there yet.
    Open,
    /// Escaped brackets and words.
    Text,
}

/// Reads at byte `at` of a text without blank lines, where a backslash is. The text ends with the paragraph.
pub(super) fn read(text: &str, at: usize) -> Bracket {
    let rest = text.get(at..).unwrap_or_default();
    let (close, display) = match rest.as_bytes().get(1) {
        Some(b'(') => (b')', false),
        Some(b'[') => (b']', true),
        _ => return Bracket::Text,
    };
    let bytes = rest.as_bytes();
    let mut place = 2;
    while let Some(byte) = bytes.get(place).filter(|_| place < LONGEST) {
        if *byte != b'\\' {
            place += 1;
            continue;
        }
        if bytes.get(place + 1) == Some(&close) {
            let end = place + 2;
            let alone = display && stands_alone(text, &(at..at + end));
            let tex = rest.get(2..place).unwrap_or_default();
            let link = display && matches!(bytes.get(end), Some(b'(' | b'['));
            let glued = !has_signs(tex) && is_glued(text, at);
            return if is_formula(tex, display, alone) && !link && !glued {
                Bracket::Formula { end: at + end, display }
            } else {
                Bracket::Text
            };
        }
        place += 2;
    }
    if place >= LONGEST || words(rest) >= PROSE && !has_signs(rest.get(2..).unwrap_or_default()) {
        Bracket::Text
    } else {
        Bracket::Open
    }
}

/// Every formula of some lines that no blank line parts, and where one is open at their end.
pub(super) fn find(text: &str) -> (Vec<(Range<usize>, bool)>, Option<usize>) {
    let bytes = text.as_bytes();
    let mut formulas = Vec::new();
    // Runs of backticks of these lengths are not closed from here on.
    let mut unclosed = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'`' => {
                let ticks = text.get(at..).map_or(1, |rest| rest.len() - rest.trim_start_matches('`').len());
                at += ticks;
                if !unclosed.contains(&ticks) {
                    match closing_ticks(text, at, ticks) {
                        Some(end) => at = end,
                        None => unclosed.push(ticks),
                    }
                }
                continue;
            }
            b'\\' if matches!(bytes.get(at + 1), Some(b'(' | b'[')) => match read(text, at) {
                Bracket::Formula { end, display } => {
                    formulas.push((at..end, display));
                    at = end;
                    continue;
                }
                Bracket::Open => return (formulas, Some(at)),
                Bracket::Text => at += 1,
            },
            b'\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    (formulas, None)
}

fn closing_ticks(text: &str, from: usize, ticks: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += text.get(at..)?.find('`')?;
        let rest = text.get(at..)?;
        let length = rest.len() - rest.trim_start_matches('`').len();
        at += length;
        if length == ticks {
            return Some(at);
        }
    }
}

fn is_formula(tex: &str, display: bool, alone: bool) -> bool {
    if !tex.contains(|c: char| c.is_alphanumeric()) {
        return false;
    }
    if has_signs(tex) {
        return true;
    }
    let words = words(tex);
    if display {
        // `\[x\]` in a line of text is a box or a note, and `\[1\]` a reference.
        return alone && words < 2;
    }
    words < 2
}

/// Whether a bracket belongs to the word before it, as in `call\(it\)` and `C:\(x86\)`.
fn is_glued(text: &str, at: usize) -> bool {
    let before = text.as_bytes().get(..at).and_then(|before| before.last());
    before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'/'))
}

/// Whether the formula has its lines for itself, but for marks of quotations.
fn stands_alone(text: &str, at: &Range<usize>) -> bool {
    let before = text.get(..at.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    let after = text.get(at.end..).and_then(|after| after.split('\n').next()).unwrap_or_default();
    before.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'>')) && after.trim().is_empty()
}

/// Signs that formulas have and prose has not.
fn has_signs(tex: &str) -> bool {
    tex.contains(['\\', '^', '_', '=', '{', '}', '+', '<', '>', '*', '|', '&'])
}

/// How many words of at least two letters.
fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_around_tex_are_formulas_and_others_are_brackets() {
        let formulas = |text: &str| {
            let (found, open) = find(text);
            let mut shown: Vec<&str> = found.iter().filter_map(|(at, _)| text.get(at.clone())).collect();
            shown.extend(open.map(|_| "open"));
            shown.join(" ")
        };
        for (text, expected) in [
            ("With \\(x^{*}\\), \\(y\\) and \\[a \\\\ b\\]", "\\(x^{*}\\) \\(y\\) \\[a \\\\ b\\]"),
            ("\\[\n- a\n+ b\n\\]", "\\[\n- a\n+ b\n\\]"),
            ("\\(AB\\) and \\(n/2\\) and \\(2\\)", "\\(AB\\) \\(n/2\\) \\(2\\)"),
            ("> \\[\n> E\n> \\]", "\\[\n> E\n> \\]"),
            ("\\[a \\\\[4pt] b\\]", "\\[a \\\\[4pt] b\\]"),
            ("\\(see page two\\) \\[note\\] \\[1\\] - \\[x\\] done", ""),
            ("\\[a_b\\](https://a.example)", ""),
            ("`\\(x^2\\)` and ``\\(y ` \\)``", ""),
            ("\\\\(x^2\\\\)", ""),
            ("a \\(x^{2", "open"),
            ("\\[not a link](/foo) and so on", ""),
            ("\\(\\) and \\[\\]", ""),
            ("call\\(it\\), C:\\(x86\\)\\x, f\\(x^2\\), 当\\(x\\)", "\\(x^2\\) \\(x\\)"),
        ] {
            assert_eq!(formulas(text), expected, "{text:?}");
        }
    }
}
