//! Keeps in the browser what is written: a draft for each session, and what was sent
//! there before. Attachments are not kept.

use leptos::prelude::*;

use super::Steer;
use crate::core::model::change::Section;
use crate::core::view_model::compose::Past;
use crate::ui::elements::builder::follow;
use crate::ui::elements::into_view::words;
use crate::ui::elements::preferences;

/// How many sessions are kept.
const SESSIONS: usize = 40;
/// The storage key of the list of these sessions.
const LIST: &str = "written";

/// Restores what was written for the session, also whenever another one is shown.
pub(super) fn listen(steer: Steer) {
    let store = steer.store;
    let id = words(move || {
        store.section(Section::Session, |_| ());
        store.live(|state| state.info.id.clone()).flatten().unwrap_or_default()
    });
    follow(Box::new(move || {
        let id = id.get();
        untrack(|| restore(steer, &id));
    }));
}

fn restore(steer: Steer, id: &str) {
    let before = steer.kept.try_update_value(|kept| std::mem::replace(&mut kept.session, id.to_owned()));
    let known = before.is_some_and(|before| before.is_empty());
    let sent: Vec<String> =
        recall(id, "sent").and_then(|list| serde_json::from_str(&list).ok()).unwrap_or_default();
    steer.kept.update_value(|kept| kept.past = Past::new(sent));
    // What was typed before the session's id was known belongs to this session.
    if !known || steer.text.with_untracked(String::is_empty) {
        let draft = recall(id, "draft").unwrap_or_default();
        steer.write(&draft, None);
    }
}

/// Stores the field's text as the draft. While a queued message is being
/// edited there, stores the text from before.
pub(super) fn keep(steer: Steer) {
    let Some((id, aside)) = steer.kept.try_with_value(|kept| (kept.session.clone(), kept.put_aside.clone()))
    else {
        return;
    };
    let editing = steer.editing.with_untracked(|editing| matches!(editing, Some((_, true))));
    let text = if editing { aside } else { steer.text.get_untracked() };
    if text.is_empty() {
        preferences::forget(&name(&id, "draft"));
    } else {
        listed(&id);
        preferences::remember(&name(&id, "draft"), &text);
    }
}

/// Stores a text that was sent.
pub(super) fn remember(steer: Steer, text: &str) {
    let kept = steer.kept.try_update_value(|kept| {
        kept.past.remember(text);
        (kept.session.clone(), serde_json::to_string(kept.past.sent()).unwrap_or_default())
    });
    if let Some((id, sent)) = kept {
        listed(&id);
        preferences::remember(&name(&id, "sent"), &sent);
    }
}

/// Makes a session the newest of the list, and forgets the oldest ones beyond the limit.
fn listed(id: &str) {
    let mut ids: Vec<String> =
        preferences::recall(LIST).and_then(|list| serde_json::from_str(&list).ok()).unwrap_or_default();
    if ids.last().is_some_and(|last| last == id) {
        return;
    }
    ids.retain(|known| known != id);
    ids.push(id.to_owned());
    for old in ids.drain(..ids.len().saturating_sub(SESSIONS)) {
        preferences::forget(&name(&old, "draft"));
        preferences::forget(&name(&old, "sent"));
    }
    preferences::remember(LIST, &serde_json::to_string(&ids).unwrap_or_default());
}

fn recall(id: &str, what: &str) -> Option<String> {
    preferences::recall(&name(id, what))
}

fn name(id: &str, what: &str) -> String {
    format!("{what}.{id}")
}
