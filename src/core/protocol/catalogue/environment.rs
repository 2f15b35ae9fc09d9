//! The catalogue's rows for what surrounds a session: extensions, canvases and policy. Also for records that
//! are not session events, and the rule for types that are in no schema.

use super::{EventFamily, EventType, ModelVisibility, Persistence, SupersededBy, Surface, native_only};
use crate::protocol::event_kind::EventKind;

pub(super) const CANVAS: &[EventType] = rows! { Canvas:
    SessionCanvasOpened Ephemeral No Panel,
        "instanceId, extensionId, canvasId, title?, status?, url?",
        "an extension's own view, beside the conversation (schema)";
    SessionCanvasClosed Ephemeral No Panel,
        "instanceId, extensionId, canvasId",
        "the view is gone (schema)";
    SessionCanvasUnavailable Ephemeral No Panel,
        "instanceId, extensionId, canvasId",
        "its extension is away for a moment (schema)";
    SessionCanvasRegistryChanged Ephemeral No Panel,
        "canvases",
        "which views there could be (schema)";
    SessionCanvasRecorded Persisted No Panel,
        "instanceId, extensionId, canvasId, title?",
        "the lasting half of opened, for a resume (schema)";
    SessionCanvasRemoved Persisted No Panel,
        "instanceId, extensionId, canvasId",
        "the lasting half of closed (schema)";
};

pub(super) const EXTENSION: &[EventType] = rows! { Extension:
    SessionCustomNotification Ephemeral No Timeline,
        "source, name, version?, subject?, payload",
        "opaque, defined by its source; for clients, not for the model; one entry for a source and \
         subject, or an MCP task's `payload.taskId`, with what was said before; a task ends with the \
         session (seed, projection)";
    SessionExtensionsLoaded Ephemeral No Notifications,
        "extensions",
        "the list of extensions; a state update, not chat (seed, projection)";
    SessionExtensionsAttachmentsPushed Ephemeral No Notifications,
        "attachments",
        "waits with the next message; the model sees it in that user.message (schema)";
    CapabilitiesChanged Ephemeral No Notifications,
        "ui?",
        "what the connected clients can do (schema)";
};

pub(super) const POLICY: &[EventType] = rows! { Policy:
    SessionManagedSettingsResolved Ephemeral No Notifications,
        "source, failClosed, bypassPermissionsDisabled, managedKeys",
        "which rules of an organization hold here (schema)";
    SessionManagedSettingsEnforced Ephemeral No Timeline,
        "action, setting, message, escalation?",
        "something that a person asked for was blocked: message says why (schema)";
    SandboxDecision Ephemeral No Notifications,
        "kind, outcome, control, toolCallId?",
        "a record of what the sandbox did, one or more for every command (schema, recordings)";
};

pub(super) const TIMELINE: &[EventType] = rows! { Timeline:
    AddTimelineEntry Ephemeral No Timeline,
        "entry.type, entry.text",
        "a slash command's own output; by itself not a session event and not for the model (seed, \
         projection)";
};

pub(super) const PLATFORM: &[EventType] = rows! { Platform:
    ChatCompletionChunk Ephemeral Yes(Assistant) Timeline,
        "id, choices[].delta, choices[].finish_reason",
        "the platform's default event, unnamed: a piece of the answer; the joined pieces are the \
         message (seed, platform)";
    CopilotConfirmation Ephemeral No Request,
        "type, title, message, confirmation",
        "accept or dismiss, answered with the same confirmation object (seed, platform)";
    CopilotErrors Ephemeral No Timeline,
        "type, code, message, identifier",
        "a list of errors of references, functions or the agent (seed, platform)";
    CopilotReferences Ephemeral No Timeline,
        "type, id, data?, is_implicit?, metadata?",
        "what an answer rests on; shown only with its metadata whole (seed, platform)";
    RespMessage Ephemeral Yes(User) Timeline,
        "messages[].role, messages[].content, messages[].copilot_references",
        "what the platform sends to an agent: the conversation so far, of which nothing is shown twice (seed, platform)";
};

pub(super) const GATEWAY: &[EventType] = rows! { Gateway:
    PilothouseAnswered Ephemeral No Timeline,
        "requestId, who, decision",
        "who answered, where people are known by name: their name stands at the answer (the gateway)";
    PilothouseSent Ephemeral No Timeline,
        "messageId, who",
        "who wrote a message, where people are known by name: their name stands at the message, which comes before or \
         long after (the gateway)";
    PilothouseTranscript Persisted No Timeline,
        "agent, form, lines?, leftOut?",
        "a transcript of another agent was read: which, and at its end how many lines, and what of them has no event of \
         its own; one entry, at the beginning (the reader of transcripts)";
};

pub(in crate::protocol) const INTERNAL: &[EventType] = &[EventType {
    kind: EventKind::Unknown,
    name: "model.*",
    family: EventFamily::Internal,
    persistence: Persistence::Either,
    model: ModelVisibility::No,
    surface: Surface::Nowhere,
    superseded_by: Some(SupersededBy::Itself),
    keys: native_only("kind"),
    note: native_only(
        "about 16 types of the runtime's loop, some not ephemeral, in no schema; counted as unknown, and the \
         conversation is told without them (wire 5)",
    ),
    seed: None,
}];
