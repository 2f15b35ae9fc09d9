//! Owns what becomes of an event on its way from the runtime to the viewers: it is written into
//! the session's log, and only then into the journal that viewers read. So a `seq` that anybody
//! saw is in the log, whenever this process ends. It refuses to talk to the runtime.
//!
//! One thread, fed by a channel without a bound: neither a disk that is slow nor a viewer that
//! reads nothing holds up the runtime. What waits is written together. The disk is asked to keep
//! it (`sync`) at most once a second for each log, and when the gateway ends.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::disk::{Log, Logs};
use super::message;
use crate::journal::Entry;
use crate::session::{Session, Sessions};
use crate::{report, time};

const BETWEEN_SYNCS: Duration = Duration::from_secs(1);
const MOST_AT_ONCE: usize = 4096;

/// What the scribe is told.
#[derive(Debug)]
pub enum Item {
    /// The runtime sent an event.
    Event {
        /// Whose.
        session_id: String,
        /// The event.
        entry: Entry,
    },
    /// The runtime sent a message of so many bytes that is none.
    Unreadable(usize),
    /// Reads the session's log, if that was not done; says what to resume the session with.
    Load(String, oneshot::Sender<Map<String, Value>>),
    /// Keeps what to resume the session with.
    Settings(String, Map<String, Value>),
    /// From now on events wait until the history before them is known.
    Hold(String),
    /// That history, oldest first. What is not in the journal yet goes there, then what waited.
    Merge(String, Vec<String>, oneshot::Sender<()>),
    /// There will be no history: what waited goes into the journal.
    Release(String),
    /// The gateway itself has to say something to those who watch.
    Notice(String, Notice),
    /// Ends the thread when all before this is on the disk.
    End(oneshot::Sender<()>),
}

/// Something that the gateway itself says in a session.
#[derive(Debug)]
pub struct Notice {
    /// `session.info` or `session.error`.
    pub event_type: &'static str,
    /// A word for it, in `infoType` or `errorType`.
    pub kind: &'static str,
    /// For people.
    pub message: String,
}

/// How to reach it.
#[derive(Clone, Debug)]
pub struct Scribe(mpsc::Sender<Item>);

struct Desk {
    sessions: Sessions,
    logs: Option<Logs>,
    largest_log: usize,
    books: HashMap<String, Book>,
}

/// One session's log while it is written.
struct Book {
    session: Arc<Session>,
    log: Option<Log>,
    settings: Map<String, Value>,
    pending: Vec<Entry>,
    held: Option<Vec<Entry>>,
    unsynced: Option<Instant>,
}

impl Scribe {
    /// Begins. Logs are kept where there is a place for them.
    pub fn start(sessions: Sessions, logs: Option<Logs>, largest_log: usize) -> std::io::Result<Self> {
        let (sender, items) = mpsc::channel();
        let desk = Desk { sessions, logs, largest_log, books: HashMap::new() };
        thread::Builder::new().name("scribe".to_owned()).spawn(move || desk.run(&items))?;
        Ok(Self(sender))
    }

    /// Tells it something. After `End` nobody listens, and nothing is left to be told.
    pub fn send(&self, item: Item) {
        let _ = self.0.send(item);
    }

    /// Reads the session's log, if that was not done; what to resume the session with.
    pub async fn load(&self, session_id: &str) -> Map<String, Value> {
        let (done, loaded) = oneshot::channel();
        self.send(Item::Load(session_id.to_owned(), done));
        loaded.await.unwrap_or_default()
    }

    /// Puts history before what is held.
    pub async fn merge(&self, session_id: &str, history: Vec<String>) {
        let (done, merged) = oneshot::channel();
        self.send(Item::Merge(session_id.to_owned(), history, done));
        let _ = merged.await; // the scribe ended: the gateway does, too
    }

    /// Ends it.
    pub async fn end(&self) {
        let (done, ended) = oneshot::channel();
        self.send(Item::End(done));
        let _ = ended.await; // it had ended
    }
}

