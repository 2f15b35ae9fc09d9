//! Handles milestones: lasting changes, from what to what, with their
//! figures. Other notices are in `notices`.

use std::collections::HashSet;

use super::endings::{EndCause, EndScope};
use super::recovery::blocker;
use super::{EventMeta, pretty};
use crate::i18n::Phrase;
use crate::i18n::format;
use crate::i18n::words::notices;
use crate::model::entry::{Body, Entry, EntryState, Kind, Level, Notice};
use crate::model::model_context::{Message, Role};
use crate::model::state::info::RewindTo;
use crate::model::state::{EventId, Phase, Section, Space, State};
use crate::protocol::EventKind;
use crate::view_model::entry_words::task_outcome;
use crate::wire::fields::Fields;

impl State {
    pub(super) fn milestone(&mut self, meta: EventMeta<'_>, phrase: Phrase) -> usize {
        let category = meta.name.strip_prefix("session.").unwrap_or(meta.name);
        self.notice(meta, Level::Milestone, category, phrase)
    }

    pub(super) fn mode_changed(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let previous = data.non_empty_text("previousMode");
        let mode = data.non_empty_text("newMode");
        let mut from = previous.as_deref().map(Phrase::mode_name);
        let mut to = mode.as_deref().map_or_else(|| notices::UNKNOWN.into(), Phrase::mode_name);
        // An agent with modes of its own says what it calls the one that changed.
        if let Some(name) = data.non_empty_text("newName") {
            (from, to) = (data.non_empty_text("previousName").map(Into::into), name.into());
        }
        let phrase = match (data.non_empty_text("setting"), from) {
            (Some(setting), Some(from)) => {
                notices::SETTING_CHANGED.phrase(vec![("setting", setting.into()), ("from", from), ("to", to)])
            }
            (_, from) => notices::MODE_CHANGED.phrase(vec![("from", from.into()), ("mode", to)]),
        };
        self.milestone(meta, phrase);
        self.info.set_mode(mode);
    }

    pub(super) fn model_changed(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let whole = pretty(&data.clone().rest());
        let (previous, model) = (data.non_empty_text("previousModel"), data.non_empty_text("newModel"));
        let (effort_before, effort) =
            (data.non_empty_text("previousReasoningEffort"), data.non_empty_text("reasoningEffort"));
        let (word, from) = if previous == model && effort_before != effort {
            (notices::EFFORT_CHANGED, effort_before.clone())
        } else {
            (notices::MODEL_CHANGED, previous.clone())
        };
        let cause = data.non_empty_text("cause");
        // Which model a session begins with is in the header. Nobody has changed it.
        let is_first = previous.is_none() && effort_before.is_none() && cause.is_none();
        if !(is_first && self.info.begins_with(model.as_deref())) {
            let phrase = word.phrase(vec![
                ("model", named(model.as_deref())),
                ("from", from.into()),
                ("effort", effort.clone().into()),
                ("cause", cause.into()),
            ]);
            let place = self.milestone(meta, phrase);
            self.notice_facts(place, None, Some(whole.into()));
        }
        let at = (meta.number, self.persisted);
        self.info.change_model(at, (previous, effort_before), (model, effort));
    }

    /// The model that a person chose is no longer offered. Which one comes next is not known before it answers.
    pub(super) fn model_deselected(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let why = data.non_empty_text("reason").unwrap_or_default();
        let readable = format::in_words(&why);
        let phrase = notices::MODEL_DESELECTED.phrase(vec![
            ("model", named(data.non_empty_text("previousModel").as_deref())),
            ("why", why.into()),
            ("said", readable.into()),
        ]);
        self.milestone(meta, phrase);
        self.info.deselect_model((meta.number, self.persisted));
    }

    pub(super) fn permissions_changed(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let whole = pretty(&data.clone().rest());
        let mode = data.non_empty_text("mode").or_else(|| persisted_permission_mode(&mut data));
        let place = self.milestone(
            meta,
            notices::PERMISSIONS.phrase(vec![
                ("mode", mode.clone().into()),
                ("said", Phrase::runtime_word(mode.as_deref().unwrap_or_default())),
            ]),
        );
        self.notice_facts(place, None, Some(whole.into()));
        self.info.permission_mode = mode.or(self.info.permission_mode.take());
    }

