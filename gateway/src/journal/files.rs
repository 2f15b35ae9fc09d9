//! A journal on disk: each entry is in the session's log before it is in memory, where it is read.
//!
//! A log is a file with one JSON value a line, appended to. Lines never change; only `rewrite` replaces the file. A line is
//! `{"seq":N,"event":E}` with the bytes of the event as they came, or `{"seq":N,"text":"…"}` where they contain a line break or
//! are not an event, or `{"settings":{…}}`, the parameters to resume the session with; the last of those counts. If the log was
//! over its limit, `dropped` beside them is the newest event that was dropped.
//!
//! A written line survives the end of this process at once, and a power cut after `sync`: at most once a second, and when the
//! gateway ends. A thread of its own waits for the disk meanwhile, since that may take longer than a viewer of any session should
//! wait for an event. A torn last line is cut off when the log is read; a damaged line in the middle is skipped, and its number stays
//! unused. Where writing fails, on a full disk for example, it is tried again; nothing is lost, because the memory has what came
//! meanwhile.
//!
//! Superseded events leave the memory, but for the newest, once they are in the log: who reads from the beginning gets them from
//! there. What is left of the log stays in memory. Should a log have to be written again, superseded ones are not in it any longer.
//!
//! Files are for their owner only (0600). A log is locked, so a second gateway can't open it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tracing::{error, info};

use super::lock::{self, Lock};
use super::memory::Memory;
use super::{
    AGENT, AGENT_SESSION, Batch, Cursor, Dropped, Entries, Entry, Facts, Journal, Position, Storage,
};
use crate::health::Health;
use crate::private_file::PrivateFile;
use pilothouse_core::protocol::{EventKind, RequestKind};
use pilothouse_core::view_model::snapshot::title_of_message;

const BETWEEN_SYNCS: Duration = Duration::from_secs(1);
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const ENDING: &str = "jsonl";
/// Locked by the gateway that uses the folder.
const LOCK: &str = "gateway.lock";
const LONGEST_NAME: usize = 128;
const BEGIN: u64 = 64 << 10;
const ENDING_BYTES: u64 = 64 << 10;
const BETWEEN_MARKS: u64 = 64 << 10;

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
    syncing: Option<Syncing>,
    failed: Option<Failed>,
}

