//! Which component shows an event type: the column 'Shown by' of `docs/events.md`. A test checks it.

use super::{EventType, Surface};

/// The file of the component that shows this type, as a path under `src/`.
pub(super) fn place(row: &EventType) -> &'static str {
    match row.name {
        "user.message"
        | "assistant.message"
        | "assistant.message_delta"
        | "assistant.reasoning"
        | "assistant.reasoning_delta"
        | "chat.completion.chunk" => "ui/message.rs",
        "assistant.tool_call_delta" => "ui/tools/tool_card.rs",
        "session.binary_asset" => "ui/tools/tool_body/media.rs",
        "subagent.started" | "subagent.configured" | "subagent.completed" | "subagent.failed" => {
            "ui/timeline/lane.rs"
        }
        "session.custom_notification" => "ui/timeline/custom.rs",
        "session.plan_changed" => "ui/panel.rs",
        "assistant.usage" | "session.session_limits_changed" | "session.usage_checkpoint" => {
            "ui/panel/costs.rs"
        }
        "system.message"
        | "skill.context_delivered"
        | "skill.context_delivered_ref"
        | "session.mode_notice_delivered"
        | "session.fusion_handoff" => "ui/lens/message.rs",
        name if name.starts_with("tool.") => "ui/tools/tool_card.rs",
        name if is_completion(name) => "ui/requests/card.rs",
        _ => match row.surface {
            Surface::Timeline => "ui/timeline/notice.rs",
            Surface::Status => "ui/shell/status_bar.rs",
            Surface::Panel => "ui/panel/lists.rs",
            Surface::Request => "ui/requests/card.rs",
            Surface::Tray => "ui/panel/notifications.rs",
            // The event log lists every type; these types are shown nowhere else.
            Surface::Nowhere => "ui/event_log/list.rs",
        },
    }
}

/// True for an event that closes a request, and therefore its card.
fn is_completion(name: &str) -> bool {
    let asked = name.strip_suffix(".completed").map(|family| [family, ".requested"].concat());
    matches!(name, "command.completed" | "mcp.oauth_completed")
        || asked.is_some_and(|asked| super::find(&asked).is_some_and(|row| row.surface == Surface::Request))
}
