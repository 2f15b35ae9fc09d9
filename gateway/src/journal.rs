//! The journal of a session: it stores the events, which are read by cursor, so that no writer waits for
//! a reader. A session knows this port; which store is behind it is decided in [`store`].
//!
//! `seq` counts from 1. Where a journal grew over its limit, lines are dropped and their numbers stay unused; no line ever gets
//! another number. When a recording is played again (`--loop`), the journal is emptied and its epoch goes up: the same bytes
//! carry the same event ids, so a second round can't be appended to the first. A reader whose cursor is from an earlier epoch,
//! or beyond the end, begins again at 0. Reducing is idempotent on the event id, so nothing doubles.

pub mod cluster;
pub mod files;
pub mod lock;
pub mod memory;
pub mod store;

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use pilothouse_core::protocol::EventKind;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::watch;

/// The name of a session's agent, among the parameters that are kept to resume it with; none for the Copilot runtime's.
pub const AGENT: &str = "acpAgent";
/// The name of the agent's own id of the session there.
pub const AGENT_SESSION: &str = "acpSession";

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

/// What is known of a session before its first event is played, or while it is only stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its title.
    pub title: Option<String>,
    /// The model at the start.
    pub model: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The repository there.
    pub repository: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// When the session began.
    pub start_time: Option<String>,
    /// When it changed last.
    pub modified: Option<String>,
    /// The name of its agent, where its log says it.
    pub agent: Option<String>,
    /// The agent's own id of it, where its log says it.
    pub agent_session: Option<String>,
}

/// How far the journal reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Goes up by one each time the recording starts again.
    pub epoch: u64,
    /// The newest `seq`; without gaps also the number of entries.
    pub length: u64,
}

impl Position {
    /// Lets a cursor that is from an earlier epoch, or beyond the end, begin again. Returns whether it does.
    fn correct(self, cursor: &mut Cursor) -> bool {
        let restarted = cursor.epoch != self.epoch || cursor.seq > self.length;
        if restarted {
            *cursor = Cursor { epoch: self.epoch, seq: 0 };
        }
        restarted
    }
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
    pub entries: Entries,
    /// Whether the cursor was from an earlier epoch or beyond the end, so that this begins at 1 again.
    pub restarted: bool,
}

/// The newest event of the agent that was dropped because a journal was over its limit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dropped {
    /// Its position.
    pub seq: u64,
    /// Its id.
    pub id: String,
}

/// The store of a session's events. One task writes, and any number read.
pub trait Journal: fmt::Debug + Send + Sync {
    /// How far it reaches now.
    fn position(&self) -> Position;

    /// Notifies of growth. A reader that sleeps misses nothing, because it reads by cursor.
    fn follow(&self) -> watch::Receiver<Position>;

    /// Reads what follows `cursor`, up to about `bytes` but at least one entry, and moves the cursor on.
    fn read(&self, cursor: &mut Cursor, bytes: usize) -> Batch;

    /// Reads all that is left after `cursor` once superseded events are out, and moves the cursor to the end. What is left of a
    /// log gives the same state, but for counts of events (docs/design/superseded-events.md).
    fn read_left(&self, cursor: &mut Cursor) -> Batch;

    /// Adds lines and wakes the readers. Nobody reads a line before it is stored.
    fn append(&self, entries: Vec<Entry>);

    /// Adds lines that have their numbers already, all behind the newest one here. What is appended from now on has no smaller
    /// number than `first`.
    fn adopt(&self, missing: Entries, first: u64);

    /// Empties it and begins a new epoch.
    fn restart(&self);

    /// What was dropped, if it was over its limit.
    fn dropped(&self) -> Option<Dropped>;

    /// What outlives this process; none if it is in memory only.
    fn storage(&self) -> Option<&dyn Storage> {
        None
    }

    /// Whether the entries are in the storage only.
    fn is_unloaded(&self) -> bool {
        false
    }

