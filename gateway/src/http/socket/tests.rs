//! Tests of packing lines into frames.
#![allow(clippy::unwrap_used)]

use super::{LARGEST_FRAME, pack};
use crate::journal::{Batch, Entry};

fn batch(lines: &[(&str, bool)]) -> Batch {
    let entry = |(at, (raw, event)): (usize, &(&str, bool))| {
        (at as u64 + 1, Entry { raw: (*raw).into(), event: *event, persisted: false })
    };
    Batch { entries: lines.iter().enumerate().map(entry).collect(), restarted: false }
}

#[test]
fn events_share_a_frame_and_other_lines_have_their_own() {
    let frames = pack(
        "\"s\"",
        &batch(&[
            ("{\"type\":\"a\"}", true),
            ("{\"type\":\"b\"}", true),
            ("{no", false),
            ("{\"type\":\"c\"}", true),
        ]),
        false,
        true,
    );
    assert_eq!(frames.len(), 3);
    let lines: Vec<_> = frames.first().unwrap().lines().collect();
    let first = r#"{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"s","event":{"type":"a"},"seq":1}}"#;
    assert_eq!((lines.len(), *lines.first().unwrap()), (2, first));
    assert_eq!(frames.get(1).unwrap(), "{no");
    assert!(frames.get(2).unwrap().contains(r#""seq":4"#));
}

#[test]
fn a_frame_is_no_larger_than_its_limit_unless_one_event_is() {
    let middle = "x".repeat(LARGEST_FRAME / 3);
    let huge = "y".repeat(LARGEST_FRAME * 2);
    let frames = pack(
        "\"s\"",
        &batch(&[(&middle, true), (&middle, true), (&middle, true), (&huge, true), (&middle, true)]),
        true,
        false,
    );
    let sizes: Vec<_> = frames.iter().map(|frame| frame.lines().count()).collect();
    assert_eq!(sizes, [2, 1, 1, 1]);
    assert!(frames.iter().filter(|frame| frame.len() > LARGEST_FRAME).count() == 1);
}

#[test]
fn who_reads_compact_frames_gets_the_session_once() {
    let lines =
        [("{\"type\":\"a\"}", true), ("{\"type\":\"b\"}", true), ("{no", false), ("{\"type\":\"c\"}", true)];
    let named = r#"{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"s","event":{"type":"a"},"seq":1}}"#;
    let [first, second, last] = [(1, "a"), (2, "b"), (4, "c")]
        .map(|(seq, kind)| format!(r#"{{"seq":{seq},"event":{{"type":"{kind}"}}}}"#));
    for (known, first) in [(false, named.to_owned()), (true, first)] {
        let frames = pack("\"s\"", &batch(&lines), true, known);
        assert_eq!(frames, [[&first, "\n", &second].concat(), "{no".to_owned(), last.clone()]);
    }
}