/// A thread waits for the disk.
#[derive(Debug)]
struct Syncing {
    /// When to look how it went.
    look: Instant,
    thread: JoinHandle<io::Result<()>>,
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
            syncing: None,
            failed: None,
        };
        Self { memory, writer: Mutex::new(writer) }
    }

    fn add(&self, entries: Entries) {
        let mut writer = self.writer();
        writer.append(&entries);
        if let Some(left) = self.memory.add(entries) {
            writer.rewrite(&left, self.memory.dropped());
        }
        writer.evict_superseded(&self.memory);
    }

    fn writer(&self) -> MutexGuard<'_, LogWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notes_file(&self) -> Option<PrivateFile> {
        let writer = self.writer();
        writer.log.is_some().then(|| PrivateFile::new(writer.logs.notes(&writer.id)))
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
        let restarted = self.memory.position().correct(cursor);
        let batch = self.memory.read_whole(cursor, bytes).unwrap_or_else(|last| {
            let entries = self.writer().read(cursor.seq, last, bytes);
            match entries.last() {
                Some((seq, _)) => {
                    cursor.seq = *seq;
                    Batch { entries, restarted }
                }
                None => self.memory.read(cursor, bytes),
            }
        });
        Batch { restarted: batch.restarted || restarted, ..batch }
    }

    fn read_left(&self, cursor: &mut Cursor) -> Batch {
        self.memory.read_left(cursor)
    }

    fn append(&self, entries: Vec<Entry>) {
        self.add(self.memory.number(entries));
    }

    fn adopt(&self, missing: Entries, first: u64) {
        self.add(missing);
        self.memory.go_on_from(first);
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
                self.evict_superseded(memory);
            }
            Ok(None) => self.report("another program has it open; it is kept in memory only"),
            // The id can't be a file name, so the runtime did not make it.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                error!(session = self.id, %error, "the log is kept in memory only");
            }
            Err(error) => _ = self.check(Some(Err(error)), false),
        }
    }

    /// Lets the memory go of superseded events, if they are in the log.
    fn evict_superseded(&self, memory: &Memory) {
        if self.log.is_some() && self.failed.is_none() {
            memory.evict_superseded();
        }
    }

    /// Reads the entries after one number up to another, up to about `bytes`; none if the log can't be read.
    fn read(&self, after: u64, last: u64, bytes: usize) -> Entries {
        let read = self.log.as_ref().map(|log| log.read(after, last, bytes));
        read.and_then(|read| {
            read.inspect_err(|error| error!(session = self.id, %error, "can't read the log")).ok()
        })
        .unwrap_or_default()
    }

    /// Closes the log. What is left to do for it is done by then, or can't be.
    fn close(&mut self) {
        self.end_sync(true); // it has the file open, and with it the lock
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
        if let Some(failed) = &self.failed {
            return Some(failed.next);
        }
        let look = self.syncing.as_ref().map(|syncing| syncing.look);
        [look, self.unsynced.map(|since| since + BETWEEN_SYNCS)].into_iter().flatten().min()
    }

    fn attend(&mut self, memory: &Memory, at_the_end: bool) {
        if !self.due().is_some_and(|due| at_the_end || due <= Instant::now()) {
            return;
        }
        self.end_sync(at_the_end);
        if let Some(failed) = self.failed.take() {
            return self.try_again(&failed, memory);
        }
        let now = Instant::now();
        if let Some(syncing) = &mut self.syncing {
            // The disk is slow. What was written meanwhile has its turn after that.
            syncing.look = now + BETWEEN_SYNCS;
            self.unsynced = self.unsynced.map(|_| now);
        } else if self.unsynced.take_if(|since| at_the_end || *since + BETWEEN_SYNCS <= now).is_some() {
            let thread = self.log.as_ref().filter(|_| !at_the_end).map(Log::start_sync);
            if let Some(Ok(thread)) = thread {
                self.syncing = Some(Syncing { look: now + BETWEEN_SYNCS, thread });
            } else {
                let done = self.log.as_ref().map(Log::sync);
                self.check(done, true);
                self.unsynced = None;
            }
        }
    }

    /// Notes how the sync went, if it has ended. With `wait` it has.
    fn end_sync(&mut self, wait: bool) {
        let Some(syncing) = self.syncing.take_if(|syncing| wait || syncing.thread.is_finished()) else {
            return;
        };
        if let Ok(Err(error)) = syncing.thread.join() {
            self.check(Some(Err(error)), true);
        }
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

/// The folder of the logs. Until this is closed or dropped, no other gateway can use the folder.
#[derive(Debug)]
pub struct Logs {
    folder: PathBuf,
    lock: Mutex<Option<Lock>>,
}

/// An open log.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    /// How many of its bytes are whole lines.
    length: u64,
    /// Some of the entries, about one for each [`BETWEEN_MARKS`] bytes: their numbers, and where their lines begin.
    marks: Vec<(u64, u64)>,
    /// The parameters to resume the session with.
    pub settings: Map<String, Value>,
    /// What was dropped, if the log was over its limit.
    pub dropped: Option<Dropped>,
}

#[derive(Deserialize)]
struct LogLine<'a> {
    seq: Option<u64>,
    #[serde(borrow, default)]
    event: Option<&'a RawValue>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    settings: Option<Map<String, Value>>,
    #[serde(default)]
    dropped: Option<Dropped>,
}

/// Reads a line of a log; none if it is not an entry.
pub fn read_line(line: &[u8]) -> Option<(u64, Entry)> {
    serde_json::from_slice::<LogLine<'_>>(line).ok().and_then(LogLine::entry)
}

impl LogLine<'_> {
    /// The entry, if it is one.
    fn entry(self) -> Option<(u64, Entry)> {
        let entry = match (self.event, self.text) {
            (Some(event), _) => Entry::read(event.get()),
            (None, text) => Entry::read(&text?),
        };
        Some((self.seq?, entry))
    }
}

/// Whether a session's id can be a file name.
pub fn is_name(id: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    !id.is_empty() && id.len() <= LONGEST_NAME && !id.starts_with('.') && id.chars().all(plain)
}

