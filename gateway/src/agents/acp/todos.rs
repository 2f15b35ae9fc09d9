//! The agent's plan as a list of todos.

use pilothouse_core::text::checklist;
use serde_json::{Value, json};

/// The name of the call that carries the list: the page reads its checklist.
pub const TOOL: &str = "update_todo";

/// One todo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// What is to be done.
    pub title: String,
    /// `pending`, `in_progress`, `done`, `blocked`.
    pub status: &'static str,
}

/// Reads an entry of a plan, or of a tool's list.
pub fn read(entry: &Value) -> Option<Todo> {
    let title = entry.get("content").or_else(|| entry.get("title"))?.as_str()?.to_owned();
    Some(Todo { title, status: checklist::status(entry.get("status").and_then(Value::as_str)) })
}

/// The list as a markdown list of tasks.
pub fn checklist(todos: &[Todo]) -> String {
    checklist::write(todos.iter().map(|todo| (todo.status, todo.title.as_str())))
}

/// The answer to `session.plan.readSqlTodos`.
pub fn rows(todos: &[Todo]) -> Value {
    let row = |(number, todo): (usize, &Todo)| json!({ "id": (number + 1).to_string(), "title": todo.title, "status": todo.status });
    json!({ "rows": todos.iter().enumerate().map(row).collect::<Vec<_>>() })
}
