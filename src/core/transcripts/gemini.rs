//! Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.json`, one document, and since version 0.39 `session-*.jsonl`, where a message
//! is written again whenever more of it is known, `$set` changes the facts of the session, and `$rewindTo` removes messages.
//!
//! A message is told when the next one begins, and what is written of it later as far as it is new.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::outcome::{DiffKind, Outcome, attachment, blocks, exit_code, unified_diff};
use super::values::{hash, text, time, tokens};
use super::writer::Writer;
use crate::json_writer::object;
use crate::protocol::EventKind;

/// A message that was told.
#[derive(Debug)]
struct Told {
    turn: u64,
    usage: bool,
    texts: HashSet<u64>,
}

/// A transcript of Gemini CLI.
#[derive(Debug, Default)]
pub(super) struct Gemini {
    has_start: bool,
    session: Option<String>,
    model: Option<String>,
    title: Option<String>,
    /// The newest message, which may come again, with the number of its line.
    newest: Option<(u64, Value)>,
    told: HashMap<String, Told>,
    unnamed: u64,
}

impl Gemini {
    /// Whether an object is a line of such a file.
    pub(super) fn knows(line: &Value) -> bool {
        let has = |name: &str| line.get(name).is_some();
        let is_message = || {
            text(line, "id").is_some()
                && has("content")
                && matches!(text(line, "type"), Some("user" | "gemini" | "info" | "warning" | "error"))
        };
        (text(line, "sessionId").is_some() && has("projectHash"))
            || line.get("$set").is_some_and(Value::is_object)
            || has("$rewindTo")
            || is_message()
    }

    /// Whether an object is a whole document.
    pub(super) fn is_document(value: &Value) -> bool {
        text(value, "sessionId").is_some() && value.get("messages").is_some_and(Value::is_array)
    }

    /// Takes a line.
    pub(super) fn line(&mut self, number: u64, line: &Value, out: &mut Writer) {
        if let Some(facts) = line.get("$set") {
            self.facts(number, facts, out);
            let messages = facts.get("messages").and_then(Value::as_array);
            for message in messages.into_iter().flatten() {
                self.message(number, message, out);
            }
        } else if let Some(id) = text(line, "$rewindTo") {
            self.tell_newest(out);
            out.line(number, None, None);
            let turn = self.told.get(id).map_or(0, |told| told.turn.saturating_sub(1));
            out.rewind_to_turn(turn);
        } else if text(line, "id").is_some() || line.get("content").is_some() {
            self.message(number, line, out);
        } else if text(line, "sessionId").is_some() {
            self.facts(number, line, out);
        } else {
            self.tell_newest(out);
            out.line(number, None, time(line));
            out.unknown("gemini.record", line.clone());
        }
    }

    /// Takes a whole document; `number` is its first line.
    pub(super) fn document(&mut self, number: u64, document: &Value, out: &mut Writer) {
        self.facts(number, document, out);
        for message in document.get("messages").and_then(Value::as_array).into_iter().flatten() {
            self.message(number, message, out);
        }
    }

    /// The file has ended.
    pub(super) fn end(&mut self, out: &mut Writer) {
        self.tell_newest(out);
    }

    fn facts(&mut self, number: u64, facts: &Value, out: &mut Writer) {
        if let Some(session) = text(facts, "sessionId") {
            self.session.get_or_insert_with(|| session.to_owned());
            if !self.has_start {
                let at = text(facts, "startTime").map(str::to_owned);
                out.line(number, Some(&format!("{session}-start")), at);
                self.start(out);
            }
        }
        if let Some(title) = text(facts, "summary").filter(|title| self.title.as_deref() != Some(*title)) {
            self.title = Some(title.to_owned());
            self.tell_newest(out);
            out.line(number, None, None);
            out.flush_all();
            out.event(EventKind::SessionTitleChanged, json!({ "title": title }));
        }
    }

    fn start(&mut self, out: &mut Writer) {
        self.has_start = true;
        let data = object([
            ("sessionId", self.session.as_deref().map(Into::into)),
            ("version", Some(1.into())),
            ("producer", Some("Gemini CLI".into())),
            ("startTime", out.at().map(Into::into)),
            ("context", Some(json!({}))),
        ]);
        out.event(EventKind::SessionStart, data);
    }

