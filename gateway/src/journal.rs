//! The lines that a session has sent so far: one append-only list in memory, read by cursor, so that no
//! writer waits for a reader.
//!
//! `seq` counts from 1. Where a log grew over its limit, lines are dropped (`thin`) and their numbers stay
//! unused; no line ever gets another number. When a recording is played again (`--loop`), the list is emptied
//! and its epoch goes up: the same bytes carry the same event ids, so a second round can't be appended to the
//! first. A reader whose cursor is from an earlier epoch, or beyond the end, begins again at 0. Reducing is
//! idempotent on the event id, so nothing doubles.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;

/// One line as it is sent.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The exact bytes of the line, without its line end.
    pub raw: Arc<str>,
    /// Whether the line is an object with a `type`, which may go into a notification. Any other line is sent
    /// as a frame of its own, so that the reader shows it as it is.
    pub event: bool,
    /// Whether history keeps the event (it is not ephemeral).
    pub persisted: bool,
}

/// Entries with their `seq`.
pub type Entries = Vec<(u64, Entry)>;

/// How far the journal reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Goes up by one each time the recording starts again.
    pub epoch: u64,
    /// The newest `seq`; without gaps also the number of entries.
    pub length: u64,
}

/// How far one reader has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The epoch that `seq` counts in.
    pub epoch: u64,
    /// The last entry that was read; 0 = none.
    pub seq: u64,
}

/// The result of one read.
#[derive(Debug)]
pub struct Batch {
    /// The entries with their `seq`.
    pub entries: Vec<(u64, Entry)>,
    /// Whether the cursor was from an earlier epoch or beyond the end, so that this begins at 1 again.
    pub restarted: bool,
}

/// The list of entries, with notifications for its readers.
#[derive(Debug)]
pub struct Journal {
    lines: RwLock<Lines>,
    grown: watch::Sender<Position>,
}

#[derive(Debug, Default)]
struct Lines {
    position: Position,
    /// Each entry with its `seq`, in ascending order.
    entries: Entries,
    bytes: usize,
    /// Whether the entries are on the disk only.
    unloaded: bool,
}

impl Default for Journal {
    fn default() -> Self {
        Self { lines: RwLock::default(), grown: watch::Sender::new(Position::default()) }
    }
}

impl Journal {
    /// Adds one line and wakes the readers.
    pub fn append(&self, entry: Entry) {
        self.append_all([entry]);
    }

    /// Adds lines and wakes the readers.
    pub fn append_all(&self, entries: impl IntoIterator<Item = Entry>) {
        self.change(|lines| {
            for entry in entries {
                lines.position.length += 1;
                lines.bytes += entry.raw.len();
                lines.entries.push((lines.position.length, entry));
            }
        });
    }

    /// Takes over the entries that an earlier process kept, or those that were unloaded, and numbers that it gave up to
    /// `given`. Does nothing if there are entries already.
    pub fn restore(&self, entries: Entries, given: u64) {
        self.change(|lines| {
            lines.unloaded = false;
            if lines.entries.is_empty() {
                // Should the end of the log be damaged, no number is given twice.
                let newest = entries.last().map_or(given, |(seq, _)| given.max(*seq));
                lines.position.length = lines.position.length.max(newest);
                lines.bytes = entries.iter().map(|(_, entry)| entry.raw.len()).sum();
                lines.entries = entries;
            }
        });
    }

    /// Drops all entries. The numbers go on when they are restored.
    pub fn unload(&self) {
        self.change(|lines| *lines = Lines { position: lines.position, unloaded: true, ..Lines::default() });
    }

    /// Whether the entries are on the disk only.
    pub fn is_unloaded(&self) -> bool {
        self.lines.read().unwrap_or_else(PoisonError::into_inner).unloaded
    }

