//! The runtime's frames and messages: the same frames however the bytes arrive, and what is written is read.

#![no_main]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use libfuzzer_sys::fuzz_target;
use pilothouse_gateway::agents::copilot::backlog::{Sign, sent_message};
use pilothouse_gateway::agents::copilot::connection::{Message, frame, lifecycle_change, read_frame};
use pilothouse_gateway::journal::{self, Entry};
use tokio::io::BufReader;

type Found = (Vec<Vec<u8>>, Vec<Vec<u8>>, Option<String>);

/// Runs what never has to wait.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("reading from memory waits for nothing"),
    }
}

/// The frames, the lines that were printed between them, and the error at the end.
fn found(bytes: &[u8], room: usize) -> Found {
    let mut from = BufReader::with_capacity(room, bytes);
    let (mut all, mut printed) = (Vec::new(), Vec::new());
    loop {
        match ready(read_frame(&mut from, &mut |line: &[u8]| printed.push(line.to_vec()))) {
            Ok(Some(frame)) => all.push(frame),
            Ok(None) => return (all, printed, None),
            Err(error) => return (all, printed, Some(error.to_string())),
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let whole = found(bytes, 1 << 16);
    for room in [1, 2, 7] {
        assert_eq!(found(bytes, room), whole, "{room} bytes at a time");
    }
    for bytes in whole.0.iter().map(Vec::as_slice).chain([bytes]) {
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        assert_eq!(found(&frame(text), 3), (vec![bytes.to_vec()], Vec::new(), None));
        if let Message::Event { event, .. } = Message::read(text) {
            assert!(text.contains(event), "an event keeps its bytes");
            assert_eq!(&*Entry::read(event).raw, event);
        }
        Entry::read(text);
        lifecycle_change(text);
        journal::event_kind(text);
        Sign::of(text);
        sent_message(text);
        journal::event_id(text);
    }
});
