//! Everything that the page can show besides a transcript: empty, loading, connecting, reconnecting, closed.
//!
//! A transcript that is there stays visible; a strip then shows the connection's state.

use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;

use super::sign_in::SignInTarget;
use crate::core::connection::{ClosedReason, ConnectionState};
use crate::core::i18n::Word;
use crate::core::i18n::words::{connection, figures};
use crate::core::model::health;
use crate::core::model::watchers::Watcher;
use crate::core::view_model::icon::Icon;
use crate::store::Store;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::lazy::{self, Chunk, Priority};
use crate::ui::session::use_session;

/// What the chunk `gateway` makes: what concerns the gateway itself.
pub struct GatewayTable {
    /// The form that signs somebody in.
    pub sign_in: fn(Rc<dyn SignInTarget>) -> El,
    /// The notices about its own health.
    pub health: fn(RwSignal<Option<Value>>) -> El,
    /// The marks of who else watches.
    pub watchers: fn(RwSignal<Vec<Watcher>>) -> El,
}

/// What concerns the gateway itself.
pub static GATEWAY: Chunk<GatewayTable> = Chunk::new(Priority::Now);

/// What is wrong with the gateway itself, as a strip over the timeline, so that nothing moves.
#[component(transparent)]
pub fn GatewayStrip() -> Live {
    let session = use_session();
    let store = session.store();
    // If the gateway can't be reached, its last report is out of date.
    let wrong = memo(move || {
        let is_wrong = store.health.with(|report| report.as_ref().is_some_and(health::is_wrong));
        is_wrong && store.connection.with(|(state, _)| *state == ConnectionState::Open)
    });
    session.framed_live("", move |store| {
        wrong.get().then(|| status_strip("warning", Icon::Warning, gateway_problems(store.health)))
    })
}

/// What is wrong with the connection, as a strip over the timeline.
#[component(transparent)]
pub fn ConnectionStrip() -> Live {
    let session = use_session();
    let left = countdown(session.store().connection);
    session.framed_live("", move |store| connection_strip(store, left))
}

fn connection_strip(store: Store, left: RwSignal<u64>) -> Option<El> {
    let (state, message) = store.connection.get();
    let begun = store.begun.get();
    let retry = |words: Word| button("btn small", words, store);
    match state {
        ConnectionState::Waiting { .. } if begun => Some(
            status_strip("warning", Icon::Refresh, connection_lost(left)).child(retry(connection::TRY_NOW)),
        ),
        ConnectionState::Closed { reason: ClosedReason::SignIn } if begun => {
            let words = el("p").text(connection::SIGN_IN_AGAIN.text());
            Some(status_strip("warning", Icon::Lock, words).child(sign_in(Rc::new(store))))
        }
        ConnectionState::Closed { reason: ClosedReason::LinkEnded } if begun => {
            let words = [connection::LINK_ENDED.text(), connection::LINK_ENDED_WHY.text()].join(". ");
            Some(status_strip("warning", Icon::Lock, el("p").text(&words)))
        }
        ConnectionState::Closed { reason } if begun => {
            let words = stays(el("p").text(message.unwrap_or_else(|| reason.to_string())));
            Some(status_strip("error", Icon::Error, words).child(retry(connection::CONNECT_AGAIN)))
        }
        // That the connection is being checked.
        ConnectionState::Connecting { .. } if begun => {
            message.map(|message| status_strip("warning", Icon::Refresh, el("p").text(&message)))
        }
        ConnectionState::Open => {
            message.map(|message| status_strip("warning", Icon::Warning, el("p").text(&message)))
        }
        _ => None,
    }
}

/// Seconds until the next attempt to connect, counted down while waiting.
pub(in crate::ui) fn countdown(connection: RwSignal<(ConnectionState, Option<String>)>) -> RwSignal<u64> {
    let left = RwSignal::new(0_u64);
    let ticking = StoredValue::new_local(None::<gloo_timers::callback::Interval>);
    render_effect(move || {
        let tick = if let ConnectionState::Waiting { delay_ms, .. } = connection.get().0 {
            left.set(delay_ms.div_ceil(1000));
            Some(gloo_timers::callback::Interval::new(1000, move || {
                left.try_update(|seconds| *seconds = seconds.saturating_sub(1));
            }))
        } else {
            None
        };
        ticking.set_value(tick);
    });
    left
}

/// Says that the connection was lost, and when the next attempt follows.
pub(in crate::ui) fn connection_lost(left: RwSignal<u64>) -> El {
    let words = el("p").text(move || match left.get() {
        0 => connection::LOST_NOW.text().to_owned(),
        seconds => {
            let time = figures::SECONDS.with(&[("n", seconds.into())]);
            connection::LOST.with(&[("time", (&time).into())])
        }
    });
    stays(words)
}

