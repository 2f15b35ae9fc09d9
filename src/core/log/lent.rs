//! Records that stay where the host has them, until they are squeezed: what is read in large parts is not copied for
//! the log. Refuses what is not an event on a line of its own: that is kept as everything else is.

use super::{Away, Log, MOST, Noted, Piece};

/// Input that the host goes on holding.
#[derive(Debug)]
pub(super) struct Lending {
    /// Where it is while it is read, only to be compared with.
    start: usize,
    length: usize,
    /// Until something was kept of it.
    away: Option<Box<dyn Away>>,
}

/// What a piece of such input knows of its records: there is nothing around them that would tell.
#[derive(Debug)]
pub(super) struct Lent {
    /// The first of them.
    pub(super) first: usize,
    /// Their lengths.
    pub(super) lengths: Vec<u32>,
}

impl Lending {
    /// Something was kept of it.
    pub(super) fn begun(&self) -> bool {
        self.away.is_none()
    }
}

impl Log {
    /// The records that follow are in these bytes, with which what the host keeps begins.
    pub(crate) fn lend(&mut self, bytes: &[u8], away: Box<dyn Away>) {
        self.lending =
            Some(Lending { start: bytes.as_ptr() as usize, length: bytes.len(), away: Some(away) });
    }

    /// What follows is elsewhere.
    pub(crate) fn lent(&mut self) {
        self.lending = None;
    }

    /// Notes where an event is, if it may stay there.
    pub(super) fn note(&mut self, flags: u16, event: Noted<'_>) -> bool {
        let Some((away, at, length)) =
            self.lending.as_mut().filter(|_| event.seq.is_none()).and_then(|lending| {
                let at = (event.raw.as_ptr() as usize).checked_sub(lending.start)?;
                (at + event.raw.len() <= lending.length).then(|| (lending.away.take(), at, lending.length))
            })
        else {
            return false;
        };
        if let Some(away) = away {
            let end = u32::try_from(length).ok().and_then(|length| self.bytes.checked_add(length));
            let Some(end) = end.filter(|_| self.lost == 0 && self.held + length <= MOST) else {
                self.lending = None;
                return false;
            };
            self.close();
            let lent = Some(Lent { first: self.heads.len(), lengths: Vec::new() });
            let away = Some(away);
            self.pieces.push(Piece {
                first: self.bytes,
                length,
                bytes: Vec::new(),
                away,
                squeezed: false,
                lent,
            });
            self.held += length;
            self.bytes = end;
        }
        let kind = self.kind_of(event.kind);
        let Some(piece) = self.pieces.last_mut() else { return false };
        let Some(lent) = &mut piece.lent else { return false };
        lent.lengths.push(event.raw.len() as u32);
        self.held += size_of::<u32>();
        self.starts.push(piece.first + at as u32);
        self.heads.push(kind | flags);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::super::Session;
    use super::super::{Logged, MOST};
    use super::*;

    /// What the host holds, and how many of it.
    #[derive(Debug)]
    struct Host(Vec<u8>, Arc<AtomicUsize>);

    impl Host {
        fn lends(session: &mut Session, part: &[u8], holds: &Arc<AtomicUsize>) -> usize {
            holds.fetch_add(1, Ordering::Relaxed);
            // It may hold more than it lends.
            session.push_lent(part, Box::new(Self([part, b"and more"].concat(), Arc::clone(holds))))
        }
    }

    impl Away for Host {
        fn bytes(&self) -> Vec<u8> {
            self.0.clone()
        }
    }

    impl Drop for Host {
        fn drop(&mut self) {
            self.1.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn line(number: usize) -> String {
        let said = "a word or two, ".repeat(number % 9);
        format!("{{\"type\":\"user.message\",\"data\":{{\"content\":\"{said}ü\"}},\"id\":\"{number}\"}}")
    }

    /// A log with all that may be between its events, and the texts of its records.
    fn log() -> (String, Vec<String>) {
        let (mut log, mut records) = (String::new(), Vec::new());
        for number in 0..400 {
            let event = line(number);
            let text = match number % 50 {
                7 => format!("\n   {event} \r\n\n"),
                // Kept with a note beside it, and so not where it was.
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
    fn what_is_lent_comes_back_byte_for_byte_before_it_is_squeezed_and_after() {
        let (log, records) = log();
        for size in [97, 1_000, 7_000, log.len()] {
            let holds = Arc::new(AtomicUsize::new(0));
            let mut session = Session::new();
            session.keep_log();
            for part in log.as_bytes().chunks(size) {
                Host::lends(&mut session, part, &holds);
            }
            same(&session, &records);
            if size > 1_000 {
                assert!(holds.load(Ordering::Relaxed) > 0, "nothing was copied");
            }
            while session.log_mut().is_some_and(Log::tidy) {}
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
        Host::lends(&mut session, format!("{other}\n{one}\n").as_bytes(), &holds);
        session.push(format!("{}\n", line(3)).as_bytes());
        Host::lends(&mut session, format!("{}\n", line(4)).as_bytes(), &holds);
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
        session.push_lent(text.as_bytes(), Box::new(Host(vec![0xFF; 3], Arc::new(AtomicUsize::new(1)))));
        assert_eq!(session.log().unwrap().text(0), None);
        assert!(MOST > text.len());
    }
}
