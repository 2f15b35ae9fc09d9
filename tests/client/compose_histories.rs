//! Random histories of what people write in two tabs, shortened to a list of steps when something is wrong.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse::core::Session;
use pilothouse::core::client::compose::{
    Area, Composer, DeliveryMode, Effect, Input, OutgoingMessage, StoredTexts, Submitted,
};
use pilothouse::core::model::outbox::DeliveryStage;
use pilothouse::core::protocol::call::CallFailure;
use proptest::prelude::*;
use serde_json::json;

const TABS: usize = 2;

/// What happens.
#[derive(Debug, Clone)]
enum Step {
    /// A person adds a word in this tab.
    Type(usize),
    /// A person presses Enter in this tab.
    Submit(usize),
    /// The oldest message that was sent reaches the server, or does not; and its answer the tab.
    Answer { arrives: bool, is_told: bool },
    /// What has happened in the session reaches this tab.
    Deliver(usize),
    /// A tab is loaded again. What it has just sent reaches the server, or does not.
    Reload(usize, bool),
    /// This tab shows another session, or the first one again.
    Switch(usize),
    /// A person sends the first message again that offers it.
    SendAgain(usize),
    /// A person puts the first message back that offers it.
    PutBack(usize),
    /// An older message is shown, then what was being written again.
    Browse(usize),
    /// There is a connection again.
    Connected(usize),
    /// So many seconds pass.
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let tab = || 0..TABS;
    prop_oneof![
        4 => tab().prop_map(Step::Type),
        5 => tab().prop_map(Step::Submit),
        5 => any::<(bool, bool)>().prop_map(|(arrives, is_told)| Step::Answer { arrives, is_told }),
        4 => tab().prop_map(Step::Deliver),
        1 => (tab(), any::<bool>()).prop_map(|(tab, arrives)| Step::Reload(tab, arrives)),
        1 => tab().prop_map(Step::Switch),
        2 => tab().prop_map(Step::SendAgain),
        2 => tab().prop_map(Step::PutBack),
        1 => tab().prop_map(Step::Browse),
        1 => tab().prop_map(Step::Connected),
        1 => prop_oneof![Just(1), Just(4), Just(20)].prop_map(Step::Wait),
    ]
}

#[derive(Default)]
struct Tab {
    composer: Composer,
    session: Session,
    /// It shows the other session.
    is_elsewhere: bool,
}

/// A message on its way to the server: whose it is, and in which session.
struct Underway {
    tab: usize,
    number: u64,
    message: OutgoingMessage,
    is_elsewhere: bool,
}

#[derive(Default)]
struct World {
    tabs: [Tab; TABS],
    /// What the browser keeps: for all tabs at 0, for each tab behind it.
    browser: BTreeMap<(usize, String), String>,
    underway: Vec<Underway>,
    /// The messages in the first session, and how many words of each have been sent.
    log: Vec<String>,
    sent: BTreeMap<String, usize>,
    words: usize,
    /// The words that were typed for the first session.
    typed: BTreeSet<String>,
    seconds: u64,
}

impl World {
    fn new() -> Self {
        let mut world = Self::default();
        (0..TABS).for_each(|tab| world.show(tab));
        world
    }

    fn show(&mut self, tab: usize) {
        let id = if self.tabs[tab].is_elsewhere { "other" } else { "first" };
        self.tabs[tab].session = Session::new();
        let start = json!({ "type": "session.start", "id": "0", "data": { "sessionId": id } });
        self.tabs[tab].session.push_frame(&start.to_string());
        let browser = &self.browser;
        let stored =
            StoredTexts::of(id, |area, name| browser.get(&(place(area, tab), name.to_owned())).cloned());
        self.input(tab, Input::Session(id, stored));
    }

    /// Gives a composer an input. Returns what it sends.
    fn input(&mut self, tab: usize, input: Input<'_>) -> Vec<(u64, OutgoingMessage)> {
        let mut sent = Vec::new();
        let Tab { composer, session, .. } = &mut self.tabs[tab];
        for effect in composer.update(input, session.state()) {
            match effect {
                Effect::Keep(area, name, Some(text)) => {
                    _ = self.browser.insert((place(area, tab), name), text);
                }
                Effect::Keep(area, name, None) => _ = self.browser.remove(&(place(area, tab), name)),
                Effect::Recall(draft, sessions) => {
                    let read = |name: &str| self.browser.get(&(0, name.to_owned())).cloned();
                    let (draft, sessions) = (read(&draft), read(sessions));
                    let recalled = Input::Recalled { draft: draft.as_deref(), sessions: sessions.as_deref() };
                    assert!(self.input(tab, recalled).is_empty());
                }
                Effect::Send(number, message) => sent.push((number, message)),
                _ => {}
            }
        }
        sent
    }

    /// An input that sends nothing by itself.
    fn quiet(&mut self, tab: usize, input: Input<'_>) {
        let sent = self.input(tab, input);
        assert!(sent.is_empty(), "nobody has sent {sent:?}");
    }

