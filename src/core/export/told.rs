//! What documents say of entries, in words, whatever the format. Refuses markup.

use crate::core::ansi::Terminal;
use crate::core::entry::{Body, Entry, EntryState, Kind};
use crate::core::request::{Life, Request, RequestKind};
use crate::core::state::State;
use crate::core::tool_call::ToolCall;
use crate::core::tool_words::{self, Family, Sentence};
use crate::core::{time, tool_shown};

/// What a tool call did.
pub(super) fn sentence(state: &State, entry: &Entry) -> Sentence {
    let Some(call) = entry.tool() else { return Sentence::default() };
    let edit = (tool_words::family(call) == Family::Edit).then(|| tool_shown::edit(call)).flatten();
    tool_words::sentence(call, state.info.cwd.as_deref(), edit)
}

/// How a tool call ended and how long it took: 'failed · 3 s'.
pub(super) fn end(entry: &Entry) -> String {
    let word = match entry.state {
        EntryState::Failed => Some("failed"),
        EntryState::Denied => Some("denied"),
        EntryState::Interrupted => Some("interrupted"),
        EntryState::Pending => Some("not started"),
        EntryState::Running => Some("running"),
        _ => None,
    };
    let exit = entry.tool().and_then(ToolCall::exit_code).filter(|code| *code != 0);
    let ended = matches!(entry.state, EntryState::Done | EntryState::Failed);
    let took = entry.ended_at.zip(entry.at).map(|(end, start)| end - start).filter(|ms| ended && *ms >= 50);
    let parts = [word.map(str::to_owned), exit.map(|code| format!("exit {code}")), took.map(time::duration)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// How long the model thought.
pub(super) fn thought(entry: &Entry) -> String {
    match (entry.state, &entry.body) {
        (EntryState::Interrupted, _) => "Thought, interrupted".to_owned(),
        (_, Body::Reasoning { duration: Some(millis) }) => format!("Thought for {}", time::duration(*millis)),
        _ => "Thought".to_owned(),
    }
}

/// Who speaks in a user message.
pub(super) fn author(state: &State, entry: &Entry) -> String {
    match owner(state, entry) {
        Some(agent) => format!("Task for {agent}"),
        None => "You".to_owned(),
    }
}

/// How a message was delivered, where that is worth saying.
pub(super) fn delivery(entry: &Entry) -> Option<&'static str> {
    match &entry.body {
        Body::User(message) => match message.delivery.as_deref() {
            Some("steering") => Some("steering"),
            Some("queued") => Some("was queued"),
            _ => None,
        },
        _ => None,
    }
}

/// The sub-agent that an entry belongs to, by its name for people.
pub(super) fn owner(state: &State, entry: &Entry) -> Option<String> {
    let agent = entry.agent_id.as_deref().or(entry.parent_tool_call_id.as_deref())?;
    if entry.kind == Kind::Subagent {
        return None;
    }
    let place = entry.parent_tool_call_id.as_deref().and_then(|id| state.subagent_place(id));
    let name = place.and_then(|place| match &state.entry(place)?.body {
        Body::Subagent(facts) if !facts.display_name.is_empty() => Some(facts.display_name.clone()),
        Body::Subagent(facts) => Some(facts.name.clone()),
        _ => None,
    });
    Some(name.unwrap_or_else(|| agent.to_owned()))
}

/// True if a turn begins with this entry.
pub(super) fn begins_turn(entry: &Entry) -> bool {
    entry.kind == Kind::User && entry.agent_id.is_none() && entry.ui_visible
}

/// What was asked for.
pub(super) fn asked(request: &Request) -> &'static str {
    match request.kind {
        RequestKind::Permission => "Permission asked",
        RequestKind::UserInput => "Question",
        RequestKind::Elicitation => "Form",
        RequestKind::ExitPlanMode => "Plan to approve",
        RequestKind::ExternalTool => "Tool call for a client",
        RequestKind::QueuedCommand | RequestKind::Command => "Command for a client",
        RequestKind::AutoModeSwitch => "Change of mode asked",
        RequestKind::SessionLimits => "Session limits reached",
        RequestKind::McpOauth => "Sign-in asked",
        RequestKind::Sampling => "Reply of a model asked",
        RequestKind::Confirmation => "Confirmation asked",
    }
}

/// Where a request ended.
pub(super) fn outcome(request: &Request) -> String {
    match &request.life {
        Life::Waiting => "Not answered yet".to_owned(),
        Life::Sending { answer } => format!("{answer}, on its way"),
        Life::Settled { outcome, .. } => outcome.clone(),
        Life::Stale { why } => why.clone(),
    }
}

/// A terminal's text as it looked at the end, without colours.
pub(super) fn without_colours(text: &str) -> String {
    let mut terminal = Terminal::new();
    terminal.write(text);
    terminal.lines().iter().map(super::super::ansi::Line::text).collect::<Vec<_>>().join("\n")
}

/// How a sub-agent ended.
pub(super) fn agent_end(entry: &Entry) -> String {
    let word = match entry.state {
        EntryState::Running => Some("working"),
        EntryState::Failed => Some("failed"),
        EntryState::Interrupted => Some("cancelled"),
        _ => None,
    };
    let Body::Subagent(agent) = &entry.body else { return String::new() };
    let calls = agent.tool_calls.map(|calls| match calls {
        1 => "1 tool call".to_owned(),
        more => format!("{more} tool calls"),
    });
    let parts = [word.map(str::to_owned), calls, agent.duration.map(time::duration)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
