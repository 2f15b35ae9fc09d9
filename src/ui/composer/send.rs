//! Sends messages to the agent, and follows what becomes of them. None is sent again by itself: one that may
//! have arrived is shown, and a person decides.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use serde_json::{Map, Value};
use wasm_bindgen_futures::spawn_local;

use super::attach::Attached;
use super::notes::Note;
use super::{ComposerState, Doubt, commands, drafts, queue};
use crate::client::storage::BROWSER;
use crate::core::i18n::words::composer as words;
use crate::core::model::outbox::{Sent, Stage};
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::CallFailure;
use crate::core::view_model::compose::{put_before, slash};
use crate::ui::elements::reactive::render_effect;

/// The storage key for: Enter sends at once while the agent works.
const STEERS: &str = "enter-steers";

/// How a message reaches an agent that is working.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeliveryMode {
    /// At the end of the queue.
    Queue,
    /// Into the running turn.
    Now,
}

impl DeliveryMode {
    /// The way that Enter uses.
    pub(super) fn usual() -> Self {
        if BROWSER.recall(STEERS).is_some() { Self::Now } else { Self::Queue }
    }

    /// Makes this the way that Enter uses.
    pub(super) fn make_usual(self) {
        match self {
            Self::Now => BROWSER.remember(STEERS, "1"),
            Self::Queue => BROWSER.forget(STEERS),
        }
    }

    pub(super) fn other(self) -> Self {
        if self == Self::Queue { Self::Now } else { Self::Queue }
    }
}

/// A message as it is sent.
#[derive(Debug, Clone)]
pub(super) struct OutgoingMessage {
    /// What the agent reads.
    pub(super) prompt: String,
    /// What people read, where that is something else.
    pub(super) display: Option<String>,
    /// The mode in which it is worked on, where it is not the session's.
    pub(super) mode: Option<String>,
    /// Attachments.
    pub(super) files: Vec<Attached>,
    /// Into the turn, or into the queue; `None` while no turn runs.
    pub(super) way: Option<DeliveryMode>,
}

impl OutgoingMessage {
    /// What people read.
    pub(super) fn shown(&self) -> &str {
        self.display.as_ref().unwrap_or(&self.prompt)
    }
}

/// Submits the field: changes a queued message, runs a command, or sends a message.
pub(super) fn submit(composer: ComposerState, way: DeliveryMode) {
    // A file that was chosen before belongs to the message.
    if composer.reading.get_untracked() > 0 {
        composer.sends_when_read.set(Some((composer.kept.with_value(|kept| kept.session.clone()), way)));
        return;
    }
    let text = composer.text.get_untracked();
    let files = composer.files.get_untracked();
    let unable = || composer.ended() || !composer.connected() || (composer.replies() && composer.busy());
    if (text.trim().is_empty() && files.is_empty()) || untrack(unable) {
        return;
    }
    composer.note.set(None);
    if let Some((id, true)) = composer.editing.get_untracked() {
        queue::save(composer, id, text);
        return;
    }
    composer.editing.set(None);
    let command = commands::in_text(composer, &text);
    if asks_first(composer, &text, command.is_some()) {
        return;
    }
    drafts::remember(composer, &text);
    // If the agent began the message during the edit, its text is sent anew. The
    // text from before the edit comes back.
    let aside = queue::aside(composer);
    if let Some((command, input)) = command {
        composer.write(&aside, None);
        commands::run(composer, &command, &input, text);
        return;
    }
    let way = untrack(|| composer.busy()).then_some(way);
    composer.write(&aside, None);
    composer.files.set(Vec::new());
    send(composer, OutgoingMessage { prompt: text, display: None, mode: None, files, way });
}

/// A text that may have arrived already, or that looks like a command but is none, is sent only on the second try.
/// Returns true on the first, and says so.
fn asks_first(composer: ComposerState, text: &str, is_command: bool) -> bool {
    let before = composer.doubted.get_untracked();
    composer.doubted.set(None);
    let Some(doubt) = doubt(composer, text, is_command) else { return false };
    let asked = Some((text.to_owned(), doubt));
    if before == asked {
        return false;
    }
    if let Some((_, doubt)) = &asked {
        composer.store.view_state.say(&doubt.words());
    }
    composer.doubted.set(asked);
    true
}

fn doubt(composer: ComposerState, text: &str, is_command: bool) -> Option<Doubt> {
    let may_have_arrived = |sent: &Sent| sent.stage == Stage::Unsure && sent.text.trim() == text.trim();
    if composer.outbox.with_untracked(|outbox| outbox.sent().iter().any(may_have_arrived)) {
        return Some(Doubt::MayHaveArrived);
    }
    let known = composer.commands.with_untracked(|commands| !commands.is_empty());
    let (name, _) = slash(text.trim_start()).filter(|_| known && !is_command)?;
    Some(Doubt::UnknownCommand(name.to_owned()))
}

