//! Tests the composer as data, with a browser of which only the storage is played.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    About, Area, Attached, Composer, DeliveryMode, Doubt, Effect, Input, Note, OutgoingMessage, StoredTexts,
    Submitted,
};
use crate::Session;
use crate::i18n::words::composer as words;
use crate::model::outbox::DeliveryStage;
use crate::model::queue::edits::QueueEdit;
use crate::protocol::ErrorReason;
use crate::protocol::call::CallFailure;
use crate::view_model::compose::Command;

/// A browser with tabs.
#[derive(Default)]
struct Browser(BTreeMap<(usize, String), String>);

/// A tab with a composer. Tab 0 of the browser is what all tabs share.
struct Tab {
    number: usize,
    composer: Composer,
    session: Session,
    commands: Vec<Command>,
    connected: bool,
    /// Effects that are not the browser's.
    effects: Vec<Effect>,
}

impl Tab {
    fn new(number: usize, browser: &mut Browser, session: &str) -> Self {
        let mut tab = Self {
            number,
            composer: Composer::default(),
            session: Session::new(),
            commands: Vec::new(),
            connected: true,
            effects: Vec::new(),
        };
        tab.show(browser, session);
        tab
    }

    fn show(&mut self, browser: &mut Browser, session: &str) {
        let kept = StoredTexts::of(session, |area, name| {
            browser.0.get(&(self.place(area), name.to_owned())).cloned()
        });
        self.input(browser, Input::Session(session, kept));
    }

    fn place(&self, area: Area) -> usize {
        if area == Area::Tab { self.number } else { 0 }
    }

    fn input(&mut self, browser: &mut Browser, input: Input<'_>) {
        for effect in self.composer.update(input, self.session.state()) {
            match effect {
                Effect::Keep(area, name, text) => {
                    let place = (self.place(area), name);
                    match text {
                        Some(text) => _ = browser.0.insert(place, text),
                        None => _ = browser.0.remove(&place),
                    }
                }
                Effect::Recall(draft, sessions) => {
                    let read = |name: &str| browser.0.get(&(0, name.to_owned())).cloned();
                    let (draft, sessions) = (read(&draft), read(sessions));
                    let recalled = Input::Recalled { draft: draft.as_deref(), sessions: sessions.as_deref() };
                    self.input(browser, recalled);
                }
                Effect::Submit(_) => self.submit(browser),
                Effect::Field(_) | Effect::Files | Effect::Focus => {}
                effect => self.effects.push(effect),
            }
        }
    }

    fn typed(&mut self, browser: &mut Browser, text: &str) {
        self.input(browser, Input::Typed(text.to_owned()));
    }

    fn submit(&mut self, browser: &mut Browser) {
        let commands = self.commands.clone();
        let submitted = Submitted {
            way: DeliveryMode::Queue,
            connected: self.connected,
            replies: false,
            commands: &commands,
        };
        self.input(browser, Input::Submit(submitted));
    }

    /// Types and submits a text.
    fn write(&mut self, browser: &mut Browser, text: &str) {
        self.typed(browser, text);
        self.submit(browser);
    }

    /// The newest message that is to be sent.
    fn next_sent(&mut self) -> Option<(u64, OutgoingMessage)> {
        let newest = self.effects.iter().rposition(|effect| matches!(effect, Effect::Send(..)))?;
        match self.effects.remove(newest) {
            Effect::Send(number, message) => Some((number, message)),
            _ => None,
        }
    }

    fn answered(&mut self, browser: &mut Browser, outcome: Result<Value, CallFailure>) {
        let (number, message) = self.next_sent().unwrap();
        self.input(browser, Input::Sent(number, message, outcome));
        self.input(browser, Input::Look(Some(0)));
    }

    fn event(&mut self, browser: &mut Browser, kind: &str, data: &Value) {
        let id = format!("{kind} {}", self.session.state().entries.len());
        self.session.push_frame(&json!({ "type": kind, "id": id, "data": data }).to_string());
        self.input(browser, Input::Look(Some(0)));
    }

