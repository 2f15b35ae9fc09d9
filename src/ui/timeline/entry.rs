//! One row of the timeline: its `article` element and the view that fills it.

use leptos::prelude::*;

use super::custom::is_unknown;
use super::notice::is_milestone;
use crate::client::store::{Row, Store};
use crate::core::i18n::words::page;
use crate::core::model::entry::Body;
use crate::core::view_model::entry_words::text;
use crate::core::{Entry, Kind};
use crate::ui::elements::builder::{El, copy_of, el};
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::lazy;
use crate::ui::message::{
    AssistantMessage, AssistantMessageProps, Reasoning, ReasoningProps, UserMessage, UserMessageProps,
};
use crate::ui::slots;
use crate::ui::tools::tool_card::{ToolCard, ToolCardProps};

/// The layout of an entry; chosen once, from its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    User,
    Assistant,
    Reasoning,
    Tool,
    Request,
    Notice,
    Milestone,
    Subagent,
    Facts,
    Gap,
}

fn layout(entry: &Entry) -> Layout {
    match (entry.kind, &entry.body) {
        (Kind::User, _) => Layout::User,
        (Kind::Assistant, _) => Layout::Assistant,
        (Kind::Reasoning, _) => Layout::Reasoning,
        (Kind::Tool, _) => Layout::Tool,
        (Kind::Subagent, _) => Layout::Subagent,
        _ if is_milestone(entry) => Layout::Milestone,
        (_, Body::Request(_)) => Layout::Request,
        (Kind::Custom | Kind::Generic, _) => Layout::Facts,
        (Kind::Gap, _) => Layout::Gap,
        _ => Layout::Notice,
    }
}

/// The row of an entry: its article, filled as its kind wants it.
pub fn article(store: Store, index: usize) -> El {
    let entry = store.handle(index);
    let row = entry.row;
    let layout = store.entry(index, layout).unwrap_or(Layout::Notice);
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
        let facts = |entry: &Entry| {
            let heads = entry.kind == Kind::Subagent;
            (class_of(entry, layout), label(entry), entry.state.word(), heads, entry.rewound)
        };
        let (class, label, state, heads, rewound) = store.entry(index, facts).unwrap_or_default();
        let label = if rewound { page::REWOUND.with(&[("entry", (&label).into())]) } else { label };
        let lanes = store.lanes(index);
        let label = match agent(store, &lanes) {
            Some(agent) => page::OF_AGENT.with(&[("agent", (&agent).into()), ("entry", (&label).into())]),
            None => label,
        };
        let (lane, depth) = lane(index, &lanes, heads).unzip();
        let parallel = (layout == Layout::Tool).then(|| place_among_parallel(store, index)).flatten();
        [
            Some(class.to_owned()),
            Some(label),
            Some(state.to_owned()),
            Some(index.to_string()),
            Some(store.position(index).to_string()),
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
            let who =
                agent(store, &store.lanes(index)).map(|agent| el("span").class("agent who").text(&agent));
            AssistantMessage(AssistantMessageProps { entry, article: Some(article.child(who)) })
        }
        Layout::Reasoning => Reasoning(ReasoningProps { entry, article: Some(article) }),
        Layout::Tool => {
            let article = parallel_calls(article, store, index, row);
            ToolCard(ToolCardProps { entry, article: Some(article) })
        }
        Layout::Request => article.child(move || match lazy::requests() {
            Ok(requests) => (requests.request)(store, index, row),
            Err(coming) => vec![coming.view()],
        }),
        Layout::Notice | Layout::Milestone | Layout::Subagent => {
            filled(article, store, index, row, || Some(lazy::details().ok()?.line))
        }
        Layout::Facts => filled(article, store, index, row, || Some(lazy::tools().ok()?.facts)),
        Layout::Gap => {
            let text = store.entry(index, |entry| text(entry).into_owned()).unwrap_or_default();
            article.child(el("span").text(&text))
        }
    };
    let own = matches!(layout, Layout::User | Layout::Assistant).then(slots::message_actions).flatten();
    let own = own.map(|own| own.of("own-actions", entry));
    article.child(own).child(move || {
        // Rows that are only scrolled past get no buttons; they are added when scrolling stops.
        let stays = store.view_state.stays;
        let stays = stays.get_untracked() || stays.get();
        let details = lazy::details().ok().filter(|_| stays);
        let actions = details.and_then(|details| untrack(|| (details.actions)(store, index)));
        let lens = store.view_state.lens.get().then(|| lazy::lens().ok()).flatten();
        let mark = lens.map(|lens| untrack(|| (lens.mark)(store, index, row, host.clone())));
        actions.into_iter().chain(mark).collect::<Vec<_>>()
    })
}

