//! Finds the events of a log that are superseded: without them the log gives the same state, but for counts of events.
//!
//! The catalogue says for each type after what its events can be left out. Here is what else has to hold. Only ephemeral events
//! are left out, so the history stays whole. What can't be read, is of an unknown type or is not certain stays.
//!
//! Times need care, because the reducer asks at any event for the newest time so far: an event that has it stays as long as
//! no other one has it, and for good if an older one follows.

mod pieces;
mod tool_output;

use std::collections::{HashMap, HashSet};

use pilothouse_scan::Members;

use crate::model::state::EventIds;
use crate::protocol::EventKind;
use crate::protocol::catalogue::{self, SupersededBy, Surface};
use crate::reduce::environment::sameness;
use crate::wire::fields::Fields;
use crate::wire::{self, Event, Record};
use pieces::Pieces;
use tool_output::ToolOutput;

/// Is given the lines of a log as they come, and tells which of them are superseded.
#[derive(Debug, Default)]
pub struct Superseded {
    /// The ids of the events so far. What comes again changes nothing.
    ids: EventIds,
    /// The ids of those that could not be read as they are. Another copy of such an event may count.
    doubtful: HashSet<Box<str>>,
    newest: Newest,
    /// Positions that stay although their events are superseded.
    pinned: HashSet<u64>,
    any: bool,
    any_ephemeral: bool,
    pieces: Pieces,
    output: ToolOutput,
    /// The newest figure or sign of each type; of notifications, the newest of each that are counted as one.
    signs: HashMap<(EventKind, String), Sign>,
    found: Vec<u64>,
    /// Empty; its memory is used again.
    released: Vec<u64>,
}

/// The event with the newest time.
#[derive(Debug, Default)]
struct Newest {
    at: Option<i64>,
    position: Option<u64>,
    /// It is superseded, but for its time.
    due: bool,
    /// An event with an older time came after it, for which this time counts.
    needed: bool,
}

#[derive(Debug)]
struct Sign {
    position: u64,
    /// A bit for each of its figures that it has.
    figures: u8,
}

/// The figures of the types that need not have all of them.
fn figures(kind: EventKind) -> &'static [&'static str] {
    match kind {
        EventKind::SessionUsageInfo => {
            &["currentTokens", "tokenLimit", "systemTokens", "toolDefinitionsTokens", "conversationTokens"]
        }
        EventKind::AssistantFusionPhaseActivity => &["totalResponseSizeBytes"],
        _ => &[],
    }
}

impl Superseded {
    /// Takes the next line of the log, which has this position. Returns the positions that are superseded now, in no order; the
    /// line's own may be among them. Each position is returned once at most.
    pub fn take(&mut self, position: u64, line: &str) -> &[u64] {
        self.found.clear();
        let (mut event, mut members) = (Event::EMPTY, Members::unknown());
        let end = pilothouse_scan::read(line, 0, &mut event, &mut members);
        if end.is_some_and(|end| line.get(end..).is_some_and(|rest| rest.trim_ascii().is_empty())) {
            event.members = Some(&members);
            self.event(position, &event);
        } else {
            self.unusual(position, line);
        }
        &self.found
    }

    /// Takes a line that is not an ordinary event.
    #[cold]
    fn unusual(&mut self, position: u64, line: &str) {
        let (mut events, mut records) = (0, 0);
        wire::records(line, |found| {
            records += 1;
            events += usize::from(matches!(found, Ok(Record::Event(_))));
        });
        match (events, records) {
            (0, _) => {}
            (1, 1) => wire::records(line, |found| {
                if let Ok(Record::Event(event)) = found {
                    self.event(position, &event);
                }
            }),
            // What is in one line with others stays, and so does all that is before it.
            _ => self.keep_all(position),
        }
    }

    /// Nothing of what has come is superseded by what follows.
    fn keep_all(&mut self, position: u64) {
        self.pieces = Pieces::default();
        self.output.lose_track();
        self.signs.clear();
        self.newest.needed = true;
        self.pinned.insert(position);
    }

