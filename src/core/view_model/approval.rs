//! What a permission is about, as data: the question, everything that is to be allowed, the facts and the
//! warnings, for each kind of permission; and what a lasting approval of it would grant, in words. Nothing is lost: a field without a
//! place of its own is listed as it came, and an unknown kind is shown whole.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::i18n::Value::{Count, Number};
use crate::i18n::format::{capitalised, in_words};
use crate::i18n::words::{composer, danger as words, requests, timeline};
use crate::i18n::{Word, duration};
use crate::json_writer::{one_line, pretty};
use crate::model::agent_option::agent_options;
use crate::model::answer::{SessionScope, location_approval, session_scope};
use crate::model::request::{Request, RequestKind};
use crate::text::review_marks::{TextKind, address_dangers, count_hidden, dangers, quoted};
use crate::view_model::permission_offers;
use crate::view_model::risk::{self, Danger, Warning, warnings};

/// What a permission is about. Its icon follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    /// A command of a shell.
    Command,
    /// A file that is written.
    Write,
    /// A file or folder that is read.
    Read,
    /// An address on the network.
    Address,
    /// A tool of an MCP server.
    Server,
    /// What the agent remembers.
    Memory,
    /// A tool of the client.
    Tool,
    /// An extension, and what it may do.
    Extension,
    /// A workflow or a factory.
    Run,
    /// A hook, or what is not known here.
    Other,
}

/// Something that is shown in full, monospaced, before the buttons.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A text.
    Text(String, TextKind),
    /// An address, whose host is emphasised.
    Address(String),
    /// A change of a file.
    Change {
        /// The file.
        path: String,
        /// The change as a unified diff.
        diff: Option<String>,
        /// The file's new content.
        contents: Option<String>,
    },
}

/// One fact: its name and its values. Values are exact; words are Pilothouse's own.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// Values from the wire, shown as code.
    pub exact: Vec<String>,
    /// What the values are.
    pub kind: TextKind,
    /// Pilothouse's words; backticks make code.
    pub words: String,
}

/// A part of a command that warnings are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Its bytes.
    pub part: Range<usize>,
    /// Whether one of the warnings is about harm.
    pub danger: bool,
}

/// A warning.
#[derive(Debug, Clone, PartialEq)]
pub struct Caution {
    /// Whether it is about harm.
    pub danger: bool,
    /// The text.
    pub words: String,
}

/// Everything a card says about a permission.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// What kind of thing it is about.
    pub kind: SubjectKind,
    /// The plain question.
    pub question: String,
    /// What the agent intends.
    pub why: Option<String>,
    /// What a command does, in a sentence, where all of it is known and nothing of it is dangerous; backticks make code.
    pub summary: Option<String>,
    /// What is to be allowed.
    pub parts: Vec<Part>,
    /// The parts of a command that the warnings are about; in order, and none inside of another.
    pub marks: Vec<Mark>,
    /// Facts about it.
    pub facts: Vec<Fact>,
    /// Warnings.
    pub cautions: Vec<Caution>,
}

impl Subject {
    /// Whether a warning is about harm.
    pub fn may_harm(&self) -> bool {
        self.cautions.iter().any(|caution| caution.danger)
    }

    /// The command, the path or the address that it is about, in a text; none for what has a name in its question.
    pub fn object(&self, cwd: Option<&str>) -> Option<String> {
        match (self.kind, self.parts.first()?) {
            (SubjectKind::Command | SubjectKind::Read, Part::Text(text, _)) => Some(text.clone()),
            (_, Part::Address(url)) => Some(url.clone()),
            (_, Part::Change { path, .. }) => Some(risk::for_people(path, cwd)),
            _ => None,
        }
    }

    /// The facts, and last what the agent says of its purpose.
    pub fn facts_and_purpose(&self) -> Vec<Fact> {
        let purpose = self.why.as_ref().filter(|why| !why.trim().is_empty()).map(|why| Fact {
            name: requests::AGENT_SAYS.text().to_owned(),
            exact: vec![why.clone()],
            kind: TextKind::Prose,
            words: String::new(),
        });
        self.facts.iter().cloned().chain(purpose).collect()
    }
}

/// Fields that mean nothing to a person, or that a button shows.
const SILENT: [&str; 10] = [
    "kind",
    "toolCallId",
    "commands",
    "commandIdentifiers",
    "canOfferSessionApproval",
    "canPersistApproval",
    "skipPermission",
    "approvalKey",
    "locationKey",
    "requestSandboxBypassReason",
];

