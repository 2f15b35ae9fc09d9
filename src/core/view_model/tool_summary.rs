//! Describes a tool call in a sentence: 'Ran `cargo test`', 'Edited src/lib.rs +12 −3'. The runtime's tools
//! are known by name here.

use serde_json::Value;

use crate::i18n::Word;
use crate::i18n::format::{relative, without_marks};
use crate::i18n::words::tools;
use crate::model::tool_call::{CallStage, Failure, ToolCall};
use crate::view_model::settled_request::lowercase_first;

/// A summary of what an edit changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditSummary {
    /// Numbers of lines added and removed.
    pub lines: (usize, usize),
    /// The files, as far as they are known.
    pub paths: Vec<String>,
}

/// The parts of a sentence: text, the object as code, text, a remark, line counts. The language decides where
/// in the sentence the object is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sentence {
    /// The text before the object: 'Ran '. The whole sentence if it has no object.
    pub before: String,
    /// The command, the path, the pattern.
    pub object: Option<String>,
    /// The object is ordinary text rather than code.
    pub plain: bool,
    /// The text after the object.
    pub after: String,
    /// A less prominent remark after it.
    pub remark: Option<String>,
    /// Numbers of lines added and removed.
    pub lines: Option<(usize, usize)>,
}

impl Sentence {
    /// The sentence as text, without remark and counts.
    pub fn words(&self) -> String {
        let object = self.object.as_deref().unwrap_or_default();
        format!("{}{object}{}", self.before, self.after)
    }
}

/// A group of tools that are shown alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolFamily {
    /// Shell commands.
    Shell,
    /// Changes to files.
    Edit,
    /// Reading files.
    Read,
    /// Searching for files and text.
    Search,
    /// Fetching addresses and searching the web.
    Web,
    /// Tools of MCP servers.
    Mcp,
    /// Sub-agents.
    Agent,
    /// Todo lists and plans.
    List,
    /// Questions to the person.
    AskUser,
    /// Memories.
    Memory,
    /// Skills.
    Skill,
    /// Anything else.
    Other,
}

/// The family of a call.
pub fn family(call: &ToolCall) -> ToolFamily {
    if call.mcp.is_some() {
        return ToolFamily::Mcp;
    }
    match call.name.as_str() {
        "bash" | "powershell" | "local_shell" | "shell" | "read_bash" | "write_bash" | "stop_bash"
        | "read_powershell" | "write_powershell" | "stop_powershell" | "list_bash" => ToolFamily::Shell,
        "edit" | "create" | "write" | "apply_patch" | "str_replace_editor" | "str_replace" | "insert" => {
            ToolFamily::Edit
        }
        "view" | "read" | "read_file" | "open" => ToolFamily::Read,
        "grep" | "glob" | "rg" | "search" | "list" | "ls" | "lsp" => ToolFamily::Search,
        "web_fetch" | "fetch" | "web_search" | "fetch_copilot_cli_documentation" => ToolFamily::Web,
        "task" | "read_agent" | "write_agent" | "list_agents" | "stop_agent" => ToolFamily::Agent,
        "update_todo" | "todo" | "todo_write" | "sql" | "exit_plan_mode" | "task_complete"
        | "report_intent" => ToolFamily::List,
        "ask_user" => ToolFamily::AskUser,
        "store_memory" | "vote_memory" | "memory" => ToolFamily::Memory,
        "skill" => ToolFamily::Skill,
        _ => ToolFamily::Other,
    }
}

/// Where a sentence's object comes from.
#[derive(Clone, Copy)]
enum ObjectSource {
    /// The first of these arguments that is given, shown as code.
    Exact(&'static [&'static str]),
    /// The first of these arguments that is given, a path.
    Path(&'static [&'static str]),
    /// The first of these arguments that is given, shown as ordinary text.
    Argument(&'static [&'static str]),
    /// The tool's name.
    Tool,
    /// The sub-agent that its arguments name.
    Agent,
    /// The sentence has no object.
    None,
}

const PATHS: &[&str] = &["path", "filePath", "file_path"];

