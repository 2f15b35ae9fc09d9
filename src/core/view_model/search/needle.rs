//! A text to search for, regardless of case. It is not a pattern.

use std::ops::Range;

use memchr::memchr2_iter;

/// A text to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    /// Its characters, case folded.
    folded: Vec<char>,
    /// The same as bytes if the text is ASCII: most are, and comparing bytes is ten times as fast.
    ascii: Option<Vec<u8>>,
}

impl Needle {
    /// `None` if the text is blank.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let folded: Vec<char> = text.chars().map(fold).collect();
        let ascii = text.is_ascii().then(|| text.to_ascii_lowercase().into_bytes());
        (!folded.is_empty()).then_some(Self { folded, ascii })
    }

    /// Whether a text contains it.
    pub fn occurs_in(&self, text: &str) -> bool {
        self.find(text, 0).is_some()
    }

    /// Its occurrences in a text, as byte ranges that don't overlap.
    pub fn ranges<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.find(text, from)?;
            from = found.end;
            Some(found)
        })
    }

    fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        match &self.ascii {
            Some(needle) => find_ascii(needle, text.as_bytes(), from),
            None => self.find_folded(text, from),
        }
    }

    fn find_folded(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let first = *self.folded.first()?;
        let rest = text.get(from..)?;
        rest.char_indices().filter(|(_, letter)| fold(*letter) == first).find_map(|(at, _)| {
            let start = from + at;
            let mut letters = text.get(start..)?.chars();
            let mut length = 0;
            for wanted in &self.folded {
                let letter = letters.next().filter(|letter| fold(*letter) == *wanted)?;
                length += letter.len_utf8();
            }
            Some(start..start + length)
        })
    }
}

fn find_ascii(needle: &[u8], text: &[u8], from: usize) -> Option<Range<usize>> {
    let first = *needle.first()?;
    let rest = text.get(from..)?;
    memchr2_iter(first, first.to_ascii_uppercase(), rest).find_map(|at| {
        let start = from + at;
        let end = start + needle.len();
        text.get(start..end).filter(|found| found.eq_ignore_ascii_case(needle)).map(|_| start..end)
    })
}

/// Simple case folding, one character for one. `ß` stays as it is.
fn fold(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    // `ς` is the form of `σ` at the end of a word.
    if letter == 'ς' {
        return 'σ';
    }
    let mut lower = letter.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => letter,
    }
}
