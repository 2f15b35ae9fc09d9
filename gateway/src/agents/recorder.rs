//! Writes each event of an agent into the session's journal, which keeps it before any viewer reads it. Each agent has a recorder.
//!
//! One thread does this, fed by an unbounded channel: neither a slow disk nor a viewer that reads nothing
//! holds up the agent. Waiting events are written together.
//!
//! A session that is not open, and that nobody uses, is in memory for ten more seconds. Then its journal is closed, and read
//! again when somebody needs it. A journal without a storage stays in memory.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tracing::warn;

use super::backlog::Backlog;
use super::notice::DueCommand;
use super::queue::Queue;
use crate::journal::cluster::Joined;
use crate::journal::store::Store;
use crate::journal::{Entries, Entry, Storage, event_id};
use crate::sessions::agent::Presence;
use crate::sessions::session::Session;

pub mod backlog;

const MOST_AT_ONCE: usize = 4096;
/// While events come, how often all sessions are looked at for what is due. With each event that would cost more than the event.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// How long a session that is not open stays in memory after its last use.
const UNUSED_TIME: Duration = Duration::from_secs(10);
/// How long until the next look at a session that could not leave because something still needed it.
const UNLOAD_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// A session whose events are written.
#[derive(Clone, Debug)]
pub struct RecordedSession {
    /// The session.
    pub session: Arc<Session>,
    /// The messages that people sent and that have not begun.
    pub backlog: Arc<Backlog>,
}

/// A command for the recorder.
#[derive(Debug)]
pub enum RecorderCommand {
    /// The runtime sent an event.
    Event {
        /// The session's id.
        session_id: String,
        /// The event.
        entry: Entry,
    },
    /// The runtime sent this many bytes that are not a message.
    Unreadable(usize),
    /// Reads the session's log, if that was not done; replies with the parameters to resume the session with.
    Load(String, oneshot::Sender<Map<String, Value>>),
    /// Adds entries of the cluster that the session's journal lacks; new ones have no smaller number than this from then on.
    Adopt(String, Entries, u64, oneshot::Sender<()>),
    /// Keeps the parameters to resume the session with.
    Settings(String, Map<String, Value>),
    /// Holds back events from now on, until the history before them is known.
    Hold(String),
    /// That history, oldest first. What the journal lacks is added to it, then what was held back.
    Merge(String, Vec<String>, oneshot::Sender<()>),
    /// There will be no history: what was held back goes into the journal.
    Release(String),
    /// The connection has ended before that history was here. What was held back comes again with the next one, behind what
    /// was missed.
    Discard(String),
    /// The session's backlog has changed and is written to the disk.
    SaveBacklog(String, oneshot::Sender<()>),
    /// Replies with the messages that the runtime has to be asked about, after all events before this.
    WaitingIds(String, oneshot::Sender<Vec<String>>),
    /// The runtime was asked about these messages, and this is its queue.
    CompareBacklog(String, Vec<String>, Queue, oneshot::Sender<()>),
    /// An event of the gateway itself for the viewers.
    OwnEvent(String, String),
    /// Ends the thread when all before this is on the disk.
    End(oneshot::Sender<()>),
}

/// A handle for sending commands to the recorder's thread.
#[derive(Clone, Debug)]
pub struct Recorder(mpsc::Sender<RecorderCommand>);

struct RecorderThread<A> {
    adopt: A,
    store: Arc<Store>,
    due: UnboundedSender<DueCommand>,
    books: HashMap<String, SessionRecord>,
}

/// What the recorder keeps for one session.
struct SessionRecord {
    handle: RecordedSession,
    settings: Map<String, Value>,
    /// When to try again to write the backlog, after that has failed.
    save_again: Option<Instant>,
    pending: Vec<Entry>,
    intake: EventIntake,
    /// Commands to run once it is in the log that they are.
    commands: Vec<DueCommand>,
    due: UnboundedSender<DueCommand>,
    /// When to look whether the session may leave the memory.
    look: Instant,
}

/// What happens to the events that the runtime sends.
#[derive(Debug, Default)]
enum EventIntake {
    /// They go into the journal.
    #[default]
    Open,
    /// They are held back until the history before them is known.
    HoldingBack(Vec<Entry>),
    /// The connection ended before that history was here. What it still brings comes again with the next one.
    Ended,
}

