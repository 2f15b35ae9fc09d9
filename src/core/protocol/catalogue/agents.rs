//! The catalogue's rows for sub-agents, skills, runs of factories and workflows, and fused models.

use super::EventType;

pub(super) const SUB_AGENT: &[EventType] = rows! { SubAgent:
    SubagentStarted Persisted No Timeline seed persisted,
        "toolCallId, agentName, agentDisplayName",
        "opens the agent's group under the call that started it; the model knows the call (seed, \
         wire 19)";
    SubagentConfigured Persisted No Timeline,
        "model, reasoningEffort?, contextTier?, multiTurn",
        "a detail of the agent's entry (schema)";
    SubagentCompleted Persisted No Timeline seed persisted,
        "toolCallId, agentName, agentDisplayName",
        "closes the group; it can come again, cancelled, at shutdown: the first one counts (seed, \
         wire 19)";
    SubagentFailed Persisted No Timeline seed persisted,
        "toolCallId, agentName, error",
        "closes the group with its error (seed)";
    SubagentSelected Persisted No Timeline seed persisted,
        "agentName, agentDisplayName, tools",
        "a milestone: another agent answers from here on (seed)";
    SubagentDeselected Persisted No Timeline seed persisted,
        "(empty)",
        "a milestone: back to the default agent (seed)";
    SessionCustomAgentsUpdated Ephemeral No Panel superseded_by Next,
        "agents, warnings, errors",
        "the list of agents; a state update, not chat (seed, projection)";
};

pub(super) const SKILL: &[EventType] = rows! { Skill:
    SkillInvoked Persisted Sometimes(User) Timeline seed persisted,
        "name, path, content, allowedTools?",
        "its content reaches the model after the tool's result, wrapped in <skill-context> as a \
         user-like message; skill.context_delivered or its _ref has the exact text and takes its \
         place, but the live stream may not carry one (recording skills-and-file-hooks)";
    SkillInvokedRef Persisted No Timeline,
        "name, path, contentId, contentLength, trigger?",
        "invoked again: the content is that of an earlier skill event (schema)";
    SkillContextDelivered Persisted Yes(User) Panel,
        "content, source, interactionId?",
        "the exact text that the model read, not a person's words; people see the skill's own \
         entry (schema)";
    SkillContextDeliveredRef Persisted Yes(User) Panel,
        "contentId, prefix?, suffix?, source, interactionId?",
        "the same as prefix, the content of the skill event that contentId names, suffix (schema, \
         recording skills-and-file-hooks)";
    SessionSkillsLoaded Ephemeral No Panel superseded_by Next,
        "skills",
        "the list of skills; a state update, not chat (seed, projection)";
};

pub(super) const FACTORY: &[EventType] = rows! { Factory:
    FactoryRunStarted Ephemeral No Panel,
        "runId, factoryName, attempt",
        "a run among the background work; workflow.run_started since 1.0.15 (schema)";
    FactoryRunUpdated Ephemeral No Notifications,
        "runId, revision",
        "only says that the run changed, not how (schema)";
    FactoryRunSettled Ephemeral No Panel,
        "runId, status, consumedSubagents, elapsedMs, failureType?",
        "how the run ended (schema)";
};

pub(super) const WORKFLOW: &[EventType] = rows! { Workflow:
    WorkflowRunStarted Ephemeral No Panel,
        "runId, workflowName, attempt",
        "a run among the background work; factory.run_started before 1.0.15 (schema)";
    WorkflowRunUpdated Ephemeral No Notifications,
        "runId, revision",
        "only says that the run changed, not how (schema)";
    WorkflowRunSettled Ephemeral No Panel,
        "runId, status, consumedSubagents, elapsedMs, failureType?",
        "how the run ended (schema)";
};

pub(super) const FUSION: &[EventType] = rows! { Fusion:
    SessionFusionRouteStarted Ephemeral No Status,
        "attemptId, turnKind, syntheticModel?, policy?",
        "choosing models for the turn (schema)";
    SessionFusionRouteFailed Persisted No Timeline,
        "attemptId, reason, errorMessage?, fallbackModel",
        "another model answers than the one that was chosen: worth a warning (schema)";
    SessionFusionResolved Persisted No Notifications,
        "fusionId, turnId, pattern, primaryModel, secondaryModel, fallbackModel",
        "which models work on the turn (schema)";
    SessionFusionHandoff Persisted Yes(User) Panel,
        "fusionId, sourcePhaseId, targetPhaseId, targetModel, message",
        "what one model tells the next, word for word; message carries its own role, user where \
         it has none (schema)";
    SessionFusionCommitStarted Persisted No Nowhere,
        "fusionId, commitId, kind, toolCallId",
        "the runtime's boundary against doing it twice (schema)";
    SessionFusionCompleted Persisted No Notifications,
        "fusionId, outcome, requestCount, inputTokens, outputTokens, durationMs",
        "totals of the turn; assistant.usage counts the calls themselves (schema)";
    SessionFusionChangeCheckpoint Persisted No Notifications,
        "codeChanges",
        "what the turn's edits come to, those of discarded phases included; the runtime calls it internal (schema)";
    AssistantFusionPhaseStarted Ephemeral No Status,
        "fusionId, phaseId, phaseKind, role, model",
        "who is at work: draft, critic, revision (schema)";
    AssistantFusionPhaseActivity Ephemeral No Status superseded_by Next,
        "fusionId, phaseId, activity, totalResponseSizeBytes?, toolCallId?",
        "a sign of life without content (schema)";
    AssistantFusionPhaseCompleted Persisted Sometimes(Assistant) Notifications,
        "fusionId, phaseId, phaseKind, model, status, content, projectionMode?, projectionMessage?",
        "a draft; projectionMessage enters the model's history where projectionMode is append; \
         the answer that people read is assistant.message (schema)";
    AssistantFusionPhaseFailed Persisted No Timeline,
        "fusionId, phaseId, phaseKind, model, reason, errorMessage?, degradedToPhaseId?",
        "the answer comes about with less than was planned: worth a warning (schema)";
};
