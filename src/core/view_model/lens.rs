//! Relates timeline entries to the messages in an agent's model context, with an index that is built on
//! demand and updated as the context grows.

mod compare;
pub mod lines;
pub mod message_facts;
mod words;

use std::borrow::Cow;

use serde_json::Value;

pub use compare::{WordRun, compare};
pub use words::{figure, role_name};

use super::entry_words::text;
use crate::model::entry::{Body, Entry, EntryState, Kind};
use crate::model::model_context::{Cause, Message, ModelContext, Removal};
use crate::model::state::State;
use crate::model::tool_call::CallStage;

/// How an entry relates to the model's context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// The model reads the same text.
    Sees,
    /// The model reads a different text.
    Differs(Difference),
    /// The model gets nothing of it.
    PeopleOnly,
    /// It is not in the log, so after a reload people will not see it either.
    LiveOnly,
    /// It was removed from the context.
    NoLonger(Cause),
    /// It is only in the context of the agent with this id; empty for the main agent.
    Elsewhere(String),
}

/// How the model's text differs from the one that people see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The same text inside other text; with the names of the tags that were added.
    Wrapped(Vec<String>),
    /// A different text.
    Reworded,
    /// People see a diff or another rendering of it; the model reads a text of this many characters.
    Text(usize),
    /// The result is truncated: number of characters that the model reads, and of the whole.
    Shortened(usize, usize),
    /// The same text with a last line that the runtime adds.
    LastLine,
    /// The model only knows of the call, not of a result.
    CallOnly {
        /// The result may still come.
        waits: bool,
    },
    /// A summary of this many messages.
    Summary(usize),
}

/// Where a message is: in the context, or in a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// Its index in the context.
    Live(usize),
    /// Index of the removal, and of the message in it.
    Gone(usize, usize),
}

/// What an update changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// Nothing.
    Same,
    /// Messages were appended, from this index on.
    Appended(usize),
    /// The whole index was rebuilt.
    Rebuilt,
}

/// An entry's messages: its own, and the one in which the model made the tool call.
#[derive(Debug, Clone, Copy, Default)]
struct Spots {
    own: Option<Spot>,
    call: Option<Spot>,
}

/// The index of one agent's context.
#[derive(Debug, Default)]
pub struct Lens {
    agent: Option<String>,
    seen: Option<(u64, usize)>,
    spots: Vec<Spots>,
}

impl Lens {
    /// Id of the agent; none for the main agent.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Switches to another agent's context; takes effect with the next update.
    pub fn choose(&mut self, agent: Option<String>) {
        if self.agent != agent {
            *self = Self { agent, ..Self::default() };
        }
    }

    /// The agent's context, if it has one.
    pub fn view<'a>(&self, state: &'a State) -> Option<&'a ModelContext> {
        state.view_of(self.agent())
    }

    /// Updates the index. This takes time in proportion to the added messages, unless the context was
    /// rewritten.
    pub fn update(&mut self, state: &State) -> Growth {
        let Some(view) = state.view_of(self.agent.as_deref()) else {
            return Growth::Same;
        };
        let messages = view.messages();
        let now = (view.rewrites(), messages.len());
        let from = match self.seen {
            Some(seen) if seen == now => return Growth::Same,
            Some((rewrites, length)) if rewrites == now.0 && length < now.1 => length,
            _ => 0,
        };
        let rebuilt = self.seen.is_none_or(|seen| seen.0 != now.0);
        self.seen = Some(now);
        if rebuilt {
            self.spots.clear();
            for (nth, removal) in view.removals().iter().enumerate() {
                for (place, message) in removal.messages.iter().enumerate() {
                    self.enter(state, message, Spot::Gone(nth, place));
                }
            }
        }
        for (place, message) in messages.iter().enumerate().skip(from) {
            self.enter(state, message, Spot::Live(place));
        }
        if rebuilt { Growth::Rebuilt } else { Growth::Appended(from) }
    }

    fn enter(&mut self, state: &State, message: &Message, spot: Spot) {
        if let Some(spots) = message.entry.and_then(|entry| self.slot(entry)) {
            spots.own = Some(spot);
        }
        for entry in calls(state, message) {
            if let Some(spots) = self.slot(entry) {
                spots.call = Some(spot);
            }
        }
    }

    fn slot(&mut self, entry: usize) -> Option<&mut Spots> {
        if self.spots.len() <= entry {
            self.spots.resize(entry + 1, Spots::default());
        }
        self.spots.get_mut(entry)
    }

    /// Where an entry's message is: its own, else the one with the tool call.
    pub fn spot(&self, entry: usize) -> Option<Spot> {
        let spots = self.spots.get(entry)?;
        spots.own.or(spots.call)
    }

    /// An entry's relation to the context.
    pub fn relation(&self, state: &State, place: usize) -> Option<Relation> {
        let entry = state.entry(place)?;
        Some(match self.spot(place).and_then(|spot| self.find(state, spot)) {
            Some((_, Some(removal))) => Relation::NoLonger(removal.cause),
            Some((message, None)) => self.difference(state, entry, place, message),
            None => self.absent(entry),
        })
    }

    /// Same as [`Lens::relation`], but none for entries that are in the context, so that no texts are
    /// compared.
    pub fn absence(&self, state: &State, place: usize) -> Option<Relation> {
        if matches!(self.spot(place), Some(Spot::Live(_))) {
            return None;
        }
        self.relation(state, place)
    }

    /// The message at a spot, and the removal that it is in, if any.
    pub fn find<'a>(&self, state: &'a State, spot: Spot) -> Option<(&'a Message, Option<&'a Removal>)> {
        let view = self.view(state)?;
        match spot {
            Spot::Live(place) => Some((view.messages().get(place)?, None)),
            Spot::Gone(nth, place) => {
                let removal = view.removals().get(nth)?;
                Some((removal.messages.get(place)?, Some(removal)))
            }
        }
    }

    fn absent(&self, entry: &Entry) -> Relation {
        match &entry.agent_id {
            _ if entry.ephemeral() => Relation::LiveOnly,
            // A sub-agent's own entry is for people; the calling model reads the result of the `task` call.
            _ if !entry.model_visible || entry.kind == Kind::Subagent => Relation::PeopleOnly,
            Some(agent) if Some(agent) != self.agent.as_ref() => Relation::Elsewhere(agent.clone()),
            None if self.agent.is_some() => Relation::Elsewhere(String::new()),
            _ => Relation::PeopleOnly,
        }
    }

    fn difference(&self, state: &State, entry: &Entry, place: usize, message: &Message) -> Relation {
        if entry.kind == Kind::Compaction {
            let is_of_entry = |removal: &&Removal| removal.entry == place;
            let view = self.view(state);
            let removal = view.and_then(|view| view.removals().iter().rev().find(is_of_entry));
            let messages = removal.map_or(0, |removal| removal.messages.len());
            return Relation::Differs(Difference::Summary(messages));
        }
        if entry.kind == Kind::Tool && message.entry != Some(place) {
            return Relation::Differs(Difference::CallOnly { waits: !has_ended(entry) });
        }
        let people = shown_text(entry);
        let model = message.content.as_str();
        if people.trim() == model.trim() {
            return Relation::Sees;
        }
        let length = || model.chars().count();
        Relation::Differs(match &entry.body {
            Body::Tool(call) if call.by_user => Difference::Wrapped(tags(model)),
            Body::Tool(_) if is_shortened(&people, model) => {
                Difference::Shortened(length(), people.chars().count())
            }
            Body::Tool(_) if last_line(model).is_some() => Difference::LastLine,
            Body::Tool(_) => Difference::Text(length()),
            _ => match wrapping(model, people.trim()) {
                Some(added) => Difference::Wrapped(added),
                None if entry.kind == Kind::Notice => Difference::Text(length()),
                None => Difference::Reworded,
            },
        })
    }
}

