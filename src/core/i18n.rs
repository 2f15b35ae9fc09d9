//! The interface texts in the current language. The caller of [`set`] chooses the language and brings its
//! number format.
//!
//! The texts are in `www/locales/<language>/`, one file for each part of the program. `src/core/build/words.rs` turns
//! every English one into a constant in [`words`], and the others into tables.

mod compile;
pub mod format;
pub mod own;
mod phrase;
mod placeholders;

use std::cell::Cell;

pub use phrase::Phrase;
use placeholders::{CASE, CHOICE, END, END_IN_CASE, LINE, MEANS, VALUE};

/// A message. Its English text is compiled in; other languages are loaded as tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    number: u16,
    english: &'static str,
}

/// Every message, by its file and name.
pub mod words {
    use super::Word;

    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}

/// The translations, for [`Language::words`].
pub mod translations {
    /// Arabic.
    pub const ARABIC: &[&str] = include!(concat!(env!("OUT_DIR"), "/ar.rs"));
    /// German.
    pub const GERMAN: &[&str] = include!(concat!(env!("OUT_DIR"), "/de.rs"));
    /// Japanese.
    pub const JAPANESE: &[&str] = include!(concat!(env!("OUT_DIR"), "/ja.rs"));
}

/// A value to insert into a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// Inserted as it is; a selection takes the case of this name.
    Text(&'a str),
    /// A whole number, written with all its digits; a number with decimals is given as text, see [`hundredths`]. A selection takes the case of this number or of its plural category.
    Number(i64),
    /// The same, but written in short form: `12.3 k`.
    Count(i64),
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Value<'_> {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// A language other than English, or English with a host's words.
pub struct Language {
    /// Its BCP 47 tag.
    pub tag: &'static str,
    /// It is written from right to left.
    pub right_to_left: bool,
    /// One text for each message, empty where there is none; written by `src/core/build/words.rs`.
    pub words: &'static [&'static str],
    /// The CLDR plural category of a whole number.
    pub plural: fn(i64) -> String,
    /// Formats a number with at most this many decimals.
    pub figure: fn(f64, u8) -> String,
}

thread_local! {
    static CURRENT: Cell<Option<&'static Language>> = const { Cell::new(None) };
}

/// English, for [`own`]. Its numbers and plurals are written here.
static ENGLISH: Language = Language {
    tag: "en",
    right_to_left: false,
    words: &[],
    plural: |number| if number == 1 { "one" } else { "other" }.to_owned(),
    figure: |number, _| number.to_string(),
};

/// Sets the language of all texts from now on; `None` is English.
pub fn set(language: Option<&'static Language>) {
    CURRENT.set(language);
}

/// The current language, or `None` for English, also with a host's words.
pub fn current() -> Option<&'static Language> {
    CURRENT.get().filter(|language| language.tag != ENGLISH.tag)
}

/// Calls `make` in English, whatever the current language is: for programs, and for what leaves the page.
pub fn in_english<R>(make: impl FnOnce() -> R) -> R {
    in_language(None, make)
}

/// Calls `make` in this language, whatever the current one is: for readers other than the one at this page.
pub fn in_language<R>(language: Option<&'static Language>, make: impl FnOnce() -> R) -> R {
    /// Sets the language again, even if `make` panics.
    struct RestoreLanguage(Option<&'static Language>);
    impl Drop for RestoreLanguage {
        fn drop(&mut self) {
            set(self.0);
        }
    }
    let _back = RestoreLanguage(CURRENT.replace(language));
    make()
}

/// Formats a number given in hundredths, with at most two decimals.
pub fn hundredths(number: i64) -> String {
    if let Some(language) = current() {
        return (language.figure)(number as f64 / 100.0, 2);
    }
    // Integers only: formatting floats adds 10 KB to the page.
    let sign = if number < 0 { "−" } else { "" };
    let (whole, part) = (number.unsigned_abs() / 100, number.unsigned_abs() % 100);
    match part {
        0 => format!("{sign}{whole}"),
        part if part % 10 == 0 => format!("{sign}{whole}.{}", part / 10),
        part => format!("{sign}{whole}.{part:02}"),
    }
}

impl Word {
    /// A message with its index in the tables and its English text.
    pub const fn new(number: u16, english: &'static str) -> Self {
        Self { number, english }
    }

    /// Its index in the tables: what is remembered of what it names has this number.
    pub const fn number(self) -> u16 {
        self.number
    }

    fn pattern(self) -> &'static str {
        let theirs = CURRENT.get().and_then(|language| language.words.get(usize::from(self.number)).copied());
        theirs.filter(|text| !text.is_empty()).unwrap_or(self.english)
    }

    /// The text of a message without values.
    pub fn text(self) -> &'static str {
        self.pattern()
    }

    /// The text with its values inserted. A value that is not given stays as `{name}`.
    pub fn with(self, values: &[(&str, Value<'_>)]) -> String {
        let mut out = String::new();
        format_into(self.pattern(), values, &mut out);
        out
    }
}

fn format_into(mut pattern: &str, values: &[(&str, Value<'_>)], out: &mut String) {
    while let Some(at) = pattern.find([VALUE, CHOICE, LINE]) {
        out.push_str(pattern.get(..at).unwrap_or_default());
        let rest = pattern.get(at + 1..).unwrap_or_default();
        pattern = match pattern.as_bytes().get(at).copied().map(char::from) {
            Some(VALUE) => {
                let (name, rest) = rest.split_once([END, END_IN_CASE]).unwrap_or((rest, ""));
                match value(name, values) {
                    Some(value) => out.push_str(&value.written()),
                    None => out.extend(["{", name, "}"]),
                }
                rest
            }
            Some(CHOICE) => {
                let (choice, rest) = rest.split_once(END).unwrap_or((rest, ""));
                choose(choice, values, out);
                rest
            }
            _ => {
                out.push('\n');
                rest
            }
        };
    }
    out.push_str(pattern);
}

fn value<'a>(name: &str, values: &[(&str, Value<'a>)]) -> Option<Value<'a>> {
    values.iter().find(|(of, _)| *of == name).map(|(_, value)| *value)
}

