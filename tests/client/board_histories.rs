//! Random histories of a board with cards, shortened to a list of steps when something is wrong.

use std::collections::BTreeMap;

use pilothouse::core::client::board::Input;
use pilothouse::core::client::{self, connection};
use pilothouse::core::model::request::Request;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::board::{PERMISSION, Scene, event, known, request};

const PENDING: &str = "session.permissions.pendingRequests";

/// What happens.
#[derive(Debug, Clone)]
enum Step {
    /// The agent asks.
    Ask,
    /// Somebody answers in another program.
    AnswerElsewhere,
    /// Somebody stops the agent: this often in ten a sub-agent goes on asking.
    Stop(usize),
    /// The cards are shown.
    Open,
    /// The newest cards are gone.
    Close,
    /// A person allows the first request that waits on the newest cards.
    Press,
    /// The gateway has carried out what was sent to it, and its answers arrive, or get lost.
    Deliver(bool),
    /// The connection is cut.
    Cut,
    /// It is there again.
    Connect,
    /// The gateway tells what has changed.
    Tell,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Ask),
        1 => Just(Step::AnswerElsewhere),
        2 => (0_usize..10).prop_map(Step::Stop),
        2 => Just(Step::Open),
        1 => Just(Step::Close),
        4 => Just(Step::Press),
        4 => any::<bool>().prop_map(Step::Deliver),
        1 => Just(Step::Cut),
        2 => Just(Step::Connect),
        4 => Just(Step::Tell),
    ]
}

/// A gateway with one session, and the board that shows it.
struct World {
    scene: Scene,
    /// The cards that are on screen.
    shown: Vec<u32>,
    is_connected: bool,
    open: Vec<String>,
    asked: usize,
    /// Requests that ended since the last news, with the events that ended them.
    ended: Vec<Value>,
    /// The requests in the last news.
    told: Vec<String>,
    presses: BTreeMap<String, usize>,
    arrived: BTreeMap<String, usize>,
}

