//! Owns what a session has sent so far: one append-only list, one copy in memory, read by cursor.
//! It refuses to wait for any reader, and to know what an event means.
//!
//! `seq` is the 1-based place in this list. When a recording is played again (`--loop`) the list
//! is emptied and its epoch goes up: the same bytes carry the same event ids, so a second round
//! can't be appended to the first. A reader whose cursor is of an earlier epoch, or lies beyond
//! the end, begins again at 0; reducing is idempotent on the event id, so nothing doubles.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;

/// One line as it goes out.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The exact bytes of the line, without its line end.
    pub raw: Arc<str>,
    /// An object with a `type`: it may be spliced into a notification. Anything else goes out as
    /// a frame of its own, so that the reader shows it as what it is.
    pub event: bool,
    /// An event that history keeps (not ephemeral).
    pub persisted: bool,
}

/// How far the journal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Goes up by one each time the recording starts again.
    pub epoch: u64,
    /// Entries so far, which is also the newest `seq`.
    pub length: u64,
}

/// How far one reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The epoch that `seq` counts in.
    pub epoch: u64,
    /// The last entry that was read; 0 = none.
    pub seq: u64,
}

/// What a reader got.
#[derive(Debug)]
pub struct Batch {
    /// The entries with their `seq`.
    pub entries: Vec<(u64, Entry)>,
    /// The reader's cursor was of an earlier epoch, or too far: this begins at 1 again.
    pub restarted: bool,
}

/// The list itself.
#[derive(Debug)]
pub struct Journal {
    lines: RwLock<(u64, Vec<Entry>)>,
    grown: watch::Sender<Position>,
}

impl Default for Journal {
    fn default() -> Self {
        Self { lines: RwLock::default(), grown: watch::Sender::new(Position { epoch: 0, length: 0 }) }
    }
}

impl Journal {
    /// Adds one line and wakes the readers.
    pub fn append(&self, entry: Entry) {
        let position = {
            let mut lines = self.lines.write().unwrap_or_else(PoisonError::into_inner);
            lines.1.push(entry);
            Position { epoch: lines.0, length: lines.1.len() as u64 }
        };
        self.grown.send_replace(position);
    }

    /// Empties the list: a new epoch.
    pub fn restart(&self) {
        let position = {
            let mut lines = self.lines.write().unwrap_or_else(PoisonError::into_inner);
            lines.0 += 1;
            lines.1.clear();
            Position { epoch: lines.0, length: 0 }
        };
        self.grown.send_replace(position);
    }

    /// How far it is now.
    pub fn position(&self) -> Position {
        *self.grown.borrow()
    }

    /// Tells of growth. A reader that sleeps misses nothing: it reads by cursor.
    pub fn follow(&self) -> watch::Receiver<Position> {
        self.grown.subscribe()
    }

    /// A cursor just after `seq` in the present epoch.
    pub fn cursor_after(&self, seq: u64) -> Cursor {
        Cursor { epoch: self.position().epoch, seq }
    }

    /// What follows `cursor`, up to about `bytes` (one entry at least), and moves it on.
    pub fn read(&self, cursor: &mut Cursor, bytes: usize) -> Batch {
        let lines = self.lines.read().unwrap_or_else(PoisonError::into_inner);
        let (epoch, entries) = (lines.0, &lines.1);
        let restarted = cursor.epoch != epoch || cursor.seq > entries.len() as u64;
        if restarted {
            *cursor = Cursor { epoch, seq: 0 };
        }
        let mut size = 0;
        let mut batch = Vec::new();
        for entry in entries.iter().skip(usize::try_from(cursor.seq).unwrap_or(usize::MAX)) {
            size += entry.raw.len();
            if size > bytes && !batch.is_empty() {
                break;
            }
            cursor.seq += 1;
            batch.push((cursor.seq, entry.clone()));
        }
        Batch { entries: batch, restarted }
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Journal};

    fn entry(text: &str) -> Entry {
        Entry { raw: text.into(), event: true, persisted: true }
    }

    #[test]
    fn a_cursor_reads_each_entry_once_within_the_budget() {
        let journal = Journal::default();
        for text in ["aaaa", "bbbb", "cccc"] {
            journal.append(entry(text));
        }
        let mut cursor = journal.cursor_after(0);
        let seqs = |batch: super::Batch| batch.entries.iter().map(|(seq, _)| *seq).collect::<Vec<_>>();
        assert_eq!(seqs(journal.read(&mut cursor, 8)), [1, 2]);
        assert_eq!(seqs(journal.read(&mut cursor, 1)), [3], "one at least, even when it is too large");
        assert!(journal.read(&mut cursor, 8).entries.is_empty());
    }

    #[test]
    fn a_cursor_of_another_epoch_or_beyond_the_end_begins_again() {
        let journal = Journal::default();
        journal.append(entry("a"));
        let mut old = journal.cursor_after(1);
        let mut far = journal.cursor_after(99);
        assert!(journal.read(&mut far, 10).restarted);
        journal.restart();
        journal.append(entry("b"));
        let batch = journal.read(&mut old, 10);
        assert!(batch.restarted);
        assert_eq!(
            batch.entries.first().map(|(seq, line)| (*seq, line.raw.to_string())),
            Some((1, "b".into()))
        );
    }
}