/// Whether the call creates or changes the file of this name, which is relative to the working directory.
pub(crate) fn edits(call: &ToolCall, name: &str, cwd: Option<&str>) -> bool {
    let is_it = |path: &str| relative(path, cwd) == name;
    let says = |arguments: &Value| {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        // `*** Add File: src/lib.rs`
        let patch = arguments.as_str().or_else(|| text("patch")).unwrap_or_default();
        let mut patched = patch.lines().filter(|line| line.starts_with("*** "));
        PATHS.iter().filter_map(|name| text(name)).any(is_it)
            || patched.any(|line| line.split_once(": ").is_some_and(|(_, path)| is_it(path)))
    };
    family(call) == ToolFamily::Edit
        && call.arguments.as_ref().is_some_and(|arguments| arguments.read_uncached(says))
}

/// The id of the sub-agent that a call is about, and whether it reads what that answered.
pub(crate) fn about_agent(call: &ToolCall) -> Option<(String, bool)> {
    let is_about =
        call.mcp.is_none() && matches!(call.name.as_str(), "read_agent" | "write_agent" | "stop_agent");
    // Only these arguments are read: those of other calls wait for somebody who looks.
    let id = if is_about { call.argument("agent_id")? } else { return None };
    Some((id.to_owned(), call.name == "read_agent"))
}

/// A placeholder in a message for something that is rendered separately. The finished message is split at it.
pub(crate) const PLACE: &str = "\u{FFFC}";

/// The message for a call, and where its object comes from.
fn message_and_object(family: ToolFamily, call: &ToolCall) -> (Word, ObjectSource) {
    use ObjectSource::{Agent, Argument, Exact, None, Path, Tool};
    match (family, call.name.as_str()) {
        (ToolFamily::Shell, "list_bash" | "list_powershell") => (tools::LIST_SHELLS, None),
        (ToolFamily::Shell, name) if name.starts_with("read_") => (tools::READ_SHELL, Exact(&["shellId"])),
        (ToolFamily::Shell, name) if name.starts_with("stop_") => (tools::STOP_SHELL, Exact(&["shellId"])),
        (ToolFamily::Shell, name) if name.starts_with("write_") => (tools::TYPE, Exact(&["input"])),
        (ToolFamily::Shell, _) => (tools::RUN, Exact(&["command"])),
        (ToolFamily::Edit, "create" | "write") => (tools::CREATE, Path(PATHS)),
        (ToolFamily::Edit, _) => (tools::EDIT, Path(PATHS)),
        (ToolFamily::Read, _) => (tools::READ, Path(PATHS)),
        (ToolFamily::Search, "glob" | "list" | "ls") => (tools::LOOK_FOR, Exact(&["pattern", "path"])),
        (ToolFamily::Search, _) => (tools::SEARCH_FOR, Exact(&["pattern", "query", "path"])),
        (ToolFamily::Web, _) if call.argument("url").is_some() => (tools::FETCH, Exact(&["url"])),
        (ToolFamily::Web, _) => (tools::SEARCH_WEB, Argument(&["query"])),
        (ToolFamily::Mcp, _) => (tools::ASK_SERVER, Tool),
        (ToolFamily::Agent, "task") => {
            let named = call.argument("agent_type").is_some();
            let word = if named { tools::DELEGATE_TO } else { tools::DELEGATE };
            (word, Argument(&["description", "name"]))
        }
        (ToolFamily::Agent, "list_agents") => (tools::LIST_AGENTS, None),
        (ToolFamily::Agent, "read_agent") => (tools::READ_AGENT, Agent),
        (ToolFamily::Agent, "write_agent") => (tools::WRITE_AGENT, Agent),
        (ToolFamily::Agent, _) => (tools::STOP_AGENT, Agent),
        (ToolFamily::List, "sql") => (tools::SQL, Argument(&["description", "query"])),
        (ToolFamily::List, "exit_plan_mode") => (tools::PROPOSE_PLAN, None),
        (ToolFamily::List, "report_intent") => (tools::INTEND, Argument(&["intent"])),
        (ToolFamily::List, "task_complete") => (tools::REPORT_COMPLETE, None),
        (ToolFamily::List, _) => (tools::UPDATE_CHECKLIST, None),
        (ToolFamily::AskUser, _) => (tools::ASK, Argument(&["question", "message"])),
        (ToolFamily::Memory, _) => (tools::REMEMBER, Argument(&["fact", "subject"])),
        (ToolFamily::Skill, _) => (tools::LOAD_SKILL, Exact(&["skill", "name"])),
        _ => (tools::CALL, Tool),
    }
}

