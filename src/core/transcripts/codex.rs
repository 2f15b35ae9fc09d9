//! Codex: `~/.codex/sessions/YEAR/MONTH/DAY/rollout-*.jsonl`, what went to the model and came from it (`response_item`) beside
//! what the program showed (`event_msg`). Both tell of most messages, in either order, and newer versions of some only once.
//!
//! Before September 2025 the items stood in the file without an envelope, and before June 2025 in one JSON document.

use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};

use super::outcome::{DiffKind, Outcome, attachment, blocks, exit_code, unified_diff, whole_file};
use super::values::{text, time, tokens};
use super::writer::Writer;
use crate::json_writer::object;
use crate::protocol::EventKind;

/// What tells nothing of the conversation.
const BOOKKEEPING: [&str; 23] = [
    "token_usage_record",
    "task_started",
    "turn_started",
    "ghost_snapshot",
    "other",
    "session_configured",
    "thread_goal_updated",
    "thread_settings_applied",
    "exec_command_begin",
    "exec_command_output_delta",
    "patch_apply_begin",
    "mcp_tool_call_begin",
    "web_search_begin",
    "turn_diff",
    "item_started",
    "agent_reasoning_section_break",
    "token_count",
    "world_state",
    "additional_tools",
    "compaction_trigger",
    "mcp_startup_update",
    "mcp_startup_complete",
    "shutdown_complete",
];

/// How many messages back the same words are looked for.
const RECENT: usize = 32;

/// Texts that the program writes in a person's place: how they begin, and a name for them.
const CONTEXT: [(&str, &str); 9] = [
    ("<environment_context>", "environment context"),
    ("<user_instructions>", "instructions"),
    ("# AGENTS.md", "instructions"),
    ("<permissions instructions>", "permissions"),
    ("<turn_aborted>", "turn aborted"),
    ("<skill>", "skill"),
    ("<user_shell_command>", "shell command"),
    ("<subagent_notification>", "sub-agents"),
    ("<INSTRUCTIONS>", "instructions"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Assistant,
    Reasoning,
}

/// Which of the tellings a message is from, as a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// A `response_item`.
    Item = 1,
    /// An `event_msg` of its own kind.
    Event = 2,
    /// An `item_completed`, which newer versions write beside the others or instead of them.
    Completed = 4,
}

/// What is known of a call beside its output.
#[derive(Debug, Default)]
struct Detail {
    exit_code: Option<i64>,
    output: Option<String>,
    diff: Option<String>,
    failed: bool,
}

/// A transcript of Codex.
#[derive(Debug, Default)]
pub(super) struct Codex {
    has_start: bool,
    model: Option<String>,
    effort: Option<String>,
    cwd: Option<String>,
    /// The newest messages, with the tellings that were of them.
    recent: VecDeque<(Role, u8, String)>,
    details: HashMap<String, Detail>,
    total: Option<Value>,
    has_compacted: bool,
    last_answer: String,
}

impl Codex {
    /// Whether an object is a line of such a file.
    pub(super) fn knows(line: &Value) -> bool {
        const WRAPPED: [&str; 7] = [
            "session_meta",
            "response_item",
            "event_msg",
            "turn_context",
            "compacted",
            "inter_agent_communication",
            "world_state",
        ];
        match text(line, "type") {
            Some(kind) if line.get("payload").is_some_and(Value::is_object) => WRAPPED.contains(&kind),
            _ => Self::is_bare(line),
        }
    }

    /// Whether an object is a line of a file of the form before envelopes.
    pub(super) fn is_bare(line: &Value) -> bool {
        let has = |name: &str| line.get(name).is_some();
        match text(line, "type") {
            Some("message") => {
                text(line, "role").is_some()
                    && line.get("content").is_some_and(Value::is_array)
                    && !has("message")
            }
            Some("function_call") => has("call_id") && has("arguments"),
            Some("function_call_output") => has("call_id") && has("output"),
            Some("reasoning") => line.get("summary").is_some_and(Value::is_array),
            Some("local_shell_call") => has("action"),
            Some(_) => false,
            None => {
                has("record_type")
                    || (text(line, "id").is_some() && has("timestamp") && (has("instructions") || has("git")))
            }
        }
    }

