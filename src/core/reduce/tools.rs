//! Handles tool calls: requested, started, output, completed. No tool is known by its name here.

use std::sync::Arc;

use super::EventMeta;
use crate::json_writer::one_line;
use crate::model::entry::{Body, Entry, EntryState, Kind};
use crate::model::request::{Request, RequestKind};
use crate::model::state::{Space, State};
use crate::model::tool_call::{
    BackgroundShell, CallStage, Failure, Outcome, OutputMerge, ShellEnd, ToolCall, ToolInfo,
    is_without_output, merge_output, sent_to_background, shell_end, shell_output,
};
use crate::protocol::EventKind;
use crate::wire::fields::Fields;
use crate::wire::text::{JsonText, Text};

impl State {
    /// The model is still writing a call's arguments.
    pub(super) fn tool_call_delta(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let id = data.string("toolCallId").filter(|id| !id.is_empty());
        let (Some(id), Some(piece)) = (id, data.string("inputDelta")) else {
            return self.nothing_to_append(meta, "toolCallId", "inputDelta");
        };
        let name = data.string("toolName").unwrap_or_default();
        let place = self.tool_entry(meta, &id, &name, CallStage::Writing);
        self.update_tool(place, |call| {
            if matches!(call.stage, CallStage::Writing) {
                call.written.push_str(&piece);
            }
        });
    }

    /// The model's message requests a call; returns the place of its entry.
    pub(super) fn tool_requested(
        &mut self,
        meta: EventMeta<'_>,
        mut request: Fields,
        parent: Option<&str>,
    ) -> Option<usize> {
        let id = request.id("toolCallId")?;
        let name = request.id("name").unwrap_or_default();
        let place = self.tool_entry(meta, &id, &name, CallStage::Requested);
        self.commit(place, meta);
        let arguments = request.json("arguments");
        let (title, intention) =
            (request.non_empty_text("toolTitle"), request.non_empty_text("intentionSummary"));
        self.update(place, |entry| {
            entry.model_visible = true;
            fill(&mut entry.parent_tool_call_id, parent.map(str::to_owned));
        });
        self.update_tool(place, |call| {
            if matches!(call.stage, CallStage::Writing) {
                call.stage = CallStage::Requested;
            }
            fill(&mut call.title, title);
            fill(&mut call.intention, intention);
            if arguments.is_some() {
                call.arguments = arguments;
                call.written = String::new();
            }
        });
        self.call_about_agent(place);
        Some(place)
    }

    /// Links the calls of one message to each other.
    pub(super) fn link_parallel_calls(&mut self, calls: &[usize]) {
        if calls.len() > 1 {
            let parallel: Arc<[usize]> = calls.into();
            for place in calls {
                self.update_tool(*place, |call| call.parallel = Some(Arc::clone(&parallel)));
            }
        }
    }

    pub(super) fn tool(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let Some(id) = data.id("toolCallId") else {
            let message = format!("{} without `toolCallId`: it belongs to no call", meta.name);
            self.diagnose("warning", message, Some(meta.id.to_owned()));
            return;
        };
        match meta.kind {
            EventKind::ToolUserRequested => {
                let place = self.tool_started(meta, &id, &mut data, CallStage::Requested);
                self.update_tool(place, |call| call.by_user = true);
            }
            EventKind::ToolExecutionStart => {
                let place = self.tool_started(meta, &id, &mut data, CallStage::Running);
                let again = self.entry(place).and_then(Entry::tool).is_some_and(|call| call.has_started);
                if again {
                    // The runtime was restarted, and continues its work.
                    self.begin_work(meta);
                } else {
                    self.update_tool(place, |call| call.has_started = true);
                    self.count_tool(meta, place);
                    if let Some(agent) = meta.agent {
                        self.agent_works(agent);
                    }
                }
            }
            EventKind::ToolExecutionPartialResult => {
                let place = self.tool_entry(meta, &id, "", CallStage::Running);
                if let Some(partial) = data.text("partialOutput") {
                    self.tool_output(place, &partial);
                }
            }
            EventKind::ToolExecutionProgress => {
                let place = self.tool_entry(meta, &id, "", CallStage::Running);
                let message = data.non_empty_text("progressMessage");
                self.update_tool(place, |call| call.progress = message);
            }
            _ => self.tool_completed(meta, &id, data),
        }
    }

