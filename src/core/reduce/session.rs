//! Passes `session.*` events to their handlers, and handles start, resume, idle and stop itself.

use super::{Meta, pretty};
use crate::i18n::Phrase;
use crate::i18n::words::notices;
use crate::model::change::Section;
use crate::model::entry::{EntryState, Kind, Level};
use crate::model::request::{Request, RequestKind, Why};
use crate::model::state::{Phase, State};
use crate::protocol::EventKind;
use crate::wire::fields::Fields;

impl State {
    /// Handles a `session.*` event; returns the payload if the event needs more than that.
    pub(super) fn session_event<'a>(&mut self, meta: Meta<'_>, mut data: Fields<'a>) -> Option<Fields<'a>> {
        match meta.kind {
            EventKind::SessionStart => self.started(meta, data),
            EventKind::SessionResume => self.resumed(meta, data),
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
            EventKind::SessionModelChange | EventKind::SessionModelDeselected if meta.agent.is_some() => {
                // A sub-agent's model is its own, and is shown in the sub-agent's line.
            }
            EventKind::SessionModelDeselected => self.model_deselected(meta, data),
            EventKind::SessionModelChange => self.model_changed(meta, data),
            EventKind::SessionPermissionsChanged => self.permissions_changed(meta, data),
            EventKind::SessionCompactionStart | EventKind::SessionCompactionComplete => {
                self.compaction(meta, data);
            }
            EventKind::SessionTruncation => self.truncated(meta, data),
            EventKind::SessionSnapshotRewind => self.rewound(meta, &mut data),
            EventKind::SessionContextCleared => self.cleared(meta, &mut data),
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
    pub(super) fn doing(&mut self, meta: Meta<'_>, mut data: Fields) {
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

    fn started(&mut self, meta: Meta<'_>, mut data: Fields) {
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

    /// Whatever was open when the session stopped is gone. Only permissions can still be answered, and their
    /// calls can still run. A resume that does not continue pending work interrupts those as well, though the
    /// runtime may list them until the session ends.
    fn resumed(&mut self, meta: Meta<'_>, mut data: Fields) {
        let whole = pretty(&data.clone().rest());
        self.selected(&mut data);
        let active = data.flag("sessionWasActive").unwrap_or(false);
        let gives_up = !active && data.flag("continuePendingWork") == Some(false);
        if !active {
            let asked = if gives_up { Vec::new() } else { self.calls_asked_for() };
            self.open_tools.retain(|open| !asked.contains(open));
            self.interrupt(None, true);
            self.open_tools.extend(asked);
            self.interrupt_works();
            self.set_phase(Phase::Idle);
        }
        if self.queue.resumed() {
            self.touch(Section::Queue);
        }
        let why = if active { Why::Resumed } else { Why::Restarted };
        self.stale_requests(why, |request| {
            !request.kind.survives_resume() || (gives_up && request.kind == RequestKind::Permission)
        });
        let place = self.milestone(meta, notices::SESSION_RESUMED.into());
        self.notice_facts(place, None, Some(whole.into()));
    }

    /// Sub-agents, compactions and servers' tasks outlive a turn, but not the process.
    pub(super) fn interrupt_works(&mut self) {
        let lasting = |kind| matches!(kind, Kind::Subagent | Kind::Compaction);
        for place in 0..self.entries.len() {
            if self.entry(place).is_some_and(|entry| entry.kind == Kind::Custom) {
                self.end_task(place);
            }
            if self.entry(place).is_some_and(|e| e.state == EntryState::Running && lasting(e.kind)) {
                self.update(place, |entry| entry.state = EntryState::Interrupted);
            }
        }
    }

    fn idle(&mut self, meta: Meta<'_>, data: &mut Fields) {
        self.info.set_mode(data.filled("mode"));
        self.interrupt(meta.agent, meta.agent.is_none());
        self.stale_requests(Why::TurnEnded, |request| request.kind.belongs_to_turn());
        self.set_phase(Phase::Idle);
    }

    pub(super) fn aborted(&mut self, meta: Meta<'_>, data: &mut Fields) {
        let reason = data.filled("reason");
        self.interrupt(meta.agent, false);
        let why = match reason.as_deref() {
            Some("user_abort" | "user initiated") => "user_initiated".into(),
            other => other.into(),
        };
        self.notice(meta, Level::Milestone, meta.name, notices::STOPPED.phrase(vec![("why", why)]));
        if meta.agent.is_none() {
            if self.queue.stopped(meta.number) {
                self.touch(Section::Queue);
            }
            self.stale_requests(Why::Stopped, |request: &Request| request.kind.belongs_to_turn());
            self.failed = None;
            self.set_phase(Phase::Idle);
        } else {
            self.stale_requests_of_agent(Why::Stopped, meta.agent, None);
        }
    }
}
