//! Describes each kind of permission: its question, what is shown in full, its facts. Unknown
//! kinds are shown whole, as data.

use serde_json::Value;

use super::{Shown, Taken};
use crate::core::i18n::Value::{Count, Number};
use crate::core::i18n::words::{danger as words, requests};
use crate::core::i18n::{Word, duration};
use crate::core::model::request::Request;
use crate::core::text::review_marks::{TextKind, address_dangers, dangers, quoted, unseen};
use crate::core::view_model::risk;
use crate::ui::elements::icons::Icon;

/// Describes a known kind; false for an unknown one.
pub(super) fn describe(taken: &mut Taken, kind: &str, request: &Request, cwd: Option<&str>) -> bool {
    match kind {
        "shell" | "commands" => {
            let Some(command) = taken.text("fullCommandText") else {
                return false;
            };
            taken.set_question(Icon::Terminal, requests::RUN_COMMAND.text());
            shell(taken, command, cwd);
        }
        "write" => {
            let (diff, contents) = (taken.text("diff"), taken.text("newFileContents"));
            let path = taken.text("fileName").unwrap_or_default();
            taken.set_question(Icon::Pencil, requests::WRITE_FILE.text());
            for danger in dangers(&path, TextKind::Line) {
                taken.caution(true, danger);
            }
            let change = [&diff, &contents].into_iter().flatten().map(|text| unseen(text, TextKind::Content));
            match change.max().unwrap_or(0) {
                0 => {}
                n => taken.caution(true, requests::HIDDEN_WRITTEN.with(&[("n", n.into())])),
            }
            taken.fear(risk::written_path(&path, cwd));
            if let Some(real) = resolved(taken, "resolvedPath", &path) {
                taken.fear(risk::written_path(&real, cwd));
            }
            taken.subject.shown.push(Shown::Change { path, diff, contents });
        }
        "read" => {
            let Some(path) = taken.text("path") else {
                return false;
            };
            taken.set_question(Icon::File, requests::READ_THIS.text());
            exact(taken, path.clone());
            taken.fear(risk::read_path(&path, cwd));
            if let Some(real) = resolved(taken, "resolvedPath", &path) {
                taken.fear(risk::read_path(&real, cwd));
            }
        }
        "url" => {
            let Some(url) = taken.text("url") else {
                return false;
            };
            taken.set_question(Icon::Globe, requests::FETCH_ADDRESS.text());
            for danger in address_dangers(&url) {
                taken.caution(true, danger);
            }
            taken.subject.shown.push(Shown::Address(url));
            let from = taken.text("redirectedFrom");
            taken.fact(requests::FACT_REDIRECTED_FROM.text(), from, "");
        }
        "path" => {
            let paths = taken.list("paths", "path");
            if paths.is_empty() {
                return false;
            }
            let writes = taken.text("accessKind").is_some_and(|kind| kind != "read");
            taken.set_question(
                Icon::File,
                if writes { requests::WRITE_FILE } else { requests::READ_THIS }.text(),
            );
            let fears = if writes { risk::written_path } else { risk::read_path };
            taken.fear(paths.iter().flat_map(|path| fears(path, cwd)).collect());
            taken.show(paths.join("\n"), TextKind::Command);
        }
        "mcp" => mcp(taken, request),
        "memory" => memory(taken),
        "custom-tool" => {
            let tool = taken.text("toolName").unwrap_or_default();
            taken.set_question(Icon::Braces, requests::USE_TOOL.with(&[("tool", (&tool).into())]));
            if let Some(what) = taken.text("toolDescription") {
                taken.fact(requests::FACT_WHAT_IT_DOES.text(), [], &what);
            }
            taken.arguments("args");
        }
        "hook" => {
            let tool = taken.text("toolName").unwrap_or_default();
            taken.set_question(Icon::Shield, requests::HOOK_ASKS.with(&[("tool", (&tool).into())]));
            if let Some(message) = taken.text("hookMessage") {
                taken.subject.why = Some(message);
            }
            taken.arguments("toolArgs");
        }
        "extension-management" => {
            let operation = taken.text("operation").unwrap_or_default();
            let operation = ("operation", (&operation).into());
            let question = match taken.text("extensionName") {
                Some(name) => requests::EXTENSION_NAMED.with(&[operation, ("name", (&name).into())]),
                None => requests::EXTENSION.with(&[operation]),
            };
            taken.set_question(Icon::Plug, question);
        }
        "extension-permission-access" => {
            let name = taken.text("extensionName").unwrap_or_default();
            taken.set_question(Icon::Plug, requests::EXTENSION_ABILITIES.with(&[("name", (&name).into())]));
            let capabilities = taken.list("capabilities", "name");
            taken.show(capabilities.join("\n"), TextKind::Content);
        }
        "extension-env-access" => {
            let name = taken.text("extensionName").unwrap_or_default();
            taken.set_question(Icon::Plug, requests::EXTENSION_VARIABLES.with(&[("name", (&name).into())]));
            let variables = taken.list("environmentVariables", "name");
            taken.show(variables.join("\n"), TextKind::Content);
        }
        "factory" => run(taken, requests::FACTORY),
        "workflow" => run(taken, requests::WORKFLOW),
        _ => return false,
    }
    true
}

