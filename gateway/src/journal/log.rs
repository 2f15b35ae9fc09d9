//! A session's log on disk: one JSON value a line, appended to. Lines never change; only `rewrite` replaces
//! the file. When something is written is decided in `files`.
//!
//! A line is `{"seq":N,"event":E}` with the bytes of the event as they came, or `{"seq":N,"text":"…"}` where
//! they contain a line break or are not an event, or `{"settings":{…}}`, the parameters to resume the session
//! with; the last of those counts. If the log was over its limit, `dropped` beside them is the newest event that was
//! dropped. A written line survives the end of this process at once, and a power cut
//! after `sync`. A torn last line is cut off when the log is read; a damaged line in the middle is skipped,
//! and its number stays unused.
//!
//! Files are for their owner only (0600). A log is locked, so a second gateway can't open it.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::lock::{self, Lock};
use super::{Dropped, Entries, Entry, Facts};
use pilothouse_core::protocol::EventKind;

const ENDING: &str = "jsonl";
/// Locked by the gateway that uses the folder.
const LOCK: &str = "gateway.lock";
const LONGEST_NAME: usize = 128;
const BEGIN: u64 = 64 << 10;

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

    /// Reads the facts at the beginning of a log, for a list of sessions that nobody has opened yet.
    pub fn facts(&self, id: &str) -> Facts {
        let mut bytes = Vec::new();
        let begin = File::open(self.path(id)).map(|file| file.take(BEGIN).read_to_end(&mut bytes));
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| serde_json::from_slice::<LogLine<'_>>(line).ok());
        let events = lines.filter_map(|line| serde_json::from_str::<Value>(line.event?.get()).ok());
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let mut facts = Facts::default();
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
                _ => {}
            }
        }
        facts
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
        let (length, settings) = (whole as u64, Map::new());
        let mut log = Log { path, file, length, settings, dropped: None };
        let mut entries = Entries::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            let Ok(line) = serde_json::from_slice::<LogLine<'_>>(line) else {
                continue;
            };
            if let Some(settings) = line.settings {
                log.settings = settings;
                log.dropped = line.dropped;
            }
            let newest = entries.last().map_or(0, |(seq, _)| *seq);
            let Some(seq) = line.seq.filter(|seq| *seq > newest) else {
                continue;
            };
            match (line.event, line.text) {
                (Some(event), _) => entries.push((seq, Entry::read(event.get()))),
                (None, Some(text)) => entries.push((seq, Entry::read(&text))),
                (None, None) => {}
            }
        }
        Ok(Some((log, entries)))
    }

    /// The path of the notes beside a session's log.
    pub fn notes(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.backlog"))
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
        self.write(&lines(entries))
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

    /// Writes a new file with these entries, then replaces this one with it.
    pub fn rewrite(&mut self, entries: &[(u64, Entry)]) -> io::Result<()> {
        let beside = self.path.with_extension("new");
        let Some(file) = lock::open(&beside, OpenOptions::new().append(true).create(true))? else {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process writes it"));
        };
        let settings = std::mem::take(&mut self.settings);
        let dropped = self.dropped.clone();
        let mut fresh = Self { path: self.path.clone(), file, length: 0, settings, dropped };
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
        push(&mut text, *seq, entry);
    }
    text
}

fn push(text: &mut String, seq: u64, entry: &Entry) {
    // Writing into a String can't fail.
    let _ = if entry.event && !entry.raw.contains(['\n', '\r']) {
        writeln!(text, r#"{{"seq":{seq},"event":{}}}"#, entry.raw)
    } else {
        writeln!(text, r#"{{"seq":{seq},"text":{}}}"#, Value::from(&*entry.raw))
    };
}

#[cfg(test)]
mod tests;
