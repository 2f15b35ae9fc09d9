//! Random histories, shortened to a list of steps when something is wrong.

use pilothouse::core::Session;
use pilothouse::core::client::connection::Input;
use pilothouse::core::connection::{ConnectionState, WakeSign};
use proptest::prelude::*;
use serde_json::Value;

use super::world::World;

/// An element and a card of the same session on one page, and an element in another tab.
const PAGES: [usize; 3] = [0, 0, 1];

/// What happens.
#[derive(Debug, Clone)]
enum Step {
    /// The agent says something.
    Say,
    /// The agent writes a piece of a message, or its end.
    Write(bool),
    /// The agent asks for a permission.
    Ask,
    /// A person answers on this card.
    Press(usize),
    /// Somebody answers in another program.
    AnswerElsewhere,
    /// The runtime ends in the next call of a person: it has carried it out, or not.
    End(bool),
    /// A card goes away, and another one comes in its place.
    Reopen(usize),
    /// A page is loaded again.
    Reload(usize),
    /// A view of this card calls for something.
    Call(usize),
    /// So many messages get through, each way.
    Deliver(usize),
    /// So many milliseconds pass.
    Wait(u64),
    /// Connections are cut; what was sent before reaches the gateway, or does not, and so many bytes of what comes reach the page.
    Cut(bool, usize),
    /// A slow line: what comes over HTTP comes in pieces of so many bytes.
    Slow(usize),
    /// Nothing gets through any more, and nobody says so.
    HalfOpen,
    /// New connections are refused, or no longer.
    Refuse(bool),
    /// The gateway starts again, with its log or without.
    Restart(bool),
    /// The device has no network, or one again.
    Offline(bool),
    /// The page stands still for so many milliseconds.
    Freeze(u64),
    /// The machine's clock is set by so many hours.
    Clock(i64),
    /// The page is hidden, or seen.
    Hidden(bool),
    /// Answers are held back, or no longer.
    Hold(bool),
    /// Somebody waits for the next event, or nobody.
    Attend(bool),
    /// Somebody presses 'Try again'.
    Retry,
}

fn step(cards: usize) -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Say),
        4 => prop_oneof![2 => Just(false), 1 => Just(true)].prop_map(Step::Write),
        3 => Just(Step::Ask),
        6 => (0..cards).prop_map(Step::Press),
        1 => Just(Step::AnswerElsewhere),
        1 => any::<bool>().prop_map(Step::End),
        1 => (0..cards).prop_map(Step::Reopen),
        1 => Just(Step::Reload(0)),
        3 => (0..cards).prop_map(Step::Call),
        8 => (1_usize..6).prop_map(Step::Deliver),
        4 => prop_oneof![Just(10), Just(600), Just(5_000), Just(21_000), Just(61_000)].prop_map(Step::Wait),
        4 => (any::<bool>(), prop_oneof![Just(0), 1_usize..120]).prop_map(|(arrives, torn)| Step::Cut(arrives, torn)),
        1 => (1_usize..40).prop_map(Step::Slow),
        1 => Just(Step::HalfOpen),
        2 => any::<bool>().prop_map(Step::Refuse),
        1 => any::<bool>().prop_map(Step::Restart),
        1 => any::<bool>().prop_map(Step::Offline),
        1 => prop_oneof![Just(2_000), Just(3_600_000)].prop_map(Step::Freeze),
        1 => (-5_i64..5).prop_map(Step::Clock),
        1 => any::<bool>().prop_map(Step::Hidden),
        1 => any::<bool>().prop_map(Step::Hold),
        1 => any::<bool>().prop_map(Step::Attend),
        1 => Just(Step::Retry),
    ]
}

