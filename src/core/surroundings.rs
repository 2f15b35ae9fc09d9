//! What surrounds the conversation: plan, todos, agents and background work, servers, skills, tools, schedules, limits.
//! Folded from what the state keeps when somebody looks, because most readers never do; refuses to change the state.

mod kept;
mod todos;
mod works;

use serde_json::Value;

use super::state::State;
pub use todos::{Todo, Todos};
pub use works::{Work, WorkState};

/// An event that is kept to be read here.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Its type.
    pub kind: String,
    /// What it is about: a later event of the same type and key takes its place.
    pub key: String,
    /// Its payload.
    pub data: Value,
    /// Milliseconds since 1970 when it was told.
    pub at: Option<i64>,
}

/// Everything that the panel lists, beside tokens and cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surroundings {
    /// The plan, if one was written down.
    pub plan: Option<Plan>,
    /// The agent's own list.
    pub todos: Todos,
    /// Files that belong to the session, not to the project.
    pub own_files: Vec<OwnFile>,
    /// Sub-agents, shells in the background, factory runs.
    pub works: Vec<Work>,
    /// MCP servers.
    pub servers: Vec<Server>,
    /// Skills.
    pub skills: Vec<Skill>,
    /// Views of extensions, open ones first.
    pub canvases: Vec<Canvas>,
    /// Agents that could be asked.
    pub agents: Vec<Named>,
    /// Tools that were used, most used first.
    pub tools: Vec<Tool>,
    /// Prompts that come by the clock.
    pub schedules: Vec<Schedule>,
    /// What autopilot is said to be doing: `active`, `completed`, …
    pub objective: Option<String>,
    /// What the session may cost.
    pub limit: Limit,
}

/// The plan as it was last told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Markdown; nothing where only its existence is known.
    pub text: Option<String>,
    /// It has changed since, and no event says how.
    pub changed_since: bool,
    /// The entry that told of it.
    pub row: Option<usize>,
}

/// A file of the session's own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnFile {
    /// Where, as seen from the session's folder.
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
    /// `connected`, `failed`, `needs-auth`, `pending`, `disabled`, `stopped`, `not_configured`, `needs-reconnect`, …
    pub status: String,
    /// Why it failed.
    pub error: Option<String>,
    /// `user`, `workspace`, `plugin`, `builtin`, `managed`.
    pub source: Option<String>,
    /// Calls of its tools.
    pub calls: usize,
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
    /// It may be used.
    pub enabled: bool,
    /// The entry of its last use.
    pub row: Option<usize>,
}

/// A view that an extension brings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Canvas {
    /// Its name for people.
    pub title: String,
    /// What it is for, or what it says of itself.
    pub description: String,
    /// Whose it is.
    pub extension: String,
    /// Of an open one, its instance.
    pub instance: Option<String>,
    /// Its extension is there.
    pub available: bool,
}

/// Something with a name and a purpose.
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
    /// Its name; of an MCP server's tool, `server: tool`.
    pub name: String,
    /// How often.
    pub calls: usize,
    /// How many of the calls failed.
    pub failed: usize,
    /// The entry of the last call.
    pub row: usize,
}

/// A prompt that comes by the clock.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schedule {
    /// What will be said.
    pub prompt: String,
    /// When, in the words of whoever made it: a cron line, an interval.
    pub when: String,
    /// When next, milliseconds since 1970.
    pub next: Option<i64>,
}

/// AI credits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limit {
    /// The session may use so many.
    pub credits: Option<f64>,
    /// It had used so many when it last had to ask.
    pub used: Option<f64>,
}

/// Everything that the state tells of, now.
pub fn of(state: &State) -> Surroundings {
    let mut all = Surroundings::default();
    kept::fold(state, &mut all);
    all.todos = todos::of(state);
    works::fold(state, &mut all);
    all
}
