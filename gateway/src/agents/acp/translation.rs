//! One session with an agent: what it sends and what people do goes in, events, answers and what is to be done next come out.
//!
//! A prompt is a turn. Whatever the agent leaves open (text, calls, requests, sub-agents) ends with the prompt.

use agent_client_protocol_schema::v1::{ContentBlock, ContentChunk, ToolCallUpdate};
use pilothouse_core::json_writer::object;
use pilothouse_core::protocol::EventKind;
use serde_json::{Value, json};

use super::arguments;
use super::calls::{Calls, Taken};
use super::event::{Effect, Out, Port, RpcError};
use super::known::{Notices, Quirks};
use super::options::{OptionCall, Options};
use super::outcome::Unfinished;
use super::prompt::Prompt;
use super::replay::{Compared, Logged};
use super::requests::{Requests, cancelled};
use super::segments::{Chunk, Segments};
use super::subagents::Subagents;
use super::todos::{self, Todo};
use super::usage::Usage;

/// What is known of a session before its first message.
#[derive(Clone, Debug, Default)]
pub struct SessionFacts {
    /// The session's id, at the agent as here.
    pub session_id: String,
    /// Its folder.
    pub cwd: String,
    /// The agent's name and version, as `initialize` has them.
    pub agent_name: String,
    /// Its version.
    pub agent_version: String,
    /// What a person runs to sign in, where that is known.
    pub sign_in: Option<&'static str>,
}

/// What goes in.
#[derive(Clone, Debug)]
pub enum Input {
    /// The result of `session/new`.
    Created(Value),
    /// `session/load` or `session/resume` is about to be sent. What the agent replays fills an empty log; else it is compared with
    /// what the log has.
    LoadStarts {
        /// What the log has; none if it is empty.
        log: Option<Logged>,
    },
    /// Its response.
    Loaded(Result<Value, RpcError>),
    /// Nobody waits for the end of a replay any more.
    ReplayGivenUp,
    /// `session/prompt` is sent.
    PromptSent(Prompt),
    /// Its response.
    PromptEnded(Result<Value, RpcError>),
    /// A notification of the agent.
    Notification {
        /// The method.
        method: String,
        /// Its params.
        params: Value,
    },
    /// A request of the agent.
    Request {
        /// The id by which people answer: the process and the id in JSON-RPC.
        request_id: String,
        /// The id in JSON-RPC.
        rpc_id: Value,
        /// The method.
        method: String,
        /// Its params.
        params: Value,
    },
    /// The agent takes a request back.
    Withdrawn {
        /// The id in JSON-RPC.
        rpc_id: Value,
    },
    /// A person's answer.
    Answer {
        /// The request.
        request_id: String,
        /// The params of the page's call.
        params: Value,
    },
    /// A person stops the work.
    Cancel,
    /// An option was set.
    OptionSet {
        /// The call that set it.
        call: OptionCall,
        /// Its result.
        result: Value,
    },
    /// The agent's process has ended.
    ProcessEnded {
        /// What happened, for people.
        message: String,
        /// The last lines of its standard error.
        last_lines: Vec<String>,
    },
}

/// A replay of what was before.
#[derive(Debug)]
struct Replay {
    /// What is held back until it can be compared with the log; none if it fills the log.
    held: Option<HeldReplay>,
    is_loaded: bool,
    /// The message of the user that is being replayed: the agent's id, and the text.
    user: Option<(Option<String>, String)>,
    in_turn: bool,
}

#[derive(Debug)]
struct HeldReplay {
    log: Logged,
    turns: Vec<HeldTurn>,
}

/// A message of the user in a replay, and all that came of it: each update, with the sub-agent that it is about.
#[derive(Debug, Default)]
struct HeldTurn {
    text: String,
    updates: Vec<(Value, Option<String>)>,
}

/// A prompt that runs.
#[derive(Debug, Default)]
struct Running {
    is_cancelled: bool,
    /// Whether a person has rejected something.
    has_rejection: bool,
    /// What the agent is to be told next.
    feedback: Vec<String>,
}

/// The translation of one session.
#[derive(Debug)]
pub struct Translation {
    session: SessionFacts,
    quirks: Quirks,
    options: Options,
    commands: Vec<Value>,
    todos: Vec<Todo>,
    segments: Segments,
    calls: Calls,
    requests: Requests,
    subagents: Subagents,
    usage: Usage,
    is_compacting: bool,
    /// Whether the agent's last word about the session is that it failed.
    is_failing: bool,
    running: Option<Running>,
    replay: Option<Replay>,
    /// How many turns there were.
    turns: u64,
    /// Whether it was said in this prompt that a sub-agent's needs are never asked for.
    has_warned_of_subagents: bool,
}

