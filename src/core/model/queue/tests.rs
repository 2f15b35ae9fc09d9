//! Queue tests: recorded answers of the real runtime, aborts, and edits that are refused.

use serde_json::{Value, json};

use super::edits::{Edits, QueueEdit};
use super::*;
use crate::model::state::info::ModeKind;
use crate::model::state::{Change, Section};

fn items(texts: &[(&str, &str)]) -> Value {
    let items: Vec<_> = texts
        .iter()
        .map(|(id, text)| {
            json!({ "id": id, "messageId": format!("m{id}"), "kind": "message", "displayText": text,
                    "agentMode": "interactive" })
        })
        .collect();
    json!({ "items": items, "steeringMessages": [], "inFlightSteeringCount": 0 })
}

fn texts(queue: &[Queued]) -> Vec<&str> {
    queue.iter().map(|item| item.text.as_str()).collect()
}

#[test]
fn what_an_abort_dropped_is_kept_whichever_is_told_first() {
    // As recorded: abort, change, answer.
    let mut queue = Queue::default();
    queue.count_change(10);
    queue.set_items(items(&[("1", "first"), ("2", "second")]));
    queue.stop(20);
    queue.count_change(21);
    queue.set_items(items(&[]));
    assert_eq!(texts(&queue.dropped), ["first", "second"]);

    // As recorded of an interrupted turn: change, answer, abort.
    let mut queue = Queue::default();
    queue.set_items(items(&[("1", "first")]));
    queue.count_change(30);
    queue.set_items(items(&[]));
    assert!(queue.dropped.is_empty());
    queue.stop(32);
    assert_eq!(texts(&queue.dropped), ["first"]);
}

#[test]
fn what_the_agent_got_or_a_person_took_out_was_not_dropped() {
    let mut queue = Queue::default();
    queue.set_items(items(&[("1", "taken up"), ("2", "taken out"), ("3", "left")]));
    queue.count_change(10);
    queue.set_items(items(&[("2", "taken out"), ("3", "left")]));
    queue.take_message("m1", "taken up");
    queue.count_change(12);
    queue.set_items(items(&[("3", "left")]));
    queue.stop(40);
    queue.count_change(41);
    queue.set_items(items(&[]));
    assert_eq!(texts(&queue.dropped), ["left"]);
}

#[test]
fn a_queue_that_is_kept_when_the_turn_is_interrupted_is_not_dropped() {
    let mut queue = Queue::default();
    queue.set_items(items(&[("1", "next"), ("2", "then")]));
    queue.stop(5);
    queue.count_change(6);
    queue.set_items(items(&[("2", "then")]));
    assert_eq!(texts(&queue.dropped), ["next"], "until its message is there");
    queue.take_message("m1", "next");
    assert!(queue.dropped.is_empty());
}

#[test]
fn a_message_that_was_to_steer_is_dropped_too_but_one_that_was_taken_up_is_not() {
    let mut queue = Queue::default();
    let steering = |texts: &[&str], taken: u64| json!({ "items": [], "steeringMessages": texts, "inFlightSteeringCount": taken });
    queue.set_items(steering(&["taken", "waits"], 1));
    queue.stop(9);
    queue.set_items(steering(&[], 0));
    assert_eq!(texts(&queue.dropped), ["waits"]);
}

#[test]
fn moving_into_the_turn_is_no_loss() {
    let mut queue = Queue::default();
    queue.set_items(items(&[("2", "B")]));
    queue.set_items(json!({ "items": [], "steeringMessages": ["B"], "inFlightSteeringCount": 0 }));
    queue.stop(1);
    assert!(queue.dropped.is_empty());
    queue.set_items(items(&[]));
    assert_eq!(texts(&queue.dropped), ["B"]);
}

#[test]
fn what_a_server_took_with_it_is_dropped_and_nothing_after_that_is() {
    let mut queue = Queue::default();
    assert!(!queue.resume(), "nobody was asked for it");
    queue.set_items(items(&[("1", "first"), ("2", "second")]));
    assert!(queue.resume());
    queue.set_items(items(&[("2", "second")]));
    assert_eq!(texts(&queue.dropped), ["first"]);
    // A person takes out the other one.
    queue.count_change(30);
    queue.set_items(items(&[]));
    assert_eq!(texts(&queue.dropped), ["first"]);
}

