//! Events that the state keeps as they are, for views that read them when somebody looks.

use serde_json::Value;

use crate::protocol::EventKind;

/// An event that the state keeps for the panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The event's type.
    pub kind: EventKind,
    /// What it is about. A later event of the same type and key replaces it.
    pub key: String,
    /// Its payload.
    pub data: Value,
    /// When it was sent, in milliseconds since 1970.
    pub at: Option<i64>,
}

/// A collected event, merged with equal ones.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptEvent {
    /// The event's type.
    pub kind: EventKind,
    /// Events of the same type and key count as equal.
    pub key: String,
    /// The payload of the newest one.
    pub data: Value,
    /// When the newest one was sent, in milliseconds since 1970.
    pub at: Option<i64>,
    /// How many there were.
    pub count: u32,
    /// The number of the newest one; it grows with every event.
    pub number: u64,
}
