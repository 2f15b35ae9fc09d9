//! The kinds of requests to a person: which event opens and which closes them, which method answers them, and
//! whether a recorded decision was a person's.

use serde_json::Value;

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
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
    OwnCommand,
    /// Whether to take another model because of a rate limit.
    AutoModeSwitch,
    /// The session's credits are used up.
    SessionLimits,
    /// A sign-in that an MCP server wants.
    McpOauth,
    /// A model call that an MCP server wants.
    Sampling,
}

struct Row {
    family: Family,
    opens: &'static str,
    closes: &'static str,
    method: &'static str,
    closing_is_persisted: bool,
}

const fn row(
    family: Family,
    opens: &'static str,
    closes: &'static str,
    method: &'static str,
    kept: bool,
) -> Row {
    Row { family, opens, closes, method, closing_is_persisted: kept }
}

#[rustfmt::skip]
const TABLE: [Row; 11] = [
    row(Family::Permission, "permission.requested", "permission.completed", "session.permissions.handlePendingPermissionRequest", true),
    row(Family::UserInput, "user_input.requested", "user_input.completed", "session.ui.handlePendingUserInput", false),
    row(Family::Elicitation, "elicitation.requested", "elicitation.completed", "session.ui.handlePendingElicitation", false),
    row(Family::ExitPlanMode, "exit_plan_mode.requested", "exit_plan_mode.completed", "session.ui.handlePendingExitPlanMode", false),
    row(Family::ExternalTool, "external_tool.requested", "external_tool.completed", "session.tools.handlePendingToolCall", true),
    row(Family::QueuedCommand, "command.queued", "command.completed", "session.commands.respondToQueuedCommand", false),
    row(Family::OwnCommand, "command.execute", "command.completed", "session.commands.handlePendingCommand", false),
    row(Family::AutoModeSwitch, "auto_mode_switch.requested", "auto_mode_switch.completed", "session.ui.handlePendingAutoModeSwitch", false),
    row(Family::SessionLimits, "session_limits_exhausted.requested", "session_limits_exhausted.completed", "session.ui.handlePendingSessionLimitsExhausted", false),
    row(Family::McpOauth, "mcp.oauth_required", "mcp.oauth_completed", "session.mcp.oauth.handlePendingRequest", false),
    row(Family::Sampling, "sampling.requested", "sampling.completed", "session.ui.handlePendingSampling", false),
];

impl Family {
    /// The kind of request that an event of this type opens.
    pub fn opened_by(event_type: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.opens == event_type).map(|row| row.family)
    }

    /// Whether an event of this type closes a request.
    pub fn is_closing(event_type: &str) -> bool {
        TABLE.iter().any(|row| row.closes == event_type)
    }

    /// The kind of request that this method answers.
    pub fn answered_by(method: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.method == method).map(|row| row.family)
    }

    /// Whether this method answers a request. MCP sign-ins have two such methods.
    pub fn answers(method: &str) -> bool {
        method == "session.mcp.oauth.respond" || Self::answered_by(method).is_some()
    }

    /// The type of the event that closes it.
    pub fn closing_type(self) -> &'static str {
        TABLE.iter().find(|row| row.family == self).map_or("", |row| row.closes)
    }

    /// Whether history keeps the closing event.
    pub fn closing_is_persisted(self) -> bool {
        TABLE.iter().any(|row| row.family == self && row.closing_is_persisted)
    }

    /// The fields of the closing event's data that hold the decision.
    pub fn decision_fields(self) -> &'static [&'static str] {
        match self {
            Self::Permission => &["result"],
            Self::UserInput => &["answer", "wasFreeform"],
            Self::Elicitation => &["action", "content"],
            Self::ExitPlanMode => &["approved", "selectedAction", "autoApproveEdits", "feedback"],
            Self::AutoModeSwitch | Self::SessionLimits => &["response"],
            Self::McpOauth => &["outcome"],
            Self::ExternalTool | Self::QueuedCommand | Self::OwnCommand | Self::Sampling => &[],
        }
    }

    /// Whether the recorded decision was made by a person, so that the player must ask again.
    ///
    /// Only the events decide this. A permission was not decided by a person where a hook, a rule, a policy
    /// or an abort decided, or where the decision names another source. The other kinds carry the decision in
    /// the first of their fields; where that is missing nobody decided (an abort).
    pub fn decided_by_a_person(self, requested: &Value, completed: &Value) -> bool {
        if self != Self::Permission {
            return self.decision_fields().first().is_none_or(|field| !completed[*field].is_null());
        }
        let by_hook = requested["resolvedByHook"] == true || completed["resolvedByHook"] == true;
        let source = completed["decisionSource"].as_str();
        let kind = completed["result"]["kind"].as_str().unwrap_or_default();
        let interactive = kind.starts_with("approved") || kind == "denied-interactively-by-user";
        !by_hook && interactive && source.is_none_or(|source| source == "human_response")
    }
}

#[cfg(test)]
mod tests {
    use super::Family;
    use serde_json::json;

    #[test]
    fn only_a_persons_permission_is_asked_again() {
        let asked = json!({"requestId": "r"});
        let decided = |kind: &str| {
            Family::Permission
                .decided_by_a_person(&asked, &json!({"requestId": "r", "result": {"kind": kind}}))
        };
        for kind in
            ["approved", "approved-for-session", "approved-for-location", "denied-interactively-by-user"]
        {
            assert!(decided(kind), "{kind}");
        }
        for kind in [
            "denied-by-rules",
            "denied-by-content-exclusion-policy",
            "denied-by-permission-request-hook",
            "denied-no-approval-rule-and-could-not-request-from-user",
            "cancelled",
        ] {
            assert!(!decided(kind), "{kind}");
        }
    }

    #[test]
    fn hooks_and_other_sources_are_nobody() {
        let approved = json!({"result": {"kind": "approved"}});
        let carried =
            json!({"result": {"kind": "approved"}, "decisionSource": "authorization_carry_forward"});
        let human = json!({"result": {"kind": "approved"}, "decisionSource": "human_response"});
        assert!(!Family::Permission.decided_by_a_person(&json!({"resolvedByHook": true}), &approved));
        assert!(!Family::Permission.decided_by_a_person(&json!({}), &carried));
        assert!(Family::Permission.decided_by_a_person(&json!({}), &human));
    }

    #[test]
    fn a_question_that_was_aborted_was_not_answered() {
        assert!(!Family::UserInput.decided_by_a_person(&json!({}), &json!({"requestId": "r"})));
        assert!(
            Family::UserInput.decided_by_a_person(&json!({}), &json!({"answer": "", "wasFreeform": true}))
        );
        assert!(Family::OwnCommand.decided_by_a_person(&json!({}), &json!({"requestId": "r"})));
    }
}
