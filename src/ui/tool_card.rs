//! A tool call as one line that opens, and cards of facts. Refuses the bodies; `tool_body` has them.

use leptos::prelude::*;

use super::icons::Icon;
use super::message::Fold;
use super::tool_body::ToolBody;
use super::tool_words::{self, Family, Sentence};
use crate::core::entry::Body;
use crate::core::tool_call::Life;
use crate::core::{EntryState, time};
use crate::store::{Row, Store};

/// A tool call.
#[component]
pub fn ToolCard(
    /// Where it is.
    store: Store,
    /// Its place.
    index: usize,
    /// Its signals.
    row: Row,
) -> impl IntoView {
    let family =
        store.entry(index, |entry| entry.tool().map(tool_words::family)).flatten().unwrap_or(Family::Other);
    let sentence = Memo::new(move |_| {
        row.head.track();
        let sentence = store.read(|state| {
            let call = state.entry(index)?.tool()?;
            Some(tool_words::sentence(call, state.info.cwd.as_deref()))
        });
        sentence.flatten().unwrap_or_default()
    });
    let what = move || {
        let Sentence { verb, object, remark, lines } = sentence.get();
        view! {
            {verb}" "
            {object.map(|object| view! { <code>{object}</code> })}
            {remark.map(|remark| view! { " "<span class="quiet">{remark}</span> })}
            {lines.map(|(added, removed)| view! {
                " "<span class="ins-n">{format!("+{added}")}</span>" "<span class="del-n">{format!("−{removed}")}</span>
            })}
        }
        .into_any()
    };
    let end = move || {
        row.head.track();
        let (word, figures) = store
            .entry(index, |entry| (state_word(entry.state, entry.tool()), figures(entry)))
            .unwrap_or_default();
        view! {
            {word.map(|word| view! { <span>{word}</span> })}
            {figures.map(|figures| view! { <span class="dur">{figures}</span> })}
        }
        .into_any()
    };
    // Open by itself while it runs, when it failed, and for edits; folded otherwise.
    let open = Memo::new(move |_| {
        row.head.track();
        let state = store.entry(index, |entry| entry.state).unwrap_or(EntryState::Done);
        match state {
            EntryState::Failed => true,
            EntryState::Running => matches!(family, Family::Shell | Family::Edit),
            EntryState::Done => family == Family::Edit,
            _ => false,
        }
    });
    view! {
        <Fold store index open class="card" icon=tool_words::icon(family) what end>
            <ToolBody store index row family/>
        </Fold>
    }
}

fn state_word(state: EntryState, call: Option<&crate::core::tool_call::ToolCall>) -> Option<String> {
    let progress = call.and_then(|call| call.progress.clone());
    match state {
        EntryState::Failed => Some("failed".to_owned()),
        EntryState::Denied => Some("denied".to_owned()),
        EntryState::Interrupted => Some("interrupted".to_owned()),
        EntryState::Pending => Some("not started".to_owned()),
        EntryState::Running => progress,
        _ => None,
    }
}

/// Exit code, where it is not 0, and how long it took.
fn figures(entry: &crate::core::Entry) -> Option<String> {
    let exit = entry.tool().and_then(|call| match &call.life {
        Life::Succeeded(outcome) => outcome.exit_code.filter(|code| *code != 0),
        _ => None,
    });
    let ended = matches!(entry.state, EntryState::Done | EntryState::Failed);
    let took = entry.ended_at.zip(entry.at).map(|(end, start)| end - start).filter(|ms| ended && *ms >= 50);
    match (exit, took.map(time::duration)) {
        (Some(exit), Some(took)) => Some(format!("exit {exit} · {took}")),
        (Some(exit), None) => Some(format!("exit {exit}")),
        (None, took) => took,
    }
}

/// A custom notification or an event of an unknown type: its name, and its payload on demand.
#[component]
pub fn FactsCard(
    /// Where it is.
    store: Store,
    /// Its place.
    index: usize,
) -> impl IntoView {
    let facts = store.entry(index, |entry| match &entry.body {
        Body::Facts { event_type, facts } => (event_type.clone(), entry.text.clone(), pretty(facts)),
        _ => (String::new(), entry.text.clone(), String::new()),
    });
    let (event_type, text, payload) = facts.unwrap_or_default();
    let unknown = event_type == text;
    let title = if unknown { event_type } else { text };
    let what = move || {
        let title = title.clone();
        if unknown {
            view! { "Unknown event "<code>{title}</code> }.into_any()
        } else {
            view! { {title} }.into_any()
        }
    };
    let open = Memo::new(|_| false);
    view! {
        <Fold store index open class="card" icon=Icon::Braces what end=|| ().into_any()>
            <div class="body"><pre class="box wrap" tabindex="0">{payload.clone()}</pre></div>
        </Fold>
    }
}

/// JSON for people.
pub fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
