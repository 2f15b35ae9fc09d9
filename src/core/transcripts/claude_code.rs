//! Claude Code: `~/.claude/projects/FOLDER/UUID.jsonl`, one line for each content block of a message.
//!
//! Lines form a tree by `parentUuid`. A message that does not go on from the newest turn begins after a rewind. Lines with
//! `isSidechain` are of sub-agents; newer versions keep these in files of their own.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::outcome::{DiffKind, Outcome, attachment, blocks, exit_code, unified_diff};
use super::tools;
use super::values::{hash, text, time, tokens};
use super::writer::Writer;
use crate::json_writer::object;
use crate::protocol::EventKind;

/// Lines that tell nothing of the conversation.
const BOOKKEEPING: [&str; 13] = [
    "file-history-snapshot",
    "file-history-delta",
    "queue-operation",
    "last-prompt",
    "permission-mode",
    "mode",
    "bridge-session",
    "cost-state",
    "tag",
    "started",
    "result",
    "stream_event",
    "rate_limit_event",
];

/// What a person writes when they stop the work, as the file has it.
const INTERRUPTED: &str = "[Request interrupted by user";
/// How the result of a call begins that a person rejected.
const REJECTED: [&str; 2] =
    ["The user doesn't want to proceed with this tool use", "The user doesn't want to take this action"];

/// Usage of a call of the model that may still grow.
#[derive(Debug, Default)]
struct Usage {
    message: String,
    model: String,
    tokens: Value,
    at: Option<String>,
}

/// A transcript of Claude Code.
#[derive(Debug, Default)]
pub(super) struct ClaudeCode {
    /// Whether `session.start` is written.
    has_start: bool,
    /// The sub-agent of which this file is the transcript.
    own_agent: Option<String>,
    model: Option<String>,
    cwd: Option<String>,
    title: Option<String>,
    /// Lines that were read: the hash of their ids, with the turn that they are in and a hash of their content.
    lines: HashMap<u64, (u64, u64)>,
    /// Whether lines name those before them.
    has_tree: bool,
    /// Sub-agents of old files, which name none: the hash of a line's id, with the sub-agent's id.
    sidechains: HashMap<u64, String>,
    /// Calls that start a sub-agent: the hash of the task, with the call's id and arguments.
    tasks: HashMap<u64, Vec<(String, Value)>>,
    task_inputs: HashMap<String, Value>,
    /// Summaries by the hash of the line that they are of.
    summaries: HashMap<u64, Vec<String>>,
    usages: BTreeMap<Option<String>, Usage>,
    counted: HashSet<u64>,
    /// What was said last: by which message, and all of it.
    said: HashMap<Option<String>, (String, Vec<String>)>,
    tokens_before: Option<u64>,
    shell: Option<String>,
}

impl ClaudeCode {
    /// Whether an object is a line of such a file.
    pub(super) fn knows(line: &Value) -> bool {
        let Some(kind) = text(line, "type") else { return false };
        if line.get("data").is_some_and(Value::is_object) && kind != "progress" {
            return false;
        }
        match kind {
            "user" | "assistant" => line.get("message").is_some_and(Value::is_object),
            "summary" => line.get("leafUuid").is_some(),
            "file-history-snapshot" => line.get("snapshot").is_some(),
            "system" | "attachment" | "progress" => {
                line.get("uuid").is_some() || line.get("sessionId").is_some()
            }
            "queue-operation" | "permission-mode" | "last-prompt" | "custom-title" | "ai-title"
            | "agent-name" | "mode" | "bridge-session" | "tag" | "pr-link" | "file-history-delta" => {
                line.get("sessionId").is_some()
            }
            _ => false,
        }
    }

    /// Takes a line.
    pub(super) fn line(
        &mut self,
        number: u64,
        line: &Value,
        siblings: &mut dyn FnMut(&str) -> Option<Vec<Value>>,
        out: &mut Writer,
    ) {
        let id = text(line, "uuid");
        let content_hash =
            hash(&line.get("message").or_else(|| line.get("content")).unwrap_or(line).to_string());
        if let Some((_, before)) = id.and_then(|id| self.lines.get(&hash(id)))
            && *before == content_hash
        {
            return out.leave_out("repeated lines");
        }
        out.line(number, id, time(line));
        self.start(line, out);
        let (before, parent) = (out.turn_number(), self.parent_turn(line));
        self.take(line, siblings, out);
        self.has_tree |= text(line, "parentUuid").is_some();
        if let Some(id) = id {
            // What goes on from an earlier turn is of that turn, until a message begins another.
            let turn = if out.turn_number() == before { parent.unwrap_or(before) } else { out.turn_number() };
            self.lines.insert(hash(id), (turn, content_hash));
            if let Some(summaries) = self.summaries.remove(&hash(id)) {
                for summary in summaries {
                    self.set_title(&summary, out);
                }
            }
        }
    }

