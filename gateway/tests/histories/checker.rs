//! Compares what a history's pages have seen with what the runtime did. What is checked is what docs/protocol.md §3
//! promises, which is in four places less than one could wish:
//!
//! - A late answer reaches the runtime, and the runtime says that it is too late. Promised is that only one answer to a
//!   request is on its way at a time, so of several only one counts. The stand-in notes two at a time.
//! - A power cut can lose the last second of those events that history does not keep, and their positions are given
//!   again. So after one a page that has more of the log than there is is loaded again, and events that neither the log
//!   nor the runtime has are not missed.
//! - A log that grew over its limit drops what history does not keep. Its positions stay unused, and by them a reader
//!   knows how many events are missing. No `pilothouse.gap` says it.
//! - What became of a queued command whose gateway ended meanwhile, a page knows that has seen it in the queue. One that comes
//!   later may still show it as waiting.
//!
//! An event that only a runtime had that was killed was never sent, so it is not missed either.

use std::collections::{BTreeMap, HashMap, HashSet};

use pilothouse_core::protocol::ErrorReason;
use pilothouse_core::session::superseded::Superseded;
use serde_json::Value;

use super::runtime::{Arrival, Emitted, Queued};

const MOST: usize = 12;
const NOTICES: [&str; 6] = [
    "runtime_ended",
    "resume_failed",
    "command_started",
    "command_output",
    "command_failed",
    "command_unsure",
];

/// The events that a card has, each with its position.
pub type Read = Vec<(u64, String)>;

/// What a person was told of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Result(Value),
    /// It was not carried out, and why not.
    Refused(Option<ErrorReason>, String),
    /// Nobody knows.
    Unknown,
    /// There was no connection.
    NotSent,
}

/// A call of a person on a card, and its outcome.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub card: usize,
    pub viewer: bool,
    pub method: &'static str,
    /// What identifies what it sends.
    pub mark: String,
    pub params: Value,
    pub outcome: Option<Outcome>,
}

impl Attempt {
    pub fn ends(&mut self, outcome: Outcome, wrong: &mut Vec<String>) {
        if self.outcome.is_some() {
            wrong.push(format!("a second outcome, {outcome:?}, of {self:?}"));
        }
        self.outcome = Some(outcome);
    }
}

/// What there is at the end of a history.
#[derive(Clone, Default)]
pub struct Facts {
    pub emitted: Vec<Emitted>,
    /// The runtime's log, as numbers in `emitted`.
    pub log: Vec<usize>,
    pub arrivals: Vec<Arrival>,
    /// How many connections to the runtime have ended.
    pub ends: usize,
    pub queue: Vec<Queued>,
    /// What was noticed on the way.
    pub wrong: Vec<String>,
    /// What each card has. The last three are undisturbed: over a WebSocket, over SSE, and after one more restart.
    pub cards: Vec<Seen>,
    pub attempts: Vec<Attempt>,
    pub backlog: Value,
    /// Whether the log can have grown over its limit.
    pub rolls: bool,
    pub power_cut: bool,
    /// Whether a gateway may have left positions unused, since it could not ask which were given.
    pub may_skip: bool,
}

/// What a card has of the session.
#[derive(Clone)]
pub struct Seen {
    pub name: String,
    /// What it read, up to the last event.
    pub read: Read,
    /// What it had read before it was loaded again.
    pub earlier: Vec<Read>,
    /// The conversation, a line an entry.
    pub shown: Vec<String>,
}

/// Everything that is wrong, but no more than one can read.
pub fn check(facts: &Facts) -> Vec<String> {
    let mut wrong = all(facts);
    let count = wrong.len();
    if count > MOST {
        wrong.truncate(MOST);
        wrong.push(format!("and {} more", count - MOST));
    }
    wrong
}

