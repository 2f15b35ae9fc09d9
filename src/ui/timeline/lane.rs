//! A sub-agent's line, which folds and opens its lane. What the sub-agent says is in rows of its own.

use leptos::prelude::*;

use crate::core::EntryState;
use crate::core::i18n::words::timeline;
use crate::core::model::entry::{Body, Subagent};
use crate::core::view_model::icon::Icon;
use crate::core::view_model::summary_line;
use crate::core::view_model::summary_line::given_back;
use crate::store::{EntryHandle, RowSignals, Store};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::press_guard;
use crate::ui::elements::reactive::memo;
use crate::ui::message::live_pieces;

/// A sub-agent's line: name, task and model, state and figures, and why it failed. Opening it shows the rows of its
/// lane.
#[component(transparent)]
pub fn SubagentLane(
    /// The sub-agent.
    entry: EntryHandle,
    /// The element that is filled; one of its own if absent.
    #[prop(optional)]
    article: Option<El>,
) -> El {
    let EntryHandle { store, index, row } = entry;
    let article = article.unwrap_or_else(|| div("entry subagent"));
    let what = Box::new(move || {
        row.head.track();
        agent_of(store, index, summary_line::subagent).unwrap_or_default()
    });
    let end = Box::new(move || {
        row.head.track();
        let state = store.entry(index, |entry| entry.state).unwrap_or(EntryState::Done);
        agent_of(store, index, |agent| summary_line::subagent_end(state, agent)).unwrap_or_default()
    });
    // Toggling a lane without rows changes no row, so it needs a signal of its own.
    let pressed = RwSignal::new(0_u32);
    let open = memo(move || {
        row.head.track();
        store.rows().track();
        pressed.track();
        store.rows().lane_open(index)
    });
    let line = el("button")
        .class("row")
        .attr("type", "button")
        .attr("aria-expanded", move || Some(open.get().to_string()))
        .child(glyph(Icon::Agent))
        .child(live_pieces(el("span").class("what"), what))
        .child(live_pieces(el("span").class("end"), end));
    press_guard::toggle(line.element(), open, move |_, open| {
        store.rows().set_lane(index, open);
        pressed.update(|times| *times = times.wrapping_add(1));
    });
    let error = memo(move || {
        row.head.track();
        agent_of(store, index, |agent| agent.error.clone()).flatten().unwrap_or_default()
    });
    let error = move || {
        let error = error.get();
        (!error.is_empty()).then(|| div("fail").text(&error))
    };
    article.child(line).child(error).child(move || open.get().then(|| lane_facts(store, index, row)))
}

/// Facts about a sub-agent that its line does not show: how it runs, and the result that it returned to its
/// caller.
fn lane_facts(store: Store, index: usize, row: RowSignals) -> El {
    let facts = memo(move || {
        row.head.track();
        agent_of(store, index, summary_line::subagent_facts).unwrap_or_default()
    });
    let result = memo(move || {
        row.head.track();
        store.read(|state| given_back(state, state.entry(index)?)).flatten().unwrap_or_default()
    });
    div("lane-facts")
        .child(move || {
            let facts = facts.get();
            (!facts.is_empty()).then(|| el("p").class("quiet").text(&facts))
        })
        .child(move || {
            let result = result.get();
            (!result.is_empty()).then(|| {
                let words =
                    el("pre").class("box wrap").attr("tabindex", "0").attr("dir", "auto").text(&result);
                el("details")
                    .class("more")
                    .child(el("summary").text(timeline::GIVEN_BACK.text()))
                    .child(words)
            })
        })
}

fn agent_of<R>(store: Store, index: usize, read: impl FnOnce(&Subagent) -> R) -> Option<R> {
    store.entry(index, |entry| match &entry.body {
        Body::Subagent(agent) => Some(read(agent)),
        _ => None,
    })?
}