impl Translation {
    /// A session of which nothing was said yet.
    pub fn new(session: SessionFacts, quirks: Quirks) -> Self {
        Self {
            session,
            quirks,
            options: Options::default(),
            commands: Vec::new(),
            todos: Vec::new(),
            segments: Segments::default(),
            calls: Calls::default(),
            requests: Requests::default(),
            subagents: Subagents::default(),
            usage: Usage::default(),
            is_compacting: false,
            is_failing: false,
            running: None,
            replay: None,
            turns: 0,
            has_warned_of_subagents: false,
        }
    }

    /// Takes one input; what is to be done is in order.
    pub fn take(&mut self, input: Input, port: &mut dyn Port) -> Vec<Effect> {
        let mut out = Out::new(port);
        match input {
            Input::Created(result) => self.created(&result, &mut out),
            Input::LoadStarts { log } => self.load_starts(log, &mut out),
            Input::Loaded(result) => self.loaded(result, &mut out),
            Input::ReplayGivenUp => self.end_replay(false, &mut out),
            Input::PromptSent(prompt) => self.prompt_sent(&prompt, &mut out),
            Input::PromptEnded(response) => self.prompt_ended(response, &mut out),
            Input::Notification { method, params } => self.notification(&method, &params, &mut out),
            Input::Request { request_id, rpc_id, method, params } => {
                self.request((request_id, rpc_id), &method, &params, &mut out);
            }
            Input::Withdrawn { rpc_id } => self.withdrawn(&rpc_id, &mut out),
            Input::Answer { request_id, params } => self.answer(&request_id, &params, &mut out),
            Input::Cancel => self.cancel(&mut out),
            Input::OptionSet { call, result } => {
                self.change_options(&mut out, |options| options.was_set(&call, &result));
            }
            Input::ProcessEnded { message, last_lines } => {
                self.process_ended(&message, &last_lines, &mut out);
            }
        }
        out.effects
    }

    /// Whether updates of this session id are for this session: it is its own, or that of a sub-agent.
    pub fn owns(&self, session_id: &str) -> bool {
        self.session.session_id == session_id || self.subagents.has(session_id)
    }

    /// Whether a prompt runs.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// Whether the agent has not said all of what was before.
    pub fn is_replaying(&self) -> bool {
        self.replay.is_some()
    }

    /// What can be chosen.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The commands, as in `commands.changed`.
    pub fn commands(&self) -> &[Value] {
        &self.commands
    }

    /// The answer to `session.plan.readSqlTodos`.
    pub fn todos(&self) -> Value {
        todos::rows(&self.todos)
    }

    /// The data of the permissions that are open.
    pub fn open_permissions(&self) -> Vec<Value> {
        self.requests.permissions()
    }

    /// Whether a message, a call or a request is open, or a sub-agent runs.
    pub fn is_open(&self) -> bool {
        let waits = self.requests.is_open() || self.subagents.is_running() || self.is_compacting;
        waits || self.segments.is_open() || self.calls.is_open()
    }

    fn turn(&self) -> String {
        self.turns.to_string()
    }

    /// A prompt begins. How often the agent asks the model for it is not known.
    fn start_turn(&self, out: &mut Out<'_>) {
        out.event(EventKind::AssistantTurnStart, json!({ "turnId": self.turn(), "spansPrompt": true }));
    }

    fn created(&mut self, result: &Value, out: &mut Out<'_>) {
        self.options.read(result);
        self.usage.begin();
        let text = |text: Option<&str>| text.map(Value::from);
        let data = object([
            ("sessionId", Some(self.session.session_id.as_str().into())),
            ("version", Some(1.into())),
            ("producer", Some(self.session.agent_name.as_str().into())),
            ("copilotVersion", Some(self.session.agent_version.as_str().into())),
            ("startTime", Some(out.now().into())),
            ("selectedModel", text(self.options.model())),
            ("reasoningEffort", text(self.options.effort())),
            ("context", Some(json!({ "cwd": self.session.cwd }))),
        ]);
        out.event(EventKind::SessionStart, data);
        self.options.tell_changes(&Options::default(), out);
    }

    fn load_starts(&mut self, log: Option<Logged>, out: &mut Out<'_>) {
        self.end_replay(false, out);
        self.usage.begin();
        let held = log.map(|log| HeldReplay { log, turns: Vec::new() });
        self.replay = Some(Replay { held, is_loaded: false, user: None, in_turn: false });
    }