    /// Takes a line.
    pub(super) fn line(&mut self, number: u64, line: &Value, out: &mut Writer) {
        out.line(number, None, time(line));
        let none = Value::Null;
        let payload = line.get("payload").unwrap_or(&none);
        match text(line, "type") {
            Some("session_meta") => self.meta(payload, out),
            Some("turn_context") => self.context(payload, out),
            Some("response_item") => self.item(payload, out),
            Some("event_msg") => self.event(payload, out),
            Some("compacted") => self.compacted(payload, out),
            Some("inter_agent_communication") => Self::message_of_agent(payload, out),
            Some(kind) if BOOKKEEPING.contains(&kind) => out.leave_out(kind),
            Some(kind) if line.get("payload").is_some() => {
                out.unknown(&format!("codex.{kind}"), payload.clone());
            }
            Some(_) => self.item(line, out),
            None if line.get("record_type").is_some() => out.leave_out("state"),
            None if text(line, "id").is_some() => self.meta(line, out),
            None => out.unknown("codex.record", line.clone()),
        }
    }

    /// Takes a document of the first form.
    pub(super) fn document(&mut self, document: &Value, out: &mut Writer) {
        out.line(1, None, None);
        self.meta(document.get("session").unwrap_or(&Value::Null), out);
        let items = document.get("items").and_then(Value::as_array);
        for (number, item) in (2..).zip(items.into_iter().flatten()) {
            self.line(number, item, out);
        }
    }

    fn meta(&mut self, meta: &Value, out: &mut Writer) {
        if std::mem::replace(&mut self.has_start, true) {
            return out.leave_out("session_meta of another session");
        }
        out.set_time(time(meta).filter(|_| out.at().is_none()));
        self.cwd = text(meta, "cwd").map(str::to_owned);
        self.model = text(meta, "model").map(str::to_owned);
        let git = meta.get("git").unwrap_or(&Value::Null);
        let context = object([
            ("cwd", text(meta, "cwd").map(Into::into)),
            ("branch", text(git, "branch").map(Into::into)),
            ("headCommit", text(git, "commit_hash").map(Into::into)),
        ]);
        let data = object([
            ("sessionId", text(meta, "id").or_else(|| text(meta, "session_id")).map(Into::into)),
            ("version", Some(1.into())),
            ("producer", Some("Codex".into())),
            ("copilotVersion", text(meta, "cli_version").map(Into::into)),
            ("startTime", out.at().map(Into::into)),
            ("selectedModel", self.model.as_deref().map(Into::into)),
            ("context", Some(context)),
        ]);
        out.event(EventKind::SessionStart, data);
        let base = meta.get("base_instructions").map(|base| blocks(base).0);
        for (name, content) in
            [("base", base), ("instructions", text(meta, "instructions").map(str::to_owned))]
        {
            if let Some(content) = content.filter(|content| !content.is_empty()) {
                system(name, &content, out);
            }
        }
    }

    fn context(&mut self, context: &Value, out: &mut Writer) {
        let (model, effort) = (text(context, "model"), text(context, "effort"));
        let changes = |before: &Option<String>, now: Option<&str>| now.is_some() && before.as_deref() != now;
        if changes(&self.model, model) || changes(&self.effort, effort) {
            let before = self.model.take();
            self.model = model.map(str::to_owned).or_else(|| before.clone());
            self.effort = effort.map(str::to_owned).or_else(|| self.effort.take());
            out.flush_all();
            let data = object([
                ("newModel", self.model.as_deref().map(Into::into)),
                ("previousModel", before.map(Into::into)),
                ("reasoningEffort", self.effort.as_deref().map(Into::into)),
            ]);
            out.event(EventKind::SessionModelChange, data);
        }
        if let Some(cwd) = text(context, "cwd").filter(|cwd| self.cwd.as_deref() != Some(*cwd)) {
            self.cwd = Some(cwd.to_owned());
            out.flush_all();
            out.event(EventKind::SessionContextChanged, json!({ "cwd": cwd }));
        }
        if let Some(instructions) = text(context, "user_instructions") {
            system("instructions", instructions, out);
        }
    }

