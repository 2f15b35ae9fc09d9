//! Milestones: what changed from here on, from what to what, with its figures. Refuses notices of no consequence.

use super::{Meta, pretty};
use crate::core::change::Section;
use crate::core::entry::{Body, EntryState, Kind, Level, Notice};
use crate::core::fields::Fields;
use crate::core::model_context::{Message, Role};
use crate::core::request::RequestKind;
use crate::core::state::{Phase, Space, State};
use crate::core::time;
use crate::core::words;

impl State {
    pub(super) fn milestone(&mut self, meta: Meta<'_>, text: String) -> usize {
        let category = meta.kind.strip_prefix("session.").unwrap_or(meta.kind);
        self.notice(meta, Level::Milestone, category, text)
    }

    pub(super) fn mode_changed(&mut self, meta: Meta<'_>, mut data: Fields) {
        let previous = data.filled("previousMode");
        let mode = data.filled("newMode");
        let named = mode.as_deref().unwrap_or("unknown");
        self.milestone(meta, format!("Mode: {}{named}", words::from(previous.as_deref())));
        self.info.mode = mode.or(self.info.mode.take());
    }

    pub(super) fn model_changed(&mut self, meta: Meta<'_>, mut data: Fields) {
        let (previous, model) = (data.filled("previousModel"), data.filled("newModel"));
        let (effort_before, effort) =
            (data.filled("previousReasoningEffort"), data.filled("reasoningEffort"));
        let named = model.as_deref().unwrap_or("unknown");
        let mut text = if previous == model && effort_before != effort {
            let effort = effort.as_deref().unwrap_or("the model's own");
            format!("Effort of {named}: {}{effort}", words::from(effort_before.as_deref()))
        } else {
            let with = effort.as_ref().map_or_else(String::new, |effort| format!(", {effort} effort"));
            format!("Model: {}{named}{with}", words::from(previous.as_deref()))
        };
        match data.filled("cause").as_deref() {
            Some("rate_limit_auto_switch") => text.push_str(" because of a rate limit"),
            Some("refusal_fallback") => text.push_str(" because the other model declined"),
            _ => {}
        }
        self.milestone(meta, text);
        self.info.model = model.or(self.info.model.take());
        self.info.auto_model = None;
        self.info.reasoning_effort = effort;
    }

    pub(super) fn permissions_changed(&mut self, meta: Meta<'_>, mut data: Fields) {
        let mode = data.filled("mode").or_else(|| persisted_permission_mode(&mut data));
        let words = match mode.as_deref() {
            Some("allow-all") => "Permissions: everything is allowed without asking".to_owned(),
            Some("assisted") => "Permissions: a model decides, and asks when in doubt".to_owned(),
            Some("manual") => "Permissions: asked for one by one".to_owned(),
            other => format!("Permissions: {}", other.unwrap_or("unknown")),
        };
        self.milestone(meta, words);
        self.info.permission_mode = mode.or(self.info.permission_mode.take());
    }

    pub(super) fn compaction(&mut self, meta: Meta<'_>, mut data: Fields) {
        const OPEN: &str = "compaction";
        let why = data.filled("trigger");
        let why = why.as_deref().map_or("", trigger);
        if meta.kind == "session.compaction_start" {
            let place = self.add_entry(None, Kind::Compaction, meta.id.to_owned(), meta);
            self.index.insert((Space::Named, OPEN.to_owned()), place);
            self.update(place, |entry| entry.state = EntryState::Running);
            self.replace_text(place, format!("Compacting the conversation{why}"));
            return;
        }
        let place = match self.index.remove(&(Space::Named, OPEN.to_owned())) {
            Some(place) => place,
            None => self.add_entry(None, Kind::Compaction, meta.id.to_owned(), meta),
        };
        self.commit(place, meta);
        let facts = data.clone().rest();
        let success = data.flag("success").unwrap_or(false);
        let (before, after) = (data.integer("preCompactionTokens"), data.integer("postCompactionTokens"));
        let text = match (success, before, after) {
            (false, ..) => format!("Compaction failed{}", words::because(data.filled("error").as_deref())),
            (true, Some(before), Some(after)) => {
                format!("Compacted{why}: {} → {} tokens", words::count(before), words::count(after))
            }
            _ => format!("Compacted{why}"),
        };
        // `messagesRemoved` is the net figure: the summary that takes their place counts against it.
        let removed = data.integer("messagesRemoved").and_then(|n| usize::try_from(n.saturating_add(1)).ok());
        if let (true, Some(summary)) = (success, data.text("summaryContent")) {
            let summary = Message::new(Role::User, summary, meta.id, meta.number);
            self.view_mut(meta.agent).compact(removed, summary, before.zip(after), place);
        }
        self.update(place, |entry| {
            entry.state = if success { EntryState::Done } else { EntryState::Failed };
            entry.body = Body::Facts { event_type: meta.kind.to_owned(), facts };
        });
        self.replace_text(place, text);
    }

