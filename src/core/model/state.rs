//! The session's state, with a record of what changed in it, from which views know what to refresh. `reduce` updates it.

pub mod info;
mod waiting;

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use serde_json::Value;

use pilothouse_scan::{IdHasher, Uuids, same};

use super::entry::{Body, Dirty, Entry, EntryState, Kind, TextDirty};
use super::model_context::ModelContext;
use super::queue::Queue;
use super::shared_map::SharedMap;
use super::telemetry::Telemetry;
use super::usage::Usage;
use super::writers::Writers;
use crate::i18n::Phrase;
use crate::model::platform_chat::PlatformChat;
use crate::protocol::EventKind;
use crate::wire::text::Text;
pub use info::SessionInfo;
pub(crate) use waiting::Waiter;

/// What the agent is doing. Whether a person must act depends on the open requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Phase {
    /// Ready for the next message.
    #[default]
    Idle,
    /// A turn is running.
    Running,
    /// The last turn ended in an error.
    Error,
    /// The session was shut down.
    Ended,
}

/// How many milliseconds a session has to be silent after a turn that has ended, before it counts as idle without an event that says so.
/// The core has no clock: whoever has one waits, and calls `Session::grace_ended`.
pub const GRACE: u32 = 3_000;

/// One thing that changed. A batch lists additions first, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// The session was reset, so everything may be different. First in its batch.
    Renewed,
    /// A new entry at the end of the timeline; its `index` never changes.
    EntryAdded {
        /// Index in the timeline.
        index: usize,
    },
    /// Text was appended to the entry; everything before byte `from` is unchanged.
    TextAppended {
        /// Index in the timeline.
        index: usize,
        /// Length of the text before the append, in bytes.
        from: usize,
    },
    /// The entry's text was replaced.
    TextReplaced {
        /// Index in the timeline.
        index: usize,
    },
    /// Something else about the entry changed: its state, its body, its visibility.
    EntryUpdated {
        /// Index in the timeline.
        index: usize,
    },
    /// A part of the session outside the timeline changed.
    Section(Section),
}

/// Parts of the session outside the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Section {
    /// Title, status, mode, model, working directory, intent.
    Session,
    /// Open requests.
    Pending,
    /// The queue of messages.
    Queue,
    /// Tokens, cost, context window.
    Usage,
    /// What the model sees.
    ModelContext,
    /// Counters and diagnostics.
    Diagnostics,
    /// Plan, todos, files, agents, servers, skills, schedules.
    Environment,
    /// Events that are collected without an entry in the timeline.
    Notifications,
}

impl Section {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Session,
        Self::Pending,
        Self::Queue,
        Self::Usage,
        Self::ModelContext,
        Self::Diagnostics,
        Self::Environment,
        Self::Notifications,
    ];

    /// Its bit in a bit set.
    pub(crate) fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Its name in JavaScript.
    pub fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Pending => "pending",
            Self::Queue => "queue",
            Self::Usage => "usage",
            Self::ModelContext => "modelContext",
            Self::Diagnostics => "diagnostics",
            Self::Environment => "environment",
            Self::Notifications => "notifications",
        }
    }
}

/// Counters of the input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counters {
    /// Number of records: events, timeline entries, platform events.
    pub total: u64,
    /// Those that are ephemeral.
    pub ephemeral: u64,
    /// Those that were seen before.
    pub duplicate: u64,
    /// Lines and values that are not a record.
    pub malformed: u64,
    /// JSON-RPC messages that are neither an event nor an answer to a request of the viewer.
    pub notifications: u64,
    /// Counts by event type, for types that the catalogue does not list.
    pub unknown: HashMap<String, usize, BuildHasherDefault<IdHasher>>,
}

impl Counters {
    /// Counts an event of a type that the catalogue does not list; returns how many there were.
    pub(crate) fn count_unknown(&mut self, name: &str) -> usize {
        let count = self.unknown.get(name).map_or(1, |count| count + 1);
        self.unknown.insert(name.to_owned(), count);
        count
    }
}

/// A note about the input for developers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// `info`, `warning` or `error`.
    pub severity: &'static str,
    /// What is wrong, and where. Programs read it, so most of it is English text.
    pub message: Phrase,
    /// Id of the event that it is about.
    pub event_id: Option<String>,
}

/// Maximum number of diagnostics; further ones are dropped.
const MAX_DIAGNOSTICS: usize = 200;