/// Adds the line that sums up parallel tool calls of one message, above the first of them.
fn parallel_calls(article: El, store: Store, index: usize, row: Row) -> El {
    let first = memo(move || {
        row.head.track();
        place_among_parallel(store, index).is_some_and(|place| place != "more")
    });
    article.child(move || {
        let details = if first.get() { lazy::details().ok() } else { None };
        details
            .map(|details| untrack(|| (details.parallel_calls)(store, index, row)))
            .into_iter()
            .collect::<Vec<_>>()
    })
}

fn place_among_parallel(store: Store, index: usize) -> Option<&'static str> {
    store.hidden_rows.track();
    let first = store.parallel_calls(index)?.first().copied()?;
    Some(match first == index {
        false => "more",
        true if store.parallel_calls_open(first) => "first",
        true => "folded",
    })
}

/// Draws an article.
type Fill = fn(El, Store, usize, Row);

/// An article that a part of the program draws. Until that is here its text stands there as it is.
fn filled(article: El, store: Store, index: usize, row: Row, part: fn() -> Option<Fill>) -> El {
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

fn class_of(entry: &Entry, layout: Layout) -> &'static str {
    match layout {
        Layout::User => "entry user",
        Layout::Assistant => "entry assistant",
        Layout::Reasoning => "entry think",
        Layout::Tool => "entry tool",
        Layout::Request if entry.request().is_some_and(crate::core::model::request::Request::open) => {
            "entry request"
        }
        Layout::Request => "entry settled",
        Layout::Notice => "entry notice",
        Layout::Milestone => "entry milestone",
        Layout::Subagent => "entry subagent",
        Layout::Facts => "entry generic",
        Layout::Gap => "entry gap",
    }
}

fn level(entry: &Entry) -> Option<&'static str> {
    match &entry.body {
        Body::Notice(notice) => Some(notice.level.word()),
        Body::Request(_) => Some("info"),
        _ => None,
    }
}

/// Number of lane colours; an agent keeps its colour.
const LANES: usize = 6;
/// Deeper lanes are not indented any further.
const DEEPEST: usize = 4;

/// The colour (from 1) of the lane that an entry is in or heads, and the nesting depth.
fn lane(place: usize, lanes: &[usize], heads: bool) -> Option<(usize, usize)> {
    let (place, depth) =
        if heads { (place, lanes.len() + 1) } else { (lanes.first().copied()?, lanes.len()) };
    Some((place % LANES + 1, depth.min(DEEPEST)))
}

/// The name of the sub-agent whose lane an entry is in; the innermost one.
fn agent(store: Store, lanes: &[usize]) -> Option<String> {
    store.entry(lanes.first().copied()?, |entry| match &entry.body {
        Body::Subagent(agent) => Some(agent.title().to_owned()),
        _ => None,
    })?
}

/// The accessible name: author and kind, or why an event could not be read.
pub fn label(entry: &Entry) -> String {
    let word = match entry.kind {
        Kind::User => page::YOU,
        Kind::Assistant => page::ASSISTANT,
        Kind::Reasoning => page::REASONING,
        Kind::Tool => {
            let name = entry.tool().map_or("", |call| call.name.as_str());
            return page::TOOL.with(&[("name", name.into())]);
        }
        Kind::Permission => page::PERMISSION,
        Kind::Question => page::QUESTION,
        Kind::Form => page::FORM,
        Kind::Plan => page::PLAN,
        Kind::Confirmation => page::REQUEST,
        Kind::Notice => page::NOTICE,
        Kind::Subagent => page::SUB_AGENT,
        Kind::Compaction => page::COMPACTION,
        Kind::Summary => page::TASK_COMPLETE,
        Kind::Custom => page::CUSTOM,
        Kind::Generic => match &entry.body {
            Body::Facts { event_type, .. } if !is_unknown(&text(entry), event_type) => {
                return text(entry).into_owned();
            }
            _ => page::UNKNOWN_EVENT,
        },
        Kind::Gap => page::GAP,
    };
    word.text().to_owned()
}