    pub(super) fn truncated(&mut self, meta: Meta<'_>, mut data: Fields) {
        let detail = pretty(&data.clone().rest());
        let removed = data.integer("messagesRemovedDuringTruncation").unwrap_or(0);
        let tokens = data.integer("tokensRemovedDuringTruncation").unwrap_or(0);
        let mut text = format!(
            "The oldest {} ({} tokens) were cut from the model's view",
            words::counted(removed, "message"),
            words::count(tokens)
        );
        if removed == 1 {
            text =
                format!("The oldest message ({} tokens) was cut from the model's view", words::count(tokens));
        }
        let figure = |name: &str, data: &mut Fields| data.integer(name);
        let before = figure("preTruncationTokensInMessages", &mut data);
        let after = figure("postTruncationTokensInMessages", &mut data);
        if let (Some(before), Some(after)) = (before, after) {
            text = format!("{text}: {} → {} tokens", words::count(before), words::count(after));
        }
        let place = self.notice(meta, Level::Milestone, "truncation", text);
        let removed = usize::try_from(removed).unwrap_or(0);
        self.view_mut(meta.agent).truncate(removed, place, meta.number);
        self.notice_facts(place, None, Some(detail));
    }

    pub(super) fn rewound(&mut self, meta: Meta<'_>, data: &mut Fields) {
        let target = data.filled("upToEventId").unwrap_or_default();
        let removed = data.integer("eventsRemoved").unwrap_or(0);
        let (what, are) = (words::counted(removed, "event"), if removed == 1 { "is" } else { "are" });
        let place = self.milestone(meta, format!("Rewound: {what} {are} gone from the model's view"));
        if let Some(number) = self.persisted_numbers.get(&target).copied() {
            self.view_mut(meta.agent).rewind(number, place, meta.number);
        } else {
            let message =
                format!("rewind to event {target}, which is not in this log: the model's view may be stale");
            self.diagnose("warning", message, Some(meta.id.to_owned()));
        }
    }

    pub(super) fn cleared(&mut self, meta: Meta<'_>, data: &mut Fields) {
        let removed = data.integer("messagesCleared").unwrap_or(0);
        let first = data.filled("initialMessage");
        let (what, are) = (words::counted(removed, "message"), if removed == 1 { "is" } else { "are" });
        let place = self.milestone(meta, format!("Context cleared: {what} {are} gone from the model's view"));
        self.view_mut(meta.agent).clear(place, meta.number);
        if let Some(first) = &first {
            self.told_model(meta, first.clone(), None);
        }
        self.notice_facts(place, None, first);
    }

    pub(super) fn task_complete(&mut self, meta: Meta<'_>, mut data: Fields) {
        let success = data.flag("success").unwrap_or(true);
        let outcome = data.filled("outcome");
        let state = match outcome.as_deref() {
            Some("blocked") => EntryState::Failed,
            Some("continue") => EntryState::Interrupted,
            _ if success => EntryState::Done,
            _ => EntryState::Failed,
        };
        let text = data.filled("summary").or_else(|| data.filled("reason"));
        let place = self.add_entry(None, Kind::Summary, meta.id.to_owned(), meta);
        self.update(place, |entry| entry.state = state);
        self.replace_text(place, text.unwrap_or_else(|| words::task_outcome(state).to_owned()));
    }

