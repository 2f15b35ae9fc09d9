//! Describes each kind of permission: its question, what is shown in full, its facts. Unknown
//! kinds are shown whole, as data.

use std::ops::Range;

use serde_json::Value;

use super::{Builder, Part, SubjectKind};
use crate::i18n::Value::{Count, Number};
use crate::i18n::words::{danger as words, requests};
use crate::i18n::{Word, duration};
use crate::model::request::Request;
use crate::text::review_marks::{TextKind, address_dangers, dangers, quoted, unseen};
use crate::view_model::risk;

/// Describes a known kind; false for an unknown one.
pub(super) fn describe(builder: &mut Builder, kind: &str, request: &Request, cwd: Option<&str>) -> bool {
    match kind {
        "shell" | "commands" => {
            let Some(command) = builder.text("fullCommandText") else {
                return false;
            };
            builder.set_question(SubjectKind::Command, requests::RUN_COMMAND.text());
            shell(builder, command, cwd);
        }
        "write" => {
            let (diff, contents) = (builder.text("diff"), builder.text("newFileContents"));
            let path = builder.text("fileName").unwrap_or_default();
            builder.set_question(SubjectKind::Write, requests::WRITE_FILE.text());
            for danger in dangers(&path, TextKind::Line) {
                builder.caution(true, danger);
            }
            let change = [&diff, &contents].into_iter().flatten().map(|text| unseen(text, TextKind::Content));
            match change.max().unwrap_or(0) {
                0 => {}
                n => builder.caution(true, requests::HIDDEN_WRITTEN.with(&[("n", n.into())])),
            }
            builder.warn_of(&risk::written_path(&path, cwd));
            if let Some(real) = resolved(builder, "resolvedPath", &path) {
                builder.warn_of(&risk::written_path(&real, cwd));
            }
            builder.subject.parts.push(Part::Change { path, diff, contents });
        }
        "read" => {
            let Some(path) = builder.text("path") else {
                return false;
            };
            builder.set_question(SubjectKind::Read, requests::READ_THIS.text());
            exact(builder, path.clone());
            builder.warn_of(&risk::read_path(&path, cwd));
            if let Some(real) = resolved(builder, "resolvedPath", &path) {
                builder.warn_of(&risk::read_path(&real, cwd));
            }
        }
        "url" => {
            let Some(url) = builder.text("url") else {
                return false;
            };
            builder.set_question(SubjectKind::Address, requests::FETCH_ADDRESS.text());
            for danger in address_dangers(&url) {
                builder.caution(true, danger);
            }
            builder.subject.parts.push(Part::Address(url));
            let from = builder.text("redirectedFrom");
            builder.fact(requests::FACT_REDIRECTED_FROM.text(), from, "");
        }
        "path" => {
            let paths = builder.list("paths", "path");
            if paths.is_empty() {
                return false;
            }
            let writes = builder.text("accessKind").is_some_and(|kind| kind != "read");
            builder.set_question(
                SubjectKind::Read,
                if writes { requests::WRITE_FILE } else { requests::READ_THIS }.text(),
            );
            let risks = if writes { risk::written_path } else { risk::read_path };
            builder.warn_of(&paths.iter().flat_map(|path| risks(path, cwd)).collect::<Vec<_>>());
            builder.show(paths.join("\n"), TextKind::Command);
        }
        "mcp" => mcp(builder, request),
        "memory" => memory(builder),
        "custom-tool" => {
            let tool = builder.text("toolName").unwrap_or_default();
            builder.set_question(SubjectKind::Tool, requests::USE_TOOL.with(&[("tool", (&tool).into())]));
            if let Some(what) = builder.text("toolDescription") {
                builder.fact(requests::FACT_WHAT_IT_DOES.text(), [], &what);
            }
            builder.arguments("args");
        }
        "hook" => {
            let tool = builder.text("toolName").unwrap_or_default();
            builder.set_question(SubjectKind::Other, requests::HOOK_ASKS.with(&[("tool", (&tool).into())]));
            if let Some(message) = builder.text("hookMessage") {
                builder.subject.why = Some(message);
            }
            builder.arguments("toolArgs");
        }
        "extension-management" => {
            let operation = builder.text("operation").unwrap_or_default();
            let operation = ("operation", (&operation).into());
            let question = match builder.text("extensionName") {
                Some(name) => requests::EXTENSION_NAMED.with(&[operation, ("name", (&name).into())]),
                None => requests::EXTENSION.with(&[operation]),
            };
            builder.set_question(SubjectKind::Extension, question);
        }
        "extension-permission-access" => {
            let name = builder.text("extensionName").unwrap_or_default();
            builder.set_question(
                SubjectKind::Extension,
                requests::EXTENSION_ABILITIES.with(&[("name", (&name).into())]),
            );
            let capabilities = builder.list("capabilities", "name");
            builder.show(capabilities.join("\n"), TextKind::Content);
        }
        "extension-env-access" => {
            let name = builder.text("extensionName").unwrap_or_default();
            builder.set_question(
                SubjectKind::Extension,
                requests::EXTENSION_VARIABLES.with(&[("name", (&name).into())]),
            );
            let variables = builder.list("environmentVariables", "name");
            builder.show(variables.join("\n"), TextKind::Content);
        }
        "factory" => run(builder, requests::FACTORY),
        "workflow" => run(builder, requests::WORKFLOW),
        _ => return false,
    }
    true
}