    fn queue(&mut self, browser: &mut Browser, items: &[(&str, &str)]) {
        let item = |(id, text): &(&str, &str)| json!({ "id": id, "kind": "message", "displayText": text, "prompt": text });
        let items: Vec<Value> = items.iter().map(item).collect();
        self.session.set_queue(json!({ "items": items }));
        self.input(browser, Input::Look(Some(0)));
    }

    fn stages(&self) -> Vec<DeliveryStage> {
        self.composer.outbox().sent().iter().map(|sent| sent.stage.clone()).collect()
    }

    fn note(&self) -> Option<Note> {
        self.composer.note().cloned()
    }
}

fn failure(words: &str) -> CallFailure {
    CallFailure {
        words: words.to_owned(),
        message: String::new(),
        reason: None,
        uncertain: false,
        unsent: false,
    }
}

fn file(name: &str) -> Attached {
    Attached::image(name.to_owned(), "image/png", "AAAA")
}

#[test]
fn each_tab_has_its_draft_and_a_new_tab_begins_with_the_newest_of_the_tab_that_owns_it() {
    let browser = &mut Browser::default();
    let mut first = Tab::new(1, browser, "s");
    first.typed(browser, "one");
    let mut second = Tab::new(2, browser, "s");
    assert_eq!(second.composer.text(), "one");
    second.typed(browser, "two");
    first.typed(browser, "one more");
    assert_eq!(Tab::new(3, browser, "s").composer.text(), "two", "the draft for all is the second tab's");
    assert_eq!(Tab::new(1, browser, "s").composer.text(), "one more", "after a reload each has its own");
    assert_eq!(Tab::new(2, browser, "s").composer.text(), "two");
    second.typed(browser, "");
    assert_eq!(Tab::new(2, browser, "s").composer.text(), "", "an empty draft is a draft");
    assert_eq!(Tab::new(4, browser, "s").composer.text(), "");
}

#[test]
fn another_session_has_another_draft_and_what_was_typed_before_the_first_is_its() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "");
    tab.typed(browser, "early");
    tab.show(browser, "a");
    assert_eq!(tab.composer.text(), "early");
    tab.typed(browser, "of a");
    tab.show(browser, "b");
    assert_eq!(tab.composer.text(), "");
    tab.typed(browser, "of b");
    tab.show(browser, "a");
    assert_eq!(tab.composer.text(), "of a");
}

#[test]
fn the_browser_keeps_forty_sessions() {
    let browser = &mut Browser::default();
    for number in 0..45 {
        let mut tab = Tab::new(1, browser, &format!("s{number}"));
        tab.write(browser, "sent");
        tab.typed(browser, "draft");
    }
    let shared = browser.0.keys().filter(|(area, _)| *area == 0).map(|(_, name)| name.as_str());
    let shared: Vec<&str> = shared.collect();
    assert_eq!(shared.len(), 2 * 40 + 1, "{shared:?}");
    assert!(!shared.contains(&"draft.s4") && shared.contains(&"sent.s5"));
}

#[test]
fn what_was_sent_comes_back_by_the_arrows_with_what_was_being_written_behind_it() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.write(browser, "one");
    tab.write(browser, "two");
    let mut tab = Tab::new(2, browser, "s");
    tab.typed(browser, "three");
    let mut seen = Vec::new();
    for input in [Input::Older, Input::Older, Input::Older, Input::Newer, Input::Newer, Input::Newer] {
        tab.input(browser, input);
        seen.push(tab.composer.text().to_owned());
    }
    assert_eq!(seen, ["two", "one", "one", "two", "three", "three"]);
}

