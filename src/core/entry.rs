//! One entry of the timeline: what kind it is, whose it is, what it says. Refuses to know how it is shown.

use serde_json::Value;

use super::custom::Custom;
use super::reference::{About, Reference};
use super::request::Request;
use super::text::Text;
use super::tool_call::ToolCall;
use super::work::Work;

/// What an entry is; the words of `timeline[].kind` and `[data-entry]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Somebody's message to the agent.
    User,
    /// The model's words.
    Assistant,
    /// The model's thinking.
    Reasoning,
    /// A tool call.
    Tool,
    /// A request for permission.
    Permission,
    /// A question to the person.
    Question,
    /// A form to fill in.
    Form,
    /// A plan to approve.
    Plan,
    /// A confirmation, or another request that fits no other kind.
    Confirmation,
    /// Info, warning, error, notification, a change of mode or model.
    Notice,
    /// A sub-agent's life.
    Subagent,
    /// The context was compacted.
    Compaction,
    /// The agent says that the task is complete.
    Summary,
    /// A custom notification.
    Custom,
    /// An event type that nobody knows.
    Generic,
    /// Something is missing here.
    Gap,
}

impl Kind {
    /// The contract's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Reasoning => "reasoning",
            Self::Tool => "tool",
            Self::Permission => "permission",
            Self::Question => "question",
            Self::Form => "form",
            Self::Plan => "plan",
            Self::Confirmation => "confirmation",
            Self::Notice => "notice",
            Self::Subagent => "subagent",
            Self::Compaction => "compaction",
            Self::Summary => "summary",
            Self::Custom => "custom",
            Self::Generic => "generic",
            Self::Gap => "gap",
        }
    }
}

/// Where an entry is in its life; the words of `timeline[].state` and `[data-state]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    /// Its text is still arriving.
    Streaming,
    /// Complete.
    Done,
    /// It was cut off and will not be completed.
    Interrupted,
    /// A tool or an agent is at work.
    Running,
    /// It ended in an error.
    Failed,
    /// It was not allowed.
    Denied,
    /// It waits: for a person, or to be started.
    Pending,
    /// A request that was answered or has gone.
    Settled,
}

impl EntryState {
    /// The contract's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Done => "done",
            Self::Interrupted => "interrupted",
            Self::Running => "running",
            Self::Failed => "failed",
            Self::Denied => "denied",
            Self::Pending => "pending",
            Self::Settled => "settled",
        }
    }
}

/// How loud a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// For those who look.
    Info,
    /// Something may be wrong.
    Warning,
    /// Something is wrong.
    Error,
    /// A line across the column: mode, model, resume, abort, shutdown.
    Milestone,
    /// What the model is told and people are not: system messages.
    System,
}

impl Level {
    /// Its word in snapshots.
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Milestone => "milestone",
            Self::System => "system",
        }
    }
}

/// A notice's facts beside its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// How loud it is.
    pub level: Level,
    /// The category: `infoType`, `warningType`, `errorType`, or the event's own word.
    pub category: String,
    /// Where to read on or act.
    pub url: Option<String>,
    /// What a person can do about it.
    pub remedy: Option<String>,
    /// More, to be shown on demand.
    pub detail: Option<String>,
    /// How often it was said in a row.
    pub count: u32,
    /// What this one replaced, oldest first, as far as it is kept.
    pub earlier: Vec<String>,
    /// What an answer rests on.
    pub references: Vec<Reference>,
    /// What an error is about.
    pub about: Option<About>,
    /// The host said it, not the session.
    pub local: bool,
}

/// More replaced texts than this are counted, not kept.
pub(super) const MAX_EARLIER: usize = 20;

impl Notice {
    /// A notice that was said once.
    pub fn new(level: Level, category: &str) -> Self {
        Self {
            level,
            category: category.to_owned(),
            url: None,
            remedy: None,
            detail: None,
            count: 1,
            earlier: Vec::new(),
            references: Vec::new(),
            about: None,
            local: false,
        }
    }
}

/// How a person's message was delivered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserMessage {
    /// `idle`, `queued` or `steering`.
    pub delivery: Option<String>,
    /// Who sent it, when it wasn't the person at the prompt.
    pub source: Option<String>,
    /// What the model gets, where it differs.
    pub transformed: Option<String>,
    /// Names of what was attached.
    pub attachments: Vec<String>,
    /// What goes along with it, as the Copilot platform tells.
    pub references: Vec<Reference>,
    /// Mode it was sent in.
    pub agent_mode: Option<String>,
    /// What was done for it, if it started a turn.
    pub work: Option<Work>,
}

