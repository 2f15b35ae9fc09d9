//! Everything the page can be besides a transcript: empty, loading, connecting, reconnecting, closed.
//! Refuses to hide a transcript that is there.

use leptos::prelude::*;

use super::icon::Glyph;
use super::icons::Icon;
use crate::core::connection::ConnectionState;
use crate::store::Store;

/// The strip over the timeline that tells of the connection's trouble; nothing moves because of it.
#[component]
pub fn ConnectionStrip(
    /// Where the connection's state is.
    store: Store,
) -> impl IntoView {
    let left = RwSignal::new(0_u64);
    let countdown = StoredValue::new_local(None::<gloo_timers::callback::Interval>);
    Effect::new(move |_| {
        if let ConnectionState::Waiting { delay_ms, .. } = store.connection.get().0 {
            left.set(delay_ms.div_ceil(1000));
            let tick = gloo_timers::callback::Interval::new(1000, move || {
                left.try_update(|seconds| *seconds = seconds.saturating_sub(1));
            });
            countdown.set_value(Some(tick));
        } else {
            countdown.set_value(None);
        }
    });

    move || {
        let (state, message) = store.connection.get();
        let begun = store.begun.get();
        let retry = move |_| store.retry();
        match state {
            ConnectionState::Waiting { .. } if begun => {
                let words = move || match left.get() {
                    0 => "Connection lost. Trying again now.".to_owned(),
                    seconds => format!("Connection lost. Trying again in {seconds} s."),
                };
                Some(view! {
                    <div class="strip" part="strip" data-level="warning">
                        <Glyph icon=Icon::Refresh/>
                        <p>{words}<span class="long">" What you see is as it was; nothing is lost."</span></p>
                        <button class="btn small" part="button" on:click=retry>"Try now"</button>
                    </div>
                }.into_any())
            }
            ConnectionState::Closed { reason } if begun => Some(view! {
                <div class="strip" part="strip" data-level="error">
                    <Glyph icon=Icon::Error/>
                    <p>{message.unwrap_or_else(|| reason.to_string())}</p>
                    <button class="btn small" part="button" on:click=retry>"Connect again"</button>
                </div>
            }.into_any()),
            ConnectionState::Open => message.map(|message| view! {
                <div class="strip" part="strip" data-level="warning"><Glyph icon=Icon::Warning/><p>{message}</p></div>
            }.into_any()),
            _ => None,
        }
    }
}

/// What stands in the timeline's place while there is nothing in it.
#[component]
pub fn EmptyState(
    /// Where the connection's state is.
    store: Store,
) -> impl IntoView {
    move || {
        let (state, message) = store.connection.get();
        let retry = move |_| store.retry();
        match state {
            ConnectionState::Connecting { .. } => Screen {
                icon: Icon::Plug,
                title: "Connecting",
                text: "The session appears as soon as the server answers.".to_owned(),
                level: None,
            }
            .show(None),
            ConnectionState::Open => Screen {
                icon: Icon::Spark,
                title: "Nothing here yet",
                text: "The session is open and quiet. What is said and done appears here as it happens."
                    .to_owned(),
                level: None,
            }
            .show(None),
            ConnectionState::Waiting { .. } => {
                let text = message
                    .unwrap_or_else(|| "The server does not answer. It is tried again by itself.".to_owned());
                let button =
                    view! { <button class="btn primary" part="button" on:click=retry>"Try now"</button> };
                Screen { icon: Icon::Refresh, title: "Not connected", text, level: Some("warning") }
                    .show(Some(button.into_any()))
            }
            ConnectionState::Closed { reason } => {
                let text = message.unwrap_or_else(|| reason.to_string());
                let button =
                    view! { <button class="btn primary" part="button" on:click=retry>"Try again"</button> };
                Screen { icon: Icon::Error, title: "The session can't be shown", text, level: Some("error") }
                    .show(Some(button.into_any()))
            }
            ConnectionState::Replaying => Screen {
                icon: Icon::Clock,
                title: "Nothing here yet",
                text: "This panel waits for its page to hand it events.".to_owned(),
                level: None,
            }
            .show(None),
        }
    }
}

struct Screen {
    icon: Icon,
    title: &'static str,
    text: String,
    level: Option<&'static str>,
}

impl Screen {
    fn show(self, action: Option<AnyView>) -> AnyView {
        view! {
            <div class="state" part="state" data-level=self.level>
                <Glyph icon=self.icon/>
                <h2>{self.title}</h2>
                <p>{self.text}</p>
                {action.map(|action| view! { <div class="answers">{action}</div> })}
            </div>
        }
        .into_any()
    }
}
