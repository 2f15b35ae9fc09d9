//! One-line entries: notices, milestones, sub-agents. Refuses words of people and models.

use leptos::prelude::*;

use super::icon::Glyph;
use super::icons::Icon;
use super::message::Fold;
use crate::core::entry::{Body, Level};
use crate::core::{Entry, EntryState, Kind, time, words};
use crate::store::{Row, Store};

/// Info, warning or error: icon, words, count; more on demand.
#[component]
pub fn NoticeView(
    /// Where it is.
    store: Store,
    /// Its place.
    index: usize,
    /// Its signals.
    row: Row,
) -> impl IntoView {
    let facts = store.entry(index, |entry| match &entry.body {
        Body::Notice(notice) => (notice.level, notice.url.clone(), notice.detail.clone()),
        _ => (Level::Info, None, None),
    });
    let (level, url, detail) = facts.unwrap_or((Level::Info, None, None));
    let icon = match level {
        Level::Warning => Icon::Warning,
        Level::Error => Icon::Error,
        _ => Icon::Info,
    };
    let text = move || {
        row.text.track();
        store.entry(index, |entry| entry.text.clone()).unwrap_or_default()
    };
    let count = move || {
        row.head.track();
        let count = store.entry(index, |entry| match &entry.body {
            Body::Notice(notice) => notice.count,
            _ => 1,
        });
        count
            .filter(|count| *count > 1)
            .map(|count| view! { <span class="count">{format!("×{count}")}</span> })
    };
    let link = url.filter(|url| url.starts_with("https://") || url.starts_with("http://")).map(|url| {
        let host = url.split('/').nth(2).unwrap_or_default().to_owned();
        view! { " " <a href=url target="_blank" rel="noopener noreferrer nofollow">{host}</a> }
    });
    let loud = matches!(level, Level::Warning | Level::Error);
    let more = detail.filter(|_| loud).map(|detail| {
        view! { <details class="more"><summary>"Details"</summary><pre class="box wrap">{detail}</pre></details> }
    });
    view! {
        <Glyph icon/>
        <p dir="auto">{text}" "{count}{link}{more}</p>
    }
}

/// A labelled hairline across the column.
#[component]
pub fn MilestoneView(
    /// Where it is.
    store: Store,
    /// Its place.
    index: usize,
    /// Its signals.
    row: Row,
) -> impl IntoView {
    let icon = store.entry(index, milestone_icon).unwrap_or(Icon::Info);
    let text = move || {
        row.text.track();
        row.head.track();
        store.entry(index, |entry| entry.text.clone()).unwrap_or_default()
    };
    view! { <span><Glyph icon/>{text}</span> }
}

fn milestone_icon(entry: &Entry) -> Icon {
    let category = match &entry.body {
        Body::Notice(notice) => notice.category.as_str(),
        _ => "",
    };
    match (entry.kind, category) {
        (Kind::Compaction, _) | (_, "truncation" | "context_cleared" | "snapshot_rewind") => Icon::Compact,
        (Kind::Summary, _) => Icon::Check,
        (_, "abort") => Icon::Stop,
        (_, "permissions_changed") => Icon::Shield,
        (_, "model_change") => Icon::Spark,
        (_, "session_resume" | "resume") => Icon::Refresh,
        (_, "subagent.selected" | "subagent.deselected") => Icon::Agent,
        _ => Icon::Info,
    }
}

/// A sub-agent: name, what it does, how it ended.
#[component]
pub fn SubagentView(
    /// Where it is.
    store: Store,
    /// Its place.
    index: usize,
    /// Its signals.
    row: Row,
) -> impl IntoView {
    let what = move || {
        row.head.track();
        let facts = store.entry(index, |entry| match &entry.body {
            Body::Subagent(agent) => {
                let name = if agent.display_name.is_empty() { &agent.name } else { &agent.display_name };
                (name.clone(), agent.description.clone())
            }
            _ => (entry.text.clone(), String::new()),
        });
        let (name, description) = facts.unwrap_or_default();
        view! { <span class="agent">{name}</span>" "{description} }.into_any()
    };
    let end = move || {
        row.head.track();
        let facts = store.entry(index, |entry| {
            let duration = match &entry.body {
                Body::Subagent(agent) => agent.duration,
                _ => None,
            };
            let word = match entry.state {
                EntryState::Running => Some("working"),
                EntryState::Failed => Some("failed"),
                EntryState::Interrupted => Some("cancelled"),
                _ => None,
            };
            (word, duration.map(time::duration))
        });
        let (word, duration) = facts.unwrap_or_default();
        view! {
            {word.map(|word| view! { <span>{word}</span> })}
            {duration.map(|duration| view! { <span class="dur">{duration}</span> })}
        }
        .into_any()
    };
    let open = Memo::new(move |_| {
        row.head.track();
        store.entry(index, |entry| entry.state == EntryState::Failed).unwrap_or(false)
    });
    view! {
        <Fold store index open class="card" icon=Icon::Agent what end>
            <SubagentFacts store index/>
        </Fold>
    }
}

#[component]
fn SubagentFacts(store: Store, index: usize) -> impl IntoView {
    let agent = store.entry(index, |entry| match &entry.body {
        Body::Subagent(agent) => Some((**agent).clone()),
        _ => None,
    });
    let agent = agent.flatten().unwrap_or_default();
    let fact = |name: &'static str, value: Option<String>| {
        value.map(|value| view! { <dt>{name}</dt><dd>{value}</dd> })
    };
    view! {
        <div class="body">
            {agent.error.clone().map(|error| view! { <div class="fail">{error}</div> })}
            <dl class="args">
                {fact("Agent", Some(agent.name.clone()))}
                {fact("Model", agent.model.clone())}
                {fact("Tool calls", agent.tool_calls.map(|calls| calls.to_string()))}
                {fact("Tokens", agent.tokens.map(words::count))}
            </dl>
        </div>
    }
}
