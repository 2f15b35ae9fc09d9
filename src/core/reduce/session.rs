//! The session's own life: start, resume, idle, title, mode, model, context, errors, milestones.
//! Refuses what agents say.

use super::{Meta, pretty};
use crate::core::change::Section;
use crate::core::entry::{Body, EntryState, Kind, Level};
use crate::core::fields::Fields;
use crate::core::request::{Request, RequestKind};
use crate::core::state::{Phase, Space, State};
use crate::core::time;
use crate::core::words;

impl State {
    /// Handles a `session.*` event; gives the payload back if it has no rule of its own.
    pub(super) fn session_event(&mut self, meta: Meta<'_>, mut data: Fields) -> Option<Fields> {
        match meta.kind {
            "session.start" => self.started(meta, data),
            "session.resume" => self.resumed(meta, data),
            "session.idle" => self.idle(meta, &mut data),
            "session.error" => self.error(meta, data),
            "session.info" | "session.warning" => self.message(meta, data),
            "session.title_changed" => self.info.title = data.filled("title"),
            "session.context_changed" => self.context_of(&mut data),
            "session.usage_info" => {
                self.usage.set_context(&mut data);
                self.touch(Section::Usage);
            }
            "session.mode_changed" => {
                let previous = data.filled("previousMode");
                let mode = data.filled("newMode");
                let named = mode.as_deref().unwrap_or("unknown");
                self.milestone(meta, format!("Mode: {}{named}", words::from(previous.as_deref())));
                self.info.mode = mode.or(self.info.mode.take());
            }
            "session.model_change" if meta.agent.is_some() => {
                // A sub-agent's model is its own, and its line names it.
            }
            "session.model_change" => {
                let model = data.filled("newModel");
                let named = model.as_deref().unwrap_or("unknown");
                let effort = data.filled("reasoningEffort");
                let previous = data.filled("previousModel");
                let with = effort.as_ref().map_or_else(String::new, |effort| format!(", {effort} effort"));
                self.milestone(meta, format!("Model: {}{named}{with}", words::from(previous.as_deref())));
                self.info.model = model.or(self.info.model.take());
                self.info.reasoning_effort = effort;
            }
            "session.permissions_changed" => {
                let mode = data.filled("mode").or_else(|| persisted_permission_mode(&mut data));
                let words = match mode.as_deref() {
                    Some("allow-all") => "Permissions: everything is allowed without asking".to_owned(),
                    Some("manual") => "Permissions: asked for one by one".to_owned(),
                    other => format!("Permissions: {}", other.unwrap_or("unknown")),
                };
                self.milestone(meta, words);
                self.info.permission_mode = mode.or(self.info.permission_mode.take());
            }
            "session.compaction_start" | "session.compaction_complete" => {
                self.compaction(meta, data);
            }
            "session.truncation" => {
                let removed = data.integer("messagesRemovedDuringTruncation").unwrap_or(0);
                let tokens = data.integer("tokensRemovedDuringTruncation").unwrap_or(0);
                self.context.truncate(usize::try_from(removed).unwrap_or(0));
                self.touch(Section::ModelContext);
                let text = format!(
                    "The oldest {removed} messages ({} tokens) were cut from the model's view",
                    words::count(tokens)
                );
                let place = self.notice(meta, Level::Milestone, "truncation", text);
                self.notice_facts(place, None, Some(pretty(&data.rest())));
            }
            "session.snapshot_rewind" => self.rewound(meta, &mut data),
            "session.context_cleared" => self.cleared(meta, &mut data),
            "session.task_complete" => {
                let success = data.flag("success").unwrap_or(true);
                let outcome = data.filled("outcome");
                let text = data.filled("summary").or_else(|| data.filled("reason"));
                let place = self.add_entry(None, Kind::Summary, meta.id.to_owned(), meta);
                let failed = !success || outcome.as_deref() == Some("blocked");
                self.update(place, |entry| {
                    entry.state = if failed { EntryState::Failed } else { EntryState::Done };
                });
                let said = if failed { "The task could not be completed" } else { "Task complete" };
                self.replace_text(place, text.unwrap_or_else(|| said.to_owned()));
            }
            "session.mode_notice_delivered" => {
                if let Some(content) = data.filled("content") {
                    self.told_model(meta, content);
                }
            }
            "session.fusion_handoff" => {
                if let Some(content) = data.object("message").filled("content") {
                    self.told_model(meta, content);
                }
                return Some(data);
            }
            "session.shutdown" => self.shut_down(meta, data),
            _ => return Some(data),
        }
        self.touch(Section::Session);
        None
    }