/// A JSON value as people read it: a string as it is, anything else pretty-printed.
pub fn readable(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => pretty(other),
    }
}

/// A JSON value in one line.
fn compact(value: &Value) -> String {
    value.as_str().map_or_else(|| one_line(value), str::to_owned)
}

/// Describes a permission. `cwd` is the session's directory.
pub fn subject(request: &Request, cwd: Option<&str>) -> Subject {
    let whole = request.permission().unwrap_or(&request.details);
    let fields = whole.as_object().cloned().unwrap_or_default();
    let blank = Subject {
        kind: SubjectKind::Other,
        question: String::new(),
        why: None,
        summary: None,
        parts: Vec::new(),
        marks: Vec::new(),
        facts: Vec::new(),
        cautions: Vec::new(),
    };
    let kind = whole.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut builder = Builder { fields, subject: blank };
    builder.subject.why = builder.text("intention");
    if !describe(&mut builder, &kind, request, cwd) {
        builder.set_question(
            SubjectKind::Other,
            if kind.is_empty() {
                requests::ALLOW_THIS.text().to_owned()
            } else {
                requests::ALLOW_KIND.with(&[("kind", (&in_words(&kind)).into())])
            },
        );
        builder.show(readable(whole), TextKind::Content);
        builder.fields.clear();
    }
    if builder.flag("requestSandboxBypass") == Some(true) {
        let words = match builder.text("requestSandboxBypassReason") {
            Some(reason) => requests::SANDBOX_BECAUSE.with(&[("reason", (&reason).into())]),
            None => requests::SANDBOX.text().to_owned(),
        };
        builder.caution(true, words);
    }
    if request.details.get("agentSaysNothing").and_then(Value::as_bool) == Some(true) {
        builder.caution(false, requests::SAYS_NOTHING.text());
    }
    if permission_offers::cannot_be_allowed(&request.details) {
        builder.caution(false, requests::CANNOT_ALLOW.text());
    }
    if let Some(warning) = builder.text("warning") {
        builder.caution(false, warning);
    }
    if builder.flag("managedApprovalRequired") == Some(true) {
        builder.fact(requests::FACT_POLICY.text(), [], requests::PERSON_DECIDES.text());
    }
    let detail =
        |name: &str| request.details.get(name).and_then(Value::as_str).filter(|word| !word.is_empty());
    // That a request is asked for one by one is not new to the person who is asked.
    if let Some(mode) = detail("permissionMode").filter(|mode| *mode != "manual") {
        builder.fact(
            composer::PERMISSIONS.text(),
            [],
            &composer::PERMISSION_NAME.with(&[("mode", mode.into())]),
        );
    }
    if detail("recoveryEpisodeId").is_some() {
        builder.fact(timeline::AUTOPILOT.text(), [], requests::AFTER_RECOVERY.text());
    }
    if let Some(risk) = request.details.get("riskAssessment").filter(|risk| !risk.is_null()) {
        builder.fact_of(TextKind::Content, requests::FACT_RISK.text(), [compact(risk)], "");
    }
    for (name, value) in std::mem::take(&mut builder.fields) {
        let empty = match &value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(list) => list.is_empty(),
            Value::Object(object) => object.is_empty(),
            _ => false,
        };
        if !empty && !SILENT.contains(&name.as_str()) {
            builder.fact_of(TextKind::Content, &capitalised(&in_words(&name)), [compact(&value)], "");
        }
    }
    if request.is_summary() {
        builder.caution(false, requests::SUMMARY_ONLY.text());
    }
    builder.warn_of_hidden(&request.details);
    // What may do harm is read first.
    builder.subject.cautions.sort_by_key(|caution| !caution.danger);
    builder.subject
}

