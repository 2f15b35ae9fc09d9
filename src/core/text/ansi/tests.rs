//! Tests of terminal output: overwriting, styles, split input, limits.

use super::*;

fn shown(text: &str) -> Vec<String> {
    let mut terminal = Terminal::new();
    terminal.write(text);
    terminal.lines().iter().map(TerminalLine::text).collect()
}

#[test]
fn overwriting_and_moving() {
    assert_eq!(shown("10%\r20%\rdone"), ["done"]);
    assert_eq!(shown("100%\r5"), ["500%"]);
    assert_eq!(shown("100%\r\x1b[K5"), ["5"]);
    assert_eq!(shown("ab\x08c"), ["ac"]);
    assert_eq!(shown("a\tb"), ["a       b"]);
    assert_eq!(shown("one\ntwo\n\x1b[2A\x1b[2KONE\x1b[2B\x1b[1Gend"), ["ONE", "two", "end"]);
    assert_eq!(shown("x\r\ny"), ["x", "y"]);
}

#[test]
fn columns_are_counted_by_characters_as_readers_see_them() {
    assert_eq!(shown("中中中中\rab"), ["ab中中中"]);
    assert_eq!(shown("e\u{301}x\ry"), ["yx"]);
    assert_eq!(shown("👩\u{200D}👩\u{200D}👧|\x1b[3Gx"), ["👩\u{200D}👩\u{200D}👧x"]);
    assert_eq!(shown("🇩🇪🇫🇷\x1b[4Gx"), ["🇩🇪 x"]);
    assert_eq!(shown("ab中\nx\x1b[A\x1b[2Cc"), ["ab c", "x"], "a line that is loaded again");
    let marks = format!("a{}", "\u{301}".repeat(100_000));
    assert_eq!(shown(&format!("{marks}\rb")), ["b"]);
    let wide = shown(&"中".repeat(MAX_COLUMNS));
    assert_eq!(wide.iter().map(|line| line.chars().count()).collect::<Vec<_>>(), [MAX_COLUMNS / 2; 2]);
}

#[test]
fn what_is_written_at_a_place_of_the_screen_is_appended_and_not_written_over() {
    assert_eq!(shown("a\x1b7b\x1b8c"), ["ac"]);
    assert_eq!(shown("a\x1b7\x1b[24;1H 50%\x1b8 b"), ["a 50% b"]);
    assert_eq!(shown("a\x1b[s\x1b[24;1f 50%\x1b[u b"), ["a 50% b"]);
    assert_eq!(shown("a\x1b[s\x1b[24d 50%\x1b[u b"), ["a 50% b"]);
    assert_eq!(shown("a\x1b8b\x1b[uc"), ["abc"]);
    let mut terminal = Terminal::new();
    terminal.write("a\x1b7\x1b[24;1H\x1b[7m 50%\x1b8 b");
    assert!(terminal.lines()[0].spans.last().unwrap().style.is_plain(), "its style returns all the same");
}

#[test]
fn few_bytes_make_few_blanks() {
    let line = |text: &str| shown(text)[0].clone();
    assert_eq!(line("\x1b[9999Gx").len(), WIDEST + 1);
    assert_eq!(line("ab\x1b[9999Cx").len(), WIDEST + 1);
    assert_eq!(line(&format!("{}\x1b[9999Cx", "a".repeat(600))).len(), 601);
}

#[test]
fn a_line_that_is_longer_than_any_screen_is_not_changed_once_it_is_left() {
    let long = "x".repeat(4 * WIDEST + 1);
    let shown = shown(&format!("{long}\none\x1b[A\x1b[2K\x1b[1K\x1b[P\x1b[@\x1b[Xtwo\r2\nthree"));
    assert_eq!(shown, [long.as_str(), "one", "2wo", "three"]);
    let coloured = "\x1b[31mx\x1b[32mx".repeat(WIDEST);
    let mut terminal = Terminal::new();
    terminal.write(&format!("{coloured}\n\x1b[Ax"));
    assert_eq!(terminal.lines()[0].spans.len(), 2 * WIDEST);
    assert_eq!(terminal.lines().last().unwrap().text(), "x");
}

