//! One-line entries: notices, milestones, sub-agents. Refuses words of people and models.

use leptos::prelude::*;

use super::built::flag;
use super::dom::{El, div, el, glyph};
use super::icons::Icon;
use super::message::{Fold, Piece, said};
use crate::core::entry::{Body, Level};
use crate::core::{Entry, EntryState, Kind, time, words};
use crate::store::{Row, Store};

/// Info, warning or error: icon, words, count; more on demand.
pub fn notice(article: El, store: Store, index: usize, row: Row) -> El {
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
    let line = el("p").attr("dir", "auto").live_text(move || {
        row.text.track();
        store.entry(index, |entry| entry.text.clone()).unwrap_or_default()
    });
    let line = line.text(" ").part_if(move || {
        row.head.track();
        let count = store.entry(index, |entry| match &entry.body {
            Body::Notice(notice) => notice.count,
            _ => 1,
        });
        count.filter(|count| *count > 1).map(|count| el("span").class("count").text(&format!("×{count}")))
    });
    let line = match url.filter(|url| url.starts_with("https://") || url.starts_with("http://")) {
        Some(url) => {
            let address = el("a").attr("href", &url).attr("target", "_blank");
            let address = address.attr("rel", "noopener noreferrer nofollow");
            line.text(" ").child(address.text(url.split('/').nth(2).unwrap_or_default()))
        }
        None => line,
    };
    let loud = matches!(level, Level::Warning | Level::Error);
    let more = detail.filter(|_| loud).map(|detail| {
        let words = el("pre").class("box wrap").text(&detail);
        el("details").class("more").child(el("summary").text("Details")).child(words)
    });
    article.child(glyph(icon)).child(line.maybe(more))
}

/// A labelled hairline across the column.
pub fn milestone(article: El, store: Store, index: usize, row: Row) -> El {
    let icon = store.entry(index, milestone_icon).unwrap_or(Icon::Info);
    article.child(el("span").child(glyph(icon)).live_text(move || {
        row.text.track();
        row.head.track();
        store.entry(index, |entry| entry.text.clone()).unwrap_or_default()
    }))
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
pub fn subagent(article: El, store: Store, index: usize, row: Row) -> El {
    let what = Box::new(move || {
        row.head.track();
        let facts = store.entry(index, |entry| match &entry.body {
            Body::Subagent(agent) => {
                let name = if agent.display_name.is_empty() { &agent.name } else { &agent.display_name };
                (name.clone(), agent.description.clone())
            }
            _ => (entry.text.clone(), String::new()),
        });
        let (name, description) = facts.unwrap_or_default();
        vec![Piece::span("agent", name), Piece::text(" "), Piece::Text(description)]
    });
    let end = Box::new(move || {
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
        let word = word.map(|word| Piece::span("", word.to_owned()));
        word.into_iter().chain(duration.map(|duration| Piece::span("dur", duration))).collect()
    });
    let open = flag(move || {
        row.head.track();
        store.entry(index, |entry| entry.state == EntryState::Failed).unwrap_or(false)
    });
    let what = said(el("span").class("what"), what);
    let end = said(el("span").class("end"), end);
    let body = Box::new(move || subagent_facts(store, index));
    article.child(Fold { store, index, open, class: "card", icon: Icon::Agent, what, end, body }.show())
}

fn subagent_facts(store: Store, index: usize) -> El {
    let agent = store.entry(index, |entry| match &entry.body {
        Body::Subagent(agent) => Some((**agent).clone()),
        _ => None,
    });
    let agent = agent.flatten().unwrap_or_default();
    let facts = [
        ("Agent", Some(agent.name)),
        ("Model", agent.model),
        ("Tool calls", agent.tool_calls.map(|calls| calls.to_string())),
        ("Tokens", agent.tokens.map(words::count)),
    ];
    let mut list = el("dl").class("args");
    for (name, value) in facts {
        if let Some(value) = value {
            list = list.child(el("dt").text(name)).child(el("dd").text(&value));
        }
    }
    div("body").maybe(agent.error.map(|error| div("fail").text(&error))).child(list)
}