    /// The file has ended.
    pub(super) fn end(&mut self, out: &mut Writer) {
        out.flush_all();
        for agent in self.usages.keys().cloned().collect::<Vec<_>>() {
            self.tell_usage(agent.as_deref(), out);
        }
        for _ in 0..self.summaries.values().map(Vec::len).sum() {
            out.leave_out("summaries of other sessions");
        }
    }

    fn start(&mut self, line: &Value, out: &mut Writer) {
        let Some(session) = text(line, "sessionId").or_else(|| text(line, "session_id")) else { return };
        let cwd = text(line, "cwd");
        if !self.has_start {
            if !matches!(
                text(line, "type"),
                Some("user" | "assistant" | "system" | "attachment" | "progress")
            ) {
                return;
            }
            self.has_start = true;
            if line.get("isSidechain").and_then(Value::as_bool) == Some(true) {
                self.own_agent = text(line, "agentId").map(str::to_owned);
            }
            let id = self
                .own_agent
                .as_ref()
                .map_or_else(|| session.to_owned(), |agent| format!("{session}-agent-{agent}"));
            let context = object([
                ("cwd", cwd.map(Into::into)),
                ("branch", text(line, "gitBranch").filter(|branch| *branch != "HEAD").map(Into::into)),
            ]);
            let data = object([
                ("sessionId", Some(id.into())),
                ("version", Some(1.into())),
                ("producer", Some("Claude Code".into())),
                ("copilotVersion", text(line, "version").map(Into::into)),
                ("startTime", out.at().map(Into::into)),
                ("context", Some(context)),
            ]);
            out.event(EventKind::SessionStart, data);
            self.cwd = cwd.map(str::to_owned);
        } else if let Some(cwd) = cwd.filter(|cwd| self.cwd.as_deref() != Some(*cwd))
            && !is_sidechain(line)
        {
            self.cwd = Some(cwd.to_owned());
            let branch = text(line, "gitBranch").filter(|branch| *branch != "HEAD");
            let data = object([("cwd", Some(cwd.into())), ("branch", branch.map(Into::into))]);
            out.flush_all();
            out.event(EventKind::SessionContextChanged, data);
        }
    }

    fn take(&mut self, line: &Value, siblings: &mut dyn FnMut(&str) -> Option<Vec<Value>>, out: &mut Writer) {
        let kind = text(line, "type").unwrap_or_default();
        match kind {
            "user" => self.user(line, siblings, out),
            "assistant" => self.assistant(line, out),
            "system" => self.system(line, out),
            "attachment" => Self::attachment(line.get("attachment").unwrap_or(&Value::Null), out),
            "progress" => self.progress(line, siblings, out),
            "summary" => {
                let (Some(summary), leaf) =
                    (text(line, "summary"), text(line, "leafUuid").unwrap_or_default())
                else {
                    return out.leave_out("summary");
                };
                if self.lines.contains_key(&hash(leaf)) {
                    self.set_title(summary, out);
                } else {
                    self.summaries.entry(hash(leaf)).or_default().push(summary.to_owned());
                }
            }
            "custom-title" | "ai-title" | "agent-name" => {
                match ["customTitle", "aiTitle", "agentName", "title", "name"]
                    .iter()
                    .find_map(|name| text(line, name))
                {
                    Some(title) => self.set_title(title, out),
                    None => out.leave_out(kind),
                }
            }
            "pr-link" => match text(line, "prUrl") {
                Some(url) => {
                    out.flush_all();
                    let data = json!({ "infoType": "pull_request", "message": url, "url": url });
                    out.event(EventKind::SessionInfo, data);
                }
                None => out.leave_out(kind),
            },
            kind if BOOKKEEPING.contains(&kind) => out.leave_out(kind),
            kind => out.unknown(&format!("claude_code.{kind}"), line.clone()),
        }
    }

