//! Requests that need a person: their states and endings. Their kinds are in `core::protocol::request`.

use serde_json::Value;

use crate::i18n::Phrase;
use crate::i18n::words::requests;
pub use crate::protocol::RequestKind;

/// The state of a request. It ends once: by an answer, or because it can't be answered any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestStage {
    /// Not answered yet.
    Waiting,
    /// This viewer's answer is being sent; the `*.completed` event settles the request.
    Sending(Ending),
    /// It is unknown whether this viewer's answer arrived. Only the same answer may be given again.
    Unsure(Ending),
    /// The server has taken this viewer's answer (`success: true`), and there is no event about it yet. Nobody has to do
    /// anything. An event may still say that another answer counted.
    Taken(Ending),
    /// It was answered.
    Settled {
        /// How it ended.
        ending: Ending,
        /// Whose answer counted.
        by: AnsweredBy,
    },
    /// It can't be answered any more.
    Stale {
        /// The reason.
        why: StaleReason,
        /// The text that a person wrote with an answer that may not have arrived.
        reply: Option<Phrase>,
    },
}

/// How a request ended, or will end with the answer that is being sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// The runtime's word: `approved`, `denied-interactively-by-user`, `accept`, …
    pub word: String,
    /// The same for people: 'Allowed once'.
    pub outcome: Phrase,
    /// The agent's own option that was chosen, by its name.
    pub option: Option<String>,
    /// What a person wrote or chose with it.
    pub reply: Option<Phrase>,
}

/// The word for requests of which the runtime only says that they are over.
pub const HANDLED: &str = "handled";

/// The word for queued commands that the gateway runs.
pub(crate) const RUN: &str = "run";

impl Ending {
    /// An ending without a person's text.
    pub fn new(word: &str, outcome: impl Into<Phrase>) -> Self {
        Self { word: word.to_owned(), outcome: outcome.into(), option: None, reply: None }
    }

    /// Sets the agent's own option that was chosen, unless its name says no more than how the request ended.
    #[must_use]
    pub fn with_option(mut self, name: Option<impl Into<String>>) -> Self {
        self.option = name.map(Into::into);
        let name = self.option.as_deref().unwrap_or_default().trim();
        let is_one = |names: &[&str]| names.iter().any(|plain| name.eq_ignore_ascii_case(plain));
        match self.word.as_str() {
            "approved" if is_one(&["allow once", "approve once", "yes, once"]) => {
                self.outcome = requests::ALLOWED_ONCE.into();
                self.option = None;
            }
            "approved" if is_one(&["allow", "approve", "accept", "yes"]) => self.option = None,
            "denied-interactively-by-user" if is_one(&["reject", "reject once", "deny", "no"]) => {
                self.option = None;
            }
            _ => {}
        }
        self
    }

    /// Sets what a person wrote or chose.
    #[must_use]
    pub fn with_reply(mut self, reply: Option<impl Into<Phrase>>) -> Self {
        self.reply = reply.map(Into::into);
        self
    }

    /// True if the request was refused.
    pub fn is_refusal(&self) -> bool {
        let word = self.word.as_str();
        ["denied", "rejected", "decline", "cancel", "dismissed"].iter().any(|start| word.starts_with(start))
            || word == "no"
    }

    /// True if the runtime's ending is consistent with an answer that would end so. For replies to a question
    /// the text must match as well, because two people may reply differently; of an agent's own options two may
    /// have the same word. For other answers the word is the whole decision.
    pub fn is_consistent_with(&self, decided: &Self) -> bool {
        let same_reply = self.reply == decided.reply || decided.reply.is_none();
        let other_option = self.option.is_some() && decided.option.is_some() && self.option != decided.option;
        let same_word = self.word == decided.word && (self.word != ANSWERED || same_reply);
        !other_option && (decided.word == HANDLED || same_word)
    }
}

/// The word for questions that were answered.
pub const ANSWERED: &str = "answered";