    fn compacted(&mut self, compacted: &Value, out: &mut Writer) {
        self.has_compacted = true;
        out.compaction_starts(None);
        out.compaction_ends(text(compacted, "message"), None);
    }

    /// Whether no other telling has had these words before.
    fn is_first_telling(&mut self, role: Role, telling: Telling, words: &str) -> bool {
        let (words, bit) = (words.trim(), telling as u8);
        let is_same = |(known, tellings, text): &&mut (Role, u8, String)| {
            *known == role && *tellings & bit == 0 && text == words
        };
        if let Some((_, tellings, _)) = self.recent.iter_mut().find(is_same) {
            *tellings |= bit;
            return false;
        }
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((role, bit, words.to_owned()));
        true
    }

    fn user(&mut self, telling: Telling, words: &str, attachments: Vec<Value>, out: &mut Writer) {
        let start = words.trim_start();
        let known =
            CONTEXT.iter().find(|(tag, _)| start.starts_with(tag)).map(|(_, name)| (*name).to_owned());
        if let Some(name) = known.or_else(|| wrapped(start).filter(|_| telling == Telling::Item)) {
            return if telling == Telling::Item {
                system(&name, words, out);
            } else {
                out.context(None, words, "codex");
            };
        }
        if (words.is_empty() && attachments.is_empty()) || !self.is_first_telling(Role::User, telling, words)
        {
            return;
        }
        let data = object([
            ("content", Some(words.into())),
            ("attachments", (!attachments.is_empty()).then(|| attachments.into())),
        ]);
        out.prompt(None, data);
    }

    fn say(&mut self, telling: Telling, words: &str, out: &mut Writer) {
        words.trim().clone_into(&mut self.last_answer);
        if !words.is_empty() && self.is_first_telling(Role::Assistant, telling, words) {
            out.say(None, None, self.model.as_deref(), words);
        }
    }

    fn think(&mut self, telling: Telling, words: &str, out: &mut Writer) {
        if !words.is_empty() && self.is_first_telling(Role::Reasoning, telling, words) {
            out.reasoning(None, None, words);
        }
    }