/// Appends the matching case: that of the exact number or text, else of the plural category, else the last.
fn choose(choice: &str, values: &[(&str, Value<'_>)], out: &mut String) {
    let mut cases = choice.split(CASE);
    let given = value(cases.next().unwrap_or_default(), values);
    let cases = cases.filter_map(|case| case.split_once(MEANS));
    let keys = match given {
        // The short form is not exact, so it takes the plural of large numbers: '35 thousand tokens'.
        Some(Value::Count(number)) if number.unsigned_abs() >= 1000 => [String::new(), "other".to_owned()],
        Some(Value::Number(number) | Value::Count(number)) => [number.to_string(), plural(number)],
        Some(Value::Text(text)) => [text.to_owned(), String::new()],
        None => Default::default(),
    };
    let exact = |wanted: &String| cases.clone().find(|(key, _)| key == wanted);
    if let Some((_, meant)) = keys.iter().find_map(exact).or_else(|| cases.clone().next_back()) {
        format_into(meant, values, out);
    }
}

fn plural(number: i64) -> String {
    match current() {
        Some(language) => (language.plural)(number),
        None => if number == 1 { "one" } else { "other" }.to_owned(),
    }
}

impl Value<'_> {
    fn written(self) -> String {
        match self {
            Self::Text(text) => text.to_owned(),
            Self::Count(number) => crate::i18n::format::count(number),
            Self::Number(number) => match current() {
                Some(language) => (language.figure)(number as f64, 0),
                None => number.to_string(),
            },
        }
    }
}

/// A duration as people say it: `0.4 s`, `12 s`, `2 min 5 s`, `1 h 4 min`.
pub fn duration(millis: i64) -> String {
    let millis = millis.max(0);
    let seconds = millis / 1000;
    match seconds {
        0 if millis < 100 => words::figures::MILLISECONDS.with(&[("n", millis.into())]),
        0..=9 => {
            let tenths = (millis + 50) / 100;
            words::figures::SECONDS.with(&[("n", (&hundredths(tenths * 10)).into())])
        }
        10..=59 => words::figures::SECONDS.with(&[("n", seconds.into())]),
        60..=3599 if seconds % 60 == 0 => words::figures::MINUTES.with(&[("n", (seconds / 60).into())]),
        60..=3599 => words::figures::MINUTES_SECONDS
            .with(&[("minutes", (seconds / 60).into()), ("seconds", (seconds % 60).into())]),
        _ => words::figures::HOURS_MINUTES
            .with(&[("hours", (seconds / 3600).into()), ("minutes", (seconds % 3600 / 60).into())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{ $n -> [0] none [one] one [two] { $n } pair *[other] { $n } of { $all } }`, compiled.
    const WORD: Word = Word::new(
        0,
        "Now: \u{3}n\u{4}0\u{5}none\u{4}one\u{5}one\u{4}two\u{5}\u{1}n\u{7} pair\u{4}other\u{5}\u{1}n\u{7} of \u{1}all\u{7}\u{2}.",
    );

    fn format(n: i64) -> String {
        WORD.with(&[("n", n.into()), ("all", "ten".into())])
    }

    #[test]
    fn english_has_one_and_other_and_exact_numbers() {
        assert_eq!(format(0), "Now: none.");
        assert_eq!(format(1), "Now: one.");
        assert_eq!(format(2), "Now: 2 of ten.");
    }

    #[test]
    fn a_missing_value_stays_open_and_nothing_is_lost() {
        assert_eq!(WORD.with(&[("n", 7_i64.into())]), "Now: 7 of {all}.");
        assert_eq!(WORD.with(&[]), "Now: {n} of {all}.");
    }

    #[test]
    fn a_language_brings_its_words_plurals_and_figures() {
        static OTHER: Language = Language {
            tag: "xx",
            right_to_left: false,
            words: &["Jetzt: \u{3}n\u{4}two\u{5}\u{1}n\u{7} Paar\u{4}other\u{5}viele\u{2}", ""],
            plural: |number| if number == 2 { "two" } else { "other" }.to_owned(),
            figure: |number, _| format!("<{number}>"),
        };
        set(Some(&OTHER));
        let heard = (format(2), format(1), Word::new(1, "As it is").text(), hundredths(250));
        set(None);
        assert_eq!(
            heard,
            ("Jetzt: <2> Paar".to_owned(), "Jetzt: viele".to_owned(), "As it is", "<2.5>".to_owned())
        );
    }

    #[test]
    fn fractions_are_written_without_needless_digits() {
        assert_eq!(
            [0, 100, 250, 1234, -5].map(hundredths),
            ["0", "1", "2.5", "12.34", "−0.05"].map(str::to_owned)
        );
    }

    #[test]
    fn durations_read_like_words() {
        assert_eq!(duration(40), "40 ms");
        assert_eq!(duration(420), "0.4 s");
        assert_eq!(duration(12_400), "12 s");
        assert_eq!(duration(125_000), "2 min 5 s");
        assert_eq!(duration(3_840_000), "1 h 4 min");
    }
}