    fn tool_started(&mut self, meta: EventMeta<'_>, id: &str, data: &mut Fields, life: CallStage) -> usize {
        let name = data.id("toolName").unwrap_or_default();
        let place = self.tool_entry(meta, id, &name, life.clone());
        self.commit(place, meta);
        let parent = data.non_empty_text("parentToolCallId");
        if parent.is_some() || meta.agent.is_some() {
            self.update(place, |entry| {
                if entry.agent_id.is_none() {
                    entry.agent_id = meta.agent.map(str::to_owned);
                }
                fill(&mut entry.parent_tool_call_id, parent);
            });
        }
        let (title, model, arguments) =
            (data.non_empty_text("toolTitle"), data.non_empty_text("model"), data.json("arguments"));
        let about = about(data);
        let server = data.non_empty_text("mcpServerName");
        let tool = data.non_empty_text("mcpToolName");
        self.update_tool(place, |call| {
            if !call.ended() || matches!(call.stage, CallStage::Interrupted) {
                call.stage = life;
            }
            fill(&mut call.title, title);
            fill(&mut call.model, model);
            learn(&mut call.about, about);
            if arguments.is_some() {
                call.arguments = arguments;
                call.written = String::new();
            }
            if let Some(server) = server {
                call.mcp = Some((server, tool.unwrap_or_else(|| call.name.clone())));
            }
        });
        if !self.open_tools.contains(&place) {
            self.open_tools.push(place);
        }
        self.call_about_agent(place);
        place
    }

    fn tool_output(&mut self, place: usize, partial: &str) {
        self.update_tool(place, |call| {
            // A shell in the background goes on after its result: its later output is stored separately.
            let later = call.ended() && !matches!(call.stage, CallStage::Interrupted);
            let output = if later { &mut call.later_output } else { call.output.make_owned() };
            let merged = merge_output(output, partial);
            if merged == OutputMerge::Replaced && !later {
                call.output_rewrites = call.output_rewrites.wrapping_add(1);
            }
            if merged != OutputMerge::Unchanged && matches!(call.stage, CallStage::Interrupted) {
                call.stage = CallStage::Running;
            }
        });
    }

