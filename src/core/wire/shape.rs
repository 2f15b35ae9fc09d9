//! Recognises the platform's named events by their shape if their names are missing.
//!
//! That happens to events that are pasted from the platform's documentation. Only objects without a time, and
//! with a `type` that no event has, are looked at.

use super::scanner::{Scanner, Token};
use super::{Event, members};
use crate::protocol::catalogue;

/// The name of the platform's event that an object is; `None` if it is none.
pub fn platform_shape(event: &Event<'_>) -> Option<&'static str> {
    if event.at.is_some() || event.seq.is_some() { None } else { of_object(event.raw) }
}

/// The name of the event whose data is this list, by its first element; `None` if it is none.
pub(super) fn of_list(text: &str) -> Option<&'static str> {
    let inside = text.get(1..)?;
    let start = text.len() - inside.trim_ascii_start().len();
    let Some(Token::Nested(first)) = Scanner::at(text, start).value() else { return None };
    of_object(first).filter(|name| *name != CONFIRMATION)
}

const CONFIRMATION: &str = "copilot_confirmation";

fn of_object(text: &str) -> Option<&'static str> {
    let (mut kind, mut id, mut title, mut said, mut code) = (None, false, false, false, false);
    let (mut about, mut metadata, mut other) = (false, false, false);
    members(text, |key, value| {
        let is_text = matches!(value, Token::Str { .. });
        match key {
            "type" => kind = value.text(),
            "id" => id = is_text,
            "title" => title = is_text,
            "message" => said = is_text,
            "code" => code = is_text,
            "identifier" => about = is_text,
            "metadata" => metadata = matches!(value, Token::Nested(text) if text.starts_with('{')),
            "is_implicit" => metadata = true,
            "timestamp" | "jsonrpc" | "parentId" | "ephemeral" => other = true,
            _ => {}
        }
    })?;
    let kind = kind.filter(|kind| !other && catalogue::find(kind).is_none())?;
    match &*kind {
        "action" if title && said => Some(CONFIRMATION),
        "reference" | "function" | "agent" if said && (code || about) => Some("copilot_errors"),
        _ if id && metadata => Some("copilot_references"),
        _ => None,
    }
}