    pub(super) fn compaction(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        // Each agent compacts its own conversation.
        let open = format!("compaction {}", meta.agent.unwrap_or_default());
        let why = ("why", data.non_empty_text("trigger").into());
        if meta.kind == EventKind::SessionCompactionStart {
            self.close(EndCause::Compaction, EndScope::of(meta.agent));
            let place = self.add_entry(None, Kind::Compaction, meta.id.to_owned(), meta);
            self.index_entry(Space::Named, open, place);
            self.open_compactions.push(place);
            self.update(place, |entry| entry.state = EntryState::Running);
            self.replace_phrase(place, notices::COMPACTING.phrase(vec![why]));
            return;
        }
        // One that was interrupted may complete after all.
        let place = match self.unindex(Space::Named, &open) {
            Some(place) => place,
            None => self.add_entry(None, Kind::Compaction, meta.id.to_owned(), meta),
        };
        self.open_compactions.retain(|open| *open != place);
        self.commit(place, meta);
        let facts = data.clone().rest();
        let success = data.flag("success").unwrap_or(false);
        let (before, after) = (data.integer("preCompactionTokens"), data.integer("postCompactionTokens"));
        let phrase = if success {
            let [before, after] = figures(before, after);
            notices::COMPACTED.phrase(vec![why, before, after])
        } else {
            notices::COMPACTION_FAILED.phrase(vec![("why", data.non_empty_text("error").into())])
        };
        // `messagesRemoved` is the net figure: the summary that takes their place counts against it.
        let removed = data.integer("messagesRemoved").and_then(|n| usize::try_from(n.saturating_add(1)).ok());
        if let (true, Some(summary)) = (success, data.text("summaryContent")) {
            let summary = Message::new(Role::User, summary, meta.id, meta.number);
            self.view_mut(meta.agent).compact(removed, summary, before.zip(after), place);
        }
        self.update(place, |entry| {
            entry.state = if success { EntryState::Done } else { EntryState::Failed };
            entry.body = Body::Facts { event_type: meta.name.to_owned(), facts };
        });
        self.replace_phrase(place, phrase);
    }

    pub(super) fn truncated(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let detail = pretty(&data.clone().rest());
        let removed = data.integer("messagesRemovedDuringTruncation").unwrap_or(0);
        let tokens = data.integer("tokensRemovedDuringTruncation").unwrap_or(0);
        let figure = |name: &str, data: &mut Fields| data.integer(name);
        let before = figure("preTruncationTokensInMessages", &mut data);
        let after = figure("postTruncationTokensInMessages", &mut data);
        let [before, after] = figures(before, after);
        let (n, tokens) = (("n", Phrase::Count(removed)), ("tokens", Phrase::Count(tokens)));
        let phrase = notices::TRUNCATED.phrase(vec![n, tokens, before, after]);
        let place = self.notice(meta, Level::Milestone, "truncation", phrase);
        let removed = usize::try_from(removed).unwrap_or(0);
        self.view_mut(meta.agent).truncate(removed, place, meta.number);
        self.notice_facts(place, None, Some(detail.into()));
    }

    pub(super) fn rewind(&mut self, meta: EventMeta<'_>, data: &mut Fields) {
        let target = data.non_empty_text("upToEventId").unwrap_or_default();
        let removed = data.integer("eventsRemoved").unwrap_or(0);
        let known = self.persisted_numbers.get(&EventId::of(&target)).copied();
        self.close(EndCause::Compaction, EndScope::of(meta.agent));
        if meta.agent.is_none() {
            let left = self.persisted.saturating_sub(u64::try_from(removed).unwrap_or(0));
            self.info.rewind_model(known.map_or(RewindTo::Left(left), RewindTo::Event));
        }
        let place = self.milestone(meta, notices::REWOUND.phrase(vec![("n", Phrase::Count(removed))]));
        let listed = data.texts("eventIds");
        let listed: HashSet<u64> =
            listed.iter().filter_map(|id| self.persisted_numbers.get(&EventId::of(id)).copied()).collect();
        if let Some(from) = known.or_else(|| listed.iter().min().copied()) {
            // Events that are not listed have stayed: those of a background agent, say, amid the turn that is gone.
            let counts = |number: u64| number < from || (!listed.is_empty() && !listed.contains(&number));
            let undone = self.view_mut(meta.agent).rewind(counts, place, meta.number);
            // A sub-agent's conversation is its own.
            let whose = if meta.agent.is_some() { EndScope::of(meta.agent) } else { EndScope::Everyone };
            let after = |entry: &Entry| {
                whose.has(entry)
                    && match entry.committed {
                        Some(number) => !counts(number),
                        None => entry.first_seen >= from && (listed.is_empty() || entry.agent_id.is_none()),
                    }
            };
            let entries = self.entries.iter().enumerate();
            let rewound_entries =
                entries.filter(|(_, entry)| goes_back(entry.kind) && !entry.rewound && after(entry));
            let rewound_entries: Vec<usize> = rewound_entries.map(|(at, _)| at).chain(undone).collect();
            for at in rewound_entries {
                self.update(at, |entry| entry.rewound = true);
            }
        } else {
            let message =
                format!("rewind to event {target}, which is not in this log: the model's view may be stale");
            self.diagnose("warning", message, Some(meta.id.to_owned()));
        }
    }

