//! The table of requests to a person: which event opens each and which closes it, which method answers it, and
//! which answers that method takes. The reducer, the gateway and the page share it.

use serde_json::Value;

use super::catalogue::Persistence;
use super::event_kind::EventKind;

/// The kinds of request that a session can make; each has its own method for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// Whether a tool may run.
    Permission,
    /// A question in words.
    UserInput,
    /// A form.
    Elicitation,
    /// Whether a plan may be carried out.
    ExitPlanMode,
    /// A tool that the host runs.
    ExternalTool,
    /// A slash command that waited in the queue.
    QueuedCommand,
    /// A slash command that the host registered.
    Command,
    /// Whether to take another model because of a rate limit.
    AutoModeSwitch,
    /// The session's credits are used up.
    SessionLimits,
    /// A sign-in that an MCP server wants.
    McpOauth,
    /// A model call that an MCP server wants.
    Sampling,
    /// The platform's `copilot_confirmation`. It has no row: the platform's stream opens it, and its answer is a
    /// `POST`.
    Confirmation,
}

struct RequestRule {
    kind: RequestKind,
    opens: EventKind,
    closes: EventKind,
    method: &'static str,
    /// The words among which the answer chooses; empty if it is a text, a yes or no, or a result.
    answers: &'static [&'static str],
    /// The fields of the closing event's data that hold the decision.
    decision: &'static [&'static str],
}

const TABLE: [RequestRule; 11] = [
    RequestRule {
        kind: RequestKind::Permission,
        opens: EventKind::PermissionRequested,
        closes: EventKind::PermissionCompleted,
        method: "session.permissions.handlePendingPermissionRequest",
        answers: &["approve-once", "approve-for-session", "approve-for-location", "reject"],
        decision: &["result", "agentOption"],
    },
    RequestRule {
        kind: RequestKind::UserInput,
        opens: EventKind::UserInputRequested,
        closes: EventKind::UserInputCompleted,
        method: "session.ui.handlePendingUserInput",
        answers: &[],
        decision: &["answer", "wasFreeform"],
    },
    RequestRule {
        kind: RequestKind::Elicitation,
        opens: EventKind::ElicitationRequested,
        closes: EventKind::ElicitationCompleted,
        method: "session.ui.handlePendingElicitation",
        answers: &["accept", "decline", "cancel"],
        decision: &["action", "content"],
    },
    RequestRule {
        kind: RequestKind::ExitPlanMode,
        opens: EventKind::ExitPlanModeRequested,
        closes: EventKind::ExitPlanModeCompleted,
        method: "session.ui.handlePendingExitPlanMode",
        answers: &[],
        decision: &["approved", "selectedAction", "autoApproveEdits", "feedback"],
    },
    RequestRule {
        kind: RequestKind::ExternalTool,
        opens: EventKind::ExternalToolRequested,
        closes: EventKind::ExternalToolCompleted,
        method: "session.tools.handlePendingToolCall",
        answers: &[],
        decision: &[],
    },
    RequestRule {
        kind: RequestKind::QueuedCommand,
        opens: EventKind::CommandQueued,
        closes: EventKind::CommandCompleted,
        method: "session.commands.respondToQueuedCommand",
        answers: &[],
        decision: &[],
    },
    RequestRule {
        kind: RequestKind::Command,
        opens: EventKind::CommandExecute,
        closes: EventKind::CommandCompleted,
        method: "session.commands.handlePendingCommand",
        answers: &[],
        decision: &[],
    },
    RequestRule {
        kind: RequestKind::AutoModeSwitch,
        opens: EventKind::AutoModeSwitchRequested,
        closes: EventKind::AutoModeSwitchCompleted,
        method: "session.ui.handlePendingAutoModeSwitch",
        answers: &["yes", "yes_always", "no"],
        decision: &["response"],
    },
    RequestRule {
        kind: RequestKind::SessionLimits,
        opens: EventKind::SessionLimitsExhaustedRequested,
        closes: EventKind::SessionLimitsExhaustedCompleted,
        method: "session.ui.handlePendingSessionLimitsExhausted",
        answers: &["add", "set", "unset", "cancel"],
        decision: &["response"],
    },
    RequestRule {
        kind: RequestKind::McpOauth,
        opens: EventKind::McpOauthRequired,
        closes: EventKind::McpOauthCompleted,
        method: "session.mcp.oauth.handlePendingRequest",
        answers: &["token", "cancelled"],
        decision: &["outcome"],
    },
    RequestRule {
        kind: RequestKind::Sampling,
        opens: EventKind::SamplingRequested,
        closes: EventKind::SamplingCompleted,
        method: "session.ui.handlePendingSampling",
        answers: &[],
        decision: &[],
    },
];

/// The second method that answers an MCP server's sign-in.
const OAUTH_RESPOND: &str = "session.mcp.oauth.respond";
/// The method that lists the permissions that are open.
pub const PENDING_PERMISSIONS: &str = "session.permissions.pendingRequests";

