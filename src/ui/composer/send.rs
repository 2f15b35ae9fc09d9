//! Sends messages to the agent, and follows what becomes of them. None is sent again by itself: one that may
//! have arrived is shown, and a person decides.

use leptos::prelude::*;
use serde_json::{Map, Value};
use wasm_bindgen_futures::spawn_local;

use super::attach::Attached;
use super::notes::Said;
use super::{Steer, commands, drafts, queue};
use crate::core::i18n::words::steer as words;
use crate::core::model::outbox::{Sent, Stage};
use crate::core::protocol::ErrorReason;
use crate::core::protocol::order::Failure;
use crate::core::view_model::compose::slash;
use crate::ui::elements::preferences;
use crate::ui::elements::reactive::render_effect;

/// The storage key for: Enter sends at once while the agent works.
const STEERS: &str = "enter-steers";

/// How a message reaches an agent that is working.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// At the end of the queue.
    Queue,
    /// Into the running turn.
    Now,
}

impl Way {
    /// The way that Enter uses.
    pub(super) fn usual() -> Self {
        if preferences::recall(STEERS).is_some() { Self::Now } else { Self::Queue }
    }

    /// Makes this the way that Enter uses.
    pub(super) fn make_usual(self) {
        match self {
            Self::Now => preferences::remember(STEERS, "1"),
            Self::Queue => preferences::forget(STEERS),
        }
    }

    pub(super) fn other(self) -> Self {
        if self == Self::Queue { Self::Now } else { Self::Queue }
    }
}

/// A message as it is sent.
#[derive(Debug, Clone)]
pub(super) struct Letter {
    /// What the agent reads.
    pub(super) prompt: String,
    /// What people read, where that is something else.
    pub(super) display: Option<String>,
    /// The mode in which it is worked on, where it is not the session's.
    pub(super) mode: Option<String>,
    /// Attachments.
    pub(super) files: Vec<Attached>,
    /// Into the turn, or into the queue; `None` while no turn runs.
    pub(super) way: Option<Way>,
}

impl Letter {
    /// What people read.
    pub(super) fn shown(&self) -> &str {
        self.display.as_ref().unwrap_or(&self.prompt)
    }
}

/// Submits the field: changes a queued message, runs a command, or sends a message.
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
    let command = commands::in_text(steer, &text);
    if command.is_none() && asks_first(steer, &text) {
        return;
    }
    drafts::remember(steer, &text);
    // If the agent began the message during the edit, its text is sent anew. The
    // text from before the edit comes back.
    let aside = queue::aside(steer);
    if let Some((command, input)) = command {
        steer.write(&aside, None);
        commands::run(steer, &command, &input, text);
        return;
    }
    let way = untrack(|| steer.busy()).then_some(way);
    steer.write(&aside, None);
    steer.files.set(Vec::new());
    send(steer, Letter { prompt: text, display: None, mode: None, files, way });
}

/// A text that looks like a command but is none is sent only on the second try.
/// Returns true on the first, and says so.
fn asks_first(steer: Steer, text: &str) -> bool {
    let unknown = steer.unknown.get_untracked();
    steer.unknown.set(None);
    let known = steer.commands.with_untracked(|commands| !commands.is_empty());
    let Some((name, _)) = slash(text.trim_start()).filter(|_| known) else { return false };
    if unknown.as_deref() == Some(text) {
        return false;
    }
    steer.store.desk.say(&words::AS_TEXT.with(&[("name", name.into())]));
    steer.unknown.set(Some(text.to_owned()));
    true
}

/// Sends a message, and follows it until it is in the session.
pub(super) fn send(steer: Steer, letter: Letter) {
    // A queued message is shown above the field, so the scroll position stays.
    if letter.way != Some(Way::Queue) {
        steer.store.desk.to_end();
    }
    let sent = begin(steer, &letter);
    spawn_local(async move {
        if let Some((number, sent)) = sent {
            let outcome = sent.await;
            ended(steer, number, letter, outcome);
        }
    });
}

/// Same as [`send`], but returns when the server has answered. `None` if the composer has gone meanwhile.
pub(super) async fn deliver(steer: Steer, letter: Letter) -> Option<()> {
    let (number, sent) = begin(steer, &letter)?;
    let outcome = sent.await;
    ended(steer, number, letter, outcome);
    steer.kept.try_with_value(|_| ())
}

