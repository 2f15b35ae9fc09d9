//! What becomes of messages that were sent: by events, by lists, by a person, and with time.

use serde_json::json;

use super::*;
use crate::Session;

/// Settles while nobody has to wait for anything, and returns the texts of what has ended.
fn ended(outbox: &mut Outbox, session: &Session) -> Vec<String> {
    outbox.settle(session.state(), Some(0)).ended.into_iter().map(|sent| sent.text).collect()
}

fn taken(id: &str) -> DeliveryStage {
    DeliveryStage::Taken(Some(id.to_owned()))
}

fn user_message(session: &mut Session, id: &str, text: &str) {
    let event = json!({ "type": "user.message", "id": format!("e{id}"), "timestamp": "2026-11-21T20:47:20Z",
        "parentId": null, "data": { "content": text, "messageId": id } });
    session.push_frame(&event.to_string());
}

#[test]
fn a_taken_message_is_joined_by_its_id_and_by_nothing_else() {
    let mut session = Session::new();
    let mut outbox = Outbox::default();
    let number = outbox.begin("hello", Vec::new(), session.state());
    user_message(&mut session, "other", "hello");
    assert!(ended(&mut outbox, &session).is_empty(), "the answer says which one it is");
    outbox.stage(number, taken("mine"));
    assert!(ended(&mut outbox, &session).is_empty());
    user_message(&mut session, "mine", "hello");
    assert_eq!(ended(&mut outbox, &session).len(), 1);
    assert!(outbox.sent().is_empty());
}

#[test]
fn a_taken_message_is_joined_by_what_it_says_where_events_have_no_ids_of_messages() {
    let mut session = Session::new();
    let unnamed = |session: &mut Session, id: &str, text: &str| {
        let event = json!({ "type": "user.message", "id": id, "data": { "content": text } });
        session.push_frame(&event.to_string());
    };
    unnamed(&mut session, "e1", "hello");
    let mut outbox = Outbox::default();
    let number = outbox.begin("hello", Vec::new(), session.state());
    outbox.stage(number, taken("mine"));
    unnamed(&mut session, "e2", "something else");
    assert!(ended(&mut outbox, &session).is_empty(), "the first was there before");
    unnamed(&mut session, "e3", "hello");
    assert_eq!(ended(&mut outbox, &session).len(), 1);
}

fn tell(session: &mut Session, kind: &str, data: &Value) {
    session.push_frame(&json!({ "type": kind, "id": format!("{kind} {data}"), "data": data }).to_string());
}

/// A session at work, and two messages that steer it, of which the server has taken both.
fn steered() -> (Session, Outbox) {
    let mut session = Session::new();
    user_message(&mut session, "u", "Go");
    let mut outbox = Outbox::default();
    for (text, id) in [("A", "a"), ("B", "b")] {
        let number = outbox.begin(text, Vec::new(), session.state());
        outbox.stage(number, taken(id));
    }
    (session, outbox)
}

/// Each message with its stage: `listed`, `taken` or `undelivered`.
fn stages(outbox: &Outbox) -> Vec<(&str, &str)> {
    let stage = |sent: &SentMessage| match &sent.stage {
        DeliveryStage::Taken(_) if sent.listed => "listed",
        DeliveryStage::Taken(_) => "taken",
        DeliveryStage::Undelivered(_) => "undelivered",
        _ => "other",
    };
    outbox.sent.iter().map(|sent| (sent.text.as_str(), stage(sent))).collect()
}

