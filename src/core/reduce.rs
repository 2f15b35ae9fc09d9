//! Folds one event into the state.
//!
//! Rules for every family of events: an event id counts once; events belong together by their ids, never by
//! their order; the final message overrides its deltas; unknown events are shown, not dropped; nothing here
//! can fail.

mod agents;
mod assistant;
mod custom;
mod endings;
pub(crate) mod environment;
mod halves;
mod milestones;
mod notices;
mod notifications;
pub mod platform;
mod reach;
mod recovery;
mod request_shapes;
mod requests;
mod restart;
mod session;
mod tools;
mod turns;
mod user;

use super::wire::Event;
use crate::i18n::Phrase;
use crate::i18n::words::notices as words;
use crate::model::entry::{Body, Kind, Level, Notice};
use crate::model::request::RequestKind;
use crate::model::state::{EventId, Section, Space, State};
use crate::protocol::EventKind;
use crate::protocol::catalogue;
use crate::protocol::catalogue::{ModelVisibility, Surface};
use crate::wire::fields::Fields;

pub(super) use crate::json_writer::pretty;

/// An event's fields outside its payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventMeta<'a> {
    pub(super) number: u64,
    pub(super) kind: EventKind,
    /// The type's name on the wire, or the name of a record that is not an event.
    pub(super) name: &'a str,
    pub(super) id: &'a str,
    pub(super) at: Option<i64>,
    pub(super) ephemeral: bool,
    pub(super) agent: Option<&'a str>,
    /// It comes from the host page, not from the session.
    pub(super) local: bool,
}

/// The member that holds the text of a notice. Some programs send the text alone.
fn text_member(kind: EventKind) -> Option<&'static str> {
    matches!(kind, EventKind::SessionError | EventKind::SessionWarning | EventKind::SessionInfo)
        .then_some("message")
}

impl State {
    /// Folds an event that was not seen before. `number` counts events from 1. False if its data could not be read.
    pub(super) fn reduce(&mut self, event: &Event<'_>, number: u64) -> bool {
        let meta = EventMeta {
            number,
            kind: EventKind::parse(event.kind),
            name: event.kind,
            id: event.id,
            at: event.at,
            ephemeral: event.ephemeral,
            agent: event.agent_id,
            local: false,
        };
        self.count_record();
        if meta.ephemeral {
            self.counters.ephemeral += 1;
            self.live = true;
        } else if !meta.id.is_empty() {
            self.persisted += 1;
            self.persisted_numbers.insert(EventId::of(meta.id), number);
        }
        if meta.at > self.info.last_event_at {
            self.info.last_event_at = meta.at;
        }
        let Some(row) = meta.kind.row() else {
            self.unknown(meta, event);
            return true;
        };
        if meta.kind == EventKind::SessionBinaryAsset {
            self.store_asset(event.data);
            return true;
        }
        if row.surface == Surface::Nowhere && row.model == ModelVisibility::No {
            return true;
        }
        let known =
            event.members.and_then(Fields::from_members).map_or_else(|| Fields::parse(event.data), Ok);
        let read = known.is_ok();
        let known = known.or_else(|reason| {
            text_member(meta.kind).and_then(|name| Fields::of_text(event.data, name)).ok_or(reason)
        });
        let mut data = known.unwrap_or_else(|reason| {
            self.counters.malformed += 1;
            let message = format!("{}: {reason}; what could be understood is shown", meta.name);
            self.diagnose("warning", message, Some(meta.id.to_owned()));
            self.generic(meta, event.data, words::UNREADABLE_EVENT.phrase(vec![("why", reason.into())]));
            Fields::default()
        });
        if event.has_halves || !self.halves.is_empty() {
            self.join_halves(meta, event, &mut data);
        }
        let beyond_reach = meta.is_beyond_reach();
        if !beyond_reach {
            self.keep(meta, row.family, &data);
        }
        if row.surface == Surface::Notifications {
            self.collect(meta, &data);
        }
        if beyond_reach {
            self.beyond_reach(meta, data);
        } else {
            self.route(meta, data, row);
        }
        read
    }

    /// Keeps a binary asset, to be shown where a tool's result refers to it.
    fn store_asset(&mut self, data: &str) {
        if let Ok(asset) = serde_json::from_str::<serde_json::Value>(data)
            && let Some(id) = asset.get("assetId").and_then(serde_json::Value::as_str)
        {
            self.assets.insert(id.to_owned(), asset.into());
        }
    }

    fn route(&mut self, meta: EventMeta<'_>, data: Fields, row: &catalogue::EventType) {
        match meta.kind {
            EventKind::AssistantMessageDelta => self.text_delta(meta, Space::Message, "messageId", data),
            EventKind::AssistantReasoningDelta => {
                self.text_delta(meta, Space::Reasoning, "reasoningId", data);
            }
            EventKind::AssistantToolCallDelta => self.tool_call_delta(meta, data),
            EventKind::AssistantStreamingDelta => self.response_grew(data),
            EventKind::ToolExecutionStart
            | EventKind::ToolExecutionComplete
            | EventKind::ToolExecutionPartialResult
            | EventKind::ToolExecutionProgress
            | EventKind::ToolUserRequested => self.tool(meta, data),
            EventKind::AssistantMessage
            | EventKind::AssistantReasoning
            | EventKind::AssistantTurnStart
            | EventKind::AssistantTurnEnd
            | EventKind::AssistantMessageStart
            | EventKind::AssistantUsage
            | EventKind::AssistantIntent
            | EventKind::AssistantTurnRetry => self.assistant(meta, data),
            kind => match RequestKind::opened_by(kind) {
                Some(kind) => self.request_opened(meta, kind, data),
                None => self.route_others(meta, data, row),
            },
        }
    }

