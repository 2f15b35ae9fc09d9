//! The catalogue's rows for the assistant, user and system messages, the prompt queue, and stopping.

use super::EventType;

pub(super) const ASSISTANT: &[EventType] = rows! { Assistant:
    "assistant.turn_start" Persisted No Status seed persisted,
        "turnId, interactionId?",
        "one model call begins: counting these counts the calls (seed, agent loop); turnId \
         restarts with every user message and is no key (wire 13)";
    "assistant.turn_retry" Ephemeral No Status,
        "turnId, model?, reason?",
        "the call is made again inside the same turn; says why it takes longer, and what was \
         streamed before is interrupted (schema, wire 8)";
    "assistant.intent" Ephemeral No Status seed ephemeral,
        "intent",
        "what the agent is doing now; the next one replaces it (seed)";
    "assistant.reasoning" Either No Timeline seed persisted,
        "reasoningId, content",
        "final text of a block, folded when done; the guide has it persisted, the wire sends it \
         live only and history has assistant.message.reasoningText (wire 12)";
    "assistant.reasoning_delta" Ephemeral No Timeline seed ephemeral,
        "reasoningId, deltaContent",
        "grows the block of its reasoningId (seed)";
    "assistant.streaming_delta" Ephemeral No Status seed ephemeral,
        "totalResponseSizeBytes",
        "a byte counter, the most frequent type of all; never an entry (wire 6)";
    "assistant.message_start" Ephemeral No Status,
        "messageId, phase?",
        "the model answers; the first delta or the final message makes the entry, so that none is \
         empty (schema, wire 8)";
    "assistant.message" Persisted Yes(Assistant) Timeline seed persisted,
        "messageId, content, toolRequests?, outputTokens?, phase?",
        "the authoritative text, and the tool calls the model asked for; commits the entry \
         whatever was streamed (wire 7, 10)";
    "assistant.message_delta" Ephemeral No Timeline seed ephemeral,
        "messageId, deltaContent, parentToolCallId?",
        "grows the entry of its messageId; the model sees the final message only (seed)";
    "assistant.tool_call_delta" Ephemeral No Timeline,
        "toolCallId, toolName?, toolType?, inputDelta",
        "arguments while the model writes them, shown in the tool's card (schema)";
    "assistant.server_tool_progress" Ephemeral No Status,
        "outputIndex, kind, status",
        "a tool on the provider's side (web search, say) is at work; its outcome comes with \
         assistant.message (schema)";
    "assistant.turn_end" Persisted No Status seed persisted,
        "turnId",
        "one model call is over, but the loop may go on: never 'done' (seed, agent loop)";
    "assistant.idle" Ephemeral No Status,
        "aborted?",
        "the main loop rests while background work may still run; session.idle is the reliable \
         'done' (schema)";
    "assistant.usage" Ephemeral No Panel seed ephemeral,
        "model, inputTokens?, outputTokens?, cost?, duration?",
        "tokens and cost of one call, summed in the usage panel (seed)";
};

pub(super) const CONTROL: &[EventType] = rows! { Control:
    "abort" Persisted No Timeline seed persisted,
        "reason",
        "a milestone: whatever was open is interrupted, requests are stale, the queue is emptied \
         without a word (seed, wire 8, 22, 25)";
    "agent.interrupted" Ephemeral No Tray,
        "activity, elapsedMs, turn, toolNames?, toolCallIds?",
        "figures about what was interrupted; abort already says that it was (schema)";
};

pub(super) const USER: &[EventType] = rows! { User:
    "user.message" Persisted Yes(User) Timeline seed persisted,
        "content, attachments?, agentMode?",
        "the model reads transformedContent before content, people read content; \
         isAutopilotContinuation is the runtime's nudge, not the person's words (wire 14)";
    "ui.ephemeral_query" Ephemeral No Timeline,
        "requestId, phase, chunk?, answer?, error?",
        "a question asked on the side that does not modify the conversation; one entry for a \
         requestId, grown by its chunks (schema)";
};

pub(super) const SYSTEM: &[EventType] = rows! { System:
    "system.message" Persisted Yes(System) Panel seed persisted,
        "content, role",
        "upserts the system or developer prompt; people find it in the model's view, not as chat \
         (seed, projection)";
    "system.notification" Persisted Sometimes(User) Timeline,
        "content, kind",
        "user-like for the model except kind instruction_discovered; people see it without its \
         tags; offered to a host's telemetry (seed, projection; wire 15)";
};

pub(super) const QUEUE: &[EventType] = rows! { Queue:
    "pending_messages.modified" Ephemeral No Status,
        "(empty)",
        "the queue changed, not how: refreshes the indicator, then session.queue.pendingItems is \
         asked (seed, projection; wire 24)";
};
