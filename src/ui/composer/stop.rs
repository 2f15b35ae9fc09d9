//! Stopping: one button for the running turn, and a menu of other ways. No key
//! that is often pressed by habit stops it.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::controls::icon_button;
use super::menu::menu;
use super::menu_list::MenuLine;
use super::state::{ComposerState, Menu};
use crate::core::client::compose::{About, Input, Note};
use crate::core::i18n::words::composer as words;
use crate::core::protocol::ErrorReason;
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};

const INTERRUPT: &str = "session.interruptMainTurn";
const ABORT: &str = "session.abort";

/// The button with its menu.
pub(super) fn stop_menu(composer: ComposerState) -> El {
    let button = el("button")
        .attr("type", "button")
        .class("btn composer-stop")
        .attr("part", "button")
        .attr("data-stop", "")
        .attr("aria-label", words::STOP.text())
        .attr("aria-keyshortcuts", "Control+.")
        .attr("title", words::STOP_TURN_TELLS.text())
        .attr("disabled", move || !composer.connected())
        .child(glyph(Icon::Stop))
        .child(el("span").text(words::STOP.text()))
        .on("click", move |_| _ = stop(composer));
    let opener = icon_button(Icon::Chevron, words::STOP_MORE.text()).class("btn bare composer-stop-more");
    let choices = menu(composer, opener, Menu::Stop, RwSignal::new(false));
    div("composer-stops").child(button).child(choices)
}

/// The ways to stop it.
pub(super) fn stop_lines(composer: ComposerState) -> Vec<MenuLine> {
    let mut items = Vec::new();
    if !composer.lacks_method(INTERRUPT) {
        let tells = words::STOP_TURN_TELLS.text();
        items.push(MenuLine::new(Icon::Stop, words::STOP_TURN.text(), tells, move || {
            interrupt(composer, false);
        }));
        let waits =
            |state: &crate::core::State| state.queue.items.as_ref().is_some_and(|items| !items.is_empty());
        if composer.store.live(waits) == Some(true) {
            let tells = words::STOP_NEXT_TELLS.text();
            items.push(MenuLine::new(Icon::Play, words::STOP_NEXT.text(), tells, move || {
                interrupt(composer, true);
            }));
        }
    }
    items.push(MenuLine::new(Icon::Cross, words::ABORT.text(), words::ABORT_TELLS.text(), move || {
        abort(composer);
    }));
    items
}

/// Stops the running turn; false if there is none.
pub(super) fn stop(composer: ComposerState) -> bool {
    let busy = untrack(|| composer.is_busy());
    if busy && untrack(|| composer.lacks_method(INTERRUPT)) {
        abort(composer);
    } else if busy {
        interrupt(composer, false);
    }
    busy
}

fn interrupt(composer: ComposerState, go_on: bool) {
    let params = if go_on { json!({ "flushQueued": true }) } else { json!({}) };
    composer.act(INTERRUPT, params, move |outcome| match outcome {
        Ok(answer) => {
            if answer.get("interrupted").and_then(Value::as_bool) == Some(false) {
                report(composer, Note::info(words::NOTHING_STOPPED.text()));
            }
        }
        // A server that knows only the other method is stopped that way, which is what was wanted.
        Err(failure) if failure.reason == Some(ErrorReason::MethodNotFound) && !go_on => abort(composer),
        Err(failure) => report(composer, Note::failed(&failure)),
    });
}

fn abort(composer: ComposerState) {
    composer.act(ABORT, json!({ "reason": "user_initiated" }), move |outcome| match outcome {
        Ok(answer) if answer.get("success").and_then(Value::as_bool) == Some(false) => {
            let why = answer.get("error").and_then(Value::as_str).unwrap_or(words::NOTHING_STOPPED.text());
            report(composer, Note::Error(why.to_owned()));
        }
        Ok(_) => {}
        Err(failure) => report(composer, Note::failed(&failure)),
    });
}

/// Says why nothing was stopped, until a turn begins or ends.
fn report(composer: ComposerState, note: Note) {
    let busy = untrack(|| composer.is_busy());
    composer.input(Input::NoteWhile(note, About::Turn { busy }));
}