#[test]
fn a_message_that_the_lists_have_no_more_when_the_turn_ends_was_not_delivered() {
    let (mut session, mut outbox) = steered();
    session.set_queue(json!({ "items": [], "steeringMessages": ["A", "B"] }));
    outbox.settle(session.state(), Some(0));
    assert_eq!(stages(&outbox), [("A", "listed"), ("B", "listed")]);
    session.set_queue(json!({ "items": [], "steeringMessages": ["B"] }));
    assert_eq!(outbox.settle(session.state(), Some(1_000)).again_ms, None, "the turn may still take it up");
    assert_eq!(stages(&outbox), [("A", "taken"), ("B", "listed")]);
    user_message(&mut session, "b", "B");
    session.set_queue(json!({ "items": [] }));
    tell(&mut session, "session.idle", &json!({}));
    let settled = outbox.settle(session.state(), Some(20_000));
    assert_eq!((settled.ended.len(), settled.again_ms), (1, Some(REST_TIMEOUT_MS)));
    assert_eq!(outbox.settle(session.state(), Some(21_000)).again_ms, Some(REST_TIMEOUT_MS - 1_000));
    assert_eq!(stages(&outbox), [("A", "taken")], "its event may be on the way");
    outbox.settle(session.state(), Some(20_000 + REST_TIMEOUT_MS));
    assert_eq!(stages(&outbox), [("A", "undelivered")]);
    user_message(&mut session, "next", "Something else");
    outbox.settle(session.state(), Some(90_000));
    assert_eq!(stages(&outbox), [("A", "undelivered")], "a later turn changes nothing");
    user_message(&mut session, "a", "A");
    assert_eq!(ended(&mut outbox, &session), ["A"], "it came late");
}

#[test]
fn a_message_that_no_list_ever_had_is_not_waited_for_for_ever() {
    let (mut session, mut outbox) = steered();
    outbox.settle(session.state(), Some(0));
    tell(&mut session, "session.idle", &json!({}));
    outbox.settle(session.state(), Some(1_000));
    outbox.settle(session.state(), Some(1_000 + REST_TIMEOUT_MS));
    assert_eq!(stages(&outbox), [("A", "undelivered"), ("B", "undelivered")]);
    // One that should have begun a turn.
    let session = Session::new();
    let mut outbox = Outbox::default();
    let number = outbox.begin("Hello", Vec::new(), session.state());
    outbox.stage(number, taken("m"));
    outbox.settle(session.state(), Some(0));
    outbox.settle(session.state(), Some(BEGIN_TIMEOUT_MS - 1));
    assert_eq!(stages(&outbox), [("Hello", "taken")], "a runtime may be slow to begin");
    outbox.settle(session.state(), Some(BEGIN_TIMEOUT_MS));
    assert_eq!(stages(&outbox), [("Hello", "undelivered")]);
}

#[test]
fn nothing_is_missing_while_the_page_lacks_a_part_or_the_queue_is_held() {
    let (mut session, mut outbox) = steered();
    session.set_queue(json!({ "items": [{ "id": "1", "messageId": "a", "displayText": "A" }] }));
    outbox.settle(session.state(), None);
    tell(&mut session, "session.idle", &json!({}));
    for time in [None, Some(1_000), None, Some(60_000)] {
        outbox.settle(session.state(), time);
    }
    assert_eq!(stages(&outbox), [("A", "listed"), ("B", "taken")], "without a connection no time passes");
    outbox.settle(session.state(), Some(60_000 + REST_TIMEOUT_MS));
    assert_eq!(stages(&outbox), [("A", "listed"), ("B", "undelivered")]);
    session.set_queue(json!({ "items": [], "steeringMessages": ["B"] }));
    outbox.settle(session.state(), Some(70_000));
    assert_eq!(stages(&outbox), [("A", "taken"), ("B", "listed")], "it is in the queue after all");
}

#[test]
fn what_an_abort_dropped_is_offered_once_and_a_page_that_is_started_anew_still_knows_it() {
    let (mut session, mut outbox) = steered();
    session.set_queue(json!({ "items": [{ "id": "1", "messageId": "a", "displayText": "A" }] }));
    tell(&mut session, "abort", &json!({ "reason": "user_initiated" }));
    session.set_queue(json!({ "items": [] }));
    outbox.settle(session.state(), Some(0));
    assert_eq!(stages(&outbox)[0], ("A", "listed"), "among the dropped messages");
    let mut again = Outbox::default();
    again.restore(outbox.to_stored().unwrap_or_default());
    let mut fresh = Session::new();
    user_message(&mut fresh, "u", "Go");
    tell(&mut fresh, "session.idle", &json!({}));
    again.settle(fresh.state(), Some(0));
    again.settle(fresh.state(), Some(REST_TIMEOUT_MS));
    assert_eq!(stages(&again), [("A", "undelivered"), ("B", "undelivered")]);
    let dropped = session.state().queue.dropped.clone();
    for message in &dropped {
        outbox.remove_decided(message);
    }
    assert_eq!(stages(&outbox), [("B", "taken")], "a person has decided");
}

