//! Keeps the events about what surrounds the conversation: servers, skills, schedules, plan, files, limits.
//! `core::view_model::surroundings` reads them when somebody looks.

use std::sync::Arc;

use super::Meta;
use crate::model::change::Section;
use crate::model::state::State;
use crate::protocol::catalogue::Family;
use crate::view_model::panel::Kept;
use crate::wire::fields::Fields;

impl State {
    /// Keeps an event for the panel. It replaces an earlier one of the same type and key, so that what is
    /// kept does not grow with the length of the session.
    pub(super) fn keep(&mut self, meta: Meta<'_>, family: Family, data: &Fields) {
        // The most frequent families are sorted out first, because names are compared one by one.
        if matches!(family, Family::Assistant | Family::Permission | Family::User) {
            return;
        }
        let (keyed_by, family) = match meta.kind {
            "tool.execution_partial_result" | "tool.execution_progress" => return,
            // These are read from the entries.
            "tool.execution_start"
            | "tool.execution_complete"
            | "session.idle"
            | "subagent.started"
            | "subagent.completed"
            | "subagent.failed"
            | "subagent.configured"
            | "skill.invoked"
            | "exit_plan_mode.requested"
            | "session.resume"
            | "abort" => {
                self.touch(Section::Surroundings);
                return;
            }
            "session.mcp_servers_loaded" => ("", "session.mcp_server"),
            "session.mcp_server_status_changed"
            | "session.mcp_server_removed"
            | "session.mcp_server_needs_reconnect" => ("serverName", ""),
            "session.skills_loaded"
            | "session.custom_agents_updated"
            | "session.plan_changed"
            | "session.autopilot_objective_changed"
            | "session.session_limits_changed"
            | "session_limits_exhausted.requested"
            | "session.canvas.registry_changed"
            | "session.shutdown" => ("", ""),
            kind if kind.starts_with("session.canvas.") => ("instanceId", ""),
            "session.schedule_created" | "session.schedule_rearmed" | "session.schedule_cancelled" => {
                ("id", "")
            }
            "session.workspace_file_changed" => ("path", ""),
            "factory.run_started" | "factory.run_settled" => ("runId", ""),
            "system.notification" => ("kind", ""),
            _ => return,
        };
        let key = data.get(keyed_by).map_or_else(String::new, |value| value.to_string());
        self.kept.retain(|old| {
            let again = old.kind == meta.kind && old.key == key;
            !again && (family.is_empty() || !old.kind.starts_with(family))
        });
        let data = data.clone().rest();
        self.kept.push(Arc::new(Kept { kind: meta.kind.to_owned(), key, data, at: meta.at }));
        self.touch(Section::Surroundings);
    }
}
