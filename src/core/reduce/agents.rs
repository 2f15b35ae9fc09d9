//! Handles the events of sub-agents, skills and hooks. What sub-agents say is handled like any other message.

use super::EventMeta;
use super::endings::{EndCause, EndScope};
use crate::i18n::format;
use crate::i18n::words::notices;
use crate::model::entry::{Body, Entry, EntryState, Kind, Level, Notice, Subagent};
use crate::model::model_context::ModelContext;
use crate::model::state::{Space, State};
use crate::model::work::Work;
use crate::protocol::EventKind;
use crate::wire::fields::Fields;

/// How many messages back a skill's text is looked for. Its two events come in the same turn.
const RECENT: usize = 64;

impl State {
    pub(super) fn agents(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        match meta.kind {
            EventKind::SubagentStarted => self.subagent_started(meta, data),
            EventKind::SubagentCompleted | EventKind::SubagentFailed => self.subagent_ended(meta, data),
            // That a sub-agent's own definition is selected inside of it tells nothing new.
            EventKind::SubagentSelected if meta.agent.is_none() => {
                let name =
                    data.non_empty_text("agentDisplayName").or_else(|| data.non_empty_text("agentName"));
                let phrase = notices::AGENT_SELECTED.phrase(vec![("name", name.unwrap_or_default().into())]);
                self.notice(meta, Level::Milestone, meta.name, phrase);
            }
            EventKind::SubagentDeselected if meta.agent.is_none() => {
                self.notice(meta, Level::Milestone, meta.name, notices::AGENT_DEFAULT.into());
            }
            EventKind::SubagentConfigured => {
                let (model, effort) = (data.non_empty_text("model"), data.non_empty_text("reasoningEffort"));
                self.agent_configured(meta, model, effort);
            }
            EventKind::SkillInvoked => self.skill_invoked(meta, data),
            EventKind::SkillInvokedRef => {
                let name = data.text("name").unwrap_or_default();
                self.skill_again = true;
                let phrase = notices::SKILL_AGAIN.phrase(vec![("name", name.into())]);
                self.notice(meta, Level::Info, "skill", phrase);
            }
            // The model has this text from `skill.invoked`, word for word, unless that event did not come.
            EventKind::SkillContextDelivered => {
                if let Some(content) = data.non_empty_text("content") {
                    let view = self.view_of(meta.agent).map(ModelContext::messages).unwrap_or_default();
                    let has_it = view.iter().rev().take(RECENT).any(|message| message.content == content);
                    if !has_it {
                        self.set_model(meta, content, None);
                    }
                }
            }
            EventKind::SkillContextDeliveredRef => self.repeat_skill(meta, &mut data),
            EventKind::UiEphemeralQuery => self.side_question(meta, data),
            EventKind::HookEnd => self.hook_ended(meta, data),
            EventKind::HookProgress => self.hook_progress(meta, data),
            _ => {}
        }
    }

    /// A sub-agent's model is its own, and is shown in the sub-agent's line.
    pub(super) fn agent_configured(
        &mut self,
        meta: EventMeta<'_>,
        model: Option<String>,
        effort: Option<String>,
    ) {
        let Some(place) = meta.agent.and_then(|agent| self.agent_place(agent)) else { return };
        self.update(place, |entry| {
            if let Body::Subagent(agent) = &mut entry.body {
                agent.model = model.or(agent.model.take());
                agent.effort = effort;
            }
        });
    }

    /// A question on the side: its answer streams in pieces and is never persisted.
    fn side_question(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let id = data.non_empty_text("requestId").unwrap_or_else(|| meta.id.to_owned());
        let key = format!("query {id}");
        let place = if let Some(place) = self.place(Space::Named, &key) {
            place
        } else {
            let place = self.notice(meta, Level::Info, "ephemeral_query", "".into());
            self.index_entry(Space::Named, key, place);
            self.update(place, |entry| entry.id = id);
            place
        };
        let phase = data.text("phase").unwrap_or_default();
        let state = match phase.as_str() {
            "completed" => EntryState::Done,
            "failed" => EntryState::Failed,
            "aborted" => EntryState::Interrupted,
            _ => EntryState::Streaming,
        };
        self.update(place, |entry| entry.state = state);
        if let Some(chunk) = data.text("chunk") {
            self.append_text(place, &chunk);
        }
        if let Some(whole) = data.non_empty_text("answer").or_else(|| data.non_empty_text("error")) {
            self.replace_text(place, whole);
        }
    }