fn exact(builder: &mut Builder, line: String) {
    builder.show(line, TextKind::Line);
}

/// Adds the path that a path really leads to, and returns it, if it is another one.
fn resolved(builder: &mut Builder, name: &str, asked: &str) -> Option<String> {
    let path = builder.text(name).filter(|path| path != asked)?;
    builder.fact(requests::FACT_LEADS_TO.text(), [path.clone()], "");
    // `src/a` and `/project/src/a` are the same; a link leads to another name.
    if !path.ends_with(asked.trim_start_matches("./")) {
        builder.caution(false, words::LEADS_ELSEWHERE.with(&[("what", (&quoted(&path)).into())]));
    }
    Some(path)
}

fn shell(builder: &mut Builder, command: String, cwd: Option<&str>) {
    let directory = builder.text("resolvedWorkingDirectory").or(cwd.map(str::to_owned));
    // The project is where the session is, wherever the command runs.
    let project = cwd.or(directory.as_deref());
    let mut risks = risk::of_command(&command, project, directory.as_deref());
    builder.subject.marks = marks(&risks, command.len());
    if let Some(summary) = risk::summary::of_command(&command, project, directory.as_deref())
        .filter(|_| !risks.iter().any(|danger| danger.effect.is_grave()))
    {
        if summary.installs {
            // The sentence says it, and is the warning.
            risks.retain(|danger| danger.effect != risk::Effect::Installs);
            builder.caution(false, summary.words());
        } else {
            builder.subject.summary = Some(summary.words());
        }
    }
    builder.fact(requests::FACT_IN.text(), directory, "");
    // What stands in the command is not written again below it.
    let segments = builder.list("commandSegments", "fullCommandText");
    if !segments.iter().all(|segment| command.contains(segment.as_str())) {
        builder.fact_of(TextKind::Command, requests::FACT_RUNS.text(), segments, "");
    }
    let resolved = builder.fields.remove("resolvedPaths");
    let paths = builder.list("possiblePaths", "path").into_iter().filter_map(|path| {
        let leads = resolved.as_ref().and_then(|all| all.get(&path)?.as_str());
        let leads = leads.filter(|leads| *leads != path && !is_the_same(&path, leads, cwd));
        match leads {
            Some(leads) => Some(format!("{path} → {leads}")),
            None => (!names_path(&command, &path, cwd)).then_some(path),
        }
    });
    let paths: Vec<String> = paths.collect();
    builder.fact(requests::FACT_TOUCHES.text(), paths, "");
    let urls = builder.list("possibleUrls", "url");
    for url in &urls {
        for danger in address_dangers(url) {
            builder.caution(true, danger);
        }
    }
    let urls = urls.into_iter().filter(|url| !stands_in(&command, url));
    builder.fact(requests::FACT_OPENS.text(), urls, "");
    if builder.flag("hasWriteFileRedirection") == Some(true) && !command.contains('>') {
        builder.fact(requests::FACT_WRITES.text(), [], requests::BY_REDIRECTION.text());
    }
    builder.show(command, TextKind::Command);
    builder.warn_of(&risks);
}

