//! A copy of a source in which other characters stand for what the parser would read differently, and the way back.

use std::ops::Range;

/// The first of the characters that stand for others: private use, in a plane that no font uses. The block of
/// them that is taken does not occur in the source.
const FIRST: u32 = 0x10_0000;
/// How many characters a block has.
const BLOCK: u32 = 16;
/// White space that is put next to a delimiter, so that the parser sees whether that opens or closes.
const BLANK: char = '\u{2028}';

/// What stands in the copy in place of a part of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum With {
    /// A character that is not markup, for each `|`, `~`, `` ` `` or `$` of the part.
    Plain,
    /// Nothing is replaced: a blank is put before a delimiter, which opens then.
    BlankBefore,
    /// Nothing is replaced: a blank is put behind a delimiter, which closes then.
    BlankBehind,
    /// One word for a formula in `\(…\)`, or in `\[…\]` if it is a display.
    Formula { display: bool },
}

/// A part of the source that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) at: Range<usize>,
    pub(super) with: With,
}

impl Edit {
    pub(super) fn new(at: Range<usize>, with: With) -> Self {
        Self { at, with }
    }
}

/// Where an edit is in the copy and in the source.
struct Stand {
    copy: Range<usize>,
    source: Range<usize>,
}

/// A source with its edits.
pub(super) struct Edited<'a> {
    source: &'a str,
    pub(super) text: String,
    stands: Vec<Stand>,
    formulas: Vec<(Range<usize>, bool)>,
    base: u32,
}

/// A piece of a text of the copy.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// The source between the delimiters.
    Formula {
        tex: String,
        display: bool,
    },
}

impl<'a> Edited<'a> {
    /// The edits are in the order of the source. One that lies within another is left out.
    pub(super) fn new(source: &'a str, edits: &[Edit]) -> Self {
        let base = free_block(source);
        let mut edited = Self {
            source,
            text: String::with_capacity(source.len() + edits.len() * 8),
            stands: Vec::with_capacity(edits.len()),
            formulas: Vec::new(),
            base,
        };
        let mut from = 0;
        for Edit { at, with } in edits {
            if at.start < from {
                continue;
            }
            edited.text.push_str(source.get(from..at.start).unwrap_or_default());
            let start = edited.text.len();
            edited.put(at, *with);
            edited.stands.push(Stand { copy: start..edited.text.len(), source: at.clone() });
            from = at.end;
        }
        edited.text.push_str(source.get(from..).unwrap_or_default());
        edited
    }

    fn put(&mut self, at: &Range<usize>, with: With) {
        let part = self.source.get(at.clone()).unwrap_or_default();
        match with {
            With::Plain => {
                let base = self.base;
                self.text.extend(part.chars().map(|c| plain(base, c).unwrap_or(c)));
            }
            With::BlankBefore => self.text.extend([self.special(GUARD), BLANK]),
            With::BlankBehind => self.text.extend([BLANK, self.special(GUARD)]),
            With::Formula { display } => {
                let number = self.formulas.len().to_string();
                self.formulas.push((at.clone(), display));
                let mark = self.special(FORMULA);
                self.text.push(mark);
                self.text.push_str(&number);
                self.text.push(mark);
            }
        }
    }

    fn special(&self, offset: u32) -> char {
        char::from_u32(self.base + offset).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// The bytes of the source that a range of the copy stands for.
    pub(super) fn back(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let before = self.stands.partition_point(|stand| stand.copy.start < at);
            match before.checked_sub(1).and_then(|last| self.stands.get(last)) {
                None => at,
                Some(stand) if at < stand.copy.end => stand.source.end,
                Some(stand) => stand.source.end + (at - stand.copy.end),
            }
        };
        place(range.start)..place(range.end)
    }

    /// The bytes of the source that a text of the copy stands for, as pieces.
    pub(super) fn pieces(&self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        self.read(text, &mut |read| match read {
            Read::Char(c) => plain.push(c),
            Read::Formula(at, display) => {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Formula { tex: tex(self.source, &at), display });
            }
        });
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        pieces
    }

    /// A text as it stands in the source: in code and in HTML nothing is a formula.
    pub(super) fn verbatim(&self, text: &str) -> String {
        let mut whole = String::with_capacity(text.len());
        self.read(text, &mut |read| match read {
            Read::Char(c) => whole.push(c),
            Read::Formula(at, _) => whole.push_str(self.source.get(at).unwrap_or_default()),
        });
        whole
    }

    /// The target, title or label of a link, in which `\(` is a bracket.
    pub(super) fn unescaped(&self, text: &str) -> String {
        let mut whole = String::with_capacity(text.len());
        self.read(text, &mut |read| match read {
            Read::Char(c) => whole.push(c),
            Read::Formula(at, display) => {
                let inner = self.source.get(at.start + 2..at.end.saturating_sub(2)).unwrap_or_default();
                let (open, close) = if display { ('[', ']') } else { ('(', ')') };
                whole.push(open);
                unescape(inner, &mut whole);
                whole.push(close);
            }
        });
        whole
    }

    fn read(&self, text: &str, take: &mut dyn FnMut(Read)) {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match u32::from(c).checked_sub(self.base).filter(|offset| *offset < BLOCK) {
                Some(GUARD) => {}
                Some(FORMULA) => {
                    let mut number = 0_usize;
                    for digit in chars.by_ref() {
                        let Some(digit) = digit.to_digit(10) else { break };
                        number = number * 10 + digit as usize;
                    }
                    if let Some((at, display)) = self.formulas.get(number) {
                        take(Read::Formula(at.clone(), *display));
                    }
                }
                Some(offset) => take(Read::Char(PLAIN.get(offset as usize).copied().unwrap_or(c))),
                // A blank of ours stands beside its guard, on one side or the other.
                None if c == BLANK && chars.peek() == Some(&self.special(GUARD)) => {
                    chars.next();
                }
                None => take(Read::Char(c)),
            }
            if u32::from(c) == self.base + GUARD && chars.peek() == Some(&BLANK) {
                chars.next();
            }
        }
    }
}

