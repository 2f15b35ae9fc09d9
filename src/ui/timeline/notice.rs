//! Notices and milestones: a line that says what happened, and more on request.

use leptos::prelude::*;

use super::custom::{custom_card, generic_card};
use super::lane::{SubagentLane, SubagentLaneProps};
use crate::core::i18n::words::timeline;
use crate::core::i18n::{Phrase, Word};
use crate::core::model::entry::{self, Body, Level};
use crate::core::view_model::entry_words;
use crate::core::view_model::entry_words::task_outcome;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::interrupted_turn::{interrupted_turn, may_end_turn};
use crate::core::view_model::notice_words::{
    self, About, icon, is_cut, may_lead_to, milestone_detail, milestone_detail_title, milestone_figures,
    milestone_icon, one_line, tag,
};
use crate::core::view_model::timeline_row::is_milestone;
use crate::core::{Entry, Kind, State};
use crate::store::{EntryHandle, RowSignals, Store};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::reactive::memo;
use crate::ui::message::references::{anchor, references};
use crate::ui::message::{fate_tag, prose_of};
use crate::ui::slots;

/// Fills the article of a notice, a milestone or a sub-agent.
pub fn line(article: El, store: Store, index: usize, row: RowSignals) {
    let kind = store.entry(index, |entry| (entry.kind, is_milestone(entry)));
    let (kind, milestone_too) = kind.unwrap_or((Kind::Notice, false));
    let (entry, article) = (EntryHandle { store, index, row }, Some(article));
    let _ = match kind {
        Kind::Subagent => SubagentLane(SubagentLaneProps { entry, article }),
        _ if milestone_too => Milestone(MilestoneProps { entry, article }),
        _ => Notice(NoticeProps { entry, article }),
    };
}

/// Fills the article of a custom notification, or of an event without a view of its own.
pub fn facts(article: El, store: Store, index: usize, row: RowSignals) {
    let _ = match store.entry(index, |entry| entry.kind) {
        Some(Kind::Custom) => custom_card(article, store, index, row),
        _ => generic_card(article, store, index, row),
    };
}

/// Info, warning or error: icon, category, text and count; what to do about it; details on request.
#[component(transparent)]
pub fn Notice(
    /// The notice.
    entry: EntryHandle,
    /// The element that is filled; one of its own if absent.
    #[prop(optional)]
    article: Option<El>,
) -> El {
    let EntryHandle { store, index, row } = entry;
    let article = article.unwrap_or_else(|| div("entry notice"));
    if let Some(own) = slots::notice_body() {
        return article.child(own.of("notice-body", entry));
    }
    let fact = move |read: fn(&entry::Notice) -> Option<String>| {
        memo(move || {
            row.head.track();
            notice_of(store, index, read).flatten().unwrap_or_default()
        })
    };
    let level = notice_of(store, index, |notice| notice.level).unwrap_or(Level::Info);
    let text = move || {
        row.text.track();
        store.entry(index, one_line).unwrap_or_default()
    };
    let long = memo(move || {
        row.text.track();
        store.entry(index, |entry| is_cut(entry, level)).unwrap_or(false)
    });
    let count = fact(|notice| {
        (notice.count > 1).then(|| timeline::TIMES.with(&[("n", i64::from(notice.count).into())]))
    });
    let line = el("p")
        .attr("dir", "auto")
        .attr("class", move || long.get().then(|| "line".to_owned()))
        .child(store.entry(index, tag).flatten().map(|tag| el("span").class("tag").text(&tag)));
    let line = line
        .text(" ")
        .child(move || notice_of(store, index, links).flatten())
        .text(move || if has_links(store, index) { String::new() } else { text() })
        .text(" ");
    let line = optional_span(line, "count", count);
    let remedy = optional_span(
        el("p").class("remedy"),
        "",
        fact(|notice| notice.remedy.as_ref().map(|remedy| remedy.words().into_owned())),
    );
    let remedy = remedy.text(" ").child({
        let url = fact(|notice| notice.url.clone());
        move || link(&url.get())
    });
    let detail = fact(|notice| notice.detail.as_ref().map(|detail| detail.words().into_owned()));
    let earlier = fact(|notice| {
        (!notice.earlier.is_empty())
            .then(|| notice.earlier.iter().map(Phrase::words).collect::<Vec<_>>().join("\n"))
    });
    let whole = memo(move || if long.get() { text() } else { String::new() });
    let inside = div("notice-body").child(line).child(remedy).child(move || {
        row.head.track();
        about(store, index)
    });
    let inside = with_retry(inside, store, index);
    let inside = disclosure(inside, timeline::SHOW_ALL, whole);
    article.child(glyph(icon(level))).child(disclosure(
        disclosure(inside, timeline::DETAILS, detail),
        timeline::EARLIER,
        earlier,
    ))
}

