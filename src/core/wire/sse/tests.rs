//! Tests of the framing: the standard's own examples, and every way to split one stream.

use super::*;

type Seen = (String, String, String);

fn read(parser: &mut SseParser, pieces: &[&[u8]]) -> Vec<Seen> {
    let mut seen = Vec::new();
    for piece in pieces {
        parser.push(piece, &mut |message| {
            seen.push((message.event.to_owned(), message.data.to_owned(), message.last_event_id.to_owned()));
        });
    }
    seen
}

fn all(text: &str) -> Vec<Seen> {
    read(&mut SseParser::new(), &[text.as_bytes()])
}

fn message(data: &str, id: &str) -> Seen {
    ("message".into(), data.into(), id.into())
}

#[test]
fn joins_data_lines_as_in_the_standards_first_example() {
    let seen = all("data: YHOO\ndata: +2\ndata: 10\n\n");
    assert_eq!(seen, [message("YHOO\n+2\n10", "")]);
}

#[test]
fn reads_the_standards_four_block_example() {
    let seen =
        all(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n");
    assert_eq!(seen, [message("first event", "1"), message("second event", "")]);
    let seen = all(": x\n\ndata:  third event\n\n");
    assert_eq!(seen, [message(" third event", "")]);
}

#[test]
fn reads_the_standards_empty_data_example() {
    assert_eq!(all("data\n\ndata\ndata\n\ndata:"), [message("", ""), message("\n", "")]);
    assert_eq!(all("data:test\n\ndata: test\n\n"), [message("test", ""), message("test", "")]);
}

#[test]
fn every_split_with_every_line_end_gives_the_same_messages() {
    let source = "\u{feff}: hi\nretry: 250\nid: 7\nevent: copilot_errors\ndata: naïve 🚢\ndata:  b\n\n\ndata: c\nfoo: bar\nid: 8\n\nid: 9\n\ndata: lost";
    let wanted =
        [("copilot_errors".to_owned(), "naïve 🚢\n b".to_owned(), "7".to_owned()), message("c", "8")];
    for line_end in ["\n", "\r", "\r\n"] {
        let stream = source.replace('\n', line_end).into_bytes();
        for first in 0..=stream.len() {
            for second in [first, (first + 1).min(stream.len()), (first + 3).min(stream.len())] {
                let mut parser = SseParser::new();
                let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
                assert_eq!(read(&mut parser, &pieces), wanted, "{line_end:?} at {first}, {second}");
                assert_eq!((parser.retry(), parser.comments()), (Some(250), 1));
                parser.end();
                assert_eq!(parser.last_event_id(), "9");
            }
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&mut SseParser::new(), &bytes), wanted);
    }
}

#[test]
fn line_wise_use_equals_byte_wise_use() {
    let source = "\u{feff}id: 1\r\ndata: a\r\n\r\nevent: x\r\ndata: b\r\n\r\n";
    let mut seen = Vec::new();
    let mut parser = SseParser::new();
    for line in source.split('\n') {
        parser.feed_line(line, &mut |message| {
            seen.push((message.event.to_owned(), message.data.to_owned(), message.last_event_id.to_owned()));
        });
    }
    assert_eq!(seen, all(source));
}

#[test]
fn a_byte_order_mark_is_only_one_at_the_start() {
    assert_eq!(all("\u{feff}data: a\n\n"), [message("a", "")]);
    assert_eq!(all("\u{feff}\u{feff}data: a\n\n"), []);
    assert_eq!(all("data: \u{feff}a\n\n"), [message("\u{feff}a", "")]);
}

#[test]
fn invalid_utf8_is_replaced_and_the_next_event_works() {
    let seen = read(&mut SseParser::new(), &[b"data: a\xff", b"\xc3\n\ndata: b\n\n"]);
    assert_eq!(seen, [message("a\u{fffd}\u{fffd}", ""), message("b", "")]);
}

#[test]
fn an_id_with_nul_is_ignored_and_an_id_without_data_is_kept() {
    let mut parser = SseParser::new();
    assert_eq!(read(&mut parser, &[b"id: 3\n\nid: 4\0\ndata: x\n\n"]), [message("x", "3")]);
    assert_eq!(parser.last_event_id(), "3");
}

#[test]
fn the_id_of_an_unfinished_event_does_not_count() {
    let mut parser = SseParser::new();
    assert_eq!(read(&mut parser, &[b"id: 1\ndata: a\n\nid: 2\ndata: b\n"]).len(), 1);
    parser.end();
    assert_eq!(parser.last_event_id(), "1");
    assert_eq!(read(&mut parser, &[b"\xef\xbb\xbfdata: c\n\n"]), [message("c", "1")]);
}

