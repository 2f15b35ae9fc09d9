//! Marks what a reader would miss in a text to be approved: hidden characters, padding, look-alike letters,
//! misleading addresses.

use super::hidden::{self, TextRun};
use crate::i18n::words::requests;

/// This many blanks in a row, not at the start of a line, can push the rest out of kind.
const PADDING: usize = 16;
/// This many line breaks in a row can do the same.
const BREAKS: usize = 5;

/// How strictly a text is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// A command: padding is suspicious.
    Command,
    /// One line: line breaks are suspicious too.
    Line,
    /// A file or data: indentation and empty lines are normal.
    Content,
    /// Sentences: like content, and in the writing direction of their first letter.
    Prose,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewMark<'a> {
    /// Ordinary text.
    Plain(&'a str),
    /// Right-to-left letters, to be isolated so that they do not reorder the text around them.
    RightToLeft(&'a str),
    /// The description of something invisible.
    Token(String),
}

/// Splits a text into pieces.
pub fn review(text: &str, kind: TextKind) -> Vec<ReviewMark<'_>> {
    let mut marks = Vec::new();
    // Isolating each word of a right-to-left sentence would put its words in the wrong order.
    let from_the_right = kind == TextKind::Prose
        && text.chars().find(|letter| letter.is_alphabetic()).is_some_and(right_to_left);
    for run in hidden::runs(text) {
        match run {
            TextRun::Token(name) => marks.push(ReviewMark::Token(name)),
            TextRun::Plain(run) if from_the_right => marks.push(ReviewMark::Plain(run)),
            TextRun::Plain(run) if matches!(kind, TextKind::Content | TextKind::Prose) => {
                directions(run, kind, &mut marks);
            }
            TextRun::Plain(run) => blanks(run, kind, &mut marks),
        }
    }
    marks
}

/// How many pieces of a text are invisible.
pub fn count_hidden(text: &str, kind: TextKind) -> usize {
    review(text, kind).iter().filter(|mark| matches!(mark, ReviewMark::Token(_))).count()
}

/// Adds the pieces of a text, with long runs of blanks as tokens.
fn blanks<'a>(text: &'a str, kind: TextKind, marks: &mut Vec<ReviewMark<'a>>) {
    let mut rest = text;
    let mut line_start = true;
    while !rest.is_empty() {
        let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
        let (run, next) = match rest.find(|c| !blank(c)) {
            Some(0) => rest.split_at(rest.find(blank).unwrap_or(rest.len())),
            Some(end) => rest.split_at(end),
            None => (rest, ""),
        };
        rest = next;
        if !run.starts_with(blank) {
            directions(run, kind, marks);
            line_start = false;
            continue;
        }
        let breaks = run.matches('\n').count();
        let spaces = run.chars().filter(|c| matches!(c, ' ' | '\t')).count();
        if breaks > 0 && (kind == TextKind::Line || breaks >= BREAKS) {
            marks.push(ReviewMark::Token(requests::LINE_BREAKS.with(&[("n", breaks.into())])));
            if kind != TextKind::Line {
                marks.push(ReviewMark::Plain("\n"));
            }
        } else if breaks == 0 && spaces >= PADDING && !line_start && !next.is_empty() {
            marks.push(ReviewMark::Token(requests::BLANKS.with(&[("n", spaces.into())])));
            marks.push(ReviewMark::Plain(" "));
        } else {
            marks.push(ReviewMark::Plain(run));
        }
        line_start = breaks > 0;
    }
}

/// Adds the pieces of a text, with right-to-left letters isolated word by word, in prose phrase by phrase.
fn directions<'a>(text: &'a str, kind: TextKind, marks: &mut Vec<ReviewMark<'a>>) {
    let mut rest = text;
    while let Some(start) = rest.find(right_to_left) {
        let (plain, tail) = rest.split_at(start);
        if !plain.is_empty() {
            marks.push(ReviewMark::Plain(plain));
        }
        let goes_on = |c: char| right_to_left(c) || (kind == TextKind::Prose && !c.is_alphanumeric());
        let end = tail.find(|c| !goes_on(c)).unwrap_or(tail.len());
        let end = tail.get(..end).map_or(end, |run| run.trim_end_matches(|c| !right_to_left(c)).len());
        let (run, next) = tail.split_at(end);
        marks.push(ReviewMark::RightToLeft(run));
        rest = next;
    }
    if !rest.is_empty() {
        marks.push(ReviewMark::Plain(rest));
    }
}