    pub(super) fn clear_context(&mut self, meta: EventMeta<'_>, data: &mut Fields) {
        let removed = data.integer("messagesCleared").unwrap_or(0);
        let first = data.non_empty_text("initialMessage");
        self.close(EndCause::Compaction, EndScope::of(meta.agent));
        let place = self.milestone(meta, notices::CLEARED.phrase(vec![("n", Phrase::Count(removed))]));
        self.view_mut(meta.agent).clear(place, meta.number);
        if let Some(first) = &first {
            self.set_model(meta, first.clone(), None);
        }
        self.notice_facts(place, None, first.map(Into::into));
    }

    pub(super) fn task_complete(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let blocker = blocker(data.object("blocker"));
        let success = data.flag("success").unwrap_or(blocker.is_none());
        let outcome = data.non_empty_text("outcome");
        let state = match outcome.as_deref() {
            Some("blocked") => EntryState::Failed,
            Some("continue") => EntryState::Interrupted,
            _ if success => EntryState::Done,
            _ => EntryState::Failed,
        };
        let text = data.non_empty_text("summary").or_else(|| data.non_empty_text("reason"));
        let place = self.add_entry(None, Kind::Summary, meta.id.to_owned(), meta);
        self.update(place, |entry| entry.state = state);
        self.replace_phrase(place, text.map_or_else(|| task_outcome(state).into(), Phrase::Text));
        if let Some(blocker) = blocker {
            self.notice(meta, Level::Warning, "permission_recovery", blocker);
        }
    }

    /// Notices of the kinds that `route_others` sends here, whose text is made of several fields. A new kind needs an arm
    /// of its own: the last one is for `session.managed_settings_enforced`.
    pub(super) fn notice_of_several_fields(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let whole = pretty(&data.clone().rest());
        let mut part = |name: &str| data.non_empty_text(name);
        let readable = |word: Option<String>| word.map(|word| Phrase::runtime_word(&word));
        let (level, phrase, detail) = match meta.kind {
            EventKind::SessionHandoff => {
                let kind = part("sourceType");
                let said = Phrase::runtime_word(kind.as_deref().unwrap_or_default());
                let from = notices::HANDED_OFF.phrase(vec![("kind", kind.into()), ("said", said)]);
                let parts: Vec<String> = [part("summary"), part("context")].into_iter().flatten().collect();
                let mut place = data.object("repository");
                let name = place.non_empty_text("owner").zip(place.non_empty_text("name"));
                let name = name.map(|(owner, name)| format!("{owner}/{name}"));
                let place = [name, place.non_empty_text("branch")].into_iter().flatten().map(Phrase::Text);
                let phrase = Phrase::Joined(std::iter::once(from).chain(place).collect(), " · ");
                (Level::Milestone, phrase, (!parts.is_empty()).then(|| parts.join("\n\n")))
            }
            EventKind::SessionFusionRouteFailed => {
                let phrase =
                    notices::FUSION_ROUTE_FAILED.phrase(vec![("model", part("fallbackModel").into())]);
                (Level::Warning, phrase, Some(whole))
            }
            EventKind::AssistantFusionPhaseFailed => {
                let name = readable(part("phaseKind")).unwrap_or_else(|| "".into());
                let why = part("errorMessage").or_else(|| part("reason"));
                let phrase = notices::FUSION_PHASE_FAILED.phrase(vec![
                    ("phase", Phrase::Capitalised(Box::new(name))),
                    ("model", part("model").into()),
                    ("why", why.into()),
                ]);
                (Level::Warning, phrase, Some(whole))
            }
            EventKind::SessionAutoTierSwitchFailed => {
                let phrase = notices::AUTO_TIER_FAILED.phrase(vec![
                    ("tier", readable(part("requestedAutoTier")).into()),
                    ("stays", readable(part("effectiveAutoTier")).into()),
                    ("why", readable(part("reason")).unwrap_or_else(|| "".into())),
                ]);
                (Level::Warning, phrase, Some(whole))
            }
            _ => {
                let setting = part("setting").unwrap_or_default();
                let prevents = || notices::POLICY_PREVENTS.phrase(vec![("setting", setting.into())]);
                (Level::Warning, part("message").map_or_else(prevents, Phrase::Text), Some(whole))
            }
        };
        let category = match meta.name.rsplit_once('.') {
            Some((_, "managed_settings_enforced")) => "policy",
            Some((_, last)) => last,
            None => meta.name,
        };
        let mut notice = Notice::new(level, category);
        notice.detail = detail.map(Into::into);
        if level == Level::Milestone {
            self.notice_of(meta, notice, phrase);
        } else {
            self.repeatable_notice(meta, notice, phrase);
        }
    }

