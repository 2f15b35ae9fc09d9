//! The session's state and the book of what changed in it. Refuses to know event types; `reduce` writes it.

mod info;
mod places;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pilothouse_scan::{Run, Stream};
use serde_json::Value;

use super::change::{Change, Section};
use super::early::Early;
use super::entry::{Body, Dirty, Entry, EntryState, Kind, TextDirty};
use super::event_ids::EventId;
use super::layers::Layers;
use super::model_context::ModelContext;
use super::platform::Chat;
use super::queue::Queue;
use super::surroundings::Kept;
use super::telemetry::Telemetry;
use super::text::Text;
use super::tool_call::Life;
use super::tray::Told;
use super::usage::Usage;
pub use info::SessionInfo;
pub(super) use places::Space;

/// What the agent is doing; who must act is told by the open requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Phase {
    /// Ready for the next message.
    #[default]
    Idle,
    /// A turn is on.
    Running,
    /// The last turn ended in an error.
    Error,
    /// The session was shut down.
    Ended,
}

/// Counters over what came in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counters {
    /// Records read: events, timeline entries, platform events.
    pub total: u64,
    /// Of them, ephemeral.
    pub ephemeral: u64,
    /// Of them, seen before.
    pub duplicate: u64,
    /// Lines and values that are no record.
    pub malformed: u64,
    /// JSON-RPC messages that are nobody's answer.
    pub notifications: u64,
    /// Event types that the catalogue does not list, with their counts.
    pub unknown: BTreeMap<String, u64>,
}

/// Something that a developer should know about the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// `info`, `warning` or `error`.
    pub severity: &'static str,
    /// What and where.
    pub message: String,
    /// The event it is about.
    pub event_id: Option<String>,
}

/// More diagnostics than this are counted, not kept.
const MAX_DIAGNOSTICS: usize = 200;

/// Everything known about one session.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Facts about the session.
    pub info: SessionInfo,
    /// What the agent is doing.
    pub phase: Phase,
    /// The timeline. Entries are only ever added at the end; copies of the state share them until they change.
    pub entries: Vec<Arc<Entry>>,
    /// Places of the open requests, oldest first.
    pub open_requests: Vec<usize>,
    /// The queue.
    pub queue: Queue,
    /// Tokens and cost.
    pub usage: Usage,
    /// What was told of servers, skills, schedules and the like; `surroundings` reads it.
    pub kept: Vec<Arc<Kept>>,
    /// What was told quietly, the newest last; `tray` puts it into words.
    pub tray: Vec<Told>,
    /// What the main agent's model sees.
    pub context: ModelContext,
    /// What the models of sub-agents see, with the agents' ids, in the order in which they appeared.
    pub agent_contexts: Vec<(String, ModelContext)>,
    /// Counters.
    pub counters: Counters,
    /// Model calls: turns started.
    pub llm_calls: u64,
    /// Notes about the input.
    pub diagnostics: Vec<Diagnostic>,
    /// True once an ephemeral event came: this is a live stream, not a history.
    pub live: bool,
    /// Binaries that histories keep once and name by id, as their events have them.
    pub assets: HashMap<String, Arc<Value>>,
    /// Places by id, a map for each [`Space`].
    pub(super) index: [Layers<String, usize>; Space::COUNT],
    pub(super) last_hit: [usize; 2],
    pub(super) streaming: Vec<usize>,
    pub(super) open_tools: Vec<usize>,
    /// Thoughts that streamed and whose message has not come yet.
    pub(super) live_thoughts: Vec<usize>,
    /// Thoughts told by a message, whose own event may still come.
    pub(super) message_thoughts: Vec<usize>,
    /// Requests whose tool call has not been heard of yet, by its id.
    pub(super) ownerless_requests: HashMap<String, Vec<usize>>,
    /// Decisions that came before their request.
    pub(super) early_answers: HashMap<String, super::request::Ending>,
    pub(super) persisted_numbers: Layers<EventId, u64>,
    pub(super) last_turn_had_tools: bool,
    /// A skill was used again, and the model has not been told so yet.
    pub(super) skill_again: bool,
    /// Place of the message whose turn is on, or was the last.
    pub(super) turn: Option<usize>,
    /// Place of the error in which the last turn ended; none from the next one's beginning on.
    pub(super) failed: Option<usize>,
    /// Which entry holds what a source said last.
    pub(super) said: HashMap<String, usize>,
    /// A chat with an agent of the Copilot platform.
    pub(super) chat: Chat,
    /// What is offered to a host's telemetry.
    pub telemetry: Telemetry,
    /// What places stand for that were handed out before the whole log was read.
    pub early: Early,
    dirty_entries: Vec<usize>,
    dirty_sections: u8,
    /// Takes an entry from its copies. The code for it is needed, and downloaded, only where copies are made.
    unshare: Option<fn(&mut Arc<Entry>)>,
}