    fn message(&mut self, number: u64, message: &Value, out: &mut Writer) {
        let mut message = message.clone();
        if text(&message, "id").is_none() {
            self.unnamed += 1;
            let id = format!("message-{}", self.unnamed);
            let Some(members) = message.as_object_mut() else {
                self.tell_newest(out);
                out.line(number, None, None);
                return out.unknown("gemini.message", message);
            };
            members.insert("id".to_owned(), id.into());
        }
        let is_same =
            self.newest.as_ref().is_some_and(|(_, newest)| text(newest, "id") == text(&message, "id"));
        if is_same {
            let before = self.newest.take().map(|(_, before)| before).unwrap_or_default();
            // Nothing that was said is lost when it is written again with less.
            let shrinks = blocks(before.get("content").unwrap_or(&Value::Null)).0.len()
                > blocks(message.get("content").unwrap_or(&Value::Null)).0.len();
            if shrinks {
                self.newest = Some((number, before));
                self.tell_newest(out);
            }
        } else {
            self.tell_newest(out);
        }
        self.newest = Some((number, message));
    }

    fn tell_newest(&mut self, out: &mut Writer) {
        if let Some((number, message)) = self.newest.take() {
            self.tell(number, &message, out);
        }
    }

    /// Tells what is new of a message.
    fn tell(&mut self, number: u64, message: &Value, out: &mut Writer) {
        let id = text(message, "id").unwrap_or_default().to_owned();
        out.line(number, Some(&id), time(message));
        if !self.has_start {
            self.start(out);
        }
        let kind = text(message, "type").or_else(|| text(message, "role")).unwrap_or_default();
        let content = message.get("content").unwrap_or(&Value::Null);
        let (words, _) = blocks(content);
        let told = self.told.remove(&id);
        let mut told = told.unwrap_or_else(|| Told { turn: 0, usage: false, texts: HashSet::new() });
        let is_new =
            |words: &str, told: &mut Told| !words.trim().is_empty() && told.texts.insert(hash(words));
        match kind {
            "user" => Self::user(message, content, &words, &mut told, out),
            "gemini" | "model" | "assistant" => self.answer(&id, message, &words, &mut told, out),
            "info" | "warning" | "error" => {
                let level = match kind {
                    "error" => EventKind::SessionError,
                    "warning" => EventKind::SessionWarning,
                    _ => EventKind::SessionInfo,
                };
                if is_new(&words, &mut told) {
                    if words.trim() == "Request cancelled." {
                        out.abort("user_initiated");
                    } else {
                        out.notice(level, "gemini", &words);
                    }
                }
            }
            _ => {
                if is_new(&message.to_string(), &mut told) {
                    out.unknown(
                        &format!("gemini.{}", if kind.is_empty() { "message" } else { kind }),
                        message.clone(),
                    );
                }
            }
        }
        if told.turn == 0 {
            told.turn = out.turn_number();
        }
        self.told.insert(id, told);
    }

    fn user(message: &Value, content: &Value, words: &str, told: &mut Told, out: &mut Writer) {
        let attachments: Vec<Value> =
            content.as_array().into_iter().flatten().filter_map(attachment).collect();
        if words.trim().is_empty() && attachments.is_empty() {
            // The results of calls stand at the calls, too.
            return out.leave_out("results that came again");
        }
        if !told.texts.insert(hash(words)) {
            return out.leave_out("repeated messages");
        }
        if words.trim_start().starts_with("<session_context>") {
            out.flush_all();
            let data = json!({ "role": "developer", "name": "session context", "content": words });
            out.event(EventKind::SystemMessage, data);
            return;
        }
        if words.trim_start().starts_with("<state_snapshot>") {
            out.compaction_starts(None);
            return out.compaction_ends(Some(words), None);
        }
        let typed = message
            .get("displayContent")
            .map(|content| blocks(content).0)
            .filter(|typed| !typed.is_empty() && typed != words);
        let data = object([
            ("content", Some(typed.as_deref().unwrap_or(words).into())),
            ("transformedContent", typed.is_some().then(|| words.into())),
            ("attachments", (!attachments.is_empty()).then(|| attachments.into())),
        ]);
        out.prompt(None, data);
    }

