//! Finds the characters of a command or path that a reader would not see or would misread.

use std::borrow::Cow;

use crate::i18n::words::hidden as words;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment<'a> {
    /// Text without hidden characters.
    Plain(&'a str),
    /// A character that is invisible or looks like another one.
    Hidden {
        /// The character.
        ch: char,
        /// Its name in the reader's language if it is a well-known one, else its number as `U+202E`.
        name: Cow<'static, str>,
    },
}

/// Splits a text at its hidden characters.
pub fn segments(text: &str) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    let mut plain = 0;
    let mut before = None;
    // How many combining marks stand above one another here.
    let mut stacked = 0;
    for (at, ch) in text.char_indices() {
        let after = text.get(at + ch.len_utf8()..).and_then(|rest| rest.chars().next());
        stacked = if is_within(&COMBINING, ch) { stacked + 1 } else { 0 };
        if stacked > STACKED || is_hidden(ch, before, after) {
            if let Some(run) = text.get(plain..at).filter(|run| !run.is_empty()) {
                segments.push(Segment::Plain(run));
            }
            segments.push(Segment::Hidden { ch, name: name(ch) });
            plain = at + ch.len_utf8();
        }
        before = Some(ch);
    }
    if let Some(run) = text.get(plain..).filter(|run| !run.is_empty()) {
        segments.push(Segment::Plain(run));
    }
    segments
}

/// A piece of a text, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextRun<'a> {
    /// Text without hidden characters.
    Plain(&'a str),
    /// In place of a hidden character, or of several alike: what it is.
    Token(String),
}

/// A text with names in place of its hidden characters, for commands, paths, addresses and lines of diffs.
pub fn runs(text: &str) -> Vec<TextRun<'_>> {
    if !has_hidden(text) {
        return if text.is_empty() { Vec::new() } else { vec![TextRun::Plain(text)] };
    }
    runs_of(&segments(text))
}

/// The same as one text, for places that show no elements: titles and notifications.
pub fn named(text: &str) -> String {
    let runs = runs(text).into_iter().map(|run| match run {
        TextRun::Plain(text) => text.to_owned(),
        TextRun::Token(name) => format!("[{name}]"),
    });
    runs.collect()
}

/// The same for what a program printed, where blanks of any width, private characters (the icons of many prompts)
/// and the looks of characters are ordinary.
pub fn printed_runs(text: &str) -> Vec<TextRun<'_>> {
    if text.is_ascii() || !has_hidden(text) {
        return if text.is_empty() { Vec::new() } else { vec![TextRun::Plain(text)] };
    }
    let mut segments = segments(text);
    let mut at = 0;
    for segment in &mut segments {
        match *segment {
            Segment::Plain(run) => at += run.len(),
            Segment::Hidden { ch, .. } => {
                let end = at + ch.len_utf8();
                if is_within(&PRINTED, ch)
                    && let Some(own) = text.get(at..end)
                {
                    *segment = Segment::Plain(own);
                }
                at = end;
            }
        }
    }
    runs_of(&segments)
}

/// Hidden characters that programs print to be seen, sorted like `INVISIBLE`.
const PRINTED: [(char, char); 11] = [
    ('\u{00A0}', '\u{00A0}'),
    ('\u{0334}', '\u{0338}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200A}'),
    ('\u{202F}', '\u{202F}'),
    ('\u{205F}', '\u{205F}'),
    ('\u{20D2}', '\u{20EB}'),
    ('\u{2800}', '\u{3000}'),
    ('\u{E000}', '\u{F8FF}'),
    ('\u{FE0E}', '\u{FE0F}'),
    ('\u{F0000}', '\u{10FFFF}'),
];