impl State {
    /// Status in the contract's words: `running`, `waiting`, `idle`, `error`, `ended`.
    pub fn status(&self) -> &'static str {
        match self.phase {
            Phase::Ended => "ended",
            _ if !self.open_requests.is_empty() => "waiting",
            Phase::Running => "running",
            Phase::Error => "error",
            Phase::Idle => "idle",
        }
    }

    /// How it stands, for people: a turn that failed is an error until the next one begins, also while the session is idle.
    pub fn standing(&self) -> &'static str {
        match self.status() {
            "idle" if self.failed.is_some() => "error",
            status => status,
        }
    }

    /// What the last turn failed with.
    pub fn failure(&self) -> Option<&Entry> {
        self.failed.and_then(|place| self.entry(place))
    }

    /// The entry at a place.
    pub fn entry(&self, index: usize) -> Option<&Entry> {
        self.entries.get(self.early.place(index)).map(AsRef::as_ref)
    }

    /// The same, to change it without a note.
    pub(super) fn entry_mut(&mut self, index: usize) -> Option<&mut Entry> {
        let entry = self.entries.get_mut(index)?;
        if let Some(unshare) = self.unshare {
            unshare(entry);
        }
        Arc::get_mut(entry)
    }

    /// What an agent's model sees; without an id, the main agent's.
    pub fn view_of(&self, agent: Option<&str>) -> Option<&ModelContext> {
        match agent {
            None => Some(&self.context),
            Some(agent) => self.agent_contexts.iter().find(|(id, _)| id == agent).map(|(_, view)| view),
        }
    }

    pub(super) fn view_mut(&mut self, agent: Option<&str>) -> &mut ModelContext {
        self.touch(Section::ModelContext);
        let Some(agent) = agent else {
            return &mut self.context;
        };
        let known = self.agent_contexts.iter().position(|(id, _)| id == agent);
        let place = known.unwrap_or(self.agent_contexts.len());
        if known.is_none() {
            self.agent_contexts.push((agent.to_owned(), ModelContext::default()));
        }
        // It is there: the main agent's view is for the compiler.
        self.agent_contexts.get_mut(place).map_or(&mut self.context, |(_, view)| view)
    }

    pub(super) fn add(&mut self, space: Option<Space>, entry: Entry) -> usize {
        let place = self.entries.len();
        if let Some(space) = space {
            self.find_at(space, entry.id.clone(), place);
        }
        self.entries.push(Arc::new(entry));
        self.dirty_entries.push(place);
        place
    }

    pub(super) fn new_entry(kind: Kind, id: String, number: u64) -> Entry {
        Entry {
            kind,
            id,
            state: EntryState::Done,
            text: Text::default(),
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

    /// Changes an entry and notes that it changed; text goes through the two functions below.
    pub(super) fn update<R>(&mut self, place: usize, change: impl FnOnce(&mut Entry) -> R) -> Option<R> {
        let entry = self.entry_mut(place)?;
        let first = !entry.dirty.any();
        entry.dirty.updated = true;
        let told = change(entry);
        if first {
            self.dirty_entries.push(place);
        }
        Some(told)
    }

    pub(super) fn append_text(&mut self, place: usize, text: &str) {
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
        entry.text.own().push_str(text);
        if first {
            self.dirty_entries.push(place);
        }
    }

    /// The entry that the deltas of a stream are written to, if all they do is to add to it.
    pub(super) fn written_at(&mut self, stream: Stream, id: &str) -> Option<usize> {
        let place = match stream {
            Stream::Message => self.stream_place(Space::Message, id),
            Stream::Reasoning => self.stream_place(Space::Reasoning, id),
            Stream::Call => self.tool_place(id),
        }?;
        let entry = self.entries.get(place)?;
        let open = match (stream, &entry.body) {
            (Stream::Call, Body::Tool(call)) => matches!(call.life, Life::Writing) && !call.name.is_empty(),
            (Stream::Call, _) => false,
            _ => entry.state == EntryState::Streaming,
        };
        open.then_some(place)
    }

    /// Lets a run of deltas write there, and notes that it did.
    pub(super) fn write_at(
        &mut self,
        place: usize,
        stream: Stream,
        write: impl FnOnce(&mut String) -> Run,
    ) -> Run {
        let Some(entry) = self.entry_mut(place) else { return Run::default() };
        let first = !entry.dirty.any();
        let run = if let Some(call) = entry.tool_mut().filter(|_| matches!(stream, Stream::Call)) {
            let run = write(&mut call.written);
            entry.dirty.updated |= run.deltas > 0;
            run
        } else {
            let from = entry.text.len();
            let run = write(entry.text.own());
            if entry.dirty.text == TextDirty::Clean && entry.text.len() > from {
                entry.dirty.text = TextDirty::AppendedFrom(from);
            }
            entry.ended_at = entry.ended_at.max(run.said_at);
            run
        };
        if first && entry.dirty.any() {
            self.dirty_entries.push(place);
        }
        run
    }

    pub(super) fn replace_text(&mut self, place: usize, text: impl Into<Text>) {
        let text = text.into();
        let Some(entry) = self.entry_mut(place).filter(|entry| entry.text != text) else {
            return;
        };
        let first = !entry.dirty.any();
        entry.dirty.text = TextDirty::Replaced;
        entry.text = text;
        if first {
            self.dirty_entries.push(place);
        }
    }

    pub(super) fn touch(&mut self, section: Section) {
        self.dirty_sections |= section.bit();
    }

    /// Counts a record that is no duplicate.
    pub(super) fn counted(&mut self) {
        self.counters.total += 1;
        self.touch(Section::Diagnostics);
    }

    pub(super) fn diagnose(&mut self, severity: &'static str, message: String, event_id: Option<String>) {
        self.touch(Section::Diagnostics);
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic { severity, message, event_id });
        }
    }

    /// Takes what changed since the last call.
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

    /// Places of the entries that changed since the changes were taken.
    pub(super) fn touched(&self) -> &[usize] {
        &self.dirty_entries
    }

    /// From here on, copies share what is known now.
    pub(super) fn freeze(&mut self) {
        self.index.iter_mut().for_each(Layers::freeze);
        self.persisted_numbers.freeze();
        self.unshare = Some(|entry| _ = Arc::make_mut(entry));
    }

    /// True if there is anything for the views.
    pub fn changed(&self) -> bool {
        self.dirty_sections != 0 || !self.dirty_entries.is_empty()
    }
}