    /// A cursor just after `seq` in the current epoch.
    fn cursor_after(&self, seq: u64) -> Cursor {
        Cursor { epoch: self.position().epoch, seq }
    }

    /// Whether more than about so many bytes of lines follow `seq`. Nothing follows the end.
    fn has_more_after(&self, seq: u64, bytes: usize) -> bool {
        let mut cursor = self.cursor_after(seq);
        let batch = self.read(&mut cursor, bytes);
        !batch.restarted && cursor.seq < self.position().length
    }

    /// All entries after `seq`.
    fn all_after(&self, seq: u64) -> Entries {
        let mut cursor = self.cursor_after(seq);
        let mut all = Entries::new();
        loop {
            let entries = self.read(&mut cursor, usize::MAX).entries;
            if entries.is_empty() {
                return all;
            }
            all.extend(entries);
        }
    }

    /// All that is left after `seq` once superseded events are out.
    fn left_after(&self, seq: u64) -> Entries {
        self.read_left(&mut self.cursor_after(seq)).entries
    }
}

/// What a journal does to outlive this process. The task that writes the journal calls this.
pub trait Storage {
    /// Opens it, and reads the entries if they are not in memory. Returns the parameters to resume the session with.
    fn load(&self) -> Map<String, Value>;

    /// Closes it, and lets go of the entries.
    fn unload(&self);

    /// Closes it for good. The entries stay in memory.
    fn close(&self);

    /// Whether the entries are stored. If another program has the storage, they are in memory only.
    fn is_open(&self) -> bool;

    /// Keeps the parameters to resume the session with.
    fn keep_settings(&self, settings: Map<String, Value>);

    /// The notes that are stored beside the entries; nothing if there are none.
    fn notes(&self) -> io::Result<Vec<u8>>;

    /// Replaces the notes.
    fn keep_notes(&self, notes: &[u8]) -> io::Result<()>;

    /// When [`Self::attend`] has something to do next.
    fn due(&self) -> Option<Instant>;

    /// Does what is due; when the gateway ends, all that is left to do.
    fn attend(&self, at_the_end: bool);
}

#[derive(Deserialize)]
struct EventHead<'a> {
    #[expect(dead_code, reason = "an object without a type is not an event")]
    #[serde(borrow, rename = "type")]
    event_type: Cow<'a, str>,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    ephemeral: Value,
}

/// For the type alone, which an event has whatever else is in it.
#[derive(Deserialize)]
struct EventType<'a> {
    #[serde(borrow, rename = "type")]
    event_type: Cow<'a, str>,
}

impl Entry {
    /// The entry of this line.
    pub fn read(raw: &str) -> Self {
        let head = serde_json::from_str::<EventHead<'_>>(raw).ok();
        let persisted = head.as_ref().is_some_and(|head| head.ephemeral != true);
        Self { raw: raw.into(), event: head.is_some(), persisted }
    }

    /// The event's id.
    pub fn id(&self) -> Option<String> {
        event_id(&self.raw)
    }

    /// Writes it as a line of a log: `{"seq":N,"event":E}` with the event byte for byte, or `{"seq":N,"text":"…"}` where that
    /// would not be one line, or it is not an event.
    pub fn write_line(&self, seq: u64, text: &mut String) {
        // Writing into a String can't fail.
        let _ = if self.event && !self.raw.contains(['\n', '\r']) {
            writeln!(text, r#"{{"seq":{seq},"event":{}}}"#, self.raw)
        } else {
            writeln!(text, r#"{{"seq":{seq},"text":{}}}"#, Value::from(&*self.raw))
        };
    }
}

/// An event's type.
pub fn event_kind(event: &str) -> EventKind {
    let event = serde_json::from_str::<EventType<'_>>(event);
    event.map_or(EventKind::Unknown, |event| EventKind::parse(&event.event_type))
}

/// An event's id.
pub fn event_id(event: &str) -> Option<String> {
    match serde_json::from_str::<EventHead<'_>>(event).ok()?.id {
        Value::String(id) => Some(id),
        _ => None,
    }
}
