//! Which device is told what, and when: inputs in, effects out. Time comes with the input; nothing here reads a clock or sends.
//!
//! A device is told of the newest request that waits, and again of another one only when that is newer, or when those it was
//! told of are over. Before anything is sent, a session is left alone for a moment: what a policy or a quick person answers
//! calls nobody, and of several requests only the newest is told. Two messages about a session are at least
//! [`Timing::window`] apart. What a person sees on a page is not sent.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::access::person::Person;

/// Milliseconds since some moment.
pub type Millis = u64;
/// Which device was told what, by session and device.
pub type Ledger = BTreeMap<String, BTreeMap<String, Entry>>;

/// How long things take.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// From the news to the message.
    pub settle: Duration,
    /// Between two messages about a session. As long waits what was there when the gateway first looked, since it may be over,
    /// and what a person saw who then left.
    pub window: Duration,
}

/// What the main agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It works, or waits for a person.
    Running,
    /// It is done.
    Idle,
    /// A person stopped it.
    Stopped,
    /// It stopped with an error.
    Failed,
    /// The session has ended.
    Ended,
}

/// What is seen of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The requests that wait for a person, the oldest first.
    pub open: Vec<String>,
    /// What the main agent does.
    pub turn: Turn,
}

/// What the decision is about.
#[derive(Clone, Debug)]
pub enum Input {
    /// A session is seen.
    Session(String, Situation),
    /// A session is gone.
    SessionGone(String),
    /// A device is there, or its person has chosen something else.
    Device {
        /// Its id.
        id: String,
        /// Whose it is.
        person: Person,
        /// Whether it is told of turns that are done.
        done: bool,
        /// It was not there before: what waits now is not told.
        new: bool,
    },
    /// A device is gone.
    DeviceGone(String),
    /// Whether any page on which this person sees this is visible.
    Visible(Person, Sight, bool),
    /// Time has passed.
    Time,
}

/// What a visible page shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sight {
    /// This session.
    Session(String),
    /// The board, which shows what waits and how it stands in each session.
    Board,
}

impl Sight {
    fn has(&self, session: &str) -> bool {
        match self {
            Self::Session(id) => id == session,
            Self::Board => true,
        }
    }
}

/// What a message is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// This request waits for a person.
    Waiting(String),
    /// The turn failed.
    Failed,
    /// The turn is done.
    Done,
    /// Nothing waits any more of what the device was told of.
    Close,
}

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The device.
    pub device: String,
    /// The session.
    pub session: String,
    /// What it is about.
    pub news: News,
}

/// What one device was told of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Open requests of which it was sent a message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    announced: Vec<String>,
    /// Open requests that waited already when it came.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    known_before: Vec<String>,
}

#[derive(Debug)]
struct Device {
    person: Person,
    done: bool,
}

/// What is to be sent to one device about one session, and when.
#[derive(Clone, Debug, Default)]
struct Plan {
    news: Option<News>,
    due: Option<Millis>,
    last: Option<Millis>,
}

/// All that is known.
#[derive(Debug)]
pub struct Decision {
    timing: Timing,
    sessions: HashMap<String, Situation>,
    devices: BTreeMap<String, Device>,
    visible: Vec<(Person, Sight)>,
    plans: HashMap<(String, String), Plan>,
    ledger: Ledger,
    ledger_changed: bool,
}

impl Decision {
    /// Nothing is known but what was told before.
    pub fn new(timing: Timing, ledger: Ledger) -> Self {
        Self {
            timing,
            sessions: HashMap::new(),
            devices: BTreeMap::new(),
            visible: Vec::new(),
            plans: HashMap::new(),
            ledger,
            ledger_changed: false,
        }
    }

