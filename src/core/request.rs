//! Requests that need a person: what is asked, and where the request is in its life.
//! Refuses to answer anything; `answer` says how an answer looks on the wire.

use serde_json::Value;

use super::entry::{Body, Kind};
use super::language::words::{notices, requests};
use super::state::State;

/// The kinds of request a session can make; each has its own method to answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// `permission.requested`
    Permission,
    /// `user_input.requested`
    UserInput,
    /// `elicitation.requested`
    Elicitation,
    /// `exit_plan_mode.requested`
    ExitPlanMode,
    /// `external_tool.requested`
    ExternalTool,
    /// `command.queued`
    QueuedCommand,
    /// `command.execute`
    Command,
    /// `auto_mode_switch.requested`
    AutoModeSwitch,
    /// `session_limits_exhausted.requested`
    SessionLimits,
    /// `mcp.oauth_required`
    McpOauth,
    /// `sampling.requested`
    Sampling,
    /// The platform's `copilot_confirmation`
    Confirmation,
}

impl RequestKind {
    /// Which kind an event type opens.
    pub fn opened_by(event_type: &str) -> Option<Self> {
        Some(match event_type {
            "permission.requested" => Self::Permission,
            "user_input.requested" => Self::UserInput,
            "elicitation.requested" => Self::Elicitation,
            "exit_plan_mode.requested" => Self::ExitPlanMode,
            "external_tool.requested" => Self::ExternalTool,
            "command.queued" => Self::QueuedCommand,
            "command.execute" => Self::Command,
            "auto_mode_switch.requested" => Self::AutoModeSwitch,
            "session_limits_exhausted.requested" => Self::SessionLimits,
            "mcp.oauth_required" => Self::McpOauth,
            "sampling.requested" => Self::Sampling,
            _ => return None,
        })
    }

    /// The word in `pending[].kind`: the timeline's own where it has one.
    pub fn word(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::UserInput => "question",
            Self::Elicitation => "form",
            Self::ExitPlanMode => "plan",
            Self::ExternalTool => "external-tool",
            Self::QueuedCommand => "queued-command",
            Self::Command => "command",
            Self::AutoModeSwitch => "auto-mode",
            Self::SessionLimits => "session-limits",
            Self::McpOauth => "sign-in",
            Self::Sampling => "sampling",
            Self::Confirmation => "confirmation",
        }
    }

    /// The timeline kind that shows it.
    pub fn entry_kind(self) -> Kind {
        match self {
            Self::Permission => Kind::Permission,
            Self::UserInput => Kind::Question,
            Self::Elicitation => Kind::Form,
            Self::ExitPlanMode => Kind::Plan,
            _ => Kind::Confirmation,
        }
    }

    /// True if the request lives and dies with the turn that made it. Commands and sign-ins come from outside of
    /// turns, confirmations from another system.
    pub fn belongs_to_turn(self) -> bool {
        !matches!(self, Self::QueuedCommand | Self::Command | Self::McpOauth | Self::Confirmation)
    }

    /// True if an open one survives a resume of the session: only permissions do.
    pub fn survives_resume(self) -> bool {
        matches!(self, Self::Permission | Self::Confirmation)
    }
}

/// Where a request is. It ends once: by an answer, or because nobody can answer it any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Life {
    /// Nobody has answered.
    Waiting,
    /// Our answer is on its way; the `*.completed` event settles it.
    Sending(Ending),
    /// An answer was given, and nothing shows whether it arrived: the same may be given again, and no other.
    Unsure(Ending),
    /// It was answered.
    Settled {
        /// How.
        ending: Ending,
        /// By whom.
        by: By,
    },
    /// It can't be answered any more.
    Stale(Why),
}

/// How a request ended, or is to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// The runtime's word: `approved`, `denied-interactively-by-user`, `accept`, …
    pub word: String,
    /// The same for people: 'Allowed once'.
    pub outcome: String,
    /// What somebody wrote or chose with it.
    pub said: Option<String>,
}

/// The word for requests of which the runtime says only that they are over.
pub const HANDLED: &str = "handled";

impl Ending {
    /// An ending without words of a person.
    pub fn new(word: &str, outcome: impl Into<String>) -> Self {
        Self { word: word.to_owned(), outcome: outcome.into(), said: None }
    }

    /// With what somebody wrote or chose.
    #[must_use]
    pub fn said(mut self, said: Option<String>) -> Self {
        self.said = said;
        self
    }

    /// In words: 'Rejected: not now'.
    pub fn words(&self) -> String {
        match &self.said {
            Some(said) => {
                requests::WITH_WORDS.with(&[("outcome", (&self.outcome).into()), ("words", said.into())])
            }
            None => self.outcome.clone(),
        }
    }

