//! The catalogue's rows for the session itself: context window, mode, workspace, schedules.

use super::EventType;

pub(super) const SESSION: &[EventType] = rows! { Session:
    "session.start" Persisted No Status,
        "sessionId, startTime, selectedModel?, context?",
        "fills the header: id, folder, repository, model (schema)";
    "session.resume" Persisted No Timeline,
        "resumeTime, eventCount, selectedModel?, context?, continuePendingWork?",
        "a milestone: the live stream begins here and history comes by another way (wire 27)";
    "session.idle" Ephemeral No Status seed ephemeral,
        "backgroundTasks?",
        "the reliable 'done' (seed, agent loop); never what commits a message (wire 10)";
    "session.error" Either No Timeline seed persisted,
        "errorType, message, statusCode?",
        "for people, with no role in the prompt; durable or ephemeral as the sender wished (seed, \
         projection)";
    "session.info" Either No Timeline,
        "infoType, message, url?",
        "for people only; recorded both ways, ephemeral more often (seed, projection; recordings)";
    "session.warning" Either No Timeline,
        "warningType, message, url?",
        "for people only; durable or ephemeral as the sender wished (seed, projection)";
    "session.compaction_start" Persisted No Timeline seed persisted,
        "(empty)",
        "a milestone that runs until its complete; the wire carries token counts and the trigger \
         as well (seed, schema)";
    "session.compaction_complete" Persisted Rewrites Timeline seed persisted,
        "success, preCompactionTokens?, summaryContent?",
        "when it succeeded the model reads a summary in place of what was said; people keep what \
         was said (wire 29)";
    "session.truncation" Persisted Rewrites Timeline,
        "tokenLimit, messagesRemovedDuringTruncation, tokensRemovedDuringTruncation, performedBy",
        "the oldest messages are gone for the model, not for people (wire 29)";
    "session.snapshot_rewind" Ephemeral Rewrites Timeline,
        "upToEventId, eventsRemoved",
        "this event and all after it are gone for the model; people see the mark (wire 29)";
    "session.context_cleared" Persisted Rewrites Timeline,
        "messagesCleared, initialMessage?",
        "the model starts anew, with initialMessage if there is one (schema, wire 29)";
    "session.title_changed" Ephemeral No Status seed ephemeral,
        "title",
        "the header's title (seed)";
    "session.context_changed" Persisted No Status seed persisted,
        "cwd, gitRoot?, repository?, branch?",
        "the header's folder, repository and branch, all of them anew: what it does not name is not \
         known there, and with `pendingGitContext` git's part comes next; the model hears of it in \
         the next user.message (seed, projection; recording misc-rpc-events)";
    "session.usage_info" Ephemeral No Status seed ephemeral,
        "tokenLimit, currentTokens, messagesLength",
        "the context meter (seed)";
    "session.usage_checkpoint" Persisted No Panel,
        "totalNanoAiu, totalPremiumRequests?",
        "what the session has cost so far, in the usage panel and on the board: histories keep no \
         assistant.usage (schema)";
    "session.task_complete" Persisted No Timeline seed persisted,
        "summary?",
        "a best-effort summary by the agent, not the signal for 'done' (seed, agent loop)";
    "session.completion_receipt" Persisted No Nowhere,
        "attempt, sourceEventId, stopReason, successfulToolCount, failedToolCount",
        "behaviour-neutral facts about an accepted end, for audits (schema)";
    "session.handoff" Persisted No Timeline,
        "handoffTime, sourceType, repository?, summary?, remoteSessionId?",
        "a milestone: the work came from another session; how the model is told is not in this \
         event (schema)";
    "session.remote_steerable_changed" Persisted No Tray,
        "remoteSteerable",
        "whether others may steer from afar (schema)";
    "session.shutdown" Persisted No Timeline seed persisted,
        "shutdownType, codeChanges, modelMetrics",
        "the end, with its totals; shutdownType has values that no schema lists (seed, wire 5)";
};

pub(super) const MODE: &[EventType] = rows! { Mode:
    "session.mode_changed" Persisted No Timeline,
        "previousMode, newMode",
        "a milestone, and the header's mode; a state update, not chat (seed, projection)";
    "session.mode_notice_delivered" Persisted Sometimes(User) Panel,
        "mode, content?",
        "content reached the model in the middle of a turn; without content the notice went with \
         a user.message (schema)";
    "session.autopilot_objective_changed" Persisted No Panel,
        "operation, id?, status?",
        "what autopilot works towards, beside the plan (schema)";
};

pub(super) const WORKSPACE: &[EventType] = rows! { Workspace:
    "session.workspace_file_changed" Persisted No Panel,
        "path, operation",
        "the list of the session's own files (schema)";
    "session.memory_changed" Ephemeral No Tray,
        "(empty)",
        "a memory was stored or voted on, not which (schema)";
    "session.background_tasks_changed" Ephemeral No Tray,
        "(empty)",
        "the list of background work changed; hundreds of these in one recording, so nothing else \
         moves (schema)";
};

pub(super) const SCHEDULE: &[EventType] = rows! { Schedule:
    "session.schedule_created" Persisted No Panel,
        "id, prompt, intervalMs?, cron?, at?, recurring?, displayPrompt?",
        "a prompt that will come by the clock; it enters the conversation as a user.message \
         (schema)";
    "session.schedule_rearmed" Persisted No Panel,
        "id, nextRunAt",
        "when it runs next (schema)";
    "session.schedule_cancelled" Persisted No Panel,
        "id",
        "it will not run again (schema)";
};
