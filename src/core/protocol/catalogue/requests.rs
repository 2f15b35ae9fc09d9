//! The catalogue's rows for everything that waits for a person or the host, and for how it ends. Sign-in and
//! sampling are with MCP in `tools`, switching the model is in `model`.

use super::EventType;

pub(super) const PERMISSION: &[EventType] = rows! { Permission:
    PermissionRequested Persisted No Request seed ephemeral,
        "requestId, permissionRequest",
        "the guide has it ephemeral, the wire persists it, so a log can hold one that nobody \
         answered (wire 20, 22)";
    PermissionCompleted Persisted No Timeline seed ephemeral,
        "requestId, result.kind",
        "closes the card everywhere, whoever answered, and stays as the trace of the decision; \
         persisted on the wire (wire 20, 21, 23)";
    PermissionCarriedForward Persisted No Notifications,
        "requestId, toolCallId, recordId, decisionSource",
        "why a tool ran without asking again; its requestId never had a prompt (schema)";
    PermissionMessageAuthorization Persisted No Nowhere,
        "recordId, turnIndex, polarity, actionClass",
        "the runtime's bookkeeping of what a person's words allow (schema)";
    PermissionMessageAuthorizationRead Persisted No Nowhere,
        "turnIndex, activatesExtraction?",
        "bookkeeping: a turn has been read for authorizations (schema)";
    PermissionMessageAuthorizationDegraded Persisted No Nowhere,
        "turnIndex",
        "bookkeeping: a turn could not be represented before compaction (schema)";
    PermissionAssentDetected Persisted No Nowhere,
        "requestId, turnIndex",
        "bookkeeping that grants nothing; the hint it gives the model is not in the event (schema)";
    PermissionContextualAuthorization Persisted No Nowhere,
        "recordId, requestId, turnIndex, polarity",
        "bookkeeping of an answer bound to the blocked request before it (schema)";
    SessionPermissionsChanged Persisted No Timeline,
        "previousMode?, mode?",
        "from now on more, or less, runs without asking: nobody may miss it (schema)";
    SessionPermissionRecovery Persisted No Timeline,
        "episodeId, status, onBlocked, reason, maxAttempts, attempts",
        "autopilot was not allowed something and looks for another way, asks, or is blocked: one entry for an \
         episode, which each snapshot brings up to date (schema)";
};

pub(super) const USER_INPUT: &[EventType] = rows! { UserInput:
    UserInputRequested Ephemeral No Request seed ephemeral,
        "requestId, question, choices?",
        "a question with choices or free text; gone after a resume (seed, wire 22)";
    UserInputCompleted Ephemeral No Timeline seed ephemeral,
        "requestId",
        "closes the card everywhere; question and answer stay as its trace (seed, wire 23)";
    ElicitationRequested Ephemeral No Request seed ephemeral,
        "requestId, message, requestedSchema",
        "a form, or an address to open; gone after a resume (seed, schema, wire 22)";
    ElicitationCompleted Ephemeral No Timeline seed ephemeral,
        "requestId",
        "closes the card everywhere; what was answered stays as its trace (seed, wire 23)";
};

pub(super) const EXTERNAL_TOOL: &[EventType] = rows! { ExternalTool:
    ExternalToolRequested Persisted No Request seed ephemeral,
        "requestId, toolName, arguments?",
        "a tool that the host runs waits for its result; ephemeral in the guide, persisted on the \
         wire (seed, recording external-tools)";
    ExternalToolCompleted Either No Timeline seed ephemeral,
        "requestId",
        "closes the card; the result is in tool.execution_complete; ephemeral in guide and \
         schema, and yet in every recorded log (recording external-tools)";
};

pub(super) const COMMAND: &[EventType] = rows! { Command:
    CommandQueued Ephemeral No Request seed ephemeral,
        "requestId, command",
        "a slash command's turn has come: somebody says whether they handle it (seed)";
    CommandExecute Ephemeral No Request,
        "requestId, command, commandName, args",
        "a command that this client registered; the answer says that it ran (schema)";
    CommandCompleted Ephemeral No Timeline seed ephemeral,
        "requestId",
        "closes the card everywhere and leaves a trace (seed, wire 23)";
    CommandsChanged Ephemeral No Notifications,
        "commands",
        "the list of commands for completion (schema)";
};

pub(super) const PLAN_MODE: &[EventType] = rows! { PlanMode:
    ExitPlanModeRequested Ephemeral No Request seed ephemeral,
        "requestId, summary, planContent, actions",
        "the plan in full, to approve or send back (seed)";
    ExitPlanModeCompleted Ephemeral No Timeline seed ephemeral,
        "requestId",
        "closes the card everywhere; plan and decision stay as its trace; an event that does not say \
         `approved` claims nothing: what was pressed here, else 'Decided' (seed, wire 23)";
    SessionPlanChanged Persisted No Panel,
        "operation",
        "the plan's file changed: whoever shows it reads it again (schema)";
    SessionTodosChanged Ephemeral No Notifications,
        "(empty)",
        "the list was written to, not how: the panel reads it from the calls that wrote (schema)";
};

pub(super) const LIMITS: &[EventType] = rows! { Limits:
    SessionLimitsExhaustedRequested Ephemeral No Request,
        "requestId, usedAiCredits, maxAiCredits",
        "the session may spend no more until a person decides (schema)";
    SessionLimitsExhaustedCompleted Ephemeral No Timeline,
        "requestId, response",
        "closes the card everywhere and leaves the decision as its trace (schema, wire 23)";
    SessionSessionLimitsChanged Persisted No Panel,
        "sessionLimits",
        "the limit beside the usage; null clears it (schema)";
};