    fn loaded(&mut self, result: Result<Value, RpcError>, out: &mut Out<'_>) {
        match result {
            Ok(result) => {
                let before = self.options.clone();
                self.options.read(&result);
                if before == Options::default() {
                    // What the log says of them is of another process.
                    let log =
                        self.replay.as_ref().and_then(|replay| replay.held.as_ref()).map(|held| &held.log);
                    self.options.tell_mode(log.and_then(|log| log.mode.as_deref()), None, out);
                    self.options.tell_unasked(log.is_some_and(|log| log.allowed_all), true, out);
                } else {
                    self.options.tell_changes(&before, out);
                }
                if let Some(replay) = &mut self.replay {
                    replay.is_loaded = true;
                }
                if !self.quirks.replays_after_response {
                    self.end_replay(true, out);
                }
            }
            Err(error) => {
                self.end_replay(false, out);
                let words = format!("The agent does not remember this session: {}", error.words());
                out.notice(EventKind::SessionWarning, "acp", &words);
            }
        }
    }

    /// What was before has been said, or (`is_whole` is false) the rest of it will never be told from what is new.
    fn end_replay(&mut self, is_whole: bool, out: &mut Out<'_>) {
        self.end_user(out);
        let Some(replay) = &mut self.replay else { return };
        if let Some(held) = replay.held.take() {
            self.take_over(held, is_whole, out);
        }
        let Some(replay) = self.replay.take() else { return };
        self.end_replayed_turn(replay.in_turn, out);
        if replay.is_loaded {
            let text = |text: Option<&str>| text.map(Value::from);
            let data = object([
                ("resumeTime", Some(out.now().into())),
                ("eventCount", Some(0.into())),
                ("selectedModel", text(self.options.model())),
                ("reasoningEffort", text(self.options.effort())),
                ("context", Some(json!({ "cwd": self.session.cwd }))),
            ]);
            out.event(EventKind::SessionResume, data);
        }
    }

    /// Takes over what was said in another program after the last message of the log; the rest of a replay is in the log.
    fn take_over(&mut self, HeldReplay { log, turns }: HeldReplay, is_whole: bool, out: &mut Out<'_>) {
        let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
        let compared = if is_whole { log.compare(&texts) } else { Compared::Same };
        let first_new = if let Compared::NewFrom(place) = compared { place } else { turns.len() };
        for (place, turn) in turns.into_iter().enumerate() {
            if place < first_new {
                out.leave_out("the log has it");
                for (update, _) in turn.updates {
                    self.leave_out_repeated(&update, out);
                }
                continue;
            }
            if place == first_new {
                let words = "This session went on in another program. What was said there follows.";
                out.notice(EventKind::SessionInfo, "elsewhere", words);
            }
            if let Some(replay) = &mut self.replay {
                replay.user = Some((None, turn.text));
            }
            self.end_user(out);
            for (update, agent) in turn.updates {
                self.update(&update, agent.as_deref(), out);
            }
        }
        if compared == Compared::Unclear {
            let words = "This session went on in another program. What was said there is not in this log.";
            out.notice(EventKind::SessionWarning, "elsewhere", words);
        }
    }

    /// The log has what is said again.
    fn leave_out_repeated(&mut self, update: &Value, out: &mut Out<'_>) {
        if let Some(id) = update.get("toolCallId").and_then(Value::as_str) {
            self.calls.remember(id);
        }
        out.leave_out("the log has it");
    }

    fn end_replayed_turn(&mut self, in_turn: bool, out: &mut Out<'_>) {
        let turn = self.turn();
        self.segments.end_all(&turn, out);
        self.calls.end_all(Unfinished::Interrupted, &self.quirks, out);
        if in_turn {
            out.event(EventKind::AssistantTurnEnd, json!({ "turnId": turn }));
        }
    }

    /// A replayed message of the user is whole.
    fn end_user(&mut self, out: &mut Out<'_>) {
        let Some((_, text)) = self.replay.as_mut().and_then(|replay| replay.user.take()) else { return };
        if self.quirks.internal_messages.iter().any(|start| text.starts_with(start)) {
            return out.leave_out("a message of the agent's own under the user's name");
        }
        if let Some(held) = self.replay.as_mut().and_then(|replay| replay.held.as_mut()) {
            held.turns.push(HeldTurn { text, updates: Vec::new() });
            return;
        }
        let in_turn = self.replay.as_mut().is_some_and(|replay| std::mem::replace(&mut replay.in_turn, true));
        self.end_replayed_turn(in_turn, out);
        self.turns += 1;
        let data = json!({ "content": text, "messageId": out.new_id() });
        out.event(EventKind::UserMessage, data);
        self.start_turn(out);
    }