/// The permissions in the result of [`PENDING_PERMISSIONS`]; `None` if it has no list.
pub fn listed_permissions(mut result: Value) -> Option<Vec<Value>> {
    let name = if result.get("items").is_some() { "items" } else { "requests" };
    match result.get_mut(name)?.take() {
        Value::Array(items) => Some(items),
        _ => None,
    }
}

impl RequestKind {
    /// The kind of request that a session's event opens.
    pub fn opened_by(event: EventKind) -> Option<Self> {
        TABLE.iter().find(|row| row.opens == event).map(|row| row.kind)
    }

    /// The types of events that open requests which [survive a resume](Self::survives_resume).
    pub fn surviving_openers() -> impl Iterator<Item = EventKind> {
        TABLE.iter().filter(|row| row.kind.survives_resume()).map(|row| row.opens)
    }

    /// Whether an event of this type closes a request.
    pub fn is_closing(event: EventKind) -> bool {
        TABLE.iter().any(|row| row.closes == event)
    }

    /// The kind of request that this method answers.
    pub fn answered_by(method: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.method == method).map(|row| row.kind)
    }

    /// Whether this method answers a request.
    pub fn is_answer(method: &str) -> bool {
        method == OAUTH_RESPOND || Self::answered_by(method).is_some()
    }

    fn row(self) -> Option<&'static RequestRule> {
        TABLE.iter().find(|row| row.kind == self)
    }

    /// The event that closes it; `None` for the platform's confirmations, which no event closes.
    pub fn closed_by(self) -> Option<EventKind> {
        self.row().map(|row| row.closes)
    }

    /// Whether history keeps the closing event.
    pub fn closing_is_persisted(self) -> bool {
        let row = self.closed_by().and_then(EventKind::row);
        row.is_some_and(|row| row.persistence != Persistence::Ephemeral)
    }

    /// The method that answers it. `None` for the platform's confirmations, which are answered by `POST`.
    pub fn method(self) -> Option<&'static str> {
        self.row().map(|row| row.method)
    }

    /// The words among which the answer chooses; empty if it is a text, a yes or no, or a result.
    pub fn answers(self) -> &'static [&'static str] {
        self.row().map_or(&[], |row| row.answers)
    }

    /// The fields of the closing event's data that hold the decision.
    pub fn decision_fields(self) -> &'static [&'static str] {
        self.row().map_or(&[], |row| row.decision)
    }

    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Permission,
        Self::UserInput,
        Self::Elicitation,
        Self::ExitPlanMode,
        Self::ExternalTool,
        Self::QueuedCommand,
        Self::Command,
        Self::AutoModeSwitch,
        Self::SessionLimits,
        Self::McpOauth,
        Self::Sampling,
        Self::Confirmation,
    ];

    /// The value of `pending[].kind`; the same as the kind of the timeline entry where that has one of its
    /// own.
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

    /// The kind of this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// True if the agent does not go on before the request is answered. A sign-in holds nobody up.
    pub fn blocks_agent(self) -> bool {
        self != Self::McpOauth
    }

    /// True if the request ends with the turn that made it. Commands and sign-ins come from outside turns,
    /// confirmations from another system.
    pub fn belongs_to_turn(self) -> bool {
        !matches!(self, Self::QueuedCommand | Self::Command | Self::McpOauth | Self::Confirmation)
    }

    /// True if an open request survives a resume of the session: permissions and confirmations do.
    pub fn survives_resume(self) -> bool {
        matches!(self, Self::Permission | Self::Confirmation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::catalogue::{Surface, all};

    #[test]
    fn a_kind_is_found_by_its_word() {
        for row in all().filter(|row| row.surface == Surface::Request) {
            let Some(kind) = RequestKind::opened_by(row.kind) else { continue };
            assert_eq!(RequestKind::of_word(kind.word()), Some(kind));
        }
        assert_eq!(RequestKind::of_word("moonrise"), None);
    }

    #[test]
    fn every_event_that_is_a_request_opens_one() {
        for row in all().filter(|row| row.surface == Surface::Request && row.is_session_event()) {
            let kind = RequestKind::opened_by(row.kind);
            let closes = kind.and_then(RequestKind::closed_by);
            assert!(closes.is_some_and(RequestKind::is_closing), "{}", row.name);
        }
    }

    #[test]
    fn a_method_answers_one_kind() {
        for row in &TABLE {
            assert_eq!(RequestKind::answered_by(row.method), Some(row.kind));
            assert_eq!(row.kind.method(), Some(row.method));
            assert_eq!(RequestKind::opened_by(row.opens), Some(row.kind));
        }
        assert!(RequestKind::is_answer(OAUTH_RESPOND));
        assert!(!RequestKind::is_answer("session.send"));
        assert!(RequestKind::Confirmation.method().is_none());
    }

    #[test]
    fn history_keeps_decisions_on_permissions_and_results_of_the_hosts_tools() {
        let persisted: Vec<_> = TABLE.iter().filter(|row| row.kind.closing_is_persisted()).collect();
        let persisted: Vec<_> = persisted.iter().map(|row| row.kind).collect();
        assert_eq!(persisted, [RequestKind::Permission, RequestKind::ExternalTool]);
    }
}
