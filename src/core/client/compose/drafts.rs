//! What the browser keeps of what is written: a draft for each session, the edit of a queued message, the messages that
//! have not arrived for certain, and what was sent before. Attachments are not kept.
//!
//! Each tab has a draft of its own, so that tabs do not overwrite each other's. A new tab begins with the draft that the
//! browser has for all of them.

use serde_json::{Value, json};

use super::{Area, Composer, Effect};
use crate::json_writer::{one_line, strings};
use crate::view_model::compose::SentHistory;

/// How many sessions are kept.
const SESSIONS: usize = 40;
/// The name of the list of these sessions.
const SESSION_LIST: &str = "written";

/// What the browser keeps of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredTexts {
    /// The draft for all tabs.
    pub shared_draft: Option<String>,
    /// This tab's draft.
    pub draft: Option<String>,
    /// The edit of a queued message, as JSON.
    pub edit: Option<String>,
    /// The messages that have not arrived for certain, as JSON.
    pub outbox: Option<String>,
    /// What was sent before, as JSON.
    pub sent: Option<String>,
}

impl StoredTexts {
    /// What is kept of a session.
    pub fn of(session: &str, recall: impl Fn(Area, &str) -> Option<String>) -> Self {
        let recall = |area, what: &str| recall(area, &name(session, what));
        Self {
            shared_draft: recall(Area::Browser, "draft"),
            draft: recall(Area::Tab, "draft"),
            edit: recall(Area::Tab, "edit"),
            outbox: recall(Area::Tab, "outbox"),
            sent: recall(Area::Browser, "sent"),
        }
    }
}

impl Composer {
    /// Shows what was written for a session.
    pub(super) fn show_session(&mut self, id: &str, kept: StoredTexts) {
        let was_unknown = std::mem::replace(&mut self.session, id.to_owned()).is_empty();
        self.sends_when_read = None;
        self.past = SentHistory::new(kept.sent.map_or_else(Vec::new, |list| strings(&list)));
        let edit = value(kept.edit);
        let text = |name: &str| edit.get(name).and_then(Value::as_str).map(str::to_owned);
        let own = text("aside").or_else(|| kept.draft.clone());
        let shared = kept.shared_draft.clone();
        self.shared_draft = shared.filter(|shared| own.is_none() || own.as_ref() == Some(shared));
        // What was typed or sent before the session's id was known belongs to this session.
        if !was_unknown || self.text.is_empty() {
            self.put_aside = text("aside").unwrap_or_default();
            let there = edit.get("there").and_then(Value::as_bool) == Some(true);
            if let Some(item) = text("id") {
                self.editing = Some((item, there));
                self.note = self.editing_note();
            } else if !was_unknown {
                self.editing = None;
            }
            self.write(kept.draft.or(kept.shared_draft).unwrap_or_default(), None);
        }
        if !was_unknown || self.outbox.sent().is_empty() {
            self.outbox.restore(value(kept.outbox));
        }
    }

    /// Keeps the field's text as the draft, and which queued message it changes.
    pub(super) fn keep_draft(&mut self) {
        let edit = self.editing.as_ref();
        let edit = edit.map(|(item, there)| json!({ "id": item, "there": there, "aside": self.put_aside }));
        self.keep(Area::Tab, "edit", edit.map(|edit| one_line(&edit)));
        // An empty one is stored too: this tab has no draft, whatever others have.
        self.keep(Area::Tab, "draft", Some(self.text.clone()));
        self.recall();
    }

    /// Keeps the draft for all tabs. It is left alone while it is another tab's. An edit is no draft.
    pub(super) fn recalled(&mut self, present: Option<&str>, sessions: Option<&str>) {
        let is_ours = present.is_none() || present == self.shared_draft.as_deref();
        if is_ours {
            let draft = if self.editing.is_some() { &self.put_aside } else { &self.text };
            self.shared_draft = Some(draft.clone()).filter(|draft| !draft.is_empty());
            self.keep(Area::Browser, "draft", self.shared_draft.clone());
        }
        if std::mem::take(&mut self.has_sent) || is_ours && self.shared_draft.is_some() {
            self.list_session(sessions);
        }
    }

    /// Keeps a text that is sent.
    pub(super) fn remember(&mut self, text: &str) {
        self.past.remember(text);
        self.has_sent = true;
        self.keep(Area::Browser, "sent", Some(one_line(&self.past.sent().into())));
        self.recall();
    }

    fn recall(&mut self) {
        self.effects.push(Effect::Recall(name(&self.session, "draft"), SESSION_LIST));
    }

    /// Makes the session the newest of the list, and forgets the oldest ones beyond the limit.
    fn list_session(&mut self, sessions: Option<&str>) {
        let mut ids = sessions.map_or_else(Vec::new, strings);
        if ids.last() == Some(&self.session) {
            return;
        }
        ids.retain(|known| *known != self.session);
        ids.push(self.session.clone());
        for old in ids.drain(..ids.len().saturating_sub(SESSIONS)) {
            for what in ["draft", "sent"] {
                self.effects.push(Effect::Keep(Area::Browser, name(&old, what), None));
            }
        }
        let list = Some(one_line(&ids.into()));
        self.effects.push(Effect::Keep(Area::Browser, SESSION_LIST.to_owned(), list));
    }

    /// Keeps the messages of the outbox.
    pub(super) fn keep_outbox(&mut self) {
        if !self.session.is_empty() {
            self.keep(Area::Tab, "outbox", self.outbox.to_stored().map(|kept| one_line(&kept)));
        }
    }

    fn keep(&mut self, area: Area, what: &str, text: Option<String>) {
        self.effects.push(Effect::Keep(area, name(&self.session, what), text));
    }
}

fn value(json: Option<String>) -> Value {
    json.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn name(session: &str, what: &str) -> String {
    format!("{what}.{session}")
}