    fn prompt_sent(&mut self, prompt: &Prompt, out: &mut Out<'_>) {
        self.end_replay(false, out);
        if self.running.is_some() {
            // The agent never answered the one before.
            self.finish_turn(Unfinished::Interrupted, false, out);
        }
        let turn = self.turn();
        self.segments.end_all(&turn, out);
        self.calls.end_all(Unfinished::Forgotten, &self.quirks, out);
        self.turns += 1;
        self.is_failing = false;
        self.has_warned_of_subagents = false;
        self.running = Some(Running::default());
        let data = object([
            ("content", Some(prompt.text.as_str().into())),
            ("messageId", Some(prompt.message_id.as_str().into())),
            ("attachments", (!prompt.attachments.is_empty()).then(|| prompt.attachments.clone().into())),
            ("delivery", Some(if prompt.queued { "queued" } else { "idle" }.into())),
        ]);
        out.event(EventKind::UserMessage, data);
        self.start_turn(out);
    }

    fn prompt_ended(&mut self, response: Result<Value, RpcError>, out: &mut Out<'_>) {
        let Some(running) = &self.running else {
            return out.leave_out("the response to a prompt that has ended");
        };
        let was_cancelled = running.is_cancelled;
        let is_rejection = running.has_rejection && !was_cancelled;
        match response {
            Err(error) => {
                let turn = self.turn();
                self.segments.end_all(&turn, out);
                // Whoever stops the work does not need to hear that it stopped.
                if !was_cancelled {
                    let data = object([
                        ("errorType", Some("acp".into())),
                        ("errorCode", Some(error.code.to_string().into())),
                        ("message", Some(error.words_with(self.session.sign_in).into())),
                    ]);
                    out.event(EventKind::SessionError, data);
                }
                self.finish_turn(Unfinished::Interrupted, was_cancelled, out);
            }
            Ok(response) => {
                let model = self.options.model().unwrap_or_default().to_owned();
                self.usage.prompt_ended(&response, self.quirks.tokens, &model, out);
                let reason = response.get("stopReason").and_then(Value::as_str).unwrap_or_default();
                let warning = match reason {
                    "max_tokens" => Some("The agent stopped: the answer has reached its longest length."),
                    "max_turn_requests" => {
                        Some("The agent stopped: it has asked the model as often as it may in one turn.")
                    }
                    "refusal" => Some("The agent refuses to go on with this."),
                    "cancelled" if is_rejection => {
                        Some("The agent stopped because the request was rejected.")
                    }
                    _ => None,
                };
                let is_cancelled = was_cancelled || (reason == "cancelled" && !is_rejection);
                let why = if is_cancelled { Unfinished::Interrupted } else { Unfinished::Forgotten };
                let turn = self.turn();
                self.segments.end_all(&turn, out);
                if let Some(words) = warning {
                    let kind = if reason == "cancelled" { "rejected" } else { reason };
                    let level = if reason == "cancelled" {
                        EventKind::SessionInfo
                    } else {
                        EventKind::SessionWarning
                    };
                    out.notice(level, kind, words);
                }
                self.finish_turn(why, is_cancelled, out);
            }
        }
    }

    /// Ends all that is open, and the turn.
    fn finish_turn(&mut self, why: Unfinished, is_cancelled: bool, out: &mut Out<'_>) {
        let turn = self.turn();
        self.segments.end_all(&turn, out);
        // The agent itself has not waited for the answer, unless a person stopped it.
        let no_longer =
            if is_cancelled { STOPPED } else { "The agent does not wait for the answer any more." };
        self.requests.cancel_all(no_longer, out);
        self.calls.end_all(why, &self.quirks, out);
        self.subagents.end_all(is_cancelled, out);
        self.compaction_ended(Some("It was interrupted."), out);
        if is_cancelled {
            out.event(EventKind::Abort, json!({ "reason": "user_initiated" }));
        }
        out.event(EventKind::AssistantTurnEnd, json!({ "turnId": turn }));
        out.event(EventKind::SessionIdle, json!({ "aborted": is_cancelled }));
        let feedback = self.running.take().map(|running| running.feedback).unwrap_or_default();
        for text in feedback {
            if is_cancelled {
                let words = format!("The work was stopped before the agent got this: {text}");
                out.notice(EventKind::SessionInfo, "feedback", &words);
            } else {
                out.effects.push(Effect::Prompt { text });
            }
        }
        out.effects.push(Effect::TurnOver);
    }