/// Appends a text without the backslashes before its punctuation.
fn unescape(text: &str, whole: &mut String) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escapes = c == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation);
        whole.push(if escapes { chars.next().unwrap_or(c) } else { c });
    }
}

enum Read {
    Char(char),
    Formula(Range<usize>, bool),
}

/// The characters that others can stand for. The offset in a block is the place here.
const PLAIN: [char; 4] = ['|', '~', '`', '$'];
const GUARD: u32 = 8;
const FORMULA: u32 = 9;

fn plain(base: u32, c: char) -> Option<char> {
    let offset = PLAIN.iter().position(|plain| *plain == c)?;
    char::from_u32(base + offset as u32)
}

/// The first code point of a block of characters that the source does not have.
fn free_block(source: &str) -> u32 {
    // The first byte of every character of this plane.
    if !source.as_bytes().contains(&0xF4) {
        return FIRST;
    }
    let used: std::collections::BTreeSet<u32> =
        source.chars().filter_map(|c| u32::from(c).checked_sub(FIRST)).map(|c| c / BLOCK).collect();
    let blocks = 0..=used.len() as u32;
    blocks.into_iter().find(|block| !used.contains(block)).map_or(FIRST, |block| FIRST + block * BLOCK)
}

/// A formula without its delimiters, and without the `>` of a quotation at the beginning of its lines.
fn tex(source: &str, at: &Range<usize>) -> String {
    let inner = source.get(at.start + 2..at.end.saturating_sub(2)).unwrap_or_default();
    let line = source.get(..at.start).unwrap_or_default();
    let line = line.rsplit('\n').next().unwrap_or_default();
    let quotes = line.chars().take_while(|c| matches!(c, ' ' | '\t' | '>')).filter(|c| *c == '>').count();
    let mut lines = inner.split('\n');
    let mut tex = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let mut rest = line;
        for _ in 0..quotes {
            rest = rest.trim_start().strip_prefix('>').unwrap_or(rest);
        }
        tex.push('\n');
        tex.push_str(rest);
    }
    tex.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_comes_back_and_bytes_are_those_of_the_source() {
        let source = "a|b \\(x_1\\) **強**c";
        let formula = source.find("\\(").unwrap_or(0);
        let strong = source.len() - 1;
        let edits = [
            Edit::new(1..2, With::Plain),
            Edit::new(formula..formula + 7, With::Formula { display: false }),
            Edit::new(strong..strong, With::BlankBehind),
        ];
        let edited = Edited::new(source, &edits);
        assert!(!edited.text.contains('|') && !edited.text.contains('\\'));
        assert_eq!(edited.verbatim(&edited.text), source);
        assert_eq!(edited.unescaped(&edited.text), "a|b (x_1) **強**c");
        assert_eq!(
            edited.pieces(&edited.text),
            [
                Piece::Text("a|b ".to_owned()),
                Piece::Formula { tex: "x_1".to_owned(), display: false },
                Piece::Text(" **強**c".to_owned()),
            ]
        );
        let all = edited.text.len();
        assert_eq!(edited.back(&(0..all)), 0..source.len());
        let last = edited.text.rfind('c').unwrap_or(0);
        assert_eq!(edited.back(&(last..all)), strong..source.len());
    }

    #[test]
    fn a_source_with_such_characters_gets_others() {
        for used in ["\u{10_0000}\u{10_0008}\u{2028}|", "\u{10_0001}\u{10_0011}\u{10_0029}\u{2028}\u{2028}|"]
        {
            let bar = used.len() - 1;
            let edits = [Edit::new(0..0, With::BlankBefore), Edit::new(bar..bar + 1, With::Plain)];
            let edited = Edited::new(used, &edits);
            assert!(!edited.text.contains('|'));
            assert_eq!(edited.verbatim(&edited.text), used);
        }
    }
}