    fn route_others(&mut self, meta: EventMeta<'_>, mut data: Fields, row: &catalogue::EventType) {
        match meta.kind {
            EventKind::UserMessage => self.user_message(meta, data),
            EventKind::SystemMessage => self.system_message(meta, data),
            EventKind::SystemNotification => self.system_notification(meta, data),
            EventKind::PendingMessagesModified => {
                self.queue.count_change(meta.number);
                self.touch(Section::Queue);
            }
            EventKind::SessionCustomNotification => self.custom_notification(meta, data),
            EventKind::AssistantFusionPhaseCompleted => self.fusion_phase_ended(meta, &mut data),
            EventKind::SessionHandoff
            | EventKind::SessionFusionRouteFailed
            | EventKind::AssistantFusionPhaseFailed
            | EventKind::SessionAutoTierSwitchFailed
            | EventKind::SessionManagedSettingsEnforced => self.notice_of_several_fields(meta, data),
            EventKind::SubagentStarted
            | EventKind::SubagentCompleted
            | EventKind::SubagentFailed
            | EventKind::SubagentSelected
            | EventKind::SubagentDeselected
            | EventKind::SubagentConfigured
            | EventKind::SkillInvoked
            | EventKind::SkillInvokedRef
            | EventKind::SkillContextDelivered
            | EventKind::SkillContextDeliveredRef
            | EventKind::UiEphemeralQuery
            | EventKind::HookStart
            | EventKind::HookEnd
            | EventKind::HookProgress => self.agents(meta, data),
            EventKind::Abort => self.abort(meta, &mut data),
            EventKind::SessionPermissionRecovery => self.permission_recovery(meta, data),
            EventKind::PilothouseAnswered => self.request_answered(&mut data),
            EventKind::PilothouseSent => self.message_sent(&mut data),
            EventKind::PilothouseTranscript => self.transcript_read(meta, data),
            EventKind::PermissionCompleted => {
                let recovery = data.object("blocker").object("permissionRecovery");
                if !self.request_completed(meta, &mut data) {
                    self.fallback(meta, data, row);
                }
                if !recovery.is_empty() {
                    self.permission_recovery(meta, recovery);
                }
            }
            kind if RequestKind::is_closing(kind) => {
                if !self.request_completed(meta, &mut data) {
                    self.fallback(meta, data, row);
                }
            }
            _ => {
                if let Some(data) = self.session_event(meta, data) {
                    self.fallback(meta, data, row);
                }
            }
        }
    }

    /// Handles an event that no family handles: the catalogue says whether it appears in the timeline or the
    /// status.
    fn fallback(&mut self, meta: EventMeta<'_>, mut data: Fields, row: &catalogue::EventType) {
        match row.surface {
            Surface::Timeline => {}
            Surface::Status => return self.set_activity(meta, data),
            _ => return,
        }
        let words = crate::i18n::format::event_type(meta.name);
        let text = data.non_empty_text("message").or_else(|| data.non_empty_text("content"));
        let text =
            text.or_else(|| data.non_empty_text("summary").map(|summary| format!("{words}: {summary}")));
        let mut notice = Notice::new(Level::Info, meta.name);
        notice.url = data.non_empty_text("url");
        notice.detail = (!data.is_empty()).then(|| pretty(&data.rest()).into());
        self.notice_of(meta, notice, text.unwrap_or(words).into());
    }

    /// Counts an event of an unknown type, and shows it unless it is one of the runtime's known internals.
    fn unknown(&mut self, meta: EventMeta<'_>, event: &Event<'_>) {
        self.counters.count_unknown(meta.name);
        if catalogue::prefix_rule(meta.name).is_some() {
            return;
        }
        let phrase = if meta.name.is_empty() { words::NAMELESS_EVENT.into() } else { meta.name.into() };
        self.generic(meta, event.data, phrase);
    }

    /// Shows an event as its data. Data that is nested too deep to be read is shown as text.
    fn generic(&mut self, meta: EventMeta<'_>, data: &str, phrase: Phrase) {
        let text = || if data.is_empty() { serde_json::Value::Null } else { data.into() };
        let facts = serde_json::from_str(data).unwrap_or_else(|_| text());
        let place = self.add_entry(None, Kind::Generic, meta.id.to_owned(), meta);
        self.update(place, |entry| entry.body = Body::Facts { event_type: meta.name.to_owned(), facts });
        self.replace_phrase(place, phrase);
    }

    /// Adds an entry with the fields that every entry takes from its event.
    pub(super) fn add_entry(
        &mut self,
        space: Option<Space>,
        kind: Kind,
        id: String,
        meta: EventMeta<'_>,
    ) -> usize {
        let mut entry = Self::new_entry(kind, id, meta.number);
        entry.at = meta.at;
        entry.ended_at = meta.at;
        entry.agent_id = meta.agent.map(str::to_owned);
        entry.parent_tool_call_id = meta.agent.and_then(|agent| self.task_of(agent));
        entry.model_visible = meta.kind.row().is_some_and(|row| row.model != ModelVisibility::No);
        let place = self.add(space, entry);
        self.commit(place, meta);
        place
    }

    /// Notes the first persisted event about this entry, which decides its order in the history.
    pub(super) fn commit(&mut self, place: usize, meta: EventMeta<'_>) {
        if let Some(entry) = self.entry_mut(place) {
            if meta.at > entry.ended_at {
                entry.ended_at = meta.at;
            }
            if !meta.ephemeral && entry.committed.is_none() {
                self.update(place, |entry| entry.committed = Some(meta.number));
            }
        }
    }

    /// Id of the `task` call that started an agent.
    fn task_of(&self, agent: &str) -> Option<String> {
        self.agent_place(agent).and_then(|place| self.entry(place)).map(|entry| entry.id.clone())
    }
}