/// Adds a span while its text is not empty.
fn optional_span(host: El, class: &'static str, text: Memo<String>) -> El {
    host.child(move || {
        let text = text.get();
        (!text.is_empty()).then(|| el("span").class(class).text(&text))
    })
}

/// Adds a text behind a line that opens, while the text is not empty.
fn disclosure(host: El, title: Word, text: Memo<String>) -> El {
    host.child(move || {
        let text = text.get();
        (!text.is_empty()).then(|| {
            let words = el("pre").class("box wrap").attr("tabindex", "0").attr("dir", "auto").text(&text);
            // The raw fields of an event are for screens: on paper they would fill pages that nobody reads.
            let class = if text.starts_with(['{', '[']) { "more raw" } else { "more" };
            el("details").class(class).child(el("summary").text(title.text())).child(words)
        })
    })
}

fn notice_of<R>(store: Store, index: usize, read: impl FnOnce(&entry::Notice) -> R) -> Option<R> {
    store.entry(index, |entry| match &entry.body {
        Body::Notice(notice) => Some(read(notice)),
        _ => None,
    })?
}

fn has_links(store: Store, index: usize) -> bool {
    notice_of(store, index, |notice| !notice.references.is_empty()).unwrap_or(false)
}

fn links(notice: &entry::Notice) -> Option<El> {
    references(&notice.references)
}

/// What an error is about, as a link to that entry if it is in the session.
fn about(store: Store, index: usize) -> Option<El> {
    let read = |state: &State| match &state.entry(index)?.body {
        Body::Notice(notice) => notice_words::about(state, notice),
        _ => None,
    };
    let About { id, words, place } = store.read(read).flatten()?;
    let line = el("p").class("about").attr("data-about", &id);
    Some(match place {
        Some(place) => {
            let lead = el("button").class("link").attr("type", "button").text(&words);
            line.child(lead.on("click", move |_| {
                store.rows().reveal(place);
                store.view_state.go_to(place);
            }))
        }
        None => line.text(&words),
    })
}

fn link(url: &str) -> Option<El> {
    may_lead_to(url).then(|| anchor(url).text(url.split('/').nth(2).unwrap_or_default()))
}

/// A labelled hairline across the column, such as a compaction or the end of a task; details on request.
#[component(transparent)]
pub fn Milestone(
    /// The milestone.
    entry: EntryHandle,
    /// The element that is filled; one of its own if absent.
    #[prop(optional)]
    article: Option<El>,
) -> El {
    let EntryHandle { store, index, row } = entry;
    let article = article.unwrap_or_else(|| div("entry milestone"));
    let icon = store.entry(index, milestone_icon).unwrap_or(Icon::Info);
    let summary = store.entry(index, |entry| entry.kind == Kind::Summary).unwrap_or(false);
    let label = el("span").class("label").child(glyph(icon)).text(move || {
        row.text.track();
        row.head.track();
        let label_text = |entry: &Entry| {
            if summary {
                task_outcome(entry.state).text().into()
            } else {
                entry_words::text(entry).into_owned()
            }
        };
        store.entry(index, label_text).unwrap_or_default()
    });
    let article = article.child(label).child(move || fate_tag(store, index, row));
    let article = with_retry(article, store, index);
    if summary {
        let says = memo(move || {
            row.text.track();
            store
                .entry(index, |entry| entry_words::text(entry) != task_outcome(entry.state).text())
                .unwrap_or(false)
        });
        return article.child(move || says.get().then(|| prose_of(store, index, row)));
    }
    let title = store.entry(index, milestone_detail_title).unwrap_or(timeline::DETAILS);
    let behind = memo(move || {
        row.head.track();
        store.entry(index, milestone_detail).flatten().unwrap_or_default()
    });
    let figures = memo(move || {
        row.head.track();
        store.entry(index, milestone_figures).flatten().unwrap_or_default()
    });
    disclosure(disclosure(article, title, behind), timeline::FIGURES, figures)
}

/// Adds a button to the end of an interrupted turn, which sends the person's message again, once.
fn with_retry(article: El, store: Store, index: usize) -> El {
    if !store.entry(index, may_end_turn).unwrap_or(false) {
        return article;
    }
    let message = memo(move || {
        let turn = store.live(interrupted_turn).flatten().filter(|turn| turn.end == index)?;
        let sends = store.server().steering.get()
            && store.server().protocol.get().is_none()
            && !store.cannot_answer();
        let is_sent = store.resending().get().is_some_and(|(message, _)| message == turn.message);
        (sends && !is_sent).then_some(turn.message)
    });
    article.child(move || {
        let message = message.get()?;
        let button = el("button").class("btn small").attr("type", "button").attr("part", "button");
        let button = button.attr("data-retry", "").text(timeline::TRY_AGAIN.text());
        Some(button.on("click", move |_| store.resending().set(Some((message, false)))))
    })
}
