//! Tests of the backlog: the stages of a message, in whichever order events and answers come.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::{Backlog, BegunMessage, Message, MessageStage, Queue, Sign, Signs, Writer};

impl Backlog {
    /// All messages, as they are read again.
    fn messages(&self) -> Vec<Message> {
        Message::read_lines(&self.lines().unwrap())
    }
}

fn send(backlog: &Backlog, prompt: &str, message_id: Option<&str>) -> String {
    let id = backlog.add(&json!({"prompt": prompt, "sessionId": "s"}), None, 10);
    backlog.accept(&id, message_id);
    id
}

fn begun(seq: u64, message_id: &str, text: &str) -> (u64, Sign) {
    (seq, Sign::Begun { message_id: message_id.to_owned(), text: text.to_owned() })
}

fn queue(items: &[(&str, &str)], steering: &[&str]) -> Queue {
    let items = items.iter().map(|(id, text)| json!({"id": "1", "messageId": id, "displayText": text}));
    let answer = json!({"items": items.collect::<Vec<_>>(), "steeringMessages": steering});
    Queue::read(&answer.to_string())
}

fn nothing_began(_: u64) -> Signs {
    Vec::new()
}

/// Compares everything that waits with the runtime's list.
fn listed(backlog: &Backlog, queue: &Queue) -> bool {
    backlog.compare(&backlog.waiting_ids(), queue, nothing_began)
}

fn stages(backlog: &Backlog) -> Vec<(String, MessageStage)> {
    backlog.messages().into_iter().map(|message| (message.text().to_owned(), message.stage)).collect()
}

fn stage(text: &str, stage: MessageStage) -> (String, MessageStage) {
    (text.to_owned(), stage)
}

#[test]
fn a_message_is_kept_until_its_event_comes_before_or_after_the_answer() {
    let backlog = Backlog::default();
    send(&backlog, "one", Some("m1"));
    assert!(!backlog.remove_begun(&[begun(11, "another", "one")]), "by its id and by nothing else");
    assert!(backlog.remove_begun(&[begun(12, "m1", "one")]));
    assert!(backlog.is_empty());

    let early = backlog.add(&json!({"prompt": "two"}), None, 12);
    assert!(!backlog.remove_begun(&[begun(13, "m2", "two")]));
    backlog.accept(&early, Some("m2"));
    assert!(backlog.is_empty());
}

#[test]
fn what_a_command_says_to_the_agent_is_offered_before_what_was_queued_after_the_command() {
    let backlog = Backlog::default();
    send(&backlog, "later", Some("m1"));
    let prompt = json!({"prompt": "said by a command", "mode": "enqueue", "prepend": true});
    backlog.accept(&backlog.add(&prompt, None, 10), Some("m2"));
    assert!(listed(&backlog, &Queue::default()));
    let offered = ["said by a command", "later"].map(|text| stage(text, MessageStage::Dropped));
    assert_eq!(stages(&backlog), offered);
}

#[test]
fn what_the_runtime_lists_waits_and_the_rest_was_dropped() {
    let backlog = Backlog::default();
    for (text, id) in [("queued", "m1"), ("steers", "m2"), ("lost", "m3")] {
        send(&backlog, text, Some(id));
    }
    let sending = backlog.add(&json!({"prompt": "on its way"}), None, 10);
    assert!(listed(&backlog, &queue(&[("m1", "queued")], &["steers"])));
    let expected = [
        stage("queued", MessageStage::Waiting),
        stage("steers", MessageStage::Waiting),
        stage("lost", MessageStage::Dropped),
        stage("on its way", MessageStage::Sending),
    ];
    assert_eq!(stages(&backlog), expected);
    assert!(!listed(&backlog, &queue(&[("m1", "queued")], &["steers"])), "that is no news");
    // An event in the log overrides the list.
    assert!(backlog.remove_begun(&[begun(20, "m3", "lost")]));
    backlog.remove_refused(&sending);
    assert_eq!(stages(&backlog).len(), 2);
}

#[test]
fn only_what_was_asked_about_is_judged() {
    let backlog = Backlog::default();
    let asked = backlog.waiting_ids();
    send(&backlog, "sent while the list was on its way", Some("m1"));
    assert!(!backlog.compare(&asked, &Queue::default(), nothing_began));
}

