//! How each timeline entry relates to what an agent's model sees, and back: an index that is made when somebody looks,
//! and grows with the view. Refuses to keep texts, and to draw.

mod compare;
mod words;

use serde_json::Value;

pub use compare::{Piece, compare};
pub use words::figure;

use super::entry::{Body, Entry, EntryState, Kind};
use super::model_context::{Cause, Message, ModelContext, Removal};
use super::state::State;
use super::tool_call::Life;

/// How an entry relates to the model's view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// The model reads the same.
    Sees,
    /// The model reads something else of it.
    Differs(Difference),
    /// Nothing of it is for the model.
    PeopleOnly,
    /// Nothing of it is in the log: after a reload it is gone, for people too.
    LiveOnly,
    /// The model saw it and does not any more.
    NoLonger(Cause),
    /// It is in the view of another agent only; its id.
    Elsewhere(String),
}

/// What the model reads in place of what people see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The same words with something around them: the names of the tags that were added.
    Wrapped(Vec<String>),
    /// Other words.
    Reworded,
    /// People see a change or a figure of it, the model reads a text of so many characters.
    Text(usize),
    /// The result is cut: characters that the model reads, and that there were.
    Shortened(usize, usize),
    /// The same and a last line that the runtime adds.
    LastLine,
    /// Only that it was called: there is no result yet, or there never will be.
    CallOnly {
        /// It may still come.
        waits: bool,
    },
    /// A summary in place of so many messages.
    Summary(usize),
}

/// Where a message is: in the view, or in a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// Its place in the view.
    Live(usize),
    /// The removal's place, and the message's in it.
    Gone(usize, usize),
}

/// What looking again found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// The view is as it was.
    Same,
    /// Messages were added from this place on.
    Appended(usize),
    /// Anything may be different.
    Rebuilt,
}

/// An entry's messages: the one that it is about, and the one in which the model made the call.
#[derive(Debug, Clone, Copy, Default)]
struct Spots {
    own: Option<Spot>,
    call: Option<Spot>,
}

/// The index over one agent's view.
#[derive(Debug, Default)]
pub struct Lens {
    agent: Option<String>,
    seen: Option<(u64, usize)>,
    spots: Vec<Spots>,
}

impl Lens {
    /// The agent whose view this is; none for the main agent.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Looks at another agent's view; takes effect with the next update.
    pub fn choose(&mut self, agent: Option<String>) {
        if self.agent != agent {
            *self = Self { agent, ..Self::default() };
        }
    }

    /// The view, if the agent has one.
    pub fn view<'a>(&self, state: &'a State) -> Option<&'a ModelContext> {
        state.view_of(self.agent())
    }

    /// Takes in what happened since the last time. Costs what was added, unless the view was rewritten.
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

    /// Where the model reads of an entry: the message that it is about, else the one that makes the call.
    pub fn spot(&self, entry: usize) -> Option<Spot> {
        let spots = self.spots.get(entry)?;
        spots.own.or(spots.call)
    }

    /// The entry's relation to the view.
    pub fn relation(&self, state: &State, place: usize) -> Option<Relation> {
        let entry = state.entry(place)?;
        Some(match self.spot(place).and_then(|spot| self.find(state, spot)) {
            Some((_, Some(removal))) => Relation::NoLonger(removal.cause),
            Some((message, None)) => self.difference(state, entry, place, message),
            None => self.absent(entry),
        })
    }

    /// As [`Lens::relation`], without comparing texts: what is not for the model, and why.
    pub fn absence(&self, state: &State, place: usize) -> Option<Relation> {
        if matches!(self.spot(place), Some(Spot::Live(_))) {
            return None;
        }
        self.relation(state, place)
    }

    /// A message, and the removal that took it, if one did.
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
            // A sub-agent's own line tells people of it; its caller reads the result of the `task` call.
            _ if !entry.model_visible || entry.kind == Kind::Subagent => Relation::PeopleOnly,
            Some(agent) if Some(agent) != self.agent.as_ref() => Relation::Elsewhere(agent.clone()),
            None if self.agent.is_some() => Relation::Elsewhere(String::new()),
            _ => Relation::PeopleOnly,
        }
    }

    fn difference(&self, state: &State, entry: &Entry, place: usize, message: &Message) -> Relation {
        if entry.kind == Kind::Compaction {
            let took = |removal: &&Removal| removal.entry == place;
            let view = self.view(state);
            let removal = view.and_then(|view| view.removals().iter().rev().find(took));
            let messages = removal.map_or(0, |removal| removal.messages.len());
            return Relation::Differs(Difference::Summary(messages));
        }
        if entry.kind == Kind::Tool && message.entry != Some(place) {
            return Relation::Differs(Difference::CallOnly { waits: !settled(entry) });
        }
        let people = shown(entry);
        let model = message.content.as_str();
        if people.trim() == model.trim() {
            return Relation::Sees;
        }
        let length = || model.chars().count();
        Relation::Differs(match &entry.body {
            Body::Tool(call) if call.by_user => Difference::Wrapped(tags(model)),
            Body::Tool(_) if shortened(people, model) => {
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

/// Nothing more is to come of it.
fn settled(entry: &Entry) -> bool {
    !matches!(entry.state, EntryState::Running | EntryState::Pending | EntryState::Streaming)
}

/// Places of the entries of the tool calls that a message makes.
pub fn calls(state: &State, message: &Message) -> Vec<usize> {
    let id = |call: &Value| state.tool_place(call.get("toolCallId")?.as_str()?);
    message.calls().iter().filter_map(id).collect()
}

/// Every entry that a message tells of, the one that it is about first.
pub fn entries(state: &State, message: &Message) -> Vec<usize> {
    let mut all: Vec<_> = message.entry.into_iter().collect();
    all.extend(calls(state, message));
    all
}

/// What people see of an entry, as a text.
pub fn shown(entry: &Entry) -> &str {
    let text = match &entry.body {
        Body::Tool(call) => match &call.life {
            Life::Succeeded(outcome) => outcome.detailed.as_deref().unwrap_or(&entry.text),
            _ => &entry.text,
        },
        _ => &entry.text,
    };
    // A shell's terminal leaves out what the runtime tells the model about the shell.
    match entry.tool() {
        Some(call) if call.argument("command").is_some() => last_line(text).unwrap_or(text),
        _ => text,
    }
}

/// The text before the line that the runtime adds to a shell's output, if there is one.
fn last_line(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let told = ["<shellId:", "<exited with exit code"].iter().any(|start| last.starts_with(start));
    told.then_some(before)
}

/// True if the model reads a beginning of what people see.
fn shortened(people: &str, model: &str) -> bool {
    const BEGINNING: usize = 64;
    let mut end = BEGINNING.min(model.trim().len());
    while !model.trim().is_char_boundary(end) {
        end -= 1;
    }
    let start = model.trim().get(..end).unwrap_or_default();
    people.len() > model.len() && !start.is_empty() && people.trim_start().starts_with(start)
}

/// The tags that stand around `inner` in `text`, if it is in there.
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

/// Names of the elements that begin in a text, each once.
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
