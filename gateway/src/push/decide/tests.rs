//! Tests of the decision: cases, and properties over generated histories.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::access::Role;
use crate::access::person::Name;

const SECOND: Millis = 1000;
const TIMING: Timing = Timing { settle: Duration::from_secs(1), window: Duration::from_secs(10) };

fn ana() -> Person {
    Person::new(Role::Operator, Some(Name::new("Ana").unwrap()))
}

fn bob() -> Person {
    Person::new(Role::Viewer, Some(Name::new("Bob").unwrap()))
}

fn open(requests: &[&str]) -> Situation {
    let open = requests.iter().map(|request| (*request).to_owned()).collect();
    Situation { open, turn: Turn::Running }
}

fn turn(turn: Turn) -> Situation {
    Situation { open: Vec::new(), turn }
}

/// A decision with a clock of its own, which goes on by a quarter of a second at a time, as the follower looks.
struct Desk {
    decision: Decision,
    now: Millis,
    sent: Vec<(Millis, String, News)>,
}

impl Desk {
    fn new(ledger: Ledger) -> Self {
        Self { decision: Decision::new(TIMING, ledger), now: 0, sent: Vec::new() }
    }

    /// With a phone of Ana's, and a session that was seen when nothing waited.
    fn with_phone() -> Self {
        let mut desk = Self::new(Ledger::new());
        desk.device("phone", ana(), true);
        desk.session(open(&[]));
        desk
    }

    fn take(&mut self, input: Input) {
        let sent = self.decision.update(input, self.now);
        self.sent.extend(sent.into_iter().map(|message| (self.now, message.device, message.news)));
    }

    fn device(&mut self, id: &str, person: Person, new: bool) {
        self.take(Input::Device { id: id.to_owned(), person, done: true, new });
    }

    fn session(&mut self, situation: Situation) {
        self.take(Input::Session("s".to_owned(), situation));
    }

    fn visible(&mut self, person: Person, visible: bool) {
        self.take(Input::Visible(person, Sight::Session("s".to_owned()), visible));
    }

    fn board_visible(&mut self, person: Person, visible: bool) {
        self.take(Input::Visible(person, Sight::Board, visible));
    }

    fn wait(&mut self, duration: Millis) {
        let until = self.now + duration;
        while self.now < until {
            self.now += SECOND / 4;
            self.take(Input::Time);
        }
    }

    /// What was sent since this was asked last: when, to which device, and what.
    fn sent(&mut self) -> Vec<(Millis, String, News)> {
        std::mem::take(&mut self.sent)
    }

    fn news(&mut self) -> Vec<News> {
        self.sent().into_iter().map(|(_, _, news)| news).collect()
    }
}

fn waiting(request: &str) -> News {
    News::Waiting(request.to_owned())
}

#[test]
fn a_wait_is_told_once_and_taken_back() {
    let mut desk = Desk::with_phone();
    desk.session(open(&["a"]));
    assert!(desk.sent().is_empty());
    desk.wait(60 * SECOND);
    assert_eq!(desk.sent(), [(SECOND, "phone".to_owned(), waiting("a"))]);
    desk.session(open(&[]));
    assert_eq!(desk.news(), [News::Close]);
    desk.wait(60 * SECOND);
    assert!(desk.sent().is_empty());
}

#[test]
fn what_is_answered_at_once_calls_nobody() {
    let mut desk = Desk::with_phone();
    desk.session(open(&["a"]));
    desk.wait(SECOND / 2);
    desk.session(open(&[]));
    desk.wait(60 * SECOND);
    assert!(desk.sent().is_empty());
}

