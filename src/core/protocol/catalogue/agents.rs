//! The catalogue's rows for sub-agents, skills, factory runs and fused models.

use super::EventType;

pub(super) const SUB_AGENT: &[EventType] = rows! { SubAgent:
    "subagent.started" Persisted No Timeline seed persisted,
        "toolCallId, agentName, agentDisplayName",
        "opens the agent's group under the call that started it; the model knows the call (seed, \
         wire 19)";
    "subagent.configured" Persisted No Timeline,
        "model, reasoningEffort?, contextTier?, multiTurn",
        "a detail of the agent's entry (schema)";
    "subagent.completed" Persisted No Timeline seed persisted,
        "toolCallId, agentName, agentDisplayName",
        "closes the group; it can come again, cancelled, at shutdown: the first one counts (seed, \
         wire 19)";
    "subagent.failed" Persisted No Timeline seed persisted,
        "toolCallId, agentName, error",
        "closes the group with its error (seed)";
    "subagent.selected" Persisted No Timeline seed persisted,
        "agentName, agentDisplayName, tools",
        "a milestone: another agent answers from here on (seed)";
    "subagent.deselected" Persisted No Timeline seed persisted,
        "(empty)",
        "a milestone: back to the default agent (seed)";
    "session.custom_agents_updated" Ephemeral No Panel,
        "agents, warnings, errors",
        "the list of agents; a state update, not chat (seed, projection)";
};

pub(super) const SKILL: &[EventType] = rows! { Skill:
    "skill.invoked" Persisted Sometimes(User) Timeline seed persisted,
        "name, path, content, allowedTools?",
        "its content reaches the model after the tool's result, wrapped in <skill-context> as a \
         user-like message; skill.context_delivered or its _ref has the exact text and takes its \
         place, but the live stream may not carry one (recording skills-and-file-hooks)";
    "skill.invoked_ref" Persisted No Timeline,
        "name, path, contentId, contentLength, trigger?",
        "invoked again: the content is that of an earlier skill event (schema)";
    "skill.context_delivered" Persisted Yes(User) Panel,
        "content, source, interactionId?",
        "the exact text that the model read, not a person's words; people see the skill's own \
         entry (schema)";
    "skill.context_delivered_ref" Persisted Yes(User) Panel,
        "contentId, prefix?, suffix?, source, interactionId?",
        "the same as prefix, the content of the skill event that contentId names, suffix (schema, \
         recording skills-and-file-hooks)";
    "session.skills_loaded" Ephemeral No Panel,
        "skills",
        "the list of skills; a state update, not chat (seed, projection)";
};

pub(super) const FACTORY: &[EventType] = rows! { Factory:
    "factory.run_started" Ephemeral No Panel,
        "runId, factoryName, attempt",
        "a run among the background work (schema)";
    "factory.run_updated" Ephemeral No Tray,
        "runId, revision",
        "only says that the run changed, not how (schema)";
    "factory.run_settled" Ephemeral No Panel,
        "runId, status, consumedSubagents, elapsedMs, failureType?",
        "how the run ended (schema)";
};

pub(super) const FUSION: &[EventType] = rows! { Fusion:
    "session.fusion_route_started" Ephemeral No Status,
        "attemptId, turnKind, syntheticModel?, policy?",
        "choosing models for the turn (schema)";
    "session.fusion_route_failed" Persisted No Timeline,
        "attemptId, reason, errorMessage?, fallbackModel",
        "another model answers than the one that was chosen: worth a warning (schema)";
    "session.fusion_resolved" Persisted No Tray,
        "fusionId, turnId, pattern, primaryModel, secondaryModel, fallbackModel",
        "which models work on the turn (schema)";
    "session.fusion_handoff" Persisted Yes(User) Panel,
        "fusionId, sourcePhaseId, targetPhaseId, targetModel, message",
        "what one model tells the next, word for word; message carries its own role, user where \
         it has none (schema)";
    "session.fusion_commit_started" Persisted No Nowhere,
        "fusionId, commitId, kind, toolCallId",
        "the runtime's boundary against doing it twice (schema)";
    "session.fusion_completed" Persisted No Tray,
        "fusionId, outcome, requestCount, inputTokens, outputTokens, durationMs",
        "totals of the turn; assistant.usage counts the calls themselves (schema)";
    "assistant.fusion_phase_started" Ephemeral No Status,
        "fusionId, phaseId, phaseKind, role, model",
        "who is at work: draft, critic, revision (schema)";
    "assistant.fusion_phase_activity" Ephemeral No Status,
        "fusionId, phaseId, activity, totalResponseSizeBytes?, toolCallId?",
        "a sign of life without content (schema)";
    "assistant.fusion_phase_completed" Persisted Sometimes(Assistant) Tray,
        "fusionId, phaseId, phaseKind, model, status, content, projectionMode?, projectionMessage?",
        "a draft; projectionMessage enters the model's history where projectionMode is append; \
         the answer that people read is assistant.message (schema)";
    "assistant.fusion_phase_failed" Persisted No Timeline,
        "fusionId, phaseId, phaseKind, model, reason, errorMessage?, degradedToPhaseId?",
        "the answer comes about with less than was planned: worth a warning (schema)";
};
