//! Leaves the events of large inputs in the host's memory until they are compressed, so that they need no
//! copy in the log. Other records, and events with a sequence number, are copied as usual.

use super::{HostBytes, Log, LogPiece, LoggedEvent, MAX_BYTES};

/// An input that the host keeps in its own memory.
#[derive(Debug)]
pub(super) struct HostInput {
    /// Address of the bytes while they are read; only compared with, never read from.
    start: usize,
    length: usize,
    /// Access to the host's copy; moved into the piece with the first event.
    host: Option<Box<dyn HostBytes>>,
}

/// The lengths of the records in a piece that is a host's input. Other pieces have them among their bytes.
#[derive(Debug)]
pub(super) struct Lengths {
    /// Number of the first record.
    pub(super) first: usize,
    /// Lengths of the records, in bytes.
    pub(super) of_records: Vec<u32>,
}

impl HostInput {
    /// True if an event of this input has been noted.
    pub(super) fn has_event(&self) -> bool {
        self.host.is_none()
    }
}

impl Log {
    /// The records that follow are in `bytes`; what the host keeps begins with the same bytes.
    pub(crate) fn begin_host_input(&mut self, bytes: &[u8], host: Box<dyn HostBytes>) {
        self.host_input =
            Some(HostInput { start: bytes.as_ptr() as usize, length: bytes.len(), host: Some(host) });
    }

    /// The records that follow are not in the host's input any more.
    pub(crate) fn end_host_input(&mut self) {
        self.host_input = None;
    }

    /// Notes where an event is in the host's input. False if there is none, or the event has to be copied.
    pub(super) fn note(&mut self, flags: u16, event: LoggedEvent<'_>) -> bool {
        let Some((host, at, length)) =
            self.host_input.as_mut().filter(|_| event.seq.is_none()).and_then(|host_input| {
                let at = (event.raw.as_ptr() as usize).checked_sub(host_input.start)?;
                (at + event.raw.len() <= host_input.length)
                    .then(|| (host_input.host.take(), at, host_input.length))
            })
        else {
            return false;
        };
        if let Some(host) = host {
            let end = u32::try_from(length).ok().and_then(|length| self.bytes.checked_add(length));
            let Some(end) = end.filter(|_| self.lost == 0 && self.memory + length <= MAX_BYTES) else {
                self.host_input = None;
                return false;
            };
            self.close();
            let lengths = Some(Lengths { first: self.heads.len(), of_records: Vec::new() });
            let host = Some(host);
            self.pieces.push(LogPiece {
                first: self.bytes,
                length,
                bytes: Vec::new(),
                host,
                compressed: false,
                lengths,
            });
            self.memory += length;
            self.bytes = end;
        }
        let kind = self.kind_of(event.kind);
        let Some(piece) = self.pieces.last_mut() else { return false };
        let Some(lengths) = &mut piece.lengths else { return false };
        lengths.of_records.push(event.raw.len() as u32);
        self.memory += size_of::<u32>();
        self.starts.push(piece.first + at as u32);
        self.heads.push(kind | flags);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::{Logged, MAX_BYTES};
    use super::*;
    use crate::Session;

    /// Bytes that the host keeps, and the number of such buffers.
    #[derive(Debug)]
    struct HostBuffer(Vec<u8>, Arc<AtomicUsize>);

    impl HostBuffer {
        fn lends(session: &mut Session, part: &[u8], holds: &Arc<AtomicUsize>) -> usize {
            holds.fetch_add(1, Ordering::Relaxed);
            // The host may keep more than it lends.
            session.push_host_input(part, Box::new(Self([part, b"and more"].concat(), Arc::clone(holds))))
        }
    }

    impl HostBytes for HostBuffer {
        fn bytes(&self) -> Vec<u8> {
            self.0.clone()
        }
    }

    impl Drop for HostBuffer {
        fn drop(&mut self) {
            self.1.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn line(number: usize) -> String {
        let words = "a word or two, ".repeat(number % 9);
        format!("{{\"type\":\"user.message\",\"data\":{{\"content\":\"{words}ü\"}},\"id\":\"{number}\"}}")
    }

    /// A log with everything that may be between events, and the texts of its records.
    fn log() -> (String, Vec<String>) {
        let (mut log, mut records) = (String::new(), Vec::new());
        for number in 0..400 {
            let event = line(number);
            let text = match number % 50 {
                7 => format!("\n   {event} \r\n\n"),
                // Has a sequence number and is therefore copied.
                13 => format!(
                    "{{\"jsonrpc\":\"2.0\",\"method\":\"session.event\",\"params\":{{\"seq\":{number},\"event\":{event}}}}}\n"
                ),
                21 => {
                    records.push("no event".to_owned());
                    format!("no event\n{event}\n")
                }
                33 => format!("[{event}]\n"),
                _ => format!("{event}\n"),
            };
            log.push_str(&text);
            records.push(event);
        }
        (log, records)
    }

    fn same(session: &Session, records: &[String]) {
        let log = session.log().unwrap();
        assert_eq!(log.len(), records.len());
        for (record, text) in records.iter().enumerate() {
            assert_eq!(log.text(record).as_ref(), Some(text), "record {record}");
        }
    }

    #[test]
    fn a_hosts_input_comes_back_byte_for_byte_before_it_is_compressed_and_after() {
        let (log, records) = log();
        for size in [97, 1_000, 7_000, log.len()] {
            let holds = Arc::new(AtomicUsize::new(0));
            let mut session = Session::new();
            session.keep_log();
            for part in log.as_bytes().chunks(size) {
                HostBuffer::lends(&mut session, part, &holds);
            }
            same(&session, &records);
            if size > 1_000 {
                assert!(holds.load(Ordering::Relaxed) > 0, "nothing was copied");
            }
            while session.log_mut().is_some_and(Log::compact) {}
            same(&session, &records);
            assert_eq!(holds.load(Ordering::Relaxed), 0, "the host may let go of it");
        }
    }

    #[test]
    fn what_comes_twice_or_from_elsewhere_is_kept_in_its_order() {
        let holds = Arc::default();
        let mut session = Session::new();
        session.keep_log();
        let (one, other) = (line(1), line(2));
        session.push(format!("{one}\n").as_bytes());
        HostBuffer::lends(&mut session, format!("{other}\n{one}\n").as_bytes(), &holds);
        session.push(format!("{}\n", line(3)).as_bytes());
        HostBuffer::lends(&mut session, format!("{}\n", line(4)).as_bytes(), &holds);
        let log = session.log().unwrap();
        let twice: Vec<_> = (0..log.len()).map(|record| log.head(record).unwrap().duplicate).collect();
        assert_eq!(twice, [false, false, true, false, false]);
        same(&session, &[one.clone(), other, one, line(3), line(4)]);
        log_of(&session, 2, |logged| {
            assert!(matches!(logged, Logged::Event { seq: None, duplicate: true, .. }));
        });
    }

    fn log_of(session: &Session, record: usize, look: impl FnOnce(Logged<'_>)) {
        session.log().unwrap().read(record, look).unwrap();
    }

    #[test]
    fn what_the_host_changed_after_all_is_no_record_any_more() {
        let mut session = Session::new();
        session.keep_log();
        let text = format!("{}\n", line(5));
        session.push_host_input(
            text.as_bytes(),
            Box::new(HostBuffer(vec![0xFF; 3], Arc::new(AtomicUsize::new(1)))),
        );
        assert_eq!(session.log().unwrap().text(0), None);
        assert!(MAX_BYTES > text.len());
    }
}