/// Describes a known kind; false for an unknown one.
fn describe(builder: &mut Builder, kind: &str, request: &Request, cwd: Option<&str>) -> bool {
    match kind {
        "shell" | "commands" => {
            let Some(command) = builder.text("fullCommandText") else {
                return false;
            };
            builder.set_question(SubjectKind::Command, requests::RUN_COMMAND.text());
            shell(builder, command, cwd);
        }
        "write" => {
            let is_new = request.permission().is_some_and(makes_a_file);
            let (diff, contents) = (builder.text("diff"), builder.text("newFileContents"));
            let path = builder.text("fileName").unwrap_or_default();
            let word = if is_new { requests::CREATE_FILE } else { requests::WRITE_FILE };
            builder.set_question(SubjectKind::Write, word.text());
            // The change names its file.
            builder.subject.why.take_if(|why| why.ends_with(&path) && !path.is_empty());
            for danger in dangers(&path, TextKind::Line) {
                builder.caution(true, danger);
            }
            let change =
                [&diff, &contents].into_iter().flatten().map(|text| count_hidden(text, TextKind::Content));
            match change.max().unwrap_or(0) {
                0 => {}
                n => builder.caution(true, requests::HIDDEN_WRITTEN.with(&[("n", n.into())])),
            }
            // The change names the file.
            let named = quoted(&risk::for_people(&path, cwd));
            for Warning { grave, words: text } in warnings(&risk::written_path(&path, cwd)) {
                builder.caution(grave, text.replace(&named, words::THIS_FILE.text()));
            }
            let text = diff.as_ref().or(contents.as_ref()).map(String::as_str).unwrap_or_default();
            let added = text
                .lines()
                // The head of a diff names the file behind three signs.
                .filter(|line| diff.is_none() || !line.starts_with("+++ "))
                .filter_map(|line| if diff.is_some() { line.strip_prefix('+') } else { Some(line) });
            let added: Vec<&str> = added.collect();
            for Warning { grave, words: text } in warnings(&risk::written_text(&path, &added, cwd)) {
                builder.caution(grave, words::NEW_IN_FILE.with(&[("what", (&text).into())]));
            }
            if let Some(real) = resolved(builder, "resolvedPath", &path, cwd) {
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
            if let Some(real) = resolved(builder, "resolvedPath", &path, cwd) {
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
            builder.warn_of_tool(&tool);
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
fn resolved(builder: &mut Builder, name: &str, asked: &str, cwd: Option<&str>) -> Option<String> {
    let path = builder.text(name).filter(|path| path != asked)?;
    builder.fact(requests::FACT_LEADS_TO.text(), [path.clone()], "");
    // `src/a` and `/project/src/a` are the same; a link leads to another name.
    if !path.ends_with(asked.trim_start_matches("./")) {
        let leads = risk::for_people(&path, cwd);
        builder.caution(false, words::LEADS_ELSEWHERE.with(&[("what", (&quoted(&leads)).into())]));
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
        if summary.installs() {
            // The sentence says it, and is the warning.
            risks.retain(|danger| danger.effect != risk::Effect::Installs);
            builder.caution(false, summary.words());
        } else {
            builder.subject.summary = Some(summary.words());
        }
    }
    builder.fact(requests::FACT_IN.text(), directory, "");
    // Nearly every command is read by Bash.
    let program = builder.text("shellType").filter(|program| program != "bash");
    builder.fact(requests::FACT_SHELL.text(), program, "");
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

/// The parts of a command that dangers are about, unless that is all of it.
fn marks(risks: &[Danger], length: usize) -> Vec<Mark> {
    let mark = |risk: &Danger| Mark { part: risk.part.clone(), danger: risk.effect.is_grave() };
    let mut parts: Vec<Mark> = risks.iter().map(mark).collect();
    parts.sort_by_key(|mark| (mark.part.start, std::cmp::Reverse(mark.part.end)));
    let mut marks: Vec<Mark> = Vec::new();
    for mark in parts.into_iter().filter(|mark| !mark.part.is_empty() && mark.part.end <= length) {
        match marks.last_mut() {
            Some(last) if mark.part.start < last.part.end => {
                last.part.end = last.part.end.max(mark.part.end);
                last.danger |= mark.danger;
            }
            _ => marks.push(mark),
        }
    }
    marks.retain(|mark| mark.part.len() < length);
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
    let only_reads = builder.flag("readOnly") == Some(true);
    let effect = if only_reads { requests::ONLY_READS } else { requests::MAY_CHANGE }.text();
    builder.subject.summary =
        Some(title.map_or_else(|| effect.to_owned(), |title| format!("{title} · {effect}")));
    if !only_reads {
        builder.warn_of_tool(&tool);
    }
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
        let words =
            requests::MEMORY_SCOPE.with(&[("code", (&scope).into()), ("said", (&in_words(&scope)).into())]);
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
    let (limits, all) = limits_in_words(builder, members);
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
    let (own, _) = limits_in_words(builder, own);
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
fn limits_in_words(builder: &mut Builder, names: [&str; 4]) -> (String, bool) {
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

/// What 'for this session' would grant, in words: 'every edit of a file in the session's folders, until this session ends'. Text
/// in backticks is code.
pub fn granted_for_session(request: &Request) -> Option<String> {
    let what = match session_scope(request)? {
        SessionScope::Paths(paths) => outside(request, &paths),
        SessionScope::Origin(origin) => requests::EVERY_ADDRESS.with(&[("host", (&quoted(origin)).into())]),
        SessionScope::Approval(approval) => covered(request, &approval)?,
    };
    Some(requests::UNTIL_SESSION_ENDS.with(&[("what", (&what).into())]))
}

/// What 'in this folder' would grant, in words; `place` is the runtime's key of the folder.
pub fn granted_for_location(request: &Request, place: &str) -> Option<String> {
    let what = covered(request, &location_approval(request)?)?;
    let place = quoted(place);
    Some(requests::IN_LATER_SESSIONS.with(&[("what", (&what).into()), ("place", (&place).into())]))
}

/// Access to paths outside the session's folders. For a file that is not there yet, version 1.0.14 grants its folder.
fn outside(request: &Request, paths: &[&str]) -> String {
    let paths = paths.iter().map(|path| quoted(path)).collect::<Vec<_>>().join(", ");
    let is_new = request.permission().is_some_and(makes_a_file);
    let word = if is_new { requests::NEW_FILE_OUTSIDE } else { requests::PATHS_OUTSIDE };
    word.with(&[("paths", (&paths).into())])
}

/// Whether a write makes a file that is not there: its diff says so in the lines before the first change, or has no old text.
pub fn makes_a_file(permission: &Value) -> bool {
    let diff = permission.get("diff").and_then(Value::as_str).unwrap_or_default();
    let first = diff.lines().find(|line| line.starts_with("@@"));
    if first.is_some_and(|line| line.starts_with("@@ -0,0 ")) {
        return true;
    }
    let head = diff.lines().take_while(|line| !line.starts_with("@@"));
    let mut marks = head.map(|line| {
        ["create file mode", "new file mode", "--- /dev/null"].map(|mark| line.starts_with(mark))
    });
    marks.any(|mark| mark.contains(&true))
}

/// What an approval covers, in words.
fn covered(request: &Request, approval: &Value) -> Option<String> {
    let text = |name: &str| quoted(approval.get(name).and_then(Value::as_str).unwrap_or_default());
    let list = |name: &str| {
        let all = approval.get(name).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(", ")
    };
    let named = |word: Word, name: &str, value: String| word.with(&[(name, (&value).into())]);
    Some(match approval.get("kind")?.as_str()? {
        "commands" => {
            // An identifier that is the whole command covers this command only.
            let command = request.permission().and_then(|permission| permission.get("fullCommandText"));
            let is_whole = command.is_some() && approval.pointer("/commandIdentifiers/0") == command;
            let word = if is_whole { requests::SAME_COMMAND } else { requests::EVERY_COMMAND };
            named(word, "names", list("commandIdentifiers"))
        }
        "write" => requests::EVERY_EDIT.text().to_owned(),
        "read" => requests::EVERY_READING.text().to_owned(),
        "memory" => requests::EVERY_MEMORY.text().to_owned(),
        "mcp" => requests::EVERY_CALL_ON
            .with(&[("tool", (&text("toolName")).into()), ("server", (&text("serverName")).into())]),
        "custom-tool" => named(requests::EVERY_CALL, "tool", text("toolName")),
        "extension-management" => named(requests::EVERY_EXTENSION, "operation", text("operation")),
        "extension-permission-access" => named(requests::EVERY_ABILITY, "name", text("extensionName")),
        "extension-env-access" => requests::EVERY_VARIABLE.with(&[
            ("variables", (&list("environmentVariables")).into()),
            ("name", (&text("extensionName")).into()),
        ]),
        "factory" | "workflow" => named(requests::EVERY_FACTORY, "key", text("approvalKey")),
        _ => return None,
    })
}

/// The kind of a permission request, in the runtime's terms; none for other requests.
pub fn permission_kind(request: &Request) -> Option<&str> {
    let permission = (request.kind == RequestKind::Permission).then(|| request.permission())??;
    permission.get("kind")?.as_str()
}

/// True for a permission to read one file or folder: that changes nothing, and sends nothing off the machine.
pub fn grants_little(request: &Request) -> bool {
    let field = |name: &str| request.permission().and_then(|permission| permission.get(name));
    match permission_kind(request) {
        Some("read") => field("path").is_some_and(Value::is_string),
        Some("path") => {
            let reads = field("accessKind").is_none_or(|access| access == "read");
            reads && field("paths").and_then(Value::as_array).is_some_and(|paths| paths.len() == 1)
        }
        _ => false,
    }
}

/// What an intention adds to 'read this path', which the question already says, for example
/// `Search in directory`.
pub fn purpose<'a>(intention: &'a str, path: &str) -> Option<&'a str> {
    let words = intention.strip_suffix(path).unwrap_or(intention).trim_end_matches([' ', ':']).trim_start();
    // The runtime's own intentions begin with `Read file`.
    (!words.is_empty() && words != "Read file").then_some(words)
}

/// The description so far, and the fields of the permission that are still to be described.
struct Builder {
    fields: Map<String, Value>,
    subject: Subject,
}

impl Builder {
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
        let list =
            self.fields.get(name).and_then(Value::as_array).and_then(|list| list.iter().map(text).collect());
        if list.is_some() {
            self.fields.remove(name);
        }
        list.unwrap_or_default()
    }

    fn set_question(&mut self, kind: SubjectKind, question: impl Into<String>) {
        self.subject.kind = kind;
        self.subject.question = question.into();
    }

    /// Shows a text in full, and warns of what in it can't be seen.
    fn show(&mut self, text: String, kind: TextKind) {
        for danger in dangers(&text, kind) {
            self.caution(true, danger);
        }
        self.subject.parts.push(Part::Text(text, kind));
    }

    /// Shows arguments, if there are any.
    fn arguments(&mut self, name: &str) {
        match self.fields.remove(name) {
            None | Some(Value::Null) => {}
            Some(arguments) => self.show(readable(&arguments), TextKind::Content),
        }
    }

    /// Adds a fact whose values are single lines.
    fn fact(&mut self, name: &str, exact: impl IntoIterator<Item = String>, words: &str) {
        self.fact_of(TextKind::Line, name, exact, words);
    }

    fn fact_of(&mut self, kind: TextKind, name: &str, exact: impl IntoIterator<Item = String>, words: &str) {
        let exact: Vec<String> = exact.into_iter().collect();
        if !exact.is_empty() || !words.is_empty() {
            self.subject.facts.push(Fact { name: name.to_owned(), exact, kind, words: words.to_owned() });
        }
    }

    /// Adds a warning for each danger, once for each text.
    fn warn_of(&mut self, dangers: &[Danger]) {
        for Warning { grave, words } in warnings(dangers) {
            if self.subject.cautions.iter().all(|caution| caution.words != words) {
                self.caution(grave, words);
            }
        }
    }

    /// Warns of a tool whose name says that it deletes, and of the command that it is given to run.
    fn warn_of_tool(&mut self, tool: &str) {
        let mut found: Vec<Danger> = Danger::of_tool(tool).into_iter().collect();
        for name in ["command", "cmd", "script"] {
            let command =
                ["args", "arguments"].iter().find_map(|all| self.fields.get(*all)?.get(name)?.as_str());
            found.extend(command.into_iter().flat_map(|command| risk::of_command(command, None, None)));
        }
        self.warn_of(&found);
    }

    /// Warns of hidden characters in names, reasons and facts too, if nothing else did.
    fn warn_of_hidden(&mut self, details: &Value) {
        let subject = &self.subject;
        let values = |fact: &Fact| fact.exact.iter().map(|text| count_hidden(text, fact.kind)).sum::<usize>();
        let facts = subject.facts.iter().map(values);
        let words = [Some(&subject.question), subject.why.as_ref()].into_iter().flatten().map(String::as_str);
        let names = agent_options(details).unwrap_or_default().into_iter().map(|option| option.name);
        let hidden: usize =
            facts.chain(words.chain(names).map(|text| count_hidden(text, TextKind::Prose))).sum();
        let is_warned_of = subject.parts.iter().any(|part| match part {
            Part::Text(text, kind) => count_hidden(text, *kind) > 0,
            Part::Address(url) => count_hidden(url, TextKind::Line) > 0,
            Part::Change { .. } => false,
        });
        if hidden > 0 && !is_warned_of {
            self.caution(true, requests::HIDDEN_SEQUENCES.with(&[("n", hidden.into())]));
        }
    }

    fn caution(&mut self, danger: bool, words: impl Into<String>) {
        self.subject.cautions.push(Caution { danger, words: words.into() });
    }
}

#[cfg(test)]
mod tests;
