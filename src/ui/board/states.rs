//! What the board shows beside its tiles or instead of them: trouble with the connection or in the gateway, and that there is no
//! session.

use std::rc::Rc;

use leptos::prelude::*;

use super::{BoardView, head};
use crate::core::connection::{ClosedReason, ConnectionState};
use crate::core::i18n::Word;
use crate::core::i18n::words::{board as words, connection};
use crate::core::model::board::SessionFilter;
use crate::core::model::health;
use crate::core::view_model::board_head::NewSessionPlace;
use crate::core::view_model::icon::Icon;
use crate::store::board::BoardStore;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::memo;
use crate::ui::shell::states::{connection_lost, countdown, gateway_problems, screen, sign_in, stays};

/// The warning about the gateway's own health. It is below the tiles, so that they stay where they are when it comes.
#[component(transparent)]
pub(super) fn GatewayTrouble(
    /// The board's store.
    store: BoardStore,
) -> Live {
    let is_wrong = memo(move || {
        let is_wrong = store.health.with(|report| report.as_ref().is_some_and(health::is_wrong));
        is_wrong
            && (store.polled.get() || store.connection.with(|(state, _)| *state == ConnectionState::Open))
    });
    Live::new(move || {
        let strip = || status_strip(store, Icon::Warning, "warning", gateway_problems(store.health), None);
        is_wrong.get().then(strip)
    })
}

/// What is wrong with the connection, above the sessions that are already there.
#[component(transparent)]
pub(super) fn ConnectionTrouble(
    /// The board's store.
    store: BoardStore,
) -> Live {
    let left = countdown(store.connection);
    Live::new(move || connection_problem(store, left))
}

fn connection_problem(store: BoardStore, left: RwSignal<u64>) -> Option<El> {
    let (state, message) = store.connection.get();
    let begun = store.begun.get();
    if store.polled.get() {
        let retry = Some(connection::TRY_NOW);
        return Some(status_strip(
            store,
            Icon::Refresh,
            "warning",
            el("p").text(words::POLLED.text()),
            retry,
        ));
    }
    match state {
        ConnectionState::Waiting { .. } if begun => Some(status_strip(
            store,
            Icon::Refresh,
            "warning",
            connection_lost(left),
            Some(connection::TRY_NOW),
        )),
        // That the connection is being checked.
        ConnectionState::Connecting { .. } | ConnectionState::Open if begun => {
            message.map(|message| status_strip(store, Icon::Refresh, "warning", el("p").text(&message), None))
        }
        ConnectionState::Closed { reason: ClosedReason::SignIn } if begun => {
            let words = el("p").text(connection::SIGN_IN_AGAIN.text());
            let line = status_strip(store, Icon::Lock, "warning", words, None);
            Some(line.child(sign_in(Rc::new(store))))
        }
        ConnectionState::Closed { reason } if begun => {
            let words = message.unwrap_or_else(|| reason.to_string());
            Some(status_strip(
                store,
                Icon::Error,
                "error",
                stays(el("p").text(&words)),
                Some(connection::CONNECT_AGAIN),
            ))
        }
        _ => None,
    }
}

fn status_strip(store: BoardStore, icon: Icon, level: &str, words: El, retry: Option<Word>) -> El {
    let button = retry.map(|retry| {
        let button = el("button").class("btn small").attr("type", "button").attr("part", "button");
        button.on("click", move |_| store.retry()).text(retry.text())
    });
    let strip = div("board-strip").attr("role", "status").attr("part", "strip").attr("data-level", level);
    strip.child(glyph(icon)).child(words).child(button)
}

/// The screen shown while there are no sessions.
pub(super) fn empty(view: BoardView) -> El {
    let store = view.store;
    let (state, message) = store.connection.get();
    let retry = |words: Word| {
        let button = el("button").class("btn primary").attr("type", "button").attr("part", "button");
        button.on("click", move |_| store.retry()).text(words.text())
    };
    match state {
        _ if store.begun.get() => {
            let here = head::new_session_place(view) == Some(NewSessionPlace::EmptyScreen);
            let new = (here && store.can("create")).then(|| head::new_button(view, "btn primary"));
            screen(Icon::List, words::EMPTY, words::EMPTY_WHY.text(), None, new)
        }
        ConnectionState::Closed { reason: ClosedReason::SignIn } => {
            let (title, why) = (connection::SIGN_IN_TITLE, connection::SIGN_IN_WHY.text());
            screen(Icon::Lock, title, why, None, Some(sign_in(Rc::new(store))))
        }
        ConnectionState::Waiting { .. } => {
            let text = message.unwrap_or_else(|| connection::NOT_CONNECTED_WHY.text().to_owned());
            let retry = Some(retry(connection::TRY_NOW));
            screen(Icon::Refresh, connection::NOT_CONNECTED, &text, Some("warning"), retry)
        }
        ConnectionState::Closed { reason } => {
            let text = message.unwrap_or_else(|| reason.to_string());
            let retry = Some(retry(connection::TRY_AGAIN));
            screen(Icon::Error, connection::NOT_CONNECTED, &text, Some("error"), retry)
        }
        _ => screen(Icon::Plug, connection::CONNECTING, words::LOADING.text(), None, None),
    }
}

/// The screen shown while the filter takes no session.
pub(super) fn no_matches_screen(view: BoardView) -> El {
    let clear = el("button").class("btn").attr("type", "button").attr("part", "button");
    let clear =
        clear.on("click", move |_| view.filter.set(SessionFilter::default())).text(words::CLEAR.text());
    screen(Icon::Search, words::NONE_FOUND, words::NONE_FOUND_WHY.text(), None, Some(clear))
}
