//! What a permission is about, as data: the question, everything that is to be allowed, the facts and the dangers.
//! Refuses to draw any of it; loses nothing: a field that has no place of its own is listed as it came.

use serde_json::{Map, Value};

use super::marks::{Sight, address_dangers, dangers};
use crate::core::answer;
use crate::core::request::Request;
use crate::ui::icons::Icon;

/// Something that is shown in full, monospaced, before the buttons.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// A text.
    Text(String, Sight),
    /// An address: its host stands out.
    Address(String),
    /// A change of a file.
    Change {
        /// The file.
        path: String,
        /// As a unified diff.
        diff: Option<String>,
        /// As its new content.
        contents: Option<String>,
    },
}

/// A line of the facts: its name and its values. Values are exact; words are ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// Values from the wire, shown as code.
    pub exact: Vec<String>,
    /// Our words; backticks make code.
    pub words: String,
}

/// Something to heed.
#[derive(Debug, Clone, PartialEq)]
pub struct Caution {
    /// It may harm.
    pub danger: bool,
    /// In words.
    pub words: String,
}

/// Everything a card says about a permission.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// Which icon.
    pub icon: Icon,
    /// The plain question.
    pub question: String,
    /// What the agent intends.
    pub why: Option<String>,
    /// What is to be allowed.
    pub shown: Vec<Shown>,
    /// Facts about it.
    pub facts: Vec<Fact>,
    /// What to heed.
    pub cautions: Vec<Caution>,
}

/// Fields that say nothing to a person, or are said by a button.
const SILENT: [&str; 9] = [
    "kind",
    "toolCallId",
    "commands",
    "canOfferSessionApproval",
    "canPersistApproval",
    "skipPermission",
    "approvalKey",
    "locationKey",
    "requestSandboxBypassReason",
];

/// A JSON value as people read it: a string as it is, anything else pretty.
pub fn readable(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_else(|_| other.to_string()),
    }
}

