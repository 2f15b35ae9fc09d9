//! The header of the lens: how much the model sees, whose view it is, what the marks
//! mean, and the close button.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;

use super::timeline_marks::{name, name_and_icon};
use crate::core::i18n::Value;
use crate::core::i18n::format::grouped;
use crate::core::i18n::words::{lens, page};
use crate::core::model::agents;
use crate::core::model::model_context::Cause;
use crate::core::model::state::Section;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::lens::{Difference, Relation, figure};
use crate::store::Store;
use crate::store::lens_view::LensView;
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::live::{Live, LiveAttribute};
use crate::ui::elements::live_text::LiveText;
use crate::ui::elements::reactive::{memo, render_effect};

/// The header of the lens.
#[component(transparent)]
pub fn LensHeader(store: Store, view: LensView) -> El {
    let open = store.view_state.lens;
    El::of(view! {
        <header class="lens-head">
            <div class="lens-title">
                <h2>{glyph(Icon::Lens)} {page::LENS.text()}</h2>
                <AgentSelect store view/>
                <button
                    type="button"
                    class="btn bare"
                    aria-label=lens::BACK.text()
                    title=lens::BACK_KEY.text()
                    on:click=move |_| open.set(false)
                >
                    {glyph(Icon::Cross)}
                </button>
            </div>
            <p class="lens-figures">{LiveText::new(move || figures(store, view))}</p>
            <WhatIsMissing store/>
            <Legend store view/>
        </header>
    })
}

/// The choice between the main agent and every sub-agent that has a view of its own, while there is such an agent.
#[component(transparent)]
fn AgentSelect(store: Store, view: LensView) -> Live {
    // Agents change seldom and messages often, so the list stays the same element
    // while the agents are the same.
    let agents = memo(move || {
        let known = store.section(Section::ModelContext, |state| {
            state.agent_contexts.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>().join("\n")
        });
        known.unwrap_or_default()
    });
    Live::new(move || {
        let agents = agents.get();
        let mut ids: Vec<_> = agents.lines().map(str::to_owned).collect();
        ids.sort_by_key(|id| store.read(|state| state.agent_place(id)));
        (!ids.is_empty()).then(|| agent_select(store, view, &ids))
    })
}

fn agent_select(store: Store, view: LensView, ids: &[String]) -> El {
    let option = |id: &str, words: &str| el("option").attr("value", id).text(words);
    let options: Vec<El> = ids.iter().map(|id| option(id, &name(store, id))).collect();
    let choose = move |event: web_sys::Event| {
        view.agent.set(Some(event_target_value(&event)).filter(|value| !value.is_empty()));
    };
    let select = El::of(view! {
        <select class="lens-agent" aria-label=lens::WHOSE_VIEW.text() on:change=choose>
            {option("", lens::MAIN_AGENT.text())}
            {options}
        </select>
    });
    let element = select.element().clone();
    render_effect(move || {
        let agent = view.agent.get().unwrap_or_default();
        if let Some(select) = element.dyn_ref::<HtmlSelectElement>() {
            select.set_value(&agent);
        }
    });
    select
}

fn figures(store: Store, view: LensView) -> String {
    view.version.track();
    let messages = view.read(store, |index, state| index.view(state).map_or(0, |view| view.messages().len()));
    let messages = figure(messages.unwrap_or(0), lens::MESSAGES);
    // The runtime counts the main agent's tokens only.
    let main = view.agent.with(Option::is_none);
    let tokens =
        store.section(Section::Usage, |state| (state.usage.context_tokens, state.usage.context_limit));
    match tokens.filter(|_| main) {
        Some((Some(now), Some(limit))) => lens::CONTEXT_OF.with(&[
            ("messages", (&messages).into()),
            ("now", Value::Count(now)),
            ("limit", Value::Count(limit)),
        ]),
        Some((Some(now), None)) => {
            lens::CONTEXT.with(&[("messages", (&messages).into()), ("now", Value::Count(now))])
        }
        _ => messages,
    }
}

/// What of the model's view no event tells, where the session is another agent's.
#[component(transparent)]
fn WhatIsMissing(store: Store) -> Live {
    let agent = memo(move || store.section(Section::Session, |state| state.info.agent.clone()).flatten());
    Live::new(move || {
        let agent = agent.get()?;
        let words = lens::NOT_ALL.with(&[("agent", agents::title(&agent).into())]);
        Some(el("p").class("lens-figures").text(words))
    })
}

/// The marks with their names. Those for what the model does not see show how many entries have them.
#[component(transparent)]
fn Legend(store: Store, view: LensView) -> El {
    let counts = RwSignal::new([0_usize; 4]);
    render_effect(move || {
        view.version.track();
        let length = store.length.get();
        let found = view.read(store, |index, state| {
            let mut found = [0; 4];
            let visible = |row: &usize| state.entry(*row).is_some_and(|entry| entry.ui_visible);
            for row in (0..length).filter(visible) {
                let slot = match index.absence(state, row) {
                    Some(Relation::PeopleOnly) => found.get_mut(0),
                    Some(Relation::LiveOnly) => found.get_mut(1),
                    Some(Relation::NoLonger(_)) => found.get_mut(2),
                    Some(Relation::Elsewhere(_)) => found.get_mut(3),
                    _ => None,
                };
                if let Some(slot) = slot {
                    *slot += 1;
                }
            }
            found
        });
        if let Some(found) = found.filter(|found| counts.get_untracked() != *found) {
            counts.set(found);
        }
    });
    let [people, live, gone, elsewhere] =
        std::array::from_fn(|nth| memo(move || counts.with(|counts| counts.get(nth).copied())));
    let always = memo(|| None);
    El::of(view! {
        <ul class="legend" aria-label=lens::LEGEND.text()>
            <LegendItem relation=Relation::Sees count=always/>
            <LegendItem relation=Relation::Differs(Difference::Reworded) count=always/>
            <LegendItem relation=Relation::PeopleOnly count=people/>
            <LegendItem relation=Relation::LiveOnly count=live/>
            <LegendItem relation=Relation::NoLonger(Cause::Cleared) count=gone/>
            <LegendItem relation=Relation::Elsewhere(String::new()) count=elsewhere/>
        </ul>
    })
}

/// A mark with its name, and how many entries have it if that is counted.
#[component(transparent)]
fn LegendItem(relation: Relation, count: Memo<Option<usize>>) -> El {
    let (word, icon) = name_and_icon(&relation);
    El::of(view! {
        <li data-relation=word hidden=LiveAttribute::new(move || count.get() == Some(0))>
            {glyph(icon)}
            {relation.name()}
            <b>{LiveText::new(move || count.get().map_or_else(String::new, grouped))}</b>
        </li>
    })
}
