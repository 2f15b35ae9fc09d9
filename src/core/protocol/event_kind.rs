//! The types of events, and the only place where their names on the wire are written.

use std::sync::LazyLock;

use pilothouse_scan::same;
use serde_json::Value;

/// Declares the enum, its names and the list of all, so that none of the three can miss one.
macro_rules! event_kinds {
    ($($kind:ident = $name:literal,)*) => {
        /// The type of an event, or of a record that comes along with events.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventKind {
            $(#[doc = concat!("`", $name, "`")] $kind,)*
            /// A type that the catalogue does not have; its name is in the event.
            Unknown,
        }

        impl EventKind {
            /// Every known type, in the catalogue's order.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The name on the wire: the envelope's `type`, or the record's `kind`. Empty for an unknown type.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                    Self::Unknown => "",
                }
            }
        }
    };
}

event_kinds! {
    AssistantTurnStart = "assistant.turn_start",
    AssistantTurnRetry = "assistant.turn_retry",
    AssistantIntent = "assistant.intent",
    AssistantReasoning = "assistant.reasoning",
    AssistantReasoningDelta = "assistant.reasoning_delta",
    AssistantStreamingDelta = "assistant.streaming_delta",
    AssistantMessageStart = "assistant.message_start",
    AssistantMessage = "assistant.message",
    AssistantMessageDelta = "assistant.message_delta",
    AssistantToolCallDelta = "assistant.tool_call_delta",
    AssistantServerToolProgress = "assistant.server_tool_progress",
    AssistantTurnEnd = "assistant.turn_end",
    AssistantIdle = "assistant.idle",
    AssistantUsage = "assistant.usage",
    Abort = "abort",
    AgentInterrupted = "agent.interrupted",
    UserMessage = "user.message",
    UiEphemeralQuery = "ui.ephemeral_query",
    SystemMessage = "system.message",
    SystemNotification = "system.notification",
    PendingMessagesModified = "pending_messages.modified",
    ToolUserRequested = "tool.user_requested",
    ToolExecutionStart = "tool.execution_start",
    ToolExecutionPartialResult = "tool.execution_partial_result",
    ToolExecutionProgress = "tool.execution_progress",
    ToolExecutionComplete = "tool.execution_complete",
    ToolSearchActivated = "tool_search.activated",
    SessionToolsUpdated = "session.tools_updated",
    SessionBinaryAsset = "session.binary_asset",
    HookStart = "hook.start",
    HookProgress = "hook.progress",
    HookEnd = "hook.end",
    SessionMcpServersLoaded = "session.mcp_servers_loaded",
    SessionMcpServerStatusChanged = "session.mcp_server_status_changed",
    SessionMcpServerRemoved = "session.mcp_server_removed",
    SessionMcpServerNeedsReconnect = "session.mcp_server_needs_reconnect",
    McpToolsListChanged = "mcp.tools.list_changed",
    McpResourcesListChanged = "mcp.resources.list_changed",
    McpPromptsListChanged = "mcp.prompts.list_changed",
    McpOauthRequired = "mcp.oauth_required",
    McpOauthCompleted = "mcp.oauth_completed",
    McpHeadersRefreshRequired = "mcp.headers_refresh_required",
    McpHeadersRefreshCompleted = "mcp.headers_refresh_completed",
    SamplingRequested = "sampling.requested",
    SamplingCompleted = "sampling.completed",
    McpAppToolCallComplete = "mcp_app.tool_call_complete",
    SessionStart = "session.start",
    SessionResume = "session.resume",
    SessionIdle = "session.idle",
    SessionError = "session.error",
    SessionInfo = "session.info",
    SessionWarning = "session.warning",
    SessionCompactionStart = "session.compaction_start",
    SessionCompactionComplete = "session.compaction_complete",
    SessionTruncation = "session.truncation",
    SessionSnapshotRewind = "session.snapshot_rewind",
    SessionContextCleared = "session.context_cleared",
    SessionTitleChanged = "session.title_changed",
    SessionContextChanged = "session.context_changed",
    SessionUsageInfo = "session.usage_info",
    SessionUsageCheckpoint = "session.usage_checkpoint",
    SessionTaskComplete = "session.task_complete",
    SessionCompletionReceipt = "session.completion_receipt",
    SessionHandoff = "session.handoff",
    SessionRemoteSteerableChanged = "session.remote_steerable_changed",
    SessionShutdown = "session.shutdown",
    SessionModeChanged = "session.mode_changed",
    SessionModeNoticeDelivered = "session.mode_notice_delivered",
    SessionAutopilotObjectiveChanged = "session.autopilot_objective_changed",
    SessionWorkspaceFileChanged = "session.workspace_file_changed",
    SessionMemoryChanged = "session.memory_changed",
    SessionBackgroundTasksChanged = "session.background_tasks_changed",
    SessionIndexedSearch = "session.indexed_search",
    SessionScheduleCreated = "session.schedule_created",
    SessionScheduleRearmed = "session.schedule_rearmed",
    SessionScheduleCancelled = "session.schedule_cancelled",
    PermissionRequested = "permission.requested",
    PermissionCompleted = "permission.completed",
    PermissionCarriedForward = "permission.carriedForward",
    PermissionMessageAuthorization = "permission.messageAuthorization",
    PermissionMessageAuthorizationRead = "permission.messageAuthorizationRead",
    PermissionMessageAuthorizationDegraded = "permission.messageAuthorizationDegraded",
    PermissionAssentDetected = "permission.assentDetected",
    PermissionContextualAuthorization = "permission.contextualAuthorization",
    SessionPermissionsChanged = "session.permissions_changed",
    SessionPermissionRecovery = "session.permission_recovery",
    UserInputRequested = "user_input.requested",
    UserInputCompleted = "user_input.completed",
    ElicitationRequested = "elicitation.requested",
    ElicitationCompleted = "elicitation.completed",
    ExternalToolRequested = "external_tool.requested",
    ExternalToolCompleted = "external_tool.completed",
    CommandQueued = "command.queued",
    CommandExecute = "command.execute",
    CommandCompleted = "command.completed",
    CommandsChanged = "commands.changed",
    ExitPlanModeRequested = "exit_plan_mode.requested",
    ExitPlanModeCompleted = "exit_plan_mode.completed",
    SessionPlanChanged = "session.plan_changed",
    SessionTodosChanged = "session.todos_changed",
    SessionLimitsExhaustedRequested = "session_limits_exhausted.requested",
    SessionLimitsExhaustedCompleted = "session_limits_exhausted.completed",
    SessionSessionLimitsChanged = "session.session_limits_changed",
    SubagentStarted = "subagent.started",
    SubagentConfigured = "subagent.configured",
    SubagentCompleted = "subagent.completed",
    SubagentFailed = "subagent.failed",
    SubagentSelected = "subagent.selected",
    SubagentDeselected = "subagent.deselected",
    SessionCustomAgentsUpdated = "session.custom_agents_updated",
    SkillInvoked = "skill.invoked",
    SkillInvokedRef = "skill.invoked_ref",
    SkillContextDelivered = "skill.context_delivered",
    SkillContextDeliveredRef = "skill.context_delivered_ref",
    SessionSkillsLoaded = "session.skills_loaded",
    FactoryRunStarted = "factory.run_started",
    FactoryRunUpdated = "factory.run_updated",
    FactoryRunSettled = "factory.run_settled",
    WorkflowRunStarted = "workflow.run_started",
    WorkflowRunUpdated = "workflow.run_updated",
    WorkflowRunSettled = "workflow.run_settled",
    SessionFusionRouteStarted = "session.fusion_route_started",
    SessionFusionRouteFailed = "session.fusion_route_failed",
    SessionFusionResolved = "session.fusion_resolved",
    SessionFusionHandoff = "session.fusion_handoff",
    SessionFusionCommitStarted = "session.fusion_commit_started",
    SessionFusionCompleted = "session.fusion_completed",
    SessionFusionChangeCheckpoint = "session.fusion_change_checkpoint",
    AssistantFusionPhaseStarted = "assistant.fusion_phase_started",
    AssistantFusionPhaseActivity = "assistant.fusion_phase_activity",
    AssistantFusionPhaseCompleted = "assistant.fusion_phase_completed",
    AssistantFusionPhaseFailed = "assistant.fusion_phase_failed",
    SessionModelChange = "session.model_change",
    SessionModelDeselected = "session.model_deselected",
    SessionAutoModeResolved = "session.auto_mode_resolved",
    AutoModeSwitchRequested = "auto_mode_switch.requested",
    AutoModeSwitchCompleted = "auto_mode_switch.completed",
    SessionAutoTierRecommendation = "session.auto_tier_recommendation",
    SessionAutoTierSwitchFailed = "session.auto_tier_switch_failed",
    ModelCallStart = "model.call_start",
    ModelCallFinished = "model.call_finished",
    ModelCallFailure = "model.call_failure",
    PromptCacheBreak = "prompt_cache_break",
    SessionCanvasOpened = "session.canvas.opened",
    SessionCanvasClosed = "session.canvas.closed",
    SessionCanvasUnavailable = "session.canvas.unavailable",
    SessionCanvasRegistryChanged = "session.canvas.registry_changed",
    SessionCanvasRecorded = "session.canvas.recorded",
    SessionCanvasRemoved = "session.canvas.removed",
    SessionCustomNotification = "session.custom_notification",
    SessionExtensionsLoaded = "session.extensions_loaded",
    SessionExtensionsAttachmentsPushed = "session.extensions.attachments_pushed",
    CapabilitiesChanged = "capabilities.changed",
    SessionManagedSettingsResolved = "session.managed_settings_resolved",
    SessionManagedSettingsEnforced = "session.managed_settings_enforced",
    SandboxDecision = "sandbox.decision",
    AddTimelineEntry = "add-timeline-entry",
    ChatCompletionChunk = "chat.completion.chunk",
    CopilotConfirmation = "copilot_confirmation",
    CopilotErrors = "copilot_errors",
    CopilotReferences = "copilot_references",
    RespMessage = "resp_message",
    PilothouseAnswered = "pilothouse.answered",
    PilothouseSent = "pilothouse.sent",
    PilothouseTranscript = "pilothouse.transcript",
}