/// A JSON value in one line.
fn compact(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The fields of a permission, taken one after the other.
struct Taken {
    fields: Map<String, Value>,
    subject: Subject,
}

impl Taken {
    fn text(&mut self, name: &str) -> Option<String> {
        if !self.fields.get(name)?.is_string() {
            return None;
        }
        match self.fields.remove(name)? {
            Value::String(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        let flag = self.fields.get(name)?.as_bool()?;
        self.fields.remove(name);
        Some(flag)
    }

    /// Takes a list of strings, or of objects of which one field is a string; anything else stays.
    fn list(&mut self, name: &str, field: &str) -> Vec<String> {
        let text = |value: &Value| value.as_str().or_else(|| value.get(field)?.as_str()).map(str::to_owned);
        let list = self.fields.get(name).and_then(Value::as_array).and_then(|list| list.iter().map(text).collect());
        if list.is_some() {
            self.fields.remove(name);
        }
        list.unwrap_or_default()
    }

    fn ask(&mut self, icon: Icon, question: impl Into<String>) {
        self.subject.icon = icon;
        self.subject.question = question.into();
    }

    fn show(&mut self, text: String, sight: Sight) {
        self.subject.shown.push(Shown::Text(text, sight));
    }

    /// Shows arguments, if there are any.
    fn arguments(&mut self, name: &str) {
        match self.fields.remove(name) {
            None | Some(Value::Null) => {}
            Some(arguments) => self.show(readable(&arguments), Sight::Content),
        }
    }

    fn fact(&mut self, name: &str, exact: impl IntoIterator<Item = String>, words: &str) {
        let exact: Vec<String> = exact.into_iter().collect();
        if !exact.is_empty() || !words.is_empty() {
            self.subject.facts.push(Fact { name: name.to_owned(), exact, words: words.to_owned() });
        }
    }

    fn caution(&mut self, danger: bool, words: impl Into<String>) {
        self.subject.cautions.push(Caution { danger, words: words.into() });
    }
}

/// Describes a permission. `cwd` is the session's directory, `agent` the asking sub-agent.
pub fn subject(request: &Request, cwd: Option<String>) -> Subject {
    let whole = request.permission().unwrap_or(&request.details);
    let fields = whole.as_object().cloned().unwrap_or_default();
    let blank = Subject {
        icon: Icon::Shield,
        question: String::new(),
        why: None,
        shown: Vec::new(),
        facts: Vec::new(),
        cautions: Vec::new(),
    };
    let kind = whole.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut taken = Taken { fields, subject: blank };
    taken.subject.why = taken.text("intention");
    if !describe(&mut taken, &kind, request, cwd) {
        taken.ask(Icon::Shield, if kind.is_empty() { "Allow this?".to_owned() } else { format!("Allow this ({kind})?") });
        taken.show(readable(whole), Sight::Content);
        taken.fields.clear();
    }
    if taken.flag("requestSandboxBypass") == Some(true) {
        let reason = taken.text("requestSandboxBypassReason").map_or_else(String::new, |reason| format!(": {reason}"));
        taken.caution(true, format!("Asks to run outside of the sandbox{reason}"));
    }
    if let Some(warning) = taken.text("warning") {
        taken.caution(false, warning);
    }
    if taken.flag("managedApprovalRequired") == Some(true) {
        taken.fact("Policy", [], "a person must decide");
    }
    if let Some(risk) = request.details.get("riskAssessment").filter(|risk| !risk.is_null()) {
        taken.fact("Risk", [compact(risk)], "");
    }
    for (name, value) in std::mem::take(&mut taken.fields) {
        let empty = match &value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(list) => list.is_empty(),
            Value::Object(object) => object.is_empty(),
            _ => false,
        };
        if !empty && !SILENT.contains(&name.as_str()) {
            taken.fact(&name, [compact(&value)], "");
        }
    }
    if let Some(words) = answer::session_approval_words(request) {
        taken.fact("This session", [], &format!("allows {words}"));
    }
    taken.subject
}

/// Describes a kind that is known; false for one that is not.
fn describe(taken: &mut Taken, kind: &str, request: &Request, cwd: Option<String>) -> bool {
    match kind {
        "shell" | "commands" => {
            let Some(command) = taken.text("fullCommandText") else { return false };
            taken.ask(Icon::Terminal, "Run this command?");
            shell(taken, command, cwd);
        }
        "write" => {
            let (diff, contents) = (taken.text("diff"), taken.text("newFileContents"));
            let path = taken.text("fileName").unwrap_or_default();
            taken.ask(Icon::Pencil, "Write to this file?");
            for danger in dangers(&path, Sight::Line) {
                taken.caution(true, danger);
            }
            let change = [&diff, &contents].into_iter().flatten().map(|text| super::marks::unseen(text, Sight::Content));
            match change.max().unwrap_or(0) {
                0 => {}
                n => taken.caution(true, format!("What is written contains hidden characters ({n}).")),
            }
            resolved(taken, "resolvedPath", &path);
            taken.subject.shown.push(Shown::Change { path, diff, contents });
        }
        "read" => {
            let Some(path) = taken.text("path") else { return false };
            taken.ask(Icon::File, "Read this?");
            exact(taken, path.clone());
            resolved(taken, "resolvedPath", &path);
        }
        "url" => {
            let Some(url) = taken.text("url") else { return false };
            taken.ask(Icon::Globe, "Fetch this address?");
            for danger in address_dangers(&url) {
                taken.caution(true, danger);
            }
            taken.subject.shown.push(Shown::Address(url));
            let from = taken.text("redirectedFrom");
            taken.fact("Redirected from", from, "");
        }
        "mcp" => mcp(taken, request),
        "memory" => memory(taken),
        "custom-tool" => {
            let tool = taken.text("toolName").unwrap_or_default();
            taken.ask(Icon::Braces, format!("Let the agent use {tool}?"));
            if let Some(what) = taken.text("toolDescription") {
                taken.fact("What it does", [], &what);
            }
            taken.arguments("args");
        }
        "hook" => {
            let tool = taken.text("toolName").unwrap_or_default();
            taken.ask(Icon::Shield, format!("A hook asks: use {tool}?"));
            if let Some(message) = taken.text("hookMessage") {
                taken.subject.why = Some(message);
            }
            taken.arguments("toolArgs");
        }
        "extension-management" => {
            let operation = taken.text("operation").unwrap_or_default();
            let name = taken.text("extensionName").map_or_else(String::new, |name| format!(" {name}"));
            taken.ask(Icon::Plug, format!("Let the agent {operation} the extension{name}?"));
        }
        "extension-permission-access" => {
            let name = taken.text("extensionName").unwrap_or_default();
            taken.ask(Icon::Plug, format!("Give the extension {name} these abilities?"));
            let capabilities = taken.list("capabilities", "name");
            taken.show(capabilities.join("\n"), Sight::Content);
        }
        "extension-env-access" => {
            let name = taken.text("extensionName").unwrap_or_default();
            taken.ask(Icon::Plug, format!("Let the extension {name} read these environment variables?"));
            let variables = taken.list("environmentVariables", "name");
            taken.show(variables.join("\n"), Sight::Content);
        }
        "factory" => factory(taken),
        _ => return false,
    }
    true
}

fn exact(taken: &mut Taken, line: String) {
    for danger in dangers(&line, Sight::Line) {
        taken.caution(true, danger);
    }
    taken.show(line, Sight::Line);
}

/// Says where a path really leads, if that is somewhere else.
fn resolved(taken: &mut Taken, name: &str, asked: &str) {
    if let Some(path) = taken.text(name).filter(|path| path != asked) {
        taken.fact("Leads to", [path], "");
    }
}

fn shell(taken: &mut Taken, command: String, cwd: Option<String>) {
    for danger in dangers(&command, Sight::Command) {
        taken.caution(true, danger);
    }
    let directory = taken.text("resolvedWorkingDirectory").or(cwd);
    taken.fact("In", directory, "");
    let segments = taken.list("commandSegments", "fullCommandText");
    // One segment that is the whole command says nothing more.
    if segments.as_slice() != [command.as_str()] {
        taken.fact("Runs", segments, "");
    }
    let resolved = taken.fields.remove("resolvedPaths");
    let paths = taken.list("possiblePaths", "path").into_iter().map(|path| {
        let leads = resolved.as_ref().and_then(|all| all.get(&path)?.as_str()).filter(|leads| *leads != path);
        leads.map_or_else(|| path.clone(), |leads| format!("{path} → {leads}"))
    });
    let paths: Vec<String> = paths.collect();
    taken.fact("Touches", paths, "");
    let urls = taken.list("possibleUrls", "url");
    for url in &urls {
        for danger in address_dangers(url) {
            taken.caution(true, danger);
        }
    }
    taken.fact("Opens", urls, "");
    if taken.flag("hasWriteFileRedirection") == Some(true) {
        taken.fact("Writes", [], "to a file, by redirection");
    }
    taken.show(command, Sight::Command);
}

fn mcp(taken: &mut Taken, request: &Request) {
    let server = taken.text("serverName").unwrap_or_default();
    let internal = taken.text("toolName").unwrap_or_default();
    let prompt = request.details.get("promptRequest").and_then(|prompt| prompt.get("toolName")?.as_str());
    let tool = prompt.map_or_else(|| internal.clone(), str::to_owned);
    taken.ask(Icon::Plug, format!("Let {server} run {tool}?"));
    let title = taken.text("toolTitle").filter(|title| *title != tool);
    let effect = match taken.flag("readOnly") {
        Some(true) => "says that it only reads",
        _ => "may change things outside this machine",
    };
    if taken.subject.why.is_none() {
        taken.subject.why = Some(title.map_or_else(|| effect.to_owned(), |title| format!("{title} · {effect}")));
    }
    taken.fact("Server", [server], "");
    taken.fact("Tool", [tool], "");
    taken.arguments("args");
}

fn memory(taken: &mut Taken) {
    let vote = taken.text("action").is_some_and(|action| action == "vote");
    let down = taken.text("direction").is_some_and(|direction| direction == "downvote");
    taken.ask(Icon::Skill, match (vote, down) {
        (false, _) => "Remember this?",
        (true, false) => "Vote for this memory?",
        (true, true) => "Vote against this memory?",
    });
    let fact = taken.text("fact").unwrap_or_default();
    for danger in dangers(&fact, Sight::Content) {
        taken.caution(true, danger);
    }
    taken.show(fact, Sight::Content);
    for (name, field) in [("Subject", "subject"), ("Source", "citations"), ("Because", "reason"), ("For", "repoNwo"), ("Scope", "scope")] {
        if let Some(words) = taken.text(field) {
            taken.fact(name, [words], "");
        }
    }
}

fn factory(taken: &mut Taken) {
    let operation = taken.text("operation").unwrap_or_else(|| "run".to_owned());
    let name = taken.text("name").unwrap_or_default();
    taken.ask(Icon::Agent, format!("Let the agent {operation} the factory {name}?"));
    if let Some(description) = taken.text("description") {
        taken.subject.why.get_or_insert(description);
    }
    taken.arguments("phases");
}

#[cfg(test)]
mod tests;