impl Desk {
    fn run(mut self, items: &mpsc::Receiver<Item>) {
        loop {
            let due = self.books.values().filter_map(|book| book.unsynced).min();
            let first = match due {
                Some(since) => items.recv_timeout(BETWEEN_SYNCS.saturating_sub(since.elapsed())),
                None => items.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let ended = match first {
                Ok(item) => {
                    let mut end = self.take(item);
                    for item in items.try_iter().take(MOST_AT_ONCE) {
                        end = end.or(self.take(item));
                    }
                    end
                }
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(oneshot::channel().0),
            };
            let largest = self.largest_log;
            for book in self.books.values_mut() {
                book.publish(largest);
                book.sync(if ended.is_some() { Duration::ZERO } else { BETWEEN_SYNCS });
            }
            if let Some(done) = ended {
                drop(self); // the logs are free for another gateway before anybody hears of the end
                let _ = done.send(());
                return;
            }
        }
    }

    fn take(&mut self, item: Item) -> Option<oneshot::Sender<()>> {
        let largest = self.largest_log;
        match item {
            Item::Event { session_id, entry } => self.book(&session_id).add(entry),
            Item::Unreadable(bytes) => {
                report(&format!(
                    "the runtime sent a message of {bytes} bytes that is none; it was passed over"
                ));
            }
            Item::Load(id, done) => {
                let _ = done.send(self.book(&id).settings.clone()); // nobody waits any more
            }
            Item::Settings(id, settings) => self.book(&id).set(settings),
            Item::Hold(id) => {
                self.book(&id).held.get_or_insert_default();
            }
            Item::Merge(id, history, done) => {
                let book = self.book(&id);
                book.publish(largest);
                book.merge(history);
                book.publish(largest);
                let _ = done.send(()); // nobody waits any more
            }
            Item::Release(id) => self.book(&id).release(),
            Item::Notice(id, notice) => {
                let entry = message::entry(&notice.event());
                let book = self.book(&id);
                book.pending.push(entry); // also while others are held: it is about the connection
            }
            Item::End(done) => return Some(done),
        }
        None
    }

    fn book(&mut self, id: &str) -> &mut Book {
        let Self { sessions, logs, books, .. } = self;
        books.entry(id.to_owned()).or_insert_with(|| Book::open(sessions.adopt(id), logs.as_ref()))
    }
}

impl Book {
    fn open(session: Arc<Session>, logs: Option<&Logs>) -> Self {
        let read = logs.map(|logs| logs.log(&session.id));
        let (mut log, mut settings) = (None, Map::new());
        match read {
            None => {}
            Some(Ok(Some((opened, entries)))) => {
                session.journal.restore(entries);
                settings.clone_from(&opened.settings);
                log = Some(opened);
            }
            Some(Ok(None)) => report(&format!(
                "another gateway keeps the log of session {}; here it is kept in memory only",
                session.id
            )),
            Some(Err(error)) => report(&format!(
                "can't keep a log of session {}: {error}. It is kept in memory only",
                session.id
            )),
        }
        Self { session, log, settings, pending: Vec::new(), held: None, unsynced: None }
    }

    fn add(&mut self, entry: Entry) {
        match &mut self.held {
            Some(held) => held.push(entry),
            None => self.pending.push(entry),
        }
    }

    fn set(&mut self, settings: Map<String, Value>) {
        if settings != self.settings {
            self.settings.clone_from(&settings);
            let set = self.log.as_mut().map(|log| log.set(settings));
            self.check(set);
        }
    }

    fn merge(&mut self, history: Vec<String>) {
        let held = self.held.take().unwrap_or_default();
        let mut known = HashSet::new();
        let mut cursor = self.session.journal.cursor_after(0);
        for (_, entry) in self.session.journal.read(&mut cursor, usize::MAX).entries {
            known.extend(message::event_id(&entry.raw));
        }
        // An event without an id can't be recognised: from history it would double, live it can't.
        let fresh = |raw: &str, known: &mut HashSet<String>, nameless: bool| {
            message::event_id(raw).map_or(nameless, |id| known.insert(id))
        };
        for raw in history {
            if fresh(&raw, &mut known, false) {
                self.pending.push(message::entry(&raw));
            }
        }
        for entry in held {
            if fresh(&entry.raw, &mut known, true) {
                self.pending.push(entry);
            }
        }
    }

    fn release(&mut self) {
        self.pending.extend(self.held.take().unwrap_or_default());
    }

    /// Into the log, then into the journal.
    fn publish(&mut self, largest: usize) {
        if self.pending.is_empty() {
            return;
        }
        let first = self.session.journal.position().length + 1;
        let written = self.log.as_mut().map(|log| log.append(first, &self.pending));
        self.check(written);
        self.session.journal.append_all(self.pending.drain(..));
        if self.session.journal.bytes() > largest {
            let left = self.session.journal.thin(largest / 4 * 3);
            let written = self.log.as_mut().map(|log| log.rewrite(&left));
            self.check(written);
        }
    }

    fn sync(&mut self, age: Duration) {
        if self.unsynced.is_some_and(|since| since.elapsed() >= age) {
            self.unsynced = None;
            let synced = self.log.as_ref().map(Log::sync);
            self.check(synced);
            self.unsynced = None;
        }
    }

    /// A log that can't be written is given up: half a log would give numbers away twice.
    fn check(&mut self, done: Option<std::io::Result<()>>) {
        match done {
            Some(Err(error)) => {
                self.log = None;
                let id = &self.session.id;
                report(&format!("can't write the log of session {id}: {error}. It goes on in memory only"));
            }
            Some(Ok(())) => {
                self.unsynced.get_or_insert_with(Instant::now);
            }
            None => {}
        }
    }
}

impl Notice {
    /// Marked as the gateway's own by `source`, and ephemeral: no history has it.
    fn event(&self) -> String {
        let word = if self.event_type == "session.error" { "errorType" } else { "infoType" };
        json!({
            "type": self.event_type,
            "data": {word: self.kind, "message": self.message},
            "source": "pilothouse",
            "ephemeral": true,
            "id": super::fresh_id(),
            "timestamp": time::now(),
            "parentId": null,
        })
        .to_string()
    }
}