    fn item(&mut self, item: &Value, out: &mut Writer) {
        let kind = text(item, "type").unwrap_or_default();
        let call = text(item, "call_id").or_else(|| text(item, "id")).unwrap_or_default();
        let named = |name: &str| item.get(name).cloned().unwrap_or(Value::Null);
        match kind {
            "message" => {
                let content = named("content");
                let (words, attachments) = message(&content);
                match text(item, "role") {
                    Some("user") => self.user(Telling::Item, &words, attachments, out),
                    Some("assistant") => self.say(Telling::Item, &words, out),
                    Some(role) => {
                        let start = words.trim_start();
                        let name = CONTEXT
                            .iter()
                            .find(|(tag, _)| start.starts_with(tag))
                            .map_or(role, |(_, name)| name);
                        system(name, &words, out);
                    }
                    None => out.unknown("codex.message", item.clone()),
                }
            }
            "reasoning" => {
                let mut is_empty = true;
                for list in ["summary", "content"] {
                    for part in item.get(list).and_then(Value::as_array).into_iter().flatten() {
                        if let Some(words) = text(part, "text") {
                            is_empty = false;
                            self.think(Telling::Item, words, out);
                        }
                    }
                }
                if is_empty {
                    out.leave_out("reasoning that is not in the file");
                }
            }
            "function_call" | "custom_tool_call" => {
                let name = text(item, "name").unwrap_or("tool");
                let name = match text(item, "namespace") {
                    Some(space) if space.starts_with("mcp__") => {
                        format!("{}__{name}", space.trim_end_matches('_'))
                    }
                    _ => name.to_owned(),
                };
                let input = if kind == "custom_tool_call" { named("input") } else { named("arguments") };
                let parsed = input
                    .as_str()
                    .filter(|_| kind == "function_call")
                    .and_then(|text| serde_json::from_str(text).ok());
                out.call(None, None, call, &name, parsed.unwrap_or(input));
            }
            "local_shell_call" => {
                let input = named("action");
                out.call(None, None, call, "local_shell", input);
            }
            "web_search_call" | "tool_search_call" | "image_generation_call" => {
                let name = kind.trim_end_matches("_call");
                let input =
                    item.get("action").or_else(|| item.get("arguments")).or_else(|| item.get("query"));
                if out.call(None, None, call, name, input.cloned().unwrap_or(Value::Null))
                    && kind != "tool_search_call"
                {
                    let failed = text(item, "status") == Some("failed");
                    let contents = text(item, "result")
                        .map(|data| json!({ "type": "image", "mimeType": "image/png", "data": data }));
                    let contents = contents.into_iter().collect();
                    let outcome = Outcome { success: !failed, contents, ..Outcome::default() };
                    out.complete(call, &outcome);
                }
            }
            "function_call_output"
            | "custom_tool_call_output"
            | "tool_search_output"
            | "mcp_tool_call_output" => {
                let output = item.get("output").or_else(|| item.get("tools")).unwrap_or(&Value::Null);
                self.output(call, output, out);
            }
            "agent_message" => Self::message_of_agent(item, out),
            "compaction" | "context_compaction" => out.leave_out("compacted context that is not in the file"),
            kind if BOOKKEEPING.contains(&kind) => out.leave_out(kind),
            kind => {
                out.unknown(&format!("codex.{}", if kind.is_empty() { "item" } else { kind }), item.clone());
            }
        }
    }

    fn message_of_agent(item: &Value, out: &mut Writer) {
        let content = item.get("content").or_else(|| item.get("message")).unwrap_or(&Value::Null);
        let words = blocks(content).0;
        if words.is_empty() {
            return out.unknown("codex.agent_message", item.clone());
        }
        let who = text(item, "author").or_else(|| text(item, "sender"));
        let words = who.map_or_else(|| words.clone(), |who| format!("{who}: {words}"));
        out.flush_all();
        out.event(EventKind::SystemNotification, json!({ "content": words, "kind": { "type": "agent" } }));
    }

    fn output(&mut self, call: &str, output: &Value, out: &mut Writer) {
        let (mut words, contents) =
            blocks(output.get("content").filter(|_| output.is_object()).unwrap_or(output));
        let mut exit = None;
        // Older versions wrap the output of a command in JSON.
        if words.trim_start().starts_with("{\"output\"")
            && let Ok(wrapped) = serde_json::from_str::<Value>(&words)
        {
            exit = wrapped.pointer("/metadata/exit_code").and_then(Value::as_i64);
            if let Some(output) = wrapped.get("output").and_then(Value::as_str) {
                output.clone_into(&mut words);
            }
        }
        let head = words.split("\nOutput:").next().unwrap_or_default();
        let is_command = head.len() < words.len() || words.starts_with("Exit code:");
        let said = exit_code(head, &["Exit code:", "Process exited with code"]).filter(|_| is_command);
        let detail = self.details.remove(call).unwrap_or_default();
        let exit = exit.or(detail.exit_code).or(said);
        let is_rejected =
            words.starts_with("exec command rejected by user") || words.contains("rejected by user");
        let is_interrupted = words.trim() == "aborted" || words.starts_with("aborted by user");
        let failed = detail.failed
            || output.get("success").and_then(Value::as_bool) == Some(false)
            || exit.is_some_and(|code| code != 0);
        let code = match (is_rejected && exit.is_none(), is_interrupted) {
            (true, _) => Some("rejected"),
            (_, true) => Some("interrupted"),
            _ => None,
        };
        // Before the output stands what only the model needs.
        let output =
            words.split_once("\nOutput:\n").filter(|_| said.is_some()).map(|(_, output)| output.to_owned());
        let detailed = detail.diff.or(detail.output.filter(|output| *output != words)).or(output);
        let outcome = Outcome {
            success: !failed && code.is_none(),
            text: words,
            detailed,
            exit_code: exit,
            code,
            contents,
        };
        if out.complete(call, &outcome) {
            return;
        }
        if out.has_call(call) && !call.is_empty() {
            return out.leave_out("results that came again");
        }
        out.call(None, None, call, "tool", Value::Null);
        out.complete(call, &outcome);
    }

