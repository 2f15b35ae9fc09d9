//! The buttons that appear on a row when it has the pointer or the focus, such as copy and rewind.
//!
//! Copying itself is done by `search::copy_entry`, in the chunk `search`.

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::client::js::to_js;
use crate::core::Kind;
use crate::core::i18n::Word;
use crate::core::i18n::words::{cards, composer};
use crate::core::view_model::icon::Icon;
use crate::core::view_model::snapshot;
use crate::core::view_model::tool_summary::{ToolFamily, family};
use crate::store::Store;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::host_options::{EntryAction, items};
use crate::ui::lazy;
use crate::ui::lazy::CopiedPart;
use crate::ui::renderers;

/// The button group of an entry; `None` if the entry does not exist.
pub fn actions(store: Store, index: usize) -> Option<El> {
    let copied = store.entry(index, |entry| match entry.kind {
        Kind::User | Kind::Assistant | Kind::Reasoning => &[(cards::COPY_MESSAGE, CopiedPart::Words)][..],
        Kind::Tool if entry.tool().is_some_and(|call| family(call) == ToolFamily::Shell) => {
            &[(cards::COPY_COMMAND, CopiedPart::Command), (cards::COPY_RESULT, CopiedPart::Words)]
        }
        Kind::Tool => &[(cards::COPY_RESULT, CopiedPart::Words)],
        _ => &[(cards::COPY, CopiedPart::Words)],
    });
    let buttons = copied?.iter().map(|(name, what)| {
        let icon = if *what == CopiedPart::Command { Icon::Terminal } else { Icon::Copy };
        let button = button(icon, *name);
        let element = button.element().clone();
        button.on("click", move |_| {
            let element = element.clone();
            lazy::SEARCH.with(move |search| (search.copy)(store, index, *what, &element));
        })
    });
    let is_own_message = store.entry(index, |entry| entry.kind == Kind::User && entry.agent_id.is_none());
    let rewinds = move || {
        is_own_message == Some(true)
            && store.server().steering.get()
            && store.server().protocol.get().is_none()
            && !store.server().agent_lacks("session.history.rewind")
            && !store.cannot_answer()
    };
    let group = div("actions").attr("role", "group").attr("aria-label", cards::ACTIONS.text());
    let group = group.child(move || {
        let rewind = || button(Icon::Refresh, composer::REWIND).attr("data-act", "rewind");
        rewinds().then(|| rewind().on("click", move |_| store.rewinding().set(Some(index))))
    });
    // The page may set them when the row is there.
    let own = move || {
        let all = store.host_options().entry_actions.with(|all| items("entryActions", all, EntryAction::of));
        all.iter().filter_map(|action| host_action(store, index, action)).collect::<Vec<El>>()
    };
    Some(group.child(buttons.collect::<Vec<_>>()).child(own))
}

/// A button of the host's page, if it is for this entry.
fn host_action(store: Store, index: usize, action: &EntryAction) -> Option<El> {
    let data = move || store.entry(index, |entry| to_js(&snapshot::entry(entry)));
    match &action.applies {
        Some(applies) => renderers::matches(applies, &data()?, false).then_some(())?,
        None => store
            .entry(index, |entry| matches!(entry.kind, Kind::User | Kind::Assistant))
            .filter(|is_message| *is_message)
            .map(|_| ())?,
    }
    let run = action.run.clone();
    let button =
        el("button").attr("type", "button").class("btn bare").attr("data-act", "host").text(&action.label);
    Some(button.on("click", move |_| {
        if let Some(entry) = data() {
            // Like an error in a listener of the host's own.
            if let Err(error) = run.call1(&JsValue::UNDEFINED, &entry) {
                renderers::report(&error);
            }
        }
    }))
}

fn button(icon: Icon, name: Word) -> El {
    el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("aria-label", name.text())
        .attr("title", name.text())
        .child(glyph(icon))
}