/// True if the entry has ended.
fn has_ended(entry: &Entry) -> bool {
    !matches!(entry.state, EntryState::Running | EntryState::Pending | EntryState::Streaming)
}

/// Indices of the entries of a message's tool calls.
pub fn calls(state: &State, message: &Message) -> Vec<usize> {
    let id = |call: &Value| state.tool_place(call.get("toolCallId")?.as_str()?);
    message.calls().iter().filter_map(id).collect()
}

/// Indices of all entries of a message: its own first, then its tool calls.
pub fn entries(state: &State, message: &Message) -> Vec<usize> {
    let mut all: Vec<_> = message.entry.into_iter().collect();
    all.extend(calls(state, message));
    all
}

/// The text of an entry that people see.
pub fn shown_text(entry: &Entry) -> Cow<'_, str> {
    let Some(call) = entry.tool() else { return text(entry) };
    let text = match &call.stage {
        CallStage::Succeeded(outcome) => outcome.detailed.as_deref().unwrap_or(&entry.text),
        _ => &entry.text,
    };
    // A shell's terminal does not show the last line, which the runtime adds for the model.
    let command = call.argument("command").is_some();
    Cow::Borrowed(if command { last_line(text).unwrap_or(text) } else { text })
}

/// The text before the line that the runtime adds to a shell's output, if there is one.
fn last_line(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let is_added = ["<shellId:", "<exited with exit code"].iter().any(|start| last.starts_with(start));
    is_added.then_some(before)
}

/// True if the model's text is shorter and begins like the one that people see.
fn is_shortened(people: &str, model: &str) -> bool {
    const BEGINNING: usize = 64;
    let mut end = BEGINNING.min(model.trim().len());
    while !model.trim().is_char_boundary(end) {
        end -= 1;
    }
    let start = model.trim().get(..end).unwrap_or_default();
    people.len() > model.len() && !start.is_empty() && people.trim_start().starts_with(start)
}

/// The tags around `inner` in `text`, if it is in there.
fn wrapping(text: &str, inner: &str) -> Option<Vec<String>> {
    let (before, after) = text.split_once(inner).filter(|_| !inner.is_empty())?;
    let mut added = tags(before);
    for tag in tags(after) {
        if !added.contains(&tag) {
            added.push(tag);
        }
    }
    Some(added)
}

/// Names of the opening tags in a text, each once.
fn tags(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in text.split('<').skip(1) {
        let end = part.find(|letter: char| !(letter.is_ascii_alphanumeric() || "_-".contains(letter)));
        let name = part.get(..end.unwrap_or(0)).unwrap_or_default();
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
#[path = "lens/tests.rs"]
mod tests;