#[test]
fn what_the_server_keeps_is_told_and_known_by_its_id_or_its_words() {
    let mut queue = Queue::default();
    assert!(queue.backlog.is_none(), "it may keep nothing");
    let answer = json!({ "messages": [
        { "id": "b1", "messageId": "m1", "state": "waiting", "text": "waits", "attachments": [] },
        { "id": "b2", "messageId": "m2", "state": "dropped", "text": "dropped", "attachments": ["boat.png"] },
        { "id": "b3", "messageId": null, "state": "another", "text": "steers" },
        "none",
    ] });
    assert!(queue.set_backlog(answer.clone()));
    assert!(!queue.set_backlog(answer), "that is not new");
    let unbegun: Vec<_> = queue.unstarted().map(|item| (item.id.as_str(), item.attachments.len())).collect();
    assert_eq!(unbegun, [("b2", 1)]);
    let queued =
        |id: Option<&str>, text: &str| Queued { message_id: id.map(str::to_owned), ..Queued::steering(text) };
    assert!(
        queue.is_in_backlog(&queued(Some("m1"), "other words"))
            && queue.is_in_backlog(&queued(None, "steers\n"))
    );
    assert!(!queue.is_in_backlog(&queued(Some("m3"), "waits")));
    assert!(queue.set_backlog(json!(null)) && queue.backlog == Some(Vec::new()));
}

#[test]
fn what_had_begun_before_the_session_was_resumed_was_not_dropped() {
    let mut queue = Queue::default();
    queue.set_items(items(&[("1", "begun"), ("2", "lost")]));
    assert!(queue.take_message("m1", "begun"), "it waits no more");
    assert_eq!(texts(queue.items.as_deref().unwrap_or_default()), ["lost"]);
    queue.resume();
    queue.set_items(items(&[]));
    assert_eq!(texts(&queue.dropped), ["lost"]);
}

#[test]
fn whoever_shows_the_queue_asks_again_after_a_resume_and_when_the_server_says_so() {
    let asks = |session: &mut crate::Session| {
        session
            .take_changes()
            .contains(&crate::model::state::Change::Section(crate::model::state::Section::Queue))
    };
    let mut session = crate::Session::new();
    let resume = |id: &str, session: &mut crate::Session| {
        let event = json!({ "type": "session.resume", "id": id, "timestamp": "2026-11-21T20:47:20Z", "parentId": null, "data": {} });
        session.push_frame(&event.to_string());
    };
    resume("e1", &mut session);
    assert!(!asks(&mut session), "nobody has told of a queue");
    session.set_queue(items(&[("1", "first")]));
    assert!(asks(&mut session));
    resume("e2", &mut session);
    assert!(asks(&mut session));
    session.push_frame(&json!({ "jsonrpc": "2.0", "method": BACKLOG_CHANGED, "params": {} }).to_string());
    assert!(asks(&mut session));
    assert_eq!(session.state().counters.notifications, 0, "it is understood");
}

#[test]
fn the_same_answer_twice_is_no_news() {
    let mut queue = Queue::default();
    assert!(queue.set_items(items(&[])));
    assert!(!queue.set_items(items(&[])));
    assert!(queue.set_items(json!(null)).eq(&false), "nothing is an empty queue");
}

#[test]
fn edits_show_at_once_and_the_server_has_the_last_word() {
    let mut queue = Queue::default();
    queue.set_items(items(&[("1", "a"), ("2", "b"), ("3", "c")]));
    let items = queue.items.clone().unwrap_or_default();
    let mut edits = Edits::default();
    let moved = edits.begin(QueueEdit::Move { id: "3".into(), to: 0 });
    let removed = edits.begin(QueueEdit::Remove { id: "1".into() });
    edits.begin(QueueEdit::Rewrite { id: "2".into(), text: "B".into() });
    let shown = |edits: &Edits| {
        edits.shown(&items).into_iter().map(|shown| (shown.item.text, shown.changing)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&edits), [("c".into(), true), ("B".into(), true)]);
    edits.answered(removed);
    edits.answered(moved);
    assert_eq!(shown(&edits), [("c".into(), true), ("B".into(), true)], "until the queue is told");
    assert!(edits.end() && !edits.end());
    assert_eq!(shown(&edits), [("a".into(), false), ("B".into(), true), ("c".into(), false)]);
    edits.begin(QueueEdit::Clear);
    assert_eq!(shown(&edits), []);
}

