//! What a message of the cluster's log is: lines as a log's file has them, with headers that say where they stand and who wrote
//! them. docs/protocol.md has the names.

use std::str::FromStr as _;

use async_nats::header::HeaderMap;
use bytes::{Bytes, BytesMut};

use crate::journal::files::{is_name, read_line};
use crate::journal::{Entries, Entry};

/// The stream of all sessions' events.
pub const STREAM: &str = "PILOTHOUSE";
/// Its subjects.
pub const SUBJECTS: &str = "pilothouse.log.>";
/// The last position in a message, or before it where the rest of its payload is still to come.
pub const SEQ: &str = "Pilothouse-Seq";
/// The id of the folder whose numbers these are.
pub const LOG: &str = "Pilothouse-Log";
/// The id of the process that wrote it.
pub const WRITER: &str = "Pilothouse-Writer";
/// `I/N` where a payload is cut into N messages.
pub const PART: &str = "Pilothouse-Part";
/// The most bytes of one message's payload. Servers take one MiB, with headers, if nobody has set another limit.
pub const MOST_BYTES: usize = 256 << 10;

/// The subject of a session's events; none if its id can't be a part of one.
pub fn subject(machine: &str, session_id: &str) -> Option<String> {
    let fits = is_name(session_id) && !session_id.ends_with('.') && !session_id.contains("..");
    fits.then(|| format!("pilothouse.log.{machine}.{session_id}"))
}

/// Whether a machine can have this name.
pub fn is_machine(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain)
}

/// What stands in the newest message of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastMessage {
    /// Its number in the stream.
    pub sequence: u64,
    /// The last position that it ends.
    pub position: u64,
    /// Whose numbers these are.
    pub log: String,
    /// Who wrote it.
    pub writer: String,
}

impl LastMessage {
    /// The message with this number and these headers.
    pub fn read(sequence: u64, headers: &HeaderMap) -> Self {
        let text = |name| headers.get(name).map(|value| value.as_str().to_owned()).unwrap_or_default();
        let position = text(SEQ).parse().unwrap_or_default();
        Self { sequence, position, log: text(LOG), writer: text(WRITER) }
    }
}

/// The payload with these entries.
pub fn payload(entries: &[(u64, Entry)]) -> Bytes {
    let mut text = String::new();
    for (seq, entry) in entries {
        entry.write_line(*seq, &mut text);
    }
    text.into()
}

/// The entries in a payload, in their order. What is no entry is left out.
pub fn entries(payload: &[u8]) -> Entries {
    payload.split(|byte| *byte == b'\n').filter_map(read_line).collect()
}

/// Cuts a payload into messages, each with the value of its header [`PART`]; none where it is whole.
pub fn cut(payload: &Bytes, most: usize) -> Vec<(Option<String>, Bytes)> {
    let count = payload.len().div_ceil(most);
    if count <= 1 {
        return vec![(None, payload.clone())];
    }
    let part = |number: usize| {
        let begin = number * most;
        let bytes = payload.slice(begin..payload.len().min(begin + most));
        (Some(format!("{}/{count}", number + 1)), bytes)
    };
    (0..count).map(part).collect()
}

/// Puts payloads together that were cut.
#[derive(Debug, Default)]
pub struct Joiner {
    bytes: BytesMut,
    next: usize,
}

impl Joiner {
    /// Takes the next message. Gives the payload once it is whole. A first part begins anew: the writer of what came before has
    /// not finished it.
    pub fn take(&mut self, part: Option<&str>, bytes: Bytes) -> Option<Bytes> {
        let Some((number, count)) = part.and_then(read_part) else {
            (self.bytes, self.next) = (BytesMut::new(), 0);
            return part.is_none().then_some(bytes);
        };
        if number == 1 {
            (self.bytes, self.next) = (BytesMut::new(), 1);
        }
        if number != self.next {
            (self.bytes, self.next) = (BytesMut::new(), 0);
            return None;
        }
        self.bytes.extend_from_slice(&bytes);
        self.next += 1;
        (number == count).then(|| std::mem::take(self).bytes.freeze())
    }

    /// How many bytes wait for the rest.
    pub fn waiting(&self) -> usize {
        self.bytes.len()
    }
}

fn read_part(text: &str) -> Option<(usize, usize)> {
    let (number, count) = text.split_once('/')?;
    let (number, count) = (usize::from_str(number).ok()?, usize::from_str(count).ok()?);
    (1..=count).contains(&number).then_some((number, count))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use bytes::Bytes;
    use proptest::prelude::*;

    use super::{Joiner, cut, entries, is_machine, payload, subject};
    use crate::journal::Entry;

    #[test]
    fn a_payload_is_a_piece_of_a_log_file() {
        let event = r#"{"type":"x", "data" : 1.50}"#;
        let all = [(3, Entry::read(event)), (9, Entry::read("not an\nevent"))];
        let text = payload(&all);
        assert_eq!(
            text,
            format!("{{\"seq\":3,\"event\":{event}}}\n{{\"seq\":9,\"text\":\"not an\\nevent\"}}\n")
        );
        let read = entries(&text);
        let pairs = |all: &[(u64, Entry)]| {
            all.iter().map(|(seq, entry)| (*seq, entry.raw.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(pairs(&read), pairs(&all));
        assert!(entries(b"").is_empty(), "a claim has no entries");
    }

    #[test]
    fn what_was_not_finished_is_forgotten() {
        let mut joiner = Joiner::default();
        let part = |text: &str, bytes: &str| (text.to_owned(), Bytes::from(bytes.to_owned()));
        let mut take = |(part, bytes): (String, Bytes)| joiner.take(Some(&part), bytes);
        assert_eq!(take(part("1/3", "a")), None);
        assert_eq!(take(part("2/3", "b")), None);
        // Its writer ended here, and another one begins.
        assert_eq!(take(part("1/2", "c")), None);
        assert_eq!(take(part("2/2", "d")), Some("cd".into()));
        assert_eq!(take(part("2/2", "d")), None, "without its beginning");
        assert_eq!(take(part("9", "d")), None);
        assert_eq!(joiner.take(None, "whole".into()), Some("whole".into()));
    }

    #[test]
    fn names_can_be_parts_of_a_subject() {
        assert_eq!(subject("ws", "a.b-1").as_deref(), Some("pilothouse.log.ws.a.b-1"));
        for wrong in ["", "a..b", "a.", "a b", "*", "a>"] {
            assert_eq!(subject("ws", wrong), None, "{wrong}");
        }
        assert!(is_machine("my-Laptop_2") && !is_machine("a.b") && !is_machine("") && !is_machine("a*"));
    }

    proptest! {
        #[test]
        fn what_is_cut_is_whole_again(bytes in prop::collection::vec(any::<u8>(), 0..200), most in 1..50_usize) {
            let whole = Bytes::from(bytes);
            let mut joiner = Joiner::default();
            let parts = cut(&whole, most);
            let last = parts.len() - 1;
            for (at, (part, bytes)) in parts.into_iter().enumerate() {
                prop_assert!(bytes.len() <= most);
                let joined = joiner.take(part.as_deref(), bytes);
                prop_assert_eq!(joined, (at == last).then(|| whole.clone()));
            }
            prop_assert_eq!(joiner.waiting(), 0);
        }
    }
}
