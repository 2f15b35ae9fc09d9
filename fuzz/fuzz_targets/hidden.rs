//! Hidden and misleading characters: the pieces of a text are the text, and no hidden character stands in plain text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse::core::text::hidden::{Segment, has_hidden, segments};
use pilothouse::core::text::markdown::links;
use pilothouse::core::text::review_marks::{
    ReviewMark, TextKind, address, address_dangers, count_hidden, dangers, find_look_alikes, host, may_open,
    quoted, review,
};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let all = segments(&text);
    let mut joined = String::new();
    for segment in &all {
        match segment {
            Segment::Plain(run) => joined.push_str(run),
            Segment::Hidden { ch, .. } => joined.push(*ch),
        }
    }
    assert_eq!(joined, text);
    assert_eq!(has_hidden(&text), all.iter().any(|segment| matches!(segment, Segment::Hidden { .. })));
    for kind in [TextKind::Command, TextKind::Line, TextKind::Content, TextKind::Prose] {
        for mark in review(&text, kind) {
            if let ReviewMark::Plain(run) | ReviewMark::RightToLeft(run) = mark {
                // One blank, or one line break, stands for a long run of them.
                assert!(text.contains(run) || run == " " || run == "\n", "{run:?}");
                assert!(!run.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\u{1b}', '\0']), "{run:?}");
            }
        }
        count_hidden(&text, kind);
        dangers(&text, kind);
    }
    find_look_alikes(&text);
    quoted(&text);
    address_dangers(&text);
    may_open(&text);
    host(&text);
    if let Some(address) = address(&text) {
        let _ = address;
    }
    links::reach(&text);
    links::host(&text);
    if let Some(range) = links::find_bare(&text) {
        links::address(&text[range]);
    }
});
