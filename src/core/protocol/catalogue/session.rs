//! The catalogue's rows for the session itself: context window, mode, workspace, schedules.

use super::EventType;

pub(super) const SESSION: &[EventType] = rows! { Session:
    SessionStart Persisted No Status,
        "sessionId, startTime, selectedModel?, context?",
        "fills the header: id, folder, repository, model (schema)";
    SessionResume Persisted No Timeline,
        "resumeTime, eventCount, selectedModel?, context?, continuePendingWork?",
        "a milestone: the live stream begins here and history comes by another way (wire 27)";
    SessionIdle Ephemeral No Status seed ephemeral,
        "backgroundTasks?",
        "the reliable 'done' (seed, agent loop); never what commits a message (wire 10)";
    SessionError Either No Timeline seed persisted,
        "errorType, message, statusCode?",
        "for people, with no role in the prompt; durable or ephemeral as the sender wished (seed, \
         projection)";
    SessionInfo Either No Timeline,
        "infoType, message, url?",
        "for people only; recorded both ways, ephemeral more often (seed, projection; recordings)";
    SessionWarning Either No Timeline,
        "warningType, message, url?",
        "for people only; durable or ephemeral as the sender wished (seed, projection)";
    SessionCompactionStart Persisted No Timeline seed persisted,
        "(empty)",
        "a milestone that runs until its complete; the wire carries token counts and the trigger \
         as well (seed, schema)";
    SessionCompactionComplete Persisted Rewrites Timeline seed persisted,
        "success, preCompactionTokens?, summaryContent?",
        "when it succeeded the model reads a summary in place of what was said; people keep what \
         was said (wire 29)";
    SessionTruncation Persisted Rewrites Timeline,
        "tokenLimit, messagesRemovedDuringTruncation, tokensRemovedDuringTruncation, performedBy",
        "the oldest messages are gone for the model, not for people (wire 29)";
    SessionSnapshotRewind Ephemeral Rewrites Timeline,
        "upToEventId, eventsRemoved",
        "this event and all after it are gone for the model; people see the mark (wire 29)";
    SessionContextCleared Persisted Rewrites Timeline,
        "messagesCleared, initialMessage?",
        "the model starts anew, with initialMessage if there is one (schema, wire 29)";
    SessionTitleChanged Ephemeral No Status superseded_by Next seed ephemeral,
        "title",
        "the header's title (seed)";
    SessionContextChanged Persisted No Status seed persisted,
        "cwd, gitRoot?, repository?, branch?",
        "the header's folder, repository and branch, all of them anew: what it does not name is not \
         known there, and with `pendingGitContext` git's part comes next; the model hears of it in \
         the next user.message (seed, projection; recording misc-rpc-events)";
    SessionUsageInfo Ephemeral No Status superseded_by Next seed ephemeral,
        "tokenLimit, currentTokens, messagesLength",
        "the context meter (seed)";
    SessionUsageCheckpoint Persisted No Panel,
        "totalNanoAiu, totalPremiumRequests?",
        "what the session has cost so far, in the usage panel and on the board: histories keep no \
         assistant.usage (schema)";
    SessionTaskComplete Persisted No Timeline seed persisted,
        "summary?",
        "a best-effort summary by the agent, not the signal for 'done' (seed, agent loop)";
    SessionCompletionReceipt Persisted No Nowhere,
        "attempt, sourceEventId, stopReason, successfulToolCount, failedToolCount",
        "behaviour-neutral facts about an accepted end, for audits (schema)";
    SessionHandoff Persisted No Timeline,
        "handoffTime, sourceType, repository?, summary?, remoteSessionId?",
        "a milestone: the work came from another session; how the model is told is not in this \
         event (schema)";
    SessionRemoteSteerableChanged Persisted No Notifications,
        "remoteSteerable",
        "whether others may steer from afar (schema)";
    SessionShutdown Persisted No Timeline seed persisted,
        "shutdownType, codeChanges, modelMetrics",
        "the end, with its totals; shutdownType has values that no schema lists (seed, wire 5)";
};

pub(super) const MODE: &[EventType] = rows! { Mode:
    SessionModeChanged Persisted No Timeline,
        "previousMode, newMode",
        "a milestone, and the header's mode; a state update, not chat (seed, projection)";
    SessionModeNoticeDelivered Persisted Sometimes(User) Panel,
        "mode, content?",
        "content reached the model in the middle of a turn; without content the notice went with \
         a user.message (schema)";
    SessionAutopilotObjectiveChanged Persisted No Panel,
        "operation, id?, status?",
        "what autopilot works towards, beside the plan (schema)";
};

pub(super) const WORKSPACE: &[EventType] = rows! { Workspace:
    SessionWorkspaceFileChanged Persisted No Panel,
        "path, operation",
        "the list of the session's own files (schema)";
    SessionMemoryChanged Ephemeral No Notifications superseded_by Next,
        "(empty)",
        "a memory was stored or voted on, not which (schema)";
    SessionBackgroundTasksChanged Ephemeral No Notifications superseded_by Next,
        "(empty)",
        "the list of background work changed; hundreds of these in one recording, so nothing else \
         moves (schema)";
    SessionIndexedSearch Ephemeral No Notifications,
        "kind, state?, outcome?, disabledReason?, errorType?, phase?",
        "the state of the index that searches use; two come with every start and resume (schema, wire)";
};

pub(super) const SCHEDULE: &[EventType] = rows! { Schedule:
    SessionScheduleCreated Persisted No Panel,
        "id, prompt, intervalMs?, cron?, at?, recurring?, displayPrompt?",
        "a prompt that will come by the clock; it enters the conversation as a user.message \
         (schema)";
    SessionScheduleRearmed Persisted No Panel,
        "id, nextRunAt",
        "when it runs next (schema)";
    SessionScheduleCancelled Persisted No Panel,
        "id",
        "it will not run again (schema)";
};
