//! An entry of the timeline: its kind, state, text and data.

use std::sync::Arc;

use crate::protocol::RequestKind;
use serde_json::Value;

use super::custom::Custom;
use super::reference::{ErrorSubject, Reference};
use super::request::Request;
use super::tool_call::ToolCall;
pub use super::work::EntryState;
use super::work::Work;
use crate::i18n::Phrase;
use crate::wire::text::Text;

/// The kind of an entry; the values of `timeline[].kind` and `[data-entry]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A message to the agent.
    User,
    /// Text by the model.
    Assistant,
    /// The model's reasoning.
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
    /// Information, warning, error, notification, or a change of mode or model.
    Notice,
    /// A sub-agent.
    Subagent,
    /// The context was compacted.
    Compaction,
    /// The agent's report that the task is complete.
    Summary,
    /// A custom notification.
    Custom,
    /// An event of an unknown type.
    Generic,
    /// A place where events are missing.
    Gap,
}

impl Kind {
    /// The kind of a request's entry.
    pub fn of_request(kind: RequestKind) -> Self {
        match kind {
            RequestKind::Permission => Self::Permission,
            RequestKind::UserInput => Self::Question,
            RequestKind::Elicitation => Self::Form,
            RequestKind::ExitPlanMode => Self::Plan,
            _ => Self::Confirmation,
        }
    }

    /// Its value in snapshots and attributes.
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

/// How prominent a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Information.
    Info,
    /// A warning.
    Warning,
    /// An error.
    Error,
    /// A line across the timeline: mode, model, resume, abort, shutdown.
    Milestone,
    /// A system message, which is for the model only.
    System,
}

impl Level {
    /// Its value in snapshots.
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

/// A notice's data apart from its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// How prominent it is.
    pub level: Level,
    /// The category: `infoType`, `warningType`, `errorType`, or the event's own word.
    pub category: String,
    /// An address to read more or to act.
    pub url: Option<String>,
    /// What a person can do about it.
    pub remedy: Option<Phrase>,
    /// Details, to be shown on demand.
    pub detail: Option<Phrase>,
    /// How many times it was received in a row.
    pub count: u32,
    /// Its earlier texts, as far as they are stored, oldest first.
    pub earlier: Vec<Phrase>,
    /// The sources of an answer.
    pub references: Vec<Reference>,
    /// The subject of an error.
    pub about: Option<ErrorSubject>,
    /// It comes from the host page, not from the session.
    pub local: bool,
    /// The sub-agent whose end it tells.
    pub agent: Option<String>,
}

/// Maximum number of replaced texts that are stored.
pub(crate) const MAX_EARLIER: usize = 20;

impl Notice {
    /// A notice that was received once.
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
            agent: None,
        }
    }
}

/// A user message's data apart from its text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserMessage {
    /// `idle`, `queued` or `steering`.
    pub delivery: Option<String>,
    /// Who sent it, if it was not the person at the prompt.
    pub source: Option<String>,
    /// The text that the model gets, if it differs.
    pub transformed: Option<String>,
    /// Names of the attachments; empty for one without a name.
    pub attachments: Vec<String>,
    /// Places of those that the model was not given.
    pub withheld: Vec<usize>,
    /// Those of them that are pictures with their bytes, or with a name for these.
    pub pictures: Vec<AttachedPicture>,
    /// References sent with it on the Copilot platform.
    pub references: Vec<Reference>,
    /// The agent mode that it was sent in.
    pub agent_mode: Option<String>,
    /// The work done for it, if it started a turn.
    pub work: Option<Work>,
    /// Its event has no id of the message, as from an SDK that does not know it.
    pub anonymous: bool,
    /// The name of the person who wrote it, where people are known by name.
    pub who: Option<String>,
}

/// A picture among the attachments of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedPicture {
    /// Its place among the attachments.
    pub place: usize,
    /// Its media type, as the wire has it; empty if that is with the asset.
    pub mime_type: String,
    /// Where its bytes are.
    pub source: PictureSource,
}

/// Where the bytes of an attached picture are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureSource {
    /// In the message, as base64.
    Data(Arc<str>),
    /// In the session's assets, under this id: histories store each binary once.
    Asset(String),
}

/// A sub-agent's data. Its messages and tool calls are separate entries with its `agent_id`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subagent {
    /// Internal name.
    pub name: String,
    /// Name for people.
    pub display_name: String,
    /// Its task.
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
    /// It runs while its parent continues.
    pub background: bool,
    /// The work it did, as far as events reveal it.
    pub work: Work,
    /// Index of the entry of the sub-agent that started it; none if the main agent did.
    pub parent: Option<usize>,
    /// Index of the entry of the user message that it works for.
    pub turn: Option<usize>,
}

