//! Passes `session.*` events to their handlers, and handles start, idle and stop itself.

use super::EventMeta;
use super::endings::{EndCause, EndScope};
use crate::i18n::Phrase;
use crate::i18n::words::notices;
use crate::model::entry::Level;
use crate::model::state::{Phase, Section, State};
use crate::protocol::EventKind;
use crate::wire::fields::Fields;

impl State {
    /// Handles a `session.*` event; returns the payload if the event needs more than that.
    pub(super) fn session_event<'a>(
        &mut self,
        meta: EventMeta<'_>,
        mut data: Fields<'a>,
    ) -> Option<Fields<'a>> {
        match meta.kind {
            EventKind::SessionStart => self.start_session(meta, data),
            EventKind::SessionResume => self.resume_session(meta, data),
            EventKind::SessionIdle => self.idle(meta, &mut data),
            EventKind::SessionError => {
                self.session_error(meta, data);
            }
            EventKind::SessionInfo | EventKind::SessionWarning => {
                self.session_message(meta, data);
            }
            EventKind::SessionTitleChanged => self.info.title = data.non_empty_text("title"),
            EventKind::SessionContextChanged => self.info.take_context(&mut data),
            EventKind::SessionUsageInfo => {
                self.usage.set_context(&mut data);
                self.touch(Section::Usage);
            }
            EventKind::SessionUsageCheckpoint => {
                self.usage.take_totals(&mut data, false);
                self.touch(Section::Usage);
            }
            EventKind::SessionModeChanged => self.mode_changed(meta, data),
            EventKind::SessionModelDeselected => self.model_deselected(meta, data),
            EventKind::SessionModelChange => self.model_changed(meta, data),
            EventKind::SessionPermissionsChanged => self.permissions_changed(meta, data),
            EventKind::SessionCompactionStart | EventKind::SessionCompactionComplete => {
                self.compaction(meta, data);
            }
            EventKind::SessionTruncation => self.truncated(meta, data),
            EventKind::SessionSnapshotRewind => self.rewind(meta, &mut data),
            EventKind::SessionContextCleared => self.clear_context(meta, &mut data),
            EventKind::SessionTaskComplete => self.task_complete(meta, data),
            EventKind::SessionModeNoticeDelivered => {
                if let Some(content) = data.non_empty_text("content") {
                    self.set_model(meta, content, None);
                }
            }
            EventKind::SessionFusionHandoff => {
                if let Some(content) = data.object("message").non_empty_text("content") {
                    self.set_model(meta, content, None);
                }
                return Some(data);
            }
            EventKind::SessionShutdown => self.shut_down(meta, data),
            _ => return Some(data),
        }
        self.touch(Section::Session);
        None
    }

    /// Current work that is neither text nor a tool call: the header shows it until the next event about it.
    pub(super) fn set_activity(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        if meta.agent.is_some() {
            return;
        }
        let [what, how] = match meta.kind {
            EventKind::SessionAutoModeResolved => {
                self.info.auto_model = data.non_empty_text("chosenModel");
                return self.touch(Section::Session);
            }
            EventKind::AssistantFusionPhaseActivity => {
                self.info.response_bytes =
                    data.integer("totalResponseSizeBytes").or(self.info.response_bytes);
                return self.touch(Section::Session);
            }
            EventKind::AssistantTurnRetry => {
                let why = data.non_empty_text("reason").map(|why| Phrase::runtime_word(&why));
                return self.does(Some(notices::TRYING_AGAIN.phrase(vec![("why", why.into())])));
            }
            EventKind::AssistantIdle => {
                self.main_agent_is_idle = true;
                self.set_clocks();
                return self.does(Some(notices::BACKGROUND_GOES_ON.into()));
            }
            EventKind::SessionFusionRouteStarted => {
                return self.does(Some(notices::CHOOSING_MODELS.into()));
            }
            EventKind::AssistantServerToolProgress => ["kind", "status"],
            _ => ["phaseKind", "model"],
        };
        let parts = [data.non_empty_text(what), data.non_empty_text(how)].into_iter().flatten();
        let parts: Vec<Phrase> = parts.map(|part| Phrase::runtime_word(&part)).collect();
        let some = !parts.is_empty();
        self.does(some.then(|| Phrase::Capitalised(Box::new(Phrase::Joined(parts, ": ")))));
    }

    fn does(&mut self, doing: Option<Phrase>) {
        self.info.doing = doing;
        self.touch(Section::Session);
    }

    fn start_session(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        self.info.id = data.non_empty_text("sessionId");
        // The runtime's own name for itself says nothing.
        self.info.agent = data.non_empty_text("producer").filter(|name| name != "copilot-agent");
        self.selected(&mut data);
        if self.phase == Phase::Ended {
            self.set_phase(Phase::Idle);
        }
        self.info.last_event_at = meta.at.or(self.info.last_event_at);
    }

    pub(super) fn selected(&mut self, data: &mut Fields) {
        self.info.set_model(data.non_empty_text("selectedModel"));
        if let Some(effort) = data.non_empty_text("reasoningEffort") {
            self.info.reasoning_effort = Some(effort);
        }
        self.info.take_context(&mut data.object("context"));
    }

    fn idle(&mut self, meta: EventMeta<'_>, data: &mut Fields) {
        self.close(EndCause::Idle, EndScope::of(meta.agent));
        if meta.agent.is_none() {
            self.info.set_mode(data.non_empty_text("mode"));
            self.set_phase(Phase::Idle);
        }
    }

    pub(super) fn abort(&mut self, meta: EventMeta<'_>, data: &mut Fields) {
        let reason = data.non_empty_text("reason");
        let said = Phrase::runtime_word(reason.as_deref().unwrap_or_default());
        let why = match reason.as_deref() {
            Some("user_abort" | "user initiated") => "user_initiated".into(),
            other => other.into(),
        };
        let whose = if meta.agent.is_some() { EndScope::of(meta.agent) } else { EndScope::Everyone };
        self.close(EndCause::Abort, whose);
        self.notice(
            meta,
            Level::Milestone,
            meta.name,
            notices::STOPPED.phrase(vec![("why", why), ("said", said)]),
        );
        if meta.agent.is_none() {
            if self.queue.stop(meta.number) {
                self.touch(Section::Queue);
            }
            self.failed = None;
            self.set_phase(Phase::Idle);
        }
    }
}
