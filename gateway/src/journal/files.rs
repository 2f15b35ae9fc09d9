//! A journal on disk: each entry is in the session's log before it is in memory, where it is read.
//!
//! A log is synced to the disk at most once a second, and when the gateway ends. Where writing fails, on a full disk for
//! example, it is tried again; nothing is lost, because the memory has what came meanwhile.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio::sync::watch;
use tracing::{error, info};

use super::log::{Log, Logs};
use super::memory::Memory;
use super::notes::Notes;
use super::{Batch, Cursor, Dropped, Entry, Journal, Position, Storage};
use crate::health::Health;

const BETWEEN_SYNCS: Duration = Duration::from_secs(1);
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The journal of one session, in memory and in its log.
#[derive(Debug)]
pub struct Files {
    memory: Memory,
    writer: Mutex<LogWriter>,
}

/// Writes one session's log, and knows when to sync and when to try again.
#[derive(Debug)]
struct LogWriter {
    id: String,
    health: Health,
    logs: Arc<Logs>,
    log: Option<Log>,
    settings: Map<String, Value>,
    /// The newest `seq` in the log.
    written: u64,
    unsynced: Option<Instant>,
    failed: Option<Failed>,
}

/// Writing failed: when to try again.
#[derive(Debug)]
struct Failed {
    next: Instant,
    wait: Duration,
    /// Whether the whole log must be written, because earlier lines may not be on the disk either.
    whole: bool,
}

impl Files {
    /// The journal of this session, which is not open yet.
    pub fn new(id: &str, memory: Memory, logs: Arc<Logs>, health: Health) -> Self {
        let writer = LogWriter {
            id: id.to_owned(),
            health,
            logs,
            log: None,
            settings: Map::new(),
            written: 0,
            unsynced: None,
            failed: None,
        };
        Self { memory, writer: Mutex::new(writer) }
    }

    fn writer(&self) -> MutexGuard<'_, LogWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notes_file(&self) -> Option<Notes> {
        let writer = self.writer();
        writer.log.is_some().then(|| Notes::new(writer.logs.notes(&writer.id)))
    }
}

impl Journal for Files {
    fn position(&self) -> Position {
        self.memory.position()
    }

    fn follow(&self) -> watch::Receiver<Position> {
        self.memory.follow()
    }

    fn read(&self, cursor: &mut Cursor, bytes: usize) -> Batch {
        self.memory.read(cursor, bytes)
    }

    fn append(&self, entries: Vec<Entry>) {
        let entries = self.memory.number(entries);
        let mut writer = self.writer();
        writer.append(&entries);
        if let Some(left) = self.memory.add(entries) {
            writer.rewrite(&left, self.memory.dropped());
        }
    }

    fn restart(&self) {
        self.memory.restart();
    }

    fn dropped(&self) -> Option<Dropped> {
        self.memory.dropped()
    }

    fn storage(&self) -> Option<&dyn Storage> {
        Some(self)
    }

    fn is_unloaded(&self) -> bool {
        self.memory.is_unloaded()
    }
}

impl Storage for Files {
    fn load(&self) -> Map<String, Value> {
        let mut writer = self.writer();
        writer.open(&self.memory);
        writer.settings.clone()
    }

    fn unload(&self) {
        self.memory.unload();
        self.writer().close();
    }

    fn close(&self) {
        self.writer().close();
    }

    fn is_open(&self) -> bool {
        self.writer().log.is_some()
    }

    fn keep_settings(&self, settings: Map<String, Value>) {
        self.writer().set(settings);
    }

    fn notes(&self) -> io::Result<Vec<u8>> {
        self.notes_file().map_or_else(|| Ok(Vec::new()), |notes| notes.read())
    }

    fn keep_notes(&self, text: &[u8]) -> io::Result<()> {
        self.notes_file().map_or(Ok(()), |notes| notes.write(text))
    }

    fn due(&self) -> Option<Instant> {
        self.writer().due()
    }

    fn attend(&self, at_the_end: bool) {
        self.writer().attend(&self.memory, at_the_end);
    }
}

