//! Everything the page can be besides a transcript: empty, loading, connecting, reconnecting, closed.
//! Refuses to hide a transcript that is there.

use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;

use super::built::flag;
use super::dom::{El, div, el, follow, glyph};
use super::icons::Icon;
use super::lazy;
use super::sign_in::Way;
use crate::core::connection::{ClosedReason, ConnectionState};
use crate::core::health;
use crate::core::language::Word;
use crate::core::language::words::{connection, figures};
use crate::store::Store;

/// Adds the strip over the timeline that tells of the connection's trouble; nothing moves because of it.
pub fn connection_strip(page: El, store: Store) -> El {
    let left = countdown(store.connection);
    // Of a gateway that can't be reached nobody knows how it is.
    let wrong = flag(move || {
        let told = store.health.with(|report| report.as_ref().is_some_and(health::is_wrong));
        told && store.connection.with(|(state, _)| *state == ConnectionState::Open)
    });
    let page =
        page.part_if(move || wrong.get().then(|| strip("warning", Icon::Warning, troubles(store.health))));
    page.part_if(move || {
        let (state, message) = store.connection.get();
        let begun = store.begun.get();
        let retry = |words: Word| button("btn small", words, store);
        match state {
            ConnectionState::Waiting { .. } if begun => {
                Some(strip("warning", Icon::Refresh, lost(left)).child(retry(connection::TRY_NOW)))
            }
            ConnectionState::Closed { reason: ClosedReason::SignIn } if begun => {
                let words = el("p").text(connection::SIGN_IN_AGAIN.text());
                Some(strip("warning", Icon::Lock, words).child(sign_in(Rc::new(store))))
            }
            ConnectionState::Closed { reason } if begun => {
                let words = el("p").text(&message.unwrap_or_else(|| reason.to_string()));
                Some(strip("error", Icon::Error, words).child(retry(connection::CONNECT_AGAIN)))
            }
            ConnectionState::Open => {
                message.map(|message| strip("warning", Icon::Warning, el("p").text(&message)))
            }
            _ => None,
        }
    })
}

/// Seconds until the connection is tried again, counted while it is waited for.
pub(super) fn countdown(connection: RwSignal<(ConnectionState, Option<String>)>) -> RwSignal<u64> {
    let left = RwSignal::new(0_u64);
    let ticking = StoredValue::new_local(None::<gloo_timers::callback::Interval>);
    follow(Box::new(move || {
        let tick = if let ConnectionState::Waiting { delay_ms, .. } = connection.get().0 {
            left.set(delay_ms.div_ceil(1000));
            Some(gloo_timers::callback::Interval::new(1000, move || {
                left.try_update(|seconds| *seconds = seconds.saturating_sub(1));
            }))
        } else {
            None
        };
        ticking.set_value(tick);
    }));
    left
}

/// Says of a connection that is gone when it is tried again; everywhere in the same words.
pub(super) fn lost(left: RwSignal<u64>) -> El {
    let words = el("p").live_text(move || match left.get() {
        0 => connection::LOST_NOW.text().to_owned(),
        seconds => {
            let time = figures::SECONDS.with(&[("n", seconds.into())]);
            connection::LOST.with(&[("time", (&time).into())])
        }
    });
    words.child(el("span").class("long").text(" ").text(connection::AS_IT_WAS.text()))
}

fn strip(level: &str, icon: Icon, words: El) -> El {
    div("strip").attr("part", "strip").attr("data-level", level).child(glyph(icon)).child(words)
}

/// Tries the connection again.
fn button(class: &str, words: Word, store: Store) -> El {
    el("button").class(class).attr("part", "button").on("click", move |_| store.retry()).text(words.text())
}

/// Whether a session is on its way to a page that has shown none: nothing is known of it, so nothing is said.
pub fn awaited(store: Store) -> Memo<bool> {
    flag(move || {
        let coming = || store.progress.with(|(newest, reached)| reached < newest);
        !store.begun.get()
            && match store.connection.get().0 {
                ConnectionState::Connecting { attempt } => attempt <= 1,
                ConnectionState::Open => coming(),
                _ => false,
            }
    })
}

/// What `index.html` shows before the program runs, a while longer; then words.
pub fn skeleton() -> El {
    let bones = (0..6).fold(div("bones"), |bones, _| bones.child(div("bone")));
    bones.child(el("p").text(connection::CONNECTING_WHY.text()))
}

/// What stands in the timeline's place while there is nothing in it; reads the connection's state.
pub fn empty_state(store: Store) -> El {
    let (state, message) = store.connection.get();
    let retry = |words: Word| Some(button("btn primary", words, store));
    match state {
        ConnectionState::Connecting { .. } => {
            screen(Icon::Plug, connection::CONNECTING, connection::CONNECTING_WHY.text(), None, None)
        }
        ConnectionState::Open => {
            screen(Icon::Spark, connection::NOTHING_YET, connection::QUIET_WHY.text(), None, None)
        }
        ConnectionState::Waiting { .. } => {
            let text = message.as_deref().unwrap_or(connection::NOT_CONNECTED_WHY.text());
            let title = connection::NOT_CONNECTED;
            screen(Icon::Refresh, title, text, Some("warning"), retry(connection::TRY_NOW))
        }
        ConnectionState::Closed { reason: ClosedReason::SignIn } => {
            let (title, why) = (connection::SIGN_IN_TITLE, connection::SIGN_IN_WHY.text());
            screen(Icon::Lock, title, why, None, Some(sign_in(Rc::new(store))))
        }
        ConnectionState::Closed { reason } => {
            let text = message.unwrap_or_else(|| reason.to_string());
            screen(Icon::Error, connection::NOT_SHOWN, &text, Some("error"), retry(connection::TRY_AGAIN))
        }
        ConnectionState::Replaying => {
            let open = lazy::log().ok().map(|log| untrack(|| (log.picker)(store)));
            screen(Icon::Clock, connection::NOTHING_YET, connection::REPLAY_WHY.text(), None, open)
        }
    }
}

/// What signs in, or what says that it is coming.
pub(super) fn sign_in(way: Rc<dyn Way>) -> El {
    match lazy::cards() {
        Ok(cards) => untrack(|| (cards.sign_in)(way)),
        Err(coming) => coming.view(),
    }
}

/// What is wrong with the gateway itself.
pub(super) fn troubles(report: RwSignal<Option<Value>>) -> El {
    match lazy::cards() {
        Ok(cards) => untrack(|| (cards.health)(report)),
        Err(coming) => coming.view(),
    }
}

/// What fills a page that has nothing else to show: an icon, a title, words, and what can be done.
pub(super) fn screen(icon: Icon, title: Word, text: &str, level: Option<&str>, action: Option<El>) -> El {
    let state = div("state").attr("part", "state");
    let state = match level {
        Some(level) => state.attr("data-level", level),
        None => state,
    };
    let state = state.child(glyph(icon)).child(el("h2").text(title.text())).child(el("p").text(text));
    state.maybe(action.map(|action| div("answers").child(action)))
}