impl Logs {
    /// Opens the logs in this folder, which is created where it is missing. Fails if another gateway uses the
    /// folder: each would show what the other does late, in part, or not at all.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let sessions = folder.join("sessions");
        lock::create_folder(&sessions)?;
        let lock = Lock::take(&folder.join(LOCK))?;
        Ok(Self { folder: sessions, lock: Mutex::new(Some(lock)) })
    }

    /// Lets another gateway use the folder.
    pub fn close(&self) {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The sessions that have a log, the most recently written first.
    pub fn ids(&self) -> io::Result<Vec<(String, SystemTime)>> {
        let ids = self.files()?.into_iter().filter_map(|(path, _, written)| {
            let id = path.file_stem()?.to_str()?.to_owned();
            is_name(&id).then_some((id, written))
        });
        Ok(ids.collect())
    }

    /// Reads the facts at the beginning of a log, for a list of sessions that nobody has opened yet. One without a title has the
    /// beginning of its first message, as when it is open.
    pub fn facts(&self, id: &str) -> Facts {
        let mut bytes = Vec::new();
        let begin = File::open(self.path(id)).map(|file| file.take(BEGIN).read_to_end(&mut bytes));
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines: Vec<_> =
            lines.filter_map(|line| serde_json::from_slice::<LogLine<'_>>(line).ok()).collect();
        let settings = lines.iter().filter_map(|line| line.settings.as_ref()).next_back();
        let setting = |name: &str| settings?.get(name)?.as_str().map(str::to_owned);
        let (agent, agent_session) = (setting(AGENT), setting(AGENT_SESSION));
        let events = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line.event?.get()).ok());
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let mut facts = Facts { agent, agent_session, ..Facts::default() };
        let mut asked = None;
        for event in events.take_while(|_| begin.is_ok()) {
            let data = &event["data"];
            match EventKind::of(&event) {
                EventKind::SessionStart => {
                    facts.model = text(&data["selectedModel"]);
                    facts.cwd = text(&data["context"]["cwd"]);
                    facts.repository = text(&data["context"]["repository"]);
                    facts.branch = text(&data["context"]["branch"]);
                    facts.start_time = text(&data["startTime"]);
                }
                EventKind::SessionTitleChanged => facts.title = text(&data["title"]),
                EventKind::UserMessage if asked.is_none() && event["agentId"].is_null() => {
                    asked = data["content"].as_str().and_then(title_of_message);
                }
                _ => {}
            }
        }
        facts.title = facts.title.or(asked);
        facts
    }

    /// Reads the events at the end of a log, for a list of sessions that nobody has opened yet; none where no request that
    /// outlives the agent's process was opened there. The agent waits for such a request, so little follows it.
    pub fn ending(&self, id: &str) -> Vec<Arc<str>> {
        let mut bytes = Vec::new();
        let read = File::open(self.path(id)).and_then(|mut file| {
            let begin = file.metadata()?.len().saturating_sub(ENDING_BYTES);
            file.seek(SeekFrom::Start(begin))?;
            file.take(ENDING_BYTES).read_to_end(&mut bytes)
        });
        let text = String::from_utf8_lossy(&bytes);
        if read.is_err() || !RequestKind::surviving_openers().any(|kind| text.contains(kind.name())) {
            return Vec::new();
        }
        // The first line may be cut; it can't be read then.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<LogLine<'_>>(line).ok());
        lines.filter_map(LogLine::entry).map(|(_, entry)| entry.raw).collect()
    }

    /// Deletes the logs that were written longest ago, until all together have at most `most` bytes.
    pub fn prune(&self, most: u64) -> io::Result<()> {
        let mut total = 0;
        for (path, bytes, _) in self.files()? {
            total += bytes;
            if total > most {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Opens a session's log and reads its entries. `None` where another gateway has it open.
    pub fn log(&self, id: &str) -> io::Result<Option<(Log, Entries)>> {
        if !is_name(id) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "its id can't be the name of a file"));
        }
        let path = self.path(id);
        let Some(mut file) = lock::open(&path, OpenOptions::new().read(true).append(true).create(true))?
        else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if whole < bytes.len() {
            file.set_len(whole as u64)?;
            file.seek(SeekFrom::End(0))?;
        }
        bytes.truncate(whole);
        let settings = Map::new();
        let mut log = Log { path, file, length: 0, marks: Vec::new(), settings, dropped: None };
        let mut entries = Entries::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let begin = log.length;
            log.length += line.len() as u64;
            let Ok(mut line) = serde_json::from_slice::<LogLine<'_>>(line) else {
                continue;
            };
            if let Some(settings) = line.settings.take() {
                log.settings = settings;
                log.dropped = line.dropped.take();
            }
            let newest = entries.last().map_or(0, |(seq, _)| *seq);
            if let Some((seq, entry)) = line.entry().filter(|(seq, _)| *seq > newest) {
                log.mark(seq, begin);
                entries.push((seq, entry));
            }
        }
        Ok(Some((log, entries)))
    }

    /// The path of the notes beside a session's log.
    pub fn notes(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.backlog"))
    }

    /// The path of a file beside the folder of the logs.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.with_file_name(name)
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.{ENDING}"))
    }

    fn files(&self) -> io::Result<Vec<(PathBuf, u64, SystemTime)>> {
        let mut files = Vec::new();
        for file in fs::read_dir(&self.folder)? {
            let file = file?;
            let about = file.metadata()?;
            if about.is_file() && file.path().extension().is_some_and(|ending| ending == ENDING) {
                files.push((file.path(), about.len(), about.modified().unwrap_or(SystemTime::UNIX_EPOCH)));
            }
        }
        files.sort_by_key(|(_, _, written)| std::cmp::Reverse(*written));
        Ok(files)
    }
}

