//! The tools of the three agents by the names and arguments that the session events have for such tools, so that they are shown
//! as what they do. A tool that is not here keeps its own.

use serde_json::{Map, Value, json};

use super::values::text;
use crate::json_writer::{object, one_line};
use crate::text::checklist;

/// A tool and what it gets.
#[derive(Debug, Clone)]
pub(super) struct Tool {
    /// Its name.
    pub(super) name: String,
    /// Its arguments.
    pub(super) arguments: Value,
    /// The MCP server that has it, and its name there.
    pub(super) mcp: Option<(String, String)>,
}

/// Names of arguments that mean the same.
const SAME: [(&str, &str); 13] = [
    ("file_path", "path"),
    ("absolute_path", "path"),
    ("notebook_path", "path"),
    ("dir_path", "path"),
    ("old_string", "old_str"),
    ("new_string", "new_str"),
    ("new_source", "new_str"),
    ("cmd", "command"),
    ("workdir", "cwd"),
    ("bash_id", "shellId"),
    ("shell_id", "shellId"),
    ("session_id", "shellId"),
    ("chars", "input"),
];

/// The tool that a call uses.
pub(super) fn tool(name: &str, input: Value) -> Tool {
    if let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        let mcp = Some((server.to_owned(), tool.to_owned()));
        return Tool { name: format!("{server}-{tool}"), arguments: input, mcp };
    }
    let known = match name {
        "Bash" | "shell" | "shell_command" | "exec_command" | "container.exec" | "local_shell"
        | "run_shell_command" => "bash",
        "BashOutput" => "read_bash",
        "KillShell" | "KillBash" => "stop_bash",
        "write_stdin" => "write_bash",
        "Read" | "read_file" | "NotebookRead" | "view_image" => "view",
        "Write" | "write_file" => "create",
        "Edit" | "MultiEdit" | "NotebookEdit" | "replace" => "edit",
        "Glob" => "glob",
        "Grep" | "search_file_content" | "grep_search" | "grep_files" => "grep",
        "LS" | "list_directory" | "list_dir" => "ls",
        "WebFetch" => "web_fetch",
        "WebSearch" | "google_web_search" => "web_search",
        "TodoWrite" | "update_plan" | "write_todos" => "update_todo",
        "Task" | "Agent" | "spawn_agent" => "task",
        "ExitPlanMode" => "exit_plan_mode",
        "AskUserQuestion" | "request_user_input" => "ask_user",
        "Skill" | "activate_skill" => "skill",
        "save_memory" => "store_memory",
        other => other,
    };
    let is_own = known == name && !matches!(name, "ask_user" | "apply_patch");
    let arguments = match (known, input) {
        ("apply_patch", input) => json!({ "patch": patch(&input) }),
        ("bash", input) => return shell(input),
        (_, Value::Object(input)) if !is_own => adapted(known, input),
        (_, input) => input,
    };
    Tool { name: known.to_owned(), arguments, mcp: None }
}

fn patch(input: &Value) -> String {
    let named = ["input", "patch"].iter().find_map(|name| text(input, name));
    input.as_str().or(named).map_or_else(|| one_line(input), str::to_owned)
}

fn adapted(name: &str, input: Map<String, Value>) -> Value {
    let mut arguments = Map::new();
    for (key, value) in input {
        let same = SAME.iter().find(|(from, _)| *from == key).map_or(key.as_str(), |(_, to)| to);
        let key = if arguments.contains_key(same) { key.as_str() } else { same };
        arguments.insert(key.to_owned(), value);
    }
    let mut rename = |from: &str, to: &str| {
        if !arguments.contains_key(to)
            && let Some(value) = arguments.remove(from)
        {
            arguments.insert(to.to_owned(), value);
        }
    };
    match name {
        "create" => rename("content", "file_text"),
        "task" => {
            rename("subagent_type", "agent_type");
            rename("task_name", "description");
            rename("message", "prompt");
        }
        "skill" => rename("command", "skill"),
        "update_todo" => {
            rename("plan", "todos");
            if let Some(list) = arguments.get("todos").and_then(todos) {
                arguments.insert("todos".to_owned(), list.into());
            }
        }
        "ask_user" => {
            let questions = arguments.get("questions").and_then(Value::as_array);
            let asked: Vec<&str> =
                questions.into_iter().flatten().filter_map(|one| text(one, "question")).collect();
            if !asked.is_empty() && !arguments.contains_key("question") {
                let asked = asked.join("\n");
                arguments.insert("question".to_owned(), asked.into());
            }
        }
        "view" => {
            let number = |name: &str| arguments.get(name).and_then(Value::as_i64);
            if let Some(first) = number("offset") {
                let last = number("limit").map_or(-1, |limit| first.saturating_add(limit).saturating_sub(1));
                arguments.insert("view_range".to_owned(), json!([first, last]));
            }
        }
        _ => {}
    }
    Value::Object(arguments)
}

/// A shell's call. Its command may be the words of one, or a shell that gets one.
fn shell(input: Value) -> Tool {
    let bash = |arguments| Tool { name: "bash".to_owned(), arguments, mcp: None };
    let Value::Object(input) = input else {
        let command = input.as_str().map(Value::from);
        return bash(object([("command", command.or(Some(input).filter(|input| !input.is_null())))]));
    };
    let mut arguments = adapted("bash", input);
    if let Some(words) = arguments.get("command").and_then(Value::as_array) {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let command = match words.as_slice() {
            ["apply_patch", patch] => return tool("apply_patch", (*patch).into()),
            [_, "-lc" | "-c" | "-Command", command] => (*command).to_owned(),
            words => words.join(" "),
        };
        arguments["command"] = command.into();
    }
    bash(arguments)
}

/// A list of todos as a markdown list of tasks; none if it is not a list.
pub(super) fn todos(list: &Value) -> Option<String> {
    let task = |todo: &Value| {
        let title = ["content", "step", "description", "title"].iter().find_map(|name| text(todo, name));
        let title = title.or_else(|| todo.as_str()).map_or_else(|| one_line(todo), str::to_owned);
        (checklist::status(text(todo, "status")), title)
    };
    let tasks: Vec<(&str, String)> = list.as_array()?.iter().map(task).collect();
    Some(checklist::write(tasks.iter().map(|(status, title)| (*status, title.as_str()))))
}