/// The sentence for a call in its present state; `edit` is what it changes, if known.
pub fn sentence(call: &ToolCall, cwd: Option<&str>, edit: Option<EditSummary>) -> Sentence {
    let family = family(call);
    let (word, object) = message_and_object(family, call);
    let first = |names: &[&str]| names.iter().find_map(|name| call.argument(name)).map(str::to_owned);
    let (object, plain) = match object {
        // The word for an unknown file may be empty, as in English; then the sentence has no object.
        ObjectSource::Path(names) => match first(names).or_else(|| edit.as_ref().and_then(patched_files)) {
            Some(path) => (Some(relative(&path, cwd)), false),
            None if family == ToolFamily::Edit => {
                (Some(tools::A_FILE.text().to_owned()).filter(|file| !file.is_empty()), true)
            }
            None => (Some(unnamed(family, call)), true),
        },
        ObjectSource::Exact(names) => match first(names) {
            Some(exact) => (Some(exact), false),
            None => (Some(unnamed(family, call)), true),
        },
        ObjectSource::Argument(names) => {
            (Some(first(names).map_or_else(|| unnamed(family, call), |text| without_marks(&text))), true)
        }
        ObjectSource::Agent => {
            let agent = call.agent.clone().or_else(|| first(&["name"]));
            (Some(agent.unwrap_or_else(|| tools::AN_AGENT.text().to_owned())), true)
        }
        ObjectSource::Tool => {
            let tool = call.mcp.as_ref().map(|(_, tool)| tool.clone()).filter(|_| call.title.is_none());
            (Some(tool.unwrap_or_else(|| tool_title(call))), false)
        }
        ObjectSource::None => (None, true),
    };
    // A failed command was still run, and a failed call was still made; but nothing was read or written.
    let failed = matches!(call.stage, CallStage::Failed(_))
        && !matches!(family, ToolFamily::Shell | ToolFamily::Mcp | ToolFamily::Agent | ToolFamily::Other);
    let never_ran = call.is_waiting || !call.may_have_run();
    let is_cut_off =
        matches!(call.stage, CallStage::Interrupted | CallStage::Failed(Failure { interrupted: true, .. }));
    let how = match call.stage {
        // It does not run before a person allows it.
        _ if call.is_waiting && !call.ended() => "waiting",
        CallStage::Writing | CallStage::Requested | CallStage::Running => "doing",
        CallStage::Denied(_) => "not-done",
        _ if is_cut_off && never_ran => "not-done",
        // Its progress is unknown, except that a question is asked at once.
        _ if is_cut_off && family != ToolFamily::AskUser => "doing",
        _ if is_cut_off => "done",
        _ if failed => "not-done",
        _ => "done",
    };
    let (word, from, to) = match range(call).filter(|_| family == ToolFamily::Read) {
        Some((from, to)) if to < 0 => (tools::READ_TO_END, from.to_string(), String::new()),
        Some((from, to)) => (tools::READ_LINES, from.to_string(), to.to_string()),
        None => (word, String::new(), String::new()),
    };
    let server = call.mcp.as_ref().map(|(server, _)| server.as_str());
    let name = server.or_else(|| call.argument("agent_type")).unwrap_or_default();
    let words = word.with(&[
        ("how", how.into()),
        ("object", PLACE.into()),
        ("name", name.into()),
        ("from", (&from).into()),
        ("to", (&to).into()),
    ]);
    let words = if is_cut_off && how == "doing" {
        tools::STOPPED.with(&[("what", (&lowercase_first(&words)).into())])
    } else {
        words
    };
    let (before, object, after) = match words.split_once(PLACE) {
        Some((before, after)) => (before, object, after),
        None => (words.as_str(), None, ""),
    };
    let lines = edit.map(|edit| edit.lines).filter(|_| !failed);
    Sentence { before: before.to_owned(), object, plain, after: after.to_owned(), remark: None, lines }
}

/// The first and last line that are read; the last is negative if reading goes to the end of the file.
fn range(call: &ToolCall) -> Option<(i64, i64)> {
    let range = call.arguments.as_ref()?.get("view_range")?.as_array()?;
    Some((range.first()?.as_i64()?, range.get(1)?.as_i64()?))
}

