//! Keeps the events about what surrounds the conversation: servers, skills, schedules, plan, files, limits.
//! `core::view_model::panel` reads them when somebody looks.

use std::sync::Arc;

use super::Meta;
use crate::i18n::format::one_line;
use crate::model::change::Section;
use crate::model::state::State;
use crate::model::state::kept_events::Kept;
use crate::protocol::EventKind;
use crate::protocol::catalogue::Family;
use crate::wire::fields::Fields;

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
    pub(super) fn keep(&mut self, meta: Meta<'_>, family: Family, data: &Fields) {
        if matches!(family, Family::Assistant | Family::Permission | Family::User) {
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
            _ if family == Family::Canvas => ("instanceId", &[]),
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
        self.kept.retain(|old| {
            let again = old.kind == meta.kind && old.key == key;
            !again && !replaces.contains(&old.kind)
        });
        let data = data.clone().rest();
        self.kept.push(Arc::new(Kept { kind: meta.kind, key, data, at: meta.at }));
        self.touch(Section::Environment);
    }
}
