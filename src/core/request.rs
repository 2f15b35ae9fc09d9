//! Requests that need a person: what is asked, and where the request is in its life.
//! Refuses to answer anything; `answer` says how an answer looks on the wire.

use serde_json::Value;

use super::entry::Kind;

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

/// Where a request is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Life {
    /// Nobody has answered.
    Waiting,
    /// Our answer is on its way; the `*.completed` event settles it.
    Sending {
        /// The answer in words: 'allowed once'.
        answer: String,
    },
    /// It was answered.
    Settled {
        /// How, in words: 'Allowed once', 'Rejected: not now'.
        outcome: String,
        /// The runtime's word: `approved`, `denied-interactively-by-user`, `accept`, …
        word: String,
        /// Our answer was on its way, but somebody else's counted.
        elsewhere: bool,
    },
    /// It can't be answered any more.
    Stale {
        /// Why, in words.
        why: String,
    },
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
    /// True while an answer can still be given.
    pub fn open(&self) -> bool {
        matches!(self.life, Life::Waiting | Life::Sending { .. })
    }

    /// The permission's own description: `permissionRequest`, which is the whole, not `promptRequest`, the short copy.
    pub fn permission(&self) -> Option<&Value> {
        self.details.get("permissionRequest").or_else(|| self.details.get("promptRequest"))
    }
}
