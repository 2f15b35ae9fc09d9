//! System notifications as telemetry events, with the attributes of the runtime's own OpenTelemetry
//! projection. Nothing is sent anywhere: the host page can read them.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

/// Maximum number of stored events; older ones are dropped.
const MAX_EVENTS: usize = 100;

/// The event's name, and the prefix of its attributes.
const NAME: &str = "github.copilot.system.notification";

/// One event for a host's telemetry.
#[derive(Debug, Clone, PartialEq)]
pub struct TelemetryEvent {
    /// Its name.
    pub name: &'static str,
    /// The text under `github.copilot.system.notification`, and the attributes that the notification's kind
    /// has values for.
    pub attributes: Map<String, Value>,
    /// Milliseconds since 1970.
    pub timestamp: Option<i64>,
}

impl TelemetryEvent {
    /// As JSON: `{name, attributes, timestamp}`.
    pub fn json(&self) -> Value {
        json!({ "name": self.name, "attributes": self.attributes, "timestamp": self.timestamp })
    }
}

/// The newest events, and the number of all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Telemetry {
    events: VecDeque<TelemetryEvent>,
    total: u64,
}

impl Telemetry {
    /// Adds an event for a notification with its text and its kind, an object.
    pub(crate) fn add(&mut self, text: &str, kind: &Value, timestamp: Option<i64>) {
        const ATTRIBUTES: [(&str, &str); 6] = [
            ("type", "type"),
            ("agent_id", "agentId"),
            ("agent_type", "agentType"),
            ("status", "status"),
            ("shell_id", "shellId"),
            ("exit_code", "exitCode"),
        ];
        let mut attributes = Map::new();
        attributes.insert(NAME.to_owned(), text.into());
        for (attribute, field) in ATTRIBUTES {
            if let Some(value) = kind.get(field).filter(|value| value.is_string() || value.is_number()) {
                attributes.insert(format!("{NAME}.{attribute}"), value.clone());
            }
        }
        if self.events.len() == MAX_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(TelemetryEvent { name: NAME, attributes, timestamp });
        self.total += 1;
    }

    /// The number of all events so far, including dropped ones.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The stored events, oldest first.
    pub fn events(&self) -> impl Iterator<Item = &TelemetryEvent> {
        self.events.iter()
    }

    /// The events after the first `seen`, as far as they are still stored.
    pub fn after(&self, seen: u64) -> impl Iterator<Item = &TelemetryEvent> {
        let fresh = usize::try_from(self.total.saturating_sub(seen)).unwrap_or(usize::MAX);
        self.events.iter().skip(self.events.len().saturating_sub(fresh))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_becomes_the_attributes_it_has_values_for() {
        let mut telemetry = Telemetry::default();
        let kind = json!({ "type": "shell_completed", "shellId": "7", "exitCode": 0, "description": "x" });
        telemetry.add("done", &kind, Some(5));
        let event = telemetry.events().next().expect("one event");
        assert_eq!(
            Value::Object(event.attributes.clone()),
            json!({
                "github.copilot.system.notification": "done",
                "github.copilot.system.notification.type": "shell_completed",
                "github.copilot.system.notification.shell_id": "7",
                "github.copilot.system.notification.exit_code": 0,
            })
        );
    }

    #[test]
    fn only_the_newest_are_kept_and_the_new_ones_are_found() {
        let mut telemetry = Telemetry::default();
        for number in 0..150 {
            telemetry.add(&number.to_string(), &Value::Null, Some(number));
        }
        assert_eq!((telemetry.total(), telemetry.events().count()), (150, 100));
        let fresh: Vec<_> = telemetry.after(148).map(|event| event.timestamp).collect();
        assert_eq!(fresh, [Some(148), Some(149)]);
        assert_eq!(telemetry.after(0).count(), 100);
        assert_eq!(telemetry.after(150).count(), 0);
    }
}