#[test]
fn a_message_is_under_way_until_its_event_comes() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.input(browser, Input::Attach(file("a.png")));
    tab.write(browser, "Hello");
    assert_eq!(
        (tab.composer.text(), tab.composer.files().len(), tab.stages()),
        ("", 0, vec![DeliveryStage::Sending])
    );
    let (number, message) = tab.next_sent().unwrap();
    let params = message.params();
    assert_eq!(
        (&params["prompt"], &params["mode"], params["attachments"][0]["type"].as_str()),
        (&json!("Hello"), &Value::Null, Some("blob"))
    );
    tab.input(browser, Input::Sent(number, message, Ok(json!({ "messageId": "m" }))));
    assert_eq!(tab.stages(), [DeliveryStage::Taken(Some("m".to_owned()))]);
    assert!(tab.composer.sent_message("m").is_some());
    assert_eq!(
        Tab::new(1, browser, "s").stages(),
        [DeliveryStage::Taken(Some("m".to_owned()))],
        "also after a reload"
    );
    tab.event(browser, "user.message", &json!({ "content": "Hello", "messageId": "m" }));
    assert_eq!((tab.stages(), tab.composer.sent_message("m")), (vec![], None));
    assert_eq!(Tab::new(1, browser, "s").stages(), []);
}

#[test]
fn a_message_that_was_refused_is_in_the_field_again_unless_another_is_being_written() {
    let browser = &mut Browser::default();
    for meanwhile in ["", "Other"] {
        let mut tab = Tab::new(1, browser, "s");
        tab.input(browser, Input::Attach(file("a.png")));
        tab.write(browser, "Hello");
        tab.typed(browser, meanwhile);
        tab.answered(browser, Err(failure("too busy")));
        assert_eq!(tab.stages(), [DeliveryStage::Failed("too busy".to_owned())]);
        let expected = if meanwhile.is_empty() { ("Hello", 1) } else { ("Other", 0) };
        assert_eq!((tab.composer.text(), tab.composer.files().len()), expected);
        let number = tab.composer.newest();
        tab.input(browser, Input::PutBack(number));
        let expected = if meanwhile.is_empty() { "Hello\n\nHello" } else { "Hello\n\nOther" };
        assert_eq!((tab.composer.text(), tab.composer.files().len(), tab.stages()), (expected, 1, vec![]));
        tab.typed(browser, "");
    }
}

#[test]
fn a_message_without_a_connection_is_sent_again_by_a_person() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.write(browser, "Hello");
    let unsent = CallFailure { unsent: true, ..failure("not connected") };
    tab.typed(browser, "Other");
    tab.answered(browser, Err(unsent));
    tab.input(browser, Input::Note(Some(Note::Unsent("not connected".to_owned()))));
    tab.input(browser, Input::Connected);
    assert_eq!((tab.stages(), tab.note(), tab.next_sent()), (vec![DeliveryStage::Unsent], None, None));
    let number = tab.composer.newest();
    tab.input(browser, Input::SendAgain(number));
    assert_eq!(tab.next_sent().map(|(_, message)| message.prompt), Some("Hello".to_owned()));
    assert_eq!(tab.stages(), [DeliveryStage::Sending]);

    // In the field it can be sent from there.
    let mut tab = Tab::new(2, browser, "t");
    tab.write(browser, "Hello");
    tab.answered(browser, Err(CallFailure { unsent: true, ..failure("not connected") }));
    tab.input(browser, Input::Connected);
    assert_eq!((tab.composer.text(), tab.stages()), ("Hello", vec![]));
}

#[test]
fn a_message_of_unknown_outcome_is_sent_twice_only_by_a_second_try_and_goes_when_it_has_arrived() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.write(browser, "Hello");
    tab.answered(browser, Err(CallFailure { uncertain: true, ..failure("lost") }));
    assert_eq!((tab.stages(), tab.composer.text()), (vec![DeliveryStage::Unsure], "Hello"));
    tab.submit(browser);
    assert_eq!(tab.composer.doubted(), Some(&("Hello".to_owned(), Doubt::MayHaveArrived)));
    assert_eq!(tab.effects.pop(), Some(Effect::Say(Doubt::MayHaveArrived.words())));
    assert_eq!(tab.next_sent(), None);
    tab.event(browser, "user.message", &json!({ "content": "Hello", "messageId": "m" }));
    assert_eq!((tab.stages(), tab.composer.text()), (vec![], ""));
    assert_eq!(tab.note(), Some(Note::info(words::ARRIVED.text())));

    let mut tab = Tab::new(1, browser, "t");
    tab.write(browser, "Hello");
    tab.answered(browser, Err(CallFailure { uncertain: true, ..failure("lost") }));
    tab.submit(browser);
    tab.submit(browser);
    assert_eq!(tab.stages(), [DeliveryStage::Unsure, DeliveryStage::Sending], "who insists sends it");
}

