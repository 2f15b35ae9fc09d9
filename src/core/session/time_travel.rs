//! Restores a session as it was at any record of its log.
//!
//! The log is reduced again from its start, and a checkpoint is stored every so many records: a copy of the
//! session that shares unchanged data with the others. A record is reached from the checkpoint before it. The
//! same pass notes which entries each record affects.

use super::Session;
use super::log::{Log, Logged};
use crate::model::state::{Space, State};
use crate::protocol::EventKind;
use crate::wire;

/// Initial number of records between two checkpoints; doubled when there are too many.
const CHECKPOINT_INTERVAL: usize = 256;
/// Maximum number of checkpoints.
const STOPS: usize = 96;

/// The checkpoints of one log, and the links between its records and entries.
#[derive(Debug, Default)]
pub struct TravelIndex {
    front: Session,
    prepared: usize,
    stops: Vec<Session>,
    every: usize,
    records_of: Vec<Vec<u32>>,
    entry_of: Vec<u32>,
    turns: Vec<u32>,
    /// Ids that were mentioned before their entry existed, as the member's name, the id and the record.
    unmatched: Vec<(&'static str, String, u32)>,
}

/// Maximum number of such ids; the oldest are dropped.
const MAX_UNMATCHED: usize = 64;

/// Marks 'no entry' in `entry_of`.
const NONE: u32 = u32::MAX;

impl TravelIndex {
    /// A new one, with no records prepared.
    pub fn new() -> Self {
        Self { every: CHECKPOINT_INTERVAL, ..Self::default() }
    }

    /// How many records of the log have been prepared and can be reached.
    pub fn prepared(&self) -> usize {
        self.prepared
    }

    /// Prepares the next `records` records of the log; true if there are more.
    pub fn prepare(&mut self, log: &Log, records: usize) -> bool {
        let end = log.len().min(self.prepared.saturating_add(records));
        while self.prepared < end {
            if self.prepared == self.stops.len() * self.every {
                self.stops.push(self.front.copy());
                self.thin_out();
            }
            self.take(log, self.prepared);
            self.prepared += 1;
        }
        self.prepared < log.len()
    }

    /// Moves a session that has taken `from` records to the point where it has taken `to`. True if records
    /// were only added, so that the session's changes are complete; otherwise everything must be rendered
    /// again.
    pub fn travel_to(&self, log: &Log, session: &mut Session, from: usize, to: usize) -> bool {
        let to = to.min(self.prepared);
        let stop = (to / self.every.max(1)).min(self.stops.len().saturating_sub(1));
        let start = stop * self.every;
        let forward = from <= to && (from >= start || to - from <= self.every);
        let first = if forward { from } else { start };
        if !forward {
            *session = match self.stops.get(stop) {
                Some(stop) => stop.share(),
                None => Session::new(),
            };
        }
        for record in first..to {
            let name = log.head(record).map_or("", |head| head.name);
            log.read(record, |logged| session.replay(name, logged));
        }
        if to == log.len() {
            session.settle_at_end();
        }
        forward
    }

    /// The records that affect an entry, in order.
    pub fn records_of(&self, entry: usize) -> &[u32] {
        self.records_of.get(entry).map(Vec::as_slice).unwrap_or_default()
    }

    /// The entry that a record is mostly about.
    pub fn entry_of(&self, record: usize) -> Option<usize> {
        self.entry_of.get(record).filter(|entry| **entry != NONE).map(|entry| *entry as usize)
    }

    /// The records that begin turns: a person's message, or a model call by the main agent.
    pub fn turns(&self) -> &[u32] {
        &self.turns
    }

    /// The position just after the start of the turn before `at`; 0 if there is none. A position is a number
    /// of records.
    pub fn turn_before(&self, at: usize) -> usize {
        let place = self.turns.partition_point(|turn| (*turn as usize) + 1 < at);
        place.checked_sub(1).and_then(|place| self.turns.get(place)).map_or(0, |turn| *turn as usize + 1)
    }

    /// The position just after the next start of a turn from `at` on; the end if there is none.
    pub fn turn_after(&self, at: usize) -> usize {
        let place = self.turns.partition_point(|turn| (*turn as usize) < at);
        self.turns.get(place).map_or(self.prepared, |turn| *turn as usize + 1)
    }

    fn thin_out(&mut self) {
        if self.stops.len() > STOPS {
            let mut place = 0;
            self.stops.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.every *= 2;
        }
    }

    fn take(&mut self, log: &Log, record: usize) {
        let Some(head) = log.head(record) else { return };
        if !head.of_agent
            && !head.duplicate
            && matches!(EventKind::parse(head.name), EventKind::UserMessage | EventKind::AssistantTurnStart)
        {
            self.turns.push(record as u32);
        }
        let delta = head.name.ends_with("_delta");
        let mentioned = log.read(record, |logged| {
            self.front.replay(head.name, logged);
            match logged {
                Logged::Event { raw, .. } if !delta => self.mentioned_entries(raw, record as u32),
                _ => [None; IDS.len()],
            }
        });
        let mentioned = mentioned.unwrap_or_default().into_iter().flatten();
        let mut first = None;
        let touched = self.front.state().dirty_entries().to_vec();
        for entry in mentioned.chain(touched) {
            first = first.or(Some(entry));
            if self.records_of.len() <= entry {
                self.records_of.resize_with(entry + 1, Vec::new);
                self.add_earlier_records(entry);
            }
            if let Some(records) = self.records_of.get_mut(entry)
                && records.last() != Some(&(record as u32))
            {
                records.push(record as u32);
            }
        }
        self.entry_of.push(first.map_or(NONE, |entry| entry as u32));
        let _ = self.front.take_changes();
    }

    /// Entries whose ids an event mentions, perhaps without changing them: a late answer, a final text that
    /// is already there.
    fn mentioned_entries(&mut self, raw: &str, record: u32) -> [Option<usize>; IDS.len()] {
        let mut found = [None; IDS.len()];
        let mut data = "";
        let _ = wire::members(raw, |name, value| {
            if name == "data" {
                data = value.raw();
            }
        });
        let _ = wire::members(data, |name, value| {
            if let Some(which) = IDS.iter().position(|id| *id == name)
                && let (Some(id), Some(slot)) = (value.text(), found.get_mut(which))
            {
                *slot = place_of(self.front.state(), name, &id);
                if let (None, Some(member)) = (*slot, IDS.get(which)) {
                    self.unmatched.push((member, id.into_owned(), record));
                }
            }
        });
        if let Some(many) = self.unmatched.len().checked_sub(MAX_UNMATCHED) {
            self.unmatched.drain(..many);
        }
        found
    }

    /// Adds the records that mentioned a new entry before it existed.
    fn add_earlier_records(&mut self, entry: usize) {
        let state = self.front.state();
        let records = &mut self.records_of;
        self.unmatched.retain(|(member, id, record)| {
            let own = place_of(state, member, id) == Some(entry);
            if let (true, Some(records)) = (own, records.get_mut(entry)) {
                records.push(*record);
            }
            !own
        });
    }
}

/// The index of the entry whose id is in this member of a payload.
fn place_of(state: &State, member: &str, id: &str) -> Option<usize> {
    let space = match member {
        "messageId" => Space::Message,
        "reasoningId" => Space::Reasoning,
        "toolCallId" => Space::Tool,
        "requestId" => Space::Request,
        _ => return None,
    };
    state.place(space, id)
}

const IDS: [&str; 4] = ["requestId", "messageId", "reasoningId", "toolCallId"];
