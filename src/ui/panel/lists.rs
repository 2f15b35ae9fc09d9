//! The panel's lists: todos, background work, servers, skills, agents, tools, schedules. Refuses to fold events.

use super::rows::{Line, Piece};
use crate::core::surroundings::{Surroundings, WorkState};
use crate::core::time;
use crate::core::words::{capitalised, count};
use crate::store::Store;

const DONE: (&str, &str) = ("done", "Done");
const RUNNING: (&str, &str) = ("running", "Running");
const FAILED: (&str, &str) = ("failed", "Failed");
const STOPPED: (&str, &str) = ("off", "Stopped");
const OPEN: (&str, &str) = ("pending", "Open");

/// Joins what there is with a dot.
fn joined(parts: &[Option<String>]) -> String {
    let parts: Vec<&str> =
        parts.iter().flatten().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().chars().take(200).collect()
}

fn calls(number: i64) -> String {
    if number == 1 { "1 call".to_owned() } else { format!("{number} calls") }
}

pub(super) fn todos(all: &Surroundings, _: Store) -> Piece {
    let todos = &all.todos;
    let done = todos.items.iter().filter(|todo| todo.status == "done").count();
    let mut lines: Vec<Line> = todos
        .items
        .iter()
        .map(|todo| {
            let state = match todo.status.as_str() {
                "done" | "completed" => DONE,
                "in_progress" => ("running", "In progress"),
                "blocked" => ("failed", "Blocked"),
                _ => OPEN,
            };
            let title = if todo.title.is_empty() { &todo.id } else { &todo.title };
            // What is done needs no more words.
            let more = if state == DONE { String::new() } else { first_line(&todo.description) };
            Line { state: Some(state), text: title.clone(), more, row: Some(todo.row), ..Line::default() }
        })
        .collect();
    if todos.uncertain && !lines.is_empty() {
        let text = "The list was changed in a way that can’t be followed here: it may be another one by now.";
        lines.push(Line { more: text.to_owned(), ..Line::default() });
    }
    Piece { note: format!("{done} of {} done", todos.items.len()), lines }
}

pub(super) fn works(all: &Surroundings, _: Store) -> Piece {
    let running = all.works.iter().filter(|work| work.state == WorkState::Running).count();
    let lines = all.works.iter().map(|work| Line {
        state: Some(match work.state {
            WorkState::Running => RUNNING,
            WorkState::Done => DONE,
            WorkState::Failed => FAILED,
            WorkState::Stopped => STOPPED,
        }),
        text: work.name.clone(),
        end: work.took.map_or_else(String::new, time::duration),
        more: joined(&[
            Some(first_line(&work.task)),
            work.model.clone(),
            work.tool_calls.filter(|calls| *calls > 0).map(|made| calls(made).replace("call", "tool call")),
            work.tokens.map(|tokens| format!("{} tokens", count(tokens))),
        ]),
        row: work.row,
        ..Line::default()
    });
    let note = if running == 0 { String::new() } else { format!("{running} running") };
    Piece { note, lines: lines.collect() }
}

pub(super) fn servers(all: &Surroundings, _: Store) -> Piece {
    let failed = all.servers.iter().filter(|server| server.status == "failed").count();
    let lines = all.servers.iter().map(|server| {
        let (state, word) = match server.status.as_str() {
            "connected" => (("done", "Connected"), "connected".to_owned()),
            "failed" => (FAILED, "failed".to_owned()),
            "pending" => (("running", "Connecting"), "connecting".to_owned()),
            "needs-auth" => (("waits", "Needs sign-in"), "needs sign-in".to_owned()),
            "needs-reconnect" => {
                (("waits", "Has to be connected again"), "has to be connected again".to_owned())
            }
            other => (("off", "Off"), other.replace(['_', '-'], " ")),
        };
        let used = i64::try_from(server.calls).ok().filter(|calls| *calls > 0).map(calls);
        Line {
            state: Some(state),
            text: server.title.clone().unwrap_or_else(|| server.name.clone()),
            end: word,
            more: joined(&[
                server.error.as_deref().map(first_line),
                server.source.as_deref().map(|source| source.replace("builtin", "built in")),
                used,
            ]),
            ..Line::default()
        }
    });
    let note = if failed == 0 { String::new() } else { format!("{failed} failed") };
    Piece { note, lines: lines.collect() }
}