    fn tool_completed(&mut self, meta: EventMeta<'_>, id: &str, mut data: Fields) {
        let success = data.flag("success").unwrap_or(false);
        let mut result = data.object_or_text("result", "content");
        let mut error = data.object_or_text("error", "message");
        let (content, detailed) = (result.json_text("content"), result.json_text("detailedContent"));
        let detailed = detailed.filter(|detail| Some(detail) != content.as_ref());
        let place = self.tool_entry(meta, id, "", CallStage::Running);
        let mut text_of = |text: Option<JsonText<'_>>| {
            let call = self.entry_mut(place).and_then(|entry| entry.tool_mut());
            text.map(|text| match call {
                Some(call) => call.shared_text(text),
                None => text.text(),
            })
        };
        let (content, detailed) = (text_of(content), text_of(detailed));
        self.commit(place, meta);
        // Either event may say that a person ran it.
        let known_by_user = self.entry(place).and_then(|entry| entry.tool()).is_some_and(|call| call.by_user);
        let by_user = data.flag("isUserRequested").unwrap_or(false) || known_by_user;
        let parent = data.non_empty_text("parentToolCallId");
        let exit_code = data.object("shellExecution").integer("exitCode");
        let about = about(&mut data);
        let mut content = content;
        let life = if success {
            let outcome = Outcome {
                detailed,
                contents: result.list("contents"),
                exit_code,
                structured: result.any("structuredContent"),
                binaries: result.list("binaryResultsForLlm"),
                sources: result.list("citableSources"),
                view: result.object("uiResource").non_empty_text("uri"),
            };
            if outcome.shows_nothing() {
                content = content.or_else(|| left_over(result));
            }
            CallStage::Succeeded(outcome)
        } else {
            let message = error.json_text("message").map(JsonText::text);
            let (code, remediation) = (error.non_empty_text("code"), error.non_empty_text("remediation"));
            let is_filled = |text: &Text| !text.is_empty();
            let message = message
                .filter(is_filled)
                .or_else(|| content.clone().filter(is_filled))
                .or_else(|| left_over(error))
                .or_else(|| left_over(result))
                .unwrap_or_default();
            let interrupted = code.as_deref() == Some("interrupted");
            let failure = Failure { message, code, remediation, exit_code, interrupted };
            match failure.code.as_deref() {
                Some("rejected" | "denied") => CallStage::Denied(failure),
                // Its agent may only say that it failed.
                _ if !interrupted && self.was_never_allowed(place, id) => CallStage::Denied(failure),
                _ => CallStage::Failed(failure),
            }
        };
        let text = match (&life, content) {
            (CallStage::Failed(failure) | CallStage::Denied(failure), _) => failure.message.clone(),
            (_, content) => content.unwrap_or_default(),
        };
        self.update(place, |entry| fill(&mut entry.parent_tool_call_id, parent));
        self.update_tool(place, |call| {
            call.stage = life;
            learn(&mut call.about, about);
            call.by_user |= by_user;
            call.progress = None;
            call.written = String::new();
            if let CallStage::Succeeded(outcome) = &call.stage
                && !call.output.is_empty()
            {
                let result = outcome.detailed.as_ref().unwrap_or(&text);
                // The result counts, so a log may lack the output.
                if !(result.may_name_shell() && result.read_uncached(is_without_output)) {
                    (call.output, call.output_rewrites) = (Text::default(), 0);
                }
            }
        });
        // Of a call before this log nothing is known but that it is interrupted, which the line of the restart says.
        let unknown = self.entry(place).and_then(Entry::tool).is_some_and(|call| {
            call.name.is_empty() && matches!(&call.stage, CallStage::Failed(failure) if failure.interrupted)
        });
        if unknown {
            self.update(place, |entry| entry.ui_visible = false);
        }
        self.open_tools.retain(|open| *open != place);
        self.stale_requests_of_tool(id);
        if !self.open_requests.is_empty() {
            // Who waited for a sub-agent in this call goes on.
            self.set_clocks();
        }
        if success {
            self.shell_went_on(place, &text);
        }
        let main = self.entry(place).is_some_and(|entry| entry.agent_id.is_none()) && meta.agent.is_none();
        if main && by_user {
            self.user_ran(meta, place, success, &text);
        } else {
            self.tool_message(meta, place, id, text.clone());
        }
        self.replace_text(place, text);
    }

    /// A result can say that its shell goes on in the background, or have more output of one that does.
    fn shell_went_on(&mut self, place: usize, text: &Text) {
        let call = self.entry(place).and_then(|entry| entry.tool());
        let named = call.and_then(|call| call.arguments.as_ref()?.text("shellId")).map(|id| shell_name(&id));
        if named.is_none() && !text.may_name_shell() {
            return;
        }
        let (output, line) = shell_output(text);
        // An asynchronous command can print something before it goes to the background.
        let first = text.split_once('>').and_then(|(first, _)| text.get(..=first.len()));
        if let Some(shell) = line.and_then(sent_to_background).or_else(|| first.and_then(sent_to_background))
        {
            self.index_entry(Space::Named, shell_name(shell), place);
            let shell = BackgroundShell { shell_id: shell.to_owned(), ended: false, exit_code: None };
            self.update_tool(place, |call| call.background = Some(shell));
            return;
        }
        let Some(shell) = named else {
            return;
        };
        let end = line.and_then(shell_end);
        if let Some(owner) = self.place(Space::Named, &shell).filter(|owner| *owner != place) {
            self.update_tool(owner, |call| {
                // The stream may have brought this output already, with a line break at its end.
                if !call.later_output.trim_end().ends_with(output) {
                    merge_output(&mut call.later_output, output);
                }
                close(call, end);
            });
        }
    }

    /// A notification says that a shell in the background has ended.
    pub(super) fn shell_ended(&mut self, shell_id: &str, exit_code: Option<i64>) {
        if let Some(owner) = self.place(Space::Named, &shell_name(shell_id)) {
            self.update_tool(owner, |call| close(call, Some(ShellEnd { exit_code })));
        }
    }

    /// A command that a person ran answers no call of the model. The model gets it as a user message instead.
    fn user_ran(&mut self, meta: EventMeta<'_>, place: usize, success: bool, output: &str) {
        let call = self.entry(place).and_then(|entry| entry.tool());
        let command = call.and_then(|call| call.argument("command")).unwrap_or_default();
        let end = if output.ends_with('\n') { "" } else { "\n" };
        let how = if success { "" } else { " (non-zero exit code)" };
        let content = format!(
            "<user_shell_command_output>\nThe user executed a shell command directly in their terminal{how}.\n\n\
             Command:\n{command}\n\nOutput:\n{output}{end}</user_shell_command_output>"
        );
        self.set_model(meta, content, Some(place));
    }

    /// Whether the newest permission of a call was refused or taken back, or nobody has answered it, and the call has put nothing out.
    /// Only for agents over ACP: the runtime says so itself.
    fn was_never_allowed(&self, place: usize, id: &str) -> bool {
        let has_output = self.entry(place).and_then(Entry::tool).is_some_and(|call| !call.output.is_empty());
        let asked = |entry: &Entry| {
            entry.request().is_some_and(|request| {
                request.kind == RequestKind::Permission && request.tool_call_id.as_deref() == Some(id)
            })
        };
        // It was asked for after the call was there.
        let newest = self.entries.iter().skip(place).rev().find(|entry| asked(entry));
        let is_refused = |request: &Request| {
            (request.open() || request.refused()) && request.details.get("agentOptions").is_some()
        };
        !has_output && newest.and_then(|entry| entry.request()).is_some_and(is_refused)
    }

    /// The calls with an open permission that outlives the process: they may still run.
    pub(super) fn calls_asked_for(&self) -> Vec<usize> {
        let asked = |place: &usize| {
            let request = self.entry(*place)?.request().filter(|request| request.kind.survives_resume())?;
            self.tool_place(request.tool_call_id.as_deref()?)
        };
        let mut calls: Vec<usize> = self.open_requests.iter().filter_map(asked).collect();
        calls.retain(|call| self.open_tools.contains(call));
        calls
    }

    /// The permission of a call is gone and the session is idle: the call will not run.
    pub(super) fn give_up_call(&mut self, tool_call_id: &str) {
        if let Some(place) = self.tool_place(tool_call_id).filter(|place| self.open_tools.contains(place)) {
            self.open_tools.retain(|open| *open != place);
            self.interrupt_tool(place);
            self.update_tool(place, |call| call.is_waiting = true);
        }
    }

    /// The permission is requested after all.
    pub(super) fn await_call(&mut self, tool_call_id: &str) {
        let Some(place) = self.tool_place(tool_call_id) else { return };
        if self
            .entry(place)
            .and_then(Entry::tool)
            .is_some_and(|call| matches!(call.stage, CallStage::Interrupted))
        {
            self.update_tool(place, |call| call.stage = CallStage::Running);
            self.open_tools.push(place);
        }
    }

    pub(super) fn interrupt_tool(&mut self, place: usize) {
        self.update(place, |entry| {
            let Some(call) = entry.tool_mut().filter(|call| !call.ended()) else { return };
            // A call that was still being written is in none of the model's messages.
            let asked = !matches!(call.stage, CallStage::Writing);
            call.stage = CallStage::Interrupted;
            entry.state = EntryState::Interrupted;
            entry.model_visible &= asked;
        });
    }

    /// The call's entry. It is added if there is none, because a completion may come without a start.
    fn tool_entry(&mut self, meta: EventMeta<'_>, id: &str, name: &str, life: CallStage) -> usize {
        if let Some(place) = self.tool_place(id) {
            if !name.is_empty() {
                self.update_tool(place, |call| {
                    if call.name.is_empty() {
                        name.clone_into(&mut call.name);
                    }
                });
                if self.entry(place).is_some_and(|entry| !entry.ui_visible) {
                    self.update(place, |entry| entry.ui_visible = true);
                }
            }
            return place;
        }
        let place = self.add_entry(Some(Space::Tool), Kind::Tool, id.to_owned(), meta);
        let call = ToolCall::new(name.to_owned(), life);
        self.update(place, |entry| {
            entry.model_visible = true;
            entry.state = call.state();
            entry.body = Body::Tool(Box::new(call));
        });
        self.open_tools.push(place);
        self.own_requests(id, place);
        place
    }

    pub(super) fn update_tool(&mut self, place: usize, change: impl FnOnce(&mut ToolCall)) {
        self.update(place, |entry| {
            if let Some(call) = entry.tool_mut() {
                change(call);
                entry.state = call.state();
            }
        });
    }
}