/// Adds to what has happened to the connection that what is shown stays. Only a page that shows something says so.
pub(in crate::ui) fn stays(words: El) -> El {
    words.child(el("span").class("long").text(" ").text(connection::AS_IT_WAS.text()))
}

fn status_strip(level: &str, icon: Icon, words: El) -> El {
    div("strip").attr("part", "strip").attr("data-level", level).child(glyph(icon)).child(words)
}

/// A button that tries to connect again.
fn button(class: &str, words: Word, store: Store) -> El {
    el("button").class(class).attr("part", "button").on("click", move |_| store.retry()).text(words.text())
}

/// What stands in the place of the timeline while there are no entries: that the session is being loaded, that nothing
/// has happened yet, or why nothing comes.
#[component(transparent)]
pub fn EmptyScreen() -> Live {
    let session = use_session();
    let store = session.store();
    let empty = memo(move || store.length.get() == 0 && !store.history().is_not_live());
    let awaited = is_session_awaited(store);
    session.framed_live("", move |store| {
        empty.get().then(|| if awaited.get() { skeleton() } else { empty_state(store) })
    })
}

/// Whether a session is being loaded and the page has not shown one yet; then a skeleton is shown.
pub fn is_session_awaited(store: Store) -> Memo<bool> {
    memo(move || {
        let coming = || store.progress.with(|(newest, reached)| reached < newest);
        let connects = || match store.connection.get().0 {
            ConnectionState::Connecting { attempt } => attempt <= 1,
            ConnectionState::Open => coming(),
            _ => false,
        };
        !store.begun.get() && (store.reading.get() || connects())
    })
}

/// The same placeholder as `index.html` shows before the program runs, with a text that appears later.
fn skeleton() -> El {
    let bones = (0..6).fold(div("bones"), |bones, _| bones.child(div("bone")));
    bones.child(el("p").text(connection::CONNECTING_WHY.text()))
}

/// The screen shown while the timeline is empty. Subscribes to the connection's state.
fn empty_state(store: Store) -> El {
    let (state, message) = store.connection.get();
    let retry = |words: Word| Some(button("btn primary", words, store));
    match state {
        ConnectionState::Connecting { .. } => {
            screen(Icon::Plug, connection::CONNECTING, connection::CONNECTING_WHY.text(), None, None)
        }
        ConnectionState::Open => {
            let usual =
                screen(Icon::Spark, connection::NOTHING_YET, connection::QUIET_WHY.text(), None, None);
            el("slot").attr("name", "empty").child(usual)
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
        ConnectionState::Closed { reason: ClosedReason::LinkEnded } => {
            screen(Icon::Lock, connection::LINK_ENDED, connection::LINK_ENDED_WHY.text(), None, None)
        }
        ConnectionState::Closed { reason } => {
            let text = message.unwrap_or_else(|| reason.to_string());
            screen(Icon::Error, connection::NOT_SHOWN, &text, Some("error"), retry(connection::TRY_AGAIN))
        }
        ConnectionState::Replaying => {
            let open = lazy::EVENT_LOG.ready().ok().map(|log| untrack(|| (log.picker)(store)));
            screen(Icon::Clock, connection::NOTHING_YET, connection::REPLAY_WHY.text(), None, open)
        }
    }
}

/// The sign-in form, or a note that it is being loaded.
pub(in crate::ui) fn sign_in(target: Rc<dyn SignInTarget>) -> El {
    match GATEWAY.ready() {
        Ok(gateway) => untrack(|| (gateway.sign_in)(target)),
        Err(coming) => coming.view(),
    }
}

/// The marks of who else watches; nothing until the chunk has come.
pub(super) fn watchers(list: RwSignal<Vec<Watcher>>) -> Option<El> {
    GATEWAY.ready().ok().map(|gateway| untrack(|| (gateway.watchers)(list)))
}

/// The problems of the gateway itself, or a note that the chunk is being loaded.
pub(in crate::ui) fn gateway_problems(report: RwSignal<Option<Value>>) -> El {
    match GATEWAY.ready() {
        Ok(gateway) => untrack(|| (gateway.health)(report)),
        Err(coming) => coming.view(),
    }
}

/// A screen for a page without content: an icon, a title, a text, and what can be done.
pub(in crate::ui) fn screen(
    icon: Icon,
    title: Word,
    text: &str,
    level: Option<&str>,
    action: Option<El>,
) -> El {
    let state = div("state").attr("part", "state");
    let state = match level {
        Some(level) => state.attr("data-level", level),
        None => state,
    };
    let state = state.child(glyph(icon)).child(el("h2").text(title.text())).child(el("p").text(text));
    state.child(action.map(|action| div("answers").child(action)))
}
