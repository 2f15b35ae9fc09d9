//! Keeps the events that tell of what surrounds the conversation: servers, skills, schedules, plan, files, limits.
//! Refuses to read them; `core::surroundings` does when somebody looks.

use std::sync::Arc;

use super::Meta;
use crate::catalogue::Family;
use crate::change::Section;
use crate::fields::Fields;
use crate::state::State;
use crate::surroundings::Kept;

impl State {
    /// Notes what the panel is about. An event that says the same thing anew takes the place of the one before:
    /// what is kept stays as long as there are things to tell of, not as the session.
    pub(super) fn keep(&mut self, meta: Meta<'_>, family: Family, data: &Fields) {
        // What comes most often is told apart first: names are compared one by one.
        if matches!(family, Family::Assistant | Family::Permission | Family::User) {
            return;
        }
        let (keyed_by, family) = match meta.kind {
            "tool.execution_partial_result" | "tool.execution_progress" => return,
            // Read from the entries themselves.
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
