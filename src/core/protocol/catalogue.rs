//! The table of event types: what each is about, whether it is persisted, what the model sees of it and where
//! people see it.
//!
//! All code that depends on the *type* of an event uses this table. `docs/events.md` is printed from it
//! (`cargo xtask docs`), and `cargo xtask schema` compares it with an installed runtime.
//!
//! The rows are in `conversation` (assistant, user, system, queue, abort), `session` (lifecycle, mode,
//! workspace, schedules), `requests` (everything that a person must answer), `tools` (tools, hooks, MCP),
//! `agents` (sub-agents, skills, factory, workflow, fusion), `model` (model calls and choice) and `environment`
//! (extensions, canvases, policy, records that are not session events).

use std::sync::LazyLock;

use super::event_kind::EventKind;

/// Turns lines of `Kind Persistence Visibility Surface [superseded_by Whole|Next|Itself] [seed ephemeral|persisted], keys, note;`
/// into rows, so that the source reads like a table.
macro_rules! rows {
    ($family:ident: $(
        $kind:ident $persistence:ident $model:ident $(($role:ident))? $surface:ident
        $(superseded_by $by:ident)? $(seed $seed:ident)?, $keys:literal, $note:literal;
    )*) => {
        &[$($crate::protocol::catalogue::EventType {
            kind: $crate::protocol::event_kind::EventKind::$kind,
            name: $crate::protocol::event_kind::EventKind::$kind.name(),
            family: $crate::protocol::catalogue::EventFamily::$family,
            persistence: $crate::protocol::catalogue::Persistence::$persistence,
            model: $crate::protocol::catalogue::ModelVisibility::$model
                $(($crate::protocol::catalogue::ModelRole::$role))?,
            surface: $crate::protocol::catalogue::Surface::$surface,
            superseded_by: rows!(@superseded $($by)?),
            keys: $crate::protocol::catalogue::native_only($keys),
            note: $crate::protocol::catalogue::native_only($note),
            seed: rows!(@seed $family $($seed)?),
        }),*]
    };
    (@superseded) => { None };
    (@superseded $by:ident) => { Some($crate::protocol::catalogue::SupersededBy::$by) };
    (@seed $family:ident) => { None };
    (@seed $family:ident $seed:ident) => {
        Some($crate::protocol::catalogue::Seed::$seed($crate::protocol::catalogue::EventFamily::$family))
    };
}

mod agents;
mod conversation;
mod environment;
#[cfg(not(target_arch = "wasm32"))]
pub mod fields;
mod model;
mod projection;
mod requests;
mod session;
mod tools;

pub(super) use environment::INTERNAL;
pub use projection::{Projection, projections};

/// Leaves the texts out of WebAssembly builds: they are for `docs/events.md`, which is made natively, and
/// would add 40 KB that a page never shows.
const fn native_only(text: &'static str) -> &'static str {
    if cfg!(target_arch = "wasm32") { "" } else { text }
}

/// What an event is about. The first thirteen are the guide's categories, in the guide's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventFamily {
    /// The model's answer, from the start of a call to its usage.
    Assistant,
    /// Tool calls and what is known about tools.
    Tool,
    /// The session's lifecycle and its context window.
    Session,
    /// Permission requests, decisions and the records behind them.
    Permission,
    /// Questions and forms.
    UserInput,
    /// Agents that the agent starts.
    SubAgent,
    /// Skills and their texts for the model.
    Skill,
    /// A person's abort.
    Control,
    /// A person's messages.
    User,
    /// The runtime's messages to the model.
    System,
    /// Tools that the host runs.
    ExternalTool,
    /// Slash commands.
    Command,
    /// The plan, its approval and the todos.
    PlanMode,
    /// The mode: interactive, plan or autopilot.
    Mode,
    /// Messages that wait.
    Queue,
    /// The choice of model, and the calls to it.
    Model,
    /// The spending limit of a session.
    Limits,
    /// Scripts that run around tools and prompts.
    Hook,
    /// Servers of the Model Context Protocol.
    Mcp,
    /// Files, memory and background work.
    Workspace,
    /// Scheduled prompts.
    Schedule,
    /// Factory runs, which are workflow runs since 1.0.15.
    Factory,
    /// Workflow runs.
    Workflow,
    /// Fusion: several models behind one name.
    Fusion,
    /// Canvases that extensions open.
    Canvas,
    /// Extensions and the capabilities of clients.
    Extension,
    /// Managed settings and the sandbox.
    Policy,
    /// A command handler's entries: records, not session events.
    Timeline,
    /// The Copilot platform's server-sent events: records, not session events.
    Platform,
    /// The gateway's own events.
    Gateway,
    /// Types that the runtime sends and no schema lists.
    Internal,
}