fn right_to_left(ch: char) -> bool {
    matches!(ch, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

/// Words that mix Latin letters with look-alikes from Greek, Cyrillic, Armenian or Cherokee, and characters
/// that look like those on a keyboard: `／`, `ａ`, `𝚊`.
pub fn find_look_alikes(text: &str) -> Vec<&str> {
    // Nearly every command is plain ASCII.
    if text.is_ascii() {
        return Vec::new();
    }
    let foreign = |c: char| {
        matches!(c, '\u{370}'..='\u{3FF}' | '\u{400}'..='\u{58F}' | '\u{13A0}'..='\u{13FF}')
            && c.is_alphabetic()
    };
    let mixed = |word: &&str| {
        word.contains(|c: char| c.is_ascii_alphabetic()) && word.contains(foreign) || word.contains(is_styled)
    };
    let mut found: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(mixed).collect();
    found.extend(text.matches(is_false_sign));
    found
}

/// Full-width and mathematical variants of letters and digits.
fn is_styled(c: char) -> bool {
    matches!(c, '\u{FF10}'..='\u{FF19}' | '\u{FF21}'..='\u{FF3A}' | '\u{FF41}'..='\u{FF5A}' | '\u{1D400}'..='\u{1D7FF}')
}

/// Characters that look like the special characters of commands and addresses.
fn is_false_sign(c: char) -> bool {
    matches!(
        c,
        '\u{2044}'
            | '\u{2215}'
            | '\u{29F8}'
            | '\u{2216}'
            | '\u{29F5}'
            | '\u{FF0F}'
            | '\u{FF3C}'
            | '\u{FF1B}'
            | '\u{FF5C}'
            | '\u{FF06}'
            | '\u{FF04}'
            | '\u{FF40}'
            | '\u{FF0E}'
            | '\u{2024}'
            | '\u{FF0D}'
            | '\u{A789}'
            | '\u{2236}'
            | '\u{37E}'
    )
}

/// Warnings about a text that is to be approved.
pub fn dangers(text: &str, kind: TextKind) -> Vec<String> {
    let mut dangers = Vec::new();
    match count_hidden(text, kind) {
        0 => {}
        n => dangers.push(requests::HIDDEN_SEQUENCES.with(&[("n", n.into())])),
    }
    let mut words = find_look_alikes(text);
    if matches!(kind, TextKind::Content | TextKind::Prose) {
        // In ordinary text these characters are harmless.
        words.retain(|word| !word.contains(|c| is_false_sign(c) || is_styled(c)));
    }
    if !words.is_empty() {
        dangers.push(requests::LOOK_ALIKES.with(&[("words", (&words.join(", ")).into())]));
    }
    dangers
}

/// The names of a path, each with the separator behind it: after those it may be broken into lines.
pub fn path_names(path: &str) -> impl Iterator<Item = &str> {
    path.split_inclusive(['/', '\\'])
}

/// Puts a name in backticks for use in a message. Backticks in the name are replaced, as they would end the
/// code.
pub fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "\u{2CB}"))
}

/// An address, split around its host.
#[derive(Debug, PartialEq, Eq)]
pub struct Address<'a> {
    /// Scheme and user name.
    pub before: &'a str,
    /// The host, with its port.
    pub host: &'a str,
    /// Path and query.
    pub after: &'a str,
}

/// Splits an address. None if it has no host.
pub fn address(url: &str) -> Option<Address<'_>> {
    let start = url.find("://")? + 3;
    let authority = url.get(start..)?;
    // Browsers read a backslash as a slash.
    let end = start + authority.find(['/', '\\', '?', '#']).unwrap_or(authority.len());
    let host = start + url.get(start..end)?.rfind('@').map_or(0, |at| at + 1);
    let (before, host, after) = (url.get(..host)?, url.get(host..end)?, url.get(end..)?);
    (!host.is_empty()).then_some(Address { before, host, after })
}

/// The host of an address; `None` if it has none.
pub fn host(url: &str) -> Option<&str> {
    address(url).map(|address| address.host)
}