#[test]
fn a_message_without_an_answer_is_known_by_its_words() {
    let backlog = Backlog::default();
    for text in ["began", "queued", "lost", "lost"] {
        send(&backlog, text, None);
    }
    send(&backlog, "queued", Some("m1"));
    let since = |seq| {
        assert_eq!(seq, 10);
        vec![begun(10, "m7", "lost"), begun(11, "m8", "began\n")]
    };
    let list = queue(&[("m1", "queued"), ("m2", "queued")], &[]);
    assert!(backlog.compare(&backlog.waiting_ids(), &list, since));
    let messages = backlog.messages();
    let ids: Vec<_> = messages.iter().map(|message| message.message_id.as_deref()).collect();
    assert_eq!(ids, [Some("m2"), None, None, Some("m1")], "m1 was somebody else's");
    let dropped = messages.iter().filter(|message| message.stage == MessageStage::Dropped);
    assert_eq!(dropped.count(), 2, "what began before they were sent is none of them");
}

#[test]
fn a_dropped_message_is_sent_again_by_one_alone() {
    let backlog = Backlog::default();
    let id = send(&backlog, "again", Some("m1"));
    assert_eq!(backlog.claim(&id, 20), None, "it is not dropped");
    listed(&backlog, &Queue::default());
    assert_eq!(backlog.claim(&id, 20).unwrap()["prompt"], "again");
    assert_eq!(backlog.claim(&id, 20), None);
    assert_eq!(backlog.read(&id), None);
    assert!(!backlog.discard(&id), "it is on its way");
    backlog.offer_again(&id);
    assert!(backlog.claim(&id, 20).is_some(), "the runtime refused it: it is there to be decided about");
    backlog.accept(&id, Some("m2"));
    assert!(!backlog.remove_begun(&[begun(21, "m1", "again")]), "its old name is nobody's");
    assert!(backlog.remove_begun(&[begun(22, "m2", "again")]));
}

#[test]
fn a_person_changes_the_queue_and_discards() {
    let backlog = Backlog::default();
    for (text, id) in [("one", "m1"), ("two", "m2"), ("three", "m3")] {
        send(&backlog, text, Some(id));
    }
    assert!(backlog.rewrite("m1", &json!({"id": "1", "prompt": "first"})));
    assert!(!backlog.rewrite("m9", &json!({"prompt": "nobody's"})));
    let before = queue(&[("m1", "first"), ("m2", "two")], &["three"]);
    assert!(backlog.remove_taken_out(&before, &queue(&[("m1", "first")], &[])));
    assert_eq!(stages(&backlog), [stage("first", MessageStage::Waiting)]);
    listed(&backlog, &Queue::default());
    let id = &backlog.messages()[0].id;
    assert_eq!(backlog.read(id).unwrap()["prompt"], "first");
    assert!(backlog.discard(id) && !backlog.discard(id));
}

#[test]
fn another_life_takes_over_what_was_kept_and_no_secrets() {
    let backlog = Backlog::default();
    let params = json!({
        "sessionId": "s", "prompt": "long", "displayPrompt": "short", "wait": true,
        "requestHeaders": {"authorization": "secret"},
        "attachments": [{"type": "blob", "displayName": "boat.png", "data": "AAAA", "mimeType": "image/png"}],
    });
    backlog.add(&params, None, 3);
    let written = serde_json::to_string(&backlog.messages()).unwrap();
    assert!(!written.contains("secret") && !written.contains("wait\""), "{written}");
    let other = Backlog::default();
    other.restore(serde_json::from_str(&written).unwrap(), 0);
    assert_eq!(stages(&other), [stage("short", MessageStage::Waiting)], "it may have arrived");
    let list: Value = other.json();
    let told = &list["messages"][0];
    assert_eq!(
        (&told["state"], &told["text"], &told["attachments"]),
        (&json!("waiting"), &json!("short"), &json!(["boat.png"]))
    );
}

#[test]
fn every_change_is_told() {
    let backlog = Backlog::default();
    let mut changes = backlog.changes();
    let id = send(&backlog, "one", Some("m1"));
    assert!(changes.has_changed().unwrap());
    changes.mark_unchanged();
    assert!(!backlog.remove_begun(&[begun(11, "m9", "x")]) && !backlog.discard(&id));
    assert!(!changes.has_changed().unwrap());
}