#[test]
fn of_several_only_the_last_is_told_and_none_sooner_than_ten_seconds_after_another() {
    let mut desk = Desk::with_phone();
    desk.session(open(&["a", "b", "c"]));
    desk.wait(3 * SECOND);
    assert_eq!(desk.sent(), [(SECOND, "phone".to_owned(), waiting("c"))]);
    desk.session(open(&["a", "b", "c", "d"]));
    desk.wait(2 * SECOND);
    desk.session(open(&["a", "b", "c", "d", "e"]));
    desk.wait(60 * SECOND);
    assert_eq!(desk.sent(), [(11 * SECOND, "phone".to_owned(), waiting("e"))]);
    desk.session(open(&["a", "b", "d"]));
    desk.wait(60 * SECOND);
    assert_eq!(desk.news(), [News::Close, waiting("d")], "those that were not told still wait");
    desk.session(open(&["a", "d"]));
    desk.wait(60 * SECOND);
    assert!(desk.sent().is_empty(), "it is older than what the device has");
}

#[test]
fn who_sees_it_is_not_told_until_they_leave() {
    let mut desk = Desk::with_phone();
    desk.device("bobs", bob(), true);
    desk.visible(ana(), true);
    desk.session(open(&["a"]));
    desk.wait(60 * SECOND);
    assert_eq!(desk.sent(), [(SECOND, "bobs".to_owned(), waiting("a"))]);
    desk.visible(ana(), false);
    desk.wait(5 * SECOND);
    assert!(desk.sent().is_empty(), "they may come back");
    desk.wait(60 * SECOND);
    assert_eq!(desk.sent(), [(70 * SECOND, "phone".to_owned(), waiting("a"))]);
    desk.visible(ana(), true);
    desk.session(open(&[]));
    assert_eq!(desk.news(), [News::Close, News::Close]);
}

#[test]
fn who_sees_the_board_is_told_of_no_session_until_they_leave_it() {
    let mut desk = Desk::with_phone();
    desk.device("bobs", bob(), true);
    desk.board_visible(ana(), true);
    desk.session(open(&["a"]));
    desk.take(Input::Session("t".to_owned(), open(&["b"])));
    desk.wait(60 * SECOND);
    let to: Vec<_> = desk.sent().into_iter().map(|(_, device, news)| (device, news)).collect();
    assert_eq!(to, [("bobs".to_owned(), waiting("a")), ("bobs".to_owned(), waiting("b"))]);
    // One session is in front of it.
    desk.visible(ana(), true);
    desk.board_visible(ana(), false);
    desk.wait(60 * SECOND);
    assert_eq!(desk.sent(), [(70 * SECOND, "phone".to_owned(), waiting("b"))]);
}

#[test]
fn a_turn_that_failed_or_is_done_is_told_unless_it_goes_on() {
    let mut desk = Desk::with_phone();
    desk.take(Input::Device { id: "other".to_owned(), person: ana(), done: false, new: true });
    desk.session(turn(Turn::Idle));
    desk.wait(SECOND / 2);
    desk.session(turn(Turn::Running));
    desk.wait(60 * SECOND);
    assert!(desk.sent().is_empty(), "what was queued went on");
    desk.session(turn(Turn::Idle));
    desk.wait(60 * SECOND);
    let sent: Vec<_> = desk.sent().into_iter().map(|(_, device, news)| (device, news)).collect();
    assert_eq!(sent, [("phone".to_owned(), News::Done)], "the other one does not want it");
    desk.session(turn(Turn::Running));
    desk.session(turn(Turn::Failed));
    desk.wait(60 * SECOND);
    assert_eq!(desk.news(), [News::Failed, News::Failed]);
    desk.session(turn(Turn::Idle));
    desk.session(turn(Turn::Failed));
    desk.wait(60 * SECOND);
    assert!(desk.sent().is_empty(), "no turn ended");
    desk.visible(ana(), true);
    desk.session(turn(Turn::Running));
    desk.session(turn(Turn::Failed));
    desk.wait(60 * SECOND);
    desk.visible(ana(), false);
    desk.wait(60 * SECOND);
    assert!(desk.sent().is_empty(), "they saw it");
}