    fn set_title(&mut self, title: &str, out: &mut Writer) {
        if self.title.as_deref() != Some(title) {
            self.title = Some(title.to_owned());
            out.flush_all();
            out.event(EventKind::SessionTitleChanged, json!({ "title": title }));
        }
    }

    /// The sub-agent that a line is of.
    fn agent(&mut self, line: &Value, out: &mut Writer) -> Option<String> {
        if !is_sidechain(line) {
            return None;
        }
        let own = text(line, "agentId");
        if own.is_some() && own == self.own_agent.as_deref() {
            return None;
        }
        let parent = text(line, "parentUuid").map(hash);
        let known = own.map(str::to_owned).or_else(|| self.sidechains.get(&parent?).cloned());
        let id = known.unwrap_or_else(|| format!("sidechain-{}", out.line_number()));
        if let Some(uuid) = text(line, "uuid") {
            self.sidechains.insert(hash(uuid), id.clone());
        }
        if !out.has_subagent(&id) {
            let prompt =
                line.pointer("/message/content").map(|content| blocks(content).0).unwrap_or_default();
            self.agent_starts(&id, &prompt, None, out);
        }
        Some(id)
    }

    fn agent_starts(&mut self, id: &str, prompt: &str, call: Option<&str>, out: &mut Writer) {
        let by_task = || {
            self.tasks.get(&hash(prompt)).and_then(|calls| {
                calls.iter().find(|(call, _)| out.call_is_open(call)).or_else(|| calls.last()).cloned()
            })
        };
        let by_call = call.and_then(|call| Some((call.to_owned(), self.task_inputs.get(call)?.clone())));
        let (call, input) = by_call.or_else(by_task).unwrap_or_else(|| (id.to_owned(), Value::Null));
        let name = text(&input, "subagent_type").unwrap_or("general-purpose");
        let title = text(&input, "description").unwrap_or(name);
        out.subagent_starts(id, &call, name, title, text(&input, "prompt").unwrap_or_default());
    }

    fn user(&mut self, line: &Value, siblings: &mut dyn FnMut(&str) -> Option<Vec<Value>>, out: &mut Writer) {
        let agent = self.agent(line, out);
        let agent = agent.as_deref();
        let Some(content) = line.pointer("/message/content") else {
            return out.unknown("claude_code.user", line.clone());
        };
        let flag = |name: &str| line.get(name).and_then(Value::as_bool) == Some(true);
        if flag("isCompactSummary") {
            if !out.is_compacting() {
                out.compaction_starts(None);
            }
            let tokens_before = self.tokens_before.take();
            return out.compaction_ends(Some(&blocks(content).0), tokens_before);
        }
        let list = content.as_array().cloned().unwrap_or_default();
        let (results, said): (Vec<Value>, Vec<Value>) =
            list.into_iter().partition(|block| text(block, "type") == Some("tool_result"));
        for result in &results {
            self.result(result, line, agent, siblings, out);
        }
        let said = if content.is_array() { Value::Array(said) } else { content.clone() };
        let (words, _) = blocks(&said);
        let attachments: Vec<Value> = said.as_array().into_iter().flatten().filter_map(attachment).collect();
        if words.trim().is_empty() && attachments.is_empty() {
            if results.is_empty() {
                out.leave_out("empty messages");
            }
            return;
        }
        if flag("isMeta") || !results.is_empty() {
            return out.context(agent, &words, "claude_code");
        }
        self.message(&words, attachments, line, agent, out);
    }