/// The same hidden character many times in a row makes one token.
fn runs_of<'a>(segments: &[Segment<'a>]) -> Vec<TextRun<'a>> {
    let same = |one: &Segment<'_>, next: &Segment<'_>| matches!((one, next), (Segment::Hidden { ch: one, .. }, Segment::Hidden { ch: next, .. }) if one == next);
    let runs = segments.chunk_by(same).filter_map(|alike| {
        Some(match alike.first()? {
            Segment::Plain(run) => TextRun::Plain(run),
            Segment::Hidden { name, .. } if alike.len() > 1 => TextRun::Token(
                words::REPEATED.with(&[("name", name.as_ref().into()), ("n", alike.len().into())]),
            ),
            Segment::Hidden { name, .. } => TextRun::Token(name.clone().into_owned()),
        })
    });
    runs.collect()
}

/// Whether there is any hidden character.
pub fn has_hidden(text: &str) -> bool {
    // Nearly every command is plain ASCII.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return false;
    }
    segments(text).iter().any(|segment| matches!(segment, Segment::Hidden { .. }))
}

fn is_hidden(ch: char, before: Option<char>, after: Option<char>) -> bool {
    match ch {
        '\n' | '\t' | ' ' => false,
        // A carriage return is fine before a line feed; alone it overwrites the line in a terminal.
        '\r' => after != Some('\n'),
        // Emoji need joiners and variation selectors. After any other character these are invisible.
        '\u{200D}' if before.is_some_and(joins_emoji) => !after.is_some_and(is_emoji),
        // Persian and the scripts of India need joiners as well: there they change how letters look (UAX 31).
        '\u{200C}' | '\u{200D}' => !(before.is_some_and(joins_letters) && after.is_some_and(joins_letters)),
        // The space of Japanese and Chinese is as wide as their letters.
        '\u{3000}' => !(before.is_some_and(is_wide) || after.is_some_and(is_wide)),
        '\u{FE0F}' | '\u{FE0E}' => !before.is_some_and(|c| {
            is_emoji(c) || matches!(c, '0'..='9' | '#' | '*' | '©' | '®' | '‼' | '⁉' | '™' | 'ℹ')
        }),
        _ if ch.is_control() => true,
        _ => is_within(&INVISIBLE, ch) || is_within(&OVERLAYS, ch),
    }
}

/// More combining marks on one letter than any language has. They would be painted over the lines above or below.
const STACKED: usize = 4;

/// Marks that are painted above, below or over the letter before them, sorted like `INVISIBLE`.
const COMBINING: [(char, char); 15] = [
    ('\u{0300}', '\u{036F}'),
    ('\u{0483}', '\u{0489}'),
    ('\u{0591}', '\u{05BD}'),
    ('\u{0610}', '\u{061A}'),
    ('\u{064B}', '\u{065F}'),
    ('\u{06D6}', '\u{06ED}'),
    ('\u{0E31}', '\u{0E31}'),
    ('\u{0E34}', '\u{0E3A}'),
    ('\u{0E47}', '\u{0E4E}'),
    ('\u{0F71}', '\u{0FBC}'),
    ('\u{1AB0}', '\u{1AFF}'),
    ('\u{1DC0}', '\u{1DFF}'),
    ('\u{20D0}', '\u{20F0}'),
    ('\u{3099}', '\u{309A}'),
    ('\u{FE20}', '\u{FE2F}'),
];

/// Combining marks that strike a letter out or enclose it, so that another one seems to be there; not the frame of a key (`1️⃣`).
const OVERLAYS: [(char, char); 5] = [
    ('\u{0334}', '\u{0338}'),
    ('\u{20D2}', '\u{20D3}'),
    ('\u{20D8}', '\u{20E0}'),
    ('\u{20E2}', '\u{20E2}'),
    ('\u{20E4}', '\u{20EB}'),
];

fn is_within(ranges: &[(char, char)], ch: char) -> bool {
    ranges.iter().any(|&(first, last)| (first..=last).contains(&ch))
}

fn joins_letters(ch: char) -> bool {
    matches!(ch, '\u{620}'..='\u{6FF}' | '\u{750}'..='\u{77F}' | '\u{900}'..='\u{DFF}')
}

fn is_wide(ch: char) -> bool {
    matches!(ch, '\u{3001}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF01}'..='\u{FF60}')
}

