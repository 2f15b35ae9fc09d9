//! Figures and event types in people's words. Refuses whole sentences about tools; views make those.

use super::entry::EntryState;
use super::language::words::{figures, notices};
use super::language::{self, Word};

/// A count as people read it: `980`, `12.3 k`, `1.2 M`.
pub fn count(number: i64) -> String {
    scaled(number, figures::THOUSANDS, figures::MILLIONS)
}

/// A number with at most one decimal and its unit, where it is large.
fn scaled(number: i64, thousands: Word, millions: Word) -> String {
    let (unit, word) = match number.unsigned_abs() {
        0..=999 => return language::hundredths(number.saturating_mul(100)),
        1_000..=999_999 => (1_000, thousands),
        _ => (1_000_000, millions),
    };
    let tenths = number.saturating_mul(10) / unit;
    let tenths = if tenths.abs() >= 1000 { tenths / 10 * 10 } else { tenths };
    word.with(&[("n", (&language::hundredths(tenths.saturating_mul(10))).into())])
}

/// A whole number with its thousands apart: `4,120`.
pub fn grouped(number: usize) -> String {
    if let Some(language) = language::current() {
        return (language.figure)(number as f64, 0);
    }
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Something that reads from the left, such as `+3 −1`, also within a sentence that reads from the right.
pub fn left_to_right(text: &str) -> String {
    let turned = language::current().is_some_and(|language| language.right_to_left);
    if turned { format!("\u{2066}{text}\u{2069}") } else { text.to_owned() }
}

/// A path as seen from a directory.
pub fn relative(path: &str, directory: Option<&str>) -> String {
    let inside = directory.and_then(|directory| path.strip_prefix(directory));
    let inside = inside.and_then(|rest| rest.strip_prefix(['/', '\\'])).filter(|rest| !rest.is_empty());
    inside.unwrap_or(path).to_owned()
}

/// How a task ended.
pub fn task_outcome(state: EntryState) -> &'static str {
    let word = match state {
        EntryState::Failed => notices::TASK_FAILED,
        EntryState::Interrupted => notices::TASK_UNFINISHED,
        _ => notices::TASK_COMPLETE,
    };
    word.text()
}

/// `1 premium request`, `2.5 premium requests`.
pub fn premium(requests: f64) -> String {
    let hundredths = (requests * 100.0).round() as i64;
    let number = if hundredths % 100 == 0 { (hundredths / 100).into() } else { "other".into() };
    figures::PREMIUM_REQUESTS.with(&[("n", number), ("figure", (&language::hundredths(hundredths)).into())])
}

/// A value that may not be there: messages have a case `[missing]` for it.
pub fn given(text: Option<&str>) -> language::Value<'_> {
    text.unwrap_or("missing").into()
}

/// One of the runtime's own words, readable.
pub fn runtime_word(word: &str) -> String {
    notices::RUNTIME_WORD.with(&[("word", word.into()), ("said", (&word.replace('_', " ")).into())])
}

/// A list as the language writes it: `one, two`.
pub fn listed(items: &[String]) -> String {
    items.join(notices::LIST_COMMA.text())
}

/// `session.workspace_file_changed` → `Workspace file changed`.
pub fn event_type(name: &str) -> String {
    let short = name.strip_prefix("session.").unwrap_or(name).replace(['_', '.'], " ");
    capitalised(&short)
}

/// The word with a capital first letter. ASCII only, as the runtime's words are.
pub fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        std::iter::once(first.to_ascii_uppercase()).chain(letters).collect()
    })
}

/// Bytes as people read them: `980 bytes`, `12.3 KB`.
pub fn bytes(number: i64) -> String {
    if number < 1000 {
        figures::BYTES.with(&[("n", number.into())])
    } else {
        scaled(number, figures::KILOBYTES, figures::MEGABYTES)
    }
}

/// JSON for people.
pub fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_humanised() {
        assert_eq!(count(980), "980");
        assert_eq!(count(12_345), "12.3 k");
        assert_eq!(count(120_000), "120 k");
        assert_eq!(count(1_250_000), "1.2 M");
        assert_eq!(bytes(150_000), "150 KB");
        assert_eq!([999, 4_120, 1_234_567].map(grouped), ["999", "4,120", "1,234,567"]);
        assert_eq!(event_type("session.workspace_file_changed"), "Workspace file changed");
    }
}