#[test]
fn a_session_that_is_over_takes_nothing_up() {
    let (mut session, mut outbox) = steered();
    session.set_queue(json!({ "items": [], "steeringMessages": ["A", "B"], "inFlightSteeringCount": 2 }));
    outbox.settle(session.state(), Some(0));
    assert_eq!(stages(&outbox), [("A", "listed"), ("B", "listed")]);
    tell(&mut session, "session.shutdown", &json!({ "shutdownType": "error" }));
    outbox.settle(session.state(), Some(0));
    outbox.settle(session.state(), Some(REST_TIMEOUT_MS));
    assert_eq!(stages(&outbox), [("A", "undelivered"), ("B", "undelivered")]);
}

#[test]
fn who_takes_a_message_out_of_the_queue_has_decided() {
    let (mut session, mut outbox) = steered();
    let item = json!({ "id": "1", "messageId": "a", "displayText": "A" });
    session.set_queue(json!({ "items": [item] }));
    let edit = crate::model::queue::edits::QueueEdit::Remove { id: "1".to_owned() };
    let number = session.queue_edit_sent(edit);
    assert!(ended(&mut outbox, &session).is_empty(), "the server may refuse");
    session.queue_edit_answered(number, Some(&json!({ "success": true })));
    session.set_queue(json!({ "items": [] }));
    assert_eq!(ended(&mut outbox, &session), ["A"]);
}

#[test]
fn one_that_may_have_arrived_and_is_in_the_queue_has_arrived_and_is_followed() {
    let mut session = Session::new();
    user_message(&mut session, "u", "Go");
    let mut outbox = Outbox::default();
    let number = outbox.begin("Later", Vec::new(), session.state());
    outbox.stage(number, DeliveryStage::Unsure);
    session.set_queue(json!({ "items": [{ "id": "1", "messageId": "m", "displayText": "Later" }] }));
    let settled = outbox.settle(session.state(), Some(0));
    assert_eq!((settled.arrived.len(), settled.ended.len()), (1, 0));
    assert_eq!(outbox.sent[0].stage, taken("m"));
    session.set_queue(json!({ "items": [] }));
    tell(&mut session, "session.idle", &json!({}));
    outbox.settle(session.state(), Some(0));
    outbox.settle(session.state(), Some(REST_TIMEOUT_MS));
    assert_eq!(stages(&outbox), [("Later", "undelivered")]);
}

#[test]
fn one_that_may_have_arrived_is_settled_by_its_text_if_that_is_new() {
    let mut session = Session::new();
    user_message(&mut session, "before", "again");
    session.set_queue(json!({ "items": [{ "id": "1", "displayText": "again" }] }));
    let mut outbox = Outbox::default();
    let number = outbox.begin("again\n", Vec::new(), session.state());
    outbox.stage(number, DeliveryStage::Unsure);
    assert!(ended(&mut outbox, &session).is_empty(), "both were there before");
    user_message(&mut session, "after", "again");
    assert_eq!(ended(&mut outbox, &session).len(), 1);
}

#[test]
fn a_command_that_may_have_arrived_is_settled_by_the_request_to_run_it() {
    let mut session = Session::new();
    let mut outbox = Outbox::default();
    let number = outbox.begin("/dock now", Vec::new(), session.state());
    outbox.stage(number, DeliveryStage::Unsure);
    let event = json!({ "type": "command.queued", "id": "e", "timestamp": "2026-11-21T20:47:20Z",
        "data": { "requestId": "r", "command": "/dock now" } });
    session.push_frame(&event.to_string());
    assert_eq!(ended(&mut outbox, &session).len(), 1);
}