impl Recorder {
    /// A handle, and where the thread that is started with it receives.
    pub fn new() -> (Self, mpsc::Receiver<RecorderCommand>) {
        let (sender, items) = mpsc::channel();
        (Self(sender), items)
    }

    /// Starts the thread. Sessions come from `adopt`. Queued commands whose turn has come are sent to `due`.
    pub fn start(
        items: mpsc::Receiver<RecorderCommand>,
        store: Arc<Store>,
        adopt: impl Fn(&str) -> RecordedSession + Send + 'static,
        due: UnboundedSender<DueCommand>,
    ) -> std::io::Result<()> {
        store.begin_writing();
        let thread = RecorderThread { adopt, store, due, books: HashMap::new() };
        thread::Builder::new().name("recorder".to_owned()).spawn(move || thread.run(&items))?;
        Ok(())
    }

    /// Sends a command. After `End` nobody listens, and nothing is left to be done.
    pub fn send(&self, item: RecorderCommand) {
        let _ = self.0.send(item);
    }

    /// Reads the session's log, if that was not done. Returns the parameters to resume the session with.
    pub async fn load(&self, session_id: &str) -> Map<String, Value> {
        let (done, loaded) = oneshot::channel();
        self.send(RecorderCommand::Load(session_id.to_owned(), done));
        loaded.await.unwrap_or_default()
    }

    /// Adds entries that the session's journal lacks. New ones have no smaller number than `first` from then on.
    pub async fn adopt(&self, session_id: &str, missing: Entries, first: u64) {
        let (done, adopted) = oneshot::channel();
        self.send(RecorderCommand::Adopt(session_id.to_owned(), missing, first, done));
        let _ = adopted.await; // the recorder has ended, because the gateway does
    }

    /// Finds out where a session goes on in the cluster's log, and has it published. This comes before anything is written into its
    /// journal: by another gateway, or by this one before a power cut, positions may have been given that the journal lacks.
    pub async fn join_cluster(&self, store: &Store, session: &Session, is_new: bool) {
        let Some(cluster) = store.cluster() else { return };
        match cluster.join(&session.id, &session.journal, is_new).await {
            Joined::Lacks { missing, first } => self.adopt(&session.id, missing, first).await,
            Joined::GoesOn { first: Some(first) } => self.adopt(&session.id, Vec::new(), first).await,
            Joined::GoesOn { first: None } | Joined::Known => {}
        }
    }

    /// Puts history before the events that are held back.
    pub async fn merge(&self, session_id: &str, history: Vec<String>) {
        let (done, merged) = oneshot::channel();
        self.send(RecorderCommand::Merge(session_id.to_owned(), history, done));
        let _ = merged.await; // the recorder has ended, because the gateway does
    }

    /// Ends the thread, and returns when it has ended.
    pub async fn end(&self) {
        let (done, ended) = oneshot::channel();
        self.send(RecorderCommand::End(done));
        let _ = ended.await; // it had ended already
    }
}