    /// Takes an input. Returns what is to be sent.
    pub fn update(&mut self, input: Input, now: Millis) -> Vec<Message> {
        let mut out = Vec::new();
        match input {
            Input::Session(id, situation) => self.session(&id, situation, now, &mut out),
            Input::SessionGone(id) => {
                let nothing = Situation { open: Vec::new(), turn: Turn::Ended };
                self.session(&id, nothing, now, &mut out);
                self.sessions.remove(&id);
                self.plans.retain(|(session, _), _| *session != id);
            }
            Input::Device { id, person, done, new } => {
                if new {
                    self.note_open_requests(&id);
                }
                self.devices.insert(id, Device { person, done });
            }
            Input::DeviceGone(id) => {
                self.devices.remove(&id);
                self.plans.retain(|(_, device), _| *device != id);
                for entries in self.ledger.values_mut() {
                    self.ledger_changed |= entries.remove(&id).is_some();
                }
                self.ledger.retain(|_, entries| !entries.is_empty());
            }
            Input::Visible(person, sight, visible) => self.set_visible(person, sight, visible, now),
            Input::Time => self.send_due(now, &mut out),
        }
        out
    }

    /// What was told.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether what was told has changed since this was asked last.
    pub fn take_ledger_changed(&mut self) -> bool {
        std::mem::take(&mut self.ledger_changed)
    }

    /// The sessions of which a device has a message, besides this one that is about to be sent.
    pub fn announced_sessions(&self, message: &Message) -> HashSet<String> {
        let told = self.ledger.iter().filter(|(session, entries)| {
            let count = entries.get(&message.device).map_or(0, |entry| entry.announced.len());
            let is_this = **session == message.session && matches!(message.news, News::Waiting(_));
            count > usize::from(is_this)
        });
        let closed = (message.news == News::Close).then_some(&message.session);
        told.map(|(session, _)| session).chain(closed).cloned().collect()
    }

    /// Forgets the sessions, which will be seen as if for the first time.
    pub fn forget_sessions(&mut self) {
        self.sessions.clear();
        self.plans.clear();
    }

    /// The sessions that something is known of.
    pub fn sessions(&self) -> impl Iterator<Item = &String> {
        self.sessions.keys().chain(self.ledger.keys())
    }

    fn session(&mut self, id: &str, seen: Situation, now: Millis, out: &mut Vec<Message>) {
        let before = self.sessions.get(id);
        let was_open = |request| before.is_some_and(|before| before.open.contains(request));
        let fresh = !seen.open.iter().all(was_open);
        let news = match (before.map(|before| before.turn), seen.turn) {
            (Some(Turn::Running), Turn::Failed) => Some(News::Failed),
            (Some(Turn::Running), Turn::Idle) => Some(News::Done),
            _ => None,
        };
        let delay = if before.is_some() { self.timing.settle } else { self.timing.window };
        let due = now.saturating_add(millis(delay));
        for (device_id, device) in &self.devices {
            let key = (id.to_owned(), device_id.clone());
            let entry = self.ledger.get_mut(id).and_then(|entries| entries.get_mut(device_id));
            let (ended, changed) = entry.map_or((false, false), |entry| entry.forget_closed(&seen.open));
            self.ledger_changed |= changed;
            if ended {
                out.push(Message { device: device_id.clone(), session: id.to_owned(), news: News::Close });
            }
            if let Some(plan) = self.plans.get_mut(&key).filter(|_| seen.turn == Turn::Running) {
                plan.news = None; // it goes on
            }
            let news = news.clone().filter(|news| *news == News::Failed || device.done);
            if fresh || ended || news.is_some() {
                let plan = self.plans.entry(key).or_default();
                plan.news = news.or(plan.news.take());
                plan.due.get_or_insert(due);
            }
        }
        self.forget_empty_entries(id);
        self.sessions.insert(id.to_owned(), seen);
    }

    fn forget_empty_entries(&mut self, session: &str) {
        if let Some(entries) = self.ledger.get_mut(session) {
            entries.retain(|_, entry| *entry != Entry::default());
            if entries.is_empty() {
                self.ledger.remove(session);
            }
        }
    }