    fn process_ended(&mut self, message: &str, last_lines: &[String], out: &mut Out<'_>) {
        self.end_replay(false, out);
        let was_open = self.running.is_some() || self.is_open();
        self.requests.settle_all("The agent has gone.", out);
        if !was_open {
            return out.leave_out("the end of a process that had nothing to do here");
        }
        let mut words = message.to_owned();
        for line in last_lines {
            words.push('\n');
            words.push_str(line);
        }
        let turn = self.turn();
        self.segments.end_all(&turn, out);
        out.event(EventKind::SessionError, json!({ "errorType": "acp", "message": words }));
        if self.running.is_some() {
            self.finish_turn(Unfinished::Interrupted, false, out);
        } else {
            self.calls.end_all(Unfinished::Interrupted, &self.quirks, out);
            self.subagents.end_all(true, out);
            self.compaction_ended(Some("It was interrupted."), out);
        }
    }

    fn cancel(&mut self, out: &mut Out<'_>) {
        self.requests.cancel_all(STOPPED, out);
        self.calls.stop();
        if let Some(running) = &mut self.running {
            running.is_cancelled = true;
            let params = json!({ "sessionId": self.session.session_id });
            out.effects.push(Effect::Notify { method: "session/cancel", params });
        }
    }

    fn answer(&mut self, request_id: &str, params: &Value, out: &mut Out<'_>) {
        let answered = match self.requests.answer(request_id, params, out) {
            Ok(Some(answered)) => answered,
            Ok(None) => return out.effects.push(Effect::Answered(Ok(false))),
            Err(why) => return out.effects.push(Effect::Answered(Err(why))),
        };
        if let Some(place) = answered.rejected {
            self.calls.reject(place, &self.quirks, out);
        }
        match (&mut self.running, answered.feedback) {
            (Some(running), feedback) => {
                running.has_rejection |= answered.is_rejection;
                running.feedback.extend(feedback);
            }
            (None, Some(text)) => out.effects.push(Effect::Prompt { text }),
            (None, None) => {}
        }
        out.effects.push(Effect::Answered(Ok(true)));
    }

    fn withdrawn(&mut self, rpc_id: &Value, out: &mut Out<'_>) {
        if !self.requests.withdraw(rpc_id, out) {
            out.leave_out("a request that is not open is withdrawn");
        }
    }

    fn request(&mut self, ids: (String, Value), method: &str, params: &Value, out: &mut Out<'_>) {
        let is_stopping = self.running.as_ref().is_some_and(|running| running.is_cancelled);
        let is_offered = matches!(method, "session/request_permission" | "elicitation/create");
        if is_stopping || !is_offered {
            return refuse(ids.1, method, is_stopping, out);
        }
        let turn = self.turn();
        self.segments.end(None, &turn, out);
        if method == "elicitation/create" {
            return self.requests.elicit(ids.0, ids.1, params, out);
        }
        let agent = params
            .get("sessionId")
            .and_then(Value::as_str)
            .filter(|id| self.subagents.has(id))
            .map(str::to_owned);
        // Options may have kinds that are not known, and are still options.
        let call = params.get("toolCall").cloned().unwrap_or_default();
        let Ok(call) = serde_json::from_value::<ToolCallUpdate>(call) else {
            let error =
                RpcError { code: -32602, message: "The request cannot be read".to_owned(), data: None };
            out.leave_out("a request that cannot be read");
            return out.respond(ids.1, Err(error));
        };
        let Some(place) = self.calls.ask(call, agent.as_deref(), &self.quirks, out) else {
            out.leave_out("a request for a call that has ended");
            return out.respond(ids.1, cancelled(method));
        };
        if let Some(call) = self.calls.get(place) {
            let options = params.get("options").unwrap_or(&Value::Null);
            self.requests.ask(ids, options, (call, Some(place)), &self.quirks, out);
        }
    }