fn exact(taken: &mut Taken, line: String) {
    taken.show(line, TextKind::Line);
}

/// Adds the path that a path really leads to, and returns it, if it is another one.
fn resolved(taken: &mut Taken, name: &str, asked: &str) -> Option<String> {
    let path = taken.text(name).filter(|path| path != asked)?;
    taken.fact(requests::FACT_LEADS_TO.text(), [path.clone()], "");
    // `src/a` and `/project/src/a` are the same; a link leads to another name.
    if !path.ends_with(asked.trim_start_matches("./")) {
        taken.caution(false, words::LEADS_ELSEWHERE.with(&[("what", (&quoted(&path)).into())]));
    }
    Some(path)
}

fn shell(taken: &mut Taken, command: String, cwd: Option<&str>) {
    let directory = taken.text("resolvedWorkingDirectory").or(cwd.map(str::to_owned));
    // The project is where the session is, wherever the command runs.
    let fears = risk::of_command(&command, cwd.or(directory.as_deref()), directory.as_deref());
    taken.fact(requests::FACT_IN.text(), directory, "");
    let segments = taken.list("commandSegments", "fullCommandText");
    // One segment that is the whole command says nothing more.
    if segments.as_slice() != [command.as_str()] {
        taken.fact_of(TextKind::Command, requests::FACT_RUNS.text(), segments, "");
    }
    let resolved = taken.fields.remove("resolvedPaths");
    let paths = taken.list("possiblePaths", "path").into_iter().map(|path| {
        let leads = resolved.as_ref().and_then(|all| all.get(&path)?.as_str()).filter(|leads| *leads != path);
        leads.map_or_else(|| path.clone(), |leads| format!("{path} → {leads}"))
    });
    let paths: Vec<String> = paths.collect();
    taken.fact(requests::FACT_TOUCHES.text(), paths, "");
    let urls = taken.list("possibleUrls", "url");
    for url in &urls {
        for danger in address_dangers(url) {
            taken.caution(true, danger);
        }
    }
    taken.fact(requests::FACT_OPENS.text(), urls, "");
    if taken.flag("hasWriteFileRedirection") == Some(true) {
        taken.fact(requests::FACT_WRITES.text(), [], requests::BY_REDIRECTION.text());
    }
    taken.show(command, TextKind::Command);
    taken.fear(fears);
}

fn mcp(taken: &mut Taken, request: &Request) {
    let server = taken.text("serverName").unwrap_or_default();
    let internal = taken.text("toolName").unwrap_or_default();
    let prompt = request.details.get("promptRequest").and_then(|prompt| prompt.get("toolName")?.as_str());
    let tool = prompt.map_or_else(|| internal.clone(), str::to_owned);
    taken.set_question(
        Icon::Plug,
        requests::RUN_TOOL.with(&[("server", (&server).into()), ("tool", (&tool).into())]),
    );
    let title = taken.text("toolTitle").filter(|title| *title != tool);
    let effect = match taken.flag("readOnly") {
        Some(true) => requests::ONLY_READS.text(),
        _ => requests::MAY_CHANGE.text(),
    };
    if taken.subject.why.is_none() {
        taken.subject.why =
            Some(title.map_or_else(|| effect.to_owned(), |title| format!("{title} · {effect}")));
    }
    taken.fact(requests::FACT_SERVER.text(), [server], "");
    taken.fact(requests::FACT_TOOL.text(), [tool], "");
    taken.arguments("args");
}