pub(super) fn skills(all: &Surroundings, _: Store) -> Piece {
    let lines = all.skills.iter().map(|skill| Line {
        text: skill.name.clone(),
        end: match (skill.row, skill.enabled) {
            (Some(_), _) => "used".to_owned(),
            (None, true) => String::new(),
            (None, false) => "off".to_owned(),
        },
        more: joined(&[Some(first_line(&skill.description)), Some(skill.source.replace('-', " "))]),
        row: skill.row,
        ..Line::default()
    });
    Piece { note: all.skills.len().to_string(), lines: lines.collect() }
}

pub(super) fn canvases(all: &Surroundings, _: Store) -> Piece {
    let lines = all.canvases.iter().map(|canvas| Line {
        text: canvas.title.clone(),
        end: match (&canvas.instance, canvas.available) {
            (None, _) => String::new(),
            (Some(_), true) => "open".to_owned(),
            (Some(_), false) => "away for a moment".to_owned(),
        },
        more: joined(&[Some(first_line(&canvas.description)), Some(canvas.extension.clone())]),
        ..Line::default()
    });
    Piece { note: all.canvases.len().to_string(), lines: lines.collect() }
}

pub(super) fn agents(all: &Surroundings, _: Store) -> Piece {
    let line =
        |text: &str, more: &str| Line { text: text.to_owned(), more: first_line(more), ..Line::default() };
    let lines = all.agents.iter().map(|agent| line(&agent.name, &agent.description));
    Piece { note: all.agents.len().to_string(), lines: lines.collect() }
}

/// The tools that were used; how many there are to choose from stands beside the heading.
pub(super) fn tools(all: &Surroundings, store: Store) -> Piece {
    let offered = store.section(crate::core::change::Section::Usage, |state| {
        state.usage.tools_offered.map(|tools| format!("{} used, {tools} offered", all.tools.len()))
    });
    let lines = all.tools.iter().map(|tool| {
        let failed = (tool.failed > 0).then(|| format!("{} failed", tool.failed));
        let number = i64::try_from(tool.calls).unwrap_or(i64::MAX);
        Line {
            text: tool.name.clone(),
            code: true,
            end: joined(&[failed, Some(calls(number))]),
            row: Some(tool.row),
            ..Line::default()
        }
    });
    Piece {
        note: offered.flatten().unwrap_or_else(|| format!("{} used", all.tools.len())),
        lines: lines.collect(),
    }
}

pub(super) fn schedules(all: &Surroundings, _: Store) -> Piece {
    let date = |millis: i64| {
        let date = js_sys::Date::new(&(millis as f64).into());
        String::from(date.to_locale_string("default", &wasm_bindgen::JsValue::UNDEFINED))
    };
    let mut lines: Vec<Line> = all
        .schedules
        .iter()
        .map(|schedule| Line {
            text: first_line(&schedule.prompt),
            more: joined(&[
                Some(schedule.when.clone()),
                schedule.next.map(|next| format!("next {}", date(next))),
            ]),
            ..Line::default()
        })
        .collect();
    if let Some(status) = &all.objective {
        let end = capitalised(status).replace('_', " ");
        lines.push(Line { text: "Autopilot objective".to_owned(), end, ..Line::default() });
    }
    Piece { note: String::new(), lines }
}

pub(super) fn own_files(all: &Surroundings, _: Store) -> Piece {
    let lines = all.own_files.iter().map(|file| Line {
        text: file.path.clone(),
        code: true,
        end: if file.operation == "create" { "created" } else { "changed" }.to_owned(),
        ..Line::default()
    });
    Piece { note: all.own_files.len().to_string(), lines: lines.collect() }
}