    fn event(&mut self, position: u64, event: &Event<'_>) {
        if wire::platform_shape(event).is_some() {
            return;
        }
        let listed = event.members.is_some_and(|members| members.list().is_some());
        let readable = listed || matches!(event.data.as_bytes(), [] | [b'{', ..] | b"null");
        if !readable || event.mended || self.doubtful.contains(event.id) {
            if !event.id.is_empty() {
                self.doubtful.insert(event.id.into());
            }
            self.pass_time(position, event);
            return self.keep_all(position);
        }
        if !self.ids.insert(event.id) {
            self.found.push(position);
            return;
        }
        self.pass_time(position, event);
        self.follow(position, event, listed);
    }

    fn follow(&mut self, position: u64, event: &Event<'_>, listed: bool) {
        let kind = EventKind::parse(event.kind);
        let row = kind.row().or_else(|| catalogue::prefix_rule(event.kind));
        let Some(row) = row else { return };
        let by = row.superseded_by.filter(|_| event.ephemeral);
        if by == Some(SupersededBy::Itself) {
            return self.supersede(position);
        }
        if by.is_none() && !pieces::concerns(kind) && !tool_output::concerns(kind) {
            return;
        }
        let fields = if listed {
            event.members.and_then(Fields::from_members)
        } else {
            Fields::parse(event.data).ok()
        };
        let Some(fields) = fields else { return self.keep_all(position) };
        match by {
            // What a sub-agent says about the session has no effect on it.
            Some(SupersededBy::Next) if event.agent_id.is_some() && row.surface != Surface::Notifications => {
                self.supersede(position);
            }
            Some(SupersededBy::Next) => self.sign(kind, position, row.surface, fields),
            _ => {
                let mut released = std::mem::take(&mut self.released);
                if tool_output::concerns(kind) {
                    self.output.take(kind, position, event, fields.clone(), &mut released);
                }
                self.pieces.take(kind, position, event, fields, &mut released);
                released.drain(..).for_each(|position| self.supersede(position));
                self.released = released;
            }
        }
    }

    fn sign(&mut self, kind: EventKind, position: u64, surface: Surface, mut fields: Fields<'_>) {
        let mut figures = 0;
        for (bit, name) in self::figures(kind).iter().enumerate() {
            figures |= u8::from(fields.integer(name).is_some()) << bit;
        }
        let is_counted = surface == Surface::Notifications && !fields.is_empty();
        let key = if is_counted { sameness(&fields.rest()) } else { String::new() };
        let before = self.signs.insert((kind, key), Sign { position, figures });
        if let Some(before) = before.filter(|before| before.figures & !figures == 0) {
            self.supersede(before.position);
        }
    }

    /// Notes whether this event has the newest time, and whether a time before it is needed still.
    fn pass_time(&mut self, position: u64, event: &Event<'_>) {
        if !std::mem::replace(&mut self.any, true) {
            self.pinned.insert(position);
        }
        // The first one says that the log is of a live session.
        if event.ephemeral && !std::mem::replace(&mut self.any_ephemeral, true) {
            self.pinned.insert(position);
        }
        let starts =
            event.agent_id.is_none() && event.at.is_some() && event.kind == EventKind::SessionStart.name();
        if event.at.is_none() || (event.at < self.newest.at && !starts) {
            self.newest.needed = true;
            return;
        }
        let newest = Newest { at: event.at, position: Some(position), due: false, needed: false };
        let before = std::mem::replace(&mut self.newest, newest);
        match before.position {
            Some(at) if before.needed => {
                self.pinned.insert(at);
            }
            Some(at) if before.due => self.found.push(at),
            _ => {}
        }
    }

    fn supersede(&mut self, position: u64) {
        if self.pinned.remove(&position) {
            return;
        }
        if self.newest.position == Some(position) {
            self.newest.due = true;
        } else {
            self.found.push(position);
        }
    }
}

#[cfg(test)]
mod tests;