fn begin(steer: Steer, letter: &Letter) -> Option<(u64, crate::client::store::Ordered)> {
    let session = steer.store.live_session()?;
    let names = letter.files.iter().map(|file| file.name().to_owned()).collect();
    let number =
        steer.outbox.try_update(|outbox| outbox.begin(letter.shown(), names, session.borrow().state()))?;
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

fn ended(steer: Steer, number: u64, letter: Letter, outcome: Result<Value, Failure>) {
    if steer.kept.try_with_value(|_| ()).is_none() {
        return;
    }
    let stage = match outcome {
        Ok(answer) => match answer.get("messageId").and_then(Value::as_str) {
            Some(id) => {
                steer.kept.update_value(|kept| kept.letters.push((id.to_owned(), letter)));
                Stage::Taken(id.to_owned())
            }
            // It was accepted, but without an id: its text has to identify it.
            None => Stage::Unsure,
        },
        // It is offered above the field, on every page.
        Err(failure) if failure.reason == Some(ErrorReason::Kept) => {
            steer.outbox.update(|outbox| outbox.forget(number));
            return;
        }
        // Another session is shown. The browser keeps the message for when this one is shown again.
        Err(_) if !steer.outbox.with_untracked(|outbox| outbox.has(number)) => return,
        Err(failure) => {
            // Both or none: a draft that was begun meanwhile does not get another message's attachments.
            let free =
                steer.text.with_untracked(String::is_empty) && steer.files.with_untracked(Vec::is_empty);
            if free && letter.display.is_none() {
                steer.files.set(letter.files.clone());
                steer.write(&letter.prompt, None);
            }
            steer.kept.update_value(|kept| kept.unsent.push((number, letter)));
            if failure.unsent {
                Stage::Away
            } else if failure.uncertain || failure.reason == Some(ErrorReason::UnknownOutcome) {
                Stage::Unsure
            } else {
                Stage::Failed(Said::why(&failure))
            }
        }
    };
    steer.outbox.update(|outbox| outbox.stage(number, stage));
    untrack(|| settle(steer));
}

/// The connection is back: notes about its lack are removed, and messages that found none can be sent.
pub(super) fn connected(steer: Steer) {
    if matches!(steer.said.get_untracked(), Some(Said::Unsent(_))) {
        steer.said.set(None);
    }
    let text = steer.text.get_untracked();
    let mut outbox = steer.outbox.get_untracked();
    outbox.connected(&text);
    if outbox != steer.outbox.get_untracked() {
        steer.outbox.set(outbox);
    }
}

/// Sends a message that found no connection.
pub(super) fn send_again(steer: Steer, sent: &Sent) {
    let letter = letter(steer, sent);
    forget(steer, sent.number);
    let way = untrack(|| steer.busy()).then_some(letter.way.unwrap_or(Way::Queue));
    send(steer, Letter { way, ..letter });
}

/// Puts a message that did not arrive into the field, with its attachments.
pub(super) fn put_back(steer: Steer, sent: &Sent) {
    let letter = letter(steer, sent);
    let missing = letter.files.len() < sent.attachments.len();
    steer.files.update(|files| {
        let lacks: Vec<_> = letter.files.into_iter().filter(|file| !files.contains(file)).collect();
        files.extend(lacks);
    });
    steer.write(&letter.prompt, None);
    if missing {
        let names = sent.attachments.join(", ");
        steer.said.set(Some(Said::told(&words::ATTACH_AGAIN.with(&[("names", (&names).into())]))));
    }
}

/// The message as it was sent from here. After a reload only its text is left.
fn letter(steer: Steer, sent: &Sent) -> Letter {
    let find = |kept: &super::Kept| {
        let found = kept.unsent.iter().find(|(number, _)| *number == sent.number)?;
        Some(found.1.clone())
    };
    steer.kept.try_with_value(find).flatten().unwrap_or_else(|| Letter {
        prompt: sent.text.clone(),
        display: None,
        mode: None,
        files: Vec::new(),
        way: None,
    })
}

/// Forgets a message that has arrived, or that a person has decided about.
pub(super) fn forget(steer: Steer, number: u64) {
    steer.outbox.update(|outbox| outbox.forget(number));
    steer.kept.update_value(|kept| kept.unsent.retain(|(of, _)| *of != number));
}

/// Follows the session: messages that appear in it are no longer under way.
pub(super) fn listen(steer: Steer) {
    render_effect(move || {
        steer.store.heard().track();
        untrack(|| {
            settle(steer);
            queue::look(steer);
        });
    });
}

fn settle(steer: Steer) {
    let Some(session) = steer.store.live_session() else { return };
    let (begun, kept) = {
        let session = session.borrow();
        let state = session.state();
        // Nothing has to be remembered of a message that has begun.
        let begun = |kept: &mut super::Kept| kept.letters.retain(|(id, _)| state.message_place(id).is_none());
        steer.kept.update_value(begun);
        let mut outbox = steer.outbox.get_untracked();
        if outbox.sent().is_empty() {
            return;
        }
        let seen = outbox.settle(state);
        if seen.is_empty() {
            return;
        }
        steer.outbox.set(outbox);
        let kept: Vec<_> = state.queue.unbegun().map(|item| item.text.trim().to_owned()).collect();
        (seen, kept)
    };
    for sent in begun {
        let files = letter(steer, &sent).files;
        forget(steer, sent.number);
        // It had arrived, or is offered above: what was put back into the field must not be sent again.
        let again = steer.text.with_untracked(|text| *text == sent.text);
        if sent.stage == Stage::Unsure && again {
            steer.write("", None);
            steer.files.update(|attached| attached.retain(|file| !files.contains(file)));
            if !kept.iter().any(|text| text == sent.text.trim()) {
                steer.said.set(Some(Said::told(words::ARRIVED.text())));
            }
        }
    }
}