#[test]
fn what_the_server_keeps_or_the_host_sends_is_not_in_the_outbox() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.write(browser, "Hello");
    tab.answered(browser, Err(CallFailure { reason: Some(ErrorReason::Kept), ..failure("kept") }));
    assert_eq!((tab.stages(), tab.composer.text()), (vec![], ""));
    tab.write(browser, "Hello");
    let (number, _) = tab.next_sent().unwrap();
    tab.input(browser, Input::OfHost(number));
    assert_eq!((tab.stages(), tab.composer.text()), (vec![], ""));
}

#[test]
fn a_message_of_unknown_outcome_that_the_server_keeps_is_offered_there_and_not_in_the_field() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    let kept = |state: &str| json!({ "messages": [{ "id": "1", "messageId": null, "state": state, "text": "later" }] });
    tab.session.set_backlog(json!({ "messages": [] }));
    tab.write(browser, "later");
    tab.session.set_backlog(kept("waiting"));
    tab.answered(browser, Err(CallFailure { uncertain: true, ..failure("the runtime ended") }));
    assert_eq!(
        (tab.stages(), tab.composer.text()),
        (vec![DeliveryStage::Unsure], "later"),
        "nobody knows better yet"
    );
    tab.session.set_backlog(kept("dropped"));
    tab.input(browser, Input::Look(Some(0)));
    assert_eq!((tab.stages(), tab.composer.text()), (vec![], ""));
    let offered = tab.session.snapshot()["queue"]["dropped"].clone();
    assert_eq!(offered.as_array().map(Vec::len), Some(1), "{offered}");
    assert_eq!(tab.next_sent(), None, "nothing is sent by itself");
}

#[test]
fn an_answer_for_another_session_changes_nothing_of_the_one_that_is_shown() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "a");
    tab.write(browser, "Hello");
    tab.show(browser, "b");
    tab.answered(browser, Err(failure("no")));
    assert_eq!((tab.composer.text(), tab.stages()), ("", vec![]));
    tab.show(browser, "a");
    assert_eq!(tab.stages(), [DeliveryStage::Unsure], "nobody waits for its answer any more");
}

#[test]
fn attachments_that_a_reload_has_lost_are_named() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.input(browser, Input::Attach(file("a.png")));
    tab.write(browser, "Hello");
    tab.typed(browser, "Other");
    tab.answered(browser, Err(CallFailure { unsent: true, ..failure("not connected") }));
    let mut tab = Tab::new(1, browser, "s");
    let number = tab.composer.outbox().sent()[0].number;
    tab.input(browser, Input::SendAgain(number));
    assert_eq!((tab.next_sent(), tab.composer.text(), tab.stages()), (None, "Hello\n\nOther", vec![]));
    assert_eq!(tab.note(), Some(Note::info(&words::ATTACH_AGAIN.with(&[("names", "a.png".into())]))));
}

#[test]
fn a_command_runs_and_what_is_none_is_asked_about() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.commands = Command::list(json!({ "commands": [{ "name": "plan" }] }));
    tab.write(browser, "/plan a boat");
    let Some(Effect::Run(command, input, text)) = tab.effects.pop() else { panic!("{:?}", tab.effects) };
    assert_eq!((command.name.as_str(), input.as_str(), text.as_str()), ("plan", "a boat", "/plan a boat"));
    tab.input(browser, Input::SendCommand("/plan a boat"));
    let number = tab.composer.newest();
    tab.input(browser, Input::CommandUnsure(number, "/plan a boat"));
    assert_eq!((tab.composer.text(), tab.stages()), ("/plan a boat", vec![DeliveryStage::Unsure]));
    tab.input(browser, Input::Forget(number));
    tab.write(browser, "/plam a boat");
    assert_eq!((tab.next_sent(), tab.composer.text()), (None, "/plam a boat"));
    tab.typed(browser, "/plam a ship");
    tab.submit(browser);
    assert_eq!(tab.next_sent(), None, "another text is another doubt");
    tab.submit(browser);
    assert_eq!(tab.next_sent().map(|(_, message)| message.prompt), Some("/plam a ship".to_owned()));
}