    /// True if it is a no.
    pub fn is_refusal(&self) -> bool {
        let word = self.word.as_str();
        ["denied", "rejected", "decline", "cancel", "dismissed"].iter().any(|start| word.starts_with(start))
            || word == "no"
    }

    /// True if nothing in what the runtime says was decided speaks against an answer that ends so. Two people who
    /// reply to a question need not say the same; of other answers the word is the decision.
    pub fn agrees(&self, decided: &Self) -> bool {
        let same_reply = self.said == decided.said || decided.said.is_none();
        decided.word == HANDLED || (self.word == decided.word && (self.word != ANSWERED || same_reply))
    }
}

/// The word for questions that were answered.
pub const ANSWERED: &str = "answered";

/// Whose answer counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The one that was given here.
    Here,
    /// Another one, while ours was on its way or had been refused.
    Elsewhere,
    /// A rule, a policy or a hook.
    Rule,
    /// Nobody here answered: another viewer, or it was before we came.
    Unknown,
}

impl By {
    /// The word in snapshots.
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
pub enum Why {
    /// Its tool call ended all the same.
    ToolEnded,
    /// The turn ended.
    TurnEnded,
    /// The turn was stopped.
    Stopped,
    /// The session was resumed, and only permissions outlive that.
    Resumed,
    /// The runtime was started anew.
    Restarted,
    /// The session is over.
    SessionEnded,
    /// The runtime refused our answer (`success: false`): somebody else's came first, or it is gone.
    Refused,
    /// The runtime does not list it as open.
    Unlisted,
}

impl Why {
    /// The word in snapshots.
    pub fn word(self) -> &'static str {
        match self {
            Self::ToolEnded => "tool-ended",
            Self::TurnEnded => "turn-ended",
            Self::Stopped => "stopped",
            Self::Resumed => "resumed",
            Self::Restarted => "restarted",
            Self::SessionEnded => "session-ended",
            Self::Refused => "refused",
            Self::Unlisted => "unlisted",
        }
    }

    /// For people.
    pub fn words(self) -> &'static str {
        let word = match self {
            Self::ToolEnded => requests::TOOL_ENDED,
            Self::TurnEnded => notices::GONE_IDLE,
            Self::Stopped => notices::GONE_STOPPED,
            Self::Resumed => notices::GONE_RESUMED,
            Self::Restarted => requests::GONE_RESTARTED,
            Self::SessionEnded => notices::GONE_ENDED,
            Self::Refused => requests::GONE_REFUSED,
            Self::Unlisted => notices::GONE_UNLISTED,
        };
        word.text()
    }
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What is asked for.
    pub kind: RequestKind,
    /// Where it is.
    pub life: Life,
    /// The tool call that it is about.
    pub tool_call_id: Option<String>,
    /// Everything the event carried: nothing of what is to be allowed may be lost on the way to the card.
    pub details: Value,
}

impl Request {
    /// True while it has not ended, as far as is known.
    pub fn open(&self) -> bool {
        matches!(self.life, Life::Waiting | Life::Sending(_) | Life::Unsure(_))
    }

    /// True while an answer is on its way.
    pub fn is_sending(&self) -> bool {
        matches!(self.life, Life::Sending(_))
    }

    /// True if it ended, and what was asked for was not allowed.
    pub fn refused(&self) -> bool {
        match &self.life {
            Life::Waiting | Life::Sending(_) | Life::Unsure(_) => false,
            Life::Settled { ending, .. } => ending.is_refusal(),
            Life::Stale(why) => {
                matches!(why, Why::Stopped | Why::TurnEnded | Why::SessionEnded | Why::Restarted)
            }
        }
    }

    /// True if only the runtime's short copy of a permission is known: its event did not come this way.
    pub fn is_summary(&self) -> bool {
        self.kind == RequestKind::Permission && self.details.get("permissionRequest").is_none()
    }

    /// The permission's own description: `permissionRequest`, which is the whole, not `promptRequest`, the short copy.
    pub fn permission(&self) -> Option<&Value> {
        self.details.get("permissionRequest").or_else(|| self.details.get("promptRequest"))
    }
}

/// The sub-agent that asks, by its name: the one that the request's entry belongs to.
pub fn asker(state: &State, place: usize) -> Option<String> {
    let entry = state.entry(place)?;
    let agent = entry.agent_id.as_deref()?;
    let place = entry.parent_tool_call_id.as_deref().and_then(|task| state.subagent_place(task));
    let name = place.and_then(|place| match &state.entry(place)?.body {
        Body::Subagent(subagent) => Some(subagent.title().to_owned()).filter(|name| !name.is_empty()),
        _ => None,
    });
    Some(name.unwrap_or_else(|| agent.to_owned()))
}
