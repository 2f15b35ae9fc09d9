//! Formats numbers, event types and Markdown as short text for people.

use crate::i18n;
use crate::i18n::words::{figures, notices, requests};
use crate::i18n::{Phrase, Word};

/// A count as people read it: `980`, `12.3 k`, `1.2 M`.
pub fn count(number: i64) -> String {
    scaled(number, figures::THOUSANDS, figures::MILLIONS)
}

/// A number with at most one decimal; from 1000 on with a unit.
fn scaled(number: i64, thousands: Word, millions: Word) -> String {
    let (unit, word) = match number.unsigned_abs() {
        0..=999 => return i18n::hundredths(number.saturating_mul(100)),
        1_000..=999_999 => (1_000, thousands),
        _ => (1_000_000, millions),
    };
    let tenths = number.saturating_mul(10) / unit;
    let tenths = if tenths.abs() >= 1000 { tenths / 10 * 10 } else { tenths };
    word.with(&[("n", (&i18n::hundredths(tenths.saturating_mul(10))).into())])
}

/// A whole number with its thousands separated: `4,120`.
pub fn grouped(number: usize) -> String {
    if let Some(language) = i18n::current() {
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

/// Isolates left-to-right text such as `+3 −1` if the language is written from right to left.
pub fn left_to_right(text: &str) -> String {
    let turned = i18n::current().is_some_and(|language| language.right_to_left);
    if turned { format!("\u{2066}{text}\u{2069}") } else { text.to_owned() }
}

/// A path relative to a directory; unchanged if it is not inside.
pub fn relative(path: &str, directory: Option<&str>) -> String {
    let inside = directory.and_then(|directory| path.strip_prefix(directory));
    let inside = inside.and_then(|rest| rest.strip_prefix(['/', '\\'])).filter(|rest| !rest.is_empty());
    inside.unwrap_or(path).to_owned()
}

/// `1 premium request`, `2.5 premium requests`.
pub fn premium(requests: f64) -> String {
    Phrase::premium_requests(requests).words().into_owned()
}

/// An optional value for a message. Messages have a case `[missing]` for its absence.
pub fn optional_value(text: Option<&str>) -> i18n::Value<'_> {
    text.unwrap_or("missing").into()
}

/// One of the runtime's identifiers, made readable.
pub fn runtime_word(word: &str) -> String {
    Phrase::runtime_word(word).words().into_owned()
}

/// A mode's name; an unknown one as it is.
pub fn mode_name(mode: &str) -> String {
    Phrase::mode_name(mode).words().into_owned()
}

/// How the agent goes on after a plan, in words; an unknown way as it is.
pub fn plan_action(action: &str) -> &str {
    match action {
        "interactive" => requests::PLAN_INTERACTIVE.text(),
        "autopilot" => requests::PLAN_AUTOPILOT.text(),
        "autopilot_fleet" => requests::PLAN_FLEET.text(),
        "exit_only" => requests::PLAN_LEAVE.text(),
        other => other,
    }
}

/// A list as the language writes it: `one, two`.
pub fn join_list(items: &[String]) -> String {
    items.join(notices::LIST_COMMA.text())
}

/// `session.workspace_file_changed` → `Workspace file changed`.
pub fn event_type(name: &str) -> String {
    capitalised(&in_words(name.strip_prefix("session.").unwrap_or(name)))
}

/// A name of the wire as words: `runtime_ended` → `runtime ended`, `shellType` → `shell type`, `mcp.oauth_required` →
/// `MCP OAuth required`. What has blanks is in words already, and in what has figures, as names of models do, only `_` is
/// a blank.
pub fn in_words(name: &str) -> String {
    if name.contains(char::is_whitespace) {
        return name.to_owned();
    }
    if name.contains(|letter: char| letter.is_ascii_digit()) {
        return name.replace('_', " ");
    }
    let is_camel = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    let mut spaced = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for letter in name.chars() {
        match letter {
            '_' | '-' | '.' => spaced.push(' '),
            _ if is_camel && letter.is_ascii_uppercase() && before.is_ascii_lowercase() => {
                spaced.extend([' ', letter.to_ascii_lowercase()]);
            }
            _ => spaced.push(letter),
        }
        before = letter;
    }
    let spelled = |word| match word {
        "mcp" => "MCP",
        "oauth" => "OAuth",
        "url" => "URL",
        "ui" => "UI",
        "ai" => "AI",
        "id" => "ID",
        "lsp" => "LSP",
        _ => word,
    };
    spaced.split_whitespace().map(spelled).collect::<Vec<_>>().join(" ")
}

/// The word with a capital first letter. ASCII only, like the runtime's words.
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

/// Markdown as one line of plain text, without the marks of code, emphasis, headings, quotes and lists. Marks that do
/// not enclose words, as in `src/**/*.rs` or `2 * 3`, are text.
pub fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let words = without_list_mark(line.trim());
        if words.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push_str(if words.len() < line.trim().len() { " · " } else { " " });
        }
        push_without_marks(words, &mut out);
    }
    out
}