/// Characters that are blank, without width, for text direction, fillers, for private use or unassigned. The
/// ranges are sorted and include both ends.
const INVISIBLE: [(char, char); 27] = [
    ('\u{00A0}', '\u{00A0}'),
    ('\u{00AD}', '\u{00AD}'),
    ('\u{034F}', '\u{034F}'),
    ('\u{061C}', '\u{061C}'),
    ('\u{115F}', '\u{1160}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{17B4}', '\u{17B5}'),
    ('\u{180B}', '\u{180F}'),
    ('\u{2000}', '\u{200C}'),
    ('\u{200E}', '\u{200F}'),
    ('\u{2028}', '\u{202F}'),
    ('\u{205F}', '\u{206F}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{E000}', '\u{F8FF}'),
    ('\u{FE00}', '\u{FE0D}'),
    ('\u{FEFF}', '\u{FEFF}'),
    ('\u{FFA0}', '\u{FFA0}'),
    ('\u{FFF0}', '\u{FFFC}'),
    ('\u{13430}', '\u{1345F}'),
    ('\u{16FE4}', '\u{16FE4}'),
    ('\u{1BCA0}', '\u{1BCA3}'),
    ('\u{1D159}', '\u{1D159}'),
    ('\u{1D173}', '\u{1D17A}'),
    ('\u{E0000}', '\u{E0FFF}'),
    ('\u{F0000}', '\u{10FFFF}'),
];

fn is_emoji(ch: char) -> bool {
    matches!(ch, '\u{1F000}'..='\u{1FAFF}' | '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{27BF}' | '\u{2900}'..='\u{297F}' | '\u{2B00}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}')
}

fn joins_emoji(ch: char) -> bool {
    is_emoji(ch) || ch == '\u{FE0F}'
}