    /// A person sends.
    fn person_sends(&mut self, tab: usize, input: Input<'_>) {
        let is_elsewhere = self.tabs[tab].is_elsewhere;
        for (number, message) in self.input(tab, input) {
            for word in message.prompt.split_whitespace() {
                *self.sent.entry(word.to_owned()).or_default() += 1;
            }
            self.underway.push(Underway { tab, number, message, is_elsewhere });
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Type(tab) => {
                self.words += 1;
                let word = format!("w{}", self.words);
                let text = self.tabs[*tab].composer.text();
                let text = if text.is_empty() { word.clone() } else { format!("{text} {word}") };
                self.quiet(*tab, Input::Typed(text));
                if !self.tabs[*tab].is_elsewhere {
                    self.typed.insert(word);
                }
            }
            Step::Submit(tab) => {
                let way = DeliveryMode::Queue;
                let submitted = Submitted { way, connected: true, replies: false, commands: &[] };
                self.person_sends(*tab, Input::Submit(submitted));
            }
            Step::Answer { arrives, is_told } => self.answer(*arrives, *is_told),
            Step::Deliver(tab) => self.deliver(*tab),
            Step::Reload(tab, arrives) => {
                let mine = |underway: &Underway| underway.tab == *tab;
                let (gone, left) = std::mem::take(&mut self.underway).into_iter().partition(mine);
                self.underway = left;
                let gone: Vec<Underway> = gone;
                for underway in gone.into_iter().filter(|underway| *arrives && !underway.is_elsewhere) {
                    self.log.push(underway.message.prompt);
                }
                self.tabs[*tab] = Tab::default();
                self.show(*tab);
            }
            Step::Switch(tab) => {
                self.tabs[*tab].is_elsewhere ^= true;
                self.show(*tab);
            }
            Step::SendAgain(tab) => {
                let offers = |stage: &DeliveryStage| {
                    matches!(stage, DeliveryStage::Unsent | DeliveryStage::Undelivered(_))
                };
                if let Some(number) = self.first(*tab, offers) {
                    self.person_sends(*tab, Input::SendAgain(number));
                }
            }
            Step::PutBack(tab) => {
                let is_decided =
                    |stage: &DeliveryStage| matches!(stage, DeliveryStage::Sending | DeliveryStage::Taken(_));
                if let Some(number) = self.first(*tab, |stage| !is_decided(stage)) {
                    self.quiet(*tab, Input::PutBack(number));
                }
            }
            Step::Browse(tab) => {
                let before = self.tabs[*tab].composer.text().to_owned();
                self.quiet(*tab, Input::Older);
                self.quiet(*tab, Input::Newer);
                assert_eq!(self.tabs[*tab].composer.text(), before);
            }
            Step::Connected(tab) => self.quiet(*tab, Input::Connected),
            Step::Wait(seconds) => {
                self.seconds += seconds;
                (0..TABS).for_each(|tab| self.look(tab));
            }
        }
    }

    /// The first message of a tab in such a stage.
    fn first(&self, tab: usize, is: impl Fn(&DeliveryStage) -> bool) -> Option<u64> {
        let mut sent = self.tabs[tab].composer.outbox().sent().iter();
        sent.find(|sent| is(&sent.stage)).map(|sent| sent.number)
    }

    fn answer(&mut self, arrives: bool, is_told: bool) {
        if self.underway.is_empty() {
            return;
        }
        let Underway { tab, number, message, is_elsewhere } = self.underway.remove(0);
        let mut id = format!("other {number}");
        if arrives && !is_elsewhere {
            self.log.push(message.prompt.clone());
            id = format!("m{}", self.log.len());
        }
        let failure = |uncertain, unsent| CallFailure {
            words: "no".to_owned(),
            message: String::new(),
            reason: None,
            uncertain,
            unsent,
        };
        let outcome = match (arrives, is_told) {
            (true, true) => Ok(json!({ "messageId": id })),
            (false, true) => Err(failure(false, true)),
            (_, false) => Err(failure(true, false)),
        };
        self.quiet(tab, Input::Sent(number, message, outcome));
        self.look(tab);
    }

    fn deliver(&mut self, tab: usize) {
        if !self.tabs[tab].is_elsewhere {
            for (place, text) in self.log.iter().enumerate() {
                let id = format!("m{}", place + 1);
                let data = json!({ "content": text, "messageId": id });
                let event = json!({ "type": "user.message", "id": format!("e{place}"), "data": data });
                self.tabs[tab].session.push_frame(&event.to_string());
            }
        }
        self.look(tab);
    }

    fn look(&mut self, tab: usize) {
        self.quiet(tab, Input::Look(Some(self.seconds * 1_000)));
    }

    /// What is wrong in the end.
    fn check(&mut self) -> Result<(), String> {
        while !self.underway.is_empty() {
            self.answer(true, true);
        }
        for tab in 0..TABS {
            if self.tabs[tab].is_elsewhere {
                self.step(&Step::Switch(tab));
            }
            self.deliver(tab);
            let taken = self.first(tab, |stage| matches!(stage, DeliveryStage::Taken(_)));
            if let Some(number) = taken {
                return Err(format!("message {number} of tab {tab} has begun, and is still under way"));
            }
        }
        for word in &self.typed {
            let has = |text: &str| text.split_whitespace().any(|other| other == word);
            let arrived = self.log.iter().filter(|text| has(text)).count();
            let sent = self.sent.get(word).copied().unwrap_or(0);
            if arrived > sent {
                return Err(format!("{word} was sent {sent} times, and arrived {arrived} times"));
            }
            let is_there = self.tabs.iter().any(|Tab { composer, .. }| {
                has(composer.text()) || composer.outbox().sent().iter().any(|sent| has(&sent.text))
            });
            if arrived == 0 && !is_there {
                return Err(format!("{word} is lost"));
            }
        }
        Ok(())
    }
}

fn place(area: Area, tab: usize) -> usize {
    match area {
        Area::Browser => 0,
        Area::Tab => tab + 1,
    }
}

#[test]
fn no_word_is_lost_and_none_is_sent_by_itself() {
    proptest!(crate::config(2_000), |(steps in prop::collection::vec(step(), 4..40))| {
        let mut world = World::new();
        for step in &steps {
            world.step(step);
        }
        let found = world.check();
        prop_assert!(found.is_ok(), "{}", found.unwrap_err());
    });
}
