//! A journal in memory: one append-only list.

use std::sync::{PoisonError, RwLock};

use tokio::sync::watch;

use super::{Batch, Cursor, Dropped, Entries, Entry, Journal, Position};

/// The list of entries, with notifications for its readers.
#[derive(Debug)]
pub struct Memory {
    lines: RwLock<Lines>,
    grown: watch::Sender<Position>,
    largest: usize,
}

#[derive(Debug, Default)]
struct Lines {
    position: Position,
    /// Each entry with its `seq`, in ascending order.
    entries: Entries,
    bytes: usize,
    dropped: Option<Dropped>,
    unloaded: bool,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl Memory {
    /// A list that drops lines where it has more than this many bytes.
    pub fn new(largest: usize) -> Self {
        Self { lines: RwLock::default(), grown: watch::Sender::new(Position::default()), largest }
    }

    /// Takes over the entries that an earlier process kept, or those that were unloaded, and what was dropped of them.
    /// Does nothing if there are entries already.
    pub fn restore(&self, entries: Entries, dropped: Option<Dropped>) {
        self.change(|lines| {
            lines.unloaded = false;
            if lines.entries.is_empty() {
                // Should the end of the log be damaged, no number is given twice.
                let given = dropped.as_ref().map_or(0, |dropped| dropped.seq);
                let newest = entries.last().map_or(given, |(seq, _)| given.max(*seq));
                lines.position.length = lines.position.length.max(newest);
                lines.bytes = entries.iter().map(|(_, entry)| entry.raw.len()).sum();
                (lines.entries, lines.dropped) = (entries, dropped);
            }
        });
    }

    /// Drops all entries. The numbers go on when they are restored.
    pub fn unload(&self) {
        self.change(|lines| *lines = Lines { position: lines.position, unloaded: true, ..Lines::default() });
    }

    /// These lines with the numbers that they will have.
    pub fn number(&self, entries: Vec<Entry>) -> Entries {
        (self.position().length + 1..).zip(entries).collect()
    }

    /// Adds lines and wakes the readers. Where the list is over its limit then, returns what is left of it.
    pub fn add(&self, entries: Entries) -> Option<Entries> {
        let mut left = None;
        self.change(|lines| {
            lines.position.length = entries.last().map_or(lines.position.length, |(seq, _)| *seq);
            lines.bytes += entries.iter().map(|(_, entry)| entry.raw.len()).sum::<usize>();
            lines.entries.extend(entries);
            if lines.bytes > self.largest {
                lines.thin(self.largest / 4 * 3);
                left = Some(lines.entries.clone());
            }
        });
        left
    }

    fn change(&self, change: impl FnOnce(&mut Lines)) {
        let position = {
            let mut lines = self.lines.write().unwrap_or_else(PoisonError::into_inner);
            change(&mut lines);
            lines.position
        };
        self.grown.send_replace(position);
    }
}

impl Lines {
    /// Drops the oldest lines, first those that history does not keep, until at most `most` bytes are left. The newest
    /// line stays: by it a later process knows which numbers were given.
    fn thin(&mut self, most: usize) {
        let newest = self.position.length;
        let mut dropped = self.dropped.take();
        for spare_history in [true, false] {
            let mut excess = self.bytes.saturating_sub(most);
            self.entries.retain(|(seq, entry)| {
                let goes = excess > 0 && *seq < newest && !(spare_history && entry.persisted);
                if goes {
                    excess = excess.saturating_sub(entry.raw.len());
                    self.bytes -= entry.raw.len();
                    // Notices of the gateway itself are in no history of the agent.
                    let is_agents = !entry.raw.contains(r#""source":"pilothouse""#);
                    if is_agents && dropped.as_ref().is_none_or(|dropped| dropped.seq < *seq) {
                        dropped = entry.id().map(|id| Dropped { seq: *seq, id }).or(dropped.take());
                    }
                }
                !goes
            });
        }
        self.dropped = dropped;
    }
}

impl Journal for Memory {
    fn position(&self) -> Position {
        *self.grown.borrow()
    }

    fn follow(&self) -> watch::Receiver<Position> {
        self.grown.subscribe()
    }

    fn read(&self, cursor: &mut Cursor, bytes: usize) -> Batch {
        let lines = self.lines.read().unwrap_or_else(PoisonError::into_inner);
        let Position { epoch, length } = lines.position;
        let restarted = cursor.epoch != epoch || cursor.seq > length;
        if restarted {
            *cursor = Cursor { epoch, seq: 0 };
        }
        let mut size = 0;
        let mut entries = Vec::new();
        let start = lines.entries.partition_point(|(seq, _)| *seq <= cursor.seq);
        for (seq, entry) in lines.entries.iter().skip(start) {
            size += entry.raw.len();
            if size > bytes && !entries.is_empty() {
                break;
            }
            cursor.seq = *seq;
            entries.push((*seq, entry.clone()));
        }
        Batch { entries, restarted }
    }