#[test]
fn somebody_elses_message_with_other_attachments_is_not_this_one() {
    let mut session = Session::new();
    let mut outbox = Outbox::default();
    let number = outbox.begin("look", vec!["boat.png".to_owned()], session.state());
    outbox.stage(number, DeliveryStage::Unsure);
    user_message(&mut session, "other", "look");
    session.set_queue(json!({ "items": [{ "id": "1", "displayText": "look" }] }));
    assert!(ended(&mut outbox, &session).is_empty());
    let event = json!({ "type": "user.message", "id": "mine", "data": { "content": "look", "messageId": "m",
        "attachments": [{ "type": "blob", "displayName": "boat.png" }] } });
    session.push_frame(&event.to_string());
    assert_eq!(ended(&mut outbox, &session).len(), 1);
}

#[test]
fn a_page_that_is_started_anew_has_what_the_old_one_had_not_settled() {
    let mut session = Session::new();
    user_message(&mut session, "before", "twice");
    let mut outbox = Outbox::default();
    for text in ["twice", "taken", "failed", "unsent"] {
        outbox.begin(text, Vec::new(), session.state());
    }
    outbox.stage(2, taken("m"));
    outbox.stage(3, DeliveryStage::Failed("why".to_owned()));
    outbox.stage(4, DeliveryStage::Unsent);
    let mut again = Outbox::default();
    again.restore(outbox.to_stored().unwrap_or_default());
    let stages: Vec<_> = again.sent().iter().map(|sent| (sent.text.as_str(), sent.stage.clone())).collect();
    let failed = DeliveryStage::Failed("why".to_owned());
    let expected = [
        ("twice", DeliveryStage::Unsure),
        ("taken", taken("m")),
        ("failed", failed),
        ("unsent", DeliveryStage::Unsent),
    ];
    assert_eq!(stages, expected);
    assert!(ended(&mut again, &session).is_empty(), "the one in the session is an earlier one");
    user_message(&mut session, "after", "twice");
    assert_eq!(ended(&mut again, &session).len(), 1);
    assert_eq!(Outbox::default().to_stored(), None);
}

#[test]
fn what_the_server_keeps_to_be_decided_about_is_on_its_way_no_more() {
    let mut session = Session::new();
    let mut outbox = Outbox::default();
    for stage in [taken("m1"), DeliveryStage::Unsure] {
        let number = outbox.begin("later", Vec::new(), session.state());
        outbox.stage(number, stage);
    }
    let kept = |state: &str| json!({ "messages": [{ "id": "b", "messageId": "m1", "state": state, "text": "later" }] });
    session.set_backlog(kept("waiting"));
    assert!(ended(&mut outbox, &session).is_empty(), "the queue has it, or will");
    session.set_backlog(kept("dropped"));
    assert_eq!(ended(&mut outbox, &session).len(), 2);
}

#[test]
fn one_that_did_not_arrive_stays_until_it_is_sent_away() {
    let mut session = Session::new();
    let mut outbox = Outbox::default();
    let number = outbox.begin("lost", Vec::new(), session.state());
    outbox.stage(number, DeliveryStage::Failed("no connection".to_owned()));
    user_message(&mut session, "x", "lost");
    assert!(ended(&mut outbox, &session).is_empty());
    outbox.forget(number);
    assert!(outbox.sent().is_empty());
}

#[test]
fn one_that_found_no_connection_is_told_until_it_can_be_sent_from_the_field() {
    let session = Session::new();
    let mut outbox = Outbox::default();
    for text in ["one", "two"] {
        let number = outbox.begin(text, Vec::new(), session.state());
        outbox.stage(number, DeliveryStage::Unsent);
    }
    outbox.remove_unsent_in_field("one");
    assert_eq!(outbox.sent().iter().map(|sent| sent.text.as_str()).collect::<Vec<_>>(), ["two"]);
}

#[test]
fn a_command_that_is_in_the_queue_has_arrived() {
    let mut session = Session::new();
    let mut outbox = Outbox::default();
    let number = outbox.begin("/dock now", Vec::new(), session.state());
    outbox.stage(number, DeliveryStage::Unsure);
    let item = json!({ "id": "1", "messageId": "m", "kind": "command", "displayText": "/dock now" });
    session.set_queue(json!({ "items": [item] }));
    assert_eq!(ended(&mut outbox, &session), ["/dock now"]);
}
