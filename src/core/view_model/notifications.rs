//! The tray's lines: events that do not appear in the timeline, put into words with their source and
//! severity. `reduce` collects them.

mod words;

use crate::model::entry::Level;
use crate::model::state::State;
use crate::model::state::kept_events::KeptEvent;
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
    let facts = state.notifications.iter().rev().map(|told| fact(state, told));
    facts.filter(|fact| !fact.over || fact.level != Level::Info).collect()
}

fn fact(state: &State, told: &KeptEvent) -> Fact {
    let mut words =
        Words { state, data: Fields::of(told.data.clone()), level: Level::Info, more: Vec::new() };
    let (source, text) = words.of(told.kind);
    let server = |told: &KeptEvent| told.data.get("serverName").cloned();
    let status =
        |kind| matches!(kind, EventKind::SessionMcpServerStatusChanged | EventKind::SessionMcpServerRemoved);
    let over = status(told.kind)
        && state
            .notifications
            .iter()
            .any(|other| status(other.kind) && other.number > told.number && server(other) == server(told));
    let more: Vec<String> = words.more.into_iter().filter(|part| !part.is_empty()).collect();
    Fact {
        source,
        text,
        more: more.join(" · "),
        level: words.level,
        at: told.at,
        count: told.count,
        number: told.number,
        over,
    }
}

#[cfg(test)]
mod tests;