/// Whether the runtime writes the event to its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Persistence {
    /// Live only; never in the log, never replayed.
    Ephemeral,
    /// In the log; replayed on resume.
    Persisted,
    /// Both occur: the event's own `ephemeral` decides.
    Either,
}

/// The role in which the model reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelRole {
    /// The system or developer prompt.
    System,
    /// A user message, from a person or the runtime.
    User,
    /// The model's own text.
    Assistant,
    /// A tool's result.
    Tool,
}

/// Whether the event becomes part of the model's context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelVisibility {
    /// Never by itself.
    No,
    /// Always, in this role.
    Yes(ModelRole),
    /// In this role, with the exception that the row's note names.
    Sometimes(ModelRole),
    /// It adds nothing, but changes what is already there.
    Rewrites,
}

/// Where people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// The conversation: an entry of its own, or a part or trace of one.
    Timeline,
    /// The line with the current activity, and the figures in the header.
    Status,
    /// The side panel: plan, tools, servers, usage, the model's context.
    Panel,
    /// A card that waits for an answer.
    Request,
    /// Collected in a section of the panel, without drawing attention.
    Notifications,
    /// Not shown, except in the event log.
    Nowhere,
}

/// After what an ephemeral event can be left out of a log, because the state is the same without it. What else has to hold is in
/// [`crate::session::superseded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SupersededBy {
    /// It is a piece, or the progress, of something that comes whole at its end.
    Whole,
    /// It is a figure or a sign, which the next of its type replaces.
    Next,
    /// Nothing follows from it but that it is counted.
    Itself,
}

/// What the guide's table 'All event types at a glance' says about the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed {
    /// Its column 'Ephemeral', which is not always what the runtime does.
    pub ephemeral: bool,
    /// Its column 'Category'.
    pub category: &'static str,
}

/// One row: everything that follows from an event's type alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventType {
    /// The event's type; unknown in a rule about names that begin alike.
    pub kind: EventKind,
    /// The envelope's `type`, or the record's `kind`.
    pub name: &'static str,
    /// What it is about.
    pub family: EventFamily,
    /// Whether it is in the log.
    pub persistence: Persistence,
    /// Whether the model sees it.
    pub model: ModelVisibility,
    /// Where people see it.
    pub surface: Surface,
    /// After what it can be left out of a log; none if it always stays.
    pub superseded_by: Option<SupersededBy>,
    /// The important fields, with `?` after optional ones; the guide's text if it has the type.
    pub keys: &'static str,
    /// The reason for the row's values, and its source.
    pub note: &'static str,
    /// What the guide says about the type, if it has it.
    pub seed: Option<Seed>,
}

const FAMILIES: [(EventFamily, &[EventType]); 30] = [
    (EventFamily::Assistant, conversation::ASSISTANT),
    (EventFamily::Tool, tools::TOOL),
    (EventFamily::Session, session::SESSION),
    (EventFamily::Permission, requests::PERMISSION),
    (EventFamily::UserInput, requests::USER_INPUT),
    (EventFamily::SubAgent, agents::SUB_AGENT),
    (EventFamily::Skill, agents::SKILL),
    (EventFamily::Control, conversation::CONTROL),
    (EventFamily::User, conversation::USER),
    (EventFamily::System, conversation::SYSTEM),
    (EventFamily::ExternalTool, requests::EXTERNAL_TOOL),
    (EventFamily::Command, requests::COMMAND),
    (EventFamily::PlanMode, requests::PLAN_MODE),
    (EventFamily::Mode, session::MODE),
    (EventFamily::Queue, conversation::QUEUE),
    (EventFamily::Model, model::MODEL),
    (EventFamily::Limits, requests::LIMITS),
    (EventFamily::Hook, tools::HOOK),
    (EventFamily::Mcp, tools::MCP),
    (EventFamily::Workspace, session::WORKSPACE),
    (EventFamily::Schedule, session::SCHEDULE),
    (EventFamily::Factory, agents::FACTORY),
    (EventFamily::Workflow, agents::WORKFLOW),
    (EventFamily::Fusion, agents::FUSION),
    (EventFamily::Canvas, environment::CANVAS),
    (EventFamily::Extension, environment::EXTENSION),
    (EventFamily::Policy, environment::POLICY),
    (EventFamily::Timeline, environment::TIMELINE),
    (EventFamily::Platform, environment::PLATFORM),
    (EventFamily::Gateway, environment::GATEWAY),
];

