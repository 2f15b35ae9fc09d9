//! Connections that are cut in each event of every type, in any of its bytes: the page follows from where it was.

use std::path::Path;

use pilothouse::core::Session;
use pilothouse::core::client::connection::Input;
use pilothouse::core::connection::{ConnectionState, WakeSign};
use serde_json::{Value, json};

use super::events::Vocabulary;
use super::world::World;

/// An event of each type, one after the other.
fn every_type() -> Vec<Value> {
    let vocabulary = Vocabulary::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions"));
    let event = |(number, kind): (usize, &str)| json!({ "type": kind, "id": format!("e{number}"), "data": { "text": "Fähre 🛟" } });
    vocabulary.types().enumerate().map(event).collect()
}

/// The entries, with what is written in them. What became of requests is asked of the gateway, which has none.
fn entries(session: &Session) -> Vec<String> {
    let snapshot = session.snapshot();
    let line = |entry: &Value| format!("{} {} {}", entry["kind"], entry["id"], entry["text"]);
    snapshot["timeline"].as_array().unwrap().iter().map(line).collect()
}

/// Cuts the connection in each event, behind `torn(number)` of its bytes.
fn cut_in_each(transport: &str, torn: impl Fn(usize) -> usize) {
    let events = every_type();
    let mut world = World::new(transport, 1, &[0]);
    world.server.log = events.iter().map(Value::to_string).collect();
    world.server.far_behind = None;
    let mut cuts = 0;
    while world.cards[0].session.position() < world.server.newest() {
        let before = world.cards[0].session.position();
        for _ in 0..100 {
            world.deliver(1);
            if world.cards[0].session.position() > before {
                break;
            }
        }
        let reached = world.cards[0].session.position();
        assert_eq!(reached, before + 1, "one event, and none is skipped");
        world.cut(false, torn(cuts));
        cuts += 1;
        assert_eq!(
            world.cards[0].session.position(),
            reached,
            "an event that is not whole counts for nothing"
        );
        assert!(!matches!(world.cards[0].state, ConnectionState::Open));
        world.everywhere(|| Input::Wake(WakeSign::Online));
    }
    assert_eq!(cuts, events.len());
    world.heal();
    let session = &world.cards[0].session;
    assert_eq!(entries(session), entries(&world.undisturbed()));
    let counted = &session.snapshot()["events"];
    assert_eq!(
        [&counted["total"], &counted["duplicate"], &counted["malformed"]],
        [&json!(events.len()), &json!(0), &json!(0)]
    );
}

#[test]
fn cut_in_an_event_of_each_type_over_websockets() {
    cut_in_each("ws", |_| 0);
}

#[test]
fn cut_in_an_event_of_each_type_over_server_sent_events_behind_any_of_its_bytes() {
    for start in 1..12 {
        cut_in_each("sse", |number| (start + number * 7) % 60);
    }
}

/// Wherever the history breaks off, what has come stays, and the live stream or another history goes on behind it.
#[test]
fn cut_in_the_history_behind_any_of_its_bytes() {
    let events = every_type();
    for (transport, start, steps) in [("ws", 1, 3), ("sse", 2, 1)] {
        let mut world = World::new(transport, 1, &[0]);
        world.server.log = events.iter().map(Value::to_string).collect();
        let history = world.server.history(0);
        for torn in (start..history.len()).step_by(97) {
            world.reopen(0);
            world.deliver(steps);
            assert!(world.cards[0].client.reads_history(), "its head is here");
            world.cut(true, torn);
            let whole = history.as_bytes()[..torn].split(|byte| *byte == b'\n').count() as u64 - 1;
            assert_eq!(world.cards[0].session.position(), whole, "whole lines count, after {torn} bytes");
            world.everywhere(|| Input::Retry);
            world.heal();
            let session = &world.cards[0].session;
            assert_eq!(entries(session), entries(&world.undisturbed()), "after {torn} bytes");
            assert_eq!(session.snapshot()["events"]["total"], json!(events.len()), "after {torn} bytes");
        }
    }
}
