//! The panel's lists: todos, background work, servers, skills, agents, tools, schedules.

use super::rows::{ListLine, SectionList, format_count};
use crate::core::i18n;
use crate::core::i18n::format::{capitalised, in_words, runtime_word, without_marks};
use crate::core::i18n::words::{panel, timeline};
use crate::core::i18n::{Value, Word};
use crate::core::view_model::panel::{Environment, WorkState};
use crate::store::Store;

const DONE: (&str, Word) = ("done", panel::DONE);
const RUNNING: (&str, Word) = ("running", panel::RUNNING);
const FAILED: (&str, Word) = ("failed", panel::FAILED);
const STOPPED: (&str, Word) = ("off", panel::STOPPED);
const OPEN: (&str, Word) = ("pending", panel::OPEN);

/// Joins the parts that are there with a dot.
fn join_present(parts: &[Option<String>]) -> String {
    let parts: Vec<&str> =
        parts.iter().flatten().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    without_marks(line).chars().take(200).collect()
}

/// A text with a number.
fn count_text(word: Word, number: usize) -> String {
    word.with(&[("n", number.into())])
}

/// The text for where something comes from.
fn source(from: &str) -> String {
    panel::SOURCE.with(&[("source", from.into()), ("said", (&in_words(from)).into())])
}

pub(super) fn todos(all: &Environment, _: Store) -> SectionList {
    let todos = &all.todos;
    let done = todos.items.iter().filter(|todo| todo.status == "done").count();
    let mut lines: Vec<ListLine> = todos
        .items
        .iter()
        .map(|todo| {
            let state = match todo.status.as_str() {
                "done" | "completed" => DONE,
                "in_progress" => ("running", panel::IN_PROGRESS),
                "blocked" => ("failed", panel::BLOCKED),
                _ => OPEN,
            };
            let title = if todo.title.is_empty() { todo.id.clone() } else { without_marks(&todo.title) };
            // A finished todo needs no description.
            let more = if state == DONE { String::new() } else { first_line(&todo.description) };
            ListLine { state: Some(state), text: title, more, row: Some(todo.row), ..ListLine::default() }
        })
        .collect();
    if todos.uncertain && !lines.is_empty() {
        lines.push(ListLine { more: panel::CHECKLIST_UNCERTAIN.text().to_owned(), ..ListLine::default() });
    }
    let note = panel::CHECKLIST_DONE.with(&[("n", done.into()), ("all", todos.items.len().into())]);
    SectionList { note, lines }
}

pub(super) fn works(all: &Environment, _: Store) -> SectionList {
    let running = all.works.iter().filter(|work| work.state == WorkState::Running).count();
    let lines = all.works.iter().map(|work| ListLine {
        state: Some(match work.state {
            WorkState::Running => RUNNING,
            WorkState::Done => DONE,
            WorkState::Failed => FAILED,
            WorkState::Stopped => STOPPED,
        }),
        text: work.name.clone(),
        end: work.duration_ms.map_or_else(String::new, i18n::duration),
        more: join_present(&[
            Some(first_line(&work.task)),
            work.model.clone(),
            work.tool_calls
                .filter(|made| *made > 0)
                .map(|made| panel::TOOL_CALLS.with(&[("n", made.into())])),
            work.tokens.map(|tokens| timeline::TOKENS.with(&[("n", Value::Count(tokens))])),
        ]),
        row: work.row,
        ..ListLine::default()
    });
    let note = if running == 0 { String::new() } else { count_text(panel::RUNNING_COUNT, running) };
    SectionList { note, lines: lines.collect() }
}

pub(super) fn servers(all: &Environment, _: Store) -> SectionList {
    let failed = all.servers.iter().filter(|server| server.shown_status() == "failed").count();
    let lines = all.servers.iter().map(|server| {
        let status = server.shown_status();
        let state = match status {
            "connected" => ("done", panel::CONNECTED),
            "failed" => FAILED,
            "pending" => ("running", panel::CONNECTING),
            "needs-auth" => ("waits", panel::NEEDS_SIGN_IN),
            "needs-reconnect" => ("waits", panel::NEEDS_RECONNECT),
            _ => ("off", panel::OFF),
        };
        let said = in_words(status);
        ListLine {
            state: Some(state),
            text: server.title.clone().unwrap_or_else(|| server.name.clone()),
            end: panel::SERVER_STATUS.with(&[("status", status.into()), ("said", (&said).into())]),
            more: join_present(&[
                server.error.as_deref().filter(|_| !server.is_optional()).map(first_line),
                server.source.as_deref().map(source),
                (server.calls > 0).then(|| count_text(panel::CALLS, server.calls)),
            ]),
            ..ListLine::default()
        }
    });
    let note = if failed == 0 { String::new() } else { count_text(panel::FAILED_COUNT, failed) };
    SectionList { note, lines: lines.collect() }
}