    fn message(
        &mut self,
        words: &str,
        attachments: Vec<Value>,
        line: &Value,
        agent: Option<&str>,
        out: &mut Writer,
    ) {
        let trimmed = words.trim();
        if trimmed.starts_with(INTERRUPTED) && trimmed.ends_with(']') {
            return if agent.is_none() {
                out.abort("user_initiated");
            } else {
                out.context(agent, words, "claude_code");
            };
        }
        if let Some(command) = tagged(trimmed, "bash-input") {
            let id = format!("bash-{}", out.line_number());
            out.user_call(&id, &tools::tool("Bash", json!({ "command": command })));
            self.shell = Some(id);
            return;
        }
        let output = [tagged(trimmed, "bash-stdout"), tagged(trimmed, "bash-stderr")];
        if output.iter().any(Option::is_some) && trimmed.starts_with("<bash-std") {
            let text = output
                .iter()
                .flatten()
                .copied()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("\n");
            let outcome = Outcome { success: true, text: text.clone(), ..Outcome::default() };
            if !self.shell.take().is_some_and(|id| out.complete(&id, &outcome)) {
                out.notice(EventKind::SessionInfo, "shell", &text);
            }
            return;
        }
        let printed =
            tagged(trimmed, "local-command-stdout").or_else(|| tagged(trimmed, "local-command-stderr"));
        if let Some(printed) = printed.filter(|_| trimmed.starts_with("<local-command-std")) {
            return if printed.is_empty() {
                out.leave_out("empty messages");
            } else {
                out.notice(EventKind::SessionInfo, "command", printed);
            };
        }
        if trimmed.starts_with("<task-notification>") {
            out.flush_all();
            out.event(EventKind::SystemNotification, json!({ "content": words, "kind": { "type": "task" } }));
            return;
        }
        if trimmed.starts_with("<system-reminder>") && trimmed.ends_with("</system-reminder>") {
            return out.context(agent, words, "claude_code");
        }
        let command = tagged(trimmed, "command-name").filter(|_| trimmed.starts_with("<command-"));
        let typed = command.map(|command| {
            let arguments = tagged(trimmed, "command-args").unwrap_or_default();
            format!("{command} {arguments}").trim().to_owned()
        });
        let data = object([
            ("content", Some(typed.as_deref().unwrap_or(words).into())),
            ("transformedContent", typed.is_some().then(|| words.into())),
            ("attachments", (!attachments.is_empty()).then(|| attachments.into())),
        ]);
        if agent.is_none() {
            self.rewind(line, out);
        }
        self.tell_usage(agent, out);
        out.prompt(agent, data);
    }

    /// The turn that a line goes on from: 0 for a new root, none if the file does not say it.
    fn parent_turn(&self, line: &Value) -> Option<u64> {
        let is_of_person = matches!(text(line, "type"), Some("user" | "attachment")) && !is_sidechain(line);
        match line.get("parentUuid")? {
            Value::Null => (self.has_tree && is_of_person).then_some(0),
            parent => self.lines.get(&hash(parent.as_str()?)).map(|(turn, _)| *turn),
        }
    }

    /// A message whose parent is in an earlier turn than the newest begins after a rewind.
    fn rewind(&self, line: &Value, out: &mut Writer) {
        if let Some(turn) = self.parent_turn(line).filter(|turn| *turn < out.turn_number()) {
            out.rewind_to_turn(turn);
        }
    }

    fn result(
        &mut self,
        block: &Value,
        line: &Value,
        agent: Option<&str>,
        siblings: &mut dyn FnMut(&str) -> Option<Vec<Value>>,
        out: &mut Writer,
    ) {
        let id = text(block, "tool_use_id").unwrap_or_default();
        let (words, contents) = blocks(block.get("content").unwrap_or(&Value::Null));
        let detail = line.get("toolUseResult").unwrap_or(&Value::Null);
        if let Some(subagent) = text(detail, "agentId").map(str::to_owned)
            && self.task_inputs.contains_key(id)
        {
            self.read_subagent(&subagent, Some(id), siblings, out);
        }
        let is_error = block.get("is_error").and_then(Value::as_bool) == Some(true);
        let is_interrupted = detail.get("interrupted").and_then(Value::as_bool) == Some(true);
        let exit = exit_code(&words, &["Error: Exit code ", "Exit code "]).filter(|_| is_error);
        let is_rejected = is_error && REJECTED.iter().any(|start| words.starts_with(start));
        let output = exit.and_then(|_| words.split_once('\n')).map(|(_, output)| output.to_owned());
        let code = if is_rejected { Some("rejected") } else { is_interrupted.then_some("interrupted") };
        let outcome = Outcome {
            success: !is_error && !is_interrupted,
            text: words,
            detailed: patch(detail).or(output),
            exit_code: exit,
            code,
            contents,
        };
        if out.complete(id, &outcome) {
            return;
        }
        if out.has_call(id) {
            return out.leave_out("results that came again");
        }
        // The call itself is not in this file.
        out.call(agent, None, id, "tool", Value::Null);
        out.complete(id, &outcome);
    }