/// Plays a history, and returns the world when everything has had its time.
fn play(transport: &str, seed: u64, pages: &[usize], steps: &[Step]) -> World {
    let mut world = World::new(transport, seed, pages);
    for step in steps {
        match step {
            Step::Say => world.server.say(),
            Step::Write(ends) => world.server.write(*ends),
            Step::Ask => world.server.ask(),
            Step::Press(card) => world.press(*card),
            Step::AnswerElsewhere => world.server.answer_elsewhere(),
            Step::End(carries_out) => world.server.ends = Some(*carries_out),
            Step::Reload(page) => world.reload(*page),
            Step::Reopen(card) => world.reopen(*card),
            Step::Call(card) => world.call(*card),
            Step::Deliver(most) => world.deliver(*most),
            Step::Wait(by_ms) => world.advance(*by_ms),
            Step::Cut(arrives, torn) => world.cut(*arrives, *torn),
            Step::Slow(piece) => world.network.piece = *piece,
            Step::HalfOpen => world.half_open(),
            Step::Refuse(on) => world.network.refuses = *on,
            Step::Restart(keeps_log) => world.restart(*keeps_log),
            Step::Offline(true) => world.everywhere(|| Input::Offline),
            Step::Offline(false) => world.everywhere(|| Input::Wake(WakeSign::Online)),
            Step::Freeze(for_ms) => world.freeze(*for_ms),
            Step::Clock(hours) => world.clock += hours * 3_600_000,
            Step::Hidden(on) => world.everywhere(|| Input::Hidden(*on)),
            Step::Hold(true) => world.network.holds_answers = true,
            Step::Hold(false) => world.release(),
            Step::Attend(on) => world.everywhere(|| Input::Attend(*on)),
            Step::Retry => world.everywhere(|| Input::Retry),
        }
    }
    world.heal();
    world
}

/// What a card shows: the conversation, a line an entry, without how it came and who answered.
fn shown(session: &Session) -> Vec<String> {
    let snapshot = session.snapshot();
    let line = |entry: &Value| {
        let request = &entry["request"];
        format!("{} {} {}", entry["text"], request["life"], request["outcome"])
    };
    snapshot["timeline"].as_array().unwrap().iter().map(line).collect()
}

/// What is wrong in the end.
fn check(world: &World, forgot: bool) -> Result<(), String> {
    let expected = shown(&world.undisturbed());
    for (place, card) in world.cards.iter().enumerate() {
        if card.state != ConnectionState::Open {
            return Err(format!("card {place} is not connected in the end: {:?}", card.state));
        }
        let shown = shown(&card.session);
        if !forgot && shown != expected {
            return Err(format!("card {place} shows {shown:#?}, an undisturbed page {expected:#?}"));
        }
        if !forgot && card.session.position() != world.server.newest() {
            return Err(format!("card {place} is at {}", card.session.position()));
        }
    }
    for (request, presses) in &world.presses {
        let arrived = world.server.answers(request);
        if arrived > *presses {
            return Err(format!("{request} was answered {presses} times, and {arrived} answers arrived"));
        }
    }
    for call in 1..=world.calls {
        let outcomes = world.outcomes.get(&call).map_or(&[][..], Vec::as_slice);
        let arrived = world.server.carried_out.iter().filter(|(_, params)| params["mark"] == call).count();
        let right = match outcomes {
            [Ok(_)] => arrived == 1,
            [Err(failure)] if failure.uncertain => arrived <= 1,
            [Err(_)] => arrived == 0,
            _ => false,
        };
        if !right {
            return Err(format!("call {call} arrived {arrived} times: {outcomes:?}"));
        }
    }
    Ok(())
}

/// How many histories each test plays; `HISTORIES` is another number.
const HISTORIES: u32 = 5_000;

fn histories(transport: &str, pages: &[usize]) {
    let cases = std::env::var("HISTORIES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(HISTORIES);
    proptest!(crate::config(cases), |(seed in 0_u64..1_000, steps in prop::collection::vec(step(pages.len()), 4..28))| {
        let forgot = steps.iter().any(|step| matches!(step, Step::Restart(false)));
        let found = check(&play(transport, seed, pages, &steps), forgot);
        prop_assert!(found.is_ok(), "{}", found.unwrap_err());
    });
}

#[test]
fn over_websockets_nothing_is_lost_and_nothing_is_sent_twice() {
    histories("ws", &PAGES);
}

#[test]
fn over_server_sent_events_nothing_is_lost_and_nothing_is_sent_twice() {
    histories("sse", &PAGES);
}

#[test]
fn with_a_fallback_nothing_is_lost_and_nothing_is_sent_twice() {
    histories("auto", &PAGES);
}

#[test]
fn on_a_page_of_its_own_nothing_is_lost_and_nothing_is_sent_twice() {
    histories("auto", &[0]);
}
