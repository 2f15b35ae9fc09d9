//! Messages to the agent: how they go out, what becomes of them. Refuses to send one by itself: what may have arrived
//! is told, and a person decides.

use leptos::prelude::*;
use serde_json::{Map, Value};
use wasm_bindgen_futures::spawn_local;

use super::attach::Attached;
use super::notes::Said;
use super::{Steer, commands, drafts, queue};
use crate::core::compose::command_of;
use crate::core::language::words::steer as words;
use crate::core::order::Failure;
use crate::core::outbox::Stage;
use crate::core::queue::Queued;
use crate::ui::dom::follow;
use crate::ui::memory;

/// Under this name the browser remembers that Enter sends at once while the agent works.
const STEERS: &str = "enter-steers";

/// How a message reaches an agent that works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Behind what waits.
    Queue,
    /// Into the turn that runs.
    Now,
}

impl Way {
    /// What Enter does.
    pub(super) fn usual() -> Self {
        if memory::recall(STEERS).is_some() { Self::Now } else { Self::Queue }
    }

    /// Makes it what Enter does.
    pub(super) fn make_usual(self) {
        match self {
            Self::Now => memory::remember(STEERS, "1"),
            Self::Queue => memory::forget(STEERS),
        }
    }

    pub(super) fn other(self) -> Self {
        if self == Self::Queue { Self::Now } else { Self::Queue }
    }
}

/// A message as it goes out.
pub(super) struct Letter {
    /// What the agent reads.
    pub(super) prompt: String,
    /// What people read, where that is something else.
    pub(super) display: Option<String>,
    /// The mode in which it is worked on, where it is not the session's.
    pub(super) mode: Option<String>,
    /// Images.
    pub(super) files: Vec<Attached>,
    /// Into the turn, or behind it; none while no turn runs.
    pub(super) way: Option<Way>,
}

/// Does what the field says: changes a queued message, runs a command, or sends a message.
pub(super) fn submit(steer: Steer, way: Way) {
    let text = steer.text.get_untracked();
    let files = steer.files.get_untracked();
    let unable = || steer.ended() || !steer.connected() || (steer.replies() && steer.busy());
    if (text.trim().is_empty() && files.is_empty()) || untrack(unable) {
        return;
    }
    steer.said.set(None);
    if let Some((id, true)) = steer.editing.get_untracked() {
        queue::save(steer, id, text);
        return;
    }
    steer.editing.set(None);
    let command = steer.commands.with_untracked(|commands| {
        let (command, input) = command_of(&text, commands)?;
        Some((command.clone(), input.to_owned()))
    });
    drafts::remember(steer, &text);
    if let Some((command, input)) = command {
        steer.write("", None);
        commands::run(steer, &command, &input, text);
        return;
    }
    let way = untrack(|| steer.busy()).then_some(way);
    steer.write("", None);
    steer.files.set(Vec::new());
    send(steer, Letter { prompt: text, display: None, mode: None, files, way });
}

/// Sends a message, and follows it until it is seen.
pub(super) fn send(steer: Steer, letter: Letter) {
    let sent = begin(steer, &letter);
    spawn_local(async move {
        if let Some((number, sent)) = sent {
            let outcome = sent.await;
            ended(steer, number, &letter, outcome);
        }
    });
}

/// Sends what was dropped again, one after the other, so that their order stays.
pub(super) fn put_back(steer: Steer, items: Vec<Queued>) {
    let letters: Vec<_> = items
        .into_iter()
        .map(|item| Letter {
            prompt: item.text,
            display: None,
            mode: item.agent_mode,
            files: Vec::new(),
            way: Some(Way::Queue),
        })
        .collect();
    spawn_local(async move {
        for letter in letters {
            let Some((number, sent)) = begin(steer, &letter) else { return };
            let outcome = sent.await;
            ended(steer, number, &letter, outcome);
        }
    });
}

fn begin(steer: Steer, letter: &Letter) -> Option<(u64, crate::store::Ordered)> {
    let session = steer.store.live_session()?;
    let shown = letter.display.as_ref().unwrap_or(&letter.prompt);
    let number = steer.outbox.try_update(|outbox| outbox.begin(shown, session.borrow().state()))?;
    let mut params = Map::new();
    let mut put = |name: &str, value: Value| params.insert(name.to_owned(), value);
    put("prompt", letter.prompt.as_str().into());
    if let Some(display) = &letter.display {
        put("displayPrompt", display.as_str().into());
    }
    match letter.way {
        Some(Way::Now) => _ = put("mode", "immediate".into()),
        Some(Way::Queue) => _ = put("mode", "enqueue".into()),
        None => {}
    }
    if let Some(mode) = &letter.mode {
        put("agentMode", mode.as_str().into());
    }
    if !letter.files.is_empty() {
        put("attachments", letter.files.iter().map(Attached::json).collect());
    }
    Some((number, steer.store.order("session.send", Value::Object(params))?))
}

fn ended(steer: Steer, number: u64, letter: &Letter, outcome: Result<Value, Failure>) {
    if steer.kept.try_with_value(|_| ()).is_none() {
        return;
    }
    let stage = match outcome {
        Ok(answer) => match answer.get("messageId").and_then(Value::as_str) {
            Some(id) => Stage::Taken(id.to_owned()),
            // It was taken, and nobody says as what: its text tells.
            None => Stage::Unsure,
        },
        Err(failure) => {
            if steer.text.with_untracked(String::is_empty) && letter.display.is_none() {
                steer.write(&letter.prompt, None);
            }
            if steer.files.with_untracked(Vec::is_empty) {
                steer.files.set(letter.files.clone());
            }
            if failure.uncertain { Stage::Unsure } else { Stage::Failed(Said::why(&failure)) }
        }
    };
    steer.outbox.update(|outbox| outbox.stage(number, stage));
    untrack(|| settle(steer));
}

/// Follows what the session shows: what is there is on its way no more.
pub(super) fn listen(steer: Steer) {
    follow(Box::new(move || {
        steer.store.heard().track();
        untrack(|| {
            settle(steer);
            queue::look(steer);
        });
    }));
}

fn settle(steer: Steer) {
    let Some(session) = steer.store.live_session() else { return };
    let mut outbox = steer.outbox.get_untracked();
    if outbox.sent().is_empty() {
        return;
    }
    let seen = outbox.settle(session.borrow().state());
    if seen.is_empty() {
        return;
    }
    steer.outbox.set(outbox);
    for sent in seen {
        // It had arrived: what was put back into the field is not to be sent again.
        let again = steer.text.with_untracked(|text| *text == sent.text);
        if sent.stage == Stage::Unsure && again {
            steer.write("", None);
            steer.files.set(Vec::new());
            steer.said.set(Some(Said::told(words::ARRIVED.text())));
        }
    }
}