/// Adds a line without the marks around its words. A mark encloses words if both of its ends are beside them, and not
/// inside of a word or a path.
fn push_without_marks(line: &str, out: &mut String) {
    let mut rest = line;
    let mut before = ' ';
    while let Some(letter) = rest.chars().next() {
        let inner = ["`", "***", "**", "*"].into_iter().filter(|_| is_edge(before)).find_map(|mark| {
            let (inner, after) = rest.strip_prefix(mark)?.split_once(mark)?;
            let is_word = |letter: char| mark == "`" || !letter.is_whitespace() && letter != '*';
            let encloses = inner.starts_with(is_word)
                && inner.ends_with(is_word)
                && (mark == "`" || !inner.starts_with(['.', '/']))
                && after.chars().next().is_none_or(is_edge);
            encloses.then_some((inner, after, mark))
        });
        if let Some((inner, after, mark)) = inner {
            if mark == "`" {
                out.push_str(inner);
            } else {
                push_without_marks(inner, out);
            }
            (rest, before) = (after, 'x');
        } else {
            out.push(letter);
            (rest, before) = (rest.get(letter.len_utf8()..).unwrap_or_default(), letter);
        }
    }
}

/// What can stand beside a mark that encloses words.
fn is_edge(letter: char) -> bool {
    !letter.is_ascii_alphanumeric() && !matches!(letter, '/' | '*' | '_')
}

/// A line without the marks of a heading, a quote or a list item.
fn without_list_mark(line: &str) -> &str {
    const SIGNS: [&str; 8] = ["- ", "* ", "+ ", "> ", "[ ] ", "[x] ", ". ", ") "];
    let unnumbered = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let unheaded = line.trim_start_matches('#');
    let rest = if unheaded.len() < line.len() {
        unheaded.strip_prefix(' ')
    } else {
        let numbered = unnumbered.len() < line.len();
        let mut signs = SIGNS.iter().filter(|sign| sign.starts_with(['.', ')']) == numbered);
        signs.find_map(|sign| unnumbered.strip_prefix(*sign))
    };
    rest.map_or(line, |rest| without_list_mark(rest.trim_start()))
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

    #[test]
    fn markdown_in_one_line_has_no_signs() {
        assert_eq!(without_marks("- paint"), "paint");
        assert_eq!(
            without_marks("# Plan\n\n1. sand the **hull**\n2. paint `it`\n- [ ] row"),
            "Plan · sand the hull · paint it · row"
        );
        assert_eq!(without_marks("one line\nand the next"), "one line and the next");
        assert_eq!(without_marks("Anything else? Use **markdown**."), "Anything else? Use markdown.");
        assert_eq!(without_marks("**`cargo test`**, *then* ***go***: `a*b`"), "cargo test, then go: a*b");
        assert_eq!(without_marks("帆**舟**を"), "帆舟を", "words without blanks");
        for plain in [
            "#123 is open",
            "-5 degrees",
            "3.5 knots",
            "2024 was long",
            "a - b",
            "*.rs",
            "src/**/*.rs and lib/**/*.ts",
            "*.rs *.ts",
            "2 * 3 * 4",
            "2*3*4",
            "a**b**c",
            "**open",
            "** **",
            "git log --format='%h' *",
        ] {
            assert_eq!(without_marks(plain), plain);
        }
    }

    #[test]
    fn names_of_the_wire_are_words() {
        for (name, expected) in [
            ("runtime_ended", "runtime ended"),
            ("shellType", "shell type"),
            ("userPromptSubmitted", "user prompt submitted"),
            ("resume_continuity", "resume continuity"),
            ("needs-auth", "needs auth"),
            ("mcp.oauth_required", "MCP OAuth required"),
            ("copilot_errors.agent", "copilot errors agent"),
            ("gpt-5.4", "gpt-5.4"),
            ("a word already.", "a word already."),
            ("GitHub", "GitHub"),
            ("", ""),
            ("_", ""),
        ] {
            assert_eq!(in_words(name), expected);
        }
    }
}