/// The known types by the length of their names. It is searched for every event of a log, and only a handful of
/// names have the same length; the assistant's come first.
static BY_LENGTH: LazyLock<Vec<Vec<EventKind>>> = LazyLock::new(|| {
    let all = EventKind::ALL.iter().copied();
    let longest = all.clone().map(|kind| kind.name().len()).max().unwrap_or(0);
    let of_length = |length| all.clone().filter(|kind| kind.name().len() == length).collect();
    (0..=longest).map(of_length).collect()
});

impl EventKind {
    /// The type with this name.
    pub fn parse(name: &str) -> Self {
        let same = |kind: &&Self| same(kind.name().as_bytes(), name.as_bytes());
        let known = BY_LENGTH.get(name.len()).and_then(|kinds| kinds.iter().find(same));
        known.copied().unwrap_or(Self::Unknown)
    }

    /// The field of `data` with the category of a notice: of `session.error`, `session.warning` or `session.info`.
    pub fn category_field(self) -> &'static str {
        match self {
            Self::SessionError => "errorType",
            Self::SessionWarning => "warningType",
            _ => "infoType",
        }
    }

    /// The type of an event that was read as JSON.
    pub fn of(event: &Value) -> Self {
        event.get("type").and_then(Value::as_str).map_or(Self::Unknown, Self::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::EventKind;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::parse(kind.name()), *kind);
        }
        assert_eq!(EventKind::parse("session.nothing"), EventKind::Unknown);
        assert_eq!(EventKind::parse(""), EventKind::Unknown);
    }
}