impl<A: Fn(&str) -> RecordedSession> RecorderThread<A> {
    fn run(mut self, items: &mpsc::Receiver<RecorderCommand>) {
        let (mut look, mut due) = (Instant::now(), None::<Instant>);
        loop {
            let first = match due {
                Some(due) => items.recv_timeout(due.saturating_duration_since(Instant::now())),
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
            self.books.values_mut().for_each(SessionRecord::publish);
            let now = Instant::now();
            if ended.is_none() && now < look {
                due = Some(look);
                continue;
            }
            look = now + BETWEEN_LOOKS;
            for book in self.books.values_mut() {
                if let Some(storage) = book.storage() {
                    storage.attend(ended.is_some());
                }
                book.save_if_due(ended.is_some());
            }
            let store = &self.store;
            self.books.retain(|id, book| !(store.is_published(id) && book.unload_if_unused(now)));
            if let Some(done) = ended {
                // Another gateway can have them before the end is reported.
                self.books.values().filter_map(SessionRecord::storage).for_each(Storage::close);
                self.store.end_writing();
                let _ = done.send(());
                return;
            }
            due = self.books.values().flat_map(|book| [book.due(), book.next_unload_check()]).flatten().min();
        }
    }

    fn take(&mut self, item: RecorderCommand) -> Option<oneshot::Sender<()>> {
        match item {
            RecorderCommand::Event { session_id, entry } => self.book(&session_id).add(entry),
            RecorderCommand::Unreadable(bytes) => {
                warn!(bytes, "the runtime sent what is not a message; it was passed over");
            }
            RecorderCommand::Load(id, done) => {
                let book = self.book(&id);
                book.look = Instant::now() + UNUSED_TIME;
                let _ = done.send(book.settings.clone()); // the caller may be gone
            }
            RecorderCommand::Adopt(id, missing, first, done) => {
                let book = self.book(&id);
                book.publish();
                book.handle.session.journal.adopt(missing, first);
                let _ = done.send(()); // the caller may be gone
            }
            RecorderCommand::Settings(id, settings) => self.book(&id).set(settings),
            RecorderCommand::Hold(id) => self.book(&id).hold_back(),
            RecorderCommand::Merge(id, history, done) => {
                let book = self.book(&id);
                book.publish();
                book.merge(history);
                book.publish();
                let _ = done.send(()); // the caller may be gone
            }
            RecorderCommand::Release(id) => self.book(&id).release(),
            RecorderCommand::Discard(id) => self.book(&id).intake = EventIntake::Ended,
            RecorderCommand::SaveBacklog(id, done) => {
                self.book(&id).save_backlog();
                let _ = done.send(()); // the caller may be gone
            }
            RecorderCommand::WaitingIds(id, done) => {
                let book = self.book(&id);
                book.publish();
                let _ = done.send(book.waiting_ids()); // as above
            }
            RecorderCommand::CompareBacklog(id, asked, queue, done) => {
                let book = self.book(&id);
                book.publish();
                book.compare_backlog(&asked, &queue);
                let _ = done.send(()); // as above
            }
            RecorderCommand::OwnEvent(id, event) => {
                let entry = Entry::read(&event);
                let book = self.book(&id);
                book.pending.push(entry); // also while events are held back: it is about the connection
            }
            RecorderCommand::End(done) => return Some(done),
        }
        None
    }

    fn book(&mut self, id: &str) -> &mut SessionRecord {
        let Self { adopt, due, books, .. } = self;
        let open = || SessionRecord::open(adopt(id), due.clone());
        books.entry(id.to_owned()).or_insert_with(open)
    }
}

impl SessionRecord {
    fn open(handle: RecordedSession, due: UnboundedSender<DueCommand>) -> Self {
        let settings = handle.session.journal.storage().map(Storage::load).unwrap_or_default();
        let mut book = Self {
            handle,
            settings,
            save_again: None,
            pending: Vec::new(),
            intake: EventIntake::Open,
            commands: Vec::new(),
            due,
            look: Instant::now() + UNUSED_TIME,
        };
        book.restore();
        book
    }

    fn storage(&self) -> Option<&dyn Storage> {
        self.handle.session.journal.storage()
    }

    /// Whether the agent has the session at hand.
    fn is_open(&self) -> bool {
        let session = &self.handle.session;
        session.agent.presence(&session.id) == Presence::Open
    }

    /// When to look whether the session may leave the memory; never if it is open, or if it is not stored.
    fn next_unload_check(&self) -> Option<Instant> {
        let is_stored = self.storage().is_some_and(Storage::is_open);
        (is_stored && !self.is_open()).then_some(self.look)
    }

    /// Unloads the session if nobody needs it. Returns whether it did.
    fn unload_if_unused(&mut self, now: Instant) -> bool {
        if self.next_unload_check().is_none_or(|look| look > now) {
            return false;
        }
        self.look = now + UNLOAD_CHECK_INTERVAL;
        // The list of sessions has it, and this. Whoever reads it has it as well, and loads it before.
        let is_used = Arc::strong_count(&self.handle.session) > 2;
        let holds_back = matches!(self.intake, EventIntake::HoldingBack(_));
        let is_written = self.due().is_none() && self.pending.is_empty() && !holds_back;
        let has_messages = !self.handle.backlog.is_empty();
        if is_used || !is_written || has_messages {
            return false;
        }
        self.handle.session.unload();
        true
    }

