//! Collects events for the tray: equal ones are counted. `core::view_model::notifications` puts them into words.

use serde_json::{Value, json};

use super::Meta;
use crate::i18n::format::one_line;
use crate::model::change::Section;
use crate::model::state::State;
use crate::model::state::kept_events::KeptEvent;
use crate::wire::fields::Fields;

/// The most events that are kept; the oldest is dropped for another one.
const MOST: usize = 100;

impl State {
    /// Notes that the provider of a model left out earlier thoughts, which comes with the figures of a call.
    pub(super) fn thinking_dropped(&mut self, meta: Meta<'_>, data: &mut Fields) {
        if let Some(blocks) = data.integer("thinkingDroppedBlocks").filter(|blocks| *blocks > 0) {
            let reasons = data.texts("thinkingDroppedReasons");
            let told = json!({ "thinkingDroppedBlocks": blocks, "thinkingDroppedReasons": reasons });
            self.collect(meta, &Fields::of(told));
        }
    }

    /// Notes an event of the catalogue's surface `notifications`.
    pub(super) fn collect(&mut self, meta: Meta<'_>, data: &Fields) {
        let data = data.clone().rest();
        let key = sameness(&data);
        let known = self.notifications.iter().position(|old| old.kind == meta.kind && old.key == key);
        let count = known.map_or(0, |place| self.notifications.remove(place).count).saturating_add(1);
        if self.notifications.len() >= MOST {
            self.notifications.remove(0);
        }
        self.notifications.push(KeptEvent {
            kind: meta.kind,
            key,
            data,
            at: meta.at,
            count,
            number: meta.number,
        });
        self.touch(Section::Notifications);
    }
}

/// What equal events have in common: their words and flags. Ids and figures differ from one to the next.
fn sameness(data: &Value) -> String {
    let mut key = String::new();
    let Value::Object(fields) = data else { return key };
    for (name, value) in fields {
        if !name.ends_with("Id") && matches!(value, Value::String(_) | Value::Bool(_)) {
            key.push_str(&one_line(value));
        }
    }
    key
}