#[test]
fn messages_that_read_the_same_are_forgotten_one_by_one() {
    let backlog = Backlog::default();
    let message = |id: &str| {
        let params = json!({"prompt": "faster"});
        BegunMessage { message_id: id.to_owned(), who: None, params: params.as_object().cloned().unwrap() }
    };
    assert!(backlog.offer_forgotten(vec![message("m1"), message("m2")], 1));
    assert_eq!(stages(&backlog).len(), 2);
    assert!(!backlog.offer_forgotten(vec![message("m1"), message("m2")], 1), "they are offered already");
    assert_eq!(stages(&backlog).len(), 2);
}

#[test]
fn a_command_that_was_forgotten_is_offered_as_it_was_sent() {
    let backlog = Backlog::default();
    let sent = json!({"prompt": "a long instruction", "displayPrompt": "/research boats", "mode": "enqueue"});
    let id = backlog.add(&sent, None, 10);
    backlog.accept(&id, Some("m1"));
    assert!(backlog.remove_begun(&[begun(11, "m1", "/research boats")]));
    let shown = json!({"prompt": "/research boats"});
    let shown = shown.as_object().cloned().unwrap();
    let forgotten = BegunMessage { message_id: "m1".to_owned(), who: None, params: shown };
    assert!(backlog.offer_forgotten(vec![forgotten], 12));
    let offered = backlog.messages().remove(0);
    assert_eq!((Value::from(offered.params.clone()), offered.text()), (sent, "/research boats"));
}

fn enqueue(backlog: &Backlog, command: &str) -> String {
    let id = backlog.add(&json!({"command": command, "sessionId": "s"}), None, 10);
    backlog.accept(&id, None);
    id
}

fn asked(seq: u64, request_id: &str, command: &str) -> (u64, Sign) {
    (seq, Sign::CommandRequested { request_id: request_id.to_owned(), command: command.to_owned() })
}

fn ended(seq: u64, request_id: &str) -> (u64, Sign) {
    (seq, Sign::Ended { request_id: request_id.to_owned() })
}

fn commands(texts: &[&str]) -> Queue {
    let item =
        |(at, text): (usize, &&str)| json!({"id": at.to_string(), "kind": "command", "displayText": text});
    let items = texts.iter().enumerate().map(item).collect::<Vec<_>>();
    Queue::read(&json!({"items": items}).to_string())
}

#[test]
fn commands_that_read_the_same_are_told_apart_by_their_number() {
    let backlog = Backlog::default();
    for command in ["/compact", "/fleet", "/compact", "/compact"] {
        enqueue(&backlog, command);
    }
    let asked_about = backlog.waiting_ids();
    enqueue(&backlog, "/compact"); // while the list is on its way
    assert!(backlog.compare(&asked_about, &commands(&["/fleet", "/compact"]), nothing_began));
    let expected = [
        stage("/compact", MessageStage::Dropped),
        stage("/fleet", MessageStage::Waiting),
        stage("/compact", MessageStage::Dropped),
        stage("/compact", MessageStage::Waiting),
        stage("/compact", MessageStage::Waiting),
    ];
    assert_eq!(stages(&backlog), expected);
    assert!(backlog.remove_begun(&[asked(11, "r1", "/compact"), ended(12, "r1")]));
    assert_eq!(stages(&backlog).len(), 4, "one of those that wait, and only one");
    assert_eq!(backlog.waiting_ids().len(), 2);
}

#[test]
fn a_message_with_the_words_of_a_command_is_none() {
    let backlog = Backlog::default();
    enqueue(&backlog, "/fleet");
    assert!(!backlog.remove_begun(&[begun(11, "m1", "/fleet")]));
    assert!(listed(&backlog, &queue(&[("m1", "/fleet")], &["/fleet"])));
    assert_eq!(stages(&backlog), [stage("/fleet", MessageStage::Dropped)]);
}

