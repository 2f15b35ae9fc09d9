//! Reads from the entries which agents and shells are at work, which tools,
//! servers and skills were used, and the plan.

use std::sync::Arc;

use serde_json::Value;

use super::{Environment, Plan, Tool};
use crate::i18n::Phrase;
use crate::i18n::words::{notices, panel};
use crate::model::entry::{Body, Entry, EntryState, Kind};
use crate::model::state::State;
use crate::model::tool_call::{CallStage, ToolCall};
use crate::protocol::EventKind;
use crate::view_model::agent_name;

/// The state of a piece of work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkState {
    /// It runs.
    #[default]
    Running,
    /// It ended well.
    Done,
    /// It failed.
    Failed,
    /// It was stopped, or its end will never be known.
    Stopped,
}

/// Work that goes on beside the main agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BackgroundWork {
    /// Its name for people.
    pub name: String,
    /// Its task or its command; of a failed agent, the error.
    pub task: String,
    /// `agent`, `shell` or `run`.
    pub kind: &'static str,
    /// Its state.
    pub state: WorkState,
    /// The model that it runs on.
    pub model: Option<String>,
    /// Milliseconds that it took.
    pub duration_ms: Option<i64>,
    /// Tool calls that it made.
    pub tool_calls: Option<i64>,
    /// Tokens that it used.
    pub tokens: Option<i64>,
    /// Its entry.
    pub row: Option<usize>,
}

/// Reads all entries in one pass.
pub(super) fn fold(state: &State, all: &mut Environment) {
    let mut plan_written_at = None;
    for (row, entry) in state.entries.iter().enumerate() {
        match &entry.body {
            Body::Subagent(_) => all.works.extend(agent(row, entry)),
            Body::Tool(call) => {
                count_tool_call(row, call, all);
                all.works.extend(shell(state, row, entry, call));
                plan_written(row, entry, call, &mut all.plan, &mut plan_written_at);
            }
            Body::Request(request) if entry.kind == Kind::Plan => {
                if let Some(text) = request.details.get("planContent").and_then(Value::as_str) {
                    plan_written_at = entry.at;
                    let text = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
                    all.plan = Some(Plan { text, changed_since: false, row: Some(row) });
                }
            }
            Body::Notice(notice) if notice.category == "skill" => {
                let used = skill_of(entry);
                if let Some(skill) = all.skills.iter_mut().find(|skill| used == Some(&skill.name)) {
                    skill.row = Some(row);
                }
            }
            _ => {}
        }
    }
    plan_changed(state, plan_written_at, &mut all.plan);
    runs(state, all);
    all.tools.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
}

fn agent(row: usize, entry: &Entry) -> Option<BackgroundWork> {
    let Body::Subagent(agent) = &entry.body else { return None };
    let name = agent_name::shown(agent.title());
    let state = match entry.state {
        EntryState::Running | EntryState::Streaming | EntryState::Pending => WorkState::Running,
        EntryState::Failed => WorkState::Failed,
        EntryState::Interrupted | EntryState::Denied => WorkState::Stopped,
        EntryState::Done | EntryState::Settled => WorkState::Done,
    };
    Some(BackgroundWork {
        name: name.to_owned(),
        task: agent.error.clone().unwrap_or_else(|| agent.description.clone()),
        kind: "agent",
        state,
        model: agent.model.clone(),
        duration_ms: agent.duration.and(agent.duration_ms()),
        tool_calls: agent.tool_calls,
        tokens: agent.tokens,
        row: Some(row),
    })
}

/// A shell that goes on after its call has returned.
fn shell(state: &State, row: usize, entry: &Entry, call: &ToolCall) -> Option<BackgroundWork> {
    if call.argument("mode") != Some("async") && call.argument("detach") != Some("true") {
        return None;
    }
    let command = call.argument("command")?.to_owned();
    let name = call.argument("description").unwrap_or_else(|| panel::SHELL.text()).to_owned();
    let id = call.argument("shellId").map(str::to_owned).or_else(|| shell_id(&entry.text));
    let ended = id.as_deref().and_then(|id| shell_ended(state, row, id));
    let over = matches!(state.status(), "ended");
    let work = match &call.stage {
        CallStage::Failed(failure) if !failure.interrupted => WorkState::Failed,
        CallStage::Failed(_) | CallStage::Denied(_) | CallStage::Interrupted => WorkState::Stopped,
        _ => ended.unwrap_or(if over { WorkState::Stopped } else { WorkState::Running }),
    };
    Some(BackgroundWork {
        name,
        task: command,
        kind: "shell",
        state: work,
        row: Some(row),
        ..BackgroundWork::default()
    })
}

/// The runtime names the shell in its result: `… shellId: 1 …`.
fn shell_id(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("shellId: ")?;
    let id: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
    (!id.is_empty()).then_some(id)
}

