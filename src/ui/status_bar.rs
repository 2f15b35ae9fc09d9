//! The one-line header: what the agent is doing, for how long, on which model, how full its context is.
//! Refuses the connection's troubles; the strip in `states` tells those.

use leptos::prelude::*;

use super::icon::Glyph;
use super::icons::Icon;
use crate::core::change::Section;
use crate::core::connection::ConnectionState;
use crate::core::usage::Usage;
use crate::core::{State, time, words};
use crate::store::Store;

/// The header.
#[component]
pub fn StatusBar(
    /// Where the state is.
    store: Store,
) -> impl IntoView {
    let status = Memo::new(move |_| {
        let _ = store.section(Section::Pending, |_| ());
        store.begun.get().then(|| store.section(Section::Session, State::status).unwrap_or("idle"))
    });
    let word = move || match (status.get(), store.connection.get().0) {
        (Some("running"), _) => "Running",
        (Some("waiting"), _) => "Waiting for you",
        (Some("idle"), _) => "Idle",
        (Some("error"), _) => "Error",
        (Some("ended"), _) => "Ended",
        (_, ConnectionState::Connecting { .. }) => "Connecting",
        (_, ConnectionState::Waiting { .. }) => "Not connected",
        (_, ConnectionState::Closed { .. }) => "Closed",
        _ => "Loading",
    };
    let session = move |read: fn(&State) -> Option<String>| store.section(Section::Session, read).flatten();
    let intent = Memo::new(move |_| {
        session(|state| {
            let running = state.info.running_since.is_some();
            state.info.intent.clone().filter(|_| running).or_else(|| crate::core::snapshot::title(state))
        })
    });
    let elapsed = Memo::new(move |_| {
        let since = session(|state| state.info.running_since.map(|since| since.to_string()))?;
        let last = store.read(|state| state.info.last_event_at).flatten()?;
        let since: i64 = since.parse().ok()?;
        // Event time, not the reader's clock: a replayed session took as long as it took.
        Some(time::duration((last - since).max(0))).filter(|_| last - since >= 1000)
    });
    let mode =
        Memo::new(move |_| session(|state| state.info.mode.clone()).map(|mode| words::capitalised(&mode)));
    let model = Memo::new(move |_| session(|state| state.info.model.clone()));
    let effort = Memo::new(move |_| session(|state| state.info.reasoning_effort.clone()));
    let queued = Memo::new(move |_| store.section(Section::Queue, queued).unwrap_or_default());
    let replaying = move || matches!(store.connection.get().0, ConnectionState::Replaying);
    view! {
        <header class="bar" part="header" data-status=move || status.get()>
            <span class="dot"></span>
            <span class="word">{word}</span>
            <span class="intent" title=move || intent.get()>{move || intent.get()}</span>
            <Show when=replaying><span class="tag"><Glyph icon=Icon::Clock/><span>"Not connected to a server"</span></span></Show>
            <Show when=move || store.readonly.get()><span class="tag"><Glyph icon=Icon::Lock/><span>"Read only"</span></span></Show>
            {move || elapsed.get().map(|elapsed| view! { <span class="fact elapsed">{elapsed}</span> })}
            {move || mode.get().map(|mode| view! { <span class="fact mode">{mode}</span> })}
            {move || model.get().map(|model| view! {
                <span class="fact model">{model}{effort.get().map(|effort| format!(" · {effort}"))}</span>
            })}
            <span class="chip" data-queue-count=move || queued.get().0.to_string() title=move || queued.get().1>
                <Glyph icon=Icon::Queue/>{move || queued.get().0}<span>"queued"</span>
            </span>
            <Meter store/>
        </header>
    }
}

/// How many messages wait, and how it is known. Without a back channel nobody knows how many there are: what is
/// known is that the queue changed.
fn queued(state: &State) -> (usize, String) {
    match &state.queue.items {
        Some(items) => {
            let count = items.len() + state.queue.steering.len();
            (count, format!("{count} messages wait for the agent"))
        }
        None => (0, format!("The queue changed {} times", state.queue.changed)),
    }
}

/// The context window as a ring, with figures on demand.
#[component]
fn Meter(store: Store) -> impl IntoView {
    let usage =
        Memo::new(move |_| store.section(Section::Usage, |state| state.usage.clone()).unwrap_or_default());
    let calls = move || store.section(Section::Session, |state| state.llm_calls).unwrap_or_default();
    let percent = move || usage.with(percent);
    let place = move |read: fn(&State) -> Option<String>| store.section(Section::Session, read).flatten();
    let fact = move |name: &'static str, read: fn(&State) -> Option<String>| {
        move || place(read).map(|value| view! { <dt>{name}</dt><dd>{value}</dd> })
    };
    view! {
        <Show when=move || percent().is_some()>
            <details class="meter">
                <summary aria-label=move || format!("Context {} % full", percent().unwrap_or(0))>
                    <span class="ring" style=move || format!("--v:{}", percent().unwrap_or(0))
                        data-level=move || percent().filter(|percent| *percent >= 80).map(|_| "high")></span>
                    <span>{move || format!("{} %", percent().unwrap_or(0))}</span>
                </summary>
                <dl class="facts pop">
                    <dt>"Context"</dt>
                    <dd>{move || usage.with(|usage| format!(
                        "{} of {} tokens",
                        words::count(usage.context_tokens.unwrap_or(0)),
                        words::count(usage.context_limit.unwrap_or(0)),
                    ))}</dd>
                    <dt>"Read"</dt>
                    <dd>{move || usage.with(|usage| format!("{} tokens in {} calls", words::count(usage.input_tokens), calls()))}</dd>
                    <dt>"Written"</dt>
                    <dd>{move || usage.with(|usage| format!("{} tokens", words::count(usage.output_tokens)))}</dd>
                    {fact("Model", |state| state.info.model.clone())}
                    {fact("Mode", |state| state.info.mode.clone())}
                    {fact("Directory", |state| state.info.cwd.clone())}
                    {fact("Branch", |state| state.info.branch.clone())}
                    <dt>"Connection"</dt>
                    <dd>{move || store.connection.get().0.word()}</dd>
                </dl>
            </details>
        </Show>
    }
}

fn percent(usage: &Usage) -> Option<i64> {
    let (tokens, limit) = (usage.context_tokens?, usage.context_limit.filter(|limit| *limit > 0)?);
    Some((tokens * 100 / limit).clamp(0, 100))
}
