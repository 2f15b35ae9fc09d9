//! Handles what the runtime tells the model in a person's place: a command or an agent in the background has ended, or a
//! message has come. The runtime's text is for the model, so people read the facts in words; the text is in the details.

use serde_json::Value;

use super::{EventMeta, pretty};
use crate::i18n::Phrase;
use crate::i18n::words::notices;
use crate::model::entry::{Body, Level};
use crate::model::state::State;
use crate::view_model::tool_summary::about_agent;
use crate::wire::fields::Fields;

/// How many entries before a call are searched for the notice that it follows.
const NEAR: usize = 12;

impl State {
    pub(super) fn system_notification(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let content = data.text("content").unwrap_or_default();
        let kind = data.any("kind").unwrap_or(Value::Null);
        let category =
            kind.get("type").and_then(Value::as_str).or(kind.as_str()).unwrap_or("notification").to_owned();
        if category.starts_with("shell_")
            && let Some(shell) = kind.get("shellId").and_then(Value::as_str)
        {
            self.shell_ended(shell, kind.get("exitCode").and_then(Value::as_i64));
        }
        // The only notification that the model does not get: the
        // instructions themselves reach it another way.
        let for_model = category != "instruction_discovered";
        let text = without_tags(&content).to_owned();
        self.telemetry.add(&text, &kind, meta.at);
        let facts = (!kind.is_null()).then(|| pretty(&kind));
        let (phrase, detail) = match phrase_of(&category, &kind) {
            Some(phrase) => (phrase, [Some(text), facts].into_iter().flatten().collect()),
            None => (text.into(), Vec::from_iter(facts)),
        };
        let place = self.notice(meta, Level::Info, &category, phrase);
        self.notice_facts(place, None, (!detail.is_empty()).then(|| detail.join("\n\n").into()));
        self.update(place, |entry| {
            entry.model_visible = for_model && entry.agent_id.is_none();
            if let (Body::Notice(notice), Some(agent)) = (&mut entry.body, agent_id(&kind)) {
                notice.agent = Some(agent.to_owned());
            }
        });
        if for_model {
            self.model_reads(meta, content.into(), None, Some(place));
        }
    }

    /// Gives a call about a sub-agent its name. If the call reads what the agent answered, it says so, and the notice that the
    /// agent has ended, which made the model read it, says nothing more.
    pub(super) fn call_about_agent(&mut self, call: usize) {
        let Some((id, reads)) = self.entry(call).and_then(|entry| about_agent(entry.tool()?)) else {
            return;
        };
        let mut last = self.entries.iter().enumerate().rev().take(NEAR).filter(|_| reads);
        let notice = last.find(
            |(_, entry)| matches!(&entry.body, Body::Notice(notice) if notice.agent.as_ref() == Some(&id)),
        );
        if let Some((notice, _)) = notice {
            self.update(notice, |entry| entry.ui_visible = false);
        }
        let name = self.agent_place(&id).and_then(|place| match &self.entry(place)?.body {
            Body::Subagent(agent) => Some(agent.title().to_owned()),
            _ => None,
        });
        self.update_tool(call, |call| call.agent = name.filter(|name| !name.is_empty()));
    }
}

/// What has happened, in words. `None` for a kind that is not known, or without what its words need.
fn phrase_of(category: &str, kind: &Value) -> Option<Phrase> {
    let text = |names: &[&str]| {
        let mut all = names.iter().filter_map(|name| kind.get(name)?.as_str());
        all.find(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    let how = |fails: bool| if fails { "failed" } else { "done" };
    Some(match category {
        "agent_idle" | "agent_completed" => {
            let fails = text(&["status"]).is_some_and(|status| status == "failed");
            let name = text(&["displayName", "description", "agentType"])?;
            notices::AGENT_ENDED.phrase(vec![("name", name.into()), ("how", how(fails).into())])
        }
        "shell_completed" | "shell_detached_completed" => {
            let code = kind.get("exitCode").and_then(Value::as_i64);
            let (name, shell) = (text(&["description"]), text(&["shellId"]));
            name.as_ref().or(shell.as_ref())?;
            notices::SHELL_ENDED.phrase(vec![
                ("name", name.into()),
                ("shell", shell.into()),
                ("code", code.filter(|code| *code != 0).into()),
            ])
        }
        "workflow_completed" | "factory_completed" => {
            let fails = text(&["status"]).is_some_and(|status| status != "completed");
            let name = text(&["workflowName", "factoryName", "name"])?;
            notices::WORKFLOW_ENDED.phrase(vec![("name", name.into()), ("how", how(fails).into())])
        }
        "instruction_discovered" => {
            let path = text(&["sourcePath", "path"])?;
            notices::INSTRUCTIONS_FOUND.phrase(vec![("path", path.into())])
        }
        _ => return None,
    })
}

fn agent_id(kind: &Value) -> Option<&str> {
    kind.get("agentId")?.as_str()
}

pub(super) const NOTIFICATION_TAG: &str = "<system_notification>";

/// Removes the tags with which the runtime marks its own text for the model; people must not see them.
pub(super) fn without_tags(content: &str) -> &str {
    let inner = content.trim();
    let inner = inner.strip_prefix(NOTIFICATION_TAG).unwrap_or(inner);
    inner.strip_suffix("</system_notification>").unwrap_or(inner).trim()
}