/// The rows in the order of the kinds.
static BY_KIND: LazyLock<Vec<Option<&'static EventType>>> = LazyLock::new(|| {
    let of_kind = |kind: &EventKind| families().flat_map(|(_, rows)| rows).find(|row| row.kind == *kind);
    EventKind::ALL.iter().map(of_kind).collect()
});

impl EventKind {
    /// Its row in the catalogue; `None` for an unknown type.
    pub fn row(self) -> Option<&'static EventType> {
        BY_KIND.get(self as usize).copied().flatten()
    }

    /// Whether history does not keep such events.
    pub fn is_ephemeral(self) -> bool {
        self.row().is_some_and(|row| row.persistence == Persistence::Ephemeral)
    }
}

/// The row of an event type or record; `None` for an unknown name.
pub fn find(name: &str) -> Option<&'static EventType> {
    EventKind::parse(name).row()
}

/// Every row, sorted by name.
pub fn all() -> impl Iterator<Item = &'static EventType> {
    let mut by_name: Vec<_> = families().flat_map(|(_, rows)| rows).collect();
    by_name.sort_unstable_by_key(|row| row.name);
    by_name.into_iter()
}

/// Every family with its rows, both in the guide's order where it has one.
pub fn families() -> impl Iterator<Item = (EventFamily, &'static [EventType])> {
    FAMILIES.into_iter()
}

/// The rule for an unknown name that has a prefix by which the runtime sends types that no schema lists. Such
/// an event still counts as unknown, but gets no entry.
pub fn prefix_rule(name: &str) -> Option<&'static EventType> {
    if find(name).is_some() {
        return None;
    }
    INTERNAL.iter().find(|rule| {
        let prefix = rule.name.strip_suffix('*').unwrap_or(rule.name);
        name.len() > prefix.len() && name.starts_with(prefix)
    })
}

impl EventType {
    /// False for records of other sources that come along with session events.
    pub const fn is_session_event(&self) -> bool {
        !matches!(self.family, EventFamily::Timeline | EventFamily::Platform | EventFamily::Gateway)
    }

    /// True if the type appears in the guide's table 'All event types at a glance'.
    pub const fn is_in_guide(&self) -> bool {
        self.seed.is_some()
    }
}

impl Seed {
    const fn ephemeral(family: EventFamily) -> Self {
        Self { ephemeral: true, category: family.name() }
    }

    const fn persisted(family: EventFamily) -> Self {
        Self { ephemeral: false, category: family.name() }
    }
}

impl EventFamily {
    /// Its heading; the guide's category if it has one.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Assistant => "Assistant",
            Self::Tool => "Tool",
            Self::Session => "Session",
            Self::Permission => "Permission",
            Self::UserInput => "User Input",
            Self::SubAgent => "Sub-Agent",
            Self::Skill => "Skill",
            Self::Control => "Control",
            Self::User => "User",
            Self::System => "System",
            Self::ExternalTool => "External Tool",
            Self::Command => "Command",
            Self::PlanMode => "Plan Mode",
            Self::Mode => "Mode",
            Self::Queue => "Queue",
            Self::Model => "Model",
            Self::Limits => "Limits",
            Self::Hook => "Hook",
            Self::Mcp => "MCP",
            Self::Workspace => "Workspace",
            Self::Schedule => "Schedule",
            Self::Factory => "Factory",
            Self::Workflow => "Workflow",
            Self::Fusion => "Fusion",
            Self::Canvas => "Canvas",
            Self::Extension => "Extension",
            Self::Policy => "Policy",
            Self::Timeline => "Timeline entry (a record, not a session event)",
            Self::Platform => "Copilot platform (records, not session events)",
            Self::Gateway => "Gateway (its own events, not the runtime's)",
            Self::Internal => "Internal (in no schema)",
        }
    }
}

impl Persistence {
    /// Its word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ephemeral => "ephemeral",
            Self::Persisted => "persisted",
            Self::Either => "either",
        }
    }
}

impl ModelRole {
    /// The role's name in a chat completion.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl ModelVisibility {
    /// The role in which it enters the model's context, if it can.
    pub const fn role(self) -> Option<ModelRole> {
        match self {
            Self::Yes(role) | Self::Sometimes(role) => Some(role),
            Self::No | Self::Rewrites => None,
        }
    }
}

impl SupersededBy {
    /// Its words in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "the whole",
            Self::Next => "the next",
            Self::Itself => "itself",
        }
    }
}

impl Surface {
    /// Its word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeline => "timeline",
            Self::Status => "status",
            Self::Panel => "panel",
            Self::Request => "request",
            Self::Notifications => "notifications",
            Self::Nowhere => "nowhere",
        }
    }
}
