//! The server's queue as a list that is edited by buttons, keys and dragging. Edits are shown at once;
//! then the server's list is what counts.

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use super::actions;
use super::controls::{icon_button, small_button};
use super::queue_focus::keep_focus;
use super::state::{ComposerState, use_composer};
use crate::client::announcer::announce_outcome;
use crate::core::client::compose::{About, Input, Note};
use crate::core::i18n::Word;
use crate::core::i18n::words::composer as words;
use crate::core::model::queue::QueuedKind;
use crate::core::model::queue::edits::{QueueEdit, ShownItem};
use crate::core::model::queue::steering::{Steering, WITHDRAW};
use crate::core::model::state::Section;
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::CallFailure;
use crate::core::view_model::entry_words::person;
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::memo;
use crate::ui::session::use_session;

/// The client puts its answer into the state, because no event carries it.
pub(super) const PENDING: &str = "session.queue.pendingItems";
const PAUSE: &str = "session.queue.setDrainPaused";

/// The id of the item that is dragged.
type Dragged = RwSignal<Option<String>>;

/// What waits for the agent, in the order in which it comes: messages to edit, move, send now or take out. Empty while
/// nothing waits.
#[component(transparent)]
pub fn QueueList() -> Live {
    let composer = use_composer();
    let store = composer.store;
    let waits = move || {
        store.section(Section::Queue, |_| ());
        store.live(|state| state.queue.paused || state.queue.has_items()).unwrap_or(false)
    };
    use_session().framed_part(move || {
        div("composer-queue-place").child(actions::once(composer, waits, |actions| actions.queue))
    })
}

/// What waits, and that the queue is paused.
pub(super) fn list(composer: ComposerState) -> El {
    let store = composer.store;
    let dragged: Dragged = RwSignal::new(None);
    let unfolded = RwSignal::new(false);
    let shown = memo(move || {
        store.section(Section::Queue, |_| ());
        store.live(|state| state.queue.shown()).unwrap_or_default()
    });
    let is_paused = memo(move || {
        store.section(Section::Queue, |_| ());
        store.live(|state| state.queue.paused).unwrap_or(false)
    });
    let steering = memo(move || {
        store.section(Section::Queue, |_| ());
        store.live(|state| state.queue.steering_shown()).unwrap_or_default()
    });
    let some =
        memo(move || shown.with(|shown| !shown.is_empty()) || steering.with(|texts| !texts.is_empty()));
    let place = div("");
    let queue = place.element().clone();
    place.child(move || is_paused.get().then(|| paused(composer))).child(move || {
        keep_focus(composer, &queue);
        let queue = queue.clone();
        some.get().then(|| {
            let list = el("ol").child(move || {
                keep_focus(composer, &queue);
                let mut rows: Vec<El> =
                    steering.get().into_iter().map(|message| steering_row(composer, message)).collect();
                let items = shown.get();
                let count = items.len();
                let item =
                    |(at, shown): (usize, &ShownItem)| untrack(|| row(composer, dragged, at, count, shown));
                rows.extend(items.iter().enumerate().map(item));
                rows
            });
            let clear = small_button(words::CLEAR).attr("data-clear", "");
            // Shown where the composer is one line. The whole head is pressed by it.
            let name = move || {
                let waits = shown.with(Vec::len) + steering.with(Vec::len);
                words::WAITING.with(&[("n", waits.into())])
            };
            let fold = icon_button(Icon::Chevron, words::QUEUE.text())
                .class("btn bare composer-fold")
                .attr("aria-label", move || Some(name()))
                .attr("aria-expanded", move || Some(unfolded.get().to_string()))
                .on("click", move |_| unfolded.update(|open| *open = !*open));
            let head = div("composer-queue-head")
                .child(glyph(Icon::Queue))
                .child(el("h2").text(name))
                .child(move || {
                    let some = shown.with(|shown| shown.len() > 1);
                    some.then(|| clear.clone().on("click", move |_| remove_all(composer)))
                })
                .child(fold);
            // While the agent is idle, a message stays in the queue for a moment only.
            el("section")
                .class("composer-queue")
                .attr("aria-label", words::QUEUE.text())
                .attr("data-passing", move || !composer.is_busy())
                .attr("data-unfolded", move || unfolded.get())
                .child(head)
                .child(list)
        })
    })
}