fn all(facts: &Facts) -> Vec<String> {
    let mut wrong = facts.wrong.clone();
    calls(facts, &mut wrong);
    let numbers: HashMap<&str, usize> =
        facts.emitted.iter().enumerate().map(|(at, event)| (event.id.as_str(), at)).collect();
    let [.., undisturbed, _, left] = &*facts.cards else {
        wrong.push("nobody read everything".to_owned());
        return wrong;
    };
    for card in &facts.cards {
        for read in [&card.read].into_iter().chain(&card.earlier) {
            authentic(facts, &numbers, &card.name, read, &mut wrong);
        }
    }
    complete(facts, &numbers, &undisturbed.read, &mut wrong);
    same(facts, &undisturbed.read, &left.read, &mut wrong);
    shown(facts, undisturbed, &mut wrong);
    messages(facts, &numbers, &undisturbed.read, &mut wrong);
    wrong
}

/// Each acknowledged call reached the runtime once, each that was not sent did not, and each of unknown outcome at most
/// once. What the person was told is what the runtime said.
fn calls(facts: &Facts, wrong: &mut Vec<String>) {
    let mut all: BTreeMap<&str, Vec<&Attempt>> = BTreeMap::new();
    for attempt in &facts.attempts {
        all.entry(&attempt.mark).or_default().push(attempt);
        if attempt.viewer && matches!(attempt.outcome, None | Some(Outcome::Result(_))) {
            wrong.push(format!("a viewer was not refused: {attempt:?}"));
        }
    }
    let reach = ["session.send", "session.commands.enqueue", "pilothouse.backlog.send"];
    for (mark, attempts) in all {
        let arrived: Vec<_> = facts.arrivals.iter().filter(|arrival| arrival.mark == mark).collect();
        let relayed =
            attempts.iter().filter(|one| reach.contains(&one.method) || one.method.contains("handlePending"));
        let (mut sure, mut perhaps) = (0, 0);
        for attempt in relayed {
            match &attempt.outcome {
                Some(Outcome::Result(_)) => sure += 1,
                None | Some(Outcome::Unknown) if !attempt.viewer => perhaps += 1,
                _ => {}
            }
        }
        let reached = arrived.iter().filter(|arrival| arrival.taken.is_some()).count();
        if reached < sure || reached > sure + perhaps {
            wrong.push(format!(
                "{mark:?} reached the runtime {reached} times; {sure} calls were acknowledged, of {perhaps} the outcome is unknown: {attempts:?}"
            ));
        }
        for (attempt, arrival) in
            attempts.iter().zip(&arrived).filter(|(one, _)| one.method.contains("handlePending"))
        {
            if attempt.params != arrival.params {
                wrong.push(format!("{mark:?} reached the runtime as {}", arrival.params));
            }
            if let Some(Outcome::Result(result)) = &attempt.outcome
                && result["success"].as_bool() != arrival.taken
            {
                wrong.push(format!(
                    "{mark:?}: people were told {result}, the runtime said {:?}",
                    arrival.taken
                ));
            }
        }
    }
    let known: HashSet<&str> = facts.attempts.iter().map(|attempt| attempt.mark.as_str()).collect();
    let mut invoked: HashMap<&str, usize> = HashMap::new();
    for arrival in &facts.arrivals {
        if arrival.method == "session.commands.invoke" {
            *invoked.entry(&arrival.mark).or_default() += 1;
        } else if !known.contains(arrival.mark.as_str()) {
            wrong.push(format!("nobody sent {arrival:?}"));
        }
    }
    for (input, count) in invoked {
        let queued = facts.arrivals.iter().filter(|arrival| {
            arrival.method == "session.commands.enqueue" && arrival.mark == format!("/command {input}")
        });
        if count > queued.count() {
            wrong.push(format!("the command {input:?} was run {count} times"));
        }
    }
}

