//! Commands of the operating system (OSC) in terminal output: titles, which are not shown, and links. Also what is
//! left of them where a runtime has removed `ESC ]` only.

use crate::text::hidden::has_hidden;
use crate::text::markdown::links::{Reach, reach};

/// The address of a link may be incomplete beyond this: the parser keeps at most 1,024 bytes of a command.
const LONGEST: usize = 1_000;
/// The parser keeps no more parameters.
const MOST_PARAMETERS: usize = 16;

/// The address that a command begins to link to; `Some("")` if it ends a link or begins one that may not be
/// followed, `None` if it is not about links.
pub fn linked(parameters: &[&[u8]]) -> Option<String> {
    let [number, _, address @ ..] = parameters else { return None };
    if *number != b"8" {
        return None;
    }
    let is_whole = parameters.len() < MOST_PARAMETERS
        && parameters.iter().map(|part| part.len()).sum::<usize>() < LONGEST;
    let address = String::from_utf8(address.join(&b';')).unwrap_or_default();
    Some(if is_whole && may_follow(&address) { address } else { String::new() })
}

/// The same rule as for links in messages. An address with characters that nobody sees is not followed.
fn may_follow(address: &str) -> bool {
    reach(address) == Reach::External && !has_hidden(address)
}

/// What is left of a command at the end of a text, which was terminated behind it: the byte at which it begins,
/// and the address as in `linked`.
pub fn find_cut_off_command(text: &str) -> Option<(usize, Option<String>)> {
    // From the last number on, as what is before it may be output. `9;4;1;50` is one command.
    let mut end = text.len();
    loop {
        let semicolon = text.get(..end)?.rfind(';')?;
        let mut start = number_before(text, semicolon);
        while start > 0 && text.get(..start)?.ends_with(';') && number_before(text, start - 1) < start - 1 {
            start = number_before(text, start - 1);
        }
        let command = text.get(start..)?;
        let (number, rest) = command.split_once(';')?;
        if number.ends_with('8')
            && let Some((keys, address)) = rest.split_once(';')
            && (keys.is_empty() || keys.contains('='))
            && !rest.contains(char::is_whitespace)
            && (address.is_empty() || address.contains(':'))
        {
            // A number before it is output.
            let address = if may_follow(address) { address.to_owned() } else { String::new() };
            return Some((without_bracket(text, start + number.len() - 1), Some(address)));
        }
        let begin = without_bracket(text, start);
        if is_command(number, rest, text.get(..begin)?.chars().next_back()) {
            return Some((begin, None));
        }
        end = semicolon.min(start);
    }
}

/// Where the command begins if only `ESC` was removed: before its `]`, unless that closes a bracket of the output.
fn without_bracket(text: &str, start: usize) -> usize {
    let before = text.get(..start).and_then(|before| before.strip_suffix(']'));
    let closes = |before: &str| before.rfind('[') > before.rfind(']');
    start - usize::from(before.is_some_and(|before| !closes(before)))
}

/// Where the number before a byte begins.
fn number_before(text: &str, end: usize) -> usize {
    let before = text.get(..end).unwrap_or_default();
    before.trim_end_matches(|c: char| c.is_ascii_digit()).len()
}

/// Whether a number and what follows are a command that terminals know, and not a part of a sentence.
fn is_command(number: &str, rest: &str, before: Option<char>) -> bool {
    let apart = |c: char| c.is_whitespace() || c.is_alphabetic() || matches!(c, '$' | '#' | '%' | '>' | ')');
    match number {
        "0" | "1" | "2" => before.is_none_or(apart) && rest.starts_with(|c: char| !c.is_whitespace()),
        "4" | "10" | "11" | "12" | "104" | "110" | "111" | "112" => !rest.contains(char::is_whitespace),
        "7" => rest.starts_with("file:"),
        "9" | "52" | "133" | "633" | "777" | "1337" => !rest.is_empty() && !rest.starts_with(' '),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_command_is_found() {
        for (text, output, address) in [
            ("Opened 8;;https://a.b/12", "Opened ", Some("https://a.b/12")),
            ("#12 Fix8;;", "#12 Fix", Some("")),
            ("Issue 28;;", "Issue 2", Some("")),
            ("8;id=7;https://a.b/?a;b", "", Some("https://a.b/?a;b")),
            ("8;;javascript:alert(1)", "", Some("")),
            ("8;;file:///etc/passwd", "", Some("")),
            ("8;;https://a.b/\u{202E}x", "", Some("")),
            ("0;user@host: ~", "", None),
            ("$ 2;make; ls", "$ ", None),
            ("9;4;1;50", "", None),
            ("133;A", "", None),
            ("7;file://host/a b", "", None),
            ("11;?", "", None),
            ("]8;;https://a.b/12", "", Some("https://a.b/12")),
            ("$ ls]8;;", "$ ls", Some("")),
            ("[ok] ]0;title", "[ok] ", None),
            ("[ok]8;;https://a.b", "[ok]", Some("https://a.b")),
            ("]11;?", "", None),
        ] {
            let found = find_cut_off_command(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((&text[..found.0], found.1.as_deref()), (output, address), "{text}");
        }
        for text in
            ["", "done", "exit 0; 3 warnings", "a=1;b=2", "a; b", "(2;3)", ";", "8;", "x 18;;y z", "a;;;;b"]
        {
            assert_eq!(find_cut_off_command(text), None, "{text}");
        }
    }

    #[test]
    fn a_link_is_known_by_its_whole_address() {
        let linked = |text: &str| linked(&text.split(';').map(str::as_bytes).collect::<Vec<_>>());
        assert_eq!(linked("8;;https://a.b/?x=1;y").as_deref(), Some("https://a.b/?x=1;y"));
        assert_eq!(linked("8;id=1;mailto:a@b.c").as_deref(), Some("mailto:a@b.c"));
        assert_eq!(linked("8;;").as_deref(), Some(""));
        assert_eq!(linked("8;;data:text/html,x").as_deref(), Some(""));
        assert_eq!(linked("8;;a/relative/path").as_deref(), Some(""));
        assert_eq!(linked(&format!("8;;https://a.b/{}", "x".repeat(1_000))).as_deref(), Some(""));
        assert_eq!(linked("0;title"), None);
    }
}
