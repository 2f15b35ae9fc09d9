//! Which component shows an event type: the column 'Shown by' of `docs/events.md`. A test checks it.

use super::{EventType, Surface};
use crate::protocol::EventKind;
use crate::protocol::request::RequestKind;

/// The file of the component that shows this type, as a path under `src/`.
pub(super) fn place(row: &EventType) -> &'static str {
    match row.kind {
        EventKind::UserMessage
        | EventKind::AssistantMessage
        | EventKind::AssistantMessageDelta
        | EventKind::AssistantReasoning
        | EventKind::AssistantReasoningDelta
        | EventKind::ChatCompletionChunk => "ui/message.rs",
        EventKind::AssistantToolCallDelta => "ui/tools/tool_card.rs",
        EventKind::SessionBinaryAsset => "ui/tools/tool_body/media.rs",
        EventKind::SubagentStarted
        | EventKind::SubagentConfigured
        | EventKind::SubagentCompleted
        | EventKind::SubagentFailed => "ui/timeline/lane.rs",
        EventKind::SessionCustomNotification => "ui/timeline/custom.rs",
        EventKind::SessionPlanChanged => "ui/panel.rs",
        EventKind::AssistantUsage
        | EventKind::SessionSessionLimitsChanged
        | EventKind::SessionUsageCheckpoint => "ui/panel/costs.rs",
        EventKind::SystemMessage
        | EventKind::SkillContextDelivered
        | EventKind::SkillContextDeliveredRef
        | EventKind::SessionModeNoticeDelivered
        | EventKind::SessionFusionHandoff => "ui/lens/message.rs",
        _ if row.name.starts_with("tool.") => "ui/tools/tool_card.rs",
        _ if RequestKind::is_closing(row.kind) => "ui/requests/card.rs",
        _ => match row.surface {
            Surface::Timeline => "ui/timeline/notice.rs",
            Surface::Status => "ui/shell/status_bar.rs",
            Surface::Panel => "ui/panel/lists.rs",
            Surface::Request => "ui/requests/card.rs",
            Surface::Notifications => "ui/panel/notifications.rs",
            // The event log lists every type; these types are shown nowhere else.
            Surface::Nowhere => "ui/event_log/list.rs",
        },
    }
}
