//! Each kind of permission: its question, what is shown in full, its facts. Refuses kinds that it does not know:
//! those are shown whole, as data.

use super::super::marks::{Sight, address_dangers, dangers, unseen};
use super::{Shown, Taken};
use crate::core::request::Request;
use crate::ui::icons::Icon;

/// Describes a kind that is known; false for one that is not.
pub(super) fn describe(taken: &mut Taken, kind: &str, request: &Request, cwd: Option<String>) -> bool {
    match kind {
        "shell" | "commands" => {
            let Some(command) = taken.text("fullCommandText") else {
                return false;
            };
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
            let change = [&diff, &contents].into_iter().flatten().map(|text| unseen(text, Sight::Content));
            match change.max().unwrap_or(0) {
                0 => {}
                n => taken.caution(true, format!("What is written contains hidden characters ({n}).")),
            }
            resolved(taken, "resolvedPath", &path);
            taken.subject.shown.push(Shown::Change { path, diff, contents });
        }
        "read" => {
            let Some(path) = taken.text("path") else {
                return false;
            };
            taken.ask(Icon::File, "Read this?");
            exact(taken, path.clone());
            resolved(taken, "resolvedPath", &path);
        }
        "url" => {
            let Some(url) = taken.text("url") else {
                return false;
            };
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
    taken.show(line, Sight::Line);
}

/// Says where a path really leads, if that is somewhere else.
fn resolved(taken: &mut Taken, name: &str, asked: &str) {
    if let Some(path) = taken.text(name).filter(|path| path != asked) {
        taken.fact("Leads to", [path], "");
    }
}

fn shell(taken: &mut Taken, command: String, cwd: Option<String>) {
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
        taken.subject.why =
            Some(title.map_or_else(|| effect.to_owned(), |title| format!("{title} · {effect}")));
    }
    taken.fact("Server", [server], "");
    taken.fact("Tool", [tool], "");
    taken.arguments("args");
}

fn memory(taken: &mut Taken) {
    let vote = taken.text("action").is_some_and(|action| action == "vote");
    let down = taken.text("direction").is_some_and(|direction| direction == "downvote");
    taken.ask(
        Icon::Skill,
        match (vote, down) {
            (false, _) => "Remember this?",
            (true, false) => "Vote for this memory?",
            (true, true) => "Vote against this memory?",
        },
    );
    let fact = taken.text("fact").unwrap_or_default();
    taken.show(fact, Sight::Content);
    for (name, field) in [
        ("Subject", "subject"),
        ("Source", "citations"),
        ("Because", "reason"),
        ("For", "repoNwo"),
        ("Scope", "scope"),
    ] {
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