impl World {
    fn new() -> Self {
        let mut world = Self {
            scene: Scene::new(),
            shown: Vec::new(),
            is_connected: false,
            open: Vec::new(),
            asked: 0,
            ended: Vec::new(),
            told: Vec::new(),
            presses: BTreeMap::new(),
            arrived: BTreeMap::new(),
        };
        world.connect();
        world
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Ask => {
                self.asked += 1;
                self.open.push(format!("p{}", self.asked));
            }
            Step::AnswerElsewhere => {
                if let Some(id) = self.open.first().cloned() {
                    self.settle(&id);
                }
            }
            Step::Stop(goes_on) => {
                // The gateway has asked meanwhile what is still open.
                let abort = event("abort", &self.asked.to_string(), &json!({ "reason": "user" }));
                let still = |(place, _): &(usize, &String)| (place * 7 + goes_on) % 10 < *goes_on;
                let left = self.open.iter().enumerate().filter(still).map(|(_, id)| id.clone()).collect();
                for id in std::mem::replace(&mut self.open, left) {
                    self.ended.push(json!({ "requestId": id, "event": abort }));
                }
            }
            Step::Open => {
                let number = self.scene.open_cards("s");
                self.shown.push(number);
            }
            Step::Close => {
                if let Some(number) = self.shown.pop() {
                    self.scene.card_input(number, client::Input::Close);
                    self.scene.input(Input::CardsClosed(number));
                }
            }
            Step::Press => self.press(),
            Step::Deliver(arrives) => self.deliver(*arrives),
            Step::Cut => self.cut(),
            Step::Connect => self.connect(),
            Step::Tell => self.tell(),
        }
    }

    fn settle(&mut self, id: &str) -> bool {
        let was = self.open.len();
        self.open.retain(|open| open != id);
        let counts = self.open.len() < was;
        if counts {
            let data = json!({ "requestId": id, "result": { "kind": "approved" } });
            self.ended.push(json!({ "requestId": id, "event": event("permission.completed", id, &data) }));
        }
        counts
    }

    fn press(&mut self) {
        let Some(number) = self.shown.last().copied() else { return };
        let waits = (1..=self.asked).map(|ask| format!("p{ask}")).find(|id| self.scene.waits(number, id));
        if let Some(id) = waits {
            self.scene.allow(number, &id);
            *self.presses.entry(id).or_default() += 1;
        }
    }

    /// Everything that was sent reaches the gateway.
    fn deliver(&mut self, arrives: bool) {
        while let Some((_, method, params)) = self.scene.sent.last().cloned() {
            let answer = match method.as_str() {
                "pilothouse.board" => {
                    self.told.clone_from(&self.open);
                    self.ended.clear();
                    let requests: Vec<Value> = self.open.iter().map(|id| request(id)).collect();
                    json!({ "sessions": [{ "sessionId": "s", "status": "running", "requests": requests }] })
                }
                PENDING => {
                    let items = self.open.iter().map(|id| json!({ "requestId": id }));
                    json!({ "items": items.collect::<Vec<_>>() })
                }
                PERMISSION => {
                    let id = params["requestId"].as_str().unwrap().to_owned();
                    *self.arrived.entry(id.clone()).or_default() += 1;
                    json!({ "success": self.settle(&id) })
                }
                method => panic!("{method}"),
            };
            if arrives {
                self.scene.answer(&method, Ok(answer));
            } else {
                return self.cut();
            }
        }
    }

    fn tell(&mut self) {
        // What a board has not subscribed to it is not told.
        if !self.is_connected || self.scene.sent.iter().any(|(_, method, _)| method == "pilothouse.board") {
            return;
        }
        let told = |id: &String| if self.told.contains(id) { known(id) } else { request(id) };
        let mut news =
            json!({ "sessionId": "s", "requests": self.open.iter().map(told).collect::<Vec<_>>() });
        if !self.ended.is_empty() {
            news["settled"] = std::mem::take(&mut self.ended).into();
        }
        self.told.clone_from(&self.open);
        self.scene.news(&news);
    }

    fn cut(&mut self) {
        if std::mem::take(&mut self.is_connected) {
            self.scene.cut();
            self.scene.sent.clear();
        }
    }

    fn connect(&mut self) {
        if !std::mem::replace(&mut self.is_connected, true) {
            self.scene.connection(connection::Input::Retry);
            self.scene.socket_opened();
        }
    }

    /// What is wrong in the end.
    fn check(&mut self) -> Result<(), String> {
        self.connect();
        self.deliver(true);
        self.tell();
        self.deliver(true);
        self.tell();
        for number in &self.shown {
            let state = self.scene.cards[*number as usize - 1].session.state();
            let open = state.open_requests.iter().filter_map(|place| state.entry(*place));
            let open = open.filter(|entry| entry.request().is_some_and(Request::open));
            let mut open: Vec<&String> = open.map(|entry| &entry.id).collect();
            open.sort_by_key(|id| (id.len(), *id));
            if open != self.open.iter().collect::<Vec<_>>() {
                return Err(format!("cards {number} show {open:?}, and {:?} are open", self.open));
            }
        }
        for (id, arrived) in &self.arrived {
            let presses = self.presses.get(id).copied().unwrap_or(0);
            if *arrived > presses {
                return Err(format!("{id} was answered {presses} times, and {arrived} answers arrived"));
            }
        }
        Ok(())
    }
}

#[test]
fn in_the_end_cards_show_what_is_open_and_no_answer_was_sent_twice() {
    proptest!(crate::config(1_000), |(steps in prop::collection::vec(step(), 4..40))| {
        let mut world = World::new();
        for step in &steps {
            world.step(step);
        }
        let found = world.check();
        prop_assert!(found.is_ok(), "{}", found.unwrap_err());
    });
}
