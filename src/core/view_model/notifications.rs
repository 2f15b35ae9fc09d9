//! The tray's lines: events that do not appear in the timeline, put into words with their source and
//! severity. `reduce` collects them.

mod words;

use serde_json::Value;

use crate::model::entry::Level;
use crate::model::state::{Notification, State};
use crate::protocol::EventKind;
use crate::wire::fields::Fields;
use words::Words;

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

fn fact(state: &State, event: &Notification) -> Fact {
    let mut words =
        Words { state, data: Fields::of(event.data.clone()), level: Level::Info, more: Vec::new() };
    let (source, text) = words.of(event.kind);
    let topic = topic(event);
    let newer = |other: &Notification| other.number > event.number && self::topic(other) == topic;
    let over = topic.is_some() && state.notifications.iter().any(newer);
    let more: Vec<String> = words.more.into_iter().filter(|part| !part.is_empty()).collect();
    Fact {
        source,
        text,
        more: more.join(" · "),
        level: words.level,
        at: event.at,
        count: event.count,
        number: event.number,
        over,
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