    fn subagent_started(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let id = data.non_empty_text("toolCallId").unwrap_or_else(|| meta.id.to_owned());
        let place = match self.subagent_place(&id) {
            Some(place) => place,
            None => self.add_entry(Some(Space::Subagent), Kind::Subagent, id, meta),
        };
        if let Some(agent) = meta.agent {
            self.index_entry(Space::Named, format!("agent {agent}"), place);
        }
        self.commit(place, meta);
        let parent = self.parent_agent(place, data.non_empty_text("parentId"));
        let mut work = Work::default();
        work.begin(meta.at);
        let agent = Subagent {
            name: data.text("agentName").unwrap_or_default(),
            display_name: data.text("agentDisplayName").unwrap_or_default(),
            description: data.text("agentDescription").unwrap_or_default(),
            model: data.non_empty_text("model"),
            background: data.non_empty_text("executionMode").as_deref() == Some("background"),
            parent,
            turn: self.turn,
            work,
            ..Subagent::default()
        };
        let text = title(&agent);
        self.update(place, |entry| {
            entry.state = EntryState::Running;
            entry.body = Body::Subagent(Box::new(agent));
        });
        self.replace_text(place, text);
    }

    /// The agent that started a sub-agent: the one whose `task` call it is, else the one that the
    /// event names. Never the sub-agent itself.
    fn parent_agent(&self, place: usize, named: Option<String>) -> Option<usize> {
        let call =
            self.entry(place).and_then(|entry| self.tool_place(&entry.id)).and_then(|call| self.entry(call));
        let caller = call.and_then(|call| match (&call.agent_id, &call.parent_tool_call_id) {
            (Some(agent), _) => self.agent_place(agent),
            (None, Some(task)) => self.subagent_place(task),
            (None, None) => None,
        });
        let parent = caller.or_else(|| self.agent_place(&named?));
        // An agent's entry always comes after the one of the agent that started it, so a chain of parents
        // ends.
        parent.filter(|parent| *parent < place)
    }

    fn subagent_ended(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let id = data.non_empty_text("toolCallId").unwrap_or_else(|| meta.id.to_owned());
        let known = self.subagent_place(&id);
        let named = known.and_then(|place| self.entry(place)?.agent_id.clone());
        self.close(EndCause::Agent, EndScope::Agent { id: named.as_deref().or(meta.agent), task: Some(&id) });
        let place = match known {
            // The first end counts: at shutdown the runtime reports finished agents again, as cancelled. That a stop or a
            // restart has interrupted an agent is only a guess.
            Some(place)
                if !self
                    .entry(place)
                    .is_some_and(|entry| entry.state == EntryState::Running || is_interrupted(entry)) =>
            {
                return;
            }
            Some(place) => place,
            None => {
                let place = self.add_entry(Some(Space::Subagent), Kind::Subagent, id, meta);
                let agent = Subagent {
                    name: data.text("agentName").unwrap_or_default(),
                    display_name: data.text("agentDisplayName").unwrap_or_default(),
                    ..Subagent::default()
                };
                let text = title(&agent);
                self.update(place, |entry| entry.body = Body::Subagent(Box::new(agent)));
                self.replace_text(place, text);
                place
            }
        };
        self.commit(place, meta);
        let failed = meta.kind == EventKind::SubagentFailed;
        let cancelled = data.flag("cancelled").unwrap_or(false);
        self.update(place, |entry| {
            entry.state = match (failed, cancelled) {
                (true, _) => EntryState::Failed,
                (false, true) => EntryState::Interrupted,
                (false, false) => EntryState::Done,
            };
            if let Body::Subagent(agent) = &mut entry.body {
                agent.error = data.non_empty_text("error");
                agent.cancelled = cancelled;
                agent.tool_calls = data.integer("totalToolCalls");
                agent.tokens = data.integer("totalTokens");
                agent.duration = data.integer("durationMs");
                agent.work.end(meta.at);
                if let Some(model) = data.non_empty_text("model") {
                    agent.model = Some(model);
                }
            }
        });
        if self.main_agent_is_idle {
            self.set_clocks();
        }
    }