#[test]
fn nothing_is_told_twice_after_a_restart_and_what_is_over_is_taken_back() {
    let mut desk = Desk::with_phone();
    desk.session(open(&["a"]));
    desk.wait(2 * SECOND);
    assert_eq!(desk.news(), [waiting("a")]);
    assert!(desk.decision.take_ledger_changed());
    let ledger = desk.decision.ledger().clone();
    let kept = serde_json::from_str::<Ledger>(&serde_json::to_string(&ledger).unwrap()).unwrap();
    assert_eq!(kept, ledger);

    let restarted = |situation: Situation| {
        let mut desk = Desk::new(ledger.clone());
        desk.device("phone", ana(), false);
        desk.wait(20 * SECOND);
        desk.session(situation);
        desk.wait(60 * SECOND);
        desk.sent()
    };
    assert_eq!(restarted(open(&["a"])), []);
    assert_eq!(restarted(turn(Turn::Idle)), [(20 * SECOND, "phone".to_owned(), News::Close)]);
    let later = restarted(open(&["a", "b"]));
    assert_eq!(later, [(30 * SECOND, "phone".to_owned(), waiting("b"))], "it may be over in a moment");
    let mut gone = Desk::new(ledger.clone());
    gone.device("phone", ana(), false);
    let sessions: Vec<_> = gone.decision.sessions().cloned().collect();
    assert_eq!(sessions, ["s"]);
    gone.take(Input::SessionGone("s".to_owned()));
    assert_eq!(gone.news(), [News::Close]);
    assert_eq!(gone.decision.ledger(), &Ledger::new());
}

#[test]
fn a_device_that_comes_later_is_not_told_of_what_waited_before() {
    let mut desk = Desk::with_phone();
    desk.session(open(&["a"]));
    desk.wait(2 * SECOND);
    desk.device("tablet", ana(), true);
    desk.wait(60 * SECOND);
    assert_eq!(desk.sent().len(), 1);
    desk.session(open(&["a", "b"]));
    desk.wait(60 * SECOND);
    assert_eq!(desk.news(), [waiting("b"), waiting("b")]);
    desk.session(open(&["a"]));
    desk.session(open(&[]));
    let closed: Vec<_> = desk.sent().into_iter().map(|(_, device, news)| (device, news)).collect();
    assert_eq!(closed, [("tablet".to_owned(), News::Close), ("phone".to_owned(), News::Close)]);
    assert_eq!(desk.decision.ledger(), &Ledger::new(), "nothing is remembered");
}

#[test]
fn a_device_that_is_gone_is_forgotten() {
    let mut desk = Desk::with_phone();
    desk.session(open(&["a"]));
    desk.wait(2 * SECOND);
    desk.take(Input::DeviceGone("phone".to_owned()));
    desk.session(open(&["a", "b"]));
    desk.wait(60 * SECOND);
    assert_eq!(desk.news(), [waiting("a")]);
    assert_eq!(desk.decision.ledger(), &Ledger::new());
}

#[derive(Clone, Debug)]
enum Step {
    Asks,
    Answered(usize),
    Turn(Turn),
    Visible(usize, bool),
    Waits(Millis),
    Restart,
    Joins(usize),
    Leaves(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Asks),
        4 => (0..4_usize).prop_map(Step::Answered),
        2 => prop_oneof![Just(Turn::Running), Just(Turn::Idle), Just(Turn::Failed)].prop_map(Step::Turn),
        3 => (0..2_usize, any::<bool>()).prop_map(|(who, visible)| Step::Visible(who, visible)),
        4 => (1..60_u64).prop_map(|quarters| Step::Waits(quarters * SECOND / 4)),
        1 => Just(Step::Restart),
        1 => (0..3_usize).prop_map(Step::Joins),
        1 => (0..3_usize).prop_map(Step::Leaves),
    ]
}