/// Warnings about an address.
pub fn address_dangers(url: &str) -> Vec<String> {
    let mut dangers = dangers(url, TextKind::Line);
    let Some(address) = address(url) else {
        return dangers;
    };
    if address.before.contains('@') {
        dangers.push(requests::USER_NAME.with(&[("host", address.host.into())]));
    }
    if !address.host.is_ascii() || address.host.split('.').any(|label| label.starts_with("xn--")) {
        dangers.push(requests::HOST_LETTERS.text().to_owned());
    }
    dangers
}

/// True if this address may be a link: http or https, with a host and without white space or hidden
/// characters.
pub fn may_open(url: &str) -> bool {
    let scheme = url.split("://").next().unwrap_or_default();
    (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
        && !url.contains(char::is_whitespace)
        && !hidden::has_hidden(url)
        && address(url).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_behind_white_space_is_brought_into_view() {
        let command = format!("ls{}; rm -rf /", " ".repeat(300));
        let shown = review(&command, TextKind::Command);
        assert_eq!(shown.get(1), Some(&ReviewMark::Token("300 blanks".to_owned())));
        assert_eq!(shown.last(), Some(&ReviewMark::Plain("/")));
        assert_eq!(count_hidden("if x; then\n                    echo indented\nfi", TextKind::Command), 0);
        assert_eq!(count_hidden(&format!("ls{}rm x", "\n".repeat(40)), TextKind::Command), 1);
        assert_eq!(count_hidden("a\nb", TextKind::Line), 1);
        assert_eq!(count_hidden(&command, TextKind::Content), 0);
    }

    #[test]
    fn hidden_and_foreign_letters_are_named() {
        assert_eq!(count_hidden("a\u{202E}b\u{200B}", TextKind::Command), 2);
        assert_eq!(find_look_alikes("curl p\u{430}ypal.com \u{440}\u{43E}\u{442} plain"), ["p\u{430}ypal"]);
        assert!(
            review("rm \u{5D0}\u{5D1} x", TextKind::Command)
                .contains(&ReviewMark::RightToLeft("\u{5D0}\u{5D1}"))
        );
        assert_eq!(dangers("cargo test", TextKind::Command), Vec::<String>::new());
        assert_eq!(find_look_alikes("rm \u{FF52}f a\u{2215}b caf\u{E9}"), ["\u{FF52}f", "\u{2215}"]);
        let padded = format!("ls{};rm x", "\u{A0}".repeat(300));
        assert_eq!(
            review(&padded, TextKind::Command).get(1),
            Some(&ReviewMark::Token("no-break space × 300".to_owned()))
        );
    }

    #[test]
    fn a_sentence_is_read_in_its_own_direction() {
        let arabic = "\u{62A}\u{646} \u{647}\u{630} `ls`\u{61F}";
        assert_eq!(review(arabic, TextKind::Prose), [ReviewMark::Plain(arabic)]);
        assert!(review(arabic, TextKind::Content).contains(&ReviewMark::RightToLeft("\u{62A}\u{646}")));
        let hidden = format!("{arabic}\u{202E}");
        assert!(matches!(
            review(&hidden, TextKind::Prose).as_slice(),
            [ReviewMark::Plain(_), ReviewMark::Token(_)]
        ));
        assert_eq!(
            review("run \u{62A}, \u{646} now", TextKind::Prose),
            [
                ReviewMark::Plain("run "),
                ReviewMark::RightToLeft("\u{62A}, \u{646}"),
                ReviewMark::Plain(" now")
            ]
        );
    }

    #[test]
    fn the_host_is_what_a_browser_asks() {
        let host = |url| address(url).map(|address| address.host);
        assert_eq!(host("https://a.example/b?c@d"), Some("a.example"));
        assert_eq!(host("https://bank.example@evil.example/x"), Some("evil.example"));
        assert_eq!(host("https://evil.example\\@bank.example/"), Some("evil.example"));
        assert_eq!(host("mailto:x@y"), None);
        assert_eq!(address_dangers("https://bank.example@evil.example/").len(), 1);
        assert!(may_open("https://a.example/"));
        assert!(!may_open("javascript://a.example/%0aalert(1)"));
        assert!(!may_open("https://a.example/ x"));
    }
}