    pub(super) fn shut_down(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        self.close(EndCause::Session, EndScope::Everyone);
        let detail = pretty(&data.clone().rest());
        let crashed = data.non_empty_text("shutdownType").as_deref() == Some("error");
        self.usage.set_context(&mut data);
        self.info.infer_model(data.non_empty_text("currentModel"));
        let how = if crashed { "crashed" } else { "ended" };
        let why = data.non_empty_text("errorReason").into();
        let mut parts = vec![notices::SESSION_OVER.phrase(vec![("how", how.into()), ("why", why)])];
        let started = data.integer("sessionStartTime").filter(|start| *start > 0);
        if let Some(took) = started.zip(meta.at).map(|(start, end)| end - start).filter(|took| *took > 0) {
            parts.push(Phrase::Duration(took));
        }
        let requests = requests(data.object("modelMetrics"));
        if requests > 0 {
            parts.push(notices::REQUESTS.phrase(vec![("n", Phrase::Count(requests))]));
        }
        if let Some(spent) = data.integer("totalApiDurationMs").filter(|spent| *spent > 0) {
            parts.push(notices::MODEL_TIME.phrase(vec![("time", Phrase::Duration(spent))]));
        }
        let mut changes = data.object("codeChanges");
        let (added, removed) = (changes.integer("linesAdded"), changes.integer("linesRemoved"));
        if let (Some(added), Some(removed)) = (added, removed)
            && (added > 0 || removed > 0)
        {
            let files = i64::try_from(changes.list("filesModified").len()).unwrap_or(i64::MAX);
            parts.push(notices::CHANGED_LINES.phrase(vec![
                ("added", added.into()),
                ("removed", removed.into()),
                ("files", Phrase::Count(files)),
            ]));
        }
        self.usage.take_totals(&mut data.clone(), true);
        if let Some(cost) = data.number("totalPremiumRequests").filter(|cost| *cost > 0.0) {
            parts.push(Phrase::premium_requests(cost));
        }
        let level = if crashed { Level::Error } else { Level::Milestone };
        let place = self.notice(meta, level, "shutdown", Phrase::Joined(parts, " · "));
        self.notice_facts(place, None, Some(detail.into()));
        self.touch(Section::Usage);
        self.set_phase(Phase::Ended);
    }
}

/// Whether a rewind undoes such an entry: messages and actions. Modes,
/// models and permissions stay as they are.
fn goes_back(kind: Kind) -> bool {
    use Kind::{Assistant, Form, Permission, Plan, Question, Reasoning, Subagent, Summary, Tool, User};
    matches!(
        kind,
        User | Assistant | Reasoning | Tool | Permission | Question | Form | Plan | Subagent | Summary
    )
}

/// The number of calls to all models.
fn requests(models: Fields) -> i64 {
    let serde_json::Value::Object(models) = models.rest() else {
        return 0;
    };
    let count = |model: serde_json::Value| Fields::of(model).object("requests").integer("count").unwrap_or(0);
    models.into_iter().map(|(_, model)| count(model)).fold(0, i64::saturating_add)
}

/// The conversation's tokens before and after, if both are known.
fn figures(before: Option<i64>, after: Option<i64>) -> [(&'static str, Phrase); 2] {
    let (before, after) = before.zip(after).unzip();
    [("before", before.map(Phrase::Count).into()), ("after", after.map(Phrase::Count).into())]
}

/// The name of a mode or a model.
fn named(name: Option<&str>) -> Phrase {
    name.map_or_else(|| notices::UNKNOWN.into(), Phrase::from)
}

/// The mode from the persisted log, which has the same change in older words.
fn persisted_permission_mode(data: &mut Fields) -> Option<String> {
    let allows = data.flag("allowAllPermissions");
    match (data.non_empty_text("allowAllPermissionMode").as_deref(), allows) {
        (Some("on"), _) | (None, Some(true)) => Some("allow-all".to_owned()),
        (Some("off"), _) | (None, Some(false)) => Some("manual".to_owned()),
        (other, _) => other.map(str::to_owned),
    }
}
