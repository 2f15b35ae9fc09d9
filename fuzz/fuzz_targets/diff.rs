//! Diffs: any text is read, and a comparison of two texts has all lines of both.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse::core::text::diff::{LineKind, between, changed_words, parse};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let parsed = parse(&text);
    let lines = parsed.files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines);
    assert!(lines.count() <= text.split('\n').count());
    parsed.counts();

    // The first form feed is between the two texts.
    let (old, new) = text.split_once('\u{c}').unwrap_or((&text, ""));
    let diff = between(old, new);
    assert_eq!(diff.is_empty(), old == new);
    let (before, after): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let bare = |line: &str| {
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line).to_owned()
    };
    let (mut gone, mut come) = (0, 0);
    for line in diff.files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines) {
        assert_eq!(line.old.is_none(), line.kind == LineKind::Added);
        assert_eq!(line.new.is_none(), line.kind == LineKind::Removed);
        if let Some(number) = line.old {
            assert_eq!(bare(before[number as usize - 1]), line.text);
        }
        if let Some(number) = line.new {
            assert_eq!(bare(after[number as usize - 1]), line.text);
        }
        gone += usize::from(line.kind == LineKind::Removed);
        come += usize::from(line.kind == LineKind::Added);
    }
    assert_eq!(before.len() - gone, after.len() - come, "the lines that are left are the same");
    let (one, other) = (old.lines().next().unwrap_or_default(), new.lines().next().unwrap_or_default());
    if let Some([gone, come]) = changed_words(one, other) {
        let rest = |line: &str, marks: &[std::ops::Range<usize>]| {
            let mut left = line.to_owned();
            for mark in marks.iter().rev() {
                left.replace_range(mark.clone(), "");
            }
            left
        };
        assert_eq!(rest(one, &gone), rest(other, &come), "without the marked words both are the same");
    }
});
