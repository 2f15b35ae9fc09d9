//! The whole element: header, timeline, states, and the one live region. Refuses to know its host.

use leptos::prelude::*;

use super::states::{ConnectionStrip, EmptyState};
use super::status_bar::StatusBar;
use super::timeline::Timeline;
use crate::core::change::Section;
use crate::core::{EntryState, Kind, State};
use crate::store::Store;
use crate::ui::tool_words;

/// One session.
#[component]
pub fn App(
    /// Where it is.
    store: Store,
) -> impl IntoView {
    let empty = Memo::new(move |_| store.length.get() == 0);
    view! {
        <div class="ph">
            <StatusBar store/>
            <ConnectionStrip store/>
            <Timeline store/>
            <Show when=move || empty.get()><EmptyState store/></Show>
            <div class="foot"></div>
            <Announcer store/>
        </div>
    }
}

/// Tells screen readers what happens, politely and rarely: never the streaming text itself.
#[component]
fn Announcer(store: Store) -> impl IntoView {
    let said = Memo::new(move |_| {
        let _ = store.section(Section::Pending, |_| ());
        store.length.track();
        store.section(Section::Session, announcement).flatten()
    });
    view! { <div class="sr-only" role="status" aria-live="polite">{move || said.get()}</div> }
}

fn announcement(state: &State) -> Option<String> {
    if let Some(place) = state.open_requests.first() {
        let entry = state.entry(*place)?;
        let what =
            if entry.kind == Kind::Permission { "needs your permission" } else { "waits for your answer" };
        return Some(format!("The agent {what}: {}", entry.text.chars().take(120).collect::<String>()));
    }
    if state.status() == "running" {
        let running = state.entries.iter().rev().take(20).find(|entry| entry.state == EntryState::Running)?;
        let sentence = tool_words::sentence(running.tool()?, state.info.cwd.as_deref());
        return Some(format!("{} {}", sentence.verb, sentence.object.unwrap_or_default()));
    }
    let last = state.entries.iter().rev().take(20).find(|entry| entry.kind == Kind::Assistant)?;
    (last.state == EntryState::Done).then(|| "The agent has replied".to_owned())
}