#[test]
fn the_cursor_returns_to_its_line_although_older_ones_were_dropped() {
    let lines = "line\n".repeat(MAX_LINES - 10);
    assert_eq!(
        shown(&format!("{lines}\x1b7{}\x1b8x", "\n".repeat(DROP_STEP + 9)))[MAX_LINES - DROP_STEP - 10],
        "x"
    );
    assert_eq!(shown(&format!("\x1b7{lines}{}\x1b8x", "line\n".repeat(DROP_STEP + 9)))[0], "xine");
}

#[test]
fn everything_else_is_swallowed() {
    assert_eq!(shown("a\x1b]0;title\x07b"), ["ab"]);
    assert_eq!(shown("a\x1b]8;;https://x.y\x1b\\link\x1b]8;;\x1b\\b"), ["alinkb"]);
    assert_eq!(shown("a\x1bPq#0\x1b\\b\x07c"), ["abc"]);
    assert_eq!(shown("a\x7fb"), ["ab"]);
    assert_eq!(shown("a\u{9b}31mb\u{9d}0;t\u{9c}c\u{86}d"), ["abcd"]);
    assert_eq!(shown("a\x1b[?25l\x1b[5;5Hb\x1b(Bc"), ["abc"]);
    assert_eq!(shown("a\x1b[2J\x1b[3J\x1b[Hb\n\x1bcc"), ["a", "b", "c"]);
    assert_eq!(shown("\x1b]never ended\nstill here"), ["", "still here"]);
}

#[test]
fn links_are_those_that_may_be_followed() {
    let links = |text: &str| -> Vec<(String, Option<String>)> {
        let mut terminal = Terminal::new();
        terminal.write(text);
        let spans = terminal.lines().iter().flat_map(|line| &line.spans);
        spans.map(|span| (span.text.clone(), terminal.address(&span.style).map(str::to_owned))).collect()
    };
    let linked = |text: &str, address: &str| (text.to_owned(), Some(address.to_owned()));
    let plain = |text: &str| (text.to_owned(), None);
    for (start, end) in [
        ("\x1b]8;;https://a.b/12\x07", "\x1b]8;;\x07"),
        ("\x1b]8;id=1;https://a.b/12\x1b\\", "\x1b]8;;\x1b\\"),
        ("\u{9d}8;;https://a.b/12\u{9c}", "\u{9d}8;;\u{9c}"),
        // `ESC ]` was removed.
        ("8;;https://a.b/12\x07", "8;;\x07"),
        ("8;;https://a.b/12\x1b\\", "8;;\x1b\\"),
    ] {
        let all = links(&format!("Opened {start}#12 \x1b[1mFix\x1b[0m it{end} now"));
        let link = |text: &str| linked(text, "https://a.b/12");
        assert_eq!(
            all,
            [plain("Opened "), link("#12 "), link("Fix"), link(" it"), plain(" now")],
            "{start:?}"
        );
    }
    assert_eq!(links("8;;javascript:alert(1)\x07x8;;\x07y"), [plain("xy")]);
    assert_eq!(links("\x1b]8;;file:///a\x07x"), [plain("x")]);
    assert_eq!(links("\x1b]8;;https://never.ended\nx"), [plain("x")]);
    assert_eq!(shown("0;user@host: ~\x07$ ls\nab0;t\x07c"), ["$ ls", "abc"]);
    assert_eq!(shown("done\x07 exit 0; 3 warnings\x07"), ["done exit 0; 3 warnings"]);
    assert_eq!(shown("a\r8;;https://a.b\x07x8;;\x07"), ["x"]);
    assert_eq!(shown("中8;;https://a.b\x07文8;;\x07x"), ["中文x"]);
}