    /// The transcript of a sub-agent in a file of its own comes where its call ends.
    fn read_subagent(
        &mut self,
        subagent: &str,
        call: Option<&str>,
        siblings: &mut dyn FnMut(&str) -> Option<Vec<Value>>,
        out: &mut Writer,
    ) {
        if self.own_agent.is_some() || out.has_subagent(subagent) {
            return;
        }
        let Some(lines) = siblings(subagent) else { return };
        self.agent_starts(subagent, "", call, out);
        let (number, id, at) = (out.line_number(), out.line_id().to_owned(), out.at().map(str::to_owned));
        for (nth, mut line) in lines.into_iter().enumerate() {
            let own = text(&line, "uuid").map_or_else(|| format!("{subagent}-{}", nth + 1), str::to_owned);
            out.line(number, Some(&own), time(&line));
            if let Some(members) = line.as_object_mut() {
                members.insert("isSidechain".to_owned(), true.into());
                members.insert("agentId".to_owned(), subagent.into());
            }
            self.take(&line, siblings, out);
        }
        self.tell_usage(Some(subagent), out);
        out.line(number, Some(&format!("{id}-result")), at);
    }

    fn assistant(&mut self, line: &Value, out: &mut Writer) {
        let agent = self.agent(line, out);
        let agent = agent.as_deref();
        let message = line.get("message").unwrap_or(&Value::Null);
        let Some(content) = message.get("content") else {
            return out.unknown("claude_code.assistant", line.clone());
        };
        if line.get("isApiErrorMessage").and_then(Value::as_bool) == Some(true) {
            return out.notice(EventKind::SessionError, "api", &blocks(content).0);
        }
        let key = text(message, "id").or_else(|| text(line, "requestId"));
        let model = text(message, "model").filter(|model| *model != "<synthetic>");
        if let Some(model) = model.filter(|_| agent.is_none()) {
            self.change_model(model, out);
        }
        self.note_usage(message, key, model, agent, out);
        if let Value::String(words) = content {
            self.say(words, key, model, agent, out);
        }
        for block in content.as_array().into_iter().flatten() {
            self.block(block, key, model, agent, out);
        }
    }

