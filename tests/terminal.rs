//! Our terminal against xterm.js: the same text and the same styles in the end. What xterm.js shows is made by
//! `tests/e2e/timeline/terminal-goldens.test.mjs`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use pilothouse::core::text::ansi::{Color, Style, Terminal, TerminalLine};
use serde_json::Value;

/// Runs of a text and its style, written as in the file.
type Runs = Vec<(String, String)>;

fn color(color: Option<Color>) -> String {
    match color {
        None => String::new(),
        Some(Color::Palette(index)) => index.to_string(),
        Some(Color::Rgb(red, green, blue)) => format!("{red},{green},{blue}"),
    }
}

fn style(style: &Style, is_blank: bool) -> String {
    let seen_on_blanks = [("u", style.underline), ("r", style.inverse), ("s", style.strike)];
    if is_blank && style.background.is_none() && seen_on_blanks.iter().all(|(_, on)| !on) {
        return "//".to_owned();
    }
    let letters =
        [("b", style.bold), ("d", style.dim), ("i", style.italic)].into_iter().chain(seen_on_blanks);
    let letters: String = letters.filter(|(_, on)| *on).map(|(letter, _)| letter).collect();
    format!("{letters}/{}/{}", color(style.foreground), color(style.background))
}

/// A line without what nobody sees: styles of blanks that show nothing, and without blanks at its end, with
/// which xterm.js fills lines up to its right edge.
fn visible(line: &TerminalLine) -> Runs {
    let mut runs = Runs::new();
    for span in &line.spans {
        for c in span.text.chars() {
            let style = style(&span.style, c == ' ');
            match runs.last_mut() {
                Some((text, last)) if *last == style => text.push(c),
                _ => runs.push((c.into(), style)),
            }
        }
    }
    while let Some((text, _)) = runs.last_mut().filter(|(text, _)| text.ends_with(' ')) {
        text.truncate(text.trim_end_matches(' ').len());
        runs.retain(|(text, _)| !text.is_empty());
    }
    runs
}

/// Where ours differs on purpose, and what it shows.
const INTENDED_DIFFERENCES: [(&str, &str); 9] = [
    // There is no screen: what is at a place of one, or on another one, is kept. A gap ends at column 500.
    ("apt", "Progress: [ 50%]Setting up a"),
    ("the other screen", "abc"),
    ("a very large parameter", "a{gap}b"),
    // A sequence without an end does not take the next line along.
    ("a line break within a sequence", "a\n1mb"),
    // By ISO 8613-6 the first number is a colour space, but many programs leave it out.
    ("a true colour with colons and without a space of colours", "a"),
    // xterm.js takes 300 for 300 - 256, and missing numbers for 0.
    ("colours that are none", "abcde"),
    // A C1 control like others.
    ("reverse index as a C1 control", "b"),
    // The addresses of links are left out.
    ("a link", "alinkb"),
    // xterm.js drops a byte order mark wherever it is. What a person copies should be what was printed.
    ("invisible characters", "a\u{200B}b\u{2060}c\u{FEFF}d"),
];

/// Writes an output in pieces of so many characters, and draws as a view does: from the first changed line on.
fn drawn(output: &str, piece: usize) -> Vec<TerminalLine> {
    let mut terminal = Terminal::new();
    let mut shown = terminal.lines().to_vec();
    let characters: Vec<char> = output.chars().collect();
    for piece in characters.chunks(piece.max(1)) {
        terminal.write(&piece.iter().collect::<String>());
        if let Some(first) = terminal.take_first_changed() {
            shown.truncate(first);
            shown.extend_from_slice(&terminal.lines()[first..]);
        }
    }
    assert_eq!(shown, terminal.lines(), "{output:?}");
    shown
}

#[test]
fn the_terminal_shows_what_xterm_shows() {
    let all: Vec<Value> = serde_json::from_str(include_str!("support/terminal-screens.json")).unwrap();
    let (mut differences, mut intended) = (Vec::new(), 0);
    for row in &all {
        let output = row["output"].as_str().unwrap();
        let theirs: Vec<Runs> = serde_json::from_value(row["lines"].clone()).unwrap();
        let lines = drawn(output, output.len());
        for piece in [1, 2, 7] {
            assert_eq!(drawn(output, piece), lines, "{output:?} in pieces of {piece} characters");
        }
        let mut ours: Vec<Runs> = lines.iter().map(visible).collect();
        ours.truncate(ours.iter().rposition(|runs| !runs.is_empty()).map_or(0, |last| last + 1));
        if let Some((_, text)) =
            INTENDED_DIFFERENCES.iter().find(|(name, _)| row["name"] == *name && ours != theirs)
        {
            let shown: Vec<String> = lines.iter().map(TerminalLine::text).collect();
            assert_eq!(shown.join("\n").trim_end(), text.replace("{gap}", &" ".repeat(499)));
            intended += 1;
        } else if ours != theirs {
            differences.push(format!("{output:?}\n  xterm {theirs:?}\n  ours  {ours:?}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
    assert_eq!(intended, INTENDED_DIFFERENCES.len());
}