/// Sends a message, and follows it until it is in the session.
pub(super) fn send(composer: ComposerState, outgoing: OutgoingMessage) {
    // A queued message is shown above the field, so the scroll position stays.
    if outgoing.way != Some(DeliveryMode::Queue) {
        composer.store.view_state.to_end();
    }
    let sent = begin(composer, &outgoing);
    spawn_local(async move {
        if let Some((number, sent)) = sent {
            let outcome = sent.await;
            ended(composer, number, outgoing, outcome);
        }
    });
}

/// Same as [`send`], but returns when the server has answered. `None` if the composer has gone meanwhile.
pub(super) async fn deliver(composer: ComposerState, outgoing: OutgoingMessage) -> Option<()> {
    let (number, sent) = begin(composer, &outgoing)?;
    let outcome = sent.await;
    ended(composer, number, outgoing, outcome);
    composer.kept.try_with_value(|_| ())
}

fn begin(
    composer: ComposerState,
    outgoing: &OutgoingMessage,
) -> Option<(u64, crate::client::store::CallOutcome)> {
    let mut params = Map::new();
    let mut put = |name: &str, value: Value| params.insert(name.to_owned(), value);
    put("prompt", outgoing.prompt.as_str().into());
    if let Some(display) = &outgoing.display {
        put("displayPrompt", display.as_str().into());
    }
    match outgoing.way {
        Some(DeliveryMode::Now) => _ = put("mode", "immediate".into()),
        Some(DeliveryMode::Queue) => _ = put("mode", "enqueue".into()),
        None => {}
    }
    if let Some(mode) = &outgoing.mode {
        put("agentMode", mode.as_str().into());
    }
    if !outgoing.files.is_empty() {
        put("attachments", outgoing.files.iter().map(Attached::json).collect());
    }
    let sent = composer.store.call("session.send", Value::Object(params))?;
    let names = outgoing.files.iter().map(|file| file.name().to_owned()).collect();
    Some((enlist_with(composer, outgoing.shown(), names)?, sent))
}

/// Notes that a command is being sent. Returns its number among the messages that are under way.
pub(super) fn enlist(composer: ComposerState, command: &str) -> Option<u64> {
    enlist_with(composer, command, Vec::new())
}

fn enlist_with(composer: ComposerState, text: &str, attachments: Vec<String>) -> Option<u64> {
    let session = composer.store.live_session()?;
    composer.outbox.try_update(|outbox| outbox.begin(text, attachments, session.borrow().state()))
}

/// Nothing shows whether this command arrived: it is looked for, and can be sent again from the field.
pub(super) fn is_unsure(composer: ComposerState, number: u64, command: &str) {
    if composer.text.with_untracked(String::is_empty) {
        composer.write(command, None);
    }
    composer.outbox.update(|outbox| outbox.stage(number, Stage::Unsure));
    untrack(|| settle(composer));
}

fn ended(
    composer: ComposerState,
    number: u64,
    outgoing: OutgoingMessage,
    outcome: Result<Value, CallFailure>,
) {
    if composer.kept.try_with_value(|_| ()).is_none() {
        return;
    }
    let stage = match outcome {
        // The SDK's `send` returns the id alone, and small servers pass that on.
        Ok(answer) => match answer.get("messageId").unwrap_or(&answer).as_str() {
            Some(id) => {
                composer.kept.update_value(|kept| kept.sent_messages.push((id.to_owned(), outgoing)));
                Stage::Taken(Some(id.to_owned()))
            }
            // It was accepted, but without an id: its text has to identify it.
            None => Stage::Unsure,
        },
        // It is offered above the field, on every page.
        Err(failure) if failure.reason == Some(ErrorReason::Kept) => {
            composer.outbox.update(|outbox| outbox.forget(number));
            return;
        }
        // Another session is shown. The browser keeps the message for when this one is shown again.
        Err(_) if !composer.outbox.with_untracked(|outbox| outbox.has(number)) => return,
        Err(failure) => {
            // Both or none: a draft that was begun meanwhile does not get another message's attachments.
            let free = composer.text.with_untracked(String::is_empty)
                && composer.files.with_untracked(Vec::is_empty);
            if free && outgoing.display.is_none() {
                composer.files.set(outgoing.files.clone());
                composer.write(&outgoing.prompt, None);
            }
            composer.kept.update_value(|kept| kept.unsent.push((number, outgoing)));
            if failure.unsent {
                Stage::Unsent
            } else if failure.outcome_is_unknown() {
                Stage::Unsure
            } else {
                Stage::Failed(Note::why(&failure))
            }
        }
    };
    composer.outbox.update(|outbox| outbox.stage(number, stage));
    untrack(|| settle(composer));
}

/// The connection is back: notes about its lack are removed, and messages that found none can be sent.
pub(super) fn connected(composer: ComposerState) {
    if matches!(composer.note.get_untracked(), Some(Note::Unsent(_))) {
        composer.note.set(None);
    }
    let text = composer.text.get_untracked();
    let mut outbox = composer.outbox.get_untracked();
    outbox.connected(&text);
    if outbox != composer.outbox.get_untracked() {
        composer.outbox.set(outbox);
    }
}