    fn append(&self, entries: Vec<Entry>) {
        self.add(self.number(entries));
    }

    fn restart(&self) {
        self.change(|lines| {
            let epoch = lines.position.epoch + 1;
            *lines = Lines { position: Position { epoch, length: 0 }, ..Lines::default() };
        });
    }

    fn dropped(&self) -> Option<Dropped> {
        self.lines.read().unwrap_or_else(PoisonError::into_inner).dropped.clone()
    }

    fn is_unloaded(&self) -> bool {
        self.lines.read().unwrap_or_else(PoisonError::into_inner).unloaded
    }
}

#[cfg(test)]
mod tests {
    use super::{Dropped, Entries, Entry, Journal, Memory};

    fn entry(text: &str) -> Entry {
        Entry { raw: text.into(), event: true, persisted: true }
    }

    fn seqs(entries: &[(u64, Entry)]) -> Vec<u64> {
        entries.iter().map(|(seq, _)| *seq).collect()
    }

    #[test]
    fn a_cursor_reads_each_entry_once_within_the_budget() {
        let journal = Memory::default();
        journal.append(["aaaa", "bbbb", "cccc"].map(entry).into());
        let mut cursor = journal.cursor_after(0);
        assert_eq!(seqs(&journal.read(&mut cursor, 8).entries), [1, 2]);
        assert_eq!(
            seqs(&journal.read(&mut cursor, 1).entries),
            [3],
            "one at least, even when it is too large"
        );
        assert!(journal.read(&mut cursor, 8).entries.is_empty());
    }

    #[test]
    fn a_log_that_is_too_long_lets_go_of_what_history_does_not_keep_first() {
        let five = |largest: usize| {
            let journal = Memory::new(largest);
            let texts = ["aaaa", "bbbb", "cccc", "dddd", "eeee"].into_iter().enumerate();
            let entries = texts.map(|(at, text)| Entry { persisted: at % 2 == 0, ..entry(text) });
            let left = journal.add(journal.number(entries.collect()));
            (journal, left)
        };
        let (journal, left) = five(18);
        assert_eq!(seqs(&left.unwrap()), [1, 3, 5]);
        assert_eq!(journal.position().length, 5);
        assert_eq!(five(20).1.map(|left| seqs(&left)), None, "it is not over its limit");
        let (journal, left) = five(8);
        assert_eq!(seqs(&left.unwrap()), [5]);
        journal.append(vec![entry("f")]);
        assert_eq!(seqs(&journal.all_after(2)), [5, 6], "numbers stay");
        let left = journal.add(journal.number(vec![Entry { persisted: false, ..entry("gggg") }]));
        assert_eq!(seqs(&left.unwrap()), [6, 7], "the newest stays");
    }

    #[test]
    fn the_newest_event_of_the_agent_that_was_dropped_is_known() {
        let event = |id: &str, persisted: bool, own: &str| {
            let raw = format!(r#"{{"type":"x","id":"{id}"{own}}}"#);
            Entry { raw: raw.into(), event: true, persisted }
        };
        let notice = r#","source":"pilothouse""#;
        let entries =
            [event("a", true, ""), event("b", false, ""), event("c", false, notice), event("d", true, "")];
        let journal = Memory::new(80);
        assert_eq!(seqs(&journal.add(journal.number(entries.into())).unwrap()), [1, 4]);
        assert_eq!(journal.dropped(), Some(Dropped { seq: 2, id: "b".to_owned() }));
        let large = Entry { raw: "y".repeat(40).into(), ..entry("") };
        assert_eq!(
            seqs(&journal.add(journal.number(vec![large])).unwrap()),
            [5],
            "the first was dropped after the second"
        );
        assert_eq!(journal.dropped(), Some(Dropped { seq: 4, id: "d".to_owned() }));
    }

    #[test]
    fn no_number_is_given_twice_after_a_restart() {
        let seqs_after_one_more = |entries: Entries, dropped: u64| {
            let journal = Memory::default();
            journal.restore(entries, Some(Dropped { seq: dropped, id: String::new() }));
            journal.append(vec![entry("c")]);
            seqs(&journal.all_after(2))
        };
        assert_eq!(seqs_after_one_more(vec![(2, entry("a")), (7, entry("b"))], 5), [7, 8]);
        assert_eq!(seqs_after_one_more(vec![(2, entry("a"))], 5), [6]);
    }

    #[test]
    fn a_cursor_of_another_epoch_or_beyond_the_end_begins_again() {
        let journal = Memory::default();
        journal.append(vec![entry("a")]);
        let mut old = journal.cursor_after(1);
        let mut far = journal.cursor_after(99);
        assert!(journal.read(&mut far, 10).restarted);
        journal.restart();
        journal.append(vec![entry("b")]);
        let batch = journal.read(&mut old, 10);
        assert!(batch.restarted);
        assert_eq!(
            batch.entries.first().map(|(seq, line)| (*seq, line.raw.to_string())),
            Some((1, "b".into()))
        );
    }
}