#[test]
fn an_edit_is_in_the_snapshot_until_the_queue_is_told() {
    let mut session = crate::Session::new();
    session.set_queue(items(&[("1", "a"), ("2", "b")]));
    let edit = QueueEdit::Remove { id: "1".into() };
    let (method, params) = edit.request();
    let number = session.queue_edit_sent(edit);
    let shown = |session: &crate::Session| session.state().queue.shown().len();
    let queue = |session: &crate::Session| session.snapshot()["queue"].clone();
    assert_eq!(queue(&session)["edits"], json!([{ "method": method, "params": params }]));
    assert_eq!((shown(&session), queue(&session)["items"].as_array().map(Vec::len)), (1, Some(2)));
    session.set_queue(items(&[("1", "a"), ("2", "b")]));
    assert_eq!(shown(&session), 1, "that list may be older than the edit");
    session.queue_edit_answered(number, Some(&json!({ "removed": false })));
    assert_eq!(shown(&session), 1, "the list does not flicker");
    session.take_changes();
    session.set_queue(items(&[("1", "a"), ("2", "b")]));
    assert_eq!(shown(&session), 2, "the server refused it");
    assert!(session.take_changes().contains(&Change::Section(Section::Queue)));
    assert!(queue(&session).get("edits").is_none());
    let number = session.queue_edit_sent(QueueEdit::Clear);
    session.queue_edit_answered(number, None);
    session.queue_unknown();
    assert_eq!(shown(&session), 2, "nobody knows whether it was done");
    session.queue_paused(true);
    assert_eq!(queue(&session)["paused"], json!(true));
}

fn offered(session: &crate::Session, list: &str) -> Vec<String> {
    let queue = session.snapshot()["queue"].clone();
    let items = queue[list].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["displayText"].as_str().unwrap_or_default().to_owned()).collect()
}

fn aborted(id: &str) -> String {
    json!({ "type": "abort", "id": id, "data": { "reason": "user_initiated" } }).to_string()
}

#[test]
fn a_message_that_was_taken_out_is_offered_until_somebody_decides_or_the_server_refuses() {
    let mut session = crate::Session::new();
    session.set_queue(items(&[("1", "a"), ("2", "b")]));
    let number = session.queue_edit_sent(QueueEdit::Remove { id: "1".into() });
    assert_eq!(offered(&session, "removed"), ["a"]);
    session.queue_edit_answered(number, Some(&json!({ "removed": true })));
    session.set_queue(items(&[("2", "b")]));
    assert_eq!(offered(&session, "removed"), ["a"]);
    let offers = session.state().queue.removed_offers();
    session.offers_decided(&offers);
    assert!(offered(&session, "removed").is_empty());
    let number = session.queue_edit_sent(QueueEdit::Clear);
    assert_eq!(offered(&session, "removed"), ["b"]);
    session.queue_edit_answered(number, None);
    assert!(offered(&session, "removed").is_empty(), "nobody knows whether it was taken out");
}

#[test]
fn only_a_queue_that_was_emptied_has_messages_in_their_order() {
    let mut session = crate::Session::new();
    session.set_queue(items(&[("1", "a"), ("2", "b"), ("3", "c")]));
    let taken = |session: &crate::Session| (session.state().queue.emptied, offered(session, "removed"));
    let number = session.queue_edit_sent(QueueEdit::Move { id: "3".into(), to: 0 });
    session.queue_edit_answered(number, Some(&json!({})));
    session.set_queue(items(&[("3", "c"), ("1", "a"), ("2", "b")]));
    session.queue_edit_sent(QueueEdit::Clear);
    assert_eq!(taken(&session), (true, vec!["c".into(), "a".into(), "b".into()]));
    session.queue_edit_sent(QueueEdit::Remove { id: "1".into() });
    assert_eq!(taken(&session), (false, vec!["a".into()]), "its place is lost");
}

#[test]
fn another_edit_leaves_what_was_taken_out() {
    let mut session = crate::Session::new();
    session.set_queue(items(&[("1", "a"), ("2", "b"), ("3", "c")]));
    let number = session.queue_edit_sent(QueueEdit::Remove { id: "1".into() });
    session.queue_edit_answered(number, Some(&json!({ "removed": true })));
    let number = session.queue_edit_sent(QueueEdit::Move { id: "3".into(), to: 0 });
    session.queue_edit_answered(number, None);
    assert_eq!(offered(&session, "removed"), ["a"]);
}

