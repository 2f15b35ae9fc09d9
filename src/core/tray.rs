//! What is collected quietly, in people's words: who told it, what, how serious it is. Refuses to collect; `reduce` does.

mod words;

use serde_json::Value;

use super::entry::Level;
use super::fields::Fields;
use super::state::State;
use words::Words;

/// An event that was collected, with those like it.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Its type.
    pub kind: &'static str,
    /// What makes another one equal to it.
    pub key: String,
    /// The newest one's payload.
    pub data: Value,
    /// Milliseconds since 1970 when it was last told.
    pub at: Option<i64>,
    /// How often.
    pub count: u32,
    /// The newest one's number.
    pub number: u64,
}

/// One line of the tray.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Who or what it is about: a server, `Sandbox`, `Hooks`.
    pub source: String,
    /// What was told, to be read after that.
    pub text: String,
    /// Why, or with which figures.
    pub more: String,
    /// How serious it is.
    pub level: Level,
    /// Milliseconds since 1970 when it was last told.
    pub at: Option<i64>,
    /// How often.
    pub count: u32,
    /// Grows with every event.
    pub number: u64,
    /// Something later took it back: a server that failed is connected again.
    pub over: bool,
}

/// Everything that was collected, the newest first; but for what a server was on its way to where it is now.
pub fn facts(state: &State) -> Vec<Fact> {
    let facts = state.tray.iter().rev().map(|told| fact(state, told));
    facts.filter(|fact| !fact.over || fact.level != Level::Info).collect()
}

fn fact(state: &State, told: &Told) -> Fact {
    let mut words =
        Words { state, data: Fields::of(told.data.clone()), level: Level::Info, more: Vec::new() };
    let (source, text) = words.of(told.kind);
    let server = |told: &Told| told.data.get("serverName").cloned();
    let status = |kind| matches!(kind, "session.mcp_server_status_changed" | "session.mcp_server_removed");
    let over = status(told.kind)
        && state
            .tray
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
