//! The session's own life: start, resume, idle, title, context, and which rule each event has.
//! Refuses what agents say, and the words of notices and milestones.

use super::Meta;
use crate::core::change::Section;
use crate::core::entry::{EntryState, Kind, Level};
use crate::core::fields::Fields;
use crate::core::request::Request;
use crate::core::state::{Phase, State};
use crate::core::words;

impl State {
    /// Handles a `session.*` event; gives the payload back if it has no rule of its own.
    pub(super) fn session_event(&mut self, meta: Meta<'_>, mut data: Fields) -> Option<Fields> {
        match meta.kind {
            "session.start" => self.started(meta, data),
            "session.resume" => self.resumed(meta, data),
            "session.idle" => self.idle(meta, &mut data),
            "session.error" => {
                self.session_error(meta, data);
            }
            "session.info" | "session.warning" => {
                self.session_message(meta, data);
            }
            "session.title_changed" => self.info.title = data.filled("title"),
            "session.context_changed" => self.context_of(&mut data),
            "session.usage_info" => {
                self.usage.set_context(&mut data);
                self.touch(Section::Usage);
            }
            "session.mode_changed" => self.mode_changed(meta, data),
            "session.model_change" if meta.agent.is_some() => {
                // A sub-agent's model is its own, and its line names it.
            }
            "session.model_change" => self.model_changed(meta, data),
            "session.permissions_changed" => self.permissions_changed(meta, data),
            "session.compaction_start" | "session.compaction_complete" => {
                self.compaction(meta, data);
            }
            "session.truncation" => self.truncated(meta, data),
            "session.snapshot_rewind" => self.rewound(meta, &mut data),
            "session.context_cleared" => self.cleared(meta, &mut data),
            "session.task_complete" => self.task_complete(meta, data),
            "session.mode_notice_delivered" => {
                if let Some(content) = data.filled("content") {
                    self.told_model(meta, content, None);
                }
            }
            "session.fusion_handoff" => {
                if let Some(content) = data.object("message").filled("content") {
                    self.told_model(meta, content, None);
                }
                return Some(data);
            }
            "session.shutdown" => self.shut_down(meta, data),
            _ => return Some(data),
        }
        self.touch(Section::Session);
        None
    }

    /// What goes on and is neither words nor a tool call: the header has it until the next word.
    pub(super) fn doing(&mut self, meta: Meta<'_>, mut data: Fields) {
        let parts = match meta.kind {
            "session.auto_mode_resolved" => {
                self.info.auto_model = data.filled("chosenModel");
                return self.touch(Section::Session);
            }
            "assistant.fusion_phase_activity" => {
                self.info.response_bytes =
                    data.integer("totalResponseSizeBytes").or(self.info.response_bytes);
                return self.touch(Section::Session);
            }
            "assistant.turn_retry" => ["Trying again", "", "reason"],
            "assistant.idle" => ["Background work goes on", "", ""],
            "assistant.server_tool_progress" => ["", "kind", "status"],
            "session.fusion_route_started" => ["Choosing models", "", ""],
            _ => ["", "phaseKind", "model"],
        };
        let [label, what, how] = parts;
        let mut doing = Some(label.to_owned()).filter(|label| !label.is_empty());
        for part in [data.filled(what), data.filled(how)].into_iter().flatten() {
            doing =
                Some(doing.map_or_else(|| words::capitalised(&part), |doing| [&doing, ": ", &part].concat()));
        }
        self.info.doing = doing.map(|doing| doing.replace('_', " "));
        self.touch(Section::Session);
    }

    fn context_of(&mut self, context: &mut Fields) {
        let info = &mut self.info;
        for (slot, name) in
            [(&mut info.cwd, "cwd"), (&mut info.repository, "repository"), (&mut info.branch, "branch")]
        {
            if let Some(value) = context.filled(name) {
                *slot = Some(value);
            }
        }
    }

    fn started(&mut self, meta: Meta<'_>, mut data: Fields) {
        self.info.id = data.filled("sessionId");
        self.selected(&mut data);
        if self.phase == Phase::Ended {
            self.set_phase(Phase::Idle);
        }
        self.info.last_event_at = meta.at.or(self.info.last_event_at);
    }

    fn selected(&mut self, data: &mut Fields) {
        if let Some(model) = data.filled("selectedModel") {
            self.info.model = Some(model);
        }
        if let Some(effort) = data.filled("reasoningEffort") {
            self.info.reasoning_effort = Some(effort);
        }
        self.context_of(&mut data.object("context"));
    }

    /// What was open when the session stopped is gone; only permissions can still be answered.
    fn resumed(&mut self, meta: Meta<'_>, mut data: Fields) {
        self.selected(&mut data);
        let active = data.flag("sessionWasActive").unwrap_or(false);
        if !active {
            self.interrupt(None, true);
            self.interrupt_works();
            self.set_phase(Phase::Idle);
        }
        self.stale_requests("The session was resumed: this is not asked any more", |request| {
            !request.kind.survives_resume()
        });
        self.milestone(meta, "Session resumed".to_owned());
    }

    /// Sub-agents and compactions outlive a turn, but not the process.
    pub(super) fn interrupt_works(&mut self) {
        let lasting = |kind| matches!(kind, Kind::Subagent | Kind::Compaction);
        for place in 0..self.entries.len() {
            if self.entry(place).is_some_and(|e| e.state == EntryState::Running && lasting(e.kind)) {
                self.update(place, |entry| entry.state = EntryState::Interrupted);
            }
        }
    }

    fn idle(&mut self, meta: Meta<'_>, data: &mut Fields) {
        if let Some(mode) = data.filled("mode") {
            self.info.mode = Some(mode);
        }
        self.interrupt(meta.agent, meta.agent.is_none());
        self.stale_requests("The turn ended without an answer", |request| request.kind.belongs_to_turn());
        self.set_phase(Phase::Idle);
    }

    pub(super) fn aborted(&mut self, meta: Meta<'_>, data: &mut Fields) {
        let reason = data.filled("reason").unwrap_or_default();
        self.interrupt(meta.agent, false);
        let text = match reason.as_str() {
            "user_initiated" | "user_abort" | "user initiated" => "Stopped by you".to_owned(),
            "remote_command" => "Stopped from elsewhere".to_owned(),
            "autopilot_credit_limit" => "Stopped: autopilot reached its credit limit".to_owned(),
            "" => "Stopped".to_owned(),
            other => format!("Stopped: {other}"),
        };
        self.notice(meta, Level::Milestone, "abort", text);
        if meta.agent.is_none() {
            self.stale_requests("The turn was stopped", |request: &Request| request.kind.belongs_to_turn());
            self.set_phase(Phase::Idle);
        }
    }
}
