//! What is left of a log once superseded events are out gives the same state as the whole log, but for counts of events: for
//! every recording and for generated logs, at every place where somebody may join.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/events.rs"]
mod events;
#[path = "support/golden.rs"]
mod golden;

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use arbitrary::Unstructured;
use events::Vocabulary;
use golden::{logs, sessions_folder};
use pilothouse::core::Session;
use pilothouse::core::session::superseded::Superseded;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use serde_json::Value;

/// The lines of a log, and after which line each is superseded.
struct Log<'a> {
    lines: Vec<&'a str>,
    gone: Vec<usize>,
}

impl<'a> Log<'a> {
    fn new(text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut gone = vec![usize::MAX; lines.len()];
        let mut superseded = Superseded::default();
        for (at, line) in lines.iter().enumerate() {
            for position in superseded.take(at as u64, line) {
                let gone = &mut gone[*position as usize];
                assert_eq!(*gone, usize::MAX, "line {position} is superseded twice");
                *gone = at;
            }
        }
        Self { lines, gone }
    }

    /// The lines in `range` that are left once `known` lines have come.
    fn left(&self, range: std::ops::Range<usize>, known: usize) -> impl Iterator<Item = &'a str> {
        range.filter(move |at| self.gone[*at] >= known).map(|at| self.lines[at])
    }
}

fn take<'a>(session: &mut Session, lines: impl IntoIterator<Item = &'a str>) {
    for line in lines {
        session.push(line.as_bytes());
        session.push(b"\n");
    }
}

fn reduced<'a>(lines: impl IntoIterator<Item = &'a str>) -> Session {
    let mut session = Session::new();
    take(&mut session, lines);
    session
}

/// All that the state says, but for counts of events. The numbers of events are replaced by their ranks.
fn facts(session: &mut Session) -> Vec<String> {
    session.take_changes();
    let state = session.state();
    let mut facts: Vec<String> = state.entries.iter().map(|entry| format!("{entry:?}")).collect();
    let mut queue = state.queue.clone();
    queue.changed = u64::from(queue.changed > 0);
    let notifications = state.notifications.iter().cloned().map(|mut notification| {
        notification.count = 1;
        notification
    });
    let mut assets: Vec<_> = state.assets.iter().collect();
    assets.sort_by_key(|(id, _)| *id);
    facts.push(format!("{:?} {:?}", state.info, state.phase));
    facts.push(format!("{:?} {} {}", state.open_requests, state.llm_calls, state.live));
    facts.push(format!("{queue:?}"));
    facts.push(format!("{:?}", state.usage));
    facts.push(format!("{:?}", state.panel_events));
    facts.extend(notifications.map(|notification| format!("{notification:?}")));
    facts.push(format!("{:?} {:?}", state.context, state.agent_contexts));
    facts.push(format!("{:?} {:?}", state.diagnostics, state.counters.malformed));
    facts.push(format!("{assets:?} {:?} {}", state.telemetry, state.doubtful_ends));
    let mut snapshot = session.snapshot();
    for counts in ["/events", "/queue/changed"] {
        *snapshot.pointer_mut(counts).unwrap() = Value::Null;
    }
    facts.push(snapshot.to_string());
    ranked(&facts)
}

const NUMBERS: [&str; 4] = ["number: ", "committed: Some(", "first_seen: ", "changed_at: "];

fn numbers(fact: &str) -> Vec<(usize, &str)> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in NUMBERS {
        // A word of a phrase has a number as well.
        let of_event = |at: &(usize, &str)| !fact[..at.0].ends_with("Word { ");
        for (at, _) in fact.match_indices(name).filter(of_event) {
            let digits = &fact[at + name.len()..];
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            found.push((at + name.len(), &digits[..end]));
        }
    }
    found.sort_unstable();
    found
}

