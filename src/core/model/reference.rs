//! The sources of an answer and the subject of an error, as the Copilot platform sends them.

use serde_json::{Value, json};

/// A reference that can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its id; empty if the agent gave none.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The name of its icon, as the agent gives it.
    pub icon: String,
    /// Its address.
    pub url: String,
    /// It was taken from the person's surroundings; they did not pass it themselves.
    pub implicit: bool,
}

impl Reference {
    /// None without a name, an icon or an address: the platform does not show such references either.
    pub fn of(value: &Value) -> Option<Self> {
        let part = |name: &str| {
            let text = value.get("metadata")?.get(name)?.as_str()?;
            (!text.is_empty()).then(|| text.to_owned())
        };
        Some(Self {
            id: value.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(),
            name: part("display_name")?,
            icon: part("display_icon")?,
            url: part("display_url")?,
            implicit: value.get("is_implicit").and_then(Value::as_bool).unwrap_or(false),
        })
    }

    /// The reference as JSON, in the form of snapshots.
    pub fn json(&self) -> Value {
        json!({
            "id": self.id, "name": self.name, "icon": self.icon, "url": self.url, "implicit": self.implicit,
        })
    }
}

/// What an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorSubject {
    /// `reference`, `function` or `agent`.
    pub kind: String,
    /// Its id or name.
    pub identifier: String,
}
