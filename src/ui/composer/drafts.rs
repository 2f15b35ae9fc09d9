//! Keeps in the browser what is written: a draft for each session, the edit of a queued message, the messages
//! that have not arrived for certain, and what was sent before. Attachments are not kept.
//!
//! Each tab has a draft of its own, so that tabs do not overwrite each other's. A new tab begins with the draft
//! that the browser has for all of them.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::ComposerState;
use crate::client::storage::{BROWSER, TAB};
use crate::core::i18n::format::{one_line, strings};
use crate::core::model::change::Section;
use crate::core::model::outbox::Outbox;
use crate::core::view_model::compose::Past;
use crate::ui::elements::reactive::{memo, render_effect};

/// How many sessions are kept.
const SESSIONS: usize = 40;
/// The storage key of the list of these sessions.
const LIST: &str = "written";

/// Restores what was written for the session, also whenever another one is shown.
pub(super) fn listen(composer: ComposerState) {
    let store = composer.store;
    let id = memo(move || {
        store.section(Section::Session, |_| ());
        store.live(|state| state.info.id.clone()).flatten().unwrap_or_default()
    });
    render_effect(move || {
        let id = id.get();
        untrack(|| restore(composer, &id));
    });
    keep_outbox(composer);
}

fn restore(composer: ComposerState, id: &str) {
    let before = composer.kept.try_update_value(|kept| std::mem::replace(&mut kept.session, id.to_owned()));
    let known = before.is_some_and(|before| before.is_empty());
    let sent = recall(id, "sent").map_or_else(Vec::new, |list| strings(&list));
    composer.kept.update_value(|kept| kept.past = Past::new(sent));
    let everywhere = recall(id, "draft");
    let here = TAB.recall(&name(id, "draft"));
    let edit = read(&name(id, "edit"));
    let text = |name: &str| edit.get(name).and_then(Value::as_str).map(str::to_owned);
    let own = text("aside").or_else(|| here.clone());
    let shared = everywhere.clone().filter(|shared| own.is_none() || own.as_ref() == Some(shared));
    composer.kept.update_value(|kept| kept.shared_draft = shared);
    // What was typed or sent before the session's id was known belongs to this session.
    if !known || composer.text.with_untracked(String::is_empty) {
        composer.kept.update_value(|kept| kept.put_aside = text("aside").unwrap_or_default());
        let there = edit.get("there").and_then(Value::as_bool) == Some(true);
        if let Some(item) = text("id") {
            composer.editing.set(Some((item, there)));
            composer.note.set(super::queue::editing_note(composer));
        } else if !known {
            composer.editing.set(None);
        }
        composer.write(&here.or(everywhere).unwrap_or_default(), None);
    }
    if !known || composer.outbox.with_untracked(|outbox| outbox.sent().is_empty()) {
        composer.outbox.update(|outbox| outbox.restore(read(&name(id, "outbox"))));
    }
}

/// Stores the messages of the outbox whenever it changes.
fn keep_outbox(composer: ComposerState) {
    render_effect(move || {
        let kept = composer.outbox.with(Outbox::kept);
        let Some(id) = composer.kept.try_with_value(|kept| kept.session.clone()) else { return };
        if !id.is_empty() {
            store(&name(&id, "outbox"), kept.as_ref());
        }
    });
}

/// Stores the field's text as the draft, and which queued message it changes.
pub(super) fn keep(composer: ComposerState) {
    let Some((id, aside, shared)) = composer
        .kept
        .try_with_value(|kept| (kept.session.clone(), kept.put_aside.clone(), kept.shared_draft.clone()))
    else {
        return;
    };
    let text = composer.text.get_untracked();
    let edit = composer.editing.get_untracked();
    let edit = edit.map(|(item, there)| json!({ "id": item, "there": there, "aside": aside }));
    store(&name(&id, "edit"), edit.as_ref());
    // An empty one is stored too: this tab has no draft, whatever others have.
    TAB.remember(&name(&id, "draft"), &text);
    // For all tabs there is one draft. It is left alone while it is another tab's. An edit is no draft.
    let draft = if edit.is_some() { aside } else { text };
    let now = recall(&id, "draft");
    if now.is_some() && now != shared {
        return;
    }
    if draft.is_empty() {
        BROWSER.forget(&name(&id, "draft"));
    } else {
        listed(&id);
        BROWSER.remember(&name(&id, "draft"), &draft);
    }
    composer.kept.update_value(|kept| kept.shared_draft = Some(draft).filter(|draft| !draft.is_empty()));
}

/// A JSON value of this tab; null if there is none.
fn read(name: &str) -> Value {
    TAB.recall(name).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn store(name: &str, value: Option<&Value>) {
    match value {
        Some(value) => TAB.remember(name, &one_line(value)),
        None => TAB.forget(name),
    }
}

/// Stores a text that was sent.
pub(super) fn remember(composer: ComposerState, text: &str) {
    let kept = composer.kept.try_update_value(|kept| {
        kept.past.remember(text);
        (kept.session.clone(), one_line(&kept.past.sent().into()))
    });
    if let Some((id, sent)) = kept {
        listed(&id);
        BROWSER.remember(&name(&id, "sent"), &sent);
    }
}

/// Makes a session the newest of the list, and forgets the oldest ones beyond the limit.
fn listed(id: &str) {
    let mut ids = BROWSER.recall(LIST).map_or_else(Vec::new, |list| strings(&list));
    if ids.last().is_some_and(|last| last == id) {
        return;
    }
    ids.retain(|known| known != id);
    ids.push(id.to_owned());
    for old in ids.drain(..ids.len().saturating_sub(SESSIONS)) {
        BROWSER.forget(&name(&old, "draft"));
        BROWSER.forget(&name(&old, "sent"));
    }
    BROWSER.remember(LIST, &one_line(&ids.into()));
}

fn recall(id: &str, what: &str) -> Option<String> {
    BROWSER.recall(&name(id, what))
}

fn name(id: &str, what: &str) -> String {
    format!("{what}.{id}")
}
