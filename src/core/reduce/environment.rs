//! Keeps the events about what surrounds the conversation: servers, skills, schedules, plan, files, limits; and those that
//! have no entry, of which equal ones are counted. `core::view_model::panel` and `core::view_model::notifications` read them
//! when somebody looks.

use std::sync::Arc;

use serde_json::{Value, json};

use super::EventMeta;
use crate::json_writer::one_line;
use crate::model::state::{Notification, PanelEvent, Section, State};
use crate::protocol::EventKind;
use crate::protocol::catalogue::EventFamily;
use crate::wire::fields::Fields;

/// Maximum number of stored notifications; the oldest is dropped for another one.
const MOST_NOTIFICATIONS: usize = 100;
/// What is known about MCP servers: a new list of them replaces it all.
const MCP_SERVERS: [EventKind; 4] = [
    EventKind::SessionMcpServersLoaded,
    EventKind::SessionMcpServerStatusChanged,
    EventKind::SessionMcpServerRemoved,
    EventKind::SessionMcpServerNeedsReconnect,
];

impl State {
    /// Keeps an event for the panel. It replaces an earlier one of the same type and key, so that what is
    /// kept does not grow with the length of the session.
    pub(super) fn keep(&mut self, meta: EventMeta<'_>, family: EventFamily, data: &Fields) {
        if matches!(family, EventFamily::Assistant | EventFamily::Permission | EventFamily::User) {
            return;
        }
        let (keyed_by, replaces): (&str, &[EventKind]) = match meta.kind {
            EventKind::ToolExecutionPartialResult | EventKind::ToolExecutionProgress => return,
            // These are read from the entries.
            EventKind::ToolExecutionStart
            | EventKind::ToolExecutionComplete
            | EventKind::SessionIdle
            | EventKind::SubagentStarted
            | EventKind::SubagentCompleted
            | EventKind::SubagentFailed
            | EventKind::SubagentConfigured
            | EventKind::SkillInvoked
            | EventKind::ExitPlanModeRequested
            | EventKind::SessionResume
            | EventKind::Abort => {
                self.touch(Section::Environment);
                return;
            }
            EventKind::SessionMcpServersLoaded => ("", &MCP_SERVERS),
            EventKind::SessionMcpServerStatusChanged
            | EventKind::SessionMcpServerRemoved
            | EventKind::SessionMcpServerNeedsReconnect => ("serverName", &[]),
            EventKind::SessionSkillsLoaded
            | EventKind::SessionCustomAgentsUpdated
            | EventKind::SessionPlanChanged
            | EventKind::SessionAutopilotObjectiveChanged
            | EventKind::SessionSessionLimitsChanged
            | EventKind::SessionLimitsExhaustedRequested
            | EventKind::SessionCanvasRegistryChanged
            | EventKind::SessionShutdown => ("", &[]),
            _ if family == EventFamily::Canvas => ("instanceId", &[]),
            EventKind::SessionScheduleCreated
            | EventKind::SessionScheduleRearmed
            | EventKind::SessionScheduleCancelled => ("id", &[]),
            EventKind::SessionWorkspaceFileChanged => ("path", &[]),
            EventKind::FactoryRunStarted
            | EventKind::FactoryRunSettled
            | EventKind::WorkflowRunStarted
            | EventKind::WorkflowRunSettled => ("runId", &[]),
            EventKind::SystemNotification => ("kind", &[]),
            _ => return,
        };
        let key = data.get(keyed_by).map_or_else(String::new, |value| one_line(&value));
        self.panel_events.retain(|old| {
            let again = old.kind == meta.kind && old.key == key;
            !again && !replaces.contains(&old.kind)
        });
        let data = data.clone().rest();
        self.panel_events.push(Arc::new(PanelEvent { kind: meta.kind, key, data, at: meta.at }));
        self.touch(Section::Environment);
    }

    /// Notes that the provider of a model left out earlier thoughts, which comes with the figures of a call.
    pub(super) fn thinking_dropped(&mut self, meta: EventMeta<'_>, data: &mut Fields) {
        if let Some(blocks) = data.integer("thinkingDroppedBlocks").filter(|blocks| *blocks > 0) {
            let reasons = data.texts("thinkingDroppedReasons");
            let facts = json!({ "thinkingDroppedBlocks": blocks, "thinkingDroppedReasons": reasons });
            self.collect(meta, &Fields::of(facts));
        }
    }

    /// Notes an event of the catalogue's surface `notifications`.
    pub(super) fn collect(&mut self, meta: EventMeta<'_>, data: &Fields) {
        let data = data.clone().rest();
        let key = sameness(&data);
        let known = self.notifications.iter().position(|old| old.kind == meta.kind && old.key == key);
        let count = known.map_or(0, |place| self.notifications.remove(place).count).saturating_add(1);
        if self.notifications.len() >= MOST_NOTIFICATIONS {
            self.notifications.remove(0);
        }
        self.notifications.push(Notification {
            kind: meta.kind,
            key,
            data,
            at: meta.at,
            count,
            number: meta.number,
        });
        self.touch(Section::Notifications);
    }
}

/// What equal events have in common: their words and flags. Ids and figures differ from one to the next.
pub(crate) fn sameness(data: &Value) -> String {
    let mut key = String::new();
    let Value::Object(fields) = data else { return key };
    for (name, value) in fields {
        if !name.ends_with("Id") && matches!(value, Value::String(_) | Value::Bool(_)) {
            key.push_str(&one_line(value));
        }
    }
    key
}