    fn notification(&mut self, method: &str, params: &Value, out: &mut Out<'_>) {
        match method {
            "session/update" => {}
            "$/cancel_request" => {
                return self.withdrawn(params.get("requestId").unwrap_or(&Value::Null), out);
            }
            "elicitation/complete" => {
                let id = params.get("elicitationId").and_then(Value::as_str).unwrap_or_default();
                if !self.requests.elicitation_done(id, out) {
                    out.leave_out("the end of a form that is not open");
                }
                return;
            }
            _ if method.starts_with('_') => return out.leave_out("a notification of the agent's own"),
            _ => return out.leave_out("a notification that is not known"),
        }
        let Some(update) = params.get("update") else {
            return out.leave_out("an update without its content");
        };
        let session_id = params.get("sessionId").and_then(Value::as_str).unwrap_or_default();
        let agent =
            (session_id != self.session.session_id && self.subagents.has(session_id)).then_some(session_id);
        self.update(update, agent, out);
    }

    fn update(&mut self, update: &Value, agent: Option<&str>, out: &mut Out<'_>) {
        let kind = update.get("sessionUpdate").and_then(Value::as_str).unwrap_or_default();
        if kind != "user_message_chunk" && is_conversation(kind) {
            self.end_user(out);
        }
        let held = self.replay.as_mut().and_then(|replay| replay.held.as_mut());
        if let Some(held) = held.filter(|_| is_conversation(kind) && kind != "user_message_chunk") {
            match held.turns.last_mut() {
                Some(turn) => turn.updates.push((update.clone(), agent.map(str::to_owned))),
                None => self.leave_out_repeated(update, out),
            }
            return;
        }
        let turn = self.turn();
        match kind {
            "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk" => {
                self.chunk(kind, update, agent, out);
            }
            "tool_call" | "tool_call_update" => self.tool_call(kind, update, agent, out),
            "plan" => {
                self.segments.end(agent, &turn, out);
                let entries = update.get("entries").and_then(Value::as_array);
                let list = entries.into_iter().flatten().filter_map(todos::read).collect();
                self.plan(list, out);
            }
            "plan_update" | "plan_removed" => {
                self.segments.end(agent, &turn, out);
                let operation = if kind == "plan_removed" { "delete" } else { "update" };
                out.event(EventKind::SessionPlanChanged, json!({ "operation": operation }));
            }
            "available_commands_update" => self.commands_changed(update, out),
            "current_mode_update" | "config_option_update" if agent.is_none() => {
                self.change_options(out, |options| options.read(update));
            }
            "session_info_update" => self.session_info(update, out),
            "usage_update" => {
                let speaker = if agent.is_none() { self.speaker(out) } else { None };
                let agent = agent.or(speaker.as_deref());
                self.segments.end_unnamed(agent, &turn, out);
                if agent.is_none() {
                    Usage::context(update, out);
                } else {
                    out.leave_out("the context of a sub-agent");
                }
            }
            "notice" => notice(update, out),
            "compaction_update" => {
                self.segments.end(agent, &turn, out);
                self.compaction(update, out);
            }
            "subagent_update" => {
                self.segments.end(update.get("sessionId").and_then(Value::as_str), &turn, out);
                self.subagents.update(update, out);
            }
            "current_mode_update" | "config_option_update" => out.leave_out("the options of a sub-agent"),
            _ => out.leave_out("an update that is not known"),
        }
    }

    fn chunk(&mut self, kind: &str, update: &Value, agent: Option<&str>, out: &mut Out<'_>) {
        let Ok(chunk) = serde_json::from_value::<ContentChunk>(update.clone()) else {
            return out.leave_out("a chunk that cannot be read");
        };
        let text = match &chunk.content {
            ContentBlock::Text(text) => text.text.clone(),
            ContentBlock::ResourceLink(link) => format!("[{}]({})", link.name, link.uri),
            ContentBlock::Image(_) => "[picture]".to_owned(),
            ContentBlock::Audio(_) => "[sound]".to_owned(),
            _ => "[resource]".to_owned(),
        };
        let message_id = chunk.message_id.as_ref().map(|id| id.0.as_ref());
        if kind == "user_message_chunk" {
            return self.user_chunk(&text, message_id, out);
        }
        if let Notices::Mode(start) = self.quirks.notices
            && let Some(mode) = text.strip_prefix(start).filter(|_| kind == "agent_message_chunk")
        {
            return self.change_options(out, |options| options.mode_is(mode));
        }
        let turn = self.turn();
        let is_live = self.replay.is_none();
        let speaker = if agent.is_none() { self.speaker(out) } else { None };
        let agent = agent.or(speaker.as_deref());
        let is_failing = self.is_failing;
        let chunk = Chunk { agent, message_id, text: &text, is_live, is_failing, turn: &turn };
        if kind == "agent_thought_chunk" {
            self.segments.reasoning(chunk, &self.quirks, out);
        } else {
            self.segments.text(chunk, &self.quirks, out);
        }
        // Nothing would end it.
        if self.running.is_none() && self.replay.is_none() {
            self.segments.end_all(&turn, out);
        }
    }