    fn event(&mut self, event: &Value, out: &mut Writer) {
        let kind = text(event, "type").unwrap_or_default();
        let call = text(event, "call_id").unwrap_or_default();
        let message = text(event, "message").unwrap_or_default();
        match kind {
            "user_message" => {
                let images = event.get("images").and_then(Value::as_array);
                let attachments: Vec<Value> = images
                    .into_iter()
                    .flatten()
                    .filter_map(|url| attachment(&json!({ "image_url": url })))
                    .collect();
                self.user(Telling::Event, message, attachments, out);
            }
            "agent_message" => self.say(Telling::Event, message, out),
            "agent_reasoning" | "agent_reasoning_raw_content" => {
                self.think(Telling::Event, text(event, "text").unwrap_or_default(), out);
            }
            "token_count" => self.usage(event, out),
            "task_complete" | "turn_complete" => {
                if let Some(last) =
                    text(event, "last_agent_message").filter(|last| last.trim() != self.last_answer)
                {
                    self.say(Telling::Event, last, out);
                }
                out.leave_out(kind);
                out.end_turn();
            }
            "turn_aborted" => out.abort(match text(event, "reason") {
                Some("interrupted") | None => "user_initiated",
                Some(reason) => reason,
            }),
            "context_compacted" => {
                if !std::mem::take(&mut self.has_compacted) {
                    out.compaction_starts(None);
                    out.compaction_ends(None, None);
                }
            }
            "thread_rolled_back" => out.rewind_turns(tokens(event, &["num_turns"]).unwrap_or(0)),
            "thread_name_updated" => match text(event, "thread_name") {
                Some(title) => {
                    out.flush_all();
                    out.event(EventKind::SessionTitleChanged, json!({ "title": title }));
                }
                None => out.leave_out(kind),
            },
            "error" | "stream_error" => out.notice(EventKind::SessionError, kind, message),
            "warning" | "guardian_warning" | "deprecation_notice" => {
                let words = if message.is_empty() { text(event, "summary").unwrap_or(kind) } else { message };
                out.notice(EventKind::SessionWarning, kind, words);
            }
            "background_event" => out.notice(EventKind::SessionInfo, kind, message),
            "entered_review_mode" => {
                let hint = text(event, "user_facing_hint").unwrap_or_default();
                out.notice(
                    EventKind::SessionInfo,
                    "review",
                    format!("Review: {hint}").trim_end_matches(": "),
                );
            }
            "exited_review_mode" => {
                match event.pointer("/review_output/overall_explanation").and_then(Value::as_str) {
                    Some(words) if !words.is_empty() => out.notice(EventKind::SessionInfo, "review", words),
                    _ => out.leave_out(kind),
                }
            }
            "exec_command_end"
            | "patch_apply_end"
            | "mcp_tool_call_end"
            | "web_search_end"
            | "image_generation_end"
            | "view_image_tool_call" => self.call_ended(kind, call, event, out),
            "plan_update" => {
                out.leave_out(kind);
            }
            "item_completed" => self.completed(event.get("item").unwrap_or(&Value::Null), out),
            "sub_agent_activity" => Self::subagent(event, out),
            kind if BOOKKEEPING.contains(&kind)
                || kind.ends_with("_delta")
                || kind.starts_with("collab_") =>
            {
                out.leave_out(kind);
            }
            kind => {
                out.unknown(
                    &format!("codex.{}", if kind.is_empty() { "event" } else { kind }),
                    event.clone(),
                );
            }
        }
    }

