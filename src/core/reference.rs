//! What an answer rests on, and what an error is about, as the Copilot platform tells it.

use serde_json::{Value, json};

/// A reference that can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its id; empty if the agent gave none.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The agent's word for its icon.
    pub icon: String,
    /// Where it is.
    pub url: String,
    /// The person did not pass it, their surroundings did.
    pub implicit: bool,
}

impl Reference {
    /// None without a name, an icon and an address: the platform does not show such.
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

    /// As snapshots list it.
    pub fn json(&self) -> Value {
        json!({
            "id": self.id, "name": self.name, "icon": self.icon, "url": self.url, "implicit": self.implicit,
        })
    }
}

/// What an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// `reference`, `function` or `agent`.
    pub kind: String,
    /// Its id or name.
    pub identifier: String,
}