#[test]
fn what_has_no_answer_when_the_page_is_reloaded_may_have_arrived_and_can_be_put_back() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.write(browser, "Just now");
    tab.input(browser, Input::SendCommand("/plan the boats"));
    let mut tab = Tab::new(1, browser, "s");
    assert_eq!((tab.stages(), tab.composer.text()), (vec![DeliveryStage::Unsure, DeliveryStage::Unsure], ""));
    let numbers: Vec<u64> = tab.composer.outbox().sent().iter().map(|sent| sent.number).collect();
    tab.input(browser, Input::PutBack(numbers[1]));
    tab.input(browser, Input::PutBack(numbers[0]));
    assert_eq!(tab.composer.text(), "Just now\n\n/plan the boats");
    assert_eq!(tab.stages(), [DeliveryStage::Unsure, DeliveryStage::Unsure], "they are still looked for");
    assert!(tab.effects.is_empty(), "nothing is sent by itself: {:?}", tab.effects);
}

#[test]
fn a_queued_command_that_arrived_although_its_answer_was_lost_is_not_in_the_field_any_more() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.input(browser, Input::SendCommand("/compact keep names"));
    let number = tab.composer.newest();
    tab.input(browser, Input::CommandUnsure(number, "/compact keep names"));
    assert_eq!(tab.composer.text(), "/compact keep names");
    let item = json!({ "id": "c", "kind": "command", "displayText": "/compact keep names" });
    tab.session.set_queue(json!({ "items": [item] }));
    tab.input(browser, Input::Look(Some(0)));
    assert_eq!((tab.stages(), tab.composer.text()), (vec![], ""));
    assert_eq!(tab.note(), Some(Note::info(words::ARRIVED.text())));
}

#[test]
fn a_message_with_a_picture_is_not_taken_for_somebody_elses_with_the_same_words() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.input(browser, Input::Attach(file("boat.png")));
    tab.write(browser, "Look at this");
    tab.answered(browser, Err(CallFailure { uncertain: true, ..failure("lost") }));
    tab.event(browser, "user.message", &json!({ "content": "Look at this", "messageId": "another" }));
    assert_eq!((tab.stages(), tab.composer.text()), (vec![DeliveryStage::Unsure], "Look at this"));
    assert_eq!(tab.composer.files().len(), 1, "its picture is in the field");
}

#[test]
fn a_message_comes_back_with_its_own_attachments_and_leaves_those_of_a_draft() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.input(browser, Input::Attach(file("first.png")));
    tab.write(browser, "First");
    tab.typed(browser, "Second");
    tab.answered(browser, Err(CallFailure { uncertain: true, ..failure("lost") }));
    assert_eq!(tab.composer.files(), []);
    tab.input(browser, Input::Attach(file("second.png")));
    tab.typed(browser, "");
    let number = tab.composer.newest();
    tab.input(browser, Input::PutBack(number));
    tab.input(browser, Input::PutBack(number));
    let names: Vec<&str> = tab.composer.files().iter().map(|file| file.name.as_str()).collect();
    assert_eq!((names, tab.composer.text()), (vec!["second.png", "first.png"], "First\n\nFirst"));
    tab.input(browser, Input::Detach(7));
    tab.input(browser, Input::Detach(0));
    assert_eq!(tab.composer.files().len(), 1);
}

#[test]
fn nothing_is_sent_where_nothing_can_be() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.write(browser, "  \n");
    tab.connected = false;
    tab.write(browser, "Hello");
    tab.connected = true;
    tab.event(browser, "session.shutdown", &json!({}));
    tab.submit(browser);
    assert_eq!((tab.next_sent(), tab.composer.text()), (None, "Hello"));
}

