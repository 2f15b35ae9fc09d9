//! What a call is, in the form of the session events: the tool's name, and its arguments as that tool has them.

use agent_client_protocol_schema::v1::ToolKind;
use pilothouse_core::json_writer::object;
use serde_json::{Value, json};

use super::call::Call;
use super::known::Quirks;
use super::todos;

/// A tool and what it gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
    /// The MCP server that has it, and its name there.
    pub mcp: Option<(String, String)>,
}

/// What a call uses.
pub fn tool(call: &Call, quirks: &Quirks) -> Tool {
    if let Some(tool) = mcp(call) {
        return tool;
    }
    if let Some(list) =
        quirks.todo_tool.filter(|tool| call.name.as_deref() == Some(tool)).and_then(|_| listed(call))
    {
        return plain(todos::TOOL, json!({ "todos": todos::checklist(&list) }));
    }
    if let Some(tool) = about_subagent(call, quirks) {
        return tool;
    }
    let own = call.name.as_deref().or(call.title.as_deref()).unwrap_or("tool");
    match call.kind.unwrap_or_default() {
        ToolKind::Execute => plain("bash", shell(call)),
        ToolKind::Read => plain("view", object([("path", path(call).map(Into::into))])),
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => edit(call),
        ToolKind::Search => plain("grep", input_or_title(call)),
        ToolKind::Fetch => plain("web_fetch", with_title(call, "url")),
        ToolKind::Think => plain(call.name.as_deref().unwrap_or("think"), input_or_title(call)),
        ToolKind::SwitchMode => plain("exit_plan_mode", input_or_title(call)),
        _ => plain(own, input_or_title(call)),
    }
}

/// The command that a call runs, if the agent says it.
pub fn command(call: &Call) -> Option<String> {
    let input = call.input.as_ref()?;
    match input.get("command").or_else(|| input.get("cmd"))? {
        Value::String(command) if !command.is_empty() => Some(command.clone()),
        // The words of a command that no shell reads.
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            words.filter(|words| !words.is_empty()).map(|words| words.join(" "))
        }
        _ => None,
    }
}

/// The path that a call is about.
pub fn path(call: &Call) -> Option<String> {
    let named = call.input_text(&["path", "filePath", "file_path", "filepath", "fileName", "absolute_path"]);
    let of_diff = || Some(call.diffs.first()?.path.to_string_lossy().into_owned());
    named.map(str::to_owned).or_else(of_diff).or_else(|| call.paths.first().cloned())
}

/// The todos in its input.
pub fn listed(call: &Call) -> Option<Vec<todos::Todo>> {
    let list = call.input.as_ref()?.get("todos")?.as_array()?;
    Some(list.iter().filter_map(todos::read).collect())
}

fn plain(name: &str, arguments: Value) -> Tool {
    Tool { name: name.to_owned(), arguments, mcp: None }
}

fn mcp(call: &Call) -> Option<Tool> {
    if !call.is_mcp {
        return None;
    }
    let (server, tool) = (call.input_text(&["server"])?, call.input_text(&["tool"])?);
    let arguments = call.input.as_ref()?.get("arguments").cloned().unwrap_or(Value::Null);
    let mcp = Some((server.to_owned(), tool.to_owned()));
    Some(Tool { name: format!("{server}-{tool}"), arguments, mcp })
}

/// A call that starts a sub-agent, writes to one, or waits for what it says.
fn about_subagent(call: &Call, quirks: &Quirks) -> Option<Tool> {
    let (_, name) = quirks.subagent_tools.iter().find(|(title, _)| call.title.as_deref() == Some(*title))?;
    let prompt = call.input_text(&["prompt"]).map(Value::from);
    if *name == "task" {
        let first = call.input_text(&["prompt"]).and_then(|prompt| prompt.lines().next()).map(Value::from);
        return Some(plain(name, object([("description", first), ("prompt", prompt)])));
    }
    let about = call.input.as_ref()?.get("receiverThreadIds")?.as_array()?;
    // Of several, none is the one that it is about.
    let one = if let [one] = about.as_slice() { one.as_str() } else { None };
    Some(plain(name, object([("agent_id", one.map(Into::into)), ("message", prompt)])))
}

fn shell(call: &Call) -> Value {
    let title = call.title.as_deref();
    // A call that was over before it was known is one that a load replays: its title is then the tool's name.
    let is_replayed = call.end().is_some() && !call.is_asked;
    let command = command(call).or_else(|| title.filter(|_| !is_replayed).map(str::to_owned));
    let description =
        call.input_text(&["description"]).or(title).filter(|words| Some(*words) != command.as_deref());
    object([
        ("command", command.clone().map(Into::into)),
        ("description", description.map(Into::into)),
        ("cwd", call.input_text(&["cwd"]).map(Into::into)),
    ])
}

fn edit(call: &Call) -> Tool {
    let path = path(call).map(Value::from);
    let diff = call.diffs.first();
    let old = call.input_text(&["old_str", "oldString", "old_string"]).map(str::to_owned);
    let new = call.input_text(&["new_str", "newString", "new_string"]).map(str::to_owned);
    let old = old.or_else(|| diff?.old_text.clone());
    let new = new.or_else(|| Some(diff?.new_text.clone()));
    let contents = call.input_text(&["file_text", "content"]).map(str::to_owned);
    let is_new = old.as_deref().unwrap_or_default().is_empty() && (contents.is_some() || new.is_some());
    let more: Vec<_> = call.diffs.iter().skip(1).map(|diff| diff.path.to_string_lossy()).collect();
    let more = (!more.is_empty()).then(|| json!(more));
    if is_new {
        let text = contents.or(new).map(Into::into);
        return plain("create", object([("path", path), ("file_text", text), ("also", more)]));
    }
    let change =
        [("path", path), ("old_str", old.map(Into::into)), ("new_str", new.map(Into::into)), ("also", more)];
    let arguments = object(change);
    let says_it = arguments.as_object().is_some_and(|arguments| !arguments.is_empty());
    plain("edit", if says_it { arguments } else { input_or_title(call) })
}

fn with_title(call: &Call, name: &str) -> Value {
    let input = call.input.clone().filter(|input| input.get(name).is_some());
    input.unwrap_or_else(|| object([(name, call.title.clone().map(Into::into))]))
}

/// The input as it is; the title where there is none.
fn input_or_title(call: &Call) -> Value {
    let is_there =
        |input: &Value| !input.is_null() && input.as_object().is_none_or(|input| !input.is_empty());
    let input = call.input.clone().filter(is_there);
    input.unwrap_or_else(|| object([("title", call.title.clone().map(Into::into))]))
}