/// How a background shell ended, if that is known: from a
/// notification, its output read to the end, or a stop.
fn shell_ended(state: &State, started: usize, id: &str) -> Option<WorkState> {
    let by_code =
        |code: Option<i64>| if code.unwrap_or(0) == 0 { WorkState::Done } else { WorkState::Failed };
    let by_notice = state.panel_events.iter().find_map(|event| {
        let kind = event.data.get("kind")?;
        let of_shell = kind.get("shellId").and_then(Value::as_str) == Some(id);
        let ended = kind.get("type").and_then(Value::as_str).is_some_and(|t| t.ends_with("completed"));
        (of_shell && ended).then(|| by_code(kind.get("exitCode").and_then(Value::as_i64)))
    });
    let of_shell =
        |entry: &&Arc<Entry>| entry.tool().is_some_and(|call| call.argument("shellId") == Some(id));
    let later = || state.entries.iter().skip(started).filter(of_shell);
    let read = || {
        later().find_map(|entry| {
            let (_, code) = entry.text.rsplit_once("completed with exit code ")?;
            let digits: String = code.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
            Some(by_code(digits.parse().ok()))
        })
    };
    let stopped = || {
        let stop = |entry: &Arc<Entry>| {
            let call = entry.tool()?;
            (call.name.starts_with("stop_") && matches!(call.stage, CallStage::Succeeded(_))).then_some(())
        };
        later().find_map(stop).map(|()| WorkState::Stopped)
    };
    by_notice.or_else(read).or_else(stopped)
}

/// The name of the skill whose use a notice reports.
fn skill_of(entry: &Entry) -> Option<&str> {
    let Some(Phrase::Message(word, arguments)) = entry.phrase.as_deref() else { return None };
    match arguments.as_slice() {
        [(_, Phrase::Text(name))] if [notices::SKILL_USED, notices::SKILL_AGAIN].contains(word) => Some(name),
        _ => None,
    }
}

fn count_tool_call(row: usize, call: &ToolCall, all: &mut Environment) {
    if call.name.is_empty() || call.by_user || matches!(call.stage, CallStage::Writing | CallStage::Requested)
    {
        return;
    }
    let name = match &call.mcp {
        Some((server, tool)) => {
            if let Some(server) = all.servers.iter_mut().find(|known| known.name == *server) {
                server.calls += 1;
            }
            format!("{server}: {tool}")
        }
        None => call.name.clone(),
    };
    let failed = usize::from(matches!(&call.stage, CallStage::Failed(failure) if !failure.interrupted));
    match all.tools.iter_mut().find(|tool| tool.name == name) {
        Some(tool) => (tool.calls, tool.failed, tool.row) = (tool.calls + 1, tool.failed + failed, row),
        None => all.tools.push(Tool { name, calls: 1, failed, row }),
    }
}

/// Takes the plan from calls that write it. It is a file of the session's own.
fn plan_written(
    row: usize,
    entry: &Entry,
    call: &ToolCall,
    plan: &mut Option<Plan>,
    written_at: &mut Option<i64>,
) {
    let path = call.argument("path").unwrap_or_default().replace('\\', "/");
    if !path.ends_with("/plan.md") || !path.contains("/session-state/") {
        return;
    }
    let CallStage::Succeeded(_) = call.stage else { return };
    let before = plan.as_ref().and_then(|plan| plan.text.clone());
    let text = match (call.argument("file_text"), call.argument("old_str"), call.argument("new_str")) {
        (Some(text), ..) => Some(text.to_owned()),
        (_, Some(old), Some(new)) => {
            before.filter(|before| before.contains(old)).map(|before| before.replacen(old, new, 1))
        }
        _ => return,
    };
    *written_at = entry.ended_at;
    // An edit of a plan whose text is unknown: only that there is one is known.
    let changed_since = text.is_none() && plan.as_ref().is_some_and(|plan| plan.text.is_some());
    let text = text.or_else(|| plan.take().and_then(|plan| plan.text));
    *plan = Some(Plan { text, changed_since, row: Some(row) });
}

/// `session.plan_changed` says that the plan changed, not how.
fn plan_changed(state: &State, written_at: Option<i64>, plan: &mut Option<Plan>) {
    let Some(event) = state.panel_events.iter().find(|event| event.kind == EventKind::SessionPlanChanged)
    else {
        return;
    };
    if written_at >= event.at {
        return;
    }
    if event.data.get("operation").and_then(Value::as_str) == Some("delete") {
        *plan = None;
    } else {
        plan.get_or_insert_default().changed_since = true;
    }
}

/// The kinds of runs: how they start and settle, and the field with their name.
const RUNS: [(EventKind, EventKind, &str); 2] = [
    (EventKind::FactoryRunStarted, EventKind::FactoryRunSettled, "factoryName"),
    (EventKind::WorkflowRunStarted, EventKind::WorkflowRunSettled, "workflowName"),
];

fn runs(state: &State, all: &mut Environment) {
    for (at, event) in state.panel_events.iter().enumerate() {
        let Some((_, settles, name)) = RUNS.iter().find(|(starts, ..)| event.kind == *starts) else {
            continue;
        };
        // A run that was paused starts again: how an earlier attempt settled does not count.
        let mut later = state.panel_events.iter().skip(at);
        let settled = later.find(|other| other.kind == *settles && other.key == event.key);
        let settled = settled.map(|event| &event.data);
        let status = settled.and_then(|data| data.get("status")).and_then(Value::as_str);
        let work = match (settled, status) {
            (None, _) => WorkState::Running,
            (_, Some("completed" | "succeeded")) => WorkState::Done,
            (_, Some("cancelled" | "stopped" | "halted" | "paused") | None) => WorkState::Stopped,
            _ => WorkState::Failed,
        };
        let name = event.data.get(*name).and_then(Value::as_str);
        all.works.push(BackgroundWork {
            name: name.unwrap_or_else(|| panel::RUN.text()).to_owned(),
            kind: "run",
            state: work,
            duration_ms: settled.and_then(|data| data.get("elapsedMs")).and_then(Value::as_i64),
            ..BackgroundWork::default()
        });
    }
}