fn memory(taken: &mut Taken) {
    let vote = taken.text("action").is_some_and(|action| action == "vote");
    let down = taken.text("direction").is_some_and(|direction| direction == "downvote");
    taken.set_question(
        Icon::Skill,
        match (vote, down) {
            (false, _) => requests::REMEMBER.text(),
            (true, false) => requests::VOTE_FOR.text(),
            (true, true) => requests::VOTE_AGAINST.text(),
        },
    );
    let fact = taken.text("fact").unwrap_or_default();
    taken.show(fact, TextKind::Content);
    for (name, field) in [
        (requests::FACT_SUBJECT, "subject"),
        (requests::FACT_SOURCE, "citations"),
        (requests::FACT_BECAUSE, "reason"),
        (requests::FACT_FOR, "repoNwo"),
    ] {
        if let Some(words) = taken.text(field) {
            taken.fact_of(TextKind::Prose, name.text(), [words], "");
        }
    }
    if let Some(scope) = taken.text("scope") {
        let words = requests::MEMORY_SCOPE.with(&[("code", (&scope).into())]);
        taken.fact(requests::FACT_SCOPE.text(), [], &words);
    }
}

/// A factory or a workflow: its phases, how much it may use, and how much it asked for itself.
fn run(taken: &mut Taken, question: Word) {
    let operation = taken.text("operation").unwrap_or_else(|| "run".to_owned());
    let name = taken.text("name").unwrap_or_default();
    let named = [("operation", (&operation).into()), ("name", (&name).into())];
    taken.set_question(Icon::Agent, question.with(&named));
    if let Some(description) = taken.text("description") {
        taken.subject.why.get_or_insert(description);
    }
    let phases = phases(taken);
    if phases.is_empty() {
        taken.arguments("phases");
    } else {
        taken.show(phases.join("\n"), TextKind::Content);
    }
    let members = ["maxTotalSubagents", "maxConcurrentSubagents", "timeoutSeconds", "maxAiCredits"];
    let (limits, all) = limits(taken, members);
    // What is only written uses nothing yet.
    if operation == "run" || !limits.is_empty() {
        let words = match (limits.is_empty(), all) {
            (true, _) => requests::NO_LIMITS.text().to_owned(),
            (false, true) => limits,
            (false, false) => format!("{limits} · {}", requests::NO_OTHER_LIMITS.text()),
        };
        taken.fact(requests::FACT_AT_MOST.text(), [], &words);
    }
    let own = [
        "declaredMaxTotalSubagents",
        "declaredMaxConcurrentSubagents",
        "declaredTimeoutSeconds",
        "declaredMaxAiCredits",
    ];
    let (own, _) = self::limits(taken, own);
    taken.fact(requests::FACT_ASKED_FOR.text(), [], &own);
}

/// The phases of a run, `title: detail`. Anything else than a list of titles stays where it is.
fn phases(taken: &mut Taken) -> Vec<String> {
    let phase = |phase: &Value| {
        let phase =
            phase.as_object().filter(|phase| phase.keys().all(|key| key == "title" || key == "detail"))?;
        let text = |name: &str| phase.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let title = text("title")?;
        Some(text("detail").map_or_else(|| title.to_owned(), |detail| format!("{title}: {detail}")))
    };
    let phases = taken.fields.get("phases").and_then(Value::as_array);
    let phases: Option<Vec<String>> = phases.and_then(|phases| phases.iter().map(phase).collect());
    if phases.is_some() {
        taken.fields.remove("phases");
    }
    phases.unwrap_or_default()
}

/// What a run may use, in words: agents, agents at a time, time and credits, by these names. True if there is a limit
/// for each of them; one that is missing is none.
fn limits(taken: &mut Taken, names: [&str; 4]) -> (String, bool) {
    let [agents, at_once, seconds, credits] = names.map(|name| {
        let limit = taken.fields.get(name)?.as_f64()?;
        taken.fields.remove(name);
        Some(limit)
    });
    let count = |n: f64| Count(n as i64);
    let parts = [
        agents.map(|n| requests::LIMIT_AGENTS.with(&[("n", count(n))])),
        at_once.map(|n| requests::LIMIT_AT_ONCE.with(&[("n", count(n))])),
        seconds.map(|seconds| duration((seconds * 1000.0) as i64)),
        credits
            .map(|n| requests::CREDITS.with(&[("n", Number(n as i64)), ("figure", (&n.to_string()).into())])),
    ];
    let all = parts.iter().all(Option::is_some);
    (parts.into_iter().flatten().collect::<Vec<_>>().join(" · "), all)
}
