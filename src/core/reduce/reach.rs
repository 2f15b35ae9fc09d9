//! What the events of sub-agents may change.
//!
//! They may add to the timeline, to the agent's own model view, to counters of work and cost, and to what the session
//! has made: files, canvases, schedules, runs. What the session itself is, only the main agent's events say: its status, title,
//! directory, mode, model, intent, context figures, queue, plan, limits, and its servers, skills and agents.

use super::EventMeta;
use super::endings::{EndCause, EndScope};
use crate::model::state::State;
use crate::protocol::EventKind;
use crate::wire::fields::Fields;

impl EventMeta<'_> {
    /// True for an event of a sub-agent about something that the session has, and the sub-agent has another of.
    pub(super) fn is_beyond_reach(&self) -> bool {
        self.agent.is_some() && says_what_the_session_is(self.kind)
    }
}

fn says_what_the_session_is(kind: EventKind) -> bool {
    use EventKind::{
        AssistantIdle, AssistantIntent, AssistantStreamingDelta, PendingMessagesModified,
        SessionAutoModeResolved, SessionAutopilotObjectiveChanged, SessionContextChanged,
        SessionCustomAgentsUpdated, SessionMcpServerNeedsReconnect, SessionMcpServerRemoved,
        SessionMcpServerStatusChanged, SessionMcpServersLoaded, SessionModeChanged, SessionModelChange,
        SessionModelDeselected, SessionPermissionsChanged, SessionPlanChanged, SessionResume,
        SessionSessionLimitsChanged, SessionShutdown, SessionSkillsLoaded, SessionStart, SessionTitleChanged,
        SessionUsageCheckpoint, SessionUsageInfo,
    };
    matches!(
        kind,
        AssistantIdle
            | AssistantIntent
            | AssistantStreamingDelta
            | PendingMessagesModified
            | SessionAutoModeResolved
            | SessionAutopilotObjectiveChanged
            | SessionContextChanged
            | SessionCustomAgentsUpdated
            | SessionMcpServerNeedsReconnect
            | SessionMcpServerRemoved
            | SessionMcpServerStatusChanged
            | SessionMcpServersLoaded
            | SessionModeChanged
            | SessionModelChange
            | SessionModelDeselected
            | SessionPermissionsChanged
            | SessionPlanChanged
            | SessionResume
            | SessionSessionLimitsChanged
            | SessionShutdown
            | SessionSkillsLoaded
            | SessionStart
            | SessionTitleChanged
            | SessionUsageCheckpoint
            | SessionUsageInfo
    )
}

impl State {
    /// Takes from such an event what is known of the sub-agent itself.
    pub(super) fn beyond_reach(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        match meta.kind {
            EventKind::SessionShutdown => self.close(EndCause::Agent, EndScope::of(meta.agent)),
            EventKind::SessionModelChange => {
                let (model, effort) =
                    (data.non_empty_text("newModel"), data.non_empty_text("reasoningEffort"));
                self.agent_configured(meta, model, effort);
            }
            _ => {}
        }
    }
}
