//! Our terminal against xterm.js: the same text and the same styles in the end. What xterm.js shows is made by
//! `tests/e2e/timeline/terminal-goldens.test.mjs`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use pilothouse::core::text::ansi::{Color, Line, Style, Terminal};
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
fn visible(line: &Line) -> Runs {
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

/// Where ours differs on purpose.
const MEANT: [&str; 11] = [
    // There is no screen: what is at places of one, or on another one, is kept, and no line has a right edge.
    "apt",
    "the other screen",
    "a very large parameter",
    // A sequence without an end does not take the next line along.
    "a line break within a sequence",
    // xterm.js takes the first number for a space of colours, and 300 for 300 - 256; xterm and ECMA-48 do not.
    "a true colour with colons and without a space of colours",
    "colours that are none",
    // A C1 control like others.
    "reverse index as a C1 control",
    // No more than 32 parameters are read, and nothing is repeated: few bytes could make many characters.
    "many parameters",
    "a character is repeated",
    // The addresses of links are left out, and letters are what they are.
    "a link",
    "the set of line drawing",
];

#[test]
fn the_terminal_shows_what_xterm_shows() {
    let all: Vec<Value> = serde_json::from_str(include_str!("support/terminal-screens.json")).unwrap();
    let mut differences = Vec::new();
    for row in &all {
        let output = row["output"].as_str().unwrap();
        let theirs: Vec<Runs> = serde_json::from_value(row["lines"].clone()).unwrap();
        let mut terminal = Terminal::new();
        terminal.write(output);
        let mut ours: Vec<Runs> = terminal.lines().iter().map(visible).collect();
        let lines = ours.iter().rposition(|runs| !runs.is_empty()).map_or(0, |last| last + 1);
        ours.truncate(lines);
        let is_meant = row["name"].as_str().is_some_and(|name| MEANT.contains(&name));
        if (ours != theirs) != is_meant {
            differences.push(format!("{output:?}\n  xterm {theirs:?}\n  ours  {ours:?}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}
