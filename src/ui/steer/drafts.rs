//! What this browser keeps of what is written: a draft for each session, and what was sent there before. Refuses to
//! keep attachments, and more than so many sessions.

use leptos::prelude::*;

use super::Steer;
use crate::core::change::Section;
use crate::core::compose::Past;
use crate::ui::built::words;
use crate::ui::dom::follow;
use crate::ui::memory;

/// Of so many sessions something is kept.
const SESSIONS: usize = 40;
/// Under this name, which ones.
const LIST: &str = "written";

/// Brings back what was written for the session, also when another one is shown.
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
    // What was typed before the session said who it is belongs to it.
    if !known || steer.text.with_untracked(String::is_empty) {
        let draft = recall(id, "draft").unwrap_or_default();
        steer.write(&draft, None);
    }
}

/// Keeps what the field has; while a queued message is in it, what was there before.
pub(super) fn keep(steer: Steer) {
    let Some((id, aside)) = steer.kept.try_with_value(|kept| (kept.session.clone(), kept.put_aside.clone()))
    else {
        return;
    };
    let editing = steer.editing.with_untracked(|editing| matches!(editing, Some((_, true))));
    let text = if editing { aside } else { steer.text.get_untracked() };
    if text.is_empty() {
        memory::forget(&name(&id, "draft"));
    } else {
        listed(&id);
        memory::remember(&name(&id, "draft"), &text);
    }
}

/// Remembers what was sent.
pub(super) fn remember(steer: Steer, text: &str) {
    let kept = steer.kept.try_update_value(|kept| {
        kept.past.remember(text);
        (kept.session.clone(), serde_json::to_string(kept.past.sent()).unwrap_or_default())
    });
    if let Some((id, sent)) = kept {
        listed(&id);
        memory::remember(&name(&id, "sent"), &sent);
    }
}

/// The newest of the sessions of which something is kept; the oldest is forgotten where there are too many.
fn listed(id: &str) {
    let mut ids: Vec<String> =
        memory::recall(LIST).and_then(|list| serde_json::from_str(&list).ok()).unwrap_or_default();
    if ids.last().is_some_and(|last| last == id) {
        return;
    }
    ids.retain(|known| known != id);
    ids.push(id.to_owned());
    for old in ids.drain(..ids.len().saturating_sub(SESSIONS)) {
        memory::forget(&name(&old, "draft"));
        memory::forget(&name(&old, "sent"));
    }
    memory::remember(LIST, &serde_json::to_string(&ids).unwrap_or_default());
}

fn recall(id: &str, what: &str) -> Option<String> {
    memory::recall(&name(id, what))
}

fn name(id: &str, what: &str) -> String {
    format!("{what}.{id}")
}