    fn answer(&mut self, id: &str, message: &Value, words: &str, told: &mut Told, out: &mut Writer) {
        if let Some(model) =
            text(message, "model").filter(|model| told.turn == 0 && self.model.as_deref() != Some(*model))
        {
            let before = self.model.replace(model.to_owned());
            out.flush_all();
            let data = object([("newModel", Some(model.into())), ("previousModel", before.map(Into::into))]);
            out.event(EventKind::SessionModelChange, data);
        }
        for thought in message.get("thoughts").and_then(Value::as_array).into_iter().flatten() {
            let (subject, about) =
                (text(thought, "subject"), text(thought, "description").unwrap_or_default());
            let thought =
                subject.map_or_else(|| about.to_owned(), |subject| format!("**{subject}**\n\n{about}"));
            if !thought.is_empty() && told.texts.insert(hash(&thought)) {
                out.reasoning(None, Some(id), thought.trim_end());
            }
        }
        if !words.trim().is_empty() && told.texts.insert(hash(words)) {
            out.say(None, Some(id), self.model.as_deref(), words);
        }
        let calls = message.get("toolCalls").and_then(Value::as_array);
        let calls: Vec<(String, &Value)> = (1..)
            .zip(calls.into_iter().flatten())
            .map(|(nth, call)| (text(call, "id").map_or_else(|| format!("{id}-{nth}"), str::to_owned), call))
            .collect();
        for (call_id, call) in &calls {
            if !out.has_call(call_id) {
                out.call(
                    None,
                    Some(id),
                    call_id,
                    text(call, "name").unwrap_or("tool"),
                    call.get("args").cloned().unwrap_or(Value::Null),
                );
            }
        }
        for (call_id, call) in &calls {
            if let Some(outcome) = outcome(call).filter(|_| out.call_is_open(call_id)) {
                out.set_time(time(call));
                out.complete(call_id, &outcome);
            }
        }
        let Some(used) = message.get("tokens").filter(|tokens| tokens.is_object() && !told.usage) else {
            return;
        };
        let (input, output) = (tokens(used, &["input"]), tokens(used, &["output"]));
        let thoughts = tokens(used, &["thoughts"]);
        if input.unwrap_or(0) == 0 && output.unwrap_or(0) == 0 {
            return;
        }
        told.usage = true;
        out.flush_all();
        let data = object([
            ("model", Some(self.model.as_deref().unwrap_or("gemini").into())),
            (
                "inputTokens",
                input.map(|input| input.saturating_add(tokens(used, &["tool"]).unwrap_or(0)).into()),
            ),
            ("outputTokens", output.map(|output| output.saturating_add(thoughts.unwrap_or(0)).into())),
            ("cacheReadTokens", tokens(used, &["cached"]).map(Into::into)),
            ("reasoningTokens", thoughts.map(Into::into)),
        ]);
        out.event(EventKind::AssistantUsage, data);
    }
}

/// How a call ended; none if it has not.
fn outcome(call: &Value) -> Option<Outcome> {
    let status = text(call, "status").unwrap_or_default();
    let result = call.get("result").filter(|result| !result.is_null());
    let code = match status {
        "success" | "error" => None,
        "cancelled" => Some("interrupted"),
        _ if result.is_some() => None,
        _ => return None,
    };
    let mut words = Vec::new();
    let mut contents = Vec::new();
    for part in result
        .into_iter()
        .flat_map(|result| result.as_array().map_or(std::slice::from_ref(result), Vec::as_slice))
    {
        if let Some(response) = part.pointer("/functionResponse/response") {
            let named =
                ["output", "error", "llmContent", "result"].iter().find_map(|name| response.get(*name));
            words.push(blocks(named.unwrap_or(response)).0);
        } else {
            let (text, pictures) = blocks(&json!([part]));
            words.extend(Some(text).filter(|text| !text.is_empty()));
            contents.extend(pictures);
        }
    }
    let mut text_of_result = words.join("\n");
    let display = call.get("resultDisplay").unwrap_or(&Value::Null);
    if text_of_result.is_empty()
        && let Some(display) = display.as_str()
    {
        display.clone_into(&mut text_of_result);
    }
    let shown =
        display.as_str().filter(|shown| !shown.is_empty() && *shown != text_of_result).map(str::to_owned);
    let exit = exit_code(&text_of_result, &["Exit Code:"]);
    let failed = status == "error" || code.is_some();
    Some(Outcome {
        success: !failed && exit.unwrap_or(0) == 0,
        detailed: diff(display).or(shown),
        exit_code: exit,
        code,
        contents,
        text: text_of_result,
    })
}

/// The change that a call shows, under the whole path if it has one.
fn diff(display: &Value) -> Option<String> {
    let diff = text(display, "fileDiff")?;
    let start = if diff.starts_with("@@") { 0 } else { diff.find("\n@@")? + 1 };
    let path = text(display, "filePath").or_else(|| text(display, "fileName")).unwrap_or("file");
    let is_new = display.get("isNewFile").and_then(Value::as_bool) == Some(true);
    let kind = if is_new { DiffKind::Create } else { DiffKind::Update };
    Some(unified_diff(path, path, kind, diff.get(start..)?))
}