#[test]
fn retry_takes_digits_only() {
    for (text, wanted) in [
        ("retry: 10\n", Some(10)),
        ("retry: 1e3\n", None),
        ("retry:\n", None),
        ("retry: 99999999999999999999999\n", None),
        ("retry: 10\nretry: -1\n", Some(10)),
    ] {
        let mut parser = SseParser::new();
        read(&mut parser, &[text.as_bytes()]);
        assert_eq!(parser.retry(), wanted, "{text}");
    }
}

#[test]
fn an_oversized_event_is_dropped_and_reported_once_at_every_split() {
    let long = "x".repeat(40);
    let sources = [
        format!("id: 1\ndata: {long}\ndata: {long}\ndata: y\n\ndata: next\n\n"),
        format!("id: 1\n{}\ndata: next\n\n", "data: 0123456789\n".repeat(5)),
        format!("id: 1\ndata: a\n: {long}\n\ndata: next\n\n"),
    ];
    for source in sources {
        for split in 0..=source.len() {
            let mut parser = SseParser::with_limit(32);
            let (left, right) = source.as_bytes().split_at(split);
            assert_eq!(read(&mut parser, &[left, right]), [message("next", "1")], "{split}");
            assert_eq!(parser.take_dropped(), 1, "{source} {split}");
            assert_eq!(parser.take_dropped(), 0);
        }
    }
}

#[test]
fn arbitrary_bytes_never_panic() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut parser = SseParser::with_limit(64);
    for _ in 0..20_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let alphabet = b"\r\n: dataidevent\0\xff\xc3\xa9\xef\xbb\xbf7";
        let bytes = state.to_le_bytes().map(|byte| alphabet[usize::from(byte) % alphabet.len()]);
        read(&mut parser, &[&bytes[..(state as usize % 9)]]);
    }
}

/// As the platform's documentation prints it: `data:` once, comments, a blank line inside of the JSON.
const AS_PRINTED: &str = "//\nevent: copilot_references\ndata: [{\n    // The type: a string.\n    \"type\": \"story\",\n    \"metadata\": {\n        \"display_url\": \"http://a/{1\",\n\n    }\n}]\n\ndata: next\n\n";

#[test]
fn json_of_the_platform_goes_on_in_lines_without_data() {
    let mut parser = SseParser::new();
    for end in 0..AS_PRINTED.len() {
        let (first, second) = AS_PRINTED.as_bytes().split_at(end);
        let mut seen = Vec::new();
        for piece in [first, second] {
            parser.push(piece, &mut |message| {
                seen.push((message.event.to_owned(), message.data.to_owned(), message.loose));
            });
        }
        let lines: Vec<_> = AS_PRINTED.lines().collect();
        let data = [&["[{"][..], &lines[3..7], &lines[8..10]].concat().join("\n");
        assert_eq!(
            seen,
            [("copilot_references".to_owned(), data, true), ("message".to_owned(), "next".to_owned(), false)],
            "cut at {end}"
        );
        parser.end();
    }
}

#[test]
fn json_that_never_closes_is_handed_out_with_the_next_field_and_swallows_nothing() {
    let seen = all("event: copilot_errors\ndata: [{\n\"a\": 1\n\ndata: next\n\n");
    assert_eq!(seen, [("copilot_errors".into(), "[{\n\"a\": 1".into(), String::new()), message("next", "")]);
    let mut parser = SseParser::new();
    assert_eq!(read(&mut parser, &[b"event: copilot_errors\ndata: [{\n\n"]), []);
    let mut seen = Vec::new();
    parser.finish(&mut |message| seen.push(message.data.to_owned()));
    assert_eq!(seen, ["[{"]);
    assert_eq!(all("event: other\ndata: {\nfoo\n\n"), [("other".into(), "{".into(), String::new())]);
}

#[test]
fn a_response_is_known_as_a_stream_by_its_first_bytes() {
    for (head, is) in [
        ("", None),
        (" \n", None),
        ("dat", None),
        ("data", None),
        ("data: x", Some(true)),
        ("\n: hi", Some(true)),
        ("event: x", Some(true)),
        ("{}", Some(false)),
        ("date", Some(false)),
        ("<html", Some(false)),
    ] {
        assert_eq!(begins_stream(head.as_bytes()), is, "{head}");
    }
}
