//! The marks that timeline entries have while the lens is open, and what they mean.

use leptos::prelude::*;

use crate::core::i18n::words::lens;
use crate::core::view_model::agent_name;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::lens::{Relation, Spot};
use crate::store::lens_view::{LensHighlight, LensView};
use crate::store::{RowSignals, Store};
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::reactive::memo;

/// The name of a relation for the style sheet, and its icon.
pub fn name_and_icon(relation: &Relation) -> (&'static str, Icon) {
    match relation {
        Relation::Sees => ("sees", Icon::Lens),
        Relation::Differs(_) => ("differs", Icon::Differs),
        Relation::PeopleOnly => ("people", Icon::User),
        Relation::LiveOnly => ("live", Icon::Live),
        Relation::NoLonger(_) => ("gone", Icon::LensOff),
        Relation::Elsewhere(_) => ("elsewhere", Icon::Agent),
    }
}

/// An entry's mark. It may outlive the lens for a moment, so it asks whether that is still there. The entry
/// and its messages highlight each other.
pub fn mark(store: Store, entry: usize, row: RowSignals, article: El) -> El {
    let view = store.view_state.scroll_sync.view;
    el("span").class("mark").child(move || {
        let view = view.get()?;
        Some(untrack(|| marked_article(store, view, entry, row, article.clone())))
    })
}

fn marked_article(store: Store, view: LensView, entry: usize, row: RowSignals, article: El) -> El {
    let light = move |_: &web_sys::Event| {
        let spot = view.read(store, |index, _| index.spot(entry)).flatten();
        let message = spot.and_then(|spot| serial(store, view, spot));
        view.highlight(LensHighlight { entries: vec![entry], messages: message.into_iter().collect() });
    };
    let host = StoredValue::new_local(article.element().clone());
    let _ = article
        .on("mouseenter", light)
        .on("focusin", light)
        .on("mouseleave", move |_| view.highlight(LensHighlight::default()))
        .attr("data-lit", move || {
            view.highlighted.try_with(|lit| lit.entries.contains(&entry)) == Some(true)
        });
    on_cleanup(move || {
        host.try_with_value(|article| {
            // Fails for invalid names only.
            let _ = article.remove_attribute("data-lit");
        });
    });
    let relation = memo(move || {
        row.head.track();
        (view.version.try_get() > Some(0))
            .then(|| view.read(store, |index, state| index.relation(state, entry)).flatten())
    });
    el("span")
        .child(move || relation.get().flatten().map(|relation| relation_mark(store, view, entry, &relation)))
}

fn relation_mark(store: Store, view: LensView, entry: usize, relation: &Relation) -> El {
    let (word, icon) = name_and_icon(relation);
    let name = match (relation, relation.what()) {
        (Relation::Elsewhere(agent), Some(_)) if !agent.is_empty() => {
            lens::ONLY_AGENT.with(&[("agent", (&name(store, agent)).into())])
        }
        (_, Some(what)) => lens::MARK.with(&[("name", relation.name().into()), ("what", (&what).into())]),
        (_, None) => relation.name().to_owned(),
    };
    let named = |host: El| {
        host.attr("data-relation", word).attr("aria-label", &name).attr("title", &name).child(glyph(icon))
    };
    let button = || el("button").attr("type", "button");
    match relation {
        Relation::PeopleOnly | Relation::LiveOnly => named(el("span").attr("role", "img")),
        Relation::Elsewhere(agent) => {
            let agent = Some(agent.clone()).filter(|agent| !agent.is_empty());
            named(button()).on("click", move |_| {
                view.agent.set(agent.clone());
                view.go_to(entry);
            })
        }
        _ => named(button()).on("click", move |_| view.go_to(entry)),
    }
}

impl LensView {
    /// Asks the lens to show an entry's message.
    fn go_to(self, entry: usize) {
        self.show.update(|request| {
            *request = Some((entry, request.map_or(0, |(_, number)| number.wrapping_add(1))));
        });
    }
}

fn serial(store: Store, view: LensView, spot: Spot) -> Option<u64> {
    view.read(store, |index, state| index.find(state, spot).map(|(message, _)| message.serial)).flatten()
}

/// A sub-agent's name for people.
pub fn name(store: Store, agent: &str) -> String {
    store.read(|state| agent_name::by_id(state, agent).to_owned()).unwrap_or_default()
}
