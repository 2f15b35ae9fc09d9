//! Tests that every record comes back as it came in.

use super::*;
use crate::Session;

/// A memory outside of the log.
#[derive(Debug)]
struct Shelf(Vec<u8>);

impl HostBytes for Shelf {
    fn bytes(&self) -> Vec<u8> {
        self.0.clone()
    }
}

fn delta(number: u64, message: &str, text: &str) -> String {
    format!(
        r#"{{"type":"assistant.message_delta","data":{{"messageId":"{message}","deltaContent":"{text}"}},"ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-{number:012x}","timestamp":"2026-11-21T20:51:{:02}.{:03}Z","parentId":null}}"#,
        number / 1000 % 60,
        number % 1000
    )
}

fn logged(frames: &[String]) -> Session {
    let mut session = Session::new();
    session.keep_log();
    for frame in frames {
        session.push_frame(frame);
    }
    session
}

#[test]
fn lines_that_are_alike_come_back_byte_for_byte_and_take_little() {
    let lines: Vec<String> = (0..5_000)
        .map(|n| {
            delta(
                n,
                if n / 40 % 2 == 0 { "a" } else { "another" },
                ["é ", "word ", "\\n", ""][n as usize % 4],
            )
        })
        .collect();
    let mut session = logged(&lines);
    while session.log_mut().is_some_and(Log::compact) {}
    let log = session.log().unwrap();
    for (record, line) in lines.iter().enumerate() {
        assert_eq!(log.text(record).as_ref(), Some(line));
    }
    let each = log.bytes() / lines.len();
    assert!(each < 128, "{each} bytes for a delta of {}", lines[0].len());
}

#[test]
fn other_forms_come_back_too() {
    let wrapped = r#"{"jsonrpc":"2.0","method":"session.event","params":{"seq":7,"event":{"type":"x","id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","data":{}}}}"#;
    let frames: Vec<String> = [
        wrapped,
        r#"{"jsonrpc":"2.0","method":"other","params":{}}"#,
        r#"{"kind":"add-timeline-entry","entry":{"type":"info","text":"said"}}"#,
        r#"{"choices":[{"delta":{"content":"x"}}]}"#,
        r#"{"type": "y" , "id":"odd","data":{"a":"\u00e9"}}"#,
        "no json",
        "[DONE]",
    ]
    .map(str::to_owned)
    .to_vec();
    let session = logged(&frames);
    let log = session.log().unwrap();
    let event = r#"{"type":"x","id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","data":{}}"#;
    log.read(0, |logged| assert_eq!(logged, Logged::Event { raw: event, seq: Some(7), duplicate: false }));
    for (record, frame) in frames.iter().enumerate().skip(1) {
        assert_eq!(log.text(record).as_ref(), Some(frame));
    }
    assert!(matches!(log.read(5, |logged| matches!(logged, Logged::Malformed { .. })), Some(true)));
    assert_eq!(log.len(), frames.len());
}

#[test]
fn what_came_twice_is_marked() {
    let line = delta(1, "a", "x");
    let session = logged(&[line.clone(), line]);
    let log = session.log().unwrap();
    assert_eq!((0..2).map(|n| log.head(n).unwrap().duplicate).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn an_event_has_the_position_that_its_carrier_gave() {
    let mut session = logged(&[]);
    session.push_server_sent("message", &delta(1, "a", "one"), Some(7));
    let event = delta(2, "a", "two");
    session.push_frame(&format!(
        r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":"s","event":{event},"seq":8}}}}"#
    ));
    let position =
        |logged: Logged<'_>| if let Logged::Event { seq, .. } = logged { seq } else { panic!("{logged:?}") };
    let log = session.log().unwrap();
    assert_eq!([0, 1].map(|record| log.read(record, position).unwrap()), [Some(7), Some(8)]);
}

#[test]
fn pieces_that_are_kept_elsewhere_come_back_as_well() {
    let lines: Vec<String> = (0..5_000).map(|n| delta(n, "a", &"word ".repeat(n as usize % 50))).collect();
    let mut session = Session::new();
    session.keep_log();
    session.log_mut().unwrap().move_to_host(|bytes| Box::new(Shelf(bytes.to_vec())));
    for line in &lines {
        session.push_frame(line);
    }
    for compressed in [false, true] {
        let log = session.log().unwrap();
        let here: usize = log.pieces.iter().map(|piece| piece.bytes.capacity()).sum();
        assert!(here <= PIECE, "only the newest is in this memory");
        assert!(lines.iter().enumerate().all(|(record, line)| log.text(record).as_ref() == Some(line)));
        while !compressed && session.log_mut().is_some_and(Log::compact) {}
    }
    let stored: usize = session.log().unwrap().pieces.iter().map(|piece| piece.stored().len()).sum();
    assert_eq!(
        session.log().unwrap().memory,
        stored + session.log().unwrap().pieces.last().unwrap().bytes.capacity()
            - session.log().unwrap().pieces.last().unwrap().length
    );
}

#[test]
fn a_record_of_megabytes_is_compressed_in_steps_and_can_be_read_between_them() {
    let printed = (0..60_000).map(|n| format!("{n:x}: a line that a tool printed, and {}\\n", n * 7 % 997));
    let large = delta(0, "a", &printed.collect::<String>());
    for host in [false, true] {
        let mut session = Session::new();
        session.keep_log();
        if host {
            session.log_mut().unwrap().move_to_host(|bytes| Box::new(Shelf(bytes.to_vec())));
        }
        for line in [&large, &delta(1, "a", "x")] {
            session.push_frame(line);
        }
        let log = session.log_mut().unwrap();
        let (before, mut steps) = (log.bytes(), 0);
        while log.compact() {
            steps += 1;
            assert_eq!(log.text(0).as_ref(), Some(&large));
        }
        assert!(log.bytes() < before / 2, "host: {host}");
        assert_eq!(log.text(0), Some(large.clone()));
        assert!(steps >= large.len() / (2 * PIECE), "{steps} steps");
    }
}

/// The log of a session that has begun again is kept as the one before.
#[test]
fn a_large_log_is_made_smaller_while_it_is_read_and_after_its_session_has_begun_again() {
    let line = format!("{}\n", delta(1, "a", &"word ".repeat(25_000)));
    let mut session = Session::new();
    session.keep_log();
    let log = session.log_mut().unwrap();
    log.compact_with(Log::compact);
    log.move_to_host(|bytes| Box::new(Shelf(bytes.to_vec())));
    for _ in 0..2 {
        for number in 0..50 {
            session.push(line.as_bytes());
            session.log_mut().unwrap().compact_if_large();
            let log = session.log().unwrap();
            assert!(log.bytes() < LARGE_LOG + (1 << 20), "{} bytes after {number} lines", log.bytes());
            assert!(log.compressed == 0 || number > 30, "a small one is left alone");
        }
        assert!(
            session.log().unwrap().pieces.iter().any(|piece| piece.host.is_some()),
            "it is moved out of memory"
        );
        session.restart();
        assert!(session.log().unwrap().is_empty());
    }
}