/// Plays the steps, and checks each message against what is promised.
fn check(steps: &[Step]) -> Result<(), TestCaseError> {
    let people = [ana(), bob()];
    let owner = |device: usize| people[device % 2].clone();
    let names = ["ana-1", "bob-1", "ana-2"];
    let mut desk = Desk::new(Ledger::new());
    let (mut requests, mut asked) = (Vec::<String>::new(), 0);
    let mut now_turn = Turn::Running;
    let mut visible = BTreeSet::new();
    let mut devices = BTreeSet::from([0, 1]);
    let mut told: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let mut shows: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let mut last: BTreeMap<usize, Millis> = BTreeMap::new();
    desk.session(open(&[]));
    for device in [0, 1] {
        desk.device(names[device], owner(device), true);
    }
    let mut kept = Ledger::new();
    for step in steps {
        match step {
            Step::Asks => {
                asked += 1;
                requests.push(format!("r{asked}"));
            }
            Step::Answered(at) if *at < requests.len() => drop(requests.remove(*at)),
            Step::Answered(_) => {}
            Step::Turn(turn) => now_turn = *turn,
            Step::Visible(who, seen) => {
                if *seen {
                    visible.insert(*who)
                } else {
                    visible.remove(who)
                };
                desk.visible(people[*who].clone(), *seen);
            }
            Step::Waits(duration) => desk.wait(*duration),
            Step::Restart => {
                let sent = desk.sent();
                prop_assert!(sent.is_empty());
                desk = Desk { now: desk.now, ..Desk::new(kept.clone()) };
                visible.clear();
                last.clear();
                for device in &devices {
                    desk.device(names[*device], owner(*device), false);
                }
            }
            Step::Joins(device) => {
                if devices.insert(*device) {
                    desk.device(names[*device], owner(*device), true);
                }
            }
            Step::Leaves(device) => {
                if devices.remove(device) {
                    desk.take(Input::DeviceGone(names[*device].to_owned()));
                    told.retain(|(other, _), _| other != device);
                    shows.remove(device);
                    last.remove(device);
                }
            }
        }
        let turn = if requests.is_empty() { now_turn } else { Turn::Running };
        desk.session(Situation { open: requests.clone(), turn });
        for (at, device, news) in desk.sent() {
            let device = names.iter().position(|name| *name == device).unwrap();
            prop_assert!(devices.contains(&device), "a device that is gone is told");
            if news == News::Close {
                let closed = shows.remove(&device).unwrap_or_default();
                prop_assert!(!closed.is_empty(), "nothing was told that could be taken back");
                prop_assert!(closed.iter().all(|request| !requests.contains(request)), "it still waits");
                continue;
            }
            prop_assert!(!visible.contains(&(device % 2)), "they see it");
            if let Some(last) = last.insert(device, at) {
                prop_assert!(at - last >= 10 * SECOND, "two messages within ten seconds");
            }
            if let News::Waiting(request) = news {
                prop_assert!(requests.contains(&request), "it is over");
                let count = told.entry((device, request.clone())).or_default();
                *count += 1;
                prop_assert_eq!(*count, 1, "told twice");
                shows.entry(device).or_default().insert(request);
            }
        }
        for (device, shown) in &shows {
            let waits = shown.iter().any(|request| requests.contains(request));
            prop_assert!(waits, "device {} still shows {:?}", device, shown);
        }
        if desk.decision.take_ledger_changed() {
            kept.clone_from(desk.decision.ledger());
        }
    }
    // Whoever does not look is called in the end, if anything is new to them.
    desk.wait(60 * SECOND);
    for device in devices.iter().filter(|device| !visible.contains(&(*device % 2))) {
        let entry = desk.decision.ledger.get("s").and_then(|entries| entries.get(names[*device]));
        let situation = Situation { open: requests.clone(), turn: Turn::Running };
        let unannounced = situation.unannounced(entry);
        let is_called = entry.is_some_and(|entry| !entry.announced.is_empty());
        prop_assert!(unannounced.is_none() || is_called, "{:?} waits and nobody is told", unannounced);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_history_keeps_what_is_promised(steps in prop::collection::vec(step(), 1..60)) {
        check(&steps)?;
    }
}