impl Log {
    /// Appends entries.
    pub fn append(&mut self, entries: &[(u64, Entry)]) -> io::Result<()> {
        let begin = self.length;
        self.write(&lines(entries))?;
        if let Some((seq, _)) = entries.first() {
            self.mark(*seq, begin);
        }
        Ok(())
    }

    /// Notes where the line of an entry begins, if no noted one is near before it.
    fn mark(&mut self, seq: u64, begin: u64) {
        if self.marks.last().is_none_or(|(_, before)| begin - before >= BETWEEN_MARKS) {
            self.marks.push((seq, begin));
        }
    }

    /// Reads the entries after one number up to another, up to about `bytes` but at least one.
    fn read(&self, after: u64, last: u64, bytes: usize) -> io::Result<Entries> {
        let mark = self.marks.partition_point(|(seq, _)| *seq <= after + 1).checked_sub(1);
        let begin = mark.and_then(|mark| self.marks.get(mark)).map_or(0, |(_, begin)| *begin);
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(begin))?;
        let mut lines = BufReader::new(file.take(self.length - begin));
        let (mut line, mut size, mut entries) = (Vec::new(), 0, Entries::new());
        while lines.read_until(b'\n', &mut line)? > 0 {
            let entry = read_line(&line);
            if let Some((seq, entry)) = entry.filter(|(seq, _)| *seq > after) {
                size += entry.raw.len();
                if seq > last || (size > bytes && !entries.is_empty()) {
                    break;
                }
                entries.push((seq, entry));
            }
            line.clear();
        }
        Ok(entries)
    }

    /// Appends the parameters to resume the session with.
    pub fn write_settings(&mut self) -> io::Result<()> {
        self.write(&self.settings_line())
    }

    /// Removes a partly written line, and appends the entries that are missing since.
    pub fn mend(&mut self, entries: &[(u64, Entry)]) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.write(&(self.settings_line() + &lines(entries)))
    }

    /// Waits until what was written is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// The same in another thread.
    fn start_sync(&self) -> io::Result<JoinHandle<io::Result<()>>> {
        let file = self.file.try_clone()?;
        thread::Builder::new().name("sync".to_owned()).spawn(move || file.sync_data())
    }

    /// Writes a new file with these entries, then replaces this one with it.
    pub fn rewrite(&mut self, entries: &[(u64, Entry)]) -> io::Result<()> {
        let beside = self.path.with_extension("new");
        let Some(file) = lock::open(&beside, OpenOptions::new().append(true).create(true))? else {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process writes it"));
        };
        let settings = std::mem::take(&mut self.settings);
        let dropped = self.dropped.clone();
        let (path, marks) = (self.path.clone(), Vec::new());
        let mut fresh = Self { path, file, length: 0, marks, settings, dropped };
        let written = fresh.fill(entries).and_then(|()| fs::rename(&beside, &self.path));
        if let Err(error) = written {
            self.settings = fresh.settings;
            // The partial file would take space from the log itself.
            let _ = fs::remove_file(&beside);
            return Err(error);
        }
        *self = fresh;
        Ok(())
    }

    fn fill(&mut self, entries: &[(u64, Entry)]) -> io::Result<()> {
        self.file.set_len(0)?;
        self.write_settings()?;
        for some in entries.chunks(256) {
            self.append(some)?;
        }
        self.sync()
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.length += text.len() as u64;
        Ok(())
    }

    fn settings_line(&self) -> String {
        let mut line = serde_json::json!({"settings": self.settings});
        if let Some(Dropped { seq, id }) = &self.dropped {
            line["dropped"] = serde_json::json!({"seq": seq, "id": id});
        }
        format!("{line}\n")
    }
}

fn lines(entries: &[(u64, Entry)]) -> String {
    let mut text = String::new();
    for (seq, entry) in entries {
        entry.write_line(*seq, &mut text);
    }
    text
}

#[cfg(test)]
mod tests;
