//! What a tool call did, in a sentence: 'Ran `cargo test`', 'Edited src/lib.rs +12 −3'.
//! Knows the runtime's tools by name; refuses to draw.

use super::icons::Icon;
use super::lazy;
use crate::core::tool_call::{Life, ToolCall};

/// What an edit changes, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Lines added and removed.
    pub lines: (usize, usize),
    /// The files, as far as they are named.
    pub paths: Vec<String>,
}

/// The parts of the sentence: verb, object in code, remark, counts of lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sentence {
    /// 'Ran', 'Read', 'Edited'.
    pub verb: String,
    /// The command, the path, the pattern.
    pub object: Option<String>,
    /// Quieter words behind it.
    pub remark: Option<String>,
    /// Lines added and removed.
    pub lines: Option<(usize, usize)>,
}

/// What kind of body a call has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Commands and their terminals.
    Shell,
    /// Changes to files.
    Edit,
    /// Files read.
    Read,
    /// Files and words found.
    Search,
    /// Addresses fetched.
    Web,
    /// MCP servers.
    Mcp,
    /// Sub-agents.
    Agent,
    /// Todo lists and plans.
    List,
    /// Questions to the person.
    Ask,
    /// Memories.
    Memory,
    /// Skills.
    Skill,
    /// Anything else.
    Other,
}

/// The family of a call.
pub fn family(call: &ToolCall) -> Family {
    if call.mcp.is_some() {
        return Family::Mcp;
    }
    match call.name.as_str() {
        "bash" | "powershell" | "local_shell" | "shell" | "read_bash" | "write_bash" | "stop_bash"
        | "read_powershell" | "write_powershell" | "stop_powershell" | "list_bash" => Family::Shell,
        "edit" | "create" | "write" | "apply_patch" | "str_replace_editor" | "str_replace" | "insert" => {
            Family::Edit
        }
        "view" | "read" | "read_file" | "open" => Family::Read,
        "grep" | "glob" | "rg" | "search" | "list" | "ls" | "lsp" => Family::Search,
        "web_fetch" | "fetch" | "web_search" | "fetch_copilot_cli_documentation" => Family::Web,
        "task" | "read_agent" | "write_agent" | "list_agents" | "stop_agent" => Family::Agent,
        "update_todo" | "todo" | "todo_write" | "sql" | "exit_plan_mode" | "task_complete"
        | "report_intent" => Family::List,
        "ask_user" => Family::Ask,
        "store_memory" | "vote_memory" | "memory" => Family::Memory,
        "skill" => Family::Skill,
        _ => Family::Other,
    }
}

/// The family's icon.
pub fn icon(family: Family) -> Icon {
    match family {
        Family::Shell => Icon::Terminal,
        Family::Edit => Icon::Pencil,
        Family::Read => Icon::File,
        Family::Search => Icon::Search,
        Family::Web => Icon::Globe,
        Family::Mcp => Icon::Plug,
        Family::Agent => Icon::Agent,
        Family::List => Icon::List,
        Family::Ask => Icon::Question,
        Family::Memory | Family::Skill => Icon::Skill,
        Family::Other => Icon::Braces,
    }
}

/// Tense: a call that is not over is told in the present.
struct Verb {
    doing: &'static str,
    done: &'static str,
    not_done: &'static str,
}

/// What the call did, does, or did not do.
pub fn sentence(call: &ToolCall, cwd: Option<&str>) -> Sentence {
    let verb = |doing, done, not_done| Verb { doing, done, not_done };
    let path = || {
        let path = call
            .argument("path")
            .or_else(|| call.argument("filePath"))
            .or_else(|| call.argument("file_path"));
        path.map(|path| relative(path, cwd))
    };
    let edit = (family(call) == Family::Edit).then(lazy::cards).and_then(|cards| (cards.ok()?.edit)(call));
    let first = |names: &[&str]| names.iter().find_map(|name| call.argument(name)).map(str::to_owned);
    let (verb, object) = match family(call) {
        Family::Shell if call.name.starts_with("read_") => {
            (verb("Reading", "Read", "Did not read"), first(&["shellId"]))
        }
        Family::Shell if call.name.starts_with("stop_") => {
            (verb("Stopping", "Stopped", "Did not stop"), first(&["shellId"]))
        }
        Family::Shell => (verb("Running", "Ran", "Did not run"), first(&["command", "input"])),
        Family::Edit if call.name == "create" || call.name == "write" => {
            (verb("Creating", "Created", "Did not create"), path())
        }
        Family::Edit => {
            (verb("Editing", "Edited", "Did not edit"), path().or_else(|| patched(edit.as_ref()?, cwd)))
        }
        Family::Read => (verb("Reading", "Read", "Did not read"), path()),
        Family::Search if call.name == "glob" => {
            (verb("Looking for", "Looked for", "Did not look for"), first(&["pattern"]))
        }
        Family::Search => (
            verb("Searching for", "Searched for", "Did not search for"),
            first(&["pattern", "query"]).or_else(path),
        ),
        Family::Web => (verb("Fetching", "Fetched", "Did not fetch"), first(&["url", "query"])),
        Family::Mcp => (verb("Asking", "Asked", "Did not ask"), None),
        Family::Agent if call.name == "task" => {
            (verb("Delegating", "Delegated", "Did not delegate"), first(&["description", "name"]))
        }
        Family::Ask => (verb("Asking you", "Asked you", "Did not ask"), first(&["question"])),
        Family::Memory => {
            (verb("Remembering", "Remembered", "Did not remember"), first(&["fact", "subject"]))
        }
        Family::Skill => {
            (verb("Loading skill", "Loaded skill", "Did not load skill"), first(&["skill", "name"]))
        }
        _ => (verb("Calling", "Called", "Did not call"), Some(tool_title(call))),
    };
    let verb = match call.life {
        Life::Writing | Life::Requested | Life::Running => verb.doing,
        Life::Denied(_) => verb.not_done,
        _ => verb.done,
    };
    if let Some((server, tool)) = &call.mcp {
        let verb = format!("{verb} {server}:");
        return Sentence {
            verb,
            object: Some(call.title.clone().unwrap_or_else(|| tool.clone())),
            ..Sentence::default()
        };
    }
    Sentence { verb: verb.to_owned(), object, remark: remark(call), lines: edit.map(|edit| edit.lines) }
}

fn remark(call: &ToolCall) -> Option<String> {
    let arguments = call.arguments.as_ref()?;
    if family(call) == Family::Read {
        let range = arguments.get("view_range")?.as_array()?;
        let (from, to) = (range.first()?.as_i64()?, range.get(1)?.as_i64()?);
        return Some(if to < 0 { format!("from line {from}") } else { format!("lines {from}–{to}") });
    }
    None
}

fn tool_title(call: &ToolCall) -> String {
    call.title
        .clone()
        .unwrap_or_else(|| if call.name.is_empty() { "a tool".to_owned() } else { call.name.clone() })
}

/// A path as seen from the working directory.
pub fn relative(path: &str, cwd: Option<&str>) -> String {
    let inside = cwd.and_then(|cwd| path.strip_prefix(cwd)).and_then(|rest| rest.strip_prefix(['/', '\\']));
    inside.filter(|rest| !rest.is_empty()).unwrap_or(path).to_owned()
}

fn patched(edit: &Edit, cwd: Option<&str>) -> Option<String> {
    match edit.paths.as_slice() {
        [] => None,
        [path] => Some(relative(path, cwd)),
        paths => Some(format!("{} files", paths.len())),
    }
}
