//! Everything the page can be besides a transcript: empty, loading, connecting, reconnecting, closed.
//! Refuses to hide a transcript that is there.

use leptos::prelude::*;

use super::dom::{El, div, el, follow, glyph};
use super::icons::Icon;
use super::lazy;
use crate::core::connection::ConnectionState;
use crate::store::Store;

/// Adds the strip over the timeline that tells of the connection's trouble; nothing moves because of it.
pub fn connection_strip(page: El, store: Store) -> El {
    let left = RwSignal::new(0_u64);
    let countdown = StoredValue::new_local(None::<gloo_timers::callback::Interval>);
    follow(Box::new(move || {
        if let ConnectionState::Waiting { delay_ms, .. } = store.connection.get().0 {
            left.set(delay_ms.div_ceil(1000));
            let tick = gloo_timers::callback::Interval::new(1000, move || {
                left.try_update(|seconds| *seconds = seconds.saturating_sub(1));
            });
            countdown.set_value(Some(tick));
        } else {
            countdown.set_value(None);
        }
    }));
    page.part_if(move || {
        let (state, message) = store.connection.get();
        let begun = store.begun.get();
        let retry = |words: &str| button("btn small", words, store);
        match state {
            ConnectionState::Waiting { .. } if begun => {
                let words = el("p").live_text(move || match left.get() {
                    0 => "Connection lost. Trying again now.".to_owned(),
                    seconds => format!("Connection lost. Trying again in {seconds} s."),
                });
                let long = el("span").class("long").text(" What you see is as it was; nothing is lost.");
                Some(strip("warning", Icon::Refresh, words.child(long)).child(retry("Try now")))
            }
            ConnectionState::Closed { reason } if begun => {
                let words = el("p").text(&message.unwrap_or_else(|| reason.to_string()));
                Some(strip("error", Icon::Error, words).child(retry("Connect again")))
            }
            ConnectionState::Open => {
                message.map(|message| strip("warning", Icon::Warning, el("p").text(&message)))
            }
            _ => None,
        }
    })
}

fn strip(level: &str, icon: Icon, words: El) -> El {
    div("strip").attr("part", "strip").attr("data-level", level).child(glyph(icon)).child(words)
}

/// Tries the connection again.
fn button(class: &str, words: &str, store: Store) -> El {
    el("button").class(class).attr("part", "button").on("click", move |_| store.retry()).text(words)
}

/// What stands in the timeline's place while there is nothing in it; reads the connection's state.
pub fn empty_state(store: Store) -> El {
    let (state, message) = store.connection.get();
    let retry = |words: &str| Some(button("btn primary", words, store));
    match state {
        ConnectionState::Connecting { .. } => {
            let text = "The session appears as soon as the server answers.";
            screen(Icon::Plug, "Connecting", text, None, None)
        }
        ConnectionState::Open => {
            let text = "The session is open and quiet. What is said and done appears here as it happens.";
            screen(Icon::Spark, "Nothing here yet", text, None, None)
        }
        ConnectionState::Waiting { .. } => {
            let text = message
                .unwrap_or_else(|| "The server does not answer. It is tried again by itself.".to_owned());
            screen(Icon::Refresh, "Not connected", &text, Some("warning"), retry("Try now"))
        }
        ConnectionState::Closed { reason } => {
            let text = message.unwrap_or_else(|| reason.to_string());
            screen(Icon::Error, "The session can't be shown", &text, Some("error"), retry("Try again"))
        }
        ConnectionState::Replaying => {
            let text = "This panel waits for its page to hand it events.";
            let open = lazy::log().ok().map(|log| untrack(|| (log.picker)(store)));
            screen(Icon::Clock, "Nothing here yet", text, None, open)
        }
    }
}

fn screen(icon: Icon, title: &str, text: &str, level: Option<&str>, action: Option<El>) -> El {
    let state = div("state").attr("part", "state");
    let state = match level {
        Some(level) => state.attr("data-level", level),
        None => state,
    };
    let state = state.child(glyph(icon)).child(el("h2").text(title)).child(el("p").text(text));
    state.maybe(action.map(|action| div("answers").child(action)))
}