/// Whose answer counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The answer that was given in this viewer.
    Here,
    /// Another answer, while this viewer's was being sent or after it was refused.
    Elsewhere,
    /// A rule, a policy or a hook.
    Rule,
    /// Not known: it was answered in another viewer, or before this one connected.
    Unknown,
}

impl AnsweredBy {
    /// The value in snapshots.
    pub fn word(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Elsewhere => "elsewhere",
            Self::Rule => "rule",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a request can't be answered any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleReason {
    /// Its tool call ended without an answer.
    ToolEnded,
    /// The turn ended.
    TurnEnded,
    /// The turn was stopped.
    Stopped,
    /// The session was resumed, which this kind of request does not survive.
    Resumed,
    /// The runtime was restarted.
    Restarted,
    /// The runtime was restarted and does not continue pending work, though it may list it.
    GivenUp,
    /// The session is over.
    SessionEnded,
    /// The runtime refused this viewer's answer (`success: false`): another one was first, or the request is
    /// gone.
    Refused,
    /// The runtime does not list it as open.
    Unlisted,
}

impl StaleReason {
    /// The value in snapshots.
    pub fn word(self) -> &'static str {
        match self {
            Self::ToolEnded => "tool-ended",
            Self::TurnEnded => "turn-ended",
            Self::Stopped => "stopped",
            Self::Resumed => "resumed",
            Self::Restarted => "restarted",
            Self::GivenUp => "given-up",
            Self::SessionEnded => "session-ended",
            Self::Refused => "refused",
            Self::Unlisted => "unlisted",
        }
    }
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What is asked for.
    pub kind: RequestKind,
    /// Its state.
    pub stage: RequestStage,
    /// The newest answer of this viewer that did not arrive.
    pub lost: Option<Ending>,
    /// Id of the tool call that it is about.
    pub tool_call_id: Option<String>,
    /// The event's whole payload, so that nothing that is to be allowed is missing from the card.
    pub details: Value,
    /// The name of the person whose answer counted, where people are known by name.
    pub answerer: Option<String>,
}

impl Request {
    /// One that waits for a person.
    pub fn waiting(kind: RequestKind, details: Value) -> Self {
        Self { kind, stage: RequestStage::Waiting, lost: None, tool_call_id: None, details, answerer: None }
    }

    /// True while it may need a person.
    pub fn open(&self) -> bool {
        matches!(self.stage, RequestStage::Waiting | RequestStage::Sending(_) | RequestStage::Unsure(_))
    }

    /// True if the gateway runs the queued command, and no client has to.
    pub(crate) fn is_run(&self) -> bool {
        let run = |ending: &Ending| ending.word == RUN;
        self.kind == RequestKind::QueuedCommand
            && matches!(&self.stage, RequestStage::Settled { ending, .. } if run(ending))
    }

    /// True while an answer is being sent.
    pub fn is_sending(&self) -> bool {
        matches!(self.stage, RequestStage::Sending(_))
    }

    /// True if it ended and what it asked for was not granted.
    pub fn refused(&self) -> bool {
        match &self.stage {
            RequestStage::Waiting | RequestStage::Sending(_) | RequestStage::Unsure(_) => false,
            RequestStage::Taken(ending) | RequestStage::Settled { ending, .. } => ending.is_refusal(),
            RequestStage::Stale { why, .. } => {
                use StaleReason::{GivenUp, Restarted, SessionEnded, Stopped, TurnEnded};
                matches!(why, Stopped | TurnEnded | SessionEnded | Restarted | GivenUp)
            }
        }
    }

    /// True if only the runtime's short form of a permission is known, because its event was not received.
    pub fn is_summary(&self) -> bool {
        self.kind == RequestKind::Permission && self.details.get("permissionRequest").is_none()
    }

    /// The description of the permission: the complete `permissionRequest`, else the short `promptRequest`.
    pub fn permission(&self) -> Option<&Value> {
        self.details.get("permissionRequest").or_else(|| self.details.get("promptRequest"))
    }
}

/// The sub-agent that asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asker {
    /// Its name, if that is known.
    pub name: Option<String>,
    /// Its task in a few words, if that is known and is not its name.
    pub task: Option<String>,
}
