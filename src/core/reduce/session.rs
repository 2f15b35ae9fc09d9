//! Passes `session.*` events to their handlers, and handles start, resume, idle and stop itself.

use super::endings::{End, Whose};
use super::notices::RUNTIME_ENDED;
use super::{Meta, pretty};
use crate::i18n::Phrase;
use crate::i18n::words::notices;
use crate::model::entry::{Body, Level};
use crate::model::state::{Phase, Section, State};
use crate::protocol::EventKind;
use crate::wire::fields::Fields;

impl State {
    /// Handles a `session.*` event; returns the payload if the event needs more than that.
    pub(super) fn session_event<'a>(&mut self, meta: Meta<'_>, mut data: Fields<'a>) -> Option<Fields<'a>> {
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
            EventKind::SessionTitleChanged => self.info.title = data.filled("title"),
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
                if let Some(content) = data.filled("content") {
                    self.set_model(meta, content, None);
                }
            }
            EventKind::SessionFusionHandoff => {
                if let Some(content) = data.object("message").filled("content") {
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
    pub(super) fn set_activity(&mut self, meta: Meta<'_>, mut data: Fields) {
        if meta.agent.is_some() {
            return;
        }
        let [what, how] = match meta.kind {
            EventKind::SessionAutoModeResolved => {
                self.info.auto_model = data.filled("chosenModel");
                return self.touch(Section::Session);
            }
            EventKind::AssistantFusionPhaseActivity => {
                self.info.response_bytes =
                    data.integer("totalResponseSizeBytes").or(self.info.response_bytes);
                return self.touch(Section::Session);
            }
            EventKind::AssistantTurnRetry => {
                let why = data.filled("reason").map(|why| Phrase::runtime_word(&why));
                return self.does(Some(notices::TRYING_AGAIN.phrase(vec![("why", why.into())])));
            }
            EventKind::AssistantIdle => {
                self.main_rests = true;
                self.set_clocks();
                return self.does(Some(notices::BACKGROUND_GOES_ON.into()));
            }
            EventKind::SessionFusionRouteStarted => {
                return self.does(Some(notices::CHOOSING_MODELS.into()));
            }
            EventKind::AssistantServerToolProgress => ["kind", "status"],
            _ => ["phaseKind", "model"],
        };
        let parts = [data.filled(what), data.filled(how)].into_iter().flatten();
        let parts: Vec<Phrase> = parts.map(|part| Phrase::runtime_word(&part)).collect();
        let some = !parts.is_empty();
        self.does(some.then(|| Phrase::Capitalised(Box::new(Phrase::Joined(parts, ": ")))));
    }

    fn does(&mut self, doing: Option<Phrase>) {
        self.info.doing = doing;
        self.touch(Section::Session);
    }

    fn start_session(&mut self, meta: Meta<'_>, mut data: Fields) {
        self.info.id = data.filled("sessionId");
        self.selected(&mut data);
        if self.phase == Phase::Ended {
            self.set_phase(Phase::Idle);
        }
        self.info.last_event_at = meta.at.or(self.info.last_event_at);
    }

    fn selected(&mut self, data: &mut Fields) {
        self.info.set_model(data.filled("selectedModel"));
        if let Some(effort) = data.filled("reasoningEffort") {
            self.info.reasoning_effort = Some(effort);
        }
        self.info.take_context(&mut data.object("context"));
    }

    /// A resume that does not continue pending work interrupts permissions and their calls as well, though the runtime may
    /// list them until the session ends.
    fn resume_session(&mut self, meta: Meta<'_>, mut data: Fields) {
        let whole = pretty(&data.clone().rest());
        self.selected(&mut data);
        let active = data.flag("sessionWasActive").unwrap_or(false);
        if active {
            self.close(End::Connection, Whose::Everyone);
            self.connection_is_back(meta);
        } else {
            let gives_up = data.flag("continuePendingWork") == Some(false);
            self.close(End::Process { gives_up }, Whose::Everyone);
            // What failed was the work of a process that is gone.
            self.failed = None;
            self.set_phase(Phase::Idle);
        }
        if self.queue.resume() {
            self.touch(Section::Queue);
        }
        let place = self.milestone(meta, notices::SESSION_RESUMED.into());
        self.notice_facts(place, None, Some(whole.into()));
    }

    /// The gateway lost the runtime, whose process has gone on: that error is over.
    fn connection_is_back(&mut self, meta: Meta<'_>) {
        let ran = self.failed.take_if(|place| {
            let notice = self.entries.get(*place).map(|entry| &entry.body);
            matches!(notice, Some(Body::Notice(notice)) if notice.category == RUNTIME_ENDED)
        });
        match (&self.phase, ran) {
            (Phase::Error, Some(_)) => self.begin_work(meta),
            (Phase::Error, None) if self.failed.is_none() => self.set_phase(Phase::Idle),
            _ => {}
        }
    }

    fn idle(&mut self, meta: Meta<'_>, data: &mut Fields) {
        self.close(End::Idle, Whose::of(meta.agent));
        if meta.agent.is_none() {
            self.info.set_mode(data.filled("mode"));
            self.set_phase(Phase::Idle);
        }
    }

    pub(super) fn abort(&mut self, meta: Meta<'_>, data: &mut Fields) {
        let reason = data.filled("reason");
        let why = match reason.as_deref() {
            Some("user_abort" | "user initiated") => "user_initiated".into(),
            other => other.into(),
        };
        let whose = if meta.agent.is_some() { Whose::of(meta.agent) } else { Whose::Everyone };
        self.close(End::Abort, whose);
        self.notice(meta, Level::Milestone, meta.name, notices::STOPPED.phrase(vec![("why", why)]));
        if meta.agent.is_none() {
            if self.queue.stop(meta.number) {
                self.touch(Section::Queue);
            }
            self.failed = None;
            self.set_phase(Phase::Idle);
        }
    }
}