    /// A sub-agent that a stop or a restart has interrupted works after all: it asks.
    pub(super) fn agent_goes_on(&mut self, request: usize) {
        if let Some(place) = self.entry(request).and_then(|entry| self.agent_of(entry)) {
            self.revive(place);
        }
    }

    /// The same: it begins something.
    pub(super) fn agent_works(&mut self, agent: &str) {
        if let Some(place) = self.agent_place(agent) {
            self.revive(place);
        }
    }

    fn revive(&mut self, agent: usize) {
        if self.entry(agent).is_some_and(is_interrupted) {
            self.update(agent, |entry| entry.state = EntryState::Running);
        }
    }

    fn skill_invoked(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let name = data.text("name").unwrap_or_default();
        let content = data.text("content").unwrap_or_default();
        let path = data.text("path").unwrap_or_default();
        let folder = path.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
        // Word for word what the runtime gives the model.
        let content_of_model = format!(
            "<skill-context name=\"{name}\">\nBase directory for this skill: {folder}\n\n{content}\n</skill-context>"
        );
        let phrase = notices::SKILL_USED.phrase(vec![("name", name.into())]);
        let place = self.notice(meta, Level::Info, "skill", phrase);
        self.set_model(meta, content_of_model, Some(place));
        self.notice_facts(place, None, Some(format!("{}{content}", front_matter(path, data)).into()));
    }

    /// Gives the model the text of an earlier delivery again. The first time it has it from `skill.invoked`.
    fn repeat_skill(&mut self, meta: EventMeta<'_>, data: &mut Fields) {
        let (prefix, suffix) =
            (data.text("prefix").unwrap_or_default(), data.text("suffix").unwrap_or_default());
        if !std::mem::take(&mut self.skill_again) || prefix.is_empty() {
            return;
        }
        let view = self.view_of(meta.agent).map(ModelContext::messages).unwrap_or_default();
        let mut texts = view.iter().rev().map(|message| &message.content);
        if let Some(text) = texts.find(|text| text.starts_with(&prefix) && text.ends_with(&suffix)).cloned() {
            self.set_model(meta, text, None);
        }
    }

    fn hook_ended(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let hook = data.text("hookType").map(|hook| format::in_words(&hook)).unwrap_or_default();
        // A hook that worked tells nothing new; one that failed may explain what happens next.
        if data.flag("success") != Some(false) {
            return;
        }
        let error = data.object_or_text("error", "message").non_empty_text("message");
        let phrase = notices::HOOK_FAILED.phrase(vec![("hook", hook.into()), ("why", error.into())]);
        self.repeatable_notice(meta, Notice::new(Level::Warning, "hook"), phrase);
    }
}

/// The facts about a skill apart from its text, in the form that they have in a skill's own file.
fn front_matter(path: String, mut data: Fields) -> String {
    let mut lines = vec![("path", path), ("allowed-tools", data.texts("allowedTools").join(", "))];
    let more = [
        ("description", "description"),
        ("source", "source"),
        ("plugin", "pluginName"),
        ("plugin-version", "pluginVersion"),
        ("trigger", "trigger"),
    ];
    lines.extend(more.map(|(line, name)| (line, data.non_empty_text(name).unwrap_or_default())));
    let filled = lines.iter().filter(|(_, value)| !value.is_empty());
    let filled: Vec<String> = filled.map(|(name, value)| format!("{name}: {value}")).collect();
    if filled.is_empty() { String::new() } else { format!("---\n{}\n---\n\n", filled.join("\n")) }
}

/// Whether it is a sub-agent that was interrupted by an end that does not name it.
fn is_interrupted(entry: &Entry) -> bool {
    match &entry.body {
        Body::Subagent(agent) => entry.state == EntryState::Interrupted && !agent.cancelled,
        _ => false,
    }
}

fn title(agent: &Subagent) -> String {
    let parts = [agent.title(), &agent.description];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}