    /// Drops the oldest lines, first those that history does not keep, until at most `most` bytes are left. The newest
    /// line stays: by it a later process knows which numbers were given.
    /// Returns the entries that are left, and those that were dropped, in any order.
    pub fn thin(&self, most: usize) -> [Entries; 2] {
        let (mut left, mut dropped) = (Vec::new(), Vec::new());
        self.change(|lines| {
            let newest = lines.position.length;
            for spare_history in [true, false] {
                let mut excess = lines.bytes.saturating_sub(most);
                lines.entries.retain(|(seq, entry)| {
                    let goes = excess > 0 && *seq < newest && !(spare_history && entry.persisted);
                    if goes {
                        dropped.push((*seq, entry.clone()));
                        excess = excess.saturating_sub(entry.raw.len());
                        lines.bytes -= entry.raw.len();
                    }
                    !goes
                });
            }
            left.clone_from(&lines.entries);
        });
        [left, dropped]
    }

    /// The size of all lines in bytes.
    pub fn bytes(&self) -> usize {
        self.lines.read().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// Empties the list and begins a new epoch.
    pub fn restart(&self) {
        self.change(|lines| {
            let epoch = lines.position.epoch + 1;
            *lines = Lines { position: Position { epoch, length: 0 }, ..Lines::default() };
        });
    }

    fn change(&self, change: impl FnOnce(&mut Lines)) {
        let position = {
            let mut lines = self.lines.write().unwrap_or_else(PoisonError::into_inner);
            change(&mut lines);
            lines.position
        };
        self.grown.send_replace(position);
    }

    /// How far it reaches now.
    pub fn position(&self) -> Position {
        *self.grown.borrow()
    }

    /// Notifies of growth. A reader that sleeps misses nothing, because it reads by cursor.
    pub fn follow(&self) -> watch::Receiver<Position> {
        self.grown.subscribe()
    }

    /// A cursor just after `seq` in the current epoch.
    pub fn cursor_after(&self, seq: u64) -> Cursor {
        Cursor { epoch: self.position().epoch, seq }
    }

    /// Reads what follows `cursor`, up to about `bytes` but at least one entry, and moves the cursor on.
    pub fn read(&self, cursor: &mut Cursor, bytes: usize) -> Batch {
        let lines = self.lines.read().unwrap_or_else(PoisonError::into_inner);
        let Position { epoch, length } = lines.position;
        let restarted = cursor.epoch != epoch || cursor.seq > length;
        if restarted {
            *cursor = Cursor { epoch, seq: 0 };
        }
        let mut size = 0;
        let mut batch = Vec::new();
        let start = lines.entries.partition_point(|(seq, _)| *seq <= cursor.seq);
        for (seq, entry) in lines.entries.iter().skip(start) {
            size += entry.raw.len();
            if size > bytes && !batch.is_empty() {
                break;
            }
            cursor.seq = *seq;
            batch.push((*seq, entry.clone()));
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
    fn a_log_that_is_too_long_lets_go_of_what_history_does_not_keep_first() {
        let journal = Journal::default();
        let seqs = |entries: &[(u64, Entry)]| entries.iter().map(|(seq, _)| *seq).collect::<Vec<_>>();
        for (at, text) in ["aaaa", "bbbb", "cccc", "dddd", "eeee"].into_iter().enumerate() {
            journal.append(Entry { persisted: at % 2 == 0, ..entry(text) });
        }
        let [left, dropped] = journal.thin(13);
        assert_eq!((seqs(&left), seqs(&dropped)), (vec![1, 3, 5], vec![2, 4]));
        assert_eq!((journal.bytes(), journal.position().length), (12, 5));
        assert_eq!(seqs(&journal.thin(5)[0]), [5]);
        journal.append(entry("ffff"));
        let mut cursor = journal.cursor_after(2);
        assert_eq!(seqs(&journal.read(&mut cursor, 100).entries), [5, 6], "numbers stay");
        journal.append(Entry { persisted: false, ..entry("gggg") });
        assert_eq!(seqs(&journal.thin(9)[0]), [6, 7], "the newest stays");

        let other = Journal::default();
        other.restore(vec![(2, entry("a")), (7, entry("b"))], 5);
        other.append(entry("c"));
        assert_eq!(seqs(&other.read(&mut other.cursor_after(2), 100).entries), [7, 8]);
        let cut = Journal::default();
        cut.restore(vec![(2, entry("a"))], 5);
        cut.append(entry("c"));
        assert_eq!(seqs(&cut.read(&mut cut.cursor_after(2), 100).entries), [6]);
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