/// What a call of a known tool is about while its arguments do not say so: the tool's title for people, else 'a command',
/// 'a file' and so on, never the name that it has for the model.
fn unnamed(family: ToolFamily, call: &ToolCall) -> String {
    let what = match family {
        ToolFamily::Shell => "command",
        ToolFamily::Read => "file",
        ToolFamily::Agent => "task",
        ToolFamily::Web => "page",
        ToolFamily::AskUser => "question",
        ToolFamily::Skill => "skill",
        _ => "something",
    };
    call.title.clone().unwrap_or_else(|| tools::UNNAMED.with(&[("what", what.into())]))
}

fn tool_title(call: &ToolCall) -> String {
    call.title
        .clone()
        .or_else(|| Some(call.name.clone()).filter(|name| !name.is_empty()))
        .unwrap_or_else(|| tools::A_TOOL.text().to_owned())
}

fn patched_files(edit: &EditSummary) -> Option<String> {
    match edit.paths.as_slice() {
        [] => None,
        [path] => Some(path.clone()),
        paths => Some(tools::FILES.with(&[("n", paths.len().into())])),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::i18n;
    use crate::i18n::Language;
    use crate::model::tool_call::{Failure, Outcome};

    fn call(name: &str, arguments: Value) -> ToolCall {
        let mut call = ToolCall::new(name.to_owned(), CallStage::Succeeded(Outcome::default()));
        call.arguments = Some(arguments.into());
        call
    }

    /// A call for every sentence, with the expected text.
    fn calls() -> Vec<(ToolCall, &'static str)> {
        let mut asked = call("moor", json!({}));
        asked.mcp = Some(("harbour".to_owned(), "moor".to_owned()));
        let mut calls = vec![(asked, "Asked harbour: <moor>")];
        for (name, arguments, expected) in [
            ("bash", json!({ "command": "cargo test" }), "Ran <cargo test>"),
            ("list_bash", json!({}), "Listed the shells"),
            ("read_bash", json!({ "shellId": "1" }), "Read from shell <1>"),
            ("stop_bash", json!({ "shellId": "1" }), "Stopped shell <1>"),
            ("write_bash", json!({ "input": "y" }), "Typed <y>"),
            ("create", json!({ "path": "/w/a.rs" }), "Created <a.rs>"),
            ("edit", json!({ "path": "/w/a.rs" }), "Edited <a.rs>"),
            ("view", json!({ "path": "/w/a.rs" }), "Read <a.rs>"),
            ("view", json!({ "path": "/w/a.rs", "view_range": [1000, 20] }), "Read lines 1000–20 of <a.rs>"),
            ("view", json!({ "path": "/a.rs", "view_range": [9, -1] }), "Read line 9 to the end of </a.rs>"),
            ("glob", json!({ "pattern": "*.rs" }), "Looked for <*.rs>"),
            ("grep", json!({ "pattern": "tide" }), "Searched for <tide>"),
            ("web_fetch", json!({ "url": "https://a.example" }), "Fetched <https://a.example>"),
            ("web_search", json!({ "query": "tides" }), "Searched the web for tides"),
            ("task", json!({ "description": "Look" }), "Delegated Look"),
            ("task", json!({ "description": "Look", "agent_type": "explore" }), "Delegated to explore: Look"),
            ("list_agents", json!({}), "Listed the agents"),
            ("read_agent", json!({ "agent_id": "e9d8b329" }), "Read the answer of an agent"),
            ("write_agent", json!({ "agent_id": "e9d8b329" }), "Wrote to an agent"),
            ("stop_agent", json!({ "agent_id": "e9d8b329" }), "Stopped an agent"),
            ("bash", json!({}), "Ran a command"),
            ("view", json!({}), "Read a file"),
            ("grep", json!({}), "Searched for something"),
            ("task", json!({}), "Delegated a task"),
            ("ask_user", json!({ "question": "Anything? Use **bold**" }), "Asked you: Anything? Use bold"),
            ("sql", json!({ "query": "select 1" }), "Ran SQL: select 1"),
            ("exit_plan_mode", json!({}), "Proposed a plan"),
            ("report_intent", json!({ "intent": "Moor" }), "Intends: Moor"),
            ("task_complete", json!({}), "Reported the task complete"),
            ("update_todo", json!({}), "Updated the todos"),
            ("ask_user", json!({ "question": "Where?" }), "Asked you: Where?"),
            ("store_memory", json!({ "fact": "Boats float" }), "Remembered: Boats float"),
            ("skill", json!({ "skill": "knots" }), "Loaded skill <knots>"),
            ("moor", json!({}), "Called <moor>"),
            ("", json!({}), "Called <a tool>"),
        ] {
            calls.push((call(name, arguments), expected));
        }
        calls
    }

    fn words_of(call: &ToolCall) -> String {
        let Sentence { before, object, plain, after, .. } = sentence(call, Some("/w"), None);
        let object = object.map(|object| if plain { object } else { format!("<{object}>") });
        format!("{before}{}{after}", object.unwrap_or_default())
    }

    #[test]
    fn a_sentence_says_what_was_done_to_what() {
        for (call, expected) in calls() {
            assert_eq!(words_of(&call), expected);
        }
    }

    #[test]
    fn a_sentence_says_whether_it_was_done() {
        let mut run = call("bash", json!({ "command": "ls" }));
        run.stage = CallStage::Running;
        assert_eq!(words_of(&run), "Running <ls>");
        run.is_waiting = true;
        assert_eq!(words_of(&run), "Waiting to run <ls>");
        run.stage = CallStage::Denied(Failure::default());
        assert_eq!(words_of(&run), "Did not run <ls>");
        run.stage = CallStage::Interrupted;
        run.has_started = true;
        assert_eq!(words_of(&run), "Did not run <ls>", "it was never allowed");
        run.is_waiting = false;
        assert_eq!(words_of(&run), "Stopped: running <ls>", "how far it came is not known");
        let cut_off = CallStage::Failed(Failure { interrupted: true, ..Failure::default() });
        run.stage = cut_off.clone();
        assert_eq!(words_of(&run), "Stopped: running <ls>");
        run.is_waiting = true;
        assert_eq!(words_of(&run), "Did not run <ls>", "it was stopped before it was allowed");
        (run.stage, run.is_waiting) = (CallStage::Interrupted, false);
        run.has_started = false;
        assert_eq!(words_of(&run), "Did not run <ls>", "it had not begun");
        run.stage = CallStage::Failed(Failure::default());
        assert_eq!(words_of(&run), "Ran <ls>", "a command that fails did run");
        let mut read = call("view", json!({ "path": "a" }));
        read.stage = CallStage::Failed(Failure::default());
        assert_eq!(words_of(&read), "Did not read <a>");
        let nameless = sentence(&call("edit", json!({})), None, None);
        assert_eq!((nameless.words().as_str(), nameless.object), ("Edited ", None));
    }

    #[test]
    fn every_language_says_the_object_once_in_every_sentence() {
        const fn spoken(tag: &'static str, words: &'static [&'static str]) -> Language {
            Language {
                tag,
                right_to_left: false,
                words,
                plural: |_| "other".to_owned(),
                figure: |number, _| number.to_string(),
            }
        }
        static LANGUAGES: [Language; 3] = [
            spoken("ar", crate::i18n::translations::ARABIC),
            spoken("de", crate::i18n::translations::GERMAN),
            spoken("ja", crate::i18n::translations::JAPANESE),
        ];
        for (mut call, english) in calls() {
            for (life, waits) in [
                (CallStage::Running, false),
                (CallStage::Running, true),
                (CallStage::Denied(Failure::default()), false),
                (CallStage::Succeeded(Outcome::default()), false),
                (CallStage::Failed(Failure { interrupted: true, ..Failure::default() }), false),
            ] {
                call.has_started = true;
                (call.stage, call.is_waiting) = (life, waits);
                let named = sentence(&call, None, None).object.is_some();
                for spoken in &LANGUAGES {
                    i18n::set(Some(spoken));
                    let expected = sentence(&call, None, None);
                    i18n::set(None);
                    assert_eq!(expected.object.is_some(), named, "{}: {english}: {expected:?}", spoken.tag);
                    assert!(!expected.after.contains(PLACE), "{}: {english}: {expected:?}", spoken.tag);
                }
            }
        }
    }
}
