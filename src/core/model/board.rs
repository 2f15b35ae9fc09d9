//! The list of a gateway's sessions: a summary of each, merged from the gateway's messages, and their order
//! on the board.

mod order;
mod summary;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::machines::{self, Machine};
use crate::json_writer::one_line;

pub use order::{Grouping, SessionFilter, SessionGroup, groups};
pub use summary::{LARGEST_EVENT, OpenRequest, SessionSource, Status, Summary};

/// The sessions of a gateway.
#[derive(Debug, Clone, Default)]
pub struct Board {
    sessions: Vec<Summary>,
    machines: Vec<Machine>,
    /// The agents of the gateway itself.
    agents: Vec<String>,
}

/// What a gateway's message changed about one session. The text is the session's id.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionChange {
    /// The session is new.
    Added(String),
    /// Something in its summary changed.
    Changed(String),
    /// The session was removed.
    Removed(String),
}

/// The event that ended a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedRequest {
    /// The request's id.
    pub request_id: String,
    /// The event as JSON text; none if it was too large to be sent.
    pub event: Option<String>,
}

/// Whether a gateway's list of sessions needs a board. Only a single recording does not: it fills the page,
/// while a runtime's sessions come and go.
pub fn is_needed(list: &Value) -> bool {
    let live = |row: &Value| row.get("live").and_then(Value::as_bool) == Some(true);
    list.as_array().is_some_and(|rows| rows.len() != 1 || rows.iter().any(live))
}

impl Board {
    /// All sessions, in the order in which they were first listed.
    pub fn sessions(&self) -> &[Summary] {
        &self.sessions
    }

    /// The session with this id.
    pub fn get(&self, id: &str) -> Option<&Summary> {
        self.sessions.iter().find(|session| session.id == id)
    }

    /// The machines of the cluster, this gateway's own first; none without a cluster.
    pub fn machines(&self) -> &[Machine] {
        &self.machines
    }

    /// Takes the gateway's list of machines. True if it is another one.
    pub fn take_machines(&mut self, list: &Value) -> bool {
        let machines = machines::list(list);
        let is_new = machines != self.machines;
        self.machines = machines;
        is_new
    }

    /// Takes the list of the gateway's own agents. True if it is another one.
    pub fn take_agents(&mut self, list: &Value) -> bool {
        let agents = machines::agent_names(list);
        let is_new = agents != self.agents;
        self.agents = agents;
        is_new
    }

    /// The agents with which a session can be made on a machine, without one here; the first is taken where nobody says which.
    pub fn agents_of(&self, machine: Option<&str>) -> &[String] {
        let known = |name: &str| self.machines.iter().find(|one| one.name == name);
        machine.and_then(known).map_or(&self.agents, |machine| &machine.agents)
    }

    /// Whether sessions say which agent they have: there are several.
    pub fn names_agents(&self) -> bool {
        let listed = self.agents.iter().chain(self.machines.iter().flat_map(|machine| &machine.agents));
        let mut names = listed.chain(self.sessions.iter().filter_map(|session| session.agent.as_ref()));
        let first = names.next();
        names.any(|name| Some(name) != first)
    }

    /// Whether sessions say on which machine they are: there are several, or one of them is away.
    pub fn names_machines(&self) -> bool {
        let listed = self.machines.iter().map(|machine| &machine.name);
        let mut names = listed.chain(self.sessions.iter().filter_map(|session| session.machine.as_ref()));
        let first = names.next();
        names.any(|name| Some(name) != first) || self.sessions.iter().any(|session| session.away().is_some())
    }

    /// How many sessions wait for a person.
    pub fn waiting(&self) -> usize {
        self.sessions.iter().filter(|session| session.status == Status::Waiting).count()
    }

    /// The session that began to wait last.
    pub fn newest_waiting(&self) -> Option<&Summary> {
        let waiting = self.sessions.iter().filter(|session| session.status == Status::Waiting);
        waiting.max_by_key(|session| session.requests.iter().filter_map(|asked| asked.since).max())
    }

    /// The folders in which sessions of a machine have worked, those of the newest first; without a cluster, or where it is not known
    /// which machine, those of all.
    pub fn recent_folders(&self, machine: Option<&str>) -> Vec<String> {
        const MOST: usize = 6;
        let is_there = |session: &&Summary| machine.is_none() || session.machine.as_deref() == machine;
        let mut newest: Vec<&Summary> = self.sessions.iter().filter(is_there).collect();
        newest.sort_by_key(|session| std::cmp::Reverse(session.last_active_at()));
        let mut folders: Vec<String> = Vec::new();
        for folder in newest.into_iter().filter_map(|session| session.cwd.as_deref()) {
            // The separator at the end of a root belongs to it.
            let trimmed = folder.trim_end_matches(['/', '\\']);
            let folder = if trimmed.is_empty() || trimmed.ends_with(':') { folder } else { trimmed };
            if folders.len() < MOST && !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
            }
        }
        folders
    }

    /// Merges a complete list; sessions that are not in it are removed.
    pub fn merge_list(&mut self, list: &Value) -> Vec<SessionChange> {
        let empty = Vec::new();
        let rows = list.as_array().unwrap_or(&empty);
        let named = |id: &str| rows.iter().any(|row| id_of(row) == Some(id));
        let mut changes = Vec::new();
        self.sessions.retain(|session| {
            let stays = named(&session.id);
            if !stays {
                changes.push(SessionChange::Removed(session.id.clone()));
            }
            stays
        });
        changes.extend(rows.iter().filter_map(|row| self.merge_row(row, true)));
        changes
    }

    /// Merges a message about one session.
    pub fn merge(&mut self, news: &Value) -> Option<SessionChange> {
        let id = id_of(news)?;
        if news.get("removed").and_then(Value::as_bool) == Some(true) {
            let place = self.sessions.iter().position(|session| session.id == id)?;
            return Some(SessionChange::Removed(self.sessions.remove(place).id));
        }
        self.merge_row(news, false)
    }

    fn merge_row(&mut self, row: &Value, whole: bool) -> Option<SessionChange> {
        let id = id_of(row)?.to_owned();
        let Some(known) = self.sessions.iter_mut().find(|session| session.id == id) else {
            let mut fresh = Summary::new(id.clone());
            fresh.merge(row);
            self.sessions.push(fresh);
            return Some(SessionChange::Added(id));
        };
        let mut merged = if whole { known.without_details() } else { known.clone() };
        merged.merge(row);
        if *known == merged {
            return None;
        }
        *known = merged;
        Some(SessionChange::Changed(id))
    }
}

/// The requests that a message lists as settled, each with the event that ended it.
pub fn settled(news: &Value) -> Vec<EndedRequest> {
    let empty = Vec::new();
    let list = news.get("settled").and_then(Value::as_array).unwrap_or(&empty);
    let one = |item: &Value| {
        let request_id = item.get("requestId")?.as_str()?.to_owned();
        Some(EndedRequest { request_id, event: item.get("event").filter(|e| e.is_object()).map(one_line) })
    };
    list.iter().filter_map(one).collect()
}

fn id_of(row: &Value) -> Option<&str> {
    row.get("sessionId")?.as_str().filter(|id| !id.is_empty())
}
