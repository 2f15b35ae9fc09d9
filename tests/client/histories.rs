//! Random histories of one page, shortened to a list of steps when something is wrong.

use pilothouse::core::client::connection::Input;
use pilothouse::core::connection::{ConnectionState, Wake};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, is_uncertain};

/// What happens.
#[derive(Debug, Clone)]
enum Step {
    /// The agent says something.
    Say,
    /// Somebody calls for something.
    Call,
    /// So many messages get through, each way.
    Deliver(usize),
    /// So many milliseconds pass.
    Wait(u64),
    /// Connections are cut; what was sent before reaches the gateway, or does not.
    Cut(bool),
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

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Say),
        4 => Just(Step::Call),
        8 => (1_usize..6).prop_map(Step::Deliver),
        4 => prop_oneof![Just(10), Just(600), Just(5_000), Just(21_000), Just(61_000)].prop_map(Step::Wait),
        4 => any::<bool>().prop_map(Step::Cut),
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
fn play(transport: &str, seed: u64, steps: &[Step]) -> World {
    let mut world = World::new(transport, seed);
    for step in steps {
        match step {
            Step::Say => world.server.say(),
            Step::Call => {
                let mark = world.page.calls + 1;
                world.call("session.mark", json!({ "mark": mark }));
            }
            Step::Deliver(most) => world.deliver(*most),
            Step::Wait(by_ms) => world.advance(*by_ms),
            Step::Cut(arrives) => world.cut(*arrives),
            Step::HalfOpen => world.half_open(),
            Step::Refuse(on) => world.network.refuses = *on,
            Step::Restart(keeps_log) => world.restart(*keeps_log),
            Step::Offline(true) => world.input(Input::Offline),
            Step::Offline(false) => world.input(Input::Wake(Wake::Online)),
            Step::Freeze(for_ms) => world.freeze(*for_ms),
            Step::Clock(hours) => world.clock += hours * 3_600_000,
            Step::Hidden(on) => world.input(Input::Hidden(*on)),
            Step::Hold(true) => world.network.holds_answers = true,
            Step::Hold(false) => world.release(),
            Step::Attend(on) => world.input(Input::Attend(*on)),
            Step::Retry => world.input(Input::Retry),
        }
    }
    world.heal();
    world
}

/// What a page shows: the conversation, without how it came.
fn shown(session: &pilothouse::core::Session) -> Value {
    session.snapshot()["timeline"].clone()
}

fn check(world: &World, forgot: bool) {
    assert_eq!(world.page.state, ConnectionState::Open, "it is connected in the end");
    if !forgot {
        assert_eq!(shown(&world.page.session), shown(&world.undisturbed()), "as an undisturbed page");
        assert_eq!(world.page.session.position(), world.server.newest());
    }
    for ticket in 1..=world.page.calls {
        let outcomes = world.page.outcomes.get(&ticket).map_or(&[][..], Vec::as_slice);
        assert_eq!(outcomes.len(), 1, "call {ticket} has one outcome: {outcomes:?}");
        let arrived = world.server.carried_out.iter().filter(|(_, params)| params["mark"] == ticket).count();
        match &outcomes[0] {
            Ok(_) => assert_eq!(arrived, 1, "call {ticket} was confirmed"),
            outcome if is_uncertain(outcome) => assert!(arrived <= 1, "call {ticket} was sent twice"),
            Err(error) => assert_eq!(arrived, 0, "call {ticket} was not sent: {error}"),
        }
    }
}

fn histories(transport: &str, cases: u32) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(seed in 0_u64..1_000, steps in prop::collection::vec(step(), 5..40))| {
        let forgot = steps.iter().any(|step| matches!(step, Step::Restart(false)));
        check(&play(transport, seed, &steps), forgot);
    });
}

#[test]
fn over_websockets_nothing_is_lost_and_nothing_is_sent_twice() {
    histories("ws", 500);
}

#[test]
fn over_server_sent_events_nothing_is_lost_and_nothing_is_sent_twice() {
    histories("sse", 500);
}

#[test]
fn with_a_fallback_nothing_is_lost_and_nothing_is_sent_twice() {
    histories("auto", 500);
}