    fn block(
        &mut self,
        block: &Value,
        key: Option<&str>,
        model: Option<&str>,
        agent: Option<&str>,
        out: &mut Writer,
    ) {
        match text(block, "type").unwrap_or_default() {
            "text" => match text(block, "text") {
                Some(words) => self.say(words, key, model, agent, out),
                None => out.leave_out("empty messages"),
            },
            "thinking" => match text(block, "thinking") {
                Some(thought) => {
                    if self.is_new(thought, key, agent) {
                        out.reasoning(agent, key, thought);
                    }
                }
                None => out.leave_out("reasoning that is not in the file"),
            },
            "redacted_thinking" => out.leave_out("reasoning that is not in the file"),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                let (id, name) =
                    (text(block, "id").unwrap_or_default(), text(block, "name").unwrap_or("tool"));
                let input = block.get("input").cloned().unwrap_or(Value::Null);
                if !id.is_empty() && out.has_call(id) && !out.call_is_open(id) {
                    return out.leave_out("repeated lines");
                }
                if out.call(agent, key, id, name, input.clone()) && matches!(name, "Task" | "Agent") {
                    let prompt = hash(text(&input, "prompt").unwrap_or_default());
                    self.tasks.entry(prompt).or_default().push((id.to_owned(), input.clone()));
                    self.task_inputs.insert(id.to_owned(), input);
                }
            }
            kind if kind.ends_with("_tool_result") => {
                let (words, contents) = blocks(block.get("content").unwrap_or(&Value::Null));
                let outcome = Outcome { success: true, text: words, contents, ..Outcome::default() };
                if !out.complete(text(block, "tool_use_id").unwrap_or_default(), &outcome) {
                    out.leave_out("results without their calls");
                }
            }
            kind => {
                let name = format!("claude_code.{}", if kind.is_empty() { "block" } else { kind });
                out.unknown(&name, block.clone());
            }
        }
    }

    /// Whether this message of the model has not said this before. Some versions write a message more than once.
    fn is_new(&mut self, words: &str, key: Option<&str>, agent: Option<&str>) -> bool {
        let Some(key) = key else { return true };
        let (message, texts) = self.said.entry(agent.map(str::to_owned)).or_default();
        if message != key {
            key.clone_into(message);
            texts.clear();
        }
        let is_new = !texts.iter().any(|text| text == words);
        if is_new {
            texts.push(words.to_owned());
        }
        is_new
    }

    fn say(
        &mut self,
        words: &str,
        key: Option<&str>,
        model: Option<&str>,
        agent: Option<&str>,
        out: &mut Writer,
    ) {
        let is_same_message =
            self.said.get(&agent.map(str::to_owned)).is_some_and(|(id, _)| Some(id.as_str()) == key);
        let is_shorter = |before: &&mut String| {
            !before.is_empty() && words.len() > before.len() && words.starts_with(before.as_str())
        };
        if let Some(before) = out.said(agent).filter(|_| is_same_message).filter(is_shorter) {
            words.clone_into(before);
            self.is_new(words, key, agent);
        } else if self.is_new(words, key, agent) {
            out.say(agent, key, model, words);
        } else {
            out.leave_out("repeated lines");
        }
    }

    fn change_model(&mut self, model: &str, out: &mut Writer) {
        if self.model.as_deref() == Some(model) {
            return;
        }
        let before = self.model.replace(model.to_owned());
        let data = object([("newModel", Some(model.into())), ("previousModel", before.map(Into::into))]);
        out.flush(None);
        out.event(EventKind::SessionModelChange, data);
    }

    /// All lines of a message have its usage, the last one the whole.
    fn note_usage(
        &mut self,
        message: &Value,
        key: Option<&str>,
        model: Option<&str>,
        agent: Option<&str>,
        out: &mut Writer,
    ) {
        let Some(usage) = message.get("usage").filter(|usage| usage.is_object()) else { return };
        let key = key.map_or_else(|| format!("line {}", out.line_number()), str::to_owned);
        let agent = agent.map(str::to_owned);
        if self.usages.get(&agent).is_some_and(|usage| usage.message != key) {
            out.flush(agent.as_deref());
            self.tell_usage(agent.as_deref(), out);
        }
        if self.counted.contains(&hash(&key)) {
            return;
        }
        let model = model.unwrap_or_default().to_owned();
        self.usages.insert(
            agent,
            Usage { message: key, model, tokens: usage.clone(), at: out.at().map(str::to_owned) },
        );
    }

    /// Tells the usage of this agent's last call of the model.
    fn tell_usage(&mut self, agent: Option<&str>, out: &mut Writer) {
        let agent = agent.map(str::to_owned);
        let Some(Usage { message, model, tokens: usage, at }) = self.usages.remove(&agent) else { return };
        out.flush(agent.as_deref());
        self.counted.insert(hash(&message));
        let input = tokens(&usage, &["input_tokens"]);
        let read = tokens(&usage, &["cache_read_input_tokens"]);
        let written = tokens(&usage, &["cache_creation_input_tokens"]);
        let output = tokens(&usage, &["output_tokens"]);
        let all = input.unwrap_or(0).saturating_add(read.unwrap_or(0)).saturating_add(written.unwrap_or(0));
        if all == 0 && output.unwrap_or(0) == 0 {
            return;
        }
        let data = object([
            ("model", Some(model.into())),
            ("inputTokens", Some(all.into())),
            ("outputTokens", output.map(Into::into)),
            ("cacheReadTokens", read.map(Into::into)),
            ("cacheWriteTokens", written.map(Into::into)),
        ]);
        out.at_time(at, |out| _ = out.event_of(agent.as_deref(), EventKind::AssistantUsage, data));
    }

    fn system(&mut self, line: &Value, out: &mut Writer) {
        let subtype = text(line, "subtype").unwrap_or_default();
        let content = text(line, "content").unwrap_or_default();
        match subtype {
            "compact_boundary" | "microcompact_boundary" if !is_sidechain(line) => {
                let about = line.get("compactMetadata").or_else(|| line.get("microcompactMetadata"));
                let about = about.unwrap_or(&Value::Null);
                self.tokens_before = tokens(about, &["preTokens"]);
                out.compaction_starts(text(about, "trigger"));
                if subtype == "microcompact_boundary" {
                    let before = self.tokens_before.take();
                    out.compaction_ends(None, before);
                }
            }
            "api_error" => {
                let message = [
                    "/error/error/error/message",
                    "/error/error/message",
                    "/error/message",
                    "/cause/code",
                    "/error/status",
                ];
                let message = message.iter().find_map(|at| Some(line.pointer(at)?.as_str()?.to_owned()));
                let message = message.unwrap_or_else(|| {
                    line.get("error").map_or_else(|| "api_error".to_owned(), Value::to_string)
                });
                out.notice(EventKind::SessionWarning, "api_error", &message);
            }
            "local_command" if !content.is_empty() => self.message(content, Vec::new(), line, None, out),
            "turn_duration" => {
                out.leave_out(subtype);
                self.tell_usage(None, out);
                out.end_turn();
            }
            _ if content.is_empty() => out.leave_out(if subtype.is_empty() { "system" } else { subtype }),
            _ => {
                let level = match text(line, "level") {
                    Some("error") => EventKind::SessionError,
                    Some("warning") => EventKind::SessionWarning,
                    _ => EventKind::SessionInfo,
                };
                out.notice(level, if subtype.is_empty() { "system" } else { subtype }, content);
            }
        }
    }

    fn attachment(attachment: &Value, out: &mut Writer) {
        let kind = text(attachment, "type").unwrap_or("attachment");
        let prompt =
            attachment.get("prompt").map(|prompt| blocks(prompt).0).filter(|prompt| !prompt.is_empty());
        match (kind, prompt) {
            ("queued_command", Some(prompt)) if prompt.trim_start().starts_with("<task-notification>") => {
                out.flush_all();
                out.event(
                    EventKind::SystemNotification,
                    json!({ "content": prompt, "kind": { "type": "task" } }),
                );
            }
            ("queued_command", Some(prompt)) => {
                out.prompt_within(json!({ "content": prompt, "delivery": "steering" }));
            }
            _ => out.leave_out(kind),
        }
    }

    /// What a sub-agent does, as some versions write it into the main file.
    fn progress(
        &mut self,
        line: &Value,
        siblings: &mut dyn FnMut(&str) -> Option<Vec<Value>>,
        out: &mut Writer,
    ) {
        let data = line.get("data").unwrap_or(&Value::Null);
        let (Some("agent_progress"), Some(subagent)) = (text(data, "type"), text(data, "agentId")) else {
            return out.leave_out(text(data, "type").unwrap_or("progress"));
        };
        let call = text(line, "parentToolUseID");
        let Some(message) = data.get("message").filter(|message| message.get("message").is_some()) else {
            return out.leave_out("agent_progress");
        };
        if !out.has_subagent(subagent) {
            self.agent_starts(subagent, text(data, "prompt").unwrap_or_default(), call, out);
        }
        let mut message = message.clone();
        if let Some(uuid) = text(&message, "uuid").map(str::to_owned)
            && self.lines.insert(hash(&uuid), (out.turn_number(), 0)).is_some()
        {
            return out.leave_out("repeated lines");
        }
        if let Some(members) = message.as_object_mut() {
            members.insert("isSidechain".to_owned(), true.into());
            members.insert("agentId".to_owned(), subagent.into());
        }
        self.take(&message, siblings, out);
    }
}

fn is_sidechain(line: &Value) -> bool {
    line.get("isSidechain").and_then(Value::as_bool) == Some(true)
}

/// The text between two tags.
fn tagged<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    let end = rest.find(&format!("</{tag}>")).unwrap_or(rest.len());
    rest.get(..end)
}

/// The change that a result tells of.
fn patch(detail: &Value) -> Option<String> {
    let hunks = detail.get("structuredPatch")?.as_array().filter(|hunks| !hunks.is_empty())?;
    let path = text(detail, "filePath").unwrap_or("file");
    let mut diff = String::new();
    for hunk in hunks {
        let number = |name: &str| hunk.get(name).and_then(Value::as_u64).unwrap_or(0);
        let head = ["oldStart", "oldLines", "newStart", "newLines"].map(number);
        let [old_start, old_lines, new_start, new_lines] = head;
        // Writing to a string does not fail.
        let _ = writeln!(diff, "@@ -{old_start},{old_lines} +{new_start},{new_lines} @@");
        for line in
            hunk.get("lines").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
        {
            diff += line;
            diff.push('\n');
        }
    }
    Some(unified_diff(path, path, DiffKind::Update, &diff))
}
