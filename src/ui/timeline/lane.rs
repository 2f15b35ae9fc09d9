//! A sub-agent's line, which folds and opens its lane. What the sub-agent says is in rows of its own.

use crate::core::i18n;
use leptos::prelude::*;

use crate::core::EntryState;
use crate::core::i18n::format::without_marks;
use crate::core::i18n::words::timeline;
use crate::core::i18n::{Value, Word};
use crate::core::model::entry::{Body, Subagent};
use crate::core::view_model::agent_name;
use crate::store::{EntryHandle, RowSignals, Store};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::icons::Icon;
use crate::ui::elements::press_guard;
use crate::ui::elements::reactive::memo;
use crate::ui::message::{Piece, live_pieces};

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
        let pieces = agent_of(store, index, |agent| {
            let model = agent.model.clone().map(|model| Piece::span("quiet", format!(" · {model}")));
            let description = Piece::Text(format!(" {}", without_marks(&agent.description)));
            [Piece::span("agent", agent_name::shown(agent.title()).to_owned()), description]
                .into_iter()
                .chain(model)
                .collect()
        });
        pieces.unwrap_or_default()
    });
    let end = Box::new(move || {
        row.head.track();
        let state = store.entry(index, |entry| entry.state).unwrap_or(EntryState::Done);
        let word = agent_of(store, index, |agent| state_word(state, agent)).flatten();
        let figures = agent_of(store, index, figures).unwrap_or_default();
        let word = word.map(|word| Piece::span("", word.text().to_owned()));
        word.into_iter().chain((!figures.is_empty()).then(|| Piece::span("dur", figures))).collect()
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
        agent_of(store, index, |agent| {
            let effort =
                agent.effort.as_ref().map(|effort| timeline::EFFORT.with(&[("effort", effort.into())]));
            let own_name = Some(agent.name.clone()).filter(|name| !name.is_empty() && name != agent.title());
            let parts =
                [own_name, effort, agent.background.then(|| timeline::IN_BACKGROUND.text().to_owned())];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        })
        .unwrap_or_default()
    });
    let result = memo(move || {
        row.head.track();
        let ended = store.entry(index, |entry| entry.state != EntryState::Running).unwrap_or(false);
        if ended { task_result(store, index).unwrap_or_default() } else { String::new() }
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

/// The result of the tool call that started the sub-agent.
fn task_result(store: Store, index: usize) -> Option<String> {
    store.read(|state| {
        let call = state.entry(state.tool_place(&state.entry(index)?.id)?)?;
        Some(call.text.to_string())
    })?
}

fn agent_of<R>(store: Store, index: usize, read: impl FnOnce(&Subagent) -> R) -> Option<R> {
    store.entry(index, |entry| match &entry.body {
        Body::Subagent(agent) => Some(read(agent)),
        _ => None,
    })?
}

fn state_word(state: EntryState, agent: &Subagent) -> Option<Word> {
    match state {
        EntryState::Running if agent.background => Some(timeline::WORKING_BACKGROUND),
        EntryState::Running => Some(timeline::WORKING),
        EntryState::Failed => Some(timeline::FAILED),
        EntryState::Interrupted if agent.cancelled => Some(timeline::CANCELLED),
        EntryState::Interrupted => Some(timeline::STOPPED),
        _ => None,
    }
}

/// '3 tools · 21.4 k tokens · 12 s', from the runtime's totals if it sent them.
fn figures(agent: &Subagent) -> String {
    let tools = agent.tool_calls.unwrap_or(i64::from(agent.work.tools));
    let known = agent.work.input_tokens.saturating_add(agent.work.output_tokens);
    let tokens = agent.tokens.unwrap_or(known);
    let parts = [
        (tools > 0).then(|| timeline::TOOLS.with(&[("n", Value::Count(tools))])),
        (tokens > 0).then(|| timeline::TOKENS.with(&[("n", Value::Count(tokens))])),
        agent.duration_ms().map(i18n::duration),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
