//! The last turn, if it was interrupted: where it ends, and with which message it can be tried again.

use crate::model::entry::{Body, Entry, Level};
use crate::model::state::{Phase, State};
use crate::protocol::EventKind;

/// A turn that was stopped or that failed, after which nothing was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterruptedTurn {
    /// The row that says how it ended.
    pub end: usize,
    /// The row of the message with which the person began it.
    pub message: usize,
}

/// The last turn, if it was interrupted and the agent rests.
pub fn interrupted_turn(state: &State) -> Option<InterruptedTurn> {
    if state.is_busy() || state.phase == Phase::Ended {
        return None;
    }
    let newest = state.entries.iter().rposition(|entry| is_of_person(entry))?;
    let end = |entry: &Entry| is_stop(entry) || state.failure().is_some_and(|failure| failure.id == entry.id);
    let end = state.entries.iter().rposition(|entry| end(entry)).filter(|end| *end > newest)?;
    // What was said into the turn alone makes no sense.
    let began = |entry: &Entry| is_of_person(entry) && !steers(entry) && !entry.rewound;
    let message = state.entries.get(..=newest)?.iter().rposition(|entry| began(entry))?;
    Some(InterruptedTurn { end, message })
}

/// Whether a row may be the end of an interrupted turn: all other rows need not ask.
pub fn may_end_turn(entry: &Entry) -> bool {
    is_stop(entry) || matches!(&entry.body, Body::Notice(notice) if notice.level == Level::Error)
}

fn is_stop(entry: &Entry) -> bool {
    entry.agent_id.is_none()
        && matches!(&entry.body, Body::Notice(notice) if notice.category == EventKind::Abort.name())
}

fn is_of_person(entry: &Entry) -> bool {
    let Body::User(message) = &entry.body else { return false };
    entry.agent_id.is_none() && message.source.as_deref().is_none_or(|source| source == "user")
}

fn steers(entry: &Entry) -> bool {
    matches!(&entry.body, Body::User(message) if message.delivery.as_deref() == Some("steering"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Session;

    fn turn(events: &[(&str, Value)]) -> Option<(String, String)> {
        let mut session = Session::new();
        for (at, (name, data)) in events.iter().enumerate() {
            session.push_frame(&json!({ "type": name, "id": format!("e{at}"), "data": data }).to_string());
        }
        let state = session.state();
        let turn = interrupted_turn(state)?;
        let (end, message) = (state.entry(turn.end)?, state.entry(turn.message)?);
        assert!(may_end_turn(end));
        let Body::Notice(notice) = &end.body else { panic!("{end:?}") };
        Some((notice.level.word().to_owned(), message.text.to_string()))
    }

    fn says(text: &str) -> (&'static str, Value) {
        ("user.message", json!({ "content": text, "messageId": text, "source": "user" }))
    }
    fn steer(text: &str) -> (&'static str, Value) {
        ("user.message", json!({ "content": text, "messageId": text, "delivery": "steering" }))
    }
    fn start() -> (&'static str, Value) {
        ("assistant.turn_start", json!({ "turnId": "0" }))
    }
    fn idle() -> (&'static str, Value) {
        ("session.idle", json!({}))
    }
    fn stop() -> (&'static str, Value) {
        ("abort", json!({ "reason": "user_initiated" }))
    }
    fn fails() -> (&'static str, Value) {
        ("session.error", json!({ "errorType": "query", "message": "No model answers" }))
    }
    fn nudge() -> (&'static str, Value) {
        ("user.message", json!({ "content": "go on", "messageId": "n", "isAutopilotContinuation": true }))
    }
    fn of_skill() -> (&'static str, Value) {
        ("user.message", json!({ "content": "skill", "messageId": "k", "source": "skill-x" }))
    }

    #[test]
    fn a_turn_that_was_stopped_or_failed_can_be_tried_again() {
        let stopped = |text: &str| Some(("milestone".to_owned(), text.to_owned()));
        for (events, turn_then) in [
            (vec![says("a"), start(), stop()], stopped("a")),
            (vec![says("a"), start(), stop(), idle()], stopped("a")),
            (vec![says("a"), start(), idle(), says("b"), start(), stop()], stopped("b")),
            (vec![says("a"), start(), steer("b"), stop()], stopped("a")),
            (vec![says("a"), start(), nudge(), start(), stop()], stopped("a")),
            (vec![says("a"), start(), of_skill(), stop()], stopped("a")),
            (vec![says("a"), start(), fails(), idle()], Some(("error".to_owned(), "a".to_owned()))),
            // Nothing was interrupted, or the talk goes on.
            (vec![says("a"), start(), idle()], None),
            (vec![says("a"), start(), stop(), says("b")], None),
            (vec![says("a"), start(), stop(), says("b"), start(), idle()], None),
            (vec![says("a"), start(), fails(), idle(), says("b"), start(), idle()], None),
            (vec![says("a"), start(), stop(), start()], None),
            (vec![says("a"), start(), stop(), ("session.shutdown", json!({}))], None),
            (vec![start(), stop()], None),
            (vec![steer("b"), start(), stop()], None),
            (vec![], None),
        ] {
            assert_eq!(turn(&events), turn_then, "{events:?}");
        }
    }
}