impl Subagent {
    /// Milliseconds that it took, without those in which it waited for a person.
    pub fn duration_ms(&self) -> Option<i64> {
        let measured = self.duration.map(|took| took.saturating_sub(self.work.waited_ms).max(0));
        measured.or(Some(self.work.worked_ms)).filter(|took| *took > 0)
    }

    /// The name to show: the one for people, else the internal one.
    pub fn title(&self) -> &str {
        if self.display_name.is_empty() { &self.name } else { &self.display_name }
    }
}

/// An entry's data apart from its text, by kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Nothing.
    Plain,
    /// A user message.
    User(Box<UserMessage>),
    /// Text by the model.
    Assistant {
        /// Model name.
        model: Option<String>,
        /// Generation phase, `thinking` or `response`.
        phase: Option<String>,
    },
    /// The model's reasoning.
    Reasoning {
        /// Time from the first to the last delta in milliseconds, if it was streamed.
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
    /// A payload that is shown as a tree.
    Facts {
        /// The type of its event.
        event_type: String,
        /// The payload.
        facts: Value,
    },
}

/// One entry of the timeline. Its index never changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its kind.
    pub kind: Kind,
    /// The id of the message, reasoning, tool call or request, else that of the event.
    pub id: String,
    /// Its state.
    pub state: EntryState,
    /// Its original text: the message, the notice, or the result of a tool as the model reads it. Empty if it has a
    /// phrase.
    pub text: Text,
    /// What it says in the language of the page, if that did not come as text. `view_model::entry_words::text` reads both.
    pub phrase: Option<Box<Phrase>>,
    /// Its other data.
    pub body: Body,
    /// Id of the sub-agent that it belongs to.
    pub agent_id: Option<String>,
    /// Id of that sub-agent's `task` call.
    pub parent_tool_call_id: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub at: Option<i64>,
    /// When it last changed, in milliseconds since 1970.
    pub ended_at: Option<i64>,
    /// The model sees it, perhaps in another form.
    pub model_visible: bool,
    /// People see it in the timeline.
    pub ui_visible: bool,
    /// The session was rewound to a point before it, so it is only history. A compaction was undone.
    pub rewound: bool,
    /// Number of the first persisted event about it; none as long as there were only ephemeral ones.
    pub committed: Option<u64>,
    /// Number of the first event about it.
    pub first_seen: u64,
    pub(crate) dirty: Dirty,
}

impl Entry {
    /// True as long as no persisted event was about it, so that the history will not contain it.
    pub fn ephemeral(&self) -> bool {
        self.committed.is_none()
    }

    /// What it says, before a language is chosen.
    pub fn to_phrase(&self) -> Phrase {
        self.phrase.as_deref().map_or_else(|| self.text.as_str().into(), Phrase::clone)
    }

    /// True if it says exactly this.
    pub fn has_phrase(&self, phrase: &Phrase) -> bool {
        match (&self.phrase, phrase) {
            (None, Phrase::Text(text)) => self.text == *text,
            (own, phrase) => own.as_deref() == Some(phrase),
        }
    }

    /// The tool call, if it is one.
    pub fn tool(&self) -> Option<&ToolCall> {
        match &self.body {
            Body::Tool(call) => Some(call),
            _ => None,
        }
    }

    pub(crate) fn tool_mut(&mut self) -> Option<&mut ToolCall> {
        match &mut self.body {
            Body::Tool(call) => Some(call),
            _ => None,
        }
    }

    /// Milliseconds that it took, without those in which it waited for a permission.
    pub fn took(&self) -> Option<i64> {
        let waited = self.tool().map_or(0, |call| call.waited_ms);
        Some(self.ended_at?.saturating_sub(self.at?).saturating_sub(waited).max(0))
    }

    /// True for a sub-agent that runs, and for a shell that does in the background.
    pub(crate) fn runs_after_turn(&self) -> bool {
        match &self.body {
            Body::Subagent(_) => self.state == EntryState::Running,
            Body::Tool(call) => call.in_background(),
            _ => false,
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

/// How the text changed since the changes were last taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextDirty {
    Clean,
    AppendedFrom(usize),
    Replaced,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dirty {
    pub(crate) added: bool,
    pub(crate) updated: bool,
    pub(crate) text: TextDirty,
}

impl Dirty {
    pub(crate) const CLEAN: Self = Self { added: false, updated: false, text: TextDirty::Clean };

    pub(crate) fn any(self) -> bool {
        self != Self::CLEAN
    }
}