/// The bytes of a command that dangers are about, unless that is all of it.
fn marks(risks: &[risk::Danger], length: usize) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = risks.iter().map(|danger| danger.part.clone()).collect();
    parts.sort_by_key(|part| (part.start, std::cmp::Reverse(part.end)));
    let mut marks: Vec<Range<usize>> = Vec::new();
    for part in parts.into_iter().filter(|part| !part.is_empty() && part.end <= length) {
        match marks.last_mut() {
            Some(last) if part.start < last.end => last.end = last.end.max(part.end),
            _ => marks.push(part),
        }
    }
    marks.retain(|part| part.len() < length);
    marks
}

/// True if a path leads to the same file by its whole name.
fn is_the_same(path: &str, leads: &str, cwd: Option<&str>) -> bool {
    cwd.is_some_and(|cwd| format!("{}/{}", cwd.trim_end_matches('/'), path.trim_start_matches("./")) == leads)
}

/// True if a command names a path: whole, within the project, beside it, or within the home folder.
fn names_path(command: &str, path: &str, cwd: Option<&str>) -> bool {
    let cwd = cwd.map(|cwd| cwd.trim_end_matches('/')).filter(|cwd| !cwd.is_empty());
    let within = |folder: &str| path.strip_prefix(folder)?.strip_prefix('/');
    let home = |parent: &str| path.strip_prefix(parent)?.split_once('/').map(|(_, rest)| format!("~/{rest}"));
    let beside = cwd.and_then(|cwd| cwd.rsplit_once('/')).and_then(|(parent, _)| within(parent));
    stands_in(command, path)
        || cwd.and_then(within).is_some_and(|rest| stands_in(command, rest))
        || beside.is_some_and(|rest| stands_in(command, &format!("../{rest}")))
        || ["/home/", "/Users/"]
            .iter()
            .filter_map(|parent| home(parent))
            .any(|rest| stands_in(command, &rest))
}

/// True if a command has a path or an address as a word of its own.
fn stands_in(command: &str, word: &str) -> bool {
    let ends = |ch: Option<char>| ch.is_none_or(|ch| ch.is_whitespace() || "'\"`;|&()<>=,:".contains(ch));
    !word.is_empty()
        && command.match_indices(word).any(|(at, _)| {
            let before = command.get(..at).and_then(|text| text.chars().next_back());
            let after = command.get(at + word.len()..).and_then(|text| text.chars().next());
            ends(before) && ends(after)
        })
}

fn mcp(builder: &mut Builder, request: &Request) {
    let server = builder.text("serverName").unwrap_or_default();
    let internal = builder.text("toolName").unwrap_or_default();
    let prompt = request.details.get("promptRequest").and_then(|prompt| prompt.get("toolName")?.as_str());
    let tool = prompt.map_or_else(|| internal.clone(), str::to_owned);
    builder.set_question(
        SubjectKind::Server,
        requests::RUN_TOOL.with(&[("server", (&server).into()), ("tool", (&tool).into())]),
    );
    let title = builder.text("toolTitle").filter(|title| *title != tool);
    let effect = match builder.flag("readOnly") {
        Some(true) => requests::ONLY_READS.text(),
        _ => requests::MAY_CHANGE.text(),
    };
    if builder.subject.why.is_none() {
        builder.subject.why =
            Some(title.map_or_else(|| effect.to_owned(), |title| format!("{title} · {effect}")));
    }
    builder.fact(requests::FACT_SERVER.text(), [server], "");
    builder.fact(requests::FACT_TOOL.text(), [tool], "");
    builder.arguments("args");
}

