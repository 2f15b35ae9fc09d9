//! Handles custom notifications: one entry for a subject, with its history.
//!
//! What a source says about one subject is one entry with the newest on top, until a person's next message.
//! After that it gets a new entry, where the reader is.

use super::EventMeta;
use crate::model::custom::{Custom, Earlier, MAX_EARLIER};
use crate::model::entry::{Body, Kind};
use crate::model::state::State;
use crate::wire::fields::Fields;

impl State {
    pub(super) fn custom_notification(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let mut custom = Custom {
            source: data.text("source").unwrap_or_default(),
            name: data.text("name").unwrap_or_default(),
            data: data.rest(),
            count: 1,
            earlier: Vec::new(),
        };
        let summary = custom.summary();
        let persistence = if meta.ephemeral { "live" } else { "kept" };
        let key = format!("custom {persistence} {}", custom.topic());
        let place = if let Some(place) = self.repeatable.get(&key).copied() {
            self.update(place, |entry| {
                let at = entry.ended_at;
                let before = (!entry.has_phrase(&summary.text)).then(|| entry.to_phrase());
                entry.ended_at = entry.ended_at.max(meta.at);
                if let Body::Custom(old) = &mut entry.body {
                    custom.count = old.count.saturating_add(1);
                    custom.earlier = std::mem::take(&mut old.earlier);
                    if let Some(text) = before {
                        custom.earlier.push(Earlier { text, at });
                    }
                }
                if custom.earlier.len() > MAX_EARLIER {
                    custom.earlier.remove(0);
                }
            });
            place
        } else {
            let place = self.add_entry(None, Kind::Custom, meta.id.to_owned(), meta);
            self.repeatable.insert(key, place);
            place
        };
        self.update(place, |entry| {
            entry.model_visible = false;
            entry.state = summary.state;
            entry.body = Body::Custom(Box::new(custom));
        });
        self.replace_phrase(place, summary.text);
    }

    /// A server's task ends with the session that it was started in, if nothing ended it before.
    pub(super) fn end_task(&mut self, place: usize) {
        let unfinished = self.entry(place).and_then(|entry| match &entry.body {
            Body::Custom(custom) => custom.unfinished(),
            _ => None,
        });
        if let Some(summary) =
            unfinished.filter(|summary| self.entry(place).is_some_and(|e| e.state != summary.state))
        {
            self.update(place, |entry| entry.state = summary.state);
            self.replace_phrase(place, summary.text);
        }
    }
}