fn ranked(facts: &[String]) -> Vec<String> {
    let all: BTreeSet<u64> =
        facts.iter().flat_map(|fact| numbers(fact)).filter_map(|(_, number)| number.parse().ok()).collect();
    let all: Vec<u64> = all.into_iter().collect();
    let ranked = |fact: &String| {
        let (mut text, mut from) = (String::new(), 0);
        for (at, number) in numbers(fact) {
            text.push_str(&fact[from..at]);
            if let Ok(number) = number.parse::<u64>() {
                write!(text, "#{}", all.binary_search(&number).unwrap()).unwrap();
            }
            from = at + number.len();
        }
        text + &fact[from..]
    };
    facts.iter().map(ranked).collect()
}

fn difference(left: &[String], whole: &[String]) -> Option<String> {
    if left == whole {
        return None;
    }
    let mut pairs = left.iter().zip(whole);
    Some(match pairs.find(|(left, whole)| left != whole) {
        Some((left, whole)) => format!("left:  {left}\nwhole: {whole}"),
        None => format!("{} facts instead of {}", left.len(), whole.len()),
    })
}

/// Compares at these numbers of lines; who joined there goes on with the lines that follow. Says what differs.
fn checked(text: &str, cuts: impl Iterator<Item = usize>) -> Result<(), String> {
    let log = Log::new(text);
    let count = log.lines.len();
    let mut end = reduced(log.lines.iter().copied());
    let mut ended = reduced(log.lines.iter().copied());
    ended.end();
    let (end, ended) = (facts(&mut end), facts(&mut ended));
    let id = |line: &str| {
        serde_json::from_str::<Value>(line).ok().and_then(|event| Some(event["id"].as_str()?.to_owned()))
    };
    for cut in cuts {
        let mut left = reduced(log.left(0..cut, cut));
        let mut whole = reduced(log.lines[..cut].iter().copied());
        if let Some(difference) = difference(&facts(&mut left), &facts(&mut whole)) {
            return Err(format!("after {cut} of {count} lines\n{difference}"));
        }
        // A second copy of an event that was left out is not known as one.
        let known: HashSet<String> = log.lines[..cut].iter().filter_map(|line| id(line)).collect();
        let rest = log.lines[cut..].iter().filter(|line| id(line).is_none_or(|id| !known.contains(&id)));
        take(&mut left, rest.copied());
        if let Some(difference) = difference(&facts(&mut left), &end) {
            return Err(format!("joined after {cut} of {count} lines, at the end\n{difference}"));
        }
        left.end();
        if let Some(difference) = difference(&facts(&mut left), &ended) {
            return Err(format!("joined after {cut} of {count} lines, once it has ended\n{difference}"));
        }
        // Who knows the beginning gets what is left of the rest.
        take(&mut whole, log.left(cut..count, count));
        if let Some(difference) = difference(&facts(&mut whole), &end) {
            return Err(format!("what is left after {cut} of {count} lines\n{difference}"));
        }
    }
    Ok(())
}

#[test]
fn what_is_left_of_a_recording_gives_the_same_state_wherever_one_joins() {
    let mut failed = Vec::new();
    for (name, log) in logs() {
        let Ok(text) = String::from_utf8(log) else { continue };
        let step = text.lines().count() / 150 + 1;
        let cuts = (1..=text.lines().count()).filter(|cut| cut % step == 0 || *cut == text.lines().count());
        if let Err(difference) = checked(&text, cuts) {
            failed.push(format!("{name}, {difference}"));
        }
    }
    assert!(failed.is_empty(), "{}\n{} failed", failed.join("\n\n"), failed.len());
}

#[test]
fn what_is_left_of_events_of_all_types_gives_the_same_state_wherever_one_joins() {
    let vocabulary = Vocabulary::of(&sessions_folder());
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    };
    let checked = TestRunner::new(config).run(&vec(any::<u8>(), 200..3000), |bytes| {
        let events = vocabulary.events(&mut Unstructured::new(&bytes)).expect("events of any bytes");
        let lines: Vec<String> = events.iter().map(Value::to_string).collect();
        let text = lines.join("\n");
        if let Err(difference) = checked(&text, 1..=lines.len()) {
            return Err(TestCaseError::fail(format!("{difference}\n{text}")));
        }
        Ok(())
    });
    checked.unwrap();
}
