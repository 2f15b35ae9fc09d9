//! The languages of readers whom a request's headers or a tag describe, and how numbers are written in them.

use axum::http::{HeaderMap, header};
use pilothouse_core::i18n::{Language, translations};

static GERMAN: Language = Language {
    tag: "de",
    right_to_left: false,
    words: translations::GERMAN,
    plural: |number| if number == 1 { "one" } else { "other" }.to_owned(),
    figure: |number, decimals| written(number, decimals, '.', ',', "-"),
};

static JAPANESE: Language = Language {
    tag: "ja",
    right_to_left: false,
    words: translations::JAPANESE,
    plural: |_| "other".to_owned(),
    figure: |number, decimals| written(number, decimals, ',', '.', "-"),
};

static ARABIC: Language = Language {
    tag: "ar",
    right_to_left: true,
    words: translations::ARABIC,
    plural: |number| arabic_plural(number).to_owned(),
    // As browsers write them: the sign has a mark that keeps it before the figures.
    figure: |number, decimals| written(number, decimals, ',', '.', "\u{200E}-"),
};

/// The CLDR category.
fn arabic_plural(number: i64) -> &'static str {
    match (number, number % 100) {
        (0, _) => "zero",
        (1, _) => "one",
        (2, _) => "two",
        (_, 3..=10) => "few",
        (_, 11..=99) => "many",
        _ => "other",
    }
}

/// A number as browsers write it: thousands grouped, and no needless decimals.
fn written(number: f64, decimals: u8, group: char, point: char, minus: &str) -> String {
    let text = format!("{:.*}", usize::from(decimals), number.abs());
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = if number < 0.0 { minus.to_owned() } else { String::new() };
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(group);
        }
        out.push(digit);
    }
    let part = part.trim_end_matches('0');
    if !part.is_empty() {
        out.push(point);
        out.push_str(part);
    }
    out
}

/// The first language of `Accept-Language` that there are texts for, as the page chooses among the browser's languages; none
/// for English.
pub fn preferred(headers: &HeaderMap) -> Option<&'static Language> {
    let wanted = headers.get_all(header::ACCEPT_LANGUAGE).iter().filter_map(|value| value.to_str().ok());
    // Browsers list them in order.
    let tags = wanted.flat_map(|value| value.split(',')).filter_map(|range| range.split(';').next());
    tags.map(str::trim).find_map(named)?
}

/// The language of a BCP 47 tag; `Some(None)` is English, and none is a language without texts.
#[allow(clippy::option_option, reason = "English is the language that is none, in the core as well")]
pub fn named(tag: &str) -> Option<Option<&'static Language>> {
    let tag = tag.split(['-', '_']).next().unwrap_or_default();
    let known = [("en", None), ("de", Some(&GERMAN)), ("ja", Some(&JAPANESE)), ("ar", Some(&ARABIC))];
    known.into_iter().find(|(of, _)| tag.eq_ignore_ascii_case(of)).map(|(_, language)| language)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::{ARABIC, GERMAN, JAPANESE, preferred};

    #[test]
    fn numbers_are_written_as_browsers_write_them() {
        for (number, decimals, expected) in [
            (1_234_567.5, 2, ["1.234.567,5", "1,234,567.5", "1,234,567.5"]),
            (-0.05, 2, ["-0,05", "-0.05", "\u{200E}-0.05"]),
            (12.0, 0, ["12", "12", "12"]),
            (1_000.0, 2, ["1.000", "1,000", "1,000"]),
        ] {
            let all = [&GERMAN, &JAPANESE, &ARABIC].map(|language| (language.figure)(number, decimals));
            assert_eq!(all, expected);
        }
        let arabic = [0, 1, 2, 3, 10, 11, 99, 100, 101, 102, 103, 111].map(|number| (ARABIC.plural)(number));
        let expected =
            ["zero", "one", "two", "few", "few", "many", "many", "other", "other", "other", "few", "many"];
        assert_eq!(arabic, expected);
    }

    #[test]
    fn the_first_language_that_there_is_counts() {
        let of = |value| {
            let headers = HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, HeaderValue::from_static(value))]);
            preferred(&headers).map(|language| language.tag)
        };
        assert_eq!(of("fr-FR, de-AT;q=0.8, en;q=0.7"), Some("de"));
        assert_eq!(of("en-GB,de;q=0.9"), None);
        assert_eq!((of("JA"), of("ar_EG"), of("fr"), of("")), (Some("ja"), Some("ar"), None, None));
        assert_eq!(preferred(&HeaderMap::new()).map(|language| language.tag), None);
    }
}