/// What a card read are the runtime's events, byte for byte, each once, in the runtime's order, and notices of the
/// gateway.
fn authentic(
    facts: &Facts,
    numbers: &HashMap<&str, usize>,
    name: &str,
    read: &Read,
    wrong: &mut Vec<String>,
) {
    let mut seen = HashSet::new();
    let mut before = None;
    let mut ends = 0;
    for (seq, raw) in read {
        let event: Value = serde_json::from_str(raw).unwrap_or_default();
        let id = event["id"].as_str().unwrap_or_default().to_owned();
        if !seen.insert(id.clone()) {
            wrong.push(format!("{name}: an event came twice, again at {seq}: {}", short(raw)));
        }
        if event["source"] == "pilothouse" {
            let data = &event["data"];
            let kinds = ["errorType", "infoType", "warningType"].map(|word| data[word].as_str());
            let kind = kinds.into_iter().flatten().next().unwrap_or_default();
            if !NOTICES.contains(&kind) || event["ephemeral"] != true {
                wrong.push(format!(
                    "{name}: a notice that the protocol does not know, at {seq}: {}",
                    short(raw)
                ));
            }
            ends += usize::from(kind == "runtime_ended");
            continue;
        }
        let Some(at) = numbers.get(id.as_str()) else {
            wrong.push(format!("{name}: an event that the runtime did not send, at {seq}: {}", short(raw)));
            continue;
        };
        if facts.emitted.get(*at).is_none_or(|emitted| emitted.raw != *raw) {
            wrong.push(format!("{name}: an event is not as the runtime sent it, at {seq}: {}", short(raw)));
        }
        if before.is_some_and(|before| before > *at) {
            wrong.push(format!("{name}: an event came after a newer one, at {seq}: {}", short(raw)));
        }
        before = before.max(Some(*at));
    }
    if ends > facts.ends {
        wrong.push(format!("{name}: {ends} ends of the runtime are told, {} there were", facts.ends));
    }
}

/// The whole log has what the runtime has, and what anybody saw, except for what its unused positions stand for.
fn complete(facts: &Facts, numbers: &HashMap<&str, usize>, whole: &Read, wrong: &mut Vec<String>) {
    let of = |raw: &str| {
        let event: Value = serde_json::from_str(raw).unwrap_or_default();
        numbers.get(event["id"].as_str()?).copied()
    };
    let last = whole.last().and_then(|(_, raw)| of(raw)).unwrap_or_default();
    let mut needed: HashSet<usize> = facts.log.iter().copied().filter(|at| *at <= last).collect();
    if !facts.power_cut {
        needed.extend(facts.cards.iter().flat_map(|card| &card.read).filter_map(|(_, raw)| of(raw)));
    }
    for (_, raw) in whole {
        if let Some(at) = of(raw) {
            needed.remove(&at);
        }
    }
    if !facts.rolls {
        let mut missing: Vec<_> =
            needed.iter().filter_map(|at| facts.emitted.get(*at)).map(|event| &event.id).collect();
        missing.sort();
        if !missing.is_empty() {
            wrong.push(format!("events are missing in the log: {missing:?}"));
        }
        let sure = !facts.power_cut && !facts.may_skip;
        if sure && whole.iter().zip(1..).any(|((seq, _), expected)| *seq != expected) {
            wrong.push("positions are unused, though the log was not over its limit".to_owned());
        }
        return;
    }
    // Each missing event has a position of its own, between those of its neighbours.
    let (mut position, mut number) = (0, 0);
    for (seq, raw) in whole {
        let Some(at) = of(raw) else { continue };
        let missing = needed.iter().filter(|missing| (number..at).contains(*missing)).count();
        let notices =
            whole.iter().filter(|(other, raw)| (position + 1..*seq).contains(other) && of(raw).is_none());
        let unused = (*seq - position - 1) as usize - notices.count();
        if missing > unused {
            wrong.push(format!(
                "{missing} events are missing before position {seq}, and {unused} positions are unused"
            ));
        }
        (position, number) = (*seq, at + 1);
    }
}