    fn user_chunk(&mut self, text: &str, message_id: Option<&str>, out: &mut Out<'_>) {
        let Some(replay) = &mut self.replay else {
            return out.leave_out("the prompt that was sent, or one of another client");
        };
        let is_same = replay.user.as_ref().is_some_and(|(id, _)| id.as_deref() == message_id);
        // Without ids, two messages of the agent's own are two all the same.
        let is_own = |text: &str| self.quirks.internal_messages.iter().any(|start| text.starts_with(start));
        let is_apart = replay.user.as_ref().is_some_and(|(_, before)| is_own(before) || is_own(text));
        if is_same && !is_apart {
            if let Some((_, before)) = &mut replay.user {
                before.push_str(text);
            }
            return;
        }
        self.end_user(out);
        let turn = self.turn();
        self.segments.end_all(&turn, out);
        if let Some(replay) = &mut self.replay {
            replay.user = Some((message_id.map(str::to_owned), text.to_owned()));
        }
    }

    fn tool_call(&mut self, kind: &str, update: &Value, agent: Option<&str>, out: &mut Out<'_>) {
        let Ok(mut update) = serde_json::from_value::<ToolCallUpdate>(update.clone()) else {
            return out.leave_out("a call that cannot be read");
        };
        if let Some(input) = &mut update.fields.raw_input {
            self.subagents.name_receivers(input);
        }
        let meta = update.meta.as_ref();
        let inner =
            meta.and_then(|meta| meta.get("github.com/copilot")?.get("agentId")?.as_str()).map(str::to_owned);
        let turn = self.turn();
        self.segments.end(agent, &turn, out);
        if agent.is_none() {
            // What comes next may be another's.
            self.segments.end_of_calls(&self.subagents, &turn, out);
        }
        let inner = inner.map(|id| self.subagents.named(&id, &self.calls, out));
        let agent = inner.as_deref().or(agent);
        let announces = kind == "tool_call";
        let taken = self.calls.update(update, agent, announces, &self.quirks, out);
        let (Taken::Call(place) | Taken::Ended(place)) = taken else {
            return out.leave_out("a call that has ended before");
        };
        if taken == Taken::Ended(place)
            && let Some(id) = self.calls.get(place).map(|call| call.id.clone())
        {
            self.subagents.call_ended(&id, out);
        }
        self.note(place, out);
        // Nothing would end it.
        if self.running.is_none() && self.replay.is_none() {
            self.calls.end_all(Unfinished::Forgotten, &self.quirks, out);
        }
    }

    /// What a call means besides: its todos, and what its sub-agent can't do.
    fn note(&mut self, place: usize, out: &mut Out<'_>) {
        let Some(call) = self.calls.get(place) else { return };
        let is = |tool: Option<&str>| tool.is_some() && call.name.as_deref() == tool;
        if is(self.quirks.todo_tool)
            && let Some(list) = arguments::listed(call)
            && list != self.todos
        {
            self.todos = list;
            out.event(EventKind::SessionTodosChanged, json!({}));
        }
        let Some(call) = self.calls.get(place) else { return };
        if call.name.as_deref() == self.quirks.silent_subagents
            && call.name.is_some()
            && !self.has_warned_of_subagents
        {
            self.has_warned_of_subagents = true;
            out.notice(
                EventKind::SessionWarning,
                "subagent_permissions",
                "This agent never asks for what its sub-agents need: one that needs a permission waits until the work is stopped.",
            );
        }
    }

    /// The sub-agent whose words have no owner.
    fn speaker(&mut self, out: &mut Out<'_>) -> Option<String> {
        self.quirks.speaks_for_subagents.then(|| self.subagents.speaking(&self.calls, out)).flatten()
    }

    /// The agent's plan is a list of todos. A call shows it: no event of the session has the list itself.
    fn plan(&mut self, list: Vec<Todo>, out: &mut Out<'_>) {
        if list == self.todos {
            return out.leave_out("a plan that has not changed");
        }
        let id = out.new_id();
        let arguments = json!({ "todos": todos::checklist(&list) });
        let start = json!({ "toolCallId": id, "toolName": todos::TOOL, "arguments": arguments });
        out.event(EventKind::ToolExecutionStart, start);
        let result = json!({ "content": todos::checklist(&list) });
        out.event(
            EventKind::ToolExecutionComplete,
            json!({ "toolCallId": id, "success": true, "result": result }),
        );
        out.event(EventKind::SessionTodosChanged, json!({}));
        self.todos = list;
    }

