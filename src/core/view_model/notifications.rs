//! The tray's lines: events that do not appear in the timeline, put into words with their source and
//! severity. `reduce` collects them.

mod words;

use serde_json::Value;

use crate::model::entry::Level;
use crate::model::state::{Notification, State};
use crate::protocol::EventKind;
use crate::view_model::panel::built_in_servers;
use crate::wire::fields::Fields;
use words::EventDescriber;

/// One line of the tray.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Who or what it is about: a server, `Sandbox`, `Hooks`.
    pub source: String,
    /// What happened, to be read after the source.
    pub text: String,
    /// Reasons or figures, joined with ` · `.
    pub more: String,
    /// How serious it is.
    pub level: Level,
    /// When it last happened, in milliseconds since 1970.
    pub at: Option<i64>,
    /// How often it happened.
    pub count: u32,
    /// Grows with every event.
    pub number: u64,
    /// A later event superseded it: a server that failed is connected again.
    pub over: bool,
}

/// All collected facts, newest first. Superseded ones are left out if their level is `Info`.
pub fn facts(state: &State) -> Vec<Fact> {
    let facts = state.notifications.iter().rev().map(|event| fact(state, event));
    facts.filter(|fact| !fact.over || fact.level != Level::Info).collect()
}

/// The numbers of the failures that no later event superseded. Nothing is put into words for this.
pub fn failures(state: &State) -> Vec<u64> {
    let failed =
        state.notifications.iter().filter(|event| has_failed(state, event) && !is_over(state, event));
    failed.map(|event| event.number).collect()
}

/// Whether an event is a failure that somebody should look at.
fn has_failed(state: &State, event: &Notification) -> bool {
    let data = || Fields::of(event.data.clone());
    let is_failed = |status: Option<String>| status.as_deref() == Some("failed");
    match event.kind {
        EventKind::SessionMcpServerStatusChanged => {
            let mut data = data();
            let server = data.non_empty_text("serverName").unwrap_or_default();
            is_failed(data.non_empty_text("status")) && built_in_servers(state).all(|name| name != server)
        }
        EventKind::McpHeadersRefreshCompleted => {
            let outcome = data().non_empty_text("outcome");
            !matches!(outcome.as_deref(), Some("headers" | "none" | "timeout"))
        }
        EventKind::McpAppToolCallComplete => data().flag("success") != Some(true),
        EventKind::SandboxDecision => is_failed(data().non_empty_text("outcome")),
        EventKind::SessionExtensionsLoaded => {
            let mut all = data().list("extensions").into_iter().map(Fields::of);
            all.any(|mut extension| is_failed(extension.non_empty_text("status")))
        }
        _ => false,
    }
}

/// Whether a later event tells of the same.
fn is_over(state: &State, event: &Notification) -> bool {
    let topic = topic(event);
    let newer = |other: &Notification| other.number > event.number && self::topic(other) == topic;
    topic.is_some() && state.notifications.iter().any(newer)
}

fn fact(state: &State, event: &Notification) -> Fact {
    let mut words =
        EventDescriber { state, data: Fields::of(event.data.clone()), level: Level::Info, more: Vec::new() };
    let (source, text) = words.of(event.kind);
    let more: Vec<String> = words.more.into_iter().filter(|part| !part.is_empty()).collect();
    Fact {
        source,
        text,
        more: more.join(" · "),
        level: if has_failed(state, event) { Level::Error } else { words.level },
        at: event.at,
        count: event.count,
        number: event.number,
        over: is_over(state, event),
    }
}

/// What an event tells the state of, if the next one about the same takes its place: a server, or the search index.
fn topic(event: &Notification) -> Option<(bool, Option<&Value>)> {
    match event.kind {
        EventKind::SessionMcpServerStatusChanged | EventKind::SessionMcpServerRemoved => {
            Some((true, event.data.get("serverName")))
        }
        EventKind::SessionIndexedSearch => Some((false, event.data.get("kind"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