#[test]
fn another_life_knows_which_of_two_equal_commands_is_over() {
    let backlog = Backlog::default();
    let first = backlog.add(&json!({"command": "/compact"}), None, 10);
    let second = backlog.add(&json!({"command": "/compact"}), None, 10);
    let log = [asked(11, "r1", "/compact"), ended(12, "r1")];
    assert!(backlog.remove_begun(&log), "before the runtime has answered");
    for id in [&first, &second] {
        backlog.accept(id, None);
    }
    assert_eq!(backlog.waiting_ids(), [second]);
    let other = Backlog::default();
    other.restore(backlog.messages(), 0);
    assert!(!other.remove_begun(&log), "that was the other one");
    assert!(other.remove_begun(&[asked(13, "r2", "/compact"), ended(14, "r2")]));
    assert!(other.is_empty());
}

#[test]
fn a_command_that_a_client_was_asked_to_run_waits_until_the_list_is_of_another_life() {
    let backlog = Backlog::default();
    enqueue(&backlog, "/fleet");
    assert!(backlog.remove_begun(&[asked(11, "r1", "/fleet")]));
    assert!(!backlog.remove_begun(&[asked(11, "r1", "/fleet")]), "that is no news");
    assert_eq!(stages(&backlog), [stage("/fleet", MessageStage::Waiting)]);
    assert!(backlog.json()["messages"][0]["messageId"].is_null(), "it will have no message");
    assert!(listed(&backlog, &commands(&[])));
    let id = backlog.messages()[0].id.clone();
    assert_eq!(backlog.claim(&id, 20).map(Value::from), Some(json!({"command": "/fleet"})));
    backlog.accept(&id, None);
    assert!(!backlog.remove_begun(&[ended(21, "r1")]), "its old name is nobody's");
    assert!(backlog.remove_begun(&[asked(22, "r2", "/fleet"), ended(23, "r2")]));
}

fn written_by(message_id: &str, who: &str) -> Vec<Writer> {
    vec![Writer { message_id: message_id.to_owned(), who: who.to_owned() }]
}

#[test]
fn the_writer_is_told_once_the_id_is_known_however_that_comes() {
    let backlog = Backlog::default();
    let prompt = |text: &str| json!({"prompt": text});
    // By the answer.
    let id = backlog.add(&prompt("one"), Some("Ana"), 10);
    assert_eq!(backlog.take_writers(), []);
    backlog.accept(&id, Some("m1"));
    assert_eq!((backlog.take_writers(), backlog.take_writers()), (written_by("m1", "Ana"), vec![]));
    assert!(backlog.remove_begun(&[begun(11, "m1", "one")]));
    assert_eq!(backlog.take_writers(), [], "it was told");
    // By the answer, after the message has begun.
    let id = backlog.add(&prompt("two"), Some("Ana"), 11);
    backlog.remove_begun(&[begun(12, "m2", "two")]);
    backlog.accept(&id, Some("m2"));
    assert_eq!(backlog.take_writers(), written_by("m2", "Ana"));
    // By the runtime's queue, and by the event, where the answer was lost.
    backlog.accept(&backlog.add(&prompt("three"), Some("Ben"), 12), None);
    assert!(listed(&backlog, &queue(&[("m3", "three")], &[])));
    assert_eq!(backlog.take_writers(), written_by("m3", "Ben"));
    backlog.accept(&backlog.add(&prompt("four"), Some("Cy"), 12), None);
    assert!(backlog.remove_begun(&[begun(13, "m4", "four")]));
    assert_eq!(backlog.take_writers(), written_by("m4", "Cy"));
}

#[test]
fn a_message_that_was_forgotten_is_still_by_who_wrote_it() {
    let backlog = Backlog::default();
    backlog.accept(&backlog.add(&json!({"prompt": "one"}), Some("Ana"), 10), Some("m1"));
    backlog.remove_begun(&[begun(11, "m1", "one")]);
    backlog.take_writers();
    assert!(backlog.offer_unwritten(11));
    let id = backlog.messages()[0].id.clone();
    assert!(backlog.claim(&id, 12).is_some());
    backlog.accept(&id, Some("m2"));
    assert_eq!(backlog.take_writers(), written_by("m2", "Ana"));
    // Of an earlier process the log knows it.
    let shown = BegunMessage {
        message_id: "m3".to_owned(),
        who: Some("Ben".to_owned()),
        params: serde_json::Map::new(),
    };
    assert!(backlog.offer_forgotten(vec![shown], 12));
    assert_eq!(backlog.messages()[1].who.as_deref(), Some("Ben"));
}
