//! The catalogue's rows for the assistant, user and system messages, the prompt queue, and stopping.

use super::EventType;

pub(super) const ASSISTANT: &[EventType] = rows! { Assistant:
    AssistantTurnStart Persisted No Status seed persisted,
        "turnId, interactionId?",
        "one model call begins: counting these counts the calls (seed, agent loop); turnId \
         restarts with every user message and is not a key (wire 13)";
    AssistantTurnRetry Ephemeral No Status,
        "turnId, model?, reason?",
        "the call is made again inside the same turn; says why it takes longer, and what was \
         streamed before is interrupted (schema, wire 8)";
    AssistantIntent Ephemeral No Status superseded_by Next seed ephemeral,
        "intent",
        "what the agent is doing now; the next one replaces it (seed)";
    AssistantReasoning Either No Timeline seed persisted,
        "reasoningId, content",
        "final text of a block, folded when done; the guide has it persisted, the wire sends it \
         live only and history has assistant.message.reasoningText (wire 12)";
    AssistantReasoningDelta Ephemeral No Timeline superseded_by Whole seed ephemeral,
        "reasoningId, deltaContent",
        "grows the block of its reasoningId (seed)";
    AssistantStreamingDelta Ephemeral No Status superseded_by Next seed ephemeral,
        "totalResponseSizeBytes",
        "a byte counter, the most frequent type of all; never an entry (wire 6)";
    AssistantMessageStart Ephemeral No Status,
        "messageId, phase?",
        "the model answers; the first delta or the final message makes the entry, so that none is \
         empty (schema, wire 8)";
    AssistantMessage Persisted Yes(Assistant) Timeline seed persisted,
        "messageId, content, toolRequests?, outputTokens?, phase?",
        "the authoritative text, and the tool calls the model asked for; commits the entry \
         whatever was streamed (wire 7, 10)";
    AssistantMessageDelta Ephemeral No Timeline superseded_by Whole seed ephemeral,
        "messageId, deltaContent, parentToolCallId?",
        "grows the entry of its messageId; the model sees the final message only (seed)";
    AssistantToolCallDelta Ephemeral No Timeline superseded_by Whole,
        "toolCallId, toolName?, toolType?, inputDelta",
        "arguments while the model writes them, shown in the tool's card (schema)";
    AssistantServerToolProgress Ephemeral No Status superseded_by Next,
        "outputIndex, kind, status",
        "a tool on the provider's side (web search, say) is at work; its outcome comes with \
         assistant.message (schema)";
    AssistantTurnEnd Persisted No Status seed persisted,
        "turnId",
        "one model call is over, but the loop may go on: never 'done' (seed, agent loop)";
    AssistantIdle Ephemeral No Status,
        "aborted?",
        "the main loop rests while background work may still run; session.idle is the reliable \
         'done' (schema)";
    AssistantUsage Ephemeral No Panel seed ephemeral,
        "model, inputTokens?, outputTokens?, cost?, duration?",
        "tokens and cost of one call, summed in the usage panel; thoughts that the provider left out are a line of the \
         tray (seed, schema)";
};

pub(super) const CONTROL: &[EventType] = rows! { Control:
    Abort Persisted No Timeline seed persisted,
        "reason",
        "a milestone: whatever was open is interrupted, requests are stale, the queue is emptied \
         without a word (seed, wire 8, 22, 25)";
    AgentInterrupted Ephemeral No Notifications,
        "activity, elapsedMs, turn, toolNames?, toolCallIds?",
        "figures about what was interrupted; abort already says that it was (schema)";
};

pub(super) const USER: &[EventType] = rows! { User:
    UserMessage Persisted Yes(User) Timeline seed persisted,
        "content, attachments?, agentMode?",
        "the model reads transformedContent before content, people read content; \
         isAutopilotContinuation is the runtime's nudge, not the person's words (wire 14)";
    UiEphemeralQuery Ephemeral No Timeline superseded_by Whole,
        "requestId, phase, chunk?, answer?, error?",
        "a question asked on the side that does not modify the conversation; one entry for a \
         requestId, grown by its chunks (schema)";
};

pub(super) const SYSTEM: &[EventType] = rows! { System:
    SystemMessage Persisted Yes(System) Panel seed persisted,
        "content, role",
        "upserts the system or developer prompt; people find it in the model's view, not as chat \
         (seed, projection)";
    SystemNotification Persisted Sometimes(User) Timeline,
        "content, kind",
        "user-like for the model except kind instruction_discovered; people see it without its \
         tags; offered to a host's telemetry (seed, projection; wire 15)";
};

pub(super) const QUEUE: &[EventType] = rows! { Queue:
    PendingMessagesModified Ephemeral No Status superseded_by Next,
        "(empty)",
        "the queue changed, not how: refreshes the indicator, then session.queue.pendingItems is \
         asked (seed, projection; wire 24)";
};