/// An event's id in a compact form; two spellings of the same UUID are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EventId {
    /// A UUID, as a number.
    Uuid(u128),
    /// Any other text.
    Other(Box<str>),
}

impl EventId {
    /// The compact form of an event's id.
    pub fn of(id: &str) -> Self {
        pilothouse_scan::uuid(id).map_or_else(|| Self::Other(id.into()), Self::Uuid)
    }
}

/// Ids seen so far: UUIDs as 16 bytes, anything else as text.
#[derive(Debug, Default, Clone)]
pub struct EventIds {
    uuids: Uuids,
    others: HashSet<Box<str>>,
}

impl EventIds {
    /// Adds an id; false if it was there already. Events without an id are always new.
    pub fn insert(&mut self, id: &str) -> bool {
        match pilothouse_scan::uuid(id) {
            Some(uuid) => self.uuids.insert(uuid),
            None if id.is_empty() => true,
            None if self.others.contains(id) => false,
            None => self.others.insert(id.into()),
        }
    }

    /// True if the id was added before.
    pub fn contains(&self, id: &str) -> bool {
        match pilothouse_scan::uuid(id) {
            Some(uuid) => self.uuids.contains(uuid),
            None => self.others.contains(id),
        }
    }
}

/// Kinds of ids. An id is unique in its kind only: a tool call and its permission may share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Message,
    Reasoning,
    Tool,
    Request,
    Subagent,
    Named,
}

impl Space {
    const COUNT: usize = Self::Named as usize + 1;
}

/// An event that the state keeps as it is, for the panel, which reads it when somebody looks.
#[derive(Debug, Clone, PartialEq)]
pub struct PanelEvent {
    /// The event's type.
    pub kind: EventKind,
    /// What it is about. A later event of the same type and key replaces it.
    pub key: String,
    /// Its payload.
    pub data: Value,
    /// When it was sent, in milliseconds since 1970.
    pub at: Option<i64>,
}

/// An event without an entry in the timeline, merged with equal ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// The event's type.
    pub kind: EventKind,
    /// Events of the same type and key count as equal.
    pub key: String,
    /// The payload of the newest one.
    pub data: Value,
    /// When the newest one was sent, in milliseconds since 1970.
    pub at: Option<i64>,
    /// How many there were.
    pub count: u32,
    /// The number of the newest one; it grows with every event.
    pub number: u64,
}

