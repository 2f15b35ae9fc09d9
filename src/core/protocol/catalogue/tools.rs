//! The catalogue's rows for tools that the runtime runs, for hooks and for MCP servers. Tools that the host
//! runs are in `requests`, as they wait for an answer.

use super::EventType;

pub(super) const TOOL: &[EventType] = rows! { Tool:
    ToolUserRequested Persisted No Timeline seed persisted,
        "toolCallId, toolName, arguments?",
        "the person ran it, not the model; opens the same card as a start (seed)";
    ToolExecutionStart Persisted No Timeline seed persisted,
        "toolCallId, toolName, arguments?, mcpServerName?",
        "the card begins to run; the model knows the call from its own assistant.message (seed)";
    ToolExecutionPartialResult Ephemeral No Timeline superseded_by Whole seed ephemeral,
        "toolCallId, partialOutput",
        "live output; in practice all of it so far rather than a chunk, and both readings must \
         come out right (wire 16)";
    ToolExecutionProgress Ephemeral No Timeline superseded_by Whole seed ephemeral,
        "toolCallId, progressMessage",
        "a line in the card; the next one replaces it (seed)";
    ToolExecutionComplete Persisted Yes(Tool) Timeline seed persisted,
        "toolCallId, success, result?, error?",
        "the model sees result.content only, people detailedContent and contents (wire 18); a \
         user-requested run answers no call, so the model reads it as a user-like \
         <user_shell_command_output> (recording misc-rpc-events)";
    ToolSearchActivated Persisted No Notifications,
        "strategy, toolNames",
        "tools that a search switched on, kept for a resume; it changes what is offered, not what \
         is said (schema)";
    SessionToolsUpdated Ephemeral No Notifications,
        "model",
        "the list of tools changed; a state update, not chat (seed, projection)";
    SessionBinaryAsset Persisted No Timeline,
        "assetId, type, mimeType, byteLength, data",
        "bytes that other events name by id; shown where they are named (schema)";
};

pub(super) const HOOK: &[EventType] = rows! { Hook:
    HookStart Persisted No Notifications,
        "hookInvocationId, hookType, input?",
        "two for every tool call where hooks are set: in the timeline they would bury the answer \
         (schema)";
    HookProgress Ephemeral No Timeline,
        "message, temporary?",
        "what a slow hook is doing: a line that the next temporary one replaces (schema)";
    HookEnd Persisted No Timeline,
        "hookInvocationId, hookType, success, output?, error?",
        "a failure is a warning, counted if it comes again, and success leaves nothing; what a hook \
         tells the model arrives in other events (schema)";
};

pub(super) const MCP: &[EventType] = rows! { Mcp:
    SessionMcpServersLoaded Ephemeral No Panel,
        "servers",
        "the list of servers; a state update, not chat (seed, projection)";
    SessionMcpServerStatusChanged Ephemeral No Notifications,
        "serverName, status, error?",
        "one server's status: 261 of these once buried an answer, so they are collected (seed, \
         projection; wire, complaints)";
    SessionMcpServerRemoved Ephemeral No Notifications,
        "serverName",
        "the server leaves the list (schema)";
    SessionMcpServerNeedsReconnect Ephemeral No Notifications,
        "serverName",
        "the runtime reconnects by itself (schema)";
    McpToolsListChanged Ephemeral No Notifications,
        "serverName",
        "a server offers other tools; session.tools_updated says when it counts (schema)";
    McpResourcesListChanged Ephemeral No Notifications,
        "serverName",
        "a server offers other resources (schema)";
    McpPromptsListChanged Ephemeral No Notifications,
        "serverName",
        "a server offers other prompts (schema)";
    McpOauthRequired Ephemeral No Request,
        "requestId, serverName, serverUrl, reason",
        "a person must sign in, or say that they will not (schema)";
    McpOauthCompleted Ephemeral No Timeline,
        "requestId, outcome",
        "closes the sign-in's card everywhere; the outcome stays as its trace (schema, wire 23)";
    McpHeadersRefreshRequired Ephemeral No Notifications,
        "requestId, serverName, serverUrl, reason",
        "a request to a program, the host's, with no answer that a person could give (schema)";
    McpHeadersRefreshCompleted Ephemeral No Notifications,
        "requestId, outcome",
        "closes the refresh (schema)";
    SamplingRequested Ephemeral No Request,
        "requestId, serverName, mcpRequestId",
        "a server wants to use the model; a person accepts or declines (schema)";
    SamplingCompleted Ephemeral No Timeline,
        "requestId",
        "closes the card everywhere and leaves a trace (schema, wire 23)";
    McpAppToolCallComplete Ephemeral No Notifications,
        "serverName, toolName, success, durationMs, result?, error?",
        "an MCP App's own view called a tool: not the agent's work and not in the conversation \
         (schema)";
};