fn name(ch: char) -> Cow<'static, str> {
    Cow::Borrowed(match ch {
        '\0' => "NUL",
        '\u{7}' => "BEL",
        '\u{8}' => words::BACKSPACE.text(),
        '\r' => words::CARRIAGE_RETURN.text(),
        '\u{1B}' => "ESC",
        '\u{7F}' => "DEL",
        '\u{9B}' => "C1 CSI",
        '\u{A0}' => words::NO_BREAK_SPACE.text(),
        '\u{AD}' => words::SOFT_HYPHEN.text(),
        '\u{61C}' => words::ARABIC_LETTER_MARK.text(),
        '\u{200B}' => words::ZERO_WIDTH_SPACE.text(),
        '\u{200C}' => words::ZERO_WIDTH_NON_JOINER.text(),
        '\u{200D}' => words::ZERO_WIDTH_JOINER.text(),
        '\u{200E}' => words::LEFT_TO_RIGHT_MARK.text(),
        '\u{200F}' => words::RIGHT_TO_LEFT_MARK.text(),
        '\u{2028}' => words::LINE_SEPARATOR.text(),
        '\u{2029}' => words::PARAGRAPH_SEPARATOR.text(),
        '\u{202A}' => words::LEFT_TO_RIGHT_EMBEDDING.text(),
        '\u{202B}' => words::RIGHT_TO_LEFT_EMBEDDING.text(),
        '\u{202C}' => words::END_OF_EMBEDDING.text(),
        '\u{202D}' => words::LEFT_TO_RIGHT_OVERRIDE.text(),
        '\u{202E}' => words::RIGHT_TO_LEFT_OVERRIDE.text(),
        '\u{2060}' => words::WORD_JOINER.text(),
        '\u{2066}' => words::LEFT_TO_RIGHT_ISOLATE.text(),
        '\u{2067}' => words::RIGHT_TO_LEFT_ISOLATE.text(),
        '\u{2068}' => words::FIRST_STRONG_ISOLATE.text(),
        '\u{2069}' => words::END_OF_ISOLATE.text(),
        '\u{2800}' => words::BLANK_BRAILLE.text(),
        '\u{3000}' => words::WIDE_SPACE.text(),
        '\u{3164}' => words::HANGUL_FILLER.text(),
        '\u{FEFF}' => words::BYTE_ORDER_MARK.text(),
        '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{1680}' => words::ODD_SPACE.text(),
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => words::VARIATION_SELECTOR.text(),
        '\u{E0000}'..='\u{E007F}' => words::TAG_CHARACTER.text(),
        _ if is_within(&COMBINING, ch) => words::COMBINING_MARK.text(),
        _ => return Cow::Owned(format!("U+{:04X}", u32::from(ch))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_plain() {
        for text in [
            "cargo test && ls -la\n\t# ok",
            "naïve Zürich 日本語 עברית",
            "👩‍👩‍👧 ❤️ 1️⃣ ©️",
            "line\r\nline",
            "可\u{3000}能\n\u{3000}字",
            "می\u{200C}خواهم क्\u{200D}ष",
            "e\u{302}\u{301} שָׁ֑ ที่ พี่",
        ] {
            assert!(!has_hidden(text), "{text:?}: {:?}", segments(text));
            assert_eq!(segments(text), [Segment::Plain(text)]);
        }
        assert_eq!(segments(""), []);
    }

    #[test]
    fn misleading_characters_are_named() {
        for (text, name) in [
            ("a\u{202E}b", "right-to-left override"),
            ("rm\u{A0}-rf", "no-break space"),
            ("x\u{200B}", "zero-width space"),
            ("\u{1B}[31m", "ESC"),
            ("a\rb", "carriage return"),
            ("a\u{E0041}", "tag character"),
            ("p\u{FE0F}", "variation selector"),
            ("a\u{200D}b", "zero-width joiner"),
            ("a\u{AD}b", "soft hyphen"),
            ("a\u{85}b", "U+0085"),
            ("ls\u{3000}-la", "wide space"),
            ("a\u{200C}b", "zero-width non-joiner"),
            ("1\u{338}", "combining mark"),
            ("a\u{301}\u{301}\u{301}\u{301}\u{301}", "combining mark"),
        ] {
            assert!(has_hidden(text), "{text:?}");
            let found = segments(text).into_iter().find_map(|segment| match segment {
                Segment::Hidden { name, .. } => Some(name),
                Segment::Plain(_) => None,
            });
            assert_eq!(found.as_deref(), Some(name), "{text:?}");
        }
    }

    #[test]
    fn what_is_printed_may_have_icons_and_blanks_but_nothing_that_misleads() {
        for text in [
            "a\u{A0}b",
            "\u{E0B0} main \u{F0001}",
            "\u{2800}\u{28FF}",
            "⚠\u{FE0F} ok",
            "می\u{200C}خواهم",
            "日\u{3000}本",
        ] {
            assert!(!printed_runs(text).iter().any(|run| matches!(run, TextRun::Token(_))), "{text:?}");
        }
        let token = |name: &str| TextRun::Token(name.to_owned());
        assert_eq!(
            printed_runs("ok\u{202E}gpj.exe \u{E0B0}\u{200B}\u{200B}x"),
            [
                TextRun::Plain("ok"),
                token("right-to-left override"),
                TextRun::Plain("gpj.exe "),
                TextRun::Plain("\u{E0B0}"),
                token("zero-width space × 2"),
                TextRun::Plain("x"),
            ]
        );
        assert_eq!(
            runs("rm\u{A0}-rf"),
            [TextRun::Plain("rm"), token("no-break space"), TextRun::Plain("-rf")]
        );
        assert_eq!((runs(""), runs("a")), (vec![], vec![TextRun::Plain("a")]));
    }

    #[test]
    fn segments_hold_every_character() {
        let text = "a\u{202E}b\u{200B}\u{200B}c é\u{FE0F}";
        let joined: String = segments(text)
            .iter()
            .map(|segment| match segment {
                Segment::Plain(run) => (*run).to_owned(),
                Segment::Hidden { ch, .. } => ch.to_string(),
            })
            .collect();
        assert_eq!(joined, text);
    }
}