/// All cards have the same under the same position, and each has all that is left of the log, but for what is superseded.
fn same(facts: &Facts, whole: &Read, left: &Read, wrong: &mut Vec<String>) {
    let mut superseded = Superseded::default();
    if facts.rolls {
        // The first ephemeral event of a session stays. That of what is left of a log over its limit is another.
        superseded.take(0, r#"{"type":"session.idle","id":"first","ephemeral":true,"data":{}}"#);
    }
    let superseded: HashSet<u64> =
        left.iter().flat_map(|(seq, raw)| superseded.take(*seq, raw).to_vec()).collect();
    let whole: HashSet<u64> = whole.iter().map(|(seq, _)| *seq).collect();
    let mut known: HashMap<u64, &str> = HashMap::new();
    for Seen { name, read, .. } in facts.cards.iter().rev() {
        let mut own = HashSet::new();
        for (seq, raw) in read {
            own.insert(*seq);
            let other = *known.entry(*seq).or_insert(raw);
            if other != raw {
                wrong.push(format!(
                    "{name}: position {seq} is {}, for others it is {}",
                    short(raw),
                    short(other)
                ));
            }
            if !facts.rolls && !whole.contains(seq) {
                wrong.push(format!("{name}: position {seq} is not in the log: {}", short(raw)));
            }
        }
        let is_missed = |(seq, _): &&(u64, String)| !own.contains(seq) && !superseded.contains(seq);
        let missed: Vec<_> = left.iter().filter(is_missed).collect();
        if let Some((seq, raw)) = missed.first() {
            let count = missed.len();
            wrong.push(format!("{name}: {count} positions were not sent, first {seq}: {}", short(raw)));
        }
    }
}

/// A card that was interrupted shows in the end what an undisturbed one shows.
fn shown(facts: &Facts, undisturbed: &Seen, wrong: &mut Vec<String>) {
    // What a log over its limit has dropped, those have who read it before.
    if facts.rolls {
        return;
    }
    for card in facts.cards.iter().filter(|card| card.shown != undisturbed.shown) {
        let lines = card.shown.iter().zip(&undisturbed.shown).position(|(own, other)| own != other);
        let at = lines.unwrap_or(card.shown.len().min(undisturbed.shown.len()));
        wrong.push(format!(
            "{}: entry {at} of {} is {:?}, an undisturbed card has {:?} of {}",
            card.name,
            card.shown.len(),
            card.shown.get(at),
            undisturbed.shown.get(at),
            undisturbed.shown.len()
        ));
    }
}

/// What reached the runtime has begun, or waits, or is offered, and nothing twice.
fn messages(facts: &Facts, numbers: &HashMap<&str, usize>, whole: &Read, wrong: &mut Vec<String>) {
    let kept: Vec<&Value> = facts.backlog["messages"].as_array().into_iter().flatten().collect();
    for message in kept.iter().filter(|message| message["state"] == "sending") {
        wrong.push(format!("the backlog still sends {}", message["text"]));
    }
    let in_log: HashSet<usize> = facts.log.iter().copied().collect();
    let begun = |event: &Emitted, text: &str| {
        event.raw.contains(r#""type":"user.message""#) && event.raw.contains(&format!("{text:?}"))
    };
    for arrival in
        facts.arrivals.iter().filter(|arrival| arrival.method == "session.send" && arrival.taken.is_some())
    {
        let text = arrival.mark.as_str();
        let offered = kept.iter().filter(|message| message["text"] == text).count();
        let seen = whole
            .iter()
            .any(|(_, raw)| raw.contains(r#""type":"user.message""#) && raw.contains(&format!("{text:?}")));
        let lasts = facts.emitted.iter().any(|event| {
            begun(event, text) && numbers.get(event.id.as_str()).is_some_and(|at| in_log.contains(at))
        });
        let waits = facts.queue.iter().any(|item| item.text == text);
        let sent = facts.arrivals.iter().filter(|other| other.mark == text).count();
        if offered == 0 && !seen && !lasts && !facts.rolls && !facts.power_cut {
            wrong.push(format!("the message {text:?} has not begun, and the backlog lacks it"));
        }
        let dropped = kept.iter().any(|message| message["text"] == text && message["state"] == "dropped");
        // Whether a message has begun is read in the log. One that is without an id until the log has dropped its event
        // (48 MiB later, if the limit is not a test's) is offered.
        if dropped && (lasts && (seen || !facts.rolls) || waits) && sent == 1 {
            wrong.push(format!("the message {text:?} is offered to be sent again, and the runtime has it"));
        }
        if offered > sent {
            wrong.push(format!("the message {text:?} is {offered} times in the backlog"));
        }
    }
}

fn short(raw: &str) -> String {
    let begin: String = raw.chars().take(150).collect();
    let id = serde_json::from_str::<Value>(raw).map(|event| event["id"].to_string()).unwrap_or_default();
    format!("{id} {begin}")
}