    fn commands_changed(&mut self, update: &Value, out: &mut Out<'_>) {
        let list = update.get("availableCommands").and_then(Value::as_array);
        let command = |command: &Value| {
            let name = command.get("name")?.as_str()?;
            let description = command.get("description").and_then(Value::as_str);
            Some(object([("name", Some(name.into())), ("description", description.map(Into::into))]))
        };
        let commands: Vec<Value> = list.into_iter().flatten().filter_map(command).collect();
        if commands == self.commands {
            out.leave_out("commands that have not changed");
        } else {
            self.commands = commands;
            out.event(EventKind::CommandsChanged, json!({ "commands": self.commands }));
        }
        if self.replay.as_ref().is_some_and(|replay| replay.is_loaded) {
            self.end_replay(true, out);
        }
    }

    fn session_info(&mut self, update: &Value, out: &mut Out<'_>) {
        let count = out.effects.len();
        if let Some(status) = update.pointer("/_meta/codex/threadStatus/type").and_then(Value::as_str) {
            self.is_failing = status == "systemError";
        }
        if let Some(title) = update.get("title").and_then(Value::as_str).filter(|title| !title.is_empty()) {
            out.event(EventKind::SessionTitleChanged, json!({ "title": title }));
        }
        if let Some(error) = update.pointer("/_meta/codex/error") {
            let words =
                error.get("message").and_then(Value::as_str).unwrap_or("The model could not be asked");
            let turn = self.turn();
            if error.get("willRetry").and_then(Value::as_bool).unwrap_or(false) {
                self.segments.interrupt(&turn, words, out);
            } else {
                self.segments.end_all(&turn, out);
                out.notice(EventKind::SessionError, "acp", words);
            }
        }
        if out.effects.len() == count {
            out.leave_out("facts about the session without a place");
        }
    }

    fn compaction(&mut self, update: &Value, out: &mut Out<'_>) {
        let error = update.get("error").and_then(Value::as_str);
        match update.get("status").and_then(Value::as_str) {
            Some("in_progress" | "pending") if !self.is_compacting => {
                self.is_compacting = true;
                out.event(EventKind::SessionCompactionStart, json!({}));
            }
            Some("completed") if self.is_compacting => self.compaction_ended(None, out),
            Some("failed" | "cancelled") if self.is_compacting => {
                self.compaction_ended(Some(error.unwrap_or("It failed.")), out);
            }
            _ => out.leave_out("a compaction whose state has not changed"),
        }
    }

    fn compaction_ended(&mut self, error: Option<&str>, out: &mut Out<'_>) {
        if std::mem::take(&mut self.is_compacting) {
            let data = object([("success", Some(error.is_none().into())), ("error", error.map(Into::into))]);
            out.event(EventKind::SessionCompactionComplete, data);
        }
    }

    fn change_options(&mut self, out: &mut Out<'_>, change: impl FnOnce(&mut Options)) {
        let before = self.options.clone();
        change(&mut self.options);
        let count = out.effects.len();
        self.options.tell_changes(&before, out);
        if out.effects.len() == count {
            out.leave_out("options that have not changed for people");
        }
    }
}

/// Why a request is not open any more, after a person has stopped the work.
const STOPPED: &str = "The work was stopped.";

fn refuse(rpc_id: Value, method: &str, is_stopping: bool, out: &mut Out<'_>) {
    out.leave_out(if is_stopping {
        "a request while the work is being stopped"
    } else {
        "a method that is not offered"
    });
    out.respond(rpc_id, cancelled(method));
}

/// Whether an update is part of what was said and done, which a load says again.
fn is_conversation(kind: &str) -> bool {
    let kinds = [
        "agent_message_chunk",
        "agent_thought_chunk",
        "user_message_chunk",
        "tool_call",
        "tool_call_update",
        "plan",
    ];
    kinds.contains(&kind)
}

fn notice(update: &Value, out: &mut Out<'_>) {
    let text = |name: &str| update.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let level = match text("severity") {
        Some("error") => EventKind::SessionError,
        Some("warning") => EventKind::SessionWarning,
        _ => EventKind::SessionInfo,
    };
    let title = text("title").unwrap_or_default();
    let words = text("description").map_or_else(|| title.to_owned(), |more| format!("{title}\n{more}"));
    out.notice(level, "acp", words.trim());
}