    /// When something is due next: in the storage or for the backlog.
    fn due(&self) -> Option<Instant> {
        [self.storage().and_then(Storage::due), self.save_again].into_iter().flatten().min()
    }

    fn add(&mut self, entry: Entry) {
        match &mut self.intake {
            EventIntake::Open => self.add_pending(entry),
            EventIntake::HoldingBack(waiting) => waiting.push(entry),
            EventIntake::Ended => {}
        }
    }

    fn set(&mut self, settings: Map<String, Value>) {
        if settings != self.settings {
            self.settings.clone_from(&settings);
            if let Some(storage) = self.storage() {
                storage.keep_settings(settings);
            }
        }
    }

    fn merge(&mut self, history: Vec<String>) {
        let waiting = self.open_intake();
        let mut known = HashSet::new();
        let entries = self.handle.session.journal.all_after(0);
        self.offer_unwritten(&entries, &history);
        let begin = self.first_missed(&entries, &history);
        for (_, entry) in entries {
            known.extend(entry.id());
        }
        // An event without an id can't be recognised: from history it could double, live it can't.
        let fresh = |raw: &str, known: &mut HashSet<String>, nameless: bool| {
            event_id(raw).map_or(nameless, |id| known.insert(id))
        };
        let mut missed = Vec::new();
        for raw in history.into_iter().skip(begin) {
            if fresh(&raw, &mut known, false) {
                missed.push(Entry::read(&raw));
            }
        }
        for entry in waiting {
            if fresh(&entry.raw, &mut known, true) {
                missed.push(entry);
            }
        }
        self.add_all_pending(missed);
    }

    fn hold_back(&mut self) {
        if !matches!(self.intake, EventIntake::HoldingBack(_)) {
            self.intake = EventIntake::HoldingBack(Vec::new());
        }
    }

    fn release(&mut self) {
        let waiting = self.open_intake();
        self.add_all_pending(waiting);
    }

    /// Opens the intake. Returns what was held back.
    fn open_intake(&mut self) -> Vec<Entry> {
        match std::mem::take(&mut self.intake) {
            EventIntake::HoldingBack(waiting) => waiting,
            EventIntake::Open | EventIntake::Ended => Vec::new(),
        }
    }

    /// Writes the pending events into the journal.
    fn publish(&mut self) {
        // What begins may tell who wrote it, in another event.
        while !self.pending.is_empty() {
            self.publish_pending();
        }
    }

    fn publish_pending(&mut self) {
        self.look = Instant::now() + UNUSED_TIME;
        if !self.commands.is_empty() {
            // Before anybody runs them: after a restart it must be known which may have run.
            self.save_backlog();
        }
        let first = self.handle.session.journal.position().length + 1;
        let begun = self.begun_after(first);
        self.pending.iter().for_each(|entry| self.handle.session.received.count(entry.raw.len()));
        self.handle.session.journal.append(std::mem::take(&mut self.pending));
        self.remove_begun(&begun);
        for command in self.commands.drain(..) {
            let _ = self.due.send(command); // nobody runs commands when the gateway ends
        }
    }