    fn milestone(&mut self, meta: Meta<'_>, text: String) {
        let category = meta.kind.strip_prefix("session.").unwrap_or(meta.kind);
        self.notice(meta, Level::Milestone, category, text);
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
    fn interrupt_works(&mut self) {
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

    fn error(&mut self, meta: Meta<'_>, mut data: Fields) {
        let category = data.filled("errorType").unwrap_or_else(|| "error".to_owned());
        let text = data.filled("message").unwrap_or_else(|| "An error without a message".to_owned());
        let url = data.filled("url");
        let place = self.notice(meta, Level::Error, &category, text);
        let detail = (!data.is_empty()).then(|| pretty(&data.rest()));
        self.notice_facts(place, url, detail);
        // A notification of the level 'error' is a message, not the session's failure.
        if category != "notification" && meta.agent.is_none() {
            self.interrupt_streams(None, false);
            self.set_phase(Phase::Error);
        }
    }

    fn message(&mut self, meta: Meta<'_>, mut data: Fields) {
        let (level, name) = if meta.kind == "session.info" {
            (Level::Info, "infoType")
        } else {
            (Level::Warning, "warningType")
        };
        let category = data.filled(name).unwrap_or_else(|| level.word().to_owned());
        let text = data.filled("message").unwrap_or_else(|| format!("{category}, without a message"));
        let (url, tip) = (data.filled("url"), data.filled("tip"));
        let place = self.notice(meta, level, &category, text);
        self.notice_facts(place, url, tip);
    }

    fn compaction(&mut self, meta: Meta<'_>, mut data: Fields) {
        const OPEN: &str = "compaction";
        if meta.kind == "session.compaction_start" {
            let place = self.add_entry(None, Kind::Compaction, meta.id.to_owned(), meta);
            self.index.insert((Space::Named, OPEN.to_owned()), place);
            self.update(place, |entry| entry.state = EntryState::Running);
            self.replace_text(place, "Compacting the conversation".to_owned());
            return;
        }
        let place = match self.index.remove(&(Space::Named, OPEN.to_owned())) {
            Some(place) => place,
            None => self.add_entry(None, Kind::Compaction, meta.id.to_owned(), meta),
        };
        self.commit(place, meta);
        let success = data.flag("success").unwrap_or(false);
        let (before, after) = (data.integer("preCompactionTokens"), data.integer("postCompactionTokens"));
        let text = match (success, before, after) {
            (false, ..) => format!("Compaction failed{}", words::because(data.filled("error").as_deref())),
            (true, Some(before), Some(after)) => {
                format!("Compacted: {} → {} tokens", words::count(before), words::count(after))
            }
            _ => "Compacted".to_owned(),
        };
        // `messagesRemoved` is the net figure: the summary that takes their place counts against it.
        let removed = data.integer("messagesRemoved").and_then(|n| usize::try_from(n.saturating_add(1)).ok());
        let facts = data.clone().rest();
        if let (true, Some(summary)) = (success, data.text("summaryContent")) {
            self.context.compact(removed, &summary, meta.id, meta.number);
            self.touch(Section::ModelContext);
        }
        self.update(place, |entry| {
            entry.state = if success { EntryState::Done } else { EntryState::Failed };
            entry.body = Body::Facts { event_type: meta.kind.to_owned(), facts };
        });
        self.replace_text(place, text);
    }

    fn rewound(&mut self, meta: Meta<'_>, data: &mut Fields) {
        let target = data.filled("upToEventId").unwrap_or_default();
        let removed = data.integer("eventsRemoved").unwrap_or(0);
        if let Some(number) = self.persisted_numbers.get(&target).copied() {
            self.context.rewind(number);
            self.touch(Section::ModelContext);
        } else {
            let message =
                format!("rewind to event {target}, which is not in this log: the model's view may be stale");
            self.diagnose("warning", message, Some(meta.id.to_owned()));
        }
        self.milestone(meta, format!("Rewound: {removed} events are gone from the model's view"));
    }

    fn cleared(&mut self, meta: Meta<'_>, data: &mut Fields) {
        self.context.clear();
        let removed = data.integer("messagesCleared").unwrap_or(0);
        if let Some(first) = data.filled("initialMessage") {
            self.told_model(meta, first);
        }
        self.touch(Section::ModelContext);
        self.milestone(meta, format!("Context cleared: {removed} messages are gone from the model's view"));
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

    fn shut_down(&mut self, meta: Meta<'_>, mut data: Fields) {
        self.interrupt(None, true);
        self.interrupt_works();
        self.stale_requests("The session ended", |request| request.kind != RequestKind::Confirmation);
        let error = data.filled("errorReason");
        let crashed = data.filled("shutdownType").as_deref() == Some("error");
        self.usage.set_context(&mut data);
        let mut changes = data.object("codeChanges");
        let (added, removed) = (changes.integer("linesAdded"), changes.integer("linesRemoved"));
        let spent = data.integer("totalApiDurationMs").filter(|ms| *ms > 0).map(time::duration);
        let mut text = if crashed { "Session crashed" } else { "Session ended" }.to_owned();
        if let Some(error) = error {
            text = format!("{text}: {error}");
        }
        if let (Some(added), Some(removed)) = (added, removed)
            && (added > 0 || removed > 0)
        {
            text = format!("{text} · +{added} −{removed}");
        }
        if let Some(spent) = spent {
            text = format!("{text} · {spent} of model time");
        }
        let level = if crashed { Level::Error } else { Level::Milestone };
        let place = self.notice(meta, level, "shutdown", text);
        self.notice_facts(place, None, Some(pretty(&data.rest())));
        self.touch(Section::Usage);
        self.set_phase(Phase::Ended);
    }
}

/// The persisted log tells the same change in older words.
fn persisted_permission_mode(data: &mut Fields) -> Option<String> {
    let allows = data.flag("allowAllPermissions");
    match (data.filled("allowAllPermissionMode").as_deref(), allows) {
        (Some("on"), _) | (None, Some(true)) => Some("allow-all".to_owned()),
        (Some("off"), _) | (None, Some(false)) => Some("manual".to_owned()),
        (other, _) => other.map(str::to_owned),
    }
}