fn memory(builder: &mut Builder) {
    let vote = builder.text("action").is_some_and(|action| action == "vote");
    let down = builder.text("direction").is_some_and(|direction| direction == "downvote");
    builder.set_question(
        SubjectKind::Memory,
        match (vote, down) {
            (false, _) => requests::REMEMBER.text(),
            (true, false) => requests::VOTE_FOR.text(),
            (true, true) => requests::VOTE_AGAINST.text(),
        },
    );
    let fact = builder.text("fact").unwrap_or_default();
    builder.show(fact, TextKind::Content);
    for (name, field) in [
        (requests::FACT_SUBJECT, "subject"),
        (requests::FACT_SOURCE, "citations"),
        (requests::FACT_BECAUSE, "reason"),
        (requests::FACT_FOR, "repoNwo"),
    ] {
        if let Some(words) = builder.text(field) {
            builder.fact_of(TextKind::Prose, name.text(), [words], "");
        }
    }
    if let Some(scope) = builder.text("scope") {
        let words = requests::MEMORY_SCOPE.with(&[("code", (&scope).into())]);
        builder.fact(requests::FACT_SCOPE.text(), [], &words);
    }
}

/// A factory or a workflow: its phases, how much it may use, and how much it asked for itself.
fn run(builder: &mut Builder, question: Word) {
    let operation = builder.text("operation").unwrap_or_else(|| "run".to_owned());
    let name = builder.text("name").unwrap_or_default();
    let named = [("operation", (&operation).into()), ("name", (&name).into())];
    builder.set_question(SubjectKind::Run, question.with(&named));
    if let Some(description) = builder.text("description") {
        builder.subject.why.get_or_insert(description);
    }
    let phases = phases(builder);
    if phases.is_empty() {
        builder.arguments("phases");
    } else {
        builder.show(phases.join("\n"), TextKind::Content);
    }
    let members = ["maxTotalSubagents", "maxConcurrentSubagents", "timeoutSeconds", "maxAiCredits"];
    let (limits, all) = limits(builder, members);
    // What is only written uses nothing yet.
    if operation == "run" || !limits.is_empty() {
        let words = match (limits.is_empty(), all) {
            (true, _) => requests::NO_LIMITS.text().to_owned(),
            (false, true) => limits,
            (false, false) => format!("{limits} · {}", requests::NO_OTHER_LIMITS.text()),
        };
        builder.fact(requests::FACT_AT_MOST.text(), [], &words);
    }
    let own = [
        "declaredMaxTotalSubagents",
        "declaredMaxConcurrentSubagents",
        "declaredTimeoutSeconds",
        "declaredMaxAiCredits",
    ];
    let (own, _) = self::limits(builder, own);
    builder.fact(requests::FACT_ASKED_FOR.text(), [], &own);
}

/// The phases of a run, `title: detail`. Anything else than a list of titles stays where it is.
fn phases(builder: &mut Builder) -> Vec<String> {
    let phase = |phase: &Value| {
        let phase =
            phase.as_object().filter(|phase| phase.keys().all(|key| key == "title" || key == "detail"))?;
        let text = |name: &str| phase.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let title = text("title")?;
        Some(text("detail").map_or_else(|| title.to_owned(), |detail| format!("{title}: {detail}")))
    };
    let phases = builder.fields.get("phases").and_then(Value::as_array);
    let phases: Option<Vec<String>> = phases.and_then(|phases| phases.iter().map(phase).collect());
    if phases.is_some() {
        builder.fields.remove("phases");
    }
    phases.unwrap_or_default()
}

/// What a run may use, in words: agents, agents at a time, time and credits, by these names. True if there is a limit
/// for each of them; one that is missing is none.
fn limits(builder: &mut Builder, names: [&str; 4]) -> (String, bool) {
    let [agents, at_once, seconds, credits] = names.map(|name| {
        let limit = builder.fields.get(name)?.as_f64()?;
        builder.fields.remove(name);
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
