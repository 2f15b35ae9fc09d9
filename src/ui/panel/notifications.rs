//! The tray: quiet notifications, the newest first, and a mark for a failure that nobody has seen yet.
//! `core::view_model::notifications` puts them into words.

use leptos::prelude::*;

use super::rows::{List, ListLine, figure};
use crate::core::i18n::words::{notifications as words, page, timeline};
use crate::core::model::entry::Level;
use crate::core::model::state::Section;
use crate::core::view_model::notifications;
use crate::core::view_model::notifications::Fact;
use crate::store::Store;
use crate::store::view_state::{Aside, QuietFailure};
use crate::ui::elements::reactive::render_effect;
use crate::ui::message::clock;

/// Everything that was collected.
pub(super) fn collected(store: Store) -> List {
    let facts = store.section(Section::Notifications, notifications::facts).unwrap_or_default();
    let failed = facts.iter().filter(|fact| failure(fact)).count();
    let note = if failed > 0 {
        words::NOTE_FAILED.with(&[("failed", failed.into()), ("n", facts.len().into())])
    } else {
        figure(facts.len())
    };
    List { note, lines: facts.iter().map(line).collect() }
}

fn line(fact: &Fact) -> ListLine {
    let state = match fact.level {
        Level::Error if !fact.over => ("failed", words::ERROR),
        Level::Warning => ("warning", words::WARNING),
        _ => ("told", words::NOTE),
    };
    let often = (fact.count > 1).then(|| timeline::TIMES.with(&[("n", i64::from(fact.count).into())]));
    let end: Vec<String> = [often, fact.at.map(clock)].into_iter().flatten().collect();
    ListLine {
        state: Some(state),
        text: words::LINE.with(&[("source", (&fact.source).into()), ("text", (&fact.text).into())]),
        end: end.join(" · "),
        more: fact.more.clone(),
        ..ListLine::default()
    }
}

fn failure(fact: &Fact) -> bool {
    fact.level == Level::Error && !fact.over
}

/// Marks the panel's button as long as there is a failure that came while the panel was closed.
pub(super) fn watch(store: Store) {
    let seen = StoredValue::new(0);
    render_effect(move || {
        let facts = store.section(Section::Notifications, notifications::facts).unwrap_or_default();
        if store.view_state.aside.get() == Some(Aside::Panel) {
            let failures = facts.iter().filter(|fact| failure(fact));
            seen.set_value(failures.map(|fact| fact.number).max().unwrap_or(0));
        }
        let mut unseen: Vec<&Fact> =
            facts.iter().filter(|fact| failure(fact) && fact.number > seen.get_value()).collect();
        unseen.sort_by_key(|fact| fact.number);
        let failed = unseen.last().map(|newest| {
            let line = |source: &str, text: &str| {
                words::LINE.with(&[("source", source.into()), ("text", text.into())])
            };
            let count = words::FAILED.with(&[("n", unseen.len().into())]);
            let name = line(page::PANEL.text(), &count);
            QuietFailure { count, name, newest: line(&newest.source, &newest.text) }
        });
        if store.view_state.failed.with_untracked(|before| *before != failed) {
            store.view_state.failed.set(failed);
        }
    });
}
