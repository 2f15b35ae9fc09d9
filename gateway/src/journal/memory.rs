//! A journal in memory: one append-only list, which knows what is superseded in it.

use std::sync::{PoisonError, RwLock};

use pilothouse_core::session::superseded::Superseded;
use tokio::sync::watch;

use super::{Batch, Cursor, Dropped, Entries, Entry, Journal, Position};

/// How many bytes of the newest lines stay in memory in any case, so that readers who are hardly behind need not read a file.
const NEWEST: usize = 1 << 20;

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
    /// In ascending order.
    list: Vec<Line>,
    superseded: Superseded,
    /// The bytes of the superseded lines in the list.
    superseded_bytes: usize,
    /// From this `seq` on the list has every line. Before it superseded lines may be in the storage only.
    whole_from: u64,
    /// The newest of those.
    evicted: Option<Dropped>,
    /// The bytes of all lines, wherever they are.
    bytes: usize,
    dropped: Option<Dropped>,
    unloaded: bool,
    /// The smallest number that a new line may have, where earlier ones may have been given elsewhere.
    go_on_from: u64,
}

#[derive(Debug)]
struct Line {
    seq: u64,
    entry: Entry,
    superseded: bool,
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
            if lines.list.is_empty() {
                // Should the end of the log be damaged, no number is given twice.
                let given = dropped.as_ref().map_or(0, |dropped| dropped.seq);
                let newest = entries.last().map_or(given, |(seq, _)| given.max(*seq));
                lines.position.length = lines.position.length.max(newest);
                lines.dropped = dropped;
                lines.extend(entries);
            }
        });
    }

    /// Drops all entries. The numbers go on when they are restored.
    pub fn unload(&self) {
        self.change(|lines| {
            let (position, go_on_from) = (lines.position, lines.go_on_from);
            *lines = Lines { position, unloaded: true, go_on_from, ..Lines::default() };
        });
    }

    /// These lines with the numbers that they will have.
    pub fn number(&self, entries: Vec<Entry>) -> Entries {
        let first = {
            let lines = self.lines.read().unwrap_or_else(PoisonError::into_inner);
            lines.go_on_from.max(lines.position.length + 1)
        };
        (first..).zip(entries).collect()
    }

    /// Gives new lines no smaller number than this.
    pub fn go_on_from(&self, first: u64) {
        self.change(|lines| lines.go_on_from = lines.go_on_from.max(first));
    }

    /// Adds lines and wakes the readers. Where the list is over its limit then, returns what is left of it.
    pub fn add(&self, entries: Entries) -> Option<Entries> {
        let mut left = None;
        self.change(|lines| {
            lines.position.length = entries.last().map_or(lines.position.length, |(seq, _)| *seq);
            lines.extend(entries);
            if lines.bytes > self.largest {
                lines.thin(self.largest / 4 * 3);
                left = Some(lines.list.iter().map(Line::numbered).collect());
            }
        });
        left
    }

    /// Lets go of superseded lines but for the newest, where that is worth while. They all have to be in the storage.
    pub fn evict_superseded(&self) {
        let much = |lines: &Lines| lines.superseded_bytes > 2 * NEWEST;
        if much(&self.lines.read().unwrap_or_else(PoisonError::into_inner)) {
            self.lines.write().unwrap_or_else(PoisonError::into_inner).evict();
        }
    }

    /// Reads like [`Journal::read`] if the lines are here. Else gives the last `seq` up to which the storage has to be read.
    pub fn read_whole(&self, cursor: &mut Cursor, bytes: usize) -> Result<Batch, u64> {
        let lines = self.lines.read().unwrap_or_else(PoisonError::into_inner);
        match lines.whole_from.checked_sub(1) {
            Some(last) if cursor.epoch == lines.position.epoch && cursor.seq < last => Err(last),
            _ => Ok(lines.read(cursor, bytes)),
        }
    }

    /// The bytes of the lines that are here.
    #[cfg(test)]
    pub fn bytes_in_memory(&self) -> usize {
        self.lines.read().unwrap_or_else(PoisonError::into_inner).list.iter().map(Line::bytes).sum()
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

impl Line {
    fn numbered(&self) -> (u64, Entry) {
        (self.seq, self.entry.clone())
    }

    fn bytes(&self) -> usize {
        self.entry.raw.len()
    }

    /// Notes it as the newest that is gone. Notices of the gateway itself are in no history of the agent.
    fn note_gone(&self, gone: &mut Option<Dropped>) {
        let is_agents = !self.entry.raw.contains(r#""source":"pilothouse""#);
        if is_agents && gone.as_ref().is_none_or(|gone| gone.seq < self.seq) {
            *gone = self.entry.id().map(|id| Dropped { seq: self.seq, id }).or(gone.take());
        }
    }
}

impl Lines {
    /// The lines after this `seq`.
    fn after(&self, seq: u64) -> impl Iterator<Item = &Line> {
        let start = self.list.partition_point(|line| line.seq <= seq);
        self.list.iter().skip(start)
    }

    fn read(&self, cursor: &mut Cursor, bytes: usize) -> Batch {
        let restarted = self.position.correct(cursor);
        let mut size = 0;
        let mut entries = Vec::new();
        for line in self.after(cursor.seq) {
            size += line.bytes();
            if size > bytes && !entries.is_empty() {
                break;
            }
            cursor.seq = line.seq;
            entries.push(line.numbered());
        }
        Batch { entries, restarted }
    }

    fn extend(&mut self, entries: Entries) {
        self.list.reserve(entries.len());
        for (seq, entry) in entries {
            self.bytes += entry.raw.len();
            self.list.push(Line { seq, entry: entry.clone(), superseded: false });
            for seq in self.superseded.take(seq, &entry.raw) {
                if let Ok(place) = self.list.binary_search_by_key(seq, |line| line.seq)
                    && let Some(line) = self.list.get_mut(place)
                {
                    line.superseded = true;
                    self.superseded_bytes += line.bytes();
                }
            }
        }
    }

    /// Lets go of superseded lines but for the newest.
    fn evict(&mut self) {
        let mut newest = 0;
        let is_newest = |line: &&Line| {
            newest += line.bytes();
            newest <= NEWEST
        };
        let kept = self.list.iter().rev().take_while(is_newest).last();
        let from = kept.map_or(self.position.length + 1, |line| line.seq);
        self.list.retain(|line| {
            let stays = !line.superseded || line.seq >= from;
            if !stays {
                self.superseded_bytes -= line.bytes();
                line.note_gone(&mut self.evicted);
            }
            stays
        });
        self.list.shrink_to(self.list.len() * 2);
        self.whole_from = from;
    }

    /// Drops superseded lines, then the oldest, first those that history does not keep, until at most `most` bytes are left. The
    /// newest line stays: by it a later process knows which numbers were given.
    fn thin(&mut self, most: usize) {
        let newest = self.position.length;
        let mut dropped = self.dropped.take().max(self.evicted.take());
        self.list.retain(|line| {
            let goes = line.superseded && line.seq < newest;
            if goes {
                line.note_gone(&mut dropped);
            }
            !goes
        });
        self.bytes = self.list.iter().map(Line::bytes).sum();
        for spare_history in [true, false] {
            let mut excess = self.bytes.saturating_sub(most);
            self.list.retain(|line| {
                let goes = excess > 0 && line.seq < newest && !(spare_history && line.entry.persisted);
                if goes {
                    excess = excess.saturating_sub(line.bytes());
                    self.bytes -= line.bytes();
                    line.note_gone(&mut dropped);
                }
                !goes
            });
        }
        self.dropped = dropped;
        (self.superseded_bytes, self.whole_from) = (0, 0);
    }
}

impl Journal for Memory {
    fn position(&self) -> Position {
        // Not that of `grown`, which is set after the lines: a reader may have more of them by then, and would begin again.
        self.lines.read().unwrap_or_else(PoisonError::into_inner).position
    }

    fn follow(&self) -> watch::Receiver<Position> {
        self.grown.subscribe()
    }

    fn read(&self, cursor: &mut Cursor, bytes: usize) -> Batch {
        self.lines.read().unwrap_or_else(PoisonError::into_inner).read(cursor, bytes)
    }

    fn read_left(&self, cursor: &mut Cursor) -> Batch {
        let lines = self.lines.read().unwrap_or_else(PoisonError::into_inner);
        let restarted = lines.position.correct(cursor);
        let left = lines.after(cursor.seq).filter(|line| !line.superseded);
        let entries = left.map(Line::numbered).collect();
        cursor.seq = lines.list.last().map_or(cursor.seq, |line| line.seq.max(cursor.seq));
        Batch { entries, restarted }
    }

    fn append(&self, entries: Vec<Entry>) {
        self.add(self.number(entries));
    }

    fn adopt(&self, missing: Entries, first: u64) {
        self.add(missing);
        self.go_on_from(first);
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