    /// Events whose words are made of several fields.
    pub(super) fn told_in_words(&mut self, meta: Meta<'_>, mut data: Fields) {
        let whole = pretty(&data.clone().rest());
        let mut part = |name: &str| data.filled(name);
        let spaced = |word: Option<String>| word.unwrap_or_default().replace('_', " ");
        let (level, text, detail) = match meta.kind {
            "session.handoff" => {
                let from = match part("sourceType") {
                    Some(kind) => format!("a {kind} session"),
                    None => "another session".to_owned(),
                };
                let told: Vec<String> = [part("summary"), part("context")].into_iter().flatten().collect();
                let mut place = data.object("repository");
                let name = place.filled("owner").zip(place.filled("name"));
                let name = name.map_or_else(String::new, |(owner, name)| format!(" · {owner}/{name}"));
                let branch = place.filled("branch").map_or_else(String::new, |branch| format!(" · {branch}"));
                let text = format!("Handed off from {from}{name}{branch}");
                (Level::Milestone, text, (!told.is_empty()).then(|| told.join("\n\n")))
            }
            "session.fusion_route_failed" => {
                let model = part("fallbackModel").unwrap_or_else(|| "another model".to_owned());
                let text = format!("The models for this turn could not be chosen: {model} answers alone");
                (Level::Warning, text, Some(whole))
            }
            "assistant.fusion_phase_failed" => {
                let phase = words::capitalised(&spaced(part("phaseKind")));
                let model = part("model").map_or_else(String::new, |model| format!(" by {model}"));
                let why = words::because(part("errorMessage").or_else(|| part("reason")).as_deref());
                (Level::Warning, format!("{phase}{model} failed{why}"), Some(whole))
            }
            "session.auto_tier_switch_failed" => {
                let tier = part("requestedAutoTier").unwrap_or_else(|| "the default".to_owned());
                let stays =
                    part("effectiveAutoTier").map_or_else(String::new, |t| format!("; it stays at {t}"));
                let why = spaced(part("reason"));
                (Level::Warning, format!("Auto could not switch to {tier}: {why}{stays}"), Some(whole))
            }
            _ => {
                let setting = part("setting").unwrap_or_default();
                let text = part("message");
                let text =
                    text.unwrap_or_else(|| format!("Your organization's setting {setting} prevents this"));
                (Level::Warning, text, Some(whole))
            }
        };
        let category = match meta.kind.rsplit_once('.') {
            Some((_, "managed_settings_enforced")) => "policy",
            Some((_, last)) => last,
            None => meta.kind,
        };
        let mut notice = Notice::new(level, category);
        notice.detail = detail;
        if level == Level::Milestone {
            self.notice_of(meta, notice, text);
        } else {
            self.say(meta, notice, text);
        }
    }

    pub(super) fn shut_down(&mut self, meta: Meta<'_>, mut data: Fields) {
        self.interrupt(None, true);
        self.interrupt_works();
        self.stale_requests("The session ended", |request| request.kind != RequestKind::Confirmation);
        let detail = pretty(&data.clone().rest());
        let crashed = data.filled("shutdownType").as_deref() == Some("error");
        self.usage.set_context(&mut data);
        let end = if crashed { "Session crashed" } else { "Session ended" };
        let mut parts = vec![format!("{end}{}", words::because(data.filled("errorReason").as_deref()))];
        let started = data.integer("sessionStartTime").filter(|start| *start > 0);
        if let Some(took) = started.zip(meta.at).map(|(start, end)| end - start).filter(|took| *took > 0) {
            parts.push(time::duration(took));
        }
        let requests = requests(data.object("modelMetrics"));
        if requests > 0 {
            parts.push(words::counted(requests, "request"));
        }
        if let Some(spent) = data.integer("totalApiDurationMs").filter(|spent| *spent > 0) {
            parts.push(format!("{} of model time", time::duration(spent)));
        }
        let mut changes = data.object("codeChanges");
        let (added, removed) = (changes.integer("linesAdded"), changes.integer("linesRemoved"));
        if let (Some(added), Some(removed)) = (added, removed)
            && (added > 0 || removed > 0)
        {
            let files = i64::try_from(changes.list("filesModified").len()).unwrap_or(i64::MAX);
            let files =
                if files == 0 { String::new() } else { format!(" in {}", words::counted(files, "file")) };
            parts.push(format!("+{added} −{removed}{files}"));
        }
        if let Some(cost) = data.number("totalPremiumRequests").filter(|cost| *cost > 0.0) {
            parts.push(words::premium(cost));
        }
        let level = if crashed { Level::Error } else { Level::Milestone };
        let place = self.notice(meta, level, "shutdown", parts.join(" · "));
        self.notice_facts(place, None, Some(detail));
        self.touch(Section::Usage);
        self.set_phase(Phase::Ended);
    }
}

/// Model calls of all models.
fn requests(models: Fields) -> i64 {
    let serde_json::Value::Object(models) = models.rest() else {
        return 0;
    };
    let count = |model: serde_json::Value| Fields::of(model).object("requests").integer("count").unwrap_or(0);
    models.into_iter().map(|(_, model)| count(model)).fold(0, i64::saturating_add)
}

/// What started a compaction.
fn trigger(word: &str) -> &'static str {
    match word {
        "threshold" => " because the context window filled up",
        "context_limit_retry" => " because the context window was full",
        "manual" => " as asked",
        "memory_pressure" => " to free memory",
        "model_switch" => " for the next model",
        _ => "",
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