/// A message that goes into the running turn. It can be taken back while the turn has not taken it up.
fn steering_row(composer: ComposerState, message: Steering) -> El {
    let Steering { text, taken, message_id } = message;
    let word = if taken { words::STEERS_TAKEN } else { words::STEERS };
    let row = el("li")
        .attr("data-steering", if taken { "taken" } else { "waits" })
        .child(el("span").class("tag").text(word.text()))
        .child(el("p").attr("dir", "auto").text(&text));
    let Some(id) = message_id else { return row };
    probe_withdrawal(composer);
    row.child(move || {
        composer.withdraws.get().unwrap_or(false).then(|| {
            let (id, text) = (id.clone(), text.clone());
            let name = words::OF_ITEM
                .with(&[("action", words::TAKE_BACK.text().into()), ("text", (&short(&text)).into())]);
            let back = icon_button(Icon::Cross, words::TAKE_BACK.text())
                .attr("aria-label", &name)
                .attr("data-act", "withdraw");
            div("acts").child(back.on("click", move |_| withdraw_message(composer, &id, &text)))
        })
    })
}

/// Asks once whether the runtime can take messages back: for an id that no message has, which changes nothing.
fn probe_withdrawal(composer: ComposerState) {
    if untrack(|| composer.withdraws.get().is_some()) {
        return;
    }
    composer.withdraws.set(Some(false));
    composer.call(WITHDRAW, json!({ "messageId": "", "expectedPrompt": "" }), move |outcome| match outcome {
        Ok(_) => composer.withdraws.set(Some(true)),
        Err(CallFailure { reason: Some(_), .. }) => {}
        // No connection, or no answer: it is asked again with the next message.
        Err(_) => composer.withdraws.set(None),
    });
}

/// Takes a message back into the field, unless the agent has it.
fn withdraw_message(composer: ComposerState, id: &str, text: &str) {
    let (own, written) = (id.to_owned(), text.to_owned());
    composer.act(WITHDRAW, json!({ "messageId": id, "expectedPrompt": text }), move |outcome| {
        match outcome {
            Ok(answer) if answer.get("removed").and_then(Value::as_bool) == Some(true) => {
                composer.input(Input::TakenBack(&own));
                composer.input(Input::BringBack(&written));
                composer.focus();
            }
            Ok(_) => composer.set_note(Some(Note::info(words::NOT_TAKEN_BACK.text()))),
            Err(failure) => composer.set_note(Some(Note::failed(&failure))),
        }
        composer.call(PENDING, json!({}), |_| ());
    });
}

fn row(composer: ComposerState, dragged: Dragged, at: usize, count: usize, shown: &ShownItem) -> El {
    let item = &shown.item;
    let id = item.id.clone();
    let act = |icon, word: Word, hook: &'static str, enabled: bool, act: Box<dyn Fn()>| {
        let name =
            words::OF_ITEM.with(&[("action", word.text().into()), ("text", (&short(&item.text)).into())]);
        icon_button(icon, word.text())
            .attr("aria-label", &name)
            .attr("data-act", hook)
            .attr("disabled", !enabled)
            .on("click", move |_| act())
    };
    let make = |edit: QueueEdit| Box::new(move || change(composer, edit.clone())) as Box<dyn Fn()>;
    let (own, text) = (id.clone(), item.text.clone());
    let editing: Box<dyn Fn()> = Box::new(move || _ = composer.input(Input::Edit(&own, &text)));
    let up = QueueEdit::Move { id: id.clone(), to: at.saturating_sub(1) };
    let down = QueueEdit::Move { id: id.clone(), to: at + 1 };
    // What can't be undone stands at the two ends, far from each other; 'Edit' parts 'Send now' from the moves.
    let mut buttons = vec![
        act(Icon::Cross, words::REMOVE, "remove", true, make(QueueEdit::Remove { id: id.clone() })),
        act(Icon::Chevron, words::UP, "up", at > 0, make(up)),
        act(Icon::Chevron, words::DOWN, "down", at + 1 < count, make(down)),
    ];
    if shown.editable() {
        let now = QueueEdit::SendNow { id: id.clone() };
        // Also while the agent rests: a runtime that is stopped as it takes a message up keeps it in its queue.
        let no = move || composer.lacks_method("session.queue.sendNow");
        let button = act(Icon::Plane, words::SEND_NOW, "now", true, make(now));
        buttons.push(act(Icon::Pencil, words::EDIT, "edit", true, editing));
        buttons.push(button.attr("disabled", no));
    }
    let tag = if item.kind == QueuedKind::Command {
        Some(words::COMMAND.text().to_owned())
    } else {
        mode_of(composer, shown)
    };
    let (own, moved, over) = (id.clone(), id.clone(), RwSignal::new(false));
    el("li")
        .attr("data-item", &id)
        .attr("data-changing", shown.changing)
        .attr("draggable", "true")
        .attr("data-over", move || over.get())
        .on("dragstart", move |_| dragged.set(Some(own.clone())))
        .on("dragend", move |_| dragged.set(None))
        .on("dragleave", move |_| over.set(false))
        .on("dragover", move |event| {
            if dragged.with_untracked(Option::is_some) {
                event.prevent_default();
                over.set(true);
            }
        })
        .on("drop", move |event| {
            if let Some(id) = dragged.get_untracked() {
                event.prevent_default();
                event.stop_propagation();
                dragged.set(None);
                change(composer, QueueEdit::Move { id, to: at });
            }
        })
        .on("keydown", move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|event| event.alt_key()) else {
                return;
            };
            let to = match event.key().as_str() {
                "ArrowUp" if at > 0 => at - 1,
                "ArrowDown" if at + 1 < count => at + 1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            change(composer, QueueEdit::Move { id: moved.clone(), to });
        })
        .child(el("span").class("place").attr("aria-hidden", "true").text((at + 1).to_string()))
        .child(el("p").attr("dir", "auto").attr("title", &item.text).text(&item.text))
        .child(tag.map(|tag| el("span").class("tag").text(&tag)))
        .child(item.message_id.clone().map(|id| writer(composer, id)))
        .child(div("acts").child(buttons))
}