impl LogWriter {
    /// Opens the session's log and reads it into the memory.
    fn open(&mut self, memory: &Memory) {
        match self.logs.log(&self.id) {
            Ok(Some((log, entries))) => {
                self.written = entries.last().map_or(0, |(seq, _)| *seq);
                memory.restore(entries, log.dropped.clone());
                self.settings.clone_from(&log.settings);
                self.log = Some(log);
            }
            Ok(None) => self.report("another program has it open; it is kept in memory only"),
            // The id can't be a file name, so the runtime did not make it.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                error!(session = self.id, %error, "the log is kept in memory only");
            }
            Err(error) => _ = self.check(Some(Err(error)), false),
        }
    }

    /// Closes the log. What is left to do for it is done by then, or can't be.
    fn close(&mut self) {
        (self.log, self.failed, self.unsynced) = (None, None, None);
    }

    /// Appends entries.
    fn append(&mut self, entries: &[(u64, Entry)]) {
        if self.failed.is_none() {
            let done = self.log.as_mut().map(|log| log.append(entries));
            if self.check(done, false)
                && let Some((seq, _)) = entries.last()
            {
                self.written = *seq;
            }
        }
    }

    /// Replaces the content of the log with these entries, which are left after others were dropped.
    fn rewrite(&mut self, entries: &[(u64, Entry)], dropped: Option<Dropped>) {
        if let Some(log) = &mut self.log {
            log.dropped = dropped;
        }
        if self.failed.is_none() {
            let done = self.log.as_mut().map(|log| log.rewrite(entries));
            self.check(done, false);
        }
    }

    /// Writes the parameters to resume the session with.
    fn set(&mut self, settings: Map<String, Value>) {
        if let Some(log) = &mut self.log {
            log.settings.clone_from(&settings);
        }
        self.settings = settings;
        if self.failed.is_none() {
            let done = self.log.as_mut().map(Log::write_settings);
            self.check(done, false);
        }
    }

    fn due(&self) -> Option<Instant> {
        match &self.failed {
            Some(failed) => Some(failed.next),
            None => self.unsynced.map(|since| since + BETWEEN_SYNCS),
        }
    }

    fn attend(&mut self, memory: &Memory, at_the_end: bool) {
        if !self.due().is_some_and(|due| at_the_end || due <= Instant::now()) {
            return;
        }
        if let Some(failed) = self.failed.take() {
            return self.try_again(&failed, memory);
        }
        self.unsynced = None;
        let done = self.log.as_ref().map(Log::sync);
        self.check(done, true);
        self.unsynced = None;
    }

    fn try_again(&mut self, failed: &Failed, memory: &Memory) {
        let entries = memory.all_after(if failed.whole { 0 } else { self.written });
        let done = self.opened().and_then(|log| {
            if failed.whole {
                log.rewrite(&entries)?;
            } else {
                log.mend(&entries)?;
            }
            log.sync()
        });
        match done {
            Ok(()) => {
                self.written = entries.last().map_or(self.written, |(seq, _)| *seq);
                self.health.log(&self.id, None);
                info!(session = self.id, "the log is written again; nothing of it is missing");
            }
            Err(error) => {
                self.health.log(&self.id, Some(&error.to_string()));
                let wait = (failed.wait * 2).min(LONGEST_WAIT);
                self.failed = Some(Failed { next: Instant::now() + wait, wait, whole: failed.whole });
            }
        }
    }

    /// The log, which is opened now if it could not be before. A log that has entries already is left alone:
    /// their numbers would be given twice.
    fn opened(&mut self) -> io::Result<&mut Log> {
        if self.log.is_none() {
            let opened = self.logs.log(&self.id)?;
            self.log = opened.filter(|(_, entries)| entries.is_empty()).map(|(log, _)| log);
            if let Some(log) = &mut self.log {
                log.settings.clone_from(&self.settings);
            }
        }
        self.log
            .as_mut()
            .ok_or_else(|| io::Error::new(io::ErrorKind::ResourceBusy, "it is not this session's"))
    }

    /// Notes the result of a write and returns whether it worked. After a failure half a line may be left,
    /// which is removed before anything is appended.
    fn check(&mut self, done: Option<io::Result<()>>, whole: bool) -> bool {
        match done {
            Some(Err(error)) => {
                self.report(&format!("{error}; it goes on in memory, and is tried again"));
                let wait = FIRST_WAIT;
                self.failed = Some(Failed { next: Instant::now() + wait, wait, whole });
                false
            }
            Some(Ok(())) => {
                self.unsynced.get_or_insert_with(Instant::now);
                true
            }
            None => false,
        }
    }

    fn report(&self, problem: &str) {
        self.health.log(&self.id, Some(problem));
        error!(session = self.id, problem, "can't write the log");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;
    use std::time::Instant;

    use serde_json::{Map, json};

    use super::{Entry, Files, Health, Journal, Logs, Memory, Storage};

    #[test]
    fn what_could_not_be_written_is_written_later_and_told_until_then() {
        let folder = std::env::temp_dir().join(format!("pilothouse-writer-{}", std::process::id()));
        let logs = Arc::new(Logs::open(&folder).unwrap());
        let health = Health::default();
        let wrong = || health.follow().borrow().json()["logs"].clone();
        let journal = Files::new("s", Memory::default(), Arc::clone(&logs), health.clone());
        let add = |text: &str| journal.append(vec![Entry::read(&json!({"type": text}).to_string())]);
        journal.load();
        add("before");
        let good = journal.writer().log.as_mut().unwrap().break_off();
        add("meanwhile");
        assert_eq!(wrong()["sessions"], 1);
        let since = wrong()["since"].clone();
        add("and then");
        journal.keep_settings(Map::from_iter([("agent".to_owned(), json!("a"))]));

        assert!(journal.due().unwrap() > Instant::now(), "not at once again");
        journal.attend(false);
        journal.attend(true);
        assert_eq!(wrong()["since"], since, "it can't be written yet");
        journal.writer().log.as_mut().unwrap().restore(good);
        journal.attend(true);
        assert!(wrong().is_null());
        add("after");
        journal.unload();
        assert!(journal.is_unloaded() && !journal.is_open());

        let other = Files::new("s", Memory::default(), logs, health.clone());
        assert_eq!(other.load()["agent"], "a");
        let entries = other.all_after(0);
        let lines: Vec<_> = entries.iter().map(|(seq, entry)| (*seq, &*entry.raw)).collect();
        let line = |text: &str| json!({"type": text}).to_string();
        let all = ["before", "meanwhile", "and then", "after"].map(line);
        assert_eq!(lines, (1..).zip(all.iter().map(String::as_str)).collect::<Vec<_>>());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