pub(super) fn skills(all: &Environment, _: Store) -> SectionList {
    let lines = all.skills.iter().map(|skill| ListLine {
        text: skill.name.clone(),
        end: match (skill.row, skill.enabled) {
            (Some(_), _) => panel::SKILL_USED.text().to_owned(),
            (None, true) => String::new(),
            (None, false) => panel::SKILL_OFF.text().to_owned(),
        },
        more: join_present(&[Some(first_line(&skill.description)), Some(source(&skill.source))]),
        row: skill.row,
        ..ListLine::default()
    });
    SectionList { note: format_count(all.skills.len()), lines: lines.collect() }
}

pub(super) fn canvases(all: &Environment, _: Store) -> SectionList {
    let lines = all.canvases.iter().map(|canvas| ListLine {
        text: canvas.title.clone(),
        end: match (&canvas.instance, canvas.available) {
            (None, _) => String::new(),
            (Some(_), true) => panel::CANVAS_OPEN.text().to_owned(),
            (Some(_), false) => panel::CANVAS_AWAY.text().to_owned(),
        },
        more: join_present(&[Some(first_line(&canvas.description)), Some(canvas.extension.clone())]),
        ..ListLine::default()
    });
    SectionList { note: format_count(all.canvases.len()), lines: lines.collect() }
}

pub(super) fn agents(all: &Environment, _: Store) -> SectionList {
    let line = |text: &str, more: &str| ListLine {
        text: text.to_owned(),
        more: first_line(more),
        ..ListLine::default()
    };
    let lines = all.agents.iter().map(|agent| line(&agent.name, &agent.description));
    SectionList { note: format_count(all.agents.len()), lines: lines.collect() }
}

/// The tools that were used. How many there are to choose from is shown beside the heading.
pub(super) fn tools(all: &Environment, store: Store) -> SectionList {
    let offered = store.section(crate::core::model::state::Section::Usage, |state| {
        let used = ("n", all.tools.len().into());
        let offered = state.usage.tools_offered;
        offered.map(|offered| panel::USED_OFFERED.with(&[used, ("offered", offered.into())]))
    });
    let lines = all.tools.iter().map(|tool| {
        let failed = (tool.failed > 0).then(|| count_text(panel::FAILED_COUNT, tool.failed));
        ListLine {
            text: tool.name.clone(),
            code: true,
            end: join_present(&[failed, Some(count_text(panel::CALLS, tool.calls))]),
            row: Some(tool.row),
            ..ListLine::default()
        }
    });
    SectionList {
        note: offered.flatten().unwrap_or_else(|| count_text(panel::USED_COUNT, all.tools.len())),
        lines: lines.collect(),
    }
}

pub(super) fn schedules(all: &Environment, _: Store) -> SectionList {
    let date = |millis: i64| {
        let date = js_sys::Date::new(&(millis as f64).into());
        let tag = i18n::current().map_or("default", |language| language.tag);
        String::from(date.to_locale_string(tag, &wasm_bindgen::JsValue::UNDEFINED))
    };
    let mut lines: Vec<ListLine> = all
        .schedules
        .iter()
        .map(|schedule| ListLine {
            text: first_line(&schedule.prompt),
            more: join_present(&[
                Some(schedule.when.clone()),
                schedule.next.map(|next| panel::NEXT.with(&[("date", (&date(next)).into())])),
            ]),
            ..ListLine::default()
        })
        .collect();
    if let Some(status) = &all.objective {
        let end = capitalised(&runtime_word(status));
        lines.push(ListLine { text: panel::OBJECTIVE.text().to_owned(), end, ..ListLine::default() });
    }
    SectionList { note: String::new(), lines }
}

pub(super) fn own_files(all: &Environment, _: Store) -> SectionList {
    let lines = all.own_files.iter().map(|file| ListLine {
        text: file.path.clone(),
        code: true,
        end: if file.operation == "create" { panel::FILE_CREATED } else { panel::FILE_CHANGED }
            .text()
            .to_owned(),
        ..ListLine::default()
    });
    SectionList { note: format_count(all.own_files.len()), lines: lines.collect() }
}
