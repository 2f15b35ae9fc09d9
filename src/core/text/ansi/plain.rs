//! Terminal output as plain text, without colours.

use std::borrow::Cow;

use super::{MAX_LINES, Terminal, TerminalLine};

/// True if a text has control characters that change what a terminal shows of it: sequences, what goes back in a
/// line, and the end of a command whose beginning was removed.
pub fn for_terminal(text: &str) -> bool {
    let bytes = text.as_bytes();
    let at = |place: usize| bytes.get(place).copied();
    memchr::memchr3_iter(0x1B, b'\r', 0x08, bytes)
        .any(|place| at(place) != Some(b'\r') || at(place + 1) != Some(b'\n'))
        || memchr::memchr2_iter(0x07, 0xC2, bytes)
            .any(|place| at(place) == Some(0x07) || matches!(at(place + 1), Some(0x80..=0x9F)))
}

/// A text as a terminal shows it in the end, without colours and in full length. A text for which a terminal is
/// not needed is returned unchanged.
pub fn plain(text: &str) -> Cow<'_, str> {
    if for_terminal(text) { Cow::Owned(printed_text(text)) } else { Cow::Borrowed(text) }
}

/// What a terminal shows after printing a text, without colours.
pub fn printed_text(text: &str) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        // A part of the text at a time, because a terminal needs more memory than its text.
        let most = rest.match_indices('\n').nth(MAX_LINES / 2).map_or(rest.len(), |(end, _)| end + 1);
        let (part, behind) = rest.split_at(most);
        let mut terminal = Terminal::with_line_limit(usize::MAX);
        terminal.write(if behind.is_empty() { part } else { part.strip_suffix('\n').unwrap_or(part) });
        shown.extend(terminal.lines().iter().map(TerminalLine::text));
        rest = behind;
    }
    shown.join("\n")
}