#[test]
fn what_is_sent_while_files_are_read_waits_for_them() {
    let browser = &mut Browser::default();
    for (refused, other_session) in [(false, false), (true, false), (false, true)] {
        let mut tab = Tab::new(1, browser, "s");
        tab.typed(browser, "Look");
        tab.input(browser, Input::Reading);
        tab.input(browser, Input::Reading);
        tab.submit(browser);
        tab.input(browser, Input::Attach(file("a.png")));
        tab.input(browser, Input::Read(Vec::new()));
        assert_eq!(tab.next_sent(), None);
        if other_session {
            tab.show(browser, "t");
        }
        tab.input(browser, Input::Read(if refused { vec!["too large".to_owned()] } else { Vec::new() }));
        let files = tab.next_sent().map(|(_, message)| message.files.len());
        assert_eq!(files, (!refused && !other_session).then_some(1));
    }
}

#[test]
fn a_queued_message_is_edited_in_the_field_and_what_was_there_comes_back() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.queue(browser, &[("a", "first"), ("b", "second")]);
    tab.typed(browser, "draft");
    tab.input(browser, Input::Edit("a", "first"));
    assert_eq!((tab.composer.text(), tab.composer.editing()), ("first", Some(&("a".to_owned(), true))));
    assert_eq!(tab.note(), Some(Note::info(words::EDITING.text())));
    assert_eq!(Tab::new(2, browser, "s").composer.text(), "draft", "an edit is no draft");
    assert_eq!(Tab::new(1, browser, "s").composer.editing(), Some(&("a".to_owned(), true)), "after a reload");
    tab.typed(browser, "first, changed");
    tab.input(browser, Input::Edit("b", "second"));
    let saved = QueueEdit::Rewrite { id: "a".to_owned(), text: "first, changed".to_owned() };
    assert_eq!(tab.effects.pop(), Some(Effect::Edit(saved)), "the other edit is saved");
    tab.input(browser, Input::BringBack("what failed"));
    tab.submit(browser);
    let saved = QueueEdit::Rewrite { id: "b".to_owned(), text: "second".to_owned() };
    assert_eq!(tab.effects.pop(), Some(Effect::Edit(saved)));
    assert_eq!(
        (tab.composer.text(), tab.composer.editing(), tab.note()),
        ("what failed\n\ndraft", None, None)
    );
    tab.input(browser, Input::Edit("b", "second"));
    tab.input(browser, Input::Cancel);
    assert_eq!((tab.composer.text(), tab.effects.len()), ("what failed\n\ndraft", 0));
}

#[test]
fn an_edit_whose_message_the_agent_has_begun_is_a_new_message() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    tab.queue(browser, &[("a", "first")]);
    tab.typed(browser, "draft");
    tab.input(browser, Input::Edit("a", "first"));
    tab.queue(browser, &[]);
    assert_eq!(tab.composer.editing(), Some(&("a".to_owned(), false)));
    assert_eq!((tab.note(), tab.composer.text()), (Some(Note::info(words::EDITING_GONE.text())), "first"));
    tab.submit(browser);
    assert_eq!(tab.next_sent().map(|(_, message)| message.prompt), Some("first".to_owned()));
    assert_eq!((tab.composer.text(), tab.composer.editing()), ("draft", None));
}

#[test]
fn a_note_goes_when_what_it_speaks_of_is_over() {
    let browser = &mut Browser::default();
    let mut tab = Tab::new(1, browser, "s");
    let note = Note::info("nothing to stop");
    tab.input(browser, Input::NoteWhile(note.clone(), About::Turn { busy: false }));
    tab.input(browser, Input::Look(None));
    assert_eq!(tab.note(), Some(note.clone()));
    tab.event(browser, "assistant.turn_start", &json!({ "turnId": "0" }));
    assert_eq!(tab.note(), None);
    tab.input(browser, Input::NoteWhile(note, About::Turn { busy: true }));
    tab.input(browser, Input::Note(Some(Note::info("another"))));
    tab.event(browser, "session.idle", &json!({}));
    assert_eq!(tab.note(), Some(Note::info("another")), "only the note itself");
    tab.input(browser, Input::Acts);
    assert_eq!(tab.note(), None);
}