    /// What waits when a device comes is known to the person who is there.
    fn note_open_requests(&mut self, device: &str) {
        for (id, situation) in &self.sessions {
            if situation.open.is_empty() {
                continue;
            }
            let entry = self.ledger.entry(id.clone()).or_default().entry(device.to_owned()).or_default();
            let unknown = situation.open.iter().filter(|request| !entry.announced.contains(request));
            entry.known_before = unknown.cloned().collect();
            self.ledger_changed = true;
        }
    }

    fn set_visible(&mut self, person: Person, sight: Sight, visible: bool, now: Millis) {
        let seen = (person, sight);
        self.visible.retain(|other| *other != seen);
        if visible {
            self.visible.push(seen);
            return;
        }
        let (person, sight) = seen;
        let due = now.saturating_add(millis(self.timing.window));
        for (session, situation) in self.sessions.iter().filter(|(id, _)| sight.has(id)) {
            for (id, _) in self.devices.iter().filter(|(_, device)| device.person == person) {
                let entry = self.ledger.get(session).and_then(|entries| entries.get(id));
                // A message that is on the device already calls as well.
                let is_called = entry.is_some_and(|entry| !entry.announced.is_empty());
                if !is_called && situation.unannounced(entry).is_some() {
                    let plan = self.plans.entry((session.clone(), id.clone())).or_default();
                    plan.due.get_or_insert(due);
                }
            }
        }
    }

    fn send_due(&mut self, now: Millis, out: &mut Vec<Message>) {
        let window = millis(self.timing.window);
        let earliest = |plan: &Plan| plan.last.map_or(0, |last| last.saturating_add(window));
        for ((session, device_id), plan) in &mut self.plans {
            if plan.due.is_none_or(|due| due > now) {
                continue;
            }
            plan.due = None;
            let situation = self.sessions.get(session);
            let (Some(situation), Some(device)) = (situation, self.devices.get(device_id)) else { continue };
            let is_here = |(person, sight): &(Person, Sight)| *person == device.person && sight.has(session);
            if self.visible.iter().any(is_here) {
                plan.news = None;
                continue;
            }
            let entry = self.ledger.get(session).and_then(|entries| entries.get(device_id));
            let waiting = situation.unannounced(entry).cloned().map(News::Waiting);
            let Some(news) = waiting.or(plan.news.clone()) else { continue };
            if earliest(plan) > now {
                plan.due = Some(earliest(plan));
                continue;
            }
            if let News::Waiting(request) = &news {
                let entries = self.ledger.entry(session.clone()).or_default();
                entries.entry(device_id.clone()).or_default().announced.push(request.clone());
                self.ledger_changed = true;
            }
            *plan = Plan { news: None, due: None, last: Some(now) };
            out.push(Message { device: device_id.clone(), session: session.clone(), news });
        }
        self.plans.retain(|_, plan| plan.due.is_some() || earliest(plan) > now);
    }
}

impl Situation {
    /// The newest request that the device is not told of: newer than those it is told of, if any of them waits.
    fn unannounced(&self, entry: Option<&Entry>) -> Option<&String> {
        let is_announced = |request: &&String| entry.is_some_and(|entry| entry.announced.contains(request));
        let is_known = |request: &&String| entry.is_some_and(|entry| entry.known_before.contains(request));
        let newer = self.open.iter().rev().take_while(|request| !is_announced(request));
        newer.into_iter().find(|request| !is_known(request))
    }
}

impl Entry {
    /// Forgets requests that are closed. Returns whether those that it was told of are over, and whether anything was forgotten.
    fn forget_closed(&mut self, open: &[String]) -> (bool, bool) {
        let (announced, known) = (self.announced.len(), self.known_before.len());
        self.announced.retain(|request| open.contains(request));
        self.known_before.retain(|request| open.contains(request));
        (
            announced > 0 && self.announced.is_empty(),
            self.announced.len() < announced || self.known_before.len() < known,
        )
    }
}

fn millis(duration: Duration) -> Millis {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