/// Everything known about one session.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The session's properties.
    pub info: SessionInfo,
    /// What the agent is doing.
    pub phase: Phase,
    /// The timeline. Entries are only added at the end; copies of the state share them until they change.
    pub entries: Vec<Arc<Entry>>,
    /// Indices of the entries of open requests, oldest first.
    pub open_requests: Vec<usize>,
    /// Indices of requests whose answer the server has taken, while no event reports the result.
    pub(crate) taken_requests: Vec<usize>,
    /// The queue.
    pub queue: Queue,
    /// Tokens and cost.
    pub usage: Usage,
    /// The newest events about servers, skills, schedules and the like; the panel reads them.
    pub panel_events: Vec<Arc<PanelEvent>>,
    /// Events without an entry in the timeline, newest last; `view_model::notifications` puts them into words.
    pub notifications: Vec<Notification>,
    /// The context of the main agent's model.
    pub context: ModelContext,
    /// The contexts of sub-agents' models, each with the agent's id, in order of appearance.
    pub agent_contexts: Vec<(String, ModelContext)>,
    /// Counters of the input.
    pub counters: Counters,
    /// Number of model calls.
    pub llm_calls: u64,
    /// Notes about the input.
    pub diagnostics: Vec<Diagnostic>,
    /// True once an ephemeral event was received: this is a live stream, not a history.
    pub live: bool,
    /// Binary assets by id: the payloads of their events. Histories store each binary once and refer to it by
    /// id.
    pub assets: HashMap<String, Arc<Value>>,
    /// Entry indices by id, one map for each [`Space`].
    pub(crate) index: [SharedMap<String, usize>; Space::COUNT],
    pub(crate) last_hit: [usize; 2],
    pub(crate) streaming: Vec<usize>,
    pub(crate) open_tools: Vec<usize>,
    /// Indices of the compactions that are under way.
    pub(crate) open_compactions: Vec<usize>,
    /// Indices of reasoning entries from live events whose message has not come yet.
    pub(crate) live_thoughts: Vec<usize>,
    /// Indices of reasoning entries made from a message, whose own event may still come.
    pub(crate) message_thoughts: Vec<usize>,
    /// Indices of requests whose tool call is not known yet, by the call's id.
    pub(crate) ownerless_requests: HashMap<String, Vec<usize>>,
    /// Endings that were received before their request, by the request's id.
    pub(crate) early_answers: HashMap<String, super::request::Ending>,
    /// How many persisted events have come.
    pub(crate) persisted: u64,
    pub(crate) persisted_numbers: SharedMap<EventId, u64>,
    /// The first half of a character that the newest piece of a stream ended with, by the pieces' type and the stream's id.
    pub(crate) halves: Vec<((EventKind, String), u16)>,
    pub(crate) last_turn_had_tools: bool,
    /// Number of the event that ended the main agent's turn, while no event shows what comes next.
    pub(crate) turn_over: Option<u64>,
    /// A skill was used again, and the model has not received the message about it yet.
    pub(crate) skill_again: bool,
    /// Index of the user message of the current or last turn.
    pub(crate) turn: Option<usize>,
    /// How many times a stop has closed requests. It may have left sub-agents alone, and what they ask.
    pub doubtful_ends: u64,
    /// The main agent has nothing to do while work in the background goes on.
    pub(crate) main_agent_is_idle: bool,
    /// The agents that wait for a person.
    pub(crate) waiting: Vec<Waiter>,
    /// Index of the error that ended the last turn; none once the next turn begins.
    pub(crate) failed: Option<usize>,
    /// Index of the newest notice or notification of each source, by key, to merge repeated ones.
    pub(crate) repeatable: HashMap<String, usize>,
    /// The chat with an agent of the Copilot platform.
    pub(crate) chat: PlatformChat,
    /// Who wrote the messages that have not come yet.
    pub writers: Writers,
    /// Telemetry events for the host page.
    pub telemetry: Telemetry,
    dirty_entries: Vec<usize>,
    dirty_sections: u8,
}

