//! Halves of characters in JSON. Programs in JavaScript cut texts between UTF-16 units, so a text may begin or end with one half
//! of a character, which JSON can write, as `\ud83d`. A Rust string can't have it.

/// The JSON text with U+FFFD in place of each half; none if there is no half.
pub fn replaced(json: &str) -> Option<String> {
    let mut whole = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(backslash) = memchr::memchr(b'\\', json.as_bytes().get(at..)?) {
        at += backslash;
        let length = match (unit(json, at), unit(json, at + UNIT)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * UNIT,
            (Some(0xD800..=0xDFFF), _) => {
                whole += json.get(copied..at)?;
                whole += "\\ufffd";
                copied = at + UNIT;
                UNIT
            }
            // Another escape, two bytes or longer.
            _ => 2,
        };
        at = (at + length).min(json.len());
    }
    if copied == 0 {
        return None;
    }
    whole += json.get(copied..)?;
    Some(whole)
}

/// The halves at the two ends of a JSON string, without its quotation marks: the second half of a character that it begins
/// with, and the first half of one that it ends with.
pub(crate) fn halves_at_ends(inner: &str) -> (Option<u16>, Option<u16>) {
    let first = unit(inner, 0).filter(|unit| (0xDC00..=0xDFFF).contains(unit));
    let last = inner.len().checked_sub(UNIT).filter(|at| {
        let before = inner.as_bytes().get(..*at).unwrap_or_default();
        before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
    });
    (first, last.and_then(|at| unit(inner, at)).filter(|unit| (0xD800..=0xDBFF).contains(unit)))
}

/// The character that two halves are.
pub(crate) fn join(first: u16, second: u16) -> char {
    char::decode_utf16([first, second]).next().and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The length of an escape such as `\ud83d`.
const UNIT: usize = 6;

/// The UTF-16 unit that an escape at this byte stands for.
fn unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + UNIT)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn halves_are_replaced_wherever_they_stand() {
        for (json, expected) in [
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""a\uDE00b\ud83d""#, "a\u{fffd}b\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\ud83d\n\\\udc00""#, "\u{fffd}\n\\\u{fffd}"),
            (r#""é\ud83dé""#, "é\u{fffd}é"),
        ] {
            let whole = replaced(json).unwrap();
            assert_eq!(serde_json::from_str::<String>(&whole).unwrap(), expected, "{json}");
        }
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for json in [
            r#""\ud83d\ude00""#,
            r#""\\ud83d""#,
            r#""\u00e9""#,
            r#"{"a":"\\"}"#,
            "",
            "\\",
            "\"\\u12",
            r#""\ud8é""#,
            r#""\ud8""#,
        ] {
            assert_eq!(replaced(json), None, "{json}");
        }
    }
}