/// What an object says in members that are not known.
fn left_over(fields: Fields<'_>) -> Option<Text> {
    let members = fields.rest();
    let has_value = members.as_object().is_some_and(|members| members.values().any(|value| !value.is_null()));
    has_value.then(|| one_line(&members).into())
}

fn shell_name(shell_id: &str) -> String {
    format!("shell {shell_id}")
}

fn close(call: &mut ToolCall, end: Option<ShellEnd>) {
    if let (Some(shell), Some(end)) = (&mut call.background, end) {
        shell.ended = true;
        fill(&mut shell.exit_code, end.exit_code);
    }
}

fn about(data: &mut Fields) -> ToolInfo {
    let mut tool = data.object("toolDescription");
    ToolInfo {
        description: tool.non_empty_text("description"),
        annotations: tool.any("annotations"),
        transport: data.non_empty_text("mcpTransport"),
        source: data.non_empty_text("mcpConfigSource"),
    }
}

fn learn(known: &mut ToolInfo, more: ToolInfo) {
    fill(&mut known.description, more.description);
    fill(&mut known.annotations, more.annotations);
    fill(&mut known.transport, more.transport);
    fill(&mut known.source, more.source);
}

/// Takes a fact if there is one, else keeps the known one.
fn fill<T>(slot: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *slot = value;
    }
}