#[test]
fn a_dropped_message_is_offered_once_and_a_decision_hides_it_until_the_server_confirms() {
    let mut session = crate::Session::new();
    session.set_backlog(json!({ "messages": [] }));
    session.set_queue(items(&[("1", "first"), ("2", "second")]));
    session.push_frame(&aborted("e1"));
    session.set_queue(items(&[]));
    assert_eq!(offered(&session, "dropped"), ["first", "second"], "this page knows them");
    let backlog = json!({ "messages": [
        { "id": "b1", "messageId": "m1", "state": "dropped", "text": "first", "attachments": [] },
    ] });
    session.set_backlog(backlog.clone());
    assert_eq!(offered(&session, "dropped"), ["first", "second"], "the server keeps one of them");
    let offers = session.state().queue.dropped_offers();
    session.take_changes();
    session.offers_decided(&offers);
    assert!(session.take_changes().contains(&Change::Section(Section::Queue)));
    assert!(offered(&session, "dropped").is_empty());
    session.set_backlog(backlog);
    assert!(offered(&session, "dropped").is_empty(), "that may be older than the decision");
    assert_eq!(session.snapshot()["queue"]["decided"], json!(["b1"]));
    session.offers_confirmed(&["b1".to_owned()]);
    assert_eq!(offered(&session, "dropped"), ["first"], "the server has it still");
    session.set_backlog(json!({ "messages": [] }));
    assert!(offered(&session, "dropped").is_empty(), "somebody else has decided");
    assert!(session.snapshot()["queue"].get("decided").is_none());
}

#[test]
fn a_mode_that_was_chosen_is_in_the_snapshot_until_the_server_answers() {
    let mut session = crate::Session::new();
    let facts = |session: &crate::Session| {
        let snapshot = session.snapshot();
        json!([snapshot["session"]["mode"], snapshot["session"]["requestedMode"]])
    };
    session.mode_answered(ModeKind::Agent, Some("interactive".to_owned()));
    assert_eq!(facts(&session), json!(["interactive", null]));
    session.mode_requested(ModeKind::Agent, "autopilot");
    session.mode_requested(ModeKind::Agent, "plan");
    session.mode_request_ended(ModeKind::Agent, "autopilot");
    assert_eq!(facts(&session), json!(["interactive", "plan"]), "the newer one is on its way");
    let event = json!({ "type": "session.mode_changed", "id": "e", "data": { "newMode": "plan" } });
    session.push_frame(&event.to_string());
    session.mode_request_ended(ModeKind::Agent, "plan");
    session.mode_answered(ModeKind::Agent, Some("interactive".to_owned()));
    assert_eq!(facts(&session), json!(["plan", null]), "an event says more than an answer");
}

#[test]
fn an_item_that_is_gone_meanwhile_harms_nothing() {
    let mut edits = Edits::default();
    edits.begin(QueueEdit::Move { id: "9".into(), to: 7 });
    edits.begin(QueueEdit::SendNow { id: "9".into() });
    assert_eq!(edits.shown(&[Queued::steering("x")]).len(), 1);
}

/// Requests that a client sent to the real runtime, and its answers.
#[test]
fn requests_are_those_that_the_runtime_took() {
    let edits = [
        QueueEdit::Move { id: "5".into(), to: 0 },
        QueueEdit::Remove { id: "1".into() },
        QueueEdit::Rewrite { id: "3".into(), text: "queued C edited".into() },
        QueueEdit::SendNow { id: "2".into() },
    ];
    let recorded = [
        ("session.queue.moveItem", json!({ "id": "5", "toPosition": 0 }), json!({ "changed": true })),
        ("session.queue.removeAt", json!({ "id": "1" }), json!({ "removed": true })),
        (
            "session.queue.updateText",
            json!({ "id": "3", "prompt": "queued C edited" }),
            json!({ "updated": true }),
        ),
        ("session.queue.sendNow", json!({ "id": "2" }), json!({ "steered": true })),
    ];
    for (edit, (method, params, answer)) in edits.iter().zip(recorded) {
        assert_eq!(QueueEdit::of_request(method, &params).as_ref(), Some(edit));
        assert_eq!(edit.request(), (method, params));
        assert!(!edit.refused(&answer));
    }
    assert!(QueueEdit::SendNow { id: "2".into() }.refused(&json!({ "steered": false })));
    assert!(!QueueEdit::Clear.refused(&Value::Null));
    assert_eq!(QueueEdit::of_request("session.queue.pendingItems", &json!({})), None);
    assert_eq!(QueueEdit::of_request("session.queue.removeAt", &json!({})), None);
}
