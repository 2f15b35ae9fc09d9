//! The head of the lens: how much the model sees, whose view it is, what the marks
//! mean, and the close button.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;

use super::timeline_marks::{look, name};
use crate::client::store::Store;
use crate::client::store::lens_view::LensView;
use crate::core::i18n::Value;
use crate::core::i18n::format::grouped;
use crate::core::i18n::words::{lens, page};
use crate::core::model::change::Section;
use crate::core::model::model_context::Cause;
use crate::core::view_model::lens::{Difference, Relation, figure};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::icons::Icon;
use crate::ui::elements::reactive::{memo, render_effect};

/// The head of the lens.
pub fn head(store: Store, view: LensView) -> El {
    let open = store.view_state.lens;
    let close = el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("aria-label", lens::BACK.text())
        .attr("title", lens::BACK_KEY.text())
        .child(glyph(Icon::Cross))
        .on("click", move |_| open.set(false));
    let title = el("h2").child(glyph(Icon::Lens)).text(page::LENS.text());
    let line = div("lens-title").child(title).child(move || chooser(store, view)).child(close);
    let figures = el("p").class("lens-figures").text(move || figures(store, view));
    el("header").class("lens-head").child(line).child(figures).child(legend(store, view))
}

/// The choice between the main agent and every sub-agent that has a view of its own;
/// `None` if there is no such agent.
fn chooser(store: Store, view: LensView) -> Option<El> {
    // Agents change seldom and messages often, so the list stays the same element
    // while the agents are the same.
    let agents = memo(move || {
        let known = store.section(Section::ModelContext, |state| {
            state.agent_contexts.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>().join("\n")
        });
        known.unwrap_or_default()
    });
    let agents = agents.get();
    if agents.is_empty() {
        return None;
    }
    let mut ids: Vec<_> = agents.lines().map(str::to_owned).collect();
    ids.sort_by_key(|id| store.read(|state| state.agent_place(id)));
    let option = |id: &str, words: &str| el("option").attr("value", id).text(words);
    let select = el("select")
        .class("lens-agent")
        .attr("aria-label", lens::WHOSE_VIEW.text())
        .child(option("", lens::MAIN_AGENT.text()));
    let select = select.child(ids.iter().map(|id| option(id, &name(store, id))).collect::<Vec<_>>());
    let element = select.element().clone();
    let select = select.on("change", move |_| {
        let value = element.dyn_ref::<HtmlSelectElement>().map(HtmlSelectElement::value);
        view.agent.set(value.filter(|value| !value.is_empty()));
    });
    let element = select.element().clone();
    render_effect(move || {
        let agent = view.agent.get().unwrap_or_default();
        if let Some(select) = element.dyn_ref::<HtmlSelectElement>() {
            select.set_value(&agent);
        }
    });
    Some(select)
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

/// The marks with their names. Those for what the model does not see show how many entries have them.
fn legend(store: Store, view: LensView) -> El {
    let counts = RwSignal::new([0_usize; 4]);
    render_effect(move || {
        view.version.track();
        let length = store.length.get();
        let mut found = [0; 4];
        let counted = view.read(store, |index, state| {
            for place in (0..length).filter(|place| state.entry(*place).is_some_and(|entry| entry.ui_visible))
            {
                let slot = match index.absence(state, place) {
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
        });
        if counted.is_some() && counts.get_untracked() != found {
            counts.set(found);
        }
    });
    let row = move |relation: Relation, slot: Option<usize>| {
        let (word, icon) = look(&relation);
        let number = move || slot.and_then(|slot| counts.with(|counts| counts.get(slot).copied()));
        let item = el("li").attr("data-relation", word).child(glyph(icon)).text(relation.name());
        let item = item.attr("hidden", move || number() == Some(0));
        item.child(el("b").text(move || number().map_or_else(String::new, grouped)))
    };
    el("ul")
        .class("legend")
        .attr("aria-label", lens::LEGEND.text())
        .child(row(Relation::Sees, None))
        .child(row(Relation::Differs(Difference::Reworded), None))
        .child(row(Relation::PeopleOnly, Some(0)))
        .child(row(Relation::LiveOnly, Some(1)))
        .child(row(Relation::NoLonger(Cause::Cleared), Some(2)))
        .child(row(Relation::Elsewhere(String::new()), Some(3)))
}