    /// What the program says of a call that has ended. Its output comes as an item as well, if the call was the model's.
    fn call_ended(&mut self, kind: &str, call: &str, event: &Value, out: &mut Writer) {
        let output =
            ["aggregated_output", "formatted_output", "stdout"].iter().find_map(|name| text(event, name));
        let detail = Detail {
            exit_code: event.get("exit_code").and_then(Value::as_i64),
            output: output.map(str::to_owned),
            diff: event.get("changes").and_then(changes),
            failed: event.get("success").and_then(Value::as_bool) == Some(false)
                || event.pointer("/result/Err").is_some(),
        };
        if out.call_is_open(call) {
            self.details.insert(call.to_owned(), detail);
            return;
        }
        if kind != "exec_command_end" || out.has_call(call) {
            return out.leave_out(kind);
        }
        // A person's own command.
        let input = json!({ "command": event.get("command"), "workdir": event.get("cwd") });
        out.call(None, None, call, "shell", input);
        out.complete(call, &of_detail(detail));
    }

    /// An item of the program, whose kinds newer versions write with capitals.
    fn completed(&mut self, item: &Value, out: &mut Writer) {
        let words = text(item, "text")
            .map(str::to_owned)
            .or_else(|| item.get("content").map(|content| message(content).0));
        let words = words.filter(|words| !words.is_empty());
        let kind = text(item, "type").unwrap_or_default().to_ascii_lowercase();
        let call = text(item, "id").unwrap_or_default();
        match (kind.as_str(), words) {
            ("usermessage", Some(words)) => self.user(Telling::Completed, &words, Vec::new(), out),
            ("agentmessage" | "plan", Some(words)) => self.say(Telling::Completed, &words, out),
            ("reasoning", _) => {
                for list in ["summary_text", "raw_content"] {
                    for words in item
                        .get(list)
                        .and_then(Value::as_array)
                        .into_iter()
                        .flatten()
                        .filter_map(Value::as_str)
                    {
                        self.think(Telling::Completed, words, out);
                    }
                }
            }
            ("commandexecution", _) => self.call_ended("exec_command_end", call, item, out),
            ("filechange" | "mcptoolcall", _) => self.call_ended("item_completed", call, item, out),
            (_, None) => out.leave_out("item_completed"),
            _ => out.unknown("codex.item_completed", item.clone()),
        }
    }

    fn subagent(event: &Value, out: &mut Writer) {
        let Some(id) = text(event, "agent_thread_id") else { return out.leave_out("sub_agent_activity") };
        let path = text(event, "agent_path").unwrap_or(id);
        let name = path.rsplit('/').next().unwrap_or(path);
        match text(event, "kind") {
            Some("started") => {
                let call = text(event, "event_id").filter(|call| out.has_call(call)).unwrap_or(id);
                out.subagent_starts(id, call, name, name, path);
            }
            Some("finished" | "completed" | "closed") => out.subagent_ends(id, None, false),
            Some("failed" | "errored") => out.subagent_ends(id, Some("It failed."), false),
            Some("interrupted") => out.subagent_ends(id, None, true),
            _ => out.leave_out("sub_agent_activity"),
        }
    }