/// Sends a message that found no connection, or that was not delivered. One whose attachments are gone is put into the
/// field instead, where they can be attached again.
pub(super) fn send_again(composer: ComposerState, sent: &Sent) {
    let outgoing = outgoing(composer, sent);
    if outgoing.files.len() < sent.attachments.len() {
        put_back(composer, sent);
        return forget(composer, sent.number);
    }
    forget(composer, sent.number);
    let way = untrack(|| composer.busy()).then_some(outgoing.way.unwrap_or(DeliveryMode::Queue));
    send(composer, OutgoingMessage { way, ..outgoing });
}

/// Puts a message that did not arrive into the field, before what is there, with its attachments.
pub(super) fn put_back(composer: ComposerState, sent: &Sent) {
    let outgoing = outgoing(composer, sent);
    let missing = outgoing.files.len() < sent.attachments.len();
    composer.files.update(|files| {
        let lacks: Vec<_> = outgoing.files.into_iter().filter(|file| !files.contains(file)).collect();
        files.extend(lacks);
    });
    let text = composer.text.with_untracked(|field| put_before(&[outgoing.prompt], field));
    composer.write(&text, Some(text.encode_utf16().count()));
    drafts::keep(composer);
    if missing {
        let names = sent.attachments.join(", ");
        composer.note.set(Some(Note::info(&words::ATTACH_AGAIN.with(&[("names", (&names).into())]))));
    }
}

/// The message as it was sent from here. After a reload only its text is left.
fn outgoing(composer: ComposerState, sent: &Sent) -> OutgoingMessage {
    let find = |kept: &super::Kept| {
        let unsent = kept.unsent.iter().find(|(number, _)| *number == sent.number).map(|(_, found)| found);
        let taken = || {
            let (Stage::Taken(Some(id)) | Stage::Undelivered(Some(id))) = &sent.stage else { return None };
            kept.sent_messages.iter().find(|(own, _)| own == id).map(|(_, found)| found)
        };
        unsent.or_else(taken).cloned()
    };
    composer.kept.try_with_value(find).flatten().unwrap_or_else(|| OutgoingMessage {
        prompt: sent.text.clone(),
        display: None,
        mode: None,
        files: Vec::new(),
        way: None,
    })
}

/// Forgets a message that has arrived, or that a person has decided about.
pub(super) fn forget(composer: ComposerState, number: u64) {
    composer.outbox.update(|outbox| outbox.forget(number));
    composer.kept.update_value(|kept| kept.unsent.retain(|(of, _)| *of != number));
}

/// Follows the session: messages that appear in it are no longer under way, and those that don't are missed after a while.
pub(super) fn listen(composer: ComposerState) {
    render_effect(move || {
        composer.store.heard().track();
        composer.store.progress.track();
        composer.outbox.track();
        composer.connected();
        untrack(|| {
            settle(composer);
            queue::look(composer);
            super::notes::look(composer);
        });
    });
}

fn settle(composer: ComposerState) {
    let Some(session) = composer.store.live_session() else { return };
    let (begun, kept) = {
        let session = session.borrow();
        let state = session.state();
        // Nothing has to be remembered of a message that has begun.
        let begun =
            |kept: &mut super::Kept| kept.sent_messages.retain(|(id, _)| state.message_place(id).is_none());
        composer.kept.update_value(begun);
        let mut outbox = composer.outbox.get_untracked();
        if outbox.sent().is_empty() {
            return;
        }
        let (newest, reached) = composer.store.progress.get_untracked();
        let current = untrack(|| composer.connected()) && reached >= newest;
        let settled = outbox.settle(state, current.then(|| js_sys::Date::now().max(0.0) as u64));
        look_again(composer, settled.again_ms);
        if composer.outbox.with_untracked(|before| *before != outbox) {
            composer.outbox.set(outbox);
        }
        let kept: Vec<_> = state.queue.unbegun().map(|item| item.text.trim().to_owned()).collect();
        (settled, kept)
    };
    let ended = begun.ended.into_iter().map(|sent| (sent, true));
    for (sent, is_over) in ended.chain(begun.arrived.into_iter().map(|sent| (sent, false))) {
        let files = outgoing(composer, &sent).files;
        if is_over {
            forget(composer, sent.number);
        }
        // It had arrived, or is offered above: what was put back into the field must not be sent again.
        let again = composer.text.with_untracked(|text| *text == sent.text);
        if sent.stage == Stage::Unsure && again {
            composer.write("", None);
            composer.files.update(|attached| attached.retain(|file| !files.contains(file)));
            if !kept.iter().any(|text| text == sent.text.trim()) {
                composer.note.set(Some(Note::info(words::ARRIVED.text())));
            }
        }
    }
}

/// Settles again after so many milliseconds.
fn look_again(composer: ComposerState, delay_ms: Option<u64>) {
    let timer = delay_ms.map(|delay_ms| {
        Timeout::new(u32::try_from(delay_ms).unwrap_or(u32::MAX), move || {
            // Deferred, so that this timer is not dropped while it runs.
            spawn_local(async move {
                if composer.kept.try_with_value(|_| ()).is_some() {
                    untrack(|| settle(composer));
                }
            });
        })
    });
    composer.kept.update_value(|kept| kept.look = timer);
}
