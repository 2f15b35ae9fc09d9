//! What a tool call did, in a sentence: 'Ran `cargo test`', 'Edited src/lib.rs +12 −3'.
//! Knows the runtime's tools by name; refuses to draw.

use super::tool_call::{Life, ToolCall};

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
    /// The object is words, not something exact.
    pub plain: bool,
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

/// What is done to what: in the present, over, and not done at all.
struct Telling(&'static str, &'static str, &'static str, Object);

/// Where the object of the sentence comes from.
#[derive(Clone, Copy)]
enum Object {
    /// The first of these arguments, which is something exact.
    Exact(&'static [&'static str]),
    /// The first of these arguments, which is a path.
    Path(&'static [&'static str]),
    /// The first of these arguments, which is in people's words.
    Told(&'static [&'static str]),
    /// Our own words.
    Words(&'static str),
    /// The tool.
    Tool,
}

const PATHS: &[&str] = &["path", "filePath", "file_path"];

fn telling(family: Family, name: &str, has_address: bool) -> Telling {
    use Object::{Exact, Path, Told, Tool, Words};
    match (family, name) {
        (Family::Shell, "list_bash" | "list_powershell") => {
            Telling("Listing", "Listed", "Did not list", Words("the shells"))
        }
        (Family::Shell, name) if name.starts_with("read_") => {
            Telling("Reading from shell", "Read from shell", "Did not read from shell", Exact(&["shellId"]))
        }
        (Family::Shell, name) if name.starts_with("stop_") => {
            Telling("Stopping shell", "Stopped shell", "Did not stop shell", Exact(&["shellId"]))
        }
        (Family::Shell, name) if name.starts_with("write_") => {
            Telling("Typing", "Typed", "Did not type", Exact(&["input"]))
        }
        (Family::Shell, _) => Telling("Running", "Ran", "Did not run", Exact(&["command"])),
        (Family::Edit, "create" | "write") => Telling("Creating", "Created", "Did not create", Path(PATHS)),
        (Family::Edit, _) => Telling("Editing", "Edited", "Did not edit", Path(PATHS)),
        (Family::Read, _) => Telling("Reading", "Read", "Did not read", Path(PATHS)),
        (Family::Search, "glob" | "list" | "ls") => {
            Telling("Looking for", "Looked for", "Did not look for", Exact(&["pattern", "path"]))
        }
        (Family::Search, _) => Telling(
            "Searching for",
            "Searched for",
            "Did not search for",
            Exact(&["pattern", "query", "path"]),
        ),
        (Family::Web, _) if has_address => Telling("Fetching", "Fetched", "Did not fetch", Exact(&["url"])),
        (Family::Web, _) => Telling(
            "Searching the web for",
            "Searched the web for",
            "Did not search the web for",
            Told(&["query"]),
        ),
        (Family::Mcp, _) => Telling("Asking", "Asked", "Did not ask", Tool),
        (Family::Agent, "task") => {
            Telling("Delegating", "Delegated", "Did not delegate", Told(&["description", "name"]))
        }
        (Family::List, "sql") => {
            Telling("Running SQL:", "Ran SQL:", "Did not run SQL:", Told(&["description", "query"]))
        }
        (Family::List, "exit_plan_mode") => {
            Telling("Proposing", "Proposed", "Did not propose", Words("a plan"))
        }
        (Family::List, "report_intent") => Telling("Intends:", "Intends:", "Intended:", Told(&["intent"])),
        (Family::List, "task_complete") => {
            Telling("Reporting", "Reported", "Did not report", Words("the task complete"))
        }
        (Family::List, _) => Telling("Updating", "Updated", "Did not update", Words("the todos")),
        (Family::Ask, _) => {
            Telling("Asking you:", "Asked you:", "Did not ask:", Told(&["question", "message"]))
        }
        (Family::Memory, _) => {
            Telling("Remembering:", "Remembered:", "Did not remember:", Told(&["fact", "subject"]))
        }
        (Family::Skill, _) => {
            Telling("Loading skill", "Loaded skill", "Did not load skill", Exact(&["skill", "name"]))
        }
        _ => Telling("Calling", "Called", "Did not call", Tool),
    }
}

/// What the call did, does, or did not do; `edit` is what it changes, where that is known.
pub fn sentence(call: &ToolCall, cwd: Option<&str>, edit: Option<Edit>) -> Sentence {
    let family = family(call);
    let Telling(doing, done, not_done, object) = telling(family, &call.name, call.argument("url").is_some());
    let first = |names: &[&str]| names.iter().find_map(|name| call.argument(name)).map(str::to_owned);
    let (object, plain) = match object {
        Object::Exact(names) => (first(names), false),
        Object::Path(names) => (first(names).map(|path| relative(&path, cwd)), false),
        Object::Told(names) => (first(names), true),
        Object::Words(words) => (Some(words.to_owned()), true),
        Object::Tool => (None, false),
    };
    let object = object.or_else(|| patched(edit.as_ref()?, cwd)).or_else(|| {
        let tool = call.mcp.as_ref().map(|(_, tool)| tool.clone()).filter(|_| call.title.is_none());
        (family != Family::Edit).then(|| tool.unwrap_or_else(|| tool_title(call)))
    });
    // What failed was still run, asked or called; but nothing was read or written.
    let failed = matches!(call.life, Life::Failed(_))
        && !matches!(family, Family::Shell | Family::Mcp | Family::Agent | Family::Other);
    // Nothing runs while a person has not allowed it: 'Waiting to run'.
    let waiting = not_done.replacen("Did not", "Waiting to", 1);
    let verb = match call.life {
        _ if call.waits && !call.ended() => &waiting,
        Life::Writing | Life::Requested | Life::Running => doing,
        Life::Denied(_) => not_done,
        _ if failed => not_done,
        _ => done,
    };
    let verb = match (family, &call.mcp) {
        (_, Some((server, _))) => format!("{verb} {server}:"),
        // 'Read lines 1–20 of src/lib.rs', 'Delegated to explore: …'
        (Family::Read, _) => {
            range(call).map_or_else(|| verb.to_owned(), |lines| format!("{verb} {lines} of"))
        }
        (Family::Agent, _) => {
            let agent = call.argument("agent_type");
            agent.map_or_else(|| verb.to_owned(), |agent| format!("{verb} to {agent}:"))
        }
        _ => verb.to_owned(),
    };
    let lines = edit.map(|edit| edit.lines).filter(|_| !failed);
    Sentence { verb, object, plain, remark: None, lines }
}

fn range(call: &ToolCall) -> Option<String> {
    let range = call.arguments.as_ref()?.get("view_range")?.as_array()?;
    let (from, to) = (range.first()?.as_i64()?, range.get(1)?.as_i64()?);
    Some(if to < 0 { format!("line {from} to the end") } else { format!("lines {from}–{to}") })
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