    /// Where in the runtime's history those events begin that can have been missed. What was dropped from a log over its
    /// limit was not: it was here before whatever is here and newer.
    fn first_missed(&self, entries: &[(u64, Entry)], history: &[String]) -> usize {
        let Some(dropped) = self.handle.session.journal.dropped() else { return 0 };
        let ids: Vec<_> = history.iter().map(|raw| event_id(raw)).collect();
        if let Some(at) = ids.iter().position(|id| id.as_ref() == Some(&dropped.id)) {
            return at + 1;
        }
        // A runtime that was restarted has only what history keeps. Of that the oldest was dropped.
        let (had, left) = entries.split_at(entries.partition_point(|(seq, _)| *seq <= dropped.seq));
        let ids_of = |entries: &[(u64, Entry)]| -> HashSet<_> {
            entries.iter().filter_map(|(_, entry)| entry.id()).collect()
        };
        let (had, left) = (ids_of(had), ids_of(left));
        let is_in =
            |all: &HashSet<String>, id: &Option<String>| id.as_ref().is_some_and(|id| all.contains(id));
        let first = ids.iter().position(|id| is_in(&left, id));
        first.or_else(|| ids.iter().rposition(|id| is_in(&had, id))).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::sync::Arc;
    use std::time::Instant;

    use serde_json::{Value, json};
    use tokio::sync::mpsc;

    use super::{Entry, Recorder, SessionRecord, Store, UNLOAD_CHECK_INTERVAL, UNUSED_TIME};
    use crate::agents::copilot::runtime::Runtime;
    use crate::health::Health;
    use crate::sessions::Sessions;
    use crate::sessions::session::Session;

    fn add(book: &mut SessionRecord, event: &Value) {
        book.add(Entry::read(&event.to_string()));
        book.publish();
        book.storage().unwrap().attend(true);
    }

    fn ask(id: &str) -> Value {
        json!({"type": "permission.requested", "id": id, "data": {"requestId": id, "permissionRequest": {"kind": "read", "path": "a"}}})
    }

    fn allow(id: &str) -> Value {
        json!({"type": "permission.completed", "id": format!("{id}-over"), "data": {"requestId": id, "result": {"kind": "approved"}}})
    }

    fn read(session: &Session) -> Vec<(u64, String)> {
        session.journal.all_after(0).iter().map(|(seq, entry)| (*seq, entry.raw.to_string())).collect()
    }

    #[test]
    fn a_session_that_nobody_needs_leaves_the_memory_and_comes_back_whole() {
        let folder = std::env::temp_dir().join(format!("pilothouse-leaves-{}", std::process::id()));
        let runtime = |folder| {
            let store = Store::open(folder, usize::MAX, u64::MAX, Health::default()).unwrap();
            let sessions = Sessions::default();
            Arc::new(Runtime::new(sessions, Arc::new(store), Recorder::new().0, Health::default()))
        };
        let stored = runtime(Some(folder.as_path()));
        let session = || stored.sessions.find(Some("s")).unwrap();
        let open = |runtime: &Arc<Runtime>| {
            SessionRecord::open(runtime.adopt("s").recorded(), mpsc::unbounded_channel().0)
        };
        let mut book = open(&stored);
        add(&mut book, &json!({"type": "user.message", "id": "u", "data": {"content": "How deep?"}}));
        for event in [ask("first"), allow("first"), ask("second")] {
            add(&mut book, &event);
        }
        let (row, all) = (session().summary(), read(&session()));
        assert_eq!((&row["events"], &row["openRequests"]), (&json!(4), &json!(1)));

        let mut later = Instant::now() + UNUSED_TIME;
        let mut leaves = |book: &mut SessionRecord| {
            later += UNLOAD_CHECK_INTERVAL;
            book.unload_if_unused(later)
        };
        assert!(!book.unload_if_unused(Instant::now()), "it was used a moment ago");
        let viewer = session().watch(None);
        assert!(!leaves(&mut book), "somebody watches it");
        drop(viewer);
        let message = book.handle.backlog.add(&json!({"prompt": "later"}), None, 0);
        assert!(!leaves(&mut book), "a message waits");
        book.handle.backlog.remove_refused(&message);
        book.hold_back();
        assert!(!leaves(&mut book), "it is being opened");
        book.release();
        assert!(leaves(&mut book));
        drop(book);
        assert_eq!((read(&session()), session().journal.is_unloaded()), (Vec::new(), true));
        assert_eq!((session().summary(), session().journal.position().length), (row.clone(), 4));

        // The next event brings it back.
        let mut book = open(&stored);
        assert_eq!((read(&session()), session().summary()), (all, row));
        assert!(session().ended_after(1).is_empty(), "nothing ends twice");
        add(&mut book, &allow("second"));
        assert_eq!(session().summary()["openRequests"], 0);
        assert_eq!(session().ended_after(1).iter().map(|ended| ended.number).collect::<Vec<_>>(), [2]);
        assert_eq!(read(&session()).last().unwrap().0, 5);
        drop(book);

        // Without a log it can't be read again.
        let mut book = open(&runtime(None));
        assert!(book.next_unload_check().is_none() && !leaves(&mut book));
        fs::remove_dir_all(&folder).unwrap();
    }
}