/// A sub-agent's facts; its words and tools are entries of their own with its `agent_id`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subagent {
    /// Internal name.
    pub name: String,
    /// Name for people.
    pub display_name: String,
    /// What it is to do.
    pub description: String,
    /// Model it runs on.
    pub model: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// Tool calls it made.
    pub tool_calls: Option<i64>,
    /// Tokens it used.
    pub tokens: Option<i64>,
    /// Milliseconds it took.
    pub duration: Option<i64>,
    /// It was cancelled.
    pub cancelled: bool,
    /// Reasoning effort of its model.
    pub effort: Option<String>,
    /// It works while its parent goes on.
    pub background: bool,
    /// What it did, as far as events told.
    pub work: Work,
    /// Place of the sub-agent that started it; none if the main agent did.
    pub parent: Option<usize>,
    /// Place of the message that it works for.
    pub turn: Option<usize>,
}

impl Subagent {
    /// Its name for people.
    pub fn title(&self) -> &str {
        if self.display_name.is_empty() { &self.name } else { &self.display_name }
    }
}

/// What an entry carries beside its text.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Nothing.
    Plain,
    /// How a user message was sent.
    User(Box<UserMessage>),
    /// Which model spoke, and in which phase.
    Assistant {
        /// Model name.
        model: Option<String>,
        /// Generation phase, `thinking` or `response`.
        phase: Option<String>,
    },
    /// Milliseconds from the first to the last thought, where they streamed.
    Reasoning {
        /// Milliseconds.
        duration: Option<i64>,
    },
    /// A tool call.
    Tool(Box<ToolCall>),
    /// A request.
    Request(Box<Request>),
    /// A notice.
    Notice(Box<Notice>),
    /// A sub-agent.
    Subagent(Box<Subagent>),
    /// A custom notification.
    Custom(Box<Custom>),
    /// Figures or a payload, shown as a tree.
    Facts {
        /// The event type they came with.
        event_type: String,
        /// The payload.
        facts: Value,
    },
}

/// One entry of the timeline. Its place never changes once it has one.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// The domain id (messageId, reasoningId, toolCallId, requestId), else the event's.
    pub id: String,
    /// Where it is in its life.
    pub state: EntryState,
    /// What it says: the message, the model's view of a tool result, the notice.
    pub text: Text,
    /// Everything else.
    pub body: Body,
    /// The sub-agent that it belongs to.
    pub agent_id: Option<String>,
    /// The `task` call of that sub-agent.
    pub parent_tool_call_id: Option<String>,
    /// Milliseconds since 1970 when it began.
    pub at: Option<i64>,
    /// Milliseconds since 1970 when it last changed.
    pub ended_at: Option<i64>,
    /// The model sees it, or something made of it.
    pub model_visible: bool,
    /// People see it in the timeline.
    pub ui_visible: bool,
    /// The session went back to before it: it is told as what was, and counts no more. Or of a compaction: that was undone.
    pub rewound: bool,
    /// Number of the first persisted event that told of it; none while it is made of ephemeral events only.
    pub committed: Option<u64>,
    /// Number of the first event that told of it.
    pub first_seen: u64,
    pub(super) dirty: Dirty,
}

impl Entry {
    /// True while nothing of it will be in the history.
    pub fn ephemeral(&self) -> bool {
        self.committed.is_none()
    }

    /// The tool call, if it is one.
    pub fn tool(&self) -> Option<&ToolCall> {
        match &self.body {
            Body::Tool(call) => Some(call),
            _ => None,
        }
    }

    pub(super) fn tool_mut(&mut self) -> Option<&mut ToolCall> {
        match &mut self.body {
            Body::Tool(call) => Some(call),
            _ => None,
        }
    }

    /// The request, if it is one.
    pub fn request(&self) -> Option<&Request> {
        match &self.body {
            Body::Request(request) => Some(request),
            _ => None,
        }
    }
}

/// What changed since the views last looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextDirty {
    Clean,
    AppendedFrom(usize),
    Replaced,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dirty {
    pub(super) added: bool,
    pub(super) updated: bool,
    pub(super) text: TextDirty,
}

impl Dirty {
    pub(super) const CLEAN: Self = Self { added: false, updated: false, text: TextDirty::Clean };

    pub(super) fn any(self) -> bool {
        self != Self::CLEAN
    }
}