/// The name of the person who wrote a message that waits; nothing where people are not known by name.
fn writer(composer: ComposerState, message_id: String) -> El {
    let who = memo(move || {
        composer.store.section(Section::Queue, |_| ());
        composer.store.live(|state| state.writers.of(&message_id).map(person)).flatten()
    });
    el("span").class("writer").attr("dir", "auto").text(move || who.get().unwrap_or_default())
}

/// The mode of an item, if it is not the session's.
fn mode_of(composer: ComposerState, shown: &ShownItem) -> Option<String> {
    let here = composer.store.live_session()?.borrow().state().info.mode.clone();
    let mode = shown.item.agent_mode.clone().filter(|mode| here.as_ref() != Some(mode))?;
    Some(words::MODE_NAME.with(&[("mode", (&mode).into())]))
}

/// The beginning of a text's first line.
pub(super) fn short(text: &str) -> String {
    const LENGTH: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(LENGTH).collect()
}

/// Shows an edit and sends it; then asks the server for its queue.
pub(super) fn change(composer: ComposerState, edit: QueueEdit) {
    let (method, params) = edit.request();
    if let QueueEdit::Move { to, .. } = &edit {
        announce_outcome(
            composer.store.view_state.announcement,
            &words::MOVED.with(&[("n", (to + 1).into())]),
        );
    }
    composer.act(method, params, move |outcome| {
        let why = match outcome {
            Ok(answer) if edit.refused(&answer) => {
                let word = if let QueueEdit::SendNow { .. } = edit {
                    words::REFUSED_STEER
                } else {
                    words::REFUSED_EDIT
                };
                Some(Note::Error(word.text().to_owned()))
            }
            Ok(_) => None,
            Err(failure) => Some(Note::failed(&failure)),
        };
        if let Some(why) = why {
            if let QueueEdit::Rewrite { text, .. } = &edit {
                composer.input(Input::BringBack(text)); // what was not saved is not lost
            }
            match &edit {
                QueueEdit::SendNow { id } => {
                    _ = composer.input(Input::NoteWhile(why, About::Queued(id.clone())));
                }
                _ => composer.set_note(Some(why)),
            }
        }
        // The edit lies over the server's queue until that has come, so that nothing flickers.
        composer.call(PENDING, json!({}), |_| ());
    });
}

fn remove_all(composer: ComposerState) {
    change(composer, QueueEdit::Clear);
    composer.focus();
}

/// The note that the queue is paused, with a button to resume it. The server notifies nobody,
/// so only the page that paused it knows.
fn paused(composer: ComposerState) -> El {
    div("composer-note")
        .attr("data-level", "warning")
        .child(glyph(Icon::Pause))
        .child(el("p").text(words::PAUSED.text()))
        .child(small_button(words::GO_ON).on("click", move |_| pause(composer, false)))
}

/// Pauses the queue, or resumes it.
pub(super) fn pause(composer: ComposerState, on: bool) {
    composer.act(PAUSE, json!({ "paused": on }), move |outcome| match outcome {
        Err(failure) if !on || failure.reason != Some(ErrorReason::QueueAlreadyPaused) => {
            composer.set_note(Some(Note::failed(&failure)));
        }
        _ => {}
    });
}