#[test]
fn styles() {
    let mut terminal = Terminal::new();
    terminal
        .write("\x1b[1;31mred\x1b[0m \x1b[38;5;196mx\x1b[48;2;1;2;3my\x1b[38:2::9:8:7mz\x1b[m\x1b[97;9mq");
    let spans = &terminal.lines()[0].spans;
    assert_eq!(spans[0].style, Style { bold: true, foreground: Some(Color::Palette(1)), ..Style::default() });
    assert!(spans[1].style.is_plain());
    assert_eq!(spans[2].style.foreground, Some(Color::Rgb(255, 0, 0)));
    assert_eq!(spans[3].style.background, Some(Color::Rgb(1, 2, 3)));
    assert_eq!(spans[4].style.foreground, Some(Color::Rgb(9, 8, 7)));
    assert_eq!(
        spans[5].style,
        Style { foreground: Some(Color::Palette(15)), strike: true, ..Style::default() }
    );
}

#[test]
fn any_split_shows_the_same() {
    let text = "one\x1b[31mtwo\x1b[0m\r\nthr\u{9b}1mé中e\u{301}\r8;;https://a.b\x07x8;;\x07\x1b]8;;u\x1b\\e\x1b[A\x1b[Kx\ny\x1b[38;5;20mz\n";
    let expected = {
        let mut terminal = Terminal::new();
        terminal.write(text);
        terminal.lines().to_vec()
    };
    for cut in text.char_indices().map(|(at, _)| at) {
        let mut terminal = Terminal::new();
        terminal.write(&text[..cut]);
        terminal.write(&text[cut..]);
        assert_eq!(terminal.lines(), expected, "{cut}");
    }
}

#[test]
fn bounded_and_counted() {
    let mut terminal = Terminal::new();
    terminal.write(&"line\n".repeat(30_000));
    assert!(terminal.lines().len() < MAX_LINES + DROP_STEP);
    assert_eq!(terminal.dropped() + terminal.lines().len(), 30_001);
    assert_eq!(terminal.take_first_changed(), Some(0));
    assert_eq!(terminal.take_first_changed(), None);
    terminal.write("x");
    assert_eq!(terminal.take_first_changed(), Some(30_000));
    terminal.write(&"y".repeat(100_000));
    assert!(terminal.lines().iter().all(|line| line.text().len() <= MAX_COLUMNS));
}

#[test]
fn noise_does_not_panic() {
    let mut seed = 1_u32;
    let noise: String = (0..20_000)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from_u32((seed >> 8) % 0xA0).unwrap_or('[')
        })
        .collect();
    shown(&noise);
    shown("\x1b[65535C\x1b[65535;65535mx\x1b[99999999Bq\x1b[65535Dz");
}

#[test]
fn without_a_terminal_nothing_is_lost_but_the_colours() {
    assert_eq!(plain("a\x1b[33mb\x1b[0m\nc"), "ab\nc");
    assert!(matches!(plain("a\r\nb · c"), std::borrow::Cow::Borrowed("a\r\nb · c")));
    for (text, seen) in [
        ("10%\r20%", "20%"),
        ("10%\r55%\rdone\r\n", "done\n"),
        ("|\x08/\x08-", "-"),
        ("a\u{9b}1mb", "ab"),
        ("a8;;\x07b", "ab"),
        ("frame\r", "frame"),
    ] {
        assert_eq!(plain(text), seen, "{text:?}");
    }
    assert_eq!(printed_text("10%\r20%\n"), "20%\n");
    for count in [MAX_LINES / 2, MAX_LINES / 2 + 1, MAX_LINES + 1, 3 * MAX_LINES] {
        let lines = |colour: &str| {
            let lines: Vec<String> = (0..count).map(|line| format!("{colour}line {line}\n")).collect();
            lines.concat()
        };
        assert!(plain(&lines("\x1b[1m")) == lines(""), "{count} lines");
        assert!(plain(lines("\x1b[1m").trim_end()) == lines("").trim_end(), "{count} lines");
    }
    assert_eq!(plain(&"a\x1bE".repeat(12_000)).lines().filter(|line| *line == "a").count(), 12_000);
}
