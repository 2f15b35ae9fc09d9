//! Writes a session's log. Where writing fails, on a full disk for example, it is tried again; nothing is
//! lost, because the journal has what came meanwhile. When something is written is decided in `recorder`.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tracing::{error, info};

use super::disk::{Dropped, Log, Logs};
use crate::health::Health;
use crate::journal::{Entry, Journal};
use crate::sessions::session::Session;

const BETWEEN_SYNCS: Duration = Duration::from_secs(1);
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Writes one session's log, and knows when to sync and when to try again.
pub struct LogWriter {
    id: String,
    health: Health,
    logs: Option<Arc<Logs>>,
    log: Option<Log>,
    settings: Map<String, Value>,
    /// The newest `seq` in the log.
    written: u64,
    unsynced: Option<Instant>,
    failed: Option<Failed>,
}

/// Writing failed: when to try again.
struct Failed {
    next: Instant,
    wait: Duration,
    /// Whether the whole log must be written, because earlier lines may not be on the disk either.
    whole: bool,
}

impl LogWriter {
    /// Opens a session's log, where logs are kept, and reads it into the journal. Returns the parameters to
    /// resume the session with as well.
    pub fn open(session: &Session, logs: Option<Arc<Logs>>, health: Health) -> (Self, Map<String, Value>) {
        let id = session.id.clone();
        let (log, settings) = (None, Map::new());
        let mut writer = Self { id, health, logs, log, settings, written: 0, unsynced: None, failed: None };
        match writer.logs.as_ref().map(|logs| logs.log(&session.id)) {
            None => {}
            Some(Ok(Some((log, entries)))) => {
                writer.written = entries.last().map_or(0, |(seq, _)| *seq);
                // The end of the log can be lost by a power cut.
                session.journal.restore(entries, log.dropped.as_ref().map_or(0, |dropped| dropped.seq));
                writer.settings.clone_from(&log.settings);
                writer.log = Some(log);
            }
            Some(Ok(None)) => writer.report("another program has it open; it is kept in memory only"),
            // The id can't be a file name, so the runtime did not make it.
            Some(Err(error)) if error.kind() == io::ErrorKind::InvalidInput => {
                error!(session = session.id, %error, "the log is kept in memory only");
            }
            Some(Err(error)) => _ = writer.check(Some(Err(error)), false),
        }
        let settings = writer.settings.clone();
        (writer, settings)
    }

    /// Whether the log is kept on the disk.
    pub const fn is_open(&self) -> bool {
        self.log.is_some()
    }

    /// Appends entries.
    pub fn append(&mut self, entries: &[(u64, Entry)]) {
        if self.failed.is_none() {
            let done = self.log.as_mut().map(|log| log.append(entries));
            if self.check(done, false)
                && let Some((seq, _)) = entries.last()
            {
                self.written = *seq;
            }
        }
    }

    /// What was dropped from the log on the disk because it was over its limit.
    pub fn dropped(&self) -> Option<Dropped> {
        self.log.as_ref()?.dropped.clone()
    }

    /// Replaces the content of the log with these entries, which are left after others were dropped.
    pub fn rewrite(&mut self, entries: &[(u64, Entry)], dropped: Option<Dropped>) {
        if let Some(log) = &mut self.log {
            log.dropped = dropped;
        }
        if self.failed.is_none() {
            let done = self.log.as_mut().map(|log| log.rewrite(entries));
            self.check(done, false);
        }
    }

    /// Writes the parameters to resume the session with.
    pub fn set(&mut self, settings: Map<String, Value>) {
        if let Some(log) = &mut self.log {
            log.settings.clone_from(&settings);
        }
        self.settings = settings;
        if self.failed.is_none() {
            let done = self.log.as_mut().map(Log::write_settings);
            self.check(done, false);
        }
    }

    /// When [`Self::attend`] has something to do next.
    pub fn due(&self) -> Option<Instant> {
        match &self.failed {
            Some(failed) => Some(failed.next),
            None => self.unsynced.map(|since| since + BETWEEN_SYNCS),
        }
    }

    /// Does what is due; when the gateway ends, all that is left to do.
    pub fn attend(&mut self, journal: &Journal, at_the_end: bool) {
        if !self.due().is_some_and(|due| at_the_end || due <= Instant::now()) {
            return;
        }
        if let Some(failed) = self.failed.take() {
            return self.try_again(&failed, journal);
        }
        self.unsynced = None;
        let done = self.log.as_ref().map(Log::sync);
        self.check(done, true);
        self.unsynced = None;
    }

    fn try_again(&mut self, failed: &Failed, journal: &Journal) {
        let after = if failed.whole { 0 } else { self.written };
        let entries = journal.read(&mut journal.cursor_after(after), usize::MAX).entries;
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
            let opened = self.logs.as_ref().map(|logs| logs.log(&self.id)).transpose()?.flatten();
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

    use super::{Health, LogWriter, Logs};
    use crate::agents::copilot::message::entry;
    use crate::journal::Entry;
    use crate::sessions::Sessions;
    use crate::sessions::session::Session;

    fn add(writer: &mut LogWriter, session: &Session, text: &str) {
        let entry: Entry = entry(&json!({"type": text}).to_string());
        writer.append(&[(session.journal.position().length + 1, entry.clone())]);
        session.journal.append(entry);
    }

    #[test]
    fn what_could_not_be_written_is_written_later_and_told_until_then() {
        let folder = std::env::temp_dir().join(format!("pilothouse-writer-{}", std::process::id()));
        let logs = Arc::new(Logs::open(&folder).unwrap());
        let health = Health::default();
        let wrong = || health.follow().borrow().json()["logs"].clone();
        let session = Sessions::default().adopt("s");
        let (mut writer, _) = LogWriter::open(&session, Some(Arc::clone(&logs)), health.clone());
        add(&mut writer, &session, "before");
        let good = writer.log.as_mut().unwrap().break_off();
        add(&mut writer, &session, "meanwhile");
        assert_eq!(wrong()["sessions"], 1);
        let since = wrong()["since"].clone();
        add(&mut writer, &session, "and then");
        writer.set(Map::from_iter([("agent".to_owned(), json!("a"))]));

        assert!(writer.due().unwrap() > Instant::now(), "not at once again");
        writer.attend(&session.journal, false);
        writer.attend(&session.journal, true);
        assert_eq!(wrong()["since"], since, "it can't be written yet");
        writer.log.as_mut().unwrap().restore(good);
        writer.attend(&session.journal, true);
        assert!(wrong().is_null());
        add(&mut writer, &session, "after");
        drop(writer);

        let (log, entries) = logs.log("s").unwrap().unwrap();
        let told: Vec<_> = entries.iter().map(|(seq, entry)| (*seq, &*entry.raw)).collect();
        let line = |text: &str| json!({"type": text}).to_string();
        let all = ["before", "meanwhile", "and then", "after"].map(line);
        assert_eq!(told, (1..).zip(all.iter().map(String::as_str)).collect::<Vec<_>>());
        assert_eq!(log.settings["agent"], "a");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
