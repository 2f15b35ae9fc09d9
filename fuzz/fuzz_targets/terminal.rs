//! Terminal output: pieces show the same as the whole, nothing of a control sequence is left, and what changed is told.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse::core::text::ansi::{MAX_LINES, Terminal, TerminalLine, for_terminal, plain, printed_text};
use pilothouse_fuzz::{cuts, text_pieces};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut whole = Terminal::new();
    whole.write(&text);
    assert!(whole.lines().len() < MAX_LINES + 2_000);
    for line in whole.lines() {
        assert!(!line.text().contains(|c: char| c.is_control()), "{line:?}");
        assert!(line.spans.windows(2).all(|two| two[0].style != two[1].style), "{line:?}");
        for span in &line.spans {
            span.style.css_classes();
        }
    }
    for cuts in cuts(text.as_bytes()) {
        let mut terminal = Terminal::new();
        // What a view shows that draws only from the first changed line on.
        let mut shown: Vec<TerminalLine> = terminal.lines().to_vec();
        for piece in text_pieces(&text, &cuts) {
            terminal.write(piece);
            if let Some(first) = terminal.take_first_changed()
                && terminal.dropped() == 0
            {
                assert!(first <= shown.len(), "{first} of {}", shown.len());
                shown.truncate(first);
                shown.extend_from_slice(&terminal.lines()[first..]);
            }
        }
        assert_eq!(terminal.lines(), whole.lines(), "cut at {cuts:?}");
        assert_eq!(terminal.dropped(), whole.dropped());
        if terminal.dropped() == 0 {
            assert_eq!(shown, whole.lines(), "as a view, cut at {cuts:?}");
        }
    }
    for_terminal(&text);
    plain(&text);
    printed_text(&text);
});