impl State {
    /// The status: `running`, `waiting`, `idle`, `error` or `ended`.
    pub fn status(&self) -> &'static str {
        match self.phase {
            Phase::Ended => "ended",
            _ if !self.open_requests.is_empty() => "waiting",
            Phase::Running => "running",
            Phase::Error => "error",
            Phase::Idle => "idle",
        }
    }

    /// True while the agent works, or waits for an answer before it goes on. What is sent then waits in the queue.
    pub fn is_busy(&self) -> bool {
        self.phase == Phase::Running || (self.phase != Phase::Ended && self.main_agent_waits())
    }

    /// The number of the newest record, if the session runs although the turn has ended and nothing is open that could go on:
    /// after a [`GRACE`] without another record it is idle.
    pub fn idle_after_grace(&self) -> Option<u64> {
        let over = self.phase == Phase::Running
            && self.turn_over.is_some()
            && self.streaming.is_empty()
            && self.open_tools.is_empty()
            && self.open_compactions.is_empty()
            && !self.open_requests.iter().any(|place| self.blocks_agent(*place))
            && !self.entries.iter().any(|entry| entry.runs_after_turn());
        over.then_some(self.counters.total)
    }

    /// The status to show to people: like [`State::status`], but an idle session whose last turn failed stays
    /// `error`.
    pub fn shown_status(&self) -> &'static str {
        match self.status() {
            "idle" if self.failed.is_some() => "error",
            status => status,
        }
    }

    /// The entry of the error that ended the last turn.
    pub fn failure(&self) -> Option<&Entry> {
        self.failed.and_then(|place| self.entry(place))
    }

    /// The entry at an index.
    pub fn entry(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index).map(AsRef::as_ref)
    }

    /// The same, mutable; the change is not recorded.
    pub(crate) fn entry_mut(&mut self, index: usize) -> Option<&mut Entry> {
        self.entries.get_mut(index).map(Arc::make_mut)
    }

    /// The context of an agent's model; without an id, of the main agent's.
    pub fn view_of(&self, agent: Option<&str>) -> Option<&ModelContext> {
        match agent {
            None => Some(&self.context),
            Some(agent) => self.agent_contexts.iter().find(|(id, _)| id == agent).map(|(_, view)| view),
        }
    }

    pub(crate) fn view_mut(&mut self, agent: Option<&str>) -> &mut ModelContext {
        self.touch(Section::ModelContext);
        let Some(agent) = agent else {
            return &mut self.context;
        };
        let known = self.agent_contexts.iter().position(|(id, _)| id == agent);
        let place = known.unwrap_or(self.agent_contexts.len());
        if known.is_none() {
            self.agent_contexts.push((agent.to_owned(), ModelContext::default()));
        }
        // The agent's context always exists here; the fallback only satisfies the compiler.
        self.agent_contexts.get_mut(place).map_or(&mut self.context, |(_, view)| view)
    }

    /// The place of a request by its id.
    pub fn request_place(&self, request_id: &str) -> Option<usize> {
        self.place(Space::Request, request_id)
    }

    /// The place of a message by its id.
    pub fn message_place(&self, message_id: &str) -> Option<usize> {
        self.place(Space::Message, message_id)
    }

    /// The place of a tool call by its id.
    pub fn tool_place(&self, tool_call_id: &str) -> Option<usize> {
        self.place(Space::Tool, tool_call_id)
    }

    /// The place of the sub-agent that a `task` call started.
    pub fn subagent_place(&self, tool_call_id: &str) -> Option<usize> {
        self.place(Space::Subagent, tool_call_id)
    }

    /// The place of a sub-agent's own entry, by its agent id.
    pub fn agent_place(&self, agent: &str) -> Option<usize> {
        self.place(Space::Named, &["agent ", agent].concat())
    }

    pub(crate) fn place(&self, space: Space, id: &str) -> Option<usize> {
        self.index.get(space as usize)?.get(id).copied()
    }

    /// From here on, an id refers to the entry at a place.
    pub(crate) fn index_entry(&mut self, space: Space, id: String, place: usize) {
        if let Some(index) = self.index.get_mut(space as usize) {
            index.insert(id, place);
        }
    }

    /// From here on, an id refers to no entry; returns the place of the one that it had.
    pub(crate) fn unindex(&mut self, space: Space, id: &str) -> Option<usize> {
        self.index.get_mut(space as usize)?.remove(id)
    }

    /// Like `place`, for the two streams that deltas append to: the newest one is nearly always meant, and
    /// comparing its id is cheaper than hashing.
    pub(crate) fn stream_place(&mut self, space: Space, id: &str) -> Option<usize> {
        let slot = usize::from(space == Space::Reasoning);
        let last = self.last_hit.get(slot).copied().unwrap_or(usize::MAX);
        let kind = if space == Space::Reasoning { Kind::Reasoning } else { Kind::Assistant };
        if self
            .entries
            .get(last)
            .is_some_and(|entry| entry.kind == kind && same(entry.id.as_bytes(), id.as_bytes()))
        {
            return Some(last);
        }
        let place = self.place(space, id)?;
        if let Some(hit) = self.last_hit.get_mut(slot) {
            *hit = place;
        }
        Some(place)
    }

    pub(crate) fn add(&mut self, space: Option<Space>, entry: Entry) -> usize {
        let place = self.entries.len();
        if let Some(space) = space {
            self.index_entry(space, entry.id.clone(), place);
        }
        self.entries.push(Arc::new(entry));
        self.dirty_entries.push(place);
        place
    }

    pub(crate) fn new_entry(kind: Kind, id: String, number: u64) -> Entry {
        Entry {
            kind,
            id,
            state: EntryState::Done,
            text: Text::default(),
            phrase: None,
            body: Body::Plain,
            agent_id: None,
            parent_tool_call_id: None,
            at: None,
            ended_at: None,
            model_visible: false,
            ui_visible: true,
            rewound: false,
            committed: None,
            first_seen: number,
            dirty: Dirty { added: true, ..Dirty::CLEAN },
        }
    }

    /// Changes an entry and records the change. Texts are changed by `append_text`, `replace_text`
    /// and `replace_phrase`.
    pub(crate) fn update<R>(&mut self, place: usize, change: impl FnOnce(&mut Entry) -> R) -> Option<R> {
        self.updated_entry(place).map(change)
    }

    /// Apart from `update`, which is there once for every change.
    fn updated_entry(&mut self, place: usize) -> Option<&mut Entry> {
        if !self.entry(place)?.dirty.any() {
            self.dirty_entries.push(place);
        }
        let entry = self.entry_mut(place)?;
        entry.dirty.updated = true;
        Some(entry)
    }

    pub(crate) fn append_text(&mut self, place: usize, text: &str) {
        if text.is_empty() {
            return;
        }
        let Some(entry) = self.entry_mut(place) else {
            return;
        };
        let first = !entry.dirty.any();
        if entry.dirty.text == TextDirty::Clean {
            entry.dirty.text = TextDirty::AppendedFrom(entry.text.len());
        }
        entry.text.make_owned().push_str(text);
        if first {
            self.dirty_entries.push(place);
        }
    }

    pub(crate) fn replace_text(&mut self, place: usize, text: impl Into<Text>) {
        let text = text.into();
        let Some(entry) = self.entry_mut(place) else { return };
        if entry.phrase.is_some() || entry.text != text {
            (entry.text, entry.phrase) = (text, None);
            self.text_replaced(place);
        }
    }

    /// Replaces what an entry says, by an original text or by a phrase.
    pub(crate) fn replace_phrase(&mut self, place: usize, phrase: Phrase) {
        if let Phrase::Text(text) = phrase {
            return self.replace_text(place, text);
        }
        let Some(entry) = self.entry_mut(place).filter(|entry| !entry.has_phrase(&phrase)) else { return };
        (entry.text, entry.phrase) = (Text::default(), Some(Box::new(phrase)));
        self.text_replaced(place);
    }

    fn text_replaced(&mut self, place: usize) {
        let Some(entry) = self.entry_mut(place) else { return };
        let first = !entry.dirty.any();
        entry.dirty.text = TextDirty::Replaced;
        // The first message is used as the title as long as there is none.
        let may_be_title = entry.kind == Kind::User;
        if first {
            self.dirty_entries.push(place);
        }
        if may_be_title {
            self.touch(Section::Session);
        }
    }

    pub(crate) fn touch(&mut self, section: Section) {
        self.dirty_sections |= section.bit();
    }

    /// Counts a record that is not a duplicate.
    pub(crate) fn count_record(&mut self) {
        self.counters.total += 1;
        self.touch(Section::Diagnostics);
    }

    pub(crate) fn diagnose(
        &mut self,
        severity: &'static str,
        message: impl Into<Phrase>,
        event_id: Option<String>,
    ) {
        self.touch(Section::Diagnostics);
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic { severity, message: message.into(), event_id });
        }
    }

    /// The changes since the last call.
    pub fn take_changes(&mut self) -> Vec<Change> {
        let mut places = std::mem::take(&mut self.dirty_entries);
        places.sort_unstable();
        let mut changes = Vec::with_capacity(places.len() + 2);
        for index in places {
            let Some(entry) = self.entry_mut(index) else {
                continue;
            };
            let dirty = std::mem::replace(&mut entry.dirty, Dirty::CLEAN);
            if dirty.added {
                changes.push(Change::EntryAdded { index });
                continue;
            }
            match dirty.text {
                TextDirty::Clean => {}
                TextDirty::AppendedFrom(from) => changes.push(Change::TextAppended { index, from }),
                TextDirty::Replaced => changes.push(Change::TextReplaced { index }),
            }
            if dirty.updated {
                changes.push(Change::EntryUpdated { index });
            }
        }
        let sections = std::mem::take(&mut self.dirty_sections);
        changes.extend(Section::ALL.into_iter().filter(|s| sections & s.bit() != 0).map(Change::Section));
        changes
    }

    /// Indices of the entries that changed since the changes were last taken.
    pub(crate) fn dirty_entries(&self) -> &[usize] {
        &self.dirty_entries
    }

    /// Makes copies share the present data from now on.
    pub(crate) fn freeze(&mut self) {
        self.index.iter_mut().for_each(SharedMap::freeze);
        self.persisted_numbers.freeze();
    }

    /// True if there are changes for the views.
    pub fn changed(&self) -> bool {
        self.dirty_sections != 0 || !self.dirty_entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_counts_once_whatever_its_form() {
        let mut ids = EventIds::default();
        for id in
            ["6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6", "not-a-uuid", "6C7A53BA-5CE1-4C1E-9577-30BEB9E5FEF6"]
        {
            assert!(!ids.contains(id), "{id} was not there");
            assert!(ids.insert(id), "{id} is new");
            assert!(!ids.insert(id), "{id} was there");
            assert!(ids.contains(id), "{id} is there");
        }
        assert!(ids.insert("") && ids.insert(""), "no id is never a duplicate");
    }
}
