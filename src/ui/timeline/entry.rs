//! One row of the timeline: its `article` element and the view that fills it.

use leptos::prelude::*;

use crate::core::Kind;
use crate::core::view_model::entry_words::text;
use crate::core::view_model::rows::lanes;
use crate::core::view_model::timeline_row::{Layout, lane, lane_agent, level, row_label};
use crate::store::{RowSignals, Store};
use crate::ui::elements::builder::{El, copy_of, el};
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::lazy;
use crate::ui::message::{
    AssistantMessage, AssistantMessageProps, Reasoning, ReasoningProps, UserMessage, UserMessageProps,
};
use crate::ui::slots;
use crate::ui::tools::tool_card::{ToolCard, ToolCardProps};

/// The row of an entry: its article, filled as its kind wants it.
pub fn article(store: Store, index: usize) -> El {
    let entry = store.handle(index);
    let row = entry.row;
    let layout = store.entry(index, Layout::of).unwrap_or(Layout::Notice);
    let (kind, id) = store.entry(index, |entry| (entry.kind.word(), entry.id.clone())).unwrap_or_default();
    let names = [
        "class",
        "aria-label",
        "data-state",
        "data-row",
        "aria-posinset",
        "data-lane",
        "data-depth",
        "data-parallel",
        "data-rewound",
    ];
    let article = copy_of("article", &|| {
        // The total is unknown: more entries may come at any time.
        let article = el("article").attr("tabindex", "-1").attr("role", "article").attr("part", "entry");
        article.attr("aria-setsize", "-1")
    });
    let article = article.attr("data-entry", kind).attr("data-id", &id).attrs(names, move || {
        row.head.track();
        let facts = store.read(|state| {
            let entry = state.entry(index)?;
            let lanes = lanes(state, entry);
            let label = row_label(state, entry, &lanes);
            let lane = lane(index, &lanes, entry.kind == Kind::Subagent);
            Some((layout.class(entry), label, entry.state.word(), lane, entry.rewound))
        });
        let (class, label, state, lane, rewound) = facts.flatten().unwrap_or_default();
        let (lane, depth) = lane.unzip();
        let parallel = (layout == Layout::Tool).then(|| parallel_position(store, index)).flatten();
        [
            Some(class.to_owned()),
            Some(label),
            Some(state.to_owned()),
            Some(index.to_string()),
            Some(store.rows().position(index).to_string()),
            lane.map(|colour| colour.to_string()),
            depth.filter(|depth| *depth != 1).map(|depth| depth.to_string()),
            parallel.map(str::to_owned),
            rewound.then(String::new),
        ]
    });
    let article = match store.entry(index, level).flatten() {
        Some(level) => article.attr("data-level", level),
        None => article,
    };
    let host = article.clone();
    let article = match layout {
        Layout::User => UserMessage(UserMessageProps { entry, article: Some(article) }),
        Layout::Assistant => {
            let who = store.read(|state| {
                let agent = lane_agent(state, &lanes(state, state.entry(index)?))?;
                Some(el("span").class("agent who").text(agent))
            });
            let who = who.flatten();
            AssistantMessage(AssistantMessageProps { entry, article: Some(article.child(who)) })
        }
        Layout::Reasoning => Reasoning(ReasoningProps { entry, article: Some(article) }),
        Layout::Tool => {
            let article = parallel_calls(article, store, index, row);
            ToolCard(ToolCardProps { entry, article: Some(article) })
        }
        Layout::Request => article.child(move || match lazy::REQUESTS.ready() {
            Ok(requests) => (requests.request)(store, index, row),
            Err(coming) => vec![coming.view()],
        }),
        Layout::Notice | Layout::Milestone | Layout::Subagent => {
            chunk_article(article, store, index, row, || Some(lazy::DETAILS.ready().ok()?.line))
        }
        Layout::Facts => chunk_article(article, store, index, row, || Some(lazy::TOOLS.ready().ok()?.facts)),
        Layout::Gap => {
            let text = store.entry(index, |entry| text(entry).into_owned()).unwrap_or_default();
            article.child(el("span").text(&text))
        }
    };
    let own = matches!(layout, Layout::User | Layout::Assistant).then(slots::message_actions).flatten();
    let own = own.map(|own| own.of("own-actions", entry));
    article.child(own).child(move || {
        // Rows that are only scrolled past get no buttons; they are added when scrolling stops.
        let fast = store.view_state.scrolls_fast;
        let fast = fast.get_untracked() && fast.get();
        let details = lazy::DETAILS.ready().ok().filter(|_| !fast);
        let actions = details.and_then(|details| untrack(|| (details.actions)(store, index)));
        let lens = store.view_state.lens.get().then(|| lazy::LENS.ready().ok()).flatten();
        let mark = lens.map(|lens| untrack(|| (lens.mark)(store, index, row, host.clone())));
        actions.into_iter().chain(mark).collect::<Vec<_>>()
    })
}

/// Adds the line that sums up parallel tool calls of one message, above the first of them.
fn parallel_calls(article: El, store: Store, index: usize, row: RowSignals) -> El {
    let first = memo(move || {
        row.head.track();
        parallel_position(store, index).is_some_and(|place| place != "more")
    });
    article.child(move || {
        let details = if first.get() { lazy::DETAILS.ready().ok() } else { None };
        details
            .map(|details| untrack(|| (details.parallel_calls)(store, index, row)))
            .into_iter()
            .collect::<Vec<_>>()
    })
}

fn parallel_position(store: Store, index: usize) -> Option<&'static str> {
    store.rows().track();
    let first = store.rows().parallel_calls(index)?.first().copied()?;
    Some(match first == index {
        false => "more",
        true if store.rows().parallel_calls_open(first) => "first",
        true => "folded",
    })
}

/// Draws an article.
type Fill = fn(El, Store, usize, RowSignals);

/// An article that a part of the program draws. Until that is here its text stands there as it is.
fn chunk_article(article: El, store: Store, index: usize, row: RowSignals, part: fn() -> Option<Fill>) -> El {
    let filled = article.clone();
    render_effect(move || {
        filled.element().set_text_content(None);
        if let Some(fill) = part() {
            untrack(|| fill(filled.clone(), store, index, row));
        } else {
            let text = store.entry(index, |entry| text(entry).into_owned()).unwrap_or_default();
            let _ = filled.clone().child(el("span").text(&text));
        }
    });
    article
}