    fn usage(&mut self, event: &Value, out: &mut Writer) {
        let info = event.get("info").unwrap_or(&Value::Null);
        let total = info.get("total_token_usage").cloned();
        // The same count comes again when only the limits of the account have changed.
        if total.is_some() && total == self.total {
            return;
        }
        let before = std::mem::replace(&mut self.total, total.clone());
        let count = |name: &str| {
            let last = info.get("last_token_usage").and_then(|last| tokens(last, &[name]));
            let total =
                || {
                    Some(tokens(total.as_ref()?, &[name])?.saturating_sub(
                        before.as_ref().and_then(|before| tokens(before, &[name])).unwrap_or(0),
                    ))
                };
            last.or_else(total)
        };
        let (input, output) = (count("input_tokens"), count("output_tokens"));
        if input.unwrap_or(0) == 0 && output.unwrap_or(0) == 0 {
            return out.leave_out("token_count");
        }
        out.flush_all();
        let data = object([
            ("model", Some(self.model.as_deref().unwrap_or("codex").into())),
            ("inputTokens", input.map(Into::into)),
            ("outputTokens", output.map(Into::into)),
            ("cacheReadTokens", count("cached_input_tokens").map(Into::into)),
            ("cacheWriteTokens", count("cache_write_input_tokens").map(Into::into)),
            ("reasoningTokens", count("reasoning_output_tokens").map(Into::into)),
        ]);
        out.event(EventKind::AssistantUsage, data);
        let used = info.get("last_token_usage").and_then(|last| tokens(last, &["total_tokens"]));
        if let Some((used, size)) = used.zip(tokens(info, &["model_context_window"])) {
            let data = json!({ "currentTokens": used, "tokenLimit": size, "messagesLength": 0 });
            out.event(EventKind::SessionUsageInfo, data);
        }
    }

    /// The file has ended: calls of which only the program has told the end.
    pub(super) fn end(&mut self, out: &mut Writer) {
        out.flush_all();
        let mut details: Vec<(String, Detail)> = self.details.drain().collect();
        details.sort_by(|one, other| one.0.cmp(&other.0));
        for (call, detail) in details {
            out.complete(&call, &of_detail(detail));
        }
    }
}

/// The name of a tag that is around a whole text, if it is one of the program's: those have several words.
fn wrapped(text: &str) -> Option<String> {
    let (tag, _) = text.strip_prefix('<')?.split_once('>')?;
    let is_tag = tag.contains('_') && tag.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    (is_tag && text.trim_end().ends_with(&format!("</{tag}>"))).then(|| tag.replace('_', " "))
}

fn of_detail(detail: Detail) -> Outcome {
    Outcome {
        success: !detail.failed && detail.exit_code.unwrap_or(0) == 0,
        text: detail.output.unwrap_or_default(),
        detailed: detail.diff,
        exit_code: detail.exit_code,
        ..Outcome::default()
    }
}

fn system(name: &str, content: &str, out: &mut Writer) {
    out.flush_all();
    out.event(EventKind::SystemMessage, json!({ "role": "developer", "name": name, "content": content }));
}

/// The words of a message, and its pictures. Around a picture the program writes tags.
fn message(content: &Value) -> (String, Vec<Value>) {
    let Some(list) = content.as_array() else { return (blocks(content).0, Vec::new()) };
    let is_tag =
        |words: &str| matches!(words.trim(), "<image>" | "</image>") || words.starts_with("<image name=");
    let texts: Vec<&str> = list
        .iter()
        .filter_map(|block| block.as_str().or_else(|| text(block, "text")))
        .filter(|words| !is_tag(words))
        .collect();
    (texts.join("\n"), list.iter().filter_map(attachment).collect())
}

/// The changes of a patch as a diff.
fn changes(changes: &Value) -> Option<String> {
    let mut diff = String::new();
    for (path, change) in changes.as_object()? {
        let kind = text(change, "type").map(str::to_owned);
        // Older versions have the kind as the name of the member.
        let (kind, change) = match kind {
            Some(kind) => (kind, change),
            None => change.as_object()?.iter().next().map(|(kind, change)| (kind.clone(), change))?,
        };
        let content = text(change, "content").unwrap_or_default();
        diff += &match kind.as_str() {
            "add" => unified_diff(path, path, DiffKind::Create, &whole_file(content, DiffKind::Create)),
            "delete" => unified_diff(path, path, DiffKind::Delete, &whole_file(content, DiffKind::Delete)),
            _ => {
                let new_path = text(change, "move_path").unwrap_or(path);
                let hunks = text(change, "unified_diff").unwrap_or_default();
                let start = hunks.find("@@").unwrap_or(0);
                unified_diff(path, new_path, DiffKind::Update, hunks.get(start..).unwrap_or_default())
            }
        };
    }
    Some(diff).filter(|diff| !diff.is_empty())
}
