//! The contents of the side panel: plan, todos, background work, servers, skills, tools, schedules, limits.
//! They are computed from the state on request, because most people never open the panel.

mod activity;
pub mod files;
mod lists;
mod todos;

use crate::model::state::{PanelEvent, State};
use crate::protocol::EventKind;
use serde_json::Value;

pub use activity::{BackgroundWork, WorkState};
pub use todos::{Todo, Todos};

/// Everything that the panel lists, except tokens and cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Environment {
    /// The plan, if one was written down.
    pub plan: Option<Plan>,
    /// The agent's own list.
    pub todos: Todos,
    /// Files that belong to the session rather than the project.
    pub own_files: Vec<OwnFile>,
    /// Sub-agents, shells in the background, factory runs.
    pub works: Vec<BackgroundWork>,
    /// MCP servers.
    pub servers: Vec<Server>,
    /// Skills.
    pub skills: Vec<Skill>,
    /// Views of extensions, open ones first.
    pub canvases: Vec<Canvas>,
    /// Agents that can be used.
    pub agents: Vec<Named>,
    /// Tools that were used, most used first.
    pub tools: Vec<Tool>,
    /// Scheduled prompts.
    pub schedules: Vec<Schedule>,
    /// The status of autopilot's objective: `active`, `completed`, …
    pub objective: Option<String>,
    /// What the session may cost.
    pub limit: Limit,
}

/// The newest known plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Markdown; none if only its existence is known.
    pub text: Option<String>,
    /// The plan has changed since then, and no event says how.
    pub changed_since: bool,
    /// Index of the entry that has the plan.
    pub row: Option<usize>,
}

/// A file of the session's own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnFile {
    /// Its path relative to the session's folder.
    pub path: String,
    /// `create` or `update`.
    pub operation: String,
}

/// An MCP server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// `connected`, `failed`, `needs-auth`, `pending`, `disabled`, `stopped`, `not_configured`,
    /// `needs-reconnect`, …
    pub status: String,
    /// Why it failed.
    pub error: Option<String>,
    /// `user`, `workspace`, `plugin`, `builtin`, `managed`.
    pub source: Option<String>,
    /// Calls of its tools.
    pub calls: usize,
}

impl Server {
    /// It comes with the runtime, and nobody asked for it: that it does not work is a fact and no trouble.
    pub fn is_optional(&self) -> bool {
        self.source.as_deref() == Some(BUILT_IN)
    }

    /// Its status for people; that of an optional one is no call to do something about it.
    pub fn shown_status(&self) -> &str {
        if self.is_optional() { optional_status(&self.status) } else { &self.status }
    }
}

/// The source of servers that come with the runtime.
const BUILT_IN: &str = "builtin";

/// The status of a server that nobody asked for: `unavailable` and `signed-out` in place of what asks for action.
pub(crate) fn optional_status(status: &str) -> &str {
    match status {
        "failed" | "needs-reconnect" => "unavailable",
        "needs-auth" => "signed-out",
        other => other,
    }
}

/// The servers that come with the runtime, by name.
pub fn built_in_servers(state: &State) -> impl Iterator<Item = &str> {
    let lists = state.panel_events.iter().filter(|event| event.kind == EventKind::SessionMcpServersLoaded);
    let servers = lists.filter_map(|event| event.data.get("servers")?.as_array()).flatten();
    let is_built_in = |server: &&Value| server.get("source").and_then(Value::as_str) == Some(BUILT_IN);
    servers.filter(is_built_in).filter_map(|server| server.get("name")?.as_str())
}

/// A skill.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// `project`, `plugin`, `builtin`, …
    pub source: String,
    /// The agent may use it.
    pub enabled: bool,
    /// Index of the entry of its last use.
    pub row: Option<usize>,
}

/// A view that an extension provides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Canvas {
    /// Its name for people.
    pub title: String,
    /// Its status text, else what it is for.
    pub description: String,
    /// The extension's name or id.
    pub extension: String,
    /// The instance id of an open view; none if it is not open.
    pub instance: Option<String>,
    /// Its extension is available.
    pub available: bool,
}

/// A name with a description.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
}

/// A tool that was called.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tool {
    /// Its name, for a tool of an MCP server `server: tool`.
    pub name: String,
    /// Number of calls.
    pub calls: usize,
    /// How many of the calls failed.
    pub failed: usize,
    /// Index of the entry of the last call.
    pub row: usize,
}

/// A scheduled prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schedule {
    /// The prompt's text.
    pub prompt: String,
    /// When it runs, as its author wrote it: a cron line, an interval.
    pub when: String,
    /// The next run, in milliseconds since 1970.
    pub next: Option<i64>,
}

/// The session's limit of AI credits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limit {
    /// How many credits the session may use.
    pub credits: Option<f64>,
    /// How many it had used when it last reached the limit.
    pub used: Option<f64>,
}

/// Computes everything from the current state.
pub fn of(state: &State) -> Environment {
    let mut all = Environment::default();
    lists::fold(state, &mut all);
    all.todos = todos::of(state);
    activity::fold(state, &mut all);
    all
}
