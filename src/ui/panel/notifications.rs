//! The tray: quiet notifications, the newest first, and a mark for a failure that nobody has seen yet.
//! `core::view_model::notifications` puts them into words.

use leptos::prelude::*;

use super::rows::{ListLine, SectionList, format_count};
use crate::core::i18n::words::{notifications as words, page, timeline};
use crate::core::model::entry::Level;
use crate::core::model::state::Section;
use crate::core::view_model::notifications;
use crate::core::view_model::notifications::Fact;
use crate::store::Store;
use crate::store::view_state::{QuietFailure, SideViewKind};
use crate::ui::elements::reactive::render_effect;
use crate::ui::lazy;
use crate::ui::message::clock;

/// Everything that was collected.
pub(super) fn collected_facts(store: Store) -> SectionList {
    let facts = store.section(Section::Notifications, notifications::facts).unwrap_or_default();
    let failed = facts.iter().filter(|fact| failure(fact)).count();
    let note = if failed > 0 {
        words::NOTE_FAILED.with(&[("failed", failed.into()), ("n", facts.len().into())])
    } else {
        format_count(facts.len())
    };
    SectionList { note, lines: facts.iter().map(line).collect() }
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

/// Marks the panel's button as long as there is a failure that happened while the panel was closed. The words for it are the
/// panel's, whose chunk then comes.
pub(super) fn watch(store: Store) {
    let seen = StoredValue::new(0);
    render_effect(move || {
        let failures = store.section(Section::Notifications, notifications::failures).unwrap_or_default();
        if store.view_state.side_view.get() == Some(SideViewKind::Panel) {
            seen.set_value(failures.iter().copied().max().unwrap_or(0));
        }
        let unseen: Vec<u64> = failures.into_iter().filter(|number| *number > seen.get_value()).collect();
        let newest = unseen.iter().max().and_then(|newest| {
            let panel = lazy::PANEL.ready().ok()?;
            store.read(panel.facts)?.into_iter().find(|fact| fact.number == *newest)
        });
        let failed = newest.map(|newest| {
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
